/* fiber.h: coroutines for simulated threads, each with a small stack of its own, used again and again. */
#ifndef FG_SIM_FIBER_H
#define FG_SIM_FIBER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct fg_fiber fg_fiber;
typedef void fg_fiber_work(void *context);

/* A fiber that waits for work, kept for as long as the process; NULL when there is no memory for it. */
fg_fiber *fg_fiber_new(void);

/* Give an idle fiber its work; the next resume begins it. */
void fg_fiber_start(fg_fiber *, fg_fiber_work *, void *context);

/* Run the fiber until it yields or its work ends; true while there is work left.  An idle fiber is left alone.
 * Called by whoever schedules; a fiber may be resumed by another OS thread than before, between two pieces of work. */
bool fg_fiber_resume(fg_fiber *);

/* Called by the running fiber: back to the scheduler until the next resume. */
void fg_fiber_yield(fg_fiber *);

/* Called by the running fiber: drop its work where it stands (no destructor runs) and be idle. */
_Noreturn void fg_fiber_abandon(fg_fiber *);

#endif
