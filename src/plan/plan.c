/* plan.c: the handle that a program holds. */
#include "src/plan/plan.h"

#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/plan/fallback.h"
#include "src/plan/guest.h"
#include "src/plan/planner.h"
#include "src/plan/resident.h"
#include "src/plan/route.h"
#include "src/plan/verify.h"
#include "src/plan/wisdom.h"
#include "src/problem/notation.h"
#include "src/report/log.h"
#include "src/report/report.h"
#include "src/run/lane.h"
#include "src/run/program.h"
#include "src/run/residence.h"
#include "src/run/slot.h"

enum placement { OUT_OF_PLACE, IN_PLACE, PLACEMENTS };

/* A plan of the real FFTW holds for arrays whose imaginary parts are as far from the real ones as where it was made. */
typedef struct {
  fg_host_plan plan;
  ptrdiff_t in, out;
} host_way;

struct fg_plan {
  uint64_t magic;
  atomic_int references;
  fg_problem *problem;
  fg_program *program; /* NULL: a plan of the real FFTW that is only wrapped so that the report can count */
  /* Of the real FFTW, by placement: a plan must be executed as it was made, and a program may plan on NULL pointers. */
  _Atomic(host_way *) host[PLACEMENTS];
  fg_report_row *row;
  const char *where;
  char reason[108];
  atomic_ulong executions, by_host; /* all; those that the device did not do */
  bool away;               /* its own arrays are not all the host's */
  fg_residents *residents; /* for executions on such arrays */
};

static const fg_host *hosts[2];

void fg_host_register(enum fg_precision precision, const fg_host *host) { hosts[precision] = host; }

const fg_host *fg_host_of(enum fg_precision precision) { return hosts[precision]; }

const fg_problem *fg_plan_problem(const fg_plan *plan) { return plan->problem; }

static enum placement placement_of(const fg_arrays *a) {
  return a->in_re == a->out_re || a->in_re == a->out_im ? IN_PLACE : OUT_OF_PLACE;
}

static ptrdiff_t distance(const void *re, const void *im) { return im ? (const char *)im - (const char *)re : 0; }

/* NULL, and made is still the caller's, on lack of memory. */
static host_way *way_of(const fg_arrays *a, fg_host_plan made) {
  host_way *way = malloc(sizeof *way);
  if (way) *way = (host_way){made, distance(a->in_re, a->in_im), distance(a->out_re, a->out_im)};
  return way;
}

static void way_free(const fg_problem *p, host_way *way) {
  if (way) fg_host_of(p->precision)->destroy(way->plan);
  free(way);
}

static host_way *way_make(const fg_problem *p, const fg_arrays *a) {
  const fg_host *host = fg_host_of(p->precision);
  const unsigned flags = p->flags & (FG_DESTROY_INPUT | FG_PRESERVE_INPUT);
  const fg_host_plan made = host->plan(p, a, flags | FG_ESTIMATE | FG_UNALIGNED);
  host_way *way = made ? way_of(a, made) : NULL;
  if (made && !way) host->destroy(made);
  return way;
}

static bool serves(const host_way *way, const fg_arrays *a) {
  return way->in == distance(a->in_re, a->in_im) && way->out == distance(a->out_re, a->out_im);
}

/* The one that is kept.  Two threads may both make it; the second to arrive throws its own away. */
static host_way *kept_way(fg_plan *plan, const fg_arrays *a) {
  _Atomic(host_way *) *const kept = &plan->host[placement_of(a)];
  host_way *have = atomic_load(kept);
  if (have) return have;
  host_way *made = way_make(plan->problem, a);
  if (made && !atomic_compare_exchange_strong(kept, &have, made)) {
    way_free(plan->problem, made);
    return have;
  }
  return made;
}

fg_host_plan fg_plan_host(fg_plan *plan) {
  const host_way *way = kept_way(plan, &plan->problem->arrays);
  return way ? way->plan : NULL;
}

