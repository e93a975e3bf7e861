/* test_recorded.c: what was recorded on some arrays is not played on others, nor what was reached there reached elsewhere. */
#include "config.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/sim/sim.h"
#include "src/plan/planner.h"
#include "src/problem/layout.h"
#include "src/problem/notation.h"
#include "src/run/arena/arena.h"
#include "src/run/host/pipeline.h"
#include "src/run/program.h"
#include "src/run/residence.h"
#include "src/run/slot.h"
#include "tests/unit/lazy_backend.h"
#include "tests/unit/suite.h"

static fg_target target;

/* Slots hold streams of the backend that made them. */
static void trim(void) { fg_slot_trim(&target); }

/* ---- programs without gaps, and planes of their arrays ---- */

/* A plane has half of its block: the other half is pinned with it. */
enum { PLANES = 4, HALF = 2 * FG_ARENA_SMALLEST, BLOCK = 2 * HALF };

typedef struct {
  fg_problem *p;
  fg_program *program;
  size_t bytes; /* of a plane */
  float *plane[PLANES], *right[PLANES]; /* as fg_arrays has them; NULL: there is none; what they shall be */
} subject;

static bool is_output(int plane) { return plane >= 2; }

static float *new_plane(void) {
  float *const plane = fg_arena_alloc(BLOCK);
  ck_assert_ptr_nonnull(plane);
  for (size_t i = 0; i < BLOCK / sizeof *plane; i++) plane[i] = (float)(i * 37 % 211) / 67;
  return plane;
}

static void drop_plane(float *plane) {
  fg_arena_forget(plane);
  free(plane);
}

static fg_arrays arrays_of(const subject *s) {
  const bool split = s->p->format == FG_SPLIT;
  return (fg_arrays){s->plane[0], split ? s->plane[1] : s->plane[0] + 1, s->plane[2], split ? s->plane[3] : s->plane[2] + 1};
}

static void execute(const subject *s) {
  const fg_arrays a = arrays_of(s);
  ck_assert_int_eq(fg_program_execute(s->program, &a), FG_DONE);
}

static void check_right(const subject *s) {
  for (int i = 0; i < PLANES; i++)
    if (is_output(i) && s->plane[i]) ck_assert_mem_eq(s->plane[i], s->right[i], s->bytes);
}

/* pieces: 0: as short executions are done. */
static subject prepare(const char *text, int pieces) {
  char why[200];
  const char *reason = "";
  subject s = {.p = fg_notation_parse(text, FG_SINGLE, why, sizeof why)};
  fg_passes *passes = calloc(1, sizeof *passes);
  ck_assert_msg(s.p != NULL, "%s", why);
  ck_assert_msg(fg_planner_plan_host(s.p, target.info, passes, &reason), "%s", reason);
  fg_schedule_pieces = pieces;
  fg_pipeline_mapped = pieces ? 0 : 1 << 20;
  fg_pipeline_unrecorded = 0;
  s.program = fg_program_create_host(&target, s.p, passes, &reason);
  ck_assert_msg(s.program != NULL, "%s", reason);
  free(passes);
  const fg_layout *l = fg_program_layout(s.program, FG_INPUT);
  s.bytes = (size_t)l->elements * fg_layout_element_size(l);
  ck_assert_uint_lt(s.bytes, HALF);
  for (int i = 0; i < PLANES; i += l->split ? 1 : 2) s.plane[i] = new_plane();
  execute(&s);
  for (int i = 0; i < PLANES; i++)
    if (s.plane[i]) s.right[i] = memcpy(malloc(s.bytes), s.plane[i], s.bytes);
  lazy_backend_graphs = 0;
  return s;
}

static void dispose(subject *s) {
  for (int i = 0; i < PLANES; i++)
    if (s->plane[i]) drop_plane(s->plane[i]);
  for (int i = 0; i < PLANES; i++) free(s->right[i]);
  fg_program_destroy(s->program);
  fg_problem_free(s->p);
}

/* ---- the tests ---- */

/* In pieces, of split arrays too; short, and so that kernels read where the input is. */
static const struct {
  const char *text;
  int pieces;
} ways[] = {{"ocf64*10", 3}, {"/ocf64*10", 3}, {"ocf64*10", 0}, {"ocf64*200", 0}};

/* A plan is executed on other arrays, of which one plane only is another one, in memory of its own or beside it. */
START_TEST(each_plane_may_be_another) {
  subject s = prepare(ways[_i / 2].text, ways[_i / 2].pieces);
  for (int i = 0; i < PLANES; i++) {
    if (!s.plane[i]) continue;
    float *const before = s.plane[i], *const apart = new_plane();
    float *const other = _i % 2 ? apart : before + HALF / sizeof *before;
    lazy_backend_graphs = 0;
    for (int n = 0; n < 3; n++) execute(&s);
    ck_assert_int_gt(lazy_backend_graphs, 0);
    s.plane[i] = other;
    memcpy(other, s.right[i], s.bytes);
    memset(is_output(i) ? other : before, 0, s.bytes);
    execute(&s);
    check_right(&s);
    s.plane[i] = before;
    drop_plane(apart);
    memcpy(before, s.right[i], s.bytes);
  }
  dispose(&s);
}
END_TEST

