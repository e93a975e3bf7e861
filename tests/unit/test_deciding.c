/* test_deciding.c: which side a problem ends on where estimates are wrong and both sides are about as fast; by a clock
 * that only executions move. */
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/sim/sim.h"
#include "on_sim.h"
#include "random_problem.h"
#include "real_fftw.h"
#include "src/plan/handle.h"
#include "src/plan/route.h"
#include "src/plan/wisdom.h"
#include "src/report/clock.h"
#include "src/run/ranks.h"
#include "suite.h"
#include "waiting_case.h"

static enum fg_state after(device_case *c, int executions) {
  waiting_execute(c, executions);
  return fg_plan_state(c->plan);
}

/* Some per cent slower is slower, but a few executions do not tell. */
START_TEST(near_ties_are_decided_by_more_executions) {
  device_case c;
  test_time(waiting_host_time, (_i ? 1.04 : 0.97) * waiting_host_time);
  waiting_open(&c, TEST_WAITS);
  ck_assert_int_eq(after(&c, UNTIL_SWITCH + FG_MOST_TRIALS), FG_STATE_SWITCHED);
  ck_assert_int_eq(fg_account_verdict(c.plan->account), FG_UNDECIDED);
  ck_assert_int_eq(after(&c, 1), _i ? FG_STATE_RETURNED : FG_STATE_SWITCHED);
  ck_assert_int_eq(fg_account_verdict(c.plan->account), _i ? FG_BETTER_ON_HOST : FG_BETTER_ON_DEVICE);
  device_case_close(&c);
}
END_TEST

START_TEST(clear_cases_are_decided_by_few) {
  device_case c;
  test_time(waiting_host_time, (_i ? 1.2 : 0.8) * waiting_host_time);
  waiting_open(&c, TEST_WAITS);
  ck_assert_int_eq(after(&c, UNTIL_SWITCH + FG_TRIALS), FG_STATE_SWITCHED);
  ck_assert_int_eq(fg_account_verdict(c.plan->account), FG_UNDECIDED);
  ck_assert_int_eq(after(&c, 1), _i ? FG_STATE_RETURNED : FG_STATE_SWITCHED);
  ck_assert_int_ne(fg_account_verdict(c.plan->account), FG_UNDECIDED);
  device_case_close(&c);
}
END_TEST

/* The first five executions on the host, and the first three behind one on the device, take three times as long as the others. */
static double with_drowsy_threads(void) {
  static int executions, since = 2;
  static size_t launches;
  static double now;
  const int n = test_real_fftw_executions_here();
  if (fg_sim_count().launches > launches) since = n;
  for (; executions < n; executions++) now += (executions - since < 3 ? 3 : 1) * waiting_host_time;
  now += 1.5 * waiting_host_time * (double)(fg_sim_count().launches - launches);
  launches = fg_sim_count().launches;
  return now;
}

/* What the host took first, when its threads were not awake, is not what the device is held against. */
START_TEST(the_host_is_looked_at_once_more) {
  device_case c;
  fg_finding found;
  fg_clock_test = with_drowsy_threads;
  waiting_threads = 16;
  waiting_open(&c, TEST_WAITS);
  int until = 0;
  for (; fg_plan_state(c.plan) == FG_STATE_WAITING && until < 100; until++) after(&c, 1);
  ck_assert_int_lt(until, UNTIL_SWITCH);
  ck_assert_double_ge(fg_account_host_seconds(c.plan->account), 1.2 * waiting_host_time);
  ck_assert_int_eq(after(&c, TRIALS), FG_STATE_SWITCHED);
  const int on_host = test_real_fftw_executions();
  ck_assert_int_eq(after(&c, 3 + FG_LOOKS), FG_STATE_SWITCHED); /* three of them warm up */
  ck_assert_int_eq(test_real_fftw_executions(), on_host + 3 + FG_LOOKS);
  ck_assert_int_eq(after(&c, 1), FG_STATE_RETURNED);
  ck_assert(fg_wisdom_find(c.problem, FG_MEMORY_FOREIGN, &found) && !found.device);
  ck_assert_double_eq_tol(found.host, waiting_host_time, 1e-6);
  device_case_close(&c);
}
END_TEST

