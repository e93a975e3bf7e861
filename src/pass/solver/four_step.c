/* four_step.c: a long row, or a plane, whole in a cluster of blocks: one pass where a block has no room for it.
 *
 *   X[k₁ + n₁k₂] = Σ_{j} ( w_n^{j·k₁} · Σ_{i} x[i·n₂ + j] w_{n₁}^{i·k₁} ) w_{n₂}^{j·k₂}
 *
 * The row, or the columns of the plane, is cut in two, n = n₁·n₂; n₁ is one butterfly.  Each block does it for a part of the j,
 * and sends each result to the block that has its k₁, through distributed shared memory (cuda/kernel/box.cu); what is left are
 * n₂ points of each k₁, and of a plane whole rows, in that block.  So of a row n₁/blocks neighbouring results are stored at a
 * time.  A plane may be part of a larger transform (overlap.c), with its twiddle.  Rows of real data, of even length, are half as
 * many points.  (Bailey 1990, "four-step"; thread block clusters: CUDA C++ Programming Guide.) */
#include <string.h>

#include "src/pass/geometry.h"
#include "src/pass/solver.h"
#include "src/pass/tuned.h"

/* Measured on an H200 (doc/measurements.md). */
enum {
  SHORTEST_ROW = 8192, /* points */
  SMALLEST_PLANE = 4096,
  LARGEST_TILE = 128 * 1024, /* bytes */
  LARGEST_ALONE = 256 * 1024,
  LARGEST_REAL_ROW = 256 * 1024,
  LARGEST_R2C_ALONE = 64 * 1024,
  LARGEST_C2R_ALONE = 128 * 1024,
  SHORTEST_ROW_OF_PLANE = 64, /* elements; shorter ones were not measured */
  LARGEST_ONE_BLOCK = 80 * 1024,
  LARGEST_OF_BINS = 88 * 1024,
  FEW = 4, /* transforms */
  MANY = 16
};

/* Points along dimension d: of rows of real data, of even length, two elements each. */
static ptrdiff_t points(const fg_work *w, int d) {
  return w->kind != FG_DFT && d == w->rank - 1 ? w->dim[d].n / 2 : w->dim[d].n;
}

/* Others are faster (tastes). */
static bool others_suit(const fg_planner *planner, const fg_work *w, ptrdiff_t transforms, ptrdiff_t bytes) {
  const bool fill = transforms >= planner->device->multiprocessors;
  if (w->rank == 1 && fill && bytes <= LARGEST_TILE) return true; /* a block loads the next row ahead */
  if (w->rank == 2 && transforms >= MANY && !fill && bytes <= LARGEST_ONE_BLOCK) return true; /* they have a block each */
  if (w->kind == FG_C2R && w->rank == 2 && fill && bytes <= LARGEST_OF_BINS) return true; /* likewise: 144² 117 us for 121 */
  if (w->rank == 1 && transforms < FEW && bytes > LARGEST_ALONE) return true; /* two passes fill the device */
  if (w->kind == FG_DFT) return false;
  if (w->rank == 2) return transforms >= FEW && w->dim[1].n < SHORTEST_ROW_OF_PLANE; /* bins far from each other */
  if (transforms < FEW) return bytes > (w->kind == FG_R2C ? LARGEST_R2C_ALONE : LARGEST_C2R_ALONE);
  return w->kind == FG_R2C || bytes > LARGEST_REAL_ROW; /* of a share's bins one or two are neighbours */
}

static bool applicable(const fg_planner *planner, const fg_work *w) {
  if (planner->device->cluster < 2 || w->rank < 1 || w->rank > 2 || w->kind == FG_R2R || fg_work_has_form(w)) return false;
  if (w->load_table.kind || w->store_table.kind) return false;                 /* must: the kernel has none */
  if (w->twiddle && (w->rank == 1 || w->kind != FG_DFT)) return false;         /* likewise */
  const fg_dim *row = &w->dim[w->rank - 1];
  if (w->kind != FG_DFT && row->n % 2) return false; /* must: half rows */
  if (row->is != 1 || row->os != 1) return false; /* taste: runs are short enough */
  ptrdiff_t n = 1;
  for (int d = 0; d < w->rank; d++) {
    if (points(w, d) < 2 || !fg_smooth(points(w, d), w->precision)) return false;
    n *= points(w, d);
    if (n > (1 << 20)) return false;
  }
  const size_t bytes = (size_t)n * 2 * fg_real_size(w->precision);
  return n >= (w->rank == 1 ? SHORTEST_ROW : SMALLEST_PLANE) &&
         bytes <= (size_t)planner->device->cluster * planner->device->shared_block && /* must: a cluster has room for it */
         !others_suit(planner, w, fg_work_loop_size(w), (ptrdiff_t)bytes);
}

