/* test_mirrored_sums.c: rows of a block that are sums of products (cuda/kernel/mirrored_sums.h), of which one is not of numbers:
 * the others' results are the same to the bit, though a thread has several, and lines that do not exist have others' elements. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "on_sim.h"
#include "random_problem.h"
#include "src/plan/planner.h"
#include "src/run/program.h"
#include "suite.h"

enum { BAD = 5 }; /* row */

/* Rows and columns, parts and one prime, the last block not full. */
static const char *const texts[] = {"ok128e00*603", "ok30o00v700", "ok250e00*401", "ok141o00v613", "ok584e00*401"};

static fg_passes list; /* too large for a stack */

static void execute(const fg_problem *p, const fg_arrays *at) {
  const char *why = "";
  fg_program *g = fg_program_create(test_target(), p, &list, &why);
  ck_assert_msg(g != NULL, "%s", why);
  ck_assert_int_eq(fg_program_execute(g, at), FG_DONE);
  fg_program_destroy(g);
}

START_TEST(rows_are_apart) {
  const char *why = "";
  fg_problem *p = test_problem(texts[_i], FG_SINGLE);
  ck_assert_msg(fg_planner_plan(p, &fg_reference_device, &list, &why), "%s", why);
  ck_assert(list.count == 1 && list.pass[0].sums == FG_SUMS_OF_MIRRORS && list.pass[0].lines > 1);
  const fg_dim along = p->transform.dim[0], rows = p->batch.dim[0];

  dice d = {31};
  test_arrays a;
  test_arrays_make(&a, p, false, true);
  test_arrays_fill(&a, p, &d);
  float *const in = a.at.in_re, *const out = a.at.out_re;
  const size_t bytes = (size_t)(along.n * rows.n) * sizeof *out;
  float *const before = malloc(bytes);
  ck_assert(before != NULL);
  execute(p, &a.at);
  memcpy(before, out, bytes);
  in[BAD * rows.is + along.n / 2 * along.is] = NAN;
  in[BAD * rows.is] = INFINITY;
  execute(p, &a.at);
  for (ptrdiff_t r = 0; r < rows.n; r++)
    for (ptrdiff_t e = 0; e < along.n; e++) {
      const ptrdiff_t i = r * rows.os + e * along.os;
      ck_assert_msg(r == BAD ? !isfinite(out[i]) : !memcmp(&out[i], &before[i], sizeof *out), "%s: %td of row %td", texts[_i], e, r);
    }
  free(before);
  test_arrays_free(&a);
  fg_problem_free(p);
}
END_TEST

int main(void) {
  test_choose_sim_alone();
  TCase *tc = tcase_create("rows");
  tcase_set_timeout(tc, 120);
  tcase_add_loop_test(tc, rows_are_apart, 0, TEST_COUNT(texts));
  return test_run(tc, "sums of mirrored rows");
}
