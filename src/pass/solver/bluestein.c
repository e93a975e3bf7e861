/* bluestein.c: a transform of any length as a convolution with a chirp.
 *
 *   X[k] = c[k] · Σ_j (x[j] c[j]) · conj(c[k − j]),   c[j] = exp(∓πi j²/n)
 *
 * computed cyclically at a smooth length M ≥ 2n − 1, for each lag k − j one point.
 *
 * Of a row of real data only the bins k ≤ n/2 are wanted, and M ≥ n + ⌊n/2⌋ is enough, a quarter less.  Backwards only
 * those are loaded, which with each but 0 and n/2 doubled have the row as real part of their transform.  Not so two rows
 * that share a line, and parts of longer rows, whose spectra are no mirrors of themselves.  One of even length that a tile
 * holds is a line of n/2 points of its own (solver half_row), no row that could share a line, nor most extensions: M ≥ n − 1.
 *
 * While M fits a block, or a cluster of blocks, all of it is one pass; beyond, three: columns, rows (forward, times the filter,
 * backward), columns.
 * For the longest, a forward transform of length M that has the chirp on its way in and the filter on its way out and an
 * inverse with the chirp on its way out, so that no pass is spent on products alone.  (Bluestein 1970; the chirp's angle
 * from j² mod 2n in integers: Govindaraju et al., SC 2008, section 4.5.) */
#include <stdint.h>
#include <stdlib.h>

#include "src/pass/radices.h"
#include "src/pass/solver.h"

enum { CANDIDATES = 4 };

static bool applicable(const fg_planner *planner, const fg_work *w) {
  return w->rank == 1 && w->kind == FG_DFT
         && !w->load_table.kind && !w->store_table.kind && !w->twiddle /* must: the chirp takes their place */
         && w->dim[0].n <= UINT32_MAX / 4                              /* must: M's exponents are 32-bit */
         && !fg_smooth(w->dim[0].n, w->precision)                           /* taste: butterflies do better */
         && !fg_rader_sums(planner, w)                                      /* taste: it rounds less */
         && !fg_solver_mirrored_sums.applicable(planner, w);                /* taste: so do these, and they do better */
}

/* Points of the line, of which the first so many are not zero, and wanted. */
typedef struct {
  ptrdiff_t n, given, wanted;
} extent;

static extent extent_of(const fg_work *w, bool pairs) {
  const ptrdiff_t n = w->dim[0].n;
  extent e = {n, n, n};
  if (fg_work_is_row(w) && !pairs) *(fg_form_loads_spectrum(w->from.form) ? &e.given : &e.wanted) = n / 2 + 1;
  return e;
}

/* In a tile rows may share a line, or be lines of half as many points, all of which are given and wanted. */
static extent extent_in_tile(const fg_work *w) {
  const ptrdiff_t half = w->dim[0].n / 2;
  return fg_work_half_line(w) ? (extent){half, half, half} : extent_of(w, fg_pass_of(w).pairs);
}

/* One point for each lag. */
static ptrdiff_t least_length(extent e) { return e.given + e.wanted - 1; }

static fg_table chirp(const fg_work *w, extent e) {
  return (fg_table){.kind = FG_TABLE_CHIRP, .precision = w->precision, .sign = w->sign, .n = e.n};
}

/* The one that points are loaded with. */
static fg_table chirp_in(const fg_work *w, extent e) {
  fg_table t = chirp(w, e);
  t.real = e.given < t.n;
  return t;
}

static fg_table filter(const fg_work *w, extent e, ptrdiff_t length) {
  return (fg_table){.kind = FG_TABLE_FILTER, .precision = w->precision, .sign = w->sign, .n = e.n,
                    .length = length, .lags = {e.wanted - 1, e.given - 1}};
}

static bool lower_in_tile(const fg_planner *planner, const fg_work *w, ptrdiff_t m, fg_passes *list) {
  fg_pass p = fg_pass_of_line(w);
  const extent e = extent_in_tile(w);
  p.n = m;
  p.sign = FG_FORWARD; /* the direction is in the tables */
  p.load_table = chirp_in(w, e);
  p.store_table = chirp(w, e);
  if (!fg_work_has_form(w)) p.load_weight = p.store_weight = 1;
  p.load_limit = e.given;
  p.store_limit = e.wanted;
  p.filter = filter(w, e, m);
  return m >= least_length(e) && fg_passes_choose(planner, list, &p);
}

