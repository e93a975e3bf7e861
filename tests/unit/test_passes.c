/* test_passes.c: what the planner makes of problems: passes that a device can run and that read and write the right
 * elements. */
#include <check.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "pass_reach.h"
#include "random_problem.h"
#include "small_device.h"
#include "src/pass/geometry.h"
#include "src/pass/kernel.h"
#include "src/pass/solver.h"
#include "src/pass/tuned.h"
#include "src/plan/planner.h"
#include "src/run/table/table.h"
#include "suite.h"

/* ---- what must be true of every pass ---- */

static void check_radices(const fg_pass *p) {
  ptrdiff_t product = 1, along[FG_MAX_BOX] = {1, 1, 1};
  const bool box = p->family != FG_FAMILY_TILE, returns = fg_is_cut_chirp(p);
  const int last = p->stages - 1, forwards = returns ? p->stages / 2 : p->stages;
  ck_assert(p->stages >= 1 && p->stages <= FG_MAX_STAGES);
  for (int s = 0; returns && s < p->stages; s++)
    ck_assert(p->radix[last - s] == p->radix[s] && p->axis[last - s] == p->axis[s]);
  for (int s = 0; s < forwards; s++) {
    ck_assert(p->radix[s] >= 1 && p->radix[s] <= (p->family == FG_FAMILY_R2R_BOX ? FG_LONGEST_LINE : FG_MAX_RADIX));
    product *= p->radix[s];
    if (box) along[p->axis[s]] *= p->radix[s];
  }
  ck_assert_int_eq(product * (p->strip ? p->box[2].n : 1), p->n); /* whose last dimension is not transformed */
  for (int d = 0; box && d < p->dims - p->strip; d++) ck_assert_int_eq(along[d], p->box[d].n);
}

static void check_fit(const fg_pass *p, const fg_device_info *device) {
  const size_t shared = fg_geometry_shared(p);
  ck_assert(p->threads >= 32 && p->threads <= device->threads_block && p->threads % 32 == 0);
  ck_assert_int_ge(p->lines, 1);
  ck_assert_uint_le(shared, device->shared_block);
  ck_assert(p->blocks_sm >= 1 && p->blocks_sm * p->threads <= device->threads_sm);
  ck_assert_uint_le((size_t)p->blocks_sm * shared, device->shared_sm);
  ck_assert(fg_kernel_grid(p) >= 1 && fg_kernel_grid(p) <= INT_MAX);
  const ptrdiff_t blocks = fg_pass_blocks(p), once = p->ahead && p->ahead < blocks ? p->ahead : blocks;
  ck_assert_int_eq(fg_kernel_grid(p), once);
  ck_assert_int_ge(blocks * p->lines * (p->pairs ? 2 : 1), fg_pass_lines(p));
}

/* The points that the kernel keeps in a thread (as cuda/kernel/stage.h counts them) leave room among its 255
 * registers. */
static void check_registers(const fg_pass *p, const fg_device_info *device) {
  const int words = p->precision == FG_SINGLE ? 2 : 4;
  for (int s = 0; s < p->stages && p->family == FG_FAMILY_R2R_BOX; s++) { /* whole lines of reals */
    ck_assert_int_le(p->radix[s] * words / 2, FG_LONGEST_LINE + words / 4);
    ck_assert_int_le(p->radix[s] * words / 2 * p->threads * p->blocks_sm, device->registers_sm);
  }
  if (p->family == FG_FAMILY_R2R_BOX) return;
  for (int s = 0; s < p->stages; s++) {
    const ptrdiff_t portions = fg_pass_tile_lines(p) * fg_geometry_portions(p, s);
    const ptrdiff_t each = fg_geometry_together(p, s) * p->radix[s];
    const ptrdiff_t points = fg_geometry_singly(p) ? each : (portions + p->threads - 1) / p->threads * each;
    ck_assert_int_le(points * words, words == 2 ? 128 : 4 * 43); /* a prime in registers has some more */
    ck_assert_int_le(points * words * p->threads * p->blocks_sm, device->registers_sm);
  }
}

/* What solvers give up by. */
static void check_least_cost(const fg_pass *p, const fg_device_info *device) {
  const double least = fg_pass_least_cost(p, device);
  ck_assert(least > 0 && least <= fg_pass_cost(p, device) && (p->price == 0 || least <= p->price));
}

