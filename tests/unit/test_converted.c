/* test_converted.c: problems of double arrays that the device computes in single precision, against double FFTW: right
 * to single precision, gaps left alone, by several threads at once. */
#include "config.h"

#include <check.h>
#include <fftw3.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "dice.h"
#include "on_sim.h"
#include "src/plan/planner.h"
#include "src/problem/notation.h"
#include "src/run/host/pipeline.h"
#include "src/run/program.h"
#include "suite.h"

/* ---- double FFTW ---- */

static fftw_iodim64 *dims_of(const fg_problem *p, const fg_tensor *t) {
  const int in = fg_problem_complex_side(p, FG_INPUT) && p->format == FG_INTERLEAVED ? 2 : 1;
  const int out = fg_problem_complex_side(p, FG_OUTPUT) && p->format == FG_INTERLEAVED ? 2 : 1;
  fftw_iodim64 *dims = calloc((size_t)t->rank + 1, sizeof *dims);
  for (int d = 0; d < t->rank; d++) dims[d] = (fftw_iodim64){t->dim[d].n, t->dim[d].is / in, t->dim[d].os / out};
  return dims;
}

static fftw_plan plan_of(const fg_problem *p, const fg_arrays *a, const fftw_iodim64 *dims, const fftw_iodim64 *many) {
  const unsigned flags = FFTW_ESTIMATE | FFTW_UNALIGNED | (p->kind == FG_C2R ? FFTW_PRESERVE_INPUT : 0u);
  const int rank = p->transform.rank, more = p->batch.rank;
  const bool split = p->format == FG_SPLIT;
  fftw_r2r_kind kinds[8];
  for (int d = 0; p->kind == FG_R2R && d < rank; d++) kinds[d] = (fftw_r2r_kind)p->r2r_kind[d];
  switch (p->kind) {
    case FG_DFT:
      return split ? fftw_plan_guru64_split_dft(rank, dims, more, many, a->in_re, a->in_im, a->out_re, a->out_im, flags)
                   : fftw_plan_guru64_dft(rank, dims, more, many, a->in_re, a->out_re, p->sign, flags);
    case FG_R2C:
      return split ? fftw_plan_guru64_split_dft_r2c(rank, dims, more, many, a->in_re, a->out_re, a->out_im, flags)
                   : fftw_plan_guru64_dft_r2c(rank, dims, more, many, a->in_re, a->out_re, flags);
    case FG_C2R:
      return split ? fftw_plan_guru64_split_dft_c2r(rank, dims, more, many, a->in_re, a->in_im, a->out_re, flags)
                   : fftw_plan_guru64_dft_c2r(rank, dims, more, many, a->in_re, a->out_re, flags);
    default: return fftw_plan_guru64_r2r(rank, dims, more, many, a->in_re, a->out_re, kinds, flags);
  }
}

static void by_fftw(const fg_problem *p, const fg_arrays *a) {
  fftw_iodim64 *dims = dims_of(p, &p->transform), *many = dims_of(p, &p->batch);
  fftw_plan plan = plan_of(p, a, dims, many);
  ck_assert_ptr_nonnull(plan);
  fftw_execute(plan);
  fftw_destroy_plan(plan);
  free(dims);
  free(many);
}

/* ---- arrays ---- */

/* Of one side, or of both in place. */
typedef struct {
  size_t reals;
  double *plane[2];
  ptrdiff_t low;
} array;

static void span_of(const fg_layout *l, size_t *reals) {
  size_t reach = (size_t)l->unit;
  for (int d = 0; d < l->rank; d++) reach += (size_t)((l->walk[d].n - 1) * l->walk[d].stride);
  if (*reals < reach) *reals = reach;
}

static array array_make(const fg_layout *l, const fg_layout *also, dice *d) {
  array a = {.low = l->low};
  span_of(l, &a.reals);
  if (also) span_of(also, &a.reals);
  for (int i = 0; i < 2; i++) {
    a.plane[i] = malloc(a.reals * sizeof(double));
    for (size_t r = 0; r < a.reals; r++) a.plane[i][r] = dice_real(d);
  }
  return a;
}

static array array_copy(const array *a) {
  array c = *a;
  for (int i = 0; i < 2; i++) {
    c.plane[i] = malloc(a->reals * sizeof(double));
    memcpy(c.plane[i], a->plane[i], a->reals * sizeof(double));
  }
  return c;
}

