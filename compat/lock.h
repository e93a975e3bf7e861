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

enum { FG_COMPAT_PRECISIONS = 2 }; /* enum fg_precision */

/* The program has asked for a planner of that precision that is safe among its threads, or takes that back. */
void fg_compat_safe(int precision, bool on);

/* The lock for what makes or destroys a plan of the real FFTW's, as hooks of its planner, too: then also nobody else of the
 * program's does so until the end, though the lock may be free meanwhile (fg_compat_pause), as under FFTW's own lock, which is
 * not recursive. */
void fg_compat_begin_plan(int precision);
void fg_compat_end_plan(int precision);

/* The same for what the program has not asked for, which waits for that a second at most. */
void fg_compat_begin_own_plan(int precision);

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
  int plans[FG_COMPAT_PRECISIONS];  /* that it has begun and not ended, */
  unsigned long holds[FG_COMPAT_PRECISIONS]; /* as the only one: the number, or 0 */
  unsigned long kept[FG_COMPAT_PRECISIONS];  /* by what was paused here last, and may have gone on elsewhere */
} fg_compat_state;

/* Around what is the program's and called by the real FFTW amid a plan, which may go on in another thread, use FFTW, and never
 * return: without the lock, as with stock FFTW. */
void fg_compat_pause(fg_compat_state *);
void fg_compat_resume(const fg_compat_state *);

/* The planner that the program called, which may have called others. */
const char *fg_compat_planner(void);

#endif
