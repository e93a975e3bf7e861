/* test_measure.c: FFTW_MEASURE times both sides and keeps the faster, by a clock that only executions move. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/sim/sim.h"
#include "device_case.h"
#include "on_sim.h"
#include "random_problem.h"
#include "real_fftw.h"
#include "src/plan/handle.h"
#include "src/plan/measure.h"
#include "src/plan/route.h"
#include "src/plan/wisdom.h"
#include "src/run/arena/arena.h"
#include "suite.h"
#include "told.h"
#include "told_time.h"

/* What planning text made, with the arrays filled before: a handle of ours, or NULL for the real FFTW's own plan. */
typedef struct {
  test_arrays arrays;
  fg_problem *problem;
  void *plan;
} subject;

static subject plan(const char *text, unsigned flags) {
  subject s = {.problem = test_problem(text, FG_SINGLE)};
  dice d = {5};
  test_arrays_make(&s.arrays, s.problem, s.problem->arrays.in_re == s.problem->arrays.out_re, false);
  test_arrays_fill(&s.arrays, s.problem, &d);
  s.problem->flags = flags;
  s.plan = fg_plan_create(fg_problem_copy(s.problem));
  return s;
}

static bool on_device(const subject *s) {
  return s->plan && fg_plan_is_ours(s->plan) && fg_plan_state(s->plan) == FG_STATE_DEVICE;
}

static bool on_host(const subject *s) { return s->plan && !fg_plan_is_ours(s->plan); }

static bool waits(const subject *s) {
  return s->plan && fg_plan_is_ours(s->plan) && fg_plan_state(s->plan) == FG_STATE_WAITING;
}

static void stop(subject *s) {
  if (s->plan && fg_plan_is_ours(s->plan)) fg_plan_destroy(s->plan);
  else if (s->plan) fg_host_of(FG_SINGLE)->destroy(s->plan);
  test_arrays_free(&s->arrays);
  fg_problem_free(s->problem);
}

/* Both sides within the model's error, a device that is open. */
static void undecided(double host, double launch) {
  fg_calibration *c = (fg_calibration *)test_coefficients(1e-3, 1e-6);
  c->overhead = 100e-6;
  test_time(host, launch);
  test_target();
}

START_TEST(the_faster_side_is_kept) {
  undecided(1e-3, _i ? 2e-3 : 0.5e-3);
  subject s = plan(TEST_WAITS, FG_MEASURE);
  ck_assert(_i ? on_host(&s) : on_device(&s));
  ck_assert_uint_ge(fg_sim_count().launches, 3);
  fg_finding found;
  ck_assert(fg_wisdom_find(s.problem, FG_MEMORY_FOREIGN, &found));
  ck_assert_int_eq(found.device, !_i);
  ck_assert(found.host > 0.99e-3 && found.host < 1.01e-3);
  ck_assert(found.gpu > (_i ? 1.99e-3 : 0.49e-3) && found.gpu < (_i ? 2.01e-3 : 0.51e-3));
  stop(&s);
}
END_TEST

static const char *const layouts[] = {"ic360*30", "/oc360*30", "/ic360*30", "oc360:3:2*30", "oc12x30v30"};

START_TEST(any_layout_can_be_measured) {
  undecided(1e-3, 1e-6);
  subject s = plan(layouts[_i], FG_PATIENT);
  fg_finding found;
  ck_assert(on_device(&s));
  ck_assert(fg_wisdom_find(s.problem, FG_MEMORY_FOREIGN, &found));
  stop(&s);
}
END_TEST

/* Whatever is measured, the program's arrays are the real FFTW's to overwrite, and only without its wisdom. */
START_TEST(with_wisdom_the_programs_arrays_are_not_written) {
  undecided(1e-3, 1e-6);
  subject first = plan(TEST_WAITS, FG_MEASURE);
  stop(&first);
  fg_wisdom_forget(FG_SINGLE); /* ours alone: it is measured again */
  const size_t launches = fg_sim_count().launches;
  subject s = plan(TEST_WAITS, FG_MEASURE);
  ck_assert_uint_gt(fg_sim_count().launches, launches);
  test_arrays_untouched(&s.arrays, s.problem, true);
  stop(&s);
}
END_TEST

