/* r2r.c: real to real transforms of FFTW's eleven kinds, of any rank: one dimension after the other, each with its
 * kind.
 *
 * Every kind is one real transform whose first and last pass order and turn the data as they load and store it (how,
 * and from where: cuda/kernel/form.h).  No kind is computed by a recurrence or by dividing by small sines: errors
 * grow as those of the complex transform do. */
#include "src/pass/solver.h"

/* In the order of FFTW's fftw_r2r_kind. */
static const struct {
  enum fg_form from, to;
} forms[] = {
    {FG_FORM_REAL, FG_FORM_HALFCOMPLEX},   {FG_FORM_HALFCOMPLEX, FG_FORM_REAL},   {FG_FORM_REAL, FG_FORM_DHT},
    {FG_FORM_REDFT00, FG_FORM_REDFT00},    {FG_FORM_REDFT01, FG_FORM_REDFT01},    {FG_FORM_REDFT10, FG_FORM_REDFT10},
    {FG_FORM_REDFT11, FG_FORM_REDFT11},    {FG_FORM_RODFT00, FG_FORM_RODFT00},    {FG_FORM_RODFT01, FG_FORM_RODFT01},
    {FG_FORM_RODFT10, FG_FORM_RODFT10},    {FG_FORM_RODFT11, FG_FORM_RODFT11},
};
enum { KINDS = sizeof forms / sizeof *forms };

static bool applicable(const fg_planner *planner, const fg_work *w) {
  (void)planner;
  if (w->kind != FG_R2R) return false;
  for (int d = 0; d < w->rank; d++) {
    if (w->r2r_kind[d] < 0 || w->r2r_kind[d] >= KINDS) return false;
    if (forms[w->r2r_kind[d]].from == FG_FORM_REDFT00 && w->dim[d].n < 2) return false; /* must: no such transform */
  }
  return true;
}

static bool lower_copy(const fg_planner *planner, const fg_work *w, fg_passes *list) {
  fg_work copy = *w;
  copy.kind = FG_DFT;
  copy.from.form = copy.to.form = FG_FORM_REAL;
  copy.from.row = copy.to.row = 1;
  return fg_planner_lower(planner, &copy, list);
}

/* Dimension d with the others as loops; the first one done brings the data to w's output, where it stays until the last
 * brings it to that of to. */
static fg_work one_dimension(const fg_work *w, const fg_work *to, int d) {
  const bool placed = d < w->rank - 1;
  fg_work one = *w;
  fg_dim along = {w->dim[d].n, placed ? w->dim[d].os : w->dim[d].is, to->dim[d].os};
  one.to = to->to;
  if (placed) one.from = w->to;
  for (int l = 0; l < w->loops; l++) {
    if (placed) one.loop[l].in = w->loop[l].out;
    one.loop[l].out = to->loop[l].out;
  }
  one.rank = 1;
  for (int o = w->rank - 1; o >= 0; o--)
    if (o != d)
      one.loop[one.loops++] =
          (fg_loop){.n = w->dim[o].n, .in = placed ? w->dim[o].os : w->dim[o].is, .out = to->dim[o].os};
  fg_work_set_forms(&one, forms[w->r2r_kind[d]].from, forms[w->r2r_kind[d]].to, along);
  return one;
}

static bool lower_between(const fg_planner *planner, const fg_work *w, ptrdiff_t scratch, fg_passes *list) {
  fg_work between;
  if (!fg_work_between(w, scratch, &between, list)) return false;
  for (int d = w->rank - 1; d >= 0; d--) {
    const fg_work one = one_dimension(&between, d == 0 ? w : &between, d);
    if (!fg_planner_lower(planner, &one, list)) return false;
  }
  return true;
}

static bool lower(const fg_planner *planner, const fg_work *w, fg_passes *list) {
  static const ptrdiff_t ways[] = {false, true}; /* in scratch until the last */
  if (w->rank == 0) return lower_copy(planner, w, list);
  return fg_planner_cheapest(planner, w, lower_between, ways, w->to.wide && w->rank > 1 ? 2 : 1, list);
}

const fg_solver fg_solver_r2r = {"r2r", applicable, lower};
