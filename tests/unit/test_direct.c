/* test_direct.c: executions on device arrays in streams that do nothing until one is waited for, and then all at once
 * as far as events allow: a missing event gives a wrong result. */
#include "config.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/sim/sim.h"
#include "on_sim.h"
#include "random_problem.h"
#include "src/plan/planner.h"
#include "src/run/direct.h"
#include "src/run/lane.h"
#include "src/run/memory.h"
#include "suite.h"
#include "tests/unit/lazy_backend.h"

enum { STREAMS = 7 };

static fg_target target;
static fg_problem *problem;
static fg_program *program, *programs[2]; /* the one that is executed; a short one, and the same as if it were long */
static size_t bytes;
static char *right[2]; /* results of the two inputs */
static char *input[2];

static void done(int code) { ck_assert_msg(code == FG_OK, "%s", fg_backend_message()); }

static void *device_memory(void) {
  void *memory;
  done(target.backend->memory_alloc(target.device, bytes, &memory));
  return memory;
}

static fg_stream *stream(void) {
  fg_stream *s;
  done(target.backend->stream_create(target.device, &s));
  return s;
}

static fg_direct execution(void *in, void *out) {
  return (fg_direct){.program = program,
                     .reach = {FG_REACH_ARRAY, FG_REACH_ARRAY},
                     .arrays = {in, (float *)in + 1, out, (float *)out + 1}};
}

/* At once, for comparison. */
static void find_right(int which) {
  void *in = device_memory(), *out = device_memory();
  fg_stream *s = stream();
  input[which] = malloc(bytes);
  right[which] = malloc(bytes);
  for (size_t i = 0; i < bytes / sizeof(float); i++)
    ((float *)input[which])[i] = (float)((int)(i * (which ? 31 : 17)) % 97 - 48) / 32;
  done(target.backend->copy_in(target.device, in, input[which], bytes, s));
  done(target.backend->stream_wait(target.device, s));
  const fg_direct d = execution(in, out);
  ck_assert_int_eq(fg_direct_run(&d), FG_DONE);
  done(target.backend->copy_out(target.device, right[which], out, bytes, s));
  done(target.backend->stream_wait(target.device, s));
  target.backend->stream_destroy(target.device, s);
  target.backend->memory_free(target.device, in);
  target.backend->memory_free(target.device, out);
}

static const enum fg_reach reach[] = {FG_REACH_ARRAY, FG_REACH_ARRAY};

static void setup(void) {
  const char *why = "";
  target = *test_target();
  target.backend = &lazy_backend;
  problem = test_problem("ocf65536", FG_SINGLE);
  fg_passes *passes = calloc(1, sizeof *passes);
  ck_assert_msg(fg_planner_plan_reaching(problem, reach, false, target.info, passes, &why), "%s", why);
  ck_assert_int_gt(passes->count, 1);
  ck_assert_uint_gt(passes->scratch[0], 0); /* which executions would have in common */
  for (int i = 0; i < 2; i++) {
    if (i) passes->cost = 1; /* second */
    programs[i] = fg_program_create_reaching(&target, problem, reach, passes, &why);
    ck_assert_msg(programs[i] != NULL, "%s", why);
    ck_assert_int_eq(fg_program_short(programs[i]), i == 0);
  }
  program = programs[0];
  free(passes);
  bytes = 65536 * 2 * sizeof(float);
  find_right(0);
  find_right(1);
  lazy_backend_fair = true;
}

/* More streams than lanes, waited for from the last to the first. */
START_TEST(streams_do_not_disturb_each_other) {
  program = programs[_i];
  fg_stream *s[STREAMS];
  void *in[STREAMS], *out[STREAMS];
  bool damaged;
  for (int round = 0; round < 2; round++)
    for (int i = 0; i < STREAMS; i++) {
      if (round == 0) {
        s[i] = stream();
        in[i] = device_memory();
        out[i] = device_memory();
      }
      const fg_direct d = execution(in[i], out[i]);
      done(target.backend->copy_in(target.device, in[i], input[(i + round) % 2], bytes, s[i]));
      done(fg_direct_run_in(&d, s[i], &damaged));
    }
  for (int i = STREAMS - 1; i >= 0; i--) {
    char *got = malloc(bytes);
    done(target.backend->copy_out(target.device, got, out[i], bytes, s[i]));
    done(target.backend->stream_wait(target.device, s[i]));
    ck_assert_msg(!memcmp(got, right[(i + 1) % 2], bytes), "stream %d of %d", i, STREAMS);
    free(got);
  }
}
END_TEST

