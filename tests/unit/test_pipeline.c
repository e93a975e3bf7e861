/* test_pipeline.c: however an execution is cut and overlapped, its result is bit for bit that of the uncut one, and no
 * failure leaves anything half written. */
#include "config.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda/sim/sim.h"
#include "src/pass/solver.h"
#include "src/plan/planner.h"
#include "src/problem/layout.h"
#include "src/problem/notation.h"
#include "src/run/arena/arena.h"
#include "src/run/host/pipeline.h"
#include "src/run/last_cache.h"
#include "src/run/program.h"
#include "src/run/slot.h"
#include "tests/unit/lazy_backend.h"
#include "tests/unit/pipeline_arrays.h"
#include "tests/unit/small_device.h"
#include "tests/unit/suite.h"

static fg_target target;
static const fg_device_info *whole_device;

/* ---- one execution ---- */

/* What the program's arrays are, and what the device computes in. */
enum arrays { SINGLES, DOUBLES_AS_SINGLE };

/* A problem for a device whose blocks hold so many bytes, so that a small one is cut as large ones are; 0: as they do. */
typedef struct {
  const char *text;
  size_t block;
} problem;

typedef struct {
  problem problem;
  enum memory in, out;
  int pieces;        /* fg_schedule_pieces */
  size_t piece;      /* fg_pipeline_piece */
  const char *fault; /* fg_sim_set_faults, before the execution */
  enum arrays arrays;
} way;

static size_t least_row; /* fg_pipeline_row */

typedef struct {
  fg_problem *p;
  fg_program *program;
  array in, out;
  char *before; /* the input's block */
  fg_arrays a;
  bool in_place;
} subject;

static subject prepare(const way *w) {
  static fg_device_info small;
  char why[200];
  const char *reason = "";
  subject s = {.p = fg_notation_parse(w->problem.text, w->arrays == SINGLES ? FG_SINGLE : FG_DOUBLE, why, sizeof why)};
  fg_passes *passes = calloc(1, sizeof *passes);
  ck_assert_msg(s.p != NULL, "%s: %s", w->problem.text, why);
  if (w->problem.block) small = test_small_device(w->problem.block);
  target.info = w->problem.block ? &small : whole_device;
  s.p->compute = FG_SINGLE;
  ck_assert_msg(fg_planner_plan_host(s.p, target.info, passes, &reason), "%s", reason);
  fg_schedule_pieces = w->pieces;
  fg_pipeline_mapped = w->pieces == 0 ? 1 << 20 : 0;
  fg_pipeline_piece = w->piece;
  fg_pipeline_part = w->piece / 3;
  fg_pipeline_row = least_row;
  s.program = fg_program_create_host(&target, s.p, passes, &reason);
  ck_assert_msg(s.program != NULL, "%s", reason);
  free(passes);
  s.in_place = s.p->arrays.in_re == s.p->arrays.out_re;
  const fg_layout *const in = fg_program_layout(s.program, FG_INPUT);
  const fg_layout *const to = fg_program_layout(s.program, FG_OUTPUT);
  s.in = array_of(in, s.in_place ? to : in, w->in, 1);
  if (!s.in_place) s.out = array_of(to, to, w->out, 2);
  const array *out = s.in_place ? &s.in : &s.out;
  s.a = (fg_arrays){s.in.re, s.in.im, out->re, out->im};
  s.before = malloc(s.in.bytes);
  memcpy(s.before, s.in.block, s.in.bytes);
  return s;
}

static void dispose(subject *s) {
  fg_program_destroy(s->program);
  fg_problem_free(s->p);
  drop(&s->in);
  if (!s->in_place) drop(&s->out);
  free(s->before);
}

static const array *result(const subject *s) { return s->in_place ? &s->in : &s->out; }

