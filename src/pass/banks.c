/* banks.c: how the exchanges of a tile meet the banks of shared memory, of its addresses worked out as
 * cuda/kernel/stage.h and exchange.h do; and the skews with which they meet fewer twice. */
#include "src/pass/banks.h"

#include "src/pass/fit.h"
#include "src/pass/geometry.h"
#include "src/pass/residues.h"

enum { WARP = 32, MOST_BANKS = 16 };

/* Points that one wavefront of 128 bytes serves. */
static int wavefront(const fg_pass *p) { return p->precision == FG_SINGLE ? 16 : 8; }

static ptrdiff_t padded(const fg_pass *p, ptrdiff_t q) { return p->pad ? q + q / p->pad : q; }

bool fg_banks_all_columns(const fg_pass *p) {
  if (fg_pass_is_rader(p)) return false; /* points of a line stay together */
  for (int s = 0; s < p->stages; s++)
    if (!p->column[s]) return false;
  return true;
}

/* Of a line, odd, so that threads across lines spread over the banks. */
static ptrdiff_t pitch(const fg_pass *p) {
  return fg_pass_is_rader(p) && !p->real_radix ? p->n + 1 : padded(p, p->n) | 1;
}

typedef struct {
  ptrdiff_t r, m, product; /* radix, butterflies of a line, radices before */
  ptrdiff_t portions;      /* of a line: one to a thread, whose first butterfly stands for all */
  bool column;
  ptrdiff_t generator; /* of the order that points are read in; 0: their own */
  fg_coprime_groups groups;
} stage;

/* A convolution has the stages twice, the second time in reverse. */
static int mirrored(const fg_pass *p, int s) { return s < p->stages ? s : 2 * p->stages - 1 - s; }

