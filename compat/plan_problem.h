/* plan_problem.h: the end of every planner. */
#ifndef FG_COMPAT_PLAN_PROBLEM_H
#define FG_COMPAT_PLAN_PROBLEM_H

#include "compat/lock.h"
#include "compat/next.h"
#include "compat/precision.h"
#include "compat/translate.h"
#include "src/plan/host.h"

/* The real FFTW as src/ sees it (host.c). */
extern const fg_host FG(host) FG_HIDDEN;

/* Plan p (taken over; NULL gives NULL) on those arrays.  sign matters for interleaved FG_DFT only; as in FFTW any value
 * but FG_FORWARD is backward. */
FG_HIDDEN X(plan) FG(plan_problem)(fg_problem *p, int sign, fg_arrays arrays, unsigned flags);

/* First line of every exported planner.  The real FFTW calls its own planners through the PLT, which leads here; a
 * program that took plan_dft_2d out of it by dlsym, past us (without libfftw3_gpu_lookup.so), then executes what it gets with
 * the real library too, so it must get a real plan: what the real library asks for is passed straight through.  So is what another FFTW asks for, to
 * itself: one of another name, or within another library (FG_STRAIGHT). */
#define FG_PLANNER_ENTRY \
  const fg_compat_call fg_entry __attribute__((cleanup(fg_compat_exit))) =                                             \
      fg_compat_entry(FG(caller)(__builtin_return_address(0)), __func__);                                              \
  (void)fg_entry

/* The two pointers of an array of that kind, for fg_arrays. */
#define FG_COMPLEX(array) (array), fg_imaginary((array), FG_PRECISION)
#define FG_REALS(array) (array), NULL

#endif
