/* test_kernels.c: every kind of kernel gives the right numbers on the simulated device.  Compiled once for each
 * precision, and once for arrays of doubles on the device that are computed with in single precision. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel_case.h"
#include "on_sim.h"
#include "random_problem.h"
#include "reaching.h"
#include "small_device.h"
#include "src/pass/choice.h"
#include "src/pass/geometry.h"
#include "src/pass/kernel.h"
#include "src/pass/solver.h"
#include "src/problem/layout.h"
#include "src/problem/notation.h"
#include "suite.h"
#include "variant.h"

static const char *notation(char *text, size_t size, const char *format, int a, int b) {
  snprintf(text, size, format, a, b);
  return text;
}

/* In double precision kernels are of the same text, with other types: of long rows of cases that differ little each second. */
enum { EACH = (TEST_PRECISION == FG_DOUBLE ? 2 : 1) * TEST_SPARSE };

/* ---- one radix, two radices ---- */

START_TEST(every_radix_alone_is_right) {
  char text[40];
  notation(text, sizeof text, _i % 2 ? "obc%d*37" : "/oc%d*37", _i, 0);
  fg_problem *p = problem_of(text);
  plan(p, &fg_reference_device);
  check(p, text);
  fg_problem_free(p);
}
END_TEST

/* The order in which a stage deals out its butterflies is for speed alone: any must be right.  In 31 pairs each
 * radix is once the first and once the second (of twice as many, or fewer, a part is taken). */
START_TEST(pairs_of_radices_are_right_in_every_order) {
  const int first = 2 + _i % 31, second = 2 + (first * (_i < 31 ? 3 : 7) + _i / 31) % 31;
  char text[40];
  notation(text, sizeof text, _i % 2 ? "ocb%d*23" : "/ocf%d*23", first * second, 0);
  fg_problem *p = problem_of(text);
  plan(p, &fg_reference_device);
  fg_pass *pass = &list.pass[0];
  ck_assert_int_eq(list.count, 1);
  pass->stages = 2;
  pass->radix[0] = first;
  pass->radix[1] = second;
  pass->column[0] = _i % 3 == 0;
  pass->column[1] = _i % 5 < 2;
  check(p, text);
  fg_problem_free(p);
}
END_TEST

/* Primes that are convolutions in registers in single precision: beside other radices, and in boxes. */
static const char *const primes[] = {"oc74*33", "ocb1517*3", "/oc43v21", "oc2368*2", "oc37x41*3", "ocb47x10*5",
                                     "oc53x3x4*6", "ic59*70", "oc3721"};

START_TEST(primes_in_registers_are_radices_like_others) {
  fg_problem *p = problem_of(primes[_i]);
  plan(p, &fg_reference_device);
  if (PRECISION == FG_SINGLE) ck_assert(list.count == 1 && !list.pass[0].filter.kind);
  check(p, primes[_i]);
  fg_problem_free(p);
}
END_TEST

/* Give the first pass a geometry, which it has to be able to have. */
static void choose(const char *text) {
  fg_choice c;
  ck_assert_msg(fg_choice_parse(&c, text) && fg_choice_apply(&c, &list.pass[0], &fg_reference_device), "%s", text);
}

/* Composite ones beyond 32, which the model seldom takes: each as a first stage or as one with turns. */
static const int large[] = {33, 34, 35, 36, 38, 39, 40, 42, 44, 45, 46, 48, 49, 50, 51, 52, 54, 55, 56, 57, 58, 60, 62, 63, 64};

START_TEST(large_radices_are_right) {
  const int first = large[_i], second = large[TEST_COUNT(large) - 1 - (size_t)_i];
  char text[40], geometry[40];
  ck_assert(fg_radix_large(first) && fg_radix_large(second));
  fg_problem *p = problem_of(notation(text, sizeof text, _i % 2 ? "obc%d*3" : "/oc%d*3", first * second, 0));
  plan(p, &fg_reference_device);
  choose(notation(geometry, sizeof geometry, "%d.%d 1 64 1 0", first, second));
  check(p, text);
  fg_problem_free(p);
}
END_TEST

