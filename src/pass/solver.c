/* solver.c: the table of solvers, and what they share. */
#include "src/pass/solver.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "src/pass/geometry.h"
#include "src/pass/radices.h"
#include "src/pass/residues.h"

const fg_solver *const fg_solvers[] = {
    &fg_solver_copy,      &fg_solver_tile,     &fg_solver_box,          &fg_solver_dimensions, &fg_solver_overlap,
    &fg_solver_relay,     &fg_solver_four_step, &fg_solver_strip,       &fg_solver_hierarchical, &fg_solver_real_prime,
    &fg_solver_rader,     &fg_solver_bluestein, &fg_solver_real,        &fg_solver_r2r,        &fg_solver_r2r_box,
    &fg_solver_halves,    &fg_solver_half_row,  &fg_solver_odd_row,     &fg_solver_mirrored_sums, NULL};

ptrdiff_t fg_work_loop_size(const fg_work *w) {
  ptrdiff_t size = 1;
  for (int d = 0; d < w->loops; d++) size *= (ptrdiff_t)w->loop[d].n;
  return size;
}

static int by_place(const void *a, const void *b) {
  const fg_loop *x = a, *y = b;
  const long long xo = llabs(x->out), yo = llabs(y->out), xi = llabs(x->in), yi = llabs(y->in);
  if (xo != yo) return (xo > yo) - (xo < yo);
  return (xi > yi) - (xi < yi);
}

/* outer continues inner in every respect: they are one loop. */
static bool continues(const fg_loop *inner, const fg_loop *outer) {
  const long long n = inner->n;
  return outer->in == n * inner->in && outer->out == n * inner->out && outer->twiddle == n * inner->twiddle &&
         outer->load == n * inner->load && outer->store == n * inner->store;
}

static int by_origin(const void *a, const void *b) {
  const fg_loop *x = a, *y = b;
  const long long xi = llabs(x->in), yi = llabs(y->in);
  return xi != yi ? (xi > yi) - (xi < yi) : by_place(a, b);
}

static int tidy(fg_loop *loop, int count, int (*order)(const void *, const void *)) {
  int kept = 0;
  qsort(loop, (size_t)count, sizeof *loop, order);
  for (int d = 0; d < count; d++) {
    if (loop[d].n == 1) continue;
    if (kept && continues(&loop[kept - 1], &loop[d])) loop[kept - 1].n *= loop[d].n;
    else loop[kept++] = loop[d];
  }
  return kept;
}

int fg_loops_tidy(fg_loop *loop, int count) { return tidy(loop, count, by_place); }

/* Lines that are stored as rows, each by itself, but loaded across others: neighbours are those of the loads. */
static bool only_loads_across(const fg_pass *p) {
  bool load = false, store = false;
  for (int l = 0; l < p->loops; l++) {
    load = load || (p->loop[l].n > 1 && llabs(p->loop[l].in) < llabs((long long)p->in));
    store = store || (p->loop[l].n > 1 && llabs(p->loop[l].out) < llabs((long long)p->out));
  }
  return load && !store;
}

bool fg_work_has_form(const fg_work *w) { return w->from.form || w->to.form; }

bool fg_work_is_row(const fg_work *w) {
  const fg_place *from = &w->from, *to = &w->to;
  if (w->rank != 1 || !from->form || !to->form || fg_form_halves(from->form, from->row)) return false;
  const ptrdiff_t n = w->dim[0].n;
  if (fg_form_loads_spectrum(from->form))
    return !fg_form_stores_spectrum(to->form) && !from->period && fg_form_length(from->form, from->row) == n;
  return fg_form_stores_spectrum(to->form) && !to->period && fg_form_length(to->form, to->row) == n;
}

/* Of other short rows stock FFTW's own code rounds so much less than half rows do that it is a fifth or nearly so; of
 * extended ones that is only so for the shortest. */
static bool rounds_well(const fg_work *w) {
  const ptrdiff_t n = w->dim[0].n;
  if (fg_form_extends(w->from.form)) return n > 22;
  const bool is_kind = w->from.form != FG_FORM_HERMITIAN && w->to.form != FG_FORM_HERMITIAN;
  return is_kind ? n > 50 : n == 4 || n == 8 || (n > 20 && n != 32);
}