/* The verdict of trials that all take so long, with the host's looks that they ask for, two of which somebody has disturbed;
 * *looks: how many. */
static enum fg_verdict tried(fg_account *a, double on_device, double on_host, int *looks) {
  enum fg_verdict now = FG_UNDECIDED;
  *looks = 0;
  for (int i = 0; i <= FG_MOST_TRIALS && now == FG_UNDECIDED; i++) {
    now = fg_account_device(a, on_device);
    for (; fg_account_looks_back(a); ++*looks) fg_account_looked(a, (*looks == 1 || *looks == 3 ? 20 : 1) * on_host);
  }
  ck_assert(!fg_account_looks_back(a));
  return now;
}

/* Nothing but the estimate, or one cold execution, is no reason to settle it for either side; a warm host's many are. */
START_TEST(what_little_is_known_of_the_host_does_not_settle_it) {
  static const struct {
    int executions;
    double first, on_device, on_host;
    int looks;
    enum fg_verdict settled;
  } cases[] = {{0, 0, 1.5, 3, LOOKS, FG_BETTER_ON_DEVICE}, /* the host's estimate is 1 */
               {1, 7.5, 2.5, 1, LOOKS, FG_BETTER_ON_HOST},
               {1, 7.5, 0.5, 1, 0, FG_BETTER_ON_DEVICE},
               {0, 0, 1.5, 30e3, 2, FG_BETTER_ON_DEVICE},
               {1, 30e3, 20e3, 1, 0, FG_BETTER_ON_DEVICE}, /* too long for anything cold to matter */
               {40, 3, 0.8, 1, 0, FG_BETTER_ON_DEVICE}};
  int looks;
  for (int i = 0; i < TEST_COUNT(cases); i++) {
    char text[32];
    snprintf(text, sizeof text, "oc360*%d", 30 + i);
    fg_problem *p = test_problem(text, FG_SINGLE);
    const double unit = fg_model_host_seconds(fg_calibration_get(), p);
    fg_account *a = fg_account_of(p, FG_MEMORY_OWN, unit);
    for (int k = 0; k < cases[i].executions; k++) fg_account_host(a, (k ? 1 : cases[i].first) * unit);
    ck_assert_msg(tried(a, cases[i].on_device * unit, cases[i].on_host * unit, &looks) == cases[i].settled, "case %d", i);
    ck_assert_int_eq(looks, cases[i].looks);
    if (looks == LOOKS) ck_assert_double_lt(fg_account_host_seconds(a), 2.1 * cases[i].on_host * unit);
    fg_problem_free(p);
  }
}
END_TEST

/* A first execution of 6 ms may be 4 of waking up and 2; one of 12 is 8 at least, for which a device of 3 need not ask. */
START_TEST(what_is_long_beside_waking_up_is_believed) {
  static const struct {
    double first, on_device, on_host; /* ms */
    int looks;
    enum fg_verdict settled;
  } cases[] = {{12, 3, 11, 0, FG_BETTER_ON_DEVICE},
               {6, 2, 1.5, LOOKS, FG_BETTER_ON_HOST},
               {12, 6, 4, LOOKS, FG_BETTER_ON_HOST}};
  int looks;
  for (int i = 0; i < TEST_COUNT(cases); i++) {
    char text[32];
    snprintf(text, sizeof text, "oc600*%d", 300 + i);
    fg_problem *p = test_problem(text, FG_SINGLE);
    fg_account *a = fg_account_of(p, FG_MEMORY_FOREIGN, 1e-3 * cases[i].on_device);
    fg_account_host(a, 1e-3 * cases[i].first);
    enum fg_verdict now = FG_UNDECIDED;
    for (int k = looks = 0; k <= FG_MOST_TRIALS && now == FG_UNDECIDED; k++) {
      now = fg_account_device(a, 1e-3 * cases[i].on_device);
      for (; fg_account_looks_back(a); looks++) fg_account_looked(a, 1e-3 * cases[i].on_host);
    }
    ck_assert_msg(now == cases[i].settled && looks == cases[i].looks, "case %d: %d after %d looks", i, now, looks);
    fg_problem_free(p);
  }
}
END_TEST

