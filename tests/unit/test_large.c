/* test_large.c: in how many passes large transforms are done, and how they are cut. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "random_problem.h"
#include "src/pass/radices.h"
#include "src/pass/solver.h"
#include "src/pass/tuned.h"
#include "src/plan/planner.h"
#include "suite.h"

/* As many blocks at most; arch stays. */
static fg_device_info device_with_clusters_of(int blocks) {
  fg_device_info device = fg_reference_device;
  device.cluster = blocks;
  return device;
}

/* What the L2 holds is not cut by the digits of a dimension, as in a program. */
static fg_passes *plan_by_size(const char *text, enum fg_precision precision, const fg_device_info *device) {
  const double caches = fg_overlap_caches;
  fg_overlap_caches = 1;
  fg_passes *p = test_plan(text, precision, device);
  fg_overlap_caches = caches;
  return p;
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
  const fg_device_info device = device_with_clusters_of(1);
  fg_passes *p = plan_by_size(evener[_i].text, evener[_i].precision, &device);
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
                 {"oc256x256x512", 16, 2, false},  {"oc512x512x128", 16, 2, true},    {"oc256x256x256", 16, 2, true},
                 {"orf256x256x256*2", 16, 2, true}, {"orf300x300x300", 16, 2, false}, {"orf250x250x250*2", 16, 2, false},
                 {"oc250x250x250", 16, 2, false},  {"oc210x210x210*3", 16, 2, false}};

START_TEST(planes_are_in_clusters_where_that_pays) {
  const fg_device_info device = device_with_clusters_of(in_planes[_i].most);
  fg_passes *p = plan_by_size(in_planes[_i].text, FG_SINGLE, &device);
  ck_assert_msg(p->count == in_planes[_i].passes && p->pass[0].four_step == in_planes[_i].planes, "%s: %d", in_planes[_i].text,
                p->count);
  ck_assert_int_le(p->pass[0].cluster, in_planes[_i].most);
  free(p);
}
END_TEST

/* A c2r begins with columns, or with boxes where its digits are shared, whose rows continue each other although each has
 * twiddles of its own. */
static const struct {
  const char *text;
  ptrdiff_t row; /* 0: not shared */
} spectra[] = {{"orb128x128x128*16", 65}, {"orb256x256x256*2", 129}, {"orb64x64x64*128", 33}, {"orb320x320x320", 0},
               {"orb288x288x288", 0}};

START_TEST(spectra_are_cut_where_that_pays) {
  fg_passes *p = plan_by_size(spectra[_i].text, FG_SINGLE, &fg_reference_device);
  ck_assert_int_eq(p->count, 2);
  const fg_pass *first = &p->pass[0], *second = &p->pass[1];
  ck_assert_msg((first->family == FG_FAMILY_BOX) == (spectra[_i].row > 0), "%s", spectra[_i].text);
  if (spectra[_i].row) ck_assert_int_eq((ptrdiff_t)first->loop[0].n, spectra[_i].row);
  if (spectra[_i].row) ck_assert_int_eq(fg_pass_neighbours(first), spectra[_i].row * second->box[0].n);
  free(p);
}
END_TEST

/* Where blocks have room for few columns, these are strips: of an r2c's n1 rows at once, of a c2r's rows one by one, which then
 * begin with sectors in scratch. */
static const struct {
  const char *text;
  enum fg_precision precision;
} in_strips[] = {{"orf336x336x336", FG_SINGLE}, {"orf400x400x400", FG_SINGLE}, {"orf288x288x288", FG_DOUBLE},
                 {"orb336x336x336", FG_SINGLE}, {"orb400x400x400", FG_SINGLE}, {"orb480x480x480", FG_SINGLE}};

