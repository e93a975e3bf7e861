/* test_rest.c: a batch in place, of doubles that are computed in single precision, on a device that fails for good
 * somewhere in the middle: the transforms that had been written over their input stay the device's, the real FFTW does
 * the rest from untouched input, and nothing else is written. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/sim/sim.h"
#include "device_case.h"
#include "numbers.h"
#include "on_sim.h"
#include "real_fftw.h"
#include "src/plan/handle.h"
#include "src/run/host/movers.h"
#include "src/run/host/pipeline.h"
#include "src/run/host/schedule.h"
#include "src/run/target.h"
#include "suite.h"
#include "told.h"

/* One transform behind the other; in two planes; with gaps. */
static const char *const cases[] = {"ic48*9", "/ic16x8*7", "icb8:2*11:20", "ic40*6:42"};

enum { LARGE = 130, NONE = -1 };

/* To within that: 0 is to the bit. */
static bool same(const double *now, const double *right, size_t numbers, double within) {
  for (size_t i = 0; i < numbers; i++)
    if (within > 0 ? !(fabs(now[i] - right[i]) < within) : memcmp(&now[i], &right[i], sizeof *now)) return false;
  return true;
}

/* Transforms at the beginning of the batch that the device did; the others must be the real FFTW's.  Numbers of large,
 * if it is one of the transforms, are some 2^LARGE, those of all others some 1. */
static int by_device(const device_case *c, const char *fault, int large) {
  const fg_dim *batch = &c->problem->batch.dim[0];
  int done = (int)batch->n;
  for (int b = 0; b < c->arrays.blocks; b++) {
    const test_block *block = &c->arrays.block[b];
    const size_t numbers = block->bytes / sizeof(double), before = b * (c->arrays.block[0].bytes / sizeof(double));
    const double *now = (const double *)block->memory;
    for (int i = 0; i < (int)batch->n; i++) {
      const size_t from = (size_t)(i * batch->is), until = i + 1 < batch->n ? from + (size_t)batch->is : numbers;
      const double *device = (const double *)c->by_device + before, *host = (const double *)c->by_host + before;
      if (i < done && same(now + from, device + from, until - from, 0)) continue;
      ck_assert_msg(b == 0 || i >= done, "%s: the planes are not equally far", fault);
      if (i < done) done = i;
      const double within = i == large ? ldexp(1e-11, LARGE) : 1e-11;
      ck_assert_msg(same(now + from, host + from, until - from, within), "%s: transform %d is nobody's", fault, i);
    }
  }
  return done;
}

/* A plan whose transforms go to the device in pieces, one or a few at a time. */
static void open_in_pieces(device_case *c, const char *text) {
  fg_schedule_pieces = 64;
  fg_pipeline_mapped = 0;
  fg_pipeline_piece = 300;
  device_case_open(c, text);
  device_case_plan(c);
}

START_TEST(what_the_device_leaves_is_done_by_the_host) {
  device_case c;
  int parts = 0;
  open_in_pieces(&c, cases[_i]);
  const int all = (int)c.problem->batch.dim[0].n;
  ck_assert_int_eq(by_device(&c, "none", NONE), all);
  for (int n = 1; n < 150; n++) {
    char fault[32];
    snprintf(fault, sizeof fault, "any:%d+", n);
    ck_assert_int_eq(fg_sim_set_faults(fault), 0);
    test_log_clear();
    device_case_execute(&c);
    fg_sim_set_faults(NULL);
    const int done = by_device(&c, fault, NONE);
    ck_assert_int_eq(test_log_lines("warn"), done < all);
    parts += done > 0 && done < all;
  }
  ck_assert_int_ge(parts, all - 2);
  device_case_close(&c);
}
END_TEST

