/* movers.h: threads that copy, beside the one that executes.
 *
 * Started when they are first needed, all signals blocked. They sleep but for executions that begin and end say they
 * are needed in; in between they wait awake, since a copy lasts little longer than waking up. How many: as many as this
 * process's share of the processors (src/run/ranks.h), eight at most, or FFTW3_GPU_COPY_THREADS; the calling thread is
 * one of them. */
#ifndef FG_MOVERS_H
#define FG_MOVERS_H

#include <stddef.h>

void fg_movers_begin(void);
void fg_movers_end(void);

/* Call part(context, i) for every i in [0, count), in any order and by several threads; returns when all are done. Who
 * comes while another thread has the movers does its parts alone. */
void fg_movers_run(void (*part)(void *context, ptrdiff_t i), void *context, ptrdiff_t count);

#endif
