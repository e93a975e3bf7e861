/* plan.c: the handle that a program holds: how it comes and goes. */
#include "src/plan/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/plan/background.h"
#include "src/plan/compiling.h"
#include "src/plan/doubles.h"
#include "src/plan/handle.h"
#include "src/plan/measure.h"
#include "src/plan/measure_geometry.h"
#include "src/plan/parts.h"
#include "src/plan/planner.h"
#include "src/plan/prepare.h"
#include "src/plan/route.h"
#include "src/plan/wisdom.h"
#include "src/report/clock.h"
#include "src/report/trace.h"
#include "src/run/calm.h"
#include "src/run/lane.h"
#include "src/run/memory.h"
#include "src/run/residence.h"
#include "src/run/slot.h"

static const fg_host *hosts[2];

void fg_host_register(enum fg_precision precision, const fg_host *host) { hosts[precision] = host; }

const fg_host *fg_host_of(enum fg_precision precision) { return hosts[precision]; }

const fg_problem *fg_plan_problem(const fg_plan *plan) { return plan->problem; }

fg_host_plan fg_plan_host(fg_plan *plan) { return fg_ways_plan(&plan->ways, plan->problem); }

bool fg_plan_fall_back(fg_plan *plan, const fg_arrays *a) { return fg_ways_execute(&plan->ways, plan->problem, a); }

/* ---- making ---- */

/* A handle for p, which it takes over, around a plan of the real FFTW, a program, or both.  NULL on lack of memory:
 * then all three are still the caller's. */
static fg_plan *wrap(fg_problem *p, fg_host_plan made, fg_program *program, fg_account *account,
                     const char *reason) {
  fg_plan *plan = calloc(1, sizeof *plan);
  if (!plan || (made && !fg_ways_keep(&plan->ways, p, made))) {
    free(plan);
    return NULL;
  }
  plan->magic = FG_PLAN_MAGIC;
  atomic_init(&plan->owners, 1);
  atomic_init(&plan->references, 1);
  plan->problem = p;
  plan->account = account;
  atomic_init(&plan->program, program);
  plan->pauses = fg_settings_get()->mode == FG_MODE_AUTO;
  snprintf(plan->reason, sizeof plan->reason, "%s", reason);
  plan->residents = fg_residents_new();
  plan->away = fg_resident_wanted(p, &p->arrays);
  if (plan->away) fg_resident_prepare(plan->residents, p, &p->arrays);
  return plan;
}

/* Arrays of a device must not be looked at. */
static fg_host_plan host_plan(const fg_problem *p) {
  const unsigned flags = fg_resident_wanted(p, &p->arrays) ? fg_resident_flags(p) : p->flags;
  return fg_host_of(p->precision)->plan(p, &p->arrays, flags);
}

/* A handle that sees executions. */
static fg_plan *seen_on_host(fg_problem *p, fg_host_plan made, const char *why) {
  char reason[256]; /* why may be the backend's message, which the next one takes the place of */
  snprintf(reason, sizeof reason, "%s", why);
  fg_plan *plan = wrap(p, made, NULL, NULL, reason);
  if (plan) fg_plan_row_begin(plan, FG_STATE_HOST, NULL, reason);
  return plan;
}

/* What the program gets of a plan of the real FFTW that stays: this very plan; under a report or a trace, and where
 * arrays of a device may come, also to an execution on new arrays, a handle. */
static void *host_stays(fg_problem *p, fg_host_plan made, const char *reason) {
  fg_plan_tell(FG_LOG_INFO, p, "host", reason);
  const bool seen = fg_report_wanted() || fg_trace_on() || fg_residence_expected();
  fg_plan *plan = seen ? seen_on_host(p, made, reason) : NULL;
  if (!plan) fg_problem_free(p);
  return plan ? (void *)plan : made;
}

static const char *const compiling = "while its kernels are compiled";

static void *host_waits(fg_problem *p, fg_host_plan made, const fg_route *r) {
  fg_account *account = fg_account_of(p, r->memory, r->gpu);
  fg_plan *plan = account ? wrap(p, made, NULL, account, r->reason) : NULL;
  if (!plan) return host_stays(p, made, r->reason);
  plan->memory = r->memory;
  fg_background_watch_exit();
  fg_plan_tell(FG_LOG_INFO, p, "host", r->reason);
  fg_plan_row_begin(plan, FG_STATE_WAITING, NULL, r->reason);
  if (r->reason == compiling) {
    plan->patience = r->host;
    fg_plan_switch(plan);
  }
  return plan;
}

