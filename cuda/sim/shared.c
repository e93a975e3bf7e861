/* shared.c: shared memory of a simulated block.
 *
 * A word remembers its last writer and the readers since the last barrier.  Nothing is cleared between blocks: a note
 * with an epoch before the block's begin is void.  Readers are kept as lanes of one warp with the oldest clock among
 * them, readers that come before the present one dropped: exact unless __syncwarp is called with masks that overlap
 * without being equal, where a race may be missed.
 *
 * What threads of other blocks write is ordered by the cluster's barriers only: what their own block's barriers order
 * among them would be called a race. */
#include "config.h"

#include "cuda/sim/shared.h"

#include <stdlib.h>
#include <string.h>

enum { SEVERAL_WARPS = 0xffff, COPY = 0xfffe /* as a writer; its clock is the group's number */, ALIGNMENT = 1024 };
static const uint64_t UNDER_WAY = UINT64_MAX; /* the epoch of what has not arrived */

struct fg_sim_note {
  uint64_t write_epoch, read_epoch;
  uint32_t write_clock, read_clock;
  uint32_t read_lanes; /* if read_warp is SEVERAL_WARPS: of the first warp */
  uint16_t writer, read_warp;
};

int fg_sim_shared_reserve(fg_sim_shared_memory *s, size_t bytes) {
  if (bytes > s->room || !s->memory) {
    size_t room = (bytes / ALIGNMENT + 1) * ALIGNMENT;
    free(s->memory);
    free(s->notes);
    s->room = 0;
    s->memory = aligned_alloc(ALIGNMENT, room);
    s->notes = calloc(room / 4, sizeof *s->notes);
    if (!s->memory || !s->notes)
      return -1;
    s->room = room;
  }
  s->bytes = bytes;
  return 0;
}

void fg_sim_shared_begin(fg_sim_shared_memory *s) { s->begin = s->own = s->together = ++s->epoch; }

void fg_sim_shared_barrier(fg_sim_shared_memory *s) { s->own = ++s->epoch; }

void fg_sim_shared_cluster_barrier(fg_sim_shared_memory *s) { s->own = s->together = ++s->epoch; }

void fg_sim_shared_received(fg_sim_shared_memory *s) { s->together = ++s->epoch; }

static inline bool is_of_neighbour(unsigned thread) { return thread >= FG_BLOCK_THREADS; }

/* The epoch from which on nothing has ordered all that the two do. */
static inline uint64_t since(const fg_sim_shared_memory *s, unsigned then, unsigned now) {
  return is_of_neighbour(then) || is_of_neighbour(now) ? s->together : s->own;
}

void fg_sim_shared_warp_sync(fg_sim_shared_memory *s, unsigned warp, uint32_t mask, bool everyone) {
  fg_sim_warp_order *w = &s->warps[warp];
  w->clock++;
  if (everyone) {
    w->all = w->clock;
    return;
  }
  for (unsigned a = 0; a < FG_WARP; a++)
    for (unsigned b = 0; b < FG_WARP; b++)
      if (mask >> a & mask >> b & 1)
        w->pair[a][b] = w->clock;
}

/* Does what thread `then` of the same epoch did at its warp's clock come before what thread `now` does? */
static inline bool ordered(const fg_sim_shared_memory *s, unsigned then, uint32_t clock, unsigned now) {
  if (then == now)
    return true;
  if (then / FG_WARP != now / FG_WARP || is_of_neighbour(now))
    return false;
  const fg_sim_warp_order *w = &s->warps[now / FG_WARP];
  return w->all > clock || w->pair[then % FG_WARP][now % FG_WARP] > clock;
}

/* The readers of this epoch, in the lanes of one warp, that do not come before what thread now does. */
static uint32_t readers_beside(const fg_sim_shared_memory *s, const fg_sim_note *n, unsigned now) {
  uint32_t lanes = n->read_lanes;
  for (uint32_t left = lanes; left; left &= left - 1) {
    unsigned lane = (unsigned)__builtin_ctz(left);
    if (ordered(s, n->read_warp * FG_WARP + lane, n->read_clock, now))
      lanes &= ~(UINT32_C(1) << lane);
  }
  return lanes;
}

static void note_read(const fg_sim_shared_memory *s, fg_sim_note *n, unsigned thread) {
  uint32_t clock = s->warps[thread / FG_WARP].clock, lane = UINT32_C(1) << thread % FG_WARP;
  bool first = n->read_epoch < s->own;
  n->read_epoch = s->epoch;
  if (!first && n->read_warp != thread / FG_WARP) {
    n->read_warp = SEVERAL_WARPS;
    return;
  }
  if (!first && n->read_clock != clock) { /* an own earlier read is among those dropped */
    n->read_lanes = readers_beside(s, n, thread);
    first = n->read_lanes == 0;
  }
  if (first) {
    n->read_warp = (uint16_t)(thread / FG_WARP);
    n->read_clock = clock;
    n->read_lanes = 0;
  }
  n->read_lanes |= lane;
}

