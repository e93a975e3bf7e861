/* replay_library.c: opening the library, and problems as calls of its interface. */
#include "src/cli/replay_library.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "fftw3_gpu.h"
#include "src/cli/cli.h"

static void find_device_functions(void *library, fg_replay_device *d) {
  *(void **)&d->malloc = dlsym(library, "fftw3_gpu_malloc");
  *(void **)&d->free = dlsym(library, "fftw3_gpu_free");
  *(void **)&d->copy = dlsym(library, "fftw3_gpu_copy");
  *(void **)&d->info = dlsym(library, "fftw3_gpu_plan_info");
  if (!d->free || !d->copy) d->malloc = NULL;
}

bool fg_replay_library_open(fg_replay_library *l, enum fg_precision precision) {
  char path[PATH_MAX];
  if (!fg_cli_library(path, sizeof path)) {
    fg_cli_error("replay: the library is not where it should be: %s", path);
    return false;
  }
  void *handle = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  bool all = handle != NULL;
  const bool single = precision == FG_SINGLE;
#define FIND(type, name, parameters)                                                                                   \
  all = all && (*(void **)&l->name = dlsym(handle, single ? "fftwf_" #name : "fftw_" #name)) != NULL;
  FG_REPLAY_FUNCTIONS(FIND)
  if (!all) fg_cli_error("replay: %s cannot be loaded", path);
  if (all) find_device_functions(handle, &l->device);
  return all;
}

/* ---- where a plan runs ------------------------------------------------------------------------------------------- */

/* By the name that print_plan gives it.  A call that a traced replay must not have more than the program. */
static const char *by_name(const fg_replay_library *l, fg_replay_plan plan) {
  if (getenv("FFTW3_GPU_TRACE")) return "-";
  char *text = l->sprint_plan(plan);
  const bool gpu = text && !strncmp(text, "(gpu-", 5);
  free(text);
  return gpu ? "gpu" : "host";
}

void fg_replay_library_where(const fg_replay_library *l, fg_replay_plan plan, char *where, size_t size, bool *single) {
  static const char *const routes[] = {"host", "cuda", "sim"};
  fftw3_gpu_info i = {.size = sizeof i};
  if (l->device.info && !l->device.info(plan, &i) && i.route >= 0 && i.route < 3)
    snprintf(where, size, "%s", routes[i.route]), *single |= i.compute == sizeof(float);
  else if (!*where) snprintf(where, size, "%s", by_name(l, plan));
}

/* ---- plans ------------------------------------------------------------------------------------------------------- */

/* In elements of each side's array, as guru64 wants them. */
static fg_dim *in_elements(const fg_problem *p, const fg_tensor *t) {
  const ptrdiff_t unit = p->format == FG_SPLIT ? 1 : 2;
  const ptrdiff_t in = fg_problem_complex_side(p, FG_INPUT) ? unit : 1;
  const ptrdiff_t out = fg_problem_complex_side(p, FG_OUTPUT) ? unit : 1;
  fg_dim *dims = malloc(((size_t)t->rank + 1) * sizeof *dims);
  for (int d = 0; dims && d < t->rank; d++) dims[d] = (fg_dim){t->dim[d].n, t->dim[d].is / in, t->dim[d].os / out};
  return dims;
}

static fg_replay_plan plan_with(const fg_replay_library *l, const fg_problem *p, const fg_dim *dims,
                                const fg_dim *batch, const fg_arrays *a) {
  const int rank = p->transform.rank, howmany = p->batch.rank;
  const bool split = p->format == FG_SPLIT;
  switch (p->kind) {
    case FG_DFT:
      if (!split) return l->plan_guru64_dft(rank, dims, howmany, batch, a->in_re, a->out_re, p->sign, p->flags);
      return l->plan_guru64_split_dft(rank, dims, howmany, batch, a->in_re, a->in_im, a->out_re, a->out_im, p->flags);
    case FG_R2C:
      if (!split) return l->plan_guru64_dft_r2c(rank, dims, howmany, batch, a->in_re, a->out_re, p->flags);
      return l->plan_guru64_split_dft_r2c(rank, dims, howmany, batch, a->in_re, a->out_re, a->out_im, p->flags);
    case FG_C2R:
      if (!split) return l->plan_guru64_dft_c2r(rank, dims, howmany, batch, a->in_re, a->out_re, p->flags);
      return l->plan_guru64_split_dft_c2r(rank, dims, howmany, batch, a->in_re, a->in_im, a->out_re, p->flags);
    case FG_R2R: break;
  }
  return l->plan_guru64_r2r(rank, dims, howmany, batch, a->in_re, a->out_re, p->r2r_kind, p->flags);
}

fg_replay_plan fg_replay_library_plan(const fg_replay_library *l, const fg_problem *p, const fg_arrays *a) {
  fg_dim *dims = in_elements(p, &p->transform), *batch = in_elements(p, &p->batch);
  fg_replay_plan plan = dims && batch ? plan_with(l, p, dims, batch, a) : NULL;
  free(dims);
  free(batch);
  return plan;
}

/* ---- executes ---------------------------------------------------------------------------------------------------- */

static bool same_arrays(const fg_arrays *a, const fg_arrays *b) {
  return a->in_re == b->in_re && a->in_im == b->in_im && a->out_re == b->out_re && a->out_im == b->out_im;
}

static bool adjacent(const fg_problem *p, void *re, void *im) { return im == (char *)re + fg_real_size(p->precision); }

/* A backward plan is the forward one with the parts swapped: that is how it runs on parts. */
static void execute_parts(const fg_replay_library *l, fg_replay_plan plan, const fg_problem *p, const fg_arrays *a) {
  if (p->format == FG_INTERLEAVED && p->sign == FG_BACKWARD)
    l->execute_split_dft(plan, a->in_im, a->in_re, a->out_im, a->out_re);
  else l->execute_split_dft(plan, a->in_re, a->in_im, a->out_re, a->out_im);
}

static void execute_on(const fg_replay_library *l, fg_replay_plan plan, const fg_problem *p, const fg_arrays *a) {
  const bool split = p->format == FG_SPLIT;
  switch (p->kind) {
    case FG_DFT:
      if (split || !adjacent(p, a->in_re, a->in_im) || !adjacent(p, a->out_re, a->out_im)) execute_parts(l, plan, p, a);
      else l->execute_dft(plan, a->in_re, a->out_re);
      return;
    case FG_R2C:
      if (split) l->execute_split_dft_r2c(plan, a->in_re, a->out_re, a->out_im);
      else l->execute_dft_r2c(plan, a->in_re, a->out_re);
      return;
    case FG_C2R:
      if (split) l->execute_split_dft_c2r(plan, a->in_re, a->in_im, a->out_re);
      else l->execute_dft_c2r(plan, a->in_re, a->out_re);
      return;
    case FG_R2R: l->execute_r2r(plan, a->in_re, a->out_re); return;
  }
}

void fg_replay_library_execute(const fg_replay_library *l, fg_replay_plan plan, const fg_problem *p,
                               const fg_arrays *own, const fg_arrays *a) {
  if (same_arrays(own, a)) l->execute(plan);
  else execute_on(l, plan, p, a);
}
