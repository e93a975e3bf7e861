/* test_convert.c: reals converted as C converts them, whatever instructions do it, and images in another precision than
 * their array's. */
#include "config.h"

#include <check.h>
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "random_problem.h"
#include "src/problem/convert.h"
#include "src/run/host/transfer.h"
#include "suite.h"

enum { ROOM = 6000, GUARD = 16, INSTRUCTIONS = 4 };

static void narrow(float *to, const double *from, size_t reals, bool past_cache) {
  const fg_arithmetic before = fg_convert_begin();
  fg_convert_narrow(to, from, reals, past_cache);
  fg_convert_end(before);
}

static void widen(double *to, const float *from, size_t reals, bool past_cache) {
  const fg_arithmetic before = fg_convert_begin();
  fg_convert_widen(to, from, reals, past_cache);
  fg_convert_end(before);
}

/* ---- neighbouring reals ---- */

/* Bytes beside the result. */
static void check_guards(const char *memory, size_t from, size_t to, size_t size) {
  for (size_t i = 0; i < size; i++)
    if ((i < from || i >= to) && (unsigned char)memory[i] != 0xee) ck_abort_msg("byte %zu of %zu was written", i, size);
}

static double real_of(const void *memory, size_t i, enum fg_precision precision) {
  float single;
  double wide;
  memcpy(&single, (const char *)memory + i * sizeof single, sizeof single);
  if (precision == FG_SINGLE) return single;
  memcpy(&wide, (const char *)memory + i * sizeof wide, sizeof wide);
  return wide;
}

/* So many reals of from, which are of the other precision than to, that many bytes into memory. */
static void convert_at(size_t shift, size_t reals, bool past_cache, enum fg_precision to, const void *from) {
  static _Alignas(64) char memory[(ROOM + 2 * GUARD) * sizeof(double)];
  const size_t size = (ROOM + 2 * GUARD) * fg_real_size(to);
  memset(memory, 0xee, size);
  if (to == FG_SINGLE) narrow((float *)(memory + shift), from, reals, past_cache);
  else widen((double *)(memory + shift), from, reals, past_cache);
  for (size_t i = 0; i < reals; i++) {
    const double got = real_of(memory + shift, i, to), is = real_of(from, i, to == FG_SINGLE ? FG_DOUBLE : FG_SINGLE);
    if (got != (double)(float)is) ck_abort_msg("real %zu of %zu: %.17g of %.17g", i, reals, got, is);
  }
  check_guards(memory, shift, shift + reals * fg_real_size(to), size);
}

/* Any length, beginning anywhere, also where no real of its size is aligned. */
START_TEST(any_run_is_converted) {
  static double wide[ROOM + GUARD];
  static float single[ROOM + GUARD];
  dice d = {21};
  fg_convert_most = (enum fg_instructions)_i;
  for (int i = 0; i < ROOM + GUARD; i++) single[i] = (float)(wide[i] = dice_real(&d));
  for (size_t reals = 0; reals <= ROOM; reals += reals < 70 ? 1 : 1483)
    for (size_t shift = 0; shift <= 64; shift += 4)
      for (int past_cache = 0; past_cache < 2; past_cache++) {
        convert_at(shift, reals, past_cache, FG_SINGLE, wide + reals % 7);
        convert_at(shift, reals, past_cache, FG_DOUBLE, single + reals % 7);
      }
}
END_TEST

/* ---- numbers out of the ordinary ---- */

static bool same(double a, double b) { return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b)); }

/* What is below the smallest normal number is 0 where the processor is told so. */
static double flushed(double x) {
#ifdef __x86_64__
  return fabs(x) < FLT_MIN ? copysign(0, x) : x;
#else
  return x;
#endif
}

