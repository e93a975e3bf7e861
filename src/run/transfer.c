/* transfer.c: between the program's arrays and their images: sizes, and what the processor copies itself. */
#include "src/run/transfer.h"

#include <string.h>

#include "src/run/copy.h"

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

/* ---- copies ---- */

static char *element_of(const fg_layout *l, const void *array, ptrdiff_t first) {
  return lowest(l, array) + (size_t)first * fg_layout_element_size(l);
}

static void copy(void *to, const void *from, size_t bytes, bool past_cache) {
  if (past_cache) fg_copy_past_cache(to, from, bytes);
  else memcpy(to, from, bytes);
}

void fg_transfer_gather(const fg_layout *l, const void *array, ptrdiff_t first, ptrdiff_t count, void *staging,
                        bool past_cache) {
  const size_t bytes = (size_t)count * fg_layout_element_size(l);
  if (dense(l)) copy(staging, element_of(l, array, first), bytes, past_cache);
  else fg_layout_gather(l, array, first, count, staging);
}

void fg_transfer_scatter(const fg_layout *l, void *array, ptrdiff_t first, ptrdiff_t count, const void *staging,
                         bool past_cache) {
  const size_t bytes = (size_t)count * fg_layout_element_size(l);
  if (dense(l)) copy(element_of(l, array, first), staging, bytes, past_cache);
  else fg_layout_scatter(l, array, first, count, staging);
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
