/* real.c: transforms of real data to half of their spectrum (r2c) and back (c2r), of any rank.
 *
 * The last dimension is the real one; the others are complex transforms of half the data.  r2c does the last
 * dimension first, the others in place in the output; c2r does the others first, into scratch, since its input is to
 * be kept and its output has no room for them.  This is FFTW's order too: what it does with a spectrum that is not
 * Hermitian, this does.
 *
 * The real dimension becomes a work of rank 1 with forms (cuda/kernel/args.h): of even length a line of half
 * as many points (solver half_row), else two rows of one transform share a line (Press et al., Numerical Recipes, section
 * 12.3.1; cuda/kernel/pairs.h), or half of a row's lines are computed (solver odd_row).  Two and three dimensions that fit
 * into a block are solver box's. */
#include <stdlib.h>

#include "src/pass/solver.h"

static bool applicable(const fg_planner *planner, const fg_work *w) {
  (void)planner;
  return (w->kind == FG_R2C || w->kind == FG_C2R) && !w->twiddle; /* must: the twiddle is not the last dimension's */
}

static ptrdiff_t half(ptrdiff_t n) { return n / 2 + 1; }

static fg_dim last(const fg_work *w) { return w->rank ? w->dim[w->rank - 1] : (fg_dim){1, 1, 1}; }

/* The dimensions before the last as loops, with the strides that they have in the arrays. */
static void others_as_loops(fg_work *one, const fg_work *w) {
  for (int d = w->rank - 2; d >= 0; d--)
    one->loop[one->loops++] = (fg_loop){.n = w->dim[d].n, .in = w->dim[d].is, .out = w->dim[d].os};
}

static bool lower_r2c_between(const fg_planner *planner, const fg_work *w, ptrdiff_t scratch, fg_passes *list) {
  fg_work between;
  fg_work spectrum = *w; /* whose last dimension has half of the points */
  if (w->rank) spectrum.dim[w->rank - 1].n = half(last(w).n);
  if (!fg_work_between(&spectrum, scratch, &between, list)) return false;
  fg_work row = between, others = *w;
  others_as_loops(&row, &between);
  fg_dim real = last(&between);
  real.n = last(w).n;
  fg_work_set_forms(&row, FG_FORM_REAL, FG_FORM_HERMITIAN, real);
  if (!fg_planner_lower(planner, &row, list)) return false;
  if (w->rank < 2) return true;
  others.kind = FG_DFT;
  others.from = between.to;
  others.scratch = between.scratch;
  others.rank = w->rank - 1;
  for (int d = 0; d < others.rank; d++) others.dim[d].is = between.dim[d].os;
  for (int l = 0; l < others.loops; l++) others.loop[l].in = between.loop[l].out;
  others.loop[others.loops++] = (fg_loop){.n = half(last(w).n), .in = last(&between).os, .out = last(w).os};
  return fg_planner_lower(planner, &others, list);
}

static bool lower_r2c(const fg_planner *planner, const fg_work *w, fg_passes *list) {
  static const ptrdiff_t ways[] = {false, true}; /* rows into scratch */
  return fg_planner_cheapest(planner, w, lower_r2c_between, ways, w->to.wide && w->rank > 1 ? 2 : 1, list);
}

/* The other dimensions into scratch, which is laid out as the input is; *stride is then the last dimension's there. */
static bool lower_others(const fg_planner *planner, fg_work *others, fg_passes *list, ptrdiff_t *stride) {
  fg_axis axes[2 * FG_MAX_LOOPS];
  int count = 0;
  for (int d = 0; d < others->rank; d++) axes[count++] = (fg_axis){others->dim[d].n, others->dim[d].is, 0};
  for (int l = 0; l < others->loops; l++)
    axes[count++] = (fg_axis){(ptrdiff_t)others->loop[l].n, (ptrdiff_t)others->loop[l].in, 0};
  fg_passes_need(list, others->to.array, fg_lay_out(axes, count));
  for (int d = 0; d < others->rank; d++) others->dim[d].os = (ptrdiff_t)axes[d].out;
  for (int l = 0; l < others->loops; l++) others->loop[l].out = axes[others->rank + l].out;
  *stride = (ptrdiff_t)others->loop[others->loops - 1].out;
  return fg_planner_lower(planner, others, list);
}

static bool lower_c2r(const fg_planner *planner, const fg_work *w, fg_passes *list) {
  fg_work row = *w, others = *w;
  fg_dim real = last(w);
  others_as_loops(&row, w);
  if (w->rank >= 2) {
    others.kind = FG_DFT;
    others.to = (fg_place){.array = FG_ARRAY_SCRATCH0 + w->scratch};
    if (others.to.array > FG_ARRAY_SCRATCH1) return false;
    others.scratch = row.scratch = w->scratch + 1;
    others.rank = w->rank - 1;
    others.loop[others.loops++] = (fg_loop){.n = half(real.n), .in = real.is};
    if (!lower_others(planner, &others, list, &real.is)) return false;
    row.from = others.to;
    for (int l = 0; l < w->loops; l++) row.loop[l].in = others.loop[l].out;
    for (int d = 0; d < others.rank; d++) row.loop[row.loops - 1 - d].in = others.dim[d].os;
  }
  fg_work_set_forms(&row, FG_FORM_HERMITIAN, FG_FORM_REAL, real);
  return fg_planner_lower(planner, &row, list);
}

static bool lower(const fg_planner *planner, const fg_work *w, fg_passes *list) {
  return w->kind == FG_R2C ? lower_r2c(planner, w, list) : lower_c2r(planner, w, list);
}

const fg_solver fg_solver_real = {"real", applicable, lower};
