/* threads.c: FFTW's threads functions.  The threads library is opened only when one of them needs it; not under the planner's lock,
 * which who has the loader's may wait for. */
#include "config.h"

#include <stdbool.h>
#include <stdlib.h>

#include "compat/lock.h"
#include "compat/next.h"
#include "compat/object.h"
#include "compat/traced.h"

/* What the planner was told; an FFTW before 3.3.9 does not say. */
static _Atomic int told = 1;

/* Asked how many threads it may use, FFTW makes its planner where there is none, without the planner's lock, though another
 * thread may be at its first plan by functions that never come here.  Who only looks for wisdom makes it with the lock.  (What
 * only stands for FFTW has no such planner, and may know neither the flag nor transforms without a dimension.) */
static _Atomic bool made; /* switched off nobody locks */

void FG(make_planner)(void) {
  static X(complex) none[1];
  if (made || !FG(real)()->planner_nthreads || !FG(real_is_fftw)()) return;
  fg_compat_enter();
  const X(plan) plan = FG_REAL(plan_guru64_dft, NULL, 0, NULL, 0, NULL, none, none, FFTW_FORWARD, FFTW_WISDOM_ONLY);
  if (plan) FG_REAL_DO(destroy_plan, plan);
  made = true;
  fg_compat_leave();
}

void FG(threads_forgotten)(void) {
  told = 1;
  made = false;
}

int FG(threads_in_force)(void) {
  const int threads = FG_REAL(planner_nthreads, (int)told);
  return threads > 1 ? threads : 1;
}

int X(init_threads)(void) {
  const FG(next_table) *real = FG(real_threads)(true);
  fg_compat_enter();
  const int good = real->init_threads ? real->init_threads() : 0;
  fg_compat_leave();
  FG_TRACED(FG_CALL_INIT_THREADS, .result = good);
  return good;
}

/* Nothing was initialised if the library is not there. */
void X(cleanup_threads)(void) {
  const FG(next_table) *real = FG(real_threads)(false);
  fg_compat_enter();
  if (real->cleanup_threads) real->cleanup_threads();
  else if (real->cleanup) real->cleanup();
  FG(threads_forgotten)();
  fg_compat_safe(FG_PRECISION, false);
  fg_compat_leave();
  FG(cleaned_up)(); /* it cleans up all else, too */
  FG_TRACED(FG_CALL_CLEANUP_THREADS);
}

void X(plan_with_nthreads)(int nthreads) {
  const FG(next_table) *real = FG(real_threads)(true);
  fg_compat_enter();
  if (real->plan_with_nthreads) {
    real->plan_with_nthreads(nthreads);
    told = nthreads;
  }
  fg_compat_leave();
  FG_TRACED(FG_CALL_PLAN_WITH_NTHREADS, .value = nthreads);
}

int X(planner_nthreads)(void) {
  FG(real_threads)(true);
  fg_compat_enter();
  const int threads = FG(threads_in_force)();
  fg_compat_leave();
  FG_TRACED(FG_CALL_PLANNER_NTHREADS, .result = threads);
  return threads;
}

/* A loop of the program's.  FFTW may still be in the last one when another is set: none is freed. */
typedef struct loop {
  void (*run)(void *(*work)(char *), char *jobdata, size_t elsize, int njobs, void *data);
  void *data;
  struct loop *next;
} loop;

static loop *loops; /* with the planner's lock */

static loop *loop_of(void (*run)(void *(*work)(char *), char *jobdata, size_t elsize, int njobs, void *data), void *data) {
  loop *l = loops;
  while (l && (l->run != run || l->data != data)) l = l->next;
  if (l || !(l = malloc(sizeof *l))) return l;
  *l = (loop){run, data, loops};
  return loops = l;
}

static void run_loop(void *(*work)(char *), char *jobdata, size_t elsize, int njobs, void *data) {
  const loop *const l = data;
  fg_compat_state call;
  fg_compat_pause(&call);
  l->run(work, jobdata, elsize, njobs, l->data);
  fg_compat_resume(&call);
}

void X(threads_set_callback)(void (*parallel_loop)(void *(*work)(char *), char *jobdata, size_t elsize, int njobs,
                                                   void *data),
                             void *data) {
  const FG(next_table) *real = FG(real_threads)(true);
  if (parallel_loop) fg_object_keep((const void *)parallel_loop); /* FFTW would go with a plugin that set it, but is kept */
  fg_compat_enter();
  loop *const l = parallel_loop && !fg_compat_off() ? loop_of(parallel_loop, data) : NULL;
  if (real->threads_set_callback) real->threads_set_callback(l ? run_loop : parallel_loop, l ? (void *)l : data);
  fg_compat_leave();
  if (parallel_loop) FG_TRACED(FG_CALL_THREADS_SET_CALLBACK, .word = "own");
  else FG_TRACED(FG_CALL_THREADS_SET_CALLBACK, .word = "none");
}
