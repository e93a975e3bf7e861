/* movers.c: threads that copy. */
#include "config.h"

#include "src/run/movers.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

#include "src/report/settings.h"
#include "src/run/ranks.h"

enum { MOST = 64, DEFAULT_MOST = 8, SPINS = 1024 };
static const double linger = 50e-6; /* seconds awake after the last execution: the next one often follows at once */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, one_job = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t needed = PTHREAD_COND_INITIALIZER;
static bool started;
static atomic_int users; /* executions under way */

/* The job. Its plain fields are written before it opens; who is inside may read them until he leaves; a job is over
 * when it was closed and then nobody was inside. */
static void (*job_part)(void *, ptrdiff_t);
static void *job_context;
static ptrdiff_t job_count;
static _Atomic ptrdiff_t job_next;
static atomic_bool job_open;
static atomic_int inside;

static void pause_a_little(int spins) {
#if defined __x86_64__ || defined __i386__
  __builtin_ia32_pause();
#endif
  if (spins % SPINS == 0) sched_yield();
}

static void take_parts(void) {
  ptrdiff_t i;
  while ((i = atomic_fetch_add(&job_next, 1)) < job_count) job_part(job_context, i);
}

static void help(void) {
  atomic_fetch_add(&inside, 1);
  if (atomic_load(&job_open)) take_parts();
  atomic_fetch_sub(&inside, 1);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void wait_awake(void) {
  double idle_since = 0;
  for (int spins = 1;; spins++) {
    if (atomic_load_explicit(&job_open, memory_order_relaxed)) help();
    pause_a_little(spins);
    if (atomic_load_explicit(&users, memory_order_relaxed) > 0) idle_since = 0;
    else if (idle_since == 0) idle_since = now();
    else if (spins % SPINS == 0 && now() - idle_since > linger) return;
  }
}

static void *mover(void *unused) {
  (void)unused;
  for (;;) {
    pthread_mutex_lock(&lock);
    while (atomic_load(&users) == 0) pthread_cond_wait(&needed, &lock);
    pthread_mutex_unlock(&lock);
    wait_awake();
  }
  return NULL;
}

static int wanted(void) {
  const int asked = fg_settings_get()->copy_threads;
  const int allowed = fg_ranks_processors();
  if (asked) return asked < MOST ? asked : MOST;
  return allowed < DEFAULT_MOST ? allowed : DEFAULT_MOST;
}

/* In the child of a fork there are none: they start anew if they are needed. */
static void after_fork(void) {
  pthread_mutex_init(&lock, NULL);
  pthread_mutex_init(&one_job, NULL);
  pthread_cond_init(&needed, NULL);
  started = false;
  atomic_store(&users, 0);
  atomic_store(&inside, 0);
  atomic_store(&job_open, false);
}

static void start(void) {
  static bool watching_forks;
  sigset_t all, before;
  pthread_attr_t detached;
  started = true;
  if (!watching_forks) pthread_atfork(NULL, NULL, after_fork);
  watching_forks = true;
  if (pthread_attr_init(&detached)) return;
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  for (int i = wanted(); i > 1; i--) {
    pthread_t thread;
    if (pthread_create(&thread, &detached, mover, NULL)) break;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&detached);
}

void fg_movers_begin(void) {
  pthread_mutex_lock(&lock);
  if (!started) start();
  if (atomic_fetch_add(&users, 1) == 0) pthread_cond_broadcast(&needed);
  pthread_mutex_unlock(&lock);
}

void fg_movers_end(void) { atomic_fetch_sub(&users, 1); }

void fg_movers_run(void (*part)(void *context, ptrdiff_t i), void *context, ptrdiff_t count) {
  if (count < 2 || pthread_mutex_trylock(&one_job)) {
    for (ptrdiff_t i = 0; i < count; i++) part(context, i);
    return;
  }
  job_part = part;
  job_context = context;
  job_count = count;
  atomic_store(&job_next, 0);
  atomic_store(&job_open, true);
  take_parts();
  atomic_store(&job_open, false);
  for (int spins = 1; atomic_load(&inside) > 0; spins++) pause_a_little(spins);
  pthread_mutex_unlock(&one_job);
}
