/* test_ways.c: which plan of the real FFTW an execution gets that is not the device's: what arrays of whatever alignment and
 * distance of parts make of it, in whatever order, is right, nothing else is written, and few plans are made. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "random_problem.h"
#include "real_fftw.h"
#include "src/plan/ways.h"
#include "suite.h"

enum { N = 96, BATCH = 5, POINTS = N * BATCH, ROOM = 2 * POINTS + 64, UNTOUCHED = 77 };

/* Complex numbers as two planes of steps of so many reals. */
typedef struct {
  float *memory, *re, *im;
  int step;
} side;

/* offset: bytes behind 64 that divide the address; distance: reals from real to imaginary parts, 1 of interleaved numbers. */
static side side_of(int offset, int distance, int step) {
  side s = {aligned_alloc(64, 3 * ROOM * sizeof(float)), NULL, NULL, step};
  ck_assert_ptr_nonnull(s.memory);
  for (int i = 0; i < 3 * ROOM; i++) s.memory[i] = UNTOUCHED;
  s.re = (float *)((char *)s.memory + offset);
  s.im = s.re + distance;
  return s;
}

typedef struct {
  fg_problem *p;
  fg_ways ways;
  int plans; /* of the host, before */
} behind;

static behind begin(const char *text) {
  test_real_fftw();
  behind b = {test_problem(text, FG_SINGLE), {{NULL}, {NULL}}, test_real_fftw_plans()};
  b.p->flags = FG_ESTIMATE;
  return b;
}

static void end(behind *b) {
  fg_ways_free(&b->ways, b->p);
  fg_problem_free(b->p);
  ck_assert_int_eq(test_real_fftw_plans(), b->plans);
}

static int plans_of(const behind *b) { return test_real_fftw_plans() - b->plans; }

static float sample(int i) { return sinf((float)i * i) + 0.25f * cosf((float)i); }

/* Forward DFTs of N points by their definition. */
static void check_result(const side *out, const side *in) {
  for (int b = 0; b < BATCH; b++)
    for (int k = 0; k < N; k += 7) {
      double re = 0, im = 0;
      for (int j = 0; j < N; j++) {
        const double turn = -2 * M_PI * (j * k % N) / N;
        const int at = (b * N + j) * in->step;
        re += in->re[at] * cos(turn) - in->im[at] * sin(turn);
        im += in->re[at] * sin(turn) + in->im[at] * cos(turn);
      }
      const int to = (b * N + k) * out->step;
      ck_assert_double_eq_tol(out->re[to], re, 1e-4);
      ck_assert_double_eq_tol(out->im[to], im, 1e-4);
    }
}

static void check_rest(const side *out) {
  char *const written = calloc(1, 3 * ROOM);
  for (int i = 0; i < POINTS; i++)
    written[out->re - out->memory + i * out->step] = written[out->im - out->memory + i * out->step] = 1;
  for (int i = 0; i < 3 * ROOM; i++) ck_assert(written[i] || out->memory[i] == UNTOUCHED);
  free(written);
}

/* false: there is no plan for it. */
static bool execute_at(behind *b, int in_offset, int out_offset, int distance, int step) {
  side in = side_of(in_offset, distance, step), out = side_of(out_offset, distance, step);
  for (int i = 0; i < POINTS; i++) {
    in.re[i * step] = sample(2 * i);
    in.im[i * step] = sample(2 * i + 1);
  }
  const bool done = fg_ways_execute(&b->ways, b->p, &(fg_arrays){in.re, in.im, out.re, out.im});
  if (done) check_result(&out, &in);
  if (done) check_rest(&out);
  free(in.memory);
  free(out.memory);
  return done;
}

