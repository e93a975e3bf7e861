/* test_waiting.c: plans that wait on the host until the device pays, switch, and go back; by a clock that only
 * executions move. */
#include <stdlib.h>

#include "cuda/sim/sim.h"
#include "on_sim.h"
#include "real_fftw.h"
#include "src/cost/account.h"
#include "src/plan/handle.h"
#include "src/plan/wisdom.h"
#include "src/run/slot.h"
#include "suite.h"
#include "told.h"
#include "waiting_case.h"

START_TEST(the_device_is_opened_when_waiting_has_cost_as_much) {
  device_case c;
  waiting_open(&c, TEST_WAITS);
  waiting_execute(&c, UNTIL_SWITCH - 1);
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_WAITING);
  ck_assert(!fg_target_open());
  waiting_says(&c, "(waiting-for-gpu-ocf360*30 after 12 executions");
  waiting_execute(&c, 1);
  ck_assert(fg_target_open());
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_SWITCHED);
  waiting_says(&c, "(gpu-ocf360*30");
  const int on_host = test_real_fftw_executions();
  waiting_execute(&c, 3);
  ck_assert_int_eq(test_real_fftw_executions(), on_host);
  ck_assert_uint_gt(fg_sim_count().launches, 0);
  device_case_close(&c);
  fg_slot_trim(test_target());
  ck_assert_uint_eq(fg_sim_count().allocations, 0);
}
END_TEST

START_TEST(all_problems_pay_for_the_device_together) {
  device_case a, b;
  waiting_open(&a, TEST_WAITS);
  waiting_open(&b, "oc12x30*30");
  waiting_execute(&a, 6);
  waiting_execute(&b, 6);
  ck_assert(!fg_target_open());
  waiting_execute(&b, 1);
  ck_assert_int_eq(fg_plan_state(a.plan), FG_STATE_WAITING);
  ck_assert_int_eq(fg_plan_state(b.plan), FG_STATE_SWITCHED);
  waiting_execute(&a, 1);
  ck_assert_int_eq(fg_plan_state(a.plan), FG_STATE_SWITCHED);
  device_case_close(&a);
  device_case_close(&b);
}
END_TEST

/* Programs that plan, execute once and destroy, over and over. */
START_TEST(executions_count_for_the_problem_not_for_the_plan) {
  device_case c;
  for (int i = 0; i < UNTIL_SWITCH; i++) {
    ck_assert(!fg_target_open());
    waiting_open(&c, TEST_WAITS);
    waiting_execute(&c, 1);
    device_case_close(&c);
  }
  ck_assert(fg_target_open());
  /* Its kernels are there: the next one is planned on the device at once. */
  waiting_open(&c, TEST_WAITS);
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_DEVICE);
  device_case_close(&c);
}
END_TEST

START_TEST(a_faster_device_keeps_the_problem) {
  device_case c;
  fg_finding found;
  waiting_open(&c, TEST_WAITS);
  waiting_execute(&c, UNTIL_SWITCH + TRIALS);
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_SWITCHED);
  ck_assert(fg_wisdom_find(c.problem, FG_MEMORY_FOREIGN, &found) && found.device);
  ck_assert(fg_wisdom_knows(c.problem));
  device_case_close(&c);
  waiting_open(&c, TEST_WAITS);
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_DEVICE);
  device_case_close(&c);
}
END_TEST

/* The program does something else behind its first execution, and the plan has switched before the second. */
START_TEST(one_long_execution_on_the_host_is_what_the_device_is_held_against) {
  device_case c;
  fg_finding found;
  test_time(10 * waiting_host_time, 1e-9);
  test_coefficients(1e-6, waiting_planning);
  waiting_open(&c, TEST_WAITS);
  waiting_execute(&c, 1);
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_SWITCHED);
  waiting_execute(&c, TRIALS);
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_SWITCHED);
  ck_assert(fg_wisdom_find(c.problem, FG_MEMORY_FOREIGN, &found) && found.device);
  ck_assert_double_eq_tol(found.host, 10 * waiting_host_time, 1e-6);
  device_case_close(&c);
}
END_TEST

/* The first execution may have been cold: if one half as long would not earn the switch, there is a second. */
START_TEST(a_first_execution_that_is_not_long_does_not_switch_alone) {
  device_case c;
  test_time(3 * waiting_host_time, 1e-9);
  test_coefficients(1e-6, waiting_planning);
  waiting_open(&c, TEST_WAITS);
  waiting_execute(&c, 1);
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_WAITING);
  waiting_execute(&c, 1);
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_SWITCHED);
  device_case_close(&c);
}
END_TEST

START_TEST(a_slower_device_gives_it_back_for_good) {
  device_case c;
  fg_finding found;
  test_time(waiting_host_time, 1.2 * waiting_host_time);
  waiting_open(&c, TEST_WAITS);
  waiting_execute(&c, UNTIL_SWITCH + TRIALS - 1);
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_SWITCHED);
  waiting_execute(&c, 1);
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_RETURNED);
  waiting_says(&c, "(returned-from-gpu-ocf360*30 after 13 executions");
  const size_t launches = fg_sim_count().launches;
  waiting_execute(&c, 3 * UNTIL_SWITCH);
  ck_assert_uint_eq(fg_sim_count().launches, launches);
  ck_assert(fg_wisdom_find(c.problem, FG_MEMORY_FOREIGN, &found) && !found.device);
  fg_problem *again = fg_problem_copy(c.problem);
  void *plan = fg_plan_create(again);
  ck_assert(plan && !fg_plan_is_ours(plan)); /* later plans of it are the real FFTW's own */
  fg_host_of(FG_SINGLE)->destroy(plan);
  device_case_close(&c);
}
END_TEST

