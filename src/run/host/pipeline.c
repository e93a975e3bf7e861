/* pipeline.c: one execution of a program on arrays of the host. */
#include <string.h>

#include "src/run/arena/watch.h"
#include "src/run/host/flow.h"
#include "src/run/residence.h"

/* ---- arrivals ---- */

/* Too small is only what stays so to the end, or until something is written over it. */
int fg_flow_judge(const fg_flow *f) {
  const fg_range *r = fg_program_range(f->program);
  const bool last = f->come == f->in.layout->elements || (f->interleaved && fg_flow_is_final(f));
  if (!fg_range_kept(r, f->largest)) return fg_backend_fail(FG_ERANGE, "numbers are too large for single precision");
  if (!last || fg_range_reached(r, f->largest)) return FG_OK;
  return fg_backend_fail(FG_ERANGE, "numbers are too small for single precision");
}

int fg_flow_arrive(fg_flow *f, const fg_step *s) {
  const int code = f->in.direct ? fg_flow_bring_in(f, s->first, s->count) : fg_staging_arrive(f, s);
  if (code != FG_OK) return code;
  f->news_in = true;
  f->come = s->first + s->count;
  return fg_flow_judge(f);
}

/* ---- launches ---- */

static int launch(fg_flow *f, const fg_step *s) {
  int code = f->news_in ? fg_flow_order(f, FG_STREAM_IN, f->slot->arrived, FG_STREAM_PASSES) : FG_OK;
  if (code != FG_OK) return code;
  f->news_in = false;
  f->news_passes = true;
  FG_TRY(f, code, fg_program_launch_part(f->program, f->slot->array, s->pass, s->loop, s->first, s->count,
                                         f->slot->stream[FG_STREAM_PASSES]));
  return code;
}

/* ---- departures ---- */

static int leave(fg_flow *f, const fg_step *s) {
  int code = f->news_passes ? fg_flow_order(f, FG_STREAM_PASSES, f->slot->computed, FG_STREAM_OUT) : FG_OK;
  if (code != FG_OK) return code;
  f->news_passes = false;
  if (!f->out.direct) return fg_staging_leave(f, s);
  return fg_flow_bring_out(f, &f->out, s->first, s->count, fg_flow_stream(f, FG_STREAM_OUT), &f->writing);
}

static int finish(fg_flow *f) {
  return f->out.direct ? fg_flow_wait_stream(f, FG_STREAM_OUT) : fg_staging_finish(f);
}

/* ---- steps ---- */

static int step(fg_flow *f, const fg_step *s) {
  switch (s->kind) {
    case FG_ARRIVE: return fg_flow_arrive(f, s);
    case FG_LAUNCH: return launch(f, s);
    default: return leave(f, s);
  }
}

/* All steps of the schedule, or only those that are (or are not) departures. */
static int steps(fg_flow *f, bool rest, bool departures) {
  for (int i = 0; i < f->schedule->count; i++) {
    const fg_step *s = &f->schedule->step[i];
    const int code = (s->kind == FG_LEAVE ? departures : rest) ? step(f, s) : FG_OK;
    if (code != FG_OK) return code;
  }
  return FG_OK;
}

/* Pieces may leave before all of the input has come only where they write over nothing that is still to be read. */
static bool may_interleave(const fg_flow *f, bool in_place) {
  if (!f->overlap) return true;
  if (fg_flow_is_final(f)) return in_place && f->schedule->same_places && f->rest;
  return !f->schedule->in_batches || (in_place && f->schedule->same_places);
}

static int all_steps(fg_flow *f) {
  if (f->interleaved) return steps(f, true, true);
  const int code = steps(f, true, false);
  return code == FG_OK ? steps(f, false, true) : code;
}

/* ---- executions seen before ---- */

/* The driver's time for each step only matters where the steps are short. */
size_t fg_pipeline_recorded = 64 << 20;

static void note_memory(const fg_flow *f, enum fg_side side, fg_recordable *r) {
  const fg_end *e = side == FG_INPUT ? &f->in : &f->out;
  for (int plane = 0; plane < fg_end_planes(e); plane++) {
    r->memory[2 * side + plane] = e->memory[plane];
    r->pinning[2 * side + plane] = e->pinning[plane];
  }
}

static fg_graph *graph_of(const fg_flow *f) {
  fg_recordable what;
  if (fg_end_plane_size(&f->in) > fg_pipeline_recorded) return NULL;
  if (fg_end_of_program(&f->in) || fg_end_of_program(&f->out)) return NULL;
  if (!f->in.direct || !f->out.direct) return NULL;
  memset(&what, 0, sizeof what); /* it is compared as bytes */
  what.program = fg_program_number(f->program);
  note_memory(f, FG_INPUT, &what);
  note_memory(f, FG_OUTPUT, &what);
  return fg_recording_of(f, &what, all_steps);
}

static int play(fg_flow *f, fg_graph *graph) {
  const int code = fg_recording_play(f, graph);
  if (code != FG_OK) return code;
  f->writing = f->blind = true;
  return fg_flow_wait_stream(f, FG_STREAM_PASSES);
}

