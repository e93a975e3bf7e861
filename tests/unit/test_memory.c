/* test_memory.c: device memory has a limit: idle memory goes first, then executions wait for each other, batches come
 * in parts, and only then real FFTW answers; and what may stay while nothing runs is bounded. */
#define _GNU_SOURCE
#include <check.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda/sim/sim.h"
#include "device_case.h"
#include "on_sim.h"
#include "random_problem.h"
#include "real_fftw.h"
#include "src/plan/planner.h"
#include "src/plan/prepare.h"
#include "src/plan/wisdom.h"
#include "src/run/device_memory.h"
#include "src/run/lane.h"
#include "src/run/memory.h"
#include "src/run/slot.h"
#include "suite.h"
#include "told.h"

enum { MB = 1 << 20 };

static void set_up(void) {
  test_target();
  fg_memory_most = 0;
}

static fg_slot *acquire(size_t in, size_t out) {
  const size_t bytes[FG_ARRAYS] = {[FG_ARRAY_IN] = in, [FG_ARRAY_OUT] = out}, staging[2] = {0, 0};
  fg_slot *s = NULL;
  return fg_slot_acquire(test_target(), bytes, staging, &s) == FG_OK ? s : NULL;
}

/* ---- the pool ---- */

START_TEST(what_is_idle_stays_within_its_limit) {
  fg_memory_most = 16 * MB;
  fg_slot *s[4];
  for (int i = 0; i < 4; i++) s[i] = acquire(2 * MB, MB);
  ck_assert_uint_eq(fg_memory_used(), 12 * MB);
  for (int i = 0; i < 4; i++) fg_slot_release(s[i]);
  ck_assert_uint_eq(fg_memory_used(), 3 * MB); /* a quarter of the limit is 4 MB: one of them */
  s[0] = acquire(8 * MB, 4 * MB);
  ck_assert_ptr_nonnull(s[0]);
  fg_slot_release(s[0]);
  ck_assert_uint_le(fg_memory_used(), 4 * MB);
}
END_TEST

/* Lanes: of two that a living plan needs one stays, also after work in a stream of the program's; none without a plan, nor of
 * more than a quarter of the limit. */
START_TEST(what_a_plan_needs_stays_within_its_limit) {
  const fg_target *const t = test_target();
  const size_t idle_limit = fg_memory_most_idle, eight[FG_ARRAYS] = {[FG_ARRAY_SCRATCH0] = 8 * MB};
  const size_t twenty[FG_ARRAYS] = {[FG_ARRAY_SCRATCH0] = 20 * MB};
  fg_lane_need need = {.target = t, .bytes = {[FG_ARRAY_SCRATCH0] = 8 * MB}}, more = {.target = t};
  memcpy(more.bytes, twenty, sizeof twenty);
  fg_memory_most = 64 * MB;
  fg_memory_most_idle = MB;
  fg_stream *theirs;
  fg_lane *a, *b;
  ck_assert_int_eq(t->backend->stream_create(t->device, &theirs), FG_OK);
  fg_lane_keep(&need);
  ck_assert_int_eq(fg_lane_acquire(t, eight, 0, NULL, &a), FG_OK);
  ck_assert_int_eq(fg_lane_acquire(t, eight, 0, NULL, &b), FG_OK);
  fg_lane_release(a, NULL);
  fg_lane_release(b, NULL);
  ck_assert_uint_eq(fg_memory_used(), 8 * MB);
  ck_assert_int_eq(fg_lane_acquire(t, eight, 0, theirs, &a), FG_OK);
  ck_assert_uint_eq(fg_memory_used(), 8 * MB);
  ck_assert_int_eq(t->backend->event_record(t->device, a->after, theirs), FG_OK);
  fg_lane_release(a, theirs);
  ck_assert_uint_eq(fg_memory_used(), 8 * MB);
  fg_lane_keep(&more);
  ck_assert_int_eq(fg_lane_acquire(t, twenty, 0, NULL, &a), FG_OK);
  fg_lane_release(a, NULL);
  ck_assert_uint_lt(fg_memory_used(), 20 * MB);
  fg_lane_keep_no_more(&more);
  ck_assert_int_eq(fg_lane_acquire(t, eight, 0, theirs, &a), FG_OK);
  ck_assert_int_eq(t->backend->event_record(t->device, a->after, theirs), FG_OK);
  fg_lane_release(a, theirs);
  ck_assert_uint_eq(fg_memory_used(), 8 * MB);
  fg_lane_keep_no_more(&need);
  ck_assert_uint_eq(fg_memory_used(), 0);
  t->backend->stream_destroy(t->device, theirs);
  fg_lane_trim();
  fg_memory_most_idle = idle_limit;
}
END_TEST