/* The output's elements of a subject of single precision, as doubles in the same places of one that is as large. */
static void widen_into(const subject *to, const subject *from) {
  const fg_layout *single = fg_program_layout(from->program, FG_OUTPUT);
  fg_layout as_is = *fg_program_layout(to->program, FG_OUTPUT);
  const size_t reals = (size_t)(single->elements * single->unit);
  float *image = malloc(reals * sizeof *image);
  double *wide = malloc(reals * sizeof *wide);
  as_is.image = FG_DOUBLE;
  for (int plane = 0; plane < (single->split ? 2 : 1); plane++) {
    fg_layout_gather(single, plane ? from->a.out_im : from->a.out_re, 0, single->elements, image);
    for (size_t i = 0; i < reals; i++) wide[i] = image[i];
    fg_layout_scatter(&as_is, plane ? to->a.out_im : to->a.out_re, 0, as_is.elements, wide);
  }
  free(image);
  free(wide);
}

/* The uncut result from the same input, to compare with: of doubles what single precision makes of them.  A problem is cut
 * in many ways, so that the last few results are kept. */
static const char *expected(const way *w, size_t *bytes) {
  static struct {
    problem problem;
    enum arrays arrays;
    char *result;
    size_t bytes;
  } known[8];
  static int count;
  for (int i = 0; i < TEST_COUNT(known) && known[i].result; i++)
    if (known[i].arrays == w->arrays && known[i].problem.block == w->problem.block &&
        !strcmp(known[i].problem.text, w->problem.text)) {
      *bytes = known[i].bytes;
      return known[i].result;
    }
  subject s = prepare(&(way){w->problem, FOREIGN, FOREIGN, 1, 64 << 20, NULL, SINGLES}), same = s;
  ck_assert_int_eq(fg_program_execute(s.program, &s.a), FG_DONE);
  if (w->arrays != SINGLES) {
    same = prepare(&(way){w->problem, FOREIGN, FOREIGN, 1, 64 << 20, NULL, w->arrays});
    widen_into(&same, &s);
    dispose(&s);
  }
  const int at = count++ % TEST_COUNT(known);
  char *const copy = realloc(known[at].result, result(&same)->bytes);
  ck_assert_ptr_nonnull(copy);
  memcpy(copy, result(&same)->block, result(&same)->bytes);
  known[at].problem = w->problem;
  known[at].arrays = w->arrays;
  known[at].result = copy;
  *bytes = known[at].bytes = result(&same)->bytes;
  dispose(&same);
  return copy;
}

/* The transforms before the rest are complete, the others untouched: the batch is outermost. */
static bool partly_right(const subject *s, const char *right, const fg_rest *rest) {
  const size_t planes = s->p->format == FG_SPLIT ? 2 : 1, plane = s->in.bytes / planes;
  const size_t done = (size_t)(rest->first * s->p->batch.dim[rest->batch].os) * fg_real_size(s->p->precision);
  bool good = s->in_place && rest->first > 0 && rest->first < s->p->batch.dim[rest->batch].n;
  for (size_t at = 0; at < s->in.bytes; at += plane)
    good = good && !memcmp(s->in.block + at, right + at, done) &&
           !memcmp(s->in.block + at + done, s->before + at + done, plane - done);
  return good;
}

/* In place its elements, and what is nobody's: what lies between them may be the output's. */
static bool input_intact(const subject *s) {
  const fg_layout *l = fg_program_layout(s->program, FG_INPUT);
  const fg_layout as_is = as_it_is(l);
  const size_t bytes = (size_t)l->elements * fg_layout_element_size(&as_is) * (l->split ? 2 : 1);
  if (!s->in_place) return !memcmp(s->before, s->in.block, s->in.bytes);
  char *const now = elements_of(l, &s->in, s->in.block), *const before = elements_of(l, &s->in, s->before);
  const bool same = !memcmp(now, before, bytes);
  free(now);
  free(before);
  return same && others_intact(fg_program_layout(s->program, FG_OUTPUT), &s->in, s->before);
}