/* ---- all ---- */

static int run(fg_flow *f) {
  if (f->brief) return fg_short_run(f);
  fg_graph *graph = graph_of(f);
  if (graph) return play(f, graph);
  const int code = all_steps(f);
  return code == FG_OK ? finish(f) : code;
}

static void let_go(unsigned long pinning[2]) {
  for (int plane = 0; plane < 2; plane++) fg_residence_let_go(pinning[plane]);
  pinning[0] = pinning[1] = 0;
}

/* Measured (doc/measurements.md): rows of 64 bytes come and go at 24 to 30 GB/s, of 256 at 33 to 47, of 16 at 5 and 11; whole
 * executions through staging took as long as 12 GB/s each way would. */
size_t fg_pipeline_row = 64;

static bool worth_rows(const fg_layout *l, const fg_rows *r) {
  if (r->row == l->elements) return true;
  return (size_t)r->row * fg_layout_element_size(l) >= fg_pipeline_row && r->pitch <= FG_MOST_PITCH;
}

/* Then what is pinned is held until it is let go. */
static bool reach(const fg_target *t, fg_end *e) {
  const size_t bytes = (size_t)fg_layout_reach(e->layout) * fg_real_size(e->layout->precision);
  for (int plane = 0; plane < fg_end_planes(e); plane++) {
    e->memory[plane] = fg_transfer_rows(e->layout, e->array[plane], &e->rows);
    const bool reached = e->memory[plane] && worth_rows(e->layout, &e->rows);
    e->pinning[plane] = reached ? fg_residence_hold(t, e->memory[plane], bytes) : 0;
    if (!e->pinning[plane]) {
      let_go(e->pinning);
      return false;
    }
  }
  return true;
}

static fg_end end_of(const fg_program *g, enum fg_side side, void *re, void *im) {
  fg_end e = {.layout = fg_program_layout(g, side), .array = {re, im}};
  e.direct = reach(fg_program_target(g), &e);
  e.piece = e.direct ? 0 : fg_staging_piece(&e);
  return e;
}

static enum fg_outcome flow_through(fg_flow *f) {
  f->in.image = f->slot->array[FG_ARRAY_IN];
  f->out.image = f->slot->array[FG_ARRAY_OUT];
  fg_staging_begin(f);
  int code = run(f);
  fg_staging_end(f);
  if (code == FG_OK) return FG_DONE;
  code = fg_undo_settle(f, code);
  if (code == FG_ELOST) fg_target_lost(fg_backend_message());
  if (!f->writing || !f->overlap) return FG_INTACT;
  if (fg_flow_is_final(f)) return fg_undo_forward(f, code);
  return code != FG_ELOST && !f->blind && fg_undo(f) == FG_OK ? FG_INTACT : FG_DAMAGED;
}

static enum fg_outcome run_in_slot(fg_flow *f) {
  const size_t staging[2] = {f->in.piece, f->out.piece};
  const int code = fg_slot_acquire(f->target, fg_program_bytes(f->program), staging, &f->slot);
  if (code == FG_ELOST) fg_target_lost(fg_backend_message());
  if (code != FG_OK) return FG_INTACT;
  const enum fg_outcome outcome = flow_through(f);
  fg_slot_release(f->slot);
  return outcome;
}

enum fg_outcome fg_pipeline_run(const fg_program *g, const fg_arrays *a, fg_rest *rest) {
  fg_flow f = {.program = g, .schedule = fg_program_schedule(g), .target = fg_program_target(g), .rest = rest};
  f.in = end_of(g, FG_INPUT, a->in_re, a->in_im);
  f.out = end_of(g, FG_OUTPUT, a->out_re, a->out_im);
  f.overlap = fg_transfer_overlap(f.in.layout, f.out.layout, a);
  f.interleaved = may_interleave(&f, fg_problem_in_place(a));
  f.brief = fg_short_applies(&f);
  if (f.brief && !f.out.direct) f.out.piece = fg_end_plane_size(&f.out);
  f.alone = f.brief || (f.schedule->whole && (f.in.direct || f.in.piece >= fg_end_plane_size(&f.in)) &&
            (f.out.direct || f.out.piece >= fg_end_plane_size(&f.out)));
  const int begun = f.target->backend->begin(f.target->device);
  const enum fg_outcome outcome = run_in_slot(&f);
  f.target->backend->end(f.target->device, begun);
  let_go(f.in.pinning);
  let_go(f.out.pinning);
  return outcome;
}

static void pin(const fg_program *g, enum fg_side side, void *re, void *im) {
  fg_end e = {.layout = fg_program_layout(g, side), .array = {re, im}};
  if (re && reach(fg_program_target(g), &e)) let_go(e.pinning);
}

void fg_pipeline_pin(const fg_program *g, const fg_arrays *a) {
  fg_watch_complain();
  pin(g, FG_INPUT, a->in_re, a->in_im);
  pin(g, FG_OUTPUT, a->out_re, a->out_im);
}
