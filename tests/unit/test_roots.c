/* test_roots.c: roots of unity, chirps, transforms and tables in long double, against the library's sine and cosine and
 * against sums formed directly. */
#include <check.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "cuda/sim/sim.h"
#include "dice.h"
#include "src/run/table/circle.h"
#include "src/run/table/double_dft.h"
#include "src/run/table/table.h"
#include "suite.h"

static const long double PI = 3.141592653589793238462643383279502884L;

static void near(fg_wide got, fg_wide want, long double bound) {
  const long double error = hypotl(got.re - want.re, got.im - want.im);
  if (!(error <= bound)) ck_abort_msg("%.20Lg %.20Lg instead of %.20Lg %.20Lg", got.re, got.im, want.re, want.im);
}

/* By the library, from an angle between −π and π, so that its own rounding stays small. */
static fg_wide by_library(uint64_t m, uint64_t n) {
  m %= n;
  const long double turn = 2 * m > n ? -(long double)(n - m) / (long double)n : (long double)m / (long double)n;
  return (fg_wide){cosl(2 * PI * turn), -sinl(2 * PI * turn)};
}

START_TEST(roots_agree_with_the_library_all_around) {
  for (uint64_t n = 1; n <= 200; n++)
    for (uint64_t m = 0; m < 2 * n; m++) near(fg_root(m, n), by_library(m, n), 8 * LDBL_EPSILON);
}
END_TEST

START_TEST(roots_of_large_orders_agree_with_the_library) {
  dice d = {21};
  for (int i = 0; i < 20000; i++) {
    const uint64_t n = (uint64_t)dice_between(&d, 1, (ptrdiff_t)1 << dice_between(&d, 1, 40));
    const uint64_t m = (uint64_t)dice_between(&d, 0, (ptrdiff_t)n - 1);
    near(fg_root(m, n), by_library(m, n), 8 * LDBL_EPSILON);
  }
}
END_TEST

START_TEST(quarters_are_exact_and_mirrors_agree) {
  static const struct {
    int m, re, im;
  } quarters[] = {{0, 1, 0}, {1, 0, -1}, {2, -1, 0}, {3, 0, 1}};
  for (uint64_t n = 4; n <= 4096; n += 4) {
    for (int q = 0; q < 4; q++) {
      const fg_wide r = fg_root((uint64_t)q * n / 4, n);
      ck_assert(r.re == quarters[q].re && r.im == quarters[q].im);
    }
    /* On the diagonals alone sine and cosine, which are formed apart, may differ in their last bit. */
    for (uint64_t m = 0; m < n; m += 1 + n / 16) {
      const fg_wide r = fg_root(m, n), conjugate = fg_root(n - m, n), turned = fg_root(m + n / 4, n);
      near(conjugate, (fg_wide){r.re, -r.im}, LDBL_EPSILON);
      near(turned, (fg_wide){r.im, -r.re}, LDBL_EPSILON);
    }
  }
}
END_TEST

START_TEST(chirps_reduce_their_exponent_exactly) {
  static const uint64_t orders[] = {1, 2, 3, 17, 1009, 100003, 4294967291u};
  for (int i = 0; i < TEST_COUNT(orders); i++) {
    const uint64_t n = orders[i];
    fg_circle c;
    ck_assert(fg_circle_make(&c, 2 * n));
    for (uint64_t j = 0; j < n; j += 1 + n / 500) {
      const uint64_t square = (uint64_t)((unsigned __int128)j * j % (2 * n));
      const fg_wide want = by_library(square, 2 * n);
      near(fg_circle_chirp(&c, j, -1), want, 8 * LDBL_EPSILON);
      near(fg_circle_chirp(&c, j, +1), (fg_wide){want.re, -want.im}, 8 * LDBL_EPSILON);
    }
    fg_circle_free(&c);
  }
}
END_TEST

static const size_t lengths[] = {1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 30, 31,
                                49, 64, 97, 105, 121, 128, 143, 210, 243, 256, 289, 331, 1009};

