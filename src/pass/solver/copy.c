/* copy.c: the transform of rank 0: a copy, a transposition.
 *
 * One pass of lines of one point. */
#include "src/pass/solver.h"

static bool applicable(const fg_planner *planner, const fg_work *w) {
  (void)planner;
  return w->rank == 0 && w->kind == FG_DFT;
}

static bool lower(const fg_planner *planner, const fg_work *w, fg_passes *list) {
  fg_pass p = fg_pass_of(w);
  fg_pass_cross(&p);
  return fg_passes_choose(planner, list, &p);
}

const fg_solver fg_solver_copy = {"copy", applicable, lower};
