/* pipeline.c: one execution of a program on arrays of the host. */
#include "src/run/pipeline.h"

#include <stdint.h>
#include <string.h>

#include "src/report/log.h"
#include "src/run/arena.h"
#include "src/run/movers.h"
#include "src/run/slot.h"
#include "src/run/transfer.h"
#include "src/run/watch.h"

size_t fg_pipeline_piece = 0;

/* Staging pieces, in bytes. Each costs about 25 us of waiting and waking (measured on the reference H200), so they are
 * as large as their number allows; what is shorter than SHORT goes in one. */
static const size_t largest_piece = 8 << 20, large_piece = 4 << 20, short_piece = 1 << 20;
static const size_t many = 8; /* pieces there have to be before one is larger than large_piece */

/* One side of the execution. */
typedef struct {
  const fg_layout *layout;
  void *array[2];   /* the program's planes */
  void *dense[2];   /* where they begin, if DMA goes there directly */
  void *image;      /* on the device */
  bool direct;
  unsigned long pinning[2]; /* of the planes, if direct; held while the execution lasts */
  size_t piece;     /* staging bytes */
} end;

/* A staging piece on its way out. */
typedef struct {
  int plane;
  ptrdiff_t first, count;
} parcel;

typedef struct {
  const fg_program *program;
  const fg_schedule *schedule;
  const fg_target *target;
  fg_slot *slot;
  end in, out;
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
  parcel parcel[FG_RING];
} flow;

static int planes(const end *e) { return e->layout->split ? 2 : 1; }

static size_t plane_size(const end *e) { return (size_t)e->layout->elements * fg_layout_element_size(e->layout); }

static fg_stream *stream_of(const flow *f, enum fg_slot_stream which) {
  return f->slot->stream[f->alone ? FG_STREAM_PASSES : which];
}

/* Once the output was touched over the input, giving up is no way out: what failed is worth a second try. */
static bool again(const flow *f, int code) { return code != FG_OK && code != FG_ELOST && f->writing && f->overlap; }

#define TRY(f, code, call)                \
  do {                                    \
    (code) = (call);                      \
    if (again(f, code)) (code) = (call);  \
  } while (0)

static int wait_event(const flow *f, fg_event *e) {
  int code;
  TRY(f, code, f->target->backend->event_wait(f->target->device, e));
  return code;
}

static int wait_stream(const flow *f, enum fg_slot_stream which) {
  int code;
  TRY(f, code, f->target->backend->stream_wait(f->target->device, stream_of(f, which)));
  return code;
}

static int record(const flow *f, fg_event *e, enum fg_slot_stream which) {
  int code;
  TRY(f, code, f->target->backend->event_record(f->target->device, e, stream_of(f, which)));
  return code;
}

/* What comes later in stream after waits for what stream before has been given so far. */
static int order(const flow *f, enum fg_slot_stream before, fg_event *e, enum fg_slot_stream after) {
  if (f->alone) return FG_OK;
  int code = record(f, e, before);
  if (code == FG_OK) TRY(f, code, f->target->backend->stream_wait_event(f->target->device, stream_of(f, after), e));
  return code;
}

static char *on_device(const end *e, int plane, ptrdiff_t first) {
  return (char *)fg_transfer_plane(e->layout, e->image, plane) + (size_t)first * fg_layout_element_size(e->layout);
}

/* count in as few shares of at most limit as possible, all about equal: the size of one. */
static ptrdiff_t share_of(ptrdiff_t count, ptrdiff_t limit) {
  const ptrdiff_t shares = (count + limit - 1) / limit;
  return shares ? (count + shares - 1) / shares : 1;
}

/* ---- arrivals ---- */

static int copy_in(const flow *f, int plane, ptrdiff_t first, ptrdiff_t count, const void *from) {
  const size_t bytes = (size_t)count * fg_layout_element_size(f->in.layout);
  int code;
  TRY(f, code, f->target->backend->copy_in(f->target->device, on_device(&f->in, plane, first), from, bytes,
                                           stream_of(f, FG_STREAM_IN)));
  return code;
}

static int stage_in(flow *f, int plane, ptrdiff_t first, ptrdiff_t count) {
  fg_ring *const ring = &f->slot->ring[FG_INPUT];
  const size_t side = f->gathered % FG_RING;
  int code = f->gathered < FG_RING ? FG_OK : wait_event(f, ring->copied[side]);
  if (code != FG_OK) return code;
  f->gathered++;
  fg_transfer_gather(f->in.layout, f->in.array[plane], first, count, ring->piece[side]);
  code = copy_in(f, plane, first, count, ring->piece[side]);
  return code == FG_OK ? record(f, ring->copied[side], FG_STREAM_IN) : code;
}