START_TEST(transforms_agree_with_the_sum) {
  const size_t n = lengths[_i];
  dice d = {31 + (uint64_t)_i};
  fg_wide *x = calloc(n, sizeof *x), *y = calloc(n, sizeof *y);
  for (size_t j = 0; j < n; j++) y[j] = x[j] = (fg_wide){dice_real(&d), dice_real(&d)};
  fg_double *z = calloc(n, sizeof *z);
  for (size_t j = 0; j < n; j++) z[j] = (fg_double){(double)x[j].re, (double)x[j].im};
  ck_assert_int_eq(fg_wide_dft(y, n), 0);
  ck_assert_int_eq(fg_double_dft(z, n), 0);
  for (size_t k = 0; k < n; k++) {
    fg_wide sum = {0, 0};
    for (size_t j = 0; j < n; j++) {
      const fg_wide w = by_library((uint64_t)(j * k), n);
      sum.re += x[j].re * w.re - x[j].im * w.im;
      sum.im += x[j].re * w.im + x[j].im * w.re;
    }
    near(y[k], sum, 4 * (long double)n * LDBL_EPSILON);
    near((fg_wide){z[k].re, z[k].im}, sum, 2 * (long double)n * DBL_EPSILON);
  }
  free(z);
  free(x);
  free(y);
}
END_TEST

/* ---- tables ---- */

/* exp(sign·πi·j²/n). */
static fg_wide chirp(uint64_t j, uint64_t n, int sign) {
  const fg_wide w = fg_root(j * j % (2 * n), 2 * n);
  return (fg_wide){w.re, sign < 0 ? w.im : -w.im};
}

static void expect_single(const float *entry, fg_wide w) {
  if (entry[0] != (float)w.re || entry[1] != (float)w.im) ck_abort_msg("%.9g %.9g", entry[0], entry[1]);
}

static void expect_double(const double *entry, fg_wide w) {
  if (entry[0] != (double)w.re || entry[1] != (double)w.im) ck_abort_msg("%.17g %.17g", entry[0], entry[1]);
}

/* Both levels together give every power, each to about one rounding. */
START_TEST(two_level_tables_give_every_power) {
  static const ptrdiff_t orders[] = {64, 1000, 4096, 30030};
  const ptrdiff_t n = orders[_i];
  const int shift = 3 + _i;
  fg_table high = {.kind = FG_TABLE_HIGH, .precision = FG_DOUBLE, .n = n, .shift = shift}, low = high;
  low.kind = FG_TABLE_LOW;
  double *h = fg_table_compute(&high), *l = fg_table_compute(&low);
  ck_assert_uint_eq(fg_table_entries(&low), (size_t)1 << shift);
  for (ptrdiff_t m = 0; m < n; m++) {
    const ptrdiff_t top = m >> shift, rest = m & ((1 << shift) - 1);
    ck_assert_uint_lt((size_t)top, fg_table_entries(&high));
    expect_double(h + 2 * top, fg_root((uint64_t)(top << shift), (uint64_t)n));
    expect_double(l + 2 * rest, fg_root((uint64_t)rest, (uint64_t)n));
    const fg_wide product = {h[2 * top] * l[2 * rest] - h[2 * top + 1] * l[2 * rest + 1],
                             h[2 * top] * l[2 * rest + 1] + h[2 * top + 1] * l[2 * rest]};
    near(product, by_library((uint64_t)m, (uint64_t)n), 4 * DBL_EPSILON);
  }
  free(h);
  free(l);
}
END_TEST

