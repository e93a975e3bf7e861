/* test_waiting.c: plans that wait on the host until the device pays, switch, and go back; by a clock that only
 * executions move.  Run under ThreadSanitizer too. */
#include <check.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda/sim/sim.h"
#include "device_case.h"
#include "on_sim.h"
#include "random_problem.h"
#include "real_fftw.h"
#include "src/cost/account.h"
#include "src/cost/crowd.h"
#include "src/plan/background.h"
#include "src/plan/compiling.h"
#include "src/plan/handle.h"
#include "src/plan/wisdom.h"
#include "src/run/slot.h"
#include "suite.h"
#include "told.h"
#include "told_time.h"

static const double host_time = 1e-3, start = 10e-3, planning = 2e-3;
enum { UNTIL_SWITCH = 13, TRIALS = 1 + FG_TRIALS }; /* each execution saves just under a millisecond of twelve */

/* A waiting plan and the real FFTW's answer. */
static void open_waiting(device_case *c, const char *text) {
  device_case_open(c, text);
  test_real_fftw_execute(c->problem, &c->arrays.at);
  c->by_host = device_case_memory(c);
  c->plan = fg_plan_create((fg_problem *)c->problem);
  ck_assert(c->plan && fg_plan_is_ours(c->plan));
  c->problem = fg_plan_problem(c->plan);
}

static bool answers_agree(const device_case *c) {
  char *now = device_case_memory(c);
  const float *x = (const float *)now, *y = (const float *)c->by_host;
  bool near = true;
  for (size_t i = 0; i < c->bytes / sizeof *x; i++) near = near && fabsf(x[i] - y[i]) <= 1e-4f * (1 + fabsf(y[i]));
  free(now);
  return near;
}

static void empty_cache(char *folder) {
  ck_assert_ptr_nonnull(mkdtemp(folder));
  setenv("FFTW3_GPU_CACHE", folder, 1);
}

static void remove_folder(const char *folder) {
  char command[128];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  ck_assert_int_eq(system(command), 0);
}

static void stays_with_the_real_fftw(const char *text, unsigned flags) {
  fg_problem *p = test_problem(text, FG_SINGLE);
  test_arrays a;
  p->flags = flags;
  test_arrays_make(&a, p, false, false);
  void *plan = fg_plan_create(p);
  ck_assert(plan && !fg_plan_is_ours(plan));
  fg_host_of(FG_SINGLE)->destroy(plan);
  test_arrays_free(&a);
}

/* times executions, each right, each followed by what it started. */
static void execute(device_case *c, int times) {
  for (int i = 0; i < times; i++) {
    device_case_execute(c);
    ck_assert(answers_agree(c));
    fg_background_wait();
  }
}

static void says(const device_case *c, const char *begin) {
  char *text = fg_plan_sprint(c->plan);
  ck_assert_msg(text && strncmp(text, begin, strlen(begin)) == 0, "%s", text);
  free(text);
}

START_TEST(the_device_is_opened_when_waiting_has_cost_as_much) {
  device_case c;
  open_waiting(&c, TEST_WAITS);
  execute(&c, UNTIL_SWITCH - 1);
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_WAITING);
  ck_assert(!fg_target_open());
  says(&c, "(waiting-for-gpu-ocf360*30 after 12 executions");
  execute(&c, 1);
  ck_assert(fg_target_open());
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_SWITCHED);
  says(&c, "(gpu-ocf360*30");
  const int on_host = test_real_fftw_executions();
  execute(&c, 3);
  ck_assert_int_eq(test_real_fftw_executions(), on_host);
  ck_assert_uint_gt(fg_sim_count().launches, 0);
  device_case_close(&c);
  fg_slot_trim(test_target());
  ck_assert_uint_eq(fg_sim_count().allocations, 0);
}
END_TEST

