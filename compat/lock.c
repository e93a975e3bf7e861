/* lock.c: the planner lock. */
#include "config.h"

#include "compat/lock.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "src/report/settings.h"
#include "src/report/trace.h"
#include "src/run/residence.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* of what follows alone, for a moment */
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool taken;
static int paused; /* plans, without the lock */

static atomic_bool safe; /* the program has asked for a planner that is safe among its threads */
static _Thread_local fg_compat_state here;

static struct timespec after(long milliseconds) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  t.tv_nsec += milliseconds % 1000 * 1000000;
  t.tv_sec += milliseconds / 1000 + t.tv_nsec / 1000000000;
  t.tv_nsec %= 1000000000;
  return t;
}

/* False if it is not to be had within so many milliseconds (negative: wait for ever); alone: not beside a paused plan either.  No
 * place where a thread is cancelled. */
static bool take(long milliseconds, bool alone) {
  const struct timespec until = milliseconds < 0 ? (struct timespec){0, 0} : after(milliseconds);
  int late = 0, cancel;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
  pthread_mutex_lock(&mutex);
  while ((taken || (alone && paused > 0)) && late != ETIMEDOUT)
    late = milliseconds < 0 ? pthread_cond_wait(&changed, &mutex) : pthread_cond_timedwait(&changed, &mutex, &until);
  const bool got = !taken && !(alone && paused > 0);
  if (got) taken = true;
  pthread_mutex_unlock(&mutex);
  pthread_setcancelstate(cancel, NULL);
  return got;
}

/* plans: so many are paused, or go on. */
static void give(int plans) {
  pthread_mutex_lock(&mutex);
  taken = false;
  paused += plans;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
}

/* ---- fork ---- */

/* Executions plan by the real FFTW where the device fails, of which a program that forks beside them knows nothing: a child would
 * find FFTW's planner in the midst of it.  That takes milliseconds; a plan of the program's own may take minutes, and most children
 * only exec, so that fork waits no longer. */
enum { MOST_WAIT = 100 }; /* ms */
static _Thread_local bool waited; /* and has the lock */

static void before_fork(void) { waited = here.depth == 0 && take(MOST_WAIT, false); }

static void in_parent(void) {
  if (waited) give(0);
}

/* Who forks within a planner goes on there. */
static void in_child(void) {
  const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
  const pthread_cond_t none = PTHREAD_COND_INITIALIZER;
  mutex = fresh;
  changed = none;
  taken = here.depth > 0;
  paused = 0;
}

__attribute__((constructor)) static void watch_fork(void) { pthread_atfork(before_fork, in_parent, in_child); }

/* ---- the lock ---- */

bool fg_compat_off(void) { return fg_settings_get()->mode == FG_MODE_OFF; }

bool fg_compat_inside(void) { return here.inside > 0; }

/* Switched off, the real FFTW must still be kept from arrays that it cannot reach. */
bool fg_compat_direct(void) {
  return here.inside > 0 || (fg_compat_off() && !fg_trace_on() && !fg_residence_expected());
}

/* Planning reads and writes files: a thread cancelled there would never give the lock back. */
void fg_compat_lock(void) {
  if (fg_compat_off()) return;
  if (here.depth++ > 0) return;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &here.cancel);
  take(-1, false);
}

/* Where hooks were set amid a plan nothing was called before it. */
void fg_compat_unlock(void) {
  if (fg_compat_off() || here.depth == 0 || --here.depth > 0) return;
  give(0);
  pthread_setcancelstate(here.cancel, NULL);
}

bool fg_compat_idle(void) {
  if (fg_compat_off() || here.depth > 0) return true;
  pthread_mutex_lock(&mutex);
  const bool idle = !taken;
  pthread_mutex_unlock(&mutex);
  return idle;
}

void fg_compat_enter(void) {
  fg_compat_lock();
  here.inside++;
}

/* A plan that is paused may never go on: whoever has left it does not tell. */
void fg_compat_enter_alone(void) {
  enum { MOST_PAUSE = 1000 }; /* ms */
  if (!fg_compat_off() && here.depth == 0 && here.planners == 0) {
    int cancel;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    if (!take(MOST_PAUSE, true)) take(-1, false);
    here.depth = 1;
    here.cancel = cancel;
  } else {
    fg_compat_lock();
  }
  here.inside++;
}

void fg_compat_leave(void) {
  here.inside--;
  fg_compat_unlock();
}

/* ---- the program, called back ---- */

void fg_compat_safe(void) { atomic_store(&safe, true); }

void fg_compat_pause(fg_compat_state *call) {
  *call = here;
  here = (fg_compat_state){.depth = 0};
  if (call->depth == 0) return;
  call->keeps = atomic_load(&safe);
  if (!call->keeps) give(1);
  pthread_setcancelstate(call->cancel, NULL);
}

void fg_compat_resume(const fg_compat_state *call) {
  int cancel = 0;
  if (call->depth > 0) {
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    if (!call->keeps) {
      take(-1, false);
      pthread_mutex_lock(&mutex);
      if (paused > 0) paused--;
      pthread_cond_broadcast(&changed);
      pthread_mutex_unlock(&mutex);
    }
  }
  here = *call;
  here.cancel = cancel;
}

/* ---- planners ---- */

/* The program calls no planner from within another, but where that has called it back: it has left that by longjmp or an exception. */
static void give_back(void) {
  if (here.depth > 0) {
    here.depth = 1;
    fg_compat_unlock();
  }
  here = (fg_compat_state){.depth = 0};
}

fg_compat_call fg_compat_entry(enum fg_caller by, const char *name) {
  if (by == FG_CALLER_PROGRAM && here.planners > 0) give_back();
  const fg_compat_call before = {here.inside, here.planners, here.planner};
  if (here.planners++ == 0) here.planner = name;
  here.inside += by == FG_CALLER_REAL;
  return before;
}

void fg_compat_exit(const fg_compat_call *before) {
  here.inside = before->inside;
  here.planners = before->planners;
  here.planner = before->planner;
}

const char *fg_compat_planner(void) { return here.planners ? here.planner : ""; }