/* The model takes the device to be a tenth slower; it is twice as fast. Only where it is open already and the problem
 * has been executed often is that found out. */
START_TEST(a_device_that_may_be_faster_is_tried_if_it_is_there) {
  char none[] = "/tmp/fftw3-gpu-test-cache-XXXXXX";
  device_case c;
  if (_i) waiting_empty_cache(none); /* what has to be compiled takes no longer here, but is asked for otherwise */
  fg_calibration slow = *test_coefficients(waiting_start, waiting_planning);
  slow.overhead = 1.1 * waiting_host_time;
  fg_calibration_use(&slow);
  test_time(waiting_host_time, 0.5 * waiting_host_time);
  waiting_open(&c, TEST_WAITS);
  ck_assert_int_eq(after(&c, 3 * FG_HOST_MANY), FG_STATE_WAITING);
  ck_assert(!fg_target_open());
  device_case_close(&c);

  test_target();
  waiting_open(&c, "oc12x30*30");
  ck_assert_int_eq(after(&c, FG_HOST_MANY), FG_STATE_WAITING);
  ck_assert_int_eq(after(&c, 1), FG_STATE_SWITCHED);
  ck_assert_int_eq(after(&c, FG_MOST_TRIALS + 1), FG_STATE_SWITCHED);
  ck_assert_int_eq(fg_account_verdict(c.plan->account), FG_BETTER_ON_DEVICE);
  device_case_close(&c);
  if (_i) waiting_remove_cache(none);
}
END_TEST

/* A host estimate of a quarter of the device's may be wrong. */
START_TEST(what_the_estimate_leaves_to_the_host_is_still_looked_at) {
  device_case c;
  fg_calibration slow = *test_coefficients(waiting_start, waiting_planning);
  slow.overhead = 1.5e-3; /* the host's estimate: half a millisecond */
  fg_calibration_use(&slow);
  test_time(5 * waiting_host_time, 1e-9);
  waiting_open(&c, TEST_WAITS);
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_WAITING);
  ck_assert_int_eq(after(&c, UNTIL_SWITCH), FG_STATE_SWITCHED);
  device_case_close(&c);
}
END_TEST

START_TEST(nothing_shorter_than_the_devices_overhead_is_counted_for_ever) {
  device_case c;
  fg_calibration slow = *test_coefficients(waiting_start, waiting_planning);
  slow.overhead = 11e-6;
  slow.rate_smooth = 3e10; /* 15 us on the host; it takes 9 */
  fg_calibration_use(&slow);
  test_time(9e-6, 1e-9);
  waiting_open(&c, TEST_WAITS);
  ck_assert_int_eq(after(&c, FG_HOST_TRIALS), FG_STATE_WAITING);
  ck_assert_int_eq(after(&c, 1), FG_STATE_HOST);
  device_case_close(&c);
}
END_TEST

/* Executions on the host until a long prime is worth planning, on so many processors. */
static int until_planned(int processors) {
  cpu_set_t all, some;
  int executions = 0;
  ck_assert_int_eq(sched_getaffinity(0, sizeof all, &all), 0);
  CPU_ZERO(&some);
  for (int cpu = 0; CPU_COUNT(&some) < processors; cpu++)
    if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &some);
  ck_assert_int_eq(sched_setaffinity(0, sizeof some, &some), 0);
  ck_assert_int_eq(fg_ranks_processors(), processors);
  fg_problem *p = test_problem(processors == 1 ? "oc1000003" : "ic1000003", FG_SINGLE);
  fg_account *a = fg_account_of(p, FG_MEMORY_OWN, 0);
  do executions++;
  while (!fg_account_host(a, waiting_host_time));
  ck_assert_int_eq(sched_setaffinity(0, sizeof all, &all), 0);
  fg_problem_free(p);
  return executions;
}

