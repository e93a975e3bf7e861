/* real.c: transforms of real data to half of their spectrum (r2c) and back (c2r), of any rank.
 *
 * The last dimension is the real one; the others are complex transforms of half the data.  r2c does the last
 * dimension first, the others in place in the output; c2r does the others first, into scratch, since its input is to
 * be kept and its output has no room for them.  This is FFTW's order too: what it does with a spectrum that is not
 * Hermitian, this does.
 *
 * The real dimension becomes a work of rank 1 with forms (cuda/kernel/args.h): of even length a line of half as many points
 * (solver half_row; rader and bluestein), else two rows of one transform share a line (Press et al., Numerical Recipes,
 * section 12.3.1; cuda/kernel/pairs.h), or half of a row's lines are computed (solver odd_row).  Two and three dimensions that
 * fit into a block, or a cluster, are solver box's, planes and rows that a cluster has solver four_step's. */
#include <stdlib.h>

#include "src/pass/solver.h"

static bool applicable(const fg_planner *planner, const fg_work *w) {
  (void)planner;
  return (w->kind == FG_R2C || w->kind == FG_C2R) && !w->twiddle; /* must: the twiddle is not the last dimension's */
}

static ptrdiff_t half(ptrdiff_t n) { return n / 2 + 1; }

static fg_dim last(const fg_work *w) { return w->rank ? w->dim[w->rank - 1] : (fg_dim){1, 1, 1}; }

/* Of more than two dimensions the last two at once may be a pass less (solver four_step); and r2c's may be left in
 * scratch. */
enum { LAST = 0, LAST_TWO = 1, IN_SCRATCH = 2 };

static int together(const fg_work *w, ptrdiff_t how) { return w->rank == 0 ? 0 : how & LAST_TWO ? 2 : 1; }

/* The dimensions before those that are done together, as loops with the strides that they have in the arrays. */
static void others_as_loops(fg_work *some, const fg_work *w, int count) {
  for (int d = w->rank - count - 1; d >= 0; d--)
    some->loop[some->loops++] = (fg_loop){.n = w->dim[d].n, .in = w->dim[d].is, .out = w->dim[d].os};
}

/* The last dimensions as a work, whose sides have forms where it is one dimension. */
static void keep_last(fg_work *some, const fg_work *w, int count) {
  others_as_loops(some, w, count);
  if (count == 2) {
    some->rank = 2;
    some->dim[0] = w->dim[w->rank - 2];
    some->dim[1] = w->dim[w->rank - 1];
  } else if (w->kind == FG_R2C) {
    fg_work_set_forms(some, FG_FORM_REAL, FG_FORM_HERMITIAN, last(w));
  } else {
    fg_work_set_forms(some, FG_FORM_HERMITIAN, FG_FORM_REAL, last(w));
  }
}

/* Two at once as planes in clusters; those that fit a block are slower than complex ones of the other dimensions (64³ x 128,
 * c2r, on an H200: 157 us for 141). */
static bool lower_rows(const fg_planner *planner, const fg_work *rows, fg_passes *list) {
  const fg_solver *const planes = &fg_solver_four_step;
  if (rows->rank < 2) return fg_planner_lower(planner, rows, list);
  return planes->applicable(planner, rows) && planes->lower(planner, rows, list);
}

static bool lower_r2c_by(const fg_planner *planner, const fg_work *w, ptrdiff_t how, fg_passes *list) {
  const int count = together(w, how);
  fg_work between;
  fg_work spectrum = *w; /* whose last dimension has half of the points */
  if (w->rank) spectrum.dim[w->rank - 1].n = half(last(w).n);
  if (!fg_work_between(&spectrum, how & IN_SCRATCH, &between, list)) return false;
  if (w->rank) between.dim[w->rank - 1].n = last(w).n;
  fg_work rows = between, others = *w;
  keep_last(&rows, &between, count);
  if (!lower_rows(planner, &rows, list)) return false;
  if (w->rank < 2) return true;
  others.kind = FG_DFT;
  others.from = between.to;
  others.scratch = between.scratch;
  others.rank = w->rank - count;
  for (int d = 0; d < others.rank; d++) others.dim[d].is = between.dim[d].os;
  for (int l = 0; l < others.loops; l++) others.loop[l].in = between.loop[l].out;
  others.loop[others.loops++] = (fg_loop){.n = half(last(w).n), .in = last(&between).os, .out = last(w).os};
  if (count == 2) {
    const fg_dim second = w->dim[w->rank - 2];
    others.loop[others.loops++] = (fg_loop){.n = second.n, .in = between.dim[w->rank - 2].os, .out = second.os};
  }
  return fg_planner_lower(planner, &others, list);
}