static bool may_be_halved(const fg_work *w) {
  return fg_work_is_row(w) && !w->load_table.kind && !w->store_table.kind && w->dim[0].n % 2 == 0 && rounds_well(w);
}

bool fg_work_half_row(const fg_work *w) { return may_be_halved(w) && fg_smooth(w->dim[0].n / 2, w->precision); }

/* Two rows share a line that cannot be halved.  Only rows of one transform, which come together in its other dimensions
 * anyway: of two transforms one may be larger by far, or not a number, and its rounding would be the other's error.  The
 * shortest do without: putting two spectra together and taking them apart rounds once more, which shows there. */
enum { LONGEST_ALONE = 16 };
static bool pairs(const fg_work *w) {
  return !w->batched && fg_work_loop_size(w) > 1 && fg_work_is_row(w) && w->dim[0].n > LONGEST_ALONE && !fg_work_half_row(w);
}

/* An extension's results are there twice, and their means round less.  Without them a convolution has up to 1.2 times stock FFTW's
 * error where N ∓ 1 is odd, 1.17 and more in double precision, else 1.03.  (Sim, 1 to 10 times 67 to 251.) */
static bool needs_both_halves(const fg_work *w) {
  return fg_form_extends(w->from.form) && (w->precision == FG_DOUBLE || w->dim[0].n % 4);
}

bool fg_work_half_line(const fg_work *w) {
  return may_be_halved(w) && !fg_work_half_row(w) && !pairs(w) && !needs_both_halves(w);
}

ptrdiff_t fg_work_line(const fg_work *w) { return fg_work_half_line(w) ? w->dim[0].n / 2 : w->dim[0].n; }

bool fg_work_odd_row(const fg_work *w) {
  if (!fg_work_is_row(w) || w->load_table.kind || w->store_table.kind || pairs(w)) return false;
  const ptrdiff_t n = w->dim[0].n;
  return n % 2 && n <= INT_MAX && fg_smooth(n, w->precision) && fg_real_radix(n, w->precision, FG_MAX_RADIX) &&
         !(n <= FG_MAX_RADIX && fg_radix_exists((int)n, w->precision)); /* a butterfly does better */
}

/* Of the primes that there are butterflies for 61 alone: in rows 1.28 to 1.31 (REDFT10, 01, 11), 1.2 (R2HC, HC2R), 1.16 (r2c) and 1.0
 * times (c2r) as fast on an H100, 0.91 to 1.07 in columns, with 1.07 to 1.11 times stock FFTW's error (sim).  53 and 59 were no
 * faster, and smaller ones would have 1.2 times that error, and more. */
bool fg_work_prime_row(const fg_work *w) {
  enum { AS_WELL = 61, LONGEST = 1 << 16 }; /* no block holds more */
  if (!fg_work_is_row(w) || w->load_table.kind || w->store_table.kind || w->twiddle) return false; /* must: the kernel has none */
  const ptrdiff_t n = w->dim[0].n;
  return n <= LONGEST && fg_is_prime(n) && (!fg_smooth(n, w->precision) || (n == AS_WELL && w->precision == FG_SINGLE));
}

static bool is_padded(const fg_pass *p) {
  const ptrdiff_t sector = fg_pass_sector(p);
  if (p->loops < 2 || p->to.array < FG_ARRAY_SCRATCH0 || p->to.form || p->to.split) return false;
  if (p->loop[0].out != 1 || p->loop[0].n % sector == 0 || p->out % sector) return false;
  for (int l = 1; l < p->loops; l++)
    if (p->loop[l].out % sector) return false;
  return true;
}

fg_pass fg_pass_of(const fg_work *w) {
  fg_pass p = {.precision = w->precision, .sign = w->sign, .from = w->from, .to = w->to, .n = 1, .cluster = 1};
  if (w->rank > 0) {
    p.n = w->dim[0].n;
    p.in = w->dim[0].is;
    p.out = w->dim[0].os;
  }
  p.data = p.n;
  p.loops = w->loops;
  for (int d = 0; d < w->loops; d++) p.loop[d] = w->loop[d];
  p.loops = tidy(p.loop, p.loops, only_loads_across(&p) ? by_origin : by_place);
  p.load_table = w->load_table;
  p.store_table = w->store_table;
  p.load_weight = w->load_weight;
  p.store_weight = w->store_weight;
  p.load_limit = w->load_limit;
  p.store_limit = w->store_limit;
  p.load_step = w->load_step;
  p.store_step = w->store_step;
  p.form_table = w->form_table;
  p.twiddle = w->twiddle;
  p.pairs = pairs(w);
  p.padded = is_padded(&p);
  return p;
}

