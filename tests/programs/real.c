/* real.c: r2c, c2r and r2r in all kinds, in place with padding, batched, and on other arrays. */
#include <fftw3.h>
#include <stdio.h>

#include "tests/programs/show.h"

enum { SPACE = 6000 };

static float *x;
static fftwf_complex *f;

static void refill(void) {
  fill(x, SPACE, 21);
  fill(f, 2 * SPACE, 22);
}

static void finish(const char *name, size_t n, fftwf_plan plan, const void *result, size_t floats) {
  fftwf_execute(plan);
  show(name, n, result, floats);
  fftwf_destroy_plan(plan);
  refill();
}

static void to_complex(void) {
  const int n[] = {10, 12};
  finish("r2c_1d", 255, fftwf_plan_dft_r2c_1d(255, x, f, FFTW_ESTIMATE), f, 2 * SPACE);
  finish("r2c_2d", 600, fftwf_plan_dft_r2c_2d(20, 30, x, f, FFTW_ESTIMATE), f, 2 * SPACE);
  finish("r2c_3d", 720, fftwf_plan_dft_r2c_3d(8, 9, 10, x, f, FFTW_ESTIMATE), f, 2 * SPACE);
  finish("r2c_rank_2", 120, fftwf_plan_dft_r2c(2, n, x, f, FFTW_ESTIMATE), f, 2 * SPACE);
  finish("r2c_in_place", 600, fftwf_plan_dft_r2c_2d(20, 30, x, (fftwf_complex *)x, FFTW_ESTIMATE), x, SPACE);
  finish("r2c_many", 120,
         fftwf_plan_many_dft_r2c(2, n, 6, x, NULL, 1, 120, f, NULL, 2, 150, FFTW_ESTIMATE), f, 2 * SPACE);
}

/* What is left in the padding of the rows is nobody's. */
static void in_place_to_real(void) {
  fftwf_plan plan = fftwf_plan_dft_c2r_2d(20, 30, (fftwf_complex *)x, x, FFTW_ESTIMATE);
  fftwf_execute(plan);
  for (int row = 0; row < 20; row++) x[row * 32 + 30] = x[row * 32 + 31] = 0;
  show("c2r_in_place", 600, x, SPACE);
  fftwf_destroy_plan(plan);
  refill();
}

static void to_real(void) {
  const int n[] = {10, 12};
  finish("c2r_1d", 256, fftwf_plan_dft_c2r_1d(256, f, x, FFTW_ESTIMATE), x, SPACE);
  finish("c2r_1d_preserve", 256, fftwf_plan_dft_c2r_1d(256, f, x, FFTW_ESTIMATE | FFTW_PRESERVE_INPUT), x, SPACE);
  finish("c2r_2d", 600, fftwf_plan_dft_c2r_2d(20, 30, f, x, FFTW_ESTIMATE), x, SPACE);
  finish("c2r_3d", 720, fftwf_plan_dft_c2r_3d(8, 9, 10, f, x, FFTW_ESTIMATE), x, SPACE);
  finish("c2r_rank_2", 120, fftwf_plan_dft_c2r(2, n, f, x, FFTW_ESTIMATE), x, SPACE);
  in_place_to_real();
  finish("c2r_many", 120,
         fftwf_plan_many_dft_c2r(2, n, 6, f, NULL, 1, 70, x, NULL, 3, 360, FFTW_ESTIMATE), x, SPACE);
}

static void gurus(void) {
  const fftwf_iodim line[] = {{30, 2, 1}}, batch[] = {{7, 60, 16}}, back[] = {{30, 1, 1}}, back_batch[] = {{7, 16, 30}};
  const fftwf_iodim64 line64[] = {{30, 1, 1}}, batch64[] = {{2, 30, 20}, {3, 60, 40}};
  const fftwf_r2r_kind kinds[] = {FFTW_DHT};
  finish("guru_r2c", 30, fftwf_plan_guru_dft_r2c(1, line, 1, batch, x, f, FFTW_ESTIMATE), f, 2 * SPACE);
  finish("guru_c2r", 30, fftwf_plan_guru_dft_c2r(1, back, 1, back_batch, f, x, FFTW_ESTIMATE), x, SPACE);
  finish("guru64_r2c", 30, fftwf_plan_guru64_dft_r2c(1, line64, 2, batch64, x, f, FFTW_ESTIMATE), f, 2 * SPACE);
  finish("guru_r2r", 30, fftwf_plan_guru_r2r(1, line, 1, batch, x, (float *)f, kinds, FFTW_ESTIMATE), f, 2 * SPACE);
  finish("guru64_r2r", 30, fftwf_plan_guru64_r2r(1, line64, 2, batch64, x, (float *)f, kinds, FFTW_ESTIMATE), f,
         2 * SPACE);
}

