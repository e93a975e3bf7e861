/* halves.c: a long transform of real data, n = n₁·n₂, with half of the data in every pass.
 *
 * Real to Hermitian: the first pass transforms the real columns, keeps k₁ ≤ n₁/2 of each and applies the twiddle;
 * the rows of those k₁ are complex transforms whose last pass stores X[k₁ + n₁k₂] at its place up to n/2, and at the
 * mirror's beyond (rows n₁ − k₁ would have given those).  Hermitian to real: the same backwards; rows of k₁ ≤ n₁/2
 * are loaded with the mirror's conjugate beyond n/2, and what they leave is Hermitian in k₁, since the columns are
 * real. (Bailey 1990 for the split; symmetry used as in Sorensen et al., Real-valued fast Fourier transform
 * algorithms, 1987.) */
#include <stdint.h>
#include <stdlib.h>

#include "src/pass/geometry.h"
#include "src/pass/solver.h"

enum { MAX_SPLITS = 2 };

static bool applicable(const fg_planner *planner, const fg_work *w) {
  if (w->rank != 1 || w->kind != FG_DFT || planner->splits >= MAX_SPLITS) return false;
  return w->from.form && w->to.form                  /* must: real data on one side, a spectrum on the other */
         && !fg_form_halves(w->from.form, w->from.row)
         && !w->from.period && !w->to.period         /* must: not part of a split already */
         && !w->twiddle && !w->load_table.kind && !w->store_table.kind
         && w->loops + 1 <= FG_MAX_LOOPS             /* must: the other factor becomes a loop */
         && w->dim[0].n <= UINT32_MAX                /* must: exponents are 32-bit */
         && w->dim[0].n >= 256;                      /* taste: anything shorter fits a block */
}

typedef struct {
  fg_work first, second;
} steps;

static void no_positions(fg_work *w, bool load) {
  for (int l = 0; l < w->loops; l++)
    if (load) w->loop[l].load = 0;
    else w->loop[l].store = 0;
}

/* Strides of the first step in scratch (its own dimension has points points there), and of the second from there. */
static void through_scratch(const fg_work *w, steps *s, ptrdiff_t points, fg_passes *list) {
  fg_work *c = &s->first, *r = &s->second;
  fg_axis axes[FG_MAX_LOOPS + 1];
  int count = 0;
  axes[count++] = (fg_axis){points, c->dim[0].is, 0};
  for (int l = 0; l < c->loops; l++) axes[count++] = (fg_axis){(ptrdiff_t)c->loop[l].n, (ptrdiff_t)c->loop[l].in, 0};
  fg_passes_need(list, c->to.array, fg_lay_out(axes, count, 2 * fg_real_size(w->precision)));
  c->dim[0].os = (ptrdiff_t)axes[0].out;
  for (int l = 0; l < c->loops; l++) c->loop[l].out = axes[1 + l].out;
  for (int l = 0; l < w->loops; l++) r->loop[l].in = c->loop[l].out;
  r->dim[0].is = (ptrdiff_t)c->loop[w->loops].out;
  r->loop[w->loops].in = c->dim[0].os;
  r->scratch = w->scratch + 1;
}

static steps split_forward(const fg_work *w, ptrdiff_t n1, fg_passes *list) {
  const ptrdiff_t n2 = w->dim[0].n / n1, is = w->dim[0].is, os = w->dim[0].os;
  const fg_place scratch = {.array = FG_ARRAY_SCRATCH0 + w->scratch};
  steps s = {*w, *w};
  fg_work *c = &s.first, *r = &s.second;
  c->dim[0] = (fg_dim){n1, is * n2, 0};
  c->loop[c->loops++] = (fg_loop){.n = n2, .in = is, .twiddle = 1, .load = w->load_weight};
  c->load_weight = w->load_weight * n2;
  c->store_weight = 1;
  no_positions(c, false);
  c->to = scratch;
  c->to.form = FG_FORM_HERMITIAN;
  c->to.row = n1;
  c->twiddle = w->dim[0].n;

  r->dim[0] = (fg_dim){n2, 0, os * n1};
  r->loop[r->loops++] = (fg_loop){.n = n1 / 2 + 1, .out = os, .store = w->store_weight};
  r->store_weight = w->store_weight * n1;
  r->from = scratch;
  r->to.period = n1;
  through_scratch(w, &s, n1 / 2 + 1, list);
  c->store_step = c->dim[0].os;
  return s;
}

static steps split_backward(const fg_work *w, ptrdiff_t n1, fg_passes *list) {
  const ptrdiff_t n2 = w->dim[0].n / n1, is = w->dim[0].is, os = w->dim[0].os;
  const fg_place scratch = {.array = FG_ARRAY_SCRATCH0 + w->scratch};
  steps s = {*w, *w};
  fg_work *c = &s.first, *r = &s.second;
  c->dim[0] = (fg_dim){n2, is * n1, 0};
  c->loop[c->loops++] = (fg_loop){.n = n1 / 2 + 1, .in = is, .twiddle = 1, .load = w->load_weight};
  c->load_weight = w->load_weight * n1;
  c->from.period = n1;
  c->to = scratch;
  c->twiddle = w->dim[0].n;

  r->dim[0] = (fg_dim){n1, 0, os * n2};
  r->loop[r->loops++] = (fg_loop){.n = n2, .out = os, .store = w->store_weight};
  r->store_weight = w->store_weight * n2;
  r->load_weight = 1;
  no_positions(r, true);
  r->from = scratch;
  r->from.form = FG_FORM_HERMITIAN;
  r->from.row = n1;
  through_scratch(w, &s, n2, list);
  r->load_step = r->dim[0].is;
  return s;
}

/* factor is what the first step transforms. */
static bool lower_split(const fg_planner *planner, const fg_work *w, ptrdiff_t factor, fg_passes *list) {
  if (FG_ARRAY_SCRATCH0 + w->scratch > FG_ARRAY_SCRATCH1) return false;
  const steps s = fg_form_loads_spectrum(w->from.form) ? split_backward(w, w->dim[0].n / factor, list)
                                                                : split_forward(w, factor, list);
  fg_planner deeper = *planner;
  deeper.splits++;
  return fg_planner_lower_both(&deeper, &s.first, &s.second, list);
}

static bool lower(const fg_planner *planner, const fg_work *w, fg_passes *list) {
  return fg_hierarchical_lower_by(planner, w, lower_split, list);
}

const fg_solver fg_solver_halves = {"halves", applicable, lower};