/* No failure: one of the transforms has a number that single precision does not hold. */
START_TEST(what_single_precision_does_not_hold_is_done_by_the_host) {
  device_case c;
  int parts = 0;
  open_in_pieces(&c, cases[_i]);
  const fg_dim *batch = &c.problem->batch.dim[0];
  for (int n = 0; n < (int)batch->n; n++) {
    double *const number = (double *)c.arrays.before[0] + n * batch->is, kept = *number;
    *number = ldexp(1, LARGE);
    test_arrays_refill(&c.arrays);
    test_real_fftw_execute(c.problem, &c.arrays.at);
    free(c.by_host);
    c.by_host = device_case_memory(&c);
    test_log_clear();
    device_case_execute(&c);
    const int done = by_device(&c, "a large number", n);
    ck_assert_int_le(done, n);
    ck_assert_int_eq(test_log_lines("warn"), n == 0); /* once a plan */
    parts += done > 0;
    *number = kept;
  }
  ck_assert_int_ge(parts, (int)batch->n / 2);
  device_case_close(&c);
}
END_TEST

/* What has got some of them done is worth trying the next time, and the time after that. */
START_TEST(what_is_partly_done_is_tried_again) {
  enum { TIMES = 8 };
  device_case c;
  open_in_pieces(&c, cases[0]);
  c.plan->pauses = true;
  const fg_dim *batch = &c.problem->batch.dim[0];
  ((double *)c.arrays.before[0])[(batch->n - 1) * batch->is] = ldexp(1, LARGE);
  for (int i = 0; i < TIMES; i++) {
    const size_t launches = fg_sim_count().launches;
    device_case_execute(&c);
    ck_assert_msg(fg_sim_count().launches > launches, "execution %d was not tried", i);
  }
  ck_assert_uint_eq(fg_plan_facts_of(c.plan).by_host, TIMES);
  device_case_close(&c);
}
END_TEST

/* ---- beside another execution, which has the movers as soon as they are free ------------------------------------- */

static void nothing(void *context, size_t piece, int part, int parts) {
  (void)context, (void)piece, (void)part, (void)parts;
}

static void use_movers(void) {
  fg_belts *const belts = fg_movers_take(FG_FEW_MOVERS);
  for (int side = 0; belts && side < 2; side++) {
    fg_belt_start(&belts->belt[side], nothing, NULL, 1);
    for (int piece = 0; piece < 4096; piece++) fg_belt_open(&belts->belt[side]);
    while (fg_belt_help(&belts->belt[side])) continue;
    fg_belt_stop(&belts->belt[side]);
  }
  if (belts) fg_movers_give();
}

static int wait_and_use_movers(fg_device *d, fg_stream *s) {
  use_movers();
  return fg_backend_sim.stream_wait(d, s);
}

START_TEST(what_was_copied_is_known_when_others_have_the_movers) {
  device_case c;
  const char *why;
  fg_schedule_pieces = 8;
  fg_pipeline_mapped = 0;
  fg_pipeline_piece = 64 << 10;
  fg_pipeline_part = 4 << 10;
  setenv("FFTW3_GPU_COPY_THREADS", "2", 1);
  device_case_open(&c, "ic512*64");
  device_case_plan(&c);
  fg_backend busy = fg_backend_sim;
  busy.stream_wait = wait_and_use_movers;
  fg_target *target = (fg_target *)fg_target_get(&why);
  target->backend = &busy;
  for (int n = 1; n < 400; n++) {
    char fault[32];
    snprintf(fault, sizeof fault, "any:%d+", n % 80 + 1);
    ck_assert_int_eq(fg_sim_set_faults(fault), 0);
    device_case_execute(&c);
    fg_sim_set_faults(NULL);
    by_device(&c, fault, NONE);
  }
  target->backend = &fg_backend_sim;
  device_case_close(&c);
}
END_TEST

int main(void) {
  device_case_begin();
  TCase *tc = tcase_create("rest");
  tcase_add_loop_test(tc, what_the_device_leaves_is_done_by_the_host, 0, TEST_COUNT(cases));
  tcase_add_loop_test(tc, what_single_precision_does_not_hold_is_done_by_the_host, 0, TEST_COUNT(cases));
  tcase_add_test(tc, what_is_partly_done_is_tried_again);
  tcase_add_test(tc, what_was_copied_is_known_when_others_have_the_movers);
  return device_case_end(tc, "rest");
}