/* The other dimensions into scratch, which is laid out as the input is, or with padded rows.  Its strides there: of
 * dimensions and loops as their outputs. */
static bool lower_others(const fg_planner *planner, fg_work *others, bool padded, fg_passes *list) {
  fg_axis axes[2 * FG_MAX_LOOPS];
  int count = 0;
  for (int d = 0; d < others->rank; d++) axes[count++] = (fg_axis){others->dim[d].n, others->dim[d].is, 0};
  for (int l = 0; l < others->loops; l++)
    axes[count++] = (fg_axis){(ptrdiff_t)others->loop[l].n, (ptrdiff_t)others->loop[l].in, 0};
  const size_t point = padded ? 2 * fg_real_size(others->precision) : 0;
  fg_passes_need(list, others->to.array, fg_lay_out(axes, count, point));
  for (int d = 0; d < others->rank; d++) others->dim[d].os = (ptrdiff_t)axes[d].out;
  for (int l = 0; l < others->loops; l++) others->loop[l].out = axes[others->rank + l].out;
  return fg_planner_lower(planner, others, list);
}

static bool lower_c2r_by(const fg_planner *planner, const fg_work *w, ptrdiff_t how, fg_passes *list) {
  const int count = together(w, how);
  fg_work between = *w, others = *w;
  if (w->rank >= 2) {
    others.kind = FG_DFT;
    others.to = (fg_place){.array = FG_ARRAY_SCRATCH0 + w->scratch};
    if (others.to.array > FG_ARRAY_SCRATCH1) return false;
    others.scratch = between.scratch = w->scratch + 1;
    others.rank = w->rank - count;
    others.loop[others.loops++] = (fg_loop){.n = half(last(w).n), .in = last(w).is};
    if (count == 2) others.loop[others.loops++] = (fg_loop){.n = w->dim[w->rank - 2].n, .in = w->dim[w->rank - 2].is};
    /* Of planes at once the rows before are columns without an end, which are aligned. (1024³, dense and not: 10.3, 9.6 ms.) */
    if (!lower_others(planner, &others, count == 1, list)) return false;
    between.from = others.to;
    for (int l = 0; l < w->loops; l++) between.loop[l].in = others.loop[l].out;
    for (int d = 0; d < others.rank; d++) between.dim[d].is = others.dim[d].os;
    for (int d = 0; d < count; d++) between.dim[w->rank - 1 - d].is = (ptrdiff_t)others.loop[w->loops + d].out;
  }
  fg_work rows = between;
  keep_last(&rows, &between, count);
  return lower_rows(planner, &rows, list);
}

static bool may_have_planes(const fg_planner *planner, const fg_work *w) {
  fg_work planes = *w;
  if (w->rank < 3) return false;
  keep_last(&planes, w, 2);
  return fg_solver_four_step.applicable(planner, &planes);
}

static bool lower(const fg_planner *planner, const fg_work *w, fg_passes *list) {
  ptrdiff_t ways[4] = {LAST};
  int count = 1;
  const bool planes = may_have_planes(planner, w), scratch = w->kind == FG_R2C && w->to.wide && w->rank > 1;
  if (planes) ways[count++] = LAST_TWO;
  if (scratch) ways[count++] = IN_SCRATCH;
  if (scratch && planes) ways[count++] = IN_SCRATCH | LAST_TWO;
  return fg_planner_cheapest(planner, w, w->kind == FG_R2C ? lower_r2c_by : lower_c2r_by, ways, count, list);
}

const fg_solver fg_solver_real = {"real", applicable, lower};
