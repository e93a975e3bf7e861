/* test_crowd.c: plans that are executed by many at once: shared, copied, destroyed while they switch, and on a crowded device.  Run
 * under ThreadSanitizer too. */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "cuda/sim/sim.h"
#include "random_problem.h"
#include "real_fftw.h"
#include "src/cost/crowd.h"
#include "src/plan/background.h"
#include "src/plan/handle.h"
#include "src/plan/wisdom.h"
#include "src/run/arena/arena.h"
#include "src/run/ending.h"
#include "suite.h"
#include "told.h"
#include "waiting_case.h"

/* A plan that is on the device at once, by what was found for one before, and others at work there. */
static void crowded_open(device_case *c, int others) {
  waiting_open(c, TEST_WAITS);
  ck_assert_int_eq(fg_plan_state(c->plan), FG_STATE_DEVICE);
  for (int i = 0; i < others; i++) fg_crowd_enter();
}

/* What the host does in a millisecond is not worth waiting for three others that take half of that each. */
START_TEST(an_execution_too_many_for_the_device_is_the_hosts) {
  enum { OTHERS = 3 };
  device_case c;
  test_time(waiting_host_time, 0.6 * waiting_host_time);
  waiting_open(&c, TEST_WAITS);
  for (int i = 0; i < OTHERS; i++) fg_crowd_enter(); /* before both times are known they change nothing */
  waiting_execute(&c, UNTIL_SWITCH + 1);
  const int on_host = test_real_fftw_executions();
  for (int i = 0; i < OTHERS; i++) fg_crowd_leave(1);
  waiting_execute(&c, TRIALS);
  ck_assert_int_eq(test_real_fftw_executions(), on_host);
  for (int i = 0; i < OTHERS; i++) fg_crowd_enter();
  waiting_execute(&c, 2);
  ck_assert_int_eq(test_real_fftw_executions(), on_host + 2);
  for (int i = 0; i < OTHERS; i++) fg_crowd_leave(1);
  waiting_execute(&c, 1);
  ck_assert_int_eq(test_real_fftw_executions(), on_host + 2);
  device_case_close(&c);
  crowded_open(&c, OTHERS);
  const int before = test_real_fftw_executions();
  waiting_execute(&c, 1);
  ck_assert_int_eq(test_real_fftw_executions(), before + 1);
  device_case_close(&c);
}
END_TEST

/* A second one goes where it is done sooner, further ones only where it is done twice as soon. */
START_TEST(two_are_enough_for_the_device) {
  ck_assert(!fg_crowd_is_full(1, 100));
  fg_crowd_enter();
  ck_assert(!fg_crowd_is_full(1, 0.8));
  ck_assert(fg_crowd_is_full(1, 0.9));
  ck_assert(!fg_crowd_is_full(0, 0.9) && !fg_crowd_is_full(1, 0));
  fg_crowd_enter();
  ck_assert(!fg_crowd_is_full(1, 0.28));
  ck_assert(fg_crowd_is_full(1, 0.29));
  for (int i = 3; i < 16; i++) fg_crowd_enter();
  ck_assert(!fg_crowd_is_full(1, 0.053));
  ck_assert(fg_crowd_is_full(1, 0.054));
}
END_TEST

/* Who comes while another is there takes of its time, too. */
START_TEST(an_execution_is_stretched_by_who_was_there_at_its_ends) {
  const int first = fg_crowd_enter(), second = fg_crowd_enter(), third = fg_crowd_enter();
  ck_assert_int_eq(first, 1);
  ck_assert_int_eq(third, 3);
  ck_assert_double_eq_tol(fg_crowd_leave(first), 2 / 1.7, 1e-9);
  ck_assert_double_eq_tol(fg_crowd_leave(third), 2.5 / 1.7, 1e-9);
  ck_assert_double_eq_tol(fg_crowd_leave(second), 1, 1e-9);
}
END_TEST

