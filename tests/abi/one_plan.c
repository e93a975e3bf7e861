/* one_plan.c: plans a transform of a common size, forward, out of place, and prints the plan. */
#include <fftw3.h>
#include <stdio.h>

int main(void) {
  enum { N = 65536 };
  fftwf_complex *a = fftwf_alloc_complex(N), *b = fftwf_alloc_complex(N);
  fftwf_plan plan = a && b ? fftwf_plan_dft_1d(N, a, b, FFTW_FORWARD, FFTW_ESTIMATE) : NULL;
  char *text = plan ? fftwf_sprint_plan(plan) : NULL;
  printf("%s\n", !text ? "none" : text);
  fftwf_free(text);
  fftwf_destroy_plan(plan);
  fftwf_free(a);
  fftwf_free(b);
  return !plan;
}
