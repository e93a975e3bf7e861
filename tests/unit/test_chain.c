/* test_chain.c: the launches of a program given to the device at once: when they are, with which arguments, in which
 * stream; and what happens when the device refuses. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/sim/sim.h"
#include "homes.h"
#include "numbers.h"
#include "on_sim.h"
#include "random_problem.h"
#include "real_fftw.h"
#include "src/plan/resident.h"
#include "src/run/chain.h"
#include "suite.h"

/* ---- a backend that only notes what it is asked for ---- */

enum { LINKS = 3, MOST_CHAINS = 8 };

struct fg_chain {
  int number;
  fg_tile_args args[LINKS];
};

static struct {
  int made, sets, launches, destroyed, alive;
  int chain;            /* of the last launch */
  fg_stream *stream;    /* likewise */
  fg_tile_args args[LINKS]; /* likewise */
  int refuse_make, refuse_set, refuse_launch;
  void (*meanwhile)(void); /* called by a launch */
} seen;

static int note_make(fg_device *d, int count, const fg_kernel_launch *list, fg_chain **chain) {
  (void)d;
  if (seen.refuse_make) return fg_backend_fail(FG_ELAUNCH, "refused");
  fg_chain *c = calloc(1, sizeof *c);
  ck_assert_int_eq(count, LINKS);
  c->number = ++seen.made;
  seen.alive++;
  for (int i = 0; i < LINKS; i++) memcpy(&c->args[i], list[i].args, list[i].args_bytes);
  *chain = c;
  return FG_OK;
}

static int note_set(fg_device *d, fg_chain *c, int which, const void *args) {
  (void)d;
  if (seen.refuse_set) return fg_backend_fail(FG_ELAUNCH, "refused");
  seen.sets++;
  memcpy(&c->args[which], args, sizeof c->args[which]);
  return FG_OK;
}

static int note_launch(fg_device *d, fg_chain *c, fg_stream *stream) {
  (void)d;
  if (seen.meanwhile) seen.meanwhile();
  if (seen.refuse_launch) return fg_backend_fail(FG_ELAUNCH, "refused");
  seen.launches++;
  seen.chain = c->number;
  seen.stream = stream;
  memcpy(seen.args, c->args, sizeof seen.args);
  return FG_OK;
}

static void note_destroy(fg_device *d, fg_chain *c) {
  (void)d;
  seen.destroyed++;
  seen.alive--;
  free(c);
}

static const fg_backend noting = {
    .chain_make = note_make, .chain_set = note_set, .chain_launch = note_launch, .chain_destroy = note_destroy};
static const fg_target target = {.backend = &noting};
static int places[8]; /* streams are told apart by their addresses */

static fg_stream *stream_of(int n) { return (fg_stream *)&places[n]; }

/* A launch whose three kernels have these arrays; what was launched has the same. */
static bool launch(fg_chains *c, const int arrays[LINKS], int stream) {
  fg_tile_args args[LINKS];
  fg_kernel_launch list[LINKS];
  const int before = seen.launches;
  memset(args, 0, sizeof args);
  for (int i = 0; i < LINKS; i++) {
    args[i].in_re = &places[arrays[i]];
    list[i] = (fg_kernel_launch){.grid = 1, .block = 32, .args = &args[i], .args_bytes = sizeof args[i]};
  }
  const bool done = fg_chains_launch(c, list, stream_of(stream));
  ck_assert_int_eq(seen.launches - before, done);
  if (done) {
    ck_assert_mem_eq(seen.args, args, sizeof args);
    ck_assert_ptr_eq(seen.stream, stream_of(stream));
  }
  return done;
}

static const int these[LINKS] = {0, 1, 2}, others[LINKS] = {0, 3, 2};

