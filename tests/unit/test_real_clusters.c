/* test_real_clusters.c: transforms of real data that the blocks of a cluster share, on the simulated device, against sums in
 * long double: rows and planes that are cut in two, and boxes.  Compiled as test_real.c is. */
#include <check.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dice.h"
#include "in_clusters.h"
#include "kernel_case.h"
#include "small_device.h"
#include "src/pass/geometry.h"
#include "suite.h"

static bool in_place(const char *text) { return strchr(text, 'i') != NULL; }

static fg_problem *planned(const char *text, const fg_device_info *device) {
  const char *why = "";
  fg_problem *p = problem_of(text);
  const bool done = TEST_WIDE ? test_plan_reaching(p, in_place(text), device, &list, &why)
                              : fg_planner_plan(p, device, &list, &why);
  ck_assert_msg(done, "%s: %s", text, why);
  return p;
}

static void check_real(fg_problem *p, const char *text) {
  dice d = {97};
  const double unit = PRECISION == FG_SINGLE ? FLT_EPSILON / 2 : DBL_EPSILON / 2;
  const double allowed = 2 * (1 + sqrt(log2((double)fg_tensor_size(&p->transform)))) * unit;
  const double error = test_placed_error(p, &list, in_place(text), dice_between(&d, 0, 1), &d);
  char print[256];
  fg_pass_print(&list.pass[0], print, sizeof print);
  ck_assert_msg(error <= allowed, "%s: %s: error %g", text, print, error);
}

static fg_device_info few_multiprocessors(void) {
  fg_device_info device = fg_reference_device;
  device.multiprocessors = 40;
  return device;
}

/* In clusters of every size that suits: both directions, in place, split, several loops, gaps, rows that begin at odd
 * elements, parts that are not even, or that some blocks have nothing of, an index that is its own negative or none, odd
 * halves of rows. */
static const char *const cut[] = {
    "orb16384", "irb16384*2", "orb24000*5:12050:24100", "orf64x128*2", "orb64x128", "irf64x130*2x2", "/orb72x132*3",
    "orb45x320", "/orf90x100*2", "orb90x100", "irb66x126*2", "orf64:150:90x128:1:1*2:9700:5800", "orf64:131:66x128:1:1",
    "orb64:66:131x128:1:1", "orb64:90:150x128:1:1*2:5800:9700",
    /* computed in single precision */ "orf16384", "irf16384*2", "/orf16384:1:1*2:16390:8200",
    /* and with arrays of that */ "orf125x128", "orf135x160"};

START_TEST(rows_and_planes_are_right_when_cut) {
  const fg_device_info device = few_multiprocessors();
  fg_problem *p = planned(cut[_i], &device);
  ck_assert_msg(list.count == 1 && list.pass[0].four_step && list.pass[0].half_row, "%s: %d passes", cut[_i], list.count);
  test_cluster_sizes(&list.pass[0], &device, check_real, p, cut[_i]);
  fg_problem_free(p);
}
END_TEST

/* With the fewest stages or with more. */
static const struct {
  const char *text;
  int blocks;
} shared[] = {{"orf32x32x32", 8},    {"orb32x32x32", 4},     {"irf24x24x24*2", 4},   {"/orb12x20x28*3", 2}, {"orf30x20x24", 8},
              {"orb20x30x24", 8},    {"orf9x10x22*2x3", 4},  {"/orb9x11x22*7", 4},   {"orb5x3x44*7", 8},    {"orf31x7x40*2", 2},
              {"orb7x31x40*2", 16},  {"orf16x24:21x20:1*3:16128:9000", 4}};

START_TEST(boxes_are_right) {
  const char *const text = shared[_i].text;
  const fg_device_info device = few_multiprocessors();
  fg_problem *p = planned(text, &device);
  ck_assert_msg(list.count == 1 && list.pass[0].half_row, "%s", text);
  test_share_box(&list.pass[0], &device, shared[_i].blocks, _i % 2);
  check_real(p, text);
  fg_problem_free(p);
}
END_TEST