fg_pass fg_pass_of_line(const fg_work *w) {
  fg_pass p = fg_pass_of(w);
  p.half_row = fg_work_half_line(w);
  p.data = fg_work_line(w);
  return p;
}

fg_pass fg_pass_of_box(const fg_work *w, enum fg_family family) {
  fg_work row = *w;
  row.rank = 1;
  row.dim[0] = w->dim[w->rank - 1];
  fg_pass p = fg_pass_of(&row);
  p.loops = fg_loops_tidy(p.loop, p.loops); /* boxes are not lines: neighbours count on both sides */
  p.family = family;
  p.dims = w->rank;
  p.n = 1;
  for (int d = 0; d < w->rank; d++) {
    p.box[d] = w->dim[d];
    p.n *= p.box[d].n;
  }
  p.data = p.n;
  return p;
}

bool fg_passes_hopeless(const fg_planner *planner, const fg_passes *list, double more) {
  return planner->limit > 0 && list->cost + more >= planner->limit;
}

void fg_pass_set_real(fg_pass *p, bool forward, ptrdiff_t row) {
  p->from.row = p->to.row = row;
  p->sign = forward ? FG_FORWARD : FG_BACKWARD;
  p->from.form = forward ? FG_FORM_REAL : FG_FORM_HERMITIAN;
  p->to.form = forward ? FG_FORM_HERMITIAN : FG_FORM_REAL;
}

static long long reach_of(const fg_pass *p, enum fg_side side) {
  long long reach = p->family == FG_FAMILY_TILE ? (p->n - 1) * (long long)(side == FG_INPUT ? p->in : p->out) : 0;
  for (int d = 0; p->family != FG_FAMILY_TILE && d < p->dims; d++)
    reach += (p->box[d].n - 1) * (long long)(side == FG_INPUT ? p->box[d].is : p->box[d].os);
  return reach;
}

/* In the array that it reads a pass may only write what its own block, or cluster, has read: others' input would be lost.  Told by
 * strides: of boxes by how far they reach.  Rows with a form, whose strides are of other elements, are put so by their solvers. */
static bool keeps_to_its_own(const fg_pass *p) {
  if (p->from.array != p->to.array || p->from.form || p->to.form) return true;
  if (p->from.offset != p->to.offset) return false;
  for (int l = 0; l < p->loops; l++)
    if (p->loop[l].n > 1 && p->loop[l].in != p->loop[l].out) return false;
  return reach_of(p, FG_INPUT) == reach_of(p, FG_OUTPUT);
}

bool fg_passes_add(const fg_planner *planner, fg_passes *list, const fg_pass *p) {
  if (list->count == FG_MAX_PASSES || !keeps_to_its_own(p)) return false;
  list->pass[list->count++] = *p;
  list->cost += fg_pass_price(p, planner->device);
  return !fg_passes_hopeless(planner, list, 0);
}

bool fg_passes_choose(const fg_planner *planner, fg_passes *list, fg_pass *p) {
  if (fg_passes_hopeless(planner, list, fg_pass_least_cost(p, planner->device))) return false;
  return fg_geometry_choose(p, planner->device) && fg_passes_add(planner, list, p);
}

/* What any passes for w cost at least.  Its bytes are reckoned where the passes' are sure to be no less. */
static double least_cost(const fg_planner *planner, const fg_work *w) {
  const bool sure = w->rank == 1 && w->kind == FG_DFT && !fg_work_has_form(w);
  const fg_pass p = sure ? fg_pass_of(w) : (fg_pass){.cluster = 1};
  return fg_pass_least_cost(&p, planner->device);
}

bool fg_planner_lower_both(const fg_planner *planner, const fg_work *first, const fg_work *second, fg_passes *list) {
  const double rest = least_cost(planner, second);
  fg_planner before = *planner;
  if (fg_passes_hopeless(planner, list, rest)) return false;
  if (planner->limit > 0) before.limit -= rest;
  return fg_planner_lower(&before, first, list) && fg_planner_lower(planner, second, list);
}

void fg_passes_copy(fg_passes *to, const fg_passes *from) {
  memcpy(to, from, offsetof(fg_passes, pass) + (size_t)from->count * sizeof *from->pass);
}