/* Columns, permuted, alone, loaded ahead, with a small one before it, convolved with a chirp. */
static const char *const with_large[][2] = {{"oc320v34", "8.40 16 128 4 0"}, {"oc36v70", "36 64 64 1 0"},
                                            {"oc211*35", "a6.35 16 96 6 0"}, {"oc33*130", "33 64 64 8 0"},
                                            {"oc1600*7", "n40.40 1 64 1 0"}, {"oc98*40", "2.49 5 32 8 0"},
                                            {"oc509*9", "16.64 4 64 6 16"}};

START_TEST(large_radices_are_right_in_passes_of_every_kind) {
  fg_problem *p = problem_of(with_large[_i][0]);
  plan(p, &fg_reference_device);
  choose(with_large[_i][1]);
  if (list.pass[0].ahead) list.pass[0].ahead = 2; /* blocks: each has several tiles */
  check(p, with_large[_i][0]);
  fg_problem_free(p);
}
END_TEST

/* Those of the way there and those of the way back. */
START_TEST(chirps_have_skews_on_both_ways) {
  fg_problem *p = problem_of("oc827*3");
  plan(p, &fg_reference_device);
  choose("16.7.15 1 128 7 0");
  ck_assert(list.pass[0].skew[0] > 0 && list.pass[0].skew[4] > 0);
  check(p, "oc827*3");
  fg_problem_free(p);
}
END_TEST

/* Both passes of a long row: columns with its twiddle, and rows that are stored as columns. */
static const char *const long_rows[] = {"oc1960*9", "ocb1960*9", "/oc1960*2"};

START_TEST(large_radices_are_right_in_both_passes_of_a_long_row) {
  fg_problem *p = problem_of(long_rows[_i]);
  plan_way(p, &fg_reference_device, fg_hierarchical_lower_split, 40);
  ck_assert(list.count == 2 && list.pass[0].n == 40 && list.pass[0].twiddle == 1960 && list.pass[0].in != 1);
  ck_assert(list.pass[1].n == 49 && list.pass[1].in == 1 && list.pass[1].out != 1);
  static const char *const geometries[] = {"40 32 32 1 0", "49 32 32 1 0"};
  for (int i = 0; i < 2; i++) {
    fg_choice c;
    ck_assert(fg_choice_parse(&c, geometries[i]) && fg_choice_apply(&c, &list.pass[i], &fg_reference_device));
    ck_assert(fg_radix_large(list.pass[i].radix[0]) || fg_radix_large(list.pass[i].radix[1])); /* beside a move */
  }
  check(p, long_rows[_i]);
  fg_problem_free(p);
}
END_TEST

/* In one pass where there are many of them, which are then not all computed. */
static const struct {
  const char *text;
  int radix; /* the largest: of larger ones a thread would spill */
  bool convolved;
} many[] = {{"oc10007*600", 40, true},   {"/ocb11239*600", 60, true}, {"oc13399*600", 29, true},
            {"ocb24000*600", 50, false}, {"oc21600*600", 48, false},  {"oc20160*600", 40, false}};

START_TEST(long_rows_are_right_in_one_pass) {
  fg_problem *p = problem_of(many[_i].text);
  fg_device_info device = fg_reference_device;
  device.cluster = 1; /* which would have them */
  plan(p, &device);
  fg_pass *const pass = &list.pass[0];
  int largest = 0;
  for (int s = 0; s < pass->stages; s++) largest = pass->radix[s] > largest ? pass->radix[s] : largest;
  ck_assert_int_eq(list.count, 1);
  ck_assert_int_eq(largest, many[_i].radix);
  ck_assert((pass->filter.kind != FG_TABLE_NONE) == many[_i].convolved && !pass->ahead);
  p->batch.dim[0].n = pass->loop[0].n = 2;
  check(p, many[_i].text);
  fg_problem_free(p);
}
END_TEST

/* ---- orders, tails, loops ---- */

