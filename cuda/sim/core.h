/* core.h: the state of a running cluster of simulated blocks, between the scheduler (block.c) and what threads call
 * (hooks.c). */
#ifndef FG_SIM_CORE_H
#define FG_SIM_CORE_H

#include <stdint.h>

#include "cuda/sim/block.h"
#include "cuda/sim/copies.h"
#include "cuda/sim/fiber.h"
#include "cuda/sim/memory.h"
#include "cuda/sim/shared.h"

typedef enum { READY, AT_BARRIER, AT_WARP_SYNC, AT_SHUFFLE, AT_COPY, AT_CLUSTER, DONE } thread_state;

typedef struct {
  fg_fiber *fiber;
  thread_state state;
  bool arrived;    /* at the cluster's barrier */
  bool sends;      /* what it writes next is counted where it arrives, in its own block too */
  uint32_t mask;   /* lanes that a warp operation waits for */
  uint32_t source; /* of a shuffle */
  uint64_t value;  /* handed in, then received */
  unsigned rounds; /* in which it has said that points come from the cluster */
  const fg_sim_copy_barrier *copied; /* what it waits at for copies */
} sim_thread;

typedef struct {
  fg_sim_shared_memory shared;
  fg_sim_copies copies;
  unsigned waiting[DONE + 1]; /* threads that were in that state when last seen */
  struct {
    unsigned expected, sent; /* points that blocks of the cluster are to send to it, and have */
  } round[2];                /* the present one and the one before: a thread may begin the next while others look */
  unsigned rounds;           /* begun by any thread */
  bool receives;             /* its threads wait for what is sent to it */
  const char *counter;        /* where a GPU counts them: 8 bytes of shared memory; NULL: nowhere yet */
  sim_thread threads[FG_BLOCK_THREADS];
} sim_block;

/* One cluster: mostly one block. */
typedef struct core {
  fg_sim_state state; /* first: hooks get its address */
  const fg_sim_launch *launch;
  fg_sim_toucher toucher;
  bool violated;
  bool met;     /* the cluster has had a barrier */
  bool reached; /* since the last one a thread wrote to a neighbour */
  unsigned rank; /* of the running block */
  sim_block *blocks[FG_CLUSTER_BLOCKS];
  struct core *next;
} core;

static inline sim_block *block_of(const core *c) { return c->blocks[c->rank]; }

/* What the running kernel calls. */
extern const fg_sim_hooks fg_sim_core_hooks;

#endif
