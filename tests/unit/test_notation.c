/* test_notation.c: the notation of FFTW's test program, both ways.  Expected strides are worked out by hand from the
 * notation's rules, in reals. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/problem/notation.h"
#include "tests/unit/suite.h"

static fg_problem *parse(const char *text) {
  char why[200] = "";
  fg_problem *p = fg_notation_parse(text, FG_SINGLE, why, sizeof why);
  ck_assert_msg(p != NULL, "%s: %s", text, why);
  return p;
}

static const char *print(const fg_problem *p) {
  static char text[200];
  fg_notation_print(p, text, sizeof text);
  return text;
}

static void expect_tensor(const char *text, const char *which, const fg_tensor *t, int rank, const fg_dim *expected) {
  ck_assert_msg(t->rank == rank, "%s: %s rank %d, not %d", text, which, t->rank, rank);
  for (int d = 0; d < rank; d++)
    ck_assert_msg(t->dim[d].n == expected[d].n && t->dim[d].is == expected[d].is && t->dim[d].os == expected[d].os,
                  "%s: %s dimension %d is %td:%td:%td, not %td:%td:%td", text, which, d, t->dim[d].n, t->dim[d].is,
                  t->dim[d].os, expected[d].n, expected[d].is, expected[d].os);
}

static const char *const canonical[] = {
    "ocf64",        "icb8",        "icf64x64x64*27", "ocf8:3",    "ocf8:3:5",     "ocf8:-1", "orf9",
    "irf9",         "orb10x12",    "irb10x12*3",     "ok8f",      "ok5e00x6o11",  "ik8h*4",  "/ocf32",
    "/irf10",       "/orb4x6",     "ocf12*3x4",      "ocf12v3",   "ocf12x7v3x2",  "ocf1",    "ocf12:2*3:1:40",
    "ocf1*5",       "ocf6*0",      "ocf1x6",         "ocf6*0:1x4", "ok3b*2:9:12", "irf5v4",  "ocf4x5:7*2:50:60",
    "ok4e00x4e01x4e10x4e11x4o00x4o01x4o10x4o11",
};

START_TEST(canonical_texts_round_trip) {
  fg_problem *p = parse(canonical[_i]);
  ck_assert_str_eq(print(p), canonical[_i]);
  fg_problem_free(p);
}
END_TEST

static const struct {
  const char *text, *canonical;
} spellings[] = {
    {"64", "ocf64"},        {"IC64", "icf64"},    {"1k", "ocf1024"},         {"2mX3", "ocf2097152x3"},
    {"if//c5", "/icf5"},    {"+7", "ocb7"},       {"-c7", "ocf7"},           {"ok8", "ok8f"},
    {"okf8F", "ok8f"},      {"oc64:1:1", "ocf64"}, {"ocf64:2:2", "ocf64:2"}, {"dof9", "ocf9"},
    {"ocf8v1", "ocf8"},     {"/ob16", "/ocf16"},  {"ocf8:3v3", "ocf8v3"},    {"ocf8:0:2", "ocf8:1:2"},
    {"rbi6", "irb6"},       {"irf5*4:6:3", "irf5*4"}, {"toc4x5", "ocf4:5:1x5:1:4"},
    {"oc-4", "ocf4"},       {"oc+4", "ocb4"}, /* a sign before the first length is the transform's, as in FFTW */
};

START_TEST(other_spellings_print_canonically) {
  fg_problem *p = parse(spellings[_i].text);
  ck_assert_str_eq(print(p), spellings[_i].canonical);
  fg_problem_free(p);
}
END_TEST

static const struct {
  const char *text;
  int rank, batch_rank;
  fg_dim transform[3], batch[3];
} strides[] = {
    {"oc4x5x6", 3, 0, {{4, 60, 60}, {5, 12, 12}, {6, 2, 2}}, {{0}}},
    {"/oc4x5", 2, 0, {{4, 5, 5}, {5, 1, 1}}, {{0}}},
    {"oc4x5*3x2", 2, 2, {{4, 10, 10}, {5, 2, 2}}, {{3, 80, 80}, {2, 40, 40}}},
    {"oc4x5v3", 2, 1, {{4, 30, 30}, {5, 6, 6}}, {{3, 2, 2}}},
    {"oc4x5:3:-7", 2, 0, {{4, 30, -70}, {5, 6, -14}}, {{0}}},
    {"oc8*2:9:12x3", 1, 2, {{8, 2, 2}}, {{2, 18, 24}, {3, 16, 16}}},
    {"orf4x6", 2, 0, {{4, 6, 8}, {6, 1, 2}}, {{0}}},
    {"orf4x7*3", 2, 1, {{4, 7, 8}, {7, 1, 2}}, {{3, 28, 32}}},
    {"irf4x6", 2, 0, {{4, 8, 8}, {6, 1, 2}}, {{0}}},
    {"irb4x7*3", 2, 1, {{4, 8, 8}, {7, 2, 1}}, {{3, 32, 32}}},
    {"/irf6*2", 1, 1, {{6, 1, 1}}, {{2, 8, 4}}},
    {"ok4fx5e10*2", 2, 1, {{4, 5, 5}, {5, 1, 1}}, {{2, 20, 20}}},
    {"o1v3:2:8x4:6:2x2:1:1", 1, 3, {{1, 12, 48}}, {{3, 4, 16}, {4, 12, 4}, {2, 2, 2}}},
};

