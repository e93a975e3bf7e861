/* fftw.c: opening the real FFTW, and problems as calls of its guru64 split planners. */
#include "src/cli/fftw.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const struct {
  const char *library, *threads, *prefix;
  size_t real;
} names[FG_FFTW_PRECISIONS] = {
    [FG_FFTW_SINGLE] = {"libfftw3f.so.3", "libfftw3f_threads.so.3", "fftwf_", sizeof(float)},
    [FG_FFTW_DOUBLE] = {"libfftw3.so.3", "libfftw3_threads.so.3", "fftw_", sizeof(double)},
    [FG_FFTW_LONG] = {"libfftw3l.so.3", "libfftw3l_threads.so.3", "fftwl_", sizeof(long double)}};

const char *fg_fftw_name(enum fg_fftw_precision precision) { return names[precision].library; }

/* The C library's own dlsym, in its library or, of old, in one beside it. */
void *fg_fftw_symbol(void *library, const char *name) {
  static const char *const places[] = {"libc.so.6", "libdl.so.2"};
  static void *(*ask)(void *, const char *);
  for (size_t i = 0; !ask && i < sizeof places / sizeof *places; i++) {
    void *place = dlopen(places[i], RTLD_LAZY | RTLD_NOLOAD);
    if (place) *(void **)&ask = dlsym(place, "dlsym");
  }
  if (!ask) ask = dlsym;
  return ask(library, name);
}

static void *find(void *library, enum fg_fftw_precision precision, const char *function) {
  char name[64];
  snprintf(name, sizeof name, "%s%s", names[precision].prefix, function);
  return fg_fftw_symbol(library, name);
}

static bool open_library(fg_fftw *f, enum fg_fftw_precision precision) {
  void *library = dlopen(names[precision].library, RTLD_LAZY | RTLD_LOCAL);
  if (!library) return false;
  f->precision = precision;
  *(void **)&f->dft = find(library, precision, "plan_guru64_split_dft");
  *(void **)&f->r2c = find(library, precision, "plan_guru64_split_dft_r2c");
  *(void **)&f->c2r = find(library, precision, "plan_guru64_split_dft_c2r");
  *(void **)&f->r2r = find(library, precision, "plan_guru64_r2r");
  *(void **)&f->execute = find(library, precision, "execute");
  *(void **)&f->destroy = find(library, precision, "destroy_plan");
  return f->dft && f->r2c && f->c2r && f->r2r && f->execute && f->destroy;
}

const fg_fftw *fg_fftw_get(enum fg_fftw_precision precision) {
  static fg_fftw fftw[FG_FFTW_PRECISIONS];
  static enum { UNKNOWN, FOUND, MISSING } state[FG_FFTW_PRECISIONS];
  if (state[precision] == UNKNOWN) state[precision] = open_library(&fftw[precision], precision) ? FOUND : MISSING;
  return state[precision] == FOUND ? &fftw[precision] : NULL;
}

void fg_fftw_use_threads(enum fg_fftw_precision precision) {
  void *library = dlopen(names[precision].threads, RTLD_LAZY | RTLD_LOCAL);
  if (!library) return;
  int (*init)(void) = (int (*)(void))find(library, precision, "init_threads");
  void (*plan_with)(int) = (void (*)(int))find(library, precision, "plan_with_nthreads");
  if (init && plan_with && init()) plan_with((int)sysconf(_SC_NPROCESSORS_ONLN));
}

/* Backward is forward with real and imaginary parts exchanged. */
void *fg_fftw_plan(const fg_fftw *f, const fg_problem *p, const fg_dim *dims, const fg_arrays *a) {
  const int rank = p->transform.rank, batches = p->batch.rank;
  const fg_dim *batch = dims + rank;
  switch (p->kind) {
    case FG_R2C: return f->r2c(rank, dims, batches, batch, a->in_re, a->out_re, a->out_im, FG_ESTIMATE);
    case FG_C2R: return f->c2r(rank, dims, batches, batch, a->in_re, a->in_im, a->out_re, FG_ESTIMATE);
    case FG_R2R: return f->r2r(rank, dims, batches, batch, a->in_re, a->out_re, p->r2r_kind, FG_ESTIMATE);
    case FG_DFT: break;
  }
  if (p->sign == FG_FORWARD)
    return f->dft(rank, dims, batches, batch, a->in_re, a->in_im, a->out_re, a->out_im, FG_ESTIMATE);
  return f->dft(rank, dims, batches, batch, a->in_im, a->in_re, a->out_im, a->out_re, FG_ESTIMATE);
}

/* ---- images ---- */

ptrdiff_t fg_fftw_image_unit(const fg_layout *l) { return l->split ? 2 : l->unit; }

size_t fg_fftw_image_reals(const fg_layout *l) { return (size_t)(l->elements * fg_fftw_image_unit(l)); }

void fg_fftw_image_dims(const fg_problem *p, const fg_layout *in, const fg_layout *out, fg_dim *to) {
  const int rank = p->transform.rank;
  for (int d = 0; d < rank + p->batch.rank; d++) {
    const ptrdiff_t n = d < rank ? p->transform.dim[d].n : p->batch.dim[d - rank].n;
    to[d] = (fg_dim){n, fg_fftw_image_unit(in) * in->stride[d], fg_fftw_image_unit(out) * out->stride[d]};
  }
}

bool fg_fftw_transform(const fg_fftw *f, const fg_problem *p, const fg_layout *in, const fg_layout *out, void *from,
                       void *to) {
  const ptrdiff_t real = (ptrdiff_t)names[f->precision].real;
  char *const source = (char *)from + fg_fftw_image_unit(in) * in->offset * real;
  char *const result = (char *)to + fg_fftw_image_unit(out) * out->offset * real;
  fg_dim *dims = malloc(((size_t)p->transform.rank + (size_t)p->batch.rank + 1) * sizeof *dims);
  if (!dims) return false;
  fg_fftw_image_dims(p, in, out, dims);
  void *plan = fg_fftw_plan(f, p, dims, &(fg_arrays){source, source + real, result, result + real});
  free(dims);
  if (!plan) return false;
  f->execute(plan);
  f->destroy(plan);
  return true;
}
