/* arrays.c: memory for a problem's arrays between guard pages. */
#include "arrays.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "suite.h"

enum { PATTERN = 0xc3 };

static const fg_dim *dimension(const fg_problem *p, int d) {
  return d < p->batch.rank ? &p->batch.dim[d] : &p->transform.dim[d - p->batch.rank];
}

static ptrdiff_t points(const fg_problem *p, int d, enum fg_side side) {
  return d < p->batch.rank ? p->batch.dim[d].n : fg_problem_points(p, d - p->batch.rank, side);
}

ptrdiff_t *test_positions(const fg_problem *p, enum fg_side side) {
  const ptrdiff_t elements = fg_problem_elements(p, side);
  ptrdiff_t *positions = calloc((size_t)elements + 1, sizeof *positions);
  ck_assert_ptr_nonnull(positions);
  for (ptrdiff_t e = 0; e < elements; e++) {
    ptrdiff_t rest = e;
    for (int d = p->batch.rank + p->transform.rank - 1; d >= 0; d--) {
      positions[e] += rest % points(p, d, side) * fg_dim_stride(dimension(p, d), side);
      rest /= points(p, d, side);
    }
  }
  return positions;
}

/* ---- memory ---- */

static size_t page_bytes(void) { return (size_t)sysconf(_SC_PAGESIZE); }

