/* copy_plan.c: the life of plans: copies share a plan, and each copy is destroyed once.
 *
 * FFTW has copy_plan from 3.3.11 on.  For an older real library its plans' further references are counted here. */
#include "config.h"

#include <stdlib.h>

#include "compat/fftw2.h"
#include "compat/lock.h"
#include "compat/next.h"
#include "compat/traced.h"
#include "src/plan/plan.h"

typedef struct copies {
  X(plan) plan;
  size_t count; /* references beyond the first, > 0 */
  struct copies *next;
} copies;

static copies *list; /* guarded by the planner lock */

/* The link that points to plan's entry, or to the NULL at the end. */
static copies **find(X(plan) plan) {
  copies **link = &list;
  while (*link && (*link)->plan != plan) link = &(*link)->next;
  return link;
}

static X(plan) count_copy(X(plan) plan) {
  copies **link = find(plan);
  if (!*link) *link = calloc(1, sizeof **link);
  if (!*link) return NULL;
  (*link)->plan = plan;
  (*link)->count++;
  return plan;
}

/* Whether plan had a further reference; if so it has one less now. */
static bool drop_copy(X(plan) plan) {
  copies **link = find(plan), *entry = *link;
  if (!entry) return false;
  if (--entry->count == 0) {
    *link = entry->next;
    free(entry);
  }
  return true;
}

X(plan) X(copy_plan)(X(plan) p) {
  if (!p) return NULL;
  fg_compat_begin_plan(FG_PRECISION);
  fg_compat_enter();
  X(plan) copy;
  if (fg_plan_is_ours(p)) copy = (X(plan))fg_plan_copy((fg_plan *)p);
  else copy = FG(real)()->copy_plan ? FG(real)()->copy_plan(p) : count_copy(p);
  fg_compat_leave();
  fg_compat_end_plan(FG_PRECISION);
  if (copy) FG_TRACED_PLAN(FG_CALL_COPY, copy);
  return copy;
}

void X(destroy_plan)(X(plan) p) {
  if (p && !fg_plan_is_ours(p)) FG_FFTW2_DO(destroy_plan, p);
  FG_TRACED_PLAN(FG_CALL_DESTROY, p);
  if (!p) return;
  fg_compat_begin_plan(FG_PRECISION);
  fg_compat_enter();
  if (fg_plan_is_ours(p)) fg_plan_destroy((fg_plan *)p);
  else if (!drop_copy(p)) FG_REAL_DO(destroy_plan, p);
  fg_compat_leave();
  fg_compat_end_plan(FG_PRECISION);
}