static void enters_first(void *unused) {
  (void)unused;
  ck_assert_int_eq(fg_crowd_enter(), 1);
}

/* Executions of other threads are not in a child of fork. */
START_TEST(a_child_is_alone) {
  char told[500];
  fg_crowd_enter();
  fg_crowd_enter();
  const int status = test_in_child(enters_first, NULL, told, sizeof told);
  ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %d: %s", status, told);
  ck_assert_int_eq(fg_crowd_enter(), 3);
}
END_TEST

/* So what is learned of the device is what one execution alone would have taken; or, if that is less than the model hopes for, as
 * where the others still made their memory ready, that. */
START_TEST(what_others_made_longer_is_not_learned) {
  enum { OTHERS = 3 };
  device_case c;
  waiting_open(&c, TEST_WAITS);
  const double hoped = 0.8 * fg_model_gpu_seconds(fg_calibration_get(), c.problem, FG_MEMORY_FOREIGN, -1);
  const double alone = _i ? 0.6 * hoped : 1.1 * hoped, learned = fmax(alone, hoped);
  ck_assert_double_lt(learned, 0.5 * waiting_host_time);
  test_time(waiting_host_time, 4 / 1.7 * alone); /* as four together do 1.7 times as much as one */
  waiting_execute(&c, UNTIL_SWITCH);
  for (int i = 0; i < OTHERS; i++) fg_crowd_enter();
  waiting_execute(&c, TRIALS);
  ck_assert_double_eq_tol(fg_account_device_seconds(c.plan->account), learned, 1e-3 * learned);
  device_case_close(&c);
}
END_TEST

/* Who comes first among many, while they still make their memory ready, was hardly held up. */
START_TEST(nobody_is_faster_alone_than_the_model_hopes) {
  fg_problem *p = test_problem(TEST_WAITS, FG_SINGLE);
  const fg_account *a = fg_account_of(p, FG_MEMORY_OWN, 1e-3);
  ck_assert_double_eq_tol(fg_account_alone(a, 8e-3, 4), 2e-3, 1e-9);
  ck_assert_double_eq_tol(fg_account_alone(a, 3e-3, 4), 0.8e-3, 1e-9);
  ck_assert_double_eq_tol(fg_account_alone(a, 0.5e-3, 4), 0.5e-3, 1e-9); /* but who was */
  ck_assert_double_eq_tol(fg_account_alone(a, 0.5e-3, 1), 0.5e-3, 1e-9);
  fg_problem_free(p);
}
END_TEST

/* The times are those of a measured plan, and the real FFTW would have to make one for this execution. */
START_TEST(what_the_host_has_no_measured_plan_for_stays_on_a_crowded_device) {
  enum { OTHERS = 3 };
  device_case c;
  device_case_open(&c, TEST_WAITS);
  fg_problem *const p = (fg_problem *)c.problem;
  test_real_fftw_execute(p, &c.arrays.at);
  c.by_host = device_case_memory(&c);
  p->flags = FG_MEASURE;
  fg_wisdom_keep(p, FG_MEMORY_FOREIGN, &(fg_finding){true, waiting_host_time, 0.6 * waiting_host_time});
  c.plan = fg_plan_create(p);
  ck_assert(c.plan && fg_plan_is_ours(c.plan));
  c.problem = fg_plan_problem(c.plan);
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_DEVICE);
  for (int i = 0; i < OTHERS; i++) fg_crowd_enter();
  const int before = test_real_fftw_executions();
  waiting_execute(&c, 2);
  ck_assert_int_eq(test_real_fftw_executions(), before);
  device_case_close(&c);
}
END_TEST

static atomic_bool planner_is_idle;
static bool idle(void) { return atomic_load(&planner_is_idle); }