/* What the outcome promises. Whole: nobody could finish a rest. */
static enum fg_outcome check_how(const way *w, bool whole) {
  size_t bytes;
  const char *const right = expected(w, &bytes);
  fg_slot_trim(&target); /* no staging and no arrays that are larger than what this execution asks for */
  subject s = prepare(w);
  ck_assert_int_eq(fg_sim_set_faults(w->fault), 0);
  fg_rest rest = {-1, -1};
  const enum fg_outcome outcome = fg_program_execute_partly(s.program, &s.a, whole ? NULL : &rest);
  fg_sim_set_faults(NULL);
  ck_assert_uint_eq(result(&s)->bytes, bytes);
  if (outcome == FG_PARTLY)
    ck_assert_msg(!whole && partly_right(&s, right, &rest), "%s: wrong before or after %td", w->problem.text, rest.first);
  if (outcome == FG_DONE)
    ck_assert_msg(!memcmp(result(&s)->block, right, bytes), "%s in %d pieces: another result",
                  w->problem.text, w->pieces);
  if (outcome == FG_INTACT || (outcome == FG_DONE && !s.in_place))
    ck_assert_msg(input_intact(&s), "%s: input touched", w->problem.text);
  dispose(&s);
  return outcome;
}

static enum fg_outcome check(const way *w) { return check_how(w, false); }

/* ---- what is cut ---- */

/* Batches along the slowest dimension, two of them, strides, gaps, split, in place with and without the same strides,
 * one large transform of every rank, hierarchical and of a prime length; batches in several passes, and large transforms
 * whose slabs come in one by one, or come in and go out so; the same of real data, whose sides are cut differently. */
static const problem problems[] = {
    {"ocf64*10", 0},    {"icb60*9", 0},  {"ocf16x12*7", 0}, {"icf8x6x4*5", 0}, {"/ocf30*6", 0}, {"/icf16x8*4", 0},
    {"ocf12x10x8", 0},  {"icf8x9x10", 0}, {"ocf40x36", 0},  {"/ocf6x8x10", 0}, {"ocf6x5x4x7", 0}, {"ocf8192", 0},
    {"ocf1009*3", 0},   {"ocf900", 1024}, {"ocf16:3:1*5:50:16", 0}, {"icf20*3x4", 0},
    {"ocf12:2:1*4:24:12x3:96:48", 0},     {"ocf7*1", 0},    {"ok1025e00*7", 0}, {"ocf16x12*7", 512}, {"icf15x20", 512},
    {"ocf6x7x10", 512}, {"icf8x9x10", 512}, {"/icf6x7x10", 512}, {"orf64*10", 0},  {"irb16x8*5", 0}, {"orf6x7x10", 512},
    {"orb6x7x10", 512}, {"irf8x9x10", 512}, {"irb8x9x10", 512},  {"/orb6x8x9", 512}, {"ik8fx6h", 512}, {"ocf16*5:-16:16", 0},
    {"orb130x129*3", 0}, {"ocf4225*5", 4096}, {"orb16x7x129*3", 4096}, /* padded */ {"/ocf1000", 0},
    {"irf16*9", 0}, {"irb15*9", 0}, {"irf6x9*4", 0}, {"irb4x5x6", 0}, {"ik12e00*5", 0}, /* in rows, pieces at a time */
    {"ocf16*5:16:20", 0}, {"irf16*9:20:10", 0}, {"irf16*9:18:11", 0}, {"icf16*9:16:32", 0}, {"ocf16:1:5*5:16:1", 0},
    {"ocf6x7x10*3", 512}, {"icf8x9x10*3", 512}, {"orf6x7x10*3", 512}, {"/ocf6x7x10*2", 512}, {"orb6x7x10*3", 512},
    {"ocf1*48:1:40x40:48:1", 0}, {"ocf6:320:320*16:1:20x20:16:1", 0}, {"ocf10:60:1*6:10:10x10:1:60", 0} /* crossed, to rows */
};
enum { PROBLEMS = sizeof problems / sizeof *problems };

START_TEST(every_cut_gives_the_same_bits) {
  const problem problem = problems[_i];
  static const int pieces[] = {0, 2, 3, 64};
  static const size_t staging[] = {0, 1000, 4096};
  for (size_t p = 0; p < sizeof pieces / sizeof *pieces; p++)
    for (int i = 0; i < 8; i++) {
      if (((int)p + i + _i) % TEST_SPARSE) continue;
      const int memory = i % 4;
      const size_t piece = staging[(p + (size_t)memory) % 3];
      const way w = {problem, memory & 1, memory >> 1, pieces[p], piece, NULL, i < 4 ? SINGLES : DOUBLES_AS_SINGLE};
      ck_assert_int_eq(check(&w), FG_DONE);
      if (strchr(problem.text, 'i') && i >= 4) ck_assert_int_eq(check_how(&w, true), FG_DONE);
    }
}
END_TEST

