/* switch.c: a waiting plan goes to the device, behind the program's back. */
#include "src/plan/background.h"
#include "src/plan/doubles.h"
#include "src/plan/handle.h"
#include "src/plan/prepare.h"
#include "src/plan/wisdom.h"
#include "src/report/log.h"
#include "src/run/ending.h"

static const fg_target *open_device(void) {
  const char *why = "";
  if (!fg_target_open())
    fg_log(FG_LOG_INFO, "starting the GPU: it would have saved %.3g s so far", fg_account_saved());
  const fg_target *target = fg_target_get(&why);
  if (target) fg_calibration_device(target->info->name);
  return target;
}

/* The executions that are under way end on the host; those that begin later find the program. */
static void hand_over(fg_plan *plan, const fg_target *target, fg_program *program) {
  char reason[64];
  snprintf(reason, sizeof reason, "after %lu executions on the host", fg_account_executions(plan->account));
  /* A program that has destroyed the plan meanwhile may have freed its arrays too. */
  if (atomic_load(&plan->owners) > 0) fg_program_pin(program, &plan->problem->arrays);
  fg_wisdom_learn(plan->problem);
  fg_plan_tell(FG_LOG_INFO, plan->problem, target->backend->name, reason);
  fg_plan_row_begin(plan, FG_STATE_SWITCHED, program, reason);
  atomic_store(&plan->program, program);
}

/* fg_prepare's question. */
static const char *not_yet = "its kernels are not compiled yet";
static const char *too_soon(const void *plan, const fg_problem *p, const fg_forecast *f) {
  (void)p;
  return f->kept || fg_account_compiles(((const fg_plan *)plan)->account) ? NULL : not_yet;
}

static void give_up(fg_plan *plan, const char *why) {
  if (why == not_yet) {
    atomic_store(&plan->queued, false);
    return;
  }
  fg_log(FG_LOG_WARN, "stays on the host: %s", why);
  fg_account_refused(plan->account);
}

static void switch_over(void *what) {
  fg_plan *const plan = what;
  const fg_target *target = open_device();
  const char *why = "";
  if (!target) return;
  if (fg_ending()) return;
  why = fg_doubles_object(plan->problem, target->info);
  if (why) {
    fg_log(FG_LOG_INFO, "stays on the host: %s", why);
    fg_account_refused(plan->account);
    return;
  }
  fg_need need;
  fg_program *program = fg_prepare(target, plan->problem, too_soon, plan, &need, &why);
  if (fg_ending()) { /* what could not be made had to be left off; the driver may be gone: nothing is freed */
    static fg_program *volatile left; /* volatile: a static that nobody reads is not stored to */
    left = program;
    (void)left;
    return;
  }
  if (!program) {
    give_up(plan, why);
    return;
  }
  fg_account_planned(plan->account);
  hand_over(plan, target, program);
}

static void release(void *plan) {
  if (!fg_ending()) fg_plan_let_go(plan); /* else the driver may be gone, and exit waits for this thread */
}

static void forget(void *what) {
  fg_plan *const plan = what;
  atomic_fetch_sub(&plan->references, 1);
  atomic_store(&plan->queued, false);
}

void fg_plan_switch(fg_plan *plan) {
  static const fg_errand errand = {switch_over, release, forget};
  if (!fg_target_possible() || atomic_exchange(&plan->queued, true)) return;
  atomic_fetch_add(&plan->references, 1);
  if (!fg_background_submit(&errand, plan)) {
    atomic_fetch_sub(&plan->references, 1); /* the program's own is left */
    atomic_store(&plan->queued, fg_ending());
  }
}