/* 32-bit exponents, and positions within tables. */
static void check_tables(const fg_pass *p) {
  if (p->twiddle) {
    ptrdiff_t most = 0;
    for (int l = 0; l < p->loops; l++) most += (ptrdiff_t)((p->loop[l].n - 1) * p->loop[l].twiddle);
    ck_assert_int_lt(most * ((p->family == FG_FAMILY_BOX ? p->box[0].n : p->n) - 1), p->twiddle);
    ck_assert_int_le(p->twiddle, UINT_MAX);
  }
  if (p->load_table.kind) ck_assert_uint_le((size_t)p->load_limit, fg_table_entries(&p->load_table));
  if (p->store_table.kind) ck_assert_uint_le((size_t)p->store_limit, fg_table_entries(&p->store_table));
  const ptrdiff_t rows = p->filter.rows && !fg_is_cut_chirp(p) ? p->filter.rows : 1;
  if (p->filter.kind) ck_assert_uint_eq((size_t)(p->n * rows), fg_table_entries(&p->filter));
}

/* One table of all factors has them all, and no other is there; mirrors of a split real transform are told by the line. */
static void check_twiddles(const fg_pass *p) {
  fg_table tables[FG_PASS_TABLES];
  fg_pass_table_list(p, tables);
  const bool is_short = p->twiddle && !tables[FG_OF_LOW].kind;
  ck_assert_int_eq(is_short, p->twiddle > 0 && p->twiddle <= 1024);
  if (is_short) ck_assert_uint_eq(fg_table_entries(&tables[FG_OF_HIGH]), (size_t)p->twiddle);
  if (p->to.period) ck_assert_int_eq(p->store_weight % p->to.period, 0);
}

static void check_request(const fg_pass *p) {
  char defines[FG_DEFINES_SIZE];
  const fg_kernel_request r = fg_kernel_request_of(p, defines);
  ck_assert_uint_eq(r.shared, fg_geometry_shared(p));
  ck_assert_uint_lt(strlen(defines), FG_DEFINES_SIZE - 1);
  ck_assert_ptr_nonnull(strstr(defines, p->family != FG_FAMILY_TILE ? "#define FG_AXES " : "#define FG_COLUMNS "));
  ck_assert_int_eq(defines[strlen(defines) - 1], '\n');
}

static void check_ranges(const fg_passes *list, const fg_pass *p, ptrdiff_t in, ptrdiff_t out) {
  const ptrdiff_t size[FG_ARRAYS] = {in, out, list->scratch[0], list->scratch[1]};
  const test_range load = test_pass_range(p, FG_INPUT), store = test_pass_range(p, FG_OUTPUT);
  ck_assert(load.low >= 0 && load.high < size[p->from.array]);
  ck_assert(store.low >= 0 && store.high < size[p->to.array]);
}

static void check_pass(const fg_passes *list, const fg_pass *p, const fg_problem *of, const fg_device_info *device) {
  check_radices(p);
  check_fit(p, device);
  check_registers(p, device);
  check_least_cost(p, device);
  check_tables(p);
  check_twiddles(p);
  check_request(p);
  check_ranges(list, p, fg_problem_elements(of, FG_INPUT), fg_problem_elements(of, FG_OUTPUT));
  ck_assert(p->loops >= 0 && p->loops <= FG_MAX_LOOPS);
  ck_assert_int_eq(p->precision, of->precision);
  ck_assert(p->from.split == (p->from.array <= FG_ARRAY_OUT && of->format == FG_SPLIT));
  ck_assert(p->to.split == (p->to.array <= FG_ARRAY_OUT && of->format == FG_SPLIT));
}

static void check_list(const fg_passes *list, const fg_problem *of, const fg_device_info *device) {
  ck_assert(list->count >= 1 && list->count <= FG_MAX_PASSES);
  ck_assert(list->cost > 0 && list->cost < 1e3);
  bool written[FG_ARRAYS] = {[FG_ARRAY_IN] = true};
  for (int i = 0; i < list->count; i++) {
    check_pass(list, &list->pass[i], of, device);
    ck_assert(written[list->pass[i].from.array] && list->pass[i].to.array != FG_ARRAY_IN);
    written[list->pass[i].to.array] = true;
  }
  ck_assert_int_eq(list->pass[list->count - 1].to.array, FG_ARRAY_OUT);
}

/* ---- problems ---- */

static fg_passes list; /* too large for a stack */

static void plan(const fg_problem *p, const fg_device_info *device) {
  const char *why = "";
  if (!fg_planner_plan(p, device, &list, &why)) ck_abort_msg("%s", why);
}

