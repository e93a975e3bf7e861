/* test_ahead.c: tiles that are loaded while others are transformed and stored give what they give one by one, bit for bit;
 * where they are offered. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/sim/sim.h"
#include "dice.h"
#include "on_sim.h"
#include "random_problem.h"
#include "src/pass/choice.h"
#include "src/pass/geometry.h"
#include "src/pass/kernel.h"
#include "src/pass/tuned.h"
#include "src/plan/planner.h"
#include "src/run/host/pipeline.h"
#include "src/run/host/schedule.h"
#include "src/run/program.h"
#include "suite.h"

static void must(int code) {
  if (code != FG_OK) ck_abort_msg("%s", fg_backend_message());
}

/* ---- results ---- */

/* What the passes make of points reals, whose array begins that many bytes behind memory that has nothing before the
 * array, nor behind it: sim tells of whoever reads there.  In two launches for the last pass's columns, if
 * part says how many the first has. */
static void run(const fg_problem *p, const fg_passes *list, bool in_place, size_t shift, int part, const void *in,
                void *out, size_t bytes) {
  static const enum fg_reach arrays[] = {FG_REACH_ARRAY, FG_REACH_ARRAY};
  const fg_target *t = test_target();
  const char *why = "";
  void *memory[4];
  fg_stream *stream;
  fg_program *g = fg_program_create_reaching(t, p, arrays, list, &why);
  if (!g) ck_abort_msg("%s", why);
  must(t->backend->stream_create(t->device, &stream));
  for (int i = 0; i < 4; i++) must(t->backend->memory_alloc(t->device, bytes + shift, &memory[i]));
  char *const from = (char *)memory[0] + shift, *const to = in_place ? from : (char *)memory[1] + shift;
  must(t->backend->copy_in(t->device, from, in, bytes, stream));
  const fg_planes planes[FG_ARRAYS] = {[FG_ARRAY_IN] = {from, NULL},
                                       [FG_ARRAY_OUT] = {to, NULL},
                                       [FG_ARRAY_SCRATCH0] = {memory[2], NULL},
                                       [FG_ARRAY_SCRATCH1] = {memory[3], NULL}};
  void *const whole[FG_ARRAYS] = {from, to, memory[2], memory[3]};
  const int last = list->count - 1;
  for (int i = 0; i < last + (part == 0); i++) must(fg_program_launch_planes(g, planes, i, stream));
  if (part > 0) must(fg_program_launch_part(g, whole, last, 0, 0, part, stream));
  if (part > 0) must(fg_program_launch_part(g, whole, last, 0, part, list->pass[last].loop[0].n - part, stream));
  must(t->backend->copy_out(t->device, out, to, bytes, stream));
  must(t->backend->stream_wait(t->device, stream));
  for (int i = 0; i < 4; i++) t->backend->memory_free(t->device, memory[i]);
  t->backend->stream_destroy(t->device, stream);
  fg_program_destroy(g);
}

/* Odd lengths and even ones, with moves and without, tiles of one row and of several, the last with fewer, both
 * directions; fewer tiles than blocks, and no multiple.  Columns of one loop and of several, with a twiddle, in
 * even numbers and odd ones. */
static const struct {
  const char *text;
  int pass, lines, blocks;
} cases[] = {{"oc75*20", 0, 1, 3},    {"oc96v40", 0, 8, 2},    {"ocb96*17", 0, 2, 4},  {"oc49*11", 0, 2, 3},
             {"ocb45*16", 0, 3, 1},   {"oc60*3", 0, 1, 8},     {"oc25*11", 0, 3, 2},   {"oc2401*3", 0, 1, 2},
             {"ocb96v42", 0, 4, 3},   {"oc96v41", 0, 4, 3},    {"oc75v12", 0, 2, 1},   {"oc48v6", 0, 4, 3},
             {"oc48x301*3", 1, 6, 5}, {"ocb48x301*2", 1, 6, 4}, {"oc1001v13", 0, 5, 2}, {"oc5x96x250", 2, 4, 60},
             {"oc4x2401x8", 1, 6, 5}, {"oc4x2401x8", 2, 4, 5}};

enum { DOUBLES = 5 }; /* cases that are done in double precision, too */

/* Random points for a pass, and room for what comes of them twice. */
typedef struct {
  size_t bytes;
  void *in, *want, *got;
} results;

