/* test_layout.c: images hold each element that a problem owns once, in the order of memory, and nothing else, but for the
 * padding of executions in place. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "random_problem.h"
#include "src/problem/layout.h"
#include "suite.h"

enum { ROUNDS = 800 };

/* Image position of each element, in the order of test_positions, by the strides that a layout says. */
static ptrdiff_t *image_positions(const fg_problem *p, const fg_layout *l) {
  fg_problem *as_image = fg_problem_copy(p);
  for (int d = 0; d < p->transform.rank; d++) as_image->transform.dim[d].is = l->stride[d];
  for (int d = 0; d < p->batch.rank; d++) as_image->batch.dim[d].is = l->stride[p->transform.rank + d];
  ptrdiff_t *at = test_positions(as_image, FG_INPUT);
  for (ptrdiff_t e = 0; e < fg_problem_elements(p, FG_INPUT); e++) at[e] += l->offset;
  fg_problem_free(as_image);
  return at;
}

typedef struct {
  fg_problem *problem;
  test_arrays arrays;
  fg_layout layout;
  enum fg_side side;
  int planes;
  size_t element;
} fixture;

static void open_fixture(fixture *f, dice *d) {
  const enum fg_precision precision = dice_one_in(d, 3) ? FG_DOUBLE : FG_SINGLE;
  memset(f, 0, sizeof *f);
  f->problem = test_random_problem(d, &(test_limits){precision, 4, 4, 12, 6, 600, false});
  f->side = dice_one_in(d, 2) ? FG_INPUT : FG_OUTPUT;
  test_arrays_make(&f->arrays, f->problem, false, dice_one_in(d, 2));
  test_arrays_fill(&f->arrays, f->problem, d);
  ck_assert(fg_layout_make(&f->layout, f->problem, f->side));
  f->planes = f->problem->format == FG_SPLIT ? 2 : 1;
  f->element = fg_layout_element_size(&f->layout);
  ck_assert_uint_eq(f->element * (size_t)f->planes, 2 * fg_real_size(precision));
  ck_assert_int_eq(f->layout.elements, fg_problem_elements(f->problem, f->side));
}

static void close_fixture(fixture *f) {
  fg_layout_free(&f->layout);
  test_arrays_free(&f->arrays);
  fg_problem_free(f->problem);
}

static char *plane(const fixture *f, int number) {
  const fg_arrays *a = &f->arrays.at;
  if (f->side == FG_INPUT) return number ? a->in_im : a->in_re;
  return number ? a->out_im : a->out_re;
}

/* A piece of memory of exactly so many bytes. */
static char *exactly(size_t bytes) {
  char *memory = malloc(bytes);
  ck_assert_ptr_nonnull(memory);
  return memory;
}

START_TEST(image_strides_name_each_element_once) {
  dice d = {11};
  for (int round = 0; round < ROUNDS; round++) {
    fixture f;
    open_fixture(&f, &d);
    ptrdiff_t *at = image_positions(f.problem, &f.layout);
    bool *taken = calloc((size_t)f.layout.elements, 1);
    for (ptrdiff_t e = 0; e < f.layout.elements; e++) {
      if (at[e] < 0 || at[e] >= f.layout.elements || taken[at[e]]) ck_abort_msg("image element %td", at[e]);
      taken[at[e]] = true;
    }
    free(taken);
    free(at);
    close_fixture(&f);
  }
}
END_TEST

START_TEST(gathering_brings_each_element_where_its_strides_say) {
  dice d = {12};
  for (int round = 0; round < ROUNDS; round++) {
    fixture f;
    open_fixture(&f, &d);
    const ptrdiff_t real = (ptrdiff_t)fg_real_size(f.problem->precision);
    ptrdiff_t *to = image_positions(f.problem, &f.layout), *from = test_positions(f.problem, f.side);
    char *image = exactly((size_t)f.layout.elements * f.element);
    for (int i = 0; i < f.planes; i++) {
      fg_layout_gather(&f.layout, plane(&f, i), 0, f.layout.elements, image);
      for (ptrdiff_t e = 0; e < f.layout.elements; e++)
        if (memcmp(image + (size_t)to[e] * f.element, plane(&f, i) + from[e] * real, f.element))
          ck_abort_msg("element %td", e);
    }
    test_arrays_untouched(&f.arrays, f.problem, true);
    free(image);
    free(to);
    free(from);
    close_fixture(&f);
  }
}
END_TEST

