/* renamed.c: an FFTW of another name, whose functions a program takes out of it by dlsym.  Prints a line of results a way.
 *   renamed FILE [own]     own: also what a function of the library itself gets from FFTW
 * With -DHOLDS it is the code of a library that holds all of FFTW. */
#include <fftw3.h>
#include <stdio.h>
#ifdef HOLDS
void own_transform(fftwf_complex *x) {
  fftwf_plan p = fftwf_plan_dft_1d(16, x, x, FFTW_FORWARD, FFTW_ESTIMATE);
  fftwf_execute(p);
  fftwf_destroy_plan(p);
}
#else
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>

static void *library;
static void *find(const char *name) {
  void *function = dlsym(library, name);
  if (!function) exit(puts(name));
  return function;
}
#define FIND(name) __typeof__(&name) const p_##name = (__typeof__(&name))find(#name)

static void fill(fftwf_complex *x) {
  for (int i = 0; i < 16; i++) x[i][0] = i == 1, x[i][1] = 0;
}

/* The transform of an impulse at 1: (1, 0), (cos, -sin) of 22.5 degrees, ... */
static void tell(const char *what, fftwf_complex *x) {
  double worst = 0;
  for (int i = 0; i < 16; i++)
    worst = fmax(worst, hypot(x[i][0] - cos(i * acos(-1) / 8), x[i][1] + sin(i * acos(-1) / 8)));
  printf("%s: %s\n", what, worst < 1e-5 ? "right" : "wrong");
}

int main(int argc, char **argv) {
  library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) return puts(dlerror());
  static fftwf_complex x[16];
  FIND(fftwf_plan_dft_1d);
  FIND(fftwf_plan_dft);
  FIND(fftwf_execute);
  FIND(fftwf_execute_dft);
  FIND(fftwf_destroy_plan);
  void (*const legacy_plan)(fftwf_plan *, int *, void *, void *, int *, int *) =
      (void (*)(fftwf_plan *, int *, void *, void *, int *, int *))find("sfftw_plan_dft_1d_");
  void (*const legacy_execute)(fftwf_plan *) = (void (*)(fftwf_plan *))find("sfftw_execute_");
  fftwf_plan p = p_fftwf_plan_dft_1d(16, x, x, FFTW_FORWARD, FFTW_ESTIMATE);
  fill(x);
  p_fftwf_execute(p);
  tell("plan_dft_1d", x);
  p_fftwf_destroy_plan(p);
  int n = 16, sign = FFTW_FORWARD, flags = FFTW_ESTIMATE;
  p = p_fftwf_plan_dft(1, &n, x, x, FFTW_FORWARD, FFTW_ESTIMATE);
  fill(x);
  p_fftwf_execute_dft(p, x, x);
  tell("plan_dft", x);
  p_fftwf_destroy_plan(p);
  legacy_plan(&p, &n, x, x, &sign, &flags);
  fill(x);
  legacy_execute(&p);
  tell("sfftw_plan_dft_1d_", x);
  p_fftwf_destroy_plan(p);
  if (argc > 2) {
    fill(x);
    ((void (*)(fftwf_complex *))find("own_transform"))(x);
    tell("its own", x);
  }
  return 0;
}
#endif
