/* range.h: of what size numbers of double arrays may be that are computed in single precision.
 *
 * Too large, and a sum in the transform becomes infinite that would be a number in double precision; too small, and so
 * much falls below FLT_MIN that the result is not right to single precision.  Both are told from the largest magnitude
 * of the input, which is known before anything is written; executions out of range are the real FFTW's.  What is too
 * small is told for all of a batch: beside a transform of larger numbers one whose own are all below least loses digits,
 * and becomes 0 where they are below FLT_MIN. */
#ifndef FG_RANGE_H
#define FG_RANGE_H

#include "src/pass/pass.h"
#include "src/problem/problem.h"

/* The largest magnitude of an input has to be 0 or from least to most. */
typedef struct {
  double least, most;
} fg_range;

/* Of p, done by these passes; any magnitude will do where nothing is narrowed. */
fg_range fg_range_of(const fg_problem *p, const fg_passes *passes);

/* Not below it; not above it. */
bool fg_range_reached(const fg_range *, double largest);
bool fg_range_kept(const fg_range *, double largest);

#endif