/* The plan was made on the device at once, and another thread may plan for minutes. */
START_TEST(a_crowded_device_does_not_send_an_execution_to_wait_for_a_planner) {
  enum { OTHERS = 3 };
  static fg_host with; /* registered beyond this test */
  device_case c;
  with = *fg_host_of(FG_SINGLE);
  with.idle = idle;
  fg_host_register(FG_SINGLE, &with);
  test_time(waiting_host_time, 0.6 * waiting_host_time);
  waiting_open(&c, TEST_WAITS);
  waiting_execute(&c, UNTIL_SWITCH + TRIALS);
  device_case_close(&c);
  crowded_open(&c, OTHERS);
  const int before = test_real_fftw_executions();
  waiting_execute(&c, 1);
  ck_assert_int_eq(test_real_fftw_executions(), before);
  atomic_store(&planner_is_idle, true);
  waiting_execute(&c, 1);
  ck_assert_int_eq(test_real_fftw_executions(), before + 1);
  ck_assert_uint_eq(test_real_fftw_flags(), FG_ESTIMATE); /* of aligned arrays, which takes half as long as one of any */
  atomic_store(&planner_is_idle, false); /* now it has a plan */
  waiting_execute(&c, 1);
  ck_assert_int_eq(test_real_fftw_executions(), before + 2);
  device_case_close(&c);
}
END_TEST

/* FFTW's manual wants the alignment of the plan, and FFTW minds only where its code does. */
START_TEST(arrays_of_another_alignment_are_planned_for_once) {
  enum { OTHER = 8, ROUNDS = 3 };
  const size_t bytes = 360 * 30 * 2 * sizeof(float);
  const int before = test_real_fftw_plans();
  char *const x = aligned_alloc(64, bytes + 64), *const y = aligned_alloc(64, bytes + 64);
  device_case c;
  ck_assert(x && y);
  memset(x, 0, bytes + 64);
  waiting_open(&c, TEST_WAITS);
  const fg_arrays moved = {x + OTHER, x + OTHER + sizeof(float), y + OTHER, y + OTHER + sizeof(float)};
  for (int i = 0; i < ROUNDS; i++) {
    fg_plan_execute(c.plan, &moved);
    ck_assert_int_eq(test_real_fftw_plans(), before + 2);
  }
  device_case_close(&c);
  ck_assert_int_eq(test_real_fftw_plans(), before);
  free(x);
  free(y);
}
END_TEST

static fg_plan *interrupted;
static const fg_host *behind;

/* Another thread makes one meanwhile: it is kept, and this one goes. */
static fg_host_plan plan_twice(const fg_problem *p, const fg_arrays *a, unsigned flags) {
  fg_plan *const plan = interrupted;
  interrupted = NULL;
  if (plan) fg_plan_fall_back(plan, a);
  return behind->plan(p, a, flags);
}

START_TEST(of_two_plans_that_threads_make_one_stays) {
  static fg_host with; /* registered beyond this test */
  device_case c;
  behind = fg_host_of(FG_SINGLE);
  with = *behind;
  with.plan = plan_twice;
  const int before = test_real_fftw_plans();
  setenv("FFTW3_GPU", "force", 1);
  device_case_open(&c, TEST_WAITS);
  device_case_plan(&c);
  fg_host_register(FG_SINGLE, &with);
  ck_assert_int_eq(test_real_fftw_plans(), before);
  interrupted = c.plan;
  test_arrays_refill(&c.arrays);
  ck_assert(fg_plan_fall_back(c.plan, &c.arrays.at));
  ck_assert_ptr_null(interrupted);
  ck_assert(waiting_is_right(&c));
  ck_assert_int_eq(test_real_fftw_plans(), before + 1);
  device_case_close(&c);
  ck_assert_int_eq(test_real_fftw_plans(), before);
}
END_TEST

START_TEST(a_copy_switches_with_its_plan_and_outlives_it) {
  device_case c;
  waiting_open(&c, TEST_WAITS);
  fg_plan *copy = fg_plan_copy(c.plan);
  for (int i = 0; i < UNTIL_SWITCH; i++) device_case_execute(&c);
  fg_plan_destroy(c.plan); /* the background may be at it */
  c.plan = copy;
  fg_background_wait();
  waiting_execute(&c, 2);
  ck_assert_int_eq(fg_plan_state(copy), FG_STATE_SWITCHED);
  device_case_close(&c);
}
END_TEST

