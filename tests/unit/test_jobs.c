/* test_jobs.c: work in the background, and the threads that do it. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/run/jobs.h"
#include "src/run/thread.h"
#include "suite.h"
#include "told.h"

static void add(void *number) { atomic_fetch_add((atomic_int *)number, 1); }

START_TEST(a_job_is_done_before_the_wait_for_it_ends) {
  atomic_int number = 0;
  fg_job *const job = fg_job_start(add, &number);
  ck_assert_ptr_nonnull(job);
  ck_assert(fg_job_wait(job));
  ck_assert_int_eq(atomic_load(&number), 1);
}
END_TEST

/* With a sanitizer address space is not what limits threads, and its own stacks are larger. */
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
/* Who only asks whether it is done, and never waits, is told so, too. */
static void start_without_threads(void *unused) {
  (void)unused;
  atomic_int number = 0;
  const struct rlimit none = {1, 1};
  free(malloc(1000)); /* what the job needs is there */
  if (setrlimit(RLIMIT_AS, &none)) _exit(2);
  fg_job *const job = fg_job_start(add, &number);
  if (!job) _exit(3);
  if (!fg_job_done(job) || atomic_load(&number) != 1) _exit(4);
  _exit(fg_job_wait(job) ? 0 : 5);
}

START_TEST(without_threads_a_job_is_done_at_once) {
  char told[500];
  const int status = test_in_child(start_without_threads, NULL, told, sizeof told);
  ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %d: %s", status, told);
}
END_TEST

static atomic_int deep;

static void *go_deep(void *unused) {
  volatile char large[256 * 1024];
  memset((char *)large, 1, sizeof large);
  atomic_store(&deep, large[100]);
  return unused;
}

static void start_with_small_stacks(void *unused) {
  (void)unused;
  pthread_attr_t small;
  pthread_attr_init(&small);
  if (pthread_attr_setstacksize(&small, (size_t)sysconf(_SC_THREAD_STACK_MIN)) || pthread_setattr_default_np(&small)) _exit(2);
  if (!fg_thread_start(go_deep, NULL)) _exit(3);
  alarm(20);
  while (!atomic_load(&deep)) usleep(100);
  _exit(0);
}

START_TEST(stacks_are_large_whatever_the_default_is) {
  char told[500];
  const int status = test_in_child(start_with_small_stacks, NULL, told, sizeof told);
  ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %d: %s", status, told);
}
END_TEST
#endif

int main(void) {
  Suite *s = suite_create("jobs");
  TCase *tc = tcase_create("jobs");
  tcase_add_test(tc, a_job_is_done_before_the_wait_for_it_ends);
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
  tcase_add_test(tc, without_threads_a_job_is_done_at_once);
  tcase_add_test(tc, stacks_are_large_whatever_the_default_is);
#endif
  suite_add_tcase(s, tc);
  return test_run_suite(s);
}
