/* test_compiling.c: kernels that are compiled behind the program's back: what that takes is learned, and whom it serves
 * besides. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "cuda/sim/sim.h"
#include "device_case.h"
#include "on_sim.h"
#include "real_fftw.h"
#include "src/cost/learn.h"
#include "src/plan/background.h"
#include "src/plan/compiling.h"
#include "src/plan/handle.h"
#include "src/report/clock.h"
#include "suite.h"
#include "told_time.h"

static const double host_time = 1e-3, start = 10e-3, each_compile = 0.4;
static char none[] = "/tmp/fftw3-gpu-test-cache-XXXXXX";

static void begin(void) {
  ck_assert_ptr_nonnull(mkdtemp(none));
  setenv("FFTW3_GPU_CACHE", none, 1);
}

static void end(void) {
  char command[128];
  snprintf(command, sizeof command, "rm -rf %s", none);
  ck_assert_int_eq(system(command), 0);
}

static void open_plan(device_case *c, const char *text) {
  device_case_open(c, text);
  c->plan = fg_plan_create((fg_problem *)c->problem);
  ck_assert(c->plan && fg_plan_is_ours(c->plan));
  c->problem = fg_plan_problem(c->plan);
}

static void execute(device_case *c, int times) {
  for (int i = 0; i < times; i++) {
    device_case_execute(c);
    fg_background_wait();
  }
}

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
  device_case c;
  fg_calibration learned;
  const fg_calibration *const before = slow_host();
  fg_compiling_patience = _i ? 1000 : 0;
  open_plan(&c, TEST_WAITS);
  fg_background_wait();
  ck_assert_int_eq(fg_plan_state(c.plan), _i ? FG_STATE_DEVICE : FG_STATE_SWITCHED);
  ck_assert_uint_eq(fg_sim_count().compiles, 1);
  fg_learn_from(before, 0, &learned);
  ck_assert_double_eq_tol(learned.plan, before->plan * pow(8, 0.25), 1e-9); /* one sample, and at most eight times */
  device_case_close(&c);
}
END_TEST

/* Whether it has failed before the plan is made or after. */
START_TEST(a_failed_compilation_teaches_nothing) {
  fg_calibration learned;
  device_case c;
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
}
END_TEST

/* In place the kernels are the same. */
START_TEST(what_another_problem_has_compiled_is_not_waited_for_any_longer) {
  enum { UNTIL_ASKED = 13, COMPILING = 50 };
  device_case c, same;
  test_time(host_time, 1e-9);
  test_coefficients(start, COMPILING * host_time * 0.996);
  open_plan(&c, TEST_WAITS);
  open_plan(&same, "ic360*30");
  execute(&same, UNTIL_ASKED);
  ck_assert(fg_target_open());
  ck_assert_int_eq(fg_plan_state(same.plan), FG_STATE_WAITING);
  execute(&c, COMPILING);
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_SWITCHED);
  execute(&same, 1);
  ck_assert_int_eq(fg_plan_state(same.plan), FG_STATE_SWITCHED);
  ck_assert_uint_eq(fg_sim_count().compiles, 1);
  device_case_close(&same);
  device_case_close(&c);
}
END_TEST

int main(void) {
  test_choose_sim();
  unsetenv("FFTW3_GPU"); /* auto */
  unsetenv("FFTW3_GPU_SIM_ABORT");
  test_real_fftw();
  TCase *tc = tcase_create("compiling");
  tcase_add_checked_fixture(tc, begin, end);
  tcase_add_loop_test(tc, what_compiling_takes_is_learned, 0, 2);
  tcase_add_test(tc, a_failed_compilation_teaches_nothing);
  tcase_add_test(tc, what_another_problem_has_compiled_is_not_waited_for_any_longer);
  return test_run(tc, "compiling");
}
