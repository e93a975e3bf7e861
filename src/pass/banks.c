/* banks.c: how the exchanges of a tile meet the banks of shared memory, of its addresses worked out as
 * cuda/kernel/stage.h and exchange.h do; and the skews with which they meet fewer twice. */
#include "src/pass/banks.h"

#include "src/pass/geometry.h"
#include "src/pass/residues.h"

enum { WARP = 32, MOST_BANKS = 16 };

/* Points that one wavefront of 128 bytes serves. */
static int wavefront(const fg_pass *p) { return p->precision == FG_SINGLE ? 16 : 8; }

static ptrdiff_t padded(const fg_pass *p, ptrdiff_t q) { return p->pad ? q + q / p->pad : q; }

static bool all_columns(const fg_pass *p) {
  if (fg_pass_is_rader(p)) return false; /* points of a line stay together */
  for (int s = 0; s < p->stages; s++)
    if (!p->column[s]) return false;
  return true;
}

/* Of a line, odd, so that threads across lines spread over the banks. */
static ptrdiff_t pitch(const fg_pass *p) {
  return fg_pass_is_rader(p) && !p->real_radix ? p->n + 1 : padded(p, p->n) | 1;
}

/* Of a point, in points, without skews. */
static ptrdiff_t place_of_point(const fg_pass *p, int line, ptrdiff_t k) {
  return all_columns(p) ? padded(p, k * fg_pass_tile_lines(p) + line) : line * pitch(p) + padded(p, k);
}

typedef struct {
  ptrdiff_t r, m, product; /* radix, butterflies of a line, radices before */
  ptrdiff_t portions;      /* of a line: one to a thread, whose first butterfly stands for all */
  bool column;
  ptrdiff_t generator; /* of the order that points are read in; 0: their own */
  fg_coprime_groups groups;
} stage;

static stage stage_of(const fg_pass *p, int s) {
  stage t = {.r = p->radix[s], .m = p->n / p->radix[s], .product = 1, .portions = fg_geometry_portions(p, s),
             .column = p->column[s]};
  for (int i = 0; i < s; i++) t.product *= p->radix[i];
  return t;
}

/* Place of index k of a line in the exchange after a stage that transforms groups of so many points. */
static ptrdiff_t skewed(int skew, ptrdiff_t group, ptrdiff_t k) { return k + k / group * skew; }

static ptrdiff_t skewed_pitch(const fg_pass *p, int s) {
  const stage t = stage_of(p, s);
  return (skewed(p->skew[s], t.product * t.r, p->n - 1) + 1) | 1;
}

ptrdiff_t fg_banks_tile_points(const fg_pass *p) {
  const ptrdiff_t lines = fg_pass_tile_lines(p), first = p->real_radix != 0; /* real rows: element 0 */
  ptrdiff_t most = all_columns(p) ? padded(p, p->n * lines) : lines * (pitch(p) + first);
  for (int s = 0; s + 1 < p->stages; s++)
    if (p->skew[s] && lines * skewed_pitch(p, s) > most) most = lines * skewed_pitch(p, s);
  return most + most % 2; /* what follows stays 16-byte aligned */
}

/* Place of point j of the butterfly that a thread has in stage t, when it writes its results or reads its inputs in the
 * exchange after stage s; s negative: before the first. */
static ptrdiff_t place(const fg_pass *p, int s, const stage *t, int thread, int j, bool writes) {
  const int line = (int)(t->column ? thread % fg_pass_tile_lines(p) : thread / t->portions);
  const ptrdiff_t b = t->column ? thread / fg_pass_tile_lines(p) : thread % t->portions;
  const ptrdiff_t k =
      writes ? b / t->product * t->product * t->r + b % t->product + j * t->product : b + j * t->m;
  if (t->generator) {
    const ptrdiff_t power = fg_power_modulo(t->generator, fg_coprime_index(&t->groups, k), p->filter.n);
    if (p->real_radix) return line * ((p->data / 2 + 1) | 1) + (power <= p->data / 2 ? power : p->data - power);
    return place_of_point(p, line, power - 1);
  }
  if (s < 0 || !p->skew[s]) return place_of_point(p, line, k);
  const stage before = stage_of(p, s);
  return line * skewed_pitch(p, s) + skewed(p->skew[s], before.product * before.r, k);
}

static ptrdiff_t divide_up(ptrdiff_t a, ptrdiff_t b) { return (a + b - 1) / b; }