static bool read_beside(const fg_sim_shared_memory *s, const fg_sim_note *n, unsigned thread, unsigned *with) {
  if (n->read_epoch < since(s, 0, thread))
    return false;
  if (n->read_warp == SEVERAL_WARPS) { /* at least one of them is not the writer's warp */
    *with = FG_SHARED_SEVERAL;
    return true;
  }
  uint32_t lanes = readers_beside(s, n, thread);
  if (lanes)
    *with = n->read_warp * FG_WARP + (unsigned)__builtin_ctz(lanes);
  return lanes != 0;
}

/* A barrier of the block orders what somebody waited for before it. */
static inline bool not_waited_for(const fg_sim_shared_memory *s, const fg_sim_note *n, unsigned thread) {
  if (n->write_epoch == UNDER_WAY || is_of_neighbour(thread))
    return n->write_epoch >= s->together;
  return n->write_epoch >= s->own && (int32_t)(s->seen[thread] - n->write_clock) < 0;
}

static inline fg_sim_shared_result touch_word(fg_sim_shared_memory *s, fg_sim_note *n, unsigned thread, bool write,
                                              unsigned *with) {
  if (!write && n->write_epoch < s->begin)
    return FG_SHARED_UNWRITTEN;
  const bool copied = n->writer == COPY;
  if (copied && not_waited_for(s, n, thread))
    return FG_SHARED_COPIED;
  if (!copied && n->write_epoch >= since(s, n->writer, thread) && !ordered(s, n->writer, n->write_clock, thread)) {
    *with = n->writer;
    return FG_SHARED_RACE;
  }
  if (!write) {
    note_read(s, n, thread);
    return FG_SHARED_FINE;
  }
  if (read_beside(s, n, thread, with))
    return FG_SHARED_RACE;
  n->write_epoch = s->epoch;
  n->write_clock = is_of_neighbour(thread) ? 0 : s->warps[thread / FG_WARP].clock;
  n->writer = (uint16_t)thread;
  return FG_SHARED_FINE;
}

fg_sim_shared_result fg_sim_shared_touch(fg_sim_shared_memory *s, unsigned thread, const void *address, unsigned bytes,
                                         bool write, unsigned *with) {
  uintptr_t offset = (uintptr_t)address - (uintptr_t)s->memory; /* huge if address lies below */
  if (offset > s->bytes || bytes > s->bytes - offset)
    return FG_SHARED_OUTSIDE;
  if ((bytes & (bytes - 1)) == 0 && offset & (bytes - 1))
    return FG_SHARED_MISALIGNED;
  fg_sim_shared_result result = FG_SHARED_FINE;
  for (size_t w = offset / 4; w <= (offset + bytes - 1) / 4 && result == FG_SHARED_FINE; w++)
    result = touch_word(s, &s->notes[w], thread, write, with);
  return result;
}

fg_sim_shared_result fg_sim_shared_leave(fg_sim_shared_memory *s, unsigned thread, const void *address, size_t bytes,
                                         unsigned *with) {
  const uintptr_t offset = (uintptr_t)address - (uintptr_t)s->memory;
  fg_sim_shared_result result = FG_SHARED_FINE;
  if (offset > s->bytes || bytes > s->bytes - offset)
    return FG_SHARED_OUTSIDE;
  for (size_t w = offset / 4; w < (offset + bytes) / 4 && result == FG_SHARED_FINE; w++)
    result = touch_word(s, &s->notes[w], thread, true, with);
  for (size_t w = offset / 4; w < (offset + bytes) / 4 && result == FG_SHARED_FINE; w++) {
    s->notes[w].writer = COPY;
    s->notes[w].write_epoch = UNDER_WAY;
  }
  return result;
}

void fg_sim_shared_arrive(fg_sim_shared_memory *s, const void *address, size_t bytes) {
  fg_sim_note *const first = &s->notes[((const char *)address - s->memory) / 4];
  for (size_t w = 0; w < bytes / 4; w++) {
    first[w].write_epoch = s->epoch;
    first[w].write_clock = s->arrived + 1;
  }
}

uint32_t fg_sim_shared_arrived(fg_sim_shared_memory *s) { return ++s->arrived; }

void fg_sim_shared_see(fg_sim_shared_memory *s, unsigned thread, uint32_t group) {
  if ((int32_t)(group - s->seen[thread]) > 0)
    s->seen[thread] = group;
}
