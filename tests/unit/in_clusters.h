/* in_clusters.h: a pass whose box the blocks of a cluster share, in other geometries than the one that is planned. */
#ifndef FG_TEST_IN_CLUSTERS_H
#define FG_TEST_IN_CLUSTERS_H

#include <check.h>
#include <stdlib.h>

#include "src/pass/geometry.h"

/* Check p in clusters of every size that suits: at least one. */
static inline void test_cluster_sizes(fg_pass *pass, const fg_device_info *device, void (*check)(fg_problem *, const char *),
                                      fg_problem *p, const char *text) {
  const fg_pass own = *pass;
  int tried = 0;
  for (int blocks = 2; blocks <= device->cluster; blocks++) {
    *pass = own;
    pass->cluster = blocks;
    if (!fg_geometry_cluster_suits(pass, device) || fg_box_choose(pass, device, 0, true) == 0) continue;
    check(p, text);
    tried++;
  }
  ck_assert_int_gt(tried, 0);
}

/* Give pass so many blocks, and stages: the fewest, or the most that fit. */
static inline void test_share_box(fg_pass *pass, const fg_device_info *device, int blocks, bool fewest) {
  enum { MOST = 125 };
  fg_pass *const ways = malloc(MOST * sizeof *ways);
  ck_assert(ways && pass->family == FG_FAMILY_BOX);
  pass->cluster = blocks;
  int way = fg_box_ways(pass, ways, MOST) - 1;
  ck_assert_int_ge(way, 0);
  if (fewest) way = 0;
  while (way > 0 && fg_geometry_choose_box(&ways[way], device, 0, true) <= 0) way--;
  if (way == 0) ck_assert(fg_geometry_choose_box(&ways[0], device, 0, true) > 0);
  *pass = ways[way];
  free(ways);
}

#endif
