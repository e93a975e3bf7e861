/* test_neighbours.c: which lines a block has, where those that are neighbours in memory are others on either side, alternate, or
 * are in split arrays. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random_problem.h"
#include "src/pass/choice.h"
#include "src/pass/geometry.h"
#include "src/pass/solver.h"
#include "src/plan/planner.h"
#include "suite.h"

enum { RUN = 64, SECTOR = 32 /* bytes */ };

static ptrdiff_t bytes_of(const fg_pass *p, ptrdiff_t points) { return points * (ptrdiff_t)fg_pass_point_size(p, &p->from); }

/* What the pass takes at best, by the model. */
static double floor_of(const fg_pass *p) { return fg_pass_least_cost(p, &fg_reference_device); }

/* ---- columns that are stored as rows: of two loops that of the neighbours of the loads is innermost ---- */

static const struct {
  const char *text;
  enum fg_precision precision;
} to_rows[] = {{"oc100:73850:1*422:175:100x175:1:42200", FG_SINGLE}, {"ocb48:225168:1*4691:48x48:1:225168", FG_SINGLE},
               {"oc100:73850:1*422:175:100x175:1:42200", FG_DOUBLE}, {"orf100:73850:1*422:175:51x175:1:21522", FG_SINGLE},
               {"ok100:73850:1e10*422:175:100x175:1:42200", FG_SINGLE}};

START_TEST(columns_to_rows_have_the_neighbours_of_the_loads) {
  fg_passes *list = test_plan(to_rows[_i].text, to_rows[_i].precision, &fg_reference_device);
  const fg_pass *p = &list->pass[0];
  ck_assert_int_eq(list->count, 1);
  ck_assert(fg_geometry_load_across(p) && !fg_geometry_store_across(p));
  ck_assert(p->loop[0].in == 1 && p->loop[0].out != 1 && p->loops == 2);
  ck_assert(fg_pass_cost(p, &fg_reference_device) < 1.35 * floor_of(p));
  free(list);
}
END_TEST

/* Rows to columns have those of the stores, as all else. */
START_TEST(rows_to_columns_have_the_neighbours_of_the_stores) {
  fg_passes *list = test_plan("oc100:1:73850*422:100:175x175:42200:1", FG_SINGLE, &fg_reference_device);
  ck_assert(list->count == 1 && list->pass[0].loop[0].out == 1 && list->pass[0].loop[0].in == 42200);
  free(list);
}
END_TEST

/* ---- neighbours that are others on either side ---- */

static const struct {
  const char *text;
  enum fg_precision precision;
  int first, second; /* turns of the inner loops */
  long long lines;
} crossed[] = {{"oc1*4096:1:4096x4096:4096:1", FG_SINGLE, 8, 16, 4096 * 4096},
               {"oc1*4096:1:4096x4096:4096:1", FG_DOUBLE, 4, 8, 4096 * 4096},
               {"/oc1*3000:1:4000x4000:3000:1", FG_SINGLE, 8, 32, 3000 * 4000},
               {"oc1*64:1:262144x262144:64:1", FG_SINGLE, 8, 16, 64 * 262144},
               {"oc1*5:1:3000000x3000000:5:1", FG_SINGLE, 5, 16, 5 * 3000000},
               {"oc1*3:5000000:1x5000000:1:3", FG_SINGLE, 8, 3, 3 * 5000000},
               {"oc64:262144:262144*512:1:512x512:512:1", FG_SINGLE, 8, 16, 512 * 512},
               {"oc100:120000:120000*300:1:400x400:300:1", FG_SINGLE, 4, 16, 300 * 400},
               {"oc32:500000:500000*1000:1:500x500:1000:1", FG_DOUBLE, 4, 4, 1000 * 500}};

START_TEST(blocks_have_neighbours_of_both_sides) {
  fg_passes *list = test_plan(crossed[_i].text, crossed[_i].precision, &fg_reference_device);
  const fg_pass *p = &list->pass[0];
  ck_assert(list->count == 1 && p->crossed);
  ck_assert(p->loop[0].n == crossed[_i].first && llabs(p->loop[0].in) == 1 && p->loop[0].out != 1);
  ck_assert(p->loop[1].n == crossed[_i].second && llabs(p->loop[1].out) == 1);
  long long all = 1;
  for (int l = 0; l < p->loops; l++) all *= p->loop[l].n;
  ck_assert(all == crossed[_i].lines && p->lines % crossed[_i].first == 0);
  ck_assert(fg_geometry_load_across(p) && fg_geometry_store_across(p));
  ck_assert_int_ge(bytes_of(p, fg_pass_crossed_run(p, FG_OUTPUT)), SECTOR);
  ck_assert(fg_pass_cost(p, &fg_reference_device) < 1.9 * floor_of(p));
  free(list);
}
END_TEST

