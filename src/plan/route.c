/* route.c: host or GPU?  First what must be the host's, then what the user asked for, then what is known of the
 * problem, at last the cost model. */
#include "src/plan/route.h"

#include <math.h>

#include "src/cost/account.h"
#include "src/plan/doubles.h"
#include "src/plan/measure.h"
#include "src/plan/planner.h"
#include "src/plan/wisdom.h"
#include "src/report/settings.h"

/* Seconds on the host: below trivial nothing is looked up, no file is read, and no GPU code runs, since nothing on a
 * device takes less.  FFTW3_GPU=steady, which cannot learn that it was wrong, leaves it twice as much. */
static const double trivial = 10e-6, steady_small = 20e-6;
/* How often a plan is taken to be executed, by its patience, where nothing else is known: FFTW_ESTIMATE says that
 * planning should be short, FFTW_MEASURE itself takes as long as hundreds of executions. */
static const double executions_estimate = 1, executions_measure = 100;
/* FFTW3_GPU=steady cannot learn from executions: a plan goes to the GPU that is faster by this margin, and starts it
 * if it takes so long on the host; the tables of a long convolution may take as long as so many executions. */
static const double steady_margin = 1.3, steady_start = 0.05, steady_planning = 20;

/* FFTW plans a multi-dimensional c2r that keeps its input only in place or along the last dimension (1 x n, but not
 * n x 1); programs look at the NULL. */
static bool real_fftw_may_refuse(const fg_problem *p) {
  bool several = false;
  for (int d = 0; d < p->transform.rank - 1; d++) several |= p->transform.dim[d].n > 1;
  return p->kind == FG_C2R && several && p->flags & FG_PRESERVE_INPUT && p->arrays.in_re != p->arrays.out_re;
}

/* Products of more points than could ever be in memory overflow.  (A dimension without any makes all of them nothing.) */
static bool is_absurd(const fg_problem *p) {
  double points = 1;
  for (int d = 0; d < p->transform.rank; d++) points *= (double)p->transform.dim[d].n;
  for (int d = 0; d < p->batch.rank; d++) points *= (double)p->batch.dim[d].n;
  return points > 0x1p55;
}

const char *fg_route_must_host(const fg_problem *p) {
  const char *refused = fg_doubles_refuse(p);
  if (refused) return refused;
  if (is_absurd(p)) return "larger than any memory";
  if (!fg_planner_has_room(p)) return FG_TOO_MANY_DIMENSIONS;
  if ((p->flags & FG_WISDOM_ONLY) && !fg_wisdom_knows(p)) return "wisdom only";
  if (real_fftw_may_refuse(p)) return "c2r that keeps its input";
  return fg_problem_undefined(p);
}

static fg_route go(fg_route r, enum fg_way_to_go way, const char *reason) {
  r.way = way;
  r.reason = reason;
  return r;
}

/* ---- what pays ---- */

static bool is_patient(const fg_problem *p) { return !(p->flags & FG_ESTIMATE); }

/* What executions as they are to be expected save, against what has to be paid first. */
static bool pays_at_once(const fg_problem *p, const fg_route *r, bool planned) {
  const double executions = is_patient(p) ? executions_measure : executions_estimate;
  const double start = fg_target_open() ? 0 : fg_model_start_seconds(fg_calibration_get());
  return (r->host - r->gpu) * executions > start + (planned ? 0 : fg_account_planning(p, false));
}

double fg_route_waits_for(const fg_problem *p, const fg_route *r) {
  const double start = fg_target_open() ? 0 : fg_model_start_seconds(fg_calibration_get());
  return ceil((start + fg_account_planning(p, true)) / (r->host - r->gpu));
}

const char *fg_route_objection(const void *context, const fg_problem *p, const fg_forecast *f) {
  const fg_route *const r = context;
  const fg_calibration *c = fg_calibration_get();
  const double gpu = fg_model_gpu_seconds(c, p, r->memory, f->seconds);
  if (r->measured) return NULL;
  return gpu > c->uncertain * r->host ? "its passes take longer than the host" : NULL;
}

/* ---- the decision ---- */

static fg_route steady(const fg_problem *p, fg_route r) {
  if (r.host < steady_small) return go(r, FG_ROUTE_HOST, "too small for the GPU");
  if (r.host < steady_margin * r.gpu) return go(r, FG_ROUTE_HOST, "faster on the host");
  if (fg_model_table_seconds(p) > steady_planning * r.host) return go(r, FG_ROUTE_HOST, "planning would take longer");
  if (!fg_target_open() && r.host < steady_start) return go(r, FG_ROUTE_HOST, "too small to start the GPU for");
  return go(r, FG_ROUTE_GPU, "faster on the GPU");
}

/* Neither side is clearly better, or the better one has a price. */
static fg_route uncertain(const fg_problem *p, fg_route r, bool clear, bool planned) {
  const bool pays = pays_at_once(p, &r, planned);
  if (clear && pays) return go(r, FG_ROUTE_GPU, "faster on the GPU");
  if (is_patient(p) && !clear && (pays || fg_target_open())) return go(r, FG_ROUTE_MEASURE, "measured");
  return go(r, FG_ROUTE_WAIT, "until the GPU pays");
}