/* An image is in the order of memory: the next element is never at a lower address than the one before. */
START_TEST(images_are_in_the_order_of_memory) {
  dice d = {13};
  for (int round = 0; round < ROUNDS; round++) {
    fixture f;
    open_fixture(&f, &d);
    ptrdiff_t *to = image_positions(f.problem, &f.layout), *from = test_positions(f.problem, f.side);
    ptrdiff_t *address = calloc((size_t)f.layout.elements, sizeof *address);
    for (ptrdiff_t e = 0; e < f.layout.elements; e++) address[to[e]] = from[e];
    for (ptrdiff_t e = 1; e < f.layout.elements; e++)
      if (address[e - 1] >= address[e]) ck_abort_msg("image element %td", e);
    ck_assert_int_eq(address[0], f.layout.low);
    free(address);
    free(to);
    free(from);
    close_fixture(&f);
  }
}
END_TEST

/* Gather in pieces, wreck the elements, scatter in other pieces: all is as before, gaps included. */
START_TEST(scattering_undoes_gathering_in_any_pieces) {
  dice d = {14};
  for (int round = 0; round < ROUNDS; round++) {
    fixture f;
    open_fixture(&f, &d);
    const ptrdiff_t elements = f.layout.elements;
    char *image = exactly((size_t)elements * f.element), *wreck = exactly((size_t)elements * f.element);
    memset(wreck, 0x5a, (size_t)elements * f.element);
    for (int i = 0; i < f.planes; i++) {
      for (ptrdiff_t at = 0, count; at < elements; at += count) {
        count = dice_between(&d, 1, elements - at);
        char *piece = exactly((size_t)count * f.element);
        fg_layout_gather(&f.layout, plane(&f, i), at, count, piece);
        memcpy(image + (size_t)at * f.element, piece, (size_t)count * f.element);
        free(piece);
      }
      fg_layout_scatter(&f.layout, plane(&f, i), 0, elements, wreck);
      for (ptrdiff_t at = 0, count; at < elements; at += count) {
        count = dice_between(&d, 1, elements - at);
        fg_layout_scatter(&f.layout, plane(&f, i), at, count, image + (size_t)at * f.element);
      }
    }
    test_arrays_untouched(&f.arrays, f.problem, true);
    free(image);
    free(wreck);
    close_fixture(&f);
  }
}
END_TEST

/* Scattering a part writes that part of the elements and no byte more. */
START_TEST(scattering_a_part_writes_only_that_part) {
  dice d = {15};
  for (int round = 0; round < ROUNDS; round++) {
    fixture f;
    open_fixture(&f, &d);
    const ptrdiff_t elements = f.layout.elements, first = dice_between(&d, 0, elements - 1);
    const ptrdiff_t count = dice_between(&d, 0, elements - first);
    const ptrdiff_t real = (ptrdiff_t)fg_real_size(f.problem->precision);
    ptrdiff_t *to = image_positions(f.problem, &f.layout), *from = test_positions(f.problem, f.side);
    char *part = exactly((size_t)count * f.element + 1);
    memset(part, 0x5a, (size_t)count * f.element);
    fg_layout_gather(&f.layout, plane(&f, 0), first, count, part);
    for (size_t b = 0; b < (size_t)count * f.element; b++) part[b] ^= 0x55;
    fg_layout_scatter(&f.layout, plane(&f, 0), first, count, part);
    for (ptrdiff_t e = 0; e < elements; e++) {
      if (to[e] < first || to[e] >= first + count) continue;
      for (size_t b = 0; b < f.element; b++) plane(&f, 0)[from[e] * real + (ptrdiff_t)b] ^= 0x55;
    }
    test_arrays_untouched(&f.arrays, f.problem, true);
    free(part);
    free(to);
    free(from);
    close_fixture(&f);
  }
}
END_TEST