static const struct {
  const char *text;
  int passes;  /* at most */
  int convolutions, twiddles;
} expected[] = {
    {"oc1", 1, 0, 0},          {"oc1x1x1*30x40", 1, 0, 0}, {"oc13*7", 1, 0, 0},      {"oc1000*5000", 1, 0, 0},
    {"oc4096*500", 1, 0, 0},   {"oc1048576", 2, 0, 1},     {"oc16777216", 3, 0, 2},  {"oc64x64x64", 2, 0, 0},
    {"oc512x512*9", 2, 0, 0},  {"oc1009*2000", 1, 1, 0},   {"oc1009x1009", 2, 2, 0}, {"oc100003", 3, 1, 2},
    {"oc7x1x9*1x4", 2, 0, 0},  {"/oc360*100", 1, 0, 0},    {"oc8:100x10:7*3", 2, 0, 0},
    {"oc160x160x160", 2, 0, 1}, {"oc192x192x192", 2, 0, 1}, {"ocb200x200x200", 2, 0, 1}, {"/oc256x256x256*3", 2, 0, 1},
    {"ic192x200x160", 2, 0, 1}, {"oc384x256x160", 2, 0, 1}, {"oc2048x2048", 2, 0, 1},  {"ocb4096x4096", 2, 0, 1},
};

/* The reference without clusters. */
static fg_device_info device_without_clusters(void) {
  fg_device_info device = fg_reference_device;
  device.arch = 80;
  device.cluster = 1;
  return device;
}

/* As many blocks at most; arch stays. */
static fg_device_info device_with_clusters_of(int blocks) {
  fg_device_info device = fg_reference_device;
  device.cluster = blocks;
  return device;
}

START_TEST(known_problems_take_known_passes) {
  const fg_device_info device = device_without_clusters();
  fg_problem *p = test_problem(expected[_i].text, FG_SINGLE);
  plan(p, &device);
  check_list(&list, p, &device);
  int convolutions = 0, twiddles = 0;
  for (int i = 0; i < list.count; i++) {
    convolutions += list.pass[i].filter.kind != FG_TABLE_NONE;
    twiddles += list.pass[i].twiddle != 0;
  }
  ck_assert_msg(list.count <= expected[_i].passes, "%s: %d passes", expected[_i].text, list.count);
  ck_assert_msg(convolutions == expected[_i].convolutions && twiddles == expected[_i].twiddles,
                "%s: %d convolutions, %d twiddles", expected[_i].text, convolutions, twiddles);
  fg_problem_free(p);
}
END_TEST

/* Many lines with a large prime factor: a radix, a permutation or a chirp, in one pass or three. */
static const struct {
  const char *text;
  int passes;
  enum fg_table_kind filter; /* of any pass */
} ways[] = {
    {"oc61*500000", 1, FG_TABLE_NONE}, {"oc2257*14000", 1, FG_TABLE_NONE}, {"oc67*500000", 1, FG_TABLE_RADER},
    {"oc404*80000", 1, FG_TABLE_RADER}, {"oc2003*16000", 1, FG_TABLE_RADER}, {"oc101v360000", 1, FG_TABLE_RADER},
    {"/oc1009*60000", 1, FG_TABLE_RADER}, {"oc167*200000", 1, FG_TABLE_FILTER}, {"oc509*60000", 1, FG_TABLE_FILTER},
    {"oc10007*3000", 1, FG_TABLE_FILTER}, {"oc12893*2600", 1, FG_TABLE_FILTER}, {"oc6269*2000", 1, FG_TABLE_FILTER}, {"oc13399*2500", 1, FG_TABLE_RADER},
    {"oc1000003*33", 3, FG_TABLE_FILTER}, {"oc137x96*2000", 2, FG_TABLE_RADER}, {"oc5207*6000", 2, FG_TABLE_RADER}};

START_TEST(the_cheapest_way_with_a_large_prime_is_taken) {
  fg_problem *p = test_problem(ways[_i].text, FG_SINGLE);
  plan(p, &fg_reference_device);
  check_list(&list, p, &fg_reference_device);
  enum fg_table_kind filter = FG_TABLE_NONE;
  for (int i = 0; i < list.count; i++)
    if (list.pass[i].filter.kind) filter = list.pass[i].filter.kind;
  ck_assert_msg(list.count == ways[_i].passes && filter == ways[_i].filter, "%s: %d passes, filter %d", ways[_i].text,
                list.count, filter);
  fg_problem_free(p);
}
END_TEST

static const struct {
  const char *text, *why;
} refused[] = {{"oc2x2x2x2x2x2x2x2x2x2x2x2x2", "too many dimensions"},
               {"oc2x2x2x2x2x2x2*2x2x2x2x2x2", "too many dimensions"},
               {"oc2*2x2x2x2x2x2x2x2x2x2x2x2x2", "too many dimensions"},
               {"oc34359738368", "no solver"}};

