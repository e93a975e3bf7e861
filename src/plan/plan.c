/* plan.c: the handle that a program holds. */
#include "src/plan/plan.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/plan/fallback.h"
#include "src/plan/planner.h"
#include "src/plan/route.h"
#include "src/plan/verify.h"
#include "src/problem/notation.h"
#include "src/report/log.h"
#include "src/report/report.h"
#include "src/run/program.h"

enum placement { OUT_OF_PLACE, IN_PLACE, PLACEMENTS };

struct fg_plan {
  uint64_t magic;
  atomic_int references;
  fg_problem *problem;
  fg_program *program; /* NULL: a plan of the real FFTW that is only wrapped so that the report can count */
  /* Of the real FFTW, by placement: a plan must be executed as it was made, and a program may plan on NULL pointers. */
  _Atomic(fg_host_plan) host[PLACEMENTS];
  fg_report_row *row;
};

static const fg_host *hosts[2];

void fg_host_register(enum fg_precision precision, const fg_host *host) { hosts[precision] = host; }

const fg_host *fg_host_of(enum fg_precision precision) { return hosts[precision]; }

const fg_problem *fg_plan_problem(const fg_plan *plan) { return plan->problem; }

static enum placement placement_of(const fg_arrays *a) {
  return a->in_re == a->out_re || a->in_re == a->out_im ? IN_PLACE : OUT_OF_PLACE;
}

/* Two threads may both make one; the second to arrive throws its own away. */
static fg_host_plan host_plan(fg_plan *plan, const fg_arrays *a) {
  _Atomic(fg_host_plan) *const kept = &plan->host[placement_of(a)];
  fg_host_plan have = atomic_load(kept);
  if (have) return have;
  const fg_host *host = fg_host_of(plan->problem->precision);
  const unsigned flags = plan->problem->flags & (FG_DESTROY_INPUT | FG_PRESERVE_INPUT);
  fg_host_plan made = host->plan(plan->problem, a, flags | FG_ESTIMATE | FG_UNALIGNED);
  if (made && !atomic_compare_exchange_strong(kept, &have, made)) {
    host->destroy(made);
    return have;
  }
  return made;
}

fg_host_plan fg_plan_host(fg_plan *plan) { return host_plan(plan, &plan->problem->arrays); }

bool fg_fallback_execute(fg_plan *plan, const fg_arrays *a) {
  const fg_host_plan host = host_plan(plan, a);
  if (!host) return false;
  fg_host_of(plan->problem->precision)->execute(host, plan->problem, a);
  return true;
}

/* A handle of ours around p, which it takes over also when it fails. */
static fg_plan *wrap(fg_problem *p, fg_program *program, const char *where, const char *reason) {
  fg_plan *plan = calloc(1, sizeof *plan);
  if (!plan) {
    fg_program_destroy(program);
    fg_problem_free(p);
    return NULL;
  }
  plan->magic = FG_PLAN_MAGIC;
  atomic_init(&plan->references, 1);
  plan->problem = p;
  plan->program = program;
  if (fg_report_wanted()) {
    char *passes = program ? fg_program_sprint(program) : NULL;
    plan->row = fg_report_plan(p, where, reason, passes ? passes : "");
    free(passes);
  }
  return plan;
}

static void *host_create(fg_problem *p, const char *reason) {
  const fg_host *host = fg_host_of(p->precision);
  const fg_host_plan made = host->plan(p, &p->arrays, p->flags);
  if (!made || !fg_report_wanted()) {
    fg_problem_free(p);
    return made;
  }
  const enum placement placement = placement_of(&p->arrays);
  fg_plan *plan = wrap(p, NULL, "host", reason);
  if (!plan) return made;
  atomic_store(&plan->host[placement], made);
  return plan;
}

