/* slot.h: what one execution needs of the device: arrays, a stream, pinned staging.  Kept from call to call. */
#ifndef FG_SLOT_H
#define FG_SLOT_H

#include "src/pass/pass.h"
#include "src/run/target.h"

enum { FG_STAGES_IN_FLIGHT = 2 };

typedef struct fg_slot {
  void *array[FG_ARRAYS];
  size_t bytes[FG_ARRAYS];
  fg_stream *stream;
  void *staging[FG_STAGES_IN_FLIGHT]; /* pinned, staging_bytes each */
  fg_event *staged[FG_STAGES_IN_FLIGHT]; /* the copy that last used it */
  size_t staging_bytes;
  struct fg_slot *next;
} fg_slot;

/* A slot whose arrays and staging hold at least that much, for the caller alone until it is released.  On FG_ENOMEM all
 * idle slots were given up first. */
int fg_slot_acquire(const fg_target *, const size_t bytes[FG_ARRAYS], size_t staging_bytes, fg_slot **slot);

/* Back to the pool.  Nothing may be under way in its stream. */
void fg_slot_release(fg_slot *slot);

/* Free what no execution is using. */
void fg_slot_trim(const fg_target *);

#endif