/* One pass behind a copy of little; but not of 64 KB, nor two, nor where kernels read the input themselves. */
START_TEST(one_launch_behind_a_copy_is_not_recorded) {
  static const struct {
    const char *text;
    bool copied, recorded;
  } cases[] = {{"ocf64*10", false, false}, {"ocf64*200", false, true}, {"ocf64*200", true, true}, {"ocf5x67*3", false, true}};
  subject s = prepare(cases[_i].text, 0);
  fg_pipeline_unrecorded = 64 << 10;
  float *const before = s.plane[0];
  if (cases[_i].copied) { /* where kernels do not read it */
    memmove(before + 2, before, s.bytes);
    s.plane[0] = before + 2;
  }
  for (int n = 0; n < 4; n++) execute(&s);
  check_right(&s);
  ck_assert_int_eq(lazy_backend_graphs > 0, cases[_i].recorded);
  s.plane[0] = before;
  dispose(&s);
}
END_TEST

/* Of what the program has pinned nobody tells when that ends: it is neither recorded nor reached by kernels. */
START_TEST(what_the_program_has_pinned_is_not_recorded) {
  subject s = prepare(ways[_i / PLANES].text, ways[_i / PLANES].pieces);
  const int i = _i % PLANES;
  const bool short_input = !ways[_i / PLANES].pieces && !is_output(i); /* it is brought; the rest is the arena's */
  if (s.plane[i] && !short_input) {
    float *const before = s.plane[i], *const pinned = aligned_alloc(4096, BLOCK);
    memcpy(pinned, before, BLOCK);
    ck_assert_int_eq(target.backend->host_register(target.device, pinned, BLOCK), FG_OK);
    s.plane[i] = pinned;
    for (int n = 0; n < 4; n++) execute(&s);
    check_right(&s);
    ck_assert_int_eq(lazy_backend_graphs, 0);
    s.plane[i] = before;
    ck_assert_int_eq(target.backend->host_unregister(target.device, pinned), FG_OK);
    free(pinned);
  }
  dispose(&s);
}
END_TEST

/* ---- what is refused has touched nothing ---- */

static const char *refused; /* the call that finds the device lost; NULL: none */

static int lost(const char *call) {
  return refused && !strcmp(refused, call) ? fg_backend_fail(FG_ELOST, "lost at %s", call) : FG_OK;
}

static int launch_or_not(fg_device *d, fg_kernel *k, unsigned grid, unsigned block, size_t shared, const void *args, size_t bytes,
                         fg_stream *s) {
  return lost("launch") ? FG_ELOST : lazy_backend.launch(d, k, grid, block, shared, args, bytes, s);
}

static int begin_or_not(fg_device *d, fg_stream *s) { return lost("begin") ? FG_ELOST : lazy_backend.graph_begin(d, s); }

static int end_or_not(fg_device *d, fg_stream *s, fg_graph **graph) {
  const int code = lazy_backend.graph_end(d, s, graph);
  return lost("end") ? FG_ELOST : code;
}

static int play_or_not(fg_device *d, fg_graph *graph, fg_stream *s) {
  return lost("play") ? FG_ELOST : lazy_backend.graph_launch(d, graph, s);
}

static int bring_or_not(fg_device *d, void *to, const void *from, size_t bytes, fg_stream *s) {
  return lost("copy") ? FG_ELOST : lazy_backend.copy_out(d, to, from, bytes, s);
}

static const struct {
  const char *call;
  int pieces, before; /* executions */
} refusals[] = {{"launch", 0, 1}, {"begin", 0, 1}, {"end", 0, 1}, {"play", 0, 2}, {"launch", 3, 0}, {"copy", 3, 0}, {"play", 3, 2}};

/* In place, by kernels that write to the host's memory and by copies. */
START_TEST(a_device_lost_before_anything_is_written_leaves_the_input) {
  fg_backend refusing = lazy_backend;
  refusing.launch = launch_or_not;
  refusing.graph_begin = begin_or_not;
  refusing.graph_end = end_or_not;
  refusing.graph_launch = play_or_not;
  refusing.copy_out = bring_or_not;
  target.backend = &refusing;
  subject s = prepare("icf64*10", refusals[_i].pieces);
  float *const apart = s.plane[2], *const before = malloc(s.bytes);
  s.plane[2] = s.plane[0];
  const fg_arrays a = arrays_of(&s);
  for (int n = 0; n < refusals[_i].before; n++) ck_assert_int_eq(fg_program_execute(s.program, &a), FG_DONE);
  memcpy(before, s.plane[0], s.bytes);
  refused = refusals[_i].call;
  const bool recording = !strcmp(refused, "begin") || !strcmp(refused, "end"); /* without which the steps are done */
  ck_assert_int_eq(fg_program_execute(s.program, &a), recording ? FG_DONE : FG_INTACT);
  if (!recording) ck_assert_mem_eq(s.plane[0], before, s.bytes);
  refused = NULL;
  free(before);
  s.plane[2] = apart;
  dispose(&s);
  trim();
}
END_TEST

