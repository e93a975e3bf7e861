/* test_banks.c: which exchanges of tiles have skews, and what conflicts are left. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "random_problem.h"
#include "src/pass/banks.h"
#include "src/pass/choice.h"
#include "src/pass/geometry.h"
#include "src/pass/radices.h"
#include "src/pass/tuned.h"
#include "src/plan/planner.h"
#include "suite.h"

/* By hand: results of a stage lie P points apart in groups of P·R, which have to be P apart modulo the banks (16 points,
 * of doubles 8): P·(1 − R).  Of odd and half rows the radices are those of their lines. */
static const struct {
  const char *text;
  enum fg_precision precision;
  const char *choice;
  int skew[6];
  double most; /* wavefronts, relative */
} skewed[] = {{"oc2401*3000", FG_SINGLE, "7.7.7.7 1 352 5 0", {0, 6, 10}, 1.01},
              {"oc2401*3000", FG_DOUBLE, "7.7.7.7 1 352 2 0", {0, 6, 2}, 1.01},
              {"oc2197*3000", FG_SINGLE, "13.13.13 1 192 3 0", {0, 4}, 1.01},
              {"oc343*30000", FG_SINGLE, "7.7.7 5 128 8 0", {0, 6}, 1.01},
              {"orf1001*30000", FG_SINGLE, "13.11.7 6 160 4 0", {0, 10}, 1.2},
              {"orf1000*30000", FG_SINGLE, "10.10.5 3 160 6 0", {0, 6}, 1.3},
              {"oc827*9000", FG_SINGLE, "16.7.15 1 128 7 0", {1, 0, 0, 0, 6}, 1.01},
              {"oc4096*3000", FG_SINGLE, "16.16.16 1 256 3 16", {0}, 1.01}};

START_TEST(results_of_neighbouring_groups_meet_different_banks) {
  fg_passes *list = test_plan(skewed[_i].text, skewed[_i].precision, &fg_reference_device);
  fg_pass *p = &list->pass[0], plain;
  fg_choice c;
  ck_assert(list->count == 1 && fg_choice_parse(&c, skewed[_i].choice));
  ck_assert_msg(fg_choice_apply(&c, p, &fg_reference_device), "%s", skewed[_i].text);
  for (int s = 0; s < 6; s++) ck_assert_msg(p->skew[s] == skewed[_i].skew[s], "%s, %d: %d", skewed[_i].text, s, p->skew[s]);
  plain = *p;
  memset(plain.skew, 0, sizeof plain.skew);
  const double conflicts = fg_banks_conflicts(p);
  ck_assert_msg(conflicts <= skewed[_i].most, "%s: %.3f", skewed[_i].text, conflicts);
  ck_assert(!(p->skew[1] || p->skew[4]) || fg_banks_conflicts(&plain) > 1.1 * conflicts);
  ck_assert_int_ge(fg_banks_tile_points(p), fg_banks_tile_points(&plain));
  free(list);
}
END_TEST

/* Elements that are stored side by side are of parts that follow each other, so many lines of the prime's points apart. */
START_TEST(what_is_stored_side_by_side_is_an_odd_distance_apart) {
  fg_passes *list = test_plan("oc2272*6516", FG_SINGLE, &fg_reference_device);
  fg_pass *p = &list->pass[0];
  ck_assert_int_eq(p->parts, 32);
  for (p->lines = 1; p->lines <= 8; p->lines++) ck_assert((p->lines * p->filter.n + fg_pass_spread(p)) % 2 == 1);
  p->lines = 1;
  ck_assert_int_eq(fg_pass_spread(p), 2);
  p->sums = FG_SUMS_OF_LINES; /* whose points lie in order */
  ck_assert_int_eq(fg_pass_spread(p), 1);
  free(list);
}
END_TEST

/* Where fewer blocks would have room. */
START_TEST(skews_take_no_block_its_room) {
  fg_passes *list = test_plan("oc2401*3000", FG_SINGLE, &fg_reference_device);
  fg_pass *p = &list->pass[0];
  fg_device_info device = fg_reference_device;
  fg_choice c;
  ck_assert(fg_choice_parse(&c, "7.7.7.7 1 352 5 0") && fg_choice_apply(&c, p, &device) && p->skew[1]);
  device.shared_sm = 5 * (fg_geometry_shared(p) + 1024);
  ck_assert(fg_choice_apply(&c, p, &device) && p->skew[1]);
  device.shared_sm--;
  ck_assert(fg_choice_apply(&c, p, &device) && !p->skew[1] && !p->skew[2]);
  free(list);
}
END_TEST

/* Across lines, along lines and across, permuted, the longest chirps, those of three passes. */
static const struct {
  const char *text, *choice;
} others[] = {{"oc343v30000", "7.7.7 16 800 1 0"}, {"oc50000*600", NULL}, {"oc1009*3000", NULL},
              {"oc10007*3000", NULL}, {"orb65521*512", NULL}};

START_TEST(others_have_none) {
  fg_passes *list = test_plan(others[_i].text, FG_SINGLE, &fg_reference_device);
  fg_choice c;
  if (others[_i].choice)
    ck_assert(fg_choice_parse(&c, others[_i].choice) && fg_choice_apply(&c, &list->pass[0], &fg_reference_device));
  for (int i = 0; i < list->count; i++)
    for (int s = 0; s < FG_MAX_STAGES; s++) ck_assert_msg(list->pass[i].skew[s] == 0, "%s", others[_i].text);
  free(list);
}
END_TEST

/* Ways with the fewest stages, and with one more. */
START_TEST(no_way_is_listed_twice) {
  static const char *const texts[] = {"oc48*9000", "oc72*9000", "oc720*900", "oc6000*900", "oc2187*900", "orf1001*900",
                                      "orf127*900"};
  fg_radix_list list[FG_GEOMETRY_MORE_LISTS];
  fg_passes *passes = test_plan(texts[_i], FG_SINGLE, &fg_reference_device);
  const int count = fg_geometry_more_lists(&passes->pass[0], list);
  ck_assert_int_gt(count, 0);
  for (int i = 0; i < count; i++)
    for (int k = 0; k < i; k++)
      ck_assert_msg(list[i].stages != list[k].stages ||
                        memcmp(list[i].radix, list[k].radix, (size_t)list[i].stages * sizeof *list[i].radix) != 0,
                    "%s: %d and %d", texts[_i], k, i);
  free(passes);
}
END_TEST

int main(void) {
  fg_tuned_ignore_shipped(true);
  TCase *tc = tcase_create("banks");
  tcase_add_loop_test(tc, results_of_neighbouring_groups_meet_different_banks, 0, TEST_COUNT(skewed));
  tcase_add_test(tc, what_is_stored_side_by_side_is_an_odd_distance_apart);
  tcase_add_test(tc, skews_take_no_block_its_room);
  tcase_add_loop_test(tc, others_have_none, 0, TEST_COUNT(others));
  tcase_add_loop_test(tc, no_way_is_listed_twice, 0, 7);
  return test_run(tc, "banks");
}
