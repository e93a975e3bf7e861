/* r2r.c: real to real transforms of FFTW's eleven kinds, of any rank: one dimension after the other, each with its
 * kind; or the last two at once where these fit a block (r2r_box.c).
 *
 * Every kind is one real transform whose first and last pass order and turn the data as they load and store it (how,
 * and from where: cuda/kernel/form.h).  No kind is computed by a recurrence or by dividing by small sines: errors
 * grow as those of the complex transform do. */
#include "src/pass/solver.h"

#define BOTH(kind) [FG_KIND_##kind] = {FG_FORM_##kind, FG_FORM_##kind}
static const struct {
  enum fg_form from, to;
} forms[] = {
    [FG_KIND_R2HC] = {FG_FORM_REAL, FG_FORM_HALFCOMPLEX},
    [FG_KIND_HC2R] = {FG_FORM_HALFCOMPLEX, FG_FORM_REAL},
    [FG_KIND_DHT] = {FG_FORM_REAL, FG_FORM_DHT},
    BOTH(REDFT00), BOTH(REDFT01), BOTH(REDFT10), BOTH(REDFT11),
    BOTH(RODFT00), BOTH(RODFT01), BOTH(RODFT10), BOTH(RODFT11),
};
#undef BOTH
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

/* The extension's length is 2 times an odd one: then half as many points will do, but mirrored results are not there twice, the
 * means of which round less.  So only where there are none but large primes, which stock FFTW convolves, too, with larger
 * errors than where it adds products. */
static bool has_odd_period(enum fg_r2r_kind kind, ptrdiff_t n, enum fg_precision precision) {
  const ptrdiff_t period = fg_kind_length(kind, n);
  if ((kind != FG_KIND_REDFT00 && kind != FG_KIND_RODFT00) || period % 2 == 0) return false;
  for (ptrdiff_t q = 3; q <= FG_FFTW_LONGEST_SUM; q += 2)
    if (period % q == 0) return false;
  return period > fg_longest_mirrored_sum(precision); /* others are added up */
}

/* So many dimensions from the first on, with the others as loops; those done first, the last of all, bring the data to w's output,
 * where it stays until the first dimensions bring it to that of to. */
static fg_work some_dimensions(const fg_work *w, const fg_work *to, int first, int count) {
  const bool placed = first + count < w->rank;
  fg_work some = *w;
  some.to = to->to;
  if (placed) some.from = w->to;
  for (int l = 0; l < w->loops; l++) {
    if (placed) some.loop[l].in = w->loop[l].out;
    some.loop[l].out = to->loop[l].out;
  }
  some.rank = 0;
  for (int d = w->rank - 1; d >= 0; d--) {
    const ptrdiff_t from = placed ? w->dim[d].os : w->dim[d].is;
    if (d < first || d >= first + count)
      some.loop[some.loops++] = (fg_loop){.n = w->dim[d].n, .in = from, .out = to->dim[d].os};
  }
  for (int d = first; d < first + count; d++) {
    some.r2r_kind[some.rank] = w->r2r_kind[d];
    some.dim[some.rank++] = (fg_dim){w->dim[d].n, placed ? w->dim[d].os : w->dim[d].is, to->dim[d].os};
  }
  return some;
}

/* One of them as a line of its kind's forms. */
static fg_work one_dimension(const fg_work *w, const fg_work *to, int d) {
  const enum fg_r2r_kind kind = (enum fg_r2r_kind)w->r2r_kind[d];
  fg_work one = some_dimensions(w, to, d, 1);
  const fg_dim along = one.dim[0];
  const enum fg_form odd = kind == FG_KIND_REDFT00 ? FG_FORM_REDFT00_ODD : FG_FORM_RODFT00_ODD;
  const bool halves = has_odd_period(kind, along.n, w->precision);
  fg_work_set_forms(&one, halves ? odd : forms[kind].from, halves ? odd : forms[kind].to, along);
  return one;
}

enum { IN_SCRATCH = 1, BY_PLANES = 2 }; /* ways: in scratch until the last; the last two dimensions at once */
static bool lower_between(const fg_planner *planner, const fg_work *w, ptrdiff_t way, fg_passes *list) {
  fg_work between;
  int left = w->rank;
  if (!fg_work_between(w, way & IN_SCRATCH, &between, list)) return false;
  if (way & BY_PLANES) {
    const fg_work two = some_dimensions(&between, &between, w->rank - 2, 2);
    if (!fg_solver_r2r_box.applicable(planner, &two) || !fg_solver_r2r_box.lower(planner, &two, list)) return false;
    left -= 2;
  }
  for (int d = left - 1; d >= 0; d--) {
    const fg_work one = one_dimension(&between, d == 0 ? w : &between, d);
    if (!fg_planner_lower(planner, &one, list)) return false;
  }
  return true;
}

static bool lower(const fg_planner *planner, const fg_work *w, fg_passes *list) {
  ptrdiff_t ways[4];
  int count = 0;
  if (w->rank == 0) return lower_copy(planner, w, list);
  for (ptrdiff_t way = 0; way <= (IN_SCRATCH | BY_PLANES); way++) {
    const bool scratch = way & IN_SCRATCH, planes = way & BY_PLANES;
    if ((!scratch || (w->to.wide && w->rank > 1)) && (!planes || w->rank > 2)) ways[count++] = way;
  }
  return fg_planner_cheapest(planner, w, lower_between, ways, count, list);
}

const fg_solver fg_solver_r2r = {"r2r", applicable, lower};
