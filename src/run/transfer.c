/* transfer.c: between the program's arrays and their images on the device, through pinned staging in chunks: while one chunk
 * is on the link, the processor gathers or scatters the other. */
#include "src/run/transfer.h"

enum { PLANE_ALIGNMENT = 256 };

size_t fg_transfer_chunk = 8 << 20;

static size_t plane_bytes(const fg_layout *l) {
  const size_t bytes = (size_t)l->elements * fg_layout_element_size(l);
  return (bytes + PLANE_ALIGNMENT - 1) / PLANE_ALIGNMENT * PLANE_ALIGNMENT;
}

static int planes(const fg_layout *l) { return l->split ? 2 : 1; }

size_t fg_transfer_bytes(const fg_layout *l) { return plane_bytes(l) * (size_t)planes(l); }

void *fg_transfer_plane(const fg_layout *l, void *image, int plane) {
  return image ? (char *)image + (size_t)plane * plane_bytes(l) : NULL;
}

size_t fg_transfer_staging(const fg_layout *in, const fg_layout *out) {
  const size_t a = plane_bytes(in), b = plane_bytes(out), most = a > b ? a : b;
  return most < fg_transfer_chunk ? most : fg_transfer_chunk;
}

/* The chunks of all planes, numbered through. */
typedef struct {
  ptrdiff_t length; /* elements of a full chunk */
  ptrdiff_t each;   /* chunks of a plane */
  ptrdiff_t count;
} chunking;

static chunking chunks_of(const fg_slot *s, const fg_layout *l) {
  chunking c;
  c.length = (ptrdiff_t)(s->staging_bytes / fg_layout_element_size(l));
  c.each = (l->elements + c.length - 1) / c.length;
  c.count = c.each * planes(l);
  return c;
}

typedef struct {
  int plane;
  ptrdiff_t first, count;
  size_t bytes;
  char *device;
} chunk;

static chunk chunk_at(const chunking *c, const fg_layout *l, void *image, ptrdiff_t number) {
  chunk k;
  k.plane = (int)(number / c->each);
  k.first = number % c->each * c->length;
  k.count = l->elements - k.first < c->length ? l->elements - k.first : c->length;
  k.bytes = (size_t)k.count * fg_layout_element_size(l);
  k.device = (char *)fg_transfer_plane(l, image, k.plane) + (size_t)k.first * fg_layout_element_size(l);
  return k;
}

int fg_transfer_in(const fg_target *t, fg_slot *s, const fg_layout *in, const fg_arrays *a) {
  const chunking c = chunks_of(s, in);
  for (ptrdiff_t i = 0; i < c.count; i++) {
    const int side = (int)(i % FG_STAGES_IN_FLIGHT);
    const chunk k = chunk_at(&c, in, s->array[FG_ARRAY_IN], i);
    int code = i < FG_STAGES_IN_FLIGHT ? FG_OK : t->backend->event_wait(t->device, s->staged[side]);
    if (code != FG_OK) return code;
    fg_layout_gather(in, k.plane ? a->in_im : a->in_re, k.first, k.count, s->staging[side]);
    code = t->backend->copy_in(t->device, k.device, s->staging[side], k.bytes, s->stream);
    if (code == FG_OK) code = t->backend->event_record(t->device, s->staged[side], s->stream);
    if (code != FG_OK) return code;
  }
  return FG_OK;
}

/* What is on its way out: an image and the planes it goes to. */
typedef struct {
  const fg_target *target;
  fg_slot *slot;
  const fg_layout *layout;
  chunking chunks;
  void *image, *plane[2];
} outbound;

static int fetch(const outbound *o, ptrdiff_t i) {
  const fg_backend *b = o->target->backend;
  const int side = (int)(i % FG_STAGES_IN_FLIGHT);
  const chunk k = chunk_at(&o->chunks, o->layout, o->image, i);
  const int code = b->copy_out(o->target->device, o->slot->staging[side], k.device, k.bytes, o->slot->stream);
  return code == FG_OK ? b->event_record(o->target->device, o->slot->staged[side], o->slot->stream) : code;
}

static int fetch_or_retry(const outbound *o, ptrdiff_t i) {
  const int code = fetch(o, i);
  return code != FG_OK && code != FG_ELOST ? fetch(o, i) : code;
}

/* Wait for chunk i.  Once writing has begun a failed copy is worth a second try: the image is still on the device. */
static int await(const outbound *o, ptrdiff_t i, bool retry) {
  const fg_backend *b = o->target->backend;
  fg_event *const staged = o->slot->staged[i % FG_STAGES_IN_FLIGHT];
  int code = b->event_wait(o->target->device, staged);
  if (code != FG_OK && code != FG_ELOST && retry) {
    code = fetch(o, i);
    if (code == FG_OK) code = b->event_wait(o->target->device, staged);
  }
  return code;
}

static int bring_out(const outbound *o, bool *writing) {
  const ptrdiff_t count = o->chunks.count;
  for (ptrdiff_t i = 0; i < count && i < FG_STAGES_IN_FLIGHT; i++) {
    const int code = fetch(o, i);
    if (code != FG_OK) return code;
  }
  for (ptrdiff_t i = 0; i < count; i++) {
    const chunk k = chunk_at(&o->chunks, o->layout, o->image, i);
    int code = await(o, i, *writing);
    if (code != FG_OK) return code;
    *writing = true;
    fg_layout_scatter(o->layout, o->plane[k.plane], k.first, k.count, o->slot->staging[i % FG_STAGES_IN_FLIGHT]);
    if (i + FG_STAGES_IN_FLIGHT < count) {
      code = fetch_or_retry(o, i + FG_STAGES_IN_FLIGHT);
      if (code != FG_OK) return code;
    }
  }
  return FG_OK;
}

int fg_transfer_out(const fg_target *t, fg_slot *s, const fg_layout *out, const fg_arrays *a, bool *writing) {
  const outbound o = {t, s, out, chunks_of(s, out), s->array[FG_ARRAY_OUT], {a->out_re, a->out_im}};
  return bring_out(&o, writing);
}

int fg_transfer_undo(const fg_target *t, fg_slot *s, const fg_layout *in, const fg_arrays *a) {
  const outbound o = {t, s, in, chunks_of(s, in), s->array[FG_ARRAY_IN], {a->in_re, a->in_im}};
  bool writing = true;
  return bring_out(&o, &writing);
}

typedef struct {
  const char *from, *to;
} span;

/* From the lowest to past the highest element of a plane. */
static span span_of(const fg_layout *l, const void *array) {
  const ptrdiff_t real = (ptrdiff_t)fg_real_size(l->precision);
  ptrdiff_t reach = l->unit;
  for (int d = 0; d < l->rank; d++) reach += (l->walk[d].n - 1) * l->walk[d].stride;
  const char *const from = (const char *)array + l->low * real;
  return (span){from, from + reach * real};
}

static bool meet(span a, span b) { return a.from < b.to && b.from < a.to; }

bool fg_transfer_overlap(const fg_layout *in, const fg_layout *out, const fg_arrays *a) {
  const void *const ins[] = {a->in_re, a->in_im}, *const outs[] = {a->out_re, a->out_im};
  for (int i = 0; i < planes(in); i++)
    for (int o = 0; o < planes(out); o++)
      if (meet(span_of(in, ins[i]), span_of(out, outs[o]))) return true;
  return false;
}
