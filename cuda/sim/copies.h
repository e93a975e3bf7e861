/* copies.h: copies into a block's shared memory that a thread begins and does not wait for (cp.async, cp.async.bulk),
 * and the barriers at which they arrive (mbarrier).
 *
 * A copy happens at any time between its beginning and the completion of its barrier's phase: until then nobody may
 * touch where it goes, or change what it reads.  Phases are completed as late as can be: when no thread can go on
 * otherwise. */
#ifndef FG_SIM_COPIES_H
#define FG_SIM_COPIES_H

#include "cuda/sim/shared.h"

enum { FG_COPY_BARRIERS = 4 };

typedef struct {
  const void *at;
  unsigned count, missing; /* arrivals of a phase, and those that this one still waits for */
  unsigned phase;          /* that is not complete */
  uint32_t arrived;        /* the last one's, as fg_sim_shared_arrived counts */
} fg_sim_copy_barrier;

typedef struct {
  char *to;
  const char *from;
  unsigned bytes;
  fg_sim_copy_barrier *barrier;
} fg_sim_copy;

typedef struct {
  fg_sim_copy_barrier barrier[FG_COPY_BARRIERS];
  fg_sim_copy *copy;
  unsigned barriers, copies, room;
} fg_sim_copies;

/* A new block begins; what a failed one left behind is dropped. */
void fg_sim_copies_begin(fg_sim_copies *, fg_sim_shared_memory *);

/* A barrier of so many arrivals a phase: false if there are too many.  The one at that address, or NULL. */
bool fg_sim_copies_new_barrier(fg_sim_copies *, const void *at, unsigned count);
fg_sim_copy_barrier *fg_sim_copies_barrier(fg_sim_copies *, const void *at);

/* NULL, or why the barrier's present phase can have no copy (or arrival) more; one, to shared memory that is left to it
 * (fg_sim_shared_leave), has room then. */
const char *fg_sim_copies_may_add(fg_sim_copies *, const fg_sim_copy_barrier *);
void fg_sim_copies_add(fg_sim_copies *, fg_sim_copy_barrier *, void *to, const void *from, unsigned bytes);

/* Complete the phase, whose arrivals are all there: NULL, or what is wrong. */
const char *fg_sim_copies_complete(fg_sim_copies *, fg_sim_shared_memory *, fg_sim_copy_barrier *);

#endif
