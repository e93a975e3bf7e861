/* small_sizes.c: a program as short as programs are: one transform each of 16 to 4096 points, planned, executed, done.
 * starts.c runs it with and without a preload. */
#include <fftw3.h>
#include <stdio.h>

static float transform(int n) {
  fftwf_complex *in = fftwf_alloc_complex((size_t)n), *out = fftwf_alloc_complex((size_t)n);
  fftwf_plan plan = fftwf_plan_dft_1d(n, in, out, FFTW_FORWARD, FFTW_ESTIMATE);
  for (int i = 0; i < n; i++) {
    in[i][0] = (float)i;
    in[i][1] = 0;
  }
  fftwf_execute(plan);
  const float sum = out[0][0]; /* n (n - 1) / 2: exact */
  fftwf_destroy_plan(plan);
  fftwf_free(in);
  fftwf_free(out);
  return sum;
}

int main(void) {
  static const int lengths[] = {16, 60, 64, 100, 256, 1000, 1024, 4096};
  for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    const int n = lengths[i];
    const float expected = (float)n * (float)(n - 1) / 2, found = transform(n);
    if (found < expected * 0.99999f || found > expected * 1.00001f) {
      fprintf(stderr, "small_sizes: %d points: %g, not %g\n", n, (double)found, (double)expected);
      return 1;
    }
  }
  return 0;
}
