/* lengths.c COUNT: executes a plan of each length to COUNT, so that each is a problem of its own. */
#include <fftw3.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  const int count = argc > 1 ? atoi(argv[1]) : 1;
  fftwf_complex *const x = fftwf_malloc((size_t)count * sizeof *x);
  if (!x) return 1;
  memset(x, 0, (size_t)count * sizeof *x);
  for (int n = 1; n <= count; n++) {
    fftwf_plan plan = fftwf_plan_dft_1d(n, x, x, FFTW_FORWARD, FFTW_ESTIMATE);
    if (!plan) return 1;
    fftwf_execute(plan);
    fftwf_destroy_plan(plan);
  }
  fftwf_free(x);
  return 0;
}
