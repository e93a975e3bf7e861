/* layout.c: where a problem's elements lie, and copying them to and from their dense image. */
#include "src/problem/layout.h"

#include <stdlib.h>
#include <string.h>

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

/* Image strides in order of the array's, and the walk through both with contiguous dimensions merged. */
static void lay_out(fg_layout *l, const axis *axes, int count) {
  ptrdiff_t dense = 1;
  for (int i = 0; i < count; i++) {
    const ptrdiff_t n = axes[i].n, stride = labs(axes[i].stride);
    const bool reversed = axes[i].stride < 0;
    l->stride[axes[i].dimension] = reversed ? -dense : dense;
    if (reversed) {
      l->offset += (n - 1) * dense;
      l->low += (n - 1) * axes[i].stride;
    }
    dense *= n;
    fg_walk *last = l->rank ? &l->walk[l->rank - 1] : NULL;
    if (last && stride == last->n * last->stride) last->n *= n;
    else l->walk[l->rank++] = (fg_walk){n, stride};
  }
  l->elements = dense;
}

bool fg_layout_make(fg_layout *l, const fg_problem *p, enum fg_side side) {
  const int rank = p->transform.rank + p->batch.rank;
  memset(l, 0, sizeof *l);
  l->precision = p->precision;
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
  lay_out(l, axes, count);
  if (l->rank == 0) l->walk[l->rank++] = (fg_walk){1, l->unit};
  free(axes);
  return true;
}

bool fg_layout_make_reaching(fg_layout *l, const fg_problem *p, enum fg_side side, enum fg_reach reach) {
  if (!fg_layout_make(l, p, side)) return false;
  if (reach == FG_REACH_IMAGE) return true;
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

size_t fg_layout_element_size(const fg_layout *l) { return fg_real_size(l->precision) * (size_t)l->unit; }

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

/* Walk through elements [first, first + count): the array's positions by odometer, the image straight on. */
static void move(const fg_layout *l, char *array, ptrdiff_t first, ptrdiff_t count, char *image, bool gather) {
  const size_t element = fg_layout_element_size(l);
  const ptrdiff_t real = (ptrdiff_t)fg_real_size(l->precision), inner = l->walk[0].n, step = l->walk[0].stride * real;
  array += l->low * real;
  while (count > 0) {
    ptrdiff_t rest = first / inner, position = 0;
    const ptrdiff_t start = first % inner, length = inner - start < count ? inner - start : count;
    for (int d = 1; d < l->rank; d++) {
      position += rest % l->walk[d].n * l->walk[d].stride;
      rest /= l->walk[d].n;
    }
    char *const at = array + position * real + start * step;
    if (gather) copy_strided(image, (ptrdiff_t)element, at, step, length, element);
    else copy_strided(at, step, image, (ptrdiff_t)element, length, element);
    image += (size_t)length * element;
    first += length;
    count -= length;
  }
}

void fg_layout_gather(const fg_layout *l, const void *array, ptrdiff_t first, ptrdiff_t count, void *image) {
  move(l, (char *)array, first, count, image, true);
}

void fg_layout_scatter(const fg_layout *l, void *array, ptrdiff_t first, ptrdiff_t count, const void *image) {
  move(l, array, first, count, (char *)image, false);
}
