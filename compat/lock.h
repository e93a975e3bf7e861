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

/* The same as a hook behind a plan of the real FFTW's (fg_compat_lock is the one before it). */
void fg_compat_after_plan(void);

/* Whether nobody else has it just now. */
bool fg_compat_idle(void);

/* The same around a call into the real FFTW: what it calls back on this thread is passed straight to it. */
void fg_compat_enter(void);
void fg_compat_leave(void);

/* A call that comes from the real FFTW counts as inside it until it returns (FG_PLANNER_ENTRY). */
bool fg_compat_entry(bool from_real, const char *planner);
void fg_compat_exit(const bool *from_real);

/* The planner that the program called, which may have called others. */
const char *fg_compat_planner(void);

#endif