START_TEST(all_problems_pay_for_the_device_together) {
  device_case a, b;
  open_waiting(&a, TEST_WAITS);
  open_waiting(&b, "oc12x30*30");
  execute(&a, 6);
  execute(&b, 6);
  ck_assert(!fg_target_open());
  execute(&b, 1);
  ck_assert_int_eq(fg_plan_state(a.plan), FG_STATE_WAITING);
  ck_assert_int_eq(fg_plan_state(b.plan), FG_STATE_SWITCHED);
  execute(&a, 1);
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
    open_waiting(&c, TEST_WAITS);
    execute(&c, 1);
    device_case_close(&c);
  }
  ck_assert(fg_target_open());
  /* Its kernels are there: the next one is planned on the device at once. */
  open_waiting(&c, TEST_WAITS);
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_DEVICE);
  device_case_close(&c);
}
END_TEST

/* In a folder without kernels planning must be earned as a whole, else (in place: the same kernels) only its shorter
 * part. */
START_TEST(compiling_is_paid_for_only_where_it_is_needed) {
  char none[] = "/tmp/fftw3-gpu-test-cache-XXXXXX";
  device_case c, same;
  enum { COMPILING = 50 };
  empty_cache(none);
  test_coefficients(start, COMPILING * host_time * 0.996);
  open_waiting(&c, TEST_WAITS);
  execute(&c, COMPILING - 1);
  ck_assert(fg_target_open());
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_WAITING);
  ck_assert_uint_eq(fg_sim_count().compiles, 0);
  execute(&c, 1);
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_SWITCHED);
  open_waiting(&same, "ic360*30");
  execute(&same, 2);
  ck_assert_int_eq(fg_plan_state(same.plan), FG_STATE_WAITING);
  execute(&same, 1);
  ck_assert_int_eq(fg_plan_state(same.plan), FG_STATE_SWITCHED);
  ck_assert_uint_eq(fg_sim_count().compiles, 1);
  device_case_close(&same);
  device_case_close(&c);
  remove_folder(none);
}
END_TEST

/* A problem that would go to the device at once, on which nobody has compiled it yet, with that much patience. */
static void open_uncompiled(device_case *c, char *none, double patience) {
  empty_cache(none);
  test_coefficients(1e-6, 1e-6);
  fg_compiling_patience = patience;
  device_case_open(c, TEST_WAITS);
  test_real_fftw_execute(c->problem, &c->arrays.at);
  c->by_host = device_case_memory(c);
  c->plan = fg_plan_create((fg_problem *)c->problem);
  ck_assert(c->plan && fg_plan_is_ours(c->plan));
  c->problem = fg_plan_problem(c->plan);
}

START_TEST(a_plan_does_not_wait_long_for_the_compiler) {
  char none[] = "/tmp/fftw3-gpu-test-cache-XXXXXX";
  device_case c;
  open_uncompiled(&c, none, 0);
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_WAITING);
  c.plan->patience = 0;
  const int on_host = test_real_fftw_executions();
  device_case_execute(&c);
  ck_assert(answers_agree(&c));
  ck_assert_int_eq(test_real_fftw_executions(), on_host + 1);
  fg_background_wait();
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_SWITCHED);
  execute(&c, 2);
  ck_assert_int_eq(test_real_fftw_executions(), on_host + 1);
  device_case_close(&c);
  remove_folder(none);
}
END_TEST

START_TEST(an_execution_waits_as_long_as_the_host_would_take) {
  char none[] = "/tmp/fftw3-gpu-test-cache-XXXXXX";
  device_case c;
  open_uncompiled(&c, none, 0);
  ck_assert_double_gt(c.plan->patience, 0);
  c.plan->patience = 1000;
  const int on_host = test_real_fftw_executions();
  execute(&c, 1);
  ck_assert_int_eq(test_real_fftw_executions(), on_host);
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_SWITCHED);
  /* It never was on the host: the device is held against the estimate, which is no finding. */
  fg_finding found;
  execute(&c, TRIALS);
  ck_assert_int_eq(fg_account_verdict(c.plan->account), FG_BETTER_ON_DEVICE);
  ck_assert(!fg_wisdom_find(c.problem, FG_MEMORY_FOREIGN, &found));
  execute(&c, 1);
  ck_assert_int_eq(test_real_fftw_executions(), on_host);
  device_case_close(&c);
  remove_folder(none);
}
END_TEST

