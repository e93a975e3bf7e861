/* execute.c: running a handle: on the device or on the host, timed where that decides something. */
#include <string.h>

#include "src/cost/crowd.h"
#include "src/plan/background.h"
#include "src/plan/handle.h"
#include "src/plan/verify.h"
#include "src/plan/wisdom.h"
#include "src/problem/notation.h"
#include "src/report/clock.h"
#include "src/report/log.h"
#include "src/run/calm.h"
#include "src/run/residence.h"

static void from_host(fg_plan *plan, const fg_arrays *a) {
  if (!fg_plan_fall_back(plan, a)) fg_die("the GPU failed and the real FFTW has no plan for this transform");
}

/* What the device has left of a batch. */
static bool finish(const fg_problem *p, const fg_arrays *a, const fg_rest *rest) {
  fg_problem *part = fg_problem_copy(p);
  fg_ways ways = {{NULL}, {NULL}};
  if (!part) return false;
  part->batch.dim[rest->batch].n -= rest->first;
  part->arrays = fg_problem_arrays_from(p, a, rest->batch, rest->first);
  const bool done = fg_ways_execute(&ways, part, &part->arrays);
  fg_ways_free(&ways, part);
  fg_problem_free(part);
  return done;
}

/* NULL when the device did it, else why the real FFTW has to: all of it, or the rest. */
static const char *from_device(fg_program *program, const fg_arrays *a, fg_rest *rest) {
  if (!fg_target_open()) {
    const char *why = "";
    fg_target_get(&why);
    return why;
  }
  if (!fg_program_takes(program, a)) return "planned in place, executed on two arrays";
  switch (fg_program_execute_partly(program, a, rest)) {
    case FG_DONE: return NULL;
    case FG_INTACT:
    case FG_PARTLY: return fg_backend_message();
    default: fg_die("the GPU failed while the result was written over the input: %s", fg_backend_message());
  }
}

void fg_plan_tell_replaced(const fg_problem *p, double error, double tolerance) {
  char problem[256];
  fg_notation_print(p, problem, sizeof problem);
  fg_log(FG_LOG_ERROR, "verification: error %.3g, tolerance %.3g, of %s; the real FFTW's result is used", error,
         tolerance, problem);
}

/* Its first executions on the device, beside what the host took. */
static void learn(fg_plan *plan, double seconds, double stretch) {
  if (!plan->account || fg_account_verdict(plan->account) != FG_UNDECIDED) return;
  const enum fg_verdict settled = fg_account_device(plan->account, fg_account_alone(plan->account, seconds, stretch));
  if (settled == FG_UNDECIDED) return;
  const bool returned = settled == FG_BETTER_ON_HOST;
  char problem[256];
  const double host = fg_account_host_seconds(plan->account), device = fg_account_device_seconds(plan->account);
  fg_notation_print(plan->problem, problem, sizeof problem);
  fg_log(FG_LOG_INFO, "tried %s: %.1f us on the host, %.1f us through the GPU", problem, host * 1e6, device * 1e6);
  if (host > 0) fg_wisdom_keep(plan->problem, plan->memory, &(fg_finding){!returned, host, device});
  if (returned) fg_plan_tell(FG_LOG_INFO, plan->problem, "host", "the GPU was slower");
}

static bool is_of_range(const char *why) { return why == fg_backend_message() && fg_backend_code() == FG_ERANGE; }

/* That the device is lost was told when it was (fg_target_lost). */
static bool is_no_news(const char *why) { return strncmp(why, "device lost: ", 13) == 0; }

void fg_plan_by_host(fg_plan *plan, enum fg_level level, const char *why) {
  const bool again = is_of_range(why) ? atomic_exchange(&plan->out_of_range, true) : is_no_news(why);
  fg_log(again ? FG_LOG_DEBUG : level, "executed on the host: %s", why);
  atomic_fetch_add(&plan->by_host, 1);
}

static void instead_of_device(fg_plan *plan, const fg_arrays *a, const fg_rest *rest, const char *why) {
  fg_plan_by_host(plan, FG_LOG_WARN, why);
  if (rest->first == 0) from_host(plan, a);
  else if (!finish(plan->problem, a, rest)) fg_die("the GPU failed and the real FFTW has no plan for the rest");
}

/* What failed otherwise, or has got some transforms done, says nothing against trying the next one. */
static void note_range(fg_plan *plan, unsigned long number, const char *failure, const fg_rest *rest) {
  if (!failure) fg_pause_in_range(&plan->pause);
  else if (is_of_range(failure) && rest->first == 0)
    fg_pause_out_of_range(&plan->pause, number, atomic_load(&plan->executions));
}

