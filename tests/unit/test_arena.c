/* test_arena.c: the memory of fftwf_malloc that may be handed to DMA. */
#include "config.h"

#include <check.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda/sim/sim.h"
#include "src/run/arena/arena.h"
#include "tests/unit/suite.h"

static const fg_target *target;
static const size_t sizes[] = {FG_ARENA_SMALLEST, FG_ARENA_SMALLEST + 1, 1 << 20, (4 << 20) - 1, 4 << 20,
                               (9 << 20) + 5};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void setup(void) {
  const char *why = "";
  target = fg_target_get(&why);
  ck_assert_msg(target != NULL, "%s", why);
}

static char *allocate(size_t bytes) {
  char *p = fg_arena_alloc(bytes);
  ck_assert_ptr_nonnull(p);
  return p;
}

static void drop(void *p) {
  ck_assert(fg_arena_forget(p));
  free(p);
}

START_TEST(blocks_are_whole_pages) {
  char *p = allocate(sizes[_i]);
  ck_assert_uint_eq((uintptr_t)p % (sizes[_i] >= 4 << 20 ? 2 << 20 : (int)sysconf(_SC_PAGESIZE)), 0);
  memset(p, 1, sizes[_i]);
  ck_assert(fg_arena_holds(p, sizes[_i]));
  ck_assert(fg_arena_holds(p + sizes[_i] - 1, 1));
  ck_assert(!fg_arena_holds(p - 1, 1));
  ck_assert(!fg_arena_holds(p, sizes[_i] + (size_t)sysconf(_SC_PAGESIZE)));
  volatile uintptr_t was = (uintptr_t)p;
  drop(p);
  ck_assert(!fg_arena_holds((const void *)was, 1));
}
END_TEST

START_TEST(foreign_memory_is_left_alone) {
  static char fixed[FG_ARENA_SMALLEST];
  char *heap = malloc(FG_ARENA_SMALLEST), *page = aligned_alloc(4096, 8192), *own = allocate(FG_ARENA_SMALLEST);
  ck_assert(!fg_arena_forget(NULL));
  ck_assert(!fg_arena_forget(heap));
  ck_assert(!fg_arena_forget(page));
  ck_assert(!fg_arena_forget(own + 4096));
  ck_assert(!fg_arena_pin(target, heap, 100));
  ck_assert(!fg_arena_pin(target, page, 100));
  ck_assert(!fg_arena_pin(target, fixed, 100));
  ck_assert_uint_eq(fg_sim_count().registered, 0);
  free(heap);
  free(page);
  drop(own);
}
END_TEST

START_TEST(pinned_once_and_unpinned_first) {
  char *a = allocate(1 << 20), *b = allocate(1 << 20);
  ck_assert_uint_eq(fg_sim_count().registered, 0);
  ck_assert(fg_arena_pin(target, a, 1 << 20));
  ck_assert(fg_arena_pin(target, a + 5000, 100));
  ck_assert_uint_eq(fg_sim_count().registered, 1);
  ck_assert(!fg_arena_pin(target, a + 100, 1 << 20));
  ck_assert(fg_arena_pin(target, b, 1));
  ck_assert_uint_eq(fg_sim_count().registered, 2);
  drop(a);
  ck_assert_uint_eq(fg_sim_count().registered, 1);
  drop(b);
  ck_assert_uint_eq(fg_sim_count().registered, 0);
}
END_TEST

START_TEST(what_cannot_be_pinned_is_not_tried_again) {
  char *p = allocate(1 << 20);
  fg_sim_set_faults("pinned:1");
  ck_assert(!fg_arena_pin(target, p, 1));
  ck_assert(!fg_arena_pin(target, p, 1));
  ck_assert_uint_eq(fg_sim_count().registered, 0);
  fg_sim_set_faults(NULL);
  drop(p);
}
END_TEST