START_TEST(columns_beside_real_rows_are_strips) {
  fg_passes *p = plan_by_size(in_strips[_i].text, in_strips[_i].precision, &fg_reference_device);
  const bool back = strstr(in_strips[_i].text, "rb") != NULL;
  const fg_pass *rows = &p->pass[back], *strip = &p->pass[!back];
  const long long kept = rows->box[1].n + 1, of_one = back ? kept : kept * rows->box[0].n;
  ck_assert_msg(p->count == 2 && strip->strip && !rows->strip, "%s", in_strips[_i].text);
  ck_assert_int_eq(strip->loop[0].n, (of_one + strip->box[2].n - 1) / strip->box[2].n);
  if (back) ck_assert(strip->twiddle && strip->loop[1].out % 4 == 0 && strip->loop[1].out > kept);
  free(p);
}
END_TEST

/* Rows that end within a line of memory are one with those of the first digit, on both sides of the second pass, of which
 * blocks then have whole sectors; whole lines are not. */
static const struct {
  const char *text;
  ptrdiff_t row;
  bool whole;
} rows[] = {{"orf128x128x128*16", 65, false}, {"orf180x180x180*5", 91, false}, {"oc150x150x150*9", 150, false},
            {"orf64x64x64*128", 33, false},   {"oc200x200x200*4", 200, false}, {"oc160x160x160*8", 160, true},
            {"oc128x128x128*16", 128, true}};

START_TEST(short_rows_continue_each_other) {
  fg_passes *p = plan_by_size(rows[_i].text, FG_SINGLE, &fg_reference_device);
  ck_assert_int_eq(p->count, 2);
  const fg_pass *first = &p->pass[0], *second = &p->pass[1];
  const ptrdiff_t together = rows[_i].whole ? rows[_i].row : rows[_i].row * first->box[0].n, sector = 32 / 8;
  ck_assert_msg(first->twiddle && (ptrdiff_t)second->loop[0].n == together, "%s: %lld", rows[_i].text,
                (long long)second->loop[0].n);
  ck_assert_int_eq(first->box[1].os, 1);
  ck_assert_int_eq(first->box[0].os == rows[_i].row, !rows[_i].whole);
  for (int d = 0; d < second->dims; d++) ck_assert_int_eq(second->box[d].is * 8 % 128, 0); /* from lines on */
  if (together % sector == 0) ck_assert_int_eq(second->lines % sector, 0);
  free(p);
}
END_TEST

/* Of columns, on a device that the table has no lines of: with a twiddle, stored from rows, alone. */
static const struct {
  const char *text;
  int pass;
  bool large;
} columns[] = {{"oc800x800", 1, true},     {"oc1200x1200", 1, true},  {"oc640000*52", 0, true}, {"oc640000*52", 1, true},
               {"oc1024x1024*32", 1, false}, {"oc1080x1920", 1, true},  {"oc1048576*32", 0, false}};

static fg_device_info device_without_lines(void) {
  fg_device_info device = device_with_clusters_of(1);
  device.arch = 80;
  return device;
}

START_TEST(columns_have_large_radices_where_that_saves_a_stage) {
  const fg_device_info device = device_without_lines();
  fg_passes *p = test_plan(columns[_i].text, FG_SINGLE, &device);
  const fg_pass *pass = &p->pass[columns[_i].pass];
  bool large = false;
  for (int s = 0; s < pass->stages; s++) large = large || fg_radix_large(pass->radix[s]);
  ck_assert_int_eq(p->count, 2);
  ck_assert_msg(pass->family == FG_FAMILY_TILE && large == columns[_i].large, "%s", columns[_i].text);
  free(p);
}
END_TEST

/* What is learned of passes changes neither their price nor how the row is cut. */
START_TEST(a_long_row_is_cut_as_before_when_its_passes_are_measured) {
  const fg_device_info device = device_without_lines();
  fg_passes *before = test_plan("oc640000*52", FG_SINGLE, &device);
  ck_assert_int_eq(before->count, 2);
  for (int i = 0; i < 2; i++) {
    fg_choice other;
    ck_assert_double_gt(before->pass[i].price, 0);
    ck_assert_int_eq(fg_choice_list(&before->pass[i], &device, &other, 1), 1);
    fg_tuned_learn(&before->pass[i], device.arch, &other, 2);
  }
  fg_passes *after = test_plan("oc640000*52", FG_SINGLE, &device);
  fg_tuned_forget(NULL);
  ck_assert(after->count == 2 && after->pass[0].n == before->pass[0].n);
  ck_assert_double_eq_tol(after->cost, before->cost, 1e-9 * before->cost);
  for (int i = 0; i < 2; i++) ck_assert(memcmp(after->pass[i].radix, before->pass[i].radix, sizeof after->pass[i].radix));
  free(before);
  free(after);
}
END_TEST