START_TEST(the_last_cache_is_asked_for) {
  ck_assert_uint_eq(target.last_cache, fg_last_cache("/sys/devices/system/cpu/cpu0/cache"));
}
END_TEST

/* All of an array with gaps between its rows is one copy, or one for each piece. What is in short rows, or has other gaps,
 * goes through staging: nine parcels, one of which is cut into four. */
START_TEST(rows_are_reached_where_they_are) {
  static const struct {
    const char *text;
    int pieces;
    size_t row, transfers;
  } some[] = {{"irb16*9", 1, 64, 2},              {"irb16*9", 1, 65, 9 + 3 + 1},
              {"irb16*9", 3, 64, 6},              {"irb16*9", 3, 65, 3 + 9 + 3},
              {"irb6x16*3", 3, 64, 6},            {"irb6x16", 1, 64, 2},
              {"orf16:1:1*9:17:9", 3, 64, 6},     {"orf16:1:1*9:17:9", 3, 65, 9 + 3 + 3},
              {"irf16*9", 3, 65, 6}, /* with its padding */
              {"orf16:2:1*9:35:9", 3, 0, 9 + 3 + 3}, {"orf4:8:3x4*9:100:12", 3, 0, 9 + 3 + 3}};
  for (int i = 0; i < TEST_COUNT(some); i++) {
    const way w = {{some[i].text, 0}, ARENA, ARENA, some[i].pieces, 64, NULL, SINGLES};
    least_row = some[i].row;
    subject s = prepare(&w);
    const size_t before = fg_sim_count().transfers;
    ck_assert_int_eq(fg_program_execute(s.program, &s.a), FG_DONE);
    ck_assert_msg(fg_sim_count().transfers - before == some[i].transfers, "%s: %zu transfers", some[i].text,
                  fg_sim_count().transfers - before);
    dispose(&s);
  }
}
END_TEST

/* A piece may leave in place before the next has come where its rows lie on each other. */
START_TEST(rows_leave_while_others_come) {
  static const struct {
    const char *text;
    bool same;
  } some[] = {{"irf16*9", true}, {"irb6x16*3", true}, {"irf15*9", true}, {"irf16*9:20:10", true}, {"ik16f*9", true},
              {"irf16*9:18:11", false}, {"irf16*9:16:9", false}, {"/irf16*9", false}, {"icf16*9:16:32", false}};
  for (int i = 0; i < TEST_COUNT(some); i++) {
    subject s = prepare(&(way){{some[i].text, 0}, ARENA, ARENA, 3, 0, NULL, SINGLES});
    ck_assert(fg_program_schedule(s.program)->in_batches);
    ck_assert_msg(fg_program_schedule(s.program)->same_places == some[i].same, "%s", some[i].text);
    dispose(&s);
  }
}
END_TEST

/* What was planned with the padding of its rows is for arrays in place. */
START_TEST(padded_rows_are_in_place) {
  static const char *const texts[] = {"irf16*9", "irb16*9", "irf16"};
  for (int i = 0; i < TEST_COUNT(texts); i++) {
    subject s = prepare(&(way){{texts[i], 0}, ARENA, ARENA, 3, 0, NULL, SINGLES});
    fg_arrays apart = s.a;
    apart.out_re = s.before;
    ck_assert(fg_program_takes(s.program, &s.a));
    ck_assert_int_eq(fg_program_takes(s.program, &apart), i > 0);
    dispose(&s);
  }
}
END_TEST

/* The cut really happens: as many launches as pieces. */
START_TEST(pieces_are_launched_one_by_one) {
  const way w = {{"ocf64*10", 0}, ARENA, ARENA, 5, 0, NULL, SINGLES};
  subject s = prepare(&w);
  const size_t before = fg_sim_count().launches;
  ck_assert(fg_program_schedule(s.program)->in_batches);
  ck_assert_int_eq(fg_program_execute(s.program, &s.a), FG_DONE);
  ck_assert_uint_eq(fg_sim_count().launches - before, 5);
  dispose(&s);
}
END_TEST

