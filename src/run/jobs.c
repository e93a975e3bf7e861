/* jobs.c: work in the background: a queue, and threads that wait for it. */
#include "src/run/jobs.h"

#include <pthread.h>
#include <stdlib.h>

#include "src/run/calm.h"
#include "src/run/thread.h"

enum { MOST_THREADS = 16 };
enum state { QUEUED, BEGUN, DONE };

struct fg_job {
  void (*work)(void *);
  void *context;
  enum state state;
  unsigned long process; /* how many forks led to the one that it belongs to */
  fg_job *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t queued = PTHREAD_COND_INITIALIZER, done = PTHREAD_COND_INITIALIZER;
static fg_job *first, **last = &first;
static int threads, waiting, length;
static unsigned long process;

/* ---- fork: the threads stay behind ---- */

static void before_fork(void) { pthread_mutex_lock(&lock); }
static void after_fork_parent(void) { pthread_mutex_unlock(&lock); }

static void after_fork_child(void) {
  first = NULL;
  last = &first;
  threads = waiting = length = 0;
  process++;
  pthread_cond_init(&queued, NULL);
  pthread_cond_init(&done, NULL);
  pthread_mutex_unlock(&lock);
}

static void watch_forks(void) { pthread_atfork(before_fork, after_fork_parent, after_fork_child); }

/* ---- the queue; with lock held ---- */

static void put(fg_job *j) {
  *last = j;
  last = &j->next;
  length++;
}

static void take(fg_job *j) {
  fg_job **at = &first;
  while (*at != j) at = &(*at)->next;
  *at = j->next;
  if (last == &j->next) last = at;
  length--;
}

/* The lock is open while it is worked on. */
static void work_on(fg_job *j) {
  take(j);
  j->state = BEGUN;
  pthread_mutex_unlock(&lock);
  j->work(j->context);
  pthread_mutex_lock(&lock);
  j->state = DONE;
  pthread_cond_broadcast(&done);
}

static void *serve(void *unused) {
  pthread_mutex_lock(&lock);
  for (;;) {
    while (!first) {
      waiting++;
      pthread_cond_wait(&queued, &lock);
      waiting--;
    }
    work_on(first);
  }
  return unused;
}

fg_job *fg_job_start(void (*work)(void *), void *context) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  fg_job *j = calloc(1, sizeof *j);
  if (!j) return NULL;
  pthread_once(&once, watch_forks);
  pthread_mutex_lock(&lock);
  *j = (fg_job){.work = work, .context = context, .process = process};
  put(j);
  if (waiting < length && threads < MOST_THREADS) threads += fg_thread_start(serve, NULL);
  if (threads == 0) work_on(j);
  pthread_cond_signal(&queued);
  pthread_mutex_unlock(&lock);
  return j;
}

bool fg_job_done(const fg_job *j) {
  pthread_mutex_lock(&lock);
  const bool is = j->state == DONE;
  pthread_mutex_unlock(&lock);
  return is;
}

bool fg_job_wait(fg_job *j) {
  const fg_calm calm = fg_calm_begin();
  pthread_mutex_lock(&lock);
  const bool ours = j->process == process;
  if (ours && j->state == QUEUED) work_on(j);
  while (ours && j->state != DONE) pthread_cond_wait(&done, &lock);
  const bool is = j->state == DONE;
  pthread_mutex_unlock(&lock);
  free(j);
  fg_calm_end(calm);
  return is;
}