static int arrive(flow *f, const fg_step *s) {
  const size_t element = fg_layout_element_size(f->in.layout);
  const ptrdiff_t most = f->in.direct ? s->count : share_of(s->count, (ptrdiff_t)(f->in.piece / element));
  f->news_in = true;
  for (int plane = 0; plane < planes(&f->in); plane++)
    for (ptrdiff_t at = 0; at < s->count; at += most) {
      const ptrdiff_t first = s->first + at, count = s->count - at < most ? s->count - at : most;
      const int code = f->in.direct
                           ? copy_in(f, plane, first, count, (char *)f->in.dense[plane] + (size_t)first * element)
                           : stage_in(f, plane, first, count);
      if (code != FG_OK) return code;
    }
  f->come = s->first + s->count;
  return FG_OK;
}

/* ---- launches ---- */

static int launch(flow *f, const fg_step *s) {
  int code = f->news_in ? order(f, FG_STREAM_IN, f->slot->arrived, FG_STREAM_PASSES) : FG_OK;
  if (code != FG_OK) return code;
  f->news_in = false;
  f->news_passes = true;
  TRY(f, code, fg_program_launch_part(f->program, f->slot->array, s->pass, s->loop, s->first, s->count,
                                      f->slot->stream[FG_STREAM_PASSES]));
  return code;
}

/* ---- departures ---- */

static int copy_out(const flow *f, int plane, ptrdiff_t first, ptrdiff_t count, void *to) {
  const size_t bytes = (size_t)count * fg_layout_element_size(f->out.layout);
  int code;
  TRY(f, code, f->target->backend->copy_out(f->target->device, to, on_device(&f->out, plane, first), bytes,
                                            stream_of(f, FG_STREAM_OUT)));
  return code;
}

/* Fetch a parcel anew when waiting for its copy failed and there is no way back. */
static int await_parcel(flow *f, size_t side) {
  fg_ring *const ring = &f->slot->ring[FG_OUTPUT];
  const parcel *p = &f->parcel[side];
  int code = f->target->backend->event_wait(f->target->device, ring->copied[side]);
  if (!again(f, code)) return code;
  code = copy_out(f, p->plane, p->first, p->count, ring->piece[side]);
  if (code == FG_OK) code = record(f, ring->copied[side], FG_STREAM_OUT);
  return code == FG_OK ? wait_event(f, ring->copied[side]) : code;
}

static int scatter_oldest(flow *f) {
  const size_t side = f->scattered % FG_RING;
  const parcel *p = &f->parcel[side];
  const int code = await_parcel(f, side);
  if (code != FG_OK) return code;
  f->writing = true;
  fg_transfer_scatter(f->out.layout, f->out.array[p->plane], p->first, p->count, f->slot->ring[FG_OUTPUT].piece[side]);
  f->scattered++;
  return FG_OK;
}

static int stage_out(flow *f, int plane, ptrdiff_t first, ptrdiff_t count) {
  fg_ring *const ring = &f->slot->ring[FG_OUTPUT];
  const size_t side = f->fetched % FG_RING;
  int code = f->fetched - f->scattered < FG_RING ? FG_OK : scatter_oldest(f);
  if (code != FG_OK) return code;
  code = copy_out(f, plane, first, count, ring->piece[side]);
  if (code == FG_OK) code = record(f, ring->copied[side], FG_STREAM_OUT);
  f->parcel[side] = (parcel){plane, first, count};
  f->fetched += code == FG_OK;
  return code;
}

static int leave(flow *f, const fg_step *s) {
  const size_t element = fg_layout_element_size(f->out.layout);
  const ptrdiff_t most = f->out.direct ? s->count : share_of(s->count, (ptrdiff_t)(f->out.piece / element));
  int code = f->news_passes ? order(f, FG_STREAM_PASSES, f->slot->computed, FG_STREAM_OUT) : FG_OK;
  if (code != FG_OK) return code;
  f->news_passes = false;
  f->writing |= f->out.direct;
  for (int plane = 0; plane < planes(&f->out); plane++)
    for (ptrdiff_t at = 0; at < s->count; at += most) {
      const ptrdiff_t first = s->first + at, count = s->count - at < most ? s->count - at : most;
      code = f->out.direct ? copy_out(f, plane, first, count, (char *)f->out.dense[plane] + (size_t)first * element)
                           : stage_out(f, plane, first, count);
      if (code != FG_OK) return code;
    }
  return FG_OK;
}

