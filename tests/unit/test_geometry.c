/* test_geometry.c: lines and threads that are chosen for tiles where nothing was measured. */
#include <check.h>
#include <stdlib.h>

#include "random_problem.h"
#include "src/pass/solver.h"
#include "src/pass/tuned.h"
#include "src/plan/planner.h"
#include "suite.h"

static fg_pass only_pass(const char *text) {
  fg_passes *const list = test_plan(text, FG_SINGLE, &fg_reference_device);
  ck_assert_int_eq(list->count, 1);
  const fg_pass p = list->pass[0];
  free(list);
  return p;
}

/* Of the stage in which a thread has most. */
static int points_of_a_thread(const fg_pass *p) {
  int most = 0;
  for (int s = 0; s < p->stages; s++) {
    const int butterflies = (int)(p->lines * p->n) / p->radix[s];
    const int points = (butterflies + p->threads - 1) / p->threads * p->radix[s];
    if (points > most) most = points;
  }
  return most;
}

static const char *const alone[] = {"orf1120", "orb1296", "orf1400", "orb1620", "orf1800", "ocf900", "orf1728", "ocf625*20"};

START_TEST(tiles_alone_are_shared_by_warps) {
  fg_tuned_ignore_shipped(true);
  const fg_pass p = only_pass(alone[_i]);
  ck_assert_msg(p.threads >= 64 || points_of_a_thread(&p) <= 24, "%s: %d threads", alone[_i], p.threads);
  fg_tuned_ignore_shipped(false);
}
END_TEST

START_TEST(many_tiles_may_have_one_warp_each) {
  fg_tuned_ignore_shipped(true);
  const fg_pass p = only_pass("orf1120*200");
  ck_assert_int_eq(p.threads, 32);
  ck_assert_int_eq(points_of_a_thread(&p), 28);
  fg_tuned_ignore_shipped(false);
}
END_TEST

int main(void) {
  TCase *tc = tcase_create("geometry");
  tcase_add_loop_test(tc, tiles_alone_are_shared_by_warps, 0, TEST_COUNT(alone));
  tcase_add_test(tc, many_tiles_may_have_one_warp_each);
  return test_run(tc, "geometry");
}
