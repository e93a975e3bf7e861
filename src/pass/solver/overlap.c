/* overlap.c: large transforms of rank 2 and more in two passes, for three or for two that are less even: the digits of the
 * last dimension but one are shared between them.
 *
 * That dimension, n = n₁·n₂ points, index i·n₂ + j, is done as a hierarchical transform (hierarchical.c).  The first
 * pass does its columns (i) together with the last dimension, as boxes of n₁ whole rows, with the twiddle, into
 * scratch; the second its rows (j) together with all dimensions before it, as boxes side by side along the last
 * dimension.  Each fits a block where two whole dimensions do not.  ("YZ overlap": the middle dimension's digits are
 * shared between two sweeps over the data.)  Of real data the last dimension is the real one: r2c does the same with
 * half of the spectrum between the passes, c2r the other way round. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "src/pass/fit.h"
#include "src/pass/geometry.h"
#include "src/pass/solver.h"
#include "src/pass/tuned.h"

enum { MAX_FACTORS = 6, MAX_CANDIDATES = 2 * MAX_FACTORS, FEWEST_TOGETHER = 4, LONGEST_REAL_ROW = 2048, RUN = 128 /* bytes */ };

/* Of what others take by the cost model: with fewer passes; with fewer where the model does not make them too cheap (complex
 * 3-D in single precision: 0.85 to 1.05 of the estimates); with as many, and in single precision of its own where those are
 * planes in clusters (256 x 256 x 512: 338 us of 400, planes 352 of 374); of r2c instead if it is cheaper by a little (300^3 204
 * us for 209, 256^3 x 2 208 for 199); with strips (solver strip) in place of such planes if they are cheaper by so much.  And what
 * the L2 holds makes a third pass cheap.
 * (Measured on an H200 from 144^3 to 512 x 512 x 128, r2c on an H100: doc/measurements.md.) */
static const double worth = 0.9, worth_boxes = 1, worth_even = 0.92, worth_r2c = 0.97, worth_strips = 0.92;
double fg_overlap_caches = 1;

static double bytes(const fg_work *w) {
  double points = 1;
  for (int d = 0; d < w->rank; d++) points *= (double)w->dim[d].n;
  for (int l = 0; l < w->loops; l++) points *= (double)w->loop[l].n;
  return points * (w->kind == FG_DFT ? 2 : 1) * (double)fg_real_size(w->precision);
}

static bool applicable(const fg_planner *planner, const fg_work *w) {
  if (w->rank < 2 || w->rank > FG_MAX_BOX + 1) return false; /* must: the second pass has all dimensions but one */
  const fg_dim *last = &w->dim[w->rank - 1], *split = &w->dim[w->rank - 2];
  const bool plane = w->kind == FG_R2C && w->precision == FG_SINGLE && w->rank == 2 && last->n % 2 == 0;
  const bool slower_when_long = w->kind == FG_C2R || plane;
  return w->kind != FG_R2R && !fg_work_has_form(w)                  /* must: boxes have no other forms */
         && (!slower_when_long || last->n <= LONGEST_REAL_ROW)      /* taste: 4096² × 2, c2r 298 us, r2c 249; in three 211 */
         && planner->splits == 0                                    /* taste: more passes are done by others */
         && !w->load_table.kind && !w->store_table.kind             /* must: positions are of one dimension */
         && w->twiddle == 0                                         /* must: the twiddle belongs to the first pass */
         && bytes(w) > fg_overlap_caches * (double)planner->device->l2 /* taste: see there */
         && w->scratch <= 1                                         /* must: there are two scratch arrays */
         && w->loops + w->rank <= FG_MAX_LOOPS                      /* must: dimensions and the digit become loops */
         && split->n <= UINT32_MAX                                  /* must: exponents are 32-bit */
         && labs((long)last->is) == 1 && labs((long)last->os) == 1; /* taste: runs of neighbours on both sides */
}

/* Points of the last dimension in scratch: of real data half of the spectrum. */
static ptrdiff_t kept(const fg_work *w) {
  const ptrdiff_t n = w->dim[w->rank - 1].n;
  return w->kind == FG_DFT ? n : n / 2 + 1;
}