/* Where the model is not all: the digits of a dimension are shared between two passes, which real transforms of longer rows are
 * slower in; two passes where the model has three cheaper, but not by far, of long rows of which more than the L2 holds, and of few
 * components at any length; one pass for each dimension where a block has a column's components whole. */
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
                {"oc768x768x768", FG_SINGLE, 2},     {"oc4096x4096", FG_DOUBLE, 2},    {"oc1048576*32", FG_SINGLE, 2},
                {"oc1024x1024x1024", FG_SINGLE, 3},  {"oc800x800x800", FG_SINGLE, 3},  {"oc1000x1000x1000", FG_SINGLE, 3},
                {"oc3145728v2", FG_SINGLE, 2},       {"oc2250000v3", FG_DOUBLE, 2},    {"or2361960v3", FG_DOUBLE, 2},
                {"oc931x1776v3", FG_SINGLE, 2},      {"oc1817x1189v7", FG_SINGLE, 2}};

START_TEST(as_many_passes_as_measurements_say) {
  fg_passes *p = test_plan(measured[_i].text, measured[_i].precision, &fg_reference_device);
  ck_assert_msg(p->count == measured[_i].passes, "%s: %d passes", measured[_i].text, p->count);
  free(p);
}
END_TEST

/* Columns of few components: lines of several columns are in a block, on the way out as many as are contiguous there. */
static const struct {
  const char *text;
  enum fg_precision precision;
} components[] = {{"oc1048576v2", FG_SINGLE}, {"oc1048576v3", FG_SINGLE}, {"ic3000000v3", FG_SINGLE},
                  {"orf1875000v3", FG_SINGLE}, {"oc1105920v3", FG_DOUBLE}};

START_TEST(few_components_share_blocks_with_other_columns) {
  enum { RUN = 64 };
  fg_passes *p = test_plan(components[_i].text, components[_i].precision, &fg_reference_device);
  ck_assert_int_eq(p->count, 2);
  for (int i = 0; i < p->count; i++) {
    const fg_pass *pass = &p->pass[i];
    const ptrdiff_t each = (ptrdiff_t)pass->loop[0].n;
    ck_assert(pass->family == FG_FAMILY_TILE && each == atoi(strchr(components[_i].text, 'v') + 1));
    ck_assert(pass->lines > each && pass->lines <= fg_pass_run_of_lines(pass, FG_OUTPUT));
    ck_assert_int_ge(pass->lines * (ptrdiff_t)fg_pass_point_size(pass, &pass->to), RUN);
  }
  free(p);
}
END_TEST

/* A block has all that alternate on the way in, of one column or more, and none on the way out: the second pass of long lines. */
START_TEST(components_of_a_column_alternate) {
  fg_passes *list = test_plan("oc1048576v3", FG_SINGLE, &fg_reference_device);
  fg_pass p = list->pass[1];
  ck_assert(fg_pass_run_of_lines(&p, FG_INPUT) == 3 && fg_pass_run_of_lines(&p, FG_OUTPUT) == 3 * 1024);
  for (p.lines = 1; p.lines <= 12; p.lines++)
    ck_assert(fg_pass_alternates(&p, FG_INPUT) == (p.lines % 3 == 0) && !fg_pass_alternates(&p, FG_OUTPUT));
  p.lines = 3;
  fg_pass filtered = p, apart = p, gaps = p, few = p;
  filtered.store_table.kind = FG_TABLE_CHIRP;
  apart.loop[0].in = 2;
  gaps.in = 4;
  few.loop[1].n = 171; /* lines of a column: 513 lines, blocks enough for three of them, not for 39 */
  ck_assert(!fg_pass_alternates(&filtered, FG_INPUT) && fg_pass_run_of_lines(&filtered, FG_OUTPUT) == 3);
  ck_assert(!fg_pass_alternates(&apart, FG_INPUT) && !fg_pass_alternates(&gaps, FG_INPUT));
  ck_assert(fg_pass_alternates(&few, FG_INPUT));
  few.lines = 39;
  ck_assert(!fg_pass_alternates(&few, FG_INPUT));
  few.lines = 3;
  few.loop[1].n = 170; /* 510 lines */
  ck_assert(!fg_pass_alternates(&few, FG_INPUT) && fg_pass_run_of_lines(&few, FG_OUTPUT) == 3);
  free(list);
}
END_TEST