START_TEST(what_does_not_fit_passes_is_refused_with_a_reason) {
  fg_problem *p = test_problem(refused[_i].text, FG_SINGLE);
  const char *why = NULL;
  ck_assert(!fg_planner_plan(p, &fg_reference_device, &list, &why));
  ck_assert_str_eq(why, refused[_i].why);
  ck_assert_int_eq(list.count, 0);
  fg_problem_free(p);
}
END_TEST

START_TEST(as_many_dimensions_as_loops_are_accepted) {
  fg_problem *p = test_problem("oc2x2x2x2x2x2x2x2x2x2x2x2x1x1", FG_SINGLE);
  plan(p, &fg_reference_device);
  check_list(&list, p, &fg_reference_device);
  fg_problem_free(p);
}
END_TEST

/* Sizes from a few points to what fills a device: most are long enough for several passes. */
START_TEST(passes_of_large_problems_fit_device_and_arrays) {
  dice d = {41 + (uint64_t)_i};
  for (int round = 0; round < 80 / TEST_SPARSE; round++) {
    const enum fg_precision precision = dice_one_in(&d, 4) ? FG_DOUBLE : FG_SINGLE;
    const ptrdiff_t n = (ptrdiff_t)1 << dice_between(&d, 2, 26);
    fg_problem *p = test_random_problem(&d, &(test_limits){precision, 4, 3, n, 2000, (ptrdiff_t)1 << 32, false});
    plan(p, &fg_reference_device);
    check_list(&list, p, &fg_reference_device);
    fg_problem_free(p);
  }
}
END_TEST

/* On a device whose blocks hold little, small problems take many passes, and their elements can be followed one by
 * one. */
START_TEST(passes_read_what_was_written_and_write_all) {
  dice d = {51 + (uint64_t)_i};
  int several = 0;
  for (int round = 0; round < 100; round++) {
    const fg_device_info device = test_small_device((size_t)1024 << dice_between(&d, 0, 4));
    const enum fg_precision precision = round % 3 ? FG_SINGLE : FG_DOUBLE;
    fg_problem *p = test_random_problem(&d, &(test_limits){precision, 3, 2, 2000, 20, 3000, false});
    const char *why;
    if (fg_planner_plan(p, &device, &list, &why)) {
      check_list(&list, p, &device);
      test_passes_trace(&list, fg_problem_elements(p, FG_INPUT), fg_problem_elements(p, FG_OUTPUT));
      several += list.count > p->transform.rank;
    }
    fg_problem_free(p);
  }
  ck_assert_int_gt(several, 12);
}
END_TEST

static double cost_on(const char *text, enum fg_precision precision, int arch) {
  fg_device_info device = fg_reference_device;
  fg_problem *p = test_problem(text, precision);
  device.arch = arch;
  plan(p, &device);
  fg_problem_free(p);
  return list.cost;
}

/* Twice the bytes, twice the time; much more where a multiprocessor has next to no double-precision units. */
START_TEST(double_precision_costs_its_bytes_or_its_arithmetic) {
  const double single = cost_on("oc1024*16384", FG_SINGLE, 90), twice = cost_on("oc1024*16384", FG_DOUBLE, 90);
  ck_assert(twice > 1.8 * single && twice < 2.2 * single);
  ck_assert(cost_on("oc1024*16384", FG_DOUBLE, 89) > 5 * twice);
  ck_assert_double_eq_tol(cost_on("oc1024*16384", FG_SINGLE, 89), single, 1e-9);
}
END_TEST

/* A box is one pass where a block of the device holds it. */
static const struct {
  const char *text;
  enum fg_precision precision;
  size_t shared_block;
  int passes;
} boxes[] = {{"oc24x24x24*512", FG_DOUBLE, 227 * 1024, 1}, {"oc24x24x24*512", FG_DOUBLE, 163 * 1024, 2},
             {"oc24x24x24*512", FG_DOUBLE, 99 * 1024, 2}, {"ic22x22x22*512", FG_DOUBLE, 227 * 1024, 1},
             {"ocb22x22x22*512", FG_DOUBLE, 163 * 1024, 2}, {"oc20x20x20*512", FG_DOUBLE, 163 * 1024, 1},
             {"/oc20x24x28*512", FG_DOUBLE, 227 * 1024, 1}, {"orf24x24x24*512", FG_DOUBLE, 227 * 1024, 1},
             {"orb23x23x23*512", FG_DOUBLE, 227 * 1024, 2}, {"orf23x23x23*512", FG_DOUBLE, 227 * 1024, 1},
             {"orf24x24x24*512", FG_DOUBLE, 163 * 1024, 1}, {"oc25x25x25*512", FG_DOUBLE, 227 * 1024, 2},
             {"oc28x28x28*512", FG_SINGLE, 227 * 1024, 1}, {"/ocb30x30x30*512", FG_SINGLE, 227 * 1024, 1},
             {"oc28x28x28*512", FG_SINGLE, 163 * 1024, 2}, {"oc31x31x31*512", FG_SINGLE, 227 * 1024, 2}};

