/* test_problem.c: copies and sizes of problems, and which of them the manual leaves undefined. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "dice.h"
#include "random_problem.h"
#include "src/problem/span.h"
#include "suite.h"

/* ---- copies, sizes ---- */

START_TEST(a_copy_has_all_and_shares_nothing) {
  fg_problem *p = fg_problem_new(FG_R2R, FG_DOUBLE, FG_INTERLEAVED, 2, 1);
  double in[4], out[4];
  p->transform.dim[0] = (fg_dim){3, 5, 7};
  p->transform.dim[1] = (fg_dim){4, -1, 2};
  p->batch.dim[0] = (fg_dim){6, 60, 70};
  p->r2r_kind[0] = 4;
  p->r2r_kind[1] = 9;
  p->arrays = (fg_arrays){in, NULL, out, NULL};
  p->flags = FG_PATIENT | FG_UNALIGNED;
  p->threads = 3;
  fg_problem *c = fg_problem_copy(p);
  memset(p->transform.dim, 0, 2 * sizeof *p->transform.dim);
  memset(p->batch.dim, 0, sizeof *p->batch.dim);
  p->r2r_kind[0] = p->r2r_kind[1] = 0;
  fg_problem_free(p);
  ck_assert_int_eq(c->kind, FG_R2R);
  ck_assert_int_eq(c->precision, FG_DOUBLE);
  ck_assert_int_eq(c->transform.rank, 2);
  ck_assert_int_eq(c->transform.dim[0].os, 7);
  ck_assert_int_eq(c->transform.dim[1].is, -1);
  ck_assert_int_eq(c->batch.dim[0].n, 6);
  ck_assert_int_eq(c->r2r_kind[0], 4);
  ck_assert_int_eq(c->r2r_kind[1], 9);
  ck_assert_ptr_eq(c->arrays.out_re, out);
  ck_assert_int_eq(c->flags, FG_PATIENT | FG_UNALIGNED);
  ck_assert_int_eq(c->threads, 3);
  fg_problem_free(c);
}
END_TEST

START_TEST(rank_zero_problems_can_be_made_and_copied) {
  fg_problem *p = fg_problem_new(FG_R2R, FG_SINGLE, FG_INTERLEAVED, 0, 0), *c = fg_problem_copy(p);
  ck_assert_int_eq(fg_problem_elements(c, FG_INPUT), 1);
  ck_assert_ptr_null(fg_problem_undefined(c));
  fg_problem_free(c);
  fg_problem_free(p);
  fg_problem_free(NULL);
}
END_TEST

START_TEST(a_c2r_problem_is_backward_and_all_others_forward) {
  static const enum fg_kind kinds[] = {FG_DFT, FG_R2C, FG_C2R, FG_R2R};
  for (int k = 0; k < TEST_COUNT(kinds); k++) {
    fg_problem *p = fg_problem_new(kinds[k], FG_SINGLE, FG_INTERLEAVED, 1, 1);
    ck_assert_int_eq(p->sign, kinds[k] == FG_C2R ? FG_BACKWARD : FG_FORWARD);
    fg_problem_free(p);
  }
}
END_TEST

/* A side without imaginary parts has none that could lie elsewhere. */
START_TEST(arrays_are_in_place_with_both_planes) {
  float a[2], b[2];
  ck_assert(fg_problem_in_place(&(fg_arrays){a, b, a, b}));
  ck_assert(!fg_problem_in_place(&(fg_arrays){a, b, a, b + 1}));
  ck_assert(!fg_problem_in_place(&(fg_arrays){a, b, b, a}));
  ck_assert(fg_problem_in_place(&(fg_arrays){a, NULL, a, a + 1}));
  ck_assert(fg_problem_in_place(&(fg_arrays){a, a + 1, a, NULL}));
  ck_assert(!fg_problem_in_place(&(fg_arrays){a, NULL, b, NULL}));
}
END_TEST