START_TEST(what_is_compiled_in_time_is_on_the_device_at_once) {
  char none[] = "/tmp/fftw3-gpu-test-cache-XXXXXX";
  device_case c, again;
  open_uncompiled(&c, none, 1000);
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_DEVICE);
  ck_assert_uint_eq(fg_sim_count().compiles, 1);
  fg_compiling_patience = 0; /* now it is there */
  open_waiting(&again, TEST_WAITS);
  ck_assert_int_eq(fg_plan_state(again.plan), FG_STATE_DEVICE);
  execute(&c, 1);
  device_case_close(&again);
  device_case_close(&c);
  remove_folder(none);
}
END_TEST

START_TEST(what_cannot_be_compiled_stays_on_the_host) {
  char none[] = "/tmp/fftw3-gpu-test-cache-XXXXXX";
  empty_cache(none);
  test_coefficients(1e-6, 1e-6);
  fg_sim_set_faults("compile:1+");
  stays_with_the_real_fftw(TEST_WAITS, FG_ESTIMATE);
  ck_assert_int_eq(test_log_lines("warn"), 1);
  remove_folder(none);
}
END_TEST

START_TEST(a_faster_device_keeps_the_problem) {
  device_case c;
  fg_finding found;
  open_waiting(&c, TEST_WAITS);
  execute(&c, UNTIL_SWITCH + TRIALS);
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_SWITCHED);
  ck_assert(fg_wisdom_find(c.problem, FG_MEMORY_FOREIGN, &found) && found.device);
  ck_assert(fg_wisdom_knows(c.problem));
  device_case_close(&c);
  open_waiting(&c, TEST_WAITS);
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_DEVICE);
  device_case_close(&c);
}
END_TEST

/* The program does something else behind its first execution, and the plan has switched before the second. */
START_TEST(one_long_execution_on_the_host_is_what_the_device_is_held_against) {
  device_case c;
  fg_finding found;
  test_time(10 * host_time, 1e-9);
  test_coefficients(1e-6, planning);
  open_waiting(&c, TEST_WAITS);
  execute(&c, 1);
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_SWITCHED);
  execute(&c, TRIALS);
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_SWITCHED);
  ck_assert(fg_wisdom_find(c.problem, FG_MEMORY_FOREIGN, &found) && found.device);
  ck_assert_double_eq_tol(found.host, 10 * host_time, 1e-6);
  device_case_close(&c);
}
END_TEST

/* The first execution may have been cold: if one half as long would not earn the switch, there is a second. */
START_TEST(a_first_execution_that_is_not_long_does_not_switch_alone) {
  device_case c;
  test_time(3 * host_time, 1e-9);
  test_coefficients(1e-6, planning);
  open_waiting(&c, TEST_WAITS);
  execute(&c, 1);
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_WAITING);
  execute(&c, 1);
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_SWITCHED);
  device_case_close(&c);
}
END_TEST

START_TEST(a_slower_device_gives_it_back_for_good) {
  device_case c;
  fg_finding found;
  test_time(host_time, 1.2 * host_time);
  open_waiting(&c, TEST_WAITS);
  execute(&c, UNTIL_SWITCH + TRIALS - 1);
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_SWITCHED);
  execute(&c, 1);
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_RETURNED);
  says(&c, "(returned-from-gpu-ocf360*30 after 13 executions");
  const size_t launches = fg_sim_count().launches;
  execute(&c, 3 * UNTIL_SWITCH);
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
  test_time(host_time, 1.05 * host_time);
  open_waiting(&c, TEST_WAITS);
  execute(&c, UNTIL_SWITCH + TRIALS + 3);
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_SWITCHED);
  device_case_close(&c);
}
END_TEST