/* n1 points of the dimension that is cut, whose stride counts elements, two of a row's reals being a point. */
static fg_pass pass_of(const fg_work *w, ptrdiff_t n1) {
  fg_work row = *w;
  row.rank = 1;
  row.dim[0] = w->dim[w->rank - 1];
  fg_pass p = fg_pass_of(&row);
  const fg_dim cut = w->dim[0];
  const ptrdiff_t n2 = points(w, 0) / n1, step = w->rank == 1 && w->kind == FG_R2C ? 2 : 1;
  p.family = FG_FAMILY_BOX;
  p.four_step = true;
  p.dims = w->rank + 1;
  p.box[0] = (fg_dim){n1, cut.is * n2 * step, cut.os};
  p.box[1] = (fg_dim){n2, cut.is, cut.os * n1};
  if (w->rank == 2) p.box[2] = (fg_dim){points(w, 1), w->dim[1].is, w->dim[1].os};
  if (w->kind != FG_DFT) fg_pass_set_real(&p, w->kind == FG_R2C, w->dim[w->rank - 1].n);
  p.half_row = w->kind != FG_DFT;
  const fg_dim last = p.box[p.dims - 1];
  p.n = p.data = p.box[0].n * p.box[1].n * (w->rank == 2 ? last.n : 1);
  p.in = last.is;
  p.out = last.os;
  p.pitch = (int)last.n;
  if (w->filter.kind) {
    p.filter = w->filter;
    p.data = w->load_limit;
    fg_cut_chirp(&p, n1);
  }
  return p;
}

/* What is measured of planes with a twiddle takes so many copies, a third less than the model says. */
static double price_of(const fg_work *w, const fg_pass *p, const fg_device_info *device) {
  static const double copies = 1.55;
  return w->twiddle ? copies * fg_pass_least_cost(p, device) : fg_pass_cost(p, device);
}

enum { KEPT = 3 };

/* Ways to cut, the likeliest first: by geometries whose exchanges are not arranged yet, which takes its time.  Those that were
 * measured come first of all. */
typedef struct {
  fg_pass pass;
  double score;
  bool measured;
} candidate;

static bool likelier(const candidate *a, const candidate *b) {
  return a->measured != b->measured ? a->measured : a->score > b->score;
}

static void offer(candidate list[KEPT], const candidate *now) {
  int at = KEPT;
  while (at > 0 && likelier(now, &list[at - 1])) at--;
  if (at == KEPT) return;
  memmove(list + at + 1, list + at, (size_t)(KEPT - 1 - at) * sizeof *list);
  list[at] = *now;
}

/* With a twiddle only those that were measured: on an H100 100 rows at a time of 1000³ gained a tenth, most others lost
 * (doc/measurements.md). */
bool fg_cut_any_twiddled;
static bool is_offered(const fg_work *w, const candidate *c) { return !w->twiddle || c->measured || fg_cut_any_twiddled; }

/* By r, in a cluster of so many blocks, unless that costs too much whatever the geometry. */
static void try_cut(const fg_planner *planner, const fg_work *w, const fg_passes *list, int r, int blocks,
                    candidate likeliest[KEPT]) {
  const fg_device_info *device = planner->device;
  candidate now = {.pass = pass_of(w, r)};
  now.pass.lines = 1;
  now.pass.blocks_sm = 32;
  if (!fg_geometry_set_cluster(&now.pass, blocks, device)) return;
  if (!w->filter.kind && fg_passes_hopeless(planner, list, price_of(w, &now.pass, device))) return;
  now.measured = fg_tuned_shipped_has(&now.pass, device);
  if (!is_offered(w, &now)) return;
  now.score = fg_box_choose(&now.pass, device, 0, false) * fg_box_share(&now.pass, device);
  if (now.score > 0) offer(likeliest, &now);
}

/* Whichever of them is taken: asked of chirps, which have several lengths, before exchanges are arranged. */
static bool all_hopeless(const fg_planner *planner, const fg_passes *list, const candidate likeliest[KEPT]) {
  bool hopeless = true;
  for (int i = 0; i < KEPT && likeliest[i].score > 0; i++)
    hopeless = hopeless && !likeliest[i].measured &&
               fg_passes_hopeless(planner, list, fg_pass_cost(&likeliest[i].pass, planner->device));
  return hopeless;
}

static bool choose_cut(const fg_planner *planner, const fg_work *w, const fg_passes *list, fg_pass *p) {
  candidate likeliest[KEPT] = {{.score = 0}};
  double best_score = 0;
  bool measured = false;
  for (int r = FG_MAX_RADIX; r > 1; r--) {
    const bool butterfly = fg_radix_either(r, w->precision);
    for (int blocks = planner->device->cluster; butterfly && points(w, 0) % r == 0 && blocks > 1; blocks--)
      try_cut(planner, w, list, r, blocks, likeliest);
  }
  if (w->filter.kind && all_hopeless(planner, list, likeliest)) return false;
  for (int i = 0; i < KEPT && likeliest[i].score > 0 && likeliest[i].measured >= measured; i++) {
    fg_pass now = likeliest[i].pass;
    const double share = fg_box_share(&now, planner->device);
    const double score = fg_box_choose(&now, planner->device, best_score / share, true) * share;
    if (score == 0) continue;
    best_score = score;
    measured = likeliest[i].measured;
    *p = now;
  }
  return best_score > 0;
}

bool fg_cut_lower(const fg_planner *planner, const fg_work *w, fg_passes *list) {
  fg_pass p = pass_of(w, points(w, 0));
  if (fg_passes_hopeless(planner, list, fg_pass_least_cost(&p, planner->device))) return false;
  if (!choose_cut(planner, w, list, &p)) return false;
  fg_tuned_correct(&p, planner->device);
  const double own = price_of(w, &p, planner->device); /* what was measured may have room for more blocks */
  if (p.price > own) p.price = own;
  return fg_passes_add(planner, list, &p);
}

const fg_solver fg_solver_four_step = {"four_step", applicable, fg_cut_lower};
