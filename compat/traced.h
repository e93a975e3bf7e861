/* traced.h: how entry points tell FFTW3_GPU_TRACE of calls.  What the real FFTW calls itself is not told.
 *
 * Planners are told of in plan_problem.c, executes in execute.c; all others say what they did in a line of
 * their own. */
#ifndef FG_COMPAT_TRACED_H
#define FG_COMPAT_TRACED_H

#include "compat/lock.h"
#include "compat/precision.h"
#include "src/report/trace.h"

/* Whether this call is to be told of. */
static inline bool fg_compat_traced(void) { return fg_trace_on() && !fg_compat_inside(); }

/* Fields of an fg_trace_line: FG_TRACED(FG_CALL_PLAN_WITH_NTHREADS, .value = nthreads); */
#define FG_TRACED(which, ...)                                                                                          \
  do {                                                                                                                 \
    if (fg_compat_traced())                                                                                            \
      fg_trace_note(&(fg_trace_line){.call = (which), .precision = FG_PRECISION, __VA_ARGS__});                        \
  } while (0)

/* A call that only takes a plan. */
#define FG_TRACED_PLAN(which, plan)                                                                                    \
  do {                                                                                                                 \
    if (fg_compat_traced()) fg_trace_of_plan(FG_PRECISION, (which), (plan));                                           \
  } while (0)

#endif
