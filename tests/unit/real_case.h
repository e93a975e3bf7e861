/* real_case.h: one problem of real data, planned and run on the simulated device, and held against sums in long double. */
#ifndef FG_TEST_REAL_CASE_H
#define FG_TEST_REAL_CASE_H

#include <check.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dice.h"
#include "on_sim.h"
#include "random_problem.h"
#include "reaching.h"
#include "small_device.h"
#include "src/plan/planner.h"
#include "suite.h"
#include "variant.h"

static fg_passes list; /* too large for a stack */

static bool plan(const fg_problem *p, bool in_place, const fg_device_info *device, const char **why) {
  if (TEST_WIDE || test_reach_apart) return test_plan_reaching(p, in_place, device, &list, why);
  return fg_planner_plan(p, device, &list, why);
}

/* Plan and run text on a device of that much shared memory in single precision (0: the reference device); a leading i
 * means in place. */
static void check(const char *text, size_t shared_block) {
  const char *why = "";
  const fg_device_info small = test_small_device(shared_block * fg_real_size(PRECISION) / sizeof(float));
  const bool in_place = strchr(text, 'i') != NULL;
  fg_problem *p = test_problem(text, ARRAYS);
  p->compute = PRECISION;
  if (!plan(p, in_place, shared_block ? &small : &fg_reference_device, &why)) ck_abort_msg("%s: %s", text, why);

  dice d = {97};
  const bool at_start = dice_between(&d, 0, 1); /* of its memory, or at the end */
  const double error = test_placed_error(p, &list, in_place, at_start, &d);
  const double unit = PRECISION == FG_SINGLE ? FLT_EPSILON / 2 : DBL_EPSILON / 2;
  double levels = 2 * (1 + sqrt(log2((double)fg_tensor_size(&p->transform) + 2)));
  for (int i = 0; i < list.count; i++) { /* a convolution is three transforms */
    const bool convolved = list.pass[i].filter.kind && !list.pass[i].sums;
    if (convolved || list.pass[i].load_table.kind) levels *= 2;
  }
  if (getenv("SHOW")) fprintf(stderr, "%-28s %d passes %g of %g\n", text, list.count, error, levels * unit);
  ck_assert_msg(error <= levels * unit, "%s: error %g", text, error);
  fg_problem_free(p);
}

#endif