START_TEST(made_at_the_second_call_and_then_only_launched) {
  fg_chains *c = fg_chains_new(&target, LINKS);
  ck_assert(!launch(c, these, 0));
  ck_assert_int_eq(seen.made, 0);
  for (int i = 0; i < 3; i++) ck_assert(launch(c, these, 0));
  ck_assert(seen.made == 1 && seen.sets == 0 && seen.destroyed == 0);
  fg_chains_free(c);
  ck_assert_int_eq(seen.alive, 0);
}
END_TEST

START_TEST(only_arguments_that_change_are_set) {
  fg_chains *c = fg_chains_new(&target, LINKS);
  launch(c, these, 0);
  launch(c, these, 0);
  ck_assert(launch(c, others, 0));
  ck_assert_int_eq(seen.sets, 1);
  ck_assert(launch(c, others, 0));
  ck_assert_int_eq(seen.sets, 1);
  ck_assert(launch(c, these, 0));
  ck_assert_int_eq(seen.sets, 2);
  ck_assert_int_eq(seen.made, 1);
  fg_chains_free(c);
}
END_TEST

/* Two streams do not wait for each other. */
START_TEST(each_stream_has_a_chain_of_its_own) {
  fg_chains *c = fg_chains_new(&target, LINKS);
  for (int i = 0; i < 2; i++)
    for (int s = 0; s < 4; s++) ck_assert(launch(c, these, s) == (i > 0));
  ck_assert_int_eq(seen.made, 4);
  for (int s = 0; s < 4; s++) {
    ck_assert(launch(c, these, s));
    ck_assert_int_eq(seen.chain, s + 1);
  }
  for (int i = 0; i < 3; i++) ck_assert(!launch(c, these, 4)); /* one too many */
  ck_assert_int_eq(seen.alive, 4);
  fg_chains_free(c);
  ck_assert_int_eq(seen.alive, 0);
}
END_TEST

/* Of streams that a program makes and destroys the last ones have chains. */
START_TEST(a_stream_not_seen_for_long_gives_its_chain_away) {
  fg_chains *c = fg_chains_new(&target, LINKS);
  for (int i = 0; i < 2; i++)
    for (int s = 0; s < 4; s++) launch(c, these, s);
  for (int i = 0; i < 100; i++)
    for (int s = 1; s < 4; s++) ck_assert(launch(c, these, s));
  ck_assert(launch(c, others, 4)); /* the first one's, with these arguments */
  ck_assert_int_eq(seen.chain, 1);
  ck_assert(seen.made == 4 && seen.sets == 1);
  ck_assert(!launch(c, these, 0));
  fg_chains_free(c);
}
END_TEST

/* Also if all others are gone, so that no call has a chain. */
START_TEST(a_stream_that_comes_late_gets_a_chain) {
  fg_chains *c = fg_chains_new(&target, LINKS);
  for (int i = 0; i < 2; i++)
    for (int s = 0; s < 4; s++) launch(c, these, s);
  for (int i = 0; i < 70; i++) launch(c, these, 4);
  ck_assert(launch(c, these, 4));
  ck_assert_int_eq(seen.made, 4);
  fg_chains_free(c);
}
END_TEST

/* A launch that fails for once. */
START_TEST(a_launch_that_fails_is_tried_the_next_time) {
  fg_chains *c = fg_chains_new(&target, LINKS);
  launch(c, these, 0);
  seen.refuse_launch = 1;
  ck_assert(!launch(c, these, 0));
  seen.refuse_launch = 0;
  ck_assert(launch(c, others, 0));
  ck_assert_int_eq(seen.made, 1);
  fg_chains_free(c);
}
END_TEST

/* Nothing was launched then, and the device is asked no more. */
START_TEST(what_is_refused_is_not_tried_again) {
  int *const refusals[] = {&seen.refuse_make, &seen.refuse_set};
  fg_chains *c = fg_chains_new(&target, LINKS);
  launch(c, these, 0);
  if (_i == 1) ck_assert(launch(c, these, 0));
  *refusals[_i] = 1;
  ck_assert(!launch(c, others, 0));
  ck_assert_int_eq(seen.alive, 0);
  *refusals[_i] = 0;
  const int made = seen.made;
  for (int i = 0; i < 3; i++) ck_assert(!launch(c, these, i));
  ck_assert_int_eq(seen.made, made);
  fg_chains_free(c);
}
END_TEST

