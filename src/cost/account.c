/* account.c: counting, without a lock once an account is there. */
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

enum { BUCKETS = 1024, MOST_ACCOUNTS = 1 << 16, KEY = 320 };

typedef _Atomic int64_t nanoseconds;

struct fg_account {
  fg_account *next;
  double expected;        /* seconds on the device, by the model */
  double kept, compiled;  /* seconds of planning, with kernels on disk and without */
  fg_account_facts model; /* what is known from the beginning */
  atomic_ulong executions, trials;
  atomic_ulong timed_on_host, timed_on_device; /* of them, those that are in the sums below */
  nanoseconds saved, hoped, first_on_host, on_host, on_device, slowest_trial; /* on_host: but for the first execution */
  nanoseconds least_on_host, least_on_device; /* 0: none yet */
  atomic_int verdict;
  atomic_bool planned;
  atomic_uint cold; /* its kernels were not on disk when this was one more than compiled_so_far */
  char key[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static fg_account *buckets[BUCKETS];
static atomic_size_t count;
static nanoseconds saved_in_all;
static atomic_uint compiled_so_far; /* problems: of any, others may have the kernels */
static const double quick = 2e-3; /* seconds of planning with kernels on disk (reference machine) */
static const double shortest = 10e-6; /* seconds: nothing on a device is done sooner */
static const double hope = 0.8;       /* the device may take so much less than the model says */
static const double clearly_worse = 1.15, clearly_better = 0.85; /* device over host: a few trials tell */

static void renew(void) {
  const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
  lock = fresh;
}

__attribute__((constructor)) static void watch_fork(void) { pthread_atfork(NULL, NULL, renew); }

/* ---- the table ---- */

static void key_of(const fg_problem *p, enum fg_memory memory, char key[KEY]) {
  fg_notation_print(p, key, KEY - 48);
  const size_t at = strlen(key);
  snprintf(key + at, KEY - at, " %d%c%c%c%c", p->threads, memory == FG_MEMORY_OWN ? 'o' : 'f',
           p->flags & FG_ESTIMATE ? 'e' : 'm', p->precision == FG_SINGLE ? 's' : 'd',
           p->compute == FG_SINGLE ? 's' : 'd');
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
  key_of(p, memory, key);
  pthread_mutex_lock(&lock);
  fg_account *a = find(key);
  if (!a) a = add(key, p, memory, gpu_seconds);
  pthread_mutex_unlock(&lock);
  return a;
}

fg_account *fg_account_find(const fg_problem *p, enum fg_memory memory) {
  char key[KEY];
  key_of(p, memory, key);
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

static void keep_most(nanoseconds *most, int64_t now) {
  int64_t have = atomic_load(most);
  while (now > have && !atomic_compare_exchange_weak(most, &have, now)) {
  }
}

double fg_account_host_seconds(const fg_account *a) {
  const unsigned long timed = atomic_load(&a->timed_on_host);
  return timed ? read_seconds(&a->on_host) / (double)timed : read_seconds(&a->first_on_host);
}

double fg_account_device_seconds(const fg_account *a) {
  const unsigned long timed = atomic_load(&a->timed_on_device);
  if (timed < FG_TRIALS) return 0;
  return (read_seconds(&a->on_device) - read_seconds(&a->slowest_trial)) / (double)(timed - 1);
}

/* Nothing that the device could do would be shorter, if the model is not wrong by far. */
static bool is_short(const fg_account *a) {
  const double host = fg_account_host_seconds(a);
  return host < shortest || host * fg_calibration_get()->uncertain < a->expected;
}

static void settle(fg_account *a, enum fg_verdict verdict) {
  int undecided = FG_UNDECIDED;
  atomic_compare_exchange_strong(&a->verdict, &undecided, (int)verdict);
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
  return fg_target_open() || read_seconds(&saved_in_all) >= fg_calibration_get()->start + each;
}

static void keep_least(nanoseconds *least, int64_t now) {
  int64_t have = atomic_load(least);
  while ((have == 0 || now < have) && !atomic_compare_exchange_weak(least, &have, now)) {
  }
}

/* What takes far longer than others says something of the moment, not of the problem: it counts for twice the mean, and
 * while that may be such a moment's itself, for four times the least. */
static double not_unusual(double seconds, const nanoseconds *sum, const atomic_ulong *count, nanoseconds *least) {
  enum { ENOUGH = 4 };
  const unsigned long timed = atomic_load(count);
  keep_least(least, to_nanoseconds(seconds));
  double most = 4 * read_seconds(least);
  if (timed >= ENOUGH) most = fmin(most, 2 * read_seconds(sum) / (double)timed);
  return fmin(seconds, most);
}

/* Each sum grows before the count that it is divided by. */
static void time_on_host(fg_account *a, unsigned long before, double seconds) {
  if (before == 0) {
    atomic_store(&a->first_on_host, to_nanoseconds(seconds));
    keep_least(&a->least_on_host, to_nanoseconds(seconds));
    return;
  }
  atomic_fetch_add(&a->on_host, to_nanoseconds(not_unusual(seconds, &a->on_host, &a->timed_on_host, &a->least_on_host)));
  atomic_fetch_add(&a->timed_on_host, 1);
}

/* The first execution finds caches and pages cold: alone it is evidence only where a warm one would be, too. */
static bool is_evidence(const fg_account *a, unsigned long before, double seconds) {
  return before > 0 || seconds > fg_calibration_get()->uncertain * (a->expected + a->kept);
}

bool fg_account_host(fg_account *a, double seconds) {
  const int64_t saves = to_nanoseconds(seconds - a->expected), may = to_nanoseconds(seconds - hope * a->expected);
  const unsigned long before = atomic_fetch_add(&a->executions, 1);
  time_on_host(a, before, seconds);
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

bool fg_account_device(fg_account *a, double seconds) {
  if (fg_account_verdict(a) != FG_UNDECIDED) return false;
  const unsigned long trial = atomic_fetch_add(&a->trials, 1);
  if (trial == 0) keep_least(&a->least_on_device, to_nanoseconds(seconds));
  if (trial == 0 || trial > FG_MOST_TRIALS) return false; /* at first memory is allocated and pinned */
  seconds = not_unusual(seconds, &a->on_device, &a->timed_on_device, &a->least_on_device);
  keep_most(&a->slowest_trial, to_nanoseconds(seconds));
  atomic_fetch_add(&a->on_device, to_nanoseconds(seconds));
  const unsigned long timed = atomic_fetch_add(&a->timed_on_device, 1) + 1;
  const double ratio = fg_account_device_seconds(a) / host_expected(a);
  const bool clear = ratio > clearly_worse || ratio < clearly_better;
  if (timed < FG_TRIALS || (!clear && timed < FG_MOST_TRIALS)) return false;
  const bool worse = ratio > fg_calibration_get()->worse;
  settle(a, worse ? FG_BETTER_ON_HOST : FG_BETTER_ON_DEVICE);
  return worse;
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
