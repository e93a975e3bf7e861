/* learn.c: for each class of estimates the median of measured over estimated, as a correction. */
#include "src/cost/learn.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "src/cost/account.h"
#include "src/report/log.h"
#include "src/run/ranks.h"
#include "src/run/target.h"

/* What estimates are corrected by.  Double precision shares what bytes set the pace of: host memory, and the link.  Its
 * own are FFTW's arithmetic, of which the model only knows that it has half as many numbers in a vector, and the way of
 * doubles that are converted, which is the processors' work and not the link's. */
enum class { IN_CACHE, IN_CACHE_DOUBLE, PAST_CACHE, OWN, FOREIGN, CONVERTED, PLANNING, CLASSES };

enum { MOST = 256 };
typedef struct {
  double of[MOST];
  int count;
} samples;

typedef struct {
  samples ratio[CLASSES];
  double seconds; /* of all executions that were looked at */
} lesson;

/* Executions of a problem before its time is believed; seconds of them that are worth writing a file; corrections
 * that are; how wrong one may be, in one process and in all. */
static const unsigned long least_executions = 8;
static const double least_seconds = 0.5, least_correction = 1.1, most_at_once = 8, most_in_all = 16;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the next two */
static samples planning;                                 /* seconds */
static bool forked; /* a child has its parent's accounts, which are not its to keep */

static void in_child(void) {
  const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
  lock = fresh;
  forked = true;
}

__attribute__((constructor)) static void watch_fork(void) { pthread_atfork(NULL, NULL, in_child); }

/* ---- samples ---- */

static void add(samples *s, double value) {
  if (isfinite(value) && value > 0 && s->count < MOST) s->of[s->count++] = value;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(samples *s) {
  qsort(s->of, (size_t)s->count, sizeof *s->of, ascending);
  return s->count % 2 ? s->of[s->count / 2] : sqrt(s->of[s->count / 2 - 1] * s->of[s->count / 2]);
}

void fg_learn_planning(double seconds) {
  pthread_mutex_lock(&lock);
  add(&planning, seconds);
  pthread_mutex_unlock(&lock);
}

static enum class host_class(const fg_account_facts *f) {
  if (f->past_cache) return PAST_CACHE;
  return f->precision == FG_DOUBLE ? IN_CACHE_DOUBLE : IN_CACHE;
}

static enum class device_class(const fg_account_facts *f) {
  if (f->compute != f->precision) return CONVERTED;
  return f->memory == FG_MEMORY_OWN ? OWN : FOREIGN;
}

/* What the device took of several processes, or opening it, says nothing of it to a later program. */
static bool is_alone(void) { return fg_ranks_expected() == 1; }

/* One account.  Estimates for several threads say more of the threads than of the machine. */
static void see(const fg_account_facts *f, void *all) {
  lesson *l = all;
  if (f->executions < least_executions) return;
  l->seconds += (double)f->executions * f->host;
  if (f->threads == 1) add(&l->ratio[host_class(f)], f->host / f->host_estimate);
  if (f->device > 0 && is_alone()) add(&l->ratio[device_class(f)], f->device / f->device_estimate);
}

/* Nothing where the lock is held: the process may be ending from within a signal's handler. */
static void see_planning(const fg_calibration *c, samples *of_planning) {
  if (pthread_mutex_trylock(&lock)) return;
  for (int i = 0; i < planning.count; i++) add(of_planning, planning.of[i] / c->plan);
  pthread_mutex_unlock(&lock);
}

/* ---- corrections ---- */

static double within(double value, double most) { return fmin(fmax(value, 1 / most), most); }

/* The few problems of one program say little of others: one counts a quarter, three a half, nine three quarters. */
static double correction(samples *s) {
  return s->count ? pow(within(median(s), most_at_once), s->count / (s->count + 3.0)) : 1;
}

/* Whether it was wrong by so much that it counts; else it is left as it is. */
static bool correct(double *value, double by, double usual) {
  const double now = usual * within(*value * by / usual, most_in_all);
  const bool counts = now > *value * least_correction || now < *value / least_correction;
  if (counts) *value = now;
  return counts;
}

bool fg_learn_from(const fg_calibration *c, double start, fg_calibration *learned) {
  static const fg_calibration *const usual = &fg_calibration_defaults;
  lesson *l = calloc(1, sizeof *l);
  if (!l) return false;
  fg_account_each(see, l);
  see_planning(c, &l->ratio[PLANNING]);
  *learned = *c;
  bool worth = correct(&learned->seen_cache, correction(&l->ratio[IN_CACHE]), usual->seen_cache);
  worth |= correct(&learned->seen_double, correction(&l->ratio[IN_CACHE_DOUBLE]), usual->seen_double);
  worth |= correct(&learned->seen_memory, correction(&l->ratio[PAST_CACHE]), usual->seen_memory);
  worth |= correct(&learned->seen_own, correction(&l->ratio[OWN]), usual->seen_own);
  worth |= correct(&learned->seen_foreign, correction(&l->ratio[FOREIGN]), usual->seen_foreign);
  worth |= correct(&learned->seen_converted, correction(&l->ratio[CONVERTED]), usual->seen_converted);
  worth |= correct(&learned->plan, correction(&l->ratio[PLANNING]), usual->plan);
  worth |= start > 0 && is_alone() && correct(&learned->start, sqrt(within(start / c->start, most_at_once)), usual->start);
  worth &= l->seconds >= least_seconds;
  free(l);
  return worth;
}

/* ---- the end of the process ---- */

void fg_learn_keep(void) {
  fg_calibration learned;
  const char *why = "";
  const fg_target *t = fg_target_open() ? fg_target_get(&why) : NULL;
  if (!fg_learn_from(fg_calibration_get(), fg_target_start_seconds(), &learned)) return;
  why = fg_calibration_keep_learned(&learned, t ? t->info->name : NULL);
  if (why) fg_log(FG_LOG_INFO, "what was learned of this machine is not kept: %s", why);
  else fg_log(FG_LOG_INFO, "kept what was learned of this machine");
}

/* As a destructor it runs after the program's own exit handlers. */
__attribute__((destructor)) static void at_end(void) {
  if (!forked && fg_account_any() && !fg_settings_get()->sim) fg_learn_keep();
}
