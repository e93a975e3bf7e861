/* hierarchical.c: a long one-dimensional transform, n = n₁·n₂, in as many passes as factors fit into blocks.
 *
 *   X[k₁ + n₁k₂] = Σ_{j} ( w_n^{j·k₁} · Σ_{i} x[i·n₂ + j] w_{n₁}^{i·k₁} ) w_{n₂}^{j·k₂}
 *
 * The first pass does the columns (i), with the twiddle, into scratch; the rest is a transform of length n₂ along j,
 * which any solver may do and which stores its results in order.  (Bailey 1990, "four-step"; transposition inside the
 * passes as in Govindaraju et al., SC 2008, section 4.3.) */
#include <stdint.h>
#include <stdlib.h>

#include "src/pass/geometry.h"
#include "src/pass/solver.h"

enum { MAX_CANDIDATES = FG_MAX_FACTORS, MAX_SPLITS = 2, SMALLEST = 16 };

static bool applicable(const fg_planner *planner, const fg_work *w) {
  return w->rank == 1 && w->kind == FG_DFT
         && planner->splits < MAX_SPLITS     /* taste: three passes do for every length that memory holds */
         && w->twiddle == 0                  /* must: the twiddle belongs to the first pass */
         && w->loops + 1 <= FG_MAX_LOOPS     /* must: the other factor becomes a loop */
         && w->dim[0].n <= UINT32_MAX        /* must: exponents are 32-bit */
         && w->dim[0].n >= 256;              /* taste: anything shorter fits a block */
}

/* Loops of the first pass and of the rest, between which the data lies in scratch. */
typedef struct {
  fg_work columns, rows;
  ptrdiff_t elements; /* of scratch that nothing had before */
} halves;

/* Scratch in the memory order of the input, so that what was contiguous stays so.  Elements in all. */
static ptrdiff_t lay_out_scratch(fg_work *columns) {
  fg_axis a[FG_MAX_LOOPS + 1];
  int count = 0;
  a[count++] = (fg_axis){columns->dim[0].n, columns->dim[0].is, 0};
  for (int l = 0; l < columns->loops; l++)
    a[count++] = (fg_axis){(ptrdiff_t)columns->loop[l].n, (ptrdiff_t)columns->loop[l].in, 0};
  const ptrdiff_t elements = fg_lay_out(a, count, 2 * fg_real_size(columns->precision));
  columns->dim[0].os = (ptrdiff_t)a[0].out;
  for (int l = 0; l < columns->loops; l++) columns->loop[l].out = a[l + 1].out;
  return elements;
}

static bool in_scratch(const fg_place *p) { return p->array >= FG_ARRAY_SCRATCH0; }

static halves split(const fg_work *w, ptrdiff_t n1) {
  const ptrdiff_t n = w->dim[0].n, n2 = n / n1, is = w->dim[0].is, os = w->dim[0].os;
  /* Data that is alone in scratch may be transformed where it is; not if the rows are to come there in another order. */
  const bool apart = w->to.array != w->from.array;
  const bool in_place = in_scratch(&w->from) && apart && !w->load_table.kind && !w->from.form;
  halves h = {*w, *w, 0};

  fg_work *c = &h.columns;
  c->dim[0] = (fg_dim){n1, is * n2, is * n2};
  c->loop[c->loops++] = (fg_loop){.n = n2, .in = is, .out = is, .twiddle = 1, .load = w->load_weight};
  c->load_weight = w->load_weight * n2;
  c->store_table = (fg_table){0};
  c->twiddle = n;
  if (in_place) {
    c->to = w->from;
    for (int l = 0; l < c->loops; l++) c->loop[l].out = c->loop[l].in;
  } else {
    c->to = (fg_place){.array = FG_ARRAY_SCRATCH0 + w->scratch};
    h.elements = lay_out_scratch(c);
  }

  fg_work *r = &h.rows;
  r->from = c->to;
  r->dim[0] = (fg_dim){n2, (ptrdiff_t)c->loop[w->loops].out, os * n1};
  for (int l = 0; l < w->loops; l++) r->loop[l].in = c->loop[l].out;
  r->loop[r->loops++] = (fg_loop){.n = n1, .in = c->dim[0].os, .out = os, .store = w->store_weight};
  r->store_weight = w->store_weight * n1;
  r->load_table = (fg_table){0};
  r->scratch = in_place ? w->scratch : w->scratch + 1;
  return h;
}