static void array_free(array *a) {
  for (int i = 0; i < 2; i++) free(a->plane[i]);
}

static bool array_same(const array *a, const array *b) {
  return !memcmp(a->plane[0], b->plane[0], a->reals * sizeof(double)) &&
         !memcmp(a->plane[1], b->plane[1], a->reals * sizeof(double));
}

static void *re_of(const array *a) { return a->plane[0] - a->low; }
static void *im_of(const fg_layout *l, const array *a) {
  return l->split ? a->plane[1] - a->low : l->unit == 2 ? a->plane[0] - a->low + 1 : NULL;
}

/* ---- one problem ---- */

typedef struct {
  fg_problem *p;
  fg_program *program;
  const fg_layout *in, *out;
  bool in_place;
} subject;

static subject subject_make(const char *text) {
  char why[200];
  const char *reason = "";
  subject s = {.p = fg_notation_parse(text, FG_DOUBLE, why, sizeof why)};
  fg_passes *passes = calloc(1, sizeof *passes);
  ck_assert_msg(s.p != NULL, "%s: %s", text, why);
  s.p->compute = FG_SINGLE;
  s.in_place = s.p->arrays.in_re == s.p->arrays.out_re;
  ck_assert_msg(fg_planner_plan(s.p, test_target()->info, passes, &reason), "%s: %s", text, reason);
  for (int i = 0; i < passes->count; i++) ck_assert_int_eq(passes->pass[i].precision, FG_SINGLE);
  s.program = fg_program_create(test_target(), s.p, passes, &reason);
  ck_assert_msg(s.program != NULL, "%s: %s", text, reason);
  s.in = fg_program_layout(s.program, FG_INPUT);
  s.out = fg_program_layout(s.program, FG_OUTPUT);
  free(passes);
  return s;
}

static void subject_free(subject *s) {
  fg_program_destroy(s->program);
  fg_problem_free(s->p);
}

static fg_arrays arrays_of(const subject *s, const array *in, const array *out) {
  return (fg_arrays){re_of(in), im_of(s->in, in), re_of(out), im_of(s->out, out)};
}

/* Of the output's elements: the squares of the differences; then mine becomes theirs there, so that all else can be
 * compared. */
static void compare(const subject *s, const array *mine, const array *theirs, double *difference, double *norm) {
  fg_layout as_is = *s->out;
  as_is.image = FG_DOUBLE;
  const size_t reals = (size_t)(as_is.elements * as_is.unit);
  double *x = malloc(reals * sizeof *x), *y = malloc(reals * sizeof *y);
  const fg_arrays to = arrays_of(s, mine, mine), from = arrays_of(s, theirs, theirs);
  for (int plane = 0; plane < (as_is.split ? 2 : 1); plane++) {
    fg_layout_gather(&as_is, plane ? to.out_im : to.out_re, 0, as_is.elements, x);
    fg_layout_gather(&as_is, plane ? from.out_im : from.out_re, 0, as_is.elements, y);
    for (size_t i = 0; i < reals; i++) {
      ck_assert_msg(x[i] == (float)x[i], "a result that is no number of single precision");
      *difference += (x[i] - y[i]) * (x[i] - y[i]);
      *norm += y[i] * y[i];
    }
    fg_layout_scatter(&as_is, plane ? to.out_im : to.out_re, 0, as_is.elements, y);
  }
  free(x);
  free(y);
}

/* The requirement: to six digits. */
static double allowed(const fg_problem *p) {
  const double n = (double)fg_tensor_size(&p->transform);
  return 5e-7 * sqrt(log2(n > 2 ? n : 2));
}

