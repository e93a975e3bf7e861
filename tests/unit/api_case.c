/* api_case.c: small transforms through fftw3_gpu.h; kernels on the processor. */
#include "api_case.h"

#include <math.h>
#include <stdlib.h>

#include "suite.h"

void api_choose(const char *mode) {
  setenv("FFTW3_GPU", mode, 1);
  setenv("FFTW3_GPU_BACKEND", "sim", 1);
}

void api_forced(void) { api_choose("force"); }

fftwf_complex *api_numbers(int seed) {
  fftwf_complex *x = fftwf_alloc_complex(POINTS);
  for (int i = 0; i < 2 * POINTS; i++) ((float *)x)[i] = (float)((i * 37 + seed) % 101 - 50) / 32;
  return x;
}

fftwf_plan api_plan(fftwf_complex *in, fftwf_complex *out, unsigned flags) {
  const int n = N;
  const fftwf_plan p =
      fftwf_plan_many_dft(1, &n, BATCH, in, NULL, 1, N, out, NULL, 1, N, FFTW_FORWARD, flags);
  ck_assert_ptr_nonnull(p);
  return p;
}

void ck_transform(const fftwf_complex *x, const fftwf_complex *y) {
  for (int b = 0; b < BATCH; b++)
    for (int k = 0; k < N; k++) {
      double re = 0, im = 0;
      for (int j = 0; j < N; j++) {
        const double angle = -2 * M_PI * ((long)j * k % N) / N;
        re += x[b * N + j][0] * cos(angle) - x[b * N + j][1] * sin(angle);
        im += x[b * N + j][0] * sin(angle) + x[b * N + j][1] * cos(angle);
      }
      ck_assert_double_eq_tol(y[b * N + k][0], re, 1e-4);
      ck_assert_double_eq_tol(y[b * N + k][1], im, 1e-4);
    }
}

void ck_done(int code) { ck_assert_msg(code == 0, "%s: %s", fftw3_gpu_error_text(code), fftw3_gpu_message()); }

void *api_on_device(const void *content) {
  void *memory;
  ck_done(fftw3_gpu_malloc(&memory, POINTS * sizeof(fftwf_complex)));
  if (content) ck_done(fftw3_gpu_copy(memory, content, POINTS * sizeof(fftwf_complex)));
  return memory;
}
