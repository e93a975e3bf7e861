/* box.c: a small two- or three-dimensional transform whole in a block, or in a cluster of blocks: one pass where dimension
 * after dimension takes two or three.
 *
 * Stages of different dimensions commute, so their order is free: the first and the last run along a slow dimension,
 * where neighbouring threads read and store neighbouring points of a row, and rows are exchanged in between.  A short
 * dimension is one butterfly in registers; if all are, of up to 32 points, a thread may do one butterfly after the other
 * (fg_geometry_singly).  Clusters have what does not fit a block, and what would leave most of the device without a
 * block.  Rows of real data are half as many complex points, or, of odd length, have no imaginary part.
 * (Small FFTs whole in shared memory by matrix products:
 * AFQMC, doc/algorithms.md; index digits mapped to registers, threads and blocks: same.) */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/pass/geometry.h"
#include "src/pass/solver.h"
#include "src/pass/tuned.h"

static const double EXCHANGE = 0.9; /* of the speed is left by each exchange through shared memory */

enum { MAX_LISTS = 5, MAX_PARTS = 3, MAX_WAYS = MAX_LISTS + 1 };

/* Two elements of a row of real data are a point.  Of the smallest boxes, whose errors are a rounding or two, one more
 * would show. */
enum { LARGEST_OF_WHOLE_ROWS = 400 };
static bool has_half_rows(const fg_work *w) {
  const ptrdiff_t n = w->dim[w->rank - 1].n;
  ptrdiff_t total = 1;
  for (int d = 0; d < w->rank && total <= LARGEST_OF_WHOLE_ROWS; d++) total *= w->dim[d].n;
  return w->kind != FG_DFT && n % 2 == 0 && n > 2 && total > LARGEST_OF_WHOLE_ROWS;
}

static ptrdiff_t points(const fg_work *w, int d) {
  return d == w->rank - 1 && has_half_rows(w) ? w->dim[d].n / 2 : w->dim[d].n;
}

static size_t bytes(const fg_work *w, ptrdiff_t points) { return (size_t)points * 2 * fg_real_size(w->precision); }

static bool applicable(const fg_planner *planner, const fg_work *w) {
  ptrdiff_t total = 1;
  if (w->kind == FG_R2R || w->rank < 2 || w->rank > FG_MAX_BOX) return false;
  if (fg_work_has_form(w) || w->load_table.kind || w->store_table.kind) return false; /* must: the kernel has none */
  for (int d = 0; d < w->rank; d++) {
    const ptrdiff_t n = points(w, d);
    if (n < 2 || !fg_smooth(n, w->precision)) return false; /* must: butterflies */
    total *= n;
    if (total > (1 << 20)) return false;
  }
  const bool rows = w->rank == 2 && w->kind == FG_DFT && w->twiddle; /* of a larger transform */
  const bool shared = rows || (w->rank == 3 && (w->kind == FG_DFT || has_half_rows(w)));
  const int blocks = shared && planner->device->cluster > 1 ? planner->device->cluster : 1;
  return bytes(w, total) <= (size_t)blocks * planner->device->shared_block; /* must: it fits a block, or a cluster */
}

/* One way to factor a dimension into stages. */
typedef struct {
  int parts, radix[MAX_PARTS];
} way;

/* The columns of a part of a larger transform as one butterfly of up to 64 points: on an H200 1.05 to 1.39 times as fast
 * as two for 36 to 64 columns of 160 to 256 points, cut by the price that they have so; slower in whole boxes of 64 x 64. */
static bool may_be_large(const fg_pass *p, int d) {
  const ptrdiff_t n = p->box[d].n;
  const bool part = p->dims == 2 && !p->across && p->twiddle && !p->from.form && !p->to.form;
  if (!(part && d == 0) && p->cluster == 1) return false;
  return p->precision == FG_SINGLE && n <= FG_MAX_RADIX && fg_radix_large((int)n);
}