/* Threads that have a first butterfly: of whole lines, or a multiple of the products before, where all get as many so. */
static ptrdiff_t busy_threads(const fg_pass *p, const stage *t) {
  const ptrdiff_t lines = fg_pass_tile_lines(p), all = lines * t->portions, unit = lines > 1 ? t->portions : t->product;
  const ptrdiff_t busy = p->threads / unit * unit, at_once = lines > 1 ? p->threads / unit : busy;
  if (all <= p->threads) return all;
  if (t->r == 1 || (t->column && lines > 1) || busy == 0) return p->threads;
  return divide_up(lines > 1 ? lines : all, at_once) == divide_up(all, p->threads) ? busy : p->threads;
}

/* Wavefronts of the accesses to point j of threads first, first + 1, … of one group. */
static int group_wavefronts(const fg_pass *p, int s, const stage *t, int first, int j, bool writes) {
  const int banks = wavefront(p);
  int load[MOST_BANKS] = {0}, most = 1;
  for (int lane = 0; lane < banks; lane++) {
    if (first + lane >= busy_threads(p, t)) break;
    const int bank = (int)(place(p, s, t, first + lane, j, writes) % banks);
    if (++load[bank] > most) most = load[bank];
  }
  return most;
}

/* A sample: the first group of threads and one in the middle, each at four of its points. */
static void add_stage(const fg_pass *p, int s, const stage *t, bool writes, double *wavefronts, double *groups) {
  const int middle = p->threads / 2 / WARP * WARP, step = t->r > 4 ? (int)t->r / 4 : 1;
  for (int j = 0; j < t->r; j += step) {
    *wavefronts += group_wavefronts(p, s, t, 0, j, writes) + group_wavefronts(p, s, t, middle, j, writes);
    *groups += 2;
  }
}

/* Of a prime length: elements in order, without conflicts; the permuted accesses of the first and the last stage. */
static void add_permutation(const fg_pass *p, double *wavefronts, double *groups) {
  stage t = stage_of(p, 0);
  double in_order = 0;
  t.generator = fg_generator(p->filter.n);
  t.groups = fg_pass_groups(p);
  add_stage(p, -1, &t, false, wavefronts, &in_order);
  *groups += 2 * in_order;
  *wavefronts += in_order;
}

double fg_banks_conflicts(const fg_pass *p) {
  double wavefronts = 0, groups = 0;
  if (fg_pass_is_rader(p)) add_permutation(p, &wavefronts, &groups);
  for (int s = 0; s + 1 < p->stages; s++) {
    const stage from = stage_of(p, s), to = stage_of(p, s + 1);
    add_stage(p, s, &from, true, &wavefronts, &groups);
    add_stage(p, s, &to, false, &wavefronts, &groups);
  }
  return groups > 0 ? wavefronts / groups : 1;
}

/* ---- skews ---- */

/* Of the exchange after stage s: all groups of threads, of each the first points; with a skew, and without any padding, the
 * others are a constant apart. */
static double exchange_wavefronts(const fg_pass *p, int s) {
  const int points = p->pad && !p->skew[s] ? 4 : 1;
  double wavefronts = 0, groups = 0;
  for (int writes = 0; writes < 2; writes++) {
    const stage t = stage_of(p, writes ? s : s + 1);
    for (int first = 0; first < busy_threads(p, &t); first += wavefront(p))
      for (int j = 0; j < points && j < t.r; j++, groups++) wavefronts += group_wavefronts(p, s, &t, first, j, writes);
  }
  return wavefronts / groups;
}

/* Neighbouring threads have neighbouring points of one group, the first of the next behind the last: modulo the banks the
 * points in between are those of the other results. */
static int skew_for(const fg_pass *p, int s) {
  const stage t = stage_of(p, s);
  const ptrdiff_t banks = wavefront(p), step = t.product * (t.r - 1) % banks;
  if (t.product == 1) return t.r % 2 == 0; /* an odd distance */
  return (int)((banks - step) % banks);
}

bool fg_banks_may_skew(const fg_pass *p) {
  for (int s = 0; s < p->stages; s++)
    if (p->column[s]) return false; /* measured: 20.20 of 12 lines, row to column, is slower with fewer conflicts */
  return p->family == FG_FAMILY_TILE && !p->filter.kind && p->stages > 1;
}

void fg_banks_skew(fg_pass *p) {
  const double worth = 0.95;
  for (int s = 0; s + 1 < p->stages; s++) {
    p->skew[s] = 0;
    const double plain = exchange_wavefronts(p, s);
    p->skew[s] = skew_for(p, s);
    if (exchange_wavefronts(p, s) > worth * plain) p->skew[s] = 0;
  }
}
