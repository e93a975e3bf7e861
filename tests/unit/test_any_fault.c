/* test_any_fault.c: whichever call of the device fails in the life of a plan, once, twice in a row or from then on:
 * each answer is right, each failure that real FFTW had to answer for is one line in the log, nothing is left behind,
 * and the next plan is the device's again.
 *
 * test_faults.c has each kind of call in each kind of execution; here all calls count, through planning, executions on
 * arrays of fftwf_malloc and of malloc, the end of the plan and of all that was kept. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/sim/sim.h"
#include "device_case.h"
#include "numbers.h"
#include "on_sim.h"
#include "real_fftw.h"
#include "src/run/arena/arena.h"
#include "src/run/host/pipeline.h"
#include "src/run/memory.h"
#include "src/run/slot.h"
#include "suite.h"
#include "told.h"

/* The last takes two passes, with something between them, on a device whose blocks hold little: there are a thousand
 * lives, so that a length which takes two on a device as it is would be nearly all that this test does. */
static const char *const cases[] = {"oc7*3", "/oc36*2", "ic48*9", "oc24x18", "/ic120", "ic14:-3:-3*11:42:42", "oc900"};
enum { LAST = TEST_COUNT(cases) - 1, LITTLE = 1024 };

/* The n-th call; that and the next; all from there on; each seventh. */
static const char *const forms[] = {"any:%d", "any:%d-%d", "any:%d+", "any:%d/7"};

/* The problem's arrays inside blocks of the arena: where they are in the case's, from the beginning of the block. */
typedef struct {
  char *block[4];
  fg_arrays at;
} own_arrays;

static void *moved(const device_case *c, const own_arrays *o, const void *p) {
  for (int b = 0; p && b < c->arrays.blocks; b++) {
    const test_block *from = &c->arrays.block[b];
    const size_t offset = (size_t)((const char *)p - from->memory);
    if (offset < from->bytes) return o->block[b] + offset;
  }
  return NULL;
}

static own_arrays own_open(const device_case *c) {
  own_arrays o = {.block = {NULL}};
  for (int b = 0; b < c->arrays.blocks; b++) o.block[b] = fg_arena_alloc(c->arrays.block[b].bytes + FG_ARENA_SMALLEST);
  const fg_arrays *a = &c->arrays.at;
  o.at = (fg_arrays){moved(c, &o, a->in_re), moved(c, &o, a->in_im), moved(c, &o, a->out_re), moved(c, &o, a->out_im)};
  return o;
}

static void own_close(own_arrays *o) {
  for (int b = 0; b < 4; b++)
    if (fg_arena_forget(o->block[b])) free(o->block[b]);
}

static void copy_blocks(const device_case *c, const own_arrays *o, bool back) {
  for (int b = 0; b < c->arrays.blocks; b++) {
    const test_block *mine = &c->arrays.block[b];
    if (back) memcpy(mine->memory, o->block[b], mine->bytes);
    else memcpy(o->block[b], mine->memory, mine->bytes);
  }
}

static char set_now[40]; /* the faults */

/* An execution, in the case's own arrays or in the arena's. Returns lines of the log that it is due. */
static int execute(device_case *c, fg_plan *plan, const own_arrays *o) {
  const int before = test_real_fftw_executions();
  test_arrays_refill(&c->arrays);
  if (o) copy_blocks(c, o, false);
  fg_plan_execute(plan, o ? &o->at : NULL);
  if (o) copy_blocks(c, o, true);
  const bool by_host = test_real_fftw_executions() > before;
  /* The arena's planes are another distance apart, for which real FFTW may plan otherwise. */
  const bool right = by_host ? device_case_is_near(c, c->by_host) : device_case_is(c, c->by_device);
  ck_assert_msg(right, "%s: wrong on %s, by the %s", set_now,
                o ? "own memory" : "foreign memory", by_host ? "host" : "device");
  return by_host;
}

/* Plan, execute, destroy, clean up; a plan of real FFTW's needs no more looking at. */
static int whole_life(device_case *c) {
  void *plan = fg_plan_create(fg_problem_copy(c->problem));
  ck_assert_ptr_nonnull(plan);
  if (!fg_plan_is_ours(plan)) {
    fg_host_of(TEST_ARRAYS)->destroy(plan);
    return 1;
  }
  own_arrays o = own_open(c);
  int lines = 0;
  for (int i = 0; i < 2; i++) lines += execute(c, plan, NULL) + execute(c, plan, &o);
  own_close(&o);
  fg_plan_destroy(plan);
  fg_plan_cleanup();
  return lines;
}

static bool equal(const fg_sim_counters *a, const fg_sim_counters *b) {
  return a->allocations == b->allocations && a->streams == b->streams && a->registered == b->registered;
}

/* With faults of that form at the n-th call: the lines that were due. */
static int life_with_faults(device_case *c, const char *form, int n) {
  const fg_sim_counters before = fg_sim_count();
  const size_t used = fg_memory_used();
  snprintf(set_now, sizeof set_now, form, n, n + 1);
  ck_assert_int_eq(fg_sim_set_faults(set_now), 0);
  test_log_clear();
  const int lines = whole_life(c);
  ck_assert_msg(test_log_lines("warn") == lines, "%s: %d lines instead of %d", set_now, test_log_lines("warn"), lines);
  ck_assert_int_eq(test_log_lines("error"), 0);
  fg_sim_set_faults(NULL);
  fg_plan_cleanup();
  const fg_sim_counters after = fg_sim_count();
  ck_assert_msg(equal(&before, &after) && fg_memory_used() == used, "%s: something is left", set_now);
  return lines;
}

START_TEST(any_call_may_fail) {
  enum { WITHOUT_EFFECT = 40 }; /* so many later calls that change nothing: there are no more */
  enum { PIECE = 256, PIECES = 32 /* of both arrays */ };
  device_case c;
  device_case_open(&c, cases[_i / TEST_COUNT(forms)]);
  /* Copies in a few pieces each: a life has as many calls as pieces, and there are as many lives. */
  fg_pipeline_piece = c.bytes > PIECE * PIECES ? c.bytes / PIECES : PIECE;
  const bool last = _i / TEST_COUNT(forms) == LAST;
  if (last) fg_sim_set_small(LITTLE);
  if (last) fg_pipeline_mapped = 0; /* else it is too short for pieces */
  const size_t launched = fg_sim_count().launches;
  device_case_plan(&c);
  if (last) ck_assert_uint_eq(fg_sim_count().launches - launched, 2);
  fg_plan_cleanup();
  const char *const form = forms[_i % TEST_COUNT(forms)];
  /* Where the input is overwritten, what fails for good cannot be mended: test_faults.c has that. */
  const bool in_place = c.arrays.at.in_re == c.arrays.at.out_re;
  int lines = 0, n = 1;
  if (!in_place || _i % TEST_COUNT(forms) == 0)
    for (int quiet = 0; quiet < WITHOUT_EFFECT; n += TEST_SPARSE) {
      const int more = life_with_faults(&c, form, n);
      quiet = more ? 0 : quiet + TEST_SPARSE;
      lines += more;
    }
  else lines = 1;
  ck_assert_int_gt(lines, 0);
  ck_assert_int_eq(life_with_faults(&c, "any:%d", 100000), 0);
  device_case_close(&c);
}
END_TEST

int main(void) {
  device_case_begin();
  TCase *tc = tcase_create("any fault");
  tcase_add_loop_test(tc, any_call_may_fail, 0, TEST_COUNT(cases) * TEST_COUNT(forms));
  return device_case_end(tc, "any fault");
}
