/* bluestein.c: a transform of any length as a convolution with a chirp.
 *
 *   X[k] = c[k] · Σ_j (x[j] c[j]) · conj(c[k − j]),   c[j] = exp(∓πi j²/n)
 *
 * computed cyclically at a smooth length M ≥ 2n − 1.  While M fits a block, all of it is one pass; beyond, three:
 * columns, rows (forward, times the filter, backward), columns.  For the longest, a forward transform of length M that
 * has the chirp on its way in and the filter on its way out and an inverse with the chirp on its way out, so that no
 * pass is spent on products alone.  (Bluestein 1970; the chirp's angle from j² mod 2n in integers: Govindaraju et al.,
 * SC 2008, section 4.5.) */
#include <stdint.h>

#include "src/pass/geometry.h"
#include "src/pass/solver.h"

enum { CANDIDATES = 4 };

static bool applicable(const fg_planner *planner, const fg_work *w) {
  (void)planner;
  return w->rank == 1 && w->kind == FG_DFT
         && !w->load_table.kind && !w->store_table.kind && !w->twiddle /* must: the chirp takes their place */
         && w->dim[0].n <= UINT32_MAX / 4                              /* must: M's exponents are 32-bit */
         && !fg_smooth(w->dim[0].n, w->precision);                          /* taste: butterflies do better */
}

static fg_table chirp(const fg_work *w) {
  return (fg_table){.kind = FG_TABLE_CHIRP, .precision = w->precision, .sign = w->sign, .n = w->dim[0].n};
}

static fg_table filter(const fg_work *w, ptrdiff_t length) {
  return (fg_table){
      .kind = FG_TABLE_FILTER, .precision = w->precision, .sign = w->sign, .n = w->dim[0].n, .length = length};
}

static bool lower_in_tile(const fg_planner *planner, const fg_work *w, ptrdiff_t m, fg_passes *list) {
  fg_pass p = fg_pass_of(w);
  p.n = m;
  p.data = w->dim[0].n;
  p.sign = FG_FORWARD; /* the direction is in the tables */
  p.load_table = p.store_table = chirp(w);
  if (!fg_work_has_form(w)) p.load_weight = p.store_weight = 1;
  p.load_limit = p.store_limit = w->dim[0].n;
  p.filter = filter(w, m);
  return fg_geometry_choose(&p, planner->device) && fg_passes_add(planner, list, &p);
}

/* Positions are the indices along the line: no part of a longer transform. */
static bool whole(const fg_work *w) {
  if (w->load_weight > 1 || w->store_weight > 1) return false;
  for (int l = 0; l < w->loops; l++)
    if (w->loop[l].load || w->loop[l].store) return false;
  return true;
}

static bool lower_in_passes(const fg_planner *planner, const fg_work *w, ptrdiff_t m, fg_passes *list) {
  const enum fg_array spectrum = FG_ARRAY_SCRATCH0 + w->scratch;
  if (spectrum > FG_ARRAY_SCRATCH1 || !whole(w)) return false;
  fg_passes_need(list, spectrum, m * fg_work_loop_size(w));

  fg_work forward = *w, inverse = *w;
  forward.sign = FG_FORWARD;
  forward.to = inverse.from = (fg_place){.array = spectrum};
  forward.dim[0] = (fg_dim){m, w->dim[0].is, 1};
  inverse.dim[0] = (fg_dim){m, 1, w->dim[0].os};
  long long stride = m;
  for (int l = 0; l < w->loops; l++) {
    forward.loop[l].out = inverse.loop[l].in = stride;
    stride *= w->loop[l].n;
  }
  forward.load_table = chirp(w);
  forward.load_weight = 1;
  forward.load_limit = w->dim[0].n;
  forward.store_table = filter(w, m);
  forward.store_weight = 1;
  forward.store_limit = m;
  forward.scratch = w->scratch + 1;

  inverse.sign = FG_BACKWARD;
  inverse.store_table = chirp(w);
  inverse.store_weight = 1;
  inverse.store_limit = w->dim[0].n;
  inverse.scratch = w->scratch + 1;
  return fg_planner_lower(planner, &forward, list) && fg_planner_lower(planner, &inverse, list);
}

/* One loop over the other factor, in front of which the data lies as rows of n2 in dense scratch. */
static fg_work columns_of(const fg_work *w, ptrdiff_t n1, ptrdiff_t n2) {
  fg_work c = *w;
  c.dim[0] = (fg_dim){n1, w->dim[0].is * n2, w->dim[0].os * n2};
  c.loop[c.loops++] = (fg_loop){.n = n2, .in = w->dim[0].is, .out = w->dim[0].os};
  return c;
}