static results results_of(const fg_pass *p, uint64_t seed) {
  const size_t count = 2 * (size_t)(fg_pass_lines(p) * p->n), bytes = count * fg_real_size(p->precision);
  const results r = {bytes, malloc(bytes), malloc(bytes), calloc(1, bytes)};
  dice d = {seed};
  for (size_t i = 0; i < count; i++) {
    const double x = dice_between(&d, -1000, 1000);
    if (p->precision == FG_SINGLE) ((float *)r.in)[i] = (float)x;
    else ((double *)r.in)[i] = x;
  }
  return r;
}

static void results_free(results r) {
  free(r.in);
  free(r.want);
  free(r.got);
}

/* Which would have planes whole. */
static fg_device_info without_clusters(void) {
  fg_device_info device = fg_reference_device;
  device.cluster = 1;
  return device;
}

START_TEST(tiles_loaded_ahead_are_right) {
  const enum fg_precision precision = _i < DOUBLES ? FG_DOUBLE : FG_SINGLE;
  const int number = _i < DOUBLES ? _i : _i - DOUBLES;
  const char *text = cases[number].text;
  const size_t point = 2 * fg_real_size(precision);
  fg_problem *p = test_problem(text, precision);
  const fg_device_info device = without_clusters();
  fg_passes *list = test_plan(text, precision, &device);
  fg_pass *pass = &list->pass[cases[number].pass];
  const results r = results_of(pass, 17);
  ck_assert_msg(list->count > cases[number].pass && fg_geometry_may_load_ahead(pass, &fg_reference_device), "%s", text);
  pass->lines = cases[number].lines;
  run(p, list, false, 0, 0, r.in, r.want, r.bytes);
  if (strstr(text, "2401x") && cases[number].pass == 1) ck_assert(pass->twiddle);
  pass->ahead = cases[number].blocks;
  const ptrdiff_t grid = fg_kernel_grid(pass), tiles = fg_pass_blocks(pass);
  ck_assert_int_eq(grid, tiles < pass->ahead ? tiles : pass->ahead);
  for (int in_place = 0; in_place < (list->count == 1 ? 2 : 1); in_place++)
    for (size_t shift = 0; shift <= point; shift += point) {
      memset(r.got, 0, r.bytes);
      run(p, list, in_place, shift, 0, r.in, r.got, r.bytes);
      ck_assert_msg(!memcmp(r.got, r.want, r.bytes), "%s, %zu bytes aside%s", text, shift, in_place ? ", in place" : "");
    }
  results_free(r);
  free(list);
  fg_problem_free(p);
}
END_TEST

/* A launch for a part of the columns, of which an odd number comes before, or is left. */
START_TEST(parts_of_columns_are_right) {
  static const char *const text[] = {"oc64v42", "ocb75v38", "oc48v41", "oc96x150*2"};
  static const int part[] = {17, 12, 20, 75};
  fg_problem *p = test_problem(text[_i], FG_SINGLE);
  const fg_device_info device = without_clusters();
  fg_passes *list = test_plan(text[_i], FG_SINGLE, &device);
  fg_pass *const last = &list->pass[list->count - 1];
  const results r = results_of(last, 29);
  last->lines = 4;
  run(p, list, false, 0, 0, r.in, r.want, r.bytes);
  ck_assert(fg_geometry_may_load_ahead(last, &fg_reference_device) && last->loops == (_i == 3 ? 2 : 1));
  last->ahead = 2;
  run(p, list, false, 0, part[_i], r.in, r.got, r.bytes);
  ck_assert(!memcmp(r.got, r.want, r.bytes));
  results_free(r);
  free(list);
  fg_problem_free(p);
}
END_TEST

/* Against the reference, as any plan is executed: parts of a batch on the way from the host and back. */
static const char *const in_parts[] = {"oc63*37", "ic63*37"};

START_TEST(a_batch_in_parts_is_right) {
  dice d = {23};
  const char *text = in_parts[_i];
  fg_problem *p = test_problem(text, FG_SINGLE);
  fg_passes *list = test_plan(text, FG_SINGLE, &fg_reference_device);
  list->pass[0].lines = 1;
  list->pass[0].ahead = 4;
  fg_schedule_pieces = 5;
  fg_pipeline_mapped = 0;
  const size_t before = fg_sim_count().launches;
  ck_assert(list->pass[0].stages > 1 && test_passes_error(p, list, &d) <= test_allowed_error(p, list));
  ck_assert_uint_ge(fg_sim_count().launches - before, 5); /* it was cut */
  free(list);
  fg_problem_free(p);
}
END_TEST

