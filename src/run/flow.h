/* flow.h: one execution under way, as the files of the pipeline share it; and what all of them do with its streams.
 *
 * Nothing outside src/run/{flow,staging,recording,undo,pipeline}.c looks in here. */
#ifndef FG_FLOW_H
#define FG_FLOW_H

#include "src/run/pipeline.h"
#include "src/run/slot.h"

/* One side of the execution. */
typedef struct {
  const fg_layout *layout;
  void *array[2];   /* the program's planes */
  void *dense[2];   /* where they begin, if DMA goes there directly */
  void *image;      /* on the device */
  bool direct;
  unsigned long pinning[2]; /* of the planes, if direct */
  size_t piece;     /* staging bytes */
} fg_end;

/* A staging piece on its way out. */
typedef struct {
  int plane;
  ptrdiff_t first, count;
} fg_parcel;

typedef struct {
  const fg_program *program;
  const fg_schedule *schedule;
  const fg_target *target;
  fg_slot *slot;
  fg_end in, out;
  bool mapped;      /* kernels reach the program's arrays themselves */
  bool alone;       /* one stream does it: nothing to overlap */
  bool awake;       /* the movers are */
  bool overlap;     /* of input and output in memory */
  bool writing;     /* the program's output has been touched, or may have been */
  bool news_in, news_passes; /* arrivals, launches that later launches, departures have not been made to wait for */
  bool blind;       /* how far the input has come is not known */
  ptrdiff_t come;   /* elements of the input's image that are on the device, or on their way */
  size_t gathered;  /* pieces of staging used on the way in */
  size_t fetched, scattered; /* likewise out: begun, done */
  fg_parcel parcel[FG_RING];
} fg_flow;

int fg_end_planes(const fg_end *);
size_t fg_end_plane_size(const fg_end *);

/* Where the image of a plane has its element first, on the device; and, of a direct end, in the program's memory. */
char *fg_end_on_device(const fg_end *, int plane, ptrdiff_t first);
char *fg_end_in_memory(const fg_end *, int plane, ptrdiff_t first);

/* ---- the device's calls (flow.c) ---- */

/* Once the output was touched over the input, giving up is no way out: what failed is worth a second try. */
bool fg_flow_again(const fg_flow *, int code);

#define FG_TRY(f, code, call)                    \
  do {                                           \
    (code) = (call);                             \
    if (fg_flow_again(f, code)) (code) = (call); \
  } while (0)

int fg_flow_wait_event(const fg_flow *, fg_event *);
int fg_flow_wait_stream(const fg_flow *, enum fg_slot_stream);
int fg_flow_record(const fg_flow *, fg_event *, enum fg_slot_stream);

/* What comes later in stream after waits for what stream before has been given so far. */
int fg_flow_order(const fg_flow *, enum fg_slot_stream before, fg_event *, enum fg_slot_stream after);

/* Elements of a plane, between its image and pinned memory. */
int fg_flow_copy_in(const fg_flow *, int plane, ptrdiff_t first, ptrdiff_t count, const void *from);
int fg_flow_copy_out(const fg_flow *, int plane, ptrdiff_t first, ptrdiff_t count, void *to);

/* ---- through pinned staging (staging.c) ---- */

/* Bytes of a staging piece for this side of the schedule. */
size_t fg_staging_piece(const fg_end *, const fg_schedule *, enum fg_step_kind);

/* Elements of a plane that fit in a staging piece, where count of them are to be moved. */
ptrdiff_t fg_staging_share(const fg_end *, ptrdiff_t count);

/* Gather into the ring and copy in; copy out into the ring, to be scattered when the ring is full or at the end. */
int fg_staging_in(fg_flow *, int plane, ptrdiff_t first, ptrdiff_t count);
int fg_staging_out(fg_flow *, int plane, ptrdiff_t first, ptrdiff_t count);
int fg_staging_finish(fg_flow *);

/* ---- executions seen before (recording.c) ---- */

/* The recording of this execution; NULL if there is none (yet). steps gives all of it to the streams. */
fg_graph *fg_recording_of(const fg_flow *, int (*steps)(fg_flow *));
int fg_recording_play(fg_flow *, fg_graph *);

/* ---- after a failure (undo.c) ---- */

/* Nothing of ours goes on in memory of the program's. The code, made worse if the device is lost. */
int fg_undo_settle(const fg_flow *, int code);

/* Bring the input back from the device after output was written over it. */
int fg_undo(const fg_flow *);

#endif
