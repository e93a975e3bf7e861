/* random_problem.c: complex problems with wild but legal layouts; problems and their passes from a text. */
#include "random_problem.h"

#include <stdlib.h>

#include "src/plan/planner.h"
#include "src/problem/notation.h"
#include "suite.h"

enum { MOST = 16 };

static ptrdiff_t *stride(fg_dim *d, enum fg_side side) { return side == FG_INPUT ? &d->is : &d->os; }

/* A step that is sometimes more than the memory behind it takes: a gap. */
static ptrdiff_t with_gap(dice *d, ptrdiff_t taken, ptrdiff_t unit) {
  return dice_one_in(d, 3) ? taken + unit * dice_between(d, 1, 3) : taken;
}

static void lay_out(dice *d, fg_dim *const dims[], int count, enum fg_side side, ptrdiff_t unit) {
  int order[MOST];
  for (int i = 0; i < count; i++) {
    const int other = (int)dice_between(d, 0, i);
    order[i] = order[other];
    order[other] = i;
  }
  ptrdiff_t taken = unit;
  for (int i = 0; i < count; i++) {
    fg_dim *const dim = dims[order[i]];
    const ptrdiff_t step = with_gap(d, taken, unit);
    *stride(dim, side) = dice_one_in(d, 4) ? -step : step;
    taken = step * dim->n;
  }
}

fg_problem *test_random_problem(dice *d, const test_limits *l) {
  const enum fg_format format = dice_one_in(d, 3) ? FG_SPLIT : FG_INTERLEAVED;
  const int rank = (int)dice_between(d, 0, l->rank), batch_rank = (int)dice_between(d, 0, l->batch_rank);
  fg_problem *p = fg_problem_new(FG_DFT, l->precision, format, rank, batch_rank);
  ck_assert_ptr_nonnull(p);
  fg_dim *dims[MOST] = {NULL};
  ptrdiff_t left = l->elements;
  for (int i = 0; i < rank + batch_rank; i++) {
    const ptrdiff_t most = i < rank ? l->n : l->batch_n;
    dims[i] = i < rank ? &p->transform.dim[i] : &p->batch.dim[i - rank];
    dims[i]->n = dice_between(d, 1, most < left ? most : left);
    left /= dims[i]->n;
  }
  const ptrdiff_t unit = format == FG_SPLIT ? 1 : 2;
  lay_out(d, dims, rank + batch_rank, FG_INPUT, unit);
  lay_out(d, dims, rank + batch_rank, FG_OUTPUT, unit);
  for (int i = 0; l->in_place && i < rank + batch_rank; i++) dims[i]->os = dims[i]->is;
  if (format == FG_INTERLEAVED && dice_one_in(d, 2)) p->sign = FG_BACKWARD;
  return p;
}

fg_problem *test_problem(const char *text, enum fg_precision precision) {
  char why[200];
  fg_problem *p = fg_notation_parse(text, precision, why, sizeof why);
  if (!p) ck_abort_msg("%s", why);
  return p;
}

fg_passes *test_plan(const char *text, enum fg_precision precision, const fg_device_info *device) {
  const char *why = "";
  fg_problem *p = test_problem(text, precision);
  fg_passes *list = calloc(1, sizeof *list);
  ck_assert_ptr_nonnull(list);
  ck_assert_msg(fg_planner_plan(p, device, list, &why), "%s: %s", text, why);
  fg_problem_free(p);
  return list;
}
