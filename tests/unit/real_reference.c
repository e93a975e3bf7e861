/* real_reference.c: what a transform of real data should give: one dimension after the other, in long double. */
#include "real_reference.h"

#include <stdlib.h>
#include <string.h>

#include "suite.h"

/* FFTW's numbers of the kinds. */
enum { R2HC, HC2R, DHT, REDFT00, REDFT01, REDFT10, REDFT11, RODFT00, RODFT01, RODFT10, RODFT11 };

typedef struct {
  ptrdiff_t n, m;
  fg_wide *root; /* of order m */
} circle;

static circle circle_of(int kind, ptrdiff_t n) {
  circle c = {n, n, NULL};
  if (kind == REDFT00) c.m = 2 * (n - 1);
  if (kind == RODFT00) c.m = 2 * (n + 1);
  if (kind == REDFT01 || kind == REDFT10 || kind == RODFT01 || kind == RODFT10) c.m = 4 * n;
  if (kind == REDFT11 || kind == RODFT11) c.m = 8 * n;
  c.root = malloc((size_t)c.m * sizeof *c.root);
  ck_assert_ptr_nonnull(c.root);
  for (ptrdiff_t i = 0; i < c.m; i++) c.root[i] = fg_root((uint64_t)i, (uint64_t)c.m);
  return c;
}

static long double cosine(const circle *c, ptrdiff_t i) { return c->root[i % c->m].re; }
static long double sine(const circle *c, ptrdiff_t i) { return -c->root[i % c->m].im; }

/* The factor of input j in output k, as FFTW's manual has it (section 4.8, What FFTW really computes). */
static long double factor(int kind, const circle *c, ptrdiff_t j, ptrdiff_t k) {
  const ptrdiff_t n = c->n;
  const bool edge = j == 0 || 2 * j == n, last = j == n - 1;
  switch (kind) {
    case R2HC: return 2 * k <= n ? cosine(c, j * k) : -sine(c, j * (n - k));
    case HC2R: return edge ? cosine(c, j * k) : 2 * j < n ? 2 * cosine(c, j * k) : -2 * sine(c, (n - j) * k);
    case DHT: return cosine(c, j * k) + sine(c, j * k);
    case REDFT00: return (j == 0 || last ? 1 : 2) * cosine(c, j * k);
    case REDFT01: return (j == 0 ? 1 : 2) * cosine(c, j * (2 * k + 1));
    case REDFT10: return 2 * cosine(c, (2 * j + 1) * k);
    case REDFT11: return 2 * cosine(c, (2 * j + 1) * (2 * k + 1));
    case RODFT00: return 2 * sine(c, (j + 1) * (k + 1));
    case RODFT01: return (last ? 1 : 2) * sine(c, (j + 1) * (2 * k + 1));
    case RODFT10: return 2 * sine(c, (2 * j + 1) * (k + 1));
    default: return 2 * sine(c, (2 * j + 1) * (2 * k + 1));
  }
}

static void r2r_line(int kind, fg_wide *line, ptrdiff_t n) {
  const circle c = circle_of(kind, n);
  fg_wide *result = calloc((size_t)n, sizeof *result);
  ck_assert_ptr_nonnull(result);
  for (ptrdiff_t k = 0; k < n; k++)
    for (ptrdiff_t j = 0; j < n; j++) result[k].re += factor(kind, &c, j, k) * line[j].re;
  memcpy(line, result, (size_t)n * sizeof *line);
  free(result);
  free(c.root);
}

/* Forward or backward in place; a backward line of half a spectrum is filled up first, edges taken as real. */
static void dft_line(fg_wide *line, ptrdiff_t n, bool backward, bool half) {
  for (ptrdiff_t k = 0; half && k <= n / 2; k++) {
    if (k == 0 || 2 * k == n) line[k].im = 0;
    else line[n - k] = (fg_wide){line[k].re, -line[k].im};
  }
  for (ptrdiff_t k = 0; backward && k < n; k++) line[k].im = -line[k].im;
  ck_assert_int_eq(fg_wide_dft(line, (size_t)n), 0);
  for (ptrdiff_t k = 0; backward && k < n; k++) line[k].im = -line[k].im;
}

/* Dimension d of x, whose points are n[0] × … × n[rank − 1], into an array of its own with to points along d. */
static fg_wide *along(const fg_problem *p, fg_wide *x, ptrdiff_t *n, int rank, int d, ptrdiff_t to) {
  const int of_transform = d - p->batch.rank;
  const ptrdiff_t points = p->transform.dim[of_transform].n, from = n[d];
  const bool last = of_transform == p->transform.rank - 1;
  ptrdiff_t outer = 1, inner = 1;
  for (int i = 0; i < d; i++) outer *= n[i];
  for (int i = d + 1; i < rank; i++) inner *= n[i];
  fg_wide *y = malloc((size_t)(outer * to * inner + 1) * sizeof *y), *line = calloc((size_t)points + 1, sizeof *line);
  ck_assert(y && line);
  for (ptrdiff_t o = 0; o < outer * inner; o++) {
    const ptrdiff_t first = o / inner * from * inner + o % inner, result = o / inner * to * inner + o % inner;
    for (ptrdiff_t i = 0; i < from; i++) line[i] = x[first + i * inner];
    if (p->kind == FG_R2R) r2r_line(p->r2r_kind[of_transform], line, points);
    else dft_line(line, points, p->kind == FG_C2R, p->kind == FG_C2R && last);
    for (ptrdiff_t i = 0; i < to; i++) y[result + i * inner] = line[i];
  }
  n[d] = to;
  free(line);
  free(x);
  return y;
}

fg_wide *test_real_reference(const fg_problem *p, fg_wide *x) {
  ptrdiff_t n[16];
  const int batch = p->batch.rank, rank = batch + p->transform.rank;
  for (int d = 0; d < batch; d++) n[d] = p->batch.dim[d].n;
  for (int d = batch; d < rank; d++) n[d] = fg_problem_points(p, d - batch, FG_INPUT);
  const bool c2r = p->kind == FG_C2R; /* the real dimension first, or last */
  for (int i = 0; i < rank - batch; i++) {
    const int d = c2r ? batch + i : rank - 1 - i;
    x = along(p, x, n, rank, d, fg_problem_points(p, d - batch, FG_OUTPUT));
  }
  return x;
}
