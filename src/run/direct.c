/* direct.c: one execution on arrays that are on the device. */
#include "src/run/direct.h"

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "src/report/log.h"
#include "src/run/host/transfer.h"
#include "src/run/lane.h"
#include "src/run/residence.h"

/* Staging pieces: large enough for the link, two of them so that one is filled while the other is on its way. */
static const size_t largest_piece = 4 << 20;

/* The program captures streams that its default one waits for, as was seen or is likely. Then that must not be used, and what is
 * in it cannot be waited for: it is used for no more than its order from then on. */
static atomic_bool captures;

typedef struct {
  const fg_direct *what;
  const fg_target *target;
  fg_lane *lane;
  fg_stream *stream, *theirs; /* that it runs in; the program's, whose work comes first */
  bool alone;  /* no other is there, and it is short: it may run in the program's stream */
  bool waited; /* for its end */
  bool given;  /* something of it may be in its stream */
  bool overwrites; /* the input: from the first launch on giving up is no way out */
  bool touched;    /* it has been, or may have been */
  size_t moved;    /* pieces of staging used so far */
  double largest;  /* magnitude of what was narrowed on the way in */
  unsigned long held[2]; /* planes of the host that DMA reaches */
  int holds;
} run;

static const fg_layout *layout_of(const fg_direct *d, enum fg_side side) { return fg_program_layout(d->program, side); }

static int planes_of(const fg_layout *l) { return l->split ? 2 : 1; }

static void *plane_of(const fg_arrays *a, enum fg_side side, int plane) {
  if (side == FG_INPUT) return plane ? a->in_im : a->in_re;
  return plane ? a->out_im : a->out_re;
}

/* What fails after the input was touched is tried once more. */
static bool again(const run *r, int code) {
  return code != FG_OK && code != FG_ELOST && r->touched && r->overwrites;
}

#define TRY(r, code, call) TRY_AFTER(r, code, call, 0)

/* With something before the second time. */
#define TRY_AFTER(r, code, call, before) \
  do {                                   \
    (code) = (call);                     \
    if (!again(r, code)) break;          \
    (void)(before);                      \
    (code) = (call);                     \
  } while (0)

/* ---- the side that is the host's ---- */

/* Where DMA reaches the whole plane, which is held until the end; NULL if it does not. */
static char *reachable(run *r, const fg_layout *l, void *plane) {
  char *const dense = fg_transfer_dense(l, plane);
  const size_t bytes = (size_t)l->elements * fg_layout_element_size(l);
  const unsigned long number = dense ? fg_residence_hold(r->target, dense, bytes) : 0;
  if (!number) return NULL;
  r->held[r->holds++] = number;
  return dense;
}

static size_t piece_of(const fg_direct *d, enum fg_side side) {
  const fg_layout *l = layout_of(d, side);
  const size_t element = fg_layout_element_size(l), bytes = (size_t)l->elements * element;
  if (d->reach[side] != FG_REACH_IMAGE) return 0;
  return bytes < largest_piece ? bytes : largest_piece / element * element;
}

/* The next piece of staging, free to be used. */
static int next_piece(run *r, int *piece) {
  *piece = (int)(r->moved % FG_LANE_PIECES);
  const bool used = r->moved >= FG_LANE_PIECES;
  r->moved++;
  return used ? r->target->backend->event_wait(r->target->device, r->lane->moved[*piece]) : FG_OK;
}

static int bring_piece(run *r, const fg_layout *l, void *array, ptrdiff_t first, ptrdiff_t count, char *image) {
  const fg_backend *b = r->target->backend;
  const size_t element = fg_layout_element_size(l);
  int piece, code = next_piece(r, &piece);
  if (code != FG_OK) return code;
  const double largest = fg_transfer_gather(l, array, first, count, r->lane->staging[piece], false);
  if (largest > r->largest) r->largest = largest;
  code = b->copy_in(r->target->device, image + (size_t)first * element, r->lane->staging[piece],
                    (size_t)count * element, r->stream);
  return code == FG_OK ? b->event_record(r->target->device, r->lane->moved[piece], r->stream) : code;
}