/* A plan without scratch where the limit leaves no room for it: 8.6 GB, of which relay would have three. */
START_TEST(passes_fit_the_limit) {
  fg_target target = *test_target();
  target.info = &fg_reference_device;
  fg_problem *p = test_problem("oc1024x1024x1024", FG_SINGLE);
  const char *why = "";
  fg_need need;
  for (int narrow = 0; narrow <= 1; narrow++) {
    fg_memory_most = (size_t)(narrow ? 20 : 80) << 30;
    fg_program *program = fg_prepare(&target, p, NULL, NULL, &need, &why);
    ck_assert_msg(program != NULL, "%s", why);
    ck_assert_int_eq(fg_program_bytes(program)[FG_ARRAY_SCRATCH0] == 0, narrow);
    fg_program_destroy(program);
  }
  fg_problem_free(p);
}
END_TEST

START_TEST(idle_memory_goes_before_an_execution_does_without) {
  fg_memory_most = 16 * MB;
  fg_slot *a = acquire(2 * MB, MB), *b = acquire(MB, MB);
  fg_slot_release(a);
  ck_assert_uint_eq(fg_memory_used(), 5 * MB);
  fg_slot *c = acquire(14 * MB, 0);
  ck_assert_ptr_nonnull(c);
  ck_assert_uint_eq(fg_memory_used(), 16 * MB);
  fg_slot_release(b);
  fg_slot_release(c);
}
END_TEST

/* No more of it than is needed, what was used last stays. */
START_TEST(what_was_not_used_for_longest_goes_first) {
  const fg_target *const t = test_target();
  const size_t fourteen[FG_ARRAYS] = {[FG_ARRAY_SCRATCH0] = 14 * MB};
  fg_lane *l;
  fg_memory_most = 16 * MB;
  fg_slot *a = acquire(MB, 0), *b = acquire(2 * MB, 0);
  fg_slot_release(a);
  fg_slot_release(b);
  ck_assert_int_eq(fg_lane_acquire(t, fourteen, 0, NULL, &l), FG_OK);
  ck_assert_uint_eq(fg_memory_used(), 16 * MB);
  fg_lane_release(l, NULL);
  fg_lane_trim();
}
END_TEST

/* The program's own memory, which the limit is not for, comes before all that is idle. */
START_TEST(what_is_idle_goes_for_the_programs_own) {
  const size_t one[FG_ARRAYS] = {[FG_ARRAY_SCRATCH0] = MB};
  void *memory;
  fg_lane *l;
  fg_memory_most = 64 * MB;
  fg_slot_release(acquire(MB, 0));
  ck_assert_int_eq(fg_lane_acquire(test_target(), one, 0, NULL, &l), FG_OK);
  fg_lane_release(l, NULL);
  ck_assert_uint_eq(fg_memory_used(), 2 * MB);
  fg_sim_set_faults("alloc:1");
  ck_assert_int_eq(fg_device_memory_alloc(&memory, 1000), FG_OK);
  ck_assert_uint_eq(fg_memory_used(), 0);
  ck_assert_int_eq(fg_device_memory_free(memory), FG_OK);
}
END_TEST

