/* relay.c: large transforms of rank 3 in three passes of much the same size: the digits of both slower dimensions are shared
 * between neighbouring passes.
 *
 * Of n = a·b points, index i·b + j, columns (i) are done in one pass, with the twiddle, and rows (j) in the next, as in a
 * hierarchical transform (hierarchical.c).  The first pass does whole rows of the last dimension together with the columns
 * of the middle one, each box where it lies; the second the middle one's rows together with the columns of the slowest, into
 * scratch, which is laid out as the output is; the third what is left of the slowest.  The second and the third do so for
 * neighbours along the last dimension, of which a block has room for a whole line of memory, where it has none for that with
 * a whole dimension.  (As in overlap.c, whose two passes are too large for blocks then, and slow in clusters.) */
#include <stdlib.h>

#include "src/pass/fit.h"
#include "src/pass/radices.h"
#include "src/pass/solver.h"

enum { RUN = 128 /* bytes */, MAX_WAYS = 6 };

/* Beside passes in clusters of many blocks these count as so much of their estimate, since the cost model makes those too cheap.
 * (H200, estimate and time of these ÷ of those: 800^3 1.07 and 0.94, 960^3 1.04 and 0.965, 1024^3 1.03 and 0.95; 720^3 1.2 and
 * 1.05, 768^3 1.2 and 1.03: doc/measurements.md.) */
static const double worth = 0.9;

/* Points of the last dimension behind the first pass: of real data half of the spectrum. */
static ptrdiff_t kept(const fg_work *w) {
  const ptrdiff_t n = w->dim[2].n;
  return w->kind == FG_DFT ? n : n / 2 + 1;
}

static ptrdiff_t point(const fg_work *w) { return 2 * (ptrdiff_t)fg_real_size(w->precision); }

/* Of the last dimension in the first pass' tile: two reals of an even row are a point. */
static ptrdiff_t row_bytes(const fg_work *w) {
  const ptrdiff_t n = w->dim[2].n;
  return (w->kind == FG_DFT || n % 2 ? n : n / 2) * point(w);
}

static bool whole_lines(const fg_work *w) { return kept(w) * point(w) % RUN == 0; }

/* So many points in runs along the last dimension leave room for three blocks on a multiprocessor. */
static bool roomy(const fg_planner *planner, ptrdiff_t points) {
  return points <= FG_LARGEST_BLOCK / RUN && fg_fit_room(planner->device, (size_t)(points * RUN)) >= 3;
}

/* No cluster has room for a plane of complex points: 1024 x 1024 x 128 is better with planes in one. */
static bool large_planes(const fg_planner *planner, const fg_work *w) {
  const double plane = (double)w->dim[1].n * (double)w->dim[2].n * (double)point(w);
  return plane > (double)planner->device->cluster * (double)planner->device->shared_block;
}

static bool has_room(const fg_planner *planner, const fg_work *w) {
  const double points = (double)w->dim[0].n * (double)w->dim[1].n * (double)kept(w) * (double)fg_work_loop_size(w);
  return 4 * points * (double)point(w) <= (double)planner->device->memory; /* both arrays, scratch and some room */
}

static bool applicable(const fg_planner *planner, const fg_work *w) {
  if (w->rank != 3 || (w->kind != FG_DFT && w->kind != FG_R2C)) return false; /* must: lower_split begins with the last */
  const fg_dim *slow = &w->dim[0], *middle = &w->dim[1], *last = &w->dim[2];
  return !fg_work_has_form(w)                                         /* must: boxes have no other forms */
         && !w->from.wide && !w->to.wide                              /* taste: wide output is written once */
         && planner->splits == 0                                      /* taste: more passes are done by others */
         && !w->load_table.kind && !w->store_table.kind               /* must: positions are of one dimension */
         && w->twiddle == 0                                           /* must: the twiddles belong to the first two passes */
         && w->scratch <= 1 && w->loops + 3 <= FG_MAX_LOOPS           /* must: scratch and loops of the second pass */
         && slow->n < FG_RELAY_MIDDLE && middle->n < FG_RELAY_MIDDLE  /* must: both digits are one choice */
         && labs((long)last->is) == 1 && labs((long)last->os) == 1    /* taste: runs of neighbours on both sides */
         && planner->device->cluster > 1 && large_planes(planner, w)  /* taste: measured beside passes in clusters only */
         && !roomy(planner, slow->n)                                  /* taste: else solver overlap leaves the slowest as it is */
         && has_room(planner, w);                                     /* taste: solver dimensions needs no scratch */
}

