/* flow.h: one execution under way, as the files of the pipeline share it; and what all of them do with its streams.
 *
 * Nothing outside src/run/host/{flow,staging,short,recording,undo,pipeline}.c looks in here. */
#ifndef FG_FLOW_H
#define FG_FLOW_H

#include "src/run/host/movers.h"
#include "src/run/host/pipeline.h"
#include "src/run/host/transfer.h"
#include "src/run/slot.h"

/* One side of the execution. */
typedef struct {
  const fg_layout *layout;
  void *array[2];   /* the program's planes */
  void *memory[2];  /* where they begin, if DMA goes there directly */
  fg_rows rows;     /* of each, likewise; neither says anything if it does not */
  void *image;      /* on the device */
  bool direct;
  unsigned long pinning[2]; /* of the planes, if direct; held while the execution lasts */
  size_t piece;     /* staging bytes; 0 if direct */
  bool uncut;       /* else the first piece of an input, or the last of an output, is cut further, if it is large */
} fg_end;

enum { FG_PARTS = 16 }; /* most of a piece */

/* Elements of a plane that go through one piece of staging. */
typedef struct {
  int plane;
  ptrdiff_t first, count;
  bool last; /* of its step */
} fg_parcel;

/* A side that goes through staging. Pieces are counted from the beginning of the execution. In: gathered on the belt,
 * ahead of the steps, then sent to the device. Out: sent from the device, then scattered on the belt. */
typedef struct {
  fg_belt *belt;
  fg_belt own;                /* if another execution has the movers */
  size_t sent;                /* pieces given to DMA */
  size_t opened;              /* pieces given to the belt */
  fg_parcel parcel[FG_RING];
  bool past_cache;            /* what the belt writes */
  double largest[FG_RING][FG_PARTS]; /* that has been gathered, by part of a piece */
} fg_staged;

typedef struct {
  const fg_program *program;
  const fg_schedule *schedule;
  const fg_target *target;
  fg_slot *slot;
  fg_end in, out;
  bool brief;       /* kernels reach host memory themselves (short.c) */
  bool alone;       /* one stream does it: nothing to overlap */
  bool interleaved; /* pieces may leave before all of the input has come */
  bool by_steps;    /* what a step sends is not scattered before all of it has come */
  bool overlap;     /* of input and output in memory */
  bool writing;     /* the program's output has been touched, or may have been */
  bool news_in, news_passes; /* arrivals, launches that later launches, departures have not been made to wait for */
  bool blind;       /* how far the input has come is not known */
  ptrdiff_t come;   /* elements of the input's image that are on the device, or on their way */
  double largest;   /* magnitude of them, if they are narrowed */
  fg_belts *movers; /* NULL: not taken */
  fg_staged staged[2]; /* by enum fg_side */
  fg_belt *cleaning;   /* NULL: nothing is cleaned */
  int next_step;       /* the step, and the parcel of it, that is gathered next */
  size_t next_parcel;
  fg_rest *rest;    /* where to say what is left of a batch; NULL: nothing may be */
} fg_flow;

int fg_end_planes(const fg_end *);
size_t fg_end_plane_size(const fg_end *);

/* Direct, since the program has pinned it: nobody tells when that ends, or what kernels may do there. */
bool fg_end_of_program(const fg_end *);

/* Direct, and exactly as its image. */
bool fg_end_is_dense(const fg_end *);

/* Where the image of a plane has its element first, on the device. */
char *fg_end_on_device(const fg_end *, int plane, ptrdiff_t first);

/* Output is written over the input, which cannot be brought back from its image: that has another precision. So a
 * transform's output is not written before all of it has been computed, and what fails after that is brought to its
 * end, not undone: the rest of a batch has not been touched yet. */
bool fg_flow_is_final(const fg_flow *);

/* ---- the device's calls (flow.c) ---- */

/* Once the output was touched over the input, a call that failed is worth a second try. A wait is not: what it waited
 * for has failed. */
bool fg_flow_again(const fg_flow *, int code);