/* What the host does in a millisecond is not worth waiting for three others that take half of that each. */
START_TEST(an_execution_too_many_for_the_device_is_the_hosts) {
  enum { OTHERS = 3 };
  device_case c;
  test_time(host_time, 0.6 * host_time);
  open_waiting(&c, TEST_WAITS);
  for (int i = 0; i < OTHERS; i++) fg_crowd_enter(); /* before both times are known they change nothing */
  execute(&c, UNTIL_SWITCH + 1);
  const int on_host = test_real_fftw_executions();
  for (int i = 0; i < OTHERS; i++) fg_crowd_leave();
  execute(&c, TRIALS);
  ck_assert_int_eq(test_real_fftw_executions(), on_host);
  for (int i = 0; i < OTHERS; i++) fg_crowd_enter();
  execute(&c, 2);
  ck_assert_int_eq(test_real_fftw_executions(), on_host + 2);
  for (int i = 0; i < OTHERS; i++) fg_crowd_leave();
  execute(&c, 1);
  ck_assert_int_eq(test_real_fftw_executions(), on_host + 2);
  device_case_close(&c);
  open_waiting(&c, TEST_WAITS); /* planned on the device at once, by what was found */
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_DEVICE);
  for (int i = 0; i < OTHERS; i++) fg_crowd_enter();
  const int before = test_real_fftw_executions();
  execute(&c, 1);
  ck_assert_int_eq(test_real_fftw_executions(), before + 1);
  device_case_close(&c);
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
  fg_wisdom_keep(p, FG_MEMORY_FOREIGN, &(fg_finding){true, host_time, 0.6 * host_time});
  c.plan = fg_plan_create(p);
  ck_assert(c.plan && fg_plan_is_ours(c.plan));
  c.problem = fg_plan_problem(c.plan);
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_DEVICE);
  for (int i = 0; i < OTHERS; i++) fg_crowd_enter();
  const int before = test_real_fftw_executions();
  execute(&c, 2);
  ck_assert_int_eq(test_real_fftw_executions(), before);
  device_case_close(&c);
}
END_TEST

/* The model takes FFTW's threads to be slow; they are not. */
START_TEST(what_is_short_on_the_host_is_not_counted_for_ever) {
  device_case c;
  fg_calibration slow = *test_coefficients(start, planning);
  slow.overhead = 3 * host_time;
  slow.rate_smooth = 1e8;
  fg_calibration_use(&slow);
  open_waiting(&c, TEST_WAITS);
  execute(&c, FG_HOST_TRIALS);
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_WAITING);
  execute(&c, 1);
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
  open_waiting(&c, TEST_WAITS);
  execute(&c, 3 * UNTIL_SWITCH);
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_WAITING);
  ck_assert_int_eq(test_log_lines("warn"), 1); /* that there is none; nothing by default */
  void *plan = fg_plan_create(fg_problem_copy(c.problem));
  ck_assert(plan && !fg_plan_is_ours(plan));
  fg_host_of(FG_SINGLE)->destroy(plan);
  device_case_close(&c);
}
END_TEST

START_TEST(a_problem_that_cannot_be_compiled_stays) {
  device_case c;
  fg_sim_set_faults("compile:1+");
  open_waiting(&c, TEST_WAITS);
  execute(&c, UNTIL_SWITCH);
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_HOST);
  execute(&c, UNTIL_SWITCH);
  ck_assert_int_eq(test_log_lines("warn"), 1);
  device_case_close(&c);
}
END_TEST

