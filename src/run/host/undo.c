/* undo.c: after a failure. */
#include "src/run/host/flow.h"

int fg_undo_settle(const fg_flow *f, int code) {
  for (int i = 0; i < FG_STREAMS; i++)
    if (f->target->backend->stream_wait(f->target->device, f->slot->stream[i]) == FG_ELOST) code = FG_ELOST;
  return code;
}

static int bring_piece(const fg_flow *f, enum fg_side side, int plane, ptrdiff_t first, ptrdiff_t count) {
  const fg_end *e = side == FG_INPUT ? &f->in : &f->out;
  const size_t element = fg_layout_element_size(e->layout);
  void *const to = f->slot->ring[side].piece[0];
  int code;
  FG_TRY(f, code, f->target->backend->copy_out(f->target->device, to, fg_end_on_device(e, plane, first),
                                               (size_t)count * element, f->slot->stream[FG_STREAM_PASSES]));
  if (code == FG_OK)
    FG_TRY(f, code, f->target->backend->stream_wait(f->target->device, f->slot->stream[FG_STREAM_PASSES]));
  if (code == FG_OK) fg_transfer_scatter(e->layout, e->array[plane], first, count, to, true);
  return code;
}

static int bring_directly(const fg_flow *f, const fg_end *e, ptrdiff_t count) {
  fg_stream *const stream = f->slot->stream[FG_STREAM_PASSES];
  int code = fg_flow_bring_out(f, e, 0, count, stream, NULL);
  if (code == FG_OK) FG_TRY(f, code, f->target->backend->stream_wait(f->target->device, stream));
  return code;
}

/* Elements [0, count) of each plane, from the image to the program's array. */
static int bring(const fg_flow *f, enum fg_side side, ptrdiff_t count) {
  const fg_end *e = side == FG_INPUT ? &f->in : &f->out;
  if (e->direct) return bring_directly(f, e, count);
  const ptrdiff_t most = (ptrdiff_t)(e->piece / fg_layout_element_size(e->layout));
  for (int plane = 0; plane < fg_end_planes(e); plane++)
    for (ptrdiff_t first = 0; first < count; first += most) {
      const int code = bring_piece(f, side, plane, first, count - first < most ? count - first : most);
      if (code != FG_OK) return code;
    }
  return FG_OK;
}

/* What had come of the input is still on the device, where no pass writes to it. */
int fg_undo(const fg_flow *f) { return bring(f, FG_INPUT, f->come); }

/* What was begun has been computed and is on the device. Where only whole steps are scattered nothing is needed from
 * there, even if it is lost. */
enum fg_outcome fg_undo_forward(fg_flow *f, int code) {
  const ptrdiff_t all = f->out.layout->elements;
  fg_progress p = fg_staging_settle(f);
  if (!f->interleaved) p.begun = all;
  if (p.begun > p.complete && (code == FG_ELOST || bring(f, FG_OUTPUT, p.begun) != FG_OK)) return FG_DAMAGED;
  if (p.begun == all) return FG_DONE;
  *f->rest = (fg_rest){f->schedule->batch, p.begun / (all / f->schedule->units)};
  return FG_PARTLY;
}
