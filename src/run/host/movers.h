/* movers.h: threads that copy, beside the one that executes.
 *
 * Started when they are first needed, all signals blocked. They sleep but for executions that have taken them; in
 * between they wait awake, since a copy lasts little longer than waking up. */
#ifndef FG_MOVERS_H
#define FG_MOVERS_H

#include "src/run/host/belt.h"

/* The belts that the movers work on: one for each direction, and one for what can wait. */
enum { FG_SPARE = 2, FG_BELTS = 3 };

typedef struct {
  fg_belt belt[FG_BELTS];
} fg_belts;

/* What is worth it, the caller counted. More than few sleep apart, so that who takes few does not wake them. */
enum { FG_FEW_MOVERS = 8, FG_MANY_MOVERS = 12 };

/* Wake movers, for the calling thread's belts alone: these. With the caller they are as many as are worth it, but no more
 * than this process's share of the processors (src/run/ranks.h); or FFTW3_GPU_COPY_THREADS. NULL where there are none
 * or another thread has them: then the caller's own belts will do, on which it works alone. */
fg_belts *fg_movers_take(int worth);

/* As if the process might use so many processors, for tests; 0: as many as it may. */
extern int fg_movers_processors;

/* Both belts have been stopped; of a thread that has taken the movers. */
void fg_movers_give(void);

#endif
