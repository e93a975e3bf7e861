/* short.c: executions too short for pieces: kernels store their result over the link themselves, and read their input
 * so where it does not pay to copy it first. A launch for each pass, or a recording of all, and one wait. */
#include <stdint.h>
#include <string.h>

#include "src/run/host/flow.h"

size_t fg_pipeline_mapped = 1 << 20;

/* Behind a copy a recording begins later than a launch does (16³, 32 KB, in 27 us against 22.5). */
size_t fg_pipeline_unrecorded = 64 << 10;

/* One block reads less than DMA brings (measured: 32 KB in 15 us against 12). */
static const size_t copied_below = 64 << 10;

/* Kernels can read or write the side where it is in host memory. */
static bool in_reach(const fg_end *e) {
  return fg_end_is_dense(e) && !fg_end_of_program(e) && !e->layout->split &&
         (uintptr_t)e->memory[0] % FG_PLANE_ALIGNMENT == 0;
}

bool fg_short_applies(const fg_flow *f) {
  return f->target->info->reads_host && f->schedule->whole                      /* must */
         && (in_reach(&f->out) || (!f->out.direct && !f->out.layout->split))    /* must: kernels store there */
         && fg_transfer_bytes(f->in.layout) <= fg_pipeline_mapped               /* taste: copies are faster */
         && fg_transfer_bytes(f->out.layout) <= fg_pipeline_mapped;
}

/* What overlaps has to be on the device before it is written over: only from there a failure can be undone. */
static bool reads_input(const fg_flow *f) {
  return in_reach(&f->in) && !f->overlap && fg_transfer_bytes(f->in.layout) >= copied_below;
}

static void *result_of(const fg_flow *f) {
  return f->out.direct ? f->out.memory[0] : f->slot->ring[FG_OUTPUT].piece[0];
}

static int launches(fg_flow *f) {
  const int count = fg_program_passes(f->program)->count;
  void *array[FG_ARRAYS];
  memcpy(array, f->slot->array, sizeof array);
  if (reads_input(f)) array[FG_ARRAY_IN] = f->in.memory[0];
  int code = FG_OK;
  for (int i = 0; code == FG_OK && i < count; i++)
    FG_TRY(f, code, fg_program_launch_into(f->program, array, i, i == count - 1 ? result_of(f) : NULL,
                                           f->slot->stream[FG_STREAM_PASSES]));
  if (code == FG_OK) f->writing |= f->out.direct; /* what was refused has touched nothing */
  return code;
}

static fg_recordable recordable(const fg_flow *f) {
  fg_recordable r;
  memset(&r, 0, sizeof r); /* it is compared as bytes */
  r.program = fg_program_number(f->program);
  if (reads_input(f)) {
    r.memory[0] = f->in.memory[0];
    r.pinning[0] = f->in.pinning[0];
  }
  r.memory[2] = result_of(f);
  r.pinning[2] = f->out.pinning[0];
  return r;
}

static bool recorded(const fg_flow *f) {
  return reads_input(f) || fg_program_passes(f->program)->count > 1 ||
         fg_transfer_bytes(f->in.layout) >= fg_pipeline_unrecorded;
}

static int launch_all(fg_flow *f) {
  const fg_recordable what = recordable(f);
  fg_graph *graph = recorded(f) ? fg_recording_of(f, &what, launches) : NULL;
  if (!graph) return launches(f);
  const int code = fg_recording_play(f, graph);
  if (code == FG_OK) f->writing |= f->out.direct;
  return code;
}

static int give_back(fg_flow *f) {
  fg_staged *const s = &f->staged[FG_OUTPUT];
  s->parcel[0] = (fg_parcel){0, 0, f->out.layout->elements, true};
  s->sent = s->opened = 1;
  f->writing = true;
  fg_belt_open(s->belt);
  return fg_staging_finish(f);
}

int fg_short_run(fg_flow *f) {
  const fg_step all = {FG_ARRIVE, 0, -1, 0, f->in.layout->elements};
  int code = reads_input(f) ? FG_OK : fg_flow_arrive(f, &all);
  if (code == FG_OK) code = launch_all(f);
  if (code == FG_OK) code = fg_flow_wait_stream(f, FG_STREAM_PASSES);
  return code == FG_OK && !f->out.direct ? give_back(f) : code;
}
