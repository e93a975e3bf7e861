/* test_accuracy.c: what `fftw3-gpu accuracy` rests on: the reference, by two ways that share nothing, and the data. */
#include <float.h>
#include <math.h>

#include "suite.h"
#include "src/cli/accuracy.h"
#include "src/cli/fftw.h"
#include "src/problem/notation.h"

/* A problem and the images of its sides. */
typedef struct {
  fg_problem *p;
  fg_layout in, out;
  size_t ins, outs;
  double *data;
  long double *wide, *exact, *sums;
} fixture;

static fixture make(const char *text, enum fg_precision precision) {
  char why[256];
  fixture f = {.p = fg_notation_parse(text, precision, why, sizeof why)};
  ck_assert_msg(f.p != NULL, "%s", why);
  ck_assert(fg_layout_make(&f.in, f.p, FG_INPUT) && fg_layout_make(&f.out, f.p, FG_OUTPUT));
  f.ins = fg_fftw_image_reals(&f.in);
  f.outs = fg_fftw_image_reals(&f.out);
  f.data = malloc(f.ins * sizeof *f.data);
  f.wide = malloc(f.ins * sizeof *f.wide);
  f.exact = calloc(f.outs, sizeof *f.exact);
  f.sums = calloc(f.outs, sizeof *f.sums);
  ck_assert(f.data && f.wide && f.exact && f.sums);
  return f;
}

static void drop(fixture *f) {
  free(f->data);
  free(f->wide);
  free(f->exact);
  free(f->sums);
  fg_layout_free(&f->in);
  fg_layout_free(&f->out);
  fg_problem_free(f->p);
}

static long double distance(const long double *a, const long double *b, size_t count) {
  long double difference = 0, norm = 0;
  for (size_t i = 0; i < count; i++) {
    difference += (a[i] - b[i]) * (a[i] - b[i]);
    norm += b[i] * b[i];
  }
  return sqrtl(difference / norm);
}

static const char *const problems[] = {
    "oc1",      "oc2*3",    "icf12",   "icb15*2",  "ob3x4x5*2", "/oc6x4*3",  "/ob9",      "oc4:-1:2x3:9:20", "oc8v3",
    "orf1",     "orf12*3",  "orb12*3", "orf9*2",   "orb9*2",    "irf10x6",   "irb10x6",   "orf4x3x8",        "orb4x3x7*2",
    "/orf6x4",  "/orb6x5",  "ok12f*2", "ok9f",     "ok12b",     "ok9b",      "ok7h",      "ok8h",            "ok9e00",
    "ok8e01",   "ok9e01",   "ok8e10",  "ok9e10",   "ok8e11",    "ok9e11",    "ok7o00",    "ok8o01",          "ok9o01",
    "ok8o10",   "ok9o10",   "ok8o11",  "ok9o11",   "ok2e00",    "ok1e10",    "ok1o00",    "ok1f",            "ok2f",
    "ok2b",     "ok3e00x4o11*2", "ik6e01x5h"};

/* FFTW in long double against sums by the definition. */
START_TEST(reference_is_the_definition) {
  fixture f = make(problems[_i], FG_DOUBLE);
  if (!fg_fftw_get(FG_FFTW_LONG)) return; /* both are the sums */
  ck_assert(fg_accuracy_data(FG_DATA_RANDOM, f.p, &f.in, &f.out, 7, f.data));
  for (size_t i = 0; i < f.ins; i++) f.wide[i] = f.data[i];
  ck_assert_ptr_null(fg_accuracy_sums(f.p, &f.in, &f.out, f.wide, f.sums));
  ck_assert_ptr_null(fg_accuracy_reference(f.p, &f.in, &f.out, f.wide, f.exact));
  /* The spectrum that c2r begins with is rounded to doubles, and Hermitian to their last bit only. */
  const long double most = f.p->kind == FG_C2R && f.p->transform.rank > 1 ? DBL_EPSILON : 40 * LDBL_EPSILON;
  const long double d = distance(f.exact, f.sums, f.outs);
  ck_assert_msg(d <= most, "%s: %Lg apart", problems[_i], d);
  drop(&f);
}
END_TEST

START_TEST(sums_have_an_end) {
  fixture f = make("oc8192*4", FG_SINGLE);
  ck_assert_ptr_nonnull(fg_accuracy_sums(f.p, &f.in, &f.out, f.wide, f.sums));
  drop(&f);
}
END_TEST

/* One 1 in each transform of a batch that lies between the elements of the others, and nothing else. */
START_TEST(impulses_are_one_in_each_transform) {
  fixture f = make("oc5x4v6", FG_SINGLE);
  ck_assert(fg_accuracy_data(FG_DATA_IMPULSE, f.p, &f.in, &f.out, 3, f.data));
  for (int b = 0; b < 6; b++) {
    int ones = 0, others = 0;
    for (int i = 0; i < 20; i++) {
      const double *at = f.data + 2 * (f.in.stride[2] * b + i * (f.in.stride[1]));
      ones += at[0] == 1;
      others += at[0] != 0 && at[0] != 1;
      others += at[1] != 0;
    }
    ck_assert_int_eq(ones, 1);
    ck_assert_int_eq(others, 0);
  }
  drop(&f);
}
END_TEST

/* Twelve orders of magnitude, all of them there. */
START_TEST(range_is_wide) {
  fixture f = make("ok4096e10", FG_SINGLE);
  ck_assert(fg_accuracy_data(FG_DATA_RANGE, f.p, &f.in, &f.out, 1, f.data));
  int count[4] = {0};
  for (size_t i = 0; i < f.ins; i++) {
    const double size = log2(fabs(f.data[i]));
    ck_assert(size >= -20 && size < 21);
    count[size < -10 ? 0 : size < 0 ? 1 : size < 10 ? 2 : 3]++;
  }
  for (int i = 0; i < 4; i++) ck_assert_int_gt(count[i], 4096 / 8);
  drop(&f);
}
END_TEST