START_TEST(cleaning_up_gives_back_what_is_idle) {
  fg_memory_most = 64 * MB;
  fg_slot_release(acquire(MB, 0));
  ck_assert_uint_eq(fg_memory_used(), MB);
  fg_plan_cleanup();
  ck_assert_uint_eq(fg_memory_used(), 0);
  ck_assert_uint_eq(fg_sim_count().streams, 0);
}
END_TEST

/* Kernels take memory of the device, too. */
static int kernels_beside_nothing(fg_device *device, int count, const fg_kernel_request *list, fg_kernel **kernels) {
  if (fg_memory_used() > 0) return fg_backend_fail(FG_ENOMEM, "no room for kernels");
  return fg_backend_sim.kernels(device, count, list, kernels);
}

START_TEST(what_is_idle_goes_for_kernels) {
  static fg_backend with;
  device_case c;
  with = fg_backend_sim;
  with.kernels = kernels_beside_nothing;
  ((fg_target *)test_target())->backend = &with;
  fg_memory_most = 64 * MB;
  fg_slot_release(acquire(MB, 0));
  device_case_open(&c, "oc360*20");
  c.plan = fg_plan_create((fg_problem *)c.problem);
  ck_assert(c.plan && fg_plan_is_ours(c.plan));
  c.problem = fg_plan_problem(c.plan);
  ck_assert_str_eq(fg_plan_where(c.plan), "sim");
  device_case_close(&c);
}
END_TEST

/* What a lane has goes for what it needs, and what idle lanes have for an execution on the host's arrays. */
START_TEST(lanes_give_way) {
  const fg_target *const t = test_target();
  const size_t nine[FG_ARRAYS] = {[FG_ARRAY_SCRATCH0] = 9 * MB}, more[FG_ARRAYS] = {[FG_ARRAY_SCRATCH1] = 35 * MB};
  fg_lane *l;
  fg_memory_most = 40 * MB;
  for (int i = 0; i < 2; i++) {
    ck_assert_int_eq(fg_lane_acquire(t, nine, 0, NULL, &l), FG_OK);
    fg_lane_release(l, NULL);
    ck_assert_uint_eq(fg_memory_used(), 9 * MB);
    if (i) {
      fg_slot *s = acquire(35 * MB, 0);
      ck_assert_ptr_nonnull(s);
      fg_slot_release(s);
    } else {
      ck_assert_int_eq(fg_lane_acquire(t, more, 0, NULL, &l), FG_OK);
      fg_lane_release(l, NULL);
      fg_lane_trim();
    }
  }
}
END_TEST

/* Also where only the wait for a copy says so. */
START_TEST(copies_that_fail_are_told) {
  void *memory;
  char content[1000];
  memset(content, 1, sizeof content);
  ck_assert_int_eq(fg_device_memory_alloc(&memory, sizeof content), FG_OK);
  ck_assert_int_eq(fg_device_memory_copy(memory, content, sizeof content), FG_OK);
  fg_sim_set_faults("copy:1");
  ck_assert_int_eq(fg_device_memory_copy(memory, content, sizeof content), FG_ELAUNCH);
  fg_sim_set_faults("wait:2"); /* the first is for what the program has given to the device */
  ck_assert_int_eq(fg_device_memory_copy(memory, content, sizeof content), FG_ELAUNCH);
  fg_sim_set_faults("lost:2");
  ck_assert(fg_target_open());
  ck_assert_int_eq(fg_device_memory_copy(memory, content, sizeof content), FG_ELOST);
  ck_assert(!fg_target_open());
}
END_TEST

START_TEST(the_limit_holds) {
  fg_memory_most = 16 * MB;
  ck_assert_ptr_null(acquire(17 * MB, 0));
  ck_assert_ptr_null(acquire(9 * MB, 8 * MB));
  ck_assert(strstr(fg_backend_message(), "over the limit"));
  ck_assert_uint_eq(fg_memory_used(), 0);
  fg_slot *s = acquire(8 * MB, 8 * MB);
  ck_assert_ptr_nonnull(s);
  fg_slot_release(s);
}
END_TEST

