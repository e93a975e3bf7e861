/* lock.h: one recursive lock around everything that touches the real FFTW's planner, and who is inside it. */
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

/* Whether nobody else has it just now. */
bool fg_compat_idle(void);

/* The same around a call into the real FFTW: what it calls back on this thread is passed straight to it. */
void fg_compat_enter(void);
void fg_compat_leave(void);

/* The same for what the program has not asked for: not amid a plan of its that is paused. */
void fg_compat_enter_alone(void);

/* Who calls a planner. */
enum fg_caller { FG_CALLER_PROGRAM, FG_CALLER_US, FG_CALLER_REAL };

/* What a planner goes back to when it returns (FG_PLANNER_ENTRY). */
typedef struct {
  int inside, planners;
  const char *planner;
} fg_compat_call;

/* A call that comes from the real FFTW counts as inside it until it returns.  One of the program's on a thread that has left
 * another by longjmp or an exception gives back first what that had. */
fg_compat_call fg_compat_entry(enum fg_caller, const char *planner);
void fg_compat_exit(const fg_compat_call *);

/* What a thread has, or a call that is paused. */
typedef struct {
  int depth;           /* how often it has the lock */
  int cancel;          /* whether it could be cancelled before it took it */
  int inside;          /* depth of calls into the real FFTW */
  int planners;        /* that it is in */
  const char *planner; /* the first of them */
  bool keeps;          /* paused, with the lock */
} fg_compat_state;

/* Around what is the program's and called by the real FFTW amid a plan, which may go on in another thread, use FFTW, and never
 * return: without the lock, as with stock FFTW, unless the program has asked for a planner that is safe among its threads. */
void fg_compat_pause(fg_compat_state *);
void fg_compat_resume(const fg_compat_state *);
void fg_compat_safe(void); /* it has */

/* The planner that the program called, which may have called others. */
const char *fg_compat_planner(void);

#endif