/* Each of them, at each place of a block. */
static void check_number(double number) {
  enum { REALS = 40 };
  double wide[REALS], back[REALS];
  float single[REALS];
  for (int at = 0; at < REALS; at++) {
    for (int i = 0; i < REALS; i++) wide[i] = i == at ? number : i;
    narrow(single, wide, REALS, false);
    for (int i = 0; i < REALS; i++) {
      const double want = i == at ? flushed((float)number) : i;
      if (!same(single[i], want)) ck_abort_msg("%.17g at %d of %d: %g", number, at, i, (double)single[i]);
    }
    single[at] = (float)number;
    widen(back, single, REALS, false);
    if (!same(back[at], flushed((float)number))) ck_abort_msg("%g at %d: %.17g", (double)single[at], at, back[at]);
  }
}

START_TEST(numbers_out_of_the_ordinary) {
  const double half_ulp = ldexp(1, 127 - 24), numbers[] = {
      0, 1, FLT_MAX, FLT_MAX + half_ulp * 0.999, FLT_MAX + half_ulp, 1e39, DBL_MAX, INFINITY, NAN, FLT_MIN,
      FLT_MIN * (1 - ldexp(1, -24)) * 0.5, 1e-40, 1e-45, 1e-60, DBL_MIN, 4.9e-324, 1 + ldexp(1, -24),
      1 + 3 * ldexp(1, -24), 1 + ldexp(1, -24) + ldexp(1, -52)};
  fg_convert_most = (enum fg_instructions)_i;
  for (int i = 0; i < TEST_COUNT(numbers); i++) {
    check_number(numbers[i]);
    check_number(-numbers[i]);
  }
}
END_TEST

/* The largest magnitude of what was narrowed, wherever it is, whatever stands beside it. */
START_TEST(what_is_narrowed_is_measured) {
  enum { REALS = 1100 };
  static double wide[REALS];
  static _Alignas(64) float single[REALS];
  const double peaks[] = {7, -7, 1e200, -INFINITY, 1e-200};
  fg_convert_most = (enum fg_instructions)_i;
  for (int peak = 0; peak < TEST_COUNT(peaks); peak++)
    for (size_t at = 0; at < REALS; at += at < 50 || at > REALS - 50 ? 1 : 37) {
      for (size_t i = 0; i < REALS; i++) wide[i] = i % 3 == 1 ? NAN : peaks[peak] * (i % 2 ? 0.5 : -0.25);
      wide[at] = peaks[peak];
      const fg_arithmetic before = fg_convert_begin();
      const double all = fg_convert_narrow(single, wide, REALS, true);
      const double row = fg_convert_narrow_row(single, wide, (fg_convert_row){REALS, 1, 1, 1});
      const double other = fg_convert_narrow_row(single, wide + at % 2, (fg_convert_row){(REALS - 1) / 2, 1, 1, 2});
      fg_convert_end(before);
      ck_assert(all == fabs(peaks[peak]) && row == all);
      ck_assert(other <= all && (at >= REALS - 2 || other == all));
    }
  ck_assert(fg_convert_narrow(single, wide, 0, true) == 0);
  for (size_t i = 0; i < REALS; i++) wide[i] = i % 2 ? NAN : -0.0;
  ck_assert(fg_convert_narrow(single, wide, REALS, false) == 0);
}
END_TEST

/* Nothing is told by the flags, no trap is sprung, the rounding mode is neither used nor lost. */
START_TEST(the_programs_arithmetic_is_left_alone) {
  enum { REALS = 100 };
  const double numbers[] = {0.1, 1e39, 1e-60, 1e-40, NAN};
  double wide[REALS];
  float single[REALS];
  fg_convert_most = (enum fg_instructions)_i;
  for (int i = 0; i < REALS; i++) wide[i] = numbers[i % 5];
  const float nearest = (float)numbers[0];
  fesetround(FE_UPWARD);
  feclearexcept(FE_ALL_EXCEPT);
#ifdef __GLIBC__
  feenableexcept(FE_ALL_EXCEPT);
#endif
  narrow(single, wide, REALS, false);
  widen(wide, single, REALS, false);
#ifdef __GLIBC__
  fedisableexcept(FE_ALL_EXCEPT);
#endif
  ck_assert_int_eq(fetestexcept(FE_ALL_EXCEPT), 0);
  ck_assert_int_eq(fegetround(), FE_UPWARD);
  fesetround(FE_TONEAREST);
  for (int i = 0; i < REALS; i += 5) ck_assert(single[i] == nearest);
}
END_TEST