/* The real FFTW's part of it is gone at once: the program may clean that up now, as there is no plan left that it knows of. */
START_TEST(a_plan_may_be_destroyed_while_it_switches) {
  char none[] = "/tmp/fftw3-gpu-test-cache-XXXXXX";
  const int before = test_real_fftw_plans();
  device_case c;
  waiting_empty_cache(none); /* so that it takes a while */
  waiting_open(&c, TEST_WAITS);
  for (int i = 0; i < UNTIL_SWITCH; i++) device_case_execute(&c);
  ck_assert_int_eq(test_real_fftw_plans(), before + 1);
  device_case_close(&c);
  ck_assert_int_eq(test_real_fftw_plans(), before);
  fg_plan_cleanup();
  fg_background_wait();
  fg_plan_cleanup();
  ck_assert_uint_eq(fg_sim_count().allocations, 0);
  waiting_remove_cache(none);
}
END_TEST

/* Then its arrays may be gone, too, and are not pinned. */
START_TEST(arrays_are_pinned_when_a_plan_switches_that_is_still_there) {
  char none[] = "/tmp/fftw3-gpu-test-cache-XXXXXX";
  const size_t bytes = 360 * 30 * 2 * sizeof(float);
  float *const x = fg_arena_alloc(bytes), *const y = fg_arena_alloc(bytes);
  ck_assert(x && y);
  memset(x, 0, bytes);
  waiting_empty_cache(none);
  fg_problem *const p = test_problem(TEST_WAITS, FG_SINGLE);
  p->flags = FG_ESTIMATE;
  p->arrays = (fg_arrays){x, x + 1, y, y + 1};
  fg_plan *const plan = fg_plan_create(p);
  ck_assert(plan && fg_plan_is_ours(plan) && fg_plan_state(plan) == FG_STATE_WAITING);
  for (int i = 0; i < UNTIL_SWITCH; i++) fg_plan_execute(plan, NULL);
  if (_i) fg_plan_destroy(plan);
  fg_background_wait();
  ck_assert_uint_eq(fg_sim_count().registered, _i ? 0 : 2);
  if (!_i) fg_plan_destroy(plan);
  waiting_remove_cache(none);
}
END_TEST

/* Nobody but the program has the plan then, and nobody asks again. */
START_TEST(a_plan_is_its_owners_alone_where_the_process_ends) {
  device_case c;
  waiting_open(&c, TEST_WAITS);
  fg_ending_begin();
  waiting_execute(&c, UNTIL_SWITCH);
  ck_assert_int_eq(atomic_load(&c.plan->references), 1);
  ck_assert(atomic_load(&c.plan->queued));
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_WAITING);
  device_case_close(&c);
}
END_TEST

#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
/* Another execution asks again. */
START_TEST(a_plan_switches_later_where_there_is_no_thread_for_it) {
  struct rlimit before;
  device_case c;
  waiting_open(&c, TEST_WAITS);
  waiting_execute(&c, UNTIL_SWITCH - 1);
  ck_assert_int_eq(getrlimit(RLIMIT_AS, &before), 0);
  const struct rlimit none = {1, before.rlim_max};
  ck_assert_int_eq(setrlimit(RLIMIT_AS, &none), 0);
  fg_plan_execute(c.plan, NULL);
  ck_assert_int_eq(setrlimit(RLIMIT_AS, &before), 0);
  ck_assert(!atomic_load(&c.plan->queued));
  ck_assert_int_eq(atomic_load(&c.plan->references), 1);
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_WAITING);
  waiting_execute(&c, 1);
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_SWITCHED);
  device_case_close(&c);
}
END_TEST
#endif

enum { THREADS = 8, ROUNDS = 40 };

