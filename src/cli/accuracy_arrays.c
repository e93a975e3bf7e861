/* accuracy_arrays.c: a problem's arrays in memory, as its notation places them. */
#include <stdlib.h>

#include "src/cli/accuracy.h"
#include "src/cli/fftw.h"

enum { ALIGNMENT = 64 };

typedef struct {
  uintptr_t low, high;
} range;

static void include(range *r, const void *pointer, const fg_layout *l) {
  const ptrdiff_t real = (ptrdiff_t)fg_real_size(l->precision);
  ptrdiff_t reach = l->unit;
  for (int d = 0; d < l->rank; d++) reach += (l->walk[d].n - 1) * l->walk[d].stride;
  const uintptr_t low = (uintptr_t)pointer + (uintptr_t)(l->low * real), high = low + (uintptr_t)(reach * real);
  if (low < r->low) r->low = low;
  if (high > r->high) r->high = high;
}

static void *moved(const void *pointer, ptrdiff_t by) {
  return pointer ? (void *)((uintptr_t)pointer + (uintptr_t)by) : NULL;
}

static size_t plane_bytes(const fg_layout *l) { return (size_t)l->elements * fg_layout_element_size(l); }

/* The whole range of made-up addresses, moved to where there is memory. */
static bool allocate(fg_accuracy_arrays *a, const fg_arrays *made_up) {
  range r = {UINTPTR_MAX, 0};
  include(&r, made_up->in_re, &a->in);
  include(&r, made_up->out_re, &a->out);
  if (a->in.split) include(&r, made_up->in_im, &a->in);
  if (a->out.split) include(&r, made_up->out_im, &a->out);
  const size_t ahead = r.low % ALIGNMENT, in = plane_bytes(&a->in), out = plane_bytes(&a->out);
  a->block = aligned_alloc(ALIGNMENT, (r.high - r.low + ahead + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
  a->image = malloc(in > out ? in : out);
  if (!a->block || !a->image) return false;
  const ptrdiff_t by = (ptrdiff_t)((uintptr_t)a->block + ahead - r.low);
  a->at = (fg_arrays){moved(made_up->in_re, by), moved(made_up->in_im, by), moved(made_up->out_re, by),
                      moved(made_up->out_im, by)};
  return true;
}

bool fg_accuracy_arrays_make(fg_accuracy_arrays *a, const fg_problem *p) {
  *a = (fg_accuracy_arrays){0};
  const bool made =
      fg_layout_make(&a->in, p, FG_INPUT) && fg_layout_make(&a->out, p, FG_OUTPUT) && allocate(a, &p->arrays);
  if (!made) fg_accuracy_arrays_free(a);
  return made;
}

void fg_accuracy_arrays_free(fg_accuracy_arrays *a) {
  fg_layout_free(&a->in);
  fg_layout_free(&a->out);
  free(a->block);
  free(a->image);
  *a = (fg_accuracy_arrays){0};
}

void fg_accuracy_arrays_put(const fg_accuracy_arrays *a, const double *data) {
  const fg_layout *l = &a->in;
  const ptrdiff_t step = l->split ? 2 : 1;
  for (ptrdiff_t plane = 0; plane < step; plane++) {
    for (ptrdiff_t i = 0; i < l->elements * l->unit; i++)
      if (l->precision == FG_SINGLE) ((float *)a->image)[i] = (float)data[i * step + plane];
      else ((double *)a->image)[i] = data[i * step + plane];
    fg_layout_scatter(l, plane ? a->at.in_im : a->at.in_re, 0, l->elements, a->image);
  }
}

void fg_accuracy_arrays_get(const fg_accuracy_arrays *a, double *result) {
  const fg_layout *l = &a->out;
  const ptrdiff_t step = l->split ? 2 : 1;
  for (ptrdiff_t plane = 0; plane < step; plane++) {
    fg_layout_gather(l, plane ? a->at.out_im : a->at.out_re, 0, l->elements, a->image);
    for (ptrdiff_t i = 0; i < l->elements * l->unit; i++)
      result[i * step + plane] = fg_bench_real(a->image, l->precision, (size_t)i);
  }
}
