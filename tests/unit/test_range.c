/* test_range.c: doubles that are computed in single precision: what that does not hold is the real FFTW's, execution by
 * execution, and what it does hold is the device's. */
#include <check.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device_case.h"
#include "homes.h"
#include "numbers.h"
#include "on_sim.h"
#include "real_fftw.h"
#include "src/plan/handle.h"
#include "src/run/host/pipeline.h"
#include "src/run/host/schedule.h"
#include "src/run/range.h"
#include "suite.h"
#include "told.h"

/* ---- what they may be ---- */

static fg_range range_of(const char *text, enum fg_table_kind filter) {
  fg_problem *p = test_problem_of_numbers(text);
  fg_passes *passes = calloc(1, sizeof *passes);
  passes->count = 2;
  passes->pass[1].filter.kind = filter;
  const fg_range r = fg_range_of(p, passes);
  free(passes);
  fg_problem_free(p);
  return r;
}

/* A sum of all numbers stays finite, and with room to the other side. */
START_TEST(sums_stay_within_single_precision) {
  static const struct {
    const char *text;
    double terms;
  } cases[] = {{"ocf1024", 1024}, {"ocf1024*1000", 1024}, {"icb16x32x64", 32768}, {"orf100", 100},
               {"ok10e00*3", 22}, {"ok5o11x7e00", 192}};
  for (int i = 0; i < TEST_COUNT(cases); i++) {
    const fg_range plain = range_of(cases[i].text, FG_TABLE_NONE), convolved = range_of(cases[i].text, FG_TABLE_FILTER);
    ck_assert(fabs(plain.most * cases[i].terms * 4 / FLT_MAX - 1) < 1e-15);
    ck_assert(convolved.most * cases[i].terms * cases[i].terms * 16 <= FLT_MAX * (1 + DBL_EPSILON));
    ck_assert(plain.least >= FLT_MIN / FLT_EPSILON * sqrt(cases[i].terms) && plain.least < plain.most * 1e-30);
    ck_assert(fg_range_reached(&plain, plain.least) && !fg_range_reached(&plain, plain.least / 2));
    ck_assert(fg_range_reached(&plain, 0));
    ck_assert(fg_range_kept(&plain, plain.most) && !fg_range_kept(&plain, plain.most * 2));
    ck_assert(!fg_range_kept(&plain, INFINITY));
  }
}
END_TEST

START_TEST(what_is_not_narrowed_may_be_anything) {
  fg_problem *p = test_problem("ocf64", FG_DOUBLE);
  const fg_passes *none = calloc(1, sizeof *none);
  p->compute = FG_DOUBLE;
  const fg_range r = fg_range_of(p, none);
  ck_assert(fg_range_kept(&r, DBL_MAX) && fg_range_kept(&r, INFINITY) && fg_range_reached(&r, DBL_MIN));
  free((void *)none);
  fg_problem_free(p);
}
END_TEST

/* ---- executions on arrays of the host ---- */

/* Short; in pieces, in a batch and not; split; in place; with gaps; convolved. */
static const char *const cases[] = {"oc64*3", "ic64*40", "/oc36*12", "/ic16x8*7", "ic24x24x12", "oc12:3:2*5:50:40",
                                    "icb8:2*11:20", "oc1009"};

static size_t numbers_in(const device_case *c) { return c->arrays.block[0].bytes / sizeof(test_number); }

/* What executions will begin with: the first plane of the input, gaps and all, changed. */
static test_number *content(const device_case *c) { return (test_number *)c->arrays.before[0]; }

static void scale(device_case *c, double by) {
  for (int b = 0; b < (c->problem->format == FG_SPLIT ? 2 : 1); b++)
    for (size_t i = 0; i < c->arrays.block[b].bytes / sizeof(test_number); i++)
      ((test_number *)c->arrays.before[b])[i] *= by;
}

/* An element that is the transforms', which the first one is in all of the cases. */
static void put_first(device_case *c, double x) {
  memcpy(c->arrays.before[0] + ((char *)c->arrays.at.in_re - c->arrays.block[0].memory), &x, sizeof x);
}

/* The largest difference from real FFTW's answer on the same input, against its largest number. */
static double error_of(device_case *c) {
  double off = 0, peak = 0;
  device_case_execute(c);
  fg_wide *const ours = test_arrays_read(&c->arrays, c->problem, FG_OUTPUT);
  test_arrays_refill(&c->arrays);
  test_real_fftw_execute(c->problem, &c->arrays.at);
  fg_wide *const theirs = test_arrays_read(&c->arrays, c->problem, FG_OUTPUT);
  for (ptrdiff_t i = 0; i < fg_problem_elements(c->problem, FG_OUTPUT); i++) {
    const double re = fabs((double)(ours[i].re - theirs[i].re)), im = fabs((double)(ours[i].im - theirs[i].im));
    if (!(re <= off)) off = re;
    if (!(im <= off)) off = im;
    peak = fmax(peak, fmax(fabs((double)theirs[i].re), fabs((double)theirs[i].im)));
  }
  free(ours);
  free(theirs);
  return peak > 0 ? off / peak : off;
}