/* The next axis of scratch outwards. */
static ptrdiff_t place(ptrdiff_t *stride, ptrdiff_t n) {
  const ptrdiff_t here = *stride;
  *stride *= n;
  return here;
}

/* What both first passes end with: w's loops, outermost, the twiddle of the split dimension, the place.  Elements of
 * scratch. */
static ptrdiff_t into_scratch(const fg_work *w, fg_work *f, ptrdiff_t stride) {
  for (int l = 0; l < w->loops; l++) {
    f->loop[f->loops] = w->loop[l];
    f->loop[f->loops++].out = place(&stride, (ptrdiff_t)w->loop[l].n);
  }
  f->twiddle = w->dim[w->rank - 2].n;
  f->to = (fg_place){.array = FG_ARRAY_SCRATCH0 + w->scratch};
  f->scratch = w->scratch + 1;
  return stride;
}

/* Rows are whole lines of memory wherever they lie. */
static bool whole_lines(const fg_work *w) { return kept(w) * 2 * (ptrdiff_t)fg_real_size(w->precision) % RUN == 0; }

/* The last dimension first, together with the split one's columns of n1 points; loops: the other digit, the other
 * dimensions, w's.  In scratch all that the second pass transforms together is near, from the innermost out the last
 * dimension, the second digit, the others; the first digit's results lie far apart.  But where rows end within a line of
 * memory the first digit comes behind the last dimension, as it does in the result: n1 rows are one, in both, of which
 * the second pass has runs of whole sectors, and the first stores boxes in one piece, from the start of a line (H100, both ways
 * with the fastest geometries, us: r2c of 180^3 x 5 205 -> 181, 200^3 x 4 228 -> 198, 64^3 x 128 197 -> 193; 135^3 x 13
 * 433 -> 389; whole lines as they are: 144^3 x 11 and 160^3 x 8 378 -> 383 and 376 -> 384).  *elements: of scratch. */
static fg_work rows_first(const fg_work *w, ptrdiff_t n1, ptrdiff_t *elements) {
  const fg_dim last = w->dim[w->rank - 1], split = w->dim[w->rank - 2];
  fg_work f = *w;
  const bool together = !whole_lines(w);
  const ptrdiff_t line = RUN / (2 * (ptrdiff_t)fg_real_size(w->precision));
  ptrdiff_t stride = kept(w);
  f.rank = 2;
  f.dim[0] = (fg_dim){n1, split.is * (split.n / n1), 0};
  f.dim[1] = (fg_dim){last.n, last.is, 1};
  f.loops = 0;
  if (together) {
    f.dim[0].os = place(&stride, n1);
    stride = (stride + line - 1) / line * line;
  }
  f.loop[f.loops++] = (fg_loop){.n = split.n / n1, .in = split.is, .twiddle = 1};
  for (int d = w->rank - 3; d >= 0; d--) f.loop[f.loops++] = (fg_loop){.n = w->dim[d].n, .in = w->dim[d].is};
  for (int l = 0; l < f.loops; l++) f.loop[l].out = place(&stride, (ptrdiff_t)f.loop[l].n);
  if (!together) f.dim[0].os = place(&stride, n1);
  *elements = into_scratch(w, &f, stride);
  return f;
}

/* From there: rows of the split dimension and all others but the last, side by side along that. */
static fg_work others_last(const fg_work *w, const fg_work *first) {
  const fg_dim last = w->dim[w->rank - 1], split = w->dim[w->rank - 2];
  const ptrdiff_t n1 = first->dim[0].n;
  fg_work s = *w;
  s.kind = FG_DFT;
  s.rank = w->rank - 1;
  s.from = first->to;
  s.scratch = w->scratch + 1;
  for (int d = 0; d < s.rank; d++) {
    const fg_loop *from = &first->loop[s.rank - 1 - d];
    s.dim[d] = (fg_dim){(ptrdiff_t)from->n, (ptrdiff_t)from->out, d < s.rank - 1 ? w->dim[d].os : split.os * n1};
  }
  for (int l = 0; l < w->loops; l++) s.loop[l].in = first->loop[s.rank + l].out;
  s.loop[s.loops++] = (fg_loop){.n = kept(w), .in = first->dim[1].os, .out = last.os};
  s.loop[s.loops++] = (fg_loop){.n = n1, .in = first->dim[0].os, .out = split.os};
  return s;
}