START_TEST(boxes_take_one_pass_where_they_fit) {
  fg_device_info device = device_without_clusters();
  if (strchr(boxes[_i].text, 'r')) device.arch = 90; /* sm_80 does less in doubles */
  device.shared_block = boxes[_i].shared_block;
  device.shared_sm = device.shared_block + 1024;
  fg_problem *p = test_problem(boxes[_i].text, boxes[_i].precision);
  plan(p, &device);
  ck_assert_msg(list.count == boxes[_i].passes, "%s: %d passes", boxes[_i].text, list.count);
  for (int i = 0; i < list.count; i++) {
    check_fit(&list.pass[i], &device);
    check_registers(&list.pass[i], &device);
  }
  fg_problem_free(p);
}
END_TEST

/* Doubles on the device that are computed with in single precision are read by one pass and written by one. */
static const char *const wide[] = {"oc64x64x64", "ic64x64x64", "ocb100x30*7", "oc1048576", "ic1048576", "oc256x256x256",
                                   "oc1000003", "orf128x128x128", "orb128x128x128", "irf100x300", "orf1048576",
                                   "ok300e10x100o00", "ik60bx50hx40e11", "/oc3x5x7x9", "oc2048x2048*3"};

START_TEST(wide_sides_are_those_of_the_program_alone) {
  static const enum fg_reach arrays[] = {FG_REACH_ARRAY, FG_REACH_ARRAY};
  const char *why = "";
  fg_problem *p = test_problem(wide[_i], FG_DOUBLE);
  p->compute = FG_SINGLE;
  const bool in_place = strchr(wide[_i], 'i') != NULL;
  if (!fg_planner_plan_reaching(p, arrays, in_place, &fg_reference_device, &list, &why)) ck_abort_msg("%s", why);
  int in = 0, out = 0;
  for (int i = 0; i < list.count; i++) {
    const fg_pass *s = &list.pass[i];
    ck_assert_int_eq(s->precision, FG_SINGLE);
    ck_assert_msg(s->from.wide == (s->from.array <= FG_ARRAY_OUT) && s->to.wide == (s->to.array <= FG_ARRAY_OUT),
                  "%s, pass %d", wide[_i], i);
    in += s->from.wide;
    out += s->to.wide;
  }
  ck_assert_msg(in == 1 && out == 1, "%s: %d passes read doubles, %d write them", wide[_i], in, out);
  fg_problem_free(p);
}
END_TEST

/* Below a limit there is the same list as without any, at it none. */
static const ptrdiff_t limited[] = {64, 1009, 2257, 10007, 65536, 65521, 100003, 999983, 1 << 20};

/* Rows of 16 bytes are no shorter runs than long ones if they follow each other; if only two do, or none, they are. (A plan and
 * copies of such rows on an H200: 128.6 and 127.7 us of 2 points, 129.2 and 129.8 of 64.) */
START_TEST(rows_that_follow_each_other_are_one_run) {
  static const char *const texts[] = {"oc64*131072", "oc2*4194304", "oc2*4194304:3:3", "oc2*2097152:6:6x2:2:2"};
  const enum fg_reach there[] = {FG_REACH_ARRAY, FG_REACH_ARRAY}; /* with its gaps */
  double cost[TEST_COUNT(texts)];
  for (int i = 0; i < TEST_COUNT(texts); i++) {
    const char *why = "";
    fg_problem *p = test_problem(texts[i], FG_SINGLE);
    ck_assert_msg(fg_planner_plan_reaching(p, there, false, &fg_reference_device, &list, &why), "%s", why);
    ck_assert_int_eq(list.count, 1);
    cost[i] = list.cost;
    fg_problem_free(p);
  }
  ck_assert_double_eq_tol(cost[1], cost[0], 0.03 * cost[0]);
  ck_assert(cost[2] > 1.5 * cost[1]);
  ck_assert(cost[3] > 1.3 * cost[1] && cost[3] < cost[2]);
}
END_TEST