static const struct {
  const char *text;
  bool load, store; /* across the lines */
  int moves;        /* stages that only move points, where elements are in single precision; doubles fill sectors */
} orders[] = {
    {"oc64*37", false, false, 0},          {"ocb64v37", true, true, 0},           {"oc64:37:1*37:1:64", true, false, 0},
    {"ocb64:1:37*37:64:1", false, true, 0}, {"/oc360*5", false, false, 0},        {"oc8:7:1*7:1:8", true, false, 1},
    {"ocb10:1:7*7:10:1", false, true, 1},  {"/oc13v100", true, true, 0},          {"oc6*1000", false, false, 2},
    {"oc32:-37:1*37:1:32", true, false, 0}, {"oc1*40:1:30x30:40:1", true, true, 0},
    {"/ocb1*9:4:1x4:1:9", true, true, 0},
    {"oc10:50:1*5:10:10x10:1:50", true, false, 1},
};

START_TEST(each_order_of_loading_and_storing_is_right) {
  fg_problem *p = problem_of(orders[_i].text);
  plan(p, &fg_reference_device);
  const fg_pass *pass = &list.pass[0];
  int moves = 0;
  for (int s = 0; s < pass->stages; s++) moves += pass->n > 1 && pass->radix[s] == 1;
  ck_assert_msg(pass->column[0] == orders[_i].load && pass->column[pass->stages - 1] == orders[_i].store &&
                    (moves == orders[_i].moves || ARRAYS != FG_SINGLE),
                "%s: %d→%d, %d moves", orders[_i].text, pass->column[0], pass->column[pass->stages - 1], moves);
  check(p, orders[_i].text);
  fg_problem_free(p);
}
END_TEST

/* Neighbours of the loads are not those of the stores: both loops are cut, evenly or not, of few turns, next to a third, split,
 * backwards. */
static const char *const crossed[] = {"oc1*48:1:80x80:48:1", "/ocb1*3:1:96x96:3:1", "oc1*36:1:20x20:36:1", "oc1*48:-1:80x80:48:-1",
                                      "ocb12:480:480*24:1:20x20:24:1", "ocb12:480:480*24:1:-20x20:-24:1",
                                      "oc5:-600:600*24:1:5x5:24:120x5:120:1"};

START_TEST(crossed_lines_are_right) {
  fg_problem *p = problem_of(crossed[_i]);
  plan(p, &fg_reference_device);
  ck_assert_msg(list.count == 1 && list.pass[0].crossed, "%s", crossed[_i]);
  check(p, crossed[_i]);
  fg_problem_free(p);
}
END_TEST

/* A last block with fewer lines than it could have, down to one. */
START_TEST(tails_are_right) {
  char text[40];
  fg_problem *p = problem_of(notation(text, sizeof text, "oc24*%d", 64, 0));
  plan(p, &fg_reference_device);
  fg_pass *pass = &list.pass[0];
  pass->lines = 5;
  const int lines[] = {1, 4, 5, 6, 64};
  p->batch.dim[0].n = pass->loop[0].n = lines[_i];
  check(p, notation(text, sizeof text, "%d lines, 5 a block", lines[_i], 0));
  fg_problem_free(p);
}
END_TEST

/* ---- several passes, convolutions, boxes ---- */

typedef struct {
  const char *text;
  size_t shared_block; /* in single precision; 0: the reference device's */
  int passes;          /* at least, in single precision */
} on_device;

/* The memory of so many bytes in single precision. */
static fg_device_info small_device(size_t shared_block) {
  return test_small_device(shared_block * fg_real_size(PRECISION) / sizeof(float));
}

static void check_on(const on_device *c) {
  const fg_device_info small = small_device(c->shared_block);
  fg_problem *p = problem_of(c->text);
  plan(p, c->shared_block ? &small : &fg_reference_device);
  ck_assert_msg(list.count >= c->passes || PRECISION != FG_SINGLE, "%s: %d passes", c->text, list.count);
  check(p, c->text);
  fg_problem_free(p);
}

