/* banks_box.c: how the exchanges of boxes meet the banks of shared memory: the addresses of two groups of threads,
 * worked out as cuda/kernel/box.cu does. */
#include "src/pass/banks.h"
#include "src/pass/fit.h"

enum { WARP = 32, MOST_BANKS = 16 };

/* A stage's radix, butterflies along its dimension, radices before it there; its number. */
typedef struct {
  ptrdiff_t r, m, product;
  int axis, number;
} stage;

/* One butterfly: at[axis] is its number there. */
typedef struct {
  ptrdiff_t box, at[FG_MAX_BOX];
} spot;

static stage stage_of(const fg_pass *p, int s) {
  stage t = {p->radix[s], 0, 1, p->axis[s], s};
  for (int i = 0; i < s; i++)
    if (p->axis[i] == t.axis) t.product *= p->radix[i];
  if (p->filter.kind && t.product >= p->box[t.axis].n) t.product /= p->box[t.axis].n; /* once more */
  t.m = p->box[t.axis].n / t.r;
  return t;
}

/* Index k along dimension d in the exchange after stage t, the s-th. */
static ptrdiff_t skewed(const fg_pass *p, int s, const stage *t, int d, ptrdiff_t k) {
  return p->skew[s] && d == t->axis ? k + k / (t->product * t->r) : k;
}

/* Points from neighbour to neighbour along dimension d there; of one box. */
static ptrdiff_t pitch_of(const fg_pass *p, int s, const stage *t, int d) {
  const int row = p->dims - 1;
  ptrdiff_t pitch = d == row ? 1 : s == fg_pass_returning(p) ? fg_pass_part(p, s + 1, row) : p->pitch;
  for (int i = d + 1; i < row; i++) pitch *= skewed(p, s, t, i, fg_pass_part(p, s + 1, i) - 1) + 1;
  return pitch;
}

ptrdiff_t fg_banks_box_points(const fg_pass *p) {
  ptrdiff_t most = 0;
  for (int s = 0; s == 0 || s + 1 < p->stages; s++) {
    const stage t = stage_of(p, s);
    const ptrdiff_t points = pitch_of(p, s, &t, 0) * (skewed(p, s, &t, 0, fg_pass_part(p, s + 1, 0) - 1) + 1);
    if (points > most) most = points;
  }
  return most;
}

ptrdiff_t fg_banks_shortest_pitch(const fg_pass *p) {
  const int row = p->dims - 1;
  ptrdiff_t most = p->box[row].n;
  for (int s = 0; s + 1 < p->stages; s++) {
    const stage t = stage_of(p, s);
    const ptrdiff_t points = skewed(p, s, &t, row, p->box[row].n - 1) + 1;
    if (points > most) most = points;
  }
  return most;
}

/* The accesses of stage t in the exchange after the s-th, and what all of them have in common: points of a box, from
 * neighbour to neighbour; butterflies of the stage along each dimension, and all of a block. */
typedef struct {
  const fg_pass *p;
  const stage *after, *t;
  bool writes;
  int s;
  ptrdiff_t box, pitch[FG_MAX_BOX], along[FG_MAX_BOX], butterflies;
} accesses;

static accesses accesses_of(const fg_pass *p, int s, const stage *after, const stage *t) {
  accesses a = {.p = p, .after = after, .t = t, .writes = t->number == s, .s = s, .box = fg_banks_box_points(p)};
  for (int d = 0; d < p->dims; d++) {
    a.pitch[d] = pitch_of(p, s, after, d);
    a.along[d] = d == t->axis ? t->m : fg_pass_part(p, t->number, d);
  }
  a.butterflies = p->lines * (fg_pass_part_points(p, t->number) / t->r);
  return a;
}

