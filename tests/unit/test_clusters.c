/* test_clusters.c: complex data that the blocks of a cluster share, on the simulated device: boxes, rows and planes that are cut
 * in two, strips of columns.  Compiled once for each precision. */
#include <check.h>
#include <stdlib.h>

#include "in_clusters.h"
#include "kernel_case.h"
#include "small_device.h"
#include "src/pass/choice.h"
#include "src/pass/geometry.h"
#include "suite.h"

/* Boxes shared by a cluster, with the fewest stages or with more: both signs, split, in place, several loops, gaps,
 * dimensions that the blocks cannot share out evenly, or that some of them have nothing of. */
static const struct {
  const char *text;
  int blocks;
} in_clusters[] = {{"oc32x32x32", 8},    {"ocb24x24x24*2", 4},  {"/oc12x20x28*3", 2},  {"ic30x20x24", 8},
                   {"oc30x8x20", 8},     {"ocb30x6x6*5", 4},     {"oc9x10x11*2x3", 4},  {"/icb5x3x4*7", 8},
                   {"oc31x7x2", 2},        {"oc16x24x20:2:1*3:16000:7700", 4}};

START_TEST(boxes_of_clusters_are_right) {
  fg_problem *p = problem_of(in_clusters[_i].text);
  fg_device_info device = fg_reference_device;
  device.multiprocessors = 8; /* which few boxes keep busy */
  plan(p, &device);
  ck_assert(list.count == 1);
  test_share_box(&list.pass[0], &device, in_clusters[_i].blocks, _i % 2);
  check(p, in_clusters[_i].text);
  fg_problem_free(p);
}
END_TEST

/* Rows, two of them convolved, and columns of planes, cut in two, in clusters of every size that suits: both signs, split, in
 * place, several loops, gaps, parts that are not even, or that some blocks have nothing of. */
static const char *const cut[] = {"oc8192",          "ocb10000*2",       "/ic9216*3",         "oc16384:1*2:17000:16500",
                                  "icb12000*2x2",    "oc64x64*2",        "ocb90x100",         "/ic72x66*3",
                                  "oc75x60*2:5000:4600", "icb66x64*2x2", "ocb64x80:100:90x1:1",
                                  "ocb4099",         "/ic5003"};

START_TEST(rows_and_planes_are_right_when_cut) {
  fg_problem *p = problem_of(cut[_i]);
  fg_device_info device = fg_reference_device;
  device.multiprocessors = 8;
  plan(p, &device);
  ck_assert(list.count == 1 && list.pass[0].four_step);
  test_cluster_sizes(&list.pass[0], &device, check, p, cut[_i]);
  fg_problem_free(p);
}
END_TEST

/* ---- strips of columns ---- */

/* As in small_device.h, but with clusters: blocks have no room for columns that are long runs. */
static fg_device_info device_of_strips(void) {
  fg_device_info device = test_small_device(40 * 1024);
  device.cluster = fg_reference_device.cluster;
  device.multiprocessors = 1;
  return device;
}

/* Every geometry of the list's strips, of which there are so many, is right. */
static void check_strips(fg_problem *p, const fg_device_info *device, int strips, const char *text) {
  enum { MOST = 6 };
  const fg_passes planned = list;
  int found = 0;
  for (int i = 0; i < planned.count; i++) found += planned.pass[i].strip;
  ck_assert_msg(found == strips, "%s: %d strips of %d", text, found, planned.count);
  check(p, text);
  for (int i = 0; i < planned.count; i++) {
    static fg_choice ways[MOST];
    const int count = planned.pass[i].strip ? fg_choice_list(&planned.pass[i], device, ways, MOST) : 0;
    for (int way = 0; way < count; way++) {
      list = planned;
      ck_assert(fg_choice_apply(&ways[way], &list.pass[i], device));
      check(p, text);
    }
  }
}

/* Columns of planes: both signs, in place, split, a last strip that has fewer, neighbours that are not aligned, several loops. */
static const char *const of_strips[] = {"oc1280x24", "icb1536x24*2", "/oc1280x131", "oc2100x16*2:40000:36000",
                                         "ocb1400:21:18x16:1:1"};

static bool dimensions(const fg_planner *planner, const fg_work *w, ptrdiff_t n1, fg_passes *to) {
  (void)n1;
  return fg_solver_dimensions.lower(planner, w, to);
}

