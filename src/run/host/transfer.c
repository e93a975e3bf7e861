/* transfer.c: between the program's arrays and their images: sizes, and what the processor copies itself. */
#include "src/run/host/transfer.h"

#include <string.h>

#include "src/problem/convert.h"
#include "src/run/host/copy.h"

static size_t plane_bytes(const fg_layout *l) {
  const size_t bytes = (size_t)l->elements * fg_layout_element_size(l);
  return (bytes + FG_PLANE_ALIGNMENT - 1) / FG_PLANE_ALIGNMENT * FG_PLANE_ALIGNMENT;
}

static int planes(const fg_layout *l) { return l->split ? 2 : 1; }

size_t fg_transfer_bytes(const fg_layout *l) { return plane_bytes(l) * (size_t)planes(l); }

void *fg_transfer_plane(const fg_layout *l, void *image, int plane) {
  return image ? (char *)image + (size_t)plane * plane_bytes(l) : NULL;
}

/* Without gaps. */
static bool dense(const fg_layout *l) { return l->rank == 1 && l->walk[0].stride == l->unit; }

static char *lowest(const fg_layout *l, const void *array) {
  return (char *)array + l->low * (ptrdiff_t)fg_real_size(l->precision);
}

void *fg_transfer_dense(const fg_layout *l, void *array) {
  return dense(l) && !fg_layout_converts(l) ? lowest(l, array) : NULL;
}

void *fg_transfer_rows(const fg_layout *l, void *array, fg_rows *rows) {
  const ptrdiff_t row = l->walk[0].n, pitch = l->rank == 2 ? l->walk[1].stride : row * l->unit;
  if (l->rank > 2 || l->walk[0].stride != l->unit || fg_layout_converts(l)) return NULL;
  *rows = (fg_rows){row, (size_t)pitch * fg_real_size(l->precision)};
  return lowest(l, array);
}

/* ---- copies ---- */

static char *element_of(const fg_layout *l, const void *array, ptrdiff_t first) {
  return lowest(l, array) + first * l->unit * (ptrdiff_t)fg_real_size(l->precision);
}

static void copy(void *to, const void *from, size_t bytes, bool past_cache) {
  if (past_cache) fg_copy_past_cache(to, from, bytes);
  else memcpy(to, from, bytes);
}

/* Reals without gaps, as one of the two or the other. */
static double convert(void *to, enum fg_precision is, const void *from, size_t reals, bool past_cache) {
  const fg_arithmetic before = fg_convert_begin();
  double largest = 0;
  if (is == FG_SINGLE) largest = fg_convert_narrow(to, from, reals, past_cache);
  else fg_convert_widen(to, from, reals, past_cache);
  fg_convert_end(before);
  return largest;
}

/* What has gaps is put together in the first cache, and from there goes past the others. */
static double gather_past_cache(const fg_layout *l, const void *array, ptrdiff_t first, ptrdiff_t count, char *staging) {
  enum { HELD = 8192 };
  _Alignas(64) char held[HELD];
  const size_t element = fg_layout_element_size(l);
  const ptrdiff_t most = (ptrdiff_t)(HELD / element);
  double largest = 0;
  for (ptrdiff_t at = 0; at < count; at += most) {
    const ptrdiff_t now = count - at < most ? count - at : most;
    const double here = fg_layout_gather(l, array, first + at, now, held);
    if (here > largest) largest = here;
    fg_copy_past_cache(staging + (size_t)at * element, held, (size_t)now * element);
  }
  return largest;
}

double fg_transfer_gather(const fg_layout *l, const void *array, ptrdiff_t first, ptrdiff_t count, void *staging,
                          bool past_cache) {
  const size_t reals = (size_t)(count * l->unit);
  if (!dense(l) && past_cache && fg_layout_converts(l)) return gather_past_cache(l, array, first, count, staging);
  if (!dense(l)) return fg_layout_gather(l, array, first, count, staging);
  if (fg_layout_converts(l)) return convert(staging, l->image, element_of(l, array, first), reals, past_cache);
  copy(staging, element_of(l, array, first), reals * fg_real_size(l->image), past_cache);
  return 0;
}