static fg_program *device_program(const fg_target *target, const fg_problem *p, const char **why) {
  fg_passes *passes = calloc(1, sizeof *passes);
  fg_program *program = NULL;
  *why = "out of memory";
  /* A batch of none has no passes: the program does nothing. */
  const bool planned = passes && (fg_tensor_size(&p->batch) == 0 || fg_planner_plan(p, target->info, passes, why));
  if (planned) program = fg_program_create(target, p, passes, why);
  free(passes);
  return program;
}

void *fg_plan_create(fg_problem *p) {
  fg_route route = fg_route_of(p);
  /* Without the real FFTW nobody could answer if the device fails. */
  if (!route.target || !fg_host_of(p->precision)->path()) return host_create(p, route.reason);
  const char *why;
  fg_program *program = device_program(route.target, p, &why);
  if (program) return wrap(p, program, route.target->backend->name, route.reason);
  fg_log(FG_LOG_WARN, "planned on the host: %s", why);
  return host_create(p, why);
}

fg_plan *fg_plan_copy(fg_plan *plan) {
  atomic_fetch_add(&plan->references, 1);
  return plan;
}

void fg_plan_destroy(fg_plan *plan) {
  if (atomic_fetch_sub(&plan->references, 1) > 1) return;
  const fg_host *host = fg_host_of(plan->problem->precision);
  for (int i = 0; i < PLACEMENTS; i++)
    if (atomic_load(&plan->host[i])) host->destroy(atomic_load(&plan->host[i]));
  fg_program_destroy(plan->program);
  fg_problem_free(plan->problem);
  plan->magic = 0;
  free(plan);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void from_host(fg_plan *plan, const fg_arrays *a) {
  if (!fg_fallback_execute(plan, a)) fg_die("the GPU failed and the real FFTW has no plan for this transform");
}

/* NULL when the device did it, else why the real FFTW had to. */
static const char *from_device(fg_plan *plan, const fg_arrays *a) {
  if (!fg_target_alive()) {
    const char *why = "";
    fg_target_get(&why);
    return why;
  }
  switch (fg_program_execute(plan->program, a)) {
    case FG_DONE: return NULL;
    case FG_INTACT: return fg_backend_message();
    default: fg_die("the GPU failed while the result was written over the input: %s", fg_backend_message());
  }
}

static void run_on_device(fg_plan *plan, const fg_arrays *a) {
  const double tolerance = fg_settings_get()->verify, start = now();
  fg_verify *verify = tolerance > 0 ? fg_verify_begin(plan->problem, a) : NULL;
  const char *failure = from_device(plan, a);
  if (failure) {
    fg_log(FG_LOG_WARN, "executed on the host: %s", failure);
    from_host(plan, a);
  }
  const double seconds = now() - start, error = verify ? fg_verify_end(verify, plan, a, tolerance) : -1;
  if (verify && !(error <= tolerance)) /* or no number */
    fg_log(FG_LOG_ERROR, "verification: error %.3g; the real FFTW's result is used", error);
  fg_report_execute(plan->row, seconds, failure, error);
}

void fg_plan_execute(fg_plan *plan, const fg_arrays *a) {
  if (!a) a = &plan->problem->arrays;
  if (plan->program) {
    run_on_device(plan, a);
    return;
  }
  const double start = now();
  from_host(plan, a);
  fg_report_execute(plan->row, now() - start, NULL, -1);
}

char *fg_plan_sprint(const fg_plan *plan) {
  const enum placement placement = placement_of(&plan->problem->arrays);
  if (!plan->program) return fg_host_of(plan->problem->precision)->sprint(atomic_load(&plan->host[placement]));
  char problem[256], *passes = fg_program_sprint(plan->program), *text = NULL;
  fg_notation_print(plan->problem, problem, sizeof problem);
  const size_t size = strlen(problem) + (passes ? strlen(passes) : 0) + 32;
  text = passes ? malloc(size) : NULL;
  if (text) snprintf(text, size, "(gpu-%s\n  %s)", problem, passes);
  free(passes);
  return text;
}
