/* test_verify.c: FFTW3_GPU_VERIFY reports the error of an execution, and replaces a result that is worse than it
 * allows.
 *
 * A good result is made to look bad by a tolerance below any rounding error. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda/sim/sim.h"
#include "device_case.h"
#include "numbers.h"
#include "on_sim.h"
#include "random_problem.h"
#include "real_fftw.h"
#include "src/plan/verify.h"
#include "suite.h"
#include "told.h"

static const char *const cases[] = {"oc360*3", "ocb48:3:2*2:150:-99", "/oc24x18", "ic100*2", "/ic77",
                                    "ic77:-3:-3*11:231:231",
                                    "ic33:50:1*50:1:33", "oc1009"};

/* ---- results ---- */

/* The real FFTW's answer on arrays of its own: verification runs it out of place, whatever the program does. */
static fg_wide *answer_out_of_place(const device_case *c) {
  fg_problem *p = fg_problem_copy(c->problem);
  test_arrays a;
  test_arrays_make(&a, p, false, false);
  dice d = {81}; /* as device_case fills its arrays */
  test_arrays_fill(&a, p, &d);
  test_real_fftw_execute(p, &a.at);
  fg_wide *answer = test_arrays_read(&a, p, FG_OUTPUT);
  test_arrays_free(&a);
  fg_problem_free(p);
  return answer;
}

static ptrdiff_t differences(const fg_wide *x, const fg_wide *y, ptrdiff_t elements) {
  ptrdiff_t count = 0;
  for (ptrdiff_t e = 0; e < elements; e++) count += x[e].re != y[e].re || x[e].im != y[e].im;
  return count;
}

/* A plan's one execution with that tolerance: in how many elements it differs from the real FFTW's answer. */
static ptrdiff_t verified(const char *text, const char *tolerance) {
  setenv("FFTW3_GPU_VERIFY", tolerance, 1);
  device_case c;
  device_case_open(&c, text);
  ((fg_problem *)c.problem)->flags |= FG_UNALIGNED; /* else FFTW rounds by how arrays are aligned, and these are copied */
  fg_problem *p = fg_problem_copy(c.problem);
  c.plan = fg_plan_create((fg_problem *)c.problem);
  ck_assert(c.plan && fg_plan_is_ours(c.plan));
  c.problem = p;
  test_log_clear();
  device_case_execute(&c);
  test_arrays_untouched(&c.arrays, p, false);
  fg_wide *got = test_arrays_read(&c.arrays, p, FG_OUTPUT), *want = answer_out_of_place(&c);
  const ptrdiff_t count = differences(got, want, fg_problem_elements(p, FG_OUTPUT));
  free(got);
  free(want);
  fg_problem_free(p);
  device_case_close(&c);
  return count;
}

START_TEST(a_result_beyond_the_tolerance_is_replaced) {
  ck_assert_int_eq(verified(cases[_i], "1e-12"), 0);
  ck_assert_int_eq(test_log_lines("error"), 1);
  ck_assert(test_log_says("verification: error "));
  ck_assert_int_eq(test_log_lines("warn"), 0);
}
END_TEST

START_TEST(a_result_within_the_tolerance_stays) {
  ck_assert_int_gt(verified(cases[_i / 2], _i % 2 ? "auto" : "1e-5"), 0);
  ck_assert_int_eq(test_log_lines("error") + test_log_lines("warn"), 0);
}
END_TEST

/* Each execution is verified in memory of its own, while a plan of the real FFTW holds for one distance between the
 * parts of a split array: that of the copies must not be taken for the program's, nor one copy's for the next. */
START_TEST(split_arrays_are_verified_time_and_again) {
  setenv("FFTW3_GPU_VERIFY", _i ? "1e-12" : "1e-5", 1);
  device_case c;
  device_case_open(&c, "/oc24x18");
  c.plan = fg_plan_create((fg_problem *)c.problem);
  c.problem = fg_plan_problem(c.plan);
  fg_wide *want = answer_out_of_place(&c);
  const int plans = test_real_fftw_plans();
  void *kept[12];
  for (int round = 0; round < TEST_COUNT(kept); round++) {
    kept[round] = malloc(5000 + 400 * (size_t)round); /* the copies will not get the same memory each time */
    fg_sim_set_faults(round % 3 == 2 ? "launch:1" : NULL);
    device_case_execute(&c);
    test_arrays_untouched(&c.arrays, c.problem, false);
    fg_wide *got = test_arrays_read(&c.arrays, c.problem, FG_OUTPUT);
    const bool by_host = _i || round % 3 == 2;
    ck_assert((differences(got, want, fg_problem_elements(c.problem, FG_OUTPUT)) == 0) == by_host);
    free(got);
  }
  for (int round = 0; round < TEST_COUNT(kept); round++) free(kept[round]);
  free(want);
  device_case_close(&c);
  ck_assert_int_eq(test_real_fftw_plans(), plans); /* one for each distance, and none is left */
}
END_TEST

/* What is meant by auto depends on the arithmetic, not on the arrays. */
START_TEST(the_tolerance_is_the_arithmetics) {
  setenv("FFTW3_GPU_VERIFY", "auto", 1);
  fg_problem *p = test_problem_of_numbers("oc64");
  p->compute = FG_SINGLE;
  ck_assert_double_eq(fg_verify_tolerance(p), 1e-5);
  p->compute = FG_DOUBLE;
  ck_assert_double_eq(fg_verify_tolerance(p), 1e-13);
  fg_problem_free(p);
}
END_TEST