static int finish(flow *f) {
  while (f->scattered < f->fetched) {
    const int code = scatter_oldest(f);
    if (code != FG_OK) return code;
  }
  return f->out.direct ? wait_stream(f, FG_STREAM_OUT) : FG_OK;
}

/* ---- without copies: kernels read the program's input, and write its output, over the link ---- */

size_t fg_pipeline_mapped = 1 << 20;

/* The first pass reads the input; if it is the only one it also writes the output. Not where the input is overwritten:
 * a failure could not be undone. */
static bool may_map(const flow *f) {
  const size_t bytes = fg_transfer_bytes(f->in.layout);
  const uintptr_t misaligned = ((uintptr_t)f->in.dense[0] | (uintptr_t)f->out.dense[0]) % FG_PLANE_ALIGNMENT;
  return f->target->info->reads_host && f->in.direct && f->out.direct && !misaligned /* must: kernels reach the arrays */
         && !f->overlap                                                             /* must: what fails is undone */
         && f->schedule->whole && bytes <= fg_pipeline_mapped                       /* taste: copies are faster */
         && !f->in.layout->split && !f->out.layout->split;
}

static int run_mapped(flow *f) {
  const int count = fg_program_passes(f->program)->count;
  const bool store_too = count == 1;
  int code = FG_OK;
  for (int i = 0; code == FG_OK && i < count; i++) {
    void *array[FG_ARRAYS];
    memcpy(array, f->slot->array, sizeof array);
    if (i == 0) array[FG_ARRAY_IN] = f->in.dense[0];
    if (store_too) array[FG_ARRAY_OUT] = f->out.dense[0];
    code = fg_program_launch_part(f->program, array, i, -1, 0, 0, f->slot->stream[FG_STREAM_PASSES]);
  }
  if (code != FG_OK) return code;
  if (!store_too) code = leave(f, &(fg_step){FG_LEAVE, 0, -1, 0, f->out.layout->elements});
  return code == FG_OK ? wait_stream(f, FG_STREAM_OUT) : code;
}

/* ---- all ---- */

static int step(flow *f, const fg_step *s) {
  switch (s->kind) {
    case FG_ARRIVE: return arrive(f, s);
    case FG_LAUNCH: return launch(f, s);
    default: return leave(f, s);
  }
}

/* All steps of the schedule, or only those that are (or are not) departures. */
static int steps(flow *f, bool rest, bool departures) {
  for (int i = 0; i < f->schedule->count; i++) {
    const fg_step *s = &f->schedule->step[i];
    const int code = (s->kind == FG_LEAVE ? departures : rest) ? step(f, s) : FG_OK;
    if (code != FG_OK) return code;
  }
  return FG_OK;
}

/* Pieces may leave before all of the input has come only where they write over nothing that is still to be read. */
static bool may_interleave(const flow *f) {
  const bool in_place = f->in.array[0] == f->out.array[0] && f->in.array[1] == f->out.array[1];
  return !f->schedule->in_batches || !f->overlap || (in_place && f->schedule->same_places);
}

static int all_steps(flow *f) {
  if (may_interleave(f)) return steps(f, true, true);
  const int code = steps(f, true, false);
  return code == FG_OK ? steps(f, false, true) : code;
}

/* ---- executions seen before: all steps were recorded, and are given to the device at once ---- */

/* The driver's time for each step only matters where the steps are short. */
size_t fg_pipeline_recorded = 64 << 20;

static bool may_record(const flow *f) {
  return f->target->backend->graph_begin && f->in.direct && f->out.direct && plane_size(&f->in) <= fg_pipeline_recorded;
}

static fg_recordable recordable(const flow *f) {
  fg_recordable r;
  memset(&r, 0, sizeof r); /* it is compared as bytes */
  r.program = fg_program_number(f->program);
  for (int plane = 0; plane < planes(&f->in); plane++) {
    r.memory[plane] = f->in.dense[plane];
    r.pinning[plane] = f->in.pinning[plane];
  }
  for (int plane = 0; plane < planes(&f->out); plane++) {
    r.memory[2 + plane] = f->out.dense[plane];
    r.pinning[2 + plane] = f->out.pinning[plane];
  }
  return r;
}

