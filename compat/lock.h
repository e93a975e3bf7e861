/* lock.h: one recursive lock around everything that touches the real FFTW's planner, and who is inside it.
 *
 * It belongs to a call rather than to a thread: where the real FFTW calls the program back, that may go on in another thread. */
#ifndef FG_COMPAT_LOCK_H
#define FG_COMPAT_LOCK_H

#include <stdbool.h>

/* Whether FFTW3_GPU=off: pass everything straight through. */
bool fg_compat_off(void);

/* Whether it is the real FFTW that calls. */
bool fg_compat_inside(void);

/* Whether a call must go straight to the real FFTW: it is the real FFTW that calls, or FFTW3_GPU=off, there is no trace
 * to write, and the program has no memory of a device. */
bool fg_compat_direct(void);

/* The planner lock of this process; recursive; nothing under FFTW3_GPU=off, where FFTW's own rules hold alone.  A
 * thread that has it is not cancelled.  fork waits for it, a tenth of a second at most; its child starts with it free. */
void fg_compat_lock(void);
void fg_compat_unlock(void);

/* The same as a hook behind a plan of the real FFTW's (fg_compat_lock is the one before it). */
void fg_compat_after_plan(void);

/* Whether nobody else has it just now. */
bool fg_compat_idle(void);

/* The same around a call into the real FFTW: what it calls back on this thread is passed straight to it. */
void fg_compat_enter(void);
void fg_compat_leave(void);

/* Who calls a planner. */
enum fg_caller { FG_CALLER_PROGRAM, FG_CALLER_US, FG_CALLER_REAL };

/* A call that comes from the real FFTW counts as inside it until it returns (FG_PLANNER_ENTRY).  One of the program's on a thread
 * that has left another by longjmp or an exception gives back first what that had. */
enum fg_caller fg_compat_entry(enum fg_caller, const char *planner);
void fg_compat_exit(const enum fg_caller *);

/* What a thread, or a call that was paused, has. */
typedef struct {
  unsigned long ticket;           /* that of the lock, if it has it */
  int depth;                      /* how often it has it */
  int inside;                     /* depth of calls into the real FFTW */
  int planners;                   /* that it is in */
  const char *planner;            /* the first of them, */
  struct { int depth, inside; } first; /* and what there was before it */
  const void *paused;             /* where a call with the lock was paused on this thread's stack, or NULL */
} fg_compat_state;

/* Around what is the program's and called by the real FFTW amid a plan: calls of this thread's are the program's meanwhile, and
 * behind it this thread, whichever it is, has what the one before it had. */
fg_compat_state fg_compat_pause(void);
void fg_compat_resume(const fg_compat_state *);

/* The planner that the program called, which may have called others. */
const char *fg_compat_planner(void);

#endif