/* A dimension of one point is none. */
static void drop_ones(fg_work *w) {
  int rank = 0;
  for (int d = 0; d < w->rank; d++)
    if (w->dim[d].n > 1) w->dim[rank++] = w->dim[d];
  w->rank = rank;
}

static void add(fg_work *w, fg_loop loop) {
  if (loop.n > 1) w->loop[w->loops++] = loop;
}

/* w's own loops, from one of the arrays that they are in to another. */
static void carry(fg_work *pass, const fg_work *from, const fg_work *to) {
  for (int l = 0; l < from->loops; l++) {
    pass->loop[l].in = from->loop[l].out;
    pass->loop[l].out = to->loop[l].out;
  }
}

/* Rows of the last dimension and columns of a points of the middle one, where the output has them. */
static fg_work rows(const fg_work *w, ptrdiff_t a) {
  const fg_dim slow = w->dim[0], middle = w->dim[1];
  const ptrdiff_t rest = middle.n / a;
  fg_work f = *w;
  f.rank = 2;
  f.dim[0] = (fg_dim){a, middle.is * rest, middle.os * rest};
  f.dim[1] = w->dim[2];
  f.twiddle = a > 1 ? middle.n : 0;
  add(&f, (fg_loop){.n = slow.n, .in = slow.is, .out = slow.os});
  add(&f, (fg_loop){.n = rest, .in = middle.is, .out = middle.os, .twiddle = a > 1});
  drop_ones(&f);
  return f;
}

/* From there to between: the rows of the middle dimension and columns of b points of the slowest. */
static fg_work middle_rows(const fg_work *w, const fg_work *between, ptrdiff_t a, ptrdiff_t b) {
  const fg_dim slow = w->dim[0], middle = w->dim[1], *to = between->dim;
  const ptrdiff_t rest = slow.n / b, rows = middle.n / a;
  fg_work s = *w;
  s.kind = FG_DFT;
  s.from = w->to;
  s.to = between->to;
  s.scratch = between->scratch;
  s.rank = 2;
  s.dim[0] = (fg_dim){b, slow.os * rest, to[0].os * rest};
  s.dim[1] = (fg_dim){rows, middle.os, to[1].os * a};
  s.twiddle = b > 1 ? slow.n : 0;
  carry(&s, w, between);
  add(&s, (fg_loop){.n = kept(w), .in = w->dim[2].os, .out = to[2].os});
  add(&s, (fg_loop){.n = a, .in = middle.os * rows, .out = to[1].os});
  add(&s, (fg_loop){.n = rest, .in = slow.os, .out = to[0].os, .twiddle = b > 1});
  drop_ones(&s);
  return s;
}

/* And from there to the output: what is left of the slowest. */
static fg_work slow_rows(const fg_work *w, const fg_work *between, ptrdiff_t b) {
  const fg_dim slow = w->dim[0], *from = between->dim;
  const ptrdiff_t rows = slow.n / b;
  fg_work t = *w;
  t.kind = FG_DFT;
  t.from = between->to;
  t.scratch = between->scratch;
  t.rank = 1;
  t.dim[0] = (fg_dim){rows, from[0].os, slow.os * b};
  carry(&t, between, w);
  add(&t, (fg_loop){.n = kept(w), .in = from[2].os, .out = w->dim[2].os});
  add(&t, (fg_loop){.n = w->dim[1].n, .in = from[1].os, .out = w->dim[1].os});
  add(&t, (fg_loop){.n = b, .in = from[0].os * rows, .out = slow.os});
  return t;
}

bool fg_relay_lower_split(const fg_planner *planner, const fg_work *w, ptrdiff_t digits, fg_passes *list) {
  const ptrdiff_t a = digits / FG_RELAY_MIDDLE, b = digits % FG_RELAY_MIDDLE;
  const int before = list->count;
  fg_work spectrum = *w, between;
  spectrum.kind = FG_DFT;
  spectrum.dim[2].n = kept(w);
  if (!fg_work_between(&spectrum, true, &between, list)) return false;
  const fg_work first = rows(w, a), second = middle_rows(w, &between, a, b), third = slow_rows(w, &between, b);
  fg_planner deeper = *planner;
  deeper.splits++;
  return fg_planner_lower(&deeper, &first, list) && fg_planner_lower_both(&deeper, &second, &third, list) &&
         list->count - before == 3; /* more passes are done by others */
}

