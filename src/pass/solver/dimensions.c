/* dimensions.c: a transform of rank 2 and more, one dimension after the other.
 *
 * The first takes the data from the input to the output, the others stay in place there: each is a work of rank 1 with the
 * other dimensions as loops, so that no transposition is needed.  The contiguous dimension is first and the slowest second:
 * then whole planes can be transformed as they come in, and are complete one after the other at the end. */
#include "src/pass/solver.h"

static bool applicable(const fg_planner *planner, const fg_work *w) {
  (void)planner;
  return w->rank >= 2 && w->kind == FG_DFT && !fg_work_has_form(w)                            /* must: less is done by others */
         && w->loops + w->rank - 1 <= FG_MAX_LOOPS /* must: the other dimensions become loops */
         && !w->load_table.kind && !w->store_table.kind && !w->twiddle; /* must: positions are of one dimension */
}

/* The work of dimension d, with the others as loops; placed (in the output) or still on the way from the input. */
static fg_work one_dimension(const fg_work *w, int d, bool placed) {
  fg_work one = *w;
  one.rank = 1;
  one.dim[0] = w->dim[d];
  if (placed) {
    one.from = w->to;
    one.dim[0].is = w->dim[d].os;
    for (int l = 0; l < w->loops; l++) one.loop[l].in = w->loop[l].out;
  }
  for (int o = w->rank - 1; o >= 0; o--) {
    if (o == d) continue;
    const fg_dim *other = &w->dim[o];
    one.loop[one.loops++] = (fg_loop){.n = other->n, .in = placed ? other->os : other->is, .out = other->os};
  }
  return one;
}

static bool lower(const fg_planner *planner, const fg_work *w, fg_passes *list) {
  for (int i = 0; i < w->rank; i++) {
    const fg_work one = one_dimension(w, i == 0 ? w->rank - 1 : i - 1, i > 0);
    if (!fg_planner_lower(planner, &one, list)) return false;
  }
  return true;
}

const fg_solver fg_solver_dimensions = {"dimensions", applicable, lower};