/* Large first and last pieces are cut into four; not what is written over doubles while others are still to come. */
START_TEST(large_pieces_at_the_ends_are_cut) {
  static const struct {
    const char *text;
    int pieces;
    size_t piece, transfers;
    enum arrays arrays;
  } some[] = {{"ocf1000", 1, 4000, 2 * (2 + 3), SINGLES}, /* two parcels, the first or the last in four */
              {"ocf1000", 1, 16000, 2 * (1 + 3), SINGLES}, /* one */
              {"ocf1000", 1, 17000, 2, SINGLES}, /* which is small */
              {"ocf1000", 1, 3992, 2 * (3 + 3), SINGLES},
              {"/ocf1000", 1, 2000, 2 * (2 * 2 + 3), SINGLES}, /* of one of two planes */
              {"ocf100*10", 10, 800, 2 * (10 + 3), SINGLES}, /* of the first and the last step */
              {"ocf1000", 1, 4000, 2 * (2 + 3), DOUBLES_AS_SINGLE},
              {"icf1000", 1, 4000, 2 * (2 + 3), DOUBLES_AS_SINGLE},
              {"icf100*10", 10, 800, 10 + 3 + 10, DOUBLES_AS_SINGLE}, /* it leaves while the rest comes */
              {"icf1000", 1, 4000, 2 * (2 + 3), SINGLES}};
  for (int i = 0; i < TEST_COUNT(some); i++) {
    const way w = {{some[i].text, 0}, FOREIGN, FOREIGN, some[i].pieces, some[i].piece, NULL, some[i].arrays};
    subject s = prepare(&w);
    const size_t before = fg_sim_count().transfers;
    fg_rest rest;
    ck_assert_int_eq(fg_program_execute_partly(s.program, &s.a, &rest), FG_DONE);
    ck_assert_msg(fg_sim_count().transfers - before == some[i].transfers, "%s in pieces of %zu: %zu transfers",
                  some[i].text, some[i].piece, fg_sim_count().transfers - before);
    dispose(&s);
  }
}
END_TEST

/* Line by line, planes are complete one after the other at the end; planes that are boxes or share a dimension's digits
 * with the last pass come in one by one, but the slowest dimension is last then. */
enum { SLABS = 15 };

START_TEST(slabs_come_in_and_go_out) {
  static const struct {
    problem problem;
    int arrivals, departures;
  } some[] = {{{"ocf3x31x1000", 20000}, 3, 3}, {{"ocf40x20x50", 20000}, 3, 1},    {{"ocf3x180x180", 0}, 3, 1},
              {{"ocf6x7x10", 512}, 3, 3},   {{"icf8x9x10", 512}, 3, 3},    {{"/icf6x7x10", 512}, 3, 3},
              {{"ocf6x5x4x7", 0}, 3, 1},    {{"icf15x20", 512}, 3, 1},     {{"ocf900", 1024}, 1, 1},
              {{"orf6x7x10", 512}, 3, 1},   {{"orb6x7x10", 512}, 3, 3},    {{"irf8x9x10", 512}, 3, 1},
              {{"irb8x9x10", 512}, 3, 3},   {{"/orb6x8x9", 512}, 1, 3},    {{"ik8fx130h", 2048}, 3, 1}};
  ck_assert_uint_eq(sizeof some / sizeof *some, SLABS);
  const way w = {some[_i].problem, ARENA, ARENA, 3, 0, NULL, SINGLES};
  subject s = prepare(&w);
  const fg_schedule *schedule = fg_program_schedule(s.program);
  int arrivals = 0, departures = 0;
  for (int i = 0; i < schedule->count; i++) {
    arrivals += schedule->step[i].kind == FG_ARRIVE;
    departures += schedule->step[i].kind == FG_LEAVE;
  }
  ck_assert_int_eq(arrivals, some[_i].arrivals);
  ck_assert_int_eq(departures, some[_i].departures);
  dispose(&s);
}
END_TEST

static const problem recorded[] = {{"ocf64*10", 0}, {"icf16x8*5", 0}, {"ocf6x7x10", 512}, {"icf8x9x10", 512}, {"irf16x8*5", 0}};
enum { RECORDED = 5, MEMORIES = 4, BRIEF = 2, RECORDINGS = RECORDED * MEMORIES * BRIEF, ARRAYS = 2 };

