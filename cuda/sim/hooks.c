/* hooks.c: the calls that the threads of a simulated block make, and what is said of those that are wrong. */
#include "config.h"

#include "cuda/backend.h"
#include "cuda/sim/core.h"
#include "cuda/sim/traffic.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
  fg_fiber_abandon(block_of(c)->threads[c->state.thread.x].fiber);
}

/* Of the block of that rank. */
static _Noreturn void violate_shared(core *c, unsigned rank, const void *address, unsigned bytes, bool write,
                                     fg_sim_shared_result result, unsigned with) {
  static const char *const reasons[] = {[FG_SHARED_OUTSIDE] = "out of bounds",
                                        [FG_SHARED_MISALIGNED] = "misaligned",
                                        [FG_SHARED_UNWRITTEN] = "never written by this block",
                                        [FG_SHARED_RACE] = "race: no barrier since the access of",
                                        [FG_SHARED_COPIED] = "race: a copy to there was not waited for"};
  char what[300], other[60] = "", whose[40] = "";
  const unsigned own = c->state.block.x, of = own - c->rank + rank;
  if (result == FG_SHARED_RACE && with == FG_SHARED_SEVERAL)
    snprintf(other, sizeof other, " threads of several warps");
  else if (result == FG_SHARED_RACE && with >= FG_BLOCK_THREADS)
    snprintf(other, sizeof other, " thread %u of block %u", with % FG_BLOCK_THREADS,
             own - c->rank + with / FG_BLOCK_THREADS - 1);
  else if (result == FG_SHARED_RACE)
    snprintf(other, sizeof other, " thread %u", with);
  if (of != own)
    snprintf(whose, sizeof whose, "block %u's ", of);
  long long offset = (long long)((intptr_t)address - (intptr_t)c->blocks[rank]->shared.memory);
  snprintf(what, sizeof what, "%s of %u bytes at offset %lld of %sshared memory (%zu bytes): %s%s",
           write ? "write" : "read", bytes, offset, whose, c->launch->shared, reasons[result], other);
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

enum { COUNTER = 8 }; /* bytes */

/* Give way until the scheduler makes this thread READY again. */
static void wait_as(core *c, sim_thread *t, thread_state state) {
  t->state = state;
  fg_fiber_yield(t->fiber);
  if (c->violated)
    fg_fiber_abandon(t->fiber);
}

static sim_thread *running(core *c) { return &block_of(c)->threads[c->state.thread.x]; }

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

/* Rank of the block in whose shared memory the address is; the running one's if it is in none. */
static unsigned owner_of(const core *c, const void *address) {
  for (unsigned r = 0; r < c->launch->exports->cluster; r++) {
    const fg_sim_shared_memory *s = &c->blocks[r]->shared;
    if ((uintptr_t)address - (uintptr_t)s->memory < s->room) return r;
  }
  return c->rank;
}

static void hook_shared(fg_sim_state *state, const void *address, unsigned bytes, int write) {
  core *c = (core *)state;
  unsigned with = 0, owner = owner_of(c, address), thread = c->state.thread.x;
  const char *const counter = c->blocks[owner]->counter;
  if (running(c)->arrived)
    violate(c, "shared memory is touched between arriving and waiting at the cluster's barrier, which is not simulated");
  if (counter && (const char *)address < counter + COUNTER && counter < (const char *)address + bytes)
    violate(c, "shared memory is touched where what arrives from the cluster is counted");
  const bool sent = write && running(c)->sends;
  running(c)->sends = false;
  if (owner != c->rank) {
    if (!write)
      violate(c, "a neighbour's shared memory is read, which is not simulated");
    if (!c->met)
      violate(c, "a neighbour's shared memory is written before a cluster barrier: it may not have begun");
    c->reached = true;
  }
  if (owner != c->rank || sent)
    thread += (c->rank + 1) * FG_BLOCK_THREADS;
  fg_sim_shared_result result =
      fg_sim_shared_touch(&c->blocks[owner]->shared, thread, address, bytes, write, &with);
  if (result != FG_SHARED_FINE)
    violate_shared(c, owner, address, bytes, write, result, with);
}

static void hook_cluster_arrive(fg_sim_state *state) {
  core *c = (core *)state;
  if (running(c)->arrived)
    violate(c, "arrives at the cluster's barrier a second time without waiting");
  running(c)->arrived = true;
}

static void hook_cluster_wait(fg_sim_state *state) {
  core *c = (core *)state;
  if (!running(c)->arrived)
    violate(c, "waits at the cluster's barrier without having arrived");
  wait_as(c, running(c), AT_CLUSTER);
  running(c)->arrived = false;
}

static void *hook_neighbour(fg_sim_state *state, const void *address, unsigned rank) {
  core *c = (core *)state;
  if (rank >= c->launch->exports->cluster)
    violate(c, "the address of a neighbour's shared memory: there is no block of that rank");
  sim_block *const to = c->blocks[rank];
  to->round[to->rounds % 2].sent++;
  running(c)->sends = true;
  return c->blocks[rank]->shared.memory + ((intptr_t)address - (intptr_t)c->state.shared);
}

static void hook_expect(fg_sim_state *state, const void *counter, unsigned points) {
  core *c = (core *)state;
  sim_block *b = block_of(c);
  const uintptr_t at = (uintptr_t)counter - (uintptr_t)b->shared.memory;
  if (at % COUNTER || at >= b->shared.bytes || b->shared.bytes - at < COUNTER)
    violate(c, "what arrives from the cluster is not counted in 8 aligned bytes of shared memory");
  b->counter = counter;
  if (++running(c)->rounds <= b->rounds) return;
  b->rounds = running(c)->rounds;
  b->round[b->rounds % 2].expected = points;
  b->round[b->rounds % 2].sent = 0;
}

/* Where all have sent theirs. */
static void hook_receive(fg_sim_state *state, unsigned round) {
  core *c = (core *)state;
  hook_cluster_arrive(state);
  block_of(c)->receives = true;
  hook_cluster_wait(state);
  const sim_block *b = block_of(c);
  const unsigned now = running(c)->rounds, expected = b->round[now % 2].expected, sent = b->round[now % 2].sent;
  char what[100];
  if (now != round + 1)
    violate(c, "waits for another round of what its cluster sends than has begun");
  if (sent == expected) return;
  snprintf(what, sizeof what, "waits for %u points of its cluster, which sent %u", expected, sent);
  violate(c, what);
}

/* ---- copies that are not waited for at once ---- */

/* The barrier there, which the running thread asks something of. */
static fg_sim_copy_barrier *copy_barrier(core *c, const void *at) {
  hook_shared(&c->state, at, sizeof(uint64_t), false); /* a barrier of the block since it was begun */
  fg_sim_copy_barrier *b = fg_sim_copies_barrier(&block_of(c)->copies, at);
  if (!b)
    violate(c, "there is no barrier for copies at that address");
  return b;
}

static void hook_copy_barrier(fg_sim_state *state, const void *at, unsigned arrivals) {
  core *c = (core *)state;
  hook_shared(state, at, sizeof(uint64_t), true);
  if (!fg_sim_copies_new_barrier(&block_of(c)->copies, at, arrivals))
    violate(c, "more barriers for copies than are simulated");
}

/* What the copy reads, in sectors. */
static void copy_source(core *c, const char *from, unsigned bytes, const void *site) {
  enum { SECTOR = 32 };
  for (unsigned at = 0, piece; at < bytes; at += piece) {
    piece = SECTOR - (unsigned)((uintptr_t)(from + at) % SECTOR);
    if (piece > bytes - at)
      piece = bytes - at;
    uint32_t with = 0;
    fg_sim_touch_result result = fg_sim_memory_touch(&c->toucher, from + at, piece, false, &with);
    if (result != FG_TOUCH_FINE)
      violate_global(c, from + at, piece, false, result, with);
    if (fg_sim_traffic_on)
      fg_sim_traffic_note(c->rank * FG_BLOCK_THREADS + c->state.thread.x, site, from + at, piece, FG_SIM_READ);
  }
}

static void hook_copy(fg_sim_state *state, void *to, const void *from, unsigned bytes, const void *barrier) {
  core *c = (core *)state;
  sim_block *const here = block_of(c);
  fg_sim_copy_barrier *b = copy_barrier(c, barrier);
  const unsigned unit = bytes == 4 || bytes == 8 ? bytes : 16;
  const char *wrong = fg_sim_copies_may_add(&here->copies, b);
  if (!wrong && (bytes == 0 || bytes % unit || (uintptr_t)to % unit || (uintptr_t)from % unit))
    wrong = "a copy into shared memory is misaligned, or not of whole 16 bytes";
  if (wrong)
    violate(c, wrong);
  copy_source(c, from, bytes, __builtin_return_address(0));
  unsigned with = 0;
  fg_sim_shared_result result = fg_sim_shared_leave(&here->shared, c->state.thread.x, to, bytes, &with);
  if (result != FG_SHARED_FINE)
    violate_shared(c, c->rank, to, bytes, true, result, with);
  fg_sim_copies_add(&here->copies, b, to, from, bytes);
}

static void hook_copy_arrive(fg_sim_state *state, const void *barrier) {
  core *c = (core *)state;
  fg_sim_copy_barrier *b = copy_barrier(c, barrier);
  if (!b->missing)
    violate(c, fg_sim_copies_may_add(&block_of(c)->copies, b));
  b->missing--;
}

/* Until the phase of that parity is complete; the one before the first is. */
static void hook_copy_wait(fg_sim_state *state, const void *barrier, unsigned parity) {
  core *c = (core *)state;
  fg_sim_copy_barrier *b = copy_barrier(c, barrier);
  if (b->phase % 2 == parity) {
    running(c)->copied = b;
    wait_as(c, running(c), AT_COPY);
  }
  fg_sim_shared_see(&block_of(c)->shared, c->state.thread.x, b->arrived);
}

static void hook_global(fg_sim_state *state, const void *address, unsigned bytes, int how) {
  core *c = (core *)state;
  const bool write = how == FG_SIM_WRITE;
  uint32_t with = 0;
  fg_sim_touch_result result = FG_TOUCH_FINE;
  if (how != FG_SIM_NOTHING) result = fg_sim_memory_touch(&c->toucher, address, bytes, write, &with);
  if (result != FG_TOUCH_FINE)
    violate_global(c, address, bytes, write, result, with);
  if (fg_sim_traffic_on) fg_sim_traffic_note(c->rank * FG_BLOCK_THREADS + c->state.thread.x, __builtin_return_address(0), address, bytes, how);
}

const fg_sim_hooks fg_sim_core_hooks = {
    hook_barrier,      hook_warp_sync, hook_shuffle, hook_shared,   hook_global,       hook_cluster_arrive,
    hook_cluster_wait, hook_neighbour, hook_expect,  hook_receive, hook_copy_barrier, hook_copy,
    hook_copy_arrive,  hook_copy_wait};
