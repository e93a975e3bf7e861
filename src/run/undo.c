/* undo.c: after a failure. */
#include "src/run/flow.h"
#include "src/run/transfer.h"

int fg_undo_settle(const fg_flow *f, int code) {
  for (int i = 0; i < FG_STREAMS; i++)
    if (f->target->backend->stream_wait(f->target->device, f->slot->stream[i]) == FG_ELOST) code = FG_ELOST;
  return code;
}

static int bring_back(const fg_flow *f, int plane, ptrdiff_t first, ptrdiff_t count) {
  const fg_end *in = &f->in;
  const size_t element = fg_layout_element_size(in->layout);
  void *const to = in->direct ? fg_end_in_memory(in, plane, first) : f->slot->ring[FG_INPUT].piece[0];
  int code;
  FG_TRY(f, code, f->target->backend->copy_out(f->target->device, to, fg_end_on_device(in, plane, first),
                                               (size_t)count * element, f->slot->stream[FG_STREAM_PASSES]));
  if (code == FG_OK)
    FG_TRY(f, code, f->target->backend->stream_wait(f->target->device, f->slot->stream[FG_STREAM_PASSES]));
  if (code == FG_OK && !in->direct) fg_transfer_scatter(in->layout, in->array[plane], first, count, to, true);
  return code;
}

/* What had come of the input is still on the device, where no pass writes to it. */
int fg_undo(const fg_flow *f) {
  const size_t element = fg_layout_element_size(f->in.layout);
  const ptrdiff_t most = f->in.direct ? f->come : (ptrdiff_t)(f->in.piece / element);
  for (int plane = 0; plane < fg_end_planes(&f->in); plane++)
    for (ptrdiff_t first = 0; first < f->come; first += most) {
      const int code = bring_back(f, plane, first, f->come - first < most ? f->come - first : most);
      if (code != FG_OK) return code;
    }
  return FG_OK;
}