/* The driver lets one in after the other: of those that share a device, as there may be several. */
START_TEST(a_start_of_many_processes_has_to_pay_for_all) {
  device_case c;
  setenv("OMPI_COMM_WORLD_LOCAL_RANK", "1", 1);
  setenv("OMPI_COMM_WORLD_LOCAL_SIZE", "16", 1);
  const int others = fg_ranks_expected() - 1;
  ck_assert_int_gt(others, 0);
  waiting_open(&c, TEST_WAITS);
  ck_assert_int_eq(after(&c, UNTIL_SWITCH + 10 * others - 2), FG_STATE_WAITING); /* 10 ms each */
  ck_assert_int_eq(after(&c, 2 + others), FG_STATE_SWITCHED); /* of which an execution saves a little less than one */
  device_case_close(&c);
}
END_TEST

/* Two executions of many that somebody has disturbed: the host is usually the faster side. */
START_TEST(moments_do_not_decide) {
  fg_problem *p = test_problem(TEST_WAITS, FG_SINGLE);
  fg_account *a = fg_account_of(p, FG_MEMORY_OWN, waiting_host_time);
  for (int i = 0; i < 40; i++) fg_account_host(a, (i == 1 || i == 30 ? 50 : 1) * waiting_host_time);
  ck_assert_double_le(fg_account_host_seconds(a), 1.15 * waiting_host_time);
  bool worse = false;
  for (int i = 0; i <= FG_MOST_TRIALS && !worse; i++)
    worse = fg_account_device(a, (i ? 1.2 : 5) * waiting_host_time) == FG_BETTER_ON_HOST;
  ck_assert(worse);
  fg_problem_free(p);
}
END_TEST

/* The process was stopped meanwhile: four executions' time at most is counted, and the rest has still to be earned. */
START_TEST(a_moment_does_not_buy_the_device) {
  fg_problem *p = test_problem(TEST_WAITS, FG_SINGLE);
  fg_account *a = fg_account_of(p, FG_MEMORY_OWN, 1e-6);
  int executions = 0;
  bool now;
  do now = fg_account_host(a, executions++ == 2 ? 10 : waiting_host_time);
  while (!now && executions < 100);
  ck_assert_int_eq(executions, UNTIL_SWITCH - 3);
  fg_problem_free(p);
}
END_TEST

/* ---- several threads on one plan ---- */

enum { THREADS = 8, TIMED_PROBLEMS = 40 };

typedef struct {
  fg_account *account[TIMED_PROBLEMS];
  atomic_int settled;
} shared;

static void *try_all(void *of_all) {
  shared *s = of_all;
  for (int i = 0; i < TIMED_PROBLEMS; i++)
    for (int k = 0; k < FG_MOST_TRIALS; k++)
      atomic_fetch_add(&s->settled, fg_account_device(s->account[i], 1.2 * waiting_host_time) != FG_UNDECIDED);
  return NULL;
}

START_TEST(threads_settle_it_once_and_for_the_right_side) {
  shared s = {.settled = 0};
  pthread_t thread[THREADS];
  for (int i = 0; i < TIMED_PROBLEMS; i++) {
    char text[16];
    snprintf(text, sizeof text, "oc360*%d", 30 + i);
    fg_problem *p = test_problem(text, FG_SINGLE);
    s.account[i] = fg_account_of(p, FG_MEMORY_OWN, waiting_host_time);
    for (int k = 0; k < 3; k++) fg_account_host(s.account[i], waiting_host_time);
    fg_problem_free(p);
  }
  for (int t = 0; t < THREADS; t++) ck_assert_int_eq(pthread_create(&thread[t], NULL, try_all, &s), 0);
  for (int t = 0; t < THREADS; t++) pthread_join(thread[t], NULL);
  ck_assert_int_eq(s.settled, TIMED_PROBLEMS);
  for (int i = 0; i < TIMED_PROBLEMS; i++) {
    ck_assert_int_eq(fg_account_verdict(s.account[i]), FG_BETTER_ON_HOST);
    ck_assert_double_eq_tol(fg_account_device_seconds(s.account[i]), 1.2 * waiting_host_time, 1e-9);
  }
}
END_TEST