START_TEST(columns_are_right_in_strips) {
  const fg_device_info device = device_of_strips();
  fg_problem *p = problem_of(of_strips[_i]);
  plan_way(p, &device, dimensions, 0); /* they would be planes in clusters */
  check_strips(p, &device, 1, of_strips[_i]);
  fg_problem_free(p);
}
END_TEST

/* Strips of 8 of the first loop's 131 columns would end where those of the second begin, 136 on: then there are none. */
START_TEST(a_strip_with_fewer_columns_is_the_last_of_its_row) {
  const fg_device_info device = device_of_strips();
  const fg_planner planner = {.device = &device};
  const long long pitch = _i ? 144 : 136;
  const fg_work w = {.precision = FG_SINGLE, .sign = -1, .to = {.array = FG_ARRAY_OUT}, .rank = 1, .dim = {{1280, 300, 300}},
                     .loops = 2, .loop = {{.n = 131, .in = 1, .out = 1}, {.n = 2, .in = pitch, .out = pitch}}};
  list = (fg_passes){0};
  ck_assert(fg_solver_strip.applicable(&planner, &w));
  const bool can = fg_solver_strip.lower(&planner, &w, &list);
  ck_assert_int_eq(can, pitch == 144);
  if (!can) return;
  const fg_pass *const p = &list.pass[0];
  ck_assert(p->strip_rest && p->loops == 2 && p->loop[1].n == 2);
  ck_assert_int_eq((p->loop[0].n - 1) * p->box[2].n + p->strip_rest, 131);
}
END_TEST

/* Of long rows those of the first pass, with the twiddle, and of the second, which are rows where they are loaded. */
static const struct {
  const char *text;
  int n1;
} long_rows[] = {{"oc20480", 1280}, {"ocb36864*2", 2304}, {"/ic30720", 1920},
                 {"oc20480", 16},   {"icb36864*2", 16},   {"/oc30720", 16}};

START_TEST(parts_of_long_rows_are_right_in_strips) {
  const fg_device_info device = device_of_strips();
  fg_problem *p = problem_of(long_rows[_i].text);
  plan_way(p, &device, fg_hierarchical_lower_split, long_rows[_i].n1);
  check_strips(p, &device, 1, long_rows[_i].text);
  fg_problem_free(p);
}
END_TEST

/* And of two dimensions at once behind whole rows, which have the twiddle. */
static const struct {
  const char *text;
  int n1;
} boxes[] = {{"oc64x48x40", 2}, {"ocb80x40x24", 2}, {"/ic32x96x16", 2}};

/* Two passes with n1 points of the last dimension but one in the first, where blocks have little room. */
static fg_problem *plan_two_passes(fg_device_info *device, const char *text, int n1) {
  fg_problem *p = problem_of(text);
  *device = device_of_strips();
  device->shared_block = 24 * 1024;
  plan_way(p, device, fg_overlap_lower_split, n1);
  return p;
}

START_TEST(two_passes_of_a_box_are_right_in_strips) {
  fg_device_info device;
  fg_problem *p = plan_two_passes(&device, boxes[_i].text, boxes[_i].n1);
  check_strips(p, &device, 1, boxes[_i].text);
  fg_problem_free(p);
}
END_TEST

/* Or whole rows that are planes in clusters. */
static const struct {
  const char *text;
  int n1;
} planes[] = {{"oc3x160x64", 80}, {"ocb2x144x100*2", 72}, {"/ic4x192x48", 96}};

START_TEST(two_passes_of_a_box_are_right_in_planes) {
  fg_device_info device;
  fg_problem *p = plan_two_passes(&device, planes[_i].text, planes[_i].n1);
  ck_assert(list.pass[0].four_step && list.pass[0].twiddle);
  test_cluster_sizes(&list.pass[0], &device, check, p, planes[_i].text);
  fg_problem_free(p);
}
END_TEST