START_TEST(what_was_measured_is_not_measured_again) {
  undecided(1e-3, _i ? 2e-3 : 0.5e-3);
  subject first = plan(TEST_WAITS, FG_MEASURE);
  stop(&first);
  char *text = fg_wisdom_export(FG_SINGLE);
  fg_wisdom_forget(FG_SINGLE);
  ck_assert(fg_wisdom_import(FG_SINGLE, text));
  char *again = fg_wisdom_export(FG_SINGLE);
  ck_assert_uint_eq(strlen(text), strlen(again)); /* in any order */
  const size_t launches = fg_sim_count().launches;
  const int executions = test_real_fftw_executions();
  subject s = plan(TEST_WAITS, FG_MEASURE), estimated = plan(TEST_WAITS, FG_ESTIMATE);
  ck_assert(_i ? on_host(&s) && on_host(&estimated) : on_device(&s) && on_device(&estimated));
  ck_assert_uint_eq(fg_sim_count().launches, launches);
  ck_assert_int_eq(test_real_fftw_executions(), executions);
  stop(&s);
  stop(&estimated);
  free(text);
  free(again);
}
END_TEST

START_TEST(without_time_nothing_is_measured) {
  undecided(1e-3, 0.5e-3);
  fg_measure_limit(FG_SINGLE, 0);
  subject s = plan(TEST_WAITS, FG_MEASURE);
  ck_assert(waits(&s));
  ck_assert_uint_eq(fg_sim_count().launches, 0);
  stop(&s);
  fg_measure_limit(FG_SINGLE, -1);
  s = plan(TEST_WAITS, FG_MEASURE);
  ck_assert(on_device(&s));
  stop(&s);
}
END_TEST

/* Where the device would have to be opened for it and a hundred executions would not pay, the measured plan waits. */
START_TEST(the_device_is_not_opened_just_to_measure) {
  test_coefficients(1, 0.1);
  test_time(1e-3, 1e-6);
  subject s = plan(TEST_WAITS, FG_MEASURE);
  ck_assert(waits(&s));
  ck_assert(!fg_target_open());
  stop(&s);
}
END_TEST

/* Nor where they would pay, but there is no time for it. */
START_TEST(it_is_not_opened_without_time_to_measure) {
  fg_calibration *c = (fg_calibration *)test_coefficients(1e-3, 1e-3);
  c->overhead = 100e-6;
  test_time(1e-3, 1e-6);
  fg_measure_limit(FG_SINGLE, 0);
  subject s = plan(TEST_WAITS, FG_MEASURE);
  ck_assert(waits(&s));
  ck_assert(!fg_target_open());
  stop(&s);
}
END_TEST

START_TEST(it_is_opened_where_a_hundred_executions_pay) {
  fg_calibration *c = (fg_calibration *)test_coefficients(1e-3, 1e-3);
  c->overhead = 100e-6;
  test_time(1e-3, 1e-6);
  subject s = plan(TEST_WAITS, FG_MEASURE);
  ck_assert(fg_target_open());
  ck_assert(on_device(&s));
  stop(&s);
}
END_TEST

START_TEST(a_clear_case_is_not_measured) {
  fg_calibration *c = (fg_calibration *)test_coefficients(1e-3, 1e-6);
  test_time(1e-3, 0.5e-3);
  test_target();
  c->overhead = _i ? 10e-3 : 1e-6;
  subject s = plan(TEST_WAITS, FG_MEASURE);
  ck_assert(_i ? on_host(&s) : on_device(&s));
  ck_assert_uint_eq(fg_sim_count().launches, 0);
  stop(&s);
}
END_TEST

/* What is decided by what FFTW's threads cost is not undone by what one of them would take. */
START_TEST(the_device_is_taken_by_the_same_estimate_throughout) {
  fg_calibration *c = (fg_calibration *)test_coefficients(1e-3, 1e-6);
  test_target();
  c->overhead = 10e-3;
  c->thread_seconds = 10e-3;
  fg_problem *p = test_problem(TEST_WAITS, FG_SINGLE);
  p->flags = FG_MEASURE;
  p->threads = 16;
  ck_assert(fg_model_host_seconds(c, p) < 1e-3);
  const fg_route r = fg_route_look(p);
  ck_assert(r.way == FG_ROUTE_GPU && r.host > 0.1);
  const fg_forecast forecast = {.seconds = 1e-6, .kept = true};
  ck_assert_ptr_null(fg_route_objection(&r, p, &forecast));
  c->overhead = 1;
  ck_assert_ptr_nonnull(fg_route_objection(&r, p, &forecast));
  fg_route known = r;
  known.measured = true;
  ck_assert_ptr_null(fg_route_objection(&known, p, &forecast)); /* of what was measured no estimate says anything */
  c->overhead = 10e-3;
  void *plan = fg_plan_create(p);
  ck_assert(plan && fg_plan_is_ours(plan) && fg_plan_state(plan) == FG_STATE_DEVICE);
  fg_plan_destroy(plan);
}
END_TEST