/* Real data that is only moved is crossed, too, by twice as many; parts of transforms, and what no block has room for, are not. */
START_TEST(what_is_crossed) {
  fg_pass p = {.n = 1, .loops = 2, .loop = {{.n = 4096, .in = 4096, .out = 1}, {.n = 4096, .in = 1, .out = 4096}}, .cluster = 1};
  fg_pass reals = p, halves = p, part = p, factors = p, room = p, large = p;
  reals.from.form = reals.to.form = halves.from.form = FG_FORM_REAL;
  part.twiddle = 4096;
  factors.load_table.kind = FG_TABLE_CHIRP;
  room.n = 512;
  large.n = 1024;
  room.in = room.out = large.in = large.out = 4096 * 4096;
  fg_pass_cross(&p);
  fg_pass_cross(&reals);
  ck_assert(p.crossed && p.loop[0].n == 8 && p.loop[1].n == 16 && p.loops == 4);
  ck_assert(reals.crossed && reals.loop[0].n == 16 && reals.loop[1].n == 32);
  fg_pass_cross(&room);
  ck_assert(room.crossed);
  fg_pass *const others[] = {&halves, &part, &factors, &large};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    fg_pass_cross(others[i]);
    ck_assert(!others[i]->crossed && others[i]->loops == 2);
  }
}
END_TEST

/* Two loops more must have places. */
START_TEST(loops_that_are_cut_have_places) {
  for (int loops = FG_MAX_LOOPS; loops >= FG_MAX_LOOPS - 2; loops--) {
    fg_pass p = {.n = 1, .loops = loops, .cluster = 1};
    long long stride = 64 * 64;
    p.loop[0] = (fg_loop){.n = 64, .in = 64, .out = 1};
    p.loop[1] = (fg_loop){.n = 64, .in = 1, .out = 64};
    for (int l = 2; l < loops; l++, stride *= 3) p.loop[l] = (fg_loop){.n = 2, .in = stride, .out = stride};
    fg_pass_cross(&p);
    ck_assert(p.crossed == (loops <= FG_MAX_LOOPS - 2) && p.loops == loops + 2 * p.crossed);
  }
}
END_TEST

/* What is measured of one is not taken for the other. */
START_TEST(crossed_lines_have_keys_of_their_own) {
  char key[2][FG_CHOICE_KEY];
  static const char *const texts[] = {"oc64:262144:262144*512:1:512x512:512:1", "oc64:8:8*8:1:1x100000:512:512"};
  for (int i = 0; i < 2; i++) {
    fg_passes *list = test_plan(texts[i], FG_SINGLE, &fg_reference_device);
    ck_assert(list->pass[0].loop[0].n == 8 && list->pass[0].crossed == !i);
    fg_choice_key(&list->pass[0], key[i]);
    free(list);
  }
  ck_assert_str_ne(key[0], key[1]);
}
END_TEST

/* Not of rows, nor of lengths without a part that fills sectors, nor where the neighbours are the same. */
static const char *const straight[] = {"oc64:1:262144*512:64:512x512:32768:1", "oc1*4095:1:4097x4097:4095:1", "oc64v4096",
                                       "oc64:512:512*512:1:1x512:32768:32768"};

START_TEST(others_are_as_they_come) {
  fg_passes *list = test_plan(straight[_i], FG_SINGLE, &fg_reference_device);
  ck_assert(list->count == 1 && !list->pass[0].crossed);
  free(list);
}
END_TEST

/* Where the loop of the loads goes on in that of the stores, or is few turns of it, all of a block are neighbours. */
START_TEST(runs_of_crossed_lines) {
  fg_passes *list = test_plan("oc1*3:1:5000000x5000000:3:1", FG_SINGLE, &fg_reference_device);
  fg_pass p = list->pass[0];
  ck_assert(p.crossed && p.lines % 48 == 0);
  p.lines = 96;
  ck_assert(fg_pass_crossed_run(&p, FG_INPUT) == 48 && fg_pass_crossed_run(&p, FG_OUTPUT) == 16);
  p.lines = 24;
  ck_assert(fg_pass_crossed_run(&p, FG_INPUT) == 24 && fg_pass_crossed_run(&p, FG_OUTPUT) == 8);
  p.lines = 25;
  ck_assert_int_eq(fg_pass_crossed_run(&p, FG_OUTPUT), 1);
  free(list);
  list = test_plan("oc1*3:5000000:1x5000000:1:3", FG_SINGLE, &fg_reference_device);
  p = list->pass[0];
  p.lines = 48;
  ck_assert(fg_pass_crossed_run(&p, FG_INPUT) == 8 && fg_pass_crossed_run(&p, FG_OUTPUT) == 24);
  p.lines = 16;
  ck_assert_int_eq(fg_pass_crossed_run(&p, FG_OUTPUT), 2);
  free(list);
}
END_TEST

/* ---- rows of components ---- */

static const struct {
  const char *text;
  enum fg_precision precision;
  int each, most;
} alternating[] = {{"oc75:2:2*60000:150:150x2:1:1", FG_SINGLE, 2, 8}, {"oc135:3:3*22222:405:405x3:1:1", FG_SINGLE, 3, 12},
                   {"oc20:3:3*150000:60:60x3:1:1", FG_SINGLE, 3, 12},  {"oc33:5:5*54545:165:165x5:1:1", FG_SINGLE, 5, 10},
                   {"orf135:2:2*51851:270:136x2:1:1", FG_SINGLE, 2, 8}, {"oc25:3:3*120000:75:75x3:1:1", FG_DOUBLE, 3, 12},
                   {"ok64:3:3e10*72916:192:192x3:1:1", FG_DOUBLE, 3, 12}};

