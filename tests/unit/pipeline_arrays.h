/* pipeline_arrays.h: the program's arrays of test_pipeline.c, and what may have changed in them. */
#ifndef PIPELINE_ARRAYS_H
#define PIPELINE_ARRAYS_H

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "src/problem/layout.h"
#include "src/run/arena/arena.h"

enum memory { FOREIGN, ARENA };

typedef struct {
  char *block;
  size_t bytes;
  void *re, *im;
} array;

static size_t span_of(const fg_layout *l) {
  ptrdiff_t reach = l->split ? 1 : 2;
  for (int d = 0; d < l->rank; d++) reach += (l->walk[d].n - 1) * l->walk[d].stride;
  return (size_t)reach;
}

/* No number of single precision, most of them. */
static double number(size_t i, int seed) { return (double)((int)(i * 37 + (size_t)seed) % 211 - 105) / 67; }

/* Of l's elements, with room for the other side's, if that has the same array. */
static array array_of(const fg_layout *l, const fg_layout *other, enum memory memory, int seed) {
  const size_t mine = span_of(l), theirs = span_of(other), span = mine > theirs ? mine : theirs;
  const size_t planes = l->split ? 2 : 1, reals = span * planes, real = fg_real_size(l->precision);
  const size_t bytes = reals * real;
  array a = {.bytes = bytes};
  a.block = memory == ARENA ? fg_arena_alloc(bytes < FG_ARENA_SMALLEST ? FG_ARENA_SMALLEST : bytes) : malloc(bytes);
  ck_assert_ptr_nonnull(a.block);
  for (size_t i = 0; i < reals; i++) {
    if (l->precision == FG_SINGLE) ((float *)a.block)[i] = (float)number(i, seed);
    else ((double *)a.block)[i] = number(i, seed);
  }
  a.re = a.block - l->low * (ptrdiff_t)real;
  a.im = (char *)a.re + (l->split ? span : 1) * real;
  return a;
}

static void drop(array *a) {
  fg_arena_forget(a->block);
  free(a->block);
}

/* Its image as it is, whatever the device computes in. */
static fg_layout as_it_is(const fg_layout *l) {
  fg_layout as_is = *l;
  as_is.image = as_is.precision;
  return as_is;
}

/* Of l's elements in a block like a's, as they are; malloc'd. */
static char *elements_of(const fg_layout *l, const array *a, const char *block) {
  const fg_layout as_is = as_it_is(l);
  const size_t bytes = (size_t)l->elements * fg_layout_element_size(&as_is);
  char *const image = malloc(2 * bytes);
  for (int plane = 0; plane < (l->split ? 2 : 1); plane++)
    fg_layout_gather(&as_is, block + ((plane ? (char *)a->im : (char *)a->re) - a->block), 0, l->elements,
                     image + (size_t)plane * bytes);
  return image;
}

/* What is none of l's elements is what it was. */
static bool others_intact(const fg_layout *l, const array *a, const char *before) {
  const fg_layout as_is = as_it_is(l);
  const size_t bytes = (size_t)l->elements * fg_layout_element_size(&as_is);
  char *const marks = malloc(bytes), *const mine = calloc(1, a->bytes);
  bool same = true;
  memset(marks, 1, bytes);
  for (int plane = 0; plane < (l->split ? 2 : 1); plane++)
    fg_layout_scatter(&as_is, mine + ((plane ? (char *)a->im : (char *)a->re) - a->block), 0, l->elements, marks);
  for (size_t i = 0; i < a->bytes; i++) same = same && (mine[i] || a->block[i] == before[i]);
  free(marks);
  free(mine);
  return same;
}

#endif
