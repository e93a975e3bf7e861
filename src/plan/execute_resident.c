/* execute_resident.c: running a handle on arrays of a device, or one of them; and what a program may know of
 * a handle. */
#include <stdio.h>

#include "src/plan/guest.h"
#include "src/plan/handle.h"
#include "src/plan/verify.h"
#include "src/report/clock.h"
#include "src/run/calm.h"
#include "src/run/residence.h"

/* The real FFTW's answer for arrays that are on a device: nothing can be done without a way to them. */
static void from_host_copies(fg_plan *plan, const fg_arrays *a) {
  if (fg_tensor_size(&plan->problem->batch) == 0) return;
  fg_guests *guests = fg_guests_bring(plan->problem, a);
  if (!guests) fg_die("arrays on a device that cannot be read: %s", fg_backend_message());
  const fg_arrays host = fg_guests_arrays(guests);
  if (!fg_ways_execute_copies(&plan->ways, plan->problem, &host)) fg_die("the real FFTW has no plan for this transform");
  if (fg_guests_give_back(guests) != FG_OK)
    fg_die("arrays on a device that cannot be written: %s", fg_backend_message());
  fg_guests_free(guests);
}

enum { WHY = 256 };

/* NULL when the device did it, else why the real FFTW had to: a copy, as the backend has other messages on the way. */
static const char *from_resident(fg_plan *plan, const fg_arrays *a, char copy[WHY]) {
  const char *why = NULL;
  switch (fg_resident_execute(plan->residents, plan->problem, a, &why)) {
    case FG_DONE: return NULL;
    case FG_INTACT: break;
    default: fg_die("the GPU failed while the result was written over the input: %s", why);
  }
  fg_plan_by_host(plan, atomic_load(&plan->program) ? FG_LOG_WARN : FG_LOG_INFO, why);
  snprintf(copy, WHY, "%s", why);
  from_host_copies(plan, a);
  return copy;
}

/* FFTW3_GPU_VERIFY looks at copies on the host. */
static double verify_copies(fg_plan *plan, fg_guests *guests, fg_verify *verify, double tolerance) {
  const fg_arrays host = fg_guests_arrays(guests);
  if (fg_guests_bring_again(guests) != FG_OK)
    fg_die("arrays on a device that cannot be read: %s", fg_backend_message());
  const double error = fg_verify_end(verify, plan, &host, tolerance);
  if (!(error <= tolerance) && fg_guests_give_back(guests) != FG_OK)
    fg_die("arrays on a device that cannot be written: %s", fg_backend_message());
  return error;
}

void fg_plan_execute_resident(fg_plan *plan, const fg_arrays *a) {
  const double tolerance = fg_verify_tolerance(plan->problem), start = fg_clock_seconds();
  fg_guests *guests = tolerance > 0 ? fg_guests_bring(plan->problem, a) : NULL;
  const fg_arrays host = guests ? fg_guests_arrays(guests) : *a;
  fg_verify *verify = guests ? fg_verify_begin(plan->problem, &host) : NULL;
  char why[WHY];
  const char *failure = from_resident(plan, a, why);
  const double seconds = fg_clock_seconds() - start;
  const double error = verify ? verify_copies(plan, guests, verify, tolerance) : -1;
  if (verify && !(error <= tolerance)) {
    fg_plan_tell_replaced(plan->problem, error, tolerance);
    if (!failure) failure = "verification";
  }
  fg_guests_free(guests);
  fg_report_execute(fg_plan_row(plan, fg_plan_state(plan)), seconds, failure, error);
}

static int execute_in(fg_plan *plan, const fg_arrays *a, void *stream) {
  const char *why = "";
  bool damaged;
  const double start = fg_clock_seconds();
  if (!a) a = &plan->problem->arrays;
  if (!fg_resident_wanted(plan->problem, a)) return fg_backend_fail(FG_EHOST, "the arrays are on the host");
  const int code = fg_resident_execute_in(plan->residents, plan->problem, a, stream, &damaged, &why);
  if (damaged) return fg_backend_fail(code, "the output was damaged: %s", fg_backend_message());
  if (code != FG_OK) return code;
  atomic_fetch_add(&plan->executions, 1);
  fg_report_execute(fg_plan_row(plan, FG_STATE_STREAM), fg_clock_seconds() - start, NULL, -1); /* handed over, not done */
  return code;
}

int fg_plan_execute_in(fg_plan *plan, const fg_arrays *a, void *stream) {
  const fg_calm calm = fg_calm_begin();
  const int code = execute_in(plan, a, stream);
  fg_calm_end(calm);
  return code;
}

/* ---- what a program may know ---- */

static double link_bytes(const fg_plan *plan, enum fg_side side) {
  const fg_problem *p = plan->problem;
  const void *array = side == FG_INPUT ? p->arrays.in_re : p->arrays.out_re;
  if (plan->away && fg_residence_on_device(array)) return 0;
  return (double)fg_problem_elements(p, side) * (fg_problem_complex_side(p, side) ? 2 : 1) *
         (double)fg_real_size(p->compute);
}

static const char *reason_of(const fg_plan *plan) {
  switch (fg_plan_state(plan)) {
    case FG_STATE_SWITCHED: return "the executions on the host paid for it";
    case FG_STATE_RETURNED: return "the GPU was slower";
    default: return plan->reason;
  }
}

fg_plan_facts fg_plan_facts_of(const fg_plan *plan) {
  fg_plan_facts f = {.where = fg_plan_where(plan), .reason = reason_of(plan), .device = -1};
  const enum fg_state state = fg_plan_state(plan);
  f.executions = atomic_load(&plan->executions);
  f.by_host = atomic_load(&plan->by_host);
  if (state != FG_STATE_DEVICE && state != FG_STATE_SWITCHED) return f;
  const fg_program *program = plan->away ? fg_residents_first(plan->residents) : NULL;
  if (!program) program = atomic_load(&plan->program);
  f.bytes_in = link_bytes(plan, FG_INPUT);
  f.bytes_out = link_bytes(plan, FG_OUTPUT);
  for (int n = 0; plan->parts && n < fg_parts_count(plan->parts); n++) {
    const fg_plan_facts part = fg_plan_facts_of(fg_parts_plan(plan->parts, n));
    f.device = part.device;
    f.passes = part.passes;
    f.device_bytes += part.device_bytes;
  }
  if (!program) return f;
  const fg_passes *passes = fg_program_passes(program);
  f.device = fg_program_target(program)->ordinal;
  f.passes = passes->count;
  for (int i = 0; i < passes->count; i++) f.device_bytes += fg_pass_bytes(&passes->pass[i]);
  return f;
}
