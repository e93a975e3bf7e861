/* plugin.c: the module that local_plugin loads: linked to FFTW, which comes into the process only with it. */
#include <fftw3.h>
#include <stdio.h>

#include "tests/programs/show.h"

enum { N = 270 };

void plugin_transform(void);

void plugin_transform(void) {
  fftwf_complex *x = fftwf_alloc_complex(N), *y = fftwf_alloc_complex(N);
  fill(x, 2 * N, 62);
  fftwf_plan plan = fftwf_plan_dft_3d(9, 5, 6, x, y, FFTW_FORWARD, FFTW_ESTIMATE);
  fftwf_plan real = fftwf_plan_dft_r2c_1d(N, (float *)x, y, FFTW_ESTIMATE);
  show_text("version", "%s", fftwf_version);
  fftwf_execute(plan);
  show("execute", N, y, 2 * N);
  fill(x, 2 * N, 63);
  fftwf_execute_dft(plan, x, y);
  show("execute_dft", N, y, 2 * N);
  fftwf_execute(real);
  show("real", N, y, 2 * (N / 2 + 1));
  fftwf_destroy_plan(plan);
  fftwf_destroy_plan(real);
  fftwf_free(x);
  fftwf_free(y);
}
