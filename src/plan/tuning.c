/* tuning.c: which geometries are measured, and which is kept. */
#include "src/plan/tuning.h"

#include <math.h>
#include <stdlib.h>

#include "src/pass/solver.h"
#include "src/pass/tuned.h"
#include "src/report/clock.h"
#include "src/plan/planner.h"
#include "src/plan/tuning_bed.h"
#include "src/report/log.h"
#include "src/run/memory.h"

/* What is faster by less may be chance: of the planner's time by turns, and of a time taken once. */
static const double worth = 0.995, worth_once = 0.98;
enum { FINALISTS = 3, ROUNDS = 4 };       /* who has patience for many geometries has it for that, too, */
enum { FEW_FINALISTS = 1, FEW_ROUNDS = 2 }; /* others have not */
enum { MANY = 8 };

typedef struct {
  fg_pass pass;
  double seconds;
} finalist;

typedef struct {
  const fg_target *target;
  const fg_problem *problem;
  const fg_tuning_limits *limits;
  void *context;
  fg_passes *planned, *tried, *fastest; /* tried: planned, with another geometry of one pass */
  fg_tuning_pass pass[FG_MAX_PASSES];
  finalist best[FINALISTS]; /* of the pass that is being tuned, the fastest first */
  int finalists;
  fg_tuning_bed bed;
} tuning;

/* A pass with another geometry; NULL: it does not compile, or is no pass of this device. */
static fg_program *program_with(tuning *t, int pass, const fg_pass *p) {
  const char *why;
  fg_passes_copy(t->tried, t->planned);
  t->tried->pass[pass] = *p;
  return fg_program_create_host(t->target, t->problem, t->tried, &why);
}

/* Seconds of the pass so; negative: it does not run; NAN: it is wrong. */
static double seconds_with(tuning *t, int pass, const fg_pass *p, bool check) {
  fg_program *program = program_with(t, pass, p);
  double seconds = -1;
  if (program) seconds = check && !fg_tuning_right(&t->bed, program, pass) ? NAN : fg_tuning_seconds(&t->bed, program, pass);
  fg_program_destroy(program);
  return seconds;
}

static bool in_time(const tuning *t) { return fg_clock_seconds() < t->limits->until; }

/* Compiled side by side; what fails is found out again one by one. */
static void compile_all(const tuning *t, const fg_pass *p, const fg_choice *list, int count) {
  fg_passes *all = calloc(1, sizeof *all);
  if (!all) return;
  for (int i = 0; i < count; i++) {
    all->pass[all->count] = *p;
    all->count += fg_choice_apply(&list[i], &all->pass[all->count], t->target->info);
  }
  fg_program_load(t->target, all);
  free(all);
}

static bool has_patience(const tuning *t) { return t->limits->most > MANY; }

/* Lists repeat themselves: variants of one geometry are others' too, and may be the planner's own. */
static bool among_finalists(const tuning *t, const fg_pass *planned, const fg_choice *c) {
  const fg_choice own = fg_choice_of(planned);
  bool there = fg_choice_equal(&own, c);
  for (int i = 0; i < t->finalists; i++) {
    const fg_choice other = fg_choice_of(&t->best[i].pass);
    there = there || fg_choice_equal(&other, c);
  }
  return there;
}

/* Among the fastest so far, if it is. */
static void note(tuning *t, const fg_pass *planned, const fg_pass *p, double seconds) {
  const fg_choice c = fg_choice_of(p);
  if (among_finalists(t, planned, &c)) return;
  int at = t->finalists < FINALISTS ? t->finalists++ : FINALISTS;
  for (; at > 0 && seconds < t->best[at - 1].seconds; at--)
    if (at < FINALISTS) t->best[at] = t->best[at - 1];
  if (at < FINALISTS) t->best[at] = (finalist){*p, seconds};
}

