/* test_doubles.c: where transforms of double-precision arrays go, and what they are computed in. */
#include <check.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/sim/sim.h"
#include "random_problem.h"
#include "src/plan/background.h"
#include "src/plan/doubles.h"
#include "src/plan/handle.h"
#include "src/plan/route.h"
#include "suite.h"

enum { MADE_FOR_IT = 2, NOT_MADE_FOR_IT = 64 };

/* ---- a real FFTW that does nothing ---- */

static fg_host_plan make_plan(const fg_problem *p, const fg_arrays *a, unsigned flags) {
  (void)p, (void)a, (void)flags;
  return calloc(1, 64);
}

static void execute(fg_host_plan plan, const fg_problem *p, const fg_arrays *a) { (void)plan, (void)p, (void)a; }
static char *sprint(fg_host_plan plan) { return plan ? strdup("(host)") : NULL; }
static const char *text(void) { return "none"; }

static const fg_host host = {
    .plan = make_plan, .execute = execute, .destroy = free, .sprint = sprint, .version = text, .path = text};

/* ---- problems ---- */

static void use(const char *mode, const char *doubles, int ratio, double start) {
  static fg_calibration c;
  setenv("FFTW3_GPU", mode, 1);
  setenv("FFTW3_GPU_BACKEND", "sim", 1);
  if (doubles) setenv("FFTW3_GPU_DOUBLE", doubles, 1);
  fg_sim_set_double_ratio(ratio);
  c = fg_calibration_defaults;
  c.start = start;
  c.plan = 0;
  fg_calibration_use(&c);
  fg_host_register(FG_DOUBLE, &host);
}

/* A batch that takes the host much longer than any GPU. */
static fg_problem *asked(enum fg_precision precision) {
  static double memory[1];
  fg_problem *p = test_problem("oc4096x4096", precision);
  p->arrays = (fg_arrays){memory, memory, memory + 1, memory + 1};
  p->flags = FG_ESTIMATE;
  fg_doubles_ask(p);
  return p;
}

static const struct {
  const char *mode, *doubles;
  int ratio;
  enum fg_precision compute;
  const char *host; /* why it is the host's; NULL: it is not */
} ways[] = {
    {"auto", NULL, MADE_FOR_IT, FG_DOUBLE, NULL},
    {"auto", NULL, 0, FG_DOUBLE, NULL},
    {"auto", NULL, NOT_MADE_FOR_IT, FG_DOUBLE, "double precision is slow on this GPU"},
    {"steady", NULL, NOT_MADE_FOR_IT, FG_DOUBLE, "double precision is slow on this GPU"},
    {"force", NULL, NOT_MADE_FOR_IT, FG_DOUBLE, NULL},
    {"auto", "double", NOT_MADE_FOR_IT, FG_DOUBLE, NULL},
    {"auto", "host", MADE_FOR_IT, FG_DOUBLE, "double precision is for the host"},
    {"force", "host", MADE_FOR_IT, FG_DOUBLE, "double precision is for the host"},
    {"auto", "single", NOT_MADE_FOR_IT, FG_SINGLE, NULL},
    {"off", "single", MADE_FOR_IT, FG_SINGLE, "switched off"},
};

START_TEST(doubles_go_where_they_are_asked_to) {
  use(ways[_i].mode, ways[_i].doubles, ways[_i].ratio, 0);
  fg_problem *p = asked(FG_DOUBLE);
  const fg_route r = fg_route_of(p);
  ck_assert_int_eq(p->precision, FG_DOUBLE);
  ck_assert_int_eq(p->compute, ways[_i].compute);
  if (ways[_i].host) ck_assert_str_eq(r.reason, ways[_i].host);
  ck_assert_int_eq(r.way, ways[_i].host ? FG_ROUTE_HOST : FG_ROUTE_GPU);
  fg_problem_free(p);
}
END_TEST