/* n = 3·4·2: entry (j − 1)·P + b of a stage is exp(−2πi·j·b/(P·R)). */
START_TEST(stage_tables_hold_each_stage_in_turn) {
  const fg_table t = {.kind = FG_TABLE_STAGES, .precision = FG_SINGLE, .n = 24, .stages = 3, .radix = {3, 4, 2}};
  fg_table both = t;
  both.mirrored = 1;
  ck_assert_uint_eq(fg_table_entries(&t), 3 * 3 + 12);
  ck_assert_uint_eq(fg_table_entries(&both), 3 * 3 + 12 + 2 * 3 + 8 * 2);
  float *one = fg_table_compute(&t), *two = fg_table_compute(&both);
  for (int j = 1; j < 4; j++)
    for (int b = 0; b < 3; b++) expect_single(one + 2 * ((j - 1) * 3 + b), fg_root((uint64_t)(j * b), 12));
  for (int b = 0; b < 12; b++) expect_single(one + 2 * (9 + b), fg_root((uint64_t)b, 24));
  for (int i = 0; i < 2 * 21; i++) ck_assert(one[i] == two[i]);
  for (int j = 1; j < 4; j++) /* reversed: 2, 4, 3 */
    for (int b = 0; b < 2; b++) expect_single(two + 2 * (21 + (j - 1) * 2 + b), fg_root((uint64_t)(j * b), 8));
  for (int j = 1; j < 3; j++)
    for (int b = 0; b < 8; b++) expect_single(two + 2 * (27 + (j - 1) * 8 + b), fg_root((uint64_t)(j * b), 24));
  free(one);
  free(two);
}
END_TEST

START_TEST(chirp_tables_are_rounded_once) {
  const fg_table t = {.kind = FG_TABLE_CHIRP, .precision = FG_SINGLE, .sign = _i ? 1 : -1, .n = 1009};
  float *entries = fg_table_compute(&t);
  for (uint64_t j = 0; j < 1009; j++) expect_single(entries + 2 * j, chirp(j, 1009, t.sign));
  free(entries);
}
END_TEST

/* A long filter in single precision is as good as one rounded from long double. */
START_TEST(filters_of_single_precision_are_nearly_rounded_once) {
  enum { N = 1009, LENGTH = 2100 };
  const fg_table t = {.kind = FG_TABLE_FILTER, .precision = FG_SINGLE, .sign = -1, .n = N, .length = LENGTH,
                      .lags = {N - 1, N - 1}};
  fg_table better = t;
  better.precision = FG_DOUBLE;
  float *single = fg_table_compute(&t);
  double *twice = fg_table_compute(&better);
  for (int k = 0; k < 2 * LENGTH; k++)
    ck_assert(fabs((double)single[k] - twice[k]) <= 0.501 * FLT_EPSILON * fabs(twice[k]) + DBL_EPSILON);
  free(single);
  free(twice);
}
END_TEST

/* Of the lower half of a spectrum each entry but those of 0 and n/2 is doubled. */
START_TEST(chirp_tables_of_half_a_spectrum_are_doubled) {
  const int n = _i ? 1009 : 1010;
  const fg_table t = {.kind = FG_TABLE_CHIRP, .precision = FG_SINGLE, .sign = 1, .n = n, .real = 1};
  float *entries = fg_table_compute(&t);
  ck_assert_uint_eq(fg_table_entries(&t), n / 2 + 1);
  for (int j = 0; j <= n / 2; j++) {
    const fg_wide c = chirp((uint64_t)j, (uint64_t)n, 1);
    const int times = j == 0 || 2 * j == n ? 1 : 2;
    expect_single(entries + 2 * j, (fg_wide){times * c.re, times * c.im});
  }
  free(entries);
}
END_TEST

/* Of 37 points: all lags, with some room; the bins, and the points, of half a spectrum, with none. */
static const struct {
  int length, forwards, backwards;
} filters[] = {{80, 36, 36}, {55, 18, 36}, {55, 36, 18}};