/* The streams of arrivals and departures begin after the passes' stream and end before it. */
static int record_steps(flow *f) {
  int code = order(f, FG_STREAM_PASSES, f->slot->computed, FG_STREAM_IN);
  if (code == FG_OK) code = order(f, FG_STREAM_PASSES, f->slot->computed, FG_STREAM_OUT);
  if (code == FG_OK) code = all_steps(f);
  if (code == FG_OK) code = order(f, FG_STREAM_IN, f->slot->arrived, FG_STREAM_PASSES);
  if (code == FG_OK) code = order(f, FG_STREAM_OUT, f->slot->computed, FG_STREAM_PASSES);
  return code;
}

/* Without a graph the steps are done one by one for ever. */
static void make_recording(const flow *f, fg_recording *r) {
  const fg_backend *b = f->target->backend;
  flow rehearsal = *f;
  fg_graph *graph = NULL;
  if (b->graph_begin(f->target->device, f->slot->stream[FG_STREAM_PASSES]) != FG_OK) return;
  const int code = record_steps(&rehearsal);
  const int end = b->graph_end(f->target->device, f->slot->stream[FG_STREAM_PASSES], &graph);
  if (code == FG_OK && end == FG_OK) r->graph = graph;
  else if (graph) b->graph_destroy(f->target->device, graph);
  if (!r->graph) fg_log(FG_LOG_DEBUG, "not recorded: %s", fg_backend_message());
}

static int play(flow *f, fg_graph *graph) {
  const int code = f->target->backend->graph_launch(f->target->device, graph, f->slot->stream[FG_STREAM_PASSES]);
  if (code != FG_OK) return code;
  f->writing = f->blind = true;
  return wait_stream(f, FG_STREAM_PASSES);
}

/* Recorded when it is seen for the second time. */
static fg_graph *graph_of(const flow *f) {
  if (!may_record(f)) return NULL;
  const fg_recordable what = recordable(f);
  fg_recording *r = fg_slot_recording(f->target, f->slot, &what);
  if (r->seen == 2) make_recording(f, r);
  return r->graph;
}

static int run(flow *f) {
  if (f->mapped) return run_mapped(f);
  fg_graph *graph = graph_of(f);
  if (graph) return play(f, graph);
  const int code = all_steps(f);
  return code == FG_OK ? finish(f) : code;
}

/* After a failure: nothing of ours may go on in memory of the program's. The code, made worse if the device is lost. */
static int settle(const flow *f, int code) {
  for (int i = 0; i < FG_STREAMS; i++)
    if (f->target->backend->stream_wait(f->target->device, f->slot->stream[i]) == FG_ELOST) code = FG_ELOST;
  return code;
}

static int bring_back(const flow *f, int plane, ptrdiff_t first, ptrdiff_t count) {
  const end *in = &f->in;
  const size_t element = fg_layout_element_size(in->layout);
  void *const to = in->direct ? (char *)in->dense[plane] + (size_t)first * element : f->slot->ring[FG_INPUT].piece[0];
  int code;
  TRY(f, code, f->target->backend->copy_out(f->target->device, to, on_device(in, plane, first), (size_t)count * element,
                                            f->slot->stream[FG_STREAM_PASSES]));
  if (code == FG_OK)
    TRY(f, code, f->target->backend->stream_wait(f->target->device, f->slot->stream[FG_STREAM_PASSES]));
  if (code == FG_OK && !in->direct) fg_transfer_scatter(in->layout, in->array[plane], first, count, to);
  return code;
}

/* After output was written over the input: what had come of the input is still on the device, where no pass writes to
 * it. */
static int undo(const flow *f) {
  const size_t element = fg_layout_element_size(f->in.layout);
  const ptrdiff_t most = f->in.direct ? f->come : (ptrdiff_t)(f->in.piece / element);
  for (int plane = 0; plane < planes(&f->in); plane++)
    for (ptrdiff_t first = 0; first < f->come; first += most) {
      const int code = bring_back(f, plane, first, f->come - first < most ? f->come - first : most);
      if (code != FG_OK) return code;
    }
  return FG_OK;
}

static void let_go(unsigned long pinning[2]) {
  for (int plane = 0; plane < 2; plane++) fg_arena_let_go(pinning[plane]);
  pinning[0] = pinning[1] = 0;
}

/* Then what is pinned is held until it is let go. */
static bool reachable(const fg_target *t, const fg_layout *l, void *const array[2], void *dense[2],
                      unsigned long pinning[2]) {
  const size_t bytes = (size_t)l->elements * fg_layout_element_size(l);
  pinning[0] = pinning[1] = 0;
  for (int plane = 0; plane < (l->split ? 2 : 1); plane++) {
    dense[plane] = fg_transfer_dense(l, array[plane]);
    pinning[plane] = dense[plane] ? fg_arena_hold(t, dense[plane], bytes) : 0;
    if (!pinning[plane]) {
      let_go(pinning);
      return false;
    }
  }
  return true;
}