/* As many as are compiled together. */
static bool try_some(tuning *t, int pass, const fg_choice *list, int count) {
  fg_tuning_pass *const r = &t->pass[pass];
  compile_all(t, r->planned, list, count);
  for (int i = 0; i < count && in_time(t); i++) {
    fg_pass now = *r->planned;
    if (!fg_choice_apply(&list[i], &now, t->target->info)) continue;
    const double seconds = seconds_with(t, pass, &now, true);
    r->tried += seconds >= 0;
    r->wrong += isnan(seconds);
    if (isnan(seconds)) fg_log(FG_LOG_WARN, "a geometry gives wrong results and is not used");
    if (!fg_target_open()) return false;
    if (t->limits->tell_each) t->limits->tell_each(t->context, r->planned, &now, seconds);
    if (seconds > 0 && seconds < r->before) note(t, r->planned, &now, seconds);
  }
  return true;
}

/* Try the geometries of list instead of the planner's; false if the device gave up. */
static bool try_list(tuning *t, int pass, const fg_choice *list, int count) {
  bool good = true;
  for (int i = 0; i < count && good && in_time(t); i += FG_MAX_PASSES)
    good = try_some(t, pass, list + i, count - i < FG_MAX_PASSES ? count - i : FG_MAX_PASSES);
  return good;
}

static bool known(const tuning *t, int pass) {
  return fg_tuned_known(&t->planned->pass[pass], t->target->info->arch, t->limits->patience);
}

/* Of a pass by turns, the least: what has not been timed, or fails, is INFINITY. */
typedef struct {
  double planned, of[FINALISTS];
} by_turns;

/* In how many rounds all have had their turn while there was time; -1 if the device, or the planner's own pass, failed. */
static int take_turns(tuning *t, int pass, int finalists, int rounds, by_turns *least) {
  int whole = 0;
  for (int round = 0; round < rounds; round++) {
    for (int i = -1; i < finalists; i++) {
      if (!in_time(t)) return whole;
      const double now = seconds_with(t, pass, i < 0 ? t->pass[pass].planned : &t->best[i].pass, false);
      if (!fg_target_open() || (i < 0 && now < 0)) return -1;
      double *const of = i < 0 ? &least->planned : &least->of[i];
      if (now > 0) *of = fmin(*of, now);
    }
    whole++;
  }
  return whole;
}

/* Where there is no time for turns. */
static void take_first(tuning *t, int pass) {
  fg_tuning_pass *const r = &t->pass[pass];
  if (!t->finalists || t->best[0].seconds >= worth_once * r->before) return;
  r->after = t->best[0].seconds;
  t->fastest->pass[pass] = t->best[0].pass;
}

static void take_least(tuning *t, int pass, int finalists, const by_turns *least) {
  fg_tuning_pass *const r = &t->pass[pass];
  r->before = r->after = least->planned;
  for (int i = 0; i < finalists; i++) {
    if (least->of[i] >= worth * r->before || least->of[i] >= r->after) continue;
    r->after = least->of[i];
    t->fastest->pass[pass] = t->best[i].pass;
  }
}

/* Of many geometries the one that was fastest once was so by chance, too, and the device is slower for a while at times: so they
 * are timed again, by turns with the planner's.  False if the device gave up. */
static bool choose(tuning *t, int pass) {
  const int most = has_patience(t) ? FINALISTS : FEW_FINALISTS, finalists = t->finalists < most ? t->finalists : most;
  by_turns least = {.planned = INFINITY};
  for (int i = 0; i < FINALISTS; i++) least.of[i] = INFINITY;
  const int whole = finalists ? take_turns(t, pass, finalists, has_patience(t) ? ROUNDS : FEW_ROUNDS, &least) : 0;
  if (whole > 0) take_least(t, pass, finalists, &least);
  else if (whole == 0) take_first(t, pass);
  return whole >= 0;
}

/* First other geometries, then, if there is patience for it, variants of the fastest. */
static bool tune_pass(tuning *t, int pass) {
  fg_tuning_pass *const r = &t->pass[pass];
  const int most = t->limits->most < FG_TUNING_MOST ? t->limits->most : FG_TUNING_MOST;
  fg_choice list[FG_TUNING_MOST];
  if (known(t, pass)) return true;
  r->before = r->after = seconds_with(t, pass, r->planned, false);
  if (r->before < 0) return false;
  t->finalists = 0;
  if (t->limits->given) return try_list(t, pass, t->limits->these, t->limits->given) && choose(t, pass);
  if (!try_list(t, pass, list, fg_choice_list(r->planned, t->target->info, list, most))) return false;
  if (t->finalists && has_patience(t) && t->best[0].seconds < worth_once * r->before) {
    const fg_pass fastest = t->best[0].pass;
    if (!try_list(t, pass, list, fg_choice_variants(&fastest, t->target->info, list, most))) return false;
  }
  return choose(t, pass);
}

