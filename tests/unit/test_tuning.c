/* test_tuning.c: the table of geometries, and their measurement on sim by a clock that the test sets. */
#include <check.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda/sim/sim.h"
#include "on_sim.h"
#include "random_problem.h"
#include "same_geometry.h"
#include "src/pass/geometry.h"
#include "src/pass/tuned.h"
#include "src/report/clock.h"
#include "src/plan/measure_geometry.h"
#include "src/plan/planner.h"
#include "src/plan/prepare.h"
#include "src/plan/tuning.h"
#include "src/plan/wisdom.h"
#include "src/run/memory.h"
#include "suite.h"

/* ---- the table ---- */

START_TEST(what_was_learned_is_planned) {
  const fg_choice slow = {.stages = 2, .radix = {32, 32}, .lines = 2, .threads = 64, .blocks_sm = 2, .spacing = 8};
  fg_passes *before = test_plan("oc1024*512", FG_SINGLE, &fg_reference_device);
  fg_tuned_learn(&before->pass[0], 90, &slow, 1);
  fg_passes *after = test_plan("ob1024*600", FG_SINGLE, &fg_reference_device); /* the other direction, about as many */
  const fg_choice now = fg_choice_of(&after->pass[0]);
  same_choice(&now, &slow);
  ck_assert_double_eq(after->cost, after->pass[0].price);
  ck_assert(fg_tuned_known(&after->pass[0], 90, 1) && !fg_tuned_known(&after->pass[0], 90, 2));
  fg_device_info older = fg_reference_device;
  older.arch = 80;
  fg_passes *elsewhere = test_plan("oc1024*512", FG_SINGLE, &older);
  same_kernel(&elsewhere->pass[0], &before->pass[0]);
  free(before);
  free(after);
  free(elsewhere);
}
END_TEST

START_TEST(the_more_patient_finding_stands) {
  const fg_choice a = {.stages = 2, .radix = {32, 32}, .lines = 2, .threads = 64, .blocks_sm = 2, .spacing = 8};
  fg_choice b = a;
  b.threads = 128;
  fg_passes *list = test_plan("oc1024*512", FG_SINGLE, &fg_reference_device);
  fg_tuned_learn(&list->pass[0], 90, &a, 2);
  fg_tuned_learn(&list->pass[0], 90, &b, 1);
  fg_passes *after = test_plan("oc1024*512", FG_SINGLE, &fg_reference_device);
  ck_assert_int_eq(after->pass[0].threads, 64);
  fg_tuned_forget(NULL);
  free(after);
  after = test_plan("oc1024*512", FG_SINGLE, &fg_reference_device);
  same_kernel(&after->pass[0], &list->pass[0]);
  free(after);
  free(list);
}
END_TEST

START_TEST(the_table_is_text) {
  char *text = NULL, key[FG_CHOICE_KEY], line[400];
  size_t size;
  const fg_choice c = {.stages = 2, .radix = {32, 32}, .lines = 2, .threads = 64, .blocks_sm = 2, .spacing = 8};
  fg_passes *list = test_plan("oc1024*512", FG_SINGLE, &fg_reference_device);
  fg_choice_key(&list->pass[0], key);
  fg_tuned_learn(&list->pass[0], 90, &c, 1);
  FILE *f = open_memstream(&text, &size);
  ck_assert_int_eq(fg_tuned_write(f), 1);
  fclose(f);
  snprintf(line, sizeof line, "90 %s 1 32.32 2 64 2 8\n", key);
  ck_assert_str_eq(text, line);
  fg_tuned_forget(NULL);
  ck_assert(!fg_tuned_known(&list->pass[0], 90, 0));
  ck_assert(fg_tuned_read(text) && fg_tuned_known(&list->pass[0], 90, 1));
  ck_assert(!fg_tuned_read("# a comment") && !fg_tuned_read("") && !fg_tuned_read("90 key"));
  free(text);
  free(list);
}
END_TEST