/* One that needs more scratch, in the stream of one whose work has not begun: the old scratch stays until that is done. */
START_TEST(scratch_grows_behind_what_is_under_way) {
  program = programs[_i];
  const char *why = "";
  const enum fg_reach reach[] = {FG_REACH_ARRAY, FG_REACH_ARRAY};
  fg_problem *larger = test_problem("ocf131072", FG_SINGLE);
  fg_passes *passes = calloc(1, sizeof *passes);
  ck_assert(fg_planner_plan_reaching(larger, reach, false, target.info, passes, &why));
  fg_program *const twice = fg_program_create_reaching(&target, larger, reach, passes, &why);
  ck_assert_msg(twice != NULL, "%s", why);
  ck_assert_uint_gt(fg_program_bytes(twice)[FG_ARRAY_SCRATCH0], fg_program_bytes(program)[FG_ARRAY_SCRATCH0]);
  void *in, *out, *first_in = device_memory(), *first_out = device_memory();
  done(target.backend->memory_alloc(target.device, 2 * bytes, &in));
  done(target.backend->memory_alloc(target.device, 2 * bytes, &out));
  fg_stream *const s = stream();
  char *got = malloc(2 * bytes), *want = malloc(2 * bytes);
  bool damaged;
  fg_direct one = execution(first_in, first_out), all = execution(in, out);
  all.program = twice;
  for (int i = 0; i < 2; i++) done(target.backend->copy_in(target.device, (char *)in + (size_t)i * bytes, input[i], bytes, s));
  done(target.backend->stream_wait(target.device, s));
  ck_assert_int_eq(fg_direct_run(&all), FG_DONE);
  done(target.backend->copy_out(target.device, want, out, 2 * bytes, s));
  done(target.backend->stream_wait(target.device, s));
  fg_lane_trim();
  done(target.backend->copy_in(target.device, first_in, input[0], bytes, s));
  done(fg_direct_run_in(&one, s, &damaged));
  done(fg_direct_run_in(&all, s, &damaged));
  done(target.backend->copy_out(target.device, got, out, 2 * bytes, s));
  done(target.backend->stream_wait(target.device, s));
  ck_assert(!memcmp(got, want, 2 * bytes));
  done(target.backend->copy_out(target.device, got, first_out, bytes, s));
  done(target.backend->stream_wait(target.device, s));
  ck_assert(!memcmp(got, right[0], bytes));
  free(got);
  free(want);
  fg_program_destroy(twice);
  free(passes);
  fg_problem_free(larger);
}
END_TEST

/* Then an execution that is waited for, in the same scratch: the streams' work is not over. */
START_TEST(an_execution_follows_the_streams) {
  program = programs[_i];
  fg_stream *s[STREAMS];
  void *in[STREAMS], *out[STREAMS], *own_in = device_memory(), *own_out = device_memory();
  bool damaged;
  fg_stream *own = stream();
  char *got = malloc(bytes);
  done(target.backend->copy_in(target.device, own_in, input[1], bytes, own));
  done(target.backend->stream_wait(target.device, own));
  for (int i = 0; i < STREAMS; i++) {
    s[i] = stream();
    in[i] = device_memory();
    out[i] = device_memory();
    const fg_direct d = execution(in[i], out[i]);
    done(target.backend->copy_in(target.device, in[i], input[0], bytes, s[i]));
    done(fg_direct_run_in(&d, s[i], &damaged));
  }
  const fg_direct d = execution(own_in, own_out);
  ck_assert_int_eq(fg_direct_run(&d), FG_DONE);
  for (int i = 0; i <= STREAMS; i++) {
    fg_stream *from = i < STREAMS ? s[i] : own;
    done(target.backend->copy_out(target.device, got, i < STREAMS ? out[i] : own_out, bytes, from));
    done(target.backend->stream_wait(target.device, from));
    ck_assert_msg(!memcmp(got, right[i == STREAMS], bytes), "execution %d of %d", i, STREAMS);
  }
}
END_TEST

/* The input is only on its way, in the program's default stream. */
START_TEST(an_execution_follows_the_default_stream) {
  program = programs[_i];
  void *in = device_memory(), *out = device_memory();
  char *got = malloc(bytes);
  const int chains = lazy_backend_chains;
  fg_stream *theirs, *s = stream();
  const fg_direct d = execution(in, out);
  done(target.backend->stream_of_program(target.device, NULL, &theirs));
  for (int i = 0; i < 4; i++) {
    done(target.backend->copy_in(target.device, in, input[i % 2], bytes, theirs));
    ck_assert_int_eq(fg_direct_run(&d), FG_DONE);
    done(target.backend->copy_out(target.device, got, out, bytes, s));
    done(target.backend->stream_wait(target.device, s));
    ck_assert_msg(!memcmp(got, right[i % 2], bytes), "execution %d", i);
  }
  ck_assert_int_eq(lazy_backend_chains - chains, _i == 0 ? 4 : 0);
}
END_TEST

/* Of four that were used at once, in streams of the program's, those that are not used for long go: one stays that a living plan
 * needs. */
