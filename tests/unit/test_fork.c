/* test_fork.c: a child of a process that has used the device runs on the host; one forked before may use the device
 * itself. */
#include <check.h>
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
#include "src/run/arena/arena.h"
#include "src/run/residence.h"
#include "src/run/slot.h"
#include "suite.h"
#include "told.h"

static void child_does(void (*work)(void *argument), void *argument) {
  char told[2000];
  const int status = test_in_child(work, argument, told, sizeof told);
  ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %d: %s", status, told);
}

/* Answers of the real FFTW, without a call of the device, and with what the report says. */
static void use_old_plan(void *argument) {
  device_case *c = argument;
  const fg_sim_counters before = fg_sim_count();
  ck_assert(!fg_residence_possible()); /* else the backend's locks would be taken, which may be held for ever */
  test_log_clear();
  device_case_execute(c);
  ck_assert(device_case_is(c, c->by_host));
  ck_assert_int_eq(test_log_lines("warn"), 1);
  ck_assert(test_log_says("executed on the host: after fork"));
  fg_plan_destroy(c->plan);
  const fg_sim_counters now = fg_sim_count();
  ck_assert_uint_eq(now.launches, before.launches);
  ck_assert_uint_eq(now.allocations, before.allocations); /* the parent's are not the child's to free */
}

static void make_new_plan(void *argument) {
  const device_case *c = argument;
  const fg_host *host = fg_host_of(FG_SINGLE);
  fg_plan *plan = fg_plan_create(fg_problem_copy(c->problem));
  ck_assert(plan && !fg_plan_is_ours(plan));
  test_arrays_refill((test_arrays *)&c->arrays);
  host->execute(plan, c->problem, &c->arrays.at);
  ck_assert(device_case_is(c, c->by_host));
  host->destroy(plan);
}

static void fork_again(void *argument) { child_does(use_old_plan, argument); }

START_TEST(a_child_uses_old_plans_on_the_host) {
  device_case c;
  device_case_open(&c, _i ? "ic48*9" : "oc360*2");
  device_case_plan(&c);
  child_does(use_old_plan, &c);
  child_does(fork_again, &c);
  device_case_execute(&c); /* the parent goes on as before */
  ck_assert(device_case_is(&c, c.by_device));
  device_case_close(&c);
}
END_TEST

START_TEST(a_child_plans_on_the_host) {
  device_case c;
  device_case_open(&c, "/oc24x18");
  device_case_plan(&c);
  child_does(make_new_plan, &c);
  device_case_close(&c);
}
END_TEST

static void use_device(void *argument) {
  device_case c;
  device_case_open(&c, argument);
  device_case_plan(&c);
  ck_assert_uint_gt(fg_sim_count().launches, 0);
  device_case_close(&c);
}

START_TEST(a_child_forked_before_may_use_the_device) {
  child_does(use_device, "oc360*2");
  ck_assert(!fg_target_open());
  use_device("ic48*9"); /* as the parent may later */
}
END_TEST

static void host_after_loss(void *argument) {
  device_case *c = argument;
  device_case_execute(c);
  ck_assert(device_case_is(c, c->by_host));
  fg_plan_destroy(c->plan);
}

START_TEST(a_child_of_a_process_that_lost_its_device_runs_on_the_host) {
  device_case c;
  device_case_open(&c, "oc360*2");
  device_case_plan(&c);
  fg_sim_set_faults("lost:1");
  device_case_execute(&c);
  ck_assert(!fg_target_open());
  child_does(host_after_loss, &c);
  device_case_close(&c);
}
END_TEST

/* ---- while other threads are at work ---- */

static atomic_bool stop;

static void *plan_all_the_time(void *argument) {
  const device_case *c = argument;
  while (!atomic_load(&stop)) {
    void *plan = fg_plan_create(fg_problem_copy(c->problem));
    if (fg_plan_is_ours(plan)) fg_plan_destroy(plan);
  }
  return NULL;
}

/* Locks that a thread of the parent held at the fork must not stop the child.  Those of a sanitizer's own allocator
 * may. */
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
#define OTHERS_MAY_FORK 1
#else
#define OTHERS_MAY_FORK 0
#endif
START_TEST(a_fork_while_others_plan_leaves_a_child_that_works) {
  device_case c;
  pthread_t thread;
  device_case_open(&c, "oc360*2");
  device_case_plan(&c);
  ck_assert_int_eq(pthread_create(&thread, NULL, plan_all_the_time, &c), 0);
  for (int i = 0; i < 60; i++) child_does(host_after_loss, &c);
  atomic_store(&stop, true);
  pthread_join(thread, NULL);
  device_case_close(&c);
}
END_TEST

static void *ask_all_the_time(void *memory) {
  while (!atomic_load(&stop)) fg_arena_holds(memory, 1);
  return NULL;
}

static void ask(void *memory) { ck_assert(!fg_arena_holds(memory, 1)); }

/* Before anything was allocated or pinned. */
START_TEST(a_fork_while_others_ask_for_owners_leaves_a_child_that_asks) {
  pthread_t thread;
  char memory;
  ck_assert_int_eq(pthread_create(&thread, NULL, ask_all_the_time, &memory), 0);
  for (int i = 0; i < 60; i++) child_does(ask, &memory);
  atomic_store(&stop, true);
  pthread_join(thread, NULL);
}
END_TEST

int main(void) {
  test_choose_sim();
  unsetenv("FFTW3_GPU_SIM_ABORT");
  test_log_to_file();
  test_real_fftw();
  TCase *tc = tcase_create("fork");
  tcase_set_timeout(tc, 120);
  tcase_add_loop_test(tc, a_child_uses_old_plans_on_the_host, 0, 2);
  tcase_add_test(tc, a_child_plans_on_the_host);
  tcase_add_test(tc, a_child_forked_before_may_use_the_device);
  tcase_add_test(tc, a_child_of_a_process_that_lost_its_device_runs_on_the_host);
  if (OTHERS_MAY_FORK) tcase_add_test(tc, a_fork_while_others_plan_leaves_a_child_that_works);
  tcase_add_test(tc, a_fork_while_others_ask_for_owners_leaves_a_child_that_asks);
  const int status = test_run(tc, "fork");
  test_log_remove();
  return status;
}