static fg_chains *at_it;

static void another_comes(void) {
  seen.meanwhile = NULL;
  ck_assert(!launch(at_it, these, 0));
}

START_TEST(another_thread_does_without) {
  at_it = fg_chains_new(&target, LINKS);
  launch(at_it, these, 0);
  seen.meanwhile = another_comes;
  ck_assert(launch(at_it, these, 0));
  ck_assert_ptr_null(seen.meanwhile);
  ck_assert(launch(at_it, these, 0));
  fg_chains_free(at_it);
}
END_TEST

START_TEST(a_backend_without_has_none) {
  static const fg_backend none;
  ck_assert_ptr_null(fg_chains_new(&(fg_target){.backend = &none}, LINKS));
  ck_assert(!launch(NULL, these, 0));
  fg_chains_free(NULL);
}
END_TEST

/* ---- plans on arrays of the simulated device ---- */

typedef struct {
  fg_problem *p;
  homes h;
} arrays;

static arrays arrays_of(const char *text) {
  fg_problem *p = test_problem_of_numbers(text);
  p->flags = FG_ESTIMATE; /* nothing is launched to plan it */
  return (arrays){p, homes_of(p, DEVICE, DEVICE, p->arrays.in_re == p->arrays.out_re)};
}

static void free_arrays(arrays *a) {
  homes_free(&a->h);
  fg_problem_free(a->p);
}

/* By the device, if not by the real FFTW. */
static void execute_by(fg_plan *plan, const arrays *a, const char *text, bool real_fftw) {
  const int by_host = test_real_fftw_executions();
  fg_plan_execute(plan, &a->h.arrays);
  ck_assert_int_eq(test_real_fftw_executions(), by_host + real_fftw);
  homes_check(&a->h, text);
  homes_refill(&a->h);
}

static void execute(fg_plan *plan, const arrays *a, const char *text) { execute_by(plan, a, text, false); }

/* Arrays and a plan for them. */
typedef struct {
  const char *text;
  arrays a;
  fg_plan *plan;
} subject;

static subject prepare(const char *text) {
  subject s = {.text = text, .a = arrays_of(text)};
  s.plan = fg_plan_create(fg_problem_copy(s.a.p));
  return s;
}

static void run(const subject *s) { execute(s->plan, &s->a, s->text); }

static void dispose(subject *s) {
  fg_plan_destroy(s->plan);
  free_arrays(&s->a);
}

/* chained: with one call of the device's where each execution is waited for; where they follow one another. */
static const struct {
  const char *text;
  bool waited, following;
} plans[] = {
    {"ocf64*10", true, false}, {"icf16x12*7", true, false}, {"irf40x1000", true, true}, {"ocf28561*2", true, false},
    {"ik134fx6h", true, true}, {"ocf1009*60", true, false},
};

START_TEST(again_and_again_on_any_arrays) {
  const size_t before = fg_sim_count().chains;
  arrays others = arrays_of(plans[_i].text);
  subject s = prepare(plans[_i].text);
  run(&s);
  ck_assert_uint_eq(fg_sim_count().chains, before);
  run(&s);
  ck_assert_uint_eq(fg_sim_count().chains, before + plans[_i].waited);
  for (int i = 0; i < 2; i++) execute(s.plan, &others, s.text);
  run(&s);
  ck_assert_uint_eq(fg_sim_count().chains, before + plans[_i].waited);
  dispose(&s);
  ck_assert_uint_eq(fg_sim_count().chains, before);
  free_arrays(&others);
}
END_TEST

