/* test_planned.c: what is planned again is found, and is what would be planned anew; what is planned with limits is what
 * would be planned without. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "random_problem.h"
#include "small_device.h"
#include "src/pass/choice.h"
#include "src/pass/solver.h"
#include "src/pass/tuned.h"
#include "src/plan/plan.h"
#include "src/plan/planned.h"
#include "src/plan/planner.h"
#include "suite.h"

static fg_passes *planned(const fg_problem *p, const fg_device_info *device) {
  fg_passes *list = calloc(1, sizeof *list);
  const char *why;
  ck_assert(list && fg_planner_plan(p, device, list, &why));
  return list;
}

static bool same(const fg_passes *a, const fg_passes *b) {
  if (a->count != b->count || a->cost != b->cost || memcmp(a->scratch, b->scratch, sizeof a->scratch)) return false;
  for (int i = 0; i < a->count; i++) {
    const fg_pass *const p = &a->pass[i], *const q = &b->pass[i];
    char x[512], y[512];
    fg_choice c = fg_choice_of(p), d = fg_choice_of(q);
    fg_pass_print(p, x, sizeof x);
    fg_pass_print(q, y, sizeof y);
    if (strcmp(x, y) || memcmp(&c, &d, sizeof c) || memcmp(p->skew, q->skew, sizeof p->skew) || p->in != q->in ||
        p->out != q->out || memcmp(p->loop, q->loop, (size_t)p->loops * sizeof *p->loop))
      return false;
  }
  return true;
}

static void check(const fg_problem *p, const fg_device_info *device, const fg_passes *before) {
  fg_passes *found = planned(p, device);
  fg_planned_forget();
  fg_passes *anew = planned(p, device);
  ck_assert(same(before, anew) && same(found, anew));
  free(found);
  free(anew);
}

/* Small problems differ in little: whatever is left out of the key gives one of them another's passes. */
START_TEST(found_is_what_would_be_planned) {
  enum { PROBLEMS = 200 };
  const test_limits limits = {.precision = _i ? FG_DOUBLE : FG_SINGLE, .rank = 2, .batch_rank = 2, .n = 6,
                              .batch_n = 3, .elements = 200};
  const fg_device_info small = test_small_device(32 << 10), *const device[] = {&fg_reference_device, &small};
  fg_passes *before[PROBLEMS];
  dice d = {5}, again = {5};
  for (int i = 0; i < PROBLEMS; i++) {
    fg_problem *p = test_random_problem(&d, &limits);
    before[i] = planned(p, device[i % 2]);
    fg_problem_free(p);
  }
  for (int i = 0; i < PROBLEMS; i++) {
    fg_problem *p = test_random_problem(&again, &limits);
    check(p, device[i % 2], before[i]);
    fg_problem_free(p);
    free(before[i]);
  }
}
END_TEST

/* Each differs from the one before in one thing. */
START_TEST(one_thing_makes_another_problem) {
  static const char *const texts[] = {"ocf60",   "ocb60",    "ocf60*2",  "ocf30x2", "icf60",  "orf60",    "orb60",
                                      "ok60f",   "ok60b",    "ok60e10",  "ok60e01", "ok60o01", "ok60e10x2e10",
                                      "ok60e10x2e01"};
  fg_passes *before[TEST_COUNT(texts)];
  for (int i = 0; i < TEST_COUNT(texts); i++) {
    fg_problem *p = test_problem(texts[i], FG_SINGLE);
    before[i] = planned(p, &fg_reference_device);
    fg_problem_free(p);
  }
  for (int i = 0; i < TEST_COUNT(texts); i++) {
    fg_problem *p = test_problem(texts[i], FG_SINGLE);
    check(p, &fg_reference_device, before[i]);
    fg_problem_free(p);
    free(before[i]);
  }
}
END_TEST

