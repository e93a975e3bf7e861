/* pass_reach.h: which elements of its arrays a pass reads and writes. */
#ifndef FG_TEST_PASS_REACH_H
#define FG_TEST_PASS_REACH_H

#include "src/pass/pass.h"

/* Points of a line, those beyond the limits of its tables included. */
ptrdiff_t test_pass_points(const fg_pass *p);

typedef struct {
  ptrdiff_t low, high; /* lowest element, highest element */
} test_range;

/* Without counting: from loops, strides and limits. */
test_range test_pass_range(const fg_pass *p, enum fg_side side);

/* Element that point k of a line (or box, its last dimension fastest) is read from or written to; -1 if its position
 * is beyond the limit, so that it is not. */
ptrdiff_t test_pass_element(const fg_pass *p, ptrdiff_t line, ptrdiff_t k, enum fg_side side);

/* Runs passes on marks instead of numbers: ends the test when one reads what nobody wrote, leaves an array, writes an
 * element twice, or reads an element that another line of the same pass writes; or when at the end the output is not
 * complete. */
void test_passes_trace(const fg_passes *list, ptrdiff_t in_elements, ptrdiff_t out_elements);

#endif