/* ---- choices ---- */

static bool apply(const char *text, fg_pass *p, const fg_device_info *device) {
  fg_choice c;
  return fg_choice_parse(&c, text) && fg_choice_apply(&c, p, device);
}

START_TEST(where_tiles_fit_they_are_put_in) {
  fg_passes *list = test_plan("oc2401*30000", FG_SINGLE, &fg_reference_device);
  fg_pass *p = &list->pass[0];
  fg_device_info older = fg_reference_device;
  char text[FG_CHOICE_TEXT], printed[300];
  older.arch = 80;
  p->ahead = 0;
  ck_assert(!apply("n7.7.7.7 1 352 4 0", p, &older) && !p->ahead);
  ck_assert(apply("n7.7.7.7 1 352 4 0", p, &fg_reference_device));
  ck_assert_int_eq(fg_kernel_grid(p), 4 * fg_reference_device.multiprocessors);
  ck_assert_uint_eq(fg_geometry_shared(p), (49 * 55 - 6 + 1 + 2) * 8); /* groups with their gaps; the barrier */
  const fg_choice c = fg_choice_of(p);
  fg_choice_print(&c, text);
  ck_assert_str_eq(text, "n7.7.7.7 1 352 4 0");
  fg_pass_print(p, printed, sizeof printed);
  ck_assert_ptr_nonnull(strstr(printed, ", 352 threads, loaded ahead, "));
  ck_assert(!apply("n7.7.7.7 4 352 4 0", p, &fg_reference_device)); /* 308 KB */
  ck_assert(!apply("nn7.7.7.7 1 352 4 0", p, &fg_reference_device));
  ck_assert(apply("7.7.7.7 1 352 4 0", p, &fg_reference_device) && !p->ahead);
  free(list);
  list = test_plan("oc625*30000", FG_SINGLE, &fg_reference_device);
  ck_assert(apply("n25.25 2 64 4 0", &list->pass[0], &fg_reference_device));
  ck_assert_uint_eq(fg_geometry_shared(&list->pass[0]), (1250 + 2 + 2) * 8); /* two more, for where rows begin */
  free(list);
  list = test_plan("oc10935*1284", FG_SINGLE, &fg_reference_device);
  ck_assert(apply("n9.45.9.3 1 256 1 0", &list->pass[0], &fg_reference_device));
  ck_assert(!apply("n9.45.3.3.3 1 256 1 0", &list->pass[0], &fg_reference_device)); /* five stages */
  ck_assert(apply("9.45.3.3.3 1 256 1 0", &list->pass[0], &fg_reference_device));
  ck_assert(fg_geometry_may_load_ahead(&list->pass[0], &fg_reference_device));
  ck_assert(!fg_geometry_loads_ahead(&list->pass[0], &fg_reference_device));
  fg_choice tried[64];
  const int count = fg_choice_list(&list->pass[0], &fg_reference_device, tried, 64);
  int ahead = 0;
  for (int i = 0; i < count; i++) {
    ahead += tried[i].ahead;
    ck_assert(!tried[i].ahead || tried[i].stages <= 4);
  }
  ck_assert_int_gt(ahead, 4); /* though the pass itself has five */
  free(list);
}
END_TEST

/* Before that was known they were tuned, too, by more patient programs, whose wisdom is read without them. */
START_TEST(old_wisdom_of_five_stages_gives_way) {
  char before[512], after[512], key[FG_CHOICE_KEY], old[FG_CHOICE_KEY + 64];
  fg_choice found;
  fg_passes *list = test_plan("oc10000*3355", FG_SINGLE, &fg_reference_device);
  fg_pass now = list->pass[0];
  ck_assert(fg_tuned_shipped_has(&now, &fg_reference_device));
  ck_assert(apply("2.2.10.5.50 1 320 1 0", &now, &fg_reference_device));
  ck_assert(fg_choice_parse(&found, "10.20.50 1 256 1 0"));
  now = list->pass[0];
  fg_pass_print(&now, before, sizeof before);
  fg_choice_key(&now, key);
  snprintf(old, sizeof old, "%d %s 3 n2.2.10.5.50 1 320 1 0", fg_reference_device.arch, key);
  ck_assert(fg_tuned_read(old));
  free(list);
  list = test_plan("oc10000*3355", FG_SINGLE, &fg_reference_device);
  fg_pass_print(&list->pass[0], after, sizeof after);
  ck_assert_str_eq(after, before); /* the shipped one */
  ck_assert(!fg_tuned_known(&now, fg_reference_device.arch, 0));
  fg_tuned_learn(&now, fg_reference_device.arch, &found, 1);
  ck_assert(fg_tuned_known(&now, fg_reference_device.arch, 1) && !fg_tuned_known(&now, fg_reference_device.arch, 2));
  free(list);
  list = test_plan("oc10000*3355", FG_SINGLE, &fg_reference_device);
  fg_pass_print(&list->pass[0], after, sizeof after);
  ck_assert_ptr_nonnull(strstr(after, "10.20.50"));
  fg_tuned_forget(NULL);
  free(list);
}
END_TEST