/* FFTW's manual wants the alignment of the plan; its codelets mind, with vectors. */
START_TEST(any_alignments_in_any_order) {
  static const int offsets[] = {0, 8, 4, 16, 12};
  for (int first = 0; first < TEST_COUNT(offsets) * TEST_COUNT(offsets); first++) {
    const bool vectors = (offsets[first % TEST_COUNT(offsets)] | offsets[first / TEST_COUNT(offsets)]) % 8 == 0;
    behind b = begin("oc96*5");
    for (int n = 0; n < 2 * TEST_COUNT(offsets) * TEST_COUNT(offsets); n++) {
      const int i = (first + n) % (TEST_COUNT(offsets) * TEST_COUNT(offsets));
      ck_assert(execute_at(&b, offsets[i % TEST_COUNT(offsets)], offsets[i / TEST_COUNT(offsets)], 1, 2));
      ck_assert_int_le(plans_of(&b), 2);
    }
    ck_assert_int_eq(plans_of(&b), vectors ? 2 : 1); /* that for any alignment serves all */
    end(&b);
  }
}
END_TEST

/* A plan with vectors is for one alignment. */
START_TEST(what_vectors_suit_has_them) {
  static const struct {
    unsigned wanted; /* by the program */
    int offset[2][2];
    unsigned flags[2];
    int plans;
  } cases[] = {{0, {{8, 0}, {8, 8}}, {FG_ESTIMATE, FG_ESTIMATE | FG_UNALIGNED}, 2},
               {0, {{0, 0}, {0, 0}}, {FG_ESTIMATE, FG_ESTIMATE}, 1},
               {0, {{4, 0}, {0, 0}}, {FG_ESTIMATE | FG_UNALIGNED, FG_ESTIMATE | FG_UNALIGNED}, 1},
               {FG_UNALIGNED, {{0, 0}, {8, 4}}, {FG_ESTIMATE | FG_UNALIGNED, FG_ESTIMATE | FG_UNALIGNED}, 1}};
  for (int i = 0; i < TEST_COUNT(cases); i++) {
    behind b = begin("oc96*5");
    b.p->flags |= cases[i].wanted;
    for (int n = 0; n < 2; n++) {
      ck_assert(execute_at(&b, cases[i].offset[n][0], cases[i].offset[n][1], 1, 2));
      ck_assert_msg(test_real_fftw_flags() == cases[i].flags[n], "case %d, %d", i, n);
    }
    ck_assert_int_eq(plans_of(&b), cases[i].plans);
    end(&b);
  }
  behind b = begin("oc96*5");
  ck_assert_ptr_nonnull(fg_ways_plan(&b.ways, b.p));
  ck_assert_uint_eq(test_real_fftw_flags(), FG_ESTIMATE);
  end(&b);
}
END_TEST

/* On one array and on two by turns: FFTW's plan is for one of both. */
START_TEST(in_place_and_not) {
  for (int offset = 0; offset <= 8; offset += 4) {
    behind b = begin("oc96*5");
    for (int n = 0; n < 3; n++) {
      side x = side_of(offset, 1, 2), before = side_of(offset, 1, 2);
      for (int i = 0; i < 2 * POINTS; i++) before.re[i] = x.re[i] = sample(i);
      ck_assert(fg_ways_execute(&b.ways, b.p, &(fg_arrays){x.re, x.im, x.re, x.im}));
      check_result(&x, &before);
      check_rest(&x);
      free(x.memory);
      free(before.memory);
      ck_assert(execute_at(&b, 0, offset, 1, 2));
      ck_assert_int_eq(plans_of(&b), 2);
    }
    end(&b);
  }
}
END_TEST

/* Executed as split ones, whose parts lie apart: FFTW may or may not reach them, but that does not depend on what was before. */
START_TEST(parts_of_interleaved_numbers_that_lie_apart) {
  for (int offset = 0; offset <= 8; offset += 4) {
    side first = {NULL, NULL, NULL, 0};
    for (int before = 0; before < 4; before++) {
      behind b = begin("oc96*5");
      if (before == 1) ck_assert_ptr_nonnull(fg_ways_plan(&b.ways, b.p));
      if (before == 2) ck_assert(execute_at(&b, 4, 4, 1, 2));
      if (before == 3) ck_assert(execute_at(&b, 0, 0, 1, 2));
      side in = side_of(offset, ROOM, 2), out = side_of(8 - offset, ROOM, 2);
      for (int i = 0; i < 3 * ROOM; i++) in.memory[i] = sample(i);
      ck_assert(fg_ways_execute(&b.ways, b.p, &(fg_arrays){in.re, in.im, out.re, out.im}));
      ck_assert_int_le(plans_of(&b), 2);
      ck_assert(!first.memory || !memcmp(first.memory, out.memory, 3 * ROOM * sizeof(float)));
      free(in.memory);
      if (before) free(out.memory);
      else first = out;
      end(&b);
    }
    free(first.memory);
  }
}
END_TEST

