/* strip.c: long columns side by side, in a cluster of blocks: as many as make long runs, where a block has room for few.
 *
 * Those of one dimension are cut in two as rows are (four_step.c); those of two cross from one to the other, one of them being
 * one butterfly.  Each block loads and stores whole runs of a strip: neighbouring columns, so many that these are 64 or 128
 * bytes.  The columns may be the rows of memory on one side, as those of a hierarchical transform's second pass are.  (Bailey
 * 1990, "four-step"; thread block clusters: CUDA C++ Programming Guide.) */
#include "src/pass/geometry.h"
#include "src/pass/solver.h"
#include "src/pass/tuned.h"

/* Below SMALLEST, a block has room for such runs, and two of them for a multiprocessor. */
enum { SMALLEST = 80 * 1024, RUN = 64, WIDER = 128 /* bytes */, MANY = 16 };

/* The loop along which columns are neighbours where they are stored, and loaded, unless they are rows there; else -1. */
static int strip_loop(const fg_work *w) {
  for (int l = 0; l < w->loops; l++)
    if (w->loop[l].out == 1 && (w->loop[l].in == 1 || (w->rank == 1 && w->dim[0].is == 1))) return l;
  return -1;
}

/* Strips are cut of loops that continue each other as of one: then all but the last are whole (H100, us: r2c of 360^3, whose n1
 * rows of 181 are such in overlap.c, 454, in three passes, -> 284, of 400^3 585 -> 423; 330^3 540 -> 439). */
static fg_work tidied(const fg_work *w) {
  fg_work t = *w;
  t.loops = fg_loops_tidy(t.loop, t.loops);
  return t;
}

static ptrdiff_t points(const fg_work *w) { return w->dim[0].n * (w->rank == 2 ? w->dim[1].n : 1); }

bool fg_strip_short_rows;

/* A taste.  Strips of either pass of a long row gained (on an H100, in bulk): 10⁶ 1.17, 2²¹ to 2²³ 1.03 to 1.09, 2²⁴ 1.3; but not
 * where tiles have runs as long, nor where the columns are not whole lines of memory (2·10⁶ 0.92). */
static bool part_gains(const fg_work *w, const fg_loop *columns) {
  enum { WHOLE = 64, EVEN = 1024, SHORTEST = 1000000, SHORTEST_EVEN = 1 << 21, SHORTEST_DOUBLE = 1 << 23 };
  const ptrdiff_t row = w->twiddle ? w->twiddle : w->dim[0].n * (ptrdiff_t)columns->n;
  if (w->precision == FG_DOUBLE && (columns->in != 1 || row < SHORTEST_DOUBLE)) return false; /* 2²², rows that are loaded: 0.95 */
  return w->dim[0].n % WHOLE == 0 && row >= (row % EVEN ? SHORTEST : SHORTEST_EVEN);
}

/* A row that is no part of a longer one and is stored as a column, of which a block has no room for runs.  (5040 to 6000 points on an
 * H100, 1.07 to 1.46 times as fast as in two passes, planes of such rows 1.03 to 1.25; 1372 and 1600, of which it has, 0.85.) */
static bool is_long_row(const fg_planner *planner, const fg_work *w) {
  enum { LONGEST = 6144 };
  return planner->splits == 0 && !w->twiddle && w->precision == FG_SINGLE && w->dim[0].n <= LONGEST &&
         (size_t)(w->dim[0].n * RUN) > planner->device->shared_block;
}

static bool applicable(const fg_planner *planner, const fg_work *untidy) {
  const fg_work tidy = tidied(untidy), *const w = &tidy;
  const ptrdiff_t point = 2 * (ptrdiff_t)fg_real_size(w->precision);
  if (planner->device->cluster < 2 || w->rank < 1 || w->rank > 2 || w->kind != FG_DFT || fg_work_has_form(w)) return false;
  if (w->load_table.kind || w->store_table.kind || w->filter.kind) return false; /* must: the kernel has none */
  for (int d = 0; d < w->rank; d++)
    if (w->dim[d].n < 2 || w->dim[d].n > 1 << 20 || !fg_smooth(w->dim[d].n, w->precision)) return false;
  const int l = strip_loop(w);
  if (l < 0 || (w->rank == 2 && w->loop[l].twiddle)) return false; /* must: of two dimensions J is the same for a whole strip */
  const bool part = w->rank == 1 && (w->loop[l].in != 1 || w->twiddle);
  if (part && !is_long_row(planner, w) && !fg_strip_short_rows && !part_gains(w, &w->loop[l])) return false;
  if (points(w) > 1 << 20 || points(w) * RUN < SMALLEST) return false; /* taste: see there */
  return fg_work_loop_size(w) >= RUN / point * planner->device->multiprocessors; /* taste: blocks enough */
}