/* The program has the others meanwhile. */
START_TEST(tables_are_charged_with_the_processor_that_they_keep) {
  test_target();
  fg_problem *p = test_problem("oc1000003", FG_SINGLE);
  const double tables = fg_model_table_seconds(p) / waiting_host_time;
  const int alone = until_planned(1), of_two = fg_ranks_processors() > 1 ? until_planned(2) : alone / 2 + 1;
  ck_assert_int_ge(alone, (int)tables);
  ck_assert_int_le(alone, (int)tables + 4);
  ck_assert_int_le(abs(alone - 2 * of_two), 4);
  fg_problem_free(p);
}
END_TEST

/* The fifth execution of the host and each sixth behind it take half as long as the others, and the first three of a plan twice as long. */
static double now_and_then_lucky(void) {
  const int n = test_real_fftw_executions_here();
  return waiting_host_time * (n + fmin(n, 3) - 0.5 * ((n + 1) / 6)) + 0.7 * waiting_host_time * (double)fg_sim_count().launches;
}

START_TEST(what_is_measured_is_the_usual_not_the_best) {
  device_case c;
  fg_finding found;
  fg_calibration both = *test_coefficients(1e-6, 1e-6);
  both.overhead = 0.5e-3; /* as much as the host is taken to need */
  fg_calibration_use(&both);
  fg_clock_test = now_and_then_lucky;
  test_target();
  device_case_open(&c, TEST_WAITS);
  ((fg_problem *)c.problem)->flags = FG_MEASURE;
  c.plan = fg_plan_create((fg_problem *)c.problem);
  ck_assert(fg_plan_is_ours(c.plan));
  c.problem = fg_plan_problem(c.plan);
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_DEVICE);
  ck_assert(fg_wisdom_find(c.problem, FG_MEMORY_FOREIGN, &found) && found.device);
  ck_assert_double_eq_tol(found.host, waiting_host_time, 1e-6);
  ck_assert_double_eq_tol(found.gpu, 0.7 * waiting_host_time, 1e-6);
  device_case_close(&c);
}
END_TEST

/* What differs in what it takes on either side has an account of its own; there is an end to their number. */
START_TEST(accounts_are_of_one_problem) {
  enum { MOST = 1 << 16 };
  fg_problem *p = test_problem(TEST_WAITS, FG_SINGLE);
  p->flags = FG_ESTIMATE;
  fg_account *const first = fg_account_of(p, FG_MEMORY_FOREIGN, 1e-3);
  ck_assert_ptr_nonnull(first);
  ck_assert_ptr_eq(fg_account_of(p, FG_MEMORY_FOREIGN, 2e-3), first);
  ck_assert_ptr_null(fg_account_find(p, FG_MEMORY_OWN));
  p->flags = FG_MEASURE;
  ck_assert_ptr_null(fg_account_find(p, FG_MEMORY_FOREIGN));
  p->flags = FG_ESTIMATE | FG_DESTROY_INPUT;
  ck_assert_ptr_eq(fg_account_find(p, FG_MEMORY_FOREIGN), first);
  p->threads = 2;
  ck_assert_ptr_null(fg_account_find(p, FG_MEMORY_FOREIGN));
  p->threads = 1;
  p->precision = FG_DOUBLE;
  ck_assert_ptr_null(fg_account_find(p, FG_MEMORY_FOREIGN));
  p->precision = FG_SINGLE;
  int more = 0;
  while (more <= MOST) {
    p->batch.dim[0].n = 31 + more;
    if (!fg_account_of(p, FG_MEMORY_FOREIGN, 1e-3)) break;
    more++;
  }
  ck_assert_int_eq(more, MOST - 1);
  p->batch.dim[0].n = 30;
  ck_assert_ptr_eq(fg_account_of(p, FG_MEMORY_FOREIGN, 1e-3), first);
  fg_problem_free(p);
}
END_TEST

