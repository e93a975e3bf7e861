/* kernel_case.h: a problem, passes that are planned for it, and whether they are right: what tests of kernels share that are
 * compiled once for each variant. */
#ifndef FG_TEST_KERNEL_CASE_H
#define FG_TEST_KERNEL_CASE_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "on_sim.h"
#include "random_problem.h"
#include "reaching.h"
#include "src/pass/solver.h"
#include "src/plan/planner.h"
#include "src/problem/layout.h"
#include "src/problem/notation.h"
#include "variant.h"

static const enum fg_reach REACH = TEST_WIDE ? FG_REACH_ARRAY : FG_REACH_IMAGE;

static fg_passes list; /* too large for a stack */

static inline fg_problem *problem_of(const char *text) {
  fg_problem *p = test_problem(text, ARRAYS);
  p->compute = PRECISION;
  return p;
}

static inline bool try_plan(const fg_problem *p, const fg_device_info *device, const char **why) {
  return TEST_WIDE ? test_plan_reaching(p, false, device, &list, why) : fg_planner_plan(p, device, &list, why);
}

static inline void plan(const fg_problem *p, const fg_device_info *device) {
  const char *why = "";
  if (!try_plan(p, device, &why)) {
    char text[300];
    fg_notation_print(p, text, sizeof text);
    ck_abort_msg("%s: %s", text, why);
  }
}

/* list is right for p. */
static inline void check(fg_problem *p, const char *name) {
  dice d = {61};
  const double error = test_passes_error(p, &list, &d), allowed = test_allowed_error(p, &list);
  if (getenv("SHOW")) fprintf(stderr, "%-30s %d passes %g of %g\n", name, list.count, error, allowed);
  ck_assert_msg(error <= allowed, "%s: error %g, allowed %g", name, error, allowed);
}

/* p's transform as one of a solver's ways does it, of arrays that are reached so. */
static inline void plan_way_reaching(const fg_problem *p, enum fg_reach reach, bool in_place, const fg_device_info *device,
                                     fg_way way, ptrdiff_t n1) {
  const fg_planner planner = {.device = device};
  fg_layout in, out;
  ck_assert(fg_layout_make_reaching(&in, p, FG_INPUT, reach) && fg_layout_make_reaching(&out, p, FG_OUTPUT, reach));
  fg_work w = {.precision = PRECISION, .kind = p->kind, .sign = p->sign, .rank = p->transform.rank, .loops = p->batch.rank};
  w.batched = w.loops > 0;
  w.from = (fg_place){.array = in_place ? FG_ARRAY_OUT : FG_ARRAY_IN, .wide = TEST_WIDE, .split = in.split, .offset = in.offset};
  w.to = (fg_place){.array = FG_ARRAY_OUT, .wide = TEST_WIDE, .split = out.split, .offset = out.offset};
  for (int d = 0; d < w.rank; d++) w.dim[d] = (fg_dim){p->transform.dim[d].n, in.stride[d], out.stride[d]};
  for (int b = 0; b < w.loops; b++)
    w.loop[b] = (fg_loop){.n = p->batch.dim[b].n, .in = in.stride[w.rank + b], .out = out.stride[w.rank + b]};
  list = (fg_passes){0};
  ck_assert(way(&planner, &w, n1, &list));
  fg_layout_free(&in);
  fg_layout_free(&out);
}

static inline void plan_way(const fg_problem *p, const fg_device_info *device, fg_way way, ptrdiff_t n1) {
  plan_way_reaching(p, REACH, false, device, way, n1);
}
#endif