bool fg_fallback_execute(fg_plan *plan, const fg_arrays *a) {
  const fg_problem *p = plan->problem;
  host_way *const kept = kept_way(plan, a), *const way = kept && !serves(kept, a) ? way_make(p, a) : kept;
  if (!way) return false;
  fg_host_of(p->precision)->execute(way->plan, p, a);
  if (way != kept) way_free(p, way);
  return true;
}

static void tell(const fg_problem *p, const char *where, const char *reason) {
  char problem[256];
  if (fg_settings_get()->log_level < FG_LOG_INFO) return;
  fg_notation_print(p, problem, sizeof problem);
  fg_log(FG_LOG_INFO, "plan %s: %s, %s", problem, where, reason);
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
  plan->where = where;
  snprintf(plan->reason, sizeof plan->reason, "%s", reason);
  plan->residents = fg_residents_new();
  plan->away = fg_resident_wanted(p, &p->arrays);
  if (plan->away) fg_resident_prepare(plan->residents, p, &p->arrays);
  if (fg_report_wanted()) {
    char *passes = program ? fg_program_sprint(program) : NULL;
    plan->row = fg_report_plan(p, where, reason, passes ? passes : "");
    free(passes);
  }
  return plan;
}

static void *host_create(fg_problem *p, const char *reason) {
  const fg_host *host = fg_host_of(p->precision);
  const bool away = fg_resident_wanted(p, &p->arrays);
  const fg_host_plan made = host->plan(p, &p->arrays, away ? fg_resident_flags(p) : p->flags);
  if (made) tell(p, "host", reason);
  /* Where arrays of a device may come, also to an execution on new arrays, its own plan is out of the program's reach.
   * */
  if (!made || !(fg_report_wanted() || fg_residence_expected())) {
    fg_problem_free(p);
    return made;
  }
  const enum placement placement = placement_of(&p->arrays);
  host_way *const way = way_of(&p->arrays, made);
  fg_plan *plan = wrap(p, NULL, "host", reason);
  if (plan && way) {
    atomic_store(&plan->host[placement], way);
    return plan;
  }
  free(way);
  if (plan) fg_plan_destroy(plan);
  return made;
}

/* Whether the device could hold the images and the scratch of an execution. */
static bool fits(const fg_target *target, const fg_problem *p, const fg_passes *passes) {
  const double images = (double)fg_problem_elements(p, FG_INPUT) + (double)fg_problem_elements(p, FG_OUTPUT);
  const double scratch = (double)passes->scratch[0] + (double)passes->scratch[1];
  return (images + scratch) * 2 * (double)fg_real_size(p->precision) < (double)target->info->memory;
}

/* Tables are for all plans: the program's rounding mode must not be in them, nor our inexact results in its flags. */
static fg_program *device_program(const fg_target *target, const fg_problem *p, const char **why) {
  fenv_t of_program;
  feholdexcept(&of_program);
  fesetround(FE_TONEAREST);
  fg_passes *passes = calloc(1, sizeof *passes);
  fg_program *program = NULL;
  *why = "out of memory";
  /* A batch of none has no passes: the program does nothing. */
  const bool planned = passes && (fg_tensor_size(&p->batch) == 0 || fg_planner_plan(p, target->info, passes, why));
  if (planned && !fits(target, p, passes)) *why = "larger than the device's memory";
  else if (planned) program = fg_program_create(target, p, passes, why);
  free(passes);
  return program;
}

void *fg_plan_create(fg_problem *p) {
  fg_route route = fg_resident_wanted(p, &p->arrays) ? fg_resident_route(p) : fg_route_of(p);
  /* Without the real FFTW nobody could answer if the device fails. */
  if (!route.target || !fg_host_of(p->precision)->path()) return host_create(p, route.reason);
  const char *why;
  fg_program *program = device_program(route.target, p, &why);
  if (program) {
    fg_program_pin(program, &p->arrays);
    fg_wisdom_learn(p);
    tell(p, route.target->backend->name, route.reason);
    return wrap(p, program, route.target->backend->name, route.reason);
  }
  fg_log(FG_LOG_WARN, "planned on the host: %s", why);
  return host_create(p, why);
}

fg_plan *fg_plan_copy(fg_plan *plan) {
  atomic_fetch_add(&plan->references, 1);
  return plan;
}