/* What was found for dense rows, rows a pitch apart may not have: they have the shipped choice, as if nothing had been found. */
START_TEST(rows_a_pitch_apart_do_without_what_is_loaded_ahead) {
  char text[512];
  fg_choice found;
  fg_tuned_ignore_shipped(true);
  fg_passes *list = test_plan("oc10000*3355", FG_SINGLE, &fg_reference_device);
  fg_tuned_ignore_shipped(false);
  fg_pass dense = list->pass[0], pitched = dense;
  pitched.loop[0].in += 16;
  free(list);
  fg_pass_print(&pitched, text, sizeof text);
  ck_assert_ptr_null(strstr(text, "5.10.10.20")); /* the model's is another one */
  ck_assert(fg_choice_parse(&found, "n10.10.10.10 1 512 1 0"));
  fg_tuned_learn(&dense, fg_reference_device.arch, &found, 3);
  fg_tuned_correct(&dense, &fg_reference_device);
  fg_tuned_correct(&pitched, &fg_reference_device);
  fg_tuned_forget(NULL);
  ck_assert(dense.ahead && !pitched.ahead);
  fg_pass_print(&pitched, text, sizeof text);
  ck_assert_msg(strstr(text, "5.10.10.20") != NULL, "%s", text);
}
END_TEST

/* Columns, rows and split ones, which have gaps; real ones, one row, a convolution, a box. */
static const char *const others[] = {"oc2401v3000", "oc2401*3000", "/oc2401*3000", "orf2401*3000", "oc2401",
                                     "oc1009*3000", "oc64x64*3000"};

START_TEST(nothing_else_is_loaded_ahead) {
  fg_passes *list = test_plan(others[_i], FG_SINGLE, &fg_reference_device);
  for (int i = 0; i < list->count; i++) {
    fg_choice all[32], c = fg_choice_of(&list->pass[i]);
    fg_pass p = list->pass[i];
    if (_i < 3) p.loop[0].in++;
    const int count = fg_choice_list(&p, &fg_reference_device, all, 32);
    for (int k = 0; k < count; k++) ck_assert(!all[k].ahead);
    c.blocks_sm = 1;
    c.ahead = true;
    ck_assert_msg(!fg_choice_apply(&c, &p, &fg_reference_device), "%s", others[_i]);
  }
  free(list);
}
END_TEST

/* The model takes it where shared memory has room for one block, whose tiles begin on whole 128 bytes. */
static const struct {
  const char *text;
  enum fg_precision precision;
  bool ahead;
} long_rows[] = {{"oc16384*3000", FG_SINGLE, true},  {"oc18000*3000", FG_SINGLE, true},  {"oc16384*300", FG_SINGLE, false},
                 {"oc14641*3000", FG_SINGLE, false}, {"oc16200*3000", FG_SINGLE, false}, {"oc12000*3000", FG_SINGLE, false},
                 {"oc8000*3000", FG_DOUBLE, true},   {"oc6000*3000", FG_DOUBLE, false}};

START_TEST(rows_that_fill_a_multiprocessor_are_loaded_ahead) {
  fg_tuned_ignore_shipped(true);
  fg_passes *list = test_plan(long_rows[_i].text, long_rows[_i].precision, &fg_reference_device);
  ck_assert_int_eq(list->count, 1);
  ck_assert_int_eq(list->pass[0].ahead, long_rows[_i].ahead ? fg_reference_device.multiprocessors : 0);
  free(list);
}
END_TEST