/* FFTW's plan holds for the distance that it was made with: two of them stay, those of others go. */
START_TEST(split_parts_of_other_distances) {
  for (int offset = 0; offset <= 8; offset += 8) {
    behind b = begin("/oc96*5");
    for (int n = 0; n < 3; n++)
      for (int far = 0; far < 3; far++) {
        ck_assert(execute_at(&b, offset, 0, ROOM + 4 * far, 1));
        ck_assert(execute_at(&b, 4, offset, ROOM + 4 * far, 1));
        ck_assert_int_le(plans_of(&b), 2);
      }
    end(&b);
  }
}
END_TEST

static const fg_host *real;
static unsigned refused; /* flags */
static fg_host_plan refuse(const fg_problem *p, const fg_arrays *a, unsigned flags) {
  return flags & refused ? NULL : real->plan(p, a, flags);
}

/* What is for other arrays is not taken instead. */
START_TEST(where_there_is_no_further_plan) {
  behind b = begin("oc96*5");
  static fg_host with; /* registered beyond this test */
  real = fg_host_of(FG_SINGLE);
  with = *real;
  with.plan = refuse;
  refused = FG_UNALIGNED;
  fg_host_register(FG_SINGLE, &with);
  ck_assert(execute_at(&b, 0, 0, 1, 2));
  ck_assert(!execute_at(&b, 8, 0, 1, 2)); /* copies are planned for any, too */
  ck_assert(!execute_at(&b, 0, 0, ROOM, 2));
  ck_assert(execute_at(&b, 0, 0, 1, 2));
  end(&b);
  b = begin("/oc96*5");
  fg_host_register(FG_SINGLE, &with);
  refused = 0;
  ck_assert(execute_at(&b, 4, 0, ROOM, 1));
  refused = FG_ESTIMATE;
  ck_assert(!execute_at(&b, 4, 0, ROOM + 4, 1));
  ck_assert(execute_at(&b, 4, 4, ROOM, 1));
  end(&b);
}
END_TEST

static behind *interrupted;
static int then[2];
static fg_host_plan plan_twice(const fg_problem *p, const fg_arrays *a, unsigned flags) {
  behind *const b = interrupted;
  interrupted = NULL;
  if (b) execute_at(b, then[0], then[1], 1, 2);
  return real->plan(p, a, flags);
}

/* Another thread, with arrays of another alignment, makes one meanwhile. */
START_TEST(of_two_plans_for_two_alignments) {
  static fg_host with; /* registered beyond this test */
  for (int in = 0; in <= 8; in += 4)
    for (int out = 0; out <= 8; out += 4) {
      behind b = begin("oc96*5");
      real = fg_host_of(FG_SINGLE);
      with = *real;
      with.plan = plan_twice;
      fg_host_register(FG_SINGLE, &with);
      then[0] = in;
      then[1] = out;
      for (int n = 0; n < 3; n++) {
        interrupted = n ? NULL : &b;
        ck_assert(execute_at(&b, 8 - in, 0, 1, 2));
        ck_assert_ptr_null(interrupted);
        ck_assert_int_le(plans_of(&b), 2);
      }
      end(&b);
    }
}
END_TEST

int main(void) {
  TCase *const tc = tcase_create("ways");
  tcase_add_test(tc, any_alignments_in_any_order);
  tcase_add_test(tc, what_vectors_suit_has_them);
  tcase_add_test(tc, in_place_and_not);
  tcase_add_test(tc, parts_of_interleaved_numbers_that_lie_apart);
  tcase_add_test(tc, split_parts_of_other_distances);
  tcase_add_test(tc, where_there_is_no_further_plan);
  tcase_add_test(tc, of_two_plans_for_two_alignments);
  return test_run(tc, "ways");
}