static test_block block_make(size_t bytes, bool at_start) {
  const size_t page = page_bytes(), whole = (bytes + page - 1) / page * page;
  test_block b = {.map_bytes = whole + 2 * page, .bytes = bytes};
  b.map = mmap(NULL, b.map_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ck_assert_ptr_ne(b.map, MAP_FAILED);
  ck_assert_int_eq(mprotect(b.map + page, whole, PROT_READ | PROT_WRITE), 0);
  b.memory = b.map + page + (at_start ? 0 : whole - bytes);
  return b;
}

typedef struct {
  ptrdiff_t low, high; /* reals: of the lowest element, past the highest */
} reach;

static void widen(reach *r, const fg_problem *p, enum fg_side side) {
  const bool pairs = fg_problem_complex_side(p, side) && p->format == FG_INTERLEAVED;
  const ptrdiff_t elements = fg_problem_elements(p, side), unit = pairs ? 2 : 1;
  ptrdiff_t *at = test_positions(p, side);
  for (ptrdiff_t e = 0; e < elements; e++) {
    if (at[e] < r->low) r->low = at[e];
    if (at[e] + unit > r->high) r->high = at[e] + unit;
  }
  free(at);
}

/* One array: the pointers that a program would pass for its real and imaginary parts. */
static void add_array(test_arrays *a, const fg_problem *p, const reach *r, bool at_start, void **re, void **im) {
  const ptrdiff_t real = (ptrdiff_t)fg_real_size(p->precision);
  void **const pointers[] = {re, im};
  for (int plane = 0; plane < (p->format == FG_SPLIT ? 2 : 1); plane++) {
    a->block[a->blocks] = block_make((size_t)((r->high - r->low) * real), at_start);
    *pointers[plane] = a->block[a->blocks++].memory - r->low * real;
  }
  if (p->format == FG_INTERLEAVED) *im = (char *)*re + real;
}

void test_arrays_make(test_arrays *a, fg_problem *p, bool in_place, bool at_start) {
  memset(a, 0, sizeof *a);
  reach in = {0, 1}, out = {0, 1};
  widen(&in, p, FG_INPUT);
  widen(in_place ? &in : &out, p, FG_OUTPUT);
  add_array(a, p, &in, at_start, &a->at.in_re, &a->at.in_im);
  a->at.out_re = a->at.in_re;
  a->at.out_im = a->at.in_im;
  if (!in_place) add_array(a, p, &out, at_start, &a->at.out_re, &a->at.out_im);
  p->arrays = a->at;
}

void test_arrays_free(test_arrays *a) {
  for (int b = 0; b < a->blocks; b++) {
    munmap(a->block[b].map, a->block[b].map_bytes);
    free(a->before[b]);
  }
  a->blocks = 0;
}

/* ---- content ---- */

static void put(void *plane, ptrdiff_t at, enum fg_precision precision, double value) {
  if (precision == FG_SINGLE) ((float *)plane)[at] = (float)value;
  else ((double *)plane)[at] = value;
}

static double get(const void *plane, ptrdiff_t at, enum fg_precision precision) {
  return precision == FG_SINGLE ? (double)((const float *)plane)[at] : ((const double *)plane)[at];
}

void test_arrays_fill(test_arrays *a, const fg_problem *p, dice *d) {
  const ptrdiff_t elements = fg_problem_elements(p, FG_INPUT);
  const bool complex_input = fg_problem_complex_side(p, FG_INPUT);
  ptrdiff_t *at = test_positions(p, FG_INPUT);
  for (int b = 0; b < a->blocks; b++) {
    const test_block *block = &a->block[b];
    memset(block->map + page_bytes(), PATTERN, block->map_bytes - 2 * page_bytes());
  }
  for (ptrdiff_t e = 0; e < elements; e++) {
    put(a->at.in_re, at[e], p->precision, dice_real(d));
    if (complex_input) put(a->at.in_im, at[e], p->precision, dice_real(d));
  }
  free(at);
  for (int b = 0; b < a->blocks; b++) {
    free(a->before[b]);
    a->before[b] = malloc(a->block[b].bytes);
    ck_assert_ptr_nonnull(a->before[b]);
    memcpy(a->before[b], a->block[b].memory, a->block[b].bytes);
  }
}

void test_arrays_refill(test_arrays *a) {
  for (int b = 0; b < a->blocks; b++) memcpy(a->block[b].memory, a->before[b], a->block[b].bytes);
}

fg_wide *test_arrays_read(const test_arrays *a, const fg_problem *p, enum fg_side side) {
  const ptrdiff_t elements = fg_problem_elements(p, side);
  const bool complex_side = fg_problem_complex_side(p, side);
  const void *re = side == FG_INPUT ? a->at.in_re : a->at.out_re, *im = side == FG_INPUT ? a->at.in_im : a->at.out_im;
  fg_wide *x = malloc(((size_t)elements + 1) * sizeof *x);
  ptrdiff_t *at = test_positions(p, side);
  ck_assert_ptr_nonnull(x);
  for (ptrdiff_t e = 0; e < elements; e++)
    x[e] = (fg_wide){get(re, at[e], p->precision), complex_side ? get(im, at[e], p->precision) : 0};
  free(at);
  return x;
}

/* Make the copy from before agree with the output elements, so that it must then agree everywhere. */
static void accept_output(const test_arrays *a, const fg_problem *p, char *const copy[4]) {
  const ptrdiff_t elements = fg_problem_elements(p, FG_OUTPUT), real = (ptrdiff_t)fg_real_size(p->precision);
  char *const plane[] = {a->at.out_re, a->at.out_im};
  ptrdiff_t *at = test_positions(p, FG_OUTPUT);
  for (int b = 0; b < a->blocks; b++)
    for (int i = 0; i < (fg_problem_complex_side(p, FG_OUTPUT) ? 2 : 1); i++) {
      const char *const memory = a->block[b].memory;
      if (plane[i] + (elements ? at[0] : 0) * real < memory) continue;
      if (plane[i] + (elements ? at[0] : 0) * real >= memory + a->block[b].bytes) continue;
      for (ptrdiff_t e = 0; e < elements; e++)
        memcpy(copy[b] + (plane[i] + at[e] * real - memory), plane[i] + at[e] * real, (size_t)real);
    }
  free(at);
}

/* What fills the block's pages up is still the pattern. */
static bool around_is_untouched(const test_block *b) {
  const unsigned char *const first = (const unsigned char *)b->map + page_bytes();
  const size_t before = (size_t)(b->memory - b->map) - page_bytes(), bytes = b->map_bytes - 2 * page_bytes();
  for (size_t i = 0; i < bytes; i++)
    if ((i < before || i >= before + b->bytes) && first[i] != PATTERN) return false;
  return true;
}

void test_arrays_untouched(const test_arrays *a, const fg_problem *p, bool everything) {
  char *copy[4];
  for (int b = 0; b < a->blocks; b++) {
    copy[b] = malloc(a->block[b].bytes);
    ck_assert_ptr_nonnull(copy[b]);
    memcpy(copy[b], a->before[b], a->block[b].bytes);
  }
  if (!everything) accept_output(a, p, copy);
  for (int b = 0; b < a->blocks; b++) {
    ck_assert_msg(memcmp(copy[b], a->block[b].memory, a->block[b].bytes) == 0, "memory was written that is not output");
    ck_assert_msg(around_is_untouched(&a->block[b]), "memory was written that is no array's");
    free(copy[b]);
  }
}