static void open_case(device_case *c, const char *text, bool in_pieces) {
  if (in_pieces) {
    fg_schedule_pieces = 5;
    fg_pipeline_mapped = 0;
    fg_pipeline_piece = 1000;
    fg_pipeline_part = 300;
  }
  device_case_open(c, text);
  device_case_plan(c);
  test_log_clear();
}

/* The numbers of an execution are the real FFTW's, and if it is the plan's first such the log has a line about it. */
static void check_hosts(device_case *c, const char *what, const char *said) {
  const int before = test_real_fftw_executions();
  const bool first = fg_plan_facts_of(c->plan).by_host == 0;
  test_log_clear();
  const double error = error_of(c);
  ck_assert_msg(error < 1e-13, "%s: error %g", what, error);
  ck_assert_int_eq(test_real_fftw_executions(), before + 2);
  ck_assert_int_eq(test_log_lines("warn"), first);
  ck_assert_msg(!first || test_log_says(said), "%s: the log does not say '%s'", what, said);
  ck_assert_ptr_nonnull(strstr(fg_backend_message(), said));
}

static void check_devices(device_case *c, const char *what) {
  const int before = test_real_fftw_executions();
  const double error = error_of(c);
  ck_assert_msg(error < 1e-6, "%s: error %g", what, error);
  ck_assert_int_eq(test_real_fftw_executions(), before + 1);
  ck_assert_int_eq(test_log_lines("warn"), 0);
}

static const char *text_of(int i) { return cases[i % TEST_COUNT(cases)]; }
static bool in_pieces(int i) { return i >= TEST_COUNT(cases); }

START_TEST(too_large_a_number_is_the_hosts) {
  device_case c;
  open_case(&c, text_of(_i), in_pieces(_i));
  put_first(&c, 1e39);
  check_hosts(&c, "one number", "too large");
  put_first(&c, -DBL_MAX / 1e10);
  check_hosts(&c, "one large number", "too large");
  put_first(&c, INFINITY);
  device_case_execute(&c);
  ck_assert_ptr_nonnull(strstr(fg_backend_message(), "too large"));
  put_first(&c, 0);
  scale(&c, 0x1p127);
  check_hosts(&c, "numbers whose sums are too large", "too large");
  device_case_close(&c);
}
END_TEST

START_TEST(numbers_all_too_small_are_the_hosts) {
  device_case c;
  open_case(&c, text_of(_i), in_pieces(_i));
  scale(&c, 0x1p-130);
  check_hosts(&c, "below FLT_MIN", "too small");
  scale(&c, 0x1p-500);
  check_hosts(&c, "far below", "too small");
  scale(&c, 0x1p+520);
  check_hosts(&c, "too little above", "too small");
  scale(&c, 0x1p-930);
  check_hosts(&c, "below DBL_MIN", "too small");
  device_case_close(&c);
}
END_TEST

/* Also where some are 0 in single precision and beside them others are not. */
START_TEST(what_single_precision_holds_is_the_devices) {
  device_case c;
  open_case(&c, text_of(_i), in_pieces(_i));
  const size_t count = numbers_in(&c);
  scale(&c, 0x1p60);
  check_devices(&c, "large");
  scale(&c, 0x1p-125);
  check_devices(&c, "small");
  for (size_t i = count / 8; i < count; i++) content(&c)[i] *= exp(-700.0 * (double)i / (double)count);
  check_devices(&c, "with a tail that is 0");
  put_first(&c, NAN);
  device_case_execute(&c);
  ck_assert_int_eq(test_log_lines("warn"), 0);
  scale(&c, 0);
  put_first(&c, 0);
  for (size_t i = 0; i < count; i++)
    if (!(content(&c)[i] == 0)) content(&c)[i] = 0;
  check_devices(&c, "nothing but 0");
  device_case_close(&c);
}
END_TEST

/* Each execution for itself: the next one is the device's again. */
START_TEST(a_plan_comes_back) {
  device_case c;
  open_case(&c, "oc64*3", false);
  scale(&c, 0x1p140);
  check_hosts(&c, "large", "too large");
  scale(&c, 0x1p-140);
  test_log_clear();
  check_devices(&c, "as before");
  ck_assert_uint_eq(fg_plan_facts_of(c.plan).by_host, 1);
  device_case_close(&c);
}
END_TEST

/* Where the device is not forced: the third such execution in a row is not tried, then two, four and so on; what is tried
 * says so in the log's debug lines and the message. And the numbers are as good as ever. */