/* Within the margin the device may stay. */
START_TEST(a_device_as_fast_stays) {
  device_case c;
  test_time(waiting_host_time, 1.05 * waiting_host_time);
  waiting_open(&c, TEST_WAITS);
  waiting_execute(&c, UNTIL_SWITCH + TRIALS + 3);
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_SWITCHED);
  device_case_close(&c);
}
END_TEST

/* The model takes FFTW's threads to be slow; they are not. */
START_TEST(what_is_short_on_the_host_is_not_counted_for_ever) {
  device_case c;
  fg_calibration slow = *test_coefficients(waiting_start, waiting_planning);
  slow.overhead = 3 * waiting_host_time;
  slow.rate_smooth = 1e8;
  fg_calibration_use(&slow);
  waiting_open(&c, TEST_WAITS);
  waiting_execute(&c, FG_HOST_TRIALS);
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_WAITING);
  waiting_execute(&c, 1);
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_HOST);
  fg_problem *again = fg_problem_copy(c.problem);
  void *plan = fg_plan_create(again);
  ck_assert(plan && !fg_plan_is_ours(plan));
  fg_host_of(FG_SINGLE)->destroy(plan);
  ck_assert(!fg_target_open());
  device_case_close(&c);
}
END_TEST

START_TEST(without_a_device_nothing_happens) {
  device_case c;
  setenv("FFTW3_GPU_SIM_FAIL", "nonsense", 1);
  waiting_open(&c, TEST_WAITS);
  waiting_execute(&c, 3 * UNTIL_SWITCH);
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_WAITING);
  ck_assert_int_eq(test_log_lines("warn"), 1); /* that there is none; nothing by default */
  void *plan = fg_plan_create(fg_problem_copy(c.problem));
  ck_assert(plan && !fg_plan_is_ours(plan));
  fg_host_of(FG_SINGLE)->destroy(plan);
  device_case_close(&c);
}
END_TEST

/* Executions that are verified take as long as both sides do. */
START_TEST(what_is_verified_is_not_timed) {
  device_case c;
  setenv("FFTW3_GPU_VERIFY", "1e-3", 1);
  waiting_open(&c, TEST_WAITS);
  waiting_execute(&c, UNTIL_SWITCH + 2 * TRIALS);
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_SWITCHED);
  ck_assert_int_eq(fg_account_verdict(c.plan->account), FG_UNDECIDED);
  device_case_close(&c);
}
END_TEST

/* Where only the real FFTW's wisdom knows a problem the program gets a plan, and the device may have it. */
START_TEST(what_their_wisdom_knows_may_be_the_devices) {
  device_case c;
  const fg_finding found = {true, waiting_host_time, 1e-6};
  test_coefficients(waiting_start, 0.1 * waiting_host_time);
  test_target();
  device_case_open(&c, TEST_WAITS);
  fg_problem *const p = fg_problem_copy(c.problem);
  p->flags = FG_MEASURE;
  fg_wisdom_keep(p, FG_MEMORY_FOREIGN, &found);
  const fg_host_plan measured = fg_host_of(FG_SINGLE)->plan(p, &p->arrays, FG_MEASURE);
  fg_host_of(FG_SINGLE)->destroy(measured);
  const int plans = test_real_fftw_plans();
  p->flags = FG_MEASURE | FG_WISDOM_ONLY;
  ck_assert(!fg_wisdom_knows(p));
  fg_plan *const plan = fg_plan_create(p);
  ck_assert(plan && fg_plan_is_ours(plan));
  ck_assert_int_eq(fg_plan_state(plan), FG_STATE_DEVICE);
  ck_assert_int_eq(test_real_fftw_plans(), plans); /* theirs is not needed any more */
  fg_plan_destroy(plan);
  device_case_close(&c);
}
END_TEST

START_TEST(small_problems_are_the_real_ffts_own) {
  waiting_stays_on_host("oc64", FG_ESTIMATE);
  waiting_stays_on_host("oc24x24", FG_MEASURE);
}
END_TEST

START_TEST(steady_plans_do_not_wait) {
  setenv("FFTW3_GPU", "steady", 1);
  waiting_stays_on_host(TEST_WAITS, FG_ESTIMATE);
  ck_assert(!fg_target_open());
}
END_TEST

static void add_tests(TCase *tc) {
  tcase_add_test(tc, the_device_is_opened_when_waiting_has_cost_as_much);
  tcase_add_test(tc, all_problems_pay_for_the_device_together);
  tcase_add_test(tc, executions_count_for_the_problem_not_for_the_plan);
  tcase_add_test(tc, a_faster_device_keeps_the_problem);
  tcase_add_test(tc, one_long_execution_on_the_host_is_what_the_device_is_held_against);
  tcase_add_test(tc, a_first_execution_that_is_not_long_does_not_switch_alone);
  tcase_add_test(tc, a_slower_device_gives_it_back_for_good);
  tcase_add_test(tc, a_device_as_fast_stays);
  tcase_add_test(tc, what_is_short_on_the_host_is_not_counted_for_ever);
  tcase_add_test(tc, without_a_device_nothing_happens);
  tcase_add_test(tc, what_is_verified_is_not_timed);
  tcase_add_test(tc, what_their_wisdom_knows_may_be_the_devices);
  tcase_add_test(tc, small_problems_are_the_real_ffts_own);
  tcase_add_test(tc, steady_plans_do_not_wait);
}

int main(void) { return waiting_run("waiting", add_tests); }
