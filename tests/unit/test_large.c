/* test_large.c: in how many passes large transforms are done, and how they are cut. */
#include <check.h>
#include <stdlib.h>

#include "random_problem.h"
#include "src/pass/solver.h"
#include "src/plan/planner.h"
#include "suite.h"

/* As many blocks at most; arch stays. */
static fg_device_info device_with_clusters_of(int blocks) {
  fg_device_info device = fg_reference_device;
  device.cluster = blocks;
  return device;
}

/* Two passes may be cut more evenly than by dimensions: where columns, or planes, leave no room for a second block.  One of
 * three may be saved. */
static const struct {
  const char *text;
  enum fg_precision precision;
  int passes;
  ptrdiff_t digit; /* of the first pass's boxes; 0: dimension by dimension */
} evener[] = {{"oc1024x1024*32", FG_SINGLE, 2, 4},     {"ic2048x2048*8", FG_SINGLE, 2, 4},
              {"ocb1536x1536*14", FG_SINGLE, 2, 3},    {"oc1600x1600*12", FG_SINGLE, 2, 4},
              {"oc128x128x128*16", FG_SINGLE, 2, 64},  {"oc256x256x512", FG_SINGLE, 2, 32},
              {"oc640x640*80", FG_SINGLE, 2, 0},       {"oc1000x1000*33", FG_SINGLE, 2, 0},
              {"oc512x128x128*4", FG_SINGLE, 2, 0},    {"oc96x96x96*37", FG_SINGLE, 2, 0},
              {"oc1024x1024*16", FG_DOUBLE, 2, 0},     {"oc1024x1024*3000", FG_SINGLE, 2, 0},
              {"oc2048x4096*4", FG_SINGLE, 2, 0}};

START_TEST(two_passes_are_cut_evenly_where_that_pays) {
  const double caches = fg_overlap_caches;
  const fg_device_info device = device_with_clusters_of(1);
  fg_overlap_caches = 1;
  fg_passes *p = test_plan(evener[_i].text, evener[_i].precision, &device);
  fg_overlap_caches = caches;
  const fg_pass *first = &p->pass[0];
  const bool cut = first->family == FG_FAMILY_BOX && first->twiddle;
  ck_assert_int_eq(p->count, evener[_i].passes);
  ck_assert_msg((cut ? first->box[0].n : 0) == evener[_i].digit, "%s: %td", evener[_i].text, cut ? first->box[0].n : 0);
  free(p);
}
END_TEST

/* Of three dimensions clusters may have the planes, where two passes with a digit of one dimension in both are no shorter. */
static const struct {
  const char *text;
  int most, passes; /* blocks of a cluster */
  bool planes;
} in_planes[] = {{"oc256x256x256*2", 16, 2, true}, {"oc160x160x160*8", 16, 2, false}, {"oc300x300x300", 16, 2, false},
                 {"oc1024x1024x128", 16, 2, true}, {"oc1024x1024x128", 8, 2, false},  {"oc192x192x192", 16, 2, true},
                 {"oc64x64x64", 16, 2, false},     {"oc131072*256", 8, 2, false},     {"oc131072*256", 16, 1, true},
                 {"oc256x256x512", 16, 2, false},  {"oc512x512x128", 16, 2, true},    {"oc256x256x256", 16, 2, true}};

START_TEST(planes_are_in_clusters_where_that_pays) {
  const double caches = fg_overlap_caches;
  const fg_device_info device = device_with_clusters_of(in_planes[_i].most);
  fg_overlap_caches = 1;
  fg_passes *p = test_plan(in_planes[_i].text, FG_SINGLE, &device);
  fg_overlap_caches = caches;
  ck_assert_msg(p->count == in_planes[_i].passes && p->pass[0].four_step == in_planes[_i].planes, "%s: %d", in_planes[_i].text,
                p->count);
  ck_assert_int_le(p->pass[0].cluster, in_planes[_i].most);
  free(p);
}
END_TEST

/* Where the model is not all: the digits of a dimension are shared between two passes, which real transforms of longer rows are
 * slower in; two passes where the model has three cheaper, but not by far, of long rows of which more than the L2 holds. */
static const struct {
  const char *text;
  enum fg_precision precision;
  int passes;
} measured[] = {{"orf4096x4096*2", FG_SINGLE, 2},    {"orf4096x2048*4", FG_SINGLE, 2}, {"orf16x64x2160*30", FG_SINGLE, 2},
                {"orf3072x2773*3", FG_SINGLE, 2},    {"orb4096x4096*2", FG_SINGLE, 2}, {"orb4096x2048*4", FG_SINGLE, 2},
                {"oc8388608*4", FG_SINGLE, 2},       {"ic6000000*5", FG_SINGLE, 2},    {"/oc3000000*11", FG_SINGLE, 2},
                {"oc12000000*2", FG_SINGLE, 2},      {"oc16777216*2", FG_SINGLE, 2},   {"oc8388608*2", FG_DOUBLE, 2},
                {"oc5000000", FG_SINGLE, 3},         {"oc31939", FG_SINGLE, 3},        {"oc3000000x16", FG_SINGLE, 2},
                {"oc8192x8192", FG_SINGLE, 2},       {"oc16384x16384", FG_SINGLE, 2},  {"oc512x512x512", FG_SINGLE, 2},
                {"oc1024x1024x1024", FG_SINGLE, 2},  {"oc4096x4096", FG_DOUBLE, 2},    {"oc1048576*32", FG_SINGLE, 2}};

START_TEST(as_many_passes_as_measurements_say) {
  fg_passes *p = test_plan(measured[_i].text, measured[_i].precision, &fg_reference_device);
  ck_assert_msg(p->count == measured[_i].passes, "%s: %d passes", measured[_i].text, p->count);
  free(p);
}
END_TEST

int main(void) {
  fg_overlap_caches = 0; /* also what the L2 holds; tests that say so have it as it is */
  TCase *tc = tcase_create("large");
  tcase_add_loop_test(tc, planes_are_in_clusters_where_that_pays, 0, TEST_COUNT(in_planes));
  tcase_add_loop_test(tc, two_passes_are_cut_evenly_where_that_pays, 0, TEST_COUNT(evener));
  tcase_add_loop_test(tc, as_many_passes_as_measurements_say, 0, TEST_COUNT(measured));
  return test_run(tc, "large");
}