START_TEST(lists_cost_less_than_the_limit) {
  fg_planner planner = {.device = &fg_reference_device};
  fg_work w = {.sign = FG_FORWARD, .from.array = FG_ARRAY_IN, .to.array = FG_ARRAY_OUT, .rank = 1,
               .dim = {{limited[_i / 2], 1, 1}}, .loops = 1};
  w.precision = _i % 2 ? FG_DOUBLE : FG_SINGLE;
  w.loop[0] = (fg_loop){.n = 100, .in = w.dim[0].n, .out = w.dim[0].n};
  list = (fg_passes){0};
  ck_assert(fg_planner_lower(&planner, &w, &list));
  const double cost = list.cost;
  planner.limit = 1.000001 * cost;
  list = (fg_passes){0};
  ck_assert(fg_planner_lower(&planner, &w, &list) && list.cost == cost);
  planner.limit = cost;
  list = (fg_passes){0};
  ck_assert(!fg_planner_lower(&planner, &w, &list));
}
END_TEST

/* The model takes them where they save a stage, of rows and columns of a transform as it is, which the device is full of,
 * and columns in runs of 64 bytes; in double precision never. */
static const struct {
  const char *text;
  int radix; /* the largest of any pass, or 0: none is large */
} with_large[] = {{"oc16807*1996", 49}, {"oc1200x1200*20", 60}, {"oc4096*8192", 0}, {"oc250000*134", 0},
                  {"orf16807*1996", 0},   {"oc16807*100", 0},       {"oc1920x1080*16", 0},
                  {"oc22528*1489", 44}, {"oc10007*3000", 64}};

START_TEST(large_radices_save_stages) {
  const fg_device_info device = device_with_clusters_of(1);
  fg_tuned_ignore_shipped(true);
  for (int precision = 0; precision < 2; precision++) {
    fg_passes *list = test_plan(with_large[_i].text, precision ? FG_DOUBLE : FG_SINGLE, &device);
    int largest = 0;
    for (int i = 0; i < list->count; i++)
      for (int s = 0; s < list->pass[i].stages; s++)
        if (fg_radix_large(list->pass[i].radix[s]) && list->pass[i].radix[s] > largest) largest = list->pass[i].radix[s];
    ck_assert_msg(largest == (precision ? 0 : with_large[_i].radix), "%s: %d", with_large[_i].text, largest);
    free(list);
  }
  fg_tuned_ignore_shipped(false);
}
END_TEST

/* Boxes that no block holds, or so few that they would leave most of the device idle, and those that are as before. */
static const struct {
  const char *text;
  enum fg_precision precision;
  int passes, without; /* where there are none */
  bool cluster;
} clusters[] = {{"oc32x32x32*512", FG_SINGLE, 1, 2, true}, {"/ocb40x40x40*512", FG_SINGLE, 1, 2, true},
                {"ic32x48x48*512", FG_SINGLE, 1, 2, true}, {"oc24x24x24", FG_SINGLE, 1, 2, true},
                {"oc24x24x24*54", FG_SINGLE, 1, 1, true},  {"oc24x24x24*512", FG_SINGLE, 1, 1, false},
                {"oc32x160", FG_SINGLE, 1, 1, true},       {"oc256x256*512", FG_SINGLE, 1, 2, true},
                {"oc32x32x32*512", FG_DOUBLE, 1, 2, true}, {"oc4096*500", FG_SINGLE, 1, 1, false},
                {"orf32x32x32*512", FG_SINGLE, 1, 1, false}, {"oc128x128x128", FG_SINGLE, 2, 2, false},
                {"oc64x64x64*512", FG_SINGLE, 2, 2, false}, {"oc52x52x52*512", FG_SINGLE, 2, 2, false},
                {"oc64x64x64", FG_SINGLE, 2, 2, false},    {"oc30x30x30*512", FG_SINGLE, 1, 1, true},
                /* rows: in whole sectors, longer than a block loads ahead, but alone not so long that two passes are shorter */
                {"oc32768*1024", FG_SINGLE, 1, 2, true},   {"/ocb100000*335", FG_SINGLE, 1, 2, true},
                {"oc16384*2048", FG_SINGLE, 1, 1, false},  {"oc15625*2147", FG_SINGLE, 1, 1, false},
                {"oc16384", FG_SINGLE, 1, 2, true},        {"oc65536", FG_SINGLE, 2, 2, false},
                {"oc16384*1024", FG_DOUBLE, 1, 2, true},   {"ic128x128*2048", FG_SINGLE, 1, 1, true}};

