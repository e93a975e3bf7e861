/* within.c: a library that transforms (LIBRARY), a program that uses it, and which transforms itself, too (OWN). Either may have
 * FFTW's archive in it, of which the linker takes what is needed. Or a library that wraps FFTW's functions (WRAPPER). */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>

#include <fftw3.h>

enum { N0 = 4, N1 = 16, N = N0 * N1 };

double of_library(void);

#ifdef WRAPPER
/* In front of all: calls on. */
#include <dlfcn.h>
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
void fftwf_execute(const fftwf_plan p) { NEXT(fftwf_execute)(p); }
fftwf_plan fftwf_plan_r2r_1d(int n, float *in, float *out, fftwf_r2r_kind kind, unsigned flags) {
  return NEXT(fftwf_plan_r2r_1d)(n, in, out, kind, flags);
}
fftwf_plan fftwf_plan_dft_2d(int n0, int n1, fftwf_complex *in, fftwf_complex *out, int sign, unsigned flags) {
  return NEXT(fftwf_plan_dft_2d)(n0, n1, in, out, sign, flags);
}
#elif defined LIBRARY
/* A single exponential becomes a single number; a negative value is for no plan. */
double of_library(void) {
  static fftwf_complex x[N];
  double off = 0;
  fftwf_plan p = fftwf_plan_dft_2d(N0, N1, x, x, FFTW_FORWARD, FFTW_ESTIMATE);
  if (!p) return -1;
  for (int i = 0; i < N; i++) {
    const double angle = 2 * 3.14159265358979323846 * (3.0 * (i / N1) / N0 + 5.0 * (i % N1) / N1);
    x[i][0] = (float)cos(angle);
    x[i][1] = (float)sin(angle);
  }
  fftwf_execute(p);
  fftwf_destroy_plan(p);
  for (int i = 0; i < N; i++) off = fmax(off, hypot(x[i][0] - (i == 3 * N1 + 5 ? N : 0), x[i][1]));
  return off;
}
#else
#ifdef OWN
static double own(void) {
  float x[8], y[8];
  double off = 0;
  fftwf_plan p = fftwf_plan_r2r_1d(8, x, y, FFTW_R2HC, FFTW_ESTIMATE);
  if (!p) return -1;
  for (int i = 0; i < 8; i++) x[i] = i == 1;
  fftwf_execute(p);
  fftwf_destroy_plan(p);
  for (int k = 0; k < 8; k++)
    off = fmax(off, fabs(y[k] - (k <= 4 ? cos(k * 0.78539816339744831) : -sin((8 - k) * 0.78539816339744831))));
  return off;
}
#else
static double own(void) { return 0; }
#endif

int main(void) {
  const double first = own(), theirs = of_library(), again = own();
  printf("%g %g %g\n", first, theirs, again);
  return first < 0 || theirs < 0 || again < 0 || fmax(first, again) > 1e-5 || theirs > 1e-3;
}
#endif
