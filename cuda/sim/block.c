/* block.c: the scheduler of a simulated block and the calls that its threads make.
 *
 * A core holds one block: its threads as fibers, its shared memory, its warps.  Cores are kept in a pool, one for each
 * launch that runs at the same time. */
#include "config.h"

#include "cuda/sim/block.h"

#include "cuda/backend.h"
#include "cuda/sim/fiber.h"
#include "cuda/sim/memory.h"
#include "cuda/sim/shared.h"
#include "cuda/sim/traffic.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum { READY, AT_BARRIER, AT_WARP_SYNC, AT_SHUFFLE, DONE } thread_state;

typedef struct {
  fg_fiber *fiber;
  thread_state state;
  uint32_t mask;   /* lanes that a warp operation waits for */
  uint32_t source; /* of a shuffle */
  uint64_t value;  /* handed in, then received */
} sim_thread;

typedef struct core {
  fg_sim_state state; /* first: hooks get its address */
  const fg_sim_launch *launch;
  fg_sim_shared_memory shared;
  fg_sim_toucher toucher;
  bool violated;
  sim_thread threads[FG_BLOCK_THREADS];
  struct core *next;
} core;

static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;
static core *pool;
static uint32_t launches;

/* ---- violations ---- */

int fg_sim_violation(const char *format, ...) {
  char text[480];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  const char *stop = getenv("FFTW3_GPU_SIM_ABORT");
  if (stop && strcmp(stop, "1") == 0) {
    fprintf(stderr, "sim: %s\n", text);
    abort();
  }
  return fg_backend_fail(FG_ELAUNCH, "sim: %s", text);
}

/* The running thread did something wrong: say so and give it up. */
static _Noreturn void violate(core *c, const char *what) {
  fg_sim_violation("kernel %s, block %u, thread %u: %s", c->launch->name, c->state.block.x, c->state.thread.x, what);
  c->violated = true;
  fg_fiber_abandon(c->threads[c->state.thread.x].fiber);
}

static _Noreturn void violate_shared(core *c, const void *address, unsigned bytes, bool write,
                                     fg_sim_shared_result result, unsigned with) {
  static const char *const reasons[] = {[FG_SHARED_OUTSIDE] = "out of bounds",
                                        [FG_SHARED_MISALIGNED] = "misaligned",
                                        [FG_SHARED_UNWRITTEN] = "never written by this block",
                                        [FG_SHARED_RACE] = "race: no barrier since the access of"};
  char what[240], other[32] = "";
  if (result == FG_SHARED_RACE && with < FG_BLOCK_THREADS)
    snprintf(other, sizeof other, " thread %u", with);
  else if (result == FG_SHARED_RACE)
    snprintf(other, sizeof other, " threads of several warps");
  long long offset = (long long)((intptr_t)address - (intptr_t)c->state.shared);
  snprintf(what, sizeof what, "%s of %u bytes at offset %lld of shared memory (%zu bytes): %s%s",
           write ? "write" : "read", bytes, offset, c->launch->shared, reasons[result], other);
  violate(c, what);
}

static _Noreturn void violate_global(core *c, const void *address, unsigned bytes, bool write,
                                     fg_sim_touch_result result, uint32_t with) {
  static const char *const reasons[] = {[FG_TOUCH_OUTSIDE] = "outside every allocation",
                                        [FG_TOUCH_MISALIGNED] = "misaligned",
                                        [FG_TOUCH_UNWRITTEN] = "never written",
                                        [FG_TOUCH_RACE] = "race: same launch, block"};
  char what[300], where[100], other[16] = "";
  if (result == FG_TOUCH_RACE && with == FG_TOUCH_SEVERAL)
    snprintf(other, sizeof other, "s");
  else if (result == FG_TOUCH_RACE)
    snprintf(other, sizeof other, " %u", with);
  fg_sim_memory_describe(address, where, sizeof where);
  snprintf(what, sizeof what, "%s of %u bytes of global memory at %s: %s%s", write ? "write" : "read", bytes, where,
           reasons[result], other);
  violate(c, what);
}

/* ---- what kernels call ---- */

/* Give way until the scheduler makes this thread READY again. */
static void wait_as(core *c, sim_thread *t, thread_state state) {
  t->state = state;
  fg_fiber_yield(t->fiber);
  if (c->violated)
    fg_fiber_abandon(t->fiber);
}

static sim_thread *running(core *c) { return &c->threads[c->state.thread.x]; }

static void hook_barrier(fg_sim_state *state) {
  core *c = (core *)state;
  wait_as(c, running(c), AT_BARRIER);
}

static void wait_for_lanes(core *c, uint32_t mask, thread_state state) {
  sim_thread *t = running(c);
  if (!(mask >> c->state.thread.x % FG_WARP & 1))
    violate(c, "a warp operation whose mask lacks the calling lane");
  t->mask = mask;
  wait_as(c, t, state);
}

static void hook_warp_sync(fg_sim_state *state, unsigned mask) { wait_for_lanes((core *)state, mask, AT_WARP_SYNC); }

static unsigned long long hook_shuffle(fg_sim_state *state, unsigned mask, unsigned long long value, unsigned source) {
  core *c = (core *)state;
  sim_thread *t = running(c);
  t->value = value;
  t->source = source % FG_WARP;
  wait_for_lanes(c, mask, AT_SHUFFLE);
  return t->value;
}