static ptrdiff_t padded_row(const fg_work *w) { return fg_padded_row(kept(w), 2 * fg_real_size(w->precision)); }

/* c2r ends with the last dimension: the split one's other digit and the other dimensions come first, side by side along
 * it.  Loops: half of the spectrum, the digit of the second pass, w's.  In scratch, from the innermost out: the last
 * dimension, that digit, the others, the first digit.  Rows of tiles and of strips may be padded there, so that they begin with
 * sectors (H100, us: c2r of 400^3 576 -> 457, 448^3 906 -> 707); not of boxes, whose measured geometries are of dense ones
 * (64^3 x 128, 190 us and 246). */
static fg_work others_first(const fg_work *w, ptrdiff_t n1, bool padded, ptrdiff_t *elements) {
  const fg_dim last = w->dim[w->rank - 1], split = w->dim[w->rank - 2];
  fg_work f = *w;
  ptrdiff_t stride = 1;
  f.kind = FG_DFT;
  f.rank = w->rank - 1;
  f.dim[0] = (fg_dim){split.n / n1, split.is * n1, 0};
  for (int d = 1; d < f.rank; d++) f.dim[d] = w->dim[d - 1];
  f.loops = 0;
  const ptrdiff_t row = padded || f.rank == 1 ? padded_row(w) : kept(w);
  f.loop[f.loops++] = (fg_loop){.n = kept(w), .in = last.is, .out = place(&stride, row)};
  f.loop[f.loops++] = (fg_loop){.n = n1, .in = split.is, .out = place(&stride, n1), .twiddle = 1};
  for (int d = f.rank - 1; d >= 0; d--) f.dim[d].os = place(&stride, f.dim[d].n);
  *elements = into_scratch(w, &f, stride);
  return f;
}

/* From there: the split dimension's other digit and whole rows. */
static fg_work rows_last(const fg_work *w, const fg_work *first) {
  const fg_dim last = w->dim[w->rank - 1], split = w->dim[w->rank - 2];
  const ptrdiff_t digit = first->dim[0].n;
  fg_work s = *w;
  s.rank = 2;
  s.from = first->to;
  s.scratch = w->scratch + 1;
  s.dim[0] = (fg_dim){split.n / digit, (ptrdiff_t)first->loop[1].out, split.os * digit};
  s.dim[1] = (fg_dim){last.n, 1, last.os};
  for (int l = 0; l < w->loops; l++) s.loop[l].in = first->loop[2 + l].out;
  s.loop[s.loops++] = (fg_loop){.n = digit, .in = first->dim[0].os, .out = split.os};
  for (int d = 1; d < first->rank; d++)
    s.loop[s.loops++] = (fg_loop){.n = first->dim[d].n, .in = first->dim[d].os, .out = w->dim[d - 1].os};
  return s;
}

static bool has_strips(const fg_passes *list, int first) {
  bool any = false;
  for (int i = first; i < list->count; i++) any = any || list->pass[i].strip;
  return any;
}

bool fg_overlap_lower_split(const fg_planner *planner, const fg_work *w, ptrdiff_t n1, fg_passes *list) {
  const bool back = w->kind == FG_C2R, padded = n1 < 0;
  const int before = list->count;
  ptrdiff_t elements;
  const fg_work first = back ? others_first(w, padded ? -n1 : n1, padded, &elements) : rows_first(w, n1, &elements);
  const fg_work second = back ? rows_last(w, &first) : others_last(w, &first);
  fg_planner deeper = *planner;
  deeper.splits++;
  fg_passes_need(list, first.to.array, elements);
  return fg_planner_lower_both(&deeper, &first, &second, list) && (!padded || has_strips(list, before));
}

/* Points that so many blocks have room for. */
static ptrdiff_t room_of(const fg_planner *planner, const fg_work *w, int blocks) {
  return blocks * (ptrdiff_t)(planner->device->shared_block / (2 * fg_real_size(w->precision)));
}