/* For executions that find others on the device: only what was measured is certain enough, and only if it is the plan
 * that was measured.  One that is made when it is needed is as FFTW_ESTIMATE makes them, and may take several times as
 * long as what FFTW_MEASURE found. */
static void remember_times(fg_plan *plan, fg_host_plan made, const fg_route *r) {
  fg_finding found;
  if (!made && !(plan->problem->flags & FG_ESTIMATE)) return;
  if (fg_settings_get()->mode != FG_MODE_AUTO || !fg_wisdom_find(plan->problem, r->memory, &found)) return;
  plan->host_seconds = found.host;
  plan->device_seconds = found.gpu;
}

/* The plan on the device, beside one of the real FFTW's if there is one already. */
static void *device_goes(fg_problem *p, fg_host_plan made, fg_program *program, const fg_route *r) {
  fg_plan *plan = wrap(p, made, program, NULL, r->reason);
  if (!plan) {
    fg_program_destroy(program);
    return NULL;
  }
  remember_times(plan, made, r);
  fg_program_pin(program, &p->arrays);
  fg_wisdom_learn(p);
  fg_plan_tell(FG_LOG_INFO, p, r->target->backend->name, r->reason);
  fg_plan_row_begin(plan, FG_STATE_DEVICE, program, r->reason);
  return plan;
}

/* A batch too large for the memory there is, in parts of it; NULL if that cannot be done. */
static void *in_parts(fg_problem *p, const fg_need *need, const fg_route *r) {
  const double limit = (double)fg_memory_limit(r->target);
  const bool large = need->data + need->fixed > limit;
  const double most = large ? fg_parts_most(need->data, need->fixed, limit) : 0;
  fg_parts *parts = most > 0 ? fg_parts_create(p, need->data, most) : NULL;
  fg_plan *plan = parts ? wrap(p, NULL, NULL, NULL, "in parts") : NULL;
  if (!plan) {
    fg_parts_destroy(parts);
    return NULL;
  }
  plan->parts = parts;
  fg_wisdom_learn(p);
  fg_plan_tell(FG_LOG_INFO, p, r->target->backend->name, "in parts");
  fg_plan_row_begin(plan, FG_STATE_DEVICE, NULL, "in parts");
  return plan;
}

/* fg_prepare's question, where the host may answer for a while: what takes longer than the host, or to compile, is not
 * for now. */
static const char *not_now(const void *context, const fg_problem *p, const fg_forecast *f) {
  const char *against = fg_route_objection(context, p, f);
  const bool waits = p->flags & FG_ESTIMATE && !fg_resident_wanted(p, &p->arrays);
  if (against || f->kept || !waits) return against;
  return fg_compiling_done(f->target, f->passes) ? NULL : compiling;
}

/* NULL, and r->reason why, if it cannot be planned on the device after all, or not yet. */
static void *on_device(fg_problem *p, double began, fg_route *r) {
  const bool free_choice = fg_settings_get()->mode == FG_MODE_AUTO && !(p->flags & FG_WISDOM_ONLY);
  const char *why;
  fg_need need;
  const fg_objection objection = free_choice && r->gpu > 0 ? not_now : NULL;
  fg_program *program = fg_prepare(r->target, p, objection, r, &need, &why);
  if (!program && why == compiling) {
    r->way = FG_ROUTE_WAIT;
    r->reason = why;
    return NULL;
  }
  if (!program) {
    /* Arrays of a device need no images, so that they may fit after all. */
    void *plan = fg_resident_wanted(p, &p->arrays) ? NULL : in_parts(p, &need, r);
    if (plan) return plan;
    fg_log(FG_LOG_WARN, "planned on the host: %s", why);
    r->reason = why;
    return NULL;
  }
  program = fg_measure_geometry(r->target, p, fg_measure_until(p, began), program);
  if (r->gpu > 0) {
    fg_account *account = fg_account_of(p, r->memory, r->gpu);
    if (account) fg_account_planned(account);
  }
  return device_goes(p, NULL, program, r);
}

/* The real FFTW has measured; now the device, if it may. */
static void *by_measurement(fg_problem *p, fg_host_plan made, double began, fg_route *r) {
  fg_program *program = NULL;
  if (!fg_measure(p, made, began, r, &program)) {
    r->reason = "until the GPU pays";
    return host_waits(p, made, r);
  }
  if (program) {
    void *plan = device_goes(p, made, program, r);
    if (plan) return plan;
  }
  return host_stays(p, made, r->reason);
}

static fg_route route_of(const fg_problem *p) {
  return fg_resident_wanted(p, &p->arrays) ? fg_resident_route(p) : fg_route_of(p);
}