/* FFTW's cleanup forgets: it needs none of the table that stays, whose entries would lie where FFTW has just given memory back, which
 * plans that programs keep (and should not) still look at.  (Seen where malloc takes more of the heap, which the table needs.) */
START_TEST(forgetting_takes_no_memory) {
  const void *const end = sbrk(0);
  fg_tuned_forget(NULL);
  ck_assert_ptr_eq(sbrk(0), end);
  ck_assert_uint_gt(fg_tuned_generation(), 0); /* has read the table */
}
END_TEST

/* Those of one device may only be shipped; without its name they are like the others. */
START_TEST(every_line_of_the_shipped_table_is_one) {
  for (const char *const *line = fg_tuned_shipped; *line; line++) {
    const bool of_one = strncmp(*line, "90@", 3) == 0;
    char text[512];
    snprintf(text, sizeof text, "90%s", strchr(*line, ' '));
    ck_assert_msg(fg_tuned_read(of_one ? text : *line), "%s", *line);
    if (!of_one) continue;
    const size_t word = strcspn(*line + 3, " ");
    ck_assert(!fg_tuned_read(*line) && word >= 1 && word <= 15);
  }
}
END_TEST

/* Rows whose passes were measured to be faster in another cut than the model's: in bulk, where the table has them. */
START_TEST(measured_cuts_are_planned) {
  fg_device_info older = fg_reference_device;
  older.arch = 80;
  fg_passes *bulk = test_plan("icb1000000*33", FG_SINGLE, &fg_reference_device);
  fg_passes *alone = test_plan("oc1000000", FG_SINGLE, &fg_reference_device);
  fg_passes *elsewhere = test_plan("oc1000000*33", FG_SINGLE, &older);
  ck_assert(bulk->count == 2 && bulk->pass[0].n == 500 && bulk->pass[1].n == 2000);
  ck_assert(fg_tuned_shipped_has(&bulk->pass[0], &fg_reference_device));
  ck_assert(fg_tuned_shipped_has(&bulk->pass[1], &fg_reference_device));
  ck_assert(alone->pass[0].n != 500 && elsewhere->pass[0].n != 500);
  free(bulk);
  free(alone);
  free(elsewhere);
}
END_TEST

/* The table has rows of 169 of an H100, and others of the architecture. */
START_TEST(what_is_of_one_device_is_planned_there_only) {
  fg_device_info other = fg_reference_device;
  snprintf(other.name, sizeof other.name, "NVIDIA H100 80GB HBM3");
  fg_passes *here = test_plan("oc28561*1174", FG_SINGLE, &fg_reference_device);
  fg_passes *there = test_plan("oc28561*1174", FG_SINGLE, &other);
  ck_assert_int_eq(here->pass[1].lines, 32);
  ck_assert_int_eq(there->pass[1].lines, 64);
  free(here);
  free(there);
}
END_TEST

/* ---- measuring ---- */

static double clock_now, each;

/* Each launch takes less than the one before, so that the last geometry is the fastest; or more. */
static double shrinking_clock(void) {
  static size_t seen;
  const size_t launches = fg_sim_count().launches;
  for (; seen < launches; seen++) clock_now += each *= 0.999;
  return clock_now;
}

static double growing_clock(void) {
  static size_t seen;
  const size_t launches = fg_sim_count().launches;
  for (; seen < launches; seen++) clock_now += each *= 1.001;
  return clock_now;
}

typedef struct {
  int calls, passes, tried, wrong, faster;
  bool kept;
} heard;

static void listen(void *context, const fg_tuning_result *r) {
  heard *h = context;
  h->calls++;
  h->kept = r->kept;
  h->passes = r->count;
  for (int i = 0; i < r->count; i++) {
    h->tried += r->pass[i].tried;
    h->wrong += r->pass[i].wrong;
    h->faster += r->pass[i].after < r->pass[i].before;
  }
}

