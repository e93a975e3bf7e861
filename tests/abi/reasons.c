/* reasons.c: a plan on arrays of the device and one execution. */
#include <fftw3.h>
#include <fftw3_gpu.h> /* -DFFTW3_GPU_WEAK: they are the library's, which is preloaded */
#include <stdio.h>

enum { N = 16 };

int main(void) {
  const size_t bytes = N * sizeof(fftwf_complex);
  fftwf_complex host[N] = {{1, 0}};
  void *a, *b;
  if (fftw3_gpu_malloc(&a, bytes) || fftw3_gpu_malloc(&b, bytes) || fftw3_gpu_copy(a, host, bytes)) return 9;
  fftwf_plan p = fftwf_plan_dft_1d(N, a, b, FFTW_FORWARD, FFTW_ESTIMATE);
  fftwf_execute(p);
  if (fftw3_gpu_copy(host, b, bytes)) return 9;
  for (int i = 0; i < N; i++)
    if (host[i][0] != 1 || host[i][1] != 0) return 1;
  fftwf_destroy_plan(p);
  return 0;
}
