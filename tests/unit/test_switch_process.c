/* test_switch_process.c: plans that switch while the process ends or forks. */
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/plan/background.h"
#include "src/plan/handle.h"
#include "src/run/ending.h"
#include "suite.h"
#include "told.h"
#include "waiting_case.h"

static void switch_and_exit(void *text) {
  device_case c;
  waiting_open(&c, text);
  for (int i = 0; i < UNTIL_SWITCH; i++) device_case_execute(&c);
  exit(7);
}

/* What is made meanwhile is nobody's any more, and not freed: it is kept, so that leak checkers find no fault in it. */
static void switch_and_exit_later(void *text) {
  device_case c;
  waiting_open(&c, text);
  for (int i = 0; i < UNTIL_SWITCH; i++) device_case_execute(&c);
  while (!fg_target_open()) usleep(100);
  usleep(20000); /* compiling takes some hundred milliseconds */
  exit(7);
}

/* The kernels are not in the cache: the start takes its time. */
START_TEST(exit_while_the_device_starts) {
  void (*const child)(void *) = _i == 0 ? switch_and_exit : switch_and_exit_later;
  char told[2000], none[] = "/tmp/fftw3-gpu-test-cache-XXXXXX";
  waiting_empty_cache(none);
  const int status = test_in_child(child, TEST_WAITS, told, sizeof told);
  ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 7 && !*told, "status %d: %s", status, told);
  waiting_remove_cache(none);
}
END_TEST

static void child_waits_and_switches(void *argument) {
  device_case *c = argument;
  waiting_execute(c, UNTIL_SWITCH);
  ck_assert_int_eq(fg_plan_state(c->plan), FG_STATE_SWITCHED);
}

START_TEST(a_child_goes_on_waiting_by_itself) {
  device_case c;
  char told[2000];
  waiting_open(&c, TEST_WAITS);
  waiting_execute(&c, 3);
  const int status = test_in_child(child_waits_and_switches, &c, told, sizeof told);
  ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %d: %s", status, told);
  ck_assert(!fg_target_open());
  waiting_execute(&c, UNTIL_SWITCH);
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
    ck_assert(waiting_is_right(c));
  }
  fg_background_wait();
}

/* Forked at any moment of the parent's start. */
START_TEST(a_child_forked_while_the_device_starts_works) {
  device_case c;
  char told[2000];
  test_time(waiting_host_time, 0);
  waiting_open(&c, TEST_WAITS);
  for (int i = 0; i < UNTIL_SWITCH; i++) device_case_execute(&c);
  for (int i = 0; i < 20; i++) {
    const int status = test_in_child(child_stays_on_the_host, &c, told, sizeof told);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %d: %s", status, told);
    usleep(_i * 500);
  }
  fg_background_wait();
  waiting_execute(&c, 2);
  ck_assert_int_eq(fg_plan_state(c.plan), FG_STATE_SWITCHED);
  device_case_close(&c);
}
END_TEST
#endif

/* ---- errands, one by one ---- */

static sem_t begun, go_on;
static atomic_int works, releases, forgets;

static void wait_here(void) {
  sem_post(&begun);
  sem_wait(&go_on);
}

static void work(void *waits) {
  atomic_fetch_add(&works, 1);
  if (waits) wait_here();
}

static void release(void *unused) {
  (void)unused;
  atomic_fetch_add(&releases, 1);
}

static void forget(void *unused) {
  (void)unused;
  atomic_fetch_add(&forgets, 1);
}

static const fg_errand errand = {work, release, forget};

static void submit(const fg_errand *e, bool waits) { ck_assert(fg_background_submit(e, waits ? &begun : NULL)); }

static void set_up_errands(void) {
  sem_init(&begun, 0, 0);
  sem_init(&go_on, 0, 0);
}

START_TEST(what_has_not_begun_when_the_process_ends_is_left_off) {
  set_up_errands();
  submit(&errand, true);
  submit(&errand, false);
  sem_wait(&begun);
  fg_ending_begin();
  sem_post(&go_on);
  fg_background_wait();
  ck_assert_int_eq(atomic_load(&works), 1);
  ck_assert_int_eq(atomic_load(&releases), 2);
  ck_assert(!fg_background_submit(&errand, NULL));
}
END_TEST

/* Not with a sanitizer: as above. */
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
/* So many were forgotten, and what comes now is done. */
static void goes_on_without(void *many) {
  ck_assert_int_eq(atomic_load(&forgets), *(const int *)many);
  const int before = atomic_load(&works);
  submit(&errand, false);
  fg_background_wait();
  ck_assert_int_eq(atomic_load(&works), before + 1);
}

static void fork_forgets(int many) {
  char told[500];
  const int status = test_in_child(goes_on_without, &many, told, sizeof told);
  ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %d: %s", status, told);
  ck_assert_int_eq(atomic_load(&forgets), 0);
}

/* What is under way and what has not begun yet, each once. */
START_TEST(a_child_forgets_what_its_parent_has_to_do) {
  set_up_errands();
  submit(&errand, true);
  sem_wait(&begun);
  for (int i = 0; i < 3; i++) {
    fork_forgets(1 + i);
    submit(&errand, false);
  }
  sem_post(&go_on);
  fg_background_wait();
  ck_assert_int_eq(atomic_load(&works), 4);
  ck_assert_int_eq(atomic_load(&releases), 4);
  fork_forgets(0);
}
END_TEST

static void release_slowly(void *unused) {
  release(unused);
  wait_here();
}

/* What is being released is not forgotten beside that. */
START_TEST(a_child_forgets_nothing_that_is_done) {
  const fg_errand slow = {work, release_slowly, forget};
  set_up_errands();
  submit(&slow, false);
  sem_wait(&begun);
  fork_forgets(0);
  sem_post(&go_on);
  fg_background_wait();
}
END_TEST
#endif

static void add_tests(TCase *tc) {
  tcase_add_loop_test(tc, exit_while_the_device_starts, 0, 2);
  tcase_add_test(tc, a_child_goes_on_waiting_by_itself);
  tcase_add_test(tc, what_has_not_begun_when_the_process_ends_is_left_off);
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
  tcase_add_test(tc, a_child_forgets_what_its_parent_has_to_do);
  tcase_add_test(tc, a_child_forgets_nothing_that_is_done);
  tcase_add_loop_test(tc, a_child_forked_while_the_device_starts_works, 0, 3);
#endif
}

int main(void) { return waiting_run("switch_process", add_tests); }