static void real_to_real(void) {
  static const char *const names[] = {"r2hc", "hc2r", "dht", "redft00", "redft01", "redft10", "redft11", "rodft00",
                                      "rodft01", "rodft10", "rodft11"};
  const int n[] = {12};
  float *y = (float *)f;
  for (int kind = FFTW_R2HC; kind <= FFTW_RODFT11; kind++)
    finish(names[kind], 60, fftwf_plan_r2r_1d(60, x, y, (fftwf_r2r_kind)kind, FFTW_ESTIMATE), y, 2 * SPACE);
  finish("r2r_2d", 300, fftwf_plan_r2r_2d(15, 20, x, y, FFTW_REDFT10, FFTW_RODFT01, FFTW_ESTIMATE), y, 2 * SPACE);
  finish("r2r_3d_in_place", 504,
         fftwf_plan_r2r_3d(7, 8, 9, x, x, FFTW_DHT, FFTW_REDFT00, FFTW_R2HC, FFTW_ESTIMATE), x, SPACE);
  const fftwf_r2r_kind one[] = {FFTW_RODFT11}, pair[] = {FFTW_DHT, FFTW_HC2R};
  const int shape[] = {9, 14};
  finish("r2r_rank_2", 126, fftwf_plan_r2r(2, shape, x, y, pair, FFTW_ESTIMATE), y, 2 * SPACE);
  finish("r2r_many", 12,
         fftwf_plan_many_r2r(1, n, 8, x, NULL, 8, 1, y, NULL, 3, 40, one, FFTW_ESTIMATE), y, 2 * SPACE);
}

static void other_arrays(void) {
  float *x2 = fftwf_alloc_real(600);
  fftwf_complex *f2 = fftwf_alloc_complex(320);
  fill(x2, 600, 23);
  fftwf_plan forward = fftwf_plan_dft_r2c_2d(20, 30, x, f, FFTW_ESTIMATE);
  fftwf_plan backward = fftwf_plan_dft_c2r_2d(20, 30, f, x, FFTW_ESTIMATE);
  fftwf_plan cosine = fftwf_plan_r2r_1d(500, x, (float *)f, FFTW_REDFT10, FFTW_ESTIMATE);
  fftwf_execute_dft_r2c(forward, x2, f2);
  show("execute_dft_r2c", 600, f2, 640);
  fftwf_execute_dft_c2r(backward, f2, x2);
  show("execute_dft_c2r", 600, x2, 600);
  fftwf_execute_r2r(cosine, x2, (float *)f2);
  show("execute_r2r", 500, f2, 500);
  fftwf_destroy_plan(forward);
  fftwf_destroy_plan(backward);
  fftwf_destroy_plan(cosine);
  fftwf_free(x2);
  fftwf_free(f2);
}

static void split_other_arrays(void) {
  const fftwf_iodim line[] = {{30, 1, 1}};
  float *re = (float *)f, *im = re + 1000;
  fftwf_plan forward = fftwf_plan_guru_split_dft_r2c(1, line, 0, NULL, x, re, im, FFTW_ESTIMATE);
  fftwf_plan backward = fftwf_plan_guru_split_dft_c2r(1, line, 0, NULL, re, im, x, FFTW_ESTIMATE);
  fftwf_execute_split_dft_r2c(forward, x + 100, re + 100, im + 100);
  show("execute_split_dft_r2c", 30, f, 2 * SPACE);
  fftwf_execute_split_dft_c2r(backward, re + 100, im + 100, x + 200);
  show("execute_split_dft_c2r", 30, x, SPACE);
  fftwf_destroy_plan(forward);
  fftwf_destroy_plan(backward);
}

int main(void) {
  x = fftwf_alloc_real(SPACE);
  f = fftwf_alloc_complex(SPACE);
  refill();
  to_complex();
  to_real();
  gurus();
  real_to_real();
  other_arrays();
  split_other_arrays();
  fftwf_free(x);
  fftwf_free(f);
  return 0;
}