START_TEST(a_result_that_is_no_number_is_replaced) {
  setenv("FFTW3_GPU_VERIFY", "0.5", 1);
  device_case c;
  device_case_open(&c, "oc64");
  c.plan = fg_plan_create((fg_problem *)c.problem);
  c.problem = fg_plan_problem(c.plan);
  ((test_number *)c.arrays.at.in_re)[5] = NAN;
  test_log_clear();
  fg_plan_execute(c.plan, NULL);
  ck_assert(isnan(((test_number *)c.arrays.at.out_re)[0]));
  ck_assert(test_log_says("verification: error nan, tolerance 0.5, of ocf64;"));
  device_case_close(&c);
}
END_TEST

/* Also where only the device's is none. */
START_TEST(no_number_is_not_left_where_there_is_one) {
  device_case c;
  device_case_open(&c, "oc64");
  c.plan = fg_plan_create((fg_problem *)c.problem);
  c.problem = fg_plan_problem(c.plan);
  fg_wide *want = answer_out_of_place(&c);
  fg_verify *verify = fg_verify_begin(c.problem, &c.arrays.at);
  ck_assert_ptr_nonnull(verify);
  for (int i = 0; i < 2 * 64; i++) ((test_number *)c.arrays.at.out_re)[i] = NAN;
  ck_assert(isnan(fg_verify_end(verify, c.plan, &c.arrays.at, 0.5)));
  fg_wide *got = test_arrays_read(&c.arrays, c.problem, FG_OUTPUT);
  ck_assert_int_eq(differences(got, want, 64), 0);
  free(got);
  free(want);
  device_case_close(&c);
}
END_TEST

/* Numbers whose squares are none of their precision, in which they are computed here: how far a result is off does not
 * depend on their size. */
START_TEST(numbers_of_any_size_are_verified) {
  const bool single = sizeof(test_number) == sizeof(float);
  const double size = _i / 2 ? (single ? 1e-30 : 1e-200) : single ? 1e30 : 1e200;
  setenv("FFTW3_GPU_VERIFY", _i % 2 ? "1e-5" : "1e-30", 1);
  device_case c;
  device_case_open(&c, "oc360");
  ((fg_problem *)c.problem)->compute = TEST_ARRAYS;
  c.plan = fg_plan_create((fg_problem *)c.problem);
  c.problem = fg_plan_problem(c.plan);
  for (int i = 0; i < 2 * 360; i++) ((test_number *)c.arrays.at.in_re)[i] *= (test_number)size;
  test_log_clear();
  fg_plan_execute(c.plan, NULL);
  ck_assert_int_eq(test_log_lines("error"), _i % 2 == 0);
  device_case_close(&c);
}
END_TEST

/* ---- the report ---- */

static char report[] = "/tmp/fftw3-gpu-test-report-XXXXXX";

/* Three executions, the last with a failing device, then the end of the process, which writes the report. */
static void execute_and_exit(void *argument) {
  device_case c;
  setenv("FFTW3_GPU_REPORT", report, 1);
  setenv("FFTW3_GPU_VERIFY", argument, 1);
  device_case_open(&c, "oc360*3");
  c.plan = fg_plan_create((fg_problem *)c.problem);
  device_case_execute(&c);
  device_case_execute(&c);
  fg_sim_set_faults("launch:1");
  device_case_execute(&c);
  exit(0);
}

/* The report's only row: the worst error; the expected fallbacks, and the reason of the first. */
static double reported_error(const char *tolerance, unsigned long expected, const char *why) {
  char line[2000], told[2000];
  unsigned long plans, executes, fallbacks;
  double error;
  ck_assert_int_eq(truncate(report, 0), 0);
  const int status = test_in_child(execute_and_exit, (void *)tolerance, told, sizeof told);
  ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s", told);
  FILE *f = fopen(report, "r");
  ck_assert(f && fgets(line, sizeof line, f) && fgets(line, sizeof line, f));
  fclose(f);
  ck_assert_msg(sscanf(line, "ocf360*3\tsim\t%*[^\t]\t%lu\t%lu\t%lu\t%*f\t%*f\t%lf\t", &plans, &executes, &fallbacks,
                       &error) == 4, "%s", line);
  ck_assert(plans == 1 && executes == 3 && fallbacks == expected);
  ck_assert_msg(strstr(line, why) != NULL, "%s", line);
  return error;
}

START_TEST(the_report_has_the_worst_error) {
  const int file = mkstemp(report);
  ck_assert_int_ge(file, 0);
  close(file);
  const double within = reported_error("1e-5", 1, "\tforced; fallback: sim: ");
  const double beyond = reported_error("1e-12", 3, "\tforced; fallback: verification\t");
  unlink(report);
  ck_assert(within > 1e-8 && within < 1e-6);
  ck_assert_double_eq(within, beyond); /* what is replaced is reported too */
}
END_TEST

int main(void) {
  test_choose_sim();
  unsetenv("FFTW3_GPU_SIM_ABORT");
  test_log_to_file();
  test_real_fftw();
  TCase *tc = tcase_create("verify");
  tcase_set_timeout(tc, 60);
  tcase_add_loop_test(tc, a_result_beyond_the_tolerance_is_replaced, 0, TEST_COUNT(cases));
  tcase_add_loop_test(tc, a_result_within_the_tolerance_stays, 0, 2 * TEST_COUNT(cases));
  tcase_add_loop_test(tc, split_arrays_are_verified_time_and_again, 0, 2);
  tcase_add_test(tc, the_tolerance_is_the_arithmetics);
  tcase_add_test(tc, a_result_that_is_no_number_is_replaced);
  tcase_add_test(tc, no_number_is_not_left_where_there_is_one);
  tcase_add_loop_test(tc, numbers_of_any_size_are_verified, 0, 4);
  tcase_add_test(tc, the_report_has_the_worst_error);
  const int status = test_run(tc, "verify");
  test_log_remove();
  return status;
}