/* What is too large, again and again, in another thread, where Check asserts nothing. */
static atomic_bool small_are_done;
static void *ask_for_too_much(void *given) {
  void *memory;
  while (!atomic_load(&small_are_done)) *(int *)given += fg_memory_alloc(test_target(), 2 * MB, &memory) != FG_ENOMEM;
  return NULL;
}

START_TEST(what_does_not_fit_is_not_in_the_way_of_what_does) {
  pthread_t thread;
  int given = 0;
  fg_memory_most = MB;
  atomic_store(&small_are_done, false);
  ck_assert_int_eq(pthread_create(&thread, NULL, ask_for_too_much, &given), 0);
  for (int i = 0; i < 20000; i++) {
    void *memory;
    ck_assert_int_eq(fg_memory_alloc(test_target(), 4096, &memory), FG_OK);
    fg_memory_free(test_target(), memory, 4096);
  }
  atomic_store(&small_are_done, true);
  pthread_join(thread, NULL);
  ck_assert_int_eq(given, 0);
  ck_assert_uint_eq(fg_memory_used(), 0);
}
END_TEST

START_TEST(a_slot_that_nobody_needs_any_more_is_given_up) {
  const fg_sim_counters before = fg_sim_count();
  fg_slot *a = acquire(MB, MB), *b = acquire(MB, MB);
  fg_slot_release(b);
  fg_slot_release(a);
  for (int i = 0; i < 2000; i++) fg_slot_release(acquire(MB, MB));
  ck_assert_uint_eq(fg_sim_count().streams - before.streams, FG_STREAMS);
  ck_assert_uint_eq(fg_memory_used(), 2 * MB);
}
END_TEST

START_TEST(the_recording_that_was_not_used_for_longest_goes_first) {
  fg_slot *s = acquire(MB, 0);
  fg_recordable what;
  memset(&what, 0, sizeof what);
  static const unsigned long programs[] = {1, FG_RECORDINGS + 1, 1, 3, 2}, seen[] = {2, 1, 3, 2, 1};
  for (what.program = 1; what.program <= FG_RECORDINGS; what.program++)
    ck_assert_uint_eq(fg_slot_recording(test_target(), s, &what)->seen, 1);
  for (int i = 0; i < TEST_COUNT(programs); i++) {
    what.program = programs[i];
    ck_assert_uint_eq(fg_slot_recording(test_target(), s, &what)->seen, seen[i]);
  }
  fg_slot_release(s);
}
END_TEST

typedef struct {
  pthread_barrier_t *together;
  int got;
} worker;

/* Two thirds of the memory each time: never two at once. */
static void *take_turns(void *argument) {
  worker *w = argument;
  pthread_barrier_wait(w->together);
  for (int i = 0; i < 50; i++) {
    fg_slot *s = acquire(6 * MB, 5 * MB);
    if (!s) continue;
    w->got++;
    sched_yield();
    fg_slot_release(s);
  }
  return NULL;
}

START_TEST(executions_wait_for_memory_that_others_use) {
  enum { THREADS = 4 };
  pthread_barrier_t together;
  pthread_t thread[THREADS];
  worker w[THREADS];
  fg_memory_most = 16 * MB;
  pthread_barrier_init(&together, NULL, THREADS);
  for (int i = 0; i < THREADS; i++) {
    w[i] = (worker){&together, 0};
    ck_assert_int_eq(pthread_create(&thread[i], NULL, take_turns, &w[i]), 0);
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(thread[i], NULL);
    ck_assert_int_eq(w[i].got, 50);
  }
  pthread_barrier_destroy(&together);
}
END_TEST

/* ---- plans ---- */

static const char *const batches[] = {"oc360*20", "ic64*31", "/oc36*11", "ic24x18*7", "oc16:3:1*9:100:16x4:1000:200",
                                      "ic12*5x6", "oc7v40", "ic14:-3:-3*11:42:42"};