START_TEST(in_a_stream_where_launching_takes_longer_than_they_do) {
  const size_t before = fg_sim_count().chains;
  subject s = prepare(plans[_i].text);
  for (int i = 0; i < 3; i++) {
    ck_assert_int_eq(fg_plan_execute_in(s.plan, NULL, NULL), 0);
    homes_check(&s.a.h, s.text);
    homes_refill(&s.a.h);
  }
  ck_assert_uint_eq(fg_sim_count().chains, before + plans[_i].following);
  dispose(&s);
}
END_TEST

/* One by one, then: its making, its launch, and other arguments for it. */
START_TEST(a_chain_that_fails_is_done_without) {
  static const char *const some[] = {"ocf64*10", "irf40x1000", "icb8192"};
  for (int n = 1; n <= 4; n++)
    for (size_t k = 0; k < sizeof some / sizeof *some; k++) {
      arrays others = arrays_of(some[k]);
      subject s = prepare(some[k]);
      char fault[32], told[32];
      snprintf(fault, sizeof fault, "chain:%d", n);
      snprintf(told, sizeof told, "chain call %d fails", n);
      fg_backend_fail(FG_ELAUNCH, "nothing yet");
      ck_assert_int_eq(fg_sim_set_faults(fault), 0);
      for (int i = 0; i < 4; i++) execute(s.plan, i % 2 ? &s.a : &others, s.text);
      fg_sim_set_faults(NULL);
      ck_assert_ptr_nonnull(strstr(fg_backend_message(), told));
      free_arrays(&others);
      dispose(&s);
    }
}
END_TEST

/* In place: what a chain has written over the input is not computed once more by the real FFTW, nor given up. */
START_TEST(a_wait_that_fails_is_tried_again) {
  subject s = prepare(_i ? "icf16x12*7" : "icb8192");
  for (int i = 0; i < 3; i++) {
    if (i == 2) ck_assert_int_eq(fg_sim_set_faults("wait:1"), 0);
    run(&s);
  }
  fg_sim_set_faults(NULL);
  ck_assert_uint_eq(fg_sim_count().chains, 1);
  dispose(&s);
}
END_TEST

/* ---- in which stream ---- */

static struct {
  fg_stream *launched; /* in which, at last */
  int events;          /* recorded in the program's stream */
  int waits;           /* for it */
  int looks, refused, still; /* at it; the first of those that fail, 0: none; how many do, 0: all */
  int fails, failing;  /* launches there, from this one on, 0: none; how many, 0: all */
  bool no_wait;        /* waits for it fail */
  int launches;
  int chains;
  void (*meanwhile)(void);
} streams;

static fg_stream *of_the_program(void) {
  fg_stream *s = NULL;
  ck_assert_int_eq(fg_backend_sim.stream_of_program(test_target()->device, NULL, &s), 0);
  return s;
}

static bool refuses(const fg_stream *stream) {
  const bool over = streams.failing && streams.launches >= streams.fails + streams.failing;
  return streams.fails && streams.launches >= streams.fails && !over && stream == of_the_program();
}

static int launch_and_note(fg_device *device, fg_kernel *kernel, unsigned grid, unsigned block, size_t shared, const void *args,
                           size_t bytes, fg_stream *stream) {
  if (streams.meanwhile) streams.meanwhile();
  streams.launches++;
  if (refuses(stream)) return fg_backend_fail(FG_ELAUNCH, "it is being captured");
  streams.launched = stream;
  return fg_backend_sim.launch(device, kernel, grid, block, shared, args, bytes, stream);
}

static int chain_and_note(fg_device *device, fg_chain *chain, fg_stream *stream) {
  if (refuses(stream)) return fg_backend_fail(FG_ELAUNCH, "it is being captured");
  streams.launched = stream;
  streams.chains++;
  return fg_backend_sim.chain_launch(device, chain, stream);
}

static int record_and_note(fg_device *device, fg_event *event, fg_stream *stream) {
  streams.events += stream == of_the_program();
  return fg_backend_sim.event_record(device, event, stream);
}

