/* block.c: the scheduler of simulated blocks.
 *
 * A core holds the blocks of one cluster, mostly one: each one's threads as fibers, its shared memory, its warps.  Each
 * block runs until all of its threads wait for the cluster, then the next.  Cores are kept in a pool, one for each launch
 * that runs at the same time. */
#include "config.h"

#include "cuda/sim/block.h"

#include "cuda/backend.h"
#include "cuda/sim/core.h"
#include "cuda/sim/traffic.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;
static core *pool;
static uint32_t launches;

/* ---- the scheduler ---- */

static void run_thread(void *context) {
  core *c = context;
  if (!c->violated)
    c->launch->exports->run(&c->state, c->launch->args);
}

/* The lanes of a warp that have not finished. */
static uint32_t living_lanes(const core *c, unsigned warp) {
  uint32_t lanes = 0;
  for (unsigned l = 0; l < FG_WARP && warp * FG_WARP + l < c->launch->block; l++)
    if (block_of(c)->threads[warp * FG_WARP + l].state != DONE)
      lanes |= UINT32_C(1) << l;
  return lanes;
}

static void exchange(sim_thread *lanes, uint32_t mask) {
  uint64_t given[FG_WARP];
  for (unsigned l = 0; l < FG_WARP; l++) /* a lane that takes no part hands in a NaN: see cuda_on_cpu.h */
    given[l] = mask >> l & 1 ? lanes[l].value : UINT64_C(0x7ff8dead7fc0dead);
  for (uint32_t left = mask; left; left &= left - 1)
    lanes[__builtin_ctz(left)].value = given[lanes[__builtin_ctz(left)].source];
}

/* Let the warp operation that thread number t waits in happen, if every living lane of its mask has come to it. */
static bool complete_warp_operation(core *c, unsigned t) {
  unsigned warp = t / FG_WARP;
  sim_thread *threads = block_of(c)->threads, *lanes = &threads[warp * FG_WARP];
  thread_state state = threads[t].state;
  uint32_t mask = threads[t].mask, living = living_lanes(c, warp), here = mask & living;
  for (uint32_t left = here; left; left &= left - 1) {
    const sim_thread *lane = &lanes[__builtin_ctz(left)];
    if (lane->state != state || lane->mask != mask)
      return false;
  }
  if (state == AT_SHUFFLE)
    exchange(lanes, here);
  else
    fg_sim_shared_warp_sync(&block_of(c)->shared, warp, here, here == living);
  for (uint32_t left = here; left; left &= left - 1)
    lanes[__builtin_ctz(left)].state = READY;
  return true;
}

/* Run every READY thread up to its next wait. */
static void run_ready(core *c) {
  sim_block *b = block_of(c);
  memset(b->waiting, 0, sizeof b->waiting);
  for (unsigned t = 0; t < c->launch->block; t++) {
    sim_thread *thread = &b->threads[t];
    if (thread->state == READY) {
      c->state.thread.x = t;
      if (!fg_fiber_resume(thread->fiber))
        thread->state = DONE;
      if (c->violated)
        return;
    }
    b->waiting[thread->state]++;
  }
}

static bool complete_warp_operations(core *c) {
  const sim_thread *threads = block_of(c)->threads;
  bool any = false;
  for (unsigned t = 0; t < c->launch->block; t++)
    if (threads[t].state == AT_WARP_SYNC || threads[t].state == AT_SHUFFLE)
      any |= complete_warp_operation(c, t);
  return any;
}

/* Of the barrier that thread number t waits at for copies: complete its phase if all have arrived. */
static bool complete_phase(core *c, unsigned t) {
  sim_block *b = block_of(c);
  fg_sim_copy_barrier *const at = fg_sim_copies_barrier(&b->copies, b->threads[t].copied->at);
  if (at->missing) return false;
  const char *wrong = fg_sim_copies_complete(&b->copies, &b->shared, at);
  if (wrong) {
    fg_sim_violation("kernel %s, block %u: %s", c->launch->name, c->state.block.x, wrong);
    c->violated = true;
  }
  for (unsigned u = 0; u < c->launch->block; u++)
    if (b->threads[u].state == AT_COPY && b->threads[u].copied == at) b->threads[u].state = READY;
  return true;
}

