/* test_tuning.c: geometries as data, and their measurement on sim by a clock that the test sets. */
#include <check.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/sim/sim.h"
#include "on_sim.h"
#include "random_problem.h"
#include "src/pass/geometry.h"
#include "src/pass/kernel.h"
#include "src/pass/tuned.h"
#include "src/report/clock.h"
#include "src/plan/measure_geometry.h"
#include "src/plan/planner.h"
#include "src/plan/prepare.h"
#include "src/plan/tuning.h"
#include "src/plan/wisdom.h"
#include "src/run/memory.h"
#include "suite.h"

static const char *const problems[] = {"oc1024*512", "oc100*40",     "oc65536",     "ic96x96x96",  "oc64x64x64*2",
                                       "oc24x24x24", "oc12x28*300",  "oc101*1000",  "oc1009*3000", "oc256x256x256",
                                       "orf512*64",  "orb1000x12*3", "ok10240e10*30", "oc4096x4096", "oc37*100", "oc65521*512",
                                       "ok32e10x32e10*800", "ok128e01x128o11x6f*60", "ok168e00*300"};

static void same_kernel(const fg_pass *a, const fg_pass *b) {
  char x[FG_DEFINES_SIZE], y[FG_DEFINES_SIZE];
  fg_kernel_request_of(a, x);
  fg_kernel_request_of(b, y);
  ck_assert_str_eq(x, y);
}

static void same_choice(const fg_choice *a, const fg_choice *b) {
  char x[FG_CHOICE_TEXT], y[FG_CHOICE_TEXT];
  fg_choice_print(a, x);
  fg_choice_print(b, y);
  ck_assert_str_eq(x, y);
}

/* ---- choices ---- */

START_TEST(a_pass_s_own_choice_gives_the_same_kernel) {
  fg_passes *list = test_plan(problems[_i], FG_SINGLE, &fg_reference_device);
  for (int i = 0; i < list->count; i++) {
    fg_choice c = fg_choice_of(&list->pass[i]), back;
    fg_pass again = list->pass[i];
    char text[FG_CHOICE_TEXT];
    fg_choice_print(&c, text);
    ck_assert(fg_choice_parse(&back, text));
    memset(again.radix, 0, sizeof again.radix);
    again.stages = again.lines = again.threads = again.pad = again.blocks_sm = 0;
    again.cluster = 1;
    ck_assert_msg(fg_choice_apply(&back, &again, &fg_reference_device), "%s", text);
    same_kernel(&again, &list->pass[i]);
  }
  free(list);
}
END_TEST

START_TEST(what_is_listed_fits_and_differs) {
  fg_passes *list = test_plan(problems[_i], FG_SINGLE, &fg_reference_device);
  for (int i = 0; i < list->count; i++) {
    fg_choice all[FG_TUNING_MOST];
    const fg_pass *p = &list->pass[i];
    const int count = fg_choice_list(p, &fg_reference_device, all, FG_TUNING_MOST);
    ck_assert_int_gt(count, 1);
    for (int k = 0; k < count; k++) {
      char text[FG_CHOICE_TEXT], other[FG_CHOICE_TEXT];
      fg_pass now = *p;
      ck_assert(fg_choice_apply(&all[k], &now, &fg_reference_device));
      ck_assert_uint_le(fg_geometry_shared(&now), fg_reference_device.shared_block);
      ck_assert_int_le(now.threads * now.blocks_sm, fg_reference_device.threads_sm);
      const fg_choice c = fg_choice_of(&now);
      same_choice(&c, &all[k]);
      fg_choice_print(&all[k], text);
      for (int j = 0; j < k; j++) {
        fg_choice_print(&all[j], other);
        ck_assert_str_ne(text, other);
      }
    }
  }
  free(list);
}
END_TEST

/* Clusters beside single blocks, on devices that have them. */
START_TEST(clusters_are_listed_and_put_in) {
  enum { MOST = 32 };
  fg_passes *list = test_plan("oc24x24x24*20", FG_SINGLE, &fg_reference_device);
  fg_device_info without = fg_reference_device;
  fg_choice all[MOST];
  bool listed[FG_MOST_CLUSTER + 1] = {false};
  without.cluster = 1;
  const int count = fg_choice_list(&list->pass[0], &fg_reference_device, all, MOST);
  for (int i = 0; i < count; i++) {
    fg_pass p = list->pass[0];
    listed[all[i].cluster] = true;
    p.cluster = 1;
    ck_assert(fg_choice_apply(&all[i], &p, &without) == (all[i].cluster == 1));
  }
  ck_assert(listed[1] && listed[2] && listed[4] && listed[8]);
  const fg_choice own = fg_choice_of(&list->pass[0]);
  fg_choice c = own;
  fg_pass p = list->pass[0];
  c.cluster = 3;
  ck_assert(own.cluster > 1 && !fg_choice_apply(&c, &p, &fg_reference_device));
  c.cluster = own.cluster;
  c.lines = 2;
  ck_assert(!fg_choice_apply(&c, &p, &fg_reference_device));
  free(list);
}
END_TEST