static const on_device twiddled[] = {{"oc1024", 2048, 2},    {"ocb3000", 2048, 2},     {"oc4096*3", 2048, 3},
                                     {"/oc2500v3", 4096, 2}, {"ocb2048:3:2", 8192, 2}, {"oc729*2", 4096, 2},
                                     {"ic4096", 1024, 3},    {"oc16384", 1024, 3},     {"ocb17017", 4096, 3},
                                     {"oc65536", 0, 2},      {"oc4225*3", 4096, 2},   {"ocb6889*2", 4096, 3},
                                     {"oc1024:480:480*24:1:20x20:24:1", 2048, 2}};

START_TEST(long_transforms_in_several_passes_are_right) {
  check_on(&twiddled[_i]);
  int twiddles = 0;
  for (int i = 0; i < list.count; i++) twiddles += list.pass[i].twiddle != 0;
  ck_assert_int_eq(twiddles, list.count - 1);
}
END_TEST

static const on_device bluestein[] = {
    {"oc167*9", 0, 1},     {"ocb179*3", 0, 1},   {"/oc227", 0, 1},     {"oc263v6", 0, 1},       {"ocb509:-2:3", 0, 1},
    {"oc10007v2", 0, 3},   {"oc167x67", 0, 2},   {"oc334", 0, 1},      {"oc263", 2048, 3},      {"ocb257*3", 2048, 3},
    {"/oc131:5:3", 1024, 3}, {"oc1021v2", 4096, 3}, {"ocb737x2", 2048, 4}};

START_TEST(lengths_with_large_primes_take_chirps) {
  check_on(&bluestein[_i]);
  bool chirp = false;
  for (int i = 0; i < list.count; i++)
    chirp |= list.pass[i].filter.kind == FG_TABLE_FILTER || list.pass[i].store_table.kind == FG_TABLE_FILTER;
  ck_assert(chirp);
}
END_TEST

static const on_device several[] = {
    {"oc16x16*5", 0, 1},     {"ocb5x6x7*3", 0, 1},    {"/oc32x27", 0, 1},        {"oc25x24*9", 0, 1},
    {"ocb20x21*2", 0, 1},    {"oc22x26", 0, 1},       {"/oc28x30v2", 0, 2},      {"oc18x4x5*40", 0, 1},
    {"ocb4x2x32", 0, 1},     {"oc64x48", 0, 1},       {"oc6x10x15", 1024, 2},    {"ocb40x50*2", 4096, 2},
    {"oc3x4x5x6*2", 0, 2},   {"/oc2x3x2x3x2", 0, 3},  {"oc100x300", 0, 1},   {"oc600x300", 0, 2},       {"/ocb2x200x150", 0, 2},
    {"oc16x12v40", 0, 1},    {"/ocb9x5x4v33", 0, 1},
    {"ocb25:72:72x24:3:3*3:1:1x5:1800:1800", 0, 2}, {"oc6:56:56x8:7:7*7:1:1x81:336:336", 0, 1}};

START_TEST(several_dimensions_are_right) { check_on(&several[_i]); }
END_TEST

/* Boxes that the registers of no block hold: one butterfly of a thread after the other.  Both signs, split, in place,
 * primes, unequal lengths, tails, several loops, gaps. */
static const char *const singly[][2] = { /* in single, in double precision */
    {"oc28x28x28*2", "oc24x24x24*2"}, {"/ocb24x30x26", "/ocb20x20x20"}, {"icb23x27x30", "icb23x19x24"},
    {"oc30x30x24*3", "oc24x18x16*3"}, {"ocb28x24x26*2x3", "ocb12x20x18*2x3"},
    {"oc26x24x30:2:1*3:38000:19000", "oc16x24x20:2:1*3:16000:7700"}};

START_TEST(large_boxes_are_right_in_one_pass) {
  const char *const text = singly[_i][PRECISION == FG_DOUBLE];
  fg_device_info device = fg_reference_device;
  device.multiprocessors = 1; /* which few boxes keep busy */
  device.cluster = 1;
  fg_problem *p = problem_of(text);
  plan(p, &device);
  ck_assert_msg(list.count == 1 && fg_geometry_singly(&list.pass[0]), "%s", text);
  check(p, text);
  fg_problem_free(p);
}
END_TEST

