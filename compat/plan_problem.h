/* plan_problem.h: the end of every planner. */
#ifndef FG_COMPAT_PLAN_PROBLEM_H
#define FG_COMPAT_PLAN_PROBLEM_H

#include "compat/precision.h"
#include "compat/translate.h"

/* Plan p (taken over; NULL gives NULL) on those arrays.  sign matters for interleaved FG_DFT only; as in FFTW any value
 * but FG_FORWARD is backward. */
FG_HIDDEN X(plan) FG(plan_problem)(fg_problem *p, int sign, fg_arrays arrays, unsigned flags);

/* The two pointers of an array of that kind, for fg_arrays. */
#define FG_COMPLEX(array) (array), fg_imaginary((array), FG_PRECISION)
#define FG_REALS(array) (array), NULL

#endif
