/* plan_problem.c: the end of every planner. */
#include "config.h"

#include "compat/plan_problem.h"

#include <errno.h>

#include "compat/lock.h"
#include "compat/next.h"
#include "compat/traced.h"
#include "src/plan/doubles.h"
#include "src/plan/plan.h"
#include "src/report/log.h"
#include "src/report/trace.h"
#include "src/run/residence.h"

__attribute__((constructor)) static void loaded(void) { fg_trace_versions(FG_PRECISION, FG(real_version)); }

/* Not in a constructor: those of the program's libraries run before a preloaded library's, and may plan. */
static void at_first_plan(void) {
  if (fg_host_of(FG_PRECISION)) return;
  fg_host_register(FG_PRECISION, &FG(host));
  fg_trace_devices(fg_residence_on_device);
  FG(guard_planner)();
  fg_log(FG_LOG_INFO, "loaded: %s; the real FFTW is %s, %s", PACKAGE_STRING, FG(real_version)(), FG(real_path)());
}

static const char *where_of(const void *plan) { return fg_plan_is_ours(plan) ? fg_plan_where(plan) : "host"; }

static void *create(fg_problem *p) {
  const bool traced = fg_compat_traced();
  fg_problem *const asked = traced ? fg_problem_copy(p) : NULL; /* p is taken over */
  const uint64_t start = traced ? fg_trace_clock() : 0;
  void *plan = fg_plan_create(p);
  if (traced) fg_trace_plan(FG_PRECISION, plan, asked, plan ? where_of(plan) : "", fg_compat_planner(), start);
  fg_problem_free(asked);
  return plan;
}

X(plan) FG(plan_problem)(fg_problem *p, int sign, fg_arrays arrays, unsigned flags) {
  if (!p || !FG(real_found)()) {
    if (fg_compat_traced()) fg_trace_plan(FG_PRECISION, NULL, NULL, "", fg_compat_planner(), fg_trace_clock());
    fg_problem_free(p);
    return NULL;
  }
  if (p->kind == FG_DFT && p->format == FG_INTERLEAVED) p->sign = sign == FG_FORWARD ? FG_FORWARD : FG_BACKWARD;
  p->arrays = arrays;
  p->flags = flags;
  const int saved = errno; /* FFTW's planners leave it alone */
  if (!fg_host_of(FG_PRECISION)) FG(real_threads)(false); /* asks the loader, and better without the lock */
  fg_compat_begin_plan(FG_PRECISION);
  at_first_plan();
  FG(make_planner)();
  p->threads = FG(threads_in_force)();
  fg_doubles_ask(p);
  void *plan = create(p);
  fg_compat_end_plan(FG_PRECISION);
  errno = saved;
  return plan;
}