/* Boxes of components are whole in a block, all components of one or of several; with gaps between rows they would not be
 * contiguous. */
static const struct {
  const char *text;
  int each;
} boxes[] = {{"oc108:60:60x20:3:3*3:1:1x1294:6480:6480", 3}, {"oc36:270:270x30:9:9*9:1:1x863:9720:9720", 9},
             {"oc6:140:140x28:5:5*5:1:1x3328:840:840", 5}};

START_TEST(boxes_of_components_are_whole) {
  fg_passes *p = test_plan(boxes[_i].text, FG_SINGLE, &fg_reference_device);
  const fg_pass *box = &p->pass[0];
  ck_assert(p->count == 1 && box->family == FG_FAMILY_BOX && box->across);
  ck_assert(fg_pass_alternates(box, FG_INPUT) && fg_pass_alternates(box, FG_OUTPUT));
  ck_assert(box->lines % boxes[_i].each == 0 && fg_pass_sector_share(box) == 1);
  fg_pass gaps = *box;
  gaps.box[0].is *= 2;
  ck_assert(!fg_pass_alternates(&gaps, FG_INPUT) && fg_pass_alternates(&gaps, FG_OUTPUT) && fg_pass_sector_share(&gaps) < 1);
  free(p);
}
END_TEST

/* Of three boxes no block has twice as many places, or more. */
START_TEST(few_boxes_are_not_taken_for_more) {
  fg_passes *p = test_plan("oc4x4v3", FG_SINGLE, &fg_reference_device);
  ck_assert(p->count == 1 && p->pass[0].lines <= 5);
  free(p);
}
END_TEST

int main(void) {
  fg_overlap_caches = 0; /* also what the L2 holds; tests that say so have it as it is */
  TCase *tc = tcase_create("large");
  tcase_add_loop_test(tc, planes_are_in_clusters_where_that_pays, 0, TEST_COUNT(in_planes));
  tcase_add_loop_test(tc, spectra_are_cut_where_that_pays, 0, TEST_COUNT(spectra));
  tcase_add_loop_test(tc, short_rows_continue_each_other, 0, TEST_COUNT(rows));
  tcase_add_loop_test(tc, columns_beside_real_rows_are_strips, 0, TEST_COUNT(in_strips));
  tcase_add_loop_test(tc, columns_have_large_radices_where_that_saves_a_stage, 0, TEST_COUNT(columns));
  tcase_add_loop_test(tc, few_components_share_blocks_with_other_columns, 0, TEST_COUNT(components));
  tcase_add_test(tc, components_of_a_column_alternate);
  tcase_add_loop_test(tc, boxes_of_components_are_whole, 0, TEST_COUNT(boxes));
  tcase_add_test(tc, few_boxes_are_not_taken_for_more);
  tcase_add_test(tc, a_long_row_is_cut_as_before_when_its_passes_are_measured);
  tcase_add_loop_test(tc, two_passes_are_cut_evenly_where_that_pays, 0, TEST_COUNT(evener));
  tcase_add_loop_test(tc, as_many_passes_as_measurements_say, 0, TEST_COUNT(measured));
  return test_run(tc, "large");
}
