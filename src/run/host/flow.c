/* flow.c: what all parts of an execution do with its streams and events. */
#include "src/run/host/flow.h"

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

bool fg_end_is_dense(const fg_end *e) { return e->direct && e->rows.row == e->layout->elements; }

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

/* ---- directly ---- */

/* Copies of whole rows, and of parts of one. */
typedef struct {
  const fg_flow *f;
  const fg_end *end;
  int plane;
  fg_stream *stream;
  bool *wrote; /* set when the first copy was accepted; NULL: nobody asks */
} way;

typedef int copier(const way *, char *on_device, char *in_memory, fg_copy_rows);

static int rows_in(const way *w, char *on_device, char *in_memory, fg_copy_rows r) {
  const fg_target *t = w->f->target;
  if (r.rows == 1) return t->backend->copy_in(t->device, on_device, in_memory, r.bytes, w->stream);
  return t->backend->copy_rows_in(t->device, on_device, in_memory, r, w->stream);
}

static int rows_out(const way *w, char *on_device, char *in_memory, fg_copy_rows r) {
  const fg_target *t = w->f->target;
  const int code = r.rows == 1 ? t->backend->copy_out(t->device, in_memory, on_device, r.bytes, w->stream)
                               : t->backend->copy_rows_out(t->device, in_memory, on_device, r, w->stream);
  if (code == FG_OK && w->wrote) *w->wrote = true;
  return code;
}

/* Elements [first, first + count) of a plane: the rest of a row, whole rows, the beginning of one. */
static int copy_plane(const way *w, ptrdiff_t first, ptrdiff_t count, copier copy) {
  const size_t element = fg_layout_element_size(w->end->layout), pitch = w->end->rows.pitch;
  const ptrdiff_t row = w->end->rows.row;
  int code = FG_OK;
  while (code == FG_OK && count > 0) {
    const ptrdiff_t start = first % row, left = row - start, whole = start ? 0 : count / row;
    const ptrdiff_t now = whole ? whole * row : left < count ? left : count;
    char *const memory = (char *)w->end->memory[w->plane] + (size_t)(first / row) * pitch + (size_t)start * element;
    const fg_copy_rows r = {(size_t)(whole ? row : now) * element, (size_t)(whole ? whole : 1), pitch};
    FG_TRY(w->f, code, copy(w, fg_end_on_device(w->end, w->plane, first), memory, r));
    first += now;
    count -= now;
  }
  return code;
}

static int copy_planes(way w, ptrdiff_t first, ptrdiff_t count, copier copy) {
  int code = FG_OK;
  for (w.plane = 0; code == FG_OK && w.plane < fg_end_planes(w.end); w.plane++) code = copy_plane(&w, first, count, copy);
  return code;
}

int fg_flow_bring_in(const fg_flow *f, ptrdiff_t first, ptrdiff_t count) {
  return copy_planes((way){f, &f->in, 0, fg_flow_stream(f, FG_STREAM_IN), NULL}, first, count, rows_in);
}

int fg_flow_bring_out(const fg_flow *f, const fg_end *e, ptrdiff_t first, ptrdiff_t count, fg_stream *stream,
                      bool *wrote) {
  return copy_planes((way){f, e, 0, stream, wrote}, first, count, rows_out);
}
