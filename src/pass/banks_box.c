/* banks_box.c: how the exchanges of boxes meet the banks of shared memory: the addresses of two groups of threads,
 * worked out as cuda/kernel/box.cu does. */
#include "src/pass/banks.h"

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
  ptrdiff_t pitch = d == row ? 1 : p->pitch;
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

static spot locate(const fg_pass *p, const stage *t, ptrdiff_t u) {
  spot at = {0};
  if (p->across) {
    at.box = u % p->lines;
    u /= p->lines;
  }
  for (int d = p->dims - 1; d >= 0; d--) {
    const ptrdiff_t n = d == t->axis ? t->m : fg_pass_part(p, t->number, d);
    at.at[d] = u % n;
    u /= n;
  }
  if (!p->across) at.box = u;
  return at;
}

/* Place of point j of thread u's butterfly in stage t, in the exchange after stage `after`, the s-th. */
static ptrdiff_t place(const fg_pass *p, int s, const stage *after, const stage *t, ptrdiff_t u, int j, bool writes) {
  spot at = locate(p, t, u);
  const ptrdiff_t b = at.at[t->axis];
  at.at[t->axis] = writes ? b / t->product * t->product * t->r + b % t->product + j * t->product : b + j * t->m;
  if (writes && s == fg_pass_crossing(p)) at.at[0] %= fg_pass_part(p, s + 1, 0);
  ptrdiff_t sum = 0;
  for (int d = 0; d < p->dims; d++) sum += skewed(p, s, after, d, at.at[d]) * pitch_of(p, s, after, d);
  return p->across ? sum * p->lines + at.box : sum + at.box * fg_banks_box_points(p);
}

typedef struct {
  double wavefronts, groups;
} count;

/* Accesses to point j of 128 bytes' threads, from first on. */
static void add_group(const fg_pass *p, int s, const stage *after, const stage *t, int first, int j, bool writes,
                      count *c) {
  const int banks = p->precision == FG_SINGLE ? 16 : 8;
  int load[MOST_BANKS] = {0}, most = 1;
  for (int u = first; u < first + banks; u++) {
    if (u >= p->threads || u >= p->lines * (fg_pass_part_points(p, t->number) / t->r)) break;
    const int bank = (int)(place(p, s, after, t, u, j, writes) % banks);
    if (++load[bank] > most) most = load[bank];
  }
  c->wavefronts += most;
  c->groups++;
}

static void add_stage(const fg_pass *p, int s, const stage *after, const stage *t, bool writes, count *c) {
  const int middle = p->threads / 2 / WARP * WARP, step = t->r > 4 ? (int)t->r / 4 : 1;
  for (int j = 0; j < t->r; j += step) {
    add_group(p, s, after, t, 0, j, writes, c);
    add_group(p, s, after, t, middle, j, writes, c);
  }
}

double fg_banks_exchange_conflicts(const fg_pass *p, int s) {
  const stage from = stage_of(p, s), to = stage_of(p, s + 1);
  count c = {0, 0};
  add_stage(p, s, &from, &from, true, &c);
  add_stage(p, s, &from, &to, false, &c);
  return c.wavefronts / c.groups;
}

double fg_banks_box_conflicts(const fg_pass *p) {
  double sum = 0;
  for (int s = 0; s + 1 < p->stages; s++) sum += fg_banks_exchange_conflicts(p, s);
  return p->stages > 1 ? sum / (p->stages - 1) : 1;
}
