/* reference.h: what a complex transform should give, in long double. */
#ifndef FG_TEST_REFERENCE_H
#define FG_TEST_REFERENCE_H

#include "src/problem/problem.h"
#include "src/run/table/roots.h"

/* Transform x, the elements of p's input in the order of test_positions, in place. */
void test_reference(const fg_problem *p, fg_wide *x);

/* ‖got − want‖ / ‖want‖ */
double test_error(const fg_wide *got, const fg_wide *want, ptrdiff_t elements);

#endif