/* n1 points of what is first, columns side by side.  Of one dimension that is a part of it, of two one of them. */
static fg_pass pass_of(const fg_work *w, int first, ptrdiff_t n1, ptrdiff_t columns) {
  const int l = strip_loop(w);
  const fg_loop along = w->loop[l];
  fg_work strips = *w;
  strips.rank = 1;
  strips.dim[0] = (fg_dim){columns, (ptrdiff_t)along.in, (ptrdiff_t)along.out};
  strips.loop[l] = (fg_loop){.n = (along.n + columns - 1) / columns, .in = along.in * columns, .out = along.out * columns,
                             .twiddle = along.twiddle * columns};
  fg_pass p = fg_pass_of(&strips);
  p.loops = fg_loops_tidy(p.loop, p.loops); /* innermost strips that are neighbours: the last of them has fewer columns */
  const fg_dim cut = w->dim[0];
  p.family = FG_FAMILY_BOX;
  p.strip = true;
  p.four_step = w->rank == 1;
  p.dims = 3;
  p.box[0] = p.four_step ? (fg_dim){n1, cut.is * (cut.n / n1), cut.os} : w->dim[first];
  p.box[1] = p.four_step ? (fg_dim){cut.n / n1, cut.is, cut.os * n1} : w->dim[1 - first];
  p.box[2] = strips.dim[0];
  p.n = p.data = points(w) * columns;
  p.pitch = (int)columns;
  p.strip_rest = (int)(along.n % columns);
  p.twiddle_row = (ptrdiff_t)along.twiddle;
  return p;
}

/* The best so far: those that were measured come first, then by cost. */
typedef struct {
  const fg_planner *planner;
  const fg_work *work;
  const fg_passes *list;
  double cost;
  bool measured, found;
  fg_pass best;
} search;

/* That cut, in a cluster of so many blocks. */
static void try_cluster(search *c, fg_pass p, bool measured, int blocks) {
  const fg_device_info *device = c->planner->device;
  const bool sure = c->found && c->measured == measured;
  p.lines = 1;
  p.blocks_sm = 32;
  if (!fg_geometry_set_cluster(&p, blocks, device)) return;
  const double least = fg_pass_cost(&p, device);
  if (fg_passes_hopeless(c->planner, c->list, least) || (sure && least >= c->cost)) return;
  const double score = fg_box_choose(&p, device, 0, false);
  if (score <= 0) return;
  const double cost = fg_pass_cost(&p, device) / score; /* of otherwise alike ones the better */
  if (sure && cost >= c->cost) return;
  c->found = true;
  c->measured = measured;
  c->cost = cost;
  c->best = p;
}

/* The last strip of each row of them has fewer columns, and the innermost loop is such a row: not where it and the next were
 * found to be one. */
static bool rest_is_last(const fg_pass *p, long long columns) {
  const long long all = columns + p->box[2].n - p->strip_rest;
  return !p->strip_rest || (p->loops > 0 && p->loop[0].out == p->box[2].n && p->loop[0].n * p->box[2].n == all);
}

static void try_columns(search *c, int first, ptrdiff_t columns) {
  const fg_work *const w = c->work;
  const int l = strip_loop(w);
  if (w->loop[l].n % columns && w->loop[l].n < MANY * columns) return; /* taste: most strips are whole */
  for (int r = FG_MAX_RADIX; r > 1; r--) {
    if (!fg_radix_either(r, w->precision) || (w->rank == 1 ? w->dim[0].n % r != 0 : w->dim[first].n != r)) continue;
    const fg_pass p = pass_of(w, first, r, columns);
    if (!rest_is_last(&p, w->loop[l].n)) return; /* must: the kernel tells by that; of no r then */
    const bool measured = fg_tuned_shipped_has(&p, c->planner->device);
    if (c->measured && !measured) continue;
    for (int blocks = c->planner->device->cluster; blocks > 1; blocks--) try_cluster(c, p, measured, blocks);
  }
}

static bool lower(const fg_planner *planner, const fg_work *untidy, fg_passes *list) {
  const fg_work tidy = tidied(untidy), *const w = &tidy;
  const ptrdiff_t point = 2 * (ptrdiff_t)fg_real_size(w->precision);
  search c = {.planner = planner, .work = w, .list = list};
  const int firsts = w->twiddle ? 1 : w->rank; /* results are multiplied along the slowest */
  for (int first = 0; first < firsts; first++) {
    try_columns(&c, first, RUN / point);
    try_columns(&c, first, WIDER / point);
  }
  if (!c.found) return false;
  fg_box_choose(&c.best, planner->device, 0, true);
  fg_tuned_correct(&c.best, planner->device);
  return fg_passes_add(planner, list, &c.best);
}

const fg_solver fg_solver_strip = {"strip", applicable, lower};
