/* lock.c: the planner lock. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* pthread_getattr_np */
#endif
#include "config.h"

#include "compat/lock.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>
#ifdef __GLIBC__
#include <execinfo.h>
#endif

#include "compat/object.h"
#include "src/report/settings.h"
#include "src/report/trace.h"
#include "src/run/residence.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* of taken alone, for a moment */
static pthread_cond_t freed = PTHREAD_COND_INITIALIZER;
static bool taken;
static atomic_ulong serving; /* the ticket of who has it */

static _Thread_local fg_compat_state here;
static _Thread_local int cancel; /* whether it could be cancelled before it took the lock */

/* False if it is not free after so many milliseconds; negative: wait for ever. */
static bool take(long milliseconds) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += milliseconds % 1000 * 1000000;
  until.tv_sec += milliseconds / 1000 + until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  pthread_mutex_lock(&mutex);
  for (int late = 0; taken && !late;)
    late = milliseconds < 0 ? pthread_cond_wait(&freed, &mutex) : pthread_cond_timedwait(&freed, &mutex, &until);
  const bool got = !taken;
  taken = true;
  pthread_mutex_unlock(&mutex);
  return got;
}

static void give(void) {
  pthread_mutex_lock(&mutex);
  taken = false;
  pthread_cond_signal(&freed);
  pthread_mutex_unlock(&mutex);
}

/* A thread that a paused call has left for another keeps its depth, which counts no more. */
static bool mine(void) { return here.depth > 0 && here.ticket == atomic_load(&serving); }

static void become_owner(int depth) {
  here.ticket = atomic_fetch_add(&serving, 1) + 1;
  here.depth = depth;
}

/* ---- fork ---- */

/* Executions plan by the real FFTW where the device fails, of which a program that forks beside them knows nothing: a child would
 * find FFTW's planner in the midst of it.  That takes milliseconds; a plan of the program's own may take minutes, and most children
 * only exec, so that fork waits no longer. */
enum { MOST_WAIT = 100 }; /* ms */
static _Thread_local bool waited; /* and has the lock */

static void before_fork(void) { waited = mine() || take(MOST_WAIT); }

static void in_parent(void) {
  if (waited && !mine()) give();
}

/* Who forks within a planner goes on there. */
static void in_child(void) {
  const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
  const pthread_cond_t none = PTHREAD_COND_INITIALIZER;
  mutex = fresh;
  freed = none;
  taken = mine();
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
  if (mine()) {
    here.depth++;
    return;
  }
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
  take(-1);
  become_owner(1);
}

void fg_compat_unlock(void) {
  if (fg_compat_off() || !mine() || --here.depth > 0) return;
  give();
  pthread_setcancelstate(cancel, NULL);
}

/* Where hooks were set amid a plan nothing was called before it. */
void fg_compat_after_plan(void) { fg_compat_unlock(); }

bool fg_compat_idle(void) {
  if (fg_compat_off() || mine()) return true;
  pthread_mutex_lock(&mutex);
  const bool idle = !taken;
  pthread_mutex_unlock(&mutex);
  return idle;
}

void fg_compat_enter(void) {
  fg_compat_lock();
  here.inside++;
}

void fg_compat_leave(void) {
  here.inside--;
  fg_compat_unlock();
}

/* ---- the program, called back ---- */

fg_compat_state fg_compat_pause(void) {
  fg_compat_state paused = here;
  if (!mine()) paused.depth = 0;
  here.inside = here.planners = 0;
  if (paused.depth) here.paused = __builtin_frame_address(0);
  return paused;
}

void fg_compat_resume(const fg_compat_state *paused) {
  const bool still_mine = mine() && here.ticket == paused->ticket;
  here = *paused;
  if (!paused->depth || still_mine) return;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
  become_owner(paused->depth);
}

/* ---- planners ---- */

/* As it was when the program called the first of its planners. */
static void go_back(void) {
  here.inside = here.first.inside;
  if (mine() && here.depth > here.first.depth) {
    here.depth = here.first.depth + 1;
    fg_compat_unlock();
  }
}

/* Whether this thread has, below the functions of this library that run now, others of it: then a planner of ours has called
 * somebody who called this one, a library that wraps FFTW's functions or the program, called back. */
static bool is_within_another(void) {
#ifdef __GLIBC__
  void *at[64];
  const int count = backtrace(at, sizeof at / sizeof *at);
  fg_object ours, o;
  if (!fg_object_at((const void *)is_within_another, &ours)) return true;
  bool others = false;
  for (int i = 0; i < count; i++) {
    const bool own = fg_object_at(at[i], &o) && o.map == ours.map;
    if (own && others) return true;
    others = others || !own;
  }
  return false;
#else
  return true;
#endif
}

/* Both lie in what this thread began with, and not in the stack of a task. */
static bool on_own_stack(const void *one, const void *other) {
  pthread_attr_t attributes;
  void *stack;
  size_t bytes;
  if (pthread_getattr_np(pthread_self(), &attributes)) return false;
  pthread_attr_getstack(&attributes, &stack, &bytes);
  pthread_attr_destroy(&attributes);
  const uintptr_t from = (uintptr_t)stack;
  return (uintptr_t)one - from < bytes && (uintptr_t)other - from < bytes;
}

/* A planner that this thread is in, as it seems, or what that had called back, was left by longjmp or an exception. */
static bool has_left_one(void) {
  return (here.planners > 0 || (here.paused && on_own_stack(here.paused, __builtin_frame_address(0)))) && !is_within_another();
}

enum fg_caller fg_compat_entry(enum fg_caller by, const char *name) {
  if (by == FG_CALLER_PROGRAM && has_left_one()) {
    go_back();
    here.planners = 0;
    here.paused = NULL;
  }
  if (here.planners++ == 0) {
    here.planner = name;
    here.first.depth = mine() ? here.depth : 0;
    here.first.inside = here.inside;
  }
  here.inside += by == FG_CALLER_REAL;
  return by;
}

void fg_compat_exit(const enum fg_caller *by) {
  here.planners--;
  here.inside -= *by == FG_CALLER_REAL;
}

const char *fg_compat_planner(void) { return here.planners ? here.planner : ""; }