/* ---- two passes for large transforms of several dimensions ---- */

/* As solver overlap does it with a first digit of n1 points. */
static bool overlap(const fg_planner *planner, const fg_work *w, ptrdiff_t n1, fg_passes *to) {
  return fg_solver_overlap.applicable(planner, w) && fg_overlap_lower_split(planner, w, n1, to);
}
static void plan_split(const fg_problem *p, ptrdiff_t n1) { plan_way(p, &fg_reference_device, overlap, n1); }

static const char *const overlapped[] = {
    "oc12x16x20", "ocb12x16x20*2", "/oc10x15x24", "/ocb8x9x50*3", "oc15x15x15*2", "oc15x30x18", "ic16x16x16",
    "icb10x14x22*2", "oc11x26x13", "oc32x64", "ocb20x96*5", "/oc60x77*2", "oc2x200x36", "ocb4x5x12x16", "oc3x4x20x10*2",
    "oc24:500:400x24:20:16x16:1:1", "ocb16:600:256x16:30:16x16:1:1*3:9600:4096", "oc9x16x18*3", "ic6x12x25*2"};

START_TEST(every_split_of_the_middle_dimension_is_right) {
  fg_problem *p = problem_of(overlapped[_i]);
  const ptrdiff_t n = p->transform.dim[p->transform.rank - 2].n;
  int way = 0;
  for (ptrdiff_t n1 = 2; n1 <= n / 2; n1++) {
    if (n % n1 || way++ % EACH) continue;
    plan_split(p, n1);
    ck_assert(list.count == 2 && list.pass[0].family == FG_FAMILY_BOX && list.pass[0].twiddle == n);
    check(p, overlapped[_i]);
  }
  fg_problem_free(p);
}
END_TEST

/* The columns of the first pass as one butterfly, which are offered and are not too many registers. */
START_TEST(columns_of_a_split_may_be_one_large_butterfly) {
  enum { MOST = 64 };
  static fg_choice ways[MOST];
  fg_problem *p = problem_of("oc3x80x20");
  plan_split(p, 40);
  const int count = fg_choice_list(&list.pass[0], &fg_reference_device, ways, MOST);
  int tried = 0;
  for (int i = 0; i < count && tried < 2; i++) {
    if (ways[i].radix[0] != 40) continue;
    ck_assert(fg_choice_apply(&ways[i], &list.pass[0], &fg_reference_device));
    check(p, "oc3x80x20");
    tried++;
  }
  ck_assert_int_eq(tried, 2);
  fg_problem_free(p);
}
END_TEST

/* ---- primes by permutation ---- */

/* Both signs, split, batches with tails, gaps, backwards, in place, across, several loops, two dimensions, with a
 * twiddle, multiples. */
static const struct {
  const char *text;
  size_t shared_block;
} rader[] = {
    {"oc67*37", 0}, {"ocb67*3", 0}, {"/oc71*20", 0}, {"/ocb73*5", 0}, {"oc79v37", 0}, {"ocb103v6", 0},
    {"oc89:2:3*5:300:400", 0}, {"ocb127:-2:3", 0}, {"ic101*17", 0}, {"icb103v9", 0}, {"oc103*9:1:103", 0},
    {"oc109:1:9*9:109:1", 0}, {"oc113*4:113:339x3:452:113", 0}, {"oc67x71", 0}, {"icb127x10*2", 0}, {"oc131*16", 0},
    {"oc151*3", 0}, {"oc191", 0}, {"ocb211*2", 0}, {"oc251*5", 0}, {"oc257v5", 0}, {"oc521*2", 0}, {"ocb1009*3", 0},
    {"ic1021*2", 0}, {"oc2003", 0}, {"ocb2311*2", 0}, {"/oc4001", 0}, {"oc1321", 0}, {"oc134*20", 0}, {"ocb404*3", 0},
    {"/oc2144v5", 0}, {"oc2010*3", 0}, {"ocb1919", 0}, {"oc67x3x5*2", 0}, {"oc1072*2", 4096}, {"ocb1616*3", 4096},
    {"oc4033v2", 4096}};