static void check(const char *text) {
  dice d = {5};
  subject s = subject_make(text);
  array in = array_make(s.in, s.in_place ? s.out : NULL, &d), out = {0};
  if (!s.in_place) out = array_make(s.out, NULL, &d);
  array their_in = array_copy(&in), their_out = s.in_place ? their_in : array_copy(&out);
  const fg_arrays mine = arrays_of(&s, &in, s.in_place ? &in : &out);
  const fg_arrays theirs = arrays_of(&s, &their_in, &their_out);
  double difference = 0, norm = 0;
  by_fftw(s.p, &theirs);
  ck_assert_msg(fg_program_execute(s.program, &mine) == FG_DONE, "%s: %s", text, fg_backend_message());
  compare(&s, s.in_place ? &in : &out, &their_out, &difference, &norm);
  const double error = sqrt(difference / norm);
  ck_assert_msg(error <= allowed(s.p) && error > 1e-12, "%s: error %g of %g", text, error, allowed(s.p));
  ck_assert_msg(array_same(&in, &their_in), "%s: what is not output was written", text);
  if (!s.in_place) ck_assert_msg(array_same(&out, &their_out), "%s: a gap of the output was written", text);
  array_free(&in);
  array_free(&their_in);
  if (!s.in_place) {
    array_free(&out);
    array_free(&their_out);
  }
  subject_free(&s);
}

/* ---- the tests ---- */

static const char *const problems[] = {
    "ocf2", "ocf1000", "ocb360*7", "icf24x24x24*3", "/ocf64x36", "/icb48*5", "ocf12:3:2*5:50:40", "icf30v4", "icf8192",
    "ocf1009*2", "ocf4096*40", "icf512*300", "orf1000*3", "orb1000*3", "irf60*4", "irb60*4", "/orf24*5", "orf6x10*2",
    "ok60e10*3", "ik33o11", "ok16x9e00*2", "ok128h", "icf150x200", "orf64:2:3*7:150:200"};

START_TEST(doubles_are_right_to_single_precision) { check(problems[_i]); }
END_TEST

/* In pieces of some kilobytes, in parts of some hundred bytes. */
START_TEST(small_pieces_change_nothing) {
  fg_schedule_pieces = 5;
  fg_pipeline_mapped = 0;
  fg_pipeline_piece = 4000;
  fg_pipeline_part = 700;
  check(problems[_i]);
}
END_TEST

/* ---- threads ---- */

enum { THREADS = 6, ROUNDS = 8 };

typedef struct {
  const subject *s;
  array in, out;
  bool wrong;
} worker;

static void *work(void *argument) {
  worker *w = argument;
  const subject *s = w->s;
  for (int round = 0; round < ROUNDS; round++) {
    array in = array_copy(&w->in);
    const fg_arrays a = arrays_of(s, &in, &in);
    const bool done = fg_program_execute(s->program, &a) == FG_DONE;
    if (!done || !array_same(&in, &w->out)) w->wrong = true;
    array_free(&in);
  }
  return NULL;
}

START_TEST(several_threads_at_once) {
  static const char *const some[] = {"icf64*40", "icf24x24x24", "/icf30*21"};
  subject s[3];
  pthread_t thread[THREADS];
  worker w[THREADS];
  fg_pipeline_mapped = 0;
  fg_pipeline_piece = 9000;
  for (int i = 0; i < 3; i++) s[i] = subject_make(some[i]);
  for (int i = 0; i < THREADS; i++) {
    dice d = {(unsigned)i + 7};
    w[i] = (worker){.s = &s[i % 3], .in = array_make(s[i % 3].in, NULL, &d)};
    w[i].out = array_copy(&w[i].in);
    const fg_arrays a = arrays_of(w[i].s, &w[i].out, &w[i].out);
    ck_assert_int_eq(fg_program_execute(s[i % 3].program, &a), FG_DONE);
  }
  for (int i = 0; i < THREADS; i++) ck_assert_int_eq(pthread_create(&thread[i], NULL, work, &w[i]), 0);
  for (int i = 0; i < THREADS; i++) {
    pthread_join(thread[i], NULL);
    ck_assert_msg(!w[i].wrong, "%s: thread %d got another result", some[i % 3], i);
    array_free(&w[i].in);
    array_free(&w[i].out);
  }
  for (int i = 0; i < 3; i++) subject_free(&s[i]);
}
END_TEST

int main(void) {
  setenv("FFTW3_GPU_COPY_THREADS", "3", 0);
  test_choose_sim();
  TCase *tc = tcase_create("converted");
  tcase_set_timeout(tc, 120);
  tcase_add_loop_test(tc, doubles_are_right_to_single_precision, 0, TEST_COUNT(problems));
  tcase_add_loop_test(tc, small_pieces_change_nothing, 0, TEST_COUNT(problems));
  tcase_add_test(tc, several_threads_at_once);
  return test_run(tc, "converted");
}
