/* test_geometry.c: lines and threads that are chosen for tiles where nothing was measured. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "random_problem.h"
#include "src/pass/choice.h"
#include "src/pass/solver.h"
#include "src/pass/tuned.h"
#include "src/plan/planner.h"
#include "suite.h"

static fg_pass pass_of(const char *text, enum fg_precision precision) {
  fg_tuned_ignore_shipped(true);
  fg_passes *const list = test_plan(text, precision, &fg_reference_device);
  fg_tuned_ignore_shipped(false);
  ck_assert_int_eq(list->count, 1);
  const fg_pass p = list->pass[0];
  free(list);
  return p;
}

static fg_pass only_pass(const char *text) { return pass_of(text, FG_SINGLE); }

static fg_choice choice_of(const char *text) {
  const fg_pass p = only_pass(text);
  return fg_choice_of(&p);
}

/* Stages but moves. */
static int butterflies(const fg_pass *p) {
  int count = 0;
  for (int s = 0; s < p->stages; s++) count += p->radix[s] > 1;
  return count;
}

/* Of the device 132 would have a block each. */
static const char *const alone[] = {"orf1120", "orb1296", "orf1400", "orb1620", "orf1728", "orf1800", "ocf900", "orf1120*132"};

START_TEST(rows_alone_are_shared_by_warps) {
  const fg_pass p = only_pass(alone[_i]);
  ck_assert_msg(p.threads >= 64, "%s: %d threads", alone[_i], p.threads);
  ck_assert_int_ge(butterflies(&p), 3);
}
END_TEST

START_TEST(more_rows_may_have_one_warp_each) {
  const fg_pass p = only_pass("orf1120*133");
  ck_assert_int_eq(p.threads, 32);
  ck_assert_int_eq(butterflies(&p), 2);
}
END_TEST

/* In bulk blocks of a few KB; not where rows are few, or short ones of reals, or one butterfly. */
static const char *const bulk[] = {"ocf100*335544", "ocf500*67108", "ocb891*37659", "icf64*524288",
                                   "orb243*138084", "orf1000*33554", "ok1000f*33554"};

START_TEST(rows_in_bulk_have_small_blocks) {
  const fg_pass p = only_pass(bulk[_i]);
  ck_assert_msg(p.lines * p.n * 8 <= 8192, "%s: %d lines", bulk[_i], p.lines);
  ck_assert_int_le(butterflies(&p), 3);
}
END_TEST

static const char *const other[] = {"ocf500*8000", "ocf21*1597830", "ocf25*1342177", "ocf37*906876",
                                    "orf1000*8000", "orf90*372827"};

START_TEST(other_rows_have_larger_ones) {
  const fg_pass p = only_pass(other[_i]);
  ck_assert_msg(p.lines * p.n * 8 > 8192, "%s: %d lines", other[_i], p.lines);
}
END_TEST

static const char *const doubles[] = {"ocf243*69042", "ocf500*33554", "orb1000*16777", "ocf125*134217"};

START_TEST(so_have_doubles) {
  const fg_pass p = pass_of(doubles[_i], FG_DOUBLE);
  ck_assert_msg(p.lines * p.n * 16 <= 8192, "%s: %d lines", doubles[_i], p.lines);
  ck_assert_int_ge(p.threads, 64);
}
END_TEST

/* In bulk a thread may have 25 points of doubles. */
START_TEST(large_radices_are_for_doubles_too) {
  const fg_pass p = pass_of("ocf3125*5368", FG_DOUBLE);
  ck_assert_int_eq(butterflies(&p), 3);
}
END_TEST

/* Of an odd row each real radix leaves another number of points: all are few or many by the same one. */
START_TEST(odd_rows_are_in_bulk_with_any_radix) {
  static const char *const lines[] = {"orf315*25396", "orf315*25873", "orf315*26546", "orf315*26547"};
  const fg_choice c = choice_of(lines[_i]), few = choice_of("orf315*10000"), many = choice_of("orf315*100000");
  const fg_choice *const expected = _i < 3 ? &few : &many;
  ck_assert_int_eq(memcmp(few.radix, many.radix, sizeof few.radix) != 0 || few.lines != many.lines, 1);
  ck_assert_int_eq(c.lines, expected->lines);
  ck_assert_int_eq(c.threads, expected->threads);
  ck_assert_mem_eq(c.radix, expected->radix, sizeof c.radix);
}
END_TEST

/* Of rows in bulk a block may be one warp. */
START_TEST(one_warp_is_a_block) { ck_assert_int_eq(only_pass("ocf64*524288").threads, 32); }
END_TEST

/* Longer rows: large radices that save a stage, and two blocks where one has room, as measured. */
START_TEST(longer_rows_are_chosen_as_before) {
  static const struct {
    const char *text;
    int butterflies, blocks;
  } rows[] = {{"ocf6400*5242", 3, 3}, {"ocf6250*5368", 3, 3}, {"ocf8100*4142", 3, 2},
              {"ocf9000*3728", 3, 2}, {"orf4725*7101", 3, 6}};
  const fg_pass p = only_pass(rows[_i].text);
  ck_assert_int_eq(butterflies(&p), rows[_i].butterflies);
  ck_assert_int_eq(p.blocks_sm, rows[_i].blocks);
}
END_TEST

int main(void) {
  TCase *tc = tcase_create("geometry");
  tcase_add_loop_test(tc, rows_alone_are_shared_by_warps, 0, TEST_COUNT(alone));
  tcase_add_test(tc, more_rows_may_have_one_warp_each);
  tcase_add_loop_test(tc, rows_in_bulk_have_small_blocks, 0, TEST_COUNT(bulk));
  tcase_add_loop_test(tc, so_have_doubles, 0, TEST_COUNT(doubles));
  tcase_add_test(tc, large_radices_are_for_doubles_too);
  tcase_add_loop_test(tc, odd_rows_are_in_bulk_with_any_radix, 0, 4);
  tcase_add_test(tc, one_warp_is_a_block);
  tcase_add_loop_test(tc, longer_rows_are_chosen_as_before, 0, 5);
  tcase_add_loop_test(tc, other_rows_have_larger_ones, 0, TEST_COUNT(other));
  return test_run(tc, "geometry");
}
