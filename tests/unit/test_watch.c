/* test_watch.c: memory that is watched, from the arena's side: what is pinned when, and that it never outlives its
 * memory. */
#include "config.h"

#include <check.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda/sim/sim.h"
#include "src/run/arena/arena.h"
#include "src/run/arena/pinnings.h"
#include "tests/unit/suite.h"

enum { PATIENCE = 1000 }; /* executions after which an array that pays has long been pinned */
static const size_t part = 256 << 10, mega = 1 << 20;
static const fg_target *target;

static void setup(void) {
  const char *why = "";
  target = fg_target_get(&why);
  ck_assert_msg(target != NULL, "%s", why);
  fg_arena_watch(NULL);
}

static size_t registered(void) { return fg_sim_count().registered; }

/* As the watching library does it: malloc, and then the arena is told. */
static char *block(size_t bytes) {
  char *p = malloc(bytes + FG_ARENA_PAD);
  ck_assert_ptr_nonnull(p);
  memset(p, 1, bytes);
  fg_arena_came(FG_REGION_BLOCK, p, bytes);
  return p;
}

static void drop(char *p) {
  fg_arena_block_goes(p);
  free(p);
}

static bool is_known(const char *p, size_t bytes) { return fg_regions_holding(p, bytes) != NULL; }

static char *mapping(size_t bytes) {
  char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ck_assert(p != MAP_FAILED);
  fg_arena_came(FG_REGION_MAPPING, p, bytes);
  return p;
}

/* Executions until it is pinned, at most PATIENCE. */
static int uses_of(const char *p, size_t bytes) {
  int uses = 0;
  while (uses < PATIENCE && !fg_arena_pin(target, p, bytes)) uses++;
  return uses;
}

START_TEST(pinned_when_staging_has_cost_as_much) {
  char *small = block(mega), *large = block(64 * mega);
  ck_assert(!fg_arena_holds(small, 1));
  const int a = uses_of(small, mega), b = uses_of(large, 64 * mega);
  ck_assert_int_gt(a, 0);
  ck_assert_int_gt(b, a); /* the larger it is, the less staging costs beside pinning */
  ck_assert_int_lt(b, PATIENCE);
  ck_assert_uint_eq(registered(), 2);
  ck_assert(fg_arena_holds(small, mega));
  const unsigned long number = fg_arena_pin(target, small, mega);
  ck_assert_uint_ne(number, 0);
  ck_assert_uint_eq(fg_arena_pin(target, small + 1000, 1000), number);
  ck_assert_uint_eq(fg_arena_pin(target, small + 1, mega), 0);
  drop(small);
  drop(large);
  ck_assert_uint_eq(registered(), 0);
}
END_TEST

START_TEST(only_what_is_used) {
  char *p = block(64 * mega);
  ck_assert_int_lt(uses_of(p + mega, part), 20); /* as cheap as a block of that size */
  ck_assert_uint_eq(fg_arena_pin(target, p + mega + part + FG_ARENA_PAD, 1), 0);
  ck_assert_int_lt(uses_of(p + 3 * mega, part), PATIENCE);
  ck_assert_uint_ne(fg_arena_pin(target, p + mega, 2 * mega + part), 0); /* together */
  ck_assert_uint_eq(registered(), 1);
  drop(p);
}
END_TEST

START_TEST(neighbours_share_no_page) {
  enum { MANY = 40 };
  char *list[MANY];
  for (int i = 0; i < MANY; i++) list[i] = block(FG_ARENA_SMALLEST + 1000 * (size_t)i);
  for (int i = 0; i < MANY; i++) ck_assert_int_lt(uses_of(list[i], FG_ARENA_SMALLEST), PATIENCE);
  ck_assert_uint_eq(registered(), MANY);
  for (int i = 0; i < MANY; i++) drop(list[i]);
  ck_assert_uint_eq(registered(), 0);
}
END_TEST

/* Undefined of the program, and yet nothing may break: the pages stay as long as somebody works on them. */
START_TEST(freed_while_it_is_used) {
  char *p = block(mega);
  uses_of(p, mega);
  const unsigned long first = fg_arena_hold(target, p, mega), second = fg_arena_hold(target, p, part);
  ck_assert_uint_ne(first, 0);
  fg_arena_block_goes(p);
  ck_assert_uint_eq(fg_arena_pin(target, p, mega), 0);
  fg_arena_let_go(first);
  ck_assert_uint_eq(registered(), 1);
  fg_arena_let_go(second);
  ck_assert_uint_eq(registered(), 0);
  free(p);
}
END_TEST

