/* tile.c: a one-dimensional transform whole in a block: one pass.
 *
 * Stockham autosort in shared memory (Govindaraju et al., SC 2008, section 4), first stage fed from and last stage
 * stored to global memory directly; several lines a block; across adjacent lines where those are closer together than
 * the points of a line, so that strided dimensions need no transposition. */
#include "src/pass/radices.h"
#include "src/pass/solver.h"

static bool applicable(const fg_planner *planner, const fg_work *w) {
  (void)planner;
  return w->rank == 1 && w->kind == FG_DFT && fg_smooth(w->dim[0].n, w->precision) && !fg_work_half_row(w) &&
         !fg_work_odd_row(w) && !fg_work_prime_row(w);
}

static bool lower(const fg_planner *planner, const fg_work *w, fg_passes *list) {
  fg_pass p = fg_pass_of(w);
  fg_pass_cross(&p);
  return fg_passes_choose(planner, list, &p);
}

const fg_solver fg_solver_tile = {"tile", applicable, lower};
