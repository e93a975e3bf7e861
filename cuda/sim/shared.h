/* shared.h: a block's shared memory, and which thread may touch which word of it when.
 *
 * Threads have their numbers in the block; those of the cluster's other blocks, which only write, come behind. */
#ifndef FG_SIM_SHARED_H
#define FG_SIM_SHARED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FG_WARP = 32, FG_BLOCK_THREADS = 1024, FG_BLOCK_WARPS = FG_BLOCK_THREADS / FG_WARP };

/* The other thread of a race: threads of several warps. */
enum { FG_SHARED_SEVERAL = 0xffff };

/* Order within a warp.  clock counts the warp's __syncwarp; all is the clock after the last one that every living lane
 * joined, pair[a][b] after the last one that lanes a and b both joined.  What lane a did at clock c comes before what
 * lane b does now if all > c or pair[a][b] > c. */
typedef struct {
  uint32_t clock, all;
  uint32_t pair[FG_WARP][FG_WARP];
} fg_sim_warp_order;

typedef struct fg_sim_note fg_sim_note;

typedef struct {
  char *memory;   /* aligned to 1024 bytes */
  size_t bytes;   /* of this launch */
  uint64_t epoch; /* of the last barrier; grows from block to block, never returns */
  uint64_t begin; /* the epoch with which the running block began */
  uint64_t own;      /* the epoch of the last barrier that orders this block's threads */
  uint64_t together; /* and of what orders threads of different blocks */
  fg_sim_note *notes;
  size_t room;
  fg_sim_warp_order warps[FG_BLOCK_WARPS];
  uint32_t arrived;                /* groups of copies that have arrived (copies.h) */
  uint32_t seen[FG_BLOCK_THREADS]; /* the last of them that the thread has waited for */
} fg_sim_shared_memory;

typedef enum {
  FG_SHARED_FINE,
  FG_SHARED_OUTSIDE,
  FG_SHARED_MISALIGNED,
  FG_SHARED_UNWRITTEN, /* a word is read that this block never wrote */
  FG_SHARED_RACE,      /* another thread touched a word since the last barrier, one of the two writing */
  FG_SHARED_COPIED     /* a copy to there is under way, or neither the thread nor a barrier has waited for it */
} fg_sim_shared_result;

/* Have bytes of shared memory for a launch: 0, or -1 for lack of host memory. */
int fg_sim_shared_reserve(fg_sim_shared_memory *, size_t bytes);

/* A new block begins: everything is unwritten. */
void fg_sim_shared_begin(fg_sim_shared_memory *);

/* __syncthreads, the cluster's barrier, and __syncwarp of the lanes in mask (everyone: no living lane is missing). */
void fg_sim_shared_barrier(fg_sim_shared_memory *);
void fg_sim_shared_cluster_barrier(fg_sim_shared_memory *);
/* What other blocks wrote has come: nothing is ordered among this one's threads. */
void fg_sim_shared_received(fg_sim_shared_memory *);
void fg_sim_shared_warp_sync(fg_sim_shared_memory *, unsigned warp, uint32_t mask, bool everyone);

/* Note an access of a thread, or say what is wrong with it (then *with is the other thread of a race). */
fg_sim_shared_result fg_sim_shared_touch(fg_sim_shared_memory *, unsigned thread, const void *address, unsigned bytes,
                                         bool write, unsigned *with);

/* A thread leaves bytes to a copy that it begins, or is told what is wrong with that. */
fg_sim_shared_result fg_sim_shared_leave(fg_sim_shared_memory *, unsigned thread, const void *address, size_t bytes,
                                         unsigned *with);

/* They are there.  When all of a group of copies are: its number, which threads that have waited for it have seen. */
void fg_sim_shared_arrive(fg_sim_shared_memory *, const void *address, size_t bytes);
uint32_t fg_sim_shared_arrived(fg_sim_shared_memory *);
void fg_sim_shared_see(fg_sim_shared_memory *, unsigned thread, uint32_t group);

#endif
