/* slot.h: what one execution needs of the device: arrays, streams, pinned staging.  Kept from call to call. */
#ifndef FG_SLOT_H
#define FG_SLOT_H

#include "src/pass/pass.h"
#include "src/problem/tensor.h"
#include "src/run/host/belt.h"
#include "src/run/target.h"

enum fg_slot_stream { FG_STREAM_PASSES, FG_STREAM_IN, FG_STREAM_OUT, FG_STREAMS };

/* Staging of one direction: pieces of so many bytes, pinned, and the copy that last used each. */
typedef struct {
  void *piece[FG_RING];
  fg_event *copied[FG_RING];
  size_t bytes;
} fg_ring;

/* An execution that this slot has seen, by what its recording would hold: with these arrays pinned as they are now, and
 * the slot's own memory. */
typedef struct {
  unsigned long program, pinning[4]; /* fg_program_number; fg_arena_pin of input and output planes */
  const void *memory[4];
} fg_recordable;

enum { FG_RECORDINGS = 16 }; /* programs take so many plans, or arrays, by turns */

typedef struct {
  fg_recordable what;
  unsigned long seen, last; /* how often, and when (in executions of the slot) */
  fg_graph *graph;          /* NULL: not recorded yet, or it cannot be */
} fg_recording;

typedef struct fg_slot {
  void *array[FG_ARRAYS];
  size_t bytes[FG_ARRAYS];
  fg_stream *stream[FG_STREAMS];
  fg_event *arrived, *computed; /* the last arrival, the last launch */
  fg_ring ring[2];              /* by enum fg_side */
  fg_recording recording[FG_RECORDINGS];
  unsigned long executions;
  const fg_target *target;
  unsigned long last_used; /* the release after which it became idle, of all so far */
  struct fg_slot *next;
} fg_slot;

/* A slot whose arrays and staging pieces hold at least that much, for the caller alone until it is released. Before
 * FG_ENOMEM all idle slots were given up, and what others use was waited for, as long as one came within two seconds. */
int fg_slot_acquire(const fg_target *, const size_t bytes[FG_ARRAYS], const size_t staging[2], fg_slot **slot);

/* Back to the pool.  Nothing may be under way in its streams.  The pool keeps no more device memory than
 * fg_memory_idle_limit, and no slot that was not used for a thousand releases. */
void fg_slot_release(fg_slot *slot);

/* The entry of such an execution, now seen once more; a new one takes the place of that not seen for longest. */
fg_recording *fg_slot_recording(const fg_target *, fg_slot *, const fg_recordable *);

/* Free what no execution is using: all of the target's; or the slot of it that was not used for longest (false: there is
 * none that has device memory). */
void fg_slot_trim(const fg_target *);
bool fg_slot_give_up_oldest(const fg_target *);

#endif