START_TEST(strides_are_those_of_the_notation_in_reals) {
  fg_problem *p = parse(strides[_i].text);
  expect_tensor(strides[_i].text, "transform", &p->transform, strides[_i].rank, strides[_i].transform);
  expect_tensor(strides[_i].text, "batch", &p->batch, strides[_i].batch_rank, strides[_i].batch);
  fg_problem_free(p);
}
END_TEST

static const struct {
  const char *text;
  enum fg_kind kind;
  enum fg_format format;
  int sign;
} kinds[] = {
    {"oc8", FG_DFT, FG_INTERLEAVED, FG_FORWARD},  {"ob8", FG_DFT, FG_INTERLEAVED, FG_BACKWARD},
    {"orf8", FG_R2C, FG_INTERLEAVED, FG_FORWARD}, {"orb8", FG_C2R, FG_INTERLEAVED, FG_BACKWARD},
    {"/ob8", FG_DFT, FG_SPLIT, FG_FORWARD},       {"/rb8", FG_C2R, FG_SPLIT, FG_BACKWARD},
    {"kb8", FG_R2R, FG_INTERLEAVED, FG_FORWARD},
};

START_TEST(options_choose_kind_format_and_sign) {
  fg_problem *p = parse(kinds[_i].text);
  ck_assert_int_eq(p->kind, kinds[_i].kind);
  ck_assert_int_eq(p->format, kinds[_i].format);
  ck_assert_int_eq(p->sign, kinds[_i].sign);
  ck_assert_int_eq(p->threads, 1);
  fg_problem_free(p);
}
END_TEST

START_TEST(r2r_kinds_are_fftws_values) {
  fg_problem *p = parse("k4fx4bx4hx4e00x4E01x4e10x4e11x4o00x4o01x4O10x4o11");
  for (int d = 0; d < 11; d++)
    ck_assert_int_eq(p->r2r_kind[d], d);
  fg_problem_free(p);
}
END_TEST

START_TEST(d_means_that_the_input_may_be_destroyed) {
  fg_problem *d = parse("doc8"), *plain = parse("oc8");
  ck_assert_uint_eq(d->flags, FG_DESTROY_INPUT);
  ck_assert_uint_eq(plain->flags, 0);
  fg_problem_free(d);
  fg_problem_free(plain);
}
END_TEST

/* One past the last real that an array of these extents holds. */
static char *end(void *base, ptrdiff_t reals) { return (char *)base + reals * (ptrdiff_t)sizeof(float); }

START_TEST(arrays_tell_the_placement) {
  fg_problem *in = parse("ic8"), *out = parse("oc8:-3"), *split = parse("/ic8"), *real = parse("irf8");
  ck_assert_ptr_eq(in->arrays.in_re, in->arrays.out_re);
  ck_assert_ptr_eq(in->arrays.in_im, in->arrays.out_im);
  ck_assert_ptr_eq(in->arrays.in_im, end(in->arrays.in_re, 1));
  ck_assert(end(out->arrays.out_re, -42) >= end(out->arrays.in_im, 1)); /* the lowest output element */
  ck_assert_ptr_eq(split->arrays.in_re, split->arrays.out_re);
  ck_assert((char *)split->arrays.in_im >= end(split->arrays.in_re, 8));
  ck_assert_ptr_eq(real->arrays.in_re, real->arrays.out_re);
  ck_assert_ptr_null(real->arrays.in_im);
  ck_assert_ptr_eq(real->arrays.out_im, end(real->arrays.out_re, 1));
  fg_problem_free(in);
  fg_problem_free(out);
  fg_problem_free(split);
  fg_problem_free(real);
}
END_TEST

START_TEST(split_backward_swaps_real_and_imaginary) {
  fg_problem *f = parse("/of8"), *b = parse("/ob8");
  ck_assert((char *)f->arrays.in_re < (char *)f->arrays.in_im);
  ck_assert((char *)b->arrays.in_re > (char *)b->arrays.in_im);
  ck_assert((char *)b->arrays.out_re > (char *)b->arrays.out_im);
  fg_problem_free(f);
  fg_problem_free(b);
}
END_TEST