static void hook_shared(fg_sim_state *state, const void *address, unsigned bytes, int write) {
  core *c = (core *)state;
  unsigned with = 0;
  fg_sim_shared_result result = fg_sim_shared_touch(&c->shared, c->state.thread.x, address, bytes, write, &with);
  if (result != FG_SHARED_FINE)
    violate_shared(c, address, bytes, write, result, with);
}

static void hook_global(fg_sim_state *state, const void *address, unsigned bytes, int how) {
  core *c = (core *)state;
  const bool write = how == FG_SIM_WRITE;
  uint32_t with = 0;
  fg_sim_touch_result result = fg_sim_memory_touch(&c->toucher, address, bytes, write, &with);
  if (result != FG_TOUCH_FINE)
    violate_global(c, address, bytes, write, result, with);
  if (fg_sim_traffic_on) fg_sim_traffic_note(c->state.thread.x, __builtin_return_address(0), address, bytes, how);
}

static const fg_sim_hooks hooks = {hook_barrier, hook_warp_sync, hook_shuffle, hook_shared, hook_global};

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
    if (c->threads[warp * FG_WARP + l].state != DONE)
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
  sim_thread *lanes = &c->threads[warp * FG_WARP];
  thread_state state = c->threads[t].state;
  uint32_t mask = c->threads[t].mask, living = living_lanes(c, warp), here = mask & living;
  for (uint32_t left = here; left; left &= left - 1) {
    const sim_thread *lane = &lanes[__builtin_ctz(left)];
    if (lane->state != state || lane->mask != mask)
      return false;
  }
  if (state == AT_SHUFFLE)
    exchange(lanes, here);
  else
    fg_sim_shared_warp_sync(&c->shared, warp, here, here == living);
  for (uint32_t left = here; left; left &= left - 1)
    lanes[__builtin_ctz(left)].state = READY;
  return true;
}

/* Run every READY thread up to its next wait; how many then wait in state s: waiting[s]. */
static void run_ready(core *c, unsigned waiting[DONE + 1]) {
  memset(waiting, 0, (DONE + 1) * sizeof *waiting);
  for (unsigned t = 0; t < c->launch->block; t++) {
    sim_thread *thread = &c->threads[t];
    if (thread->state == READY) {
      c->state.thread.x = t;
      if (!fg_fiber_resume(thread->fiber))
        thread->state = DONE;
      if (c->violated)
        return;
    }
    waiting[thread->state]++;
  }
}

static bool complete_warp_operations(core *c) {
  bool any = false;
  for (unsigned t = 0; t < c->launch->block; t++)
    if (c->threads[t].state == AT_WARP_SYNC || c->threads[t].state == AT_SHUFFLE)
      any |= complete_warp_operation(c, t);
  return any;
}

/* All wait and nobody can go on. */
static void report_divergence(core *c, const unsigned waiting[DONE + 1]) {
  unsigned t = 0;
  while (c->threads[t].state == DONE)
    t++;
  fg_sim_violation("kernel %s, block %u, thread %u: barrier divergence: %u threads wait at __syncthreads, %u at "
                   "__syncwarp, %u at a shuffle, %u have finished",
                   c->launch->name, c->state.block.x, t, waiting[AT_BARRIER], waiting[AT_WARP_SYNC],
                   waiting[AT_SHUFFLE], waiting[DONE]);
  c->violated = true;
}

/* Let every thread that has begun drop its work, and every other return at once. */
static void abandon_block(core *c) {
  for (unsigned t = 0; t < c->launch->block; t++) {
    c->state.thread.x = t;
    while (fg_fiber_resume(c->threads[t].fiber))
      ;
  }
}

static int run_block(core *c) {
  const unsigned block = c->launch->block;
  unsigned waiting[DONE + 1];
  fg_sim_shared_begin(&c->shared);
  for (unsigned t = 0; t < block; t++) {
    c->threads[t].state = READY;
    fg_fiber_start(c->threads[t].fiber, run_thread, c);
  }
  while (!c->violated) {
    run_ready(c, waiting);
    if (c->violated || complete_warp_operations(c))
      continue;
    if (waiting[DONE] == block)
      return 0;
    if (waiting[AT_BARRIER] != block) {
      report_divergence(c, waiting);
      break;
    }
    fg_sim_shared_barrier(&c->shared);
    for (unsigned t = 0; t < block; t++)
      c->threads[t].state = READY;
  }
  abandon_block(c);
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

static int prepare(core *c, const fg_sim_launch *launch) {
  if (fg_sim_shared_reserve(&c->shared, launch->shared) < 0)
    return -1;
  for (unsigned t = 0; t < launch->block; t++)
    if (!c->threads[t].fiber && !(c->threads[t].fiber = fg_fiber_new()))
      return -1;
  c->launch = launch;
  c->state = (fg_sim_state){.block_dim = {launch->block, 1, 1},
                            .grid_dim = {launch->grid, 1, 1},
                            .shared = c->shared.memory,
                            .hooks = &hooks};
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
  for (unsigned b = 0; b < launch->grid && result == 0; b++) {
    c->state.block.x = c->toucher.block = b;
    result = run_block(c);
    if (fg_sim_traffic_on) fg_sim_traffic_block();
  }
  if (fg_sim_traffic_on) fg_sim_traffic_launch();
  fg_sim_memory_unlock();
  give_core(c);
  return result;
}