/* What a block of the first pass may have, and runs that one of the last, whose points lie farthest apart, is to have room for. */
typedef struct {
  ptrdiff_t first, runs;
} room;

/* The digits whose largest pass is smallest: a·FG_RELAY_MIDDLE + b. */
static int ways(const fg_planner *planner, const fg_work *w, room wanted, ptrdiff_t list[MAX_WAYS]) {
  const ptrdiff_t slow = w->dim[0].n, middle = w->dim[1].n, row = row_bytes(w);
  ptrdiff_t size[MAX_WAYS + 1], best[MAX_WAYS + 1];
  int count = 0;
  for (ptrdiff_t a = 1; a < middle && a * row <= wanted.first; a++) {
    if (middle % a || !fg_smooth(a, w->precision) || !fg_smooth(middle / a, w->precision)) continue;
    for (ptrdiff_t b = 1; b < slow && roomy(planner, b * (middle / a)); b++) {
      if (slow % b || !fg_smooth(b, w->precision) || !fg_smooth(slow / b, w->precision)) continue;
      if (!roomy(planner, slow / b * wanted.runs)) continue;
      ptrdiff_t largest = a * row;
      if (largest < b * (middle / a) * RUN) largest = b * (middle / a) * RUN;
      if (largest < slow / b * RUN) largest = slow / b * RUN;
      int at = count;
      for (; at > 0 && size[at - 1] > largest; at--) {
        size[at] = size[at - 1];
        best[at] = best[at - 1];
      }
      size[at] = largest;
      best[at] = a * FG_RELAY_MIDDLE + b;
      if (count < MAX_WAYS) count++;
    }
  }
  for (int i = 0; i < count; i++) list[i] = best[i];
  return count;
}

/* Two runs gain where rows are whole lines of memory (H200, ms: 1024^3 12.7 for 13.1, 768^3 5.4 for 5.5), and nothing elsewhere
 * (900^3 9.4 for 9.2, 1000^3 13.6 for 13.1). */
static int best_ways(const fg_planner *planner, const fg_work *w, ptrdiff_t list[MAX_WAYS]) {
  int count = whole_lines(w) ? ways(planner, w, (room){FG_LARGEST_BLOCK, 2}, list) : 0;
  if (!count) count = ways(planner, w, (room){FG_LARGEST_BLOCK, 1}, list);
  if (!count) count = ways(planner, w, (room){FG_LARGEST_BLOCK / 2 * 3, 1}, list);
  return count;
}

/* What solver overlap makes of w: passes in clusters, planes among them. */
typedef struct {
  bool clusters, planes;
} overlapped;

static overlapped overlap_of(const fg_planner *planner, const fg_work *w) {
  const fg_planner all = {.device = planner->device, .splits = planner->splits};
  fg_passes *others = calloc(1, sizeof *others);
  overlapped o = {false, false};
  if (others && fg_solver_overlap.applicable(&all, w) && fg_solver_overlap.lower(&all, w, others))
    for (int i = 0; i < others->count; i++) {
      o.clusters = o.clusters || others->pass[i].cluster > 1;
      o.planes = o.planes || (others->pass[i].four_step && !others->pass[i].strip);
    }
  free(others);
  return o;
}

/* Not in place of planes in clusters, which are only planned where they were measured (four_step.c), on other devices than this was.
 * Beside dimension by dimension, which needs no scratch, and whose last pass finishes slab by slab of what leaves over the link, only
 * for data on the device, and only what gains by it: not complex rows that end within a line (1000^3 as fast, 1080^3 1.03; r2c of 800^3
 * to 1024^3 1.03 to 1.05, in double precision 640^3 and 768^3 1.1). */
static bool lower(const fg_planner *planner, const fg_work *w, fg_passes *list) {
  const double before = list->cost;
  ptrdiff_t digits[MAX_WAYS];
  const int count = best_ways(planner, w, digits);
  if (!count) return false;
  const overlapped others = overlap_of(planner, w);
  if (others.planes || (!others.clusters && (w->over_link || (!whole_lines(w) && w->kind == FG_DFT)))) return false;
  const double counts = others.clusters ? worth : 1;
  fg_planner own = *planner;
  if (own.limit > 0) own.limit = before + (own.limit - before) / counts;
  if (!fg_planner_cheapest(&own, w, fg_relay_lower_split, digits, count, list)) return false;
  list->cost = before + counts * (list->cost - before);
  return true;
}

const fg_solver fg_solver_relay = {"relay", applicable, lower};