static way recorded_way(int i, enum arrays arrays) {
  const int memory = i / RECORDED % MEMORIES;
  return (way){recorded[i % RECORDED], memory & 1, memory >> 1, i < RECORDED * MEMORIES ? 3 : 0, 0, NULL, arrays};
}

static void execute_again(subject *s, const char *right) {
  memcpy(s->in.block, s->before, s->in.bytes);
  ck_assert_int_eq(fg_program_execute(s->program, &s->a), FG_DONE);
  ck_assert_mem_eq(result(s)->block, right, result(s)->bytes);
}

/* The second execution on the same arrays is recorded, later ones are played; other arrays, and memory that was freed
 * and came again, are not taken for them. What goes through staging in pieces is not recorded. */
START_TEST(recordings_are_of_these_arrays) {
  const way w = recorded_way(_i, SINGLES);
  size_t bytes;
  const char *const right = expected(&w, &bytes);
  const bool in_place = *w.problem.text == 'i', staged = w.in == FOREIGN || (w.out == FOREIGN && !in_place);
  const int played = w.pieces && staged ? 0 : 3;
  lazy_backend_graphs = 0;
  for (int round = 0; round < 3; round++) {
    subject s = prepare(&w);
    for (int i = 0; i < 4; i++) execute_again(&s, right);
    ck_assert_int_eq(lazy_backend_graphs, played * (round + 1));
    dispose(&s);
  }
}
END_TEST

/* What goes and comes again at its place is pinned anew. */
START_TEST(recordings_are_of_one_pinning) {
  subject s = prepare(&(way){recorded[0], ARENA, ARENA, _i ? 3 : 0, 0, NULL, SINGLES});
  lazy_backend_graphs = 0;
  for (int round = 1; round <= 2; round++) {
    for (int i = 0; i < 3; i++) ck_assert_int_eq(fg_program_execute(s.program, &s.a), FG_DONE);
    ck_assert_int_eq(lazy_backend_graphs, 2 * round);
    ck_assert(fg_arena_forget(s.out.block));
    fg_arena_came(FG_REGION_OWN, s.out.block, FG_ARENA_SMALLEST);
  }
  dispose(&s);
}
END_TEST

/* A slot that grows has others. */
START_TEST(recordings_go_with_the_memory_of_their_slot) {
  static const char *const larger[] = {"ocf64*20", "icf16x8*10", "ocf6x7x20", "icf8x9x20", "irf16x8*10"};
  const way w = recorded_way(_i, SINGLES);
  const way more = {{larger[_i % RECORDED], w.problem.block}, w.in, w.out, w.pieces, 0, NULL, SINGLES};
  const way direct = {more.problem, ARENA, ARENA, w.pieces, 0, NULL, SINGLES};
  size_t bytes;
  const char *const right = expected(&w, &bytes), *const right_of_more = expected(&more, &bytes);
  fg_slot_trim(&target);
  subject l = prepare(&more), d = prepare(&direct), s = prepare(&w);
  if (w.in == FOREIGN && w.out == FOREIGN) execute_again(&d, right_of_more); /* so that only the staging grows */
  for (int i = 0; i < 3; i++) execute_again(&s, right);
  execute_again(&l, right_of_more);
  for (int i = 0; i < 2; i++) execute_again(&s, right);
  dispose(&d);
  dispose(&l);
  dispose(&s);
}
END_TEST

/* What fails while a recording plays leaves the input as it was, unless it was written over without staging. */
START_TEST(failing_recordings_end_well) {
  static const char *const kinds[] = {"copy", "launch", "wait"};
  const way w = recorded_way(_i / ARRAYS, _i % ARRAYS);
  size_t bytes;
  const char *const right = expected(&w, &bytes);
  subject s = prepare(&w);
  const bool damaging = s.in_place && w.in == ARENA && w.pieces && w.arrays == SINGLES;
  for (int n = 0; n < 30; n++) {
    char fault[32];
    if ((n / 3 + _i) % TEST_SPARSE) continue;
    snprintf(fault, sizeof fault, "%s:%d", kinds[n % 3], 1 + n / 3);
    for (int i = 0; i < 2; i++) execute_again(&s, right);
    memcpy(s.in.block, s.before, s.in.bytes);
    ck_assert_int_eq(fg_sim_set_faults(fault), 0);
    const enum fg_outcome outcome = fg_program_execute(s.program, &s.a);
    fg_sim_set_faults(NULL);
    if (outcome == FG_DONE) ck_assert_mem_eq(result(&s)->block, right, bytes);
    else ck_assert(outcome == FG_INTACT ? input_intact(&s) : damaging);
  }
  dispose(&s);
}
END_TEST

