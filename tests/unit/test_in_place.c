/* test_in_place.c: which passes may leave their results in the array that they read. */
#include <check.h>
#include <stdlib.h>

#include "random_problem.h"
#include "src/pass/solver.h"
#include "src/plan/planner.h"
#include "suite.h"

static bool is_taken(const fg_pass *p) {
  static fg_passes list;
  const fg_planner planner = {.device = &fg_reference_device};
  list.count = 0;
  return fg_passes_add(&planner, &list, p);
}

/* Where it leaves its results in the array that it reads, a pass that writes elsewhere than it has read would be a race. */
START_TEST(no_pass_writes_what_another_block_reads) {
  fg_passes *rows = test_plan("oc64*1000", FG_SINGLE, &fg_reference_device);
  fg_passes *boxes = test_plan("oc8x8*1000", FG_SINGLE, &fg_reference_device);
  fg_pass row = rows->pass[0], box = boxes->pass[0];
  ck_assert(row.family == FG_FAMILY_TILE && row.loops == 1 && box.family == FG_FAMILY_BOX && box.dims == 2);
  row.from.array = row.to.array = box.from.array = box.to.array = FG_ARRAY_SCRATCH0;
  ck_assert(is_taken(&row) && is_taken(&box));
  box.box[0].os = box.box[1].is;
  box.box[1].os = box.box[0].is;
  ck_assert(is_taken(&box)); /* transposed, each in its place */
  box.box[0].os *= 2;
  ck_assert(!is_taken(&box));
  fg_pass other = row;
  other.loop[0].out++;
  ck_assert(!is_taken(&other));
  other.to.array = FG_ARRAY_SCRATCH1;
  ck_assert(is_taken(&other));
  other = row;
  other.out = 2;
  ck_assert(!is_taken(&other));
  other = row;
  other.to.offset = 1;
  ck_assert(!is_taken(&other));
  free(rows);
  free(boxes);
}
END_TEST

int main(void) {
  TCase *const tc = tcase_create("in place");
  tcase_add_test(tc, no_pass_writes_what_another_block_reads);
  return test_run(tc, "in place");
}
