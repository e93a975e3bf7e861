/* problem.c: making problems, and telling which ones FFTW's manual leaves undefined. */
#include "src/problem/problem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

size_t fg_real_size(enum fg_precision p) { return p == FG_SINGLE ? sizeof(float) : sizeof(double); }

fg_problem *fg_problem_new(enum fg_kind kind, enum fg_precision precision, enum fg_format format, int rank,
                           int batch_rank) {
  fg_problem *p = calloc(1, sizeof *p);
  if (!p) return NULL;
  p->kind = kind;
  p->precision = p->compute = precision;
  p->format = format;
  p->sign = kind == FG_C2R ? FG_BACKWARD : FG_FORWARD;
  p->threads = 1;
  p->transform = fg_tensor_new(rank);
  p->batch = fg_tensor_new(batch_rank);
  if (kind == FG_R2R) p->r2r_kind = calloc(rank > 0 ? (size_t)rank : 1, sizeof *p->r2r_kind);
  if (p->transform.rank < 0 || p->batch.rank < 0 || (kind == FG_R2R && !p->r2r_kind)) {
    fg_problem_free(p);
    return NULL;
  }
  return p;
}

fg_problem *fg_problem_copy(const fg_problem *p) {
  fg_problem *c = fg_problem_new(p->kind, p->precision, p->format, p->transform.rank, p->batch.rank);
  if (!c) return NULL;
  const fg_tensor transform = c->transform, batch = c->batch;
  int *const r2r_kind = c->r2r_kind;
  *c = *p;
  c->transform = transform;
  c->batch = batch;
  c->r2r_kind = r2r_kind;
  if (transform.rank > 0) memcpy(transform.dim, p->transform.dim, (size_t)transform.rank * sizeof *transform.dim);
  if (batch.rank > 0) memcpy(batch.dim, p->batch.dim, (size_t)batch.rank * sizeof *batch.dim);
  if (r2r_kind && transform.rank > 0) memcpy(r2r_kind, p->r2r_kind, (size_t)transform.rank * sizeof *r2r_kind);
  return c;
}

void fg_problem_free(fg_problem *p) {
  if (!p) return;
  fg_tensor_free(&p->transform);
  fg_tensor_free(&p->batch);
  free(p->r2r_kind);
  free(p);
}

ptrdiff_t fg_problem_points(const fg_problem *p, int d, enum fg_side side) {
  if (d >= p->transform.rank) return p->batch.dim[d - p->transform.rank].n;
  const ptrdiff_t n = p->transform.dim[d].n;
  const bool halved = (p->kind == FG_R2C && side == FG_OUTPUT) || (p->kind == FG_C2R && side == FG_INPUT);
  return halved && d == p->transform.rank - 1 ? n / 2 + 1 : n;
}

bool fg_problem_complex_side(const fg_problem *p, enum fg_side side) {
  if (p->kind == FG_DFT) return true;
  return (p->kind == FG_R2C && side == FG_OUTPUT) || (p->kind == FG_C2R && side == FG_INPUT);
}

ptrdiff_t fg_problem_elements(const fg_problem *p, enum fg_side side) {
  ptrdiff_t elements = fg_tensor_size(&p->batch);
  for (int d = 0; d < p->transform.rank; d++) elements *= fg_problem_points(p, d, side);
  return elements;
}

bool fg_problem_parts_apart(const fg_problem *p, const fg_arrays *a, enum fg_side side) {
  const uintptr_t re = (uintptr_t)(side == FG_INPUT ? a->in_re : a->out_re);
  const uintptr_t im = (uintptr_t)(side == FG_INPUT ? a->in_im : a->out_im);
  return p->format == FG_INTERLEAVED && fg_problem_complex_side(p, side) && im != re + fg_real_size(p->precision);
}

bool fg_problem_has_second(const fg_problem *p, const fg_arrays *a, enum fg_side side) {
  return (p->format == FG_SPLIT && fg_problem_complex_side(p, side)) || fg_problem_parts_apart(p, a, side);
}

bool fg_problem_apart(const fg_problem *p, const fg_arrays *a) {
  return fg_problem_parts_apart(p, a, FG_INPUT) || fg_problem_parts_apart(p, a, FG_OUTPUT);
}

bool fg_problem_in_place(const fg_arrays *a) {
  return a->in_re == a->out_re && (!a->in_im || !a->out_im || a->in_im == a->out_im);
}

static void *further(void *array, ptrdiff_t reals, enum fg_precision precision) {
  return array ? (char *)array + reals * (ptrdiff_t)fg_real_size(precision) : NULL;
}

fg_arrays fg_problem_arrays_from(const fg_problem *p, const fg_arrays *a, int batch, ptrdiff_t first) {
  const fg_dim *d = &p->batch.dim[batch];
  return (fg_arrays){further(a->in_re, first * d->is, p->precision), further(a->in_im, first * d->is, p->precision),
                     further(a->out_re, first * d->os, p->precision), further(a->out_im, first * d->os, p->precision)};
}

typedef struct {
  ptrdiff_t n, stride;
} extent;

static int by_stride(const void *a, const void *b) {
  const ptrdiff_t x = ((const extent *)a)->stride, y = ((const extent *)b)->stride;
  return (x > y) - (x < y);
}

/* Whether two index tuples may name one element: sorted by stride, each dimension must step over all inner ones.  A few
 * layouts that interleave without touching fail this too; stock FFTW answers those. */
static const char *clash(const fg_problem *p, enum fg_side side) {
  const int rank = p->transform.rank + p->batch.rank;
  extent *e = malloc((size_t)(rank + 1) * sizeof *e);
  if (!e) return "out of memory";
  int count = 0;
  for (int d = 0; d < rank; d++) {
    const bool inner = d < p->transform.rank;
    const fg_dim *dim = inner ? &p->transform.dim[d] : &p->batch.dim[d - p->transform.rank];
    const ptrdiff_t n = fg_problem_points(p, d, side), stride = fg_dim_stride(dim, side);
    if (n > 1) e[count++] = (extent){n, stride < 0 ? -stride : stride};
  }
  qsort(e, (size_t)count, sizeof *e, by_stride);

  const char *why = NULL;
  ptrdiff_t reach = fg_problem_complex_side(p, side) && p->format == FG_INTERLEAVED ? 2 : 1;
  for (int i = 0; i < count && !why; i++) {
    if (e[i].stride == 0) why = "zero stride";
    else if (e[i].stride < reach) why = side == FG_INPUT ? "overlapping input" : "overlapping output";
    reach += (e[i].n - 1) * e[i].stride;
  }
  free(e);
  return why;
}

const char *fg_problem_undefined(const fg_problem *p) {
  const char *why = clash(p, FG_INPUT);
  return why ? why : clash(p, FG_OUTPUT);
}