static size_t images(const device_case *c) {
  const ptrdiff_t elements = fg_problem_elements(c->problem, FG_INPUT) + fg_problem_elements(c->problem, FG_OUTPUT);
  return 2 * sizeof(float) * (size_t)elements;
}

/* A plan under that limit, executed: by the device in so many executions of parts, or by real FFTW. */
static void execute_within(device_case *c, size_t limit, bool in_parts) {
  fg_slot_trim(test_target());
  fg_memory_most = limit;
  fg_wisdom_forget(FG_SINGLE); /* what was planned whole */
  void *plan = fg_plan_create(fg_problem_copy(c->problem));
  ck_assert_int_eq(fg_plan_is_ours(plan), in_parts);
  const int before = test_real_fftw_executions();
  test_arrays_refill(&c->arrays);
  if (in_parts) fg_plan_execute(plan, NULL);
  else fg_host_of(FG_SINGLE)->execute(plan, c->problem, &c->arrays.at);
  ck_assert_int_eq(test_real_fftw_executions() - before, !in_parts);
  ck_assert(device_case_is_near(c, c->by_host));
  ck_assert_uint_le(fg_memory_used(), limit);
  if (in_parts) {
    char *text = fg_plan_sprint(plan);
    ck_assert(text && strstr(text, " parts)"));
    free(text);
    const fg_plan_facts facts = fg_plan_facts_of(plan);
    ck_assert(facts.device == 0 && facts.passes > 0 && facts.device_bytes > 0);
    ck_assert(fg_wisdom_knows(c->problem));
    fg_problem *again = fg_problem_copy(c->problem);
    again->flags = FG_WISDOM_ONLY | (again->flags & FG_ESTIMATE);
    test_arrays_refill(&c->arrays);
    void *known = fg_plan_create(again);
    ck_assert(known && fg_plan_is_ours(known));
    fg_plan_execute(known, NULL); /* of arrays that planning has left as they were */
    ck_assert(device_case_is_near(c, c->by_host));
    fg_plan_destroy(known);
    fg_plan_destroy(plan);
  } else {
    fg_host_of(FG_SINGLE)->destroy(plan);
  }
}

START_TEST(a_batch_larger_than_the_memory_is_done_in_parts) {
  device_case c;
  device_case_open(&c, batches[_i]);
  device_case_plan(&c);
  const size_t all = images(&c);
  test_log_clear();
  execute_within(&c, all, true); /* there are tables, too */
  execute_within(&c, all - 1, true);
  execute_within(&c, all * 2 / 3, true);
  /* The alignment of images takes some memory too. */
  if (all > 20000) execute_within(&c, all / 3, true);
  ck_assert_int_eq(test_log_lines("warn"), 0);
  device_case_close(&c);
}
END_TEST

/* Whose images have the padding of their rows. */
START_TEST(real_rows_in_place_need_their_padding) {
  device_case c;
  device_case_open(&c, "irf2*3000");
  device_case_plan(&c);
  const size_t without = 3000 * 6 * sizeof(float), with = 3000 * 8 * sizeof(float);
  test_log_clear();
  execute_within(&c, (without + with) / 2, true);
  ck_assert_int_eq(test_log_lines("warn"), 0);
  device_case_close(&c);
}
END_TEST

/* Each is of half the limit at most, so that two may be under way; together they move what the whole would; and nothing of them
 * stays when they go. */