/* The shipped table has it for columns of 1024 points with a twiddle, not for what goes out in rows. */
START_TEST(columns_that_gain_are_loaded_ahead) {
  fg_passes *list = test_plan("oc1048576*32", _i ? FG_DOUBLE : FG_SINGLE, &fg_reference_device);
  fg_pass *const p = &list->pass[0];
  ck_assert(list->count == 2 && p->ahead == fg_reference_device.multiprocessors && p->n == 1024 && !list->pass[1].ahead);
  p->column[p->stages - 1] = false;
  ck_assert(!fg_geometry_may_load_ahead(p, &fg_reference_device));
  free(list);
}
END_TEST

/* Measurements are offered it where one or two blocks fit a multiprocessor, once in a short list, and not where more do. */
START_TEST(columns_of_few_blocks_are_offered_ahead) {
  fg_choice all[32];
  fg_tuned_ignore_shipped(true);
  fg_passes *list = test_plan("oc1048576*32", FG_SINGLE, &fg_reference_device);
  fg_pass p = list->pass[0];
  const int most[] = {5, 32, 32};
  int ahead[3] = {0};
  ck_assert(!p.ahead && p.blocks_sm <= 2);
  for (int i = 0; i < 3; i++) {
    if (i == 2) p.blocks_sm = 3;
    const int count = fg_choice_list(&p, &fg_reference_device, all, most[i]);
    for (int k = 0; k < count; k++) ahead[i] += all[k].ahead;
    ck_assert_int_lt(ahead[i], count);
  }
  ck_assert(ahead[0] == 1 && ahead[1] > 1 && ahead[2] == 0);
  free(list);
}
END_TEST

/* Of others it does not; measurements are offered it, and a table has it. */
START_TEST(measurements_choose_it) {
  static const int lengths[] = {1573, 2401, 3000, 6561, 8192};
  char text[40];
  snprintf(text, sizeof text, "oc%d*3000", lengths[_i]);
  fg_tuned_ignore_shipped(true);
  fg_passes *list = test_plan(text, FG_SINGLE, &fg_reference_device);
  ck_assert(list->count == 1 && !list->pass[0].ahead);
  fg_device_info older = fg_reference_device;
  fg_choice all[16];
  int ahead = 0;
  older.arch = 80;
  const int without = fg_choice_list(&list->pass[0], &older, all, 16);
  for (int i = 0; i < without; i++) ck_assert(!all[i].ahead);
  const int count = fg_choice_list(&list->pass[0], &fg_reference_device, all, 16);
  const fg_choice *first = NULL;
  for (int i = 0; i < count; i++) {
    ahead += all[i].ahead;
    if (all[i].ahead && !first) first = &all[i];
  }
  ck_assert_msg(ahead >= 3 && ahead < count, "%s: %d of %d", text, ahead, count);
  fg_tuned_learn(&list->pass[0], fg_reference_device.arch, first, 1);
  fg_passes *after = test_plan(text, FG_SINGLE, &fg_reference_device);
  ck_assert_int_eq(after->pass[0].ahead, first->blocks_sm * fg_reference_device.multiprocessors);
  ck_assert_double_eq(after->cost, list->cost);
  free(list);
  free(after);
}
END_TEST

int main(void) {
  test_choose_sim();
  TCase *tc = tcase_create("ahead");
  tcase_set_timeout(tc, 120);
  tcase_add_loop_test(tc, tiles_loaded_ahead_are_right, 0, DOUBLES + TEST_COUNT(cases));
  tcase_add_loop_test(tc, parts_of_columns_are_right, 0, 4);
  tcase_add_loop_test(tc, a_batch_in_parts_is_right, 0, TEST_COUNT(in_parts));
  tcase_add_test(tc, where_tiles_fit_they_are_put_in);
  tcase_add_loop_test(tc, nothing_else_is_loaded_ahead, 0, TEST_COUNT(others));
  tcase_add_test(tc, old_wisdom_of_five_stages_gives_way);
  tcase_add_test(tc, rows_a_pitch_apart_do_without_what_is_loaded_ahead);
  tcase_add_loop_test(tc, rows_that_fill_a_multiprocessor_are_loaded_ahead, 0, TEST_COUNT(long_rows));
  tcase_add_loop_test(tc, columns_that_gain_are_loaded_ahead, 0, 2);
  tcase_add_test(tc, columns_of_few_blocks_are_offered_ahead);
  tcase_add_loop_test(tc, measurements_choose_it, 0, 5);
  return test_run(tc, "ahead");
}