static int bring_plane(run *r, const fg_layout *l, void *array, char *image) {
  const size_t element = fg_layout_element_size(l);
  const ptrdiff_t most = (ptrdiff_t)(piece_of(r->what, FG_INPUT) / element);
  char *const dense = reachable(r, l, array);
  int code = FG_OK;
  if (dense)
    return r->target->backend->copy_in(r->target->device, image, dense, (size_t)l->elements * element, r->stream);
  for (ptrdiff_t at = 0; code == FG_OK && at < l->elements; at += most)
    code = bring_piece(r, l, array, at, l->elements - at < most ? l->elements - at : most, image);
  return code;
}

static int fetch_plane(run *r, const fg_layout *l, void *array, const char *image) {
  const fg_backend *b = r->target->backend;
  fg_device *const d = r->target->device;
  const size_t element = fg_layout_element_size(l);
  const ptrdiff_t most = (ptrdiff_t)(piece_of(r->what, FG_OUTPUT) / element);
  char *const dense = reachable(r, l, array);
  int code = FG_OK;
  if (dense) return b->copy_out(d, dense, image, (size_t)l->elements * element, r->stream);
  for (ptrdiff_t at = 0; code == FG_OK && at < l->elements; at += most) {
    const ptrdiff_t count = l->elements - at < most ? l->elements - at : most;
    code = b->copy_out(d, r->lane->staging[0], image + (size_t)at * element, (size_t)count * element, r->stream);
    if (code == FG_OK) code = b->stream_wait(d, r->stream);
    if (code == FG_OK) fg_transfer_scatter(l, array, at, count, r->lane->staging[0], true);
  }
  return code;
}

static int move_side(run *r, enum fg_side side) {
  const fg_layout *l = layout_of(r->what, side);
  void *const image = r->lane->array[side == FG_INPUT ? FG_ARRAY_IN : FG_ARRAY_OUT];
  int code = FG_OK;
  if (r->what->reach[side] != FG_REACH_IMAGE) return FG_OK;
  for (int plane = 0; code == FG_OK && plane < planes_of(l); plane++) {
    void *const array = plane_of(&r->what->arrays, side, plane), *const at = fg_transfer_plane(l, image, plane);
    code = side == FG_INPUT ? bring_plane(r, l, array, at) : fetch_plane(r, l, array, at);
  }
  return code;
}

/* What came from the host is of a size for the precision; what is on the device nobody has looked at. */
static int judge(const run *r) {
  const fg_range *range = fg_program_range(r->what->program);
  if (r->what->reach[FG_INPUT] != FG_REACH_IMAGE) return FG_OK;
  if (fg_range_kept(range, r->largest) && fg_range_reached(range, r->largest)) return FG_OK;
  return fg_backend_fail(FG_ERANGE, "numbers are too large or too small for single precision");
}

/* ---- the side that is on the device ---- */

/* A copy of the memory that the input spans, gaps included: what is only read may be read whole. */
typedef struct {
  size_t bytes;      /* of a plane's span */
  ptrdiff_t pointer; /* bytes from its start to where the plane's pointer leads */
} span;

static span span_of(const fg_layout *l) {
  const ptrdiff_t real = (ptrdiff_t)fg_real_size(l->precision);
  return (span){(size_t)(fg_layout_reach(l) * real), -l->low * real};
}

static size_t padded(size_t bytes) {
  return (bytes + FG_PLANE_ALIGNMENT - 1) / FG_PLANE_ALIGNMENT * FG_PLANE_ALIGNMENT;
}

static char *copy_of(const run *r, int plane) {
  return (char *)r->lane->array[FG_ARRAY_IN] + (size_t)plane * padded(span_of(layout_of(r->what, FG_INPUT)).bytes);
}

