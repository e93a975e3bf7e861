/* test_movers.c: threads that copy, and copies past the caches. */
#include "config.h"

#include <check.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/problem/notation.h"
#include "src/run/copy.h"
#include "src/run/movers.h"
#include "src/run/transfer.h"

enum { PARTS = 1000 };

typedef struct {
  atomic_int done[PARTS];
} tally;

static void count_part(void *context, ptrdiff_t i) { atomic_fetch_add(&((tally *)context)->done[i], 1); }

static void run_and_check(ptrdiff_t count) {
  tally *t = calloc(1, sizeof *t);
  fg_movers_run(count_part, t, count);
  for (ptrdiff_t i = 0; i < PARTS; i++) ck_assert_int_eq(atomic_load(&t->done[i]), i < count);
  free(t);
}

START_TEST(every_part_once) {
  static const ptrdiff_t counts[] = {0, 1, 2, 7, PARTS};
  for (int round = 0; round < 50; round++) {
    fg_movers_begin();
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) run_and_check(counts[i]);
    fg_movers_end();
  }
  run_and_check(PARTS); /* nobody awake: the caller does it */
}
END_TEST

static void *many(void *failed) {
  for (int round = 0; round < 100; round++) {
    tally t = {.done = {0}};
    fg_movers_begin();
    fg_movers_run(count_part, &t, 100);
    fg_movers_end();
    for (int i = 0; i < 100; i++)
      if (atomic_load(&t.done[i]) != 1) return failed;
  }
  return NULL;
}

START_TEST(several_threads_at_once) {
  pthread_t thread[4];
  void *failed;
  for (int i = 0; i < 4; i++) ck_assert_int_eq(pthread_create(&thread[i], NULL, many, thread), 0);
  for (int i = 0; i < 4; i++) {
    pthread_join(thread[i], &failed);
    ck_assert_ptr_null(failed);
  }
}
END_TEST

#ifndef __SANITIZE_THREAD__
START_TEST(a_forked_child_starts_its_own) {
  fg_movers_begin();
  run_and_check(PARTS);
  const pid_t child = fork();
  if (child == 0) {
    tally t = {.done = {0}};
    fg_movers_begin();
    fg_movers_run(count_part, &t, PARTS);
    fg_movers_end();
    for (int i = 0; i < PARTS; i++)
      if (atomic_load(&t.done[i]) != 1) _exit(1);
    _exit(0);
  }
  fg_movers_end();
  int status;
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert_int_eq(status, 0);
}
END_TEST
#endif

START_TEST(copies_at_any_alignment) {
  enum { ROOM = 20000 };
  unsigned char *from = malloc(ROOM), *to = malloc(ROOM);
  for (int i = 0; i < ROOM; i++) from[i] = (unsigned char)(i * 31 + 7);
  for (size_t at = 0; at < 80; at += 7)
    for (size_t bytes = 0; bytes < 9000; bytes = 2 * bytes + 13) {
      memset(to, 0xee, ROOM);
      fg_copy_past_cache(to + at, from + 3, bytes);
      ck_assert_mem_eq(to + at, from + 3, bytes);
      for (size_t i = 0; i < at; i++) ck_assert_uint_eq(to[i], 0xee);
      for (size_t i = at + bytes; i < ROOM; i++) ck_assert_uint_eq(to[i], 0xee);
    }
  free(from);
  free(to);
}
END_TEST

/* Shares of one large copy, dense and strided. */
START_TEST(shared_copies) {
  static const char *const problems[] = {"ocf300000", "ocf1000:3:3*300:3001:3001"};
  char why[200];
  fg_problem *p = fg_notation_parse(problems[_i], FG_SINGLE, why, sizeof why);
  fg_layout l;
  ck_assert_msg(p != NULL, "%s", why);
  ck_assert(fg_layout_make(&l, p, FG_INPUT));
  const size_t reals = 2 * 3001 * 301, image = 2 * (size_t)l.elements;
  float *array = malloc(reals * sizeof *array), *staging = malloc(image * sizeof *staging);
  float *back = calloc(reals, sizeof *back);
  float *one = malloc(image * sizeof *one);
  for (size_t i = 0; i < reals; i++) array[i] = (float)i;
  fg_movers_begin();
  fg_transfer_gather(&l, array, 0, l.elements, staging);
  fg_layout_gather(&l, array, 0, l.elements, one);
  ck_assert_mem_eq(staging, one, image * sizeof *one);
  fg_transfer_scatter(&l, back, 0, l.elements, staging);
  fg_movers_end();
  size_t written = 0;
  for (size_t i = 1; i < reals; i++) {
    ck_assert(back[i] == 0 || back[i] == array[i]);
    written += back[i] != 0;
  }
  ck_assert_uint_eq(written, image - 1); /* the first is 0 itself */
  free(array), free(staging), free(back), free(one);
  fg_layout_free(&l);
  fg_problem_free(p);
}
END_TEST

int main(void) {
  setenv("FFTW3_GPU_COPY_THREADS", "3", 0);
  Suite *suite = suite_create("movers");
  TCase *tc = tcase_create("movers");
  tcase_set_timeout(tc, 120);
  tcase_add_test(tc, every_part_once);
  tcase_add_test(tc, several_threads_at_once);
#ifndef __SANITIZE_THREAD__ /* whose run-time starts no threads in a forked child */
  tcase_add_test(tc, a_forked_child_starts_its_own);
#endif
  tcase_add_test(tc, copies_at_any_alignment);
  tcase_add_loop_test(tc, shared_copies, 0, 2);
  suite_add_tcase(suite, tc);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed > 0;
}
