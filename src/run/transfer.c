/* transfer.c: between the program's arrays and their images: sizes, and what the processor copies itself. */
#include "src/run/transfer.h"

#include <string.h>

#include "src/run/copy.h"
#include "src/run/movers.h"

/* Bytes of a copy worth sharing, and of each share. */
static const size_t shared_from = 256 << 10, share = 64 << 10;

static size_t plane_bytes(const fg_layout *l) {
  const size_t bytes = (size_t)l->elements * fg_layout_element_size(l);
  return (bytes + FG_PLANE_ALIGNMENT - 1) / FG_PLANE_ALIGNMENT * FG_PLANE_ALIGNMENT;
}

static int planes(const fg_layout *l) { return l->split ? 2 : 1; }

size_t fg_transfer_bytes(const fg_layout *l) { return plane_bytes(l) * (size_t)planes(l); }

void *fg_transfer_plane(const fg_layout *l, void *image, int plane) {
  return image ? (char *)image + (size_t)plane * plane_bytes(l) : NULL;
}

static bool dense(const fg_layout *l) {
  return l->rank == 1 && (size_t)l->walk[0].stride * fg_real_size(l->precision) == fg_layout_element_size(l);
}

static char *lowest(const fg_layout *l, const void *array) {
  return (char *)array + l->low * (ptrdiff_t)fg_real_size(l->precision);
}

void *fg_transfer_dense(const fg_layout *l, void *array) { return dense(l) ? lowest(l, array) : NULL; }

bool fg_transfer_wants_movers(size_t bytes) { return bytes >= shared_from; }

/* ---- copies, in shares ---- */

typedef struct {
  const fg_layout *layout;
  char *array, *staging;
  ptrdiff_t first, count, each; /* elements: of all, of a share */
  bool gather;
} work;

static void copy(const work *w, ptrdiff_t first, ptrdiff_t count, char *staging) {
  const size_t element = fg_layout_element_size(w->layout), bytes = (size_t)count * element;
  if (w->gather && dense(w->layout)) memcpy(staging, lowest(w->layout, w->array) + (size_t)first * element, bytes);
  else if (w->gather) fg_layout_gather(w->layout, w->array, first, count, staging);
  else if (dense(w->layout)) fg_copy_past_cache(lowest(w->layout, w->array) + (size_t)first * element, staging, bytes);
  else fg_layout_scatter(w->layout, w->array, first, count, staging);
}

static void copy_share(void *context, ptrdiff_t i) {
  const work *w = context;
  const ptrdiff_t at = i * w->each, count = w->count - at < w->each ? w->count - at : w->each;
  copy(w, w->first + at, count, w->staging + (size_t)at * fg_layout_element_size(w->layout));
}

static void copy_all(work *w) {
  const size_t element = fg_layout_element_size(w->layout);
  w->each = fg_transfer_wants_movers((size_t)w->count * element) ? (ptrdiff_t)(share / element) : w->count;
  fg_movers_run(copy_share, w, (w->count + w->each - 1) / w->each);
}

void fg_transfer_gather(const fg_layout *l, const void *array, ptrdiff_t first, ptrdiff_t count, void *staging) {
  copy_all(&(work){l, (char *)array, staging, first, count, 0, true});
}

void fg_transfer_scatter(const fg_layout *l, void *array, ptrdiff_t first, ptrdiff_t count, const void *staging) {
  copy_all(&(work){l, array, (char *)staging, first, count, 0, false});
}

/* ---- overlap ---- */

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
