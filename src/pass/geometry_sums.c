/* geometry_sums.c: rows that mirror themselves as sums of products (cuda/kernel/mirrored_sums.h): what a block has of them. */
#include "src/pass/geometry.h"

enum {
  WIDE = 4, TOGETHER = 4, TOGETHER_DOUBLE = 2, /* results of a line, and lines, that a thread has */
  RUN = 16                                     /* terms one after the other */
};

static ptrdiff_t divide_up(ptrdiff_t a, ptrdiff_t b) { return (a + b - 1) / b; }
static ptrdiff_t points_of_line(const fg_pass *p) { return (p->filter.n + 1) / 2; }
static ptrdiff_t together(const fg_pass *p) { return p->precision == FG_SINGLE ? TOGETHER : TOGETHER_DOUBLE; }

ptrdiff_t fg_geometry_sums_row(const fg_pass *p) { return p->parts / 2 * points_of_line(p) | 1; }

ptrdiff_t fg_geometry_sums_factors(const fg_pass *p) { return divide_up(points_of_line(p), WIDE) * WIDE; }

ptrdiff_t fg_geometry_sums_shares(const fg_pass *p) {
  const ptrdiff_t lines = p->lines, reals = divide_up(lines, together(p));
  return (reals + divide_up(lines * (p->parts / 2 - 1), together(p))) * divide_up(points_of_line(p), WIDE);
}

/* Sums of real and of imaginary parts of the terms at hand, and so far. */
int fg_geometry_sums_points(const fg_pass *p) { return (p->filter.n / 2 > RUN ? 2 : 1) * WIDE * (int)together(p); }

static double results(const fg_pass *p) { return (double)p->lines * (double)p->parts * (double)points_of_line(p); }

double fg_geometry_sums_full_shares(const fg_pass *p) { return results(p) / (double)(2 * WIDE * together(p)); }

double fg_geometry_sums_operations(const fg_pass *p) {
  const bool two = p->parts > 2; /* tables, cosines and sines */
  const double products = results(p) * (double)(points_of_line(p) - 1);
  return (two ? 2.2 : 1.6) * products + (two ? 85 : 60) * (double)(p->lines * p->data / 2);
}
