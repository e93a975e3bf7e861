/* lane.h: what an execution on arrays of the device needs beside them: scratch, a stream, two pieces of pinned staging.
 *
 * Kept from call to call, in a pool of all devices.  Unlike a slot (src/run/slot.h) a lane may be given back while its
 * work is still going on in a stream of the program's: whoever has it next waits for that, on the device. */
#ifndef FG_LANE_H
#define FG_LANE_H

#include "src/pass/pass.h"
#include "src/run/target.h"

enum { FG_LANE_PIECES = 2 };

typedef struct fg_lane {
  const fg_target *target;
  void *array[FG_ARRAYS];
  size_t bytes[FG_ARRAYS];
  fg_stream *stream; /* its own */
  fg_event *before, *after; /* the program's work that ours follows; the last work in the program's stream */
  void *staging[FG_LANE_PIECES];
  fg_event *moved[FG_LANE_PIECES];
  size_t staging_bytes;
  unsigned long put;        /* the pool's clock when it was given back */
  const fg_stream *pending; /* the program's stream that after was recorded in; NULL: nothing is going on */
  struct fg_lane *next;
} fg_lane;

/* A lane of the target with arrays and staging pieces of at least those sizes, for work that goes to that stream (NULL:
 * the lane's own), which comes after all work of the lane's so far. */
int fg_lane_acquire(const fg_target *, const size_t bytes[FG_ARRAYS], size_t staging, fg_stream *for_stream,
                    fg_lane **lane);

/* Back to the pool: nothing is going on, or (in_stream) what is in that stream. */
void fg_lane_release(fg_lane *, fg_stream *in_stream);

/* What the executions of a plan need, which stays in a lane as long as the plan lives, though it is more than may stay idle
 * (fg_memory_needed_limit).  The caller's, not moved meanwhile. */
typedef struct fg_lane_need {
  const fg_target *target;
  size_t bytes[FG_ARRAYS];
  bool listed; /* it is more */
  struct fg_lane_need *next;
} fg_lane_need;

void fg_lane_keep(fg_lane_need *);
void fg_lane_keep_no_more(fg_lane_need *);

/* Free what no execution is using. */
void fg_lane_trim(void);

/* Free one of the target that has memory there; false if there is none. */
bool fg_lane_give_up(const fg_target *);

#endif