/* What is kept under the work of 64 points is what planning 64 points gives, until a geometry becomes known. */
START_TEST(the_planner_asks_for_it) {
  const fg_work w = {.precision = FG_SINGLE, .sign = FG_FORWARD, .kind = FG_DFT, .to.array = FG_ARRAY_OUT, .rank = 1,
                     .dim = {{64, 1, 1}}};
  fg_problem *p = test_problem("ocf64", FG_SINGLE);
  fg_planned_key *key = fg_planned_key_of(&w, &fg_reference_device);
  fg_passes *list = calloc(1, sizeof *list);
  ck_assert(key && list && !fg_planned_find(key, list));
  fg_passes *first = planned(p, &fg_reference_device);
  ck_assert(fg_planned_find(key, list) && same(list, first));
  list->cost = 123;
  fg_planned_keep(key, list);
  fg_passes *second = planned(p, &fg_reference_device);
  ck_assert_double_eq(second->cost, 123);
  const fg_choice c = fg_choice_of(&first->pass[0]);
  fg_tuned_learn(&first->pass[0], fg_reference_device.arch, &c, 1);
  fg_passes *third = planned(p, &fg_reference_device);
  ck_assert_double_ne(third->cost, 123);
  fg_plan_cleanup();
  ck_assert(!fg_planned_find(key, list));
  free(first);
  free(second);
  free(third);
  free(list);
  free(key);
  fg_problem_free(p);
}
END_TEST

/* Ways that are given up at the cost of the best so far would not have been cheaper. */
static void check_limits(const fg_problem *p, const fg_device_info *device, const char *text) {
  fg_planned_forget();
  fg_passes *limited = planned(p, device);
  fg_planned_forget();
  fg_planner_exhaustive = true;
  fg_passes *exhaustive = planned(p, device);
  fg_planner_exhaustive = false;
  ck_assert_msg(same(limited, exhaustive), "%s: %d passes of %g us, not %d of %g us", text, limited->count,
                limited->cost * 1e6, exhaustive->count, exhaustive->cost * 1e6);
  free(limited);
  free(exhaustive);
}

static const char *const unlimited[] = {
    "oc64*9",         "oc1009*100",   "oc2257*500",    "/oc404*80",      "oc10007*30",   "oc65536*16",   "ic65521",
    "ocb100003",      "oc1048576",    "oc128x96*20",   "oc24x24x24*54",  "oc48x44x40",   "oc256x256x64", "ic137x96:2:96*3:1:1",
    "orf1000*300",    "orb1001*300",  "orf10007*50",   "orb65521",       "orf262144",    "orb65536*4",   "orf509x30",
    "irb100x64",      "orf64x64x64",  "orb128x100x96", "ok1000e11*20",   "ok4096e10*3",  "ok101e00*7",   "ok3125f*40",
    "ok65521b",       "ok60o11x50e01", "oc250x250x250", "orb360x360x360", "oc960x960x960", "orf800x800x800",
    "oc3073:50:50*82:153650:153650x50:1:1", "oc3104v600"};

START_TEST(limits_change_no_plan) {
  const fg_device_info small = test_small_device(32 << 10);
  const double caches = fg_overlap_caches;
  fg_problem *p = test_problem(unlimited[_i / 2], _i % 2 ? FG_DOUBLE : FG_SINGLE);
  check_limits(p, &fg_reference_device, unlimited[_i / 2]);
  fg_overlap_caches = 0;
  check_limits(p, &small, unlimited[_i / 2]);
  fg_overlap_caches = caches;
  fg_problem_free(p);
}
END_TEST

START_TEST(limits_change_no_plan_of_strides) {
  dice d = {91 + (uint64_t)_i};
  for (int round = 0; round < 12; round++) {
    const enum fg_precision precision = dice_one_in(&d, 4) ? FG_DOUBLE : FG_SINGLE;
    const ptrdiff_t n = (ptrdiff_t)1 << dice_between(&d, 2, 18);
    fg_problem *p = test_random_problem(&d, &(test_limits){precision, 4, 3, n, 2000, (ptrdiff_t)1 << 28, false});
    check_limits(p, &fg_reference_device, "random");
    fg_problem_free(p);
  }
}
END_TEST

int main(void) {
  TCase *tc = tcase_create("planned");
  tcase_add_loop_test(tc, found_is_what_would_be_planned, 0, 2);
  tcase_add_test(tc, one_thing_makes_another_problem);
  tcase_add_test(tc, the_planner_asks_for_it);
  tcase_add_loop_test(tc, limits_change_no_plan, 0, 2 * TEST_COUNT(unlimited));
  tcase_add_loop_test(tc, limits_change_no_plan_of_strides, 0, 4);
  return test_run(tc, "planned");
}
