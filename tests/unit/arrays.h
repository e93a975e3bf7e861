/* arrays.h: memory for a problem's arrays between guard pages, and the check that nothing but the output was
 * written. */
#ifndef FG_TEST_ARRAYS_H
#define FG_TEST_ARRAYS_H

#include "dice.h"
#include "src/problem/problem.h"
#include "src/run/table/roots.h"

/* Where each element lies, in reals from the plane's pointer, in the same order on both sides: the batch outside,
 * then the transform's dimensions as they come.  malloc'd. */
ptrdiff_t *test_positions(const fg_problem *p, enum fg_side side);

/* A piece of memory with a page that nobody may touch before and one behind it. */
typedef struct {
  char *map, *memory;
  size_t map_bytes, bytes;
} test_block;

typedef struct {
  fg_arrays at;         /* for executions; also put into the problem */
  int blocks;           /* in, out; each of two planes if split; only one of the two in place */
  test_block block[4];
  char *before[4];      /* what was in them when they were filled */
} test_arrays;

/* Arrays for p, which are as large as its layout needs and no larger; they end at a guard page, or (at_start) begin
 * at one. */
void test_arrays_make(test_arrays *a, fg_problem *p, bool in_place, bool at_start);
void test_arrays_free(test_arrays *a);

/* Random numbers into the input, a pattern everywhere else. */
void test_arrays_fill(test_arrays *a, const fg_problem *p, dice *d);

/* What test_arrays_fill put there, again. */
void test_arrays_refill(test_arrays *a);

/* The elements of one side, in the order of test_positions.  malloc'd. */
fg_wide *test_arrays_read(const test_arrays *a, const fg_problem *p, enum fg_side side);

/* End the test if anything in the arrays' pages differs from what it was when filled, apart from (unless everything) p's
 * output elements. */
void test_arrays_untouched(const test_arrays *a, const fg_problem *p, bool everything);

#endif