/* Of each other number of blocks the first has no exchange more than it must: of 36³ points such geometries were the fastest. */
START_TEST(clusters_of_few_exchanges_are_listed) {
  enum { MOST = 48 };
  fg_tuned_ignore_shipped(true);
  fg_passes *list = test_plan("oc36x36x36*512", FG_SINGLE, &fg_reference_device);
  const int own = list->pass[0].cluster;
  fg_choice all[MOST];
  bool listed[FG_MOST_CLUSTER + 1] = {false};
  const int count = fg_choice_list(&list->pass[0], &fg_reference_device, all, MOST);
  fg_tuned_ignore_shipped(false);
  for (int i = 0; i < count; i++) {
    const int blocks = all[i].cluster;
    ck_assert_msg(listed[blocks] || blocks == own || all[i].stages == 3, "clusters of %d", blocks);
    listed[blocks] = true;
  }
  ck_assert(listed[3] && listed[4] && listed[6] && listed[8] && listed[9] && listed[12]);
  free(list);
}
END_TEST

static const char *const foreign[] = {
    "16.16.16 1 256 3 16", /* of 4096 */
    "16.8.7 1 256 3 16",   "1024 1 256 3 16",        "4.16.16 0 256 3 16", "4.16.16 1 250 3 16", "4.16.16 1 2048 1 16",
    "4.16.16 1 256 0 16",  "4.16.16 1 1024 3 16",    "4.16.16 1 256 3 5",  "4.16.16 512 256 3 16",
    "x4.x16.x16 1 256 3 16", "c2.4.16.16 1 256 3 16", "65.16 1 256 3 16", "2.2.2.2.2.2.2.2.2.2 1 32 1 16"};

START_TEST(what_does_not_fit_is_refused) {
  fg_passes *list = test_plan("oc1024*512", FG_SINGLE, &fg_reference_device);
  fg_pass p = list->pass[0];
  fg_choice c;
  ck_assert(fg_choice_parse(&c, "16.4.16 1 128 3 16") && fg_choice_apply(&c, &p, &fg_reference_device));
  const fg_pass before = p;
  ck_assert(!fg_choice_parse(&c, foreign[_i]) || !fg_choice_apply(&c, &p, &fg_reference_device));
  same_kernel(&p, &before);
  free(list);
}
END_TEST

/* Blocks that are alone, of geometries for which half of the registers would do: where they stay so. */
static const struct {
  const char *text;
  enum fg_precision precision;
  bool shipped;       /* planned with the table */
  const char *choice; /* NULL: as it is planned */
} alone[] = {
    {"oc28561*1174", FG_SINGLE, false, NULL},                         /* one is asked for: stores wait for each other */
    {"orf32x32x32*512", FG_SINGLE, false, NULL},                      /* shared memory has room for one */
    {"orb54x25x36*690", FG_SINGLE, true, "z5.y9.y6 32 320 1 54"},     /* boxes side by side */
    {"orb16000*2097", FG_SINGLE, true, "8.20.50 1 192 1 16"},         /* a large radix */
    {"oc1000*33554", FG_DOUBLE, true, "10.10.10 1 128 1 0"},          /* double precision */
};

START_TEST(blocks_that_gain_nothing_in_pairs_stay_alone) {
  fg_choice c;
  fg_tuned_ignore_shipped(!alone[_i].shipped);
  fg_passes *list = test_plan(alone[_i].text, alone[_i].precision, &fg_reference_device);
  fg_pass p = list->pass[0];
  for (int i = 1; i < list->count && !alone[_i].choice && p.blocks_sm > 1; i++) p = list->pass[i];
  if (alone[_i].choice) ck_assert(fg_choice_parse(&c, alone[_i].choice) && fg_choice_apply(&c, &p, &fg_reference_device));
  ck_assert_int_eq(p.blocks_sm, 1);
  fg_geometry_pair_blocks(&p, &fg_reference_device);
  ck_assert_int_eq(p.blocks_sm, 1);
  free(list);
}
END_TEST

