/* account.c: counting, without a lock but for the first few executions on either side, and the host's second ones. */
#include "src/cost/account.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "src/problem/notation.h"
#include "src/run/ranks.h"
#include "src/run/target.h"

enum { BUCKETS = 1024, MOST_ACCOUNTS = 1 << 16, KEY = 4096 /* of which texts of problems hardly fill a tenth */ };

typedef _Atomic int64_t nanoseconds;

/* A few executions; seconds. */
typedef struct {
  unsigned long timed;
  double sum, slowest, least;
} sample;

struct fg_account {
  fg_account *next;
  double expected;        /* seconds on the device, by the model */
  double kept, compiled;  /* seconds of planning, with kernels on disk and without */
  fg_account_facts model; /* what is known from the beginning */
  atomic_ulong executions, timed_on_host;             /* of them, those that are in on_host: but for the first */
  nanoseconds saved, hoped, first_on_host, on_host, least_on_host;
  _Atomic double few_on_host, on_device; /* means: of on_host while there are few, of the trials; 0: not known */
  /* Under the lock of them: executions on the device, and on the host once more; behind what is not counted. */
  sample trials, looks;
  bool had_first_trial, had_first_look, looks_wanted, is_warm;
  double warmed; /* seconds of looks that were not the first */
  atomic_bool looking;   /* such ones are wanted */
  _Atomic double looked; /* their mean; 0: not known */
  atomic_int verdict;
  atomic_bool planned;
  atomic_uint cold; /* its kernels were not on disk when this was one more than compiled_so_far */
  char key[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the table */
static pthread_mutex_t few = PTHREAD_MUTEX_INITIALIZER;  /* trials, and the first sums of the host: a few may decide */
static fg_account *buckets[BUCKETS];
static atomic_size_t count;
static nanoseconds saved_in_all;
static atomic_uint compiled_so_far; /* problems: of any, others may have the kernels */
static const double quick = 2e-3; /* seconds of planning with kernels on disk (reference machine) */
static const double shortest = 10e-6; /* seconds: nothing on a device is done sooner */
static const double hope = 0.8;       /* the device may take so much less than the model says */
static const double clearly_worse = 1.15, clearly_better = 0.85; /* device over host: a few trials tell */
/* Likewise: the host need not be looked at once more; nor if its only execution, so short that being cold may be the most of
 * it, is all that is known. */
static const double beyond_doubt = 0.4, beyond_cold = 0.1;
static const double awake = 4e-3;     /* seconds of executions in which FFTW's threads wake up, of many threads (measure.c) */
static const double long_enough = 20e-3; /* seconds: an execution in which waking up, and what is cold, does not matter */

static void renew(void) {
  const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
  lock = few = fresh;
}

__attribute__((constructor)) static void watch_fork(void) { pthread_atfork(NULL, NULL, renew); }

/* ---- the table ---- */

/* False for a problem that others may have the key of. */
static bool key_of(const fg_problem *p, enum fg_memory memory, char key[KEY]) {
  if (!fg_notation_print(p, key, KEY - 48)) return false;
  const size_t at = strlen(key);
  snprintf(key + at, KEY - at, " %d%c%c%c%c", p->threads, memory == FG_MEMORY_OWN ? 'o' : 'f',
           p->flags & FG_ESTIMATE ? 'e' : 'm', p->precision == FG_SINGLE ? 's' : 'd',
           p->compute == FG_SINGLE ? 's' : 'd');
  return true;
}

static fg_account **bucket_of(const char *key) {
  unsigned hash = 5381;
  for (const char *c = key; *c; c++) hash = hash * 33 + (unsigned char)*c;
  return &buckets[hash % BUCKETS];
}

static fg_account *find(const char *key) {
  fg_account *a = *bucket_of(key);
  while (a && strcmp(a->key, key)) a = a->next;
  return a;
}

static fg_account_facts model_of(const fg_problem *p, enum fg_memory memory) {
  const fg_calibration *c = fg_calibration_get();
  return (fg_account_facts){.threads = p->threads, .precision = p->precision, .compute = p->compute,
                            .past_cache = fg_model_past_cache(c, p), .memory = memory,
                            .host_estimate = fg_model_host_seconds(c, p),
                            .device_estimate = fg_model_gpu_seconds(c, p, memory, -1)};
}

/* Behind the program's back tables keep one processor of several from it, and are left off when it ends. */
static double planning_behind(const fg_problem *p, bool kept) {
  const double tables = fg_model_table_seconds(p);
  return fg_account_planning(p, kept) - tables + tables / fg_ranks_processors();
}

static fg_account *add(const char *key, const fg_problem *p, enum fg_memory memory, double expected) {
  fg_account *a = count < MOST_ACCOUNTS ? calloc(1, sizeof *a + strlen(key) + 1) : NULL;
  if (!a) return NULL;
  strcpy(a->key, key);
  a->expected = expected;
  a->kept = planning_behind(p, true);
  a->compiled = planning_behind(p, false);
  a->model = model_of(p, memory);
  a->next = *bucket_of(key);
  *bucket_of(key) = a;
  count++;
  return a;
}

fg_account *fg_account_of(const fg_problem *p, enum fg_memory memory, double gpu_seconds) {
  char key[KEY];
  if (!key_of(p, memory, key)) return NULL;
  pthread_mutex_lock(&lock);
  fg_account *a = find(key);
  if (!a) a = add(key, p, memory, gpu_seconds);
  pthread_mutex_unlock(&lock);
  return a;
}

fg_account *fg_account_find(const fg_problem *p, enum fg_memory memory) {
  char key[KEY];
  if (!key_of(p, memory, key)) return NULL;
  pthread_mutex_lock(&lock);
  fg_account *a = find(key);
  pthread_mutex_unlock(&lock);
  return a;
}

/* ---- counting ---- */

static int64_t to_nanoseconds(double seconds) { return seconds > 0 ? (int64_t)(seconds * 1e9 + 0.5) : 0; }

static double read_seconds(const nanoseconds *n) {
  return 1e-9 * (double)atomic_load_explicit(n, memory_order_relaxed);
}

double fg_account_host_seconds(const fg_account *a) {
  const double looked = atomic_load_explicit(&a->looked, memory_order_relaxed);
  if (looked > 0) return looked;
  const unsigned long timed = atomic_load(&a->timed_on_host);
  if (timed == 0) return read_seconds(&a->first_on_host);
  return timed < FG_HOST_TRIALS ? atomic_load(&a->few_on_host) : read_seconds(&a->on_host) / (double)timed;
}

double fg_account_device_seconds(const fg_account *a) { return atomic_load(&a->on_device); }

/* Nothing that the device could do would be shorter, if the model is not wrong by far. */
static bool is_short(const fg_account *a) {
  const double host = fg_account_host_seconds(a);
  return host < shortest || host * fg_calibration_get()->uncertain < a->expected;
}

/* FG_UNDECIDED if it had been settled before. */
static enum fg_verdict settle(fg_account *a, enum fg_verdict verdict) {
  int undecided = FG_UNDECIDED;
  return atomic_compare_exchange_strong(&a->verdict, &undecided, (int)verdict) ? verdict : FG_UNDECIDED;
}

static bool is_cold(const fg_account *a) { return atomic_load(&a->cold) == atomic_load(&compiled_so_far) + 1; }

/* Planning it by itself.  Where the device is there, a trial is short beside many executions, so that hope will do. */
static bool pays(const fg_account *a, double planning) {
  if (read_seconds(&a->saved) >= planning) return true;
  const bool many = atomic_load(&a->executions) > FG_HOST_MANY;
  return many && fg_target_open() && read_seconds(&a->hoped) >= planning;
}

/* Both have to be earned: the device by all problems together, planning this one by itself. */
static bool earned(const fg_account *a) {
  const double each = is_cold(a) ? a->compiled : a->kept;
  if (!pays(a, each)) return false;
  return fg_target_open() || read_seconds(&saved_in_all) >= fg_model_start_seconds(fg_calibration_get()) + each;
}

static void keep_least(nanoseconds *least, int64_t now) {
  int64_t have = atomic_load(least);
  while ((have == 0 || now < have) && !atomic_compare_exchange_weak(least, &have, now)) {
  }
}

/* What takes far longer than others says something of the moment, not of the problem: it counts for twice the mean of
 * the timed ones, and while that may be such a moment's itself, for four times the least. */
static double not_unusual(double seconds, double sum, unsigned long timed, double least) {
  enum { ENOUGH = 4 };
  return fmin(seconds, timed < ENOUGH ? 4 * least : fmin(4 * least, 2 * sum / (double)timed));
}

static void sample_add(sample *s, double seconds) {
  if (s->timed == 0 || seconds < s->least) s->least = seconds;
  seconds = not_unusual(seconds, s->sum, s->timed, s->least);
  s->sum += seconds;
  s->slowest = fmax(s->slowest, seconds);
  s->timed++;
}

/* But for the slowest, which somebody may have disturbed; of two and more. */
static double sample_mean(const sample *s) { return (s->sum - s->slowest) / (double)(s->timed - 1); }

/* Returns what is added.  The sum grows before the count that it is divided by. */
static double add_on_host(fg_account *a, double seconds) {
  const unsigned long timed = atomic_load(&a->timed_on_host);
  keep_least(&a->least_on_host, to_nanoseconds(seconds));
  seconds = not_unusual(seconds, read_seconds(&a->on_host), timed, read_seconds(&a->least_on_host));
  const int64_t before = atomic_fetch_add(&a->on_host, to_nanoseconds(seconds));
  if (timed < FG_HOST_TRIALS) atomic_store(&a->few_on_host, (1e-9 * (double)before + seconds) / (double)(timed + 1));
  atomic_fetch_add(&a->timed_on_host, 1);
  return seconds;
}

/* Returns what it counts for.  While there are few, a sum that has grown beside a count that has not would mislead. */
static double time_on_host(fg_account *a, unsigned long before, double seconds) {
  if (before == 0) {
    atomic_store(&a->first_on_host, to_nanoseconds(seconds));
    keep_least(&a->least_on_host, to_nanoseconds(seconds));
    return seconds;
  }
  const bool alone = atomic_load(&a->timed_on_host) < FG_HOST_TRIALS;
  if (alone) pthread_mutex_lock(&few);
  seconds = add_on_host(a, seconds);
  if (alone) pthread_mutex_unlock(&few);
  return seconds;
}

/* The first execution finds caches and pages cold: alone it is evidence only where a warm one would be, too. */
static bool is_evidence(const fg_account *a, unsigned long before, double seconds) {
  return before > 0 || seconds > fg_calibration_get()->uncertain * (a->expected + a->kept);
}

bool fg_account_host(fg_account *a, double seconds) {
  const unsigned long before = atomic_fetch_add(&a->executions, 1);
  seconds = time_on_host(a, before, seconds);
  const int64_t saves = to_nanoseconds(seconds - a->expected), may = to_nanoseconds(seconds - hope * a->expected);
  if (before == FG_HOST_TRIALS && is_short(a)) settle(a, FG_SHORT_ON_HOST);
  atomic_fetch_add(&a->saved, saves);
  atomic_fetch_add(&a->hoped, may);
  atomic_fetch_add(&saved_in_all, saves);
  return may > 0 && fg_account_verdict(a) <= FG_BETTER_ON_DEVICE && is_evidence(a, before, seconds) && earned(a);
}

/* A plan whose kernels were compiled while it waited may never have been on the host. */
static double host_expected(const fg_account *a) {
  const double seen = fg_account_host_seconds(a);
  return seen > 0 ? seen : a->model.host_estimate;
}

/* Little is known of the host, or it was asleep, and what is known does not settle it. */
static bool in_doubt(const fg_account *a, double ratio) {
  const unsigned long timed = atomic_load(&a->timed_on_host);
  const bool never = timed == 0 && read_seconds(&a->first_on_host) == 0;
  const bool scant = a->model.threads > 1 ? read_seconds(&a->on_host) < 10 * awake : timed < FG_LOOKS;
  const double seen = host_expected(a);
  if (seen >= long_enough) return false;
  if (never) return ratio > beyond_doubt; /* the estimate may be wrong either way */
  const bool cold = timed == 0 && seen - awake < beyond_doubt * seen; /* else warm ones are not shorter than that */
  return scant && ratio < clearly_worse && ratio > (cold ? beyond_cold : beyond_doubt);
}

/* Asked for the first time it begins; whether it still goes on. */
static bool look_first(fg_account *a) {
  if (!a->looks_wanted) atomic_store(&a->looking, true);
  a->looks_wanted = true;
  return atomic_load(&a->looking);
}

double fg_account_alone(const fg_account *a, double seconds, double stretch) {
  return fmin(seconds, fmax(seconds / stretch, hope * a->expected));
}

/* One trial more; the verdict that it leads to. */
static enum fg_verdict try_on_device(fg_account *a, double seconds) {
  const bool first = !a->had_first_trial;
  a->had_first_trial = true;
  if (first) return FG_UNDECIDED; /* memory is allocated and pinned */
  sample_add(&a->trials, seconds);
  if (a->trials.timed < FG_TRIALS) return FG_UNDECIDED;
  const double mean = sample_mean(&a->trials), ratio = mean / host_expected(a);
  const bool enough = a->trials.timed >= FG_MOST_TRIALS;
  if (!enough && (a->looks_wanted || in_doubt(a, ratio)) && look_first(a)) return FG_UNDECIDED;
  const bool clear = ratio > clearly_worse || ratio < clearly_better;
  atomic_store(&a->on_device, mean);
  if (!clear && !enough) return FG_UNDECIDED;
  return ratio > fg_calibration_get()->worse ? FG_BETTER_ON_HOST : FG_BETTER_ON_DEVICE;
}

enum fg_verdict fg_account_device(fg_account *a, double seconds) {
  enum fg_verdict now = FG_UNDECIDED;
  if (fg_account_verdict(a) != FG_UNDECIDED) return now;
  pthread_mutex_lock(&few);
  if (fg_account_verdict(a) == FG_UNDECIDED) now = try_on_device(a, seconds);
  if (now != FG_UNDECIDED) now = settle(a, now);
  pthread_mutex_unlock(&few);
  return now;
}

bool fg_account_looks_back(const fg_account *a) {
  return atomic_load_explicit(&a->looking, memory_order_relaxed) && fg_account_verdict(a) == FG_UNDECIDED;
}

static void end_looks(fg_account *a, double seconds) {
  if (!atomic_load(&a->looking)) return; /* another thread had begun one more */
  atomic_store(&a->looked, seconds);
  atomic_store(&a->looking, false);
}

/* The very first may plan for these arrays. */
void fg_account_looked(fg_account *a, double seconds) {
  pthread_mutex_lock(&few);
  const bool first = !a->had_first_look;
  a->had_first_look = true;
  if (!first && seconds >= long_enough) {
    end_looks(a, seconds);
  } else if (!a->is_warm) {
    if (!first) a->warmed += seconds;
    a->is_warm = a->model.threads == 1 || a->warmed >= awake;
  } else if (a->looks.timed < FG_LOOKS) {
    sample_add(&a->looks, seconds);
  }
  if (a->looks.timed == FG_LOOKS) end_looks(a, sample_mean(&a->looks));
  pthread_mutex_unlock(&few);
}

bool fg_account_compiles(fg_account *a) {
  if (pays(a, a->compiled)) return true;
  atomic_store(&a->cold, atomic_load(&compiled_so_far) + 1);
  return false;
}

void fg_account_planned(fg_account *a) {
  if (!atomic_exchange(&a->planned, true)) atomic_fetch_add(&compiled_so_far, 1);
}

void fg_account_refused(fg_account *a) { atomic_store(&a->verdict, FG_NOT_FOR_DEVICE); }

/* ---- looking ---- */

enum fg_verdict fg_account_verdict(const fg_account *a) { return (enum fg_verdict)atomic_load(&a->verdict); }
bool fg_account_is_planned(const fg_account *a) { return atomic_load(&a->planned); }
unsigned long fg_account_executions(const fg_account *a) { return atomic_load(&a->executions); }
double fg_account_saved(void) { return read_seconds(&saved_in_all); }

bool fg_account_any(void) { return count > 0; }

static fg_account_facts facts_of(const fg_account *a) {
  fg_account_facts f = a->model;
  f.executions = fg_account_executions(a);
  f.host = fg_account_host_seconds(a);
  f.device = fg_account_device_seconds(a);
  return f;
}

void fg_account_each(void (*tell)(const fg_account_facts *, void *what), void *what) {
  enum { MOST_TOLD = 4096 };
  int told = 0;
  if (pthread_mutex_trylock(&lock)) return; /* the process may be ending from within a signal's handler */
  for (int b = 0; b < BUCKETS; b++)
    for (const fg_account *a = buckets[b]; a && told < MOST_TOLD; a = a->next) {
      const fg_account_facts f = facts_of(a);
      tell(&f, what);
      told++;
    }
  pthread_mutex_unlock(&lock);
}

double fg_account_planning(const fg_problem *p, bool kept) {
  const double plan = fg_calibration_get()->plan;
  return fg_model_table_seconds(p) + (kept && quick < plan ? quick : plan);
}