START_TEST(a_copy_switches_with_its_plan_and_outlives_it) {
  device_case c;
  open_waiting(&c, TEST_WAITS);
  fg_plan *copy = fg_plan_copy(c.plan);
  for (int i = 0; i < UNTIL_SWITCH; i++) device_case_execute(&c);
  fg_plan_destroy(c.plan); /* the background may be at it */
  c.plan = copy;
  fg_background_wait();
  execute(&c, 2);
  ck_assert_int_eq(fg_plan_state(copy), FG_STATE_SWITCHED);
  device_case_close(&c);
}
END_TEST

START_TEST(a_plan_may_be_destroyed_while_it_switches) {
  device_case c;
  open_waiting(&c, TEST_WAITS);
  for (int i = 0; i < UNTIL_SWITCH; i++) device_case_execute(&c);
  device_case_close(&c);
  fg_plan_cleanup();
  fg_background_wait();
  fg_plan_cleanup();
  ck_assert_uint_eq(fg_sim_count().allocations, 0);
}
END_TEST

/* ---- many threads ---- */

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
    if (!answers_agree(&own)) atomic_fetch_add(w->wrong, 1);
  }
  test_arrays_free(&own.arrays);
  fg_problem_free(p);
  return NULL;
}

/* With a slow device (_i odd) the switch back comes in the middle too. */
START_TEST(many_threads_execute_across_the_switches) {
  device_case c[2];
  pthread_t thread[THREADS];
  worker w[THREADS];
  atomic_int wrong = 0;
  test_time(host_time, _i ? 50 * host_time : 1e-9);
  for (int i = 0; i < 2; i++) open_waiting(&c[i], TEST_WAITS);
  for (int i = 0; i < THREADS; i++) {
    w[i] = (worker){&c[0], c[i % 2].plan, &wrong};
    ck_assert_int_eq(pthread_create(&thread[i], NULL, work, &w[i]), 0);
  }
  for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
  fg_background_wait();
  ck_assert_int_eq(atomic_load(&wrong), 0);
  ck_assert(fg_target_open());
  execute(&c[0], TRIALS + 1);
  ck_assert_int_eq(fg_plan_state(c[0].plan), _i ? FG_STATE_RETURNED : FG_STATE_SWITCHED);
  for (int i = 0; i < 2; i++) device_case_close(&c[i]);
}
END_TEST

/* ---- exit, fork ---- */

static void switch_and_exit(void *text) {
  device_case c;
  open_waiting(&c, text);
  for (int i = 0; i < UNTIL_SWITCH; i++) device_case_execute(&c);
  exit(7);
}

/* The kernels are not in the cache: the start takes its time. */
START_TEST(exit_while_the_device_starts) {
  char told[2000], none[] = "/tmp/fftw3-gpu-test-cache-XXXXXX";
  empty_cache(none);
  const int status = test_in_child(switch_and_exit, TEST_WAITS, told, sizeof told);
  ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 7 && !*told, "status %d: %s", status, told);
  remove_folder(none);
}
END_TEST

static void child_waits_and_switches(void *argument) {
  device_case *c = argument;
  execute(c, UNTIL_SWITCH);
  ck_assert_int_eq(fg_plan_state(c->plan), FG_STATE_SWITCHED);
}

START_TEST(a_child_goes_on_waiting_by_itself) {
  device_case c;
  char told[2000];
  open_waiting(&c, TEST_WAITS);
  execute(&c, 3);
  const int status = test_in_child(child_waits_and_switches, &c, told, sizeof told);
  ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %d: %s", status, told);
  ck_assert(!fg_target_open());
  execute(&c, UNTIL_SWITCH);
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_SWITCHED);
  device_case_close(&c);
}
END_TEST

/* Not with a sanitizer, whose own allocator may be locked at the fork. */
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
static void child_stays_on_the_host(void *argument) {
  device_case *c = argument;
  for (int i = 0; i < 3 * UNTIL_SWITCH; i++) {
    device_case_execute(c);
    ck_assert(answers_agree(c));
  }
  fg_background_wait();
}