static heard tune_on(const fg_target *t, const char *text, enum fg_precision precision, const fg_tuning_limits *limits) {
  heard h = {0};
  fg_problem *p = test_problem(text, precision);
  const char *why = fg_tuning_run(t, p, limits, listen, &h);
  ck_assert_msg(!why, "%s: %s", text, why);
  fg_problem_free(p);
  return h;
}

static heard tune(const char *text, int most, double until) {
  const fg_tuning_limits limits = {.most = most, .patience = 1, .until = until, .keep_slower = true};
  return tune_on(test_target(), text, FG_SINGLE, &limits);
}

/* Every family of kernels, several passes, and more output than input, of which some is not written; wrong ones would be
 * told of. */
static const struct {
  const char *text;
  int passes;
} measured[] = {{"oc60*8", 1}, {"oc48x48", 1}, {"ic6x10x4*3", 1}, {"oc37*5", 1}, {"oc404*2", 1}, {"orf30*4", 1},
                {"orf30*25", 1}, {"orb36*3", 1}, {"oc2048", 1}, {"oc8192", 1}, {"ic40x1000", 2}, {"oc65536", 2},
                {"ok8e10x6o11*30", 1}, {"ok168e00*30", 1}, {"ok86o00v100", 1}};

START_TEST(geometries_are_tried_and_right) {
  each = 1e-3;
  fg_clock_test = shrinking_clock;
  const heard h = tune(measured[_i].text, 6, INFINITY);
  ck_assert_int_eq(h.calls, 1);
  ck_assert_int_eq(h.passes, measured[_i].passes);
  ck_assert_int_gt(h.tried, 3);
  ck_assert_int_eq(h.wrong, 0);
  ck_assert(h.kept && h.faster > 0);
  ck_assert_int_eq(tune(measured[_i].text, 6, INFINITY).calls, 0); /* it is known */
}
END_TEST

START_TEST(doubles_are_measured_too) {
  const fg_tuning_limits limits = {.most = 6, .patience = 1, .until = INFINITY, .keep_slower = true};
  each = 1e-3;
  fg_clock_test = shrinking_clock;
  const heard h = tune_on(test_target(), "oc60*8", FG_DOUBLE, &limits);
  ck_assert_int_gt(h.tried, 3);
  ck_assert(!h.wrong && h.kept);
}
END_TEST

START_TEST(what_is_given_is_tried_and_nothing_else) {
  fg_choice these[2];
  ck_assert(fg_choice_parse(&these[0], "10.6 8 64 8 0") && fg_choice_parse(&these[1], "7.9 8 64 8 0"));
  each = 1e-3;
  fg_clock_test = shrinking_clock;
  const fg_tuning_limits limits = {.most = 6, .patience = 1, .until = INFINITY, .these = these, .given = 2};
  ck_assert_int_eq(tune_on(test_target(), "oc60*8", FG_SINGLE, &limits).tried, 1); /* the other has 63 points */
}
END_TEST

/* A device on which no pass's kernel does anything, but for the first one: the planned one's. */
static fg_kernel *only;

static int launch_only_one(fg_device *device, fg_kernel *kernel, unsigned grid, unsigned block, size_t shared,
                           const void *args, size_t args_bytes, fg_stream *stream) {
  const bool of_pass = args_bytes > offsetof(fg_tile_args, loop);
  if (of_pass && !only) only = kernel;
  if (of_pass && kernel != only) return FG_OK;
  return test_target()->backend->launch(device, kernel, grid, block, shared, args, args_bytes, stream);
}