/* Positions are the indices along the line: no part of a longer transform. */
static bool whole(const fg_work *w) {
  if (w->load_weight > 1 || w->store_weight > 1) return false;
  for (int l = 0; l < w->loops; l++)
    if (w->loop[l].load || w->loop[l].store) return false;
  return true;
}

static bool lower_in_passes(const fg_planner *planner, const fg_work *w, ptrdiff_t m, fg_passes *list) {
  const enum fg_array spectrum = FG_ARRAY_SCRATCH0 + w->scratch;
  const extent e = extent_of(w, false);
  if (spectrum > FG_ARRAY_SCRATCH1 || !whole(w) || m < least_length(e)) return false;
  fg_passes_need(list, spectrum, m * fg_work_loop_size(w));

  fg_work forward = *w, inverse = *w;
  forward.sign = FG_FORWARD;
  forward.to = inverse.from = (fg_place){.array = spectrum};
  forward.dim[0] = (fg_dim){m, w->dim[0].is, 1};
  inverse.dim[0] = (fg_dim){m, 1, w->dim[0].os};
  long long stride = m;
  for (int l = 0; l < w->loops; l++) {
    forward.loop[l].out = inverse.loop[l].in = stride;
    stride *= w->loop[l].n;
  }
  forward.load_table = chirp_in(w, e);
  forward.load_weight = 1;
  forward.load_limit = e.given;
  forward.store_table = filter(w, e, m);
  forward.store_weight = 1;
  forward.store_limit = m;
  /* Where w's results are to come there is nothing yet. */
  const bool vacant = spectrum == FG_ARRAY_SCRATCH1 && w->to.array == FG_ARRAY_SCRATCH0 && w->from.array < FG_ARRAY_SCRATCH0;
  forward.scratch = vacant ? 0 : w->scratch + 1;

  inverse.sign = FG_BACKWARD;
  inverse.store_table = chirp(w, e);
  inverse.store_weight = 1;
  inverse.store_limit = e.wanted;
  inverse.scratch = w->scratch + 1;
  return fg_planner_lower_both(planner, &forward, &inverse, list);
}

/* Whole in a cluster, M cut in two (four_step.c). */
static bool lower_in_cluster(const fg_planner *planner, const fg_work *w, ptrdiff_t m, fg_passes *list) {
  const size_t bytes = (size_t)m * 2 * fg_real_size(w->precision);
  const extent e = extent_of(w, false);
  if (planner->device->cluster < 2 || fg_work_has_form(w) || !whole(w)) return false; /* must */
  if (w->dim[0].is != 1 || w->dim[0].os != 1) return false; /* must: the kernel has no others */
  if (bytes > (size_t)planner->device->cluster * planner->device->shared_block) return false; /* must: there is room */
  if (m < least_length(e)) return false;
  fg_work row = *w;
  row.sign = FG_FORWARD; /* the direction is in the tables */
  row.dim[0].n = m;
  row.load_table = row.store_table = chirp(w, e);
  row.load_weight = row.store_weight = 1;
  row.load_limit = e.given;
  row.store_limit = e.wanted;
  row.filter = filter(w, e, m);
  return fg_cut_lower(planner, &row, list);
}

/* taste: from the length on from which other rows are, too.  Of more than a few rows not what a block has whole.  (On an H200, 33.5
 * million points of single precision in a block, and in clusters by the model's geometry and by the best: 8191 355, 514 us, none;
 * 6007 399, 610, 589; 9973 685, 725, 690; 10007 621, 850, 681; but 5003 846 (as it was permuted, with radices 41 and 61), 672, 547,
 * which is not done; 20011, which a block would permute, in three passes 889, in clusters 678, 625.  Few: one row and 20 of 4099.) */
