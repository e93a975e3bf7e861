/* misc.c: the planner's state as a whole, and alignment. */
#include "config.h"

#include <stdint.h>

#include "compat/lock.h"
#include "compat/next.h"
#include "compat/traced.h"
#include "src/plan/measure.h"
#include "src/plan/plan.h"
#include "src/plan/wisdom.h"

/* Plans of ours stay alive, as FFTW's do in practice; the memory that they leave idle on the device does not. */
void FG(cleaned_up)(void) {
  fg_measure_limit(FG_PRECISION, -1); /* the real planner's went with it, */
  fg_wisdom_forget(FG_PRECISION);     /* and its wisdom */
  if (!fg_compat_off()) fg_plan_cleanup();
}

void X(cleanup)(void) {
  fg_compat_enter();
  FG_REAL_DO(cleanup);
  FG(threads_forgotten)();
  fg_compat_leave();
  FG(cleaned_up)();
  FG_TRACED(FG_CALL_CLEANUP);
}

/* For the trace. */
static long long microseconds(double t) { return t < 0 ? -1 : t < 1e9 ? (long long)(t * 1e6) : (long long)1e15; }

void X(set_timelimit)(double t) {
  fg_compat_enter();
  FG_REAL_DO(set_timelimit, t);
  fg_compat_leave();
  FG_TRACED(FG_CALL_SET_TIMELIMIT, .value = microseconds(t));
  fg_measure_limit(FG_PRECISION, t);
}

int X(alignment_of)(R *p) {
  const int alignment = FG_REAL(alignment_of, (int)((uintptr_t)p % 16), p);
  if (fg_compat_traced()) fg_trace_alignment_of(FG_PRECISION, p, alignment);
  return alignment;
}