/* libc's free takes a block; when its pages come again the stale entry goes. */
START_TEST(blocks_freed_behind_our_back) {
  char *p = allocate(40 << 20);
  ck_assert(fg_arena_pin(target, p, 1));
  free(p);
  char *q = allocate(40 << 20);
  if (q == p) ck_assert_uint_eq(fg_sim_count().registered, 0);
  ck_assert(fg_arena_pin(target, q, 40 << 20));
  drop(q);
}
END_TEST

/* Large blocks go back to the system when libc frees them; what comes to their place is not what was pinned. */
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__ /* they keep freed memory mapped */
START_TEST(other_memory_in_the_place_of_a_block) {
  const size_t bytes = 32 << 20;
  char *p = allocate(bytes);
  ck_assert_uint_ne(fg_arena_pin(target, p, bytes), 0);
  volatile uintptr_t was = (uintptr_t)p;
  free(p);
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
  char *other = mmap((void *)was, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
  ck_assert_ptr_eq(other, (void *)was);
  ck_assert_uint_eq(fg_arena_pin(target, other, bytes), 0);
  ck_assert(!fg_arena_holds(other, bytes));
  munmap(other, bytes);
}
END_TEST
#endif

START_TEST(a_forked_child_has_nothing_pinned) {
  char *p = allocate(1 << 20);
  ck_assert(fg_arena_pin(target, p, 1));
  p[7] = 42;
  const pid_t child = fork();
  if (child == 0) {
    if (p[7] != 42 || !fg_arena_holds(p, 1 << 20)) _exit(1);
    if (!fg_arena_forget(p)) _exit(2);
    free(p);
    char *q = fg_arena_alloc(1 << 20);
    _exit(q && fg_arena_forget(q) ? 0 : 3);
  }
  int status;
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert_int_eq(status, 0);
  ck_assert_uint_eq(fg_sim_count().registered, 1);
  drop(p);
}
END_TEST

static void *churn(void *seed) {
  unsigned state = (unsigned)(uintptr_t)seed;
  char *mine[8] = {NULL};
  for (int i = 0; i < 400; i++) {
    state = state * 1664525u + 1013904223u;
    char **at = &mine[state >> 16 & 7];
    if (*at) {
      if (fg_arena_pin(target, *at + 100, 1000) && (*at)[0] != (char)(uintptr_t)seed) return seed;
      fg_arena_forget(*at);
      free(*at);
      *at = NULL;
    } else {
      *at = fg_arena_alloc(FG_ARENA_SMALLEST + (state >> 8 & 0xfffff));
      (*at)[0] = (char)(uintptr_t)seed;
    }
  }
  for (int i = 0; i < 8; i++)
    if (mine[i]) drop(mine[i]);
  return NULL;
}

START_TEST(threads) {
  enum { THREADS = 4 };
  pthread_t thread[THREADS];
  for (size_t i = 0; i < THREADS; i++) ck_assert_int_eq(pthread_create(&thread[i], NULL, churn, (void *)(i + 1)), 0);
  for (size_t i = 0; i < THREADS; i++) {
    void *failed;
    pthread_join(thread[i], &failed);
    ck_assert_ptr_null(failed);
  }
  ck_assert_uint_eq(fg_sim_count().registered, 0);
}
END_TEST

int main(void) {
  setenv("FFTW3_GPU_BACKEND", "sim", 1);
  Suite *suite = suite_create("arena");
  TCase *tc = tcase_create("arena");
  tcase_add_checked_fixture(tc, setup, NULL);
  tcase_set_timeout(tc, 60);
  tcase_add_loop_test(tc, blocks_are_whole_pages, 0, SIZES);
  tcase_add_test(tc, foreign_memory_is_left_alone);
  tcase_add_test(tc, pinned_once_and_unpinned_first);
  tcase_add_test(tc, what_cannot_be_pinned_is_not_tried_again);
  tcase_add_test(tc, blocks_freed_behind_our_back);
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
  tcase_add_test(tc, other_memory_in_the_place_of_a_block);
#endif
  tcase_add_test(tc, a_forked_child_has_nothing_pinned);
  tcase_add_test(tc, threads);
  suite_add_tcase(suite, tc);
  return test_run_suite(suite);
}