/* The filter transformed back is the conjugate chirp, mirrored at zero, and nothing in between. */
START_TEST(filter_tables_are_the_transformed_chirp) {
  enum { N = 37 };
  const int length = filters[_i / 2].length, forwards = filters[_i / 2].forwards, backwards = filters[_i / 2].backwards;
  const fg_table t = {.kind = FG_TABLE_FILTER, .precision = FG_DOUBLE, .sign = _i % 2 ? 1 : -1, .n = N,
                      .length = length, .lags = {forwards, backwards}};
  double *entries = fg_table_compute(&t);
  ck_assert_uint_eq(fg_table_entries(&t), length);
  for (int j = 0; j < length; j++) {
    const int distance = j <= forwards ? j : length - j <= backwards ? length - j : -1;
    fg_wide sum = {0, 0};
    for (int k = 0; k < length; k++) { /* inverse transform */
      const fg_wide w = by_library((uint64_t)(j * k), (uint64_t)length);
      sum.re += entries[2 * k] * w.re + entries[2 * k + 1] * w.im;
      sum.im += entries[2 * k + 1] * w.re - entries[2 * k] * w.im;
    }
    near(sum, distance < 0 ? (fg_wide){0, 0} : chirp((uint64_t)distance, N, -t.sign), 20 * DBL_EPSILON);
  }
  free(entries);
}
END_TEST

/* ---- on devices ---- */

/* One for all who ask for it, until the last of them gives it back; of another key, or for another device, another one. */
START_TEST(tables_are_shared) {
  const fg_table key = {.kind = FG_TABLE_ROOTS, .precision = FG_SINGLE, .n = 24, .length = 24, .step = 1};
  fg_table turned = key;
  const char *why = "";
  setenv("FFTW3_GPU_BACKEND", "sim", 1);
  fg_sim_set_devices(2);
  const fg_target *const t = fg_target_get(&why), *const second = t ? fg_target_of(t->ordinal == 0, &why) : NULL;
  ck_assert_msg(t && second, "%s", why);
  const size_t before = fg_sim_count().allocations;
  fg_device_table *one, *same, *other, *there;
  turned.first = 1;
  ck_assert_int_eq(fg_table_get(t, &key, &one), FG_OK);
  ck_assert_int_eq(fg_table_get(t, &key, &same), FG_OK);
  ck_assert_int_eq(fg_table_get(t, &turned, &other), FG_OK);
  ck_assert_int_eq(fg_table_get(second, &key, &there), FG_OK);
  ck_assert_ptr_eq(fg_table_memory(one), fg_table_memory(same));
  ck_assert_uint_eq(fg_sim_count().allocations - before, 3);
  fg_table_release(t, one);
  ck_assert_uint_eq(fg_sim_count().allocations - before, 3);
  fg_table_release(t, same);
  ck_assert_uint_eq(fg_sim_count().allocations - before, 2);
  fg_table_release(t, other);
  fg_table_release(second, there);
  ck_assert_uint_eq(fg_sim_count().allocations, before);
}
END_TEST

int main(void) {
  TCase *tc = tcase_create("roots");
  tcase_set_timeout(tc, 60);
  tcase_add_test(tc, roots_agree_with_the_library_all_around);
  tcase_add_test(tc, roots_of_large_orders_agree_with_the_library);
  tcase_add_test(tc, quarters_are_exact_and_mirrors_agree);
  tcase_add_test(tc, chirps_reduce_their_exponent_exactly);
  tcase_add_loop_test(tc, transforms_agree_with_the_sum, 0, TEST_COUNT(lengths));
  tcase_add_loop_test(tc, two_level_tables_give_every_power, 0, 4);
  tcase_add_test(tc, stage_tables_hold_each_stage_in_turn);
  tcase_add_loop_test(tc, chirp_tables_are_rounded_once, 0, 2);
  tcase_add_loop_test(tc, chirp_tables_of_half_a_spectrum_are_doubled, 0, 2);
  tcase_add_test(tc, filters_of_single_precision_are_nearly_rounded_once);
  tcase_add_loop_test(tc, filter_tables_are_the_transformed_chirp, 0, 2 * TEST_COUNT(filters));
  tcase_add_test(tc, tables_are_shared);
  return test_run(tc, "roots");
}
