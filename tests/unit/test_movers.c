/* test_movers.c: threads that copy, copies past the caches and out of them, and how much these hold. */
#include "config.h"

#include <check.h>
#include <float.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/problem/notation.h"
#include "src/report/clock.h"
#include "src/run/host/copy.h"
#include "src/run/host/flow.h"
#include "src/run/host/movers.h"
#include "src/run/host/transfer.h"
#include "src/run/last_cache.h"
#include "tests/unit/suite.h"

enum { PIECES = 200, PARTS = 5 };

typedef struct {
  fg_belt *belt;
  atomic_int done[PIECES][PARTS];
} tally;

static void count_part(void *context, size_t piece, int part, int parts) {
  if (parts == PARTS) atomic_fetch_add(&((tally *)context)->done[piece][part], 1);
}

/* As an execution does: pieces begin while there is room in the ring, and the owner helps while it waits. */
static size_t run_pieces(tally *t, size_t pieces) {
  size_t wrong = 0;
  for (size_t i = 0; i < pieces; i++) {
    while (i >= FG_RING && !fg_belt_done(t->belt, i - FG_RING)) fg_belt_help(t->belt);
    fg_belt_open(t->belt);
  }
  for (size_t i = pieces < FG_RING ? 0 : pieces - FG_RING; i < pieces; i++)
    while (!fg_belt_done(t->belt, i)) fg_belt_help(t->belt);
  for (size_t i = 0; i < PIECES; i++)
    for (int p = 0; p < PARTS; p++) wrong += atomic_load(&t->done[i][p]) != (i < pieces);
  return wrong;
}

/* On the movers' belt if they are to be had. */
static size_t run_once(size_t pieces, bool alone) {
  static const fg_belt none;
  fg_belt own = none;
  fg_belts *const belts = alone ? NULL : fg_movers_take(FG_FEW_MOVERS);
  tally *t = calloc(1, sizeof *t);
  t->belt = belts ? &belts->belt[pieces % FG_BELTS] : &own;
  fg_belt_start(t->belt, count_part, t, PARTS);
  const size_t wrong = run_pieces(t, pieces);
  fg_belt_stop(t->belt);
  if (belts) fg_movers_give();
  free(t);
  return wrong;
}

START_TEST(every_part_once) {
  static const size_t counts[] = {0, 1, 2, FG_RING, FG_RING + 1, PIECES};
  for (int round = 0; round < 50; round++)
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
      ck_assert_uint_eq(run_once(counts[i], round % 5 == 4), 0);
}
END_TEST

/* What nobody has taken when the belt stops is never done, and nothing is done afterwards. */
START_TEST(a_stopped_belt_is_quiet) {
  for (int round = 0; round < 200; round++) {
    fg_belts *const belts = fg_movers_take(FG_FEW_MOVERS);
    ck_assert_ptr_nonnull(belts);
    tally *t = calloc(1, sizeof *t), after;
    fg_belt_start(&belts->belt[0], count_part, t, PARTS);
    for (int i = 0; i < FG_RING; i++) fg_belt_open(&belts->belt[0]);
    if (round % 2) fg_belt_help(&belts->belt[0]);
    fg_belt_stop(&belts->belt[0]);
    ck_assert(!fg_belt_help(&belts->belt[0]));
    memcpy(&after, t, sizeof after);
    fg_movers_give();
    ck_assert_uint_eq(run_once(3, false), 0);
    ck_assert_mem_eq(&after, t, sizeof after);
    for (int i = 0; i < PIECES * PARTS; i++) ck_assert_int_le(atomic_load(&t->done[i / PARTS][i % PARTS]), 1);
    free(t);
  }
}
END_TEST

/* Threads that have come to this execution, and for how many a part waits, some seconds at most. */
static atomic_int execution, came, awaited;
static _Thread_local int last_execution, parts_of_it;

static void wait_for_others(void *context, size_t piece, int part, int parts) {
  (void)context, (void)piece, (void)part, (void)parts;
  const uint64_t until = fg_clock_nanoseconds() + 5000000000u;
  const int now = atomic_load(&execution);
  parts_of_it = last_execution == now ? parts_of_it + 1 : 1;
  last_execution = now;
  if (parts_of_it == 2) atomic_fetch_add(&came, 1); /* who was about to take one when the last ended may still take one */
  if (parts_of_it == 1) sched_yield();
  while (parts_of_it > 1 && atomic_load(&came) < atomic_load(&awaited) && fg_clock_nanoseconds() < until) sched_yield();
}