/* Those are planned where they were measured, on an H100. */
START_TEST(two_passes_of_a_cube_are_planned_where_they_were_measured) {
  fg_device_info other = fg_reference_device;
  snprintf(other.name, sizeof other.name, "NVIDIA H100 80GB HBM3");
  other.memory = (size_t)80 << 30;
  fg_problem *p = test_problem("oc1000x1000x1000", FG_SINGLE);
  const char *why;
  fg_cut_any_twiddled = false;
  ck_assert(fg_planner_plan(p, &fg_reference_device, &list, &why));
  ck_assert_int_eq(list.count, 3);
  ck_assert(fg_planner_plan(p, &other, &list, &why));
  ck_assert_int_eq(list.count, 2);
  ck_assert(list.pass[0].four_step && list.pass[0].twiddle && list.pass[1].strip);
  fg_problem_free(p);
}
END_TEST

/* ---- what is no geometry ---- */

/* All that is offered for that pass has, or has not, several blocks. */
static void check_offered(const fg_pass *p, const fg_device_info *device, bool several) {
  enum { MOST = 64 };
  static fg_choice ways[MOST];
  const int count = fg_choice_list(p, device, ways, MOST);
  for (int i = 0; i < count; i++) ck_assert_int_eq(ways[i].cluster > 1, several);
  ck_assert_int_gt(count, 0);
}

/* A strip is in a cluster, also where a block has room for it. */
START_TEST(strips_are_never_in_one_block) {
  fg_device_info device;
  fg_problem *p = plan_two_passes(&device, boxes[0].text, boxes[0].n1);
  ck_assert(list.pass[1].strip);
  fg_choice alone = fg_choice_of(&list.pass[1]);
  check_offered(&list.pass[1], &fg_reference_device, true);
  alone.cluster = 1;
  ck_assert(!fg_choice_apply(&alone, &list.pass[1], &fg_reference_device));
  fg_problem_free(p);
}
END_TEST

/* Half rows of a larger transform, whose bins are put together by the block that has them, are not in clusters. */
START_TEST(real_rows_with_a_twiddle_are_in_one_block) {
  fg_problem *p = test_problem("orf512x256*2", FG_SINGLE);
  fg_layout in, out;
  const fg_planner planner = {.device = &fg_reference_device};
  ck_assert(fg_layout_make(&in, p, FG_INPUT) && fg_layout_make(&out, p, FG_OUTPUT));
  const fg_work w = {.precision = FG_SINGLE, .kind = FG_R2C, .sign = -1, .to = {.array = FG_ARRAY_OUT}, .rank = 2,
                     .dim = {{512, in.stride[0], out.stride[0]}, {256, 1, 1}}, .loops = 1,
                     .loop = {{.n = 2, .in = in.stride[2], .out = out.stride[2]}}};
  list = (fg_passes){0};
  ck_assert(fg_overlap_lower_split(&planner, &w, 16, &list) && list.pass[0].twiddle && list.pass[0].half_row);
  check_offered(&list.pass[0], &fg_reference_device, false);
  fg_layout_free(&in);
  fg_layout_free(&out);
  fg_problem_free(p);
}
END_TEST

int main(void) {
  TCase *const tc = tcase_create("clusters");
  test_choose_sim_alone();
  fg_overlap_caches = 0;
  fg_strip_short_rows = fg_cut_any_twiddled = true;
  tcase_set_timeout(tc, 120);
  tcase_add_loop_test(tc, boxes_of_clusters_are_right, 0, TEST_COUNT(in_clusters));
  tcase_add_loop_test(tc, rows_and_planes_are_right_when_cut, 0, TEST_COUNT(cut));
  tcase_add_loop_test(tc, columns_are_right_in_strips, 0, TEST_COUNT(of_strips));
  tcase_add_loop_test(tc, a_strip_with_fewer_columns_is_the_last_of_its_row, 0, 2);
  tcase_add_loop_test(tc, parts_of_long_rows_are_right_in_strips, 0, TEST_COUNT(long_rows));
  tcase_add_loop_test(tc, two_passes_of_a_box_are_right_in_strips, 0, TEST_COUNT(boxes));
  tcase_add_loop_test(tc, two_passes_of_a_box_are_right_in_planes, 0, TEST_COUNT(planes));
  tcase_add_test(tc, two_passes_of_a_cube_are_planned_where_they_were_measured);
  tcase_add_test(tc, strips_are_never_in_one_block);
  tcase_add_test(tc, real_rows_with_a_twiddle_are_in_one_block);
  return test_run(tc, PRECISION == FG_SINGLE ? "clusters" : "clusters in double precision");
}