/* The largest n1 of which these have room for whole rows, if it is a factor. */
static ptrdiff_t largest_factor(const fg_planner *planner, const fg_work *w, int blocks) {
  const ptrdiff_t rows = room_of(planner, w, blocks) / w->dim[w->rank - 1].n, half = w->dim[w->rank - 2].n / 2;
  return rows < half ? rows : half;
}

/* The larger of the two passes' boxes, in points, if the digit beside the last dimension has n1, of which there is room; 0 if
 * the other does not fit into so many blocks. */
static ptrdiff_t larger_box(const fg_planner *planner, const fg_work *w, ptrdiff_t n1, int blocks) {
  const ptrdiff_t most = room_of(planner, w, blocks), first = n1 * w->dim[w->rank - 1].n;
  ptrdiff_t second = FEWEST_TOGETHER * (w->dim[w->rank - 2].n / n1);
  for (int d = 0; d < w->rank - 2 && second <= most; d++) second *= w->dim[d].n;
  if (second > most) return 0;
  return first > second ? first : second;
}

/* The factors whose larger box is smallest, in clusters of so many blocks. */
static int candidates_in(const fg_planner *planner, const fg_work *w, int blocks, ptrdiff_t list[MAX_CANDIDATES]) {
  const ptrdiff_t n = w->dim[w->rank - 2].n, largest = largest_factor(planner, w, blocks);
  ptrdiff_t size[MAX_FACTORS + 1], best[MAX_FACTORS + 1];
  int count = 0;
  for (ptrdiff_t n1 = 2; n1 <= largest; n1++) {
    int at = count;
    if (n % n1 || !fg_smooth(n1, w->precision) || !fg_smooth(n / n1, w->precision)) continue;
    const ptrdiff_t larger = larger_box(planner, w, n1, blocks);
    if (!larger) continue;
    for (; at > 0 && size[at - 1] > larger; at--) {
      size[at] = size[at - 1];
      best[at] = best[at - 1];
    }
    size[at] = larger;
    best[at] = n1;
    if (count < MAX_FACTORS) count++;
  }
  for (int i = 0; i < count; i++) list[i] = best[i];
  return count;
}

/* Where none fit blocks, of complex data those that fit clusters (solvers box and strip).  Of a c2r each again, with padded rows. */
static int candidates(const fg_planner *planner, const fg_work *w, ptrdiff_t list[MAX_CANDIDATES]) {
  const int count = candidates_in(planner, w, 1, list), cluster = planner->device->cluster;
  if (w->kind == FG_C2R && w->rank == 3 && cluster > 1 && padded_row(w) != kept(w)) {
    for (int i = 0; i < count; i++) list[count + i] = -list[i];
    return 2 * count;
  }
  if (count > 0 || w->kind != FG_DFT || w->rank != 3 || cluster < 2) return count;
  if (4 * bytes(w) > (double)planner->device->memory) return 0; /* taste: both arrays, scratch and some room */
  return candidates_in(planner, w, cluster, list);
}

/* With n1 points of the split dimension in the first pass, the second's boxes leave room for three blocks at runs of 128
 * bytes; and butterflies do both digits. */
static bool roomy(const fg_planner *planner, const fg_work *w, ptrdiff_t n1) {
  const ptrdiff_t n = w->dim[w->rank - 2].n;
  if (n % n1 || !fg_smooth(n1, w->precision) || !fg_smooth(n / n1, w->precision)) return false;
  ptrdiff_t second = n / n1;
  for (int d = 0; d < w->rank - 2 && second * RUN <= FG_LARGEST_BLOCK; d++) second *= w->dim[d].n;
  return second * RUN <= FG_LARGEST_BLOCK && fg_fit_room(planner->device, (size_t)(second * RUN)) >= 3;
}

/* Scratch, as large as the data, is no large part of the device's memory. */
static bool small_beside_memory(const fg_planner *planner, const fg_work *w) {
  return 8 * bytes(w) <= (double)planner->device->memory;
}

