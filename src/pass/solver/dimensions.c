/* dimensions.c: a transform of rank 2 and more, one dimension after the other.
 *
 * The first takes the data from the input to the output, the others stay in place there: each is a work with the other
 * dimensions as loops, so that no transposition is needed.  The contiguous dimension is first and the slowest second:
 * then whole planes can be transformed as they come in, and are complete one after the other at the end.  Where the
 * last two or three dimensions fit into a block together (solver box), they are one pass.  Wide output is better written
 * by the last pass alone, the others' results being in scratch. */
#include "src/pass/solver.h"

static bool applicable(const fg_planner *planner, const fg_work *w) {
  (void)planner;
  return w->rank >= 2 && w->kind == FG_DFT && !fg_work_has_form(w)               /* must: less is done by others */
         && w->loops + w->rank - 1 <= FG_MAX_LOOPS                      /* must: the others become loops */
         && !w->load_table.kind && !w->store_table.kind && !w->twiddle; /* must: positions are of one dimension */
}

/* The work of dimensions first, first + 1, … (count of them), with the others as loops; from w's output (placed) or
 * still from its input, to the output of to. */
static fg_work some_dimensions(const fg_work *w, const fg_work *to, int first, int count, bool placed) {
  fg_work some = *w;
  some.rank = count;
  some.to = to->to;
  if (placed) some.from = w->to;
  for (int l = 0; l < w->loops; l++) {
    if (placed) some.loop[l].in = w->loop[l].out;
    some.loop[l].out = to->loop[l].out;
  }
  for (int d = w->rank - 1; d >= 0; d--) {
    const ptrdiff_t n = w->dim[d].n, in = placed ? w->dim[d].os : w->dim[d].is, out = to->dim[d].os;
    if (d >= first && d < first + count) some.dim[d - first] = (fg_dim){n, in, out};
    else some.loop[some.loops++] = (fg_loop){.n = n, .in = in, .out = out};
  }
  return some;
}

/* So many of the last dimensions at once, the others one by one; negative: in scratch until the last. */
static bool lower_together(const fg_planner *planner, const fg_work *w, ptrdiff_t together, fg_passes *list) {
  const int count = (int)(together < 0 ? -together : together), rest = w->rank - count;
  fg_work between;
  if (!fg_work_between(w, together < 0, &between, list)) return false;
  const fg_work contiguous = some_dimensions(&between, &between, rest, count, false);
  if (!fg_planner_lower(planner, &contiguous, list)) return false;
  for (int d = 0; d < rest; d++) {
    const fg_work one = some_dimensions(&between, d == rest - 1 ? w : &between, d, 1, true);
    if (!fg_planner_lower(planner, &one, list)) return false;
  }
  return true;
}

static bool lower(const fg_planner *planner, const fg_work *w, fg_passes *list) {
  ptrdiff_t ways[6];
  int count = 0;
  for (int together = 1; together < w->rank && together <= 3; together++) {
    ways[count++] = together;
    if (w->to.wide) ways[count++] = -together;
  }
  return fg_planner_cheapest(planner, w, lower_together, ways, count, list);
}

const fg_solver fg_solver_dimensions = {"dimensions", applicable, lower};