START_TEST(parts_are_halves_of_the_limit_and_go_with_their_plan) {
  device_case c;
  device_case_open(&c, "ic64*31");
  device_case_plan(&c);
  const double bytes = fg_plan_facts_of(c.plan).device_bytes;
  fg_problem *const p = fg_problem_copy(c.problem);
  const size_t all = images(&c);
  fg_plan_destroy(c.plan); /* which has tables in common with them */
  c.plan = NULL;
  c.problem = p;
  fg_plan_cleanup();
  const size_t before = fg_sim_count().allocations;
  fg_memory_most = all * 2 / 3 + 2;
  fg_plan *plan = fg_plan_create(fg_problem_copy(p));
  ck_assert(fg_plan_is_ours(plan));
  fg_plan_execute(plan, NULL);
  ck_assert_double_eq(fg_plan_facts_of(plan).device_bytes, bytes);
  char *text = fg_plan_sprint(plan);
  ck_assert_msg(text && strstr(text, "in 4 parts)"), "%s", text); /* 10, 10, 10 and 1 of 31: 11 are more than a third */
  free(text);
  fg_plan_destroy(plan);
  fg_plan_cleanup();
  ck_assert_uint_eq(fg_sim_count().allocations, before);
  device_case_close(&c);
}
END_TEST

/* A dimension of the batch that has just as many points as there have to be parts. */
START_TEST(a_part_may_be_one_point_of_the_batch) {
  device_case c;
  device_case_open(&c, "oc360*3x4");
  device_case_plan(&c);
  execute_within(&c, images(&c) / 2, true);
  device_case_close(&c);
}
END_TEST

/* Wisdom of another process knows the whole, and nothing of parts. */
START_TEST(wisdom_of_a_batch_is_wisdom_of_its_parts) {
  device_case c;
  device_case_open(&c, "oc360*20");
  device_case_plan(&c);
  fg_wisdom_forget(FG_SINGLE);
  fg_wisdom_learn(c.problem);
  fg_memory_most = images(&c) * 2 / 3;
  fg_problem *const p = fg_problem_copy(c.problem);
  p->flags = FG_WISDOM_ONLY | (p->flags & FG_ESTIMATE);
  fg_plan *plan = fg_plan_create(p);
  ck_assert(plan && fg_plan_is_ours(plan) && fg_plan_facts_of(plan).device == 0);
  fg_plan_destroy(plan);
  device_case_close(&c);
}
END_TEST

START_TEST(one_transform_larger_than_the_memory_is_the_hosts) {
  device_case c;
  device_case_open(&c, "oc4096");
  device_case_plan(&c);
  test_log_clear();
  execute_within(&c, 40000, false);
  ck_assert_int_eq(test_log_lines("warn"), 1);
  ck_assert(test_log_says("planned on the host: larger than the memory that the GPU has for this process"));
  device_case_close(&c);
}
END_TEST

/* A part that fails is real FFTW's, in place too, where nothing could be done again from the beginning. */
START_TEST(a_part_that_fails_is_done_by_the_host) {
  static const char *const texts[] = {"oc360*20", "ic64*31"}, *const kinds[] = {"alloc", "launch", "copy"};
  device_case c;
  device_case_open(&c, texts[_i % 2]);
  device_case_plan(&c);
  fg_memory_most = images(&c) * 2 / 3;
  fg_plan *plan = fg_plan_create(fg_problem_copy(c.problem));
  for (int n = 1; n <= 12; n++) {
    char spec[40];
    snprintf(spec, sizeof spec, "%s:%d%s", kinds[_i / 2], n, _i / 2 < 2 ? "+" : "");
    fg_sim_set_faults(spec);
    test_log_clear();
    const int before = test_real_fftw_executions();
    test_arrays_refill(&c.arrays);
    fg_plan_execute(plan, NULL);
    ck_assert(device_case_is_near(&c, c.by_host));
    ck_assert_int_eq(test_log_lines("warn"), test_real_fftw_executions() - before);
    fg_sim_set_faults(NULL);
  }
  fg_plan_destroy(plan);
  device_case_close(&c);
}
END_TEST