START_TEST(prime_lengths_by_permutation_are_right) {
  check_on(&(on_device){rader[_i].text, rader[_i].shared_block, 1});
  bool permuted = false;
  for (int i = 0; i < list.count; i++) permuted |= fg_pass_is_rader(&list.pass[i]);
  ck_assert_msg(permuted || PRECISION != FG_SINGLE, "%s", rader[_i].text);
}
END_TEST

/* Rows and columns of a few times a prime, whose elements lie in the tile by the number of a block's lines, of which the last block
 * has not all; threads are a multiple of the lines, or not. */
static const char *const in_parts[] = {"ocb404*7", "ic303*7", "/oc268v7", "ocb134:7:1*7:1:140", "oc303:1:1*3:303:303x2:1000:1000",
                                       "orf404*7", "orb404*7", "orb303*14"};
static const int lines_of_parts[] = {1, 2, 3, 5};

START_TEST(parts_are_right_for_any_number_of_lines) {
  const char *text = in_parts[_i / 4];
  fg_problem *p = problem_of(text);
  plan(p, &fg_reference_device);
  ck_assert_msg(list.count == 1 && list.pass[0].parts > 1, "%s", text);
  list.pass[0].lines = lines_of_parts[_i % 4];
  check(p, text);
  fg_problem_free(p);
}
END_TEST

/* Many: a chirp of them would take four passes; of rows one is enough.  Few are transformed the same way. */
static const struct {
  const char *many, *few;
  int n1, passes;
} long_columns[] = {{"oc3073:50:50*82:153650:153650x50:1:1", "oc3073v8", 7, 2},
                    {"ocb3962:100:100*32:396200:396200x100:1:1", "ocb3962:8:1*8:1:3962", 14, 2},
                    {"oc4190:64:64*47:268160:268160x64:1:1", "oc4190:1:9*9:4200:1", 10, 2},
                    {"oc3073*4000", NULL, 0, 1}};

START_TEST(long_columns_of_a_few_primes_are_cut_in_two) {
  fg_problem *many = problem_of(long_columns[_i].many), *few = long_columns[_i].few ? problem_of(long_columns[_i].few) : NULL;
  plan(many, &fg_reference_device);
  ck_assert_msg(list.count == long_columns[_i].passes, "%s: %d passes", long_columns[_i].many, list.count);
  if (few) {
    plan_way(few, &fg_reference_device, fg_hierarchical_lower_split, long_columns[_i].n1);
    check(few, long_columns[_i].few);
    fg_problem_free(few);
  }
  fg_problem_free(many);
}
END_TEST

/* The longest, which few lines at a time make slower than several passes: whatever the planner would do.  The last
 * has too many registers in double precision. */
static const int longest[] = {4201, 8191, 8072, 12097};
enum { LONGEST = TEST_COUNT(longest) };

START_TEST(the_longest_primes_by_permutation_are_right) {
  const int n = longest[_i];
  char text[40];
  fg_problem *p = problem_of(notation(text, sizeof text, _i % 2 ? "ocb%d" : "ocf%d", n, 0));
  const fg_planner planner = {.device = &fg_reference_device};
  const fg_work w = {.precision = PRECISION, .sign = p->sign, .from.wide = TEST_WIDE,
                     .to = {.array = FG_ARRAY_OUT, .wide = TEST_WIDE}, .rank = 1, .dim = {{n, 1, 1}}};
  list = (fg_passes){0};
  ck_assert(fg_solver_rader.applicable(&planner, &w) && fg_solver_rader.lower(&planner, &w, &list));
  check(p, text);
  fg_problem_free(p);
}
END_TEST