/* Forked at any moment of the parent's start. */
START_TEST(a_child_forked_while_the_device_starts_works) {
  device_case c;
  char told[2000];
  test_time(host_time, 0);
  open_waiting(&c, TEST_WAITS);
  for (int i = 0; i < UNTIL_SWITCH; i++) device_case_execute(&c);
  for (int i = 0; i < 20; i++) {
    const int status = test_in_child(child_stays_on_the_host, &c, told, sizeof told);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %d: %s", status, told);
    usleep(_i * 500);
  }
  fg_background_wait();
  execute(&c, 2);
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_SWITCHED);
  device_case_close(&c);
}
END_TEST
#endif

/* ---- what never waits ---- */

START_TEST(small_problems_are_the_real_ffts_own) {
  stays_with_the_real_fftw("oc64", FG_ESTIMATE);
  stays_with_the_real_fftw("oc24x24", FG_MEASURE);
}
END_TEST

START_TEST(steady_plans_do_not_wait) {
  setenv("FFTW3_GPU", "steady", 1);
  stays_with_the_real_fftw(TEST_WAITS, FG_ESTIMATE);
  ck_assert(!fg_target_open());
}
END_TEST

static void begin(void) {
  test_log_clear();
  test_coefficients(start, planning);
  test_time(host_time, 1e-9);
  fg_compiling_patience = 1000; /* what is planned for the device is there */
}

int main(void) {
  test_choose_sim();
  unsetenv("FFTW3_GPU"); /* auto */
  unsetenv("FFTW3_GPU_SIM_ABORT");
  test_log_to_file();
  test_real_fftw();
  TCase *tc = tcase_create("waiting");
  tcase_set_timeout(tc, 120);
  tcase_add_checked_fixture(tc, begin, NULL);
  tcase_add_test(tc, the_device_is_opened_when_waiting_has_cost_as_much);
  tcase_add_test(tc, all_problems_pay_for_the_device_together);
  tcase_add_test(tc, executions_count_for_the_problem_not_for_the_plan);
  tcase_add_test(tc, compiling_is_paid_for_only_where_it_is_needed);
  tcase_add_test(tc, a_plan_does_not_wait_long_for_the_compiler);
  tcase_add_test(tc, an_execution_waits_as_long_as_the_host_would_take);
  tcase_add_test(tc, what_is_compiled_in_time_is_on_the_device_at_once);
  tcase_add_test(tc, what_cannot_be_compiled_stays_on_the_host);
  tcase_add_test(tc, a_faster_device_keeps_the_problem);
  tcase_add_test(tc, one_long_execution_on_the_host_is_what_the_device_is_held_against);
  tcase_add_test(tc, a_first_execution_that_is_not_long_does_not_switch_alone);
  tcase_add_test(tc, a_slower_device_gives_it_back_for_good);
  tcase_add_test(tc, a_device_as_fast_stays);
  tcase_add_test(tc, an_execution_too_many_for_the_device_is_the_hosts);
  tcase_add_test(tc, what_the_host_has_no_measured_plan_for_stays_on_a_crowded_device);
  tcase_add_test(tc, what_is_short_on_the_host_is_not_counted_for_ever);
  tcase_add_test(tc, without_a_device_nothing_happens);
  tcase_add_test(tc, a_problem_that_cannot_be_compiled_stays);
  tcase_add_test(tc, a_copy_switches_with_its_plan_and_outlives_it);
  tcase_add_test(tc, a_plan_may_be_destroyed_while_it_switches);
  tcase_add_loop_test(tc, many_threads_execute_across_the_switches, 0, 2);
  tcase_add_test(tc, exit_while_the_device_starts);
  tcase_add_test(tc, a_child_goes_on_waiting_by_itself);
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
  tcase_add_loop_test(tc, a_child_forked_while_the_device_starts_works, 0, 3);
#endif
  tcase_add_test(tc, small_problems_are_the_real_ffts_own);
  tcase_add_test(tc, steady_plans_do_not_wait);
  const int status = test_run(tc, "waiting");
  test_log_remove();
  return status;
}
