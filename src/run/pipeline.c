/* pipeline.c: one execution of a program on arrays of the host. */
#include <stdint.h>
#include <string.h>

#include "src/run/arena.h"
#include "src/run/flow.h"
#include "src/run/movers.h"
#include "src/run/transfer.h"

/* ---- arrivals ---- */

static int arrive(fg_flow *f, const fg_step *s) {
  const ptrdiff_t most = f->in.direct ? s->count : fg_staging_share(&f->in, s->count);
  f->news_in = true;
  for (int plane = 0; plane < fg_end_planes(&f->in); plane++)
    for (ptrdiff_t at = 0; at < s->count; at += most) {
      const ptrdiff_t first = s->first + at, count = s->count - at < most ? s->count - at : most;
      const int code = f->in.direct ? fg_flow_copy_in(f, plane, first, count, fg_end_in_memory(&f->in, plane, first))
                                    : fg_staging_in(f, plane, first, count);
      if (code != FG_OK) return code;
    }
  f->come = s->first + s->count;
  return FG_OK;
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
  const ptrdiff_t most = f->out.direct ? s->count : fg_staging_share(&f->out, s->count);
  int code = f->news_passes ? fg_flow_order(f, FG_STREAM_PASSES, f->slot->computed, FG_STREAM_OUT) : FG_OK;
  if (code != FG_OK) return code;
  f->news_passes = false;
  f->writing |= f->out.direct;
  for (int plane = 0; plane < fg_end_planes(&f->out); plane++)
    for (ptrdiff_t at = 0; at < s->count; at += most) {
      const ptrdiff_t first = s->first + at, count = s->count - at < most ? s->count - at : most;
      code = f->out.direct ? fg_flow_copy_out(f, plane, first, count, fg_end_in_memory(&f->out, plane, first))
                           : fg_staging_out(f, plane, first, count);
      if (code != FG_OK) return code;
    }
  return FG_OK;
}

static int finish(fg_flow *f) {
  return f->out.direct ? fg_flow_wait_stream(f, FG_STREAM_OUT) : fg_staging_finish(f);
}

/* ---- without copies: kernels read the program's input, and write its output, over the link ---- */

size_t fg_pipeline_mapped = 1 << 20;

/* The first pass reads the input; if it is the only one it also writes the output. Not where the input is overwritten:
 * a failure could not be undone. */
static bool may_map(const fg_flow *f) {
  const size_t bytes = fg_transfer_bytes(f->in.layout);
  const uintptr_t misaligned = ((uintptr_t)f->in.dense[0] | (uintptr_t)f->out.dense[0]) % FG_PLANE_ALIGNMENT;
  return f->target->info->reads_host && f->in.direct && f->out.direct && !misaligned /* must: kernels reach the arrays */
         && !f->overlap                                                             /* must: what fails is undone */
         && f->schedule->whole && bytes <= fg_pipeline_mapped                       /* taste: copies are faster */
         && !f->in.layout->split && !f->out.layout->split;
}

static int run_mapped(fg_flow *f) {
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
  return code == FG_OK ? fg_flow_wait_stream(f, FG_STREAM_OUT) : code;
}

/* ---- all ---- */

static int step(fg_flow *f, const fg_step *s) {
  switch (s->kind) {
    case FG_ARRIVE: return arrive(f, s);
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
static bool may_interleave(const fg_flow *f) {
  const bool in_place = f->in.array[0] == f->out.array[0] && f->in.array[1] == f->out.array[1];
  return !f->schedule->in_batches || !f->overlap || (in_place && f->schedule->same_places);
}

static int all_steps(fg_flow *f) {
  if (may_interleave(f)) return steps(f, true, true);
  const int code = steps(f, true, false);
  return code == FG_OK ? steps(f, false, true) : code;
}

static int run(fg_flow *f) {
  if (f->mapped) return run_mapped(f);
  fg_graph *graph = fg_recording_of(f, all_steps);
  if (graph) return fg_recording_play(f, graph);
  const int code = all_steps(f);
  return code == FG_OK ? finish(f) : code;
}

static bool reachable(const fg_target *t, const fg_layout *l, void *const array[2], void *dense[2],
                      unsigned long pinning[2]) {
  const size_t bytes = (size_t)l->elements * fg_layout_element_size(l);
  for (int plane = 0; plane < (l->split ? 2 : 1); plane++) {
    dense[plane] = fg_transfer_dense(l, array[plane]);
    pinning[plane] = dense[plane] ? fg_arena_pin(t, dense[plane], bytes) : 0;
    if (!pinning[plane]) return false;
  }
  return true;
}

static fg_end end_of(const fg_program *g, enum fg_side side, void *re, void *im) {
  const enum fg_step_kind kind = side == FG_INPUT ? FG_ARRIVE : FG_LEAVE;
  fg_end e = {.layout = fg_program_layout(g, side), .array = {re, im}};
  e.direct = reachable(fg_program_target(g), e.layout, e.array, e.dense, e.pinning);
  e.piece = e.direct ? 0 : fg_staging_piece(&e, fg_program_schedule(g), kind);
  return e;
}

static enum fg_outcome flow_through(fg_flow *f) {
  f->in.image = f->slot->array[FG_ARRAY_IN];
  f->out.image = f->slot->array[FG_ARRAY_OUT];
  f->awake = (!f->in.direct && fg_transfer_wants_movers(f->in.piece)) ||
             (!f->out.direct && fg_transfer_wants_movers(f->out.piece));
  if (f->awake) fg_movers_begin();
  int code = run(f);
  if (f->awake) fg_movers_end();
  if (code == FG_OK) return FG_DONE;
  code = fg_undo_settle(f, code);
  if (code == FG_ELOST) fg_target_lost(fg_backend_message());
  if (!f->writing || !f->overlap) return FG_INTACT;
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

enum fg_outcome fg_pipeline_run(const fg_program *g, const fg_arrays *a) {
  fg_flow f = {.program = g, .schedule = fg_program_schedule(g), .target = fg_program_target(g)};
  f.in = end_of(g, FG_INPUT, a->in_re, a->in_im);
  f.out = end_of(g, FG_OUTPUT, a->out_re, a->out_im);
  f.overlap = fg_transfer_overlap(f.in.layout, f.out.layout, a);
  f.mapped = may_map(&f);
  f.alone = f.mapped || (f.schedule->whole && (f.in.direct || f.in.piece >= fg_end_plane_size(&f.in)) &&
            (f.out.direct || f.out.piece >= fg_end_plane_size(&f.out)));
  const int begun = f.target->backend->begin(f.target->device);
  const enum fg_outcome outcome = run_in_slot(&f);
  f.target->backend->end(f.target->device, begun);
  return outcome;
}

static void pin(const fg_program *g, enum fg_side side, void *re, void *im) {
  void *dense[2];
  unsigned long pinning[2];
  if (re) reachable(fg_program_target(g), fg_program_layout(g, side), (void *[]){re, im}, dense, pinning);
}

void fg_pipeline_pin(const fg_program *g, const fg_arrays *a) {
  pin(g, FG_INPUT, a->in_re, a->in_im);
  pin(g, FG_OUTPUT, a->out_re, a->out_im);
}