START_TEST(what_is_wrong_is_not_kept) {
  const fg_tuning_limits limits = {.most = 6, .patience = 1, .until = INFINITY, .keep_slower = true};
  fg_target broken = *test_target();
  fg_backend backend = *broken.backend;
  backend.launch = launch_only_one;
  broken.backend = &backend;
  each = 1e-3;
  fg_clock_test = shrinking_clock;
  fg_passes *before = test_plan("oc60*8", FG_SINGLE, broken.info);
  const heard h = tune_on(&broken, "oc60*8", FG_SINGLE, &limits);
  ck_assert_int_gt(h.wrong, 3);
  ck_assert(!h.tried && !h.kept && !h.faster);
  fg_passes *after = test_plan("oc60*8", FG_SINGLE, broken.info);
  same_kernel(&before->pass[0], &after->pass[0]);
  free(before);
  free(after);
}
END_TEST

START_TEST(the_fastest_is_planned_from_then_on) {
  each = 1e-3;
  fg_clock_test = shrinking_clock;
  fg_passes *before = test_plan("oc60*8", FG_SINGLE, test_target()->info);
  tune("oc60*8", 6, INFINITY);
  fg_passes *after = test_plan("oc60*8", FG_SINGLE, test_target()->info);
  const fg_choice x = fg_choice_of(&before->pass[0]), y = fg_choice_of(&after->pass[0]);
  char text[2][FG_CHOICE_TEXT];
  fg_choice_print(&x, text[0]);
  fg_choice_print(&y, text[1]);
  ck_assert_str_ne(text[0], text[1]);
  free(before);
  free(after);
}
END_TEST

START_TEST(nothing_faster_changes_nothing) {
  each = 1e-3;
  fg_clock_test = growing_clock;
  fg_passes *before = test_plan("oc60*8", FG_SINGLE, test_target()->info);
  const heard h = tune("oc60*8", 6, INFINITY);
  ck_assert(!h.kept && !h.faster && h.tried);
  fg_passes *after = test_plan("oc60*8", FG_SINGLE, test_target()->info);
  same_kernel(&before->pass[0], &after->pass[0]);
  free(before);
  free(after);
}
END_TEST

START_TEST(nothing_is_tried_when_time_is_over) {
  each = 1e-3;
  fg_clock_test = growing_clock;
  ck_assert_int_eq(tune("oc60*8", 6, 0).tried, 0);
}
END_TEST

/* ---- with FFTW_MEASURE, and wisdom ---- */

static fg_program *program_of(fg_problem *p, unsigned flags) {
  const char *why = "";
  fg_need need;
  p->flags = flags;
  fg_program *program = fg_prepare(test_target(), p, NULL, NULL, &need, &why);
  ck_assert_msg(program != NULL, "%s", why);
  return program;
}

/* Which geometries it has, as text. */
static void text_of(const fg_program *program, char text[FG_CHOICE_TEXT]) {
  const fg_choice c = fg_choice_of(&fg_program_passes(program)->pass[0]);
  fg_choice_print(&c, text);
}

START_TEST(measure_finds_a_geometry_that_wisdom_keeps) {
  char before[FG_CHOICE_TEXT], after[FG_CHOICE_TEXT], again[FG_CHOICE_TEXT];
  fg_problem *p = test_problem("oc60*8", FG_SINGLE);
  each = 1e-3;
  fg_clock_test = shrinking_clock;
  fg_measure_geometry_on_sim = true;
  fg_program *program = program_of(p, FG_ESTIMATE);
  fg_program *same = fg_measure_geometry(test_target(), p, INFINITY, program);
  ck_assert_ptr_eq(same, program);
  text_of(program, before);
  p->flags = FG_MEASURE;
  ck_assert_ptr_eq(fg_measure_geometry(test_target(), p, fg_clock_seconds(), program), program); /* no time */
  program = fg_measure_geometry(test_target(), p, INFINITY, program);
  text_of(program, after);
  ck_assert_str_ne(before, after);
  fg_program_destroy(program);

  char *wisdom = fg_wisdom_export(FG_SINGLE);
  ck_assert_ptr_nonnull(strstr(wisdom, after));
  ck_assert_ptr_null(fg_wisdom_export(FG_DOUBLE));
  fg_problem *doubles = test_problem("oc60*8", FG_DOUBLE); /* computed by the same passes */
  doubles->compute = FG_SINGLE;
  fg_wisdom_learn(doubles);
  char *of_doubles = fg_wisdom_export(FG_DOUBLE);
  ck_assert_ptr_nonnull(strstr(of_doubles, after));
  free(of_doubles);
  fg_problem_free(doubles);
  fg_wisdom_forget(FG_DOUBLE);
  program = program_of(p, FG_ESTIMATE);
  text_of(program, again);
  ck_assert_str_eq(after, again); /* single precision's is not forgotten */
  fg_program_destroy(program);
  fg_wisdom_forget(FG_SINGLE);
  program = program_of(p, FG_ESTIMATE);
  text_of(program, again);
  ck_assert_str_eq(before, again);
  fg_program_destroy(program);
  ck_assert(fg_wisdom_import(FG_SINGLE, wisdom));
  program = program_of(p, FG_ESTIMATE);
  text_of(program, again);
  ck_assert_str_eq(after, again);
  fg_program_destroy(program);
  free(wisdom);
  fg_problem_free(p);
}
END_TEST

