/* background.c: one thread for work behind the program's back.
 *
 * The thread may be inside the driver's start-up when the program exits, whose own exit handlers must not run beside
 * it. glibc calls the exiting thread's destructors before any exit handler, and handlers in the reverse of their
 * order: so waiting is registered as a destructor of the main thread, which nearly always is the one that exits, and of
 * those that bring work; as a handler before the first job, and once more behind each job, when the driver may have
 * registered its own. */
#define _GNU_SOURCE
#include "src/plan/background.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "src/report/clock.h"
#include "src/report/lock_for.h"
#include "src/report/log.h"
#include "src/run/ending.h"
#include "src/run/thread.h"

typedef struct job {
  struct job *next;
  const fg_errand *errand;
  void *what;
} job;

static const time_t longest_wait = 5; /* seconds, at exit */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t idle = PTHREAD_COND_INITIALIZER;
static job *first, **last = &first, *at_hand;
static bool running;

/* ---- exit ---- */

static void wait_a_while(void) {
  const struct timespec until = fg_clock_after(longest_wait);
  if (!fg_lock_for(&lock, FG_LOCK_AT_END)) return;
  while (running && pthread_cond_clockwait(&idle, &lock, CLOCK_MONOTONIC, &until) == 0) {
  }
  if (running) fg_log(FG_LOG_WARN, "exit does not wait longer for the GPU's start");
  pthread_mutex_unlock(&lock);
}

static void end_wait(void) {
  fg_ending_begin();
  wait_a_while();
}

/* The main thread may also end by itself, and the process go on. */
static void main_thread_ends(void *unused) {
  (void)unused;
  end_wait();
}

extern int __cxa_thread_atexit_impl(void (*)(void *), void *, void *) __attribute__((weak));
extern void *__dso_handle;

static void at_thread_end(void (*function)(void *)) {
  if (__cxa_thread_atexit_impl) __cxa_thread_atexit_impl(function, NULL, &__dso_handle);
}

static bool is_main_thread(void) { return gettid() == getpid(); }

void fg_background_watch_exit(void) {
  static atomic_bool done;
  if (is_main_thread() && !atomic_exchange(&done, true)) at_thread_end(main_thread_ends);
}

/* Another thread that brings work may end the process too, or just itself: then it waits in vain, but not for long. */
static void other_thread_ends(void *unused) {
  (void)unused;
  wait_a_while();
}

static void watch_this_thread(void) {
  static _Thread_local bool done;
  if (!is_main_thread() && !done) at_thread_end(other_thread_ends);
  done = true;
}

/* More than a few are of no use. */
static void handle_exit(void) {
  static atomic_int handlers;
  if (atomic_fetch_add(&handlers, 1) < 3) atexit(end_wait);
}

/* ---- fork ---- */

static void before_fork(void) { pthread_mutex_lock(&lock); }
static void in_parent(void) { pthread_mutex_unlock(&lock); }

/* The jobs' memory stays the parent's: free may not be called here. */
static void in_child(void) {
  const pthread_cond_t fresh = PTHREAD_COND_INITIALIZER; /* who waited for the old one is not here */
  if (at_hand) at_hand->errand->forget(at_hand->what);
  for (job *j = first; j; j = j->next) j->errand->forget(j->what);
  at_hand = first = NULL;
  last = &first;
  running = false;
  idle = fresh;
  pthread_mutex_unlock(&lock);
}

/* Before the planner lock's, as src/report/report.c's. */
__attribute__((constructor(201))) static void watch_fork(void) { pthread_atfork(before_fork, in_parent, in_child); }

/* ---- the thread ---- */

/* With the lock held: the next job, or NULL and the thread is no more. */
static job *next_job(void) {
  at_hand = first;
  if (!first) {
    running = false;
    pthread_cond_broadcast(&idle);
    return NULL;
  }
  first = first->next;
  if (!first) last = &first;
  return at_hand;
}

static void *work(void *unused) {
  (void)unused;
  for (;;) {
    pthread_mutex_lock(&lock);
    job *const j = next_job();
    pthread_mutex_unlock(&lock);
    if (!j) return NULL;
    if (!fg_ending()) j->errand->work(j->what);
    handle_exit();
    pthread_mutex_lock(&lock);
    at_hand = NULL; /* a child of fork forgets no more what is released now */
    pthread_mutex_unlock(&lock);
    j->errand->release(j->what);
    free(j);
  }
}

bool fg_background_submit(const fg_errand *errand, void *what) {
  job *j = malloc(sizeof *j);
  if (!j) return false;
  *j = (job){NULL, errand, what};
  fg_background_watch_exit();
  watch_this_thread();
  handle_exit();
  pthread_mutex_lock(&lock);
  const bool taken = !fg_ending() && (running || fg_thread_start(work, NULL));
  if (taken) {
    running = true;
    *last = j;
    last = &j->next;
  }
  pthread_mutex_unlock(&lock);
  if (!taken) free(j);
  return taken;
}

void fg_background_wait(void) {
  pthread_mutex_lock(&lock);
  while (running) pthread_cond_wait(&idle, &lock);
  pthread_mutex_unlock(&lock);
}

void fg_background_wait_for(double seconds) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  const double end = (double)until.tv_nsec * 1e-9 + (seconds < 1e6 ? seconds : 1e6);
  until.tv_sec += (time_t)end;
  until.tv_nsec = (long)((end - floor(end)) * 1e9);
  pthread_mutex_lock(&lock);
  while (running && pthread_cond_clockwait(&idle, &lock, CLOCK_MONOTONIC, &until) == 0) {
  }
  pthread_mutex_unlock(&lock);
}
