/* cut_chirp.c: a row that is cut in two and convolved with a chirp in a cluster: its cuts and stages. */
#include <string.h>

#include "src/pass/fit.h"

bool fg_is_cut_chirp(const fg_pass *p) { return p->family == FG_FAMILY_BOX && p->filter.kind == FG_TABLE_FILTER; }

bool fg_cut_chirp(fg_pass *p, ptrdiff_t n1) {
  if (n1 < 2 || p->n % n1 || p->n / n1 < 2) return false;
  const ptrdiff_t n2 = p->n / n1;
  p->box[0] = (fg_dim){n1, n2, n2};
  p->box[1] = (fg_dim){n2, 1, 1};
  p->filter.rows = n1; /* bin k₁ + n₁·k₂ where the transform leaves it */
  p->pitch = (int)n2;
  p->stages = 0;
  return true;
}

void fg_cut_return(fg_pass *p) {
  const int forwards = p->stages;
  p->stages = 2 * forwards;
  memset(p->skew, 0, sizeof p->skew); /* of other stages */
  for (int s = 0; s < forwards; s++) {
    p->radix[p->stages - 1 - s] = p->radix[s];
    p->axis[p->stages - 1 - s] = p->axis[s];
  }
}

bool fg_cut_chirp_suits(const fg_pass *p, const fg_device_info *device) {
  const ptrdiff_t blocks = p->cluster, first = p->box[0].n, second = p->box[1].n, part = fg_pass_part(p, 0, 1);
  return blocks > 1 && blocks <= device->cluster                     /* must */
         && first % blocks == 0                                      /* taste: shares are even, */
         && 4 * second >= 3 * blocks * part                          /* or nearly, */
         && part * fg_fit_point_size(p) >= 2 * FG_SECTOR             /* runs in memory are no shorter */
         && fg_fit_room(device, (size_t)(fg_pass_part_points(p, 1) * fg_fit_point_size(p))) >= 1; /* must */
}

int fg_cut_chirp_factors(const fg_pass *p, int list[FG_MAX_RADIX]) {
  int count = 0;
  for (int r = FG_MAX_RADIX; r > 1; r--)
    if (p->n % r == 0 && fg_radix_either(r, p->precision) && fg_smooth(p->n / r, p->precision)) list[count++] = r;
  return count;
}