/* That come where so many are worth it, of which so many are waited for. */
static int threads_at_work(int worth, int wait_for) {
  fg_belts *const belts = fg_movers_take(worth);
  if (!belts) return 0;
  atomic_fetch_add(&execution, 1);
  atomic_store(&came, 0);
  atomic_store(&awaited, wait_for);
  fg_belt_start(&belts->belt[0], wait_for_others, NULL, 16);
  for (size_t i = 0; i < FG_RING; i++) fg_belt_open(&belts->belt[0]);
  for (size_t i = 0; i < FG_RING; i++)
    while (!fg_belt_done(&belts->belt[0], i))
      if (!fg_belt_help(&belts->belt[0])) sched_yield();
  fg_belt_stop(&belts->belt[0]);
  fg_movers_give();
  return atomic_load(&came);
}

/* Those who have been started for another execution sleep. */
START_TEST(no_more_threads_than_are_worth_it) {
  static const int worths[] = {2, 4, 12, 20, 12, 9, 8, 7, 2};
  fg_movers_processors = 12;
  ck_assert_int_eq(threads_at_work(1, 1), 0);
  for (int i = 0; i < TEST_COUNT(worths); i++) {
    const int most = worths[i] < 12 ? worths[i] : 12;
    ck_assert_int_eq(threads_at_work(worths[i], most), most);
  }
  ck_assert_int_eq(threads_at_work(1, 1), 0);
}
END_TEST

static void *many(void *failed) {
  for (int round = 0; round < 100; round++)
    if (run_once(20, false)) return failed;
  return NULL;
}

/* One of them has the movers at a time. */
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
  fg_belts *const belts = fg_movers_take(FG_FEW_MOVERS);
  const pid_t child = fork();
  if (child == 0) _exit(run_once(PIECES, false) != 0);
  ck_assert_ptr_nonnull(belts);
  fg_movers_give();
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
      fg_copy_leave_caches(to + at, bytes);
      ck_assert_mem_eq(to + at, from + 3, bytes);
      for (size_t i = 0; i < at; i++) ck_assert_uint_eq(to[i], 0xee);
      for (size_t i = at + bytes; i < ROOM; i++) ck_assert_uint_eq(to[i], 0xee);
    }
  free(from);
  free(to);
}
END_TEST

/* Ranges of an array with gaps and of one without, of one that runs backwards, there and back. */
static const char *const ranges[] = {"ocf30000", "ocf100:3:3*300:301:301", "ocf30000:2", "ocf30000:-1"};

