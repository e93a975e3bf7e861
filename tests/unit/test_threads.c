/* test_threads.c: many threads execute one plan, plan and execute their own, and lose the device, all at once.
 *
 * Every answer must be the device's, bit for bit, or (once the device fails) the real FFTW's.  Run under
 * ThreadSanitizer too. */
#include <check.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/sim/sim.h"
#include "device_case.h"
#include "on_sim.h"
#include "random_problem.h"
#include "real_fftw.h"
#include "src/run/host/pipeline.h"
#include "src/run/slot.h"
#include "suite.h"

enum { THREADS = 8, ROUNDS = 12 };

static const char *const cases[] = {"oc360*2", "/oc24x18", "oc139", "ic48*9"};

typedef struct {
  device_case *shared; /* of all threads */
  int number;
  bool planning;       /* a plan of its own in every round */
  bool by_host;        /* the real FFTW's answer is as good */
  atomic_int *wrong;
} worker;

/* A plan of the real FFTW alone may take another way than the fallback, which must not rely on alignment. */
static bool nearly(const device_case *own, const char *answer) {
  char *memory = device_case_memory(own);
  const float *x = (const float *)memory, *y = (const float *)answer;
  bool near = true;
  for (size_t i = 0; i < own->bytes / sizeof *x; i++) near = near && fabsf(x[i] - y[i]) < 1e-4f;
  free(memory);
  return near;
}

static bool right(const device_case *own, const worker *w, bool ours) {
  const device_case *c = w->shared;
  if (device_case_is(own, c->by_device)) return true;
  return w->by_host && (ours ? device_case_is(own, c->by_host) : nearly(own, c->by_host));
}

/* Memory as an execution on arrays of its own leaves it.  Check's assertions are not for other threads: wrong is
 * counted. */
static void *work(void *argument) {
  const worker *w = argument;
  const device_case *c = w->shared;
  fg_problem *p = fg_problem_copy(c->problem);
  device_case own = {.problem = p, .bytes = c->bytes};
  dice d = {81};
  test_arrays_make(&own.arrays, p, c->arrays.at.in_re == c->arrays.at.out_re, false);
  test_arrays_fill(&own.arrays, p, &d);
  for (int round = 0; round < ROUNDS; round++) {
    void *plan = w->planning ? fg_plan_create(fg_problem_copy(p)) : c->plan;
    test_arrays_refill(&own.arrays);
    if (fg_plan_is_ours(plan)) fg_plan_execute(plan, &own.arrays.at);
    else fg_host_of(FG_SINGLE)->execute(plan, p, &own.arrays.at);
    if (!right(&own, w, fg_plan_is_ours(plan))) atomic_fetch_add(w->wrong, 1);
    if (w->planning && fg_plan_is_ours(plan)) fg_plan_destroy(plan);
    else if (w->planning) fg_host_of(FG_SINGLE)->destroy(plan);
  }
  test_arrays_free(&own.arrays);
  fg_problem_free(p);
  return NULL;
}

/* Thread i works on case i % count; the first ones of each case, if so told, with plans of their own. */
static int run_all(device_case *c, int count, bool planning, bool by_host) {
  pthread_t thread[THREADS];
  worker w[THREADS];
  atomic_int wrong = 0;
  for (int i = 0; i < THREADS; i++) {
    w[i] = (worker){&c[i % count], i, planning && i < THREADS / 2, by_host, &wrong};
    ck_assert_int_eq(pthread_create(&thread[i], NULL, work, &w[i]), 0);
  }
  for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
  return atomic_load(&wrong);
}

static void open_all(device_case *c, int count) {
  for (int i = 0; i < count; i++) {
    device_case_open(&c[i], cases[i]);
    device_case_plan(&c[i]);
  }
}

START_TEST(one_plan_serves_many_threads) {
  device_case c;
  open_all(&c, 1);
  ck_assert_int_eq(run_all(&c, 1, false, false), 0);
  const fg_sim_counters now = fg_sim_count();
  ck_assert_uint_le(now.streams, FG_STREAMS * THREADS); /* slots are shared, not made for each call */
  device_case_close(&c);
}
END_TEST

START_TEST(many_plans_are_made_and_used_at_once) {
  device_case c[TEST_COUNT(cases)];
  open_all(c, TEST_COUNT(cases));
  ck_assert_int_eq(run_all(c, TEST_COUNT(cases), true, false), 0);
  for (int i = 0; i < TEST_COUNT(cases); i++) device_case_close(&c[i]);
  fg_slot_trim(test_target());
  ck_assert_uint_eq(fg_sim_count().allocations, 0);
  ck_assert_uint_eq(fg_sim_count().streams, 0);
}
END_TEST

/* All threads open the device at once. */
static void *open_target(void *argument) {
  *(const fg_target **)argument = test_target();
  return NULL;
}

START_TEST(the_device_is_opened_once) {
  pthread_t thread[THREADS];
  const fg_target *target[THREADS];
  for (int i = 0; i < THREADS; i++) ck_assert_int_eq(pthread_create(&thread[i], NULL, open_target, &target[i]), 0);
  for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
  for (int i = 0; i < THREADS; i++) ck_assert(target[i] && target[i] == target[0]);
}
END_TEST

static const char *const failures[] = {"launch:40", "copy:60,wait:30", "alloc:9+", "stream:3+", "compile:1",
                                       "lost:150", "lost:5"};

/* Out of place only: in place a lost device may be fatal. */
START_TEST(threads_survive_failures) {
  device_case c[3];
  open_all(c, 3);
  ck_assert_int_eq(fg_sim_set_faults(failures[_i]), 0);
  ck_assert_int_eq(run_all(c, 3, true, true), 0);
  for (int i = 0; i < 3; i++) device_case_close(&c[i]);
}
END_TEST

int main(void) {
  test_choose_sim();
  unsetenv("FFTW3_GPU_SIM_ABORT");
  test_real_fftw();
  fg_pipeline_piece = 1024;
  TCase *tc = tcase_create("threads");
  tcase_set_timeout(tc, 120);
  tcase_add_test(tc, the_device_is_opened_once);
  tcase_add_test(tc, one_plan_serves_many_threads);
  tcase_add_test(tc, many_plans_are_made_and_used_at_once);
  tcase_add_loop_test(tc, threads_survive_failures, 0, TEST_COUNT(failures));
  return test_run(tc, "threads");
}