/* ---- a problem ---- */

static bool any_faster(const tuning *t) {
  bool any = false;
  for (int i = 0; i < t->planned->count; i++) any = any || t->pass[i].after < t->pass[i].before;
  return any;
}

/* Both twice, in turn: the device may be slower for a while. */
static void time_whole(tuning *t, const fg_program *planned, fg_tuning_result *r) {
  const char *why;
  fg_program *fastest = fg_program_create_host(t->target, t->problem, t->fastest, &why);
  r->before = r->after = INFINITY;
  for (int i = 0; i < 2 && fastest; i++) {
    r->before = fmin(r->before, fg_tuning_seconds(&t->bed, planned, -1));
    r->after = fmin(r->after, fg_tuning_seconds(&t->bed, fastest, -1));
  }
  r->kept = r->after > 0 && r->after < r->before;
  fg_program_destroy(fastest);
}

static void learn(const tuning *t, const fg_tuning_result *r) {
  for (int i = 0; i < r->count; i++) {
    const fg_tuning_pass *const pass = &t->pass[i];
    const bool faster = r->kept && pass->after < pass->before;
    const fg_choice c = fg_choice_of(faster ? pass->fastest : pass->planned);
    if (faster || (pass->tried && t->limits->keep_slower))
      fg_tuned_learn(pass->planned, t->target->info->arch, &c, t->limits->patience);
  }
}

static bool tune_passes(tuning *t, const fg_program *planned, fg_tuning_result *r) {
  bool good = true;
  for (int i = 0; i < t->planned->count; i++)
    t->pass[i] = (fg_tuning_pass){.planned = &t->planned->pass[i], .fastest = &t->fastest->pass[i]};
  for (int i = 0; i < t->planned->count && good && in_time(t); i++) good = tune_pass(t, i);
  *r = (fg_tuning_result){.problem = t->problem, .count = t->planned->count, .pass = t->pass};
  if (good && any_faster(t)) time_whole(t, planned, r);
  if (good) learn(t, r);
  return good;
}

static const char *tune(tuning *t, fg_tuning_tell tell, void *context) {
  const char *why = "out of memory";
  fg_tuning_result r;
  bool all_known = true;
  if (!t->planned || !t->tried || !t->fastest) return why;
  if (fg_tensor_size(&t->problem->batch) == 0) return "an empty batch";
  const char *const undefined = fg_problem_undefined(t->problem);
  if (undefined) return undefined;
  fg_device_info device;
  fg_memory_device(t->target, 0, &device);
  if (!fg_planner_plan_host(t->problem, &device, t->planned, &why)) return why;
  for (int i = 0; i < t->planned->count; i++) all_known = all_known && known(t, i);
  if (all_known) return NULL;
  fg_passes_copy(t->fastest, t->planned);
  fg_program *planned = fg_program_create_host(t->target, t->problem, t->planned, &why);
  if (!planned) return why;
  why = fg_tuning_bed_make(&t->bed, t->target, t->problem, planned);
  if (!why && !tune_passes(t, planned, &r)) why = fg_backend_message();
  if (!why && tell) tell(context, &r);
  fg_tuning_bed_free(&t->bed);
  fg_program_destroy(planned);
  return why;
}

const char *fg_tuning_run(const fg_target *target, const fg_problem *p, const fg_tuning_limits *limits,
                          fg_tuning_tell tell, void *context) {
  tuning *t = calloc(1, sizeof *t);
  if (!t) return "out of memory";
  *t = (tuning){.target = target, .problem = p, .limits = limits, .context = context};
  t->planned = calloc(1, sizeof *t->planned);
  t->tried = calloc(1, sizeof *t->tried);
  t->fastest = calloc(1, sizeof *t->fastest);
  const char *why = tune(t, tell, context);
  free(t->planned);
  free(t->tried);
  free(t->fastest);
  free(t);
  return why;
}
