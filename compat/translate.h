/* translate.h: from the arguments of FFTW's planners to a problem.
 *
 * FFTW counts strides in elements of each array, complex or real; a problem counts them in reals.  These functions
 * check what FFTW checks before it plans (n > 0, counts >= 0, finite ranks) and return NULL for what it refuses, or on
 * lack of memory.  Arrays, sign, flags and kinds of the problem are left to the caller. */
#ifndef FG_COMPAT_TRANSLATE_H
#define FG_COMPAT_TRANSLATE_H

#include <fftw3.h>

#include "src/problem/problem.h"

typedef fftw_iodim fg_iodim; /* one type for all precisions */
typedef fftw_iodim64 fg_iodim64;

/* One side of a plan_many call.  nembed may be NULL. */
typedef struct {
  const int *nembed;
  int stride, dist;
} fg_many_side;

/* The many-planners; in place matters where nembed is NULL: then real rows are padded to hold complex ones. */
fg_problem *fg_translate_many(enum fg_kind kind, enum fg_precision precision, int rank, const int *n, int howmany,
                              fg_many_side in, fg_many_side out, bool in_place);

/* The guru64-planners. */
fg_problem *fg_translate_guru(enum fg_kind kind, enum fg_precision precision, enum fg_format format, int rank,
                              const fg_iodim64 *dims, int howmany_rank, const fg_iodim64 *howmany_dims);

/* The way back, for the planners of the real FFTW: rank dimensions, strides in elements; malloc'd, or NULL. */
fg_iodim64 *fg_translate_back(const fg_problem *p, const fg_tensor *t);

/* The dimensions of a guru call as guru64 wants them.  NULL where there is nothing to convert: no dimension, a rank
 * that FFTW refuses, or no memory. */
typedef struct {
  fg_iodim64 *dims, *howmany_dims;
} fg_wide;

fg_wide fg_widen(int rank, const fg_iodim *dims, int howmany_rank, const fg_iodim *howmany_dims);
void fg_wide_free(fg_wide w);

/* Whether a rank stands for finitely many dimensions; FFTW's "rank minus infinity" is INT_MAX: an empty loop. */
bool fg_rank_finite(int rank);

/* The complex number's imaginary part, one real after the real one, also of a NULL array. */
void *fg_imaginary(void *complex_array, enum fg_precision precision);

#endif
