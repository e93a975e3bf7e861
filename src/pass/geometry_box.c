/* geometry_box.c: boxes a block, threads, pitch and skews of a box. */
#include "src/pass/banks.h"
#include "src/pass/fit.h"

/* The kernel has them of whole boxes of complex points only.  Of compute capability 12 not all devices are said to have
 * clusters of more than one block. */
bool fg_geometry_may_cluster(const fg_pass *p, const fg_device_info *device) {
  return p->family == FG_FAMILY_BOX && p->dims == 3 && device->arch >= 90 && device->arch < 120 && !p->from.form &&
         !p->to.form && !fg_geometry_shares(p);
}

/* Skew the exchanges that have fewer conflicts with it, and make room for it in the rows. */
void fg_geometry_skew(fg_pass *p, int pitch) {
  p->pitch = pitch;
  for (int s = 0; s + 1 < p->stages; s++) {
    p->skew[s] = 0;
    const double plain = fg_banks_exchange_conflicts(p, s);
    if (plain <= 1.01) continue;
    p->skew[s] = 1;
    p->skew[s] = fg_banks_shortest_pitch(p) <= pitch && fg_banks_exchange_conflicts(p, s) < plain - 0.01;
  }
}

/* The pitch and the skews with the fewest conflicts among those that leave as many blocks on a multiprocessor. */
static void arrange_box(fg_pass *p, const fg_device_info *device) {
  const ptrdiff_t row = p->box[p->dims - 1].n, most = row + (p->across ? 2 : row / 8 + 17);
  double least = fg_banks_box_conflicts(p);
  fg_pass best = *p;
  for (ptrdiff_t pitch = row; pitch <= most && least > 1.01; pitch++) {
    fg_pass now = *p;
    fg_geometry_skew(&now, (int)pitch);
    if (fg_geometry_shared(&now) > device->shared_block) continue;
    fg_fit_blocks(&now, device);
    const double conflicts = fg_banks_box_conflicts(&now);
    if (now.blocks_sm < p->blocks_sm || conflicts >= least - 0.01) continue;
    least = conflicts;
    best = now;
  }
  *p = best;
}

static void try_boxes(fg_pass *now, const fg_device_info *device, fg_pass *best, double *best_score) {
  static const int side_by_side[] = {2, 3, 4, 5, 6, 8, 10, 12, 15, 16, 20, 24, 30, 32, 48, 64};
  const ptrdiff_t all = now->pairs ? (fg_pass_lines(now) + 1) / 2 : fg_pass_lines(now);
  const int most = now->cluster > 1 ? 1 : 64;
  for (int boxes = 1; !now->across && boxes <= most; boxes *= 2)
    if (boxes == 1 || (boxes / 2 < all && boxes * now->n * fg_fit_point_size(now) <= FG_LARGEST_BLOCK))
      fg_fit_lines(now, device, boxes, best, best_score);
  for (size_t i = 0; now->across && i < sizeof side_by_side / sizeof *side_by_side; i++)
    if (side_by_side[i] / 2 < all) fg_fit_lines(now, device, side_by_side[i], best, best_score);
}

double fg_geometry_choose_box(fg_pass *p, const fg_device_info *device, double least) {
  fg_pass best = *p, now = *p;
  double best_score = 0;
  try_boxes(&now, device, &best, &best_score);
  *p = best;
  if (best_score <= least) return 0; /* perfect exchanges would not help */
  fg_fit_blocks(p, device);
  if (!fg_geometry_shares(p)) return best_score;
  arrange_box(p, device);
  return best_score / (1 + FG_EXCHANGE_COST * (p->stages - 1) * (fg_banks_box_conflicts(p) - 1));
}

double fg_geometry_refine_box(fg_pass *p, const fg_device_info *device) {
  const double s = fg_geometry_score(p, device);
  if (s <= 0) return 0;
  fg_fit_blocks(p, device);
  if (!fg_geometry_shares(p)) return s;
  arrange_box(p, device);
  return s / (1 + FG_EXCHANGE_COST * (p->stages - 1) * (fg_banks_box_conflicts(p) - 1));
}