static int copy_input(run *r) {
  const fg_layout *l = layout_of(r->what, FG_INPUT);
  const span s = span_of(l);
  int code = FG_OK;
  for (int plane = 0; r->what->copy && code == FG_OK && plane < planes_of(l); plane++) {
    code = r->target->backend->copy_within(r->target->device, copy_of(r, plane),
                                           (char *)plane_of(&r->what->arrays, FG_INPUT, plane) - s.pointer, s.bytes,
                                           r->stream);
    r->given |= code == FG_OK;
  }
  return code;
}

static fg_planes planes_for(const run *r, enum fg_side side) {
  const fg_direct *d = r->what;
  const fg_layout *l = layout_of(d, side);
  fg_planes p;
  if (d->reach[side] == FG_REACH_IMAGE) {
    void *const image = r->lane->array[side == FG_INPUT ? FG_ARRAY_IN : FG_ARRAY_OUT];
    p = (fg_planes){fg_transfer_plane(l, image, 0), fg_transfer_plane(l, image, 1)};
  } else if (side == FG_INPUT && d->copy) {
    const ptrdiff_t pointer = span_of(l).pointer;
    p = (fg_planes){copy_of(r, 0) + pointer, copy_of(r, 1) + pointer};
  } else {
    p = (fg_planes){plane_of(&d->arrays, side, 0), plane_of(&d->arrays, side, 1)};
  }
  if (!l->split) p.im = NULL;
  return p;
}

/* Before something is tried once more: when all before it is done, it needs no order, and in a stream of ours no capture of the
 * program's makes it fail. */
static void leave_the_programs_stream(run *r) {
  if (!r->waited || r->target->backend->stream_wait(r->target->device, r->stream) != FG_OK) return;
  if (r->stream == r->theirs) atomic_store(&captures, true);
  r->stream = r->lane->stream;
}

static int launch(run *r) {
  const fg_planes planes[FG_ARRAYS] = {
      [FG_ARRAY_IN] = planes_for(r, FG_INPUT),
      [FG_ARRAY_OUT] = planes_for(r, FG_OUTPUT),
      [FG_ARRAY_SCRATCH0] = {r->lane->array[FG_ARRAY_SCRATCH0], NULL},
      [FG_ARRAY_SCRATCH1] = {r->lane->array[FG_ARRAY_SCRATCH1], NULL},
  };
  const fg_passes *passes = fg_program_passes(r->what->program);
  int code = FG_OK;
  if (fg_program_launch_at_once(r->what->program, planes, r->stream, r->waited)) {
    r->given = r->touched = true;
    return FG_OK;
  }
  for (int i = 0; code == FG_OK && i < passes->count; i++) {
    TRY_AFTER(r, code, fg_program_launch_planes(r->what->program, planes, i, r->stream), leave_the_programs_stream(r));
    r->given |= code == FG_OK;
    r->touched |= code == FG_OK && passes->pass[i].to.array == FG_ARRAY_OUT;
  }
  return code;
}

/* ---- all ---- */

/* What the program has given to its default stream comes first. An execution that is alone takes its place there, which costs 2 us
 * less than waiting for it in a stream of ours; not where the lane's stream has to wait for another one. */
static int after_the_program(run *r) {
  const fg_backend *b = r->target->backend;
  int code = b->stream_of_program(r->target->device, NULL, &r->theirs);
  if (code == FG_ELAUNCH) atomic_store(&captures, true);
  if (code != FG_OK) return code;
  if (r->alone && !r->lane->pending) {
    r->stream = r->theirs;
    return FG_OK;
  }
  code = b->event_record(r->target->device, r->lane->before, r->theirs);
  return code == FG_OK ? b->stream_wait_event(r->target->device, r->stream, r->lane->before) : code;
}

static int all(run *r) {
  int code = after_the_program(r);
  if (code == FG_OK) code = move_side(r, FG_INPUT);
  if (code == FG_OK) code = judge(r);
  if (code == FG_OK) code = copy_input(r);
  if (code == FG_OK) code = launch(r);
  if (code == FG_OK) code = move_side(r, FG_OUTPUT);
  if (code == FG_OK) TRY(r, code, r->target->backend->stream_wait(r->target->device, r->stream));
  return code;
}

