/* bench_reference.c: the numbers that the benchmark transforms, and their transform by FFTW in double precision. */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "src/cli/bench.h"
#include "src/cli/fftw.h"

/* ---- test data ---- */

/* SplitMix64 (Steele, Lea, Flood 2014), whose n-th number is a function of n alone. */
uint64_t fg_bench_mix(uint64_t n) {
  uint64_t z = (n + 1) * UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

/* 24 bits, so that float and double hold the same number. */
static float number(uint64_t n) { return (float)((double)(fg_bench_mix(n) >> 40) * 0x1p-23 - 1); }

void fg_bench_random(float *to, size_t count, uint64_t first, int step) {
  for (size_t i = 0; i < count; i++) to[i] = number(first + i * (uint64_t)step);
}

void fg_bench_random_double(double *to, size_t count, uint64_t first, int step) {
  for (size_t i = 0; i < count; i++) to[i] = number(first + i * (uint64_t)step);
}

double fg_bench_real(const void *reals, enum fg_precision precision, size_t i) {
  return precision == FG_SINGLE ? ((const float *)reals)[i] : ((const double *)reals)[i];
}

/* ---- FFTW in double precision ---- */

static const fg_fftw *the_fftw(void) {
  static bool threads;
  const fg_fftw *f = fg_fftw_get(FG_FFTW_DOUBLE);
  if (f && !threads) fg_fftw_use_threads(FG_FFTW_DOUBLE);
  threads = true;
  return f;
}

static double *image(const fg_layout *l) {
  const size_t bytes = fg_fftw_image_reals(l) * sizeof(double);
  return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

double *fg_bench_reference(const fg_problem *p, const fg_layout *in, const fg_layout *out, const void *data) {
  const fg_fftw *f = the_fftw();
  const size_t reals = fg_fftw_image_reals(in);
  double *from = f ? image(in) : NULL, *to = f ? image(out) : NULL;
  bool done = from && to;
  for (size_t i = 0; done && i < reals; i++) from[i] = data ? fg_bench_real(data, p->precision, i) : number(i);
  done = done && fg_fftw_transform(f, p, in, out, from, to);
  free(from);
  if (done) return to;
  free(to);
  return NULL;
}

/* ---- the error ---- */

void fg_bench_compare(fg_bench_error *e, const void *got, enum fg_precision precision, size_t count, uint64_t first,
                      int step, const double *reference, double scale) {
  for (size_t i = 0; i < count; i++) {
    const uint64_t index = first + i * (uint64_t)step;
    const double wanted = reference ? reference[index] : scale * number(index);
    const double off = fg_bench_real(got, precision, i) - wanted;
    e->difference += off * off;
    e->norm += wanted * wanted;
  }
}

double fg_bench_relative(const fg_bench_error *e) { return sqrt(e->difference / e->norm); }
