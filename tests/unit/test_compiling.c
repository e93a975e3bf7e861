/* test_compiling.c: plans whose kernels nobody has compiled yet: what compiling costs, who waits for it and how long. */
#include <math.h>
#include <pthread.h>

#include "cuda/sim/sim.h"
#include "real_fftw.h"
#include "src/cost/account.h"
#include "src/cost/learn.h"
#include "src/plan/background.h"
#include "src/plan/compiling.h"
#include "src/plan/handle.h"
#include "src/plan/wisdom.h"
#include "src/report/clock.h"
#include "suite.h"
#include "told.h"
#include "waiting_case.h"

enum { COMPILING = 50 };

/* In a folder without kernels, where compiling takes what so many executions save. */
static void open_where_compiling_is_dear(device_case *c, char *none) {
  waiting_empty_cache(none);
  test_coefficients(waiting_start, COMPILING * waiting_host_time * 0.996);
  waiting_open(c, TEST_WAITS);
}

/* In place: the same kernels. */
static void open_same(device_case *c) { waiting_open(c, "ic360*30"); }

/* In a folder without kernels planning must be earned as a whole, else only its shorter part. */
START_TEST(compiling_is_paid_for_only_where_it_is_needed) {
  char none[] = "/tmp/fftw3-gpu-test-cache-XXXXXX";
  device_case c, same;
  open_where_compiling_is_dear(&c, none);
  waiting_execute(&c, COMPILING - 1);
  ck_assert(fg_target_open());
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_WAITING);
  ck_assert_uint_eq(fg_sim_count().compiles, 0);
  waiting_execute(&c, 1);
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_SWITCHED);
  open_same(&same);
  waiting_execute(&same, 2);
  ck_assert_int_eq(fg_plan_state(same.plan), FG_STATE_WAITING);
  waiting_execute(&same, 1);
  ck_assert_int_eq(fg_plan_state(same.plan), FG_STATE_SWITCHED);
  ck_assert_uint_eq(fg_sim_count().compiles, 1);
  device_case_close(&same);
  device_case_close(&c);
  waiting_remove_cache(none);
}
END_TEST

/* A problem that would go to the device at once, on which nobody has compiled it yet, with that much patience. */
static void open_uncompiled(device_case *c, char *none, double patience) {
  waiting_empty_cache(none);
  test_coefficients(1e-6, 1e-6);
  fg_compiling_patience = patience;
  waiting_open(c, TEST_WAITS);
}

START_TEST(a_plan_does_not_wait_long_for_the_compiler) {
  char none[] = "/tmp/fftw3-gpu-test-cache-XXXXXX";
  device_case c;
  open_uncompiled(&c, none, 0);
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_WAITING);
  c.plan->patience = 0;
  const int on_host = test_real_fftw_executions();
  device_case_execute(&c);
  ck_assert(waiting_is_right(&c));
  ck_assert_int_eq(test_real_fftw_executions(), on_host + 1);
  fg_background_wait();
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_SWITCHED);
  waiting_execute(&c, 2);
  ck_assert_int_eq(test_real_fftw_executions(), on_host + 1);
  device_case_close(&c);
  waiting_remove_cache(none);
}
END_TEST

START_TEST(an_execution_waits_as_long_as_the_host_would_take) {
  char none[] = "/tmp/fftw3-gpu-test-cache-XXXXXX";
  device_case c;
  open_uncompiled(&c, none, 0);
  ck_assert_double_gt(c.plan->patience, 0);
  c.plan->patience = 1000;
  const int on_host = test_real_fftw_executions();
  waiting_execute(&c, 1);
  ck_assert_int_eq(test_real_fftw_executions(), on_host);
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_SWITCHED);
  /* It never was on the host: the device is held against the estimate, which is no finding. */
  fg_finding found;
  waiting_execute(&c, TRIALS);
  ck_assert_int_eq(fg_account_verdict(c.plan->account), FG_BETTER_ON_DEVICE);
  ck_assert(!fg_wisdom_find(c.problem, FG_MEMORY_FOREIGN, &found));
  waiting_execute(&c, 1);
  ck_assert_int_eq(test_real_fftw_executions(), on_host);
  device_case_close(&c);
  waiting_remove_cache(none);
}
END_TEST

static void *cancelled(void *argument) {
  device_case *const c = argument;
  pthread_cancel(pthread_self());
  device_case_execute(c);
  c->plan = NULL; /* it came back */
  pthread_testcancel();
  return NULL;
}

/* FFTW's executions are no points where threads are cancelled; and nothing that this one held is missing later. */
START_TEST(an_execution_that_waits_is_not_cancelled) {
  char none[] = "/tmp/fftw3-gpu-test-cache-XXXXXX";
  device_case c;
  pthread_t thread;
  void *end = NULL;
  open_uncompiled(&c, none, 0);
  fg_plan *const plan = c.plan;
  plan->patience = 1000;
  ck_assert_int_eq(pthread_create(&thread, NULL, cancelled, &c), 0);
  ck_assert_int_eq(pthread_join(thread, &end), 0);
  ck_assert_ptr_eq(end, PTHREAD_CANCELED);
  ck_assert_ptr_null(c.plan);
  c.plan = plan;
  fg_background_wait();
  ck_assert_int_eq(fg_plan_state(plan), FG_STATE_SWITCHED);
  device_case_close(&c);
  waiting_remove_cache(none);
}
END_TEST

