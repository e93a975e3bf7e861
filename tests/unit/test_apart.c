/* test_apart.c: plans of interleaved numbers executed by FFTW's split executes on parts that lie apart on the device: there,
 * verified or, where it fails, by the real FFTW, and with results for the host.  (FFTW's manual wants the parts as far from each
 * other as planned.  Stock FFTW reaches what lies between them, in place and of real data.) */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "api_case.h"
#include "suite.h"

enum { REALS = 6 * POINTS + 16, ROW = N / 2 + 1, UNALIGNED = FFTW_ESTIMATE | FFTW_UNALIGNED };

/* Where a side's parts begin, in reals, each element two reals behind the one before; or its reals do. */
typedef struct {
  int re, im;
} parts;

/* Both parts in one block: far apart, swapped, in each other's gaps; both signs; in place; one side real; the imaginary part on the
 * host. */
static const struct {
  enum { COMPLEX, TO_COMPLEX, TO_REAL } kind;
  int sign;
  parts in, out;
  bool in_place, halved;
} cases[] = {
    {COMPLEX, FFTW_FORWARD, {0, 2 * POINTS + 4}, {3 * POINTS, 1}, false, false},
    {COMPLEX, FFTW_BACKWARD, {0, 2 * POINTS + 4}, {2, 2 * POINTS + 7}, false, false},
    {COMPLEX, FFTW_FORWARD, {1, 0}, {5, 4}, false, false},
    {COMPLEX, FFTW_FORWARD, {0, 3}, {3, 8}, false, false},
    {COMPLEX, FFTW_FORWARD, {0, 2 * POINTS + 4}, {0, 2 * POINTS + 4}, true, false},
    {COMPLEX, FFTW_BACKWARD, {1, 0}, {1, 0}, true, false},
    {TO_COMPLEX, FFTW_FORWARD, {3, 0}, {0, 2 * POINTS + 3}, false, false},
    {TO_COMPLEX, FFTW_FORWARD, {0, 0}, {1, 0}, false, false},
    {TO_REAL, FFTW_BACKWARD, {0, 2 * POINTS + 3}, {5, 0}, false, false},
    {TO_REAL, FFTW_BACKWARD, {7, 6}, {0, 0}, false, false},
    {COMPLEX, FFTW_FORWARD, {0, 2 * POINTS + 4}, {0, 2 * POINTS + 4}, false, true},
};

enum { BY_DEVICE, VERIFIED, FAILING, TO_HOST, WAYS };

typedef struct {
  float *re, *im; /* the blocks that parts are in */
} blocks;

static void *block_on_device(const float *content) {
  void *memory;
  ck_done(fftw3_gpu_malloc(&memory, REALS * sizeof(float)));
  ck_done(fftw3_gpu_copy(memory, content, REALS * sizeof(float)));
  return memory;
}

static fftwf_plan plan_on(int kind, int sign, float *in, float *out) {
  const int n = N;
  fftwf_plan p = NULL;
  if (kind == COMPLEX)
    p = fftwf_plan_many_dft(1, &n, BATCH, (fftwf_complex *)in, NULL, 1, N, (fftwf_complex *)out, NULL, 1, N, sign, UNALIGNED);
  else if (kind == TO_COMPLEX)
    p = fftwf_plan_many_dft_r2c(1, &n, BATCH, in, NULL, 1, N, (fftwf_complex *)out, NULL, 1, ROW, UNALIGNED);
  else
    p = fftwf_plan_many_dft_c2r(1, &n, BATCH, (fftwf_complex *)in, NULL, 1, ROW, out, NULL, 1, N, UNALIGNED);
  ck_assert_ptr_nonnull(p);
  return p;
}

static void execute(int i, fftwf_plan p, blocks in, blocks out) {
  const parts a = cases[i].in, b = cases[i].out;
  if (cases[i].kind == COMPLEX) fftwf_execute_split_dft(p, in.re + a.re, in.im + a.im, out.re + b.re, out.im + b.im);
  else if (cases[i].kind == TO_COMPLEX) fftwf_execute_split_dft_r2c(p, in.re + a.re, out.re + b.re, out.im + b.im);
  else fftwf_execute_split_dft_c2r(p, in.re + a.re, in.im + a.im, out.re + b.re);
}

static float *numbers(int seed) {
  float *x = fftwf_alloc_real(REALS);
  ck_assert_ptr_nonnull(x);
  for (int i = 0; i < REALS; i++) x[i] = (float)((i * 37 + seed) % 101 - 50) / 32;
  return x;
}

static void ck_near(const float *got, const float *want) {
  for (int i = 0; i < REALS; i++) ck_assert_msg(fabsf(got[i] - want[i]) < 1e-4F, "%d: %g, not %g", i, got[i], want[i]);
}