static int wait_and_note(fg_device *device, fg_stream *stream) {
  streams.waits += stream == of_the_program();
  if (streams.no_wait && stream == of_the_program()) {
    streams.no_wait = false;
    return fg_backend_fail(FG_ELAUNCH, "it cannot be waited for");
  }
  return fg_backend_sim.stream_wait(device, stream);
}

static int look_and_note(fg_device *device, void *native, fg_stream **stream) {
  streams.looks += !native;
  const bool ended = streams.still && streams.looks >= streams.refused + streams.still;
  if (!native && streams.refused && streams.looks >= streams.refused && !ended)
    return fg_backend_fail(FG_ELAUNCH, "it is being captured");
  return fg_backend_sim.stream_of_program(device, native, stream);
}

static void note_streams(void) {
  static fg_backend notes;
  notes = fg_backend_sim;
  notes.launch = launch_and_note;
  notes.event_record = record_and_note;
  notes.chain_launch = chain_and_note;
  notes.stream_wait = wait_and_note;
  notes.stream_of_program = look_and_note;
  ((fg_target *)test_target())->backend = &notes;
}

static void execute_once(const char *text) {
  subject s = prepare(text);
  run(&s);
  dispose(&s);
}

START_TEST(alone_in_the_programs_stream) {
  note_streams();
  subject s = prepare("irf40x1000");
  for (int i = 0; i < 3; i++) {
    streams.launched = NULL;
    run(&s);
    ck_assert_ptr_eq(streams.launched, of_the_program());
    ck_assert_int_eq(streams.chains, i);
    ck_assert_int_eq(streams.events, 0);
  }
  dispose(&s);
}
END_TEST

/* Where the link takes its time. */
START_TEST(with_one_array_on_the_host_in_a_stream_of_its_own) {
  note_streams();
  fg_problem *p = test_problem_of_numbers("ocf64*10");
  p->flags = FG_ESTIMATE;
  homes h = homes_of(p, _i ? HEAP : DEVICE, _i ? DEVICE : HEAP, false);
  fg_plan *plan = fg_plan_create(fg_problem_copy(p));
  for (int i = 0; i < 3; i++) {
    fg_plan_execute(plan, NULL);
    homes_check(&h, "one on the host");
    homes_refill(&h);
    ck_assert_ptr_ne(streams.launched, of_the_program());
    ck_assert_int_eq(streams.chains, i);
    ck_assert_int_eq(streams.events, i + 1);
  }
  fg_plan_destroy(plan);
  homes_free(&h);
  fg_problem_free(p);
}
END_TEST

/* Another thread captures, on and on or for a while, from before an execution asks, or from just after that on: nothing is launched
 * there, nor waited for as long as it does, and later executions stay out of it. */
START_TEST(a_capture_is_left_alone) {
  enum { ON, A_WHILE, JUST_AFTER };
  note_streams();
  subject s = prepare("ocf64*10");
  run(&s);
  const int waits = streams.waits;
  streams.refused = streams.looks + 1 + (_i == JUST_AFTER);
  streams.still = _i == A_WHILE ? 5 : 0;
  streams.fails = _i == JUST_AFTER ? streams.launches : 0;
  streams.launched = NULL;
  execute_by(s.plan, &s.a, s.text, true);
  ck_assert_int_gt(streams.looks, streams.refused + 5);
  ck_assert_int_eq(streams.waits > waits, _i == A_WHILE); /* what is in it comes first, if the capture ends soon */
  ck_assert_ptr_null(streams.launched);
  streams.refused = streams.fails = 0;
  for (int i = 1; i <= 3; i++) {
    run(&s);
    ck_assert_ptr_ne(streams.launched, of_the_program());
    ck_assert_int_eq(streams.events, i);
  }
  dispose(&s);
}
END_TEST