static int acquire(run *r, fg_stream *program_stream) {
  const fg_direct *d = r->what;
  const size_t in = piece_of(d, FG_INPUT), out = piece_of(d, FG_OUTPUT);
  const fg_layout *l = layout_of(d, FG_INPUT);
  size_t bytes[FG_ARRAYS];
  memcpy(bytes, fg_program_bytes(d->program), sizeof bytes);
  if (d->copy) bytes[FG_ARRAY_IN] = padded(span_of(l).bytes) * (size_t)planes_of(l);
  const int code = fg_lane_acquire(r->target, bytes, in > out ? in : out, program_stream, &r->lane);
  if (code == FG_OK) r->stream = program_stream ? program_stream : r->lane->stream;
  return code;
}

static run run_of(const fg_direct *d) {
  return (run){.what = d, .target = fg_program_target(d->program), .overwrites = d->in_place || d->copy};
}

static enum fg_outcome outcome_of(run *r, int code) {
  if (code == FG_OK) return FG_DONE;
  /* Nothing of ours may go on in memory of the program's. Where nothing is, its stream is left alone: it may be captured. */
  const bool there = r->lane && r->stream == r->theirs, idle = !r->lane || (there && !r->given);
  if (there) atomic_store(&captures, true);
  if (!idle && r->target->backend->stream_wait(r->target->device, r->stream) == FG_ELOST) code = FG_ELOST;
  if (code == FG_ELOST) fg_target_lost(fg_backend_message());
  return r->touched && r->overwrites ? FG_DAMAGED : FG_INTACT;
}

/* By threads that wait for their end. */
static atomic_int executions;

/* May run in the program's default stream, if it is the only one: several would wait for each other there, and long. */
static bool fits_there(const fg_direct *d) {
  const bool on_device = d->reach[FG_INPUT] != FG_REACH_IMAGE && d->reach[FG_OUTPUT] != FG_REACH_IMAGE;
  return on_device && fg_program_short(d->program) && !atomic_load(&captures);
}

enum fg_outcome fg_direct_run(const fg_direct *d) {
  if (fg_program_empty(d->program)) return FG_DONE;
  run r = run_of(d);
  const int begun = r.target->backend->begin(r.target->device);
  r.alone = atomic_fetch_add(&executions, 1) == 0 && fits_there(d);
  r.waited = true;
  int code = acquire(&r, NULL);
  if (code == FG_OK) code = all(&r);
  const enum fg_outcome outcome = outcome_of(&r, code);
  while (r.holds > 0) fg_residence_let_go(r.held[--r.holds]);
  if (r.lane) fg_lane_release(r.lane, NULL);
  atomic_fetch_sub(&executions, 1);
  r.target->backend->end(r.target->device, begun);
  return outcome;
}

static int all_in(run *r, fg_stream *stream) {
  int code = copy_input(r);
  if (code == FG_OK) code = launch(r);
  /* After a failure what was launched is going on: whoever is told of it may have FFTW write to the same arrays at once. */
  int recorded = r->target->backend->event_record(r->target->device, r->lane->after, stream);
  if ((recorded != FG_OK || code != FG_OK) && r->given)
    recorded = r->target->backend->stream_wait(r->target->device, stream);
  if (recorded == FG_ELOST) return recorded;
  return code == FG_OK ? recorded : code;
}

int fg_direct_run_in(const fg_direct *d, fg_stream *stream, bool *damaged) {
  *damaged = false;
  if (fg_program_empty(d->program)) return FG_OK;
  run r = run_of(d);
  const int begun = r.target->backend->begin(r.target->device);
  int code = acquire(&r, stream);
  if (code == FG_OK) code = all_in(&r, stream);
  if (code == FG_ELOST) fg_target_lost(fg_backend_message());
  *damaged = code != FG_OK && r.touched && r.overwrites;
  if (r.lane) fg_lane_release(r.lane, stream);
  r.target->backend->end(r.target->device, begun);
  return code;
}