#define FG_TRY(f, code, call)                    \
  do {                                           \
    (code) = (call);                             \
    if (fg_flow_again(f, code)) (code) = (call); \
  } while (0)

/* All work goes through one stream if the execution is alone. */
fg_stream *fg_flow_stream(const fg_flow *, enum fg_slot_stream);

int fg_flow_wait_stream(const fg_flow *, enum fg_slot_stream);
int fg_flow_record(const fg_flow *, fg_event *, enum fg_slot_stream);

/* What comes later in stream after waits for what stream before has been given so far. */
int fg_flow_order(const fg_flow *, enum fg_slot_stream before, fg_event *, enum fg_slot_stream after);

/* Elements of a plane, between its image and a piece of staging. */
int fg_flow_copy_in(const fg_flow *, int plane, ptrdiff_t first, ptrdiff_t count, const void *from);
int fg_flow_copy_out(const fg_flow *, int plane, ptrdiff_t first, ptrdiff_t count, void *to);

/* Of a direct end: elements of each plane, between its image and the program's array.  *wrote (if not NULL) is set when a copy was
 * accepted. */
int fg_flow_bring_in(const fg_flow *, ptrdiff_t first, ptrdiff_t count);
int fg_flow_bring_out(const fg_flow *, const fg_end *, ptrdiff_t first, ptrdiff_t count, fg_stream *, bool *wrote);

/* ---- through pinned staging (staging.c) ---- */

/* Bytes of a staging piece for this side. */
size_t fg_staging_piece(const fg_end *);

/* What goes past the caches: staging of so many bytes of a plane's image, results of so many of the program's own, on a
 * machine with that last cache (bytes; 0: not known). */
typedef struct {
  bool staging, results;
} fg_past_cache;
fg_past_cache fg_staging_past_cache(size_t staged, size_t results, size_t last_cache);

/* Before the first step: the input's first pieces begin to be gathered. After the last, or a failure: nothing is copied
 * any more. */
void fg_staging_begin(fg_flow *);
void fg_staging_end(fg_flow *);

/* What a step moves, piece by piece; while it waits, other pieces are gathered and scattered. */
int fg_staging_arrive(fg_flow *, const fg_step *);
int fg_staging_leave(fg_flow *, const fg_step *);

/* Until all that was sent from the device is in the program's array. */
int fg_staging_finish(fg_flow *);

/* After fg_staging_end, without the device: put in place what had come of pieces that were begun. How far the output
 * is complete, and how far it is begun: elements of its image, by whole steps. */
typedef struct {
  ptrdiff_t complete, begun;
} fg_progress;
fg_progress fg_staging_settle(fg_flow *);

/* ---- kernels that reach host memory themselves (short.c) ---- */

/* Whether this execution is better done so. An output that is staged then needs a piece that holds all of it. */
bool fg_short_applies(const fg_flow *);
int fg_short_run(fg_flow *);

/* ---- the steps (pipeline.c) ---- */

int fg_flow_arrive(fg_flow *, const fg_step *);

/* Whether the device's precision holds what has come so far: FG_ERANGE if not. */
int fg_flow_judge(const fg_flow *);

/* ---- executions seen before (recording.c) ---- */

/* The recording of what was seen before with that memory, made now if this is the second time; NULL if there is none
 * (yet). steps gives all of it to the streams. */
fg_graph *fg_recording_of(const fg_flow *, const fg_recordable *, int (*steps)(fg_flow *));

/* Give it to the device; the caller waits. */
int fg_recording_play(const fg_flow *, fg_graph *);

/* ---- after a failure (undo.c) ---- */

/* Nothing of ours goes on in memory of the program's. The code, made worse if the device is lost. */
int fg_undo_settle(const fg_flow *, int code);

/* Bring the input back from the device after output was written over it. */
int fg_undo(const fg_flow *);

/* The same of a final flow, whose staging has been ended: bring all transforms that were begun to their end. */
enum fg_outcome fg_undo_forward(fg_flow *, int code);

#endif