/* Nothing is asked twice: the stream may be captured from one question to the next. */
START_TEST(one_question_an_execution) {
  note_streams();
  subject s = prepare("ocf64*10");
  const int looks = streams.looks;
  for (int i = 0; i < 3; i++) run(&s);
  ck_assert_int_eq(streams.looks, looks + 3);
  dispose(&s);
}
END_TEST

/* In place, begun there, and then refused: again and again, so that it goes on elsewhere; or once, when what is there cannot be
 * waited for, so that it has no order but there. */
START_TEST(what_was_begun_there_ends_well) {
  note_streams();
  subject s = prepare("irf40x1000");
  streams.fails = streams.launches + 2;
  streams.failing = _i;
  streams.no_wait = _i;
  run(&s);
  ck_assert_int_eq(streams.launched == of_the_program(), _i);
  ck_assert(!streams.no_wait);
  dispose(&s);
}
END_TEST

static subject another;

static void another_execution(void) {
  streams.meanwhile = NULL;
  run(&another);
  ck_assert_ptr_ne(streams.launched, of_the_program());
  ck_assert_int_eq(streams.events, 1); /* its order */
}

START_TEST(beside_another_one_in_a_stream_of_its_own) {
  note_streams();
  another = prepare("ocf60*9");
  streams.meanwhile = another_execution;
  execute_once("ocf64*10");
  ck_assert_ptr_null(streams.meanwhile);
  ck_assert_ptr_eq(streams.launched, of_the_program());
  execute_once("ocf64*10"); /* and alone again */
  ck_assert_ptr_eq(streams.launched, of_the_program());
  ck_assert_int_eq(streams.events, 1);
  dispose(&another);
}
END_TEST

/* Whose end another thread would wait for. */
START_TEST(a_long_one_in_a_stream_of_its_own) {
  note_streams();
  fg_sim_set_small(64 << 10);
  execute_once("ocf1024*800");
  ck_assert_ptr_ne(streams.launched, of_the_program());
  ck_assert_int_eq(streams.events, 1);
}
END_TEST

int main(void) {
  test_choose_sim();
  unsetenv("FFTW3_GPU_SIM_ABORT"); /* injected failures are none */
  test_real_fftw();
  TCase *tc = tcase_create("chain");
  tcase_set_timeout(tc, 300);
  tcase_add_test(tc, made_at_the_second_call_and_then_only_launched);
  tcase_add_test(tc, only_arguments_that_change_are_set);
  tcase_add_test(tc, each_stream_has_a_chain_of_its_own);
  tcase_add_test(tc, a_stream_not_seen_for_long_gives_its_chain_away);
  tcase_add_test(tc, a_stream_that_comes_late_gets_a_chain);
  tcase_add_test(tc, a_launch_that_fails_is_tried_the_next_time);
  tcase_add_loop_test(tc, what_is_refused_is_not_tried_again, 0, 2);
  tcase_add_test(tc, another_thread_does_without);
  tcase_add_test(tc, a_backend_without_has_none);
  tcase_add_loop_test(tc, again_and_again_on_any_arrays, 0, TEST_COUNT(plans));
  tcase_add_loop_test(tc, in_a_stream_where_launching_takes_longer_than_they_do, 0, TEST_COUNT(plans));
  tcase_add_test(tc, a_chain_that_fails_is_done_without);
  tcase_add_loop_test(tc, a_wait_that_fails_is_tried_again, 0, 2);
  tcase_add_test(tc, alone_in_the_programs_stream);
  tcase_add_loop_test(tc, with_one_array_on_the_host_in_a_stream_of_its_own, 0, 2);
  tcase_add_loop_test(tc, a_capture_is_left_alone, 0, 3);
  tcase_add_test(tc, one_question_an_execution);
  tcase_add_loop_test(tc, what_was_begun_there_ends_well, 0, 2);
  tcase_add_test(tc, beside_another_one_in_a_stream_of_its_own);
  tcase_add_test(tc, a_long_one_in_a_stream_of_its_own);
  return test_run(tc, "chain");
}