static void as_estimated(fg_problem *p) {
  p->flags = (p->flags & ~(unsigned)(FG_WISDOM_ONLY | FG_PATIENT | FG_EXHAUSTIVE)) | FG_ESTIMATE;
}

/* Only wisdom of ours can be all that there is.  Where it is not for this machine's device, the program got a plan where it is
 * from. */
static bool only_we_know(const fg_problem *p) {
  return p->flags & FG_WISDOM_ONLY && fg_wisdom_knows(p) && fg_settings_get()->mode != FG_MODE_OFF;
}
static void *from_our_wisdom(fg_problem *p, double began) {
  fg_route r = {.way = FG_ROUTE_GPU, .reason = fg_route_must_host(p)};
  if (!r.reason) r.target = fg_target_get(&r.reason);
  if (r.target) r.reason = fg_doubles_object(p, r.target->info);
  if (!r.reason) {
    r.reason = "known from wisdom";
    void *const plan = on_device(p, began, &r);
    if (plan) return plan;
  }
  as_estimated(p);
  const fg_host_plan made = host_plan(p);
  return made ? host_stays(p, made, r.reason) : NULL;
}

/* That the real FFTW's wisdom knows it is the condition for a plan at all.  Which one, is decided as if it were to be estimated:
 * nothing is timed then. */
static bool only_they_know(const fg_problem *p) {
  return p->flags & FG_WISDOM_ONLY && !fg_wisdom_knows(p) && fg_settings_get()->mode != FG_MODE_OFF;
}
static void *from_their_wisdom(fg_problem *p, fg_host_plan made, double began) {
  as_estimated(p);
  fg_route r = route_of(p);
  const fg_host *const host = fg_host_of(p->precision);
  void *const plan = r.way == FG_ROUTE_GPU ? on_device(p, began, &r) : NULL;
  if (plan) host->destroy(made);
  if (plan) return plan;
  return r.way == FG_ROUTE_WAIT ? host_waits(p, made, &r) : host_stays(p, made, r.reason);
}

static void *on_host(fg_problem *p, double began, fg_route *r) {
  const fg_host_plan made = host_plan(p);
  if (!made) {
    void *plan = only_we_know(p) ? from_our_wisdom(p, began) : NULL;
    if (!plan) fg_problem_free(p);
    return plan;
  }
  if (only_they_know(p)) return from_their_wisdom(p, made, began);
  if (r->way == FG_ROUTE_WAIT) return host_waits(p, made, r);
  if (r->way == FG_ROUTE_MEASURE) return by_measurement(p, made, began, r);
  return host_stays(p, made, r->reason);
}

static void *create(fg_problem *p, double began) {
  fg_route r = route_of(p);
  if (r.way == FG_ROUTE_GPU) {
    /* Without the real FFTW nobody could answer if the device fails. */
    r.way = FG_ROUTE_HOST;
    void *plan = fg_host_of(p->precision)->path() ? on_device(p, began, &r) : NULL;
    if (plan) return plan;
  }
  return on_host(p, began, &r);
}

void *fg_plan_create(fg_problem *p) {
  const double began = fg_clock_seconds();
  void *made = create(p, began);
  if (!made || !fg_report_wanted() || !fg_plan_is_ours(made)) return made;
  fg_plan *plan = made;
  fg_report_planned(fg_plan_row(plan, fg_plan_state(plan)), fg_clock_seconds() - began);
  return made;
}

/* ---- copies, and the end ---- */

fg_plan *fg_plan_copy(fg_plan *plan) {
  atomic_fetch_add(&plan->owners, 1);
  return plan;
}

void fg_plan_let_go(fg_plan *plan) {
  if (atomic_fetch_sub(&plan->references, 1) > 1) return;
  fg_parts_destroy(plan->parts);
  fg_program_destroy(atomic_load(&plan->program));
  fg_residents_free(plan->residents);
  fg_problem_free(plan->problem);
  plan->magic = 0;
  free(plan);
}

/* The real FFTW's plans go at once, whatever is under way in the background: a program that has destroyed all of its own may
 * clean up, after which no plan of the real FFTW may be touched, not even to destroy it. */
void fg_plan_destroy(fg_plan *plan) {
  if (atomic_fetch_sub(&plan->owners, 1) > 1) return;
  fg_ways_free(&plan->ways, plan->problem);
  fg_plan_let_go(plan);
}

void fg_plan_cleanup(void) {
  const char *why;
  const fg_calm calm = fg_calm_begin();
  const fg_target *target = fg_target_open() ? fg_target_get(&why) : NULL;
  if (target) fg_slot_trim(target);
  if (target) fg_lane_trim();
  fg_planner_forget();
  fg_calm_end(calm);
}
