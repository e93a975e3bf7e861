/* layout.c: where a problem's elements lie, and copying them to and from their dense image. */
#include "src/problem/layout.h"

#include <stdlib.h>
#include <string.h>

#include "src/problem/convert.h"

typedef struct {
  ptrdiff_t n, stride; /* of the program's array, in reals */
  int dimension;       /* of the problem */
} axis;

static int by_stride(const void *a, const void *b) {
  const ptrdiff_t x = labs(((const axis *)a)->stride), y = labs(((const axis *)b)->stride);
  return (x > y) - (x < y);
}

static const fg_dim *dimension(const fg_problem *p, int d) {
  return d < p->transform.rank ? &p->transform.dim[d] : &p->batch.dim[d - p->transform.rank];
}

/* Reals of a row with FFTW's padding behind it, of arrays that are in place: each begins where its spectrum does. 0: there is
 * no such padding. */
static ptrdiff_t padded_row(const fg_problem *p, enum fg_side side) {
  const bool in_place = p->arrays.in_re == p->arrays.out_re, converts = p->compute != p->precision;
  if (p->kind != FG_R2C || side != FG_INPUT || !in_place || converts || p->transform.rank == 0) return 0;
  const int last = p->transform.rank - 1, rank = p->transform.rank + p->batch.rank;
  const fg_dim *row = dimension(p, last);
  const ptrdiff_t padded = 2 * (row->n / 2 + 1);
  if (row->n == 1 || row->is != 1 || row->os != 2 || p->format != FG_INTERLEAVED) return 0;
  for (int d = 0; d < rank; d++) {
    const fg_dim *other = dimension(p, d);
    if (d != last && other->n > 1 && (other->is != other->os || labs(other->is) < padded)) return 0;
  }
  return padded;
}

/* Image strides in order of the array's, and the walk through both with contiguous dimensions merged; the first and innermost
 * has room for so many elements, if it is not the only one. */
static void lay_out(fg_layout *l, const axis *axes, int count, ptrdiff_t room) {
  ptrdiff_t dense = 1;
  l->padded = room && count > 1;
  for (int i = 0; i < count; i++) {
    const ptrdiff_t n = i == 0 && l->padded ? room : axes[i].n, stride = labs(axes[i].stride);
    const bool reversed = axes[i].stride < 0;
    l->stride[axes[i].dimension] = reversed ? -dense : dense;
    if (reversed) {
      l->offset += (axes[i].n - 1) * dense;
      l->low += (axes[i].n - 1) * axes[i].stride;
    }
    dense *= n;
    fg_walk *last = l->rank ? &l->walk[l->rank - 1] : NULL;
    if (last && stride == last->n * last->stride) last->n *= n;
    else l->walk[l->rank++] = (fg_walk){n, stride};
  }
  l->elements = dense;
}

static bool make(fg_layout *l, const fg_problem *p, enum fg_side side, ptrdiff_t room) {
  const int rank = p->transform.rank + p->batch.rank;
  memset(l, 0, sizeof *l);
  l->precision = p->precision;
  l->image = p->compute;
  l->split = p->format == FG_SPLIT && fg_problem_complex_side(p, side);
  l->unit = !l->split && fg_problem_complex_side(p, side) ? 2 : 1;
  l->walk = calloc((size_t)rank + 1, sizeof *l->walk);
  l->stride = calloc((size_t)rank + 1, sizeof *l->stride);
  axis *axes = malloc(((size_t)rank + 1) * sizeof *axes);
  if (!l->walk || !l->stride || !axes) {
    free(axes);
    fg_layout_free(l);
    return false;
  }
  int count = 0;
  for (int d = 0; d < rank; d++) {
    const ptrdiff_t n = fg_problem_points(p, d, side);
    if (n > 1) axes[count++] = (axis){n, fg_dim_stride(dimension(p, d), side), d};
  }
  qsort(axes, (size_t)count, sizeof *axes, by_stride);
  lay_out(l, axes, count, room);
  if (l->rank == 0) l->walk[l->rank++] = (fg_walk){1, l->unit};
  free(axes);
  return true;
}

bool fg_layout_make(fg_layout *l, const fg_problem *p, enum fg_side side) { return make(l, p, side, 0); }

bool fg_reach_is_image(enum fg_reach reach) { return reach == FG_REACH_IMAGE || reach == FG_REACH_HOST; }

bool fg_layout_make_reaching(fg_layout *l, const fg_problem *p, enum fg_side side, enum fg_reach reach) {
  if (!make(l, p, side, reach == FG_REACH_HOST ? padded_row(p, side) : 0)) return false;
  if (fg_reach_is_image(reach)) return true;
  if (reach == FG_REACH_PLANES && l->unit == 2) {
    l->unit = 1;
    l->split = true;
  }
  for (int d = 0; d < p->transform.rank + p->batch.rank; d++)
    l->stride[d] = fg_dim_stride(dimension(p, d), side) / l->unit;
  l->offset = 0;
  return true;
}