/* So few that a warp finds 64 bytes together, of several points of each of the lines that alternate. */
START_TEST(few_rows_of_components_share_a_block) {
  fg_passes *list = test_plan(alternating[_i].text, alternating[_i].precision, &fg_reference_device);
  const fg_pass *p = &list->pass[0];
  ck_assert_int_eq(list->count, 1);
  ck_assert(p->lines % alternating[_i].each == 0 && fg_pass_alternates(p, FG_INPUT) && fg_pass_alternates(p, FG_OUTPUT));
  ck_assert_int_le(p->lines, alternating[_i].most);
  free(list);
}
END_TEST

/* ---- columns of split arrays: half of their bytes in each, whose runs are as long as those of points ---- */

static const char *const split[] = {"/oc64x64x64*64", "/oc100x100x100*16", "/oc1024x1024*4"};

START_TEST(columns_of_split_arrays_have_whole_runs) {
  fg_passes *list = test_plan(split[_i], FG_SINGLE, &fg_reference_device);
  const fg_pass *p = &list->pass[1];
  ck_assert(list->count == 2 && p->family == FG_FAMILY_TILE && p->to.split && fg_geometry_store_across(p));
  ck_assert_int_ge(p->lines * (ptrdiff_t)sizeof(float), RUN);
  free(list);
}
END_TEST

/* Not where they are few, or convolved: with the loads' sectors as for points as many blocks, and as few passes. */
static const char *const split_as_points[] = {"oc64v32", "oc256v64", "oc2144v5", "oc4001v16", "oc2027v16"};

START_TEST(few_split_columns_count_as_points) {
  char text[40];
  snprintf(text, sizeof text, "/%s", split_as_points[_i]);
  fg_passes *apart = test_plan(text, FG_SINGLE, &fg_reference_device);
  fg_passes *together = test_plan(split_as_points[_i], FG_SINGLE, &fg_reference_device);
  ck_assert_int_eq(apart->count, together->count);
  for (int i = 0; i < apart->count; i++) {
    const fg_pass *p = &apart->pass[i];
    const bool splits = fg_pass_splits_columns(p, FG_INPUT) || fg_pass_splits_columns(p, FG_OUTPUT);
    ck_assert(!splits || (!p->filter.kind && fg_pass_lines(p) > 1000)); /* a convolution's other passes have many */
    ck_assert(apart->count > 1 || p->lines == together->pass[i].lines);
  }
  free(apart);
  free(together);
}
END_TEST

/* ---- long rows that are stored as columns: strips, of which a block has no room for runs; where it has, a tile ---- */

static const struct {
  const char *text;
  bool strip;
} long_rows[] = {{"oc6000:1:1824*1824:6000:1", true}, {"oc5040:1:2176*2176:5040:1", true}, {"oc3000:1:2180*2180:3000:1", false},
                 {"oc6000:1:1826*8:6000:10956000x1826:48000:1", true}};

START_TEST(long_rows_are_stored_in_strips) {
  fg_passes *list = test_plan(long_rows[_i].text, FG_SINGLE, &fg_reference_device);
  ck_assert(list->count == 1 && list->pass[0].strip == long_rows[_i].strip);
  if (list->pass[0].strip_rest) /* the innermost loop counts it: not that of channels, which the loads are nearer to */
    ck_assert(list->pass[0].loop[0].out == list->pass[0].box[2].n && list->pass[0].loop[0].n == 1 + 1826 / list->pass[0].box[2].n);
  free(list);
}
END_TEST

int main(void) {
  TCase *tc = tcase_create("neighbours");
  tcase_add_loop_test(tc, columns_to_rows_have_the_neighbours_of_the_loads, 0, TEST_COUNT(to_rows));
  tcase_add_test(tc, rows_to_columns_have_the_neighbours_of_the_stores);
  tcase_add_loop_test(tc, blocks_have_neighbours_of_both_sides, 0, TEST_COUNT(crossed));
  tcase_add_test(tc, what_is_crossed);
  tcase_add_test(tc, loops_that_are_cut_have_places);
  tcase_add_test(tc, crossed_lines_have_keys_of_their_own);
  tcase_add_loop_test(tc, few_split_columns_count_as_points, 0, TEST_COUNT(split_as_points));
  tcase_add_loop_test(tc, others_are_as_they_come, 0, TEST_COUNT(straight));
  tcase_add_test(tc, runs_of_crossed_lines);
  tcase_add_loop_test(tc, few_rows_of_components_share_a_block, 0, TEST_COUNT(alternating));
  tcase_add_loop_test(tc, columns_of_split_arrays_have_whole_runs, 0, TEST_COUNT(split));
  tcase_add_loop_test(tc, long_rows_are_stored_in_strips, 0, TEST_COUNT(long_rows));
  return test_run(tc, "neighbours");
}
