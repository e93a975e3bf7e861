/* bench_reference.c: the numbers that the benchmark transforms, and their transform by FFTW in double precision. */
#include "config.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "src/cli/bench.h"

/* ---- test data ---- */

/* SplitMix64 (Steele, Lea, Flood 2014), whose n-th number is a function of n alone. */
static uint64_t mix(uint64_t n) {
  uint64_t z = (n + 1) * UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

/* 24 bits, so that float and double hold the same number. */
static float number(uint64_t n) { return (float)((double)(mix(n) >> 40) * 0x1p-23 - 1); }

void fg_bench_random(float *to, size_t count, uint64_t first, int step) {
  for (size_t i = 0; i < count; i++) to[i] = number(first + i * (uint64_t)step);
}

/* ---- FFTW in double precision ---- */

typedef struct {
  void *(*dft)(int, const fg_dim *, int, const fg_dim *, double *, double *, double *, double *, unsigned flags);
  void *(*r2c)(int, const fg_dim *, int, const fg_dim *, double *, double *, double *, unsigned flags);
  void *(*c2r)(int, const fg_dim *, int, const fg_dim *, double *, double *, double *, unsigned flags);
  void *(*r2r)(int, const fg_dim *, int, const fg_dim *, double *, double *, const int *kinds, unsigned flags);
  void (*execute)(const void *plan);
  void (*destroy)(void *plan);
} double_fftw;

/* As many threads as there are processors, if FFTW's threads are there. */
static void use_threads(void) {
  void *threads = dlopen("libfftw3_threads.so.3", RTLD_LAZY | RTLD_LOCAL);
  if (!threads) return;
  int (*init)(void) = (int (*)(void))dlsym(threads, "fftw_init_threads");
  void (*plan_with)(int) = (void (*)(int))dlsym(threads, "fftw_plan_with_nthreads");
  if (init && plan_with && init()) plan_with((int)sysconf(_SC_NPROCESSORS_ONLN));
}

static bool find(double_fftw *f) {
  void *library = dlopen("libfftw3.so.3", RTLD_LAZY | RTLD_LOCAL);
  if (!library) return false;
  *(void **)&f->dft = dlsym(library, "fftw_plan_guru64_split_dft");
  *(void **)&f->r2c = dlsym(library, "fftw_plan_guru64_split_dft_r2c");
  *(void **)&f->c2r = dlsym(library, "fftw_plan_guru64_split_dft_c2r");
  *(void **)&f->r2r = dlsym(library, "fftw_plan_guru64_r2r");
  *(void **)&f->execute = dlsym(library, "fftw_execute");
  *(void **)&f->destroy = dlsym(library, "fftw_destroy_plan");
  if (!f->dft || !f->r2c || !f->c2r || !f->r2r || !f->execute || !f->destroy) return false;
  use_threads();
  return true;
}

static const double_fftw *the_fftw(void) {
  static double_fftw fftw;
  static enum { UNKNOWN, FOUND, MISSING } state;
  if (state == UNKNOWN) state = find(&fftw) ? FOUND : MISSING;
  return state == FOUND ? &fftw : NULL;
}

/* Reals from an element of an image to the next, in the order of the test data. */
static ptrdiff_t unit(const fg_layout *l) { return l->split ? 2 : l->unit; }

/* A tensor over the images, whose strides begin at first. */
static void image_dims(fg_dim *to, const fg_tensor *t, const fg_layout *in, const fg_layout *out, int first) {
  for (int d = 0; d < t->rank; d++)
    to[d] = (fg_dim){t->dim[d].n, unit(in) * in->stride[first + d], unit(out) * out->stride[first + d]};
}

/* Backward is forward with real and imaginary parts exchanged. */
static void *plan(const double_fftw *f, const fg_problem *p, const fg_dim *dims, double *from, double *to) {
  const int rank = p->transform.rank, batches = p->batch.rank, backward = p->sign != FG_FORWARD;
  const fg_dim *batch = dims + rank;
  switch (p->kind) {
    case FG_R2C: return f->r2c(rank, dims, batches, batch, from, to, to + 1, FG_ESTIMATE);
    case FG_C2R: return f->c2r(rank, dims, batches, batch, from, from + 1, to, FG_ESTIMATE);
    case FG_R2R: return f->r2r(rank, dims, batches, batch, from, to, p->r2r_kind, FG_ESTIMATE);
    default:
      return f->dft(rank, dims, batches, batch, from + backward, from + !backward, to + backward, to + !backward,
                    FG_ESTIMATE);
  }
}

static bool transform(const double_fftw *f, const fg_problem *p, const fg_layout *in, const fg_layout *out,
                      double *from, double *to) {
  fg_dim *dims = malloc(((size_t)p->transform.rank + (size_t)p->batch.rank + 1) * sizeof *dims);
  if (!dims) return false;
  image_dims(dims, &p->transform, in, out, 0);
  image_dims(dims + p->transform.rank, &p->batch, in, out, p->transform.rank);
  void *made = plan(f, p, dims, from + unit(in) * in->offset, to + unit(out) * out->offset);
  free(dims);
  if (!made) return false;
  f->execute(made);
  f->destroy(made);
  return true;
}

static double *image(const fg_layout *l) {
  const size_t bytes = (size_t)(l->elements * unit(l)) * sizeof(double);
  return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

double *fg_bench_reference(const fg_problem *p, const fg_layout *in, const fg_layout *out, const float *data) {
  const double_fftw *f = the_fftw();
  const size_t reals = (size_t)(in->elements * unit(in));
  double *from = f ? image(in) : NULL, *to = f ? image(out) : NULL;
  bool done = from && to;
  for (size_t i = 0; done && i < reals; i++) from[i] = data ? data[i] : number(i);
  done = done && transform(f, p, in, out, from, to);
  free(from);
  if (done) return to;
  free(to);
  return NULL;
}

/* ---- the error ---- */

void fg_bench_compare(fg_bench_error *e, const float *got, size_t count, uint64_t first, int step,
                      const double *reference, double scale) {
  for (size_t i = 0; i < count; i++) {
    const uint64_t index = first + i * (uint64_t)step;
    const double wanted = reference ? reference[index] : scale * number(index), off = got[i] - wanted;
    e->difference += off * off;
    e->norm += wanted * wanted;
  }
}

double fg_bench_relative(const fg_bench_error *e) { return sqrt(e->difference / e->norm); }