static spot locate(const accesses *a, ptrdiff_t u) {
  spot at = {0};
  if (a->p->across) {
    at.box = u % a->p->lines;
    u /= a->p->lines;
  }
  /* Of planes the kernel does not; but the cuts that are chosen as if it did are the faster ones (on an H200 128² alone 3.4 us
   * for 4.0, 160³ 44.3 for 46.8, 512 x 512 x 128 307 for 311). */
  const bool cut = a->p->four_step && !a->p->filter.kind && !a->p->strip;
  const int row = a->p->dims - 1, first = cut && a->t->number == a->p->stages - 1 ? 0 : row;
  const int sector = FG_SECTOR / fg_fit_point_size(a->p);
  const int together = a->t->number == 0 && fg_pass_loads_rows(a->p) ? sector : 1;
  const ptrdiff_t in_sector = u % together;
  u /= together;
  at.at[first] = u % a->along[first];
  u /= a->along[first];
  for (int d = row; d >= 0; d--) {
    if (d == first) continue;
    const ptrdiff_t along = a->along[d] / (d == 1 ? together : 1);
    at.at[d] = u % along;
    u /= along;
  }
  if (together > 1) at.at[1] = at.at[1] * together + in_sector;
  if (!a->p->across) at.box = u;
  return at;
}

/* Place of point j of thread u's butterfly. */
static ptrdiff_t place(const accesses *a, ptrdiff_t u, int j) {
  const fg_pass *const p = a->p;
  const stage *const t = a->t;
  spot at = locate(a, u);
  const ptrdiff_t b = at.at[t->axis];
  at.at[t->axis] = a->writes ? b / t->product * t->product * t->r + b % t->product + j * t->product : b + j * t->m;
  if (a->writes && a->s == fg_pass_crossing(p)) {
    at.at[0] = fg_pass_place_of_index(p, 0, at.at[0]) % fg_pass_part(p, a->s + 1, 0);
    at.at[1] = fg_pass_index_at_place(p, 1, at.at[1]);
  }
  if (a->writes && a->s == fg_pass_returning(p)) at.at[1] %= fg_pass_part(p, a->s + 1, 1);
  ptrdiff_t sum = 0;
  for (int d = 0; d < p->dims; d++) sum += skewed(p, a->s, a->after, d, at.at[d]) * a->pitch[d];
  return p->across ? sum * p->lines + at.box : sum + at.box * a->box;
}

typedef struct {
  double wavefronts, groups;
} count;

/* Accesses to point j of 128 bytes' threads, from first on. */
static void add_group(const accesses *a, int first, int j, count *c) {
  const int banks = a->p->precision == FG_SINGLE ? 16 : 8;
  int load[MOST_BANKS] = {0}, most = 1;
  for (int u = first; u < first + banks && u < a->p->threads && u < a->butterflies; u++) {
    const int bank = (int)(place(a, u, j) & (banks - 1));
    if (++load[bank] > most) most = load[bank];
  }
  c->wavefronts += most;
  c->groups++;
}

static void add_stage(const accesses *a, count *c) {
  const int middle = a->p->threads / 2 / WARP * WARP, step = a->t->r > 4 ? (int)a->t->r / 4 : 1;
  for (int j = 0; j < a->t->r; j += step) {
    add_group(a, 0, j, c);
    add_group(a, middle, j, c);
  }
}

double fg_banks_exchange_conflicts(const fg_pass *p, int s) {
  if (p->filter.kind && 2 * (s + 1) == p->stages) return 1; /* the product, in registers */
  const stage from = stage_of(p, s), to = stage_of(p, s + 1);
  const accesses writes = accesses_of(p, s, &from, &from), reads = accesses_of(p, s, &from, &to);
  count c = {0, 0};
  add_stage(&writes, &c);
  add_stage(&reads, &c);
  return c.wavefronts / c.groups;
}

double fg_banks_box_conflicts(const fg_pass *p) {
  double sum = 0;
  for (int s = 0; s + 1 < p->stages; s++) sum += fg_banks_exchange_conflicts(p, s);
  return p->stages > 1 ? sum / (p->stages - 1) : 1;
}