/* ---- arrays ---- */

typedef struct {
  fg_problem *problem;
  test_arrays arrays;
  fg_layout layout;
  enum fg_side side;
  ptrdiff_t *at; /* reals from the plane's pointer to each element of the image, in its order */
  size_t element;
} fixture;

static int by_value(const void *a, const void *b) {
  const ptrdiff_t x = *(const ptrdiff_t *)a, y = *(const ptrdiff_t *)b;
  return (x > y) - (x < y);
}

/* The image is in the order of memory (test_layout.c). */
static void open_fixture(fixture *f, dice *d, int combination) {
  memset(f, 0, sizeof *f);
  const enum fg_precision precision = combination & 1 ? FG_DOUBLE : FG_SINGLE;
  f->problem = test_random_problem(d, &(test_limits){precision, 4, 4, 40, 12, 6000, false});
  f->problem->compute = combination & 2 ? FG_DOUBLE : FG_SINGLE;
  f->side = dice_one_in(d, 2) ? FG_INPUT : FG_OUTPUT;
  test_arrays_make(&f->arrays, f->problem, false, dice_one_in(d, 2));
  test_arrays_fill(&f->arrays, f->problem, d);
  ck_assert(fg_layout_make(&f->layout, f->problem, f->side));
  f->element = fg_real_size(f->problem->compute) * (size_t)f->layout.unit;
  ck_assert_uint_eq(fg_layout_element_size(&f->layout), f->element);
  f->at = test_positions(f->problem, f->side);
  qsort(f->at, (size_t)f->layout.elements, sizeof *f->at, by_value);
}

static void close_fixture(fixture *f) {
  free(f->at);
  fg_layout_free(&f->layout);
  test_arrays_free(&f->arrays);
  fg_problem_free(f->problem);
}

static void *plane_of(const fixture *f, int plane) {
  const fg_arrays *a = &f->arrays.at;
  if (f->side == FG_INPUT) return plane ? a->in_im : a->in_re;
  return plane ? a->out_im : a->out_re;
}

/* The same, some reals before or behind. */
static double real_at(const void *memory, ptrdiff_t i, enum fg_precision precision) {
  return real_of((const char *)memory + i * (ptrdiff_t)fg_real_size(precision), 0, precision);
}

/* A real of the program's as its image has it, or the other way round. */
static double as(double x, enum fg_precision precision) { return precision == FG_SINGLE ? (double)(float)x : x; }

static void check_gathered(const fixture *f, int plane, ptrdiff_t first, ptrdiff_t count, const void *image) {
  const ptrdiff_t unit = f->layout.unit;
  const enum fg_precision is = f->problem->compute;
  for (ptrdiff_t e = 0; e < count; e++)
    for (ptrdiff_t i = 0; i < unit; i++) {
      const double want = as(real_at(plane_of(f, plane), f->at[first + e] + i, f->problem->precision), is);
      if (real_at(image, e * unit + i, is) != want) ck_abort_msg("element %td of %td", first + e, f->layout.elements);
    }
}

/* A piece of memory of exactly so many bytes, so that a sanitizer sees what goes beyond. */
static void *exactly(size_t bytes) {
  void *memory = malloc(bytes ? bytes : 1);
  ck_assert_ptr_nonnull(memory);
  return memory;
}