static bool may_be_in_cluster(const fg_planner *planner, const fg_work *w) {
  enum { SHORTEST = 8192, LONGEST = 24576, LONGEST_DOUBLE = 10976, LONGEST_PERMUTED = 128 * 1024 /* bytes */, SHARE = 4 };
  const size_t point = 2 * fg_real_size(w->precision);
  const ptrdiff_t least = least_length(extent_of(w, false));
  if (least < SHORTEST) return false;
  if (SHARE * fg_work_loop_size(w) < planner->device->multiprocessors) return true;
  const bool permuted = fg_solver_rader.applicable(planner, w) && (size_t)w->dim[0].n * point <= LONGEST_PERMUTED;
  return !permuted && least > (w->precision == FG_SINGLE ? LONGEST : LONGEST_DOUBLE);
}

/* One loop over the other factor, in front of which the data lies as rows of n2 in dense scratch. */
static fg_work columns_of(const fg_work *w, ptrdiff_t n1, ptrdiff_t n2) {
  fg_work c = *w;
  c.dim[0] = (fg_dim){n1, w->dim[0].is * n2, w->dim[0].os * n2};
  c.loop[c.loops++] = (fg_loop){.n = n2, .in = w->dim[0].is, .out = w->dim[0].os};
  return c;
}

/* M = n1·n2 in three passes: columns with twiddle; rows forward, times the filter and backward at once, with the
 * twiddle back; columns backward.  The spectrum is never put in order. */
static bool lower_in_three(const fg_planner *planner, const fg_work *w, ptrdiff_t m, ptrdiff_t n1, fg_passes *list) {
  const enum fg_array spectrum = FG_ARRAY_SCRATCH0 + w->scratch;
  const ptrdiff_t n2 = m / n1;
  const extent e = extent_of(w, false);
  if (spectrum > FG_ARRAY_SCRATCH1 || !whole(w) || m < least_length(e) || w->loops == FG_MAX_LOOPS) return false;
  fg_passes_need(list, spectrum, m * fg_work_loop_size(w));

  fg_work forward = *w, inverse = *w;
  forward.sign = FG_FORWARD;
  inverse.sign = FG_BACKWARD;
  forward.to = inverse.from = (fg_place){.array = spectrum};
  forward.dim[0].os = inverse.dim[0].is = 1;
  long long stride = m;
  for (int l = 0; l < w->loops; l++) {
    forward.loop[l].out = inverse.loop[l].in = stride;
    stride *= w->loop[l].n;
  }
  forward = columns_of(&forward, n1, n2);
  inverse = columns_of(&inverse, n1, n2);

  fg_work rows = forward;
  rows.from = rows.to;
  rows.dim[0] = (fg_dim){n2, 1, 1};
  for (int l = 0; l < w->loops; l++) rows.loop[l].in = rows.loop[l].out;
  rows.loop[w->loops] = (fg_loop){.n = n1, .in = n2, .out = n2, .twiddle = 1, .load = n2};
  rows.load_weight = 1;
  rows.twiddle = m;

  forward.loop[w->loops].twiddle = forward.loop[w->loops].load = 1;
  forward.twiddle = m;
  forward.load_table = chirp_in(w, e);
  forward.load_weight = n2;
  forward.load_limit = e.given;

  inverse.loop[w->loops].store = 1;
  inverse.store_table = chirp(w, e);
  inverse.store_weight = n2;
  inverse.store_limit = e.wanted;

  fg_pass first = fg_pass_of(&forward), second = fg_pass_of(&rows), third = fg_pass_of(&inverse);
  second.filter = filter(w, e, m);
  second.filter.rows = n1;
  second.twiddle_back = true;
  const fg_device_info *const device = planner->device;
  const double least = fg_pass_least_cost(&first, device) + fg_pass_least_cost(&second, device) +
                       fg_pass_least_cost(&third, device);
  return !fg_passes_hopeless(planner, list, least) && fg_passes_choose(planner, list, &first) &&
         fg_passes_choose(planner, list, &second) && fg_passes_choose(planner, list, &third);
}

/* The next lengths that butterflies do in few stages: products of 2, 3, 5 and 7, at least
 * divisible by 8 once they are long, so that passes can be aligned. */