START_TEST(a_batch_goes_on_at_its_strides) {
  for (int precision = FG_SINGLE; precision <= FG_DOUBLE; precision++) {
    char m[4][1000];
    fg_problem *p = test_problem("/ocf8*2x5:10:-20", precision);
    const ptrdiff_t real = (ptrdiff_t)fg_real_size(precision), in = 3 * 10 * real, out = 3 * -20 * real;
    const fg_arrays a = fg_problem_arrays_from(p, &(fg_arrays){m[0], m[1], m[2] + 500, m[3] + 500}, 1, 3);
    const fg_arrays none = fg_problem_arrays_from(p, &(fg_arrays){m[0], NULL, m[2] + 500, NULL}, 1, 3);
    ck_assert(a.in_re == m[0] + in && a.in_im == m[1] + in);
    ck_assert(a.out_re == m[2] + 500 + out && a.out_im == m[3] + 500 + out);
    ck_assert(none.in_re == a.in_re && !none.in_im && none.out_re == a.out_re && !none.out_im);
    fg_problem_free(p);
  }
}
END_TEST

/* In reals from the pointer, without the batch's second dimension. */
START_TEST(spans_go_both_ways) {
  fg_problem *p = test_problem("orf10:-1:2*3:40:-100x7", FG_SINGLE);
  const fg_span in = fg_span_of(p, FG_INPUT, 1), out = fg_span_of(p, FG_OUTPUT, 1);
  ck_assert(in.low == -9 && in.high == 1 + 2 * 40);
  ck_assert(out.low == -2 * 200 && out.high == 2 + 5 * 4);
  fg_problem_free(p);
}
END_TEST

static const struct {
  const char *text;
  ptrdiff_t in, out;
} sizes[] = {{"oc5x6*7", 210, 210}, {"of5x6*0", 0, 0},    {"orf5x6*7", 210, 140},
             {"orb5x7*2", 40, 70},  {"ok4fx3b*2", 24, 24}, {"/orf1", 1, 1}};

START_TEST(elements_count_half_of_a_conjugate_even_row) {
  fg_problem *p = test_problem(sizes[_i].text, FG_SINGLE);
  ck_assert_int_eq(fg_problem_elements(p, FG_INPUT), sizes[_i].in);
  ck_assert_int_eq(fg_problem_elements(p, FG_OUTPUT), sizes[_i].out);
  fg_problem_free(p);
}
END_TEST

/* ---- undefined ---- */

typedef struct {
  const char *name, *reason; /* NULL: defined */
  enum fg_kind kind;
  enum fg_format format;
  fg_dim transform, batch;
} layout_case;

static const layout_case layouts[] = {
    {"contiguous", NULL, FG_DFT, FG_INTERLEAVED, {8, 2, 2}, {3, 16, 16}},
    {"zero input stride", "zero stride", FG_DFT, FG_INTERLEAVED, {8, 0, 2}, {3, 16, 16}},
    {"zero output stride of a batch", "zero stride", FG_DFT, FG_INTERLEAVED, {8, 2, 2}, {3, 16, 0}},
    {"zero strides of single points", NULL, FG_DFT, FG_INTERLEAVED, {8, 2, 2}, {1, 0, 0}},
    {"half a complex number apart", "overlapping input", FG_DFT, FG_INTERLEAVED, {8, 1, 2}, {1, 0, 0}},
    {"one real apart, split", NULL, FG_DFT, FG_SPLIT, {8, 1, 1}, {1, 0, 0}},
    {"sliding windows", "overlapping input", FG_DFT, FG_INTERLEAVED, {8, 2, 2}, {3, 2, 16}},
    {"results on top of each other", "overlapping output", FG_DFT, FG_INTERLEAVED, {8, 2, 2}, {3, 16, 14}},
    {"vectors inside", NULL, FG_DFT, FG_INTERLEAVED, {8, 6, 6}, {3, 2, 2}},
    {"vectors inside that touch", "overlapping output", FG_DFT, FG_INTERLEAVED, {8, 6, 4}, {3, 2, 2}},
    {"backwards", NULL, FG_DFT, FG_INTERLEAVED, {8, -2, -2}, {3, -16, 16}},
    {"backwards and forwards at once", "overlapping input", FG_DFT, FG_SPLIT, {4, 1, 1}, {4, -1, 4}},
    {"interleaved columns that do not touch", NULL, FG_DFT, FG_SPLIT, {3, 2, 2}, {2, 1, 1}},
    {"real row beside its padding", NULL, FG_R2C, FG_INTERLEAVED, {7, 1, 2}, {4, 8, 8}},
    {"half row where a full one would touch", NULL, FG_R2C, FG_INTERLEAVED, {8, 1, 2}, {4, 8, 10}},
    {"half row that touches", "overlapping output", FG_R2C, FG_INTERLEAVED, {8, 1, 2}, {4, 8, 8}},
};