static stage stage_of(const fg_pass *p, int s) {
  const int own = mirrored(p, s);
  stage t = {.r = p->radix[own], .m = p->n / p->radix[own], .product = 1, .portions = fg_geometry_portions(p, own),
             .column = p->column[own]};
  for (int i = s < p->stages ? 0 : p->stages; i < s; i++) t.product *= p->radix[mirrored(p, i)];
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
  ptrdiff_t most = fg_banks_all_columns(p) ? padded(p, p->n * lines) : lines * (pitch(p) + first);
  for (int s = 0; s < fg_pass_exchanges(p); s++)
    if (p->skew[s] && lines * skewed_pitch(p, s) > most) most = lines * skewed_pitch(p, s);
  return most + most % 2; /* what follows stays 16-byte aligned */
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

/* The accesses of stage t, its writes or its reads, in the exchange after stage s (negative: before the first), and what
 * all of them have in common.  A line fits a block, and choices have 512 lines at most: int has that, and is divided in
 * half of the time. */
typedef struct {
  const fg_pass *p;
  const stage *t;
  bool writes, columns; /* columns: all stages run across lines first */
  int lines, portions, product, r, m, busy;
  int skew, group, pitch; /* of that exchange: of a line */
} accesses;

static accesses accesses_of(const fg_pass *p, int s, const stage *t, bool writes) {
  accesses a = {.p = p, .t = t, .writes = writes, .columns = fg_banks_all_columns(p), .lines = (int)fg_pass_tile_lines(p),
                .portions = (int)t->portions, .product = (int)t->product, .r = (int)t->r, .m = (int)t->m,
                .busy = (int)busy_threads(p, t), .skew = s < 0 ? 0 : p->skew[s], .pitch = (int)pitch(p)};
  if (!a.skew) return a;
  const stage before = stage_of(p, s);
  a.group = (int)(before.product * before.r);
  a.pitch = (int)skewed_pitch(p, s);
  return a;
}

/* Of index k of a line. */
static int place_of_index(const accesses *a, int line, int k) {
  if (a->skew) return line * a->pitch + (int)skewed(a->skew, a->group, k);
  const int q = a->columns ? k * a->lines + line : k, padded_q = a->p->pad ? q + q / a->p->pad : q;
  return a->columns ? padded_q : line * a->pitch + padded_q;
}

/* Of point j of a thread's butterfly. */
static int place(const accesses *a, int thread, int j) {
  const fg_pass *const p = a->p;
  const bool column = a->t->column;
  const int line = column ? thread % a->lines : thread / a->portions, b = column ? thread / a->lines : thread % a->portions;
  const int k = a->writes ? b / a->product * a->product * a->r + b % a->product + j * a->product : b + j * a->m;
  if (!a->t->generator) return place_of_index(a, line, k);
  ptrdiff_t power = fg_power_modulo(a->t->generator, fg_coprime_index(&a->t->groups, k), p->filter.n);
  power = power * fg_pass_spread(p) % p->filter.n;
  if (!p->real_radix) return place_of_index(a, line, (int)power - 1);
  return (int)(line * ((p->data / 2 + 1) | 1) + (power <= p->data / 2 ? power : p->data - power));
}

/* Wavefronts of the accesses to point j of threads first, first + 1, … of one group. */
static int group_wavefronts(const accesses *a, int first, int j) {
  const int banks = wavefront(a->p);
  int load[MOST_BANKS] = {0}, most = 1;
  for (int thread = first; thread < first + banks && thread < a->busy; thread++) {
    const int bank = place(a, thread, j) & (banks - 1);
    if (++load[bank] > most) most = load[bank];
  }
  return most;
}

/* A sample: the first group of threads and one in the middle, each at four of its points.  With a skew, and without any
 * padding, these are a constant apart, and one stands for all. */
static void add_stage(const fg_pass *p, int s, const stage *t, bool writes, double *wavefronts, double *groups) {
  const accesses a = accesses_of(p, s, t, writes);
  const int middle = p->threads / 2 / WARP * WARP, step = t->r > 4 ? (int)t->r / 4 : 1;
  const bool alike = !t->generator && (!p->pad || a.skew);
  int now = 0;
  for (int j = 0; j < t->r; j += step) {
    if (j == 0 || !alike) now = group_wavefronts(&a, 0, j) + group_wavefronts(&a, middle, j);
    *wavefronts += now;
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

/* Whose way back counts: in one pass, and not of the longest, whose large radices were measured without.  (A permutation is taken
 * to be alike on both ways.  Of three passes the second's way back was counted, too: by such prices three of six cuts were slower,
 * to 1.24, two faster.) */
static bool is_chirp(const fg_pass *p) {
  return p->filter.kind == FG_TABLE_FILTER && !p->filter.rows && !fg_fit_is_long_chirp(p);
}

double fg_banks_conflicts(const fg_pass *p) {
  double wavefronts = 0, groups = 0;
  if (fg_pass_is_rader(p)) add_permutation(p, &wavefronts, &groups);
  const int exchanges = is_chirp(p) ? fg_pass_exchanges(p) : p->stages - 1;
  for (int s = 0; s < exchanges; s++) {
    if (s + 1 == p->stages) continue; /* the same registers */
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
    const accesses a = accesses_of(p, s, &t, writes);
    for (int first = 0; first < a.busy; first += wavefront(p))
      for (int j = 0; j < points && j < t.r; j++, groups++) wavefronts += group_wavefronts(&a, first, j);
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
  return p->family == FG_FAMILY_TILE && (!p->filter.kind || is_chirp(p)) && p->stages > 1;
}

void fg_banks_skew(fg_pass *p) {
  const double worth = 0.95;
  for (int s = 0; s < fg_pass_exchanges(p); s++) {
    if (s + 1 == p->stages) continue;
    p->skew[s] = 0;
    const double plain = exchange_wavefronts(p, s);
    p->skew[s] = skew_for(p, s);
    if (exchange_wavefronts(p, s) > worth * plain) p->skew[s] = 0;
  }
}