/* Only elements that the transform owns come back: through staging, or in rows. */
START_TEST(gaps_stay_untouched) {
  static const char *const texts[] = {"ocf8:1:3*6:8:40", "ocf8:1:1*6:8:11"};
  subject s = prepare(&(way){{texts[_i / ARRAYS], 0}, FOREIGN, ARENA, 3, 64, NULL, _i % ARRAYS});
  char *copy = malloc(s.out.bytes);
  memcpy(copy, s.out.block, s.out.bytes);
  ck_assert_int_eq(fg_program_execute(s.program, &s.a), FG_DONE);
  ck_assert(others_intact(fg_program_layout(s.program, FG_OUTPUT), &s.out, copy));
  ck_assert_mem_ne(copy, s.out.block, s.out.bytes);
  free(copy);
  dispose(&s);
}
END_TEST

/* ---- failures ---- */

static const char *const faults[] = {"copy", "launch", "wait", "pinned", "stream", "alloc"};

START_TEST(one_failure_anywhere_ends_well) {
  for (int n = 1; n < 30; n += n < 8 ? 1 : 5)
    for (int i = 0; i < 4; i++)
      for (int p = 0; p < 8; p++) {
        static const problem some[] = {{"ocf64*6", 0}, {"icf16x8*5", 0}, {"icf8x9x10", 512}, {"irb6x7x10", 512},
                                       {"irf16*9", 0}, {"irb6x16*5", 0}, {"irf16*9:20:10", 0}, {"ik12e00*5", 0}};
        if ((n + i + p) % TEST_SPARSE || (p >= 4 && i >= 2)) continue; /* as doubles: a_converted_batch_is_never_damaged */
        const enum memory memory = i % 2 ? ARENA : FOREIGN;
        const enum arrays arrays = i < 2 ? SINGLES : DOUBLES_AS_SINGLE;
        char fault[32];
        snprintf(fault, sizeof fault, "%s:%d", faults[_i], n);
        const way w = {some[p], memory, memory, 3, 600, fault, arrays};
        const way brief = {some[p], memory, memory, 0, 0, fault, arrays};
        ck_assert_int_ne(check(&w), FG_DAMAGED);
        fg_slot_trim(&target);
        ck_assert_int_ne(check(&brief), FG_DAMAGED);
        fg_slot_trim(&target);
      }
}
END_TEST

/* Large enough for kernels to read it where it is, but not if they write over it. */
START_TEST(what_kernels_write_over_can_be_undone) {
  const way w = {{"icf64*200", 0}, ARENA, ARENA, 0, 0, "wait:1-2", SINGLES}; /* a second try fails, too */
  ck_assert_int_eq(check(&w), FG_INTACT);
}
END_TEST

/* A batch in place whose doubles were converted: whatever fails for ever, the device itself too, some transforms are
 * complete and the others were not touched; in one of all of them a rest is left. */
START_TEST(a_converted_batch_is_never_damaged) {
  static const problem some[] = {{"icf16x8*5", 0}, {"/icf16x8*4", 0}, {"icb60*9", 0}, {"irf16*9", 0}, {"irb6x16*5", 0}};
  static const char *const lasting[] = {"any:%d+", "lost:%d"};
  int rests = 0;
  for (int n = 1; n < 90; n++) {
    char fault[32];
    snprintf(fault, sizeof fault, lasting[_i % 2], n);
    const enum fg_outcome outcome =
        check(&(way){some[_i / 2], FOREIGN, FOREIGN, 64, 600, fault, DOUBLES_AS_SINGLE});
    ck_assert_int_ne(outcome, FG_DAMAGED);
    rests += outcome == FG_PARTLY;
  }
  ck_assert_int_gt(rests, 0);
}
END_TEST