START_TEST(a_device_that_fails_leaves_the_measured_plan) {
  static const char *const failures[] = {"compile:1+", "launch:1+", "alloc:1+", "copy:2+"};
  undecided(1e-3, 0.5e-3);
  fg_sim_set_faults(failures[_i]);
  subject s = plan(TEST_WAITS, FG_MEASURE);
  ck_assert(waits(&s));
  fg_sim_set_faults("");
  stop(&s);
}
END_TEST

static fg_host watched;
static const fg_host *behind;
static uintptr_t in_at, out_at;

static void execute_and_note(fg_host_plan plan, const fg_problem *p, const fg_arrays *a) {
  in_at = (uintptr_t)a->in_re % 64;
  out_at = (uintptr_t)a->out_re % 64;
  behind->execute(plan, p, a);
}

/* FFTW's plan is for arrays that are aligned so. */
START_TEST(scratch_lies_as_the_programs_arrays) {
  undecided(1e-3, 0.5e-3);
  behind = fg_host_of(FG_SINGLE);
  watched = *behind;
  watched.execute = execute_and_note;
  fg_host_register(FG_SINGLE, &watched);
  const size_t bytes = 360 * 30 * 2 * sizeof(float);
  char *const x = aligned_alloc(64, bytes + 64), *const y = aligned_alloc(64, bytes + 64);
  ck_assert(x && y);
  fg_problem *const p = test_problem(TEST_WAITS, FG_SINGLE);
  p->arrays = (fg_arrays){x + 24, x + 28, y + 40, y + 44};
  p->flags = FG_MEASURE;
  in_at = out_at = 1;
  fg_plan *const plan = fg_plan_create(p);
  ck_assert(plan && fg_plan_is_ours(plan));
  ck_assert_uint_eq(in_at, 24);
  ck_assert_uint_eq(out_at, 40);
  fg_plan_destroy(plan);
  free(x);
  free(y);
}
END_TEST

/* Neither a program that lost nor scratch, which is pinned where the program's arrays are. */
START_TEST(nothing_is_left_of_measuring) {
  undecided(1e-3, 2e-3);
  const size_t bytes = 360 * 30 * 2 * sizeof(float);
  char *const x = fg_arena_alloc(bytes), *const y = fg_arena_alloc(bytes);
  ck_assert(x && y);
  fg_problem *const p = test_problem(TEST_WAITS, FG_SINGLE);
  p->arrays = (fg_arrays){x, x + 4, y, y + 4};
  p->flags = FG_MEASURE;
  void *const plan = fg_plan_create(p);
  ck_assert(plan && !fg_plan_is_ours(plan));
  ck_assert_uint_ge(fg_sim_count().launches, 3);
  fg_host_of(FG_SINGLE)->destroy(plan);
  fg_plan_cleanup();
  ck_assert_uint_eq(fg_sim_count().allocations, 0);
  ck_assert_uint_eq(fg_sim_count().registered, 0);
}
END_TEST

static void begin(void) {
  fg_wisdom_forget(FG_SINGLE);
  test_log_clear();
}

int main(void) {
  test_choose_sim();
  unsetenv("FFTW3_GPU"); /* auto */
  unsetenv("FFTW3_GPU_SIM_ABORT");
  test_log_to_file();
  test_real_fftw();
  TCase *tc = tcase_create("measure");
  tcase_set_timeout(tc, 120);
  tcase_add_checked_fixture(tc, begin, NULL);
  tcase_add_loop_test(tc, the_faster_side_is_kept, 0, 2);
  tcase_add_loop_test(tc, any_layout_can_be_measured, 0, TEST_COUNT(layouts));
  tcase_add_test(tc, with_wisdom_the_programs_arrays_are_not_written);
  tcase_add_loop_test(tc, what_was_measured_is_not_measured_again, 0, 2);
  tcase_add_test(tc, without_time_nothing_is_measured);
  tcase_add_test(tc, the_device_is_not_opened_just_to_measure);
  tcase_add_test(tc, it_is_not_opened_without_time_to_measure);
  tcase_add_test(tc, it_is_opened_where_a_hundred_executions_pay);
  tcase_add_test(tc, the_device_is_taken_by_the_same_estimate_throughout);
  tcase_add_loop_test(tc, a_clear_case_is_not_measured, 0, 2);
  tcase_add_loop_test(tc, a_device_that_fails_leaves_the_measured_plan, 0, 4);
  tcase_add_test(tc, scratch_lies_as_the_programs_arrays);
  tcase_add_test(tc, nothing_is_left_of_measuring);
  const int status = test_run(tc, "measure");
  test_log_remove();
  return status;
}
