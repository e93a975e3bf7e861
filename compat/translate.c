/* translate.c: FFTW's ways to describe loops, to and from the one of fg_problem. */
#include "config.h"

#include "compat/translate.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

bool fg_rank_finite(int rank) { return rank >= 0 && rank != INT_MAX; }

void *fg_imaginary(void *complex_array, enum fg_precision precision) {
  return (void *)((uintptr_t)complex_array + fg_real_size(precision));
}

static bool complex_side(enum fg_kind kind, enum fg_side side) {
  return kind == FG_DFT || (kind == FG_R2C && side == FG_OUTPUT) || (kind == FG_C2R && side == FG_INPUT);
}

/* Reals per element of the array. */
static ptrdiff_t unit(enum fg_kind kind, enum fg_format format, enum fg_side side) {
  return format == FG_INTERLEAVED && complex_side(kind, side) ? 2 : 1;
}

static ptrdiff_t *stride_of(fg_dim *d, enum fg_side side) { return side == FG_INPUT ? &d->is : &d->os; }

/* ---- many -------------------------------------------------------------------------------------------------------- */

static bool many_legal(int rank, const int *n, int howmany) {
  if (!fg_rank_finite(rank) || howmany < 0 || (rank > 0 && !n)) return false;
  for (int d = 0; d < rank; d++)
    if (n[d] <= 0) return false;
  return true;
}

/* Length of a row where the caller gave no nembed: n/2 + 1 complex numbers, or as many reals as those take in place. */
static ptrdiff_t row(enum fg_kind kind, enum fg_side side, ptrdiff_t n, bool in_place) {
  if (kind != FG_R2C && kind != FG_C2R) return n;
  if (complex_side(kind, side)) return n / 2 + 1;
  return in_place ? 2 * (n / 2 + 1) : n;
}

/* Strides of one side: row-major, the last dimension fastest.  nembed[0] is not looked at: it means nothing. */
static void many_strides(fg_problem *p, const int *n, const fg_many_side *s, enum fg_side side, bool in_place) {
  const int rank = p->transform.rank;
  ptrdiff_t stride = s->stride * unit(p->kind, p->format, side);
  for (int d = rank - 1; d >= 0; d--) {
    *stride_of(&p->transform.dim[d], side) = stride;
    if (d > 0) stride *= s->nembed ? s->nembed[d] : d == rank - 1 ? row(p->kind, side, n[d], in_place) : n[d];
  }
  if (p->batch.rank) *stride_of(&p->batch.dim[0], side) = s->dist * unit(p->kind, p->format, side);
}

fg_problem *fg_translate_many(enum fg_kind kind, enum fg_precision precision, int rank, const int *n, int howmany,
                              fg_many_side in, fg_many_side out, bool in_place) {
  if (!many_legal(rank, n, howmany)) return NULL;
  fg_problem *p = fg_problem_new(kind, precision, FG_INTERLEAVED, rank, howmany == 1 ? 0 : 1);
  if (!p) return NULL;
  for (int d = 0; d < rank; d++) p->transform.dim[d].n = n[d];
  if (p->batch.rank) p->batch.dim[0].n = howmany;
  many_strides(p, n, &in, FG_INPUT, in_place);
  many_strides(p, n, &out, FG_OUTPUT, in_place);
  return p;
}

/* ---- guru -------------------------------------------------------------------------------------------------------- */

static bool guru_legal(int rank, const fg_iodim64 *dims, ptrdiff_t least) {
  if (rank > 0 && !dims) return false;
  for (int d = 0; d < rank; d++)
    if (dims[d].n < least) return false;
  return true;
}

static void guru_dims(const fg_problem *p, fg_tensor *t, const fg_iodim64 *dims) {
  for (int d = 0; d < t->rank; d++)
    t->dim[d] = (fg_dim){dims[d].n, dims[d].is * unit(p->kind, p->format, FG_INPUT),
                         dims[d].os * unit(p->kind, p->format, FG_OUTPUT)};
}

fg_problem *fg_translate_guru(enum fg_kind kind, enum fg_precision precision, enum fg_format format, int rank,
                              const fg_iodim64 *dims, int howmany_rank, const fg_iodim64 *howmany_dims) {
  static const fg_iodim64 nothing = {0, 0, 0};
  if (howmany_rank == INT_MAX) {
    howmany_rank = 1;
    howmany_dims = &nothing;
  }
  if (!fg_rank_finite(rank) || !fg_rank_finite(howmany_rank)) return NULL;
  if (!guru_legal(rank, dims, 1) || !guru_legal(howmany_rank, howmany_dims, 0)) return NULL;
  fg_problem *p = fg_problem_new(kind, precision, format, rank, howmany_rank);
  if (!p) return NULL;
  guru_dims(p, &p->transform, dims);
  guru_dims(p, &p->batch, howmany_dims);
  return p;
}

fg_iodim64 *fg_translate_back(const fg_problem *p, const fg_tensor *t) {
  fg_iodim64 *dims = malloc((size_t)(t->rank + 1) * sizeof *dims);
  if (!dims) return NULL;
  for (int d = 0; d < t->rank; d++) {
    dims[d].n = t->dim[d].n;
    dims[d].is = t->dim[d].is / unit(p->kind, p->format, FG_INPUT);
    dims[d].os = t->dim[d].os / unit(p->kind, p->format, FG_OUTPUT);
  }
  return dims;
}

static fg_iodim64 *widen(int rank, const fg_iodim *dims) {
  fg_iodim64 *wide = fg_rank_finite(rank) && rank > 0 ? malloc((size_t)rank * sizeof *wide) : NULL;
  for (int d = 0; wide && d < rank; d++) wide[d] = (fg_iodim64){dims[d].n, dims[d].is, dims[d].os};
  return wide;
}

fg_wide fg_widen(int rank, const fg_iodim *dims, int howmany_rank, const fg_iodim *howmany_dims) {
  return (fg_wide){widen(rank, dims), widen(howmany_rank, howmany_dims)};
}

void fg_wide_free(fg_wide w) {
  free(w.dims);
  free(w.howmany_dims);
}
