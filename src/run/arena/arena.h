/* arena.h: the memory that may be handed to DMA.
 *
 * Blocks of fftwf_malloc from FG_ARENA_SMALLEST bytes on are the arena's own: whole pages from the system's malloc (so
 * that libc's free takes them, as it takes stock FFTW's), aligned to pages, or to huge pages where they are large.
 * They are pinned when the first GPU plan or execution uses them, never before, and stay so until they are freed.
 *
 * Where the program's own memory is watched (src/run/arena/watch.h) its blocks, mappings and static variables are regions
 * too. Of these what executions use is pinned, once copying it through staging has cost as much as pinning will. */
#ifndef FG_ARENA_H
#define FG_ARENA_H

#include <unistd.h>

#include "src/run/arena/regions.h"
#include "src/run/target.h"

/* The kernel's, which pins and unmaps whole ones: 4 KB, on some for AArch64 64 KB. */
#define FG_ARENA_PAGE ((size_t)sysconf(_SC_PAGESIZE))

#define FG_ARENA_SMALLEST ((size_t)64 << 10)
/* What has to lie behind a block of malloc's that is watched: no two then share a page, and there is one for its
 * seal. */
#define FG_ARENA_PAD (2 * FG_ARENA_PAGE)

/* A block of at least bytes >= FG_ARENA_SMALLEST; NULL on lack of memory. */
void *fg_arena_alloc(size_t bytes);

/* p is about to be freed: if it is a block of fftwf_malloc's, unpin and forget it, and return true; the caller then
 * gives it to libc's free. Any other pointer (foreign, small, NULL): false. */
bool fg_arena_forget(void *p);

/* [from, from + bytes) lies in one block of fftwf_malloc's, or is pinned now. */
bool fg_arena_holds(const void *from, size_t bytes);

/* An execution is about to use [from, from + bytes). If that lies in one region and is pinned for the target (now, if
 * it was not): a number, another for each time that memory is pinned, and it stays pinned until the same number is let
 * go of. 0 if it is not pinned. What could not be pinned is not tried again. */
unsigned long fg_arena_hold(const fg_target *, const void *from, size_t bytes);
void fg_arena_let_go(unsigned long number);

/* Both at once, for those who only want it to be pinned. */
unsigned long fg_arena_pin(const fg_target *, const void *from, size_t bytes);

/* ---- memory that is watched; errno is left alone ---- */

/* From now on the arena may be called from where the program allocates and unmaps, signal handlers too. still: whether
 * everything is seen as before, asked before each use; NULL: it is. Once it is not nothing is watched any more. */
void fg_arena_watch(bool (*still)(void));

/* Memory has come: a block of malloc's with FG_ARENA_PAD bytes behind it, a new mapping, or static variables. */
void fg_arena_came(enum fg_region_kind, void *base, size_t bytes);

/* Memory of no use has come: whatever was known there is gone. */
void fg_arena_range_came(void *from, size_t bytes);

/* The block that begins at base is about to go, if there is one; whatever pages [from, from + bytes) touches are; those
 * pages have been replaced by new ones. */
void fg_arena_block_goes(void *base);
void fg_arena_range_goes(void *from, size_t bytes);
void fg_arena_range_renewed(void *from, size_t bytes);

#endif
