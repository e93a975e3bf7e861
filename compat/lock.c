/* lock.c: the planner lock. */
#include "config.h"

#include "compat/lock.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "src/report/settings.h"
#include "src/report/trace.h"
#include "src/run/residence.h"

/* Semaphores, since a handler of a signal may fork, or leave by longjmp, wherever a thread is, and a call may go on in another. */
static sem_t lock;
static sem_t hold[FG_COMPAT_PRECISIONS]; /* of each precision's planner, where the program has asked for it; before the lock */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_bool safe[FG_COMPAT_PRECISIONS]; /* it has */
static atomic_ulong holder[FG_COMPAT_PRECISIONS]; /* who has that: another number each time */

static _Thread_local fg_compat_state here;
static _Thread_local volatile sig_atomic_t busy; /* taking the lock or giving it back: what here says is not so yet */

static void make(void) {
  sem_init(&lock, 0, 1);
  for (int p = 0; p < FG_COMPAT_PRECISIONS; p++) sem_init(&hold[p], 0, 1);
}

static struct timespec after(long milliseconds) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  t.tv_nsec += milliseconds % 1000 * 1000000;
  t.tv_sec += milliseconds / 1000 + t.tv_nsec / 1000000000;
  t.tv_nsec %= 1000000000;
  return t;
}

/* False if it is not to be had within so many milliseconds; negative: wait for ever.  No place where a thread is cancelled, and
 * errno stays: executions wait here, too. */
static bool take(sem_t *s, long milliseconds) {
  const struct timespec until = milliseconds < 0 ? (struct timespec){0, 0} : after(milliseconds);
  const int saved = errno;
  int cancel, failed;
  pthread_once(&once, make);
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
  do failed = milliseconds < 0 ? sem_wait(s) : sem_timedwait(s, &until);
  while (failed && errno == EINTR);
  pthread_setcancelstate(cancel, NULL);
  errno = saved;
  return !failed;
}

static bool is_free(sem_t *s) {
  int value = 1;
  pthread_once(&once, make);
  return sem_getvalue(s, &value) || value > 0;
}

/* ---- fork ---- */

/* Executions plan by the real FFTW where the device fails, of which a program that forks beside them knows nothing: a child would
 * find FFTW's planner in the midst of it.  That takes milliseconds; a plan of the program's own may take minutes, and most
 * children only exec, so that fork waits no longer. */
enum { MOST_WAIT = 100 }; /* ms */
static _Thread_local bool waited; /* and has the lock */

static void before_fork(void) { waited = here.depth == 0 && !busy && take(&lock, MOST_WAIT); }

static void in_parent(void) {
  if (waited) sem_post(&lock);
}

/* Who forks within a planner, or in a loop that it has called, goes on there. */
static void in_child(void) {
  if (!busy) sem_init(&lock, 0, here.depth == 0);
  for (int p = 0; p < FG_COMPAT_PRECISIONS; p++) {
    const unsigned long number = here.holds[p] ? here.holds[p] : here.kept[p];
    sem_init(&hold[p], 0, !number || number != atomic_load(&holder[p]));
  }
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
  int cancel;
  if (fg_compat_off()) return;
  if (here.depth == 0) {
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    busy = true;
    take(&lock, -1);
    here.cancel = cancel;
    here.depth = 1;
    atomic_signal_fence(memory_order_seq_cst);
    busy = false;
  } else {
    here.depth++;
  }
}

void fg_compat_unlock(void) {
  if (fg_compat_off() || here.depth == 0) return;
  if (here.depth > 1) {
    here.depth--;
    return;
  }
  busy = true;
  here.depth = 0;
  sem_post(&lock);
  busy = false;
  pthread_setcancelstate(here.cancel, NULL);
}

bool fg_compat_idle(void) {
  if (fg_compat_off() || here.depth > 0) return true;
  for (int p = 0; p < FG_COMPAT_PRECISIONS; p++)
    if (!here.holds[p] && !is_free(&hold[p])) return false;
  return is_free(&lock);
}

void fg_compat_enter(void) {
  fg_compat_lock();
  here.inside++;
}

void fg_compat_leave(void) {
  here.inside--;
  fg_compat_unlock();
}

/* ---- plans ---- */

void fg_compat_safe(int precision, bool on) { atomic_store(&safe[precision], on); }

/* Not by who has the lock: who has the planner may be waiting for that. */
static void begin(int p, long milliseconds) {
  if (here.plans[p] == 0 && here.depth == 0 && atomic_load(&safe[p]) && take(&hold[p], milliseconds))
    here.holds[p] = atomic_fetch_add(&holder[p], 1) + 1;
  here.plans[p]++;
}

void fg_compat_begin_plan(int precision) {
  if (fg_compat_off()) return;
  begin(precision, -1);
  fg_compat_lock();
}

/* Where hooks were set amid a plan nothing was called before it. */
void fg_compat_end_plan(int precision) {
  if (fg_compat_off() || here.plans[precision] == 0) return;
  fg_compat_unlock();
  if (--here.plans[precision] > 0 || !here.holds[precision]) return;
  here.holds[precision] = 0;
  sem_post(&hold[precision]);
}

/* A plan that the program is called back from may wait for this very execution. */
void fg_compat_begin_own_plan(int precision) {
  enum { MOST_PLAN = 1000 }; /* ms */
  if (fg_compat_off()) return;
  begin(precision, MOST_PLAN);
  fg_compat_lock();
}

/* ---- the program, called back ---- */

void fg_compat_pause(fg_compat_state *call) {
  *call = here;
  here = (fg_compat_state){.depth = 0};
  memcpy(here.kept, call->holds, sizeof here.kept);
  if (call->depth == 0) return;
  sem_post(&lock);
  pthread_setcancelstate(call->cancel, NULL);
}

static void give_back(void) {
  if (here.depth > 0) {
    here.depth = 1;
    fg_compat_unlock();
  }
  for (int p = 0; p < FG_COMPAT_PRECISIONS; p++)
    if (here.holds[p]) sem_post(&hold[p]);
  here = (fg_compat_state){.depth = 0};
}

void fg_compat_resume(const fg_compat_state *call) {
  int cancel = 0;
  give_back(); /* of a plan in the loop that was left */
  if (call->depth > 0) {
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    take(&lock, -1);
  }
  here = *call;
  here.cancel = cancel;
  for (int p = 0; p < FG_COMPAT_PRECISIONS; p++) /* the thread that it was paused in has it no more */
    if (here.holds[p]) here.holds[p] = atomic_fetch_add(&holder[p], 1) + 1;
}

/* ---- planners ---- */

/* The program calls no planner from within another, but where that has called it back: else it has left that by longjmp or an
 * exception. */
fg_compat_call fg_compat_entry(enum fg_caller by, const char *name) {
  if (by == FG_CALLER_PROGRAM && here.planners > 0 && !fg_compat_off()) give_back();
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
