/* real_reference.h: what r2c, c2r and the eleven r2r kinds should give, in long double. */
#ifndef FG_TEST_REAL_REFERENCE_H
#define FG_TEST_REAL_REFERENCE_H

#include "src/problem/problem.h"
#include "src/run/table/roots.h"

/* The elements of p's output for x, those of its input, both dense in the order of test_positions.  Takes x over; the
 * result is malloc'd. */
fg_wide *test_real_reference(const fg_problem *p, fg_wide *x);

#endif