void fg_passes_need(fg_passes *list, enum fg_array a, ptrdiff_t elements) {
  ptrdiff_t *const need = &list->scratch[a - FG_ARRAY_SCRATCH0];
  if (*need < elements) *need = elements;
}

ptrdiff_t fg_padded_row(ptrdiff_t n, size_t point) {
  enum { SECTOR = 32, LINE = 128, SHORTEST = 512, LONG = 2048 }; /* bytes */
  const ptrdiff_t size = (ptrdiff_t)point, part = (n * size >= LONG ? LINE : SECTOR) / size;
  return n * size < SHORTEST || n * size % SECTOR == 0 ? n : (n + part - 1) / part * part;
}

static int by_input_stride(const void *a, const void *b) {
  const fg_axis *const *x = a, *const *y = b;
  const ptrdiff_t xs = labs((*x)->in), ys = labs((*y)->in);
  return (xs > ys) - (xs < ys);
}

size_t fg_padded_from = 16 << 20;

ptrdiff_t fg_lay_out(fg_axis *axes, int count, size_t point) {
  fg_axis *order[2 * FG_MAX_LOOPS];
  ptrdiff_t stride = 1;
  size_t bytes = point;
  for (int i = 0; i < count; i++) bytes *= (size_t)axes[i].n;
  for (int i = 0; i < count; i++) order[i] = &axes[i];
  qsort(order, (size_t)count, sizeof *order, by_input_stride);
  for (int i = 0; i < count; i++) {
    order[i]->out = stride;
    stride *= order[i]->n;
    if (point && i == 0 && bytes >= fg_padded_from) stride = fg_padded_row(stride, point);
  }
  return stride;
}

bool fg_work_between(const fg_work *w, bool scratch, fg_work *between, fg_passes *list) {
  fg_axis axes[2 * FG_MAX_LOOPS];
  int count = 0;
  *between = *w;
  if (!scratch) return true;
  between->to = (fg_place){.array = FG_ARRAY_SCRATCH0 + w->scratch};
  if (between->to.array > FG_ARRAY_SCRATCH1) return false;
  between->scratch = w->scratch + 1;
  for (int d = 0; d < w->rank; d++) axes[count++] = (fg_axis){w->dim[d].n, w->dim[d].os, 0};
  for (int l = 0; l < w->loops; l++) axes[count++] = (fg_axis){(ptrdiff_t)w->loop[l].n, (ptrdiff_t)w->loop[l].out, 0};
  const ptrdiff_t elements = fg_lay_out(axes, count, 0);
  fg_passes_need(list, between->to.array, w->kind == FG_R2R ? (elements + 1) / 2 : elements);
  for (int d = 0; d < w->rank; d++) between->dim[d].os = (ptrdiff_t)axes[d].out;
  for (int l = 0; l < w->loops; l++) between->loop[l].out = axes[w->rank + l].out;
  return true;
}

/* Turns of the forms that have them: by p/4n, and by (8p + 1)/16n, of a row of two by 2/16n (form.h). */
static fg_table form_table(enum fg_precision precision, enum fg_form form, ptrdiff_t n) {
  fg_table t = {.kind = FG_TABLE_ROOTS, .precision = precision};
  if (fg_form_quarter_wave(form, n)) {
    t.n = 16 * n;
    t.step = 8;
    t.first = n == 2 ? 2 : 1;
    t.length = n / 2;
  } else if (form >= FG_FORM_REDFT10 && form <= FG_FORM_RODFT01) {
    t.n = 4 * n;
    t.step = 1;
    t.length = n / 2 + 1;
  } else {
    t.kind = FG_TABLE_NONE;
  }
  return t;
}

void fg_work_set_forms(fg_work *w, enum fg_form from, enum fg_form to, fg_dim d) {
  w->kind = FG_DFT;
  w->sign = fg_form_loads_spectrum(from) ? FG_BACKWARD : FG_FORWARD;
  w->from.form = from;
  w->to.form = to;
  w->from.row = w->to.row = d.n;
  w->rank = 1;
  w->dim[0] = (fg_dim){fg_form_length(from, d.n), d.is, d.os};
  w->load_weight = w->store_weight = 1;
  w->load_step = d.is;
  w->store_step = d.os;
  w->form_table = form_table(w->precision, from, d.n);
}
