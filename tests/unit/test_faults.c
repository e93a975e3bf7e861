/* test_faults.c: whatever call of the device fails, the answer is right, and one line tells of it.
 *
 * Answers are compared bit by bit with what the device gave before and with what the real FFTW gives, so that each
 * must be wholly one or the other; a failure that a second try mends is not told of, all others are, once. */
#include <check.h>
#include <signal.h>
#include <stdio.h>
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
#include "src/run/host/pipeline.h"
#include "src/run/slot.h"
#include "suite.h"
#include "told.h"

enum { CALLS = 24 };

/* Chunks of 256 bytes: from one to several dozen, and both planes of a split array. */
static const char *const cases[] = {"oc7*3", "/oc36", "oc360v2", "oc37:3:2*2:111:80", "/oc24x18", "ic27*2", "ic48*9",
                                    "/ic120", "ic6:5:1*5:1:6", "ic14:-3:-3*11:42:42"};

static const char *const kinds[] = {"alloc", "pinned", "stream", "launch", "copy", "wait"};

enum { WAYS = 2 }; /* in pieces; kernels that reach host memory */

static const char *case_of(int i) {
  fg_pipeline_mapped = i % WAYS ? 1 << 20 : 0;
  return cases[i / WAYS];
}

static void faults(const char *format, const char *kind, int n) {
  char spec[80];
  snprintf(spec, sizeof spec, format, kind, n);
  ck_assert_int_eq(fg_sim_set_faults(spec), 0);
}

/* One execution under the faults that are set.  Returns whether the real FFTW had to answer. */
static bool execute_and_check(device_case *c) {
  test_log_clear();
  const int before = test_real_fftw_executions();
  device_case_execute(c);
  const bool by_host = test_real_fftw_executions() > before;
  ck_assert(device_case_is(c, by_host ? c->by_host : c->by_device));
  ck_assert_int_eq(test_log_lines("warn"), by_host);
  if (by_host) ck_assert(test_log_says(": executed on the host: ") && test_log_says("sim: "));
  return by_host;
}

/* No fault: the device again, with nothing more alive than before. */
static void check_recovered(device_case *c, const fg_sim_counters *before) {
  fg_sim_set_faults(NULL);
  ck_assert(!execute_and_check(c));
  const fg_sim_counters now = fg_sim_count();
  ck_assert_uint_eq(now.allocations, before->allocations);
  ck_assert_uint_eq(now.streams, before->streams);
}

/* The n-th call of each kind fails, from a cold start (no slot is there yet); format says whether later ones do too. */
static void each_call_fails(device_case *c, const char *kind, const char *format) {
  const fg_sim_counters before = fg_sim_count();
  int fallbacks = 0;
  for (int n = 1; n <= CALLS; n++) {
    fg_slot_trim(test_target());
    faults(format, kind, n);
    fallbacks += execute_and_check(c);
    check_recovered(c, &before);
  }
  /* Memory is asked for again after all idle slots were given up. */
  const bool mended = strcmp(kind, "alloc") == 0 || strcmp(kind, "pinned") == 0;
  ck_assert_msg(fallbacks > 0 || (mended && !strchr(format, '+')), "%s never failed", kind);
}

START_TEST(an_execution_survives_each_single_failure) {
  device_case c;
  device_case_open(&c, case_of(_i));
  device_case_plan(&c);
  for (int k = 0; k < TEST_COUNT(kinds); k++) each_call_fails(&c, kinds[k], "%s:%d");
  device_case_close(&c);
}
END_TEST

START_TEST(an_execution_survives_lasting_failures) {
  device_case c;
  device_case_open(&c, case_of(_i));
  device_case_plan(&c);
  const bool in_place = c.arrays.at.in_re == c.arrays.at.out_re;
  for (int k = 0; k < TEST_COUNT(kinds); k++)
    if (!in_place || k < 4) each_call_fails(&c, kinds[k], "%s:%d+"); /* copy and wait: below, they may be fatal */
  device_case_close(&c);
}
END_TEST

/* A wait and a copy fail, in any combination: also the second try of a copy that already had begun to overwrite the
 * input, which then has to be brought back. */