/* One array right behind the other, as a program has them that cuts both out of one block, or declares them so. */
START_TEST(arrays_that_touch_are_done_in_parts) {
  enum { REALS = 2 * 360 * 20 };
  device_case c;
  device_case_open(&c, "oc360*20");
  device_case_plan(&c);
  fg_memory_most = images(&c) * 2 / 3;
  fg_plan *plan = fg_plan_create(fg_problem_copy(c.problem));
  ck_assert(fg_plan_is_ours(plan));
  float *const all = malloc(2 * REALS * sizeof *all), *const in = all + _i * REALS, *const out = all + !_i * REALS;
  test_arrays_refill(&c.arrays);
  memcpy(in, c.arrays.at.in_re, REALS * sizeof *in);
  fg_plan_execute(plan, NULL);
  fg_plan_execute(plan, &(fg_arrays){in, in + 1, out, out + 1});
  ck_assert_uint_eq(fg_plan_facts_of(plan).by_host, 0);
  ck_assert_mem_eq(out, c.arrays.at.out_re, REALS * sizeof *out);
  free(all);
  fg_plan_destroy(plan);
  device_case_close(&c);
}
END_TEST

/* A transposition in place: a part would overwrite what another has to read. */
START_TEST(parts_that_meet_are_done_by_the_host) {
  device_case c;
  device_case_open(&c, "ic6:20:1*20:1:6");
  device_case_plan(&c);
  fg_memory_most = images(&c) - 1;
  fg_plan *plan = fg_plan_create(fg_problem_copy(c.problem));
  ck_assert(fg_plan_is_ours(plan));
  test_log_clear();
  test_arrays_refill(&c.arrays);
  fg_plan_execute(plan, NULL);
  ck_assert(device_case_is_near(&c, c.by_host));
  ck_assert_uint_eq(fg_plan_facts_of(plan).by_host, 1);
  ck_assert_int_eq(test_log_lines("warn"), 1);
  fg_plan_destroy(plan);
  device_case_close(&c);
}
END_TEST

int main(void) {
  device_case_begin();
  TCase *tc = tcase_create("memory");
  tcase_add_checked_fixture(tc, set_up, NULL);
  tcase_add_test(tc, what_is_idle_stays_within_its_limit);
  tcase_add_test(tc, what_a_plan_needs_stays_within_its_limit);
  tcase_add_test(tc, passes_fit_the_limit);
  tcase_add_test(tc, idle_memory_goes_before_an_execution_does_without);
  tcase_add_test(tc, what_was_not_used_for_longest_goes_first);
  tcase_add_test(tc, what_is_idle_goes_for_the_programs_own);
  tcase_add_test(tc, cleaning_up_gives_back_what_is_idle);
  tcase_add_test(tc, what_is_idle_goes_for_kernels);
  tcase_add_test(tc, lanes_give_way);
  tcase_add_test(tc, copies_that_fail_are_told);
  tcase_add_test(tc, the_limit_holds);
  tcase_add_test(tc, what_does_not_fit_is_not_in_the_way_of_what_does);
  tcase_add_test(tc, a_slot_that_nobody_needs_any_more_is_given_up);
  tcase_add_test(tc, the_recording_that_was_not_used_for_longest_goes_first);
  tcase_add_test(tc, executions_wait_for_memory_that_others_use);
  tcase_add_loop_test(tc, a_batch_larger_than_the_memory_is_done_in_parts, 0, TEST_COUNT(batches));
  tcase_add_test(tc, real_rows_in_place_need_their_padding);
  tcase_add_test(tc, parts_are_halves_of_the_limit_and_go_with_their_plan);
  tcase_add_test(tc, a_part_may_be_one_point_of_the_batch);
  tcase_add_test(tc, wisdom_of_a_batch_is_wisdom_of_its_parts);
  tcase_add_test(tc, one_transform_larger_than_the_memory_is_the_hosts);
  tcase_add_loop_test(tc, a_part_that_fails_is_done_by_the_host, 0, 6);
  tcase_add_loop_test(tc, arrays_that_touch_are_done_in_parts, 0, 2);
  tcase_add_test(tc, parts_that_meet_are_done_by_the_host);
  return device_case_end(tc, "memory");
}
