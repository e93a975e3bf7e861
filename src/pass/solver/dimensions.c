/* dimensions.c: a transform of rank 2 and more, one dimension after the other.
 *
 * The first takes the data from the input to the output, the others stay in place there: each is a work with the other
 * dimensions as loops, so that no transposition is needed.  The contiguous dimension is first and the slowest second:
 * then whole planes can be transformed as they come in, and are complete one after the other at the end.  Where the
 * last two or three dimensions fit into a block together (solver box), they are one pass. */
#include "src/pass/solver.h"

static bool applicable(const fg_planner *planner, const fg_work *w) {
  (void)planner;
  return w->rank >= 2 && w->kind == FG_DFT && !fg_work_has_form(w)               /* must: less is done by others */
         && w->loops + w->rank - 1 <= FG_MAX_LOOPS                      /* must: the others become loops */
         && !w->load_table.kind && !w->store_table.kind && !w->twiddle; /* must: positions are of one dimension */
}

/* The work of dimensions first, first + 1, … (count of them), with the others as loops; placed (in the output) or still
 * on the way from the input. */
static fg_work some_dimensions(const fg_work *w, int first, int count, bool placed) {
  fg_work some = *w;
  some.rank = count;
  if (placed) {
    some.from = w->to;
    for (int l = 0; l < w->loops; l++) some.loop[l].in = w->loop[l].out;
  }
  for (int d = w->rank - 1; d >= 0; d--) {
    const fg_dim *from = &w->dim[d];
    const ptrdiff_t in = placed ? from->os : from->is;
    if (d >= first && d < first + count) some.dim[d - first] = (fg_dim){from->n, in, from->os};
    else some.loop[some.loops++] = (fg_loop){.n = from->n, .in = in, .out = from->os};
  }
  return some;
}

/* The last together dimensions at once, the others one by one. */
static bool lower_together(const fg_planner *planner, const fg_work *w, ptrdiff_t together, fg_passes *list) {
  const int rest = w->rank - (int)together;
  const fg_work contiguous = some_dimensions(w, rest, (int)together, false);
  if (!fg_planner_lower(planner, &contiguous, list)) return false;
  for (int d = 0; d < rest; d++) {
    const fg_work one = some_dimensions(w, d, 1, true);
    if (!fg_planner_lower(planner, &one, list)) return false;
  }
  return true;
}

static bool lower(const fg_planner *planner, const fg_work *w, fg_passes *list) {
  static const ptrdiff_t together[] = {1, 2, 3};
  const int most = w->rank - 1 < 3 ? w->rank - 1 : 3;
  return fg_planner_cheapest(planner, w, lower_together, together, most, list);
}

const fg_solver fg_solver_dimensions = {"dimensions", applicable, lower};
