/* flow.c: what all parts of an execution do with its streams and events. */
#include "src/run/host/flow.h"

#include "src/run/host/transfer.h"
#include "src/run/residence.h"

int fg_end_planes(const fg_end *e) { return e->layout->split ? 2 : 1; }

size_t fg_end_plane_size(const fg_end *e) {
  return (size_t)e->layout->elements * fg_layout_element_size(e->layout);
}

bool fg_end_of_program(const fg_end *e) {
  return e->direct && (e->pinning[0] == FG_PINNED_BY_PROGRAM ||
                       (fg_end_planes(e) == 2 && e->pinning[1] == FG_PINNED_BY_PROGRAM));
}

char *fg_end_on_device(const fg_end *e, int plane, ptrdiff_t first) {
  return (char *)fg_transfer_plane(e->layout, e->image, plane) + (size_t)first * fg_layout_element_size(e->layout);
}

char *fg_end_in_memory(const fg_end *e, int plane, ptrdiff_t first) {
  return (char *)e->dense[plane] + (size_t)first * fg_layout_element_size(e->layout);
}

bool fg_flow_is_final(const fg_flow *f) { return f->overlap && fg_layout_converts(f->in.layout); }

fg_stream *fg_flow_stream(const fg_flow *f, enum fg_slot_stream which) {
  return f->slot->stream[f->alone ? FG_STREAM_PASSES : which];
}

bool fg_flow_again(const fg_flow *f, int code) { return code != FG_OK && code != FG_ELOST && f->writing && f->overlap; }

int fg_flow_wait_stream(const fg_flow *f, enum fg_slot_stream which) {
  return f->target->backend->stream_wait(f->target->device, fg_flow_stream(f, which));
}

int fg_flow_record(const fg_flow *f, fg_event *e, enum fg_slot_stream which) {
  int code;
  FG_TRY(f, code, f->target->backend->event_record(f->target->device, e, fg_flow_stream(f, which)));
  return code;
}

int fg_flow_order(const fg_flow *f, enum fg_slot_stream before, fg_event *e, enum fg_slot_stream after) {
  if (f->alone) return FG_OK;
  int code = fg_flow_record(f, e, before);
  if (code == FG_OK)
    FG_TRY(f, code, f->target->backend->stream_wait_event(f->target->device, fg_flow_stream(f, after), e));
  return code;
}

int fg_flow_copy_in(const fg_flow *f, int plane, ptrdiff_t first, ptrdiff_t count, const void *from) {
  const size_t bytes = (size_t)count * fg_layout_element_size(f->in.layout);
  int code;
  FG_TRY(f, code, f->target->backend->copy_in(f->target->device, fg_end_on_device(&f->in, plane, first), from, bytes,
                                              fg_flow_stream(f, FG_STREAM_IN)));
  return code;
}

int fg_flow_copy_out(const fg_flow *f, int plane, ptrdiff_t first, ptrdiff_t count, void *to) {
  const size_t bytes = (size_t)count * fg_layout_element_size(f->out.layout);
  int code;
  FG_TRY(f, code, f->target->backend->copy_out(f->target->device, to, fg_end_on_device(&f->out, plane, first), bytes,
                                               fg_flow_stream(f, FG_STREAM_OUT)));
  return code;
}