/* Two passes may also be better than two: where runs of 128 bytes leave no room for a second block, of rank 2 those of
 * columns, of rank 3 planes.  (Measured on an H200, doc/measurements.md: 1024 to 2048 columns and planes of 128 x 128,
 * complex, in single precision, rows of whole 128 bytes.)  factors: those that candidates has; leaves those to try, of
 * columns the least from 3 on (by halves it was slower); how many. */
static int evener(const fg_planner *planner, const fg_work *w, ptrdiff_t factors[MAX_CANDIDATES], int count) {
  const ptrdiff_t n = w->dim[w->rank - 2].n, row = w->dim[w->rank - 1].n * 2 * (ptrdiff_t)fg_real_size(w->precision);
  int kept = 0;
  if (w->kind != FG_DFT || w->precision != FG_SINGLE || row % RUN || !small_beside_memory(planner, w)) return 0;
  if (w->rank == 2 && fg_fit_room(planner->device, (size_t)(n * RUN)) < 2)
    for (ptrdiff_t n1 = 3, largest = largest_factor(planner, w, 1); n1 <= largest && kept == 0; n1++)
      if (roomy(planner, w, n1) && larger_box(planner, w, n1, 1)) factors[kept++] = n1;
  if (w->rank == 3 && fg_fit_room(planner->device, (size_t)(n * row)) < 2)
    for (int i = 0; i < count; i++)
      if (roomy(planner, w, factors[i])) factors[kept++] = factors[i];
  return kept;
}

/* The passes from that one on, by the model: of those that were measured by what it makes of them or of its own. */
static double cost_from(const fg_planner *planner, const fg_passes *list, int first) {
  double cost = 0;
  for (int i = first; i < list->count; i++) {
    const double own = fg_pass_cost(&list->pass[i], planner->device), price = list->pass[i].price;
    cost += price > 0 && price < own ? price : own;
  }
  return cost;
}

static bool has_planes(const fg_passes *list, int first) {
  bool any = false;
  for (int i = first; i < list->count; i++) any = any || (list->pass[i].four_step && !list->pass[i].strip);
  return any;
}

/* What c2r's passes from that one on are charged beside others that the model thinks as good, or nearly: those that the shipped
 * table has were measured. */
static double charge(const fg_planner *planner, const fg_work *w, const fg_passes *list, int first) {
  static const double unmeasured = 0.03;
  double seconds = 0;
  for (int i = first; i < list->count && w->kind == FG_C2R; i++)
    if (!fg_tuned_shipped_has(&list->pass[i], planner->device))
      seconds += unmeasured * fg_pass_cost(&list->pass[i], planner->device);
  return seconds;
}

/* Own cuts are told apart by what measured geometries cost, not by the price of what these replace (250^3: 143 us for 164, beside
 * strips' 156; really 203 and 217); so none is given up for its price. */
static bool lower_charged(const fg_planner *planner, const fg_work *w, ptrdiff_t n1, fg_passes *list) {
  const fg_planner all = {.device = planner->device, .splits = planner->splits};
  const int first = list->count;
  const double cost = list->cost;
  if (!fg_overlap_lower_split(&all, w, n1, list)) return false;
  list->cost = cost + cost_from(planner, list, first) + charge(planner, w, list, first);
  return true;
}

static bool lower_without_strips(const fg_planner *planner, const fg_work *w, ptrdiff_t n1, fg_passes *list) {
  const int first = list->count;
  return lower_charged(planner, w, n1, list) && !has_strips(list, first);
}

/* By the cheapest of these factors, at its own price. */
static bool lower_cheapest(const fg_planner *planner, const fg_work *w, fg_way way, const ptrdiff_t factors[MAX_CANDIDATES],
                           int count, fg_passes *list) {
  const int first = list->count;
  const double cost = list->cost;
  if (!fg_planner_cheapest(planner, w, way, factors, count, list)) return false;
  list->cost = cost;
  for (int i = first; i < list->count; i++) list->cost += fg_pass_price(&list->pass[i], planner->device);
  return true;
}

/* In place of planes in clusters and a pass more.  What was measured is priced as what it replaces, which planes' passes are
 * not (four_step.c): both are reckoned alike here, and in what the list then costs. */
