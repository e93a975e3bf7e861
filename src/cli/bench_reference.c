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
  void *(*plan)(int, const fg_dim *, int, const fg_dim *, double *, double *, double *, double *, unsigned flags);
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
  *(void **)&f->plan = dlsym(library, "fftw_plan_guru64_split_dft");
  *(void **)&f->execute = dlsym(library, "fftw_execute");
  *(void **)&f->destroy = dlsym(library, "fftw_destroy_plan");
  if (!f->plan || !f->execute || !f->destroy) return false;
  use_threads();
  return true;
}

static const double_fftw *the_fftw(void) {
  static double_fftw fftw;
  static enum { UNKNOWN, FOUND, MISSING } state;
  if (state == UNKNOWN) state = find(&fftw) ? FOUND : MISSING;
  return state == FOUND ? &fftw : NULL;
}

/* A tensor over the images, whose strides begin at first; in reals of interleaved complex numbers. */
static void image_dims(fg_dim *to, const fg_tensor *t, const fg_layout *in, const fg_layout *out, int first) {
  for (int d = 0; d < t->rank; d++)
    to[d] = (fg_dim){t->dim[d].n, 2 * in->stride[first + d], 2 * out->stride[first + d]};
}

/* Backward is forward with real and imaginary parts exchanged. */
static bool transform(const double_fftw *f, const fg_problem *p, const fg_layout *in, const fg_layout *out,
                      double *from, double *to) {
  const int rank = p->transform.rank, backward = p->sign != FG_FORWARD;
  fg_dim *dims = malloc(((size_t)rank + (size_t)p->batch.rank + 1) * sizeof *dims);
  if (!dims) return false;
  image_dims(dims, &p->transform, in, out, 0);
  image_dims(dims + rank, &p->batch, in, out, rank);
  from += 2 * in->offset;
  to += 2 * out->offset;
  void *plan = f->plan(rank, dims, p->batch.rank, dims + rank, from + backward, from + !backward, to + backward,
                       to + !backward, FG_ESTIMATE);
  free(dims);
  if (!plan) return false;
  f->execute(plan);
  f->destroy(plan);
  return true;
}

double *fg_bench_reference(const fg_problem *p, const fg_layout *in, const fg_layout *out) {
  const double_fftw *f = the_fftw();
  const size_t reals = 2 * (size_t)in->elements;
  double *from = f ? aligned_alloc(64, (reals * sizeof *from + 63) / 64 * 64) : NULL;
  double *to = f ? aligned_alloc(64, (reals * sizeof *to + 63) / 64 * 64) : NULL;
  bool done = from && to;
  for (size_t i = 0; done && i < reals; i++) from[i] = number(i);
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