static fg_route by_estimate(const fg_problem *p, fg_route r, bool planned) {
  const double may_be = fg_calibration_get()->uncertain, surely = may_be * may_be;
  if (fg_settings_get()->mode == FG_MODE_STEADY) return steady(p, r);
  if (r.host < trivial) return go(r, FG_ROUTE_HOST, "too small for the GPU");
  if (r.gpu > surely * r.host) return go(r, FG_ROUTE_HOST, "faster on the host");
  return uncertain(p, r, r.host > surely * r.gpu, planned);
}

/* What executions, or a measurement of this process or another, have shown. */
static fg_route by_experience(const fg_problem *p, fg_route r, const fg_account *account, const fg_finding *found) {
  const enum fg_verdict verdict = account ? fg_account_verdict(account) : FG_UNDECIDED;
  if (verdict == FG_BETTER_ON_HOST) return go(r, FG_ROUTE_HOST, "the GPU was slower");
  if (verdict == FG_SHORT_ON_HOST) return go(r, FG_ROUTE_HOST, "too short for the GPU");
  if (verdict == FG_NOT_FOR_DEVICE) return go(r, FG_ROUTE_HOST, "the GPU could not plan it");
  if (found && !found->device) return go(r, FG_ROUTE_HOST, "measured: faster on the host");
  if (found) {
    r.host = found->host;
    r.gpu = found->gpu;
  }
  const bool planned = account && fg_account_is_planned(account);
  r.measured = found || verdict == FG_BETTER_ON_DEVICE;
  return r.measured ? uncertain(p, r, true, planned) : by_estimate(p, r, planned);
}

static fg_route automatic(const fg_problem *p) {
  fg_route r = {.memory = FG_MEMORY_FOREIGN};
  if (fg_model_host_most(&fg_calibration_defaults, p) < trivial)
    return go(r, FG_ROUTE_HOST, "too small for the GPU");
  const char *reason = fg_route_must_host(p);
  if (reason) return go(r, FG_ROUTE_HOST, reason);
  const fg_calibration *c = fg_calibration_get();
  r.memory = fg_model_memory(p);
  const bool by_model = fg_settings_get()->mode == FG_MODE_STEADY;
  r.host = by_model ? fg_model_host_seconds(c, p) : fg_model_host_most(c, p); /* that is seen when it is executed */
  r.gpu = fg_model_gpu_seconds(c, p, r.memory, -1);
  if (by_model) {
    /* What wisdom knows was found worth it before. */
    return p->flags & FG_WISDOM_ONLY ? go(r, FG_ROUTE_GPU, "known from wisdom") : by_estimate(p, r, false);
  }
  fg_finding found;
  const bool known = fg_wisdom_find(p, r.memory, &found);
  r = by_experience(p, r, fg_account_find(p, r.memory), known ? &found : NULL);
  return r.way == FG_ROUTE_MEASURE && p->flags & FG_WISDOM_ONLY ? go(r, FG_ROUTE_GPU, "known from wisdom") : r;
}

fg_route fg_route_look(const fg_problem *p) {
  const enum fg_mode mode = fg_settings_get()->mode;
  const fg_route r = {.way = FG_ROUTE_HOST};
  if (mode == FG_MODE_OFF) return go(r, FG_ROUTE_HOST, "switched off");
  if (mode != FG_MODE_FORCE) return automatic(p);
  const char *reason = fg_route_must_host(p);
  return reason ? go(r, FG_ROUTE_HOST, reason) : go(r, FG_ROUTE_GPU, "forced");
}

/* Why no device of this process is for p, as far as that is known without opening one. */
static const char *no_device(const fg_problem *p) {
  const char *why = fg_target_missing();
  const fg_target *open = !why && fg_target_open() ? fg_target_get(&why) : NULL;
  return open ? fg_doubles_object(p, open->info) : why;
}

fg_route fg_route_of(const fg_problem *p) {
  fg_route r = fg_route_look(p);
  if (r.way == FG_ROUTE_MEASURE && !fg_measure_affordable(p, &r, 0)) r = go(r, FG_ROUTE_WAIT, "until the GPU pays");
  const char *const none = r.way == FG_ROUTE_WAIT ? no_device(p) : NULL;
  if (none) return go(r, FG_ROUTE_HOST, none);
  if (r.way != FG_ROUTE_GPU && r.way != FG_ROUTE_MEASURE) return r;
  const char *why = "";
  r.target = fg_target_get_soon(&why);
  if (!r.target) return go(r, FG_ROUTE_HOST, why);
  why = fg_doubles_object(p, r.target->info);
  if (why) return go((fg_route){.memory = r.memory}, FG_ROUTE_HOST, why);
  fg_calibration_device(r.target->info->name);
  return r;
}