START_TEST(an_execution_survives_failures_while_it_overwrites_its_input) {
  device_case c;
  device_case_open(&c, case_of(_i));
  device_case_plan(&c);
  const fg_sim_counters before = fg_sim_count();
  for (int wait = 1; wait <= CALLS; wait++)
    for (int copy = 1; copy <= CALLS; copy++) {
      char spec[80];
      snprintf(spec, sizeof spec, "wait:%d,copy:%d", wait, copy);
      ck_assert_int_eq(fg_sim_set_faults(spec), 0);
      execute_and_check(&c);
    }
  check_recovered(&c, &before);
  device_case_close(&c);
}
END_TEST

START_TEST(nothing_is_left_when_all_is_given_back) {
  const fg_sim_counters before = fg_sim_count();
  device_case c[TEST_COUNT(cases)];
  for (int i = 0; i < TEST_COUNT(cases); i++) {
    device_case_open(&c[i], cases[i]);
    device_case_plan(&c[i]);
  }
  ck_assert_uint_gt(fg_sim_count().allocations, 0);
  for (int i = 0; i < TEST_COUNT(cases); i++) device_case_close(&c[i]);
  fg_slot_trim(test_target());
  const fg_sim_counters now = fg_sim_count();
  ck_assert_uint_eq(now.allocations, before.allocations);
  ck_assert_uint_eq(now.streams, before.streams);
}
END_TEST

/* ---- planning ---- */

static const char *const plan_kinds[] = {"compile", "alloc", "stream", "copy", "wait"};

/* A plan made while the n-th call fails: ours, or the real FFTW's with one line that gives the reason. */
static bool plan_under_fault(const device_case *c, const char *kind, int n) {
  faults("%s:%d", kind, n);
  test_log_clear();
  void *plan = fg_plan_create(fg_problem_copy(c->problem));
  ck_assert_ptr_nonnull(plan);
  const bool ours = fg_plan_is_ours(plan);
  ck_assert_int_eq(test_log_lines("warn"), !ours);
  if (!ours) ck_assert(test_log_says("planned on the host: sim: ") && test_log_says("(injected)"));
  fg_sim_set_faults(NULL);
  if (ours) fg_plan_destroy(plan);
  else fg_host_of(FG_SINGLE)->destroy(plan);
  return !ours;
}

START_TEST(a_plan_is_made_whatever_fails) {
  static const char *const texts[] = {"oc360*2", "ic28561", "/oc139*2", "oc24x40"}; /* the second in two passes */
  const char *const kind = plan_kinds[_i];
  device_case c;
  const fg_sim_counters before = (test_target(), fg_sim_count());
  int failed = 0;
  fg_backend_fail(FG_ENOMEM, "an older failure"); /* must not be taken for the reason */
  for (int t = 0; t < TEST_COUNT(texts); t++) {
    device_case_open(&c, texts[t]);
    for (int n = 1; n <= 5; n++) failed += plan_under_fault(&c, kind, n);
    const fg_sim_counters now = fg_sim_count();
    ck_assert_uint_eq(now.allocations, before.allocations);
    ck_assert_uint_eq(now.streams, before.streams);
    device_case_plan(&c); /* without faults: ours */
    char *passes = fg_plan_sprint(c.plan);
    ck_assert(t != 1 || strstr(passes, "twiddle"));
    free(passes);
    device_case_close(&c);
    fg_slot_trim(test_target());
  }
  ck_assert_int_ge(failed, TEST_COUNT(texts));
}
END_TEST

/* ---- for good ---- */

typedef struct {
  const char *text, *spec;
  int n;
} last_case;

static last_case last; /* from the command line of a process of its own, since a lost device stays lost */

/* Its answers are right, or it ends. */
START_TEST(execute_to_the_end) {
  const last_case *l = &last;
  device_case c;
  device_case_open(&c, l->text);
  device_case_plan(&c);
  faults(l->spec, "", l->n);
  const bool by_host = execute_and_check(&c), lost = !fg_target_open();
  ck_assert(lost || !by_host || !strstr(l->spec, "lost")); /* then nobody asks it again */
  ck_assert_int_eq(test_log_lines("error"), lost);
  if (lost) {
    test_log_clear();
    device_case_execute(&c);
    ck_assert(device_case_is(&c, c.by_host));
    ck_assert_int_eq(test_log_lines("warn"), 0); /* it was told */
    void *later = fg_plan_create(fg_problem_copy(c.problem));
    ck_assert(later && !fg_plan_is_ours(later));
    fg_host_of(FG_SINGLE)->destroy(later);
  }
  device_case_close(&c);
}
END_TEST