START_TEST(grows_when_nobody_holds_it) {
  char *p = block(8 * mega);
  uses_of(p, mega);
  const unsigned long held = fg_arena_hold(target, p, mega);
  ck_assert_int_eq(uses_of(p + 4 * mega, mega), PATIENCE);
  ck_assert_uint_eq(fg_arena_pin(target, p, mega), held);
  fg_arena_let_go(held);
  ck_assert_int_lt(uses_of(p + 4 * mega, mega), PATIENCE);
  ck_assert_uint_ne(fg_arena_pin(target, p, mega), held);
  ck_assert_uint_eq(registered(), 1);
  drop(p);
}
END_TEST

START_TEST(a_part_of_a_mapping_goes) {
  char *p = mapping(8 * mega);
  memset(p, 1, 8 * mega);
  uses_of(p, 8 * mega);
  fg_arena_range_goes(p + mega, mega);
  munmap(p + mega, mega);
  ck_assert_uint_eq(registered(), 0);
  ck_assert(is_known(p, mega));
  ck_assert(!is_known(p, mega + 1));
  ck_assert(!is_known(p + 2 * mega - 1, 1));
  ck_assert(is_known(p + 2 * mega, 6 * mega));
  ck_assert_int_lt(uses_of(p + 2 * mega, 6 * mega), PATIENCE);
  fg_arena_range_goes(p, 8 * mega);
  ck_assert_uint_eq(registered(), 0);
  ck_assert(!is_known(p + 2 * mega, 1));
  munmap(p, mega);
  munmap(p + 2 * mega, 6 * mega);
}
END_TEST

START_TEST(pages_are_renewed) {
  char *p = mapping(2 * mega), *q = mapping(mega);
  memset(p, 1, 2 * mega);
  memset(q, 1, mega);
  uses_of(p, 2 * mega);
  uses_of(q, mega);
  ck_assert_uint_eq(registered(), 2);
  madvise(p + mega, 4096, MADV_DONTNEED);
  fg_arena_range_renewed(p + mega, 4096);
  ck_assert_uint_eq(registered(), 1);
  ck_assert_uint_eq(fg_arena_pin(target, p, mega), 0);
  ck_assert_int_lt(uses_of(p, 2 * mega), PATIENCE);
  fg_arena_range_goes(p, 2 * mega);
  fg_arena_range_goes(q, mega);
  munmap(p, 2 * mega);
  munmap(q, mega);
}
END_TEST

/* Pinning must not make memory of what the program only reserved. */
START_TEST(what_is_not_in_memory) {
  char *p = mapping(64 * mega);
  memset(p, 1, mega);
  memset(p + 63 * mega, 1, mega);
  ck_assert_int_lt(uses_of(p, mega), PATIENCE);
  ck_assert_int_eq(uses_of(p + 63 * mega, mega), PATIENCE);
  memset(p, 1, 64 * mega);
  ck_assert_int_lt(uses_of(p + 63 * mega, mega), PATIENCE);
  fg_arena_range_goes(p, 64 * mega);
  munmap(p, 64 * mega);
  ck_assert_uint_eq(registered(), 0);
}
END_TEST

/* What went unseen is found when other memory comes to its place; the driver is left alone until an execution calls. */
START_TEST(other_memory_comes) {
  char *p = mapping(mega), *q = block(mega);
  memset(p, 1, mega);
  uses_of(p, mega);
  fg_arena_range_came(p, 4096);
  ck_assert_uint_eq(registered(), 1);
  ck_assert(!is_known(p, 1));
  ck_assert_uint_eq(fg_arena_pin(target, q, 1), 0);
  ck_assert_uint_eq(registered(), 0);
  drop(q);
  munmap(p, mega);
}
END_TEST

START_TEST(a_broken_seal) {
  char *p = block(mega);
  uses_of(p, mega);
  memset(p + mega, 0, FG_ARENA_PAD);
  ck_assert_uint_eq(fg_arena_pin(target, p, mega), 0);
  ck_assert(!is_known(p, 1));
  ck_assert_uint_eq(registered(), 0);
  free(p);
}
END_TEST

/* Another block's seal is none of this one's. */
START_TEST(a_foreign_seal) {
  char *p = fg_arena_alloc(mega), *q = fg_arena_alloc(mega);
  ck_assert_uint_ne(fg_arena_pin(target, p, mega), 0);
  memcpy(p + mega, q + mega, 16);
  ck_assert_uint_eq(fg_arena_pin(target, p, mega), 0);
  ck_assert_uint_eq(registered(), 0);
  ck_assert(!is_known(p, 1));
  free(p);
  ck_assert(fg_arena_forget(q));
  free(q);
}
END_TEST