/* 82 = 2·41, which a chirp does better, but not beside a twiddle, whose place it would take. */
START_TEST(a_twiddle_keeps_the_permutation) {
  const fg_planner planner = {.device = &fg_reference_device};
  fg_work w = {.precision = PRECISION, .sign = FG_FORWARD, .to = {.array = FG_ARRAY_OUT}, .rank = 1, .dim = {{83, 1, 1}}};
  ck_assert(!fg_solver_rader.applicable(&planner, &w) && fg_solver_bluestein.applicable(&planner, &w));
  w.twiddle = 830;
  ck_assert(fg_solver_rader.applicable(&planner, &w) && !fg_solver_bluestein.applicable(&planner, &w));
}
END_TEST

/* The order of its stages is for speed alone. */
START_TEST(permuted_stages_are_right_in_every_order) {
  fg_problem *p = problem_of("ocb1009*7");
  plan(p, &fg_reference_device);
  fg_pass *pass = &list.pass[0];
  ck_assert(list.count == 1 && fg_pass_is_rader(pass));
  pass->lines = 1 + _i % 3;
  for (int s = 0; s < pass->stages; s++) pass->column[s] = _i >> s & 1;
  check(p, "ocb1009*7");
  fg_problem_free(p);
}
END_TEST

/* ---- anything ---- */

START_TEST(random_problems_are_right) {
  dice d = {71 + (uint64_t)_i};
  const fg_device_info device = small_device((size_t)1024 << dice_between(&d, 0, 4));
  fg_problem *p = test_random_problem(&d, &(test_limits){ARRAYS, 3, 3, 600, 9, 4000, false});
  char text[300];
  p->compute = PRECISION;
  fg_notation_print(p, text, sizeof text);
  const char *why; /* lengths below 256 are not split, so they must fit */
  if (!try_plan(p, &device, &why)) plan(p, &fg_reference_device);
  check(p, text);
  fg_problem_free(p);
}
END_TEST

/* ---- what no plan of a size that can be tested has ---- */

/* More than 2³¹ lines would not fit here; at least the kernel for them must be right on a few. */
START_TEST(the_kernel_for_more_lines_than_31_bits_is_right_on_a_few) {
  enum { N = 13, LINES = 30, BYTES = N * LINES * 8 }; /* one radix: no tables */
  const fg_target *t = test_target();
  fg_problem *p = test_problem("oc13*30", FG_SINGLE);
  plan(p, &fg_reference_device);
  char defines[FG_DEFINES_SIZE];
  fg_kernel_request request = fg_kernel_request_of(&list.pass[0], defines);
  char *many = strstr(defines, "FG_MANY_LINES 0");
  ck_assert_ptr_nonnull(many);
  many[strlen("FG_MANY_LINES ")] = '1';

  float in[N * LINES * 2], out[N * LINES * 2];
  for (int i = 0; i < N * LINES * 2; i++) in[i] = i % (2 * N) == 0 ? 1 + i : 0; /* an impulse for each line */
  void *device_in, *device_out;
  fg_stream *stream;
  fg_kernel *kernel;
  ck_assert_int_eq(t->backend->memory_alloc(t->device, BYTES, &device_in), 0);
  ck_assert_int_eq(t->backend->memory_alloc(t->device, BYTES, &device_out), 0);
  ck_assert_int_eq(t->backend->stream_create(t->device, &stream), 0);
  ck_assert_int_eq(t->backend->kernels(t->device, 1, &request, &kernel), 0);
  ck_assert_int_eq(t->backend->copy_in(t->device, device_in, in, BYTES, stream), 0);
  const fg_planes planes[FG_ARRAYS] = {{device_in, NULL}, {device_out, NULL}};
  const void *const no_tables[FG_PASS_TABLES] = {NULL};
  fg_launch l = fg_launch_of(&list.pass[0], no_tables);
  fg_launch_place(&l.args, &l, &list.pass[0], planes);
  ck_assert_int_eq(t->backend->launch(t->device, kernel, l.grid, l.threads, l.shared, &l.args, l.bytes, stream), 0);
  ck_assert_int_eq(t->backend->copy_out(t->device, out, device_out, BYTES, stream), 0);
  for (int i = 0; i < N * LINES; i++) {
    ck_assert_float_eq_tol(out[2 * i], 1 + i / N * (2 * N), 1e-3);
    ck_assert_float_eq_tol(out[2 * i + 1], 0, 1e-3);
  }
  t->backend->stream_destroy(t->device, stream);
  t->backend->memory_free(t->device, device_in);
  t->backend->memory_free(t->device, device_out);
  fg_problem_free(p);
}
END_TEST

