/* lock.c: the planner lock. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* a static recursive mutex */
#endif

#include "compat/lock.h"

#include <pthread.h>

#include "src/report/lock_for.h"
#include "src/report/settings.h"
#include "src/report/trace.h"
#include "src/run/residence.h"

static pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static _Thread_local int inside; /* depth of calls of this thread into the real FFTW */
static _Thread_local int planners; /* that this thread is in */
static _Thread_local const char *planner; /* the first of them */
static _Thread_local int held;   /* how often this thread has the lock */
static _Thread_local int cancel; /* whether it could be cancelled before it took it */

/* ---- fork ---- */

/* Executions plan by the real FFTW where the device fails, of which a program that forks beside them knows nothing: a child would
 * find FFTW's planner in the midst of it.  That takes milliseconds; a plan of the program's own may take minutes, and most children
 * only exec, so that fork waits no longer. */
enum { MOST_WAIT = 100 }; /* ms */
static _Thread_local bool waited; /* and has the lock */

static void before_fork(void) { waited = fg_lock_for(&mutex, MOST_WAIT); }

static void in_parent(void) {
  if (waited) pthread_mutex_unlock(&mutex);
}

static void in_child(void) {
  const pthread_mutex_t fresh = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
  mutex = fresh;
}

__attribute__((constructor)) static void watch_fork(void) { pthread_atfork(before_fork, in_parent, in_child); }

/* ---- the lock ---- */

bool fg_compat_off(void) { return fg_settings_get()->mode == FG_MODE_OFF; }

bool fg_compat_inside(void) { return inside > 0; }

/* Switched off, the real FFTW must still be kept from arrays that it cannot reach. */
bool fg_compat_direct(void) {
  return inside > 0 || (fg_compat_off() && !fg_trace_on() && !fg_residence_expected());
}

/* Planning reads and writes files: a thread cancelled there would never give the lock back. */
void fg_compat_lock(void) {
  if (fg_compat_off()) return;
  if (held++ == 0) pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
  pthread_mutex_lock(&mutex);
}

void fg_compat_unlock(void) {
  if (fg_compat_off()) return;
  pthread_mutex_unlock(&mutex);
  if (--held == 0) pthread_setcancelstate(cancel, NULL);
}

/* Not where hooks were set amid a plan: then nothing was called before it. */
void fg_compat_after_plan(void) {
  if (held > 0) fg_compat_unlock();
}

bool fg_compat_idle(void) {
  if (fg_compat_off()) return true;
  if (pthread_mutex_trylock(&mutex)) return false;
  pthread_mutex_unlock(&mutex);
  return true;
}

void fg_compat_enter(void) {
  fg_compat_lock();
  inside++;
}

void fg_compat_leave(void) {
  inside--;
  fg_compat_unlock();
}

bool fg_compat_entry(bool from_real, const char *name) {
  if (planners++ == 0) planner = name;
  inside += from_real;
  return from_real;
}

void fg_compat_exit(const bool *from_real) {
  planners--;
  inside -= *from_real;
}

const char *fg_compat_planner(void) { return planners ? planner : ""; }
