/* test_requests.c: what kernels are compiled with, and what launches tell them. */
#include <check.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "random_problem.h"
#include "src/pass/kernel.h"
#include "src/plan/planner.h"
#include "suite.h"

/* Pitches of boxes that are constants of their kernel, and spectra that are one run of elements.  Strides of rows, planes and
 * boxes, in and out, instead of the plan's; 0: those. */
static const struct {
  const char *text;
  ptrdiff_t rows[2], planes[2], boxes[2];
  long long in_pitch, out_pitch;
  int in_dense, out_dense;
} pitches[] = {
    {"oc16x16*9", {0, 0}, {0, 0}, {0, 0}, 16, 16, 0, 0},
    {"oc16x16*9", {32, -16}, {0, 0}, {300, 0}, 32, -16, 0, 0}, /* of complex points what is between boxes does not matter */
    {"oc16x16*9", {17, 8}, {0, 0}, {0, 0}, 0, 0, 0, 0},
    {"oc16x16v9", {0, 0}, {0, 0}, {0, 0}, 0, 0, 0, 0}, /* across */
    {"oc8x8x8*9", {16, 8}, {128, 72}, {0, 0}, 16, 0, 0, 0},
    {"oc8x8x8*9", {(ptrdiff_t)1 << 33, 8}, {(ptrdiff_t)1 << 36, 64}, {0, 0}, 1LL << 33, 8, 0, 0},
    {"orb12x60*4", {0, 0}, {0, 0}, {0, 0}, 31, 60, 1, 0},
    {"orb12x60*4", {0, 0}, {0, 0}, {400, 800}, 31, 60, 0, 0},
    {"orb12x60*4", {62, 62}, {0, 0}, {744, 0}, 62, 62, 0, 0}, /* real: a padded row */
    {"orf12x60*4", {0, 0}, {0, 0}, {0, 0}, 60, 31, 0, 1},
    {"orf12x60*4", {0, 0}, {0, 0}, {720, 400}, 60, 31, 0, 0},
    {"irf12x60*4", {62, 0}, {0, 0}, {744, 0}, 62, 31, 0, 1},
    {"irb12x15*4", {0, 16}, {0, 0}, {0, 192}, 8, 16, 1, 0},
    {"irb12x15*4", {0, 17}, {0, 0}, {0, 204}, 8, 0, 1, 0},
    {"orf4x6x14*6", {0, 0}, {0, 60}, {0, 240}, 14, 0, 0, 0}, /* a gap between planes */
};

START_TEST(pitches_of_boxes_are_constants) {
  char defines[FG_DEFINES_SIZE], wanted[160];
  fg_problem *problem = test_problem(pitches[_i].text, FG_SINGLE);
  static fg_passes list;
  const char *why;
  ck_assert_msg(fg_planner_plan(problem, &fg_reference_device, &list, &why), "%s", why);
  fg_pass *p = &list.pass[0];
  ck_assert(list.count == 1 && p->family == FG_FAMILY_BOX && p->loops == 1);
  fg_dim *const rows = &p->box[p->dims - 2], *const planes = &p->box[0];
  if (pitches[_i].rows[0]) rows->is = pitches[_i].rows[0];
  if (pitches[_i].rows[1]) rows->os = pitches[_i].rows[1];
  if (pitches[_i].planes[0]) planes->is = pitches[_i].planes[0];
  if (pitches[_i].planes[1]) planes->os = pitches[_i].planes[1];
  if (pitches[_i].boxes[0]) p->loop[0].in = pitches[_i].boxes[0];
  if (pitches[_i].boxes[1]) p->loop[0].out = pitches[_i].boxes[1];
  fg_kernel_request_of(p, defines);
  snprintf(wanted, sizeof wanted,
           "#define FG_IN_PITCH %lld\n#define FG_OUT_PITCH %lld\n#define FG_IN_DENSE %d\n#define FG_OUT_DENSE %d\n",
           pitches[_i].in_pitch, pitches[_i].out_pitch, pitches[_i].in_dense, pitches[_i].out_dense);
  ck_assert_msg(strstr(defines, wanted) != NULL, "%s: not %s but %s", pitches[_i].text, wanted,
                strstr(defines, "#define FG_IN_PITCH"));
  fg_problem_free(problem);
}
END_TEST

/* As the kernels divide (cuda/kernel/line.h), by n and at all places where that could be one too many or too few. */
START_TEST(loops_are_divided_by_a_multiplication) {
  const long long some[] = {1, 2, 3, 5, 6, 7, 9, 641, 65535, 65537, 1000003, (1 << 30) - 1, (1 << 30) + 1, INT_MAX - 1, INT_MAX};
  for (size_t i = 0; i < TEST_COUNT(some) + 60; i++) {
    const long long k = (long long)i - TEST_COUNT(some), n = k < 0 ? some[i] : ((long long)1 << k / 2) + k % 2;
    if (n > INT_MAX) continue;
    const fg_divisor by = fg_divisor_of(n);
    const long long last = ((long long)1 << 31) - 1, multiple = last / n * n;
    const long long at[] = {0, 1, n - 1, n, n + 1, 2 * n - 1, 2 * n, multiple - 1, multiple, multiple + 1, last - 1, last};
    for (size_t j = 0; j < TEST_COUNT(at); j++) {
      if (at[j] < 0 || at[j] > last) continue;
      const unsigned u = (unsigned)at[j], q = ((unsigned)((uint64_t)by.magic * u >> 32) + u) >> by.shift;
      ck_assert_msg(q == u / (unsigned long long)n, "%u / %lld: %u", u, n, q);
    }
  }
  const fg_divisor none = fg_divisor_of(0);
  ck_assert(none.magic == 0 && none.shift == 0);
}
END_TEST

int main(void) {
  TCase *tc = tcase_create("requests");
  tcase_add_loop_test(tc, pitches_of_boxes_are_constants, 0, TEST_COUNT(pitches));
  tcase_add_test(tc, loops_are_divided_by_a_multiplication);
  return test_run(tc, "requests");
}