static bool beats_planes(const fg_planner *planner, const fg_work *w, fg_way way, const fg_passes *others,
                         const ptrdiff_t factors[MAX_CANDIDATES], int count, fg_passes *list) {
  const int before = list->count;
  const double cost = list->cost;
  if (!lower_cheapest(planner, w, way, factors, count, list) || list->count - before > 2) return false;
  if (has_planes(list, before)) return false; /* of its own, which are no better (c2r of 320^3: 245 us, others' 241) */
  const bool strips = has_strips(list, before), r2c = w->kind == FG_R2C;
  const bool even = w->precision == FG_SINGLE && !strips && !r2c;
  const double own = (even ? worth_even : 1) * cost_from(planner, list, before);
  list->cost = cost + own;
  return own < (strips ? worth_strips : r2c ? worth_r2c : 1) * cost_from(planner, others, 0) &&
         !fg_passes_hopeless(planner, list, 0);
}

/* Strips, if they are cheapest, have to be so by more than what is taken in their place otherwise (135^3 x 13: strips 319 us by the
 * model, boxes 331, planes 325; really 443, 392 and 408). */
static bool lower_for_clusters(const fg_planner *planner, const fg_work *w, const fg_passes *others,
                               const ptrdiff_t factors[MAX_CANDIDATES], int count, fg_passes *list) {
  const int before = list->count;
  const double cost = list->cost;
  ptrdiff_t scratch[2];
  memcpy(scratch, list->scratch, sizeof scratch);
  if (beats_planes(planner, w, lower_charged, others, factors, count, list)) return true;
  if (whole_lines(w) || !has_strips(list, before)) return false; /* taste: 192^3 x 4 in planes 316 us, 329 */
  list->count = before;
  list->cost = cost;
  memcpy(list->scratch, scratch, sizeof scratch);
  return beats_planes(planner, w, lower_without_strips, others, factors, count, list);
}

/* By one of these factors, beside what other solvers make, if they make anything: a pass less, or as many that are evener,
 * and worth it; or two for one of real boxes in clusters, which may take longer (64³ x 128 on an H200: 147 us, in clusters 155). */
static bool lower_beside(const fg_planner *planner, const fg_work *w, const fg_passes *others,
                         ptrdiff_t factors[MAX_CANDIDATES], int count, fg_passes *list) {
  const bool even = others->count == 2, boxes = w->rank == 3 && w->kind == FG_DFT && w->precision == FG_SINGLE;
  const bool shared = others->count == 1 && w->kind != FG_DFT && others->pass[0].cluster > 1;
  const int before = list->count, passes = shared ? 2 : others->count - !even;
  const double cost = list->cost;
  const double as_many = has_strips(others, 0) ? 1 : worth_even;
  const double bound = even ? as_many : boxes && small_beside_memory(planner, w) ? worth_boxes : worth;
  if (others->count == 1 && !shared) return false;
  if (even && has_planes(others, 0)) return lower_for_clusters(planner, w, others, factors, count, list);
  const int evenly = even ? evener(planner, w, factors, count) : 0;
  const bool any = has_strips(others, 0) && small_beside_memory(planner, w);
  if (even && (evenly > 0 || !any)) count = evenly; /* with clusters on both sides any may be better */
  if (!lower_cheapest(planner, w, lower_charged, factors, count, list)) return false;
  return others->count == 0 || (list->count - before <= passes && list->cost - cost < bound * others->cost);
}

static bool lower(const fg_planner *planner, const fg_work *w, fg_passes *list) {
  const fg_planner deeper = {.device = planner->device, .splits = planner->splits + 1};
  ptrdiff_t factors[MAX_CANDIDATES];
  const int count = candidates(planner, w, factors);
  fg_passes *others = count ? calloc(1, sizeof *others) : NULL;
  if (others && !fg_planner_lower(&deeper, w, others)) others->count = 0;
  const bool better = others && lower_beside(planner, w, others, factors, count, list);
  free(others);
  return better;
}

const fg_solver fg_solver_overlap = {"overlap", applicable, lower};
