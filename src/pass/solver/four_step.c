/* four_step.c: a long row whole in a cluster of blocks: one pass where a block has no room for it.
 *
 *   X[k₁ + n₁k₂] = Σ_{j} ( w_n^{j·k₁} · Σ_{i} x[i·n₂ + j] w_{n₁}^{i·k₁} ) w_{n₂}^{j·k₂}
 *
 * n₁ is one butterfly.  Each block does it for a part of the j, and sends each result to the block that has its k₁, through
 * distributed shared memory (cuda/kernel/box.cu); what is left are n₂ points of each k₁, whole in that block.  So runs of
 * n₁/blocks neighbouring results are stored.  (Bailey 1990, "four-step"; thread block clusters: CUDA C++ Programming
 * Guide.) */
#include "src/pass/geometry.h"
#include "src/pass/solver.h"
#include "src/pass/tuned.h"

/* Measured on an H200 (doc/performance.md). */
enum {
  SHORTEST_ROW = 8192, /* points */
  SMALLEST_PLANE = 4096,
  LARGEST_TILE = 128 * 1024, /* bytes */
  LARGEST_ALONE = 256 * 1024,
  LARGEST_ONE_BLOCK = 80 * 1024,
  FEW = 4, /* transforms */
  MANY = 16
};

static bool applicable(const fg_planner *planner, const fg_work *w) {
  if (w->rank < 1 || w->rank > 2 || w->kind != FG_DFT || fg_work_has_form(w)) return false;
  if (w->load_table.kind || w->store_table.kind || w->twiddle) return false; /* must: the kernel has none */
  ptrdiff_t n = 1;
  for (int d = 0; d < w->rank; d++) {
    if (!fg_smooth(w->dim[d].n, w->precision)) return false;
    n *= w->dim[d].n;
    if (n > (1 << 20)) return false;
  }
  const fg_dim *row = &w->dim[w->rank - 1];
  if (row->is != 1 || row->os != 1) return false; /* taste: runs are short enough */
  const size_t bytes = (size_t)n * 2 * fg_real_size(w->precision);
  const ptrdiff_t transforms = fg_work_loop_size(w);
  if (w->rank == 1 && transforms >= planner->device->multiprocessors && bytes <= LARGEST_TILE)
    return false; /* taste: a block loads the next row ahead */
  if (w->rank == 2 && transforms >= MANY && transforms < planner->device->multiprocessors && bytes <= LARGEST_ONE_BLOCK)
    return false; /* taste: they have a block each */
  if (w->rank == 1 && transforms < FEW && bytes > LARGEST_ALONE) return false; /* taste: two passes fill the device */
  return n >= (w->rank == 1 ? SHORTEST_ROW : SMALLEST_PLANE) && planner->device->cluster > 1 &&
         bytes <= (size_t)planner->device->cluster * planner->device->shared_block; /* must: a cluster has room for it */
}

static fg_pass pass_of(const fg_work *w, ptrdiff_t n1) {
  fg_work row = *w;
  row.rank = 1;
  row.dim[0] = w->dim[w->rank - 1];
  fg_pass p = fg_pass_of(&row);
  const fg_dim cut = w->dim[0];
  p.family = FG_FAMILY_BOX;
  p.four_step = true;
  p.dims = w->rank + 1;
  p.box[0] = (fg_dim){n1, cut.is * (cut.n / n1), cut.os};
  p.box[1] = (fg_dim){cut.n / n1, cut.is, cut.os * n1};
  if (w->rank == 2) p.box[2] = w->dim[1];
  const fg_dim last = p.box[p.dims - 1];
  p.n = p.data = p.box[0].n * p.box[1].n * (w->rank == 2 ? last.n : 1);
  p.in = last.is;
  p.out = last.os;
  p.pitch = (int)last.n;
  return p;
}

/* The best way to cut: one that was measured, or the one of the best geometry. */
static bool choose_cut(fg_pass *p, const fg_work *w, const fg_device_info *device) {
  double best_score = 0;
  bool measured = false;
  for (int r = FG_MAX_RADIX; r > 1; r--) {
    const bool butterfly = fg_radix_exists(r, w->precision) || (fg_radix_large(r) && w->precision == FG_SINGLE);
    if (!butterfly || w->dim[0].n % r) continue;
    fg_pass now = pass_of(w, r);
    const bool known = fg_tuned_shipped_has(&now, device->arch);
    if (measured && !known) continue;
    const double score = fg_box_choose_cluster(&now, device, measured == known ? best_score : 0);
    if (score == 0) continue;
    measured = known;
    best_score = score;
    *p = now;
  }
  return best_score > 0;
}

static bool lower(const fg_planner *planner, const fg_work *w, fg_passes *list) {
  fg_pass p = pass_of(w, w->dim[0].n);
  if (fg_passes_hopeless(planner, list, fg_pass_least_cost(&p, planner->device))) return false;
  if (!choose_cut(&p, w, planner->device)) return false;
  fg_tuned_correct(&p, planner->device);
  const double own = fg_pass_cost(&p, planner->device); /* what was measured may have room for more blocks */
  if (p.price > own) p.price = own;
  return fg_passes_add(planner, list, &p);
}

const fg_solver fg_solver_four_step = {"four_step", applicable, lower};