/* The most that one step of the schedule moves of a plane. */
static size_t largest_step(const end *e, const fg_schedule *s, enum fg_step_kind kind) {
  ptrdiff_t most = 1;
  for (int i = 0; i < s->count; i++)
    if (s->step[i].kind == kind && s->step[i].count > most) most = s->step[i].count;
  return (size_t)most * fg_layout_element_size(e->layout);
}

static size_t piece_for(const end *e, size_t step) {
  const size_t all = plane_size(e), element = fg_layout_element_size(e->layout);
  const size_t limit = all / many > large_piece ? largest_piece : large_piece;
  size_t piece = step > all / 2 && all > short_piece ? all / 2 : step;
  if (piece > limit) piece = limit;
  if (fg_pipeline_piece) piece = fg_pipeline_piece;
  if (piece > all) piece = all;
  return piece < element ? element : (piece + element - 1) / element * element;
}

static end end_of(const fg_program *g, enum fg_side side, void *re, void *im) {
  const enum fg_step_kind kind = side == FG_INPUT ? FG_ARRIVE : FG_LEAVE;
  end e = {.layout = fg_program_layout(g, side), .array = {re, im}};
  e.direct = reachable(fg_program_target(g), e.layout, e.array, e.dense, e.pinning);
  e.piece = e.direct ? 0 : piece_for(&e, largest_step(&e, fg_program_schedule(g), kind));
  return e;
}

static enum fg_outcome flow_through(flow *f) {
  f->in.image = f->slot->array[FG_ARRAY_IN];
  f->out.image = f->slot->array[FG_ARRAY_OUT];
  f->awake = (!f->in.direct && fg_transfer_wants_movers(f->in.piece)) ||
             (!f->out.direct && fg_transfer_wants_movers(f->out.piece));
  if (f->awake) fg_movers_begin();
  int code = run(f);
  if (f->awake) fg_movers_end();
  if (code == FG_OK) return FG_DONE;
  code = settle(f, code);
  if (code == FG_ELOST) fg_target_lost(fg_backend_message());
  if (!f->writing || !f->overlap) return FG_INTACT;
  return code != FG_ELOST && !f->blind && undo(f) == FG_OK ? FG_INTACT : FG_DAMAGED;
}

static enum fg_outcome run_in_slot(flow *f) {
  const size_t staging[2] = {f->in.piece, f->out.piece};
  const int code = fg_slot_acquire(f->target, fg_program_bytes(f->program), staging, &f->slot);
  if (code == FG_ELOST) fg_target_lost(fg_backend_message());
  if (code != FG_OK) return FG_INTACT;
  const enum fg_outcome outcome = flow_through(f);
  fg_slot_release(f->slot);
  return outcome;
}

enum fg_outcome fg_pipeline_run(const fg_program *g, const fg_arrays *a) {
  flow f = {.program = g, .schedule = fg_program_schedule(g), .target = fg_program_target(g)};
  f.in = end_of(g, FG_INPUT, a->in_re, a->in_im);
  f.out = end_of(g, FG_OUTPUT, a->out_re, a->out_im);
  f.overlap = fg_transfer_overlap(f.in.layout, f.out.layout, a);
  f.mapped = may_map(&f);
  f.alone = f.mapped || (f.schedule->whole && (f.in.direct || f.in.piece >= plane_size(&f.in)) &&
            (f.out.direct || f.out.piece >= plane_size(&f.out)));
  const int begun = f.target->backend->begin(f.target->device);
  const enum fg_outcome outcome = run_in_slot(&f);
  f.target->backend->end(f.target->device, begun);
  let_go(f.in.pinning);
  let_go(f.out.pinning);
  return outcome;
}

static void pin(const fg_program *g, enum fg_side side, void *re, void *im) {
  void *dense[2];
  unsigned long pinning[2];
  if (re && reachable(fg_program_target(g), fg_program_layout(g, side), (void *[]){re, im}, dense, pinning))
    let_go(pinning);
}

void fg_pipeline_pin(const fg_program *g, const fg_arrays *a) {
  fg_watch_complain();
  pin(g, FG_INPUT, a->in_re, a->in_im);
  pin(g, FG_OUTPUT, a->out_re, a->out_im);
}
