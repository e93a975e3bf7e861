/* account.c: counting, without a lock once an account is there. */
#include "src/plan/account.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "src/problem/notation.h"
#include "src/run/target.h"

enum { BUCKETS = 1024, MOST_ACCOUNTS = 1 << 16, KEY = 320 };

typedef _Atomic int64_t nanoseconds;

struct fg_account {
  fg_account *next;
  double expected;        /* seconds on the device, by the model */
  double kept, compiled;  /* seconds of planning, with kernels on disk and without */
  atomic_ulong executions, trials;
  nanoseconds saved, best_host, best_device; /* best: 0 is none */
  atomic_int verdict;
  atomic_bool planned;
  atomic_bool cold; /* its kernels are not on disk */
  char key[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static fg_account *buckets[BUCKETS];
static size_t count;
static nanoseconds saved_in_all;
static const double quick = 2e-3; /* seconds of planning with kernels on disk (reference machine) */

static void renew(void) {
  const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
  lock = fresh;
}

__attribute__((constructor)) static void watch_fork(void) { pthread_atfork(NULL, NULL, renew); }

/* ---- the table ---- */

static void key_of(const fg_problem *p, enum fg_memory memory, char key[KEY]) {
  fg_notation_print(p, key, KEY - 48);
  const size_t at = strlen(key);
  snprintf(key + at, KEY - at, " %d%c%c%c", p->threads, memory == FG_MEMORY_OWN ? 'o' : 'f',
           p->flags & FG_ESTIMATE ? 'e' : 'm', p->precision == FG_SINGLE ? 's' : 'd');
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

static fg_account *add(const char *key, const fg_problem *p, double expected) {
  fg_account *a = count < MOST_ACCOUNTS ? calloc(1, sizeof *a + strlen(key) + 1) : NULL;
  if (!a) return NULL;
  strcpy(a->key, key);
  a->expected = expected;
  a->kept = fg_account_planning(p, true);
  a->compiled = fg_account_planning(p, false);
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
  if (!a) a = add(key, p, gpu_seconds);
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

void fg_account_forget_all(void) {
  pthread_mutex_lock(&lock);
  for (int b = 0; b < BUCKETS; b++)
    while (buckets[b]) {
      fg_account *const a = buckets[b];
      buckets[b] = a->next;
      free(a);
    }
  count = 0;
  pthread_mutex_unlock(&lock);
  atomic_store(&saved_in_all, 0);
}

/* ---- counting ---- */

static int64_t to_nanoseconds(double seconds) { return seconds > 0 ? (int64_t)(seconds * 1e9 + 0.5) : 0; }

static double read_seconds(const nanoseconds *n) {
  return 1e-9 * (double)atomic_load_explicit(n, memory_order_relaxed);
}

static void keep_least(nanoseconds *best, double seconds) {
  const int64_t now = to_nanoseconds(seconds) + 1; /* never none */
  int64_t have = atomic_load(best);
  while ((have == 0 || now < have) && !atomic_compare_exchange_weak(best, &have, now)) {
  }
}

/* Both have to be earned: the device by all problems together, planning this one by itself. */
static bool earned(const fg_account *a) {
  const double each = atomic_load(&a->cold) ? a->compiled : a->kept;
  if (read_seconds(&a->saved) < each) return false;
  return fg_target_open() || read_seconds(&saved_in_all) >= fg_calibration_get()->start + each;
}

bool fg_account_host(fg_account *a, double seconds) {
  const int64_t saves = to_nanoseconds(seconds - a->expected);
  atomic_fetch_add(&a->executions, 1);
  keep_least(&a->best_host, seconds);
  atomic_fetch_add(&a->saved, saves);
  atomic_fetch_add(&saved_in_all, saves);
  return saves > 0 && fg_account_verdict(a) <= FG_BETTER_ON_DEVICE && earned(a);
}

bool fg_account_device(fg_account *a, double seconds) {
  if (fg_account_verdict(a) != FG_UNDECIDED) return false;
  const unsigned long trial = atomic_fetch_add(&a->trials, 1);
  if (trial == 0) return false; /* memory was allocated and pinned */
  keep_least(&a->best_device, seconds);
  if (trial != FG_TRIALS) return false;
  const bool worse = read_seconds(&a->best_device) > fg_calibration_get()->worse * read_seconds(&a->best_host);
  int undecided = FG_UNDECIDED;
  atomic_compare_exchange_strong(&a->verdict, &undecided, worse ? FG_BETTER_ON_HOST : FG_BETTER_ON_DEVICE);
  return worse;
}

bool fg_account_compiles(fg_account *a) {
  if (read_seconds(&a->saved) >= a->compiled) return true;
  atomic_store(&a->cold, true);
  return false;
}

void fg_account_planned(fg_account *a) { atomic_store(&a->planned, true); }

void fg_account_refused(fg_account *a) { atomic_store(&a->verdict, FG_NOT_FOR_DEVICE); }

/* ---- looking ---- */

enum fg_verdict fg_account_verdict(const fg_account *a) { return (enum fg_verdict)atomic_load(&a->verdict); }
bool fg_account_is_planned(const fg_account *a) { return atomic_load(&a->planned); }
unsigned long fg_account_executions(const fg_account *a) { return atomic_load(&a->executions); }
double fg_account_best_host(const fg_account *a) { return read_seconds(&a->best_host); }
double fg_account_best_device(const fg_account *a) { return read_seconds(&a->best_device); }
double fg_account_saved(void) { return read_seconds(&saved_in_all); }

double fg_account_planning(const fg_problem *p, bool kept) {
  const double plan = fg_calibration_get()->plan;
  return fg_model_table_seconds(p) + (kept && quick < plan ? quick : plan);
}