void fg_layout_free(fg_layout *l) {
  free(l->walk);
  free(l->stride);
  l->walk = NULL;
  l->stride = NULL;
}

ptrdiff_t fg_layout_reach(const fg_layout *l) {
  ptrdiff_t reach = l->unit;
  for (int d = 0; d < l->rank; d++) reach += (l->walk[d].n - 1) * l->walk[d].stride;
  return reach;
}

size_t fg_layout_element_size(const fg_layout *l) { return fg_real_size(l->image) * (size_t)l->unit; }

bool fg_layout_converts(const fg_layout *l) { return l->image != l->precision; }

/* ---- copying ---- */

/* count elements, stride bytes apart in from or to; the other side is dense. */
#define FG_STRIDED(type)                                                                              \
  for (ptrdiff_t i = 0; i < count; i++)                                                               \
    *(type *)((char *)to + i * to_stride) = *(const type *)((const char *)from + i * from_stride)

typedef struct {
  char bytes[16];
} sixteen;

static void copy_strided(void *to, ptrdiff_t to_stride, const void *from, ptrdiff_t from_stride, ptrdiff_t count,
                         size_t element) {
  if (to_stride == from_stride && (size_t)to_stride == element) memcpy(to, from, (size_t)count * element);
  else if (element == 4) FG_STRIDED(float);
  else if (element == 16) FG_STRIDED(sixteen);
  else
    for (ptrdiff_t i = 0; i < count; i++) memcpy((char *)to + i * to_stride, (const char *)from + i * from_stride, 8);
}

/* A row of the walk: count elements, step reals apart in the program's array. */
typedef struct {
  char *array, *image;
  ptrdiff_t count, step;
} row;

static double gather_row(const fg_layout *l, const row *r) {
  const ptrdiff_t element = (ptrdiff_t)fg_layout_element_size(l), real = (ptrdiff_t)fg_real_size(l->precision);
  const fg_convert_row convert = {r->count, l->unit, l->unit, r->step};
  if (l->image == FG_SINGLE && fg_layout_converts(l))
    return fg_convert_narrow_row((float *)r->image, (const double *)r->array, convert);
  if (!fg_layout_converts(l)) copy_strided(r->image, element, r->array, r->step * real, r->count, (size_t)element);
  else fg_convert_widen_row((double *)r->image, (const float *)r->array, convert);
  return 0;
}

static double scatter_row(const fg_layout *l, const row *r) {
  const ptrdiff_t element = (ptrdiff_t)fg_layout_element_size(l), real = (ptrdiff_t)fg_real_size(l->precision);
  const fg_convert_row convert = {r->count, l->unit, r->step, l->unit};
  if (!fg_layout_converts(l)) copy_strided(r->array, r->step * real, r->image, element, r->count, (size_t)element);
  else if (l->image == FG_SINGLE) fg_convert_widen_row((double *)r->array, (const float *)r->image, convert);
  else fg_convert_narrow_row((float *)r->array, (const double *)r->image, convert);
  return 0;
}

/* Reals from the array's pointer to the first element of row number of the walk. */
static ptrdiff_t position_of(const fg_layout *l, ptrdiff_t number) {
  ptrdiff_t position = l->low;
  for (int d = 1; d < l->rank; d++) {
    position += number % l->walk[d].n * l->walk[d].stride;
    number /= l->walk[d].n;
  }
  return position;
}

/* Walk through elements [first, first + count): the image straight on, the array's positions by odometer, whose fastest
 * wheel is turned without it. The largest that a row gives. */
static double move(const fg_layout *l, char *array, ptrdiff_t first, ptrdiff_t count, char *image,
                   double (*move_row)(const fg_layout *, const row *)) {
  const ptrdiff_t element = (ptrdiff_t)fg_layout_element_size(l), real = (ptrdiff_t)fg_real_size(l->precision);
  const fg_walk inner = l->walk[0], outer = l->rank > 1 ? l->walk[1] : (fg_walk){1, 0};
  const fg_arithmetic before = fg_convert_begin();
  ptrdiff_t number = first / inner.n, start = first % inner.n;
  double largest = 0;
  while (count > 0) {
    ptrdiff_t position = position_of(l, number), until = number - number % outer.n + outer.n;
    for (; number < until && count > 0; number++, position += outer.stride) {
      const ptrdiff_t length = inner.n - start < count ? inner.n - start : count;
      const double here = move_row(l, &(row){array + (position + start * inner.stride) * real, image, length, inner.stride});
      if (here > largest) largest = here;
      image += length * element;
      count -= length;
      start = 0;
    }
  }
  fg_convert_end(before);
  return largest;
}

double fg_layout_gather(const fg_layout *l, const void *array, ptrdiff_t first, ptrdiff_t count, void *image) {
  return move(l, (char *)array, first, count, image, gather_row);
}

void fg_layout_scatter(const fg_layout *l, void *array, ptrdiff_t first, ptrdiff_t count, const void *image) {
  move(l, array, first, count, (char *)image, scatter_row);
}