START_TEST(what_was_measured_alone_stays_alone) {
  fg_passes *list = test_plan("oc1000*33554", FG_SINGLE, &fg_reference_device);
  ck_assert_int_eq(list->pass[0].blocks_sm, 1);
  fg_geometry_pair_blocks(&list->pass[0], &fg_reference_device);
  ck_assert_int_eq(list->pass[0].blocks_sm, 2); /* but for the measurement */
  free(list);
}
END_TEST

/* Of boxes of kinds only boxes a block, threads and blocks on a multiprocessor are open. */
START_TEST(boxes_of_kinds_keep_their_stages) {
  static const char *const others[] = {"y16.z24 1 64 4 17", "z24.y16 1 64 4 16", "z24.y16 1 64 4 18", "c2.z24.y16 1 64 4 17",
                                       "nz24.y16 1 64 4 17", "z24.y4.y4 1 64 4 17", "z24.y16 200 64 1 17", "z24.y16 1 64 0 17"};
  fg_passes *list = test_plan("ok24e10x16o11*900", FG_SINGLE, &fg_reference_device);
  fg_pass p = list->pass[0];
  fg_choice c;
  ck_assert_int_eq(p.family, FG_FAMILY_R2R_BOX);
  ck_assert(fg_choice_parse(&c, "z24.y16 3 96 5 17") && fg_choice_apply(&c, &p, &fg_reference_device));
  ck_assert(p.lines == 3 && p.threads == 96 && p.blocks_sm == 5);
  const fg_pass before = p;
  for (int i = 0; i < TEST_COUNT(others); i++) {
    ck_assert_msg(!fg_choice_parse(&c, others[i]) || !fg_choice_apply(&c, &p, &fg_reference_device), "%s", others[i]);
    same_kernel(&p, &before);
  }
  free(list);
}
END_TEST

START_TEST(text_that_is_none_is_refused) {
  static const char *const texts[] = {"",          "16",         "16.16",     "16. 1 2 3 4", ".16 1 2 3 4", "16.16 1 2 3",
                                      "q4 1 2 3 4", "-4 1 2 3 4", "130 1 2 3 4", "4..4 1 2 3 4",
                                      "c.16 1 2 3 4", "c1.16 1 2 3 4", "c17.16 1 2 3 4", "c2 1 2 3 4"};
  fg_choice c;
  for (int i = 0; i < TEST_COUNT(texts); i++) ck_assert_msg(!fg_choice_parse(&c, texts[i]), "%s", texts[i]);
  ck_assert(!fg_choice_parse(&c, "2.2.2.2.2.2.2.2.2.2.2.2.2 1 2 3 4"));
}
END_TEST

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

/* With patience for more than the likeliest come variants of the fastest of those. */
START_TEST(variants_of_the_fastest_are_tried) {
  enum { MOST = 12 };
  fg_choice likeliest[MOST];
  each = 1e-3;
  fg_clock_test = shrinking_clock;
  fg_passes *planned = test_plan("oc60*8", FG_SINGLE, test_target()->info);
  const int listed = fg_choice_list(&planned->pass[0], test_target()->info, likeliest, MOST);
  const heard h = tune("oc60*8", MOST, INFINITY);
  ck_assert_int_gt(h.tried, listed);
  ck_assert(!h.wrong && h.kept);
  free(planned);
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
  double need;
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
  tcase_add_loop_test(tc, a_pass_s_own_choice_gives_the_same_kernel, 0, TEST_COUNT(problems));
  tcase_add_loop_test(tc, what_is_listed_fits_and_differs, 0, TEST_COUNT(problems));
  tcase_add_test(tc, clusters_are_listed_and_put_in);
  tcase_add_test(tc, clusters_of_few_exchanges_are_listed);
  tcase_add_loop_test(tc, what_does_not_fit_is_refused, 0, TEST_COUNT(foreign));
  tcase_add_test(tc, boxes_of_kinds_keep_their_stages);
  tcase_add_loop_test(tc, blocks_that_gain_nothing_in_pairs_stay_alone, 0, TEST_COUNT(alone));
  tcase_add_test(tc, what_was_measured_alone_stays_alone);
  tcase_add_test(tc, text_that_is_none_is_refused);
  tcase_add_test(tc, what_was_learned_is_planned);
  tcase_add_test(tc, the_more_patient_finding_stands);
  tcase_add_test(tc, the_table_is_text);
  tcase_add_test(tc, every_line_of_the_shipped_table_is_one);
  tcase_add_test(tc, measured_cuts_are_planned);
  tcase_add_test(tc, what_is_of_one_device_is_planned_there_only);
  tcase_add_loop_test(tc, geometries_are_tried_and_right, 0, TEST_COUNT(measured));
  tcase_add_test(tc, doubles_are_measured_too);
  tcase_add_test(tc, variants_of_the_fastest_are_tried);
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