START_TEST(copies_by_range) {
  char why[200];
  fg_problem *p = fg_notation_parse(ranges[_i], FG_SINGLE, why, sizeof why);
  fg_layout l;
  ck_assert_msg(p != NULL, "%s", why);
  ck_assert(fg_layout_make(&l, p, FG_INPUT));
  const size_t reals = 2 * 301 * 301, image = 2 * (size_t)l.elements;
  float *array = malloc(reals * sizeof *array), *staging = malloc(image * sizeof *staging);
  float *back = calloc(reals, sizeof *back);
  float *one = malloc(image * sizeof *one);
  for (size_t i = 0; i < reals; i++) array[i] = (float)i;
  fg_layout_gather(&l, array - l.low, 0, l.elements, one);
  for (ptrdiff_t at = 0, count; at < l.elements; at += count) {
    count = l.elements - at < 7001 ? l.elements - at : 7001;
    fg_transfer_gather(&l, array - l.low, at, count, staging, at % 3 == 0);
    ck_assert_mem_eq(staging, one + 2 * at, 2 * (size_t)count * sizeof *one);
    fg_transfer_scatter(&l, back - l.low, at, count, staging, at % 2);
  }
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

/* The largest is told wherever it is, of doubles with gaps too, which go past the caches in several shares; of what is taken
 * for zero that it was something. */
START_TEST(the_largest_of_a_range) {
  enum { POINTS = 9000 };
  char why[200];
  fg_problem *p = fg_notation_parse(_i ? "ocf9000:2" : "ocf9000", FG_DOUBLE, why, sizeof why);
  fg_layout l;
  p->compute = FG_SINGLE;
  ck_assert(fg_layout_make(&l, p, FG_INPUT));
  double *array = calloc(4 * POINTS, sizeof *array);
  float *staging = malloc(2 * POINTS * sizeof *staging);
  for (int part = 0; part < 2; part++)
    for (int past_cache = 0; past_cache < 2; past_cache++) {
      array[part] = DBL_MIN / 2;
      ck_assert(fg_transfer_gather(&l, array, 0, POINTS, staging, past_cache) == DBL_MIN);
      ck_assert(fg_transfer_gather(&l, array, 1, POINTS - 1, staging, past_cache) == 0);
      array[part] = -1000;
      ck_assert(fg_transfer_gather(&l, array, 0, POINTS, staging, past_cache) == 1000);
      array[part] = 0;
    }
  ck_assert_ptr_null(fg_transfer_dense(&l, array)); /* DMA does not convert */
  free(array), free(staging);
  fg_layout_free(&l);
  fg_problem_free(p);
}
END_TEST

/* ---- what goes past the caches ---- */

static void put_line(const char *folder, int index, const char *name, const char *text) {
  char path[200];
  snprintf(path, sizeof path, "%s/index%d", folder, index);
  mkdir(path, 0700);
  snprintf(path, sizeof path, "%s/index%d/%s", folder, index, name);
  FILE *f = fopen(path, "w");
  ck_assert(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

static void put_cache(const char *folder, int index, const char *level, const char *type, const char *size) {
  put_line(folder, index, "level", level);
  put_line(folder, index, "type", type);
  put_line(folder, index, "size", size);
}

START_TEST(the_last_cache_is_read) {
  char folder[] = "/tmp/test_movers.XXXXXX", remove[80];
  ck_assert(mkdtemp(folder));
  ck_assert_uint_eq(fg_last_cache(folder), 0);
  put_cache(folder, 0, "1\n", "Data\n", "48K\n");
  put_cache(folder, 1, "1\n", "Instruction\n", "64K\n");
  ck_assert_uint_eq(fg_last_cache(folder), 48 << 10);
  put_cache(folder, 2, "3\n", "Unified\n", "307200K\n");
  put_cache(folder, 4, "2\n", "Unified\n", "2048K\n");
  put_cache(folder, 5, "4\n", "Instruction\n", "1K\n");
  ck_assert_uint_eq(fg_last_cache(folder), 300 << 20);
  static const char *const none[] = {"\n", "K", "-4K", " 4K", "4", "4M", "4KB", "4 K", "99999999999999999999999K",
                                     "18446744073709551615K"};
  for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
    put_line(folder, 2, "size", none[i]);
    ck_assert_msg(fg_last_cache(folder) == 0, "%s", none[i]);
  }
  snprintf(remove, sizeof remove, "rm -r %s", folder);
  ck_assert_int_eq(system(remove), 0);
}
END_TEST

START_TEST(results_stay_in_caches_that_hold_them) {
  const size_t mb = 1 << 20;
  ck_assert(!fg_staging_past_cache(1, 4 * mb - 1, 0).results); /* of unknown caches */
  ck_assert(fg_staging_past_cache(1, 4 * mb, 0).results);
  ck_assert(fg_staging_past_cache(24 * mb - 1, 1, 0).staging);
  ck_assert(!fg_staging_past_cache(24 * mb, 1, 0).staging);
  ck_assert(fg_staging_past_cache(1, 4 * mb, 8 * mb).results); /* small ones */
  ck_assert(!fg_staging_past_cache(1, 8 * mb - 1, 32 * mb).results);
  ck_assert(fg_staging_past_cache(1, 8 * mb, 32 * mb).results);
  ck_assert(!fg_staging_past_cache(24 * mb, 1, 32 * mb).staging);
  ck_assert(!fg_staging_past_cache(1, 75 * mb - 1, 300 * mb).results);
  ck_assert(fg_staging_past_cache(1, 75 * mb, 300 * mb).results);
  ck_assert(fg_staging_past_cache(75 * mb - 1, 1, 300 * mb).staging);
  ck_assert(!fg_staging_past_cache(75 * mb, 1, 300 * mb).staging);
}
END_TEST

int main(void) {
  unsetenv("FFTW3_GPU_COPY_THREADS");
  fg_movers_processors = 3;
  Suite *suite = suite_create("movers");
  TCase *tc = tcase_create("movers");
  tcase_set_timeout(tc, 120);
  tcase_add_test(tc, every_part_once);
  tcase_add_test(tc, a_stopped_belt_is_quiet);
  tcase_add_test(tc, no_more_threads_than_are_worth_it);
  tcase_add_test(tc, several_threads_at_once);
#ifndef __SANITIZE_THREAD__ /* whose run-time starts no threads in a forked child */
  tcase_add_test(tc, a_forked_child_starts_its_own);
#endif
  tcase_add_test(tc, copies_at_any_alignment);
  tcase_add_loop_test(tc, copies_by_range, 0, TEST_COUNT(ranges));
  tcase_add_loop_test(tc, the_largest_of_a_range, 0, 2);
  tcase_add_test(tc, the_last_cache_is_read);
  tcase_add_test(tc, results_stay_in_caches_that_hold_them);
  suite_add_tcase(suite, tc);
  return test_run_suite(suite);
}
