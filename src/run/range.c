/* range.c: how far a transform's numbers grow beyond its input's, at most, and how far rounding to zero matters. */
#include "src/run/range.h"

#include <float.h>
#include <math.h>

/* The transform's length as its definition has it: real even and odd data of n points stand for 2(n + 1) at most. */
static double terms(const fg_problem *p) {
  double product = 1;
  for (int d = 0; d < p->transform.rank; d++) {
    const double n = (double)p->transform.dim[d].n;
    product *= p->kind == FG_R2R ? 2 * (n + 1) : n;
  }
  return product;
}

static bool convolves(const fg_passes *passes) {
  bool some = false;
  for (int i = 0; i < passes->count; i++)
    some |= (passes->pass[i].filter.kind && !passes->pass[i].sums) || passes->pass[i].load_table.kind == FG_TABLE_CHIRP;
  return some;
}

/* Each number on the way, and each result, is a sum of so many of the input's at most, each times a factor whose parts
 * are within 1.  Two parts, and a factor of 2 for what a form adds and rounding.  A convolution's line is transformed
 * once more, so that its sums have as many terms again. */
static double growth(const fg_problem *p, const fg_passes *passes) {
  const double n = terms(p);
  return 4 * n * (convolves(passes) ? 4 * n : 1);
}

/* What is lost below FLT_MIN is FLT_MIN for each number at most, against a sum of squares that is largest² at least; to be
 * seen by no one it has to be an epsilon of that. */
fg_range fg_range_of(const fg_problem *p, const fg_passes *passes) {
  if (p->precision != FG_DOUBLE || p->compute != FG_SINGLE) return (fg_range){0, INFINITY};
  const double by = growth(p, passes);
  return (fg_range){sqrt(by) * FLT_MIN / FLT_EPSILON, FLT_MAX / by};
}

bool fg_range_reached(const fg_range *r, double largest) { return largest == 0 || largest >= r->least; }
bool fg_range_kept(const fg_range *r, double largest) { return largest <= r->most; }