static const struct {
  const char *text, *what, *where;
} errors[] = {
    {"", "number is missing", "at its end"},
    {"oc", "number is missing", "at its end"},
    {"oc64y", "unexpected text", "at character 5 ('y')"},
    {"oc64x", "number is missing", "at its end"},
    {"oc4x0", "must be positive", "at character 5 ('0')"},
    {"oc64*-2", "must not be negative", "at character 6 ('-')"},
    {"oc64:", "number is missing", "at its end"},
    {"oc64:1:1:1", "unexpected text", "at character 9 (':')"},
    {"oc8f", "unexpected text", "at character 4 ('f')"},
    {"ok8e22", "unknown r2r kind", "at character 4 ('e')"},
    {"oc8*2*2", "unexpected text", "at character 6 ('*')"},
    {"[oc8x8", "MPI", "at character 1 ('[')"},
    {"qc8", "number is missing", "at character 1 ('q')"},
    {"oc99999999999999999999999", "too large", "at character 3"},
    {"oc1000000000x1000000000x1000000000", "too large", NULL},
    {"oc8:1000000000000000*1000000000", "too large", NULL},
};

START_TEST(errors_say_what_and_where) {
  char why[200] = "";
  fg_problem *p = fg_notation_parse(errors[_i].text, FG_SINGLE, why, sizeof why);
  ck_assert_ptr_null(p);
  ck_assert_msg(strstr(why, errors[_i].what) != NULL, "%s: \"%s\"", errors[_i].text, why);
  if (errors[_i].where)
    ck_assert_msg(strstr(why, errors[_i].where) != NULL, "%s: \"%s\"", errors[_i].text, why);
}
END_TEST

START_TEST(more_dimensions_than_the_notation_has_are_refused) {
  char text[200] = "oc1", why[200] = "";
  for (int d = 0; d < 64; d++)
    strcat(text, "x1");
  ck_assert_ptr_null(fg_notation_parse(text, FG_SINGLE, why, sizeof why));
  ck_assert_ptr_nonnull(strstr(why, "too many dimensions"));
}
END_TEST

START_TEST(a_text_that_does_not_fit_ends_in_dots) {
  static const char *const cut[] = {"", "", ".", "..", "...", "o...", "oc...", "ocf...", "ocf1...", "ocf1234567"};
  static const size_t sizes[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 11};
  fg_problem *p = parse("oc1234567");
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    char text[12] = "";
    memset(text + sizes[i], '#', sizeof text - sizes[i]);
    fg_notation_print(p, text, sizes[i]);
    ck_assert_int_eq(text[sizes[i]], '#');
    if (sizes[i])
      ck_assert_str_eq(text, cut[i]);
  }
  fg_problem_free(p);
}
END_TEST

START_TEST(a_rank_zero_transform_is_one_of_one_point) {
  fg_problem *p = fg_problem_new(FG_DFT, FG_SINGLE, FG_INTERLEAVED, 0, 1);
  p->batch.dim[0] = (fg_dim){5, 2, 2};
  ck_assert_str_eq(print(p), "icf1*5"); /* NULL arrays: in place, as for FFTW */
  fg_problem_free(p);
}
END_TEST

START_TEST(strides_of_a_single_point_do_not_matter) {
  fg_problem *p = fg_problem_new(FG_DFT, FG_SINGLE, FG_INTERLEAVED, 2, 1);
  p->transform.dim[0] = (fg_dim){1, 999, 0};
  p->transform.dim[1] = (fg_dim){8, 2, 2};
  p->batch.dim[0] = (fg_dim){1, 0, 0};
  ck_assert_str_eq(print(p), "icf1x8");
  fg_problem_free(p);
}
END_TEST

#define COUNT(table) (int)(sizeof(table) / sizeof *(table))

int main(void) {
  TCase *tc = tcase_create("notation");
  tcase_add_loop_test(tc, canonical_texts_round_trip, 0, COUNT(canonical));
  tcase_add_loop_test(tc, other_spellings_print_canonically, 0, COUNT(spellings));
  tcase_add_loop_test(tc, strides_are_those_of_the_notation_in_reals, 0, COUNT(strides));
  tcase_add_loop_test(tc, options_choose_kind_format_and_sign, 0, COUNT(kinds));
  tcase_add_test(tc, r2r_kinds_are_fftws_values);
  tcase_add_test(tc, d_means_that_the_input_may_be_destroyed);
  tcase_add_test(tc, arrays_tell_the_placement);
  tcase_add_test(tc, split_backward_swaps_real_and_imaginary);
  tcase_add_loop_test(tc, errors_say_what_and_where, 0, COUNT(errors));
  tcase_add_test(tc, more_dimensions_than_the_notation_has_are_refused);
  tcase_add_test(tc, a_text_that_does_not_fit_ends_in_dots);
  tcase_add_test(tc, a_rank_zero_transform_is_one_of_one_point);
  tcase_add_test(tc, strides_of_a_single_point_do_not_matter);
  return test_run(tc, "notation");
}