/* The transform of smooth data is small beyond its first frequencies. */
START_TEST(smooth_is_smooth) {
  fixture f = make("orf512", FG_DOUBLE);
  ck_assert(fg_accuracy_data(FG_DATA_SMOOTH, f.p, &f.in, &f.out, 1, f.data));
  for (size_t i = 0; i < f.ins; i++) f.wide[i] = f.data[i];
  ck_assert_ptr_null(fg_accuracy_sums(f.p, &f.in, &f.out, f.wide, f.sums));
  for (size_t i = 60; i < f.outs; i++) ck_assert(fabsl(f.sums[i]) < 1e-10L * fabsl(f.sums[0]));
  ck_assert(fabsl(f.sums[2]) > 0.1L * fabsl(f.sums[0]));
  drop(&f);
}
END_TEST

/* What goes into the program's arrays comes out of them, whatever their strides, in place and split. */
static const struct {
  const char *a, *b;
  double difference; /* negative: in words */
} lines[] = {{"sum 100 -2\n", "sum 100.5 -2\n", 0.005}, {"1 2 3", "1 2 3", 0}, {"1 2 3", "1  2 3 \n", 0},
             {"x 1", "y 1", -1}, {"1 2", "1 2 3", -1}, {"1 2 3", "1 2", -1}, {"1", "one", -1}, {"", "word", -1},
             {"3 4e2", "3 4.1e2", 0.025}, {"0 0", "0 1", INFINITY}, {"12ms 7", "12ms 8", 1.0 / 7}, {"12ms", "13ms", -1},
             {"nan", "nan", 0}, {"nan", "1", -1}, {"-5", "5", 2}, {"(1.5, -2)", "( 1.5,2)", 2}, {"1,2,4", "1,2,5", 0.25},
             {"1.5-2i", "1.5+2.0i", 2}, {"1.5-2i", "1.5-2j", -1}, {"x=1.5D+02;", "x=1.6D+02;", 0.1 / 1.5}, {"1.2.3", "1.2.4", -1},
             {"x2 4", "x3 4", -1}, {"4 x", "4 x ", 0}, {"[ 1 2]", "[-1 2]", 1}, {"1 2", "12", -1}, {"a b", "ab", -1}, {"2in", "3in", -1},
             {"0x1d5", "0x1e5", -1}, {"2i-3j", "2i+3j", 2}, {"1.5 - 0.5i", "1.5 + 0.5i", 1 / 1.5}, {" x 1", "x 1", 0}, {"9 |", "10|", 1. / 9},
             {"1d2", "1e2", 0}, {"1d 4", "2d 4", -1}, {"12\u00b5s", "13\u00b5s", -1}, {"1.5x", "1.6x", -1}, {"a  b", "a b", 0}, {".", ".", 0},
             {"3.14159265358979323846264338327950288419716939937510582097494459230781640628620899",
              "3.14159265358979323846264338327950288419716939937510582097494459230781640628699999", 0}};

START_TEST(lines_differ_in_numbers_or_in_words) {
  const int i = _i;
  double difference = -1;
  if (!fg_accuracy_lines_near(lines[i].a, lines[i].b, &difference)) difference = -1;
  if (isinf(lines[i].difference)) ck_assert_double_infinite(difference);
  else ck_assert_double_eq_tol(difference, lines[i].difference, 1e-12);
}
END_TEST

START_TEST(arrays_hold_their_numbers) {
  static const char *const texts[] = {"oc4:-1:2x3:9:20", "/ib4x3v5", "/oc12", "irf10x6", "ok5:4:9e10*4:1:2"};
  fixture f = make(texts[_i], _i % 2 ? FG_SINGLE : FG_DOUBLE);
  fg_accuracy_arrays a;
  ck_assert(fg_accuracy_arrays_make(&a, f.p));
  ck_assert((a.at.in_re == a.at.out_re) == (f.p->arrays.in_re == f.p->arrays.out_re));
  fg_layout_free(&a.out); /* read what was written */
  ck_assert(fg_layout_make(&a.out, f.p, FG_INPUT));
  a.at.out_re = a.at.in_re;
  a.at.out_im = a.at.in_im;
  double *got = malloc(f.ins * sizeof *got);
  for (size_t i = 0; i < f.ins; i++) f.data[i] = (double)(i + 1);
  fg_accuracy_arrays_put(&a, f.data);
  fg_accuracy_arrays_get(&a, got);
  for (size_t i = 0; i < f.ins; i++) ck_assert_double_eq(got[i], f.data[i]);
  free(got);
  fg_accuracy_arrays_free(&a);
  drop(&f);
}
END_TEST

int main(void) {
  TCase *tests = tcase_create("accuracy");
  tcase_add_loop_test(tests, reference_is_the_definition, 0, TEST_COUNT(problems));
  tcase_add_test(tests, sums_have_an_end);
  tcase_add_test(tests, impulses_are_one_in_each_transform);
  tcase_add_test(tests, range_is_wide);
  tcase_add_test(tests, smooth_is_smooth);
  tcase_add_loop_test(tests, arrays_hold_their_numbers, 0, 5);
  tcase_add_loop_test(tests, lines_differ_in_numbers_or_in_words, 0, TEST_COUNT(lines));
  return test_run(tests, "accuracy");
}