/* The ways with the fewest stages and with one more. */
static int ways_of(const fg_pass *p, int d, way list[MAX_WAYS]) {
  int count = 0;
  fg_radix_list radices[MAX_LISTS];
  if (p->strip && d == 2) {
    list[0].parts = 0;
    return 1;
  }
  const int lists = fg_radix_lists(p->box[d].n, p->precision, radices, MAX_LISTS);
  for (int i = 0; i < lists; i++) {
    const fg_radix_list *r = &radices[i];
    if (r->stages > MAX_PARTS || r->stages > radices[0].stages + !p->four_step) break;
    if (p->cluster > 1 && d == 0 && r->stages > 1) break; /* must: it crosses after one */
    way *w = &list[count++];
    w->parts = r->stages;
    memcpy(w->radix, r->radix, (size_t)r->stages * sizeof *r->radix);
  }
  if (may_be_large(p, d)) list[count++] = (way){1, {(int)p->box[d].n}};
  return count;
}

static void add(fg_pass *p, int radix, int axis) {
  p->radix[p->stages] = radix;
  p->axis[p->stages++] = axis;
}

static void add_all(fg_pass *p, const way *w, int from, int axis) {
  for (int i = from; i < w->parts; i++) add(p, w->radix[i], axis);
}

/* The results of neighbouring butterflies of the row's last stage fill 128 bytes. */
static bool row_may_store(const fg_pass *p, const way *row) {
  return fg_geometry_shares(p) && p->box[p->dims - 1].n / row->radix[row->parts - 1] >= 16;
}

/* Boxes across each other: any order does.  Three dimensions: the slowest, the rows, the middle one.  Two: the columns'
 * first stage, the rows, the rest of the columns; or, when the columns are one stage, columns, rows, and where those
 * are short a move (radix 1) that lets the store run along the rows. */
static void order_stages(fg_pass *p, const way *of[FG_MAX_BOX]) {
  const int row = p->dims - 1;
  p->stages = 0;
  memset(p->skew, 0, sizeof p->skew); /* of other stages */
  if (p->across) {
    for (int d = 0; d < p->dims; d++) add_all(p, of[d], 0, d);
  } else if (p->dims == 3) {
    add_all(p, of[0], 0, 0);
    add_all(p, of[2], 0, 2);
    add_all(p, of[1], 0, 1);
  } else {
    add(p, of[0]->radix[0], 0);
    add_all(p, of[row], 0, row);
    add_all(p, of[0], 1, 0);
    const bool from_tile = p->to.form == FG_FORM_HERMITIAN; /* rows are stored from there, whatever was last */
    if (of[0]->parts == 1 && !from_tile && !p->four_step && !row_may_store(p, of[row])) add(p, 1, row);
  }
  if (p->filter.kind) fg_cut_return(p);
}

static fg_pass pass_of(const fg_work *w) {
  const int row = w->rank - 1;
  fg_pass p = fg_pass_of_box(w, FG_FAMILY_BOX);
  p.box[row].n = points(w, row);
  p.n = p.data = p.n / w->dim[row].n * p.box[row].n;
  if (w->kind != FG_DFT) fg_pass_set_real(&p, w->kind == FG_R2C, w->dim[row].n);
  p.half_row = has_half_rows(w);
  p.across = fg_geometry_load_across(&p) || fg_geometry_store_across(&p);
  p.pitch = (int)p.box[row].n | !p.across; /* to begin with */
  return p;
}

/* The ways of each dimension, and how many combinations of them there are. */
typedef struct {
  way list[FG_MAX_BOX][MAX_WAYS];
  int count[FG_MAX_BOX], all;
} combinations;

static combinations combinations_of(const fg_pass *p) {
  combinations c = {.count = {1, 1, 1}};
  for (int d = 0; d < p->dims; d++) c.count[d] = ways_of(p, d, c.list[d]);
  c.all = c.count[0] * c.count[1] * c.count[2];
  return c;
}