/* Recording forbids other threads nothing, so that programs that use the device themselves have it, too. */
START_TEST(beside_a_program_that_uses_the_device_it_is_the_same) {
  subject s = prepare(ways[_i].text, ways[_i].pieces);
  fg_residence_expect();
  for (int n = 0; n < 4; n++) execute(&s);
  check_right(&s);
  ck_assert_int_eq(lazy_backend_graphs, 4); /* prepare has executed it once */
  dispose(&s);
}
END_TEST

/* Kernels may load and store sixteen bytes at once. */
START_TEST(kernels_reach_what_is_aligned) {
  subject s = prepare("ocf64*10", 0);
  float *const before = s.plane[_i ? 2 : 0];
  const size_t transfers = fg_sim_count().transfers;
  execute(&s);
  ck_assert_uint_eq(fg_sim_count().transfers - transfers, 1); /* that of the input */
  memmove(before + 2, before, s.bytes);
  s.plane[_i ? 2 : 0] = before + 2;
  execute(&s);
  check_right(&s);
  ck_assert_uint_eq(fg_sim_count().transfers - transfers, _i ? 3 : 2);
  s.plane[_i ? 2 : 0] = before;
  dispose(&s);
}
END_TEST

/* Rows with gaps reach further than their elements would: the last of these is in memory that is not pinned. */
START_TEST(all_rows_have_to_be_pinned) {
  enum { PAGE = 4096, ROWS = 9, ROW = 32, PITCH = 40 }; /* in floats */
  subject s = prepare("ocf16*9", 3), wide = prepare("ocf16*9:20:16", 3);
  float *const before = wide.plane[0], *const block = aligned_alloc(PAGE, 2 * PAGE);
  const size_t bytes = _i ? ((ROWS - 1) * PITCH + ROW) * sizeof(float) : ROWS * ROW * sizeof(float);
  wide.plane[0] = block + (PAGE - bytes) / sizeof(float);
  for (int i = 0; i < ROWS; i++) memcpy(wide.plane[0] + i * PITCH, s.right[0] + i * ROW, ROW * sizeof(float));
  ck_assert_int_eq(target.backend->host_register(target.device, block, PAGE), FG_OK);
  fg_slot_trim(&target);
  const size_t allocations = fg_sim_count().allocations;
  execute(&wide);
  ck_assert_mem_eq(wide.plane[2], s.right[2], s.bytes);
  ck_assert_uint_eq(fg_sim_count().allocations - allocations, _i ? 2 : 2 + FG_RING);
  ck_assert_int_eq(target.backend->host_unregister(target.device, block), FG_OK);
  free(block);
  wide.plane[0] = before;
  dispose(&wide);
  dispose(&s);
}
END_TEST

/* What executions held is let go: it goes when its memory does. */
START_TEST(nothing_stays_pinned) {
  const size_t before = fg_sim_count().registered;
  subject s = prepare(ways[_i].text, ways[_i].pieces);
  ck_assert_uint_gt(fg_sim_count().registered, before);
  for (int n = 0; n < 3; n++) execute(&s);
  dispose(&s);
  ck_assert_uint_eq(fg_sim_count().registered, before);
}
END_TEST

static void open_lazy(void) {
  const char *why = "";
  const fg_target *opened = fg_target_get(&why);
  ck_assert_msg(opened != NULL, "%s", why);
  target = *opened;
  target.backend = &lazy_backend;
}

int main(void) {
  setenv("FFTW3_GPU_BACKEND", "sim", 1);
  TCase *tc = tcase_create("recorded");
  tcase_add_checked_fixture(tc, open_lazy, trim);
  tcase_add_loop_test(tc, each_plane_may_be_another, 0, 2 * TEST_COUNT(ways));
  tcase_add_loop_test(tc, one_launch_behind_a_copy_is_not_recorded, 0, 4);
  tcase_add_loop_test(tc, what_the_program_has_pinned_is_not_recorded, 0, PLANES * TEST_COUNT(ways));
  tcase_add_loop_test(tc, kernels_reach_what_is_aligned, 0, 2);
  tcase_add_loop_test(tc, all_rows_have_to_be_pinned, 0, 2);
  tcase_add_loop_test(tc, nothing_stays_pinned, 0, TEST_COUNT(ways));
  tcase_add_loop_test(tc, a_device_lost_before_anything_is_written_leaves_the_input, 0, TEST_COUNT(refusals));
  tcase_add_loop_test(tc, beside_a_program_that_uses_the_device_it_is_the_same, 0, TEST_COUNT(ways));
  return test_run(tc, "recorded");
}
