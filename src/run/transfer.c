/* transfer.c: between the program's arrays and their images on the device, through pinned staging in chunks: while one chunk
 * is on the link, the processor gathers or scatters the other. */
#include "src/run/transfer.h"

enum { CHUNK = 8 << 20, PLANE_ALIGNMENT = 256 };

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
  return most < CHUNK ? most : CHUNK;
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

static int fetch(const fg_target *t, fg_slot *s, const fg_layout *out, const chunking *c, ptrdiff_t i) {
  const int side = (int)(i % FG_STAGES_IN_FLIGHT);
  const chunk k = chunk_at(c, out, s->array[FG_ARRAY_OUT], i);
  const int code = t->backend->copy_out(t->device, s->staging[side], k.device, k.bytes, s->stream);
  return code == FG_OK ? t->backend->event_record(t->device, s->staged[side], s->stream) : code;
}

/* Wait for chunk i.  Once writing has begun a failed copy is worth a second try: the image is still on the device. */
static int await(const fg_target *t, fg_slot *s, const fg_layout *out, const chunking *c, ptrdiff_t i, bool retry) {
  fg_event *const staged = s->staged[i % FG_STAGES_IN_FLIGHT];
  int code = t->backend->event_wait(t->device, staged);
  if (code != FG_OK && code != FG_ELOST && retry) {
    code = fetch(t, s, out, c, i);
    if (code == FG_OK) code = t->backend->event_wait(t->device, staged);
  }
  return code;
}

static int fetch_or_retry(const fg_target *t, fg_slot *s, const fg_layout *out, const chunking *c, ptrdiff_t i,
                          bool retry) {
  const int code = fetch(t, s, out, c, i);
  return code != FG_OK && code != FG_ELOST && retry ? fetch(t, s, out, c, i) : code;
}

int fg_transfer_out(const fg_target *t, fg_slot *s, const fg_layout *out, const fg_arrays *a, bool *writing) {
  const chunking c = chunks_of(s, out);
  for (ptrdiff_t i = 0; i < c.count && i < FG_STAGES_IN_FLIGHT; i++) {
    const int code = fetch(t, s, out, &c, i);
    if (code != FG_OK) return code;
  }
  for (ptrdiff_t i = 0; i < c.count; i++) {
    const chunk k = chunk_at(&c, out, s->array[FG_ARRAY_OUT], i);
    int code = await(t, s, out, &c, i, *writing);
    if (code != FG_OK) return code;
    *writing = true;
    fg_layout_scatter(out, k.plane ? a->out_im : a->out_re, k.first, k.count, s->staging[i % FG_STAGES_IN_FLIGHT]);
    if (i + FG_STAGES_IN_FLIGHT < c.count) {
      code = fetch_or_retry(t, s, out, &c, i + FG_STAGES_IN_FLIGHT, true);
      if (code != FG_OK) return code;
    }
  }
  return FG_OK;
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