START_TEST(what_is_compiled_in_time_is_on_the_device_at_once) {
  char none[] = "/tmp/fftw3-gpu-test-cache-XXXXXX";
  device_case c, again;
  open_uncompiled(&c, none, 1000);
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_DEVICE);
  ck_assert_uint_eq(fg_sim_count().compiles, 1);
  fg_compiling_patience = 0; /* now it is there */
  waiting_open(&again, TEST_WAITS);
  ck_assert_int_eq(fg_plan_state(again.plan), FG_STATE_DEVICE);
  waiting_execute(&c, 1);
  device_case_close(&again);
  device_case_close(&c);
  waiting_remove_cache(none);
}
END_TEST

START_TEST(what_cannot_be_compiled_stays_on_the_host) {
  char none[] = "/tmp/fftw3-gpu-test-cache-XXXXXX";
  waiting_empty_cache(none);
  test_coefficients(1e-6, 1e-6);
  fg_sim_set_faults("compile:1+");
  waiting_stays_on_host(TEST_WAITS, FG_ESTIMATE);
  ck_assert_int_eq(test_log_lines("warn"), 1);
  waiting_remove_cache(none);
}
END_TEST

START_TEST(a_problem_that_cannot_be_compiled_stays) {
  device_case c;
  fg_sim_set_faults("compile:1+");
  waiting_open(&c, TEST_WAITS);
  waiting_execute(&c, UNTIL_SWITCH);
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_HOST);
  waiting_execute(&c, UNTIL_SWITCH);
  ck_assert_int_eq(test_log_lines("warn"), 1);
  device_case_close(&c);
}
END_TEST

/* ---- what is learned of it ---- */

static const double each_compile = 0.4;

static double by_compiles(void) { return each_compile * (double)fg_sim_count().compiles; }

/* A host so slow that one execution pays for the device, and a clock that only compiling moves. */
static const fg_calibration *slow_host(void) {
  static fg_calibration c;
  c = *test_coefficients(1e-6, 0.02);
  c.rate_smooth = 1e7;
  fg_calibration_use(&c);
  fg_clock_test = by_compiles;
  return &c;
}

/* Also where nobody waits for its end. */
START_TEST(what_compiling_takes_is_learned) {
  char none[] = "/tmp/fftw3-gpu-test-cache-XXXXXX";
  device_case c;
  fg_calibration learned;
  waiting_empty_cache(none);
  const fg_calibration *const before = slow_host();
  fg_compiling_patience = _i ? 1000 : 0;
  waiting_open(&c, TEST_WAITS);
  fg_background_wait();
  ck_assert_int_eq(fg_plan_state(c.plan), _i ? FG_STATE_DEVICE : FG_STATE_SWITCHED);
  ck_assert_uint_eq(fg_sim_count().compiles, 1);
  fg_learn_from(before, 0, &learned);
  ck_assert_double_eq_tol(learned.plan, before->plan * pow(8, 0.25), 1e-9); /* one sample, and at most eight times */
  device_case_close(&c);
  waiting_remove_cache(none);
}
END_TEST

/* Whether it has failed before the plan is made or after. */
START_TEST(a_failed_compilation_teaches_nothing) {
  char none[] = "/tmp/fftw3-gpu-test-cache-XXXXXX";
  fg_calibration learned;
  device_case c;
  waiting_empty_cache(none);
  const fg_calibration *const before = slow_host();
  fg_compiling_patience = 0;
  fg_sim_set_faults("compile:1+");
  device_case_open(&c, TEST_WAITS);
  void *const plan = fg_plan_create(fg_problem_copy(c.problem));
  ck_assert_ptr_nonnull(plan);
  fg_background_wait();
  fg_learn_from(before, 0, &learned);
  ck_assert_double_eq_tol(learned.plan, before->plan, 1e-12);
  if (fg_plan_is_ours(plan)) fg_plan_destroy(plan);
  else fg_host_of(FG_SINGLE)->destroy(plan);
  device_case_close(&c);
  waiting_remove_cache(none);
}
END_TEST

START_TEST(what_another_problem_has_compiled_is_not_waited_for_any_longer) {
  char none[] = "/tmp/fftw3-gpu-test-cache-XXXXXX";
  enum { UNTIL_ASKED = 13 };
  device_case c, same;
  open_where_compiling_is_dear(&c, none);
  open_same(&same);
  waiting_execute(&same, UNTIL_ASKED);
  ck_assert(fg_target_open());
  ck_assert_int_eq(fg_plan_state(same.plan), FG_STATE_WAITING);
  waiting_execute(&c, COMPILING);
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_SWITCHED);
  waiting_execute(&same, 1);
  ck_assert_int_eq(fg_plan_state(same.plan), FG_STATE_SWITCHED);
  ck_assert_uint_eq(fg_sim_count().compiles, 1);
  device_case_close(&same);
  device_case_close(&c);
  waiting_remove_cache(none);
}
END_TEST

static void add_tests(TCase *tc) {
  tcase_add_test(tc, compiling_is_paid_for_only_where_it_is_needed);
  tcase_add_test(tc, a_plan_does_not_wait_long_for_the_compiler);
  tcase_add_test(tc, an_execution_waits_as_long_as_the_host_would_take);
  tcase_add_test(tc, an_execution_that_waits_is_not_cancelled);
  tcase_add_test(tc, what_is_compiled_in_time_is_on_the_device_at_once);
  tcase_add_test(tc, what_cannot_be_compiled_stays_on_the_host);
  tcase_add_test(tc, a_problem_that_cannot_be_compiled_stays);
  tcase_add_loop_test(tc, what_compiling_takes_is_learned, 0, 2);
  tcase_add_test(tc, a_failed_compilation_teaches_nothing);
  tcase_add_test(tc, what_another_problem_has_compiled_is_not_waited_for_any_longer);
}

int main(void) { return waiting_run("compiling", add_tests); }
