/* alone.c: what a program gets when there is no FFTW in the system: NULL plans, memory, and no crash. */
#include <fftw3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition) ((condition) ? (void)0 : (void)(printf("line %d: %s\n", __LINE__, #condition), bad++))

int main(void) {
  int bad = 0;
  const int n = 8;
  const fftwf_iodim dim = {8, 1, 1};
  const fftwf_r2r_kind kind = FFTW_DHT;
  fftwf_complex *a = fftwf_alloc_complex(64);
  float *b = fftwf_malloc(64 * sizeof *b), *c = fftwf_malloc(0);
  CHECK(a && b && c);
  CHECK((size_t)a % 64 == 0 && fftwf_alignment_of(b) == 0 && fftwf_alignment_of(b + 1) == (int)sizeof *b);
  volatile size_t most = (size_t)-1; /* not known to the compiler */
  CHECK(!fftwf_malloc(most) && !fftwf_malloc(most - 62) && !fftwf_malloc(most - 64) && !fftwf_alloc_complex(most / 8 + 1));
  CHECK(!fftwf_plan_dft_1d(8, a, a, FFTW_FORWARD, FFTW_ESTIMATE));
  CHECK(!fftwf_plan_many_dft(1, &n, 1, a, NULL, 1, 8, a, NULL, 1, 8, FFTW_FORWARD, FFTW_ESTIMATE));
  CHECK(!fftwf_plan_guru_dft(1, &dim, 0, NULL, a, a, FFTW_FORWARD, FFTW_ESTIMATE));
  CHECK(!fftwf_plan_guru_split_dft(1, &dim, 0, NULL, b, b + 8, b + 16, b + 24, FFTW_ESTIMATE));
  CHECK(!fftwf_plan_dft_r2c_1d(8, b, a, FFTW_ESTIMATE));
  CHECK(!fftwf_plan_dft_c2r_1d(8, a, b, FFTW_ESTIMATE));
  CHECK(!fftwf_plan_r2r_1d(8, b, b, kind, FFTW_ESTIMATE));
  CHECK(!fftwf_export_wisdom_to_string());
  CHECK(!fftwf_import_wisdom_from_string(""));
  CHECK(!fftwf_init_threads());
  CHECK(fftwf_planner_nthreads() == 1);
  CHECK(strncmp(fftwf_version, "fftw-3.", 7) == 0);
  fftwf_plan_with_nthreads(2);
  fftwf_make_planner_thread_safe();
  fftwf_set_timelimit(1);
  fftwf_forget_wisdom();
  fftwf_destroy_plan(NULL);
  fftwf_free(a);
  free(b); /* as programs do that mix the two */
  fftwf_free(c);
  fftwf_cleanup_threads();
  fftwf_cleanup();
  return bad > 0;
}