static bool add_pass(const fg_planner *planner, fg_pass *p, fg_passes *list) {
  return fg_geometry_choose(p, planner->device) && fg_passes_add(planner, list, p);
}

/* M = n1·n2 in three passes: columns with twiddle; rows forward, times the filter and backward at once, with the
 * twiddle back; columns backward.  The spectrum is never put in order. */
static bool lower_in_three(const fg_planner *planner, const fg_work *w, ptrdiff_t m, ptrdiff_t n1, fg_passes *list) {
  const enum fg_array spectrum = FG_ARRAY_SCRATCH0 + w->scratch;
  const ptrdiff_t n2 = m / n1;
  if (spectrum > FG_ARRAY_SCRATCH1 || !whole(w) || w->loops == FG_MAX_LOOPS) return false;
  fg_passes_need(list, spectrum, m * fg_work_loop_size(w));

  fg_work forward = *w, inverse = *w;
  forward.sign = FG_FORWARD;
  inverse.sign = FG_BACKWARD;
  forward.to = inverse.from = (fg_place){.array = spectrum};
  forward.dim[0].os = inverse.dim[0].is = 1;
  long long stride = m;
  for (int l = 0; l < w->loops; l++) {
    forward.loop[l].out = inverse.loop[l].in = stride;
    stride *= w->loop[l].n;
  }
  forward = columns_of(&forward, n1, n2);
  inverse = columns_of(&inverse, n1, n2);

  fg_work rows = forward;
  rows.from = rows.to;
  rows.dim[0] = (fg_dim){n2, 1, 1};
  for (int l = 0; l < w->loops; l++) rows.loop[l].in = rows.loop[l].out;
  rows.loop[w->loops] = (fg_loop){.n = n1, .in = n2, .out = n2, .twiddle = 1, .load = n2};
  rows.load_weight = 1;
  rows.twiddle = m;

  forward.loop[w->loops].twiddle = forward.loop[w->loops].load = 1;
  forward.twiddle = m;
  forward.load_table = chirp(w);
  forward.load_weight = n2;
  forward.load_limit = w->dim[0].n;

  inverse.loop[w->loops].store = 1;
  inverse.store_table = chirp(w);
  inverse.store_weight = n2;
  inverse.store_limit = w->dim[0].n;

  fg_pass first = fg_pass_of(&forward), second = fg_pass_of(&rows), third = fg_pass_of(&inverse);
  second.filter = filter(w, m);
  second.filter.rows = n1;
  second.twiddle_back = true;
  return add_pass(planner, &first, list) && add_pass(planner, &second, list) && add_pass(planner, &third, list);
}

/* The next lengths from least on that butterflies do in few stages: products of 2, 3, 5 and 7, at least divisible by 8
 * once they are long, so that passes can be aligned. */
static int lengths(ptrdiff_t least, ptrdiff_t list[CANDIDATES]) {
  const ptrdiff_t step = least > 64 ? 8 : 1;
  int count = 0;
  for (ptrdiff_t m = (least + step - 1) / step * step; count < CANDIDATES - 1; m += step) {
    ptrdiff_t rest = m;
    for (int prime = 2; prime <= 7; prime++)
      while (rest % prime == 0) rest /= prime;
    if (rest == 1) list[count++] = m;
  }
  ptrdiff_t power = 1;
  while (power < least) power *= 2;
  list[count++] = power;
  return count;
}

/* Positive: a length in a tile, or in three passes if it has a factor in front; negative: in passes. */
enum { FACTOR_SHIFT = 40 };

static bool lower_at(const fg_planner *planner, const fg_work *w, ptrdiff_t choice, fg_passes *list) {
  if (choice < 0) return lower_in_passes(planner, w, -choice, list);
  const ptrdiff_t factor = choice >> FACTOR_SHIFT, m = choice - (factor << FACTOR_SHIFT);
  return factor ? lower_in_three(planner, w, m, factor, list) : lower_in_tile(planner, w, m, list);
}

static bool lower(const fg_planner *planner, const fg_work *w, fg_passes *list) {
  ptrdiff_t m[CANDIDATES], choices[CANDIDATES * (2 + FG_MAX_FACTORS)];
  const int lengths_count = lengths(2 * w->dim[0].n - 1, m);
  int count = 0;
  for (int i = 0; i < lengths_count; i++) {
    ptrdiff_t factors[FG_MAX_FACTORS];
    const int factors_count = fg_hierarchical_factors(m[i], w->precision, factors);
    choices[count++] = m[i];
    choices[count++] = -m[i];
    for (int f = 0; f < factors_count; f++) choices[count++] = (factors[f] << FACTOR_SHIFT) + m[i];
  }
  return fg_planner_cheapest(planner, w, lower_at, choices, count, list);
}

const fg_solver fg_solver_bluestein = {"bluestein", applicable, lower};