static int lengths(extent e, ptrdiff_t list[CANDIDATES]) {
  const ptrdiff_t least = least_length(e), step = least > 64 ? 8 : 1;
  int count = 0;
  for (ptrdiff_t m = (least + step - 1) / step * step; count < CANDIDATES - 1; m += step) {
    ptrdiff_t rest = m;
    for (int prime = 2; prime <= 7; prime++)
      while (rest % prime == 0) rest /= prime;
    if (rest == 1) list[count++] = m;
  }
  ptrdiff_t power = 1;
  while (power < least) power *= 2;
  list[count++] = power;
  return count;
}

bool fg_bluestein_lower_at(const fg_planner *planner, const fg_work *w, ptrdiff_t m, ptrdiff_t factor, fg_passes *list) {
  if (factor == FG_IN_CLUSTER) return lower_in_cluster(planner, w, m, list);
  if (factor == 1) return lower_in_passes(planner, w, m, list);
  return factor ? lower_in_three(planner, w, m, factor, list) : lower_in_tile(planner, w, m, list);
}

/* A choice: the length, and in front of it the factor. */
enum { FACTOR_SHIFT = 40 };

static ptrdiff_t choice_of(ptrdiff_t m, ptrdiff_t factor) { return (factor << FACTOR_SHIFT) + m; }

static bool lower_at(const fg_planner *planner, const fg_work *w, ptrdiff_t choice, fg_passes *list) {
  const ptrdiff_t factor = choice >> FACTOR_SHIFT;
  return fg_bluestein_lower_at(planner, w, choice - choice_of(0, factor), factor, list);
}

/* taste: not of real data that a tile holds.  The model takes passes of one tile to be limited by memory, but two of them
 * have twice the instructions of the convolution in one (ptxas, sm_90, r2c of 10007: 349 for 175 a real element). */
static bool as_two_tiles(const fg_planner *planner, const fg_work *w, ptrdiff_t m) {
  const size_t point = 2 * fg_real_size(w->precision);
  const ptrdiff_t points = fg_work_half_line(w) ? least_length(extent_in_tile(w)) : m;
  return !fg_work_is_row(w) || (size_t)points * point > planner->device->shared_block;
}

/* taste: rows that solver real_prime can do are its, unless the model says a quarter less than its cost: at 0.8 of it
 * 10007 would be a chirp, which has not been timed. */
static bool beats_real_prime(const fg_planner *planner, const fg_work *w, double cost) {
  if (!fg_solver_real_prime.applicable(planner, w)) return true;
  const fg_planner alone = {.device = planner->device, .splits = planner->splits};
  fg_passes *list = calloc(1, sizeof *list);
  const bool loses = list && fg_solver_real_prime.lower(&alone, w, list) && cost > 0.75 * list->cost;
  free(list);
  return !loses;
}

static bool lower(const fg_planner *planner, const fg_work *w, fg_passes *list) {
  const double before = list->cost;
  ptrdiff_t m[CANDIDATES], choices[CANDIDATES * (3 + FG_MAX_FACTORS)];
  int count = lengths(extent_in_tile(w), choices);
  const int lengths_count = lengths(extent_of(w, false), m);
  for (int i = 0; i < lengths_count; i++) {
    ptrdiff_t factors[FG_MAX_FACTORS];
    const int factors_count = fg_hierarchical_factors(m[i], w->precision, factors);
    if (as_two_tiles(planner, w, m[i])) choices[count++] = choice_of(m[i], 1);
    for (int f = 0; f < factors_count; f++) choices[count++] = choice_of(m[i], factors[f]);
  }
  const bool clusters = may_be_in_cluster(planner, w);
  for (int i = 0; i < lengths_count; i++) {
    const bool again = i > 0 && m[i] <= m[i - 1]; /* the power of two, which comes last, may be one of the others */
    if (!again && clusters) choices[count++] = choice_of(m[i], FG_IN_CLUSTER);
  }
  return fg_planner_cheapest(planner, w, lower_at, choices, count, list) &&
         beats_real_prime(planner, w, list->cost - before);
}

const fg_solver fg_solver_bluestein = {"bluestein", applicable, lower};