START_TEST(clusters_have_what_no_block_has) {
  const fg_device_info without = device_without_clusters();
  fg_problem *p = test_problem(clusters[_i].text, clusters[_i].precision);
  char text[512];
  plan(p, &fg_reference_device);
  check_list(&list, p, &fg_reference_device);
  fg_pass_print(&list.pass[0], text, sizeof text);
  ck_assert_msg(list.count == clusters[_i].passes && (list.pass[0].cluster > 1) == clusters[_i].cluster, "%s: %d passes: %s",
                clusters[_i].text, list.count, text);
  ck_assert(!strstr(text, " in clusters of ") == !clusters[_i].cluster);
  ck_assert_int_eq(fg_kernel_grid(&list.pass[0]) % (unsigned)list.pass[0].cluster, 0);
  plan(p, &without);
  ck_assert_msg(list.count == clusters[_i].without, "%s: %d passes", clusters[_i].text, list.count);
  for (int i = 0; i < list.count; i++) ck_assert_int_eq(list.pass[i].cluster, 1);
  fg_problem_free(p);
}
END_TEST

/* A thread cannot have two butterflies of a large radix, as pairs of mirrored points want; the pass can have another
 * order. */
static const char *const crowded[] = {"orf289*100", "orb289*100", "orb289", "orb841*9", "orb841:9:9*9:1:1", "ok289b*9"};

START_TEST(large_primes_take_one_pass) {
  fg_passes *list = test_plan(crowded[_i / 2], _i % 2 ? FG_DOUBLE : FG_SINGLE, &fg_reference_device);
  ck_assert_int_eq(list->count, 1);
  free(list);
}
END_TEST

/* ---- sectors of 32 bytes ---- */

/* Rows of an odd number of points that a pass leaves in scratch begin with whole sectors, and its blocks' runs in them do,
 * which then are all of one row: half spectra of planes, of a long row, digits of a complex one. */
static const struct {
  const char *text;
  enum fg_precision precision;
} padded[] = {{"orb1000x1000*33", FG_SINGLE}, {"orb1000x1000*16", FG_DOUBLE}, {"orb1048576*32", FG_SINGLE},
              {"orb1048576*16", FG_DOUBLE},   {"oc117649*285", FG_SINGLE},    {"orb1025x1000*20", FG_SINGLE}};

START_TEST(what_is_left_in_scratch_begins_with_whole_sectors) {
  fg_passes *list = test_plan(padded[_i].text, padded[_i].precision, &fg_reference_device);
  const fg_pass *const p = &list->pass[0];
  const ptrdiff_t sector = padded[_i].precision == FG_SINGLE ? 4 : 2;
  ck_assert(p->padded && fg_pass_within_loop(p) && fg_pass_broken_run(p) == 0);
  ck_assert(p->loop[0].n % 2 && p->loop[0].out == 1 && p->out % sector == 0 && p->lines % sector == 0);
  fg_pass ahead = *p, odd = *p, part = *p;
  ahead.ahead = 264;
  odd.lines = (int)sector + 1;
  ck_assert(!fg_pass_within_loop(&ahead) && !fg_pass_within_loop(&odd));
  part.lines = 16; /* a launch has part of a loop: three turns of 20, in 16 and 4 */
  part.loops = 2;
  part.loop[0].n = 20;
  part.loop[1].n = 3;
  ck_assert(fg_pass_within_loop(&part) && fg_pass_blocks(&part) == 6 && fg_kernel_grid(&part) == 6);
  free(list);
}
END_TEST

/* What is short, or of whole sectors anyway, or as a whole in the L2, is dense; what is long begins with whole lines. */
START_TEST(rows_are_padded_to_sectors_or_lines) {
  const size_t before = fg_padded_from;
  fg_axis axes[] = {{512, 501, 0}, {501, 1, 0}};
  ck_assert(fg_padded_row(63, 8) == 63 && fg_padded_row(65, 8) == 68 && fg_padded_row(500, 8) == 500);
  ck_assert(fg_padded_row(501, 8) == 512 && fg_padded_row(31, 16) == 31 && fg_padded_row(33, 16) == 34);
  ck_assert(fg_padded_row(501, 16) == 504 && fg_padded_row(502, 16) == 502);
  fg_padded_from = 0;
  ck_assert(fg_lay_out(axes, 2, 8) == 512 * 512 && fg_lay_out(axes, 2, 0) == 512 * 501);
  fg_padded_from = 8 * 512 * 501 + 1;
  ck_assert_int_eq(fg_lay_out(axes, 2, 8), 512 * 501);
  fg_padded_from = before;
}
END_TEST

/* The last pass of a row whose digits are odd cannot store whole sectors: a wide run, for one block on a multiprocessor; nor
 * need it where all is in the L2, nor what writes where it has read. */