/* p with the i-th of them.  Of two dimensions and a move, and of a row that is cut and convolved, all stages have room. */
_Static_assert(FG_MAX_BOX * MAX_PARTS + 1 <= FG_MAX_STAGES && 2 * (1 + MAX_PARTS) <= FG_MAX_STAGES, "any combination fits");
static fg_pass combined(const fg_pass *p, const combinations *c, int i) {
  const int of_last = i % c->count[2], of_middle = i / c->count[2] % c->count[1], of_first = i / c->count[2] / c->count[1];
  const way *of[FG_MAX_BOX] = {&c->list[0][of_first], &c->list[1][of_middle], &c->list[2][of_last]};
  fg_pass now = *p;
  order_stages(&now, of);
  return now;
}

int fg_box_ways(const fg_pass *p, fg_pass *found, int most) {
  const combinations c = combinations_of(p);
  const int ways = c.all < most ? c.all : most;
  for (int i = 0; i < ways; i++) found[i] = combined(p, &c, i);
  return ways;
}

double fg_box_exchange_efficiency(const fg_pass *p) {
  double left = 1;
  for (int i = 1; i < p->stages; i++) left *= EXCHANGE;
  return left;
}

/* Every combination of ways; each exchange costs. */
double fg_box_choose(fg_pass *p, const fg_device_info *device, double least, bool arrange) {
  const combinations all = combinations_of(p);
  double best_score = least;
  fg_pass best = *p;
  for (int c = 0; c < all.all; c++) {
    fg_pass now = combined(p, &all, c);
    const double exchanges = fg_box_exchange_efficiency(&now);
    const double s = exchanges * fg_geometry_choose_box(&now, device, best_score / exchanges, arrange);
    if (s <= best_score) continue;
    best_score = s;
    best = now;
  }
  *p = best;
  return best_score > least ? best_score : 0;
}

double fg_box_share(const fg_pass *p, const fg_device_info *device) {
  const double fill = (double)fg_pass_lines(p) * p->cluster / device->multiprocessors;
  return fmin(fill, 1) * fg_pass_cluster_efficiency(p);
}

/* The best of the clusters.  Of two dimensions, whose rows may be long, before exchanges are arranged, which takes its time. */
static bool choose_cluster(fg_pass *p, const fg_device_info *device) {
  const bool rows = p->dims == 2;
  double best_score = 0;
  fg_pass best = *p;
  for (int blocks = device->cluster; blocks > 1; blocks--) {
    fg_pass now = *p;
    if (!fg_geometry_set_cluster(&now, blocks, device)) continue;
    const double share = fg_box_share(&now, device), score = fg_box_choose(&now, device, best_score / share, !rows);
    if (score == 0) continue;
    best_score = score * share;
    best = now;
  }
  if (rows && best_score > 0) fg_box_choose(&best, device, 0, true);
  *p = best;
  return best_score > 0;
}

/* A cluster has a box that no block can have, or one that has a multiprocessor to itself, or boxes so few that half of the
 * device would have none. */
static bool best_geometry(fg_pass *p, const fg_device_info *device) {
  fg_pass alone = *p, together = *p;
  const bool fits = fg_box_choose(&alone, device, 0, true) > 0;
  const bool fills = fits && 2 * fg_pass_blocks(&alone) > device->multiprocessors;
  const bool cluster = (!fills || alone.blocks_sm == 1) && choose_cluster(&together, device) &&
                       (!fits || fg_pass_cost(&together, device) < fg_pass_cost(&alone, device));
  if (!fits && !cluster) return false;
  *p = cluster ? together : alone;
  fg_tuned_correct(p, device);
  if (fits && cluster && p->dims == 2 && p->cluster == 1)
    p->price = fg_pass_cost(&alone, device); /* measured before there were clusters of it */
  return true;
}

static bool lower(const fg_planner *planner, const fg_work *w, fg_passes *list) {
  fg_pass p = pass_of(w);
  if (fg_passes_hopeless(planner, list, fg_pass_least_cost(&p, planner->device))) return false;
  return best_geometry(&p, planner->device) && fg_passes_add(planner, list, &p);
}

const fg_solver fg_solver_box = {"box", applicable, lower};