/* What the real FFTW makes of the same numbers in arrays as planned, put where the parts are.  Of complex numbers split executes do
 * the forward transform, whatever the plan's sign. */
static void expect(int i, const float *in, float *want) {
  const parts a = cases[i].in, b = cases[i].out;
  const int from = cases[i].kind == TO_REAL ? BATCH * ROW : POINTS, to = cases[i].kind == TO_COMPLEX ? BATCH * ROW : POINTS;
  float *x = numbers(3), *y = numbers(4);
  for (int e = 0; e < from; e++) {
    if (cases[i].kind == TO_COMPLEX) x[e] = in[a.re + e];
    else x[2 * e] = in[a.re + 2 * e], x[2 * e + 1] = in[a.im + 2 * e];
  }
  const fftwf_plan p = plan_on(cases[i].kind, FFTW_FORWARD, x, y);
  fftwf_execute(p);
  fftwf_destroy_plan(p);
  for (int e = 0; e < to; e++) {
    if (cases[i].kind == TO_REAL) want[b.re + e] = y[e];
    else want[b.re + 2 * e] = y[2 * e], want[b.im + 2 * e] = y[2 * e + 1];
  }
}

START_TEST(parts_apart_are_right) {
  const int i = _i / WAYS, way = _i % WAYS;
  const bool in_place = cases[i].in_place, halved = cases[i].halved;
  api_forced();
  if (way == VERIFIED) setenv("FFTW3_GPU_VERIFY", "1e-5", 1);
  if (way == FAILING) setenv("FFTW3_GPU_SIM_FAIL", "launch:1+", 1);
  float *in = numbers(1), *want = numbers(in_place ? 1 : 2), *got = numbers(in_place ? 1 : 2);
  expect(i, in, want);
  float *const x = block_on_device(in);
  float *const y = in_place ? x : way == TO_HOST ? got : block_on_device(got);
  const blocks from = {x, halved ? numbers(1) : x}, to = {y, y};
  const fftwf_plan p = plan_on(cases[i].kind, cases[i].sign, x, y);
  execute(i, p, from, to);
  if (y != got) ck_done(fftw3_gpu_copy(got, y, REALS * sizeof(float)));
  ck_near(got, want);
  fftwf_destroy_plan(p);
}
END_TEST

/* The real FFTW has no plan in place for these strides; what it is given for the device are copies, of both parts. */
START_TEST(parts_apart_where_fftw_has_no_plan) {
  api_forced();
  if (_i) setenv("FFTW3_GPU_SIM_FAIL", "launch:1+", 1);
  float *re = numbers(1), *im = numbers(2), *x = block_on_device(re), *y = block_on_device(im), *pair = block_on_device(re);
  const fftwf_iodim dims[] = {{N / 2, 1, 1}}, loops[] = {{BATCH, N / 2, N / 2 + 2}};
  fftwf_complex *const both = (fftwf_complex *)pair;
  const fftwf_plan p = fftwf_plan_guru_dft(1, dims, 1, loops, both, both, FFTW_FORWARD, UNALIGNED);
  ck_assert_ptr_nonnull(p);
  float *a = numbers(1), *b = numbers(2), *out_re = numbers(1), *out_im = numbers(2);
  fftwf_complex *const in = (fftwf_complex *)a, *const out = (fftwf_complex *)out_re;
  const fftwf_plan apart = fftwf_plan_guru_dft(1, dims, 1, loops, in, out, FFTW_FORWARD, UNALIGNED);
  fftwf_execute_split_dft(apart, a, b, out_re, out_im);
  fftwf_execute_split_dft(p, x, y, x, y);
  ck_done(fftw3_gpu_copy(re, x, REALS * sizeof(float)));
  ck_done(fftw3_gpu_copy(im, y, REALS * sizeof(float)));
  for (int l = 0; l < BATCH; l++)
    for (int k = 0; k < N / 2; k++) {
      const int at = 2 * (l * (N / 2 + 2) + k);
      ck_assert_msg(fabsf(re[at] - out_re[at]) < 1e-4F && fabsf(im[at] - out_im[at]) < 1e-4F, "%d of %d", k, l);
    }
  fftwf_destroy_plan(p);
  fftwf_destroy_plan(apart);
}
END_TEST

int main(void) {
  TCase *tc = tcase_create("parts apart");
  tcase_set_timeout(tc, 120);
  tcase_add_loop_test(tc, parts_apart_are_right, 0, WAYS * (int)(sizeof cases / sizeof *cases));
  tcase_add_loop_test(tc, parts_apart_where_fftw_has_no_plan, 0, 2);
  return test_run(tc, "parts apart");
}
