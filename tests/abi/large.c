/* large.c: plans of 2^20 and of 2^30 points, neither executed; prints the first words of each. */
#include <fftw3.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  for (int bits = 20; bits <= 30; bits += 10) {
    fftwf_plan plan = fftwf_plan_dft_1d(1 << bits, NULL, NULL, FFTW_FORWARD, FFTW_ESTIMATE);
    char *text = plan ? fftwf_sprint_plan(plan) : NULL;
    if (!text) return 2;
    printf("%d %.4s\n", bits, text);
    free(text);
    fftwf_destroy_plan(plan);
  }
  return 0;
}