START_TEST(what_goes_on_out_of_range_is_seldom_tried) {
  device_case c;
  int tried = 0;
  bool at[300];
  open_case(&c, text_of(_i), false);
  c.plan->pauses = true;
  scale(&c, 0x1p140);
  for (int i = 1; i < 300; i++) {
    fg_backend_fail(FG_ENOMEM, "nothing yet");
    device_case_execute(&c);
    at[i] = fg_backend_code() == FG_ERANGE;
    tried += at[i];
  }
  static const int want[] = {1, 2, 4, 7, 12, 21, 38, 71, 136, 201, 266};
  ck_assert_int_eq(tried, TEST_COUNT(want));
  for (int i = 0; i < TEST_COUNT(want); i++) ck_assert_msg(at[want[i]], "execution %d", want[i]);
  ck_assert_uint_eq(fg_plan_facts_of(c.plan).by_host, 299);
  ck_assert(error_of(&c) < 1e-13);
  scale(&c, 0x1p-140);
  const unsigned long before = fg_plan_facts_of(c.plan).by_host;
  for (int i = 301; i < 400; i++) device_case_execute(&c);
  ck_assert_uint_eq(fg_plan_facts_of(c.plan).by_host - before, 330 - 300);
  test_log_clear();
  check_devices(&c, "as before");
  device_case_close(&c);
}
END_TEST

/* Executions that were begun before the last failure was known are no further one; those before the end of a pause that
 * they did not see neither; and what was in range begins anew. */
START_TEST(failures_at_the_same_time_are_one) {
  fg_pause p = {0};
  for (unsigned long n = 1; n <= 8; n++) fg_pause_out_of_range(&p, n, 8);
  ck_assert(fg_pause_holds(&p, 8) && !fg_pause_holds(&p, 9));
  for (unsigned long n = 9; n <= 16; n++) fg_pause_out_of_range(&p, n, 16);
  ck_assert(fg_pause_holds(&p, 17) && !fg_pause_holds(&p, 18));
  fg_pause_out_of_range(&p, 18, 18);
  ck_assert(fg_pause_holds(&p, 20) && !fg_pause_holds(&p, 21));
  fg_pause_out_of_range(&p, 3, 30);
  ck_assert(!fg_pause_holds(&p, 21));
  fg_pause_in_range(&p);
  fg_pause_out_of_range(&p, 21, 21);
  ck_assert(!fg_pause_holds(&p, 22));
}
END_TEST

/* Where a plan stays where it was made, or is forced to, each execution is tried. */
START_TEST(only_plans_that_may_move_pause) {
  static const char *const modes[] = {"auto", "steady", "force"};
  static const enum fg_mode means[] = {FG_MODE_AUTO, FG_MODE_STEADY, FG_MODE_FORCE};
  setenv("FFTW3_GPU", modes[_i], 1);
  setenv("FFTW3_GPU_REPORT", "/dev/null", 1); /* with a report all plans are ours */
  device_case c;
  device_case_open(&c, "oc64*3");
  c.plan = fg_plan_create((fg_problem *)c.problem);
  ck_assert_int_eq(fg_settings_get()->mode, means[_i]); /* nobody had asked before */
  ck_assert(c.plan && fg_plan_is_ours(c.plan));
  c.problem = fg_plan_problem(c.plan);
  ck_assert_int_eq(c.plan->pauses, _i == 0);
  device_case_close(&c);
}
END_TEST

/* ---- one array on the device ---- */

START_TEST(on_the_way_to_the_device_too) {
  fg_problem *p = test_problem_of_numbers("ocf64*10");
  homes h = homes_of(p, HEAP, DEVICE, false);
  fg_plan *plan = fg_plan_create(fg_problem_copy(p));
  const double by[] = {0x1p-140, 0x1p140, 1};
  ck_assert(plan && fg_plan_is_ours(plan));
  for (int k = 0; k < 3; k++) {
    const int before = test_real_fftw_executions();
    homes_refill(&h);
    for (size_t i = 0; i < h.block[0].bytes / sizeof(test_number); i++) ((test_number *)h.block[0].memory)[i] *= by[k];
    fg_plan_execute(plan, NULL);
    ck_assert_int_eq(test_real_fftw_executions() - before, k < 2);
    const double allowed = k < 2 ? 1e-12 : 1e-4;
    for (size_t i = 0; i < h.block[1].bytes / sizeof(test_number); i++)
      ck_assert(fabs(((test_number *)h.block[1].memory)[i] / by[k] - ((test_number *)h.right[1])[i]) < allowed);
  }
  fg_plan_destroy(plan);
  homes_free(&h);
  fg_problem_free(p);
}
END_TEST

int main(void) {
  device_case_begin();
  TCase *tc = tcase_create("range");
  tcase_add_test(tc, sums_stay_within_single_precision);
  tcase_add_test(tc, what_is_not_narrowed_may_be_anything);
  tcase_add_loop_test(tc, too_large_a_number_is_the_hosts, 0, 2 * TEST_COUNT(cases));
  tcase_add_loop_test(tc, numbers_all_too_small_are_the_hosts, 0, 2 * TEST_COUNT(cases));
  tcase_add_loop_test(tc, what_single_precision_holds_is_the_devices, 0, 2 * TEST_COUNT(cases));
  tcase_add_test(tc, a_plan_comes_back);
  tcase_add_loop_test(tc, what_goes_on_out_of_range_is_seldom_tried, 0, TEST_COUNT(cases));
  tcase_add_test(tc, failures_at_the_same_time_are_one);
  tcase_add_loop_test(tc, only_plans_that_may_move_pause, 0, 3);
  tcase_add_test(tc, on_the_way_to_the_device_too);
  return device_case_end(tc, "range");
}