void fg_transfer_scatter(const fg_layout *l, void *array, ptrdiff_t first, ptrdiff_t count, const void *staging,
                         bool past_cache) {
  const size_t reals = (size_t)(count * l->unit);
  if (!dense(l)) fg_layout_scatter(l, array, first, count, staging);
  else if (fg_layout_converts(l)) convert(element_of(l, array, first), l->precision, staging, reals, past_cache);
  else copy(element_of(l, array, first), staging, reals * fg_real_size(l->image), past_cache);
}

/* ---- overlap ---- */

typedef struct {
  const char *from, *to;
} span;

/* From the lowest to past the highest element of a plane. */
static span span_of(const fg_layout *l, const void *array) {
  const ptrdiff_t real = (ptrdiff_t)fg_real_size(l->precision);
  const char *const from = (const char *)array + l->low * real;
  return (span){from, from + fg_layout_reach(l) * real};
}

static bool meet(span a, span b) { return a.from < b.to && b.from < a.to; }

static ptrdiff_t step_of(const fg_layout *l, int walk) { return l->walk[walk].stride * (ptrdiff_t)fg_real_size(l->precision); }

/* Bytes of what elements take up of a period, whose multiples other dimensions step by. */
static ptrdiff_t within(const fg_layout *l, ptrdiff_t period) {
  ptrdiff_t bytes = l->unit * (ptrdiff_t)fg_real_size(l->precision);
  for (int d = 0; d < l->rank; d++)
    if (step_of(l, d) % period) bytes += (l->walk[d].n - 1) * step_of(l, d);
  return bytes;
}

/* In every period of so many bytes the elements of one side lie beside those of the other. */
static bool woven(const fg_layout *in, const char *from, const fg_layout *out, const char *to, ptrdiff_t period) {
  const ptrdiff_t distance = (to - from) % period + (to < from && (to - from) % period ? period : 0);
  return within(in, period) <= distance && distance + within(out, period) <= period;
}

/* What the outermost dimension steps through are few stretches, none of which meets one of the other side's. */
static bool beside(const fg_layout *in, const char *from, const fg_layout *out, const char *to) {
  enum { FEW = 1024 };
  const fg_walk i = in->walk[in->rank - 1], o = out->walk[out->rank - 1];
  const ptrdiff_t steps[] = {step_of(in, in->rank - 1), step_of(out, out->rank - 1)};
  const ptrdiff_t reach[] = {fg_layout_reach(in) * (ptrdiff_t)fg_real_size(in->precision) - (i.n - 1) * steps[0],
                             fg_layout_reach(out) * (ptrdiff_t)fg_real_size(out->precision) - (o.n - 1) * steps[1]};
  if (i.n > FEW || o.n > FEW / i.n) return false;
  for (ptrdiff_t k = 0; k < i.n * o.n; k++) {
    const char *const a = from + k / o.n * steps[0], *const b = to + k % o.n * steps[1];
    if (meet((span){a, a + reach[0]}, (span){b, b + reach[1]})) return false;
  }
  return true;
}

/* Planes whose spans meet, though perhaps no elements do: where arrays lie in each other's gaps. */
static bool elements_meet(const fg_layout *in, const void *in_array, const fg_layout *out, const void *out_array) {
  const span i = span_of(in, in_array), o = span_of(out, out_array);
  if (in_array == out_array || !meet(i, o)) return in_array == out_array; /* in place the first element is of both */
  for (int d = 0; d < in->rank; d++)
    if (woven(in, i.from, out, o.from, step_of(in, d))) return false;
  for (int d = 0; d < out->rank; d++)
    if (woven(in, i.from, out, o.from, step_of(out, d))) return false;
  return !beside(in, i.from, out, o.from);
}

bool fg_transfer_overlap(const fg_layout *in, const fg_layout *out, const fg_arrays *a) {
  const void *const ins[] = {a->in_re, a->in_im}, *const outs[] = {a->out_re, a->out_im};
  for (int i = 0; i < planes(in); i++)
    for (int o = 0; o < planes(out); o++)
      if (elements_meet(in, ins[i], out, outs[o])) return true;
  return false;
}