START_TEST(what_the_device_could_not_plan_is_not_tried_again) {
  fg_problem *p = test_problem(TEST_WAITS, FG_SINGLE);
  p->flags = FG_ESTIMATE;
  test_target();
  ck_assert_int_ne(fg_route_look(p).way, FG_ROUTE_HOST);
  fg_account_refused(fg_account_of(p, fg_model_memory(p), 1e-3));
  const fg_route r = fg_route_look(p);
  ck_assert_int_eq(r.way, FG_ROUTE_HOST);
  ck_assert_str_eq(r.reason, "the GPU could not plan it");
  fg_problem_free(p);
}
END_TEST

/* Where FFTW has no plan for it programs look at the NULL. */
START_TEST(c2r_that_keeps_its_input_is_the_hosts_where_fftw_refuses) {
  static const struct {
    const char *text;
    unsigned flags;
    bool refused;
  } some[] = {{"orb8x8", FG_PRESERVE_INPUT, true}, {"orb8x1", FG_PRESERVE_INPUT, true}, {"orb64*3", FG_PRESERVE_INPUT, false},
              {"orb1x64", FG_PRESERVE_INPUT, false}, {"irb8x8", FG_PRESERVE_INPUT, false}, {"orb8x8", 0, false},
              {"orf8x8", FG_PRESERVE_INPUT, false}};
  for (int i = 0; i < TEST_COUNT(some); i++) {
    fg_problem *p = test_problem(some[i].text, FG_SINGLE);
    test_arrays a;
    p->flags = FG_ESTIMATE | some[i].flags;
    test_arrays_make(&a, p, some[i].text[0] == 'i', false);
    ck_assert_msg((fg_route_must_host(p) != NULL) == some[i].refused, "%s", some[i].text);
    test_arrays_free(&a);
    fg_problem_free(p);
  }
}
END_TEST

/* More points than there can be: their product overflows. */
START_TEST(absurd_problems_are_the_hosts) {
  fg_problem *p = test_problem("oc8x8*4", FG_SINGLE);
  p->transform.dim[0].n = p->transform.dim[1].n = (ptrdiff_t)1 << 32;
  ck_assert_str_eq(fg_route_must_host(p), "larger than any memory");
  p->batch.dim[0].n = 0;
  const char *why = fg_route_must_host(p);
  ck_assert(!why || strcmp(why, "larger than any memory"));
  fg_problem_free(p);
}
END_TEST

static void add_tests(TCase *tc) {
  tcase_add_test(tc, absurd_problems_are_the_hosts);
  tcase_add_test(tc, accounts_are_of_one_problem);
  tcase_add_test(tc, what_the_device_could_not_plan_is_not_tried_again);
  tcase_add_test(tc, c2r_that_keeps_its_input_is_the_hosts_where_fftw_refuses);
  tcase_add_loop_test(tc, near_ties_are_decided_by_more_executions, 0, 2);
  tcase_add_loop_test(tc, clear_cases_are_decided_by_few, 0, 2);
  tcase_add_test(tc, the_host_is_looked_at_once_more);
  tcase_add_test(tc, what_little_is_known_of_the_host_does_not_settle_it);
  tcase_add_test(tc, what_is_long_beside_waking_up_is_believed);
  tcase_add_loop_test(tc, a_device_that_may_be_faster_is_tried_if_it_is_there, 0, 2);
  tcase_add_test(tc, what_the_estimate_leaves_to_the_host_is_still_looked_at);
  tcase_add_test(tc, nothing_shorter_than_the_devices_overhead_is_counted_for_ever);
  tcase_add_test(tc, a_start_of_many_processes_has_to_pay_for_all);
  tcase_add_test(tc, moments_do_not_decide);
  tcase_add_test(tc, a_moment_does_not_buy_the_device);
  tcase_add_test(tc, threads_settle_it_once_and_for_the_right_side);
  tcase_add_test(tc, tables_are_charged_with_the_processor_that_they_keep);
  tcase_add_test(tc, what_is_measured_is_the_usual_not_the_best);
}

int main(void) { return waiting_run("deciding", add_tests); }
