/* small.c: transforms of every kind, all small; prints nothing; its status says whether all could be planned. */
#include <fftw3.h>
#include <stddef.h>

enum { N = 64 };

int main(void) {
  fftwf_complex *a = fftwf_alloc_complex(N * N), *b = fftwf_alloc_complex(N * N);
  if (!a || !b) return 2;
  for (int i = 0; i < N * N; i++) a[i][0] = a[i][1] = (float)(i % 7);
  fftwf_plan plans[] = {
    fftwf_plan_dft_1d(N, a, b, FFTW_FORWARD, FFTW_ESTIMATE),
    fftwf_plan_dft_1d(N, a, a, FFTW_BACKWARD, FFTW_MEASURE),
    fftwf_plan_dft_2d(16, 16, a, b, FFTW_FORWARD, FFTW_ESTIMATE),
    fftwf_plan_dft_3d(4, 8, 8, a, b, FFTW_FORWARD, FFTW_PATIENT),
    fftwf_plan_dft_r2c_1d(N, (float *)a, b, FFTW_ESTIMATE),
    fftwf_plan_dft_c2r_1d(N, a, (float *)b, FFTW_ESTIMATE),
    fftwf_plan_r2r_1d(N, (float *)a, (float *)b, FFTW_REDFT10, FFTW_ESTIMATE),
  };
  int missing = 0;
  for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
    if (!plans[i]) missing++;
    else fftwf_execute(plans[i]);
    fftwf_destroy_plan(plans[i]);
  }
  fftwf_free(a);
  fftwf_free(b);
  return missing > 0;
}
