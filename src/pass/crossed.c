/* crossed.c: lines whose neighbours are others where they are loaded than where they are stored, as of a transposition.
 *
 * The loop of the former and that of the latter are cut, and the inner parts are innermost: then a block has some of both, and a
 * warp 32 or 64 bytes of neighbours of the loads and a sector or more of those of the stores; or all, where these are few.  (On an
 * H100: doc/measurements.md.) */
#include <stdlib.h>
#include <string.h>

#include "src/pass/fit.h"
#include "src/pass/solver.h"

static int unit_loop(const fg_pass *p, enum fg_side side) {
  for (int l = 0; l < p->loops; l++)
    if (llabs(side == FG_INPUT ? p->loop[l].in : p->loop[l].out) == 1) return l;
  return -1;
}

/* The outer of two loops that this one is cut into, the inner of part turns. */
static fg_loop outer_part(const fg_loop *l, long long part) {
  return (fg_loop){.n = l->n / part, .in = l->in * part, .out = l->out * part, .twiddle = l->twiddle * part,
                   .load = l->load * part, .store = l->store * part};
}

/* Turns of the inner one: all of few; else most, or half of that and so on, which they are a multiple of; 0: not even least. */
static long long inner_part(long long turns, long long most, long long least) {
  if (turns <= most) return turns;
  while (most >= least && turns % most) most /= 2;
  return most >= least ? most : 0;
}

/* Bytes from line to line: of each array, where they are split, and of reals that are copied. */
static int element_of(const fg_pass *p) {
  const bool half = p->from.split || p->to.split || fg_form_is_real(p->from.form);
  return (int)fg_real_size(p->precision) * (half ? 1 : 2);
}

void fg_pass_cross(fg_pass *p) {
  enum { RUN = 64, SECTOR = 32, LINE = 128, LARGEST_TILE = 160 * 1024 /* bytes */ };
  const int a = unit_loop(p, FG_INPUT), b = unit_loop(p, FG_OUTPUT), element = element_of(p);
  const bool copies = p->n == 1 && p->from.form == p->to.form;
  if (p->twiddle || p->load_table.kind || p->store_table.kind) return; /* taste: parts of transforms are laid out for each other */
  if (a < 0 || b < 0 || a == b || p->padded || p->loops + 2 > FG_MAX_LOOPS) return;
  if (!copies && (p->from.form || p->to.form || llabs((long long)p->in) == 1 || llabs((long long)p->out) == 1)) return; /* rows */
  const fg_loop loads = p->loop[a], stores = p->loop[b];
  const long long first = inner_part(loads.n, RUN / element, SECTOR / element);
  const long long second = inner_part(stores.n, LINE / element, SECTOR / element);
  if (!first || !second) return;
  if (first * (SECTOR / element) * p->n * fg_fit_point_size(p) > LARGEST_TILE) return; /* no room for sectors of both sides */
  fg_loop rest[FG_MAX_LOOPS];
  int count = 0;
  for (int l = 0; l < p->loops; l++)
    if (l != a && l != b) rest[count++] = p->loop[l];
  rest[count++] = outer_part(&loads, first);
  rest[count++] = outer_part(&stores, second);
  count = fg_loops_tidy(rest, count);
  p->loop[0] = loads;
  p->loop[0].n = first;
  p->loop[1] = stores;
  p->loop[1].n = second;
  memcpy(p->loop + 2, rest, (size_t)count * sizeof *rest);
  p->loops = 2 + count;
  p->crossed = true;
}

ptrdiff_t fg_pass_crossed_run(const fg_pass *p, enum fg_side side) {
  const fg_loop *const first = &p->loop[0], *const second = &p->loop[1];
  const ptrdiff_t lines = p->lines, both = (ptrdiff_t)(first->n * second->n), turns = lines / (ptrdiff_t)first->n;
  if (side == FG_INPUT) {
    const ptrdiff_t together = second->in == first->n * first->in ? both : (ptrdiff_t)first->n;
    return lines < together ? lines : together;
  }
  if (lines % first->n) return 1;
  if (first->out == second->n * second->out && lines % both == 0) return both;
  return turns < second->n ? turns : (ptrdiff_t)second->n;
}
