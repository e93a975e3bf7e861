/* geometry_box.c: boxes a block, threads, pitch and skews of a box. */
#include <string.h>

#include "src/pass/banks.h"
#include "src/pass/fit.h"

/* The kernel has them of whole boxes, rows and planes of complex points, or of half rows; and of complex points of strips, and of
 * rows of a larger transform with its twiddle. */
bool fg_geometry_may_cluster(const fg_pass *p, const fg_device_info *device) {
  if (p->family != FG_FAMILY_BOX || p->cluster > device->cluster) return false;
  const bool forms = p->from.form || p->to.form;
  if (forms && !p->half_row) return false;
  const bool rows = p->dims == 2 && p->twiddle && !p->across && !forms;
  return device->cluster > 1 && (p->four_step || p->strip || rows || (p->dims == 3 && !fg_geometry_shares(p)));
}

static bool is_even(const fg_pass *p, int d) { return fg_pass_evenness(p, d) == 1; }

/* Strips have even shares.  What else is cut leaves room for two blocks (one lost to two passes), and a row's results are stored
 * in whole sectors (half ones took 1.5 times as long, both on an H200).  Else shares are even, or, of powers of two, nearly;
 * boxes of which two fit a multiprocessor have only these. */
bool fg_geometry_cluster_suits(const fg_pass *p, const fg_device_info *device) {
  const ptrdiff_t first = p->box[0].n, blocks = p->cluster, point = fg_fit_point_size(p);
  const bool bins = p->to.form == FG_FORM_HERMITIAN; /* of a row two neighbours at most, whatever its share */
  if (p->box[1].n < 2) return false; /* must, of what is cut: there are factors */
  if (fg_is_cut_chirp(p)) return fg_cut_chirp_suits(p, device);
  if (p->strip && fg_pass_loads_rows(p) && fg_pass_part(p, 0, 1) * point % FG_SECTOR) return false; /* must: whole sectors */
  if (p->strip) return is_even(p, 0) && is_even(p, 1);
  if (p->four_step && fg_fit_room(device, (size_t)(fg_pass_part_points(p, 1) * point)) < 2) return false;
  if (p->four_step && p->dims == 2) return is_even(p, 0) && (bins || first / blocks * point % FG_SECTOR == 0);
  if ((blocks & (blocks - 1)) == 0) {
    const double even = p->four_step || blocks > 8 ? 0.8 : 0.75;
    return fg_pass_evenness(p, 0) >= even && fg_pass_evenness(p, 1) >= even;
  }
  return is_even(p, 0) && (p->four_step || (is_even(p, 1) && 2 * (size_t)(p->n * point) > device->shared_block));
}

bool fg_geometry_set_cluster(fg_pass *p, int blocks, const fg_device_info *device) {
  p->cluster = blocks;
  return fg_geometry_may_cluster(p, device) && fg_geometry_cluster_suits(p, device);
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

/* Where pitches begin that meet the banks otherwise than shorter ones: the row, and what has room for a skew.  How many. */
static int first_pitches(const fg_pass *p, ptrdiff_t list[FG_MAX_STAGES]) {
  int count = 0;
  list[count++] = p->box[p->dims - 1].n;
  for (int s = 0; s + 1 < p->stages; s++) {
    fg_pass one = *p;
    memset(one.skew, 0, sizeof one.skew);
    one.skew[s] = 1;
    list[count++] = fg_banks_shortest_pitch(&one);
  }
  return count;
}

/* Those that differ by the number of banks meet them alike. */
static bool is_another(ptrdiff_t pitch, const ptrdiff_t *first, int count, int width) {
  bool another = false;
  for (int i = 0; i < count; i++) another = another || (pitch >= first[i] && pitch < first[i] + width);
  return another;
}

/* The pitch and the skews with the fewest conflicts among those that leave as many blocks on a multiprocessor. */
static void arrange_box(fg_pass *p, const fg_device_info *device) {
  const ptrdiff_t row = p->box[p->dims - 1].n, most = row + (p->across ? 2 : row / 8 + 17);
  enum { BANKS = 16 }; /* of points in single precision; in double half as many */
  const int width = fg_is_cut_chirp(p) ? 2 : BANKS; /* of long rows with room for a skew the first, and an odd one */
  ptrdiff_t first[FG_MAX_STAGES];
  const int count = first_pitches(p, first);
  double least = fg_banks_box_conflicts(p);
  fg_pass best = *p;
  for (ptrdiff_t pitch = row; pitch <= most && least > 1.01; pitch++) {
    if (!is_another(pitch, first, count, width)) continue;
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
  const long long turns = now->across && now->loops ? now->loop[0].n : 0;
  for (long long boxes = turns; boxes > 0 && boxes <= most && boxes / 2 < all; boxes *= 2)
    fg_fit_lines(now, device, (int)boxes, best, best_score);
}

/* The pitch and the skews of p, whose score it was without; the score with them. */
static double arranged(fg_pass *p, const fg_device_info *device, double score) {
  arrange_box(p, device);
  return score / (1 + FG_EXCHANGE_COST * (p->stages - 1) * (fg_banks_box_conflicts(p) - 1));
}

double fg_geometry_choose_box(fg_pass *p, const fg_device_info *device, double least, bool arrange) {
  fg_pass best = *p, now = *p;
  double best_score = 0;
  try_boxes(&now, device, &best, &best_score);
  *p = best;
  if (best_score <= least) return 0; /* perfect exchanges would not help */
  fg_fit_blocks(p, device);
  return fg_geometry_shares(p) && arrange ? arranged(p, device, best_score) : best_score;
}

double fg_geometry_refine_box(fg_pass *p, const fg_device_info *device) {
  const double s = fg_geometry_score(p, device);
  if (s <= 0) return 0;
  fg_fit_blocks(p, device);
  return fg_box_exchange_efficiency(p) * (fg_geometry_shares(p) ? arranged(p, device, s) : s);
}