bool fg_hierarchical_lower_split(const fg_planner *planner, const fg_work *w, ptrdiff_t n1, fg_passes *list) {
  const halves h = split(w, n1);
  if (h.columns.to.array > FG_ARRAY_SCRATCH1) return false;
  if (h.elements) fg_passes_need(list, h.columns.to.array, h.elements);
  fg_planner deeper = *planner;
  deeper.splits++;
  return fg_planner_lower_both(&deeper, &h.columns, &h.rows, list);
}

int fg_hierarchical_factors(ptrdiff_t n, enum fg_precision precision, ptrdiff_t list[MAX_CANDIDATES]) {
  ptrdiff_t all[512];
  int count = 0, kept = 0;
  for (ptrdiff_t d = SMALLEST; d <= 8192 && d <= n / 2 && count < 512; d++)
    if (n % d == 0 && fg_smooth(d, precision)) all[count++] = d;
  /* Below the root descending, so that the columns, of which several share a block, are the shorter half. */
  for (int i = count - 1; i >= 0 && kept < MAX_CANDIDATES / 2; i--)
    if (all[i] * all[i] <= n) list[kept++] = all[i];
  for (int i = 0; i < count && kept < MAX_CANDIDATES - 1; i++)
    if (all[i] * all[i] > n) list[kept++] = all[i];
  for (int i = count - 1; i >= 0 && kept < MAX_CANDIDATES; i--)
    if (all[i] * all[i] * all[i] <= n) list[kept++] = all[i];
  return kept;
}

/* What three passes cost more than the model says, two less.  Measured on an H200, rows of 3 to 12 million points in bulk
 * (doc/measurements.md): three 1.13 to 1.23 times as long, two 0.91 to 1.0; at 0.89 and 0.92 of two passes' price most gain
 * by two, some by the geometries that the table has, at 0.80 they lose.  Real rows since: 3 million points in bulk on an H100,
 * r2c 287 us in two and 315 in three, c2r 307 and 343; of components see there. */
static const double worth_three = 0.85;

/* Whole rows of which more than the L2 holds. */
static bool in_bulk(const fg_planner *planner, const fg_work *w) {
  const double element = (fg_work_has_form(w) ? 1.0 : 2.0) * (double)fg_real_size(w->precision);
  const double bytes = element * (double)w->dim[0].n * (double)fg_work_loop_size(w);
  return planner->splits == 0 && w->precision == FG_SINGLE && w->dim[0].is == 1 && w->dim[0].os == 1 &&
         !w->load_table.kind && !w->store_table.kind && bytes > (double)planner->device->l2;
}

/* Few components of a field, each of whose elements lies between the others'.  (76 of 2 to 10 of them on an H100, whose two
 * passes were priced above three, by 1/0.85 at most: 30 in single precision 1.08 times as fast in the mean with two, 46 in double
 * 1.14, to 1.36, also where the L2 holds all; nine slower, to 0.74, eight of them of real elements, which gain 1.07 together.) */
static bool is_of_components(const fg_planner *planner, const fg_work *w) {
  enum { MOST = 10 };
  const fg_loop *const component = &w->loop[0];
  return planner->splits == 0 && w->loops == 1 && component->n <= MOST && component->in == 1 && component->out == 1 &&
         w->dim[0].is == component->n && w->dim[0].os == component->n && !w->load_table.kind && !w->store_table.kind;
}

/* There a third pass is not cheap. */
static bool may_prefer_two(const fg_planner *planner, const fg_work *w) {
  enum { SHORTEST = 1 << 21 };
  return is_of_components(planner, w) || (w->dim[0].n >= SHORTEST && in_bulk(planner, w));
}

/* The cheapest list of two passes in place of the three that list ends with, unless these are cheaper by far.  before, cost:
 * what it had without them. */