static char *going;

static int register_and_lose(fg_device *device, void *memory, size_t bytes) {
  const int code = fg_backend_sim.host_register(device, memory, bytes);
  fg_arena_block_goes(going);
  return code;
}

/* Freed by another thread while the driver is at it. */
START_TEST(freed_while_it_is_pinned) {
  fg_backend losing = fg_backend_sim;
  losing.host_register = register_and_lose;
  ((fg_target *)target)->backend = &losing;
  going = block(mega);
  for (int i = 0; i < PATIENCE && is_known(going, 1); i++) ck_assert_uint_eq(fg_arena_pin(target, going, mega), 0);
  ck_assert(!is_known(going, 1));
  ck_assert_uint_eq(registered(), 0);
  ((fg_target *)target)->backend = &fg_backend_sim;
  free(going);
}
END_TEST

/* What comes of pages that were renewed is pinned where it is used then. */
START_TEST(renewed_pages_are_forgotten_where_they_were_used) {
  char *p = mapping(64 * mega);
  memset(p, 1, 64 * mega);
  ck_assert_int_lt(uses_of(p, part), PATIENCE);
  fg_arena_range_renewed(p, mega);
  ck_assert_int_lt(uses_of(p + 63 * mega, part), 20); /* alone, not with all that is between */
  ck_assert_uint_eq(fg_arena_pin(target, p, part), 0);
  fg_arena_range_goes(p, 64 * mega);
  munmap(p, 64 * mega);
}
END_TEST

/* Memory of others is pinned up to a limit, own memory beyond it; what goes makes room. */
START_TEST(others_are_pinned_within_a_limit) {
  char *p = block(mega), *q = block(mega), *own = fg_arena_alloc(mega);
  fg_pinnings_limit(mega + mega / 2);
  ck_assert_int_lt(uses_of(p, mega), PATIENCE);
  ck_assert_int_eq(uses_of(q, mega), PATIENCE);
  ck_assert_uint_ne(fg_arena_pin(target, own, mega), 0);
  ck_assert_uint_eq(registered(), 2);
  drop(p);
  ck_assert_int_lt(uses_of(q, mega), PATIENCE);
  drop(q);
  ck_assert(fg_arena_forget(own));
  free(own);
}
END_TEST

static bool blinded;

static bool sees(void) { return !blinded; }

START_TEST(watching_ends) {
  char *p = block(mega), *q = mapping(mega), *own = fg_arena_alloc(mega);
  memset(q, 1, mega);
  uses_of(p, mega);
  uses_of(q, mega);
  uses_of(own, mega);
  fg_arena_watch(sees);
  ck_assert_uint_ne(fg_arena_pin(target, q, mega), 0);
  ck_assert_uint_eq(registered(), 3);
  blinded = true;
  ck_assert_uint_eq(fg_arena_pin(target, q, mega), 0);
  ck_assert_uint_eq(registered(), 1);
  ck_assert_uint_ne(fg_arena_pin(target, own, mega), 0);
  fg_arena_came(FG_REGION_MAPPING, q, mega);
  ck_assert(!is_known(q, 1));
  ck_assert(fg_arena_forget(own));
  free(own);
  free(p);
  munmap(q, mega);
}
END_TEST

START_TEST(what_cannot_be_pinned_is_not_tried_again) {
  char *p = block(mega);
  fg_sim_set_faults("pinned:1");
  ck_assert_int_eq(uses_of(p, mega), PATIENCE);
  fg_sim_set_faults(NULL);
  drop(p);
  ck_assert_uint_eq(registered(), 0);
}
END_TEST

START_TEST(own_memory_within_watched_malloc) {
  char *p = fg_arena_alloc(mega);
  ck_assert_uint_ne(fg_arena_pin(target, p, mega), 0); /* at once */
  fg_arena_block_goes(p); /* libc's free, seen */
  ck_assert_uint_eq(registered(), 0);
  ck_assert(!fg_arena_forget(p));
  free(p);
}
END_TEST

START_TEST(a_forked_child_has_nothing_pinned) {
  char *p = block(mega);
  uses_of(p, mega);
  const unsigned long held = fg_arena_hold(target, p, mega);
  const pid_t child = fork();
  if (child == 0) {
    fg_arena_let_go(held);
    fg_arena_block_goes(p);
    free(p);
    _exit(registered() == 1 ? 0 : 1); /* the driver was left alone */
  }
  int status;
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert_int_eq(status, 0);
  fg_arena_let_go(held);
  drop(p);
  ck_assert_uint_eq(registered(), 0);
}
END_TEST