START_TEST(contiguous_dimensions_become_one_walk) {
  static const struct {
    const char *text;
    int in, out;
  } walks[] = {{"oc8x9x10*11", 1, 1}, {"oc8v3", 1, 1}, {"oc8:2", 1, 1}, {"oc8:9:1x9:1:8", 1, 1}, {"oc8:20x9:2", 2, 2},
               {"/oc8x9*2:72:80", 1, 2}};
  for (int i = 0; i < TEST_COUNT(walks); i++) {
    fg_problem *p = test_problem(walks[i].text, FG_SINGLE);
    fg_layout in, out;
    ck_assert(fg_layout_make(&in, p, FG_INPUT) && fg_layout_make(&out, p, FG_OUTPUT));
    ck_assert_msg(in.rank == walks[i].in && out.rank == walks[i].out,
                  "%s: %d and %d", walks[i].text, in.rank, out.rank);
    fg_layout_free(&in);
    fg_layout_free(&out);
    fg_problem_free(p);
  }
}
END_TEST

/* Of real rows in place, on the way in, where it is the output's; but not of what is converted. */
START_TEST(padding_comes_along) {
  static const struct {
    const char *text;
    enum fg_side side;
    enum fg_precision precision;
    int rank;
    ptrdiff_t elements;
  } some[] = {{"irf8*3", FG_INPUT, FG_SINGLE, 1, 30},      {"irf9*3", FG_INPUT, FG_SINGLE, 1, 30},
              {"irf8*3", FG_INPUT, FG_DOUBLE, 2, 24},      {"irf8", FG_INPUT, FG_SINGLE, 1, 8},
              {"orf8*3", FG_INPUT, FG_SINGLE, 1, 24},      {"irb8*3", FG_OUTPUT, FG_SINGLE, 2, 24},
              {"irf4x6*2", FG_INPUT, FG_SINGLE, 1, 64},    {"irf4x1*2", FG_INPUT, FG_SINGLE, 1, 8},
              {"irf8*3:12:6", FG_INPUT, FG_SINGLE, 2, 30}, {"irf8*3:10:6", FG_INPUT, FG_SINGLE, 2, 24},
              {"irf8*3:9:9", FG_INPUT, FG_SINGLE, 2, 24},  {"/irf8*3", FG_INPUT, FG_SINGLE, 2, 24},
              {"irf8:2:1*3", FG_INPUT, FG_SINGLE, 2, 24},  {"irf8:2:2*3:20:10", FG_INPUT, FG_SINGLE, 2, 24},
              {"orf8*3:10:5", FG_INPUT, FG_SINGLE, 2, 24}, {"/irf8:1:2*3:12:12", FG_INPUT, FG_SINGLE, 2, 24},
              {"irf8*3:8:4", FG_INPUT, FG_SINGLE, 1, 24}};
  for (int i = 0; i < TEST_COUNT(some); i++) {
    fg_problem *p = test_problem(some[i].text, some[i].precision);
    fg_layout l;
    p->compute = FG_SINGLE;
    ck_assert(fg_layout_make_reaching(&l, p, some[i].side, FG_REACH_HOST));
    ck_assert_msg(l.rank == some[i].rank && l.elements == some[i].elements, "%s: %d, %td", some[i].text, l.rank, l.elements);
    fg_layout_free(&l);
    fg_problem_free(p);
  }
}
END_TEST

int main(void) {
  TCase *tc = tcase_create("layout");
  tcase_set_timeout(tc, 60);
  tcase_add_test(tc, image_strides_name_each_element_once);
  tcase_add_test(tc, gathering_brings_each_element_where_its_strides_say);
  tcase_add_test(tc, images_are_in_the_order_of_memory);
  tcase_add_test(tc, scattering_undoes_gathering_in_any_pieces);
  tcase_add_test(tc, scattering_a_part_writes_only_that_part);
  tcase_add_test(tc, contiguous_dimensions_become_one_walk);
  tcase_add_test(tc, padding_comes_along);
  return test_run(tc, "layout");
}
