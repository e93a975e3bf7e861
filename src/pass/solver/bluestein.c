/* bluestein.c: a transform of any length as a convolution with a chirp.
 *
 *   X[k] = c[k] · Σ_j (x[j] c[j]) · conj(c[k − j]),   c[j] = exp(∓πi j²/n)
 *
 * computed cyclically at a smooth length M ≥ 2n − 1.  While M fits a block, all of it is one pass; beyond, the forward
 * transform of length M has the chirp on its way in and the filter on its way out, the inverse the chirp on its way out, so
 * that no pass is spent on products alone.  (Bluestein 1970; the chirp's angle from j² mod 2n in integers: Govindaraju et al.,
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
  return (fg_table){.kind = FG_TABLE_FILTER, .precision = w->precision, .sign = w->sign, .n = w->dim[0].n, .length = length};
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

/* The next lengths from least on that butterflies do in few stages: products of 2, 3, 5 and 7, at least divisible by 8 once
 * they are long, so that passes can be aligned. */
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

/* Positive: a length in a tile, negative: in passes. */
static bool lower_at(const fg_planner *planner, const fg_work *w, ptrdiff_t choice, fg_passes *list) {
  return choice > 0 ? lower_in_tile(planner, w, choice, list) : lower_in_passes(planner, w, -choice, list);
}

static bool lower(const fg_planner *planner, const fg_work *w, fg_passes *list) {
  ptrdiff_t choices[2 * CANDIDATES];
  const int count = lengths(2 * w->dim[0].n - 1, choices);
  for (int i = 0; i < count; i++) choices[count + i] = -choices[i];
  return fg_planner_cheapest(planner, w, lower_at, choices, 2 * count, list);
}

const fg_solver fg_solver_bluestein = {"bluestein", applicable, lower};