static void prefer_two(const fg_planner *planner, const fg_work *w, fg_way way, const ptrdiff_t *factors, int count, int before,
                       double cost, fg_passes *list) {
  fg_planner once = *planner;
  fg_passes *two = calloc(1, sizeof *two);
  const double limit = cost + (list->cost - cost) / worth_three;
  if (!two) return;
  fg_passes_copy(two, list); /* scratch, too: as large as the data either way */
  two->count = before;
  two->cost = cost;
  once.splits = MAX_SPLITS - 1;
  if (once.limit == 0 || limit < once.limit) once.limit = limit;
  if (fg_planner_cheapest(&once, w, way, factors, count, two) && two->count - before == 2)
    fg_passes_copy(list, two);
  free(two);
}

bool fg_hierarchical_lower_by(const fg_planner *planner, const fg_work *w, fg_way way, fg_passes *list) {
  ptrdiff_t factors[MAX_CANDIDATES];
  const int count = fg_hierarchical_factors(w->dim[0].n, w->precision, factors), before = list->count;
  const double cost = list->cost;
  const bool can = fg_planner_cheapest(planner, w, way, factors, count, list);
  if (can && list->count - before == 3 && may_prefer_two(planner, w))
    prefer_two(planner, w, way, factors, count, before, cost, list);
  return can;
}

/* What was measured to be faster in bulk than what the model finds cheapest, with the geometries that the table has for that
 * architecture.  (By their passes on an H200, us: 10⁶ × 33 as 500 × 2000 315, as 1000 × 1000 341, as 625 × 1600 363.) */
static ptrdiff_t measured_factor(const fg_planner *planner, const fg_work *w) {
  static const struct {
    int arch;
    ptrdiff_t n, n1;
  } measured[] = {{90, 1000000, 500}};
  if (fg_work_has_form(w) || w->from.wide || w->to.wide || !in_bulk(planner, w)) return 0;
  for (size_t i = 0; i < sizeof measured / sizeof *measured; i++)
    if (planner->device->arch == measured[i].arch && w->dim[0].n == measured[i].n) return measured[i].n1;
  return 0;
}

/* That in place of what list ends with, at its price.  before, cost: what it had without. */
static void prefer_measured(const fg_planner *planner, const fg_work *w, ptrdiff_t n1, int before, double cost,
                            fg_passes *list) {
  fg_planner any = *planner;
  fg_passes *other = calloc(1, sizeof *other);
  any.limit = 0;
  if (!other) return;
  fg_passes_copy(other, list);
  other->count = before;
  other->cost = cost;
  if (fg_hierarchical_lower_split(&any, w, n1, other)) {
    other->cost = list->cost;
    fg_passes_copy(list, other);
  }
  free(other);
}

/* The largest of the small factors of columns of a few times a prime that are too long for a chirp in one pass: it would take four,
 * which 3073, 3962 and 4190 points took 9 copies' time for on an H100.  (Of shorter ones, and of real data, it was not measured what is
 * faster.)  1: there is none, or other columns. */
static ptrdiff_t factor_of_long_columns(const fg_planner *planner, const fg_work *w) {
  enum { LONGEST_CHIRP = 2700 };
  ptrdiff_t factors[MAX_CANDIDATES], n1 = SMALLEST - 1;
  if (planner->splits > 0 || w->dim[0].n <= LONGEST_CHIRP || fg_work_has_form(w)) return 1;
  if (w->dim[0].is == 1 && w->dim[0].os == 1) return 1;
  if (fg_hierarchical_factors(w->dim[0].n, w->precision, factors) > 0) return 1;
  while (w->dim[0].n % n1) n1--;
  return n1;
}

static bool lower(const fg_planner *planner, const fg_work *w, fg_passes *list) {
  const ptrdiff_t n1 = measured_factor(planner, w), few = factor_of_long_columns(planner, w);
  const int before = list->count;
  const double cost = list->cost;
  if (few > 1) return fg_hierarchical_lower_split(planner, w, few, list);
  if (!fg_hierarchical_lower_by(planner, w, fg_hierarchical_lower_split, list)) return false;
  if (n1) prefer_measured(planner, w, n1, before, cost, list);
  return true;
}

const fg_solver fg_solver_hierarchical = {"hierarchical", applicable, lower};