START_TEST(a_device_that_fails_ends_it) {
  heard h = {0};
  fg_problem *p = test_problem("oc60*8", FG_SINGLE);
  const fg_tuning_limits limits = {.most = 4, .patience = 1, .until = INFINITY};
  test_target();
  fg_sim_set_faults("alloc:1+");
  ck_assert_ptr_nonnull(fg_tuning_run(test_target(), p, &limits, listen, &h));
  ck_assert_int_eq(h.calls, 0);
  fg_problem_free(p);
}
END_TEST

START_TEST(measuring_stays_within_the_memory_of_the_process) {
  const fg_tuning_limits limits = {.most = 6, .patience = 1, .until = INFINITY, .keep_slower = true};
  each = 1e-3;
  fg_clock_test = shrinking_clock;
  fg_problem *p = test_problem("oc60*8", FG_SINGLE);
  fg_memory_most = 200 << 10; /* enough for the arrays, too little for comparing them */
  ck_assert_ptr_nonnull(fg_tuning_run(test_target(), p, &limits, NULL, NULL));
  ck_assert_uint_eq(fg_memory_used(), 0);
  fg_memory_most = 0;
  ck_assert_ptr_null(fg_tuning_run(test_target(), p, &limits, NULL, NULL));
  ck_assert_uint_eq(fg_memory_used(), 0);
  fg_problem_free(p);
}
END_TEST

int main(void) {
  test_choose_sim();
  TCase *tc = tcase_create("tuning");
  tcase_set_timeout(tc, 120);
  tcase_add_test(tc, what_was_learned_is_planned);
  tcase_add_test(tc, the_more_patient_finding_stands);
  tcase_add_test(tc, the_table_is_text);
  tcase_add_test(tc, forgetting_takes_no_memory);
  tcase_add_test(tc, every_line_of_the_shipped_table_is_one);
  tcase_add_test(tc, measured_cuts_are_planned);
  tcase_add_test(tc, what_is_of_one_device_is_planned_there_only);
  tcase_add_loop_test(tc, geometries_are_tried_and_right, 0, TEST_COUNT(measured));
  tcase_add_test(tc, doubles_are_measured_too);
  tcase_add_test(tc, what_is_given_is_tried_and_nothing_else);
  tcase_add_test(tc, what_is_wrong_is_not_kept);
  tcase_add_test(tc, the_fastest_is_planned_from_then_on);
  tcase_add_test(tc, nothing_faster_changes_nothing);
  tcase_add_test(tc, nothing_is_tried_when_time_is_over);
  tcase_add_test(tc, measure_finds_a_geometry_that_wisdom_keeps);
  tcase_add_test(tc, a_device_that_fails_ends_it);
  tcase_add_test(tc, measuring_stays_within_the_memory_of_the_process);
  return test_run(tc, "tuning");
}
