/* hooks.c: what the real FFTW's planner calls before and behind each plan that it makes or destroys. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* link.h */
#endif
#include "config.h"

#include <dlfcn.h>
#include <string.h>

#include "compat/lock.h"
#include "compat/next.h"
#include "compat/object.h"
#include "compat/traced.h"

/* Executions of ours may plan by the real FFTW, and a program that executes in one thread while another plans knows nothing of
 * that: where it plans by functions that we do not see (FFTW-MPI calls the library's own; or dlsym was asked) the planner itself
 * has to take a lock.  Ours: that of FFTW's threads library is taken for ever in the child of a fork beside a plan, and waits for
 * itself where the program, called back amid a plan, destroys another. */
static void before_plan(void) { fg_compat_begin_plan(FG_PRECISION); }
static void after_plan(void) { fg_compat_end_plan(FG_PRECISION); }

void FG(guard_planner)(void) {
  if (!fg_compat_off()) FG_REAL_DO(set_planner_hooks, before_plan, after_plan);
}

void X(make_planner_thread_safe)(void) {
  const FG(next_table) *real = FG(real_threads)(true);
  fg_compat_enter();
  if (!fg_compat_off() && real->set_planner_hooks) {
    fg_compat_safe(FG_PRECISION, true);
    FG(guard_planner)();
  } else if (real->make_planner_thread_safe) {
    real->make_planner_thread_safe();
  }
  fg_compat_leave();
  FG_TRACED(FG_CALL_MAKE_PLANNER_THREAD_SAFE);
}

/* The function of the FFTW that the object at caller is linked to, of which there may be several; NULL: not known. */
static __typeof__(&X(set_planner_hooks)) of_callers_fftw(const void *caller, fg_object *at) {
  if (!fg_object_at(caller, at) || !*at->map->l_name) return NULL;
  void *const handle = dlopen(at->map->l_name, RTLD_LAZY | RTLD_NOLOAD);
  if (!handle) return NULL;
  __typeof__(&X(set_planner_hooks)) its = NULL;
  *(void **)&its = dlsym(handle, FG_TEXT(X(set_planner_hooks)));
  dlclose(handle);
  dlerror();
  return its == X(set_planner_hooks) ? NULL : its;
}

static bool is_fftws(const fg_object *o) {
  const char *const slash = strrchr(o->map->l_name, '/');
  return !strncmp(slash ? slash + 1 : o->map->l_name, "libfftw3", strlen("libfftw3"));
}

/* Called by FFTW's threads library, when it is asked for a lock past us, and (with NULL) when it is cleaned up. */
void X(set_planner_hooks)(void (*before)(void), void (*after)(void)) {
  const __typeof__(&X(set_planner_hooks)) reals = FG(real)()->set_planner_hooks;
  fg_object by = {NULL, NULL};
  __typeof__(&X(set_planner_hooks)) its = of_callers_fftw(__builtin_return_address(0), &by);
  if (!its) its = reals;
  if (its == reals && by.map && is_fftws(&by) && !fg_compat_off()) {
    fg_compat_safe(FG_PRECISION, before != NULL);
    FG(guard_planner)();
  } else if (its) {
    its(before, after);
  }
}