/* Nothing is computed, so that nothing is rounded. */
START_TEST(copies_keep_their_digits) {
  use("auto", "single", MADE_FOR_IT, 0);
  const char *const copies[] = {"ocf1*9", "ocf1x1*9", "ok1e10*5"};
  for (int i = 0; i < TEST_COUNT(copies); i++) {
    fg_problem *p = test_problem(copies[i], FG_DOUBLE);
    fg_doubles_ask(p);
    ck_assert_int_eq(p->compute, FG_DOUBLE);
    fg_problem_free(p);
  }
}
END_TEST

START_TEST(single_precision_is_not_concerned) {
  use("auto", "host", NOT_MADE_FOR_IT, 0);
  fg_problem *p = asked(FG_SINGLE);
  ck_assert_int_eq(fg_route_of(p).way, FG_ROUTE_GPU);
  ck_assert_int_eq(p->compute, FG_SINGLE);
  ck_assert_str_eq(fg_doubles_name(p, true), "single");
  fg_problem_free(p);
}
END_TEST

static void *compute_of_new_plan(void *to) {
  fg_problem *p = asked(FG_DOUBLE);
  *(enum fg_precision *)to = p->compute;
  fg_problem_free(p);
  return NULL;
}

START_TEST(a_thread_has_its_own_way) {
  use("auto", "single", MADE_FOR_IT, 0);
  enum fg_precision here, there;
  pthread_t thread;
  fg_doubles_of_thread(FG_DOUBLES_DOUBLE);
  ck_assert_int_eq(pthread_create(&thread, NULL, compute_of_new_plan, &there), 0);
  pthread_join(thread, NULL);
  compute_of_new_plan(&here);
  ck_assert_int_eq(here, FG_DOUBLE);
  ck_assert_int_eq(there, FG_SINGLE);
  fg_doubles_of_thread(FG_DOUBLES_AUTO);
  compute_of_new_plan(&here);
  ck_assert_int_eq(here, FG_SINGLE);
}
END_TEST

/* The device is not opened to be asked what it is: a plan that waits for it may find that it waited in vain. */
START_TEST(a_waiting_plan_stays_where_double_precision_is_slow) {
  use("auto", NULL, _i ? NOT_MADE_FOR_IT : MADE_FOR_IT, 100);
  fg_plan *plan = fg_plan_create(asked(FG_DOUBLE));
  ck_assert(plan && fg_plan_is_ours(plan));
  ck_assert_int_eq(fg_plan_state(plan), FG_STATE_WAITING);
  fg_plan_switch(plan);
  fg_background_wait();
  ck_assert_int_eq(fg_plan_state(plan), _i ? FG_STATE_HOST : FG_STATE_SWITCHED);
  fg_plan_destroy(plan);
  fg_problem *next = asked(FG_DOUBLE); /* now it is open: the next problem need not wait to know */
  next->threads = 2;
  const fg_route r = fg_route_of(next);
  ck_assert_int_eq(r.way, _i ? FG_ROUTE_HOST : FG_ROUTE_GPU);
  if (_i) ck_assert_str_eq(r.reason, "double precision is slow on this GPU");
  fg_problem_free(next);
}
END_TEST

START_TEST(a_gpu_gets_doubles_if_nobody_says_otherwise) {
  setenv("FFTW3_GPU_BACKEND", "cuda", 1);
  setenv("FFTW3_GPU", "auto", 1);
  fg_problem *p = asked(FG_DOUBLE);
  ck_assert_ptr_null(fg_doubles_refuse(p));
  fg_doubles_of_thread(FG_DOUBLES_HOST);
  fg_doubles_ask(p);
  ck_assert_str_eq(fg_doubles_refuse(p), "double precision is for the host");
  fg_problem_free(p);
}
END_TEST

int main(void) {
  TCase *tc = tcase_create("doubles");
  tcase_add_test(tc, a_gpu_gets_doubles_if_nobody_says_otherwise);
  tcase_add_loop_test(tc, doubles_go_where_they_are_asked_to, 0, TEST_COUNT(ways));
  tcase_add_test(tc, copies_keep_their_digits);
  tcase_add_test(tc, single_precision_is_not_concerned);
  tcase_add_test(tc, a_thread_has_its_own_way);
  tcase_add_loop_test(tc, a_waiting_plan_stays_where_double_precision_is_slow, 0, 2);
  return test_run(tc, "doubles");
}