void fg_plan_destroy(fg_plan *plan) {
  if (atomic_fetch_sub(&plan->references, 1) > 1) return;
  for (int i = 0; i < PLACEMENTS; i++) way_free(plan->problem, atomic_load(&plan->host[i]));
  fg_program_destroy(plan->program);
  fg_residents_free(plan->residents);
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

static void tell_replaced(const fg_problem *p, double error, double tolerance) {
  char problem[256];
  fg_notation_print(p, problem, sizeof problem);
  fg_log(FG_LOG_ERROR, "verification: error %.3g, tolerance %.3g, of %s; the real FFTW's result is used", error,
         tolerance, problem);
}

static void run_on_device(fg_plan *plan, const fg_arrays *a) {
  const double tolerance = fg_settings_get()->verify, start = now();
  fg_verify *verify = tolerance > 0 ? fg_verify_begin(plan->problem, a) : NULL;
  const char *failure = from_device(plan, a);
  if (failure) {
    fg_log(FG_LOG_WARN, "executed on the host: %s", failure);
    atomic_fetch_add(&plan->by_host, 1);
    from_host(plan, a);
  }
  const double seconds = now() - start, error = verify ? fg_verify_end(verify, plan, a, tolerance) : -1;
  if (verify && !(error <= tolerance)) { /* or no number */
    tell_replaced(plan->problem, error, tolerance);
    if (!failure) failure = "verification";
  }
  fg_report_execute(plan->row, seconds, failure, error);
}

/* The real FFTW's answer for arrays that are on a device: nothing can be done without a way to them. */
static void from_host_copies(fg_plan *plan, const fg_arrays *a) {
  if (fg_tensor_size(&plan->problem->batch) == 0) return;
  fg_guests *guests = fg_guests_bring(plan->problem, a);
  if (!guests) fg_die("arrays on a device that cannot be read: %s", fg_backend_message());
  const fg_arrays host = fg_guests_arrays(guests);
  from_host(plan, &host);
  if (fg_guests_give_back(guests) != FG_OK)
    fg_die("arrays on a device that cannot be written: %s", fg_backend_message());
  fg_guests_free(guests);
}

/* NULL when the device did it, else why the real FFTW had to. */
static const char *from_resident(fg_plan *plan, const fg_arrays *a) {
  const char *why = NULL;
  switch (fg_resident_execute(plan->residents, plan->problem, a, &why)) {
    case FG_DONE: return NULL;
    case FG_INTACT: break;
    default: fg_die("the GPU failed while the result was written over the input: %s", why);
  }
  fg_log(plan->program ? FG_LOG_WARN : FG_LOG_INFO, "executed on the host: %s", why);
  atomic_fetch_add(&plan->by_host, 1);
  from_host_copies(plan, a);
  return why;
}

/* FFTW3_GPU_VERIFY looks at copies on the host. */
static double verify_resident(fg_plan *plan, fg_guests *guests, fg_verify *verify, double tolerance) {
  const fg_arrays host = fg_guests_arrays(guests);
  if (fg_guests_bring_again(guests) != FG_OK)
    fg_die("arrays on a device that cannot be read: %s", fg_backend_message());
  const double error = fg_verify_end(verify, plan, &host, tolerance);
  if (!(error <= tolerance) && fg_guests_give_back(guests) != FG_OK)
    fg_die("arrays on a device that cannot be written: %s", fg_backend_message());
  return error;
}

/* On arrays of a device, or one of them. */
static void run_resident(fg_plan *plan, const fg_arrays *a) {
  const double tolerance = fg_settings_get()->verify, start = now();
  fg_guests *guests = tolerance > 0 ? fg_guests_bring(plan->problem, a) : NULL;
  const fg_arrays host = guests ? fg_guests_arrays(guests) : *a;
  fg_verify *verify = guests ? fg_verify_begin(plan->problem, &host) : NULL;
  const char *failure = from_resident(plan, a);
  const double seconds = now() - start, error = verify ? verify_resident(plan, guests, verify, tolerance) : -1;
  if (verify && !(error <= tolerance)) {
    tell_replaced(plan->problem, error, tolerance);
    if (!failure) failure = "verification";
  }
  fg_guests_free(guests);
  fg_report_execute(plan->row, seconds, failure, error);
}

static bool is_away(const fg_plan *plan, const fg_arrays *a, bool own) {
  return (own ? plan->away : fg_residence_possible()) && fg_resident_wanted(plan->problem, a);
}

void fg_plan_execute(fg_plan *plan, const fg_arrays *a) {
  const bool own = !a;
  if (own) a = &plan->problem->arrays;
  atomic_fetch_add_explicit(&plan->executions, 1, memory_order_relaxed);
  if (is_away(plan, a, own)) {
    int cancel, saved = errno;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    run_resident(plan, a);
    pthread_setcancelstate(cancel, NULL);
    errno = saved;
    return;
  }
  if (plan->program) {
    /* FFTW leaves errno alone, and no thread is cancelled in it: ours would take locks and device memory with it. */
    int cancel, saved = errno;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    run_on_device(plan, a);
    pthread_setcancelstate(cancel, NULL);
    errno = saved;
    return;
  }
  const double start = plan->row ? now() : 0;
  from_host(plan, a);
  if (plan->row) fg_report_execute(plan->row, now() - start, NULL, -1);
}

int fg_plan_execute_in(fg_plan *plan, const fg_arrays *a, void *stream) {
  const char *why = "";
  bool damaged;
  if (!a) a = &plan->problem->arrays;
  if (!fg_resident_wanted(plan->problem, a)) return fg_backend_fail(FG_EHOST, "the arrays are on the host");
  const int code = fg_resident_execute_in(plan->residents, plan->problem, a, stream, &damaged, &why);
  if (damaged) return fg_backend_fail(code, "the output was damaged: %s", fg_backend_message());
  if (code == FG_OK) atomic_fetch_add(&plan->executions, 1);
  return code;
}

static double link_bytes(const fg_plan *plan, enum fg_side side) {
  const fg_problem *p = plan->problem;
  const void *array = side == FG_INPUT ? p->arrays.in_re : p->arrays.out_re;
  if (!plan->program || (plan->away && fg_residence_on_device(array))) return 0;
  return (double)fg_problem_elements(p, side) * (fg_problem_complex_side(p, side) ? 2 : 1) *
         (double)fg_real_size(p->precision);
}

fg_plan_facts fg_plan_tell(const fg_plan *plan) {
  fg_plan_facts f = {.where = plan->where, .reason = plan->reason, .device = -1};
  f.executions = atomic_load(&plan->executions);
  f.by_host = atomic_load(&plan->by_host);
  const fg_program *program = fg_residents_first(plan->residents);
  if (!program) program = plan->program;
  if (!program) return f;
  const fg_passes *passes = fg_program_passes(program);
  f.device = fg_program_target(program)->ordinal;
  f.passes = passes->count;
  for (int i = 0; i < passes->count; i++) f.device_bytes += fg_pass_bytes(&passes->pass[i]);
  f.bytes_in = link_bytes(plan, FG_INPUT);
  f.bytes_out = link_bytes(plan, FG_OUTPUT);
  return f;
}

void fg_plan_cleanup(void) {
  const char *why;
  const fg_target *target = fg_target_open() ? fg_target_get(&why) : NULL;
  if (target) fg_slot_trim(target);
  if (target) fg_lane_trim();
}

char *fg_plan_sprint(const fg_plan *plan) {
  const enum placement placement = placement_of(&plan->problem->arrays);
  if (!plan->program) return fg_host_of(plan->problem->precision)->sprint(atomic_load(&plan->host[placement])->plan);
  char problem[256], *passes = fg_program_sprint(plan->program), *text = NULL;
  fg_notation_print(plan->problem, problem, sizeof problem);
  const size_t size = strlen(problem) + (passes ? strlen(passes) : 0) + 32;
  text = passes ? malloc(size) : NULL;
  if (text) snprintf(text, size, "(gpu-%s\n  %s)", problem, passes);
  free(passes);
  return text;
}