/* A program of its own, too: a message of the library goes only to what standard error is when a program starts. */
static void start_again(void *argument) {
  const last_case *l = argument;
  char n[20];
  snprintf(n, sizeof n, "%d", l->n);
  setenv("CK_FORK", "no", 1);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  execl("/proc/self/exe", "test_faults", l->text, l->spec, n, (char *)NULL);
}

static int the_last_case(char **argv) {
  last = (last_case){argv[1], argv[2], atoi(argv[3])};
  test_log_inherit();
  TCase *tc = tcase_create("last");
  tcase_add_test(tc, execute_to_the_end);
  return test_run(tc, "last");
}

/* How often the child had to end itself because the input could not be saved. */
static int until_never_reached(const char *text, const char *spec) {
  int ended = 0;
  for (int n = 1; n <= 100; n += TEST_SPARSE) {
    last_case l = {text, spec, n};
    char told[2000];
    const int status = test_in_child(start_again, &l, told, sizeof told);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
    ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, "%s, %s%d: status %d: %s", text, spec, n, status,
                  told);
    ck_assert_msg(strstr(told, "fftw3-gpu: fatal: the GPU failed while the result was written over the input: sim: "),
                  "%s", told);
    ended++;
  }
  return ended;
}

/* Out of place nothing is ever lost with the device. */
static const char *const safe[] = {"oc7*3", "/oc36", "oc48*4"};

START_TEST(a_lost_device_is_answered_for_by_the_host) {
  ck_assert_int_eq(until_never_reached(safe[_i], "%slost:%d"), 0);
}
END_TEST

/* In place the device may be lost, or stop copying, between the first chunk and the last: no answer is better than a
 * wrong one. */
static const char *const overwriting[] = {"ic48*8", "/ic360", "ic14:22:1*22:1:14"}; /* more pieces than a ring has */

START_TEST(a_process_ends_rather_than_go_on_with_damage) {
  ck_assert_int_gt(until_never_reached(overwriting[_i], "%slost:%d"), 0);
  ck_assert_int_gt(until_never_reached(overwriting[_i], "%scopy:%d+"), 0);
}
END_TEST

/* One chunk is written whole or not at all. */
START_TEST(a_transform_of_one_chunk_is_never_damaged) {
  setenv("TEST_PIECE", "1000000", 1);
  ck_assert_int_eq(until_never_reached("ic48*4", "%slost:%d"), 0);
  ck_assert_int_eq(until_never_reached("ic48*4", "%scopy:%d+"), 0);
}
END_TEST

/* Which FFTW otherwise overwrites. */
START_TEST(an_input_that_is_to_be_kept_is_kept) {
  device_case c;
  device_case_open(&c, _i ? "/orb360*3" : "orb360*3");
  ((fg_problem *)c.problem)->flags |= FG_PRESERVE_INPUT;
  c.plan = fg_plan_create((fg_problem *)c.problem);
  ck_assert(c.plan && fg_plan_is_ours(c.plan));
  c.problem = fg_plan_problem(c.plan);
  fg_sim_set_faults("launch:1+");
  const int before = test_real_fftw_executions();
  device_case_execute(&c);
  fg_sim_set_faults(NULL);
  ck_assert_int_eq(test_real_fftw_executions(), before + 1);
  test_arrays_untouched(&c.arrays, c.problem, false);
  device_case_close(&c);
}
END_TEST

/* Of which DMA reaches one plane only. */
START_TEST(half_of_an_array_is_not_held) {
  const size_t bytes = 360 * 60 * sizeof(float);
  fg_problem *p = test_problem("/oc360*60", FG_SINGLE);
  float *const pinned = fg_arena_alloc(bytes), *const others = malloc(3 * bytes);
  ck_assert(pinned && others);
  memset(pinned, 0, bytes);
  memset(others, 0, 3 * bytes);
  p->arrays = (fg_arrays){pinned, others, others + 360 * 60, others + 2 * 360 * 60};
  fg_plan *plan = fg_plan_create(p);
  ck_assert_uint_eq(fg_sim_count().registered, 1); /* which takes its time, and is done with planning */
  fg_plan_execute(plan, NULL);
  ck_assert(fg_arena_forget(pinned));
  ck_assert_uint_eq(fg_sim_count().registered, 0);
  free(pinned);
  free(others);
  fg_plan_destroy(plan);
}
END_TEST