typedef struct {
  const device_case *shared;
  fg_plan *plan; /* its own, or the shared one */
  atomic_int *wrong;
} worker;

static void *work(void *argument) {
  const worker *w = argument;
  device_case own = {.bytes = w->shared->bytes, .by_host = w->shared->by_host};
  fg_problem *p = fg_problem_copy(w->shared->problem);
  dice d = {81};
  test_arrays_make(&own.arrays, p, false, false);
  test_arrays_fill(&own.arrays, p, &d);
  for (int round = 0; round < ROUNDS; round++) {
    test_arrays_refill(&own.arrays);
    fg_plan_execute(w->plan, &own.arrays.at);
    if (!waiting_is_right(&own)) atomic_fetch_add(w->wrong, 1);
  }
  test_arrays_free(&own.arrays);
  fg_problem_free(p);
  return NULL;
}

/* With a slow device the switch back comes in the middle too; with one about as fast the host is looked at once more. */
START_TEST(many_threads_execute_across_the_switches) {
  device_case c[2];
  pthread_t thread[THREADS];
  worker w[THREADS];
  atomic_int wrong = 0;
  static const double on_device[] = {1e-6, 50, 0.6};
  test_time(waiting_host_time, on_device[_i] * waiting_host_time);
  waiting_threads = _i == 2 ? 16 : 1;
  for (int i = 0; i < 2; i++) waiting_open(&c[i], TEST_WAITS);
  for (int i = 0; i < THREADS; i++) {
    w[i] = (worker){&c[0], c[i % 2].plan, &wrong};
    ck_assert_int_eq(pthread_create(&thread[i], NULL, work, &w[i]), 0);
  }
  for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
  fg_background_wait();
  ck_assert_int_eq(atomic_load(&wrong), 0);
  ck_assert(fg_target_open());
  waiting_execute(&c[0], TRIALS + (_i == 2 ? 20 : 1));
  ck_assert_int_eq(fg_plan_state(c[0].plan), _i == 1 ? FG_STATE_RETURNED : FG_STATE_SWITCHED);
  ck_assert(!fg_account_looks_back(c[0].plan->account));
  ck_assert_int_ne(fg_account_verdict(c[0].plan->account), FG_UNDECIDED);
  for (int i = 0; i < 2; i++) device_case_close(&c[i]);
}
END_TEST

static void add_tests(TCase *tc) {
  tcase_add_test(tc, an_execution_too_many_for_the_device_is_the_hosts);
  tcase_add_test(tc, two_are_enough_for_the_device);
  tcase_add_test(tc, an_execution_is_stretched_by_who_was_there_at_its_ends);
  tcase_add_test(tc, a_child_is_alone);
  tcase_add_loop_test(tc, what_others_made_longer_is_not_learned, 0, 2);
  tcase_add_test(tc, nobody_is_faster_alone_than_the_model_hopes);
  tcase_add_test(tc, what_the_host_has_no_measured_plan_for_stays_on_a_crowded_device);
  tcase_add_test(tc, a_crowded_device_does_not_send_an_execution_to_wait_for_a_planner);
  tcase_add_test(tc, arrays_of_another_alignment_are_planned_for_once);
  tcase_add_test(tc, of_two_plans_that_threads_make_one_stays);
  tcase_add_test(tc, a_copy_switches_with_its_plan_and_outlives_it);
  tcase_add_test(tc, a_plan_may_be_destroyed_while_it_switches);
  tcase_add_loop_test(tc, arrays_are_pinned_when_a_plan_switches_that_is_still_there, 0, 2);
  tcase_add_test(tc, a_plan_is_its_owners_alone_where_the_process_ends);
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
  tcase_add_test(tc, a_plan_switches_later_where_there_is_no_thread_for_it);
#endif
  tcase_add_loop_test(tc, many_threads_execute_across_the_switches, 0, 3);
}

int main(void) { return waiting_run("crowd", add_tests); }
