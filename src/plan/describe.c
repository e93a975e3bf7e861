/* describe.c: what a handle says of itself: its state, its text, its rows in the report, its lines in the log. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "src/plan/doubles.h"
#include "src/plan/handle.h"
#include "src/problem/notation.h"
#include "src/report/log.h"

enum fg_state fg_plan_state(const fg_plan *plan) {
  const bool on_device = plan->parts || atomic_load(&plan->program) != NULL;
  if (!plan->account) return on_device ? FG_STATE_DEVICE : FG_STATE_HOST;
  const enum fg_verdict verdict = fg_account_verdict(plan->account);
  if (verdict == FG_BETTER_ON_HOST) return FG_STATE_RETURNED;
  if ((verdict == FG_NOT_FOR_DEVICE || verdict == FG_SHORT_ON_HOST) && !on_device) return FG_STATE_HOST;
  return on_device ? FG_STATE_SWITCHED : FG_STATE_WAITING;
}

void fg_plan_tell(enum fg_level level, const fg_problem *p, const char *where, const char *reason) {
  char problem[256];
  if (fg_settings_get()->log_level < level) return;
  fg_notation_print(p, problem, sizeof problem);
  const char *precision = p->precision == FG_SINGLE ? "" : fg_doubles_name(p, strcmp(where, "host"));
  fg_log(level, "plan %s%s%s: %s, %s", problem, *precision ? ", " : "", precision, where, reason);
}

/* Of the device that was open when the plan was made. */
static const char *backend_name(void) {
  const char *why;
  const fg_target *target = fg_target_get(&why);
  return target ? target->backend->name : "host";
}

void fg_plan_row_begin(fg_plan *plan, enum fg_state state, const fg_program *program, const char *reason) {
  if (!fg_report_wanted()) return;
  char *passes = program ? fg_program_sprint(program) : NULL;
  const bool on_device = program || plan->parts || state == FG_STATE_STREAM;
  const char *where = program ? fg_program_target(program)->backend->name : on_device ? backend_name() : "host";
  const char *precision = fg_doubles_name(plan->problem, on_device);
  atomic_store(&plan->row[state], fg_report_plan(plan->problem, precision, where, reason, passes ? passes : ""));
  free(passes);
}

static const char *why_on_host(const fg_plan *plan, enum fg_state state) {
  if (state == FG_STATE_RETURNED) return "the GPU was slower";
  if (state == FG_STATE_BESIDE) return "beside the GPU, which others were using";
  if (state == FG_STATE_LOOK) return "to be timed once more, beside the GPU";
  if (state == FG_STATE_BEYOND) return "numbers that single precision does not hold, again and again";
  if (state == FG_STATE_APART) return "split arrays, planned for interleaved ones";
  return plan->account && fg_account_verdict(plan->account) == FG_SHORT_ON_HOST ? "too short for the GPU" : "the GPU could not plan it";
}

/* What sends a plan to the device, or keeps it on the host, says so; what brings it back is noticed by its next
 * execution. */
fg_report_row *fg_plan_row(fg_plan *plan, enum fg_state state) {
  fg_report_row *row = atomic_load(&plan->row[state]);
  if (!row && state == FG_STATE_STREAM)
    fg_plan_row_begin(plan, state, fg_residents_first(plan->residents), "given to a stream of the program's");
  else if (!row && state != FG_STATE_DEVICE && state != FG_STATE_WAITING && state != FG_STATE_SWITCHED)
    fg_plan_row_begin(plan, state, NULL, why_on_host(plan, state));
  return row ? row : atomic_load(&plan->row[state]);
}

const char *fg_plan_where(const fg_plan *plan) {
  const enum fg_state state = fg_plan_state(plan);
  if (state != FG_STATE_DEVICE && state != FG_STATE_SWITCHED) return "host";
  return plan->parts ? backend_name() : fg_program_target(atomic_load(&plan->program))->backend->name;
}

/* malloc'd "(head\n  body)" of parts that may be NULL on lack of memory; body is freed. */
static char *enclose(const char *head, char *body) {
  char *text = body ? malloc(strlen(head) + strlen(body) + 8) : NULL;
  if (text) sprintf(text, "(%s\n  %s)", head, body);
  free(body);
  return text;
}

static char *in_parts(const fg_parts *parts) {
  char *text = NULL;
  return asprintf(&text, "in %d parts", fg_parts_count(parts)) < 0 ? NULL : text;
}

char *fg_plan_sprint(const fg_plan *plan) {
  const enum fg_state state = fg_plan_state(plan);
  char problem[256], head[320];
  fg_notation_print(plan->problem, problem, sizeof problem);
  if (state == FG_STATE_DEVICE || state == FG_STATE_SWITCHED) {
    const char *in = plan->problem->precision == FG_SINGLE ? "" : fg_doubles_name(plan->problem, true);
    snprintf(head, sizeof head, "gpu-%s%s%s", problem, *in ? ", " : "", in);
    if (plan->parts) return enclose(head, in_parts(plan->parts));
    return enclose(head, fg_program_sprint(atomic_load(&plan->program)));
  }
  const fg_host_plan host = fg_ways_plan((fg_ways *)&plan->ways, plan->problem);
  char *own = host ? fg_host_of(plan->problem->precision)->sprint(host) : NULL;
  if (state == FG_STATE_HOST) return own;
  const char *name = state == FG_STATE_WAITING ? "waiting-for-gpu" : "returned-from-gpu";
  snprintf(head, sizeof head, "%s-%s after %lu executions", name, problem, fg_account_executions(plan->account));
  return enclose(head, own);
}