static bool complete_phases(core *c) {
  bool any = false;
  for (unsigned t = 0; t < c->launch->block && !c->violated; t++)
    if (block_of(c)->threads[t].state == AT_COPY) any |= complete_phase(c, t);
  return any;
}

/* All wait and nobody can go on. */
static void report_divergence(core *c) {
  const sim_block *b = block_of(c);
  unsigned t = 0;
  while (b->threads[t].state == DONE)
    t++;
  fg_sim_violation("kernel %s, block %u, thread %u: barrier divergence: %u threads wait at __syncthreads, %u at "
                   "__syncwarp, %u at a shuffle, %u for a copy, %u for the cluster, %u have finished",
                   c->launch->name, c->state.block.x, t, b->waiting[AT_BARRIER], b->waiting[AT_WARP_SYNC],
                   b->waiting[AT_SHUFFLE], b->waiting[AT_COPY], b->waiting[AT_CLUSTER], b->waiting[DONE]);
  c->violated = true;
}

static void enter_block(core *c, unsigned rank) {
  const unsigned first = c->state.block.x - c->rank;
  c->state.block.x = first + rank;
  c->toucher.block = first; /* its barriers order what the blocks of a cluster do: one touches for all */
  c->rank = rank;
  c->state.shared = block_of(c)->shared.memory;
}

/* Let every thread that has begun drop its work, and every other return at once. */
static void abandon_cluster(core *c) {
  for (unsigned r = 0; r < c->launch->exports->cluster; r++) {
    enter_block(c, r);
    for (unsigned t = 0; t < c->launch->block; t++) {
      c->state.thread.x = t;
      while (fg_fiber_resume(block_of(c)->threads[t].fiber))
        ;
    }
  }
}

static void make_ready(core *c) {
  for (unsigned t = 0; t < c->launch->block; t++) block_of(c)->threads[t].state = READY;
}

/* Until all of its threads wait for the cluster, or have finished, or a violation. */
static void run_block(core *c) {
  const unsigned block = c->launch->block;
  const sim_block *b = block_of(c);
  while (!c->violated) {
    run_ready(c);
    if (c->violated || complete_warp_operations(c) || complete_phases(c))
      continue;
    if (b->waiting[DONE] == block && b->copies.copies > 0) {
      fg_sim_violation("kernel %s, block %u: has finished, and a copy into its shared memory is under way",
                       c->launch->name, c->state.block.x);
      c->violated = true;
      return;
    }
    if (b->waiting[DONE] == block || b->waiting[AT_CLUSTER] == block)
      return;
    if (b->waiting[AT_BARRIER] != block) {
      report_divergence(c);
      return;
    }
    fg_sim_shared_barrier(&block_of(c)->shared);
    make_ready(c);
  }
}

static void begin_cluster(core *c) {
  c->met = c->reached = false;
  for (unsigned r = 0; r < c->launch->exports->cluster; r++) {
    enter_block(c, r);
    fg_sim_copies_begin(&block_of(c)->copies, &block_of(c)->shared);
    fg_sim_shared_begin(&block_of(c)->shared);
    make_ready(c);
    block_of(c)->rounds = 0;
    block_of(c)->receives = false;
    for (unsigned t = 0; t < c->launch->block; t++) {
      block_of(c)->threads[t].arrived = block_of(c)->threads[t].sends = false;
      block_of(c)->threads[t].rounds = 0;
      fg_fiber_start(block_of(c)->threads[t].fiber, run_thread, c);
    }
  }
}