START_TEST(runs_that_break_sectors_are_wide) {
  fg_passes *list = test_plan("oc117649*285", FG_SINGLE, &fg_reference_device);
  fg_pass last = list->pass[list->count - 1];
  ck_assert(fg_pass_broken_run(&last) == 256 && last.lines == 32 && last.blocks_sm == 1);
  fg_pass narrow = last, place = last, few = last, whole = last;
  narrow.lines = 8;
  ck_assert(fg_pass_broken_run(&narrow) == 64);
  ck_assert(fg_geometry_score(&narrow, &fg_reference_device) < fg_geometry_score(&last, &fg_reference_device));
  ck_assert(fg_pass_broken_share(64) < fg_pass_broken_share(128) && fg_pass_broken_share(4096) <= 1);
  place.to.array = place.from.array;
  few.loop[few.loops - 1].n = 2;
  whole.lines = (int)whole.loop[0].n;
  ck_assert(fg_pass_broken_run(&place) == 0 && fg_pass_broken_run(&few) == 0 && fg_pass_broken_run(&whole) == 0);
  free(list);
}
END_TEST

/* Problems of two passes, and whether the second begins with the last of its batch: one of one transform has no other loop, or
 * one with a table. */
static const struct {
  const char *text;
  bool turned;
} turned[] = {{"oc1048576*32", true}, {"oc1024x1024*32", true}, {"orb1048576*5", true}, {"/ocb300x400*6", true}, {"oc1048576", false},
              {"orf67108864", false}, {"ok10000e10x10000o01", false}};

START_TEST(a_launch_turned_round_reaches_the_same_from_its_end) {
  static const void *const no_tables[FG_PASS_TABLES];
  fg_passes *const list = test_plan(turned[_i].text, FG_SINGLE, &fg_reference_device);
  const fg_pass *const p = &list->pass[1];
  ck_assert_int_ge(list->count, 2);
  const fg_launch straight = fg_launch_of(p, no_tables);
  fg_launch round = straight;
  fg_launch_turn_round(&round, p);
  const fg_loop *const a = &straight.args.loop[p->loops - 1], *const b = &round.args.loop[p->loops - 1];
  ck_assert_int_eq(round.first_in != 0, turned[_i].turned);
  ck_assert_int_eq(memcmp(round.args.loop, straight.args.loop, (size_t)(p->loops - 1) * sizeof *a), 0);
  for (ptrdiff_t i = 0; i < a->n; i++) {
    const ptrdiff_t other = turned[_i].turned ? a->n - 1 - i : i;
    ck_assert_int_eq(round.first_in + i * b->in, other * a->in);
    ck_assert_int_eq(round.first_out + i * b->out, other * a->out);
  }
  free(list);
}
END_TEST

int main(void) {
  fg_overlap_caches = 0;
  TCase *tc = tcase_create("passes");
  tcase_set_timeout(tc, 120);
  tcase_add_loop_test(tc, known_problems_take_known_passes, 0, TEST_COUNT(expected));
  tcase_add_loop_test(tc, boxes_take_one_pass_where_they_fit, 0, TEST_COUNT(boxes));
  tcase_add_loop_test(tc, clusters_have_what_no_block_has, 0, TEST_COUNT(clusters));
  tcase_add_loop_test(tc, the_cheapest_way_with_a_large_prime_is_taken, 0, TEST_COUNT(ways));
  tcase_add_loop_test(tc, what_does_not_fit_passes_is_refused_with_a_reason, 0, TEST_COUNT(refused));
  tcase_add_test(tc, as_many_dimensions_as_loops_are_accepted);
  tcase_add_loop_test(tc, passes_of_large_problems_fit_device_and_arrays, 0, 4);
  tcase_add_loop_test(tc, passes_read_what_was_written_and_write_all, 0, 4);
  tcase_add_test(tc, double_precision_costs_its_bytes_or_its_arithmetic);
  tcase_add_test(tc, rows_that_follow_each_other_are_one_run);
  tcase_add_loop_test(tc, wide_sides_are_those_of_the_program_alone, 0, TEST_COUNT(wide));
  tcase_add_loop_test(tc, large_primes_take_one_pass, 0, 2 * TEST_COUNT(crowded));
  tcase_add_loop_test(tc, lists_cost_less_than_the_limit, 0, 2 * TEST_COUNT(limited));
  tcase_add_loop_test(tc, what_is_left_in_scratch_begins_with_whole_sectors, 0, TEST_COUNT(padded));
  tcase_add_test(tc, rows_are_padded_to_sectors_or_lines);
  tcase_add_loop_test(tc, a_launch_turned_round_reaches_the_same_from_its_end, 0, TEST_COUNT(turned));
  tcase_add_test(tc, runs_that_break_sectors_are_wide);
  tcase_add_loop_test(tc, large_radices_save_stages, 0, TEST_COUNT(with_large));
  return test_run(tc, "passes");
}
