/* chain.h: launches of one program that are given to the device at once, which takes the processor as long as one launch does
 * (3 µs).  Where each execution is waited for, that is felt of all short ones; else of those that take the device less time
 * than launching takes the processor. */
#ifndef FG_CHAIN_H
#define FG_CHAIN_H

#include "cuda/kernel/args.h"
#include "src/run/target.h"

enum { FG_CHAIN_MOST = 8 }; /* launches */

typedef struct fg_chains fg_chains;

/* Of so many launches, always the same ones but for their arguments, which are an fg_tile_args or the beginning of one.
 * NULL if there is no memory for it, or the backend has no chains. */
fg_chains *fg_chains_new(const fg_target *, int count);
void fg_chains_free(fg_chains *);

/* true: all are in the stream.  false: none of them; they are to be launched one by one, as those of a stream's first
 * call are, for which a chain would not be worth its making, those in more than four streams by turns, and where something
 * fails or another thread is at it.  NULL is allowed. */
bool fg_chains_launch(fg_chains *, const fg_kernel_launch *, fg_stream *);

#endif