/* Places of a dimension: an index and its negative beside it, each index once. */
START_TEST(an_index_has_its_negative_beside_it) {
  for (int n = 2; n < 70; n++) {
    for (int d = 0; d < 2; d++) { /* what is stored, and what is loaded */
      bool taken[72] = {false};
      fg_pass p = {.cluster = 2, .dims = 3, .box = {{n, 1, 1}, {n, 1, 1}}};
      (d == 0 ? &p.to : &p.from)->form = FG_FORM_HERMITIAN;
      for (int k = 0; k < n; k++) {
        const ptrdiff_t own = fg_pass_place_of_index(&p, d, k), mirror = fg_pass_place_of_index(&p, d, (n - k) % n);
        ck_assert(own >= 0 && own < (n + 1) / 2 * 2 && !taken[own]);
        taken[own] = true;
        ck_assert_int_eq(own / 2, mirror / 2);
        ck_assert_int_eq(fg_pass_index_at_place(&p, d, own), k);
        ck_assert_int_eq(fg_pass_place_of_index(&p, 1 - d, k), k);
      }
      ck_assert_int_eq(taken[1], n % 2 == 0);
      ck_assert_int_ge(2 * fg_pass_part(&p, 1 - d, d), n);
      ck_assert_int_eq(fg_pass_part(&p, 1 - d, d) % 2, 0);
    }
  }
}
END_TEST

/* The last two of three dimensions at once, and all that is left side by side: two passes.  (In double precision the last two
 * are columns side by side and rows.) */
static const char *const three[] = {"orf6x128x480",    "orb11x160x320", "irf9x128x320*2",
                                    "/orb2x3x128x320", "orb5x160x320",  "irf4x128x320*2"};

START_TEST(planes_of_larger_transforms_are_right) {
  fg_device_info device = few_multiprocessors();
  device.cluster = _i == 0 ? 8 : 16; /* what is portable, and what is not */
  fg_overlap_caches = 1e9; /* not otherwise */
  fg_problem *p = planned(three[_i], &device);
  int planes = 0;
  for (int i = 0; i < list.count; i++) planes += list.pass[i].four_step && list.pass[i].half_row;
  ck_assert_msg(list.count == 2 && planes == 1, "%s: %d passes", three[_i], list.count);
  check_real(p, three[_i]);
  fg_problem_free(p);
}
END_TEST

/* Columns in strips beside whole rows: those of r2c continue each other, c2r's have the twiddle.  c2r's rows are as they are in
 * scratch, or padded (negative); strips that end them have fewer columns. */
static const struct {
  const char *text;
  int n1;
} strips[] = {{"/orf40x64x130", 2}, {"irf80x32x135", 2}, {"irb80x32x297", -2}, {"/orb40x96x264", -3}, {"orb40x64x264", 2}};

START_TEST(two_passes_are_right_in_strips) {
  const char *const text = strips[_i].text;
  fg_device_info device = test_small_device(3584 * fg_real_size(PRECISION));
  device.cluster = fg_reference_device.cluster;
  device.multiprocessors = 1;
  fg_problem *p = problem_of(text);
  plan_way(p, &device, fg_overlap_lower_split, strips[_i].n1);
  const fg_pass *const strip = &list.pass[p->kind == FG_R2C];
  const long long kept = p->transform.dim[2].n / 2 + 1;
  ck_assert_msg(list.count == 2 && strip->strip, "%s: %d passes", text, list.count);
  ck_assert_int_eq(strip->twiddle != 0, p->kind == FG_C2R);
  if (p->kind == FG_C2R) {
    ck_assert_int_eq(strip->strip_rest, kept % strip->box[2].n);
    ck_assert_int_eq(strip->loop[1].out > kept, strips[_i].n1 < 0);
  }
  check_real(p, text);
  fg_problem_free(p);
}
END_TEST

int main(void) {
  test_choose_sim_alone();
  TCase *t = tcase_create("real data in clusters");
  tcase_set_timeout(t, 600);
  tcase_add_loop_test(t, rows_and_planes_are_right_when_cut, 0,
                      TEST_COUNT(cut) - (PRECISION == FG_DOUBLE ? 5 : TEST_WIDE ? 2 : 0));
  tcase_add_loop_test(t, boxes_are_right, 0, TEST_COUNT(shared));
  tcase_add_loop_test(t, planes_of_larger_transforms_are_right, 0, TEST_COUNT(three) - (PRECISION == FG_DOUBLE ? 2 : 0));
  tcase_add_loop_test(t, two_passes_are_right_in_strips, 0, TEST_COUNT(strips));
  tcase_add_test(t, an_index_has_its_negative_beside_it);
  Suite *const s = suite_create("real data in clusters");
  suite_add_tcase(s, t);
  return test_run_suite(s);
}