/* In any pieces, and nothing of the program's is written. */
START_TEST(images_hold_what_the_arrays_do) {
  dice d = {31 + (unsigned)_i};
  for (int round = 0; round < 150; round++) {
    fixture f;
    open_fixture(&f, &d, _i);
    for (int plane = 0; plane < (f.layout.split ? 2 : 1); plane++)
      for (ptrdiff_t first = 0, count; first < f.layout.elements; first += count) {
        count = dice_between(&d, 1, f.layout.elements - first);
        void *image = exactly((size_t)count * f.element);
        fg_transfer_gather(&f.layout, plane_of(&f, plane), first, count, image, dice_one_in(&d, 2));
        check_gathered(&f, plane, first, count, image);
        free(image);
      }
    test_arrays_untouched(&f.arrays, f.problem, true);
    close_fixture(&f);
  }
}
END_TEST

static void put(void *memory, ptrdiff_t i, enum fg_precision precision, double x) {
  if (precision == FG_SINGLE) ((float *)memory)[i] = (float)x;
  else ((double *)memory)[i] = x;
}

/* Only the part's elements are written, with what the image says. */
START_TEST(arrays_get_what_their_images_hold) {
  dice d = {51 + (unsigned)_i};
  for (int round = 0; round < 300; round++) {
    fixture f;
    open_fixture(&f, &d, _i);
    const ptrdiff_t first = dice_between(&d, 0, f.layout.elements - 1), unit = f.layout.unit;
    const ptrdiff_t count = dice_between(&d, 0, f.layout.elements - first);
    const enum fg_precision is = f.problem->precision;
    void *image = exactly((size_t)count * f.element);
    double *kept = malloc((size_t)(count * unit + 1) * sizeof *kept);
    char *const array = plane_of(&f, 0);
    for (ptrdiff_t i = 0; i < count * unit; i++) put(image, i, f.problem->compute, dice_real(&d));
    for (ptrdiff_t i = 0; i < count * unit; i++) kept[i] = real_at(array, f.at[first + i / unit] + i % unit, is);
    fg_transfer_scatter(&f.layout, array, first, count, image, dice_one_in(&d, 2));
    for (ptrdiff_t i = 0; i < count * unit; i++) {
      const ptrdiff_t at = f.at[first + i / unit] + i % unit;
      ck_assert(real_at(array, at, is) == as(real_at(image, i, f.problem->compute), is));
      put(array, at, is, kept[i]);
    }
    test_arrays_untouched(&f.arrays, f.problem, true);
    free(kept);
    free(image);
    close_fixture(&f);
  }
}
END_TEST

/* DMA never goes straight to an array of another precision than its image's. */
START_TEST(only_what_is_its_own_image_is_reached) {
  double array[2 * 64];
  for (int combination = 0; combination < 4; combination++) {
    fg_problem *p = test_problem("oc64", combination & 1 ? FG_DOUBLE : FG_SINGLE);
    fg_layout l;
    p->compute = combination & 2 ? FG_DOUBLE : FG_SINGLE;
    ck_assert(fg_layout_make(&l, p, FG_INPUT));
    ck_assert_ptr_eq(fg_transfer_dense(&l, array), p->compute == p->precision ? array : NULL);
    ck_assert_uint_eq(fg_transfer_bytes(&l), 128 * fg_real_size(p->compute));
    fg_layout_free(&l);
    fg_problem_free(p);
  }
}
END_TEST

int main(void) {
  TCase *tc = tcase_create("convert");
  tcase_set_timeout(tc, 120);
  tcase_add_loop_test(tc, any_run_is_converted, 0, INSTRUCTIONS);
  tcase_add_loop_test(tc, numbers_out_of_the_ordinary, 0, INSTRUCTIONS);
  tcase_add_loop_test(tc, what_is_narrowed_is_measured, 0, INSTRUCTIONS);
  tcase_add_loop_test(tc, the_programs_arithmetic_is_left_alone, 0, INSTRUCTIONS);
  tcase_add_loop_test(tc, images_hold_what_the_arrays_do, 0, 4);
  tcase_add_loop_test(tc, arrays_get_what_their_images_hold, 0, 4);
  tcase_add_test(tc, only_what_is_its_own_image_is_reached);
  return test_run(tc, "convert");
}
