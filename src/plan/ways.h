/* ways.h: the real FFTW's plans behind a handle of ours, by placement: a plan must be executed as it was made, and a
 * program may plan on NULL pointers. */
#ifndef FG_WAYS_H
#define FG_WAYS_H

#include <stdatomic.h>

#include "src/plan/host.h"

/* A plan of the real FFTW holds for arrays whose imaginary parts are as far from the real ones as where it was made,
 * and that are aligned as they were there. */
typedef struct {
  fg_host_plan plan;
  ptrdiff_t in, out;
  bool anywhere; /* it was made for any alignment; else these: */
  unsigned in_alignment, out_alignment;
} fg_way;

enum fg_placement { FG_OUT_OF_PLACE, FG_IN_PLACE, FG_PLACEMENTS };

/* kept: what was made first for arrays that FFTW has vector instructions for, which is for their alignment only, or the program's
 * own; unaligned: for any, without vectors, which takes some three times as long: made where nothing else serves.  So which of two
 * alignments is the slow one depends on which came first. */
typedef struct {
  _Atomic(fg_way *) kept[FG_PLACEMENTS], unaligned[FG_PLACEMENTS];
} fg_ways;

/* Keep a plan that was made for p's own arrays.  false, and it is still the caller's, on lack of memory. */
bool fg_ways_keep(fg_ways *, const fg_problem *p, fg_host_plan made);

/* The plan for p's own arrays, made if there is none (ESTIMATE: never touches the arrays); NULL if the real FFTW has none. */
fg_host_plan fg_ways_plan(fg_ways *, const fg_problem *p);

/* Execute on a's arrays, by a plan made now where none fits, from a copy of the input where the real FFTW has none for
 * them; false if it has none at all. */
bool fg_ways_execute(fg_ways *, const fg_problem *p, const fg_arrays *a);

/* The same on copies that only the device is to have the results of: parts of interleaved numbers that lie apart, which the host's own
 * arrays have as stock FFTW does them, are transformed rightly, and nothing else is written. */
bool fg_ways_execute_copies(fg_ways *, const fg_problem *p, const fg_arrays *a);

/* Whether there is a plan for a's arrays already: then the real FFTW's planner is not waited for, which another thread may have
 * for minutes. */
bool fg_ways_have(const fg_ways *, const fg_arrays *a);

/* The same with a plan that is kept, which takes no lock and no memory; false, and nothing was done, if none suits a's
 * arrays. */
bool fg_ways_execute_kept(const fg_ways *, const fg_problem *p, const fg_arrays *a);

void fg_ways_free(fg_ways *, const fg_problem *p);

#endif