static void run_on_device(fg_plan *plan, fg_program *program, const fg_arrays *a, unsigned long number) {
  const double tolerance = fg_verify_tolerance(plan->problem), start = fg_clock_seconds();
  const int crowd = fg_crowd_enter();
  fg_verify *verify = tolerance > 0 ? fg_verify_begin(plan->problem, a) : NULL;
  fg_rest rest = {0, 0};
  const char *failure = from_device(program, a, &rest);
  const double stretch = fg_crowd_leave(crowd);
  if (plan->pauses) note_range(plan, number, failure, &rest);
  if (failure) instead_of_device(plan, a, &rest, failure);
  const double seconds = fg_clock_seconds() - start, error = verify ? fg_verify_end(verify, plan, a, tolerance) : -1;
  if (verify && !(error <= tolerance)) { /* or no number */
    fg_plan_tell_replaced(plan->problem, error, tolerance);
    if (!failure) failure = "verification";
  }
  fg_report_execute(fg_plan_row(plan, plan->account ? FG_STATE_SWITCHED : FG_STATE_DEVICE), seconds, failure, error);
  if (!failure && !verify) learn(plan, seconds, stretch);
}

static void run_on_host(fg_plan *plan, enum fg_state state, const fg_arrays *a) {
  fg_report_row *const row = fg_plan_row(plan, state);
  if (!row && state != FG_STATE_WAITING && state != FG_STATE_LOOK) {
    from_host(plan, a);
    return;
  }
  const double start = fg_clock_seconds();
  from_host(plan, a);
  const double seconds = fg_clock_seconds() - start;
  fg_report_execute(row, seconds, NULL, -1);
  if (state == FG_STATE_LOOK) fg_account_looked(plan->account, seconds);
  if (state == FG_STATE_WAITING && fg_account_host(plan->account, seconds)) fg_plan_switch(plan);
}

/* Its own arrays stay where they were when it was planned. */
static bool is_away(const fg_plan *plan, const fg_arrays *a) {
  const bool own = a == &plan->problem->arrays;
  return (own ? plan->away : fg_residence_possible()) && fg_resident_wanted(plan->problem, a);
}

/* Each part looks after itself. */
static void run_in_parts(fg_plan *plan, const fg_arrays *a) {
  const double start = fg_clock_seconds();
  const char *failure = fg_parts_execute(plan->parts, a) ? NULL : "parts of the arrays overlap";
  if (failure) instead_of_device(plan, a, &(fg_rest){0, 0}, failure);
  fg_report_execute(fg_plan_row(plan, FG_STATE_DEVICE), fg_clock_seconds() - start, failure, -1);
}

/* Others are on the device, and this execution is better done on the host: unless it would wait there for who is planning. */
static bool is_crowded(const fg_plan *plan, const fg_arrays *arrays) {
  const fg_account *const a = plan->account;
  const fg_host *const host = fg_host_of(plan->problem->precision);
  return fg_crowd_is_full(a ? fg_account_host_seconds(a) : plan->host_seconds,
                          a ? fg_account_device_seconds(a) : plan->device_seconds) &&
         (fg_ways_have(&plan->ways, arrays) || !host->idle || host->idle());
}

/* The host would take as long as it waits here at most, so that waiting is never much worse than not waiting. */
static enum fg_state state_now(fg_plan *plan) {
  const enum fg_state state = fg_plan_state(plan);
  if (state != FG_STATE_WAITING || plan->patience <= 0 || !atomic_load(&plan->queued)) return state;
  const fg_calm calm = fg_calm_begin();
  fg_background_wait_for(plan->patience);
  fg_calm_end(calm);
  return fg_plan_state(plan);
}

/* Instead of the device, but without having asked it. */
static void run_beyond(fg_plan *plan, const fg_arrays *a) {
  fg_plan_by_host(plan, FG_LOG_DEBUG, "single precision did not hold the numbers of the executions before");
  run_on_host(plan, FG_STATE_BEYOND, a);
}

/* What is settled to be the real FFTW's, and nobody looks: as near to its own plan as a handle can be. */
static bool is_plainly_the_hosts(const fg_plan *plan, enum fg_state state, const fg_arrays *a) {
  const bool own = a == &plan->problem->arrays;
  return (state == FG_STATE_HOST || state == FG_STATE_RETURNED) && !plan->away && (own || !fg_residence_possible()) &&
         !fg_report_wanted();
}

void fg_plan_execute(fg_plan *plan, const fg_arrays *a) {
  const enum fg_state state = state_now(plan);
  if (!a) a = &plan->problem->arrays;
  const unsigned long number = 1 + atomic_fetch_add_explicit(&plan->executions, 1, memory_order_relaxed);
  if (is_plainly_the_hosts(plan, state, a) && fg_ways_execute_kept(&plan->ways, plan->problem, a)) return;
  const fg_calm calm = fg_calm_begin();
  if (is_away(plan, a)) fg_plan_execute_resident(plan, a);
  else if (state != FG_STATE_DEVICE && state != FG_STATE_SWITCHED) run_on_host(plan, state, a);
  else if (fg_problem_apart(plan->problem, a)) run_on_host(plan, FG_STATE_APART, a);
  else if (plan->parts) run_in_parts(plan, a);
  else if (fg_pause_holds(&plan->pause, number)) run_beyond(plan, a);
  else if (is_crowded(plan, a)) run_on_host(plan, FG_STATE_BESIDE, a);
  else if (plan->account && fg_account_looks_back(plan->account)) run_on_host(plan, FG_STATE_LOOK, a);
  else run_on_device(plan, atomic_load(&plan->program), a, number);
  fg_calm_end(calm);
}