static void meet(core *c) {
  c->met = true;
  c->reached = false;
  for (unsigned r = 0; r < c->launch->exports->cluster; r++) {
    enter_block(c, r);
    if (block_of(c)->receives) fg_sim_shared_received(&block_of(c)->shared);
    else fg_sim_shared_cluster_barrier(&block_of(c)->shared);
    block_of(c)->receives = false;
    make_ready(c);
  }
}

static int run_cluster(core *c) {
  const unsigned blocks = c->launch->exports->cluster;
  begin_cluster(c);
  while (!c->violated) {
    unsigned finished = 0;
    for (unsigned r = 0; r < blocks && !c->violated; r++) {
      enter_block(c, r);
      run_block(c);
      finished += block_of(c)->waiting[DONE] == c->launch->block;
    }
    if (c->violated)
      break;
    if (finished == blocks && !c->reached)
      return 0;
    if (finished == 0) {
      meet(c);
      continue;
    }
    c->violated = true;
    if (finished == blocks)
      fg_sim_violation("kernel %s, block %u: no cluster barrier after a neighbour's shared memory was written: it may be "
                       "gone", c->launch->name, c->state.block.x);
    else
      fg_sim_violation("kernel %s, block %u: %u blocks of its cluster wait for it, %u have finished", c->launch->name,
                       c->state.block.x, blocks - finished, finished);
  }
  abandon_cluster(c);
  return FG_ELAUNCH;
}

/* ---- cores ---- */

static core *take_core(const fg_sim_launch *launch) {
  pthread_mutex_lock(&pool_lock);
  core *c = pool;
  if (c)
    pool = c->next;
  else
    c = calloc(1, sizeof *c);
  if (c) {
    c->toucher = (fg_sim_toucher){.launch = ++launches, .ordinal = launch->ordinal};
    c->violated = false;
  }
  pthread_mutex_unlock(&pool_lock);
  return c;
}

static void give_core(core *c) {
  pthread_mutex_lock(&pool_lock);
  c->next = pool;
  pool = c;
  pthread_mutex_unlock(&pool_lock);
}

/* The block of that rank, with fibers and shared memory: NULL for lack of host memory. */
static sim_block *prepare_block(core *c, unsigned rank, const fg_sim_launch *launch) {
  sim_block *b = c->blocks[rank];
  if (!b && !(b = c->blocks[rank] = calloc(1, sizeof *b)))
    return NULL;
  if (fg_sim_shared_reserve(&b->shared, launch->shared) < 0)
    return NULL;
  b->counter = NULL;
  for (unsigned t = 0; t < launch->block; t++)
    if (!b->threads[t].fiber && !(b->threads[t].fiber = fg_fiber_new()))
      return NULL;
  return b;
}

static int prepare(core *c, const fg_sim_launch *launch) {
  for (unsigned r = 0; r < launch->exports->cluster; r++)
    if (!prepare_block(c, r, launch))
      return -1;
  c->launch = launch;
  c->rank = 0;
  c->state = (fg_sim_state){.block_dim = {launch->block, 1, 1}, .grid_dim = {launch->grid, 1, 1}, .hooks = &fg_sim_core_hooks};
  return 0;
}

int fg_sim_run_grid(const fg_sim_launch *launch) {
  core *c = take_core(launch);
  if (!c)
    return fg_backend_fail(FG_ELAUNCH, "sim: no host memory to run kernel %s", launch->name);
  int result = 0;
  if (prepare(c, launch) < 0)
    result = fg_backend_fail(FG_ELAUNCH, "sim: no host memory to run kernel %s", launch->name);
  fg_sim_memory_lock();
  for (unsigned b = 0; b < launch->grid && result == 0; b += launch->exports->cluster) {
    c->rank = 0;
    c->state.block.x = b;
    result = run_cluster(c);
    if (fg_sim_traffic_on) fg_sim_traffic_block();
  }
  if (fg_sim_traffic_on) fg_sim_traffic_launch();
  fg_sim_memory_unlock();
  give_core(c);
  return result;
}
