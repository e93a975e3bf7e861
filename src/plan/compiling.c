/* compiling.c: kernels that are compiled behind the program's back. */
#define _GNU_SOURCE
#include "src/plan/compiling.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/cost/learn.h"
#include "src/pass/solver.h"
#include "src/plan/background.h"
#include "src/report/clock.h"
#include "src/report/log.h"
#include "src/run/program.h"

double fg_compiling_patience = 0.15;

/* Two hold it: who waits, and the background thread. */
typedef struct {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int holders;
  bool done, late; /* late: nobody waits any more */
  const fg_target *target;
  fg_passes *passes;
} compiling;

static compiling *begin(const fg_target *target, const fg_passes *passes) {
  compiling *c = calloc(1, sizeof *c);
  fg_passes *copy = malloc(sizeof *copy);
  if (!c || !copy) {
    free(c);
    free(copy);
    return NULL;
  }
  pthread_mutex_init(&c->lock, NULL);
  pthread_cond_init(&c->changed, NULL);
  c->holders = 2;
  c->target = target;
  fg_passes_copy(copy, passes);
  c->passes = copy;
  return c;
}

static void let_go(compiling *c) {
  pthread_mutex_lock(&c->lock);
  const bool last = --c->holders == 0;
  pthread_mutex_unlock(&c->lock);
  if (!last) return;
  pthread_cond_destroy(&c->changed);
  pthread_mutex_destroy(&c->lock);
  free(c->passes);
  free(c);
}

static void work(void *what) {
  compiling *const c = what;
  const double began = fg_clock_seconds();
  const bool loaded = fg_program_load(c->target, c->passes);
  const double seconds = fg_clock_seconds() - began;
  if (!loaded) fg_log(FG_LOG_INFO, "in the background: %s", fg_backend_message());
  pthread_mutex_lock(&c->lock);
  c->done = true;
  const bool late = c->late;
  pthread_cond_signal(&c->changed);
  pthread_mutex_unlock(&c->lock);
  if (loaded && late) fg_learn_planning(seconds); /* else who waited tells of all of the planning */
}

static void release(void *what) { let_go(what); }

static void forget(void *what) { (void)what; /* the parent's; its lock may be held here for ever */ }

static bool wait_for(compiling *c) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  const long long end = until.tv_nsec + (long long)(fg_compiling_patience * 1e9);
  until.tv_sec += (time_t)(end / 1000000000);
  until.tv_nsec = (long)(end % 1000000000);
  pthread_mutex_lock(&c->lock);
  while (!c->done && pthread_cond_clockwait(&c->changed, &c->lock, CLOCK_MONOTONIC, &until) == 0) {
  }
  const bool done = c->done;
  c->late = !done;
  pthread_mutex_unlock(&c->lock);
  return done;
}

bool fg_compiling_done(const fg_target *target, const fg_passes *passes) {
  static const fg_errand errand = {work, release, forget};
  compiling *const c = begin(target, passes);
  if (!c) return true;
  if (!fg_background_submit(&errand, c)) {
    c->holders = 1;
    let_go(c);
    return true;
  }
  const bool done = wait_for(c);
  let_go(c);
  return done;
}