START_TEST(layouts_are_told_apart) {
  const layout_case *l = &layouts[_i];
  fg_problem *p = fg_problem_new(l->kind, FG_SINGLE, l->format, 1, 1);
  p->transform.dim[0] = l->transform;
  p->batch.dim[0] = l->batch;
  const char *why = fg_problem_undefined(p);
  ck_assert_msg((!why && !l->reason) || (why && l->reason && strcmp(why, l->reason) == 0), "%s: %s", l->name,
                why ? why : "defined");
  fg_problem_free(p);
}
END_TEST

/* Whether two elements of a side share a real. */
static bool clashes(const fg_problem *p, enum fg_side side) {
  enum { SPAN = 1024 };
  bool taken[2 * SPAN] = {false}, clash = false;
  const ptrdiff_t elements = fg_problem_elements(p, side), unit = p->format == FG_SPLIT ? 1 : 2;
  ptrdiff_t *at = test_positions(p, side);
  for (ptrdiff_t e = 0; e < elements; e++)
    for (ptrdiff_t r = 0; r < unit; r++) {
      if (at[e] + r + SPAN < 0 || at[e] + r >= SPAN) ck_abort_msg("%td", at[e]);
      bool *const spot = &taken[at[e] + r + SPAN];
      clash |= *spot;
      *spot = true;
    }
  free(at);
  return clash;
}

/* The check may refuse a layout that is fine (dimensions woven into each other), but never let one pass that is not. */
START_TEST(no_layout_that_names_an_element_twice_is_let_pass) {
  dice d = {_i + 1};
  int clean = 0;
  for (int round = 0; round < 3000; round++) {
    fg_problem *p = fg_problem_new(FG_DFT, FG_SINGLE, _i ? FG_SPLIT : FG_INTERLEAVED, (int)dice_between(&d, 1, 2), 1);
    for (int i = 0; i < 3; i++) {
      fg_dim *dim = i < p->transform.rank ? &p->transform.dim[i] : &p->batch.dim[0];
      *dim = (fg_dim){dice_between(&d, 1, 4), dice_between(&d, -20, 20), dice_between(&d, -20, 20)};
    }
    const bool fine = !fg_problem_undefined(p);
    if (fine) ck_assert(!clashes(p, FG_INPUT) && !clashes(p, FG_OUTPUT));
    clean += fine;
    fg_problem_free(p);
  }
  ck_assert_int_gt(clean, 100); /* or the test would say nothing */
}
END_TEST

START_TEST(every_nest_of_dimensions_is_let_pass) {
  dice d = {7};
  for (int round = 0; round < 3000; round++) {
    fg_problem *p = test_random_problem(&d, &(test_limits){FG_SINGLE, 4, 3, 9, 5, 500, false});
    ck_assert_ptr_null(fg_problem_undefined(p));
    fg_problem_free(p);
  }
}
END_TEST

int main(void) {
  TCase *tc = tcase_create("problem");
  tcase_add_test(tc, a_copy_has_all_and_shares_nothing);
  tcase_add_test(tc, rank_zero_problems_can_be_made_and_copied);
  tcase_add_test(tc, a_c2r_problem_is_backward_and_all_others_forward);
  tcase_add_test(tc, arrays_are_in_place_with_both_planes);
  tcase_add_test(tc, a_batch_goes_on_at_its_strides);
  tcase_add_test(tc, spans_go_both_ways);
  tcase_add_loop_test(tc, elements_count_half_of_a_conjugate_even_row, 0, TEST_COUNT(sizes));
  tcase_add_loop_test(tc, layouts_are_told_apart, 0, TEST_COUNT(layouts));
  tcase_add_loop_test(tc, no_layout_that_names_an_element_twice_is_let_pass, 0, 2);
  tcase_add_test(tc, every_nest_of_dimensions_is_let_pass);
  return test_run(tc, "problem");
}