/* ---- many at once ---- */

static char *shared;

static void *churn(void *seed) {
  unsigned state = (unsigned)(uintptr_t)seed;
  char *mine[4] = {NULL};
  for (int i = 0; i < 2000; i++) {
    state = state * 1664525u + 1013904223u;
    char **at = &mine[state >> 16 & 3];
    const unsigned long held = fg_arena_hold(target, shared, part);
    if (*at && (state >> 20 & 3) == 0) {
      drop(*at);
      *at = NULL;
    } else if (*at) {
      fg_arena_pin(target, *at, FG_ARENA_SMALLEST);
    } else {
      *at = malloc(FG_ARENA_SMALLEST + (state >> 8 & 0xffff) + FG_ARENA_PAD);
      fg_arena_came(FG_REGION_BLOCK, *at, FG_ARENA_SMALLEST + (state >> 8 & 0xffff));
      memset(*at, 1, FG_ARENA_SMALLEST);
    }
    if (held && (state >> 24) == 0) fg_arena_range_renewed(shared + mega, 4096);
    fg_arena_let_go(held);
  }
  for (int i = 0; i < 4; i++)
    if (mine[i]) drop(mine[i]);
  return NULL;
}

START_TEST(threads) {
  enum { THREADS = 4 };
  pthread_t thread[THREADS];
  shared = mapping(2 * mega);
  memset(shared, 1, 2 * mega);
  for (size_t i = 0; i < THREADS; i++) ck_assert_int_eq(pthread_create(&thread[i], NULL, churn, (void *)(i + 1)), 0);
  for (size_t i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
  fg_arena_range_goes(shared, 2 * mega);
  ck_assert_uint_eq(registered(), 0);
  munmap(shared, 2 * mega);
}
END_TEST

/* A handler that maps and unmaps comes at any moment, also in the middle of the arena's work. */
static volatile int interruptions;

static void interrupt(int unused) {
  (void)unused;
  fg_arena_range_goes(shared + mega, 4096);
  fg_arena_came(FG_REGION_MAPPING, shared + mega, 2 * part);
  interruptions++;
}

START_TEST(signals) {
  shared = mapping(2 * mega);
  memset(shared, 1, 2 * mega);
  struct sigaction old, action = {.sa_handler = interrupt, .sa_flags = SA_RESTART};
  const struct itimerval often = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};
  sigaction(SIGALRM, &action, &old);
  setitimer(ITIMER_REAL, &often, NULL);
  while (interruptions < 2000) {
    char *p = block(FG_ARENA_SMALLEST);
    for (int i = 0; i < 100; i++) fg_arena_pin(target, p, FG_ARENA_SMALLEST);
    drop(p);
  }
  setitimer(ITIMER_REAL, &never, NULL);
  sigaction(SIGALRM, &old, NULL);
  fg_arena_range_goes(shared, 2 * mega);
  ck_assert_uint_eq(registered(), 0);
  munmap(shared, 2 * mega);
}
END_TEST

int main(void) {
  setenv("FFTW3_GPU_BACKEND", "sim", 1);
  TCase *tc = tcase_create("watch");
  tcase_add_checked_fixture(tc, setup, NULL);
  tcase_set_timeout(tc, 60);
  tcase_add_test(tc, pinned_when_staging_has_cost_as_much);
  tcase_add_test(tc, only_what_is_used);
  tcase_add_test(tc, neighbours_share_no_page);
  tcase_add_test(tc, freed_while_it_is_used);
  tcase_add_test(tc, grows_when_nobody_holds_it);
  tcase_add_test(tc, a_part_of_a_mapping_goes);
  tcase_add_test(tc, pages_are_renewed);
  tcase_add_test(tc, what_is_not_in_memory);
  tcase_add_test(tc, other_memory_comes);
  tcase_add_test(tc, a_broken_seal);
  tcase_add_test(tc, a_foreign_seal);
  tcase_add_test(tc, freed_while_it_is_pinned);
  tcase_add_test(tc, renewed_pages_are_forgotten_where_they_were_used);
  tcase_add_test(tc, others_are_pinned_within_a_limit);
  tcase_add_test(tc, watching_ends);
  tcase_add_test(tc, what_cannot_be_pinned_is_not_tried_again);
  tcase_add_test(tc, own_memory_within_watched_malloc);
  tcase_add_test(tc, a_forked_child_has_nothing_pinned);
  tcase_add_test(tc, threads);
  tcase_add_test(tc, signals);
  return test_run(tc, "watch");
}