/* What does not depend on the elements in memory. */
static void add_what_is_inside(TCase *tc) {
  tcase_add_loop_test(tc, every_radix_alone_is_right, 1, FG_MAX_RADIX + 1);
  tcase_add_loop_test(tc, pairs_of_radices_are_right_in_every_order, 0, 62 / EACH);
  tcase_add_loop_test(tc, primes_in_registers_are_radices_like_others, 0, TEST_COUNT(primes));
  tcase_add_loop_test(tc, tails_are_right, 0, 5);
  tcase_add_loop_test(tc, every_split_of_the_middle_dimension_is_right, 0, TEST_COUNT(overlapped));
  tcase_add_loop_test(tc, prime_lengths_by_permutation_are_right, 0, TEST_COUNT(rader));
  tcase_add_test(tc, a_twiddle_keeps_the_permutation);
  tcase_add_loop_test(tc, parts_are_right_for_any_number_of_lines, 0, TEST_COUNT(in_parts) * TEST_COUNT(lines_of_parts));
  tcase_add_loop_test(tc, long_columns_of_a_few_primes_are_cut_in_two, 0, TEST_COUNT(long_columns));
  tcase_add_loop_test(tc, the_longest_primes_by_permutation_are_right, 0,
                      PRECISION == FG_SINGLE ? LONGEST : LONGEST - 1);
  tcase_add_loop_test(tc, permuted_stages_are_right_in_every_order, 0, 8);
  tcase_add_test(tc, the_kernel_for_more_lines_than_31_bits_is_right_on_a_few);
}

int main(void) {
  test_choose_sim_alone();
  fg_overlap_caches = 0;
  fg_padded_from = 0;
  TCase *tc = tcase_create("kernels");
  tcase_set_timeout(tc, 120);
  if (PRECISION == FG_SINGLE && !TEST_WIDE) {
    tcase_add_loop_test(tc, large_radices_are_right, 0, (TEST_COUNT(large) + 1) / 2);
    tcase_add_loop_test(tc, large_radices_are_right_in_both_passes_of_a_long_row, 0, TEST_COUNT(long_rows));
  tcase_add_loop_test(tc, large_radices_are_right_in_passes_of_every_kind, 0, TEST_COUNT(with_large));
  tcase_add_test(tc, chirps_have_skews_on_both_ways);
    tcase_add_loop_test(tc, long_rows_are_right_in_one_pass, 0, TEST_COUNT(many));
    tcase_add_test(tc, columns_of_a_split_may_be_one_large_butterfly);
  }
  tcase_add_loop_test(tc, each_order_of_loading_and_storing_is_right, 0, TEST_COUNT(orders));
  tcase_add_loop_test(tc, crossed_lines_are_right, 0, TEST_COUNT(crossed));
  tcase_add_loop_test(tc, long_transforms_in_several_passes_are_right, 0, TEST_COUNT(twiddled));
  tcase_add_loop_test(tc, lengths_with_large_primes_take_chirps, 0, TEST_COUNT(bluestein));
  tcase_add_loop_test(tc, several_dimensions_are_right, 0, TEST_COUNT(several));
  tcase_add_loop_test(tc, random_problems_are_right, 0, (TEST_WIDE ? 20 : 40) / EACH);
  if (!TEST_WIDE) add_what_is_inside(tc);
  if (!TEST_WIDE) tcase_add_loop_test(tc, large_boxes_are_right_in_one_pass, 0, TEST_COUNT(singly));
  const char *const usual = PRECISION == FG_SINGLE ? "kernels" : "kernels in double precision";
  return test_run(tc, TEST_WIDE ? "kernels on wide arrays" : usual);
}