/* In place, what goes on failing may be beyond help, and then says so. */
START_TEST(lasting_failure_ends_intact_or_says_so) {
  for (int n = 1; n < 24; n += 3) {
    char fault[32];
    snprintf(fault, sizeof fault, "%s:%d+", faults[_i], n);
    for (int arrays = SINGLES; arrays <= DOUBLES_AS_SINGLE; arrays++) {
      check(&(way){{"icf16x8*5", 0}, FOREIGN, FOREIGN, 3, 600, fault, arrays});
      ck_assert_int_ne(check(&(way){{"ocf16x8*5", 0}, ARENA, ARENA, 3, 600, fault, arrays}), FG_DAMAGED);
      fg_slot_trim(&target);
    }
  }
}
END_TEST

/* ---- the suite ---- */

static void open_sim(void) {
  const char *why = "";
  const fg_target *opened = fg_target_get(&why);
  ck_assert_msg(opened != NULL, "%s", why);
  target = *opened;
  whole_device = target.info;
}

static void open_lazy(void) {
  open_sim();
  target.backend = &lazy_backend;
}

/* Slots hold streams of the backend that made them. */
static void trim(void) { fg_slot_trim(&target); }

static TCase *cuts(const char *name, void (*setup)(void)) {
  TCase *tc = tcase_create(name);
  tcase_add_checked_fixture(tc, setup, trim);
  tcase_set_timeout(tc, 300);
  tcase_add_loop_test(tc, every_cut_gives_the_same_bits, 0, PROBLEMS);
  return tc;
}

int main(void) {
  fg_overlap_caches = 0;
  fg_padded_from = fg_pipeline_unrecorded = 0;
  setenv("FFTW3_GPU_COPY_THREADS", "3", 0);
  setenv("FFTW3_GPU_BACKEND", "sim", 1);
  Suite *suite = suite_create("pipeline");
  suite_add_tcase(suite, cuts("at once", open_sim));
  suite_add_tcase(suite, cuts("as late as events allow", open_lazy));
  TCase *tc_recorded = tcase_create("recordings");
  tcase_add_checked_fixture(tc_recorded, open_lazy, trim);
  tcase_add_loop_test(tc_recorded, recordings_are_of_these_arrays, 0, RECORDINGS);
  tcase_add_loop_test(tc_recorded, recordings_are_of_one_pinning, 0, 2);
  tcase_add_loop_test(tc_recorded, recordings_go_with_the_memory_of_their_slot, 0, RECORDINGS);
  tcase_add_loop_test(tc_recorded, failing_recordings_end_well, 0, RECORDINGS * ARRAYS);
  tcase_set_timeout(tc_recorded, 60);
  suite_add_tcase(suite, tc_recorded);
  TCase *tc = tcase_create("pieces");
  tcase_add_checked_fixture(tc, open_sim, trim);
  tcase_set_timeout(tc, 300);
  tcase_add_test(tc, the_last_cache_is_asked_for);
  tcase_add_test(tc, rows_are_reached_where_they_are);
  tcase_add_test(tc, rows_leave_while_others_come);
  tcase_add_test(tc, padded_rows_are_in_place);
  tcase_add_test(tc, pieces_are_launched_one_by_one);
  tcase_add_test(tc, large_pieces_at_the_ends_are_cut);
  tcase_add_loop_test(tc, slabs_come_in_and_go_out, 0, SLABS);
  tcase_add_loop_test(tc, gaps_stay_untouched, 0, 2 * ARRAYS);
  tcase_add_loop_test(tc, one_failure_anywhere_ends_well, 0, sizeof faults / sizeof *faults);
  tcase_add_test(tc, what_kernels_write_over_can_be_undone);
  tcase_add_loop_test(tc, a_converted_batch_is_never_damaged, 0, 10);
  tcase_add_loop_test(tc, lasting_failure_ends_intact_or_says_so, 0, sizeof faults / sizeof *faults);
  suite_add_tcase(suite, tc);
  return test_run_suite(suite);
}
