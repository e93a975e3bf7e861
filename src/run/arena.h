/* arena.h: the memory that fftwf_malloc gives, where it may one day be handed to DMA.
 *
 * Blocks of FG_ARENA_SMALLEST bytes and more are the arena's: whole pages from the system's malloc (so that libc's free
 * takes them, as it takes stock FFTW's), aligned to pages, or to huge pages where they are large. Smaller ones never
 * come here. A block is pinned when the first GPU plan or execution uses it, never before, and stays so until it is
 * freed. */
#ifndef FG_ARENA_H
#define FG_ARENA_H

#include "src/run/target.h"

#define FG_ARENA_SMALLEST ((size_t)64 << 10)

/* A block of at least bytes >= FG_ARENA_SMALLEST; NULL on lack of memory. */
void *fg_arena_alloc(size_t bytes);

/* p is about to be freed: if it is a block of the arena's, unpin and forget it, and return true; the caller then gives
 * it to libc's free. Any other pointer (foreign, small, NULL): false. */
bool fg_arena_forget(void *p);

/* [from, from + bytes) lies in one block of the arena's. */
bool fg_arena_holds(const void *from, size_t bytes);

/* The same, and the block is pinned for the target (now, if it was not): a number, another for each time that a block
 * is pinned; 0 if it is not. A block that could not be pinned is not tried again. */
unsigned long fg_arena_pin(const fg_target *, const void *from, size_t bytes);

#endif