/* Planned in place, where rows have padding; in arrays of their own they have none. */
START_TEST(a_plan_in_place_is_the_hosts_on_two_arrays) {
  device_case c;
  device_case_open(&c, "irf30*4");
  c.plan = fg_plan_create((fg_problem *)c.problem);
  c.problem = fg_plan_problem(c.plan);
  fg_problem *apart = fg_problem_copy(c.problem);
  test_arrays two;
  dice d = {9};
  test_arrays_make(&two, apart, false, false);
  test_arrays_fill(&two, apart, &d);
  const int before = test_real_fftw_executions();
  fg_plan_execute(c.plan, &two.at);
  ck_assert_int_eq(test_real_fftw_executions(), before + 1);
  test_arrays_untouched(&two, apart, false);
  test_arrays_free(&two);
  fg_problem_free(apart);
  device_case_close(&c);
}
END_TEST

/* In place with strides that differ: the device does what the real FFTW refuses, and must not be alone with it. */
static const char *const refused[] = {"ic30:2:2*8:60:64", "/ic30*8:30:32", "irf9:9:9x8*2:264:264",
                                      "irb6:13:15x12*2:98:100"};

START_TEST(the_real_fftw_helps_out_where_it_has_no_plan) {
  device_case c;
  device_case_open(&c, refused[_i]);
  c.plan = fg_plan_create((fg_problem *)c.problem);
  ck_assert(c.plan && fg_plan_is_ours(c.plan));
  c.problem = fg_plan_problem(c.plan);
  ck_assert_ptr_null(fg_plan_host(c.plan));
  device_case_execute(&c);
  c.by_device = device_case_memory(&c);
  fg_sim_set_faults("launch:1+");
  const int before = test_real_fftw_executions();
  device_case_execute(&c);
  fg_sim_set_faults(NULL);
  ck_assert_int_eq(test_real_fftw_executions(), before + 1);
  ck_assert(device_case_is_near(&c, c.by_device));
  device_case_close(&c);
}
END_TEST

int main(int argc, char **argv) {
  test_choose_sim();
  unsetenv("FFTW3_GPU_SIM_ABORT"); /* injected failures are none */
  test_real_fftw();
  fg_pipeline_piece = getenv("TEST_PIECE") ? (size_t)atol(getenv("TEST_PIECE")) : 256;
  fg_pipeline_part = 64;
  fg_pipeline_mapped = 0;
  if (argc == 4) return the_last_case(argv);
  test_log_to_file();
  TCase *tc = tcase_create("faults");
  tcase_set_timeout(tc, 120);
  tcase_add_loop_test(tc, an_execution_survives_each_single_failure, 0, WAYS * TEST_COUNT(cases));
  tcase_add_loop_test(tc, an_execution_survives_lasting_failures, 0, WAYS * TEST_COUNT(cases));
  tcase_add_loop_test(tc, an_execution_survives_failures_while_it_overwrites_its_input, 0, WAYS * TEST_COUNT(cases));
  tcase_add_test(tc, nothing_is_left_when_all_is_given_back);
  tcase_add_loop_test(tc, a_plan_is_made_whatever_fails, 0, TEST_COUNT(plan_kinds));
  tcase_add_loop_test(tc, a_lost_device_is_answered_for_by_the_host, 0, TEST_COUNT(safe));
  tcase_add_loop_test(tc, a_process_ends_rather_than_go_on_with_damage, 0, TEST_COUNT(overwriting));
  tcase_add_test(tc, a_transform_of_one_chunk_is_never_damaged);
  tcase_add_loop_test(tc, an_input_that_is_to_be_kept_is_kept, 0, 2);
  tcase_add_test(tc, half_of_an_array_is_not_held);
  tcase_add_test(tc, a_plan_in_place_is_the_hosts_on_two_arrays);
  tcase_add_loop_test(tc, the_real_fftw_helps_out_where_it_has_no_plan, 0, TEST_COUNT(refused));
  const int status = test_run(tc, "faults");
  test_log_remove();
  return status;
}