START_TEST(what_many_streams_used_goes_in_time) {
  enum { MB = 1 << 20, LANES = 4, SOON = 8, LATE = 80 };
  const fg_target *const t = test_target();
  const size_t idle_limit = fg_memory_most_idle, fifteen[FG_ARRAYS] = {[FG_ARRAY_SCRATCH0] = 15 * MB};
  fg_lane_need need = {.target = t, .bytes = {[FG_ARRAY_SCRATCH0] = 15 * MB}};
  fg_stream *s[LANES];
  fg_lane *l[LANES];
  fg_lane_trim();
  const size_t before = fg_memory_used(); /* tables */
  fg_memory_most = 64 * MB;
  fg_memory_most_idle = MB;
  fg_lane_keep(&need);
  for (int i = 0; i < LANES; i++) {
    ck_assert_int_eq(t->backend->stream_create(t->device, &s[i]), FG_OK);
    ck_assert_int_eq(fg_lane_acquire(t, fifteen, 0, s[i], &l[i]), FG_OK);
  }
  for (int i = 0; i < LANES; i++) {
    ck_assert_int_eq(t->backend->event_record(t->device, l[i]->after, s[i]), FG_OK);
    fg_lane_release(l[i], s[i]);
  }
  for (int n = 0; n < LATE; n++) {
    if (n < SOON) ck_assert_uint_eq(fg_memory_used() - before, 60 * MB);
    ck_assert_int_eq(fg_lane_acquire(t, fifteen, 0, s[0], &l[0]), FG_OK);
    ck_assert_int_eq(t->backend->event_record(t->device, l[0]->after, s[0]), FG_OK);
    fg_lane_release(l[0], s[0]);
  }
  ck_assert_uint_eq(fg_memory_used() - before, 15 * MB);
  fg_lane_keep_no_more(&need);
  for (int i = 0; i < LANES; i++) t->backend->stream_destroy(t->device, s[i]);
  fg_lane_trim();
  fg_memory_most_idle = idle_limit;
}
END_TEST

static int launches_until_refused; /* 0: none is */

static int launch_or_not(fg_device *d, fg_kernel *k, unsigned grid, unsigned block, size_t shared, const void *args, size_t size,
                         fg_stream *s) {
  if (launches_until_refused && --launches_until_refused == 0) return fg_backend_fail(FG_ELAUNCH, "refused");
  return lazy_backend.launch(d, k, grid, block, shared, args, size, s);
}

/* Whoever is told has another answer written to the same arrays: the pass before, which writes there, is over. */
START_TEST(what_was_launched_is_over_when_a_failure_is_told) {
  static fg_backend refusing;
  const char *why = "";
  bool damaged;
  refusing = lazy_backend;
  refusing.launch = launch_or_not;
  refusing.chain_make = NULL;
  target.backend = &refusing;
  fg_problem *const planes = test_problem("ocf1024x512", FG_SINGLE);
  fg_passes *const passes = calloc(1, sizeof *passes);
  ck_assert_msg(fg_planner_plan_reaching(planes, reach, false, target.info, passes, &why), "%s", why);
  ck_assert_int_eq(passes->pass[0].to.array, FG_ARRAY_OUT);
  program = fg_program_create_reaching(&target, planes, reach, passes, &why);
  ck_assert_msg(program != NULL, "%s", why);
  bytes = (size_t)1024 * 512 * 2 * sizeof(float);
  fg_stream *const s = stream(), *const own = stream();
  void *const in = device_memory(), *const out = device_memory();
  char *const got = malloc(bytes), *const answer = malloc(bytes);
  for (size_t i = 0; i < bytes; i++) answer[i] = (char)i;
  const fg_direct d = execution(in, out);
  done(target.backend->copy_in(target.device, in, answer, bytes, own));
  done(target.backend->stream_wait(target.device, own));
  launches_until_refused = 2;
  ck_assert_int_eq(fg_direct_run_in(&d, s, &damaged), FG_ELAUNCH);
  ck_assert_int_eq(launches_until_refused, 0);
  done(target.backend->copy_in(target.device, out, answer, bytes, own));
  done(target.backend->stream_wait(target.device, own));
  done(target.backend->stream_wait(target.device, s));
  done(target.backend->copy_out(target.device, got, out, bytes, own));
  done(target.backend->stream_wait(target.device, own));
  ck_assert_mem_eq(got, answer, bytes);
  fg_problem_free(planes);
  free(passes);
}
END_TEST

int main(void) {
  test_choose_sim();
  TCase *tc = tcase_create("direct");
  tcase_add_checked_fixture(tc, setup, fg_lane_trim);
  tcase_set_timeout(tc, 120);
  tcase_add_loop_test(tc, streams_do_not_disturb_each_other, 0, 2);
  tcase_add_loop_test(tc, scratch_grows_behind_what_is_under_way, 0, 2);
  tcase_add_loop_test(tc, an_execution_follows_the_streams, 0, 2);
  tcase_add_loop_test(tc, an_execution_follows_the_default_stream, 0, 2);
  tcase_add_test(tc, what_many_streams_used_goes_in_time);
  tcase_add_test(tc, what_was_launched_is_over_when_a_failure_is_told);
  return test_run(tc, "direct");
}
