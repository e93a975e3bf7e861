/* plan_split.c: planners of complex transforms whose real and imaginary parts lie in arrays of their own. */
#include "config.h"

#include "compat/lock.h"
#include "compat/next.h"
#include "compat/plan_problem.h"

X(plan) X(plan_guru64_split_dft)(int rank, const X(iodim64) *dims, int howmany_rank,
                                 const X(iodim64) *howmany_dims, R *ri, R *ii, R *ro, R *io, unsigned flags) {
  FG_PLANNER_ENTRY;
  if (fg_compat_direct())
    return FG_STRAIGHT(plan_guru64_split_dft, rank, dims, howmany_rank, howmany_dims, ri, ii, ro, io, flags);
  fg_problem *p = fg_translate_guru(FG_DFT, FG_PRECISION, FG_SPLIT, rank, dims, howmany_rank, howmany_dims);
  return FG(plan_problem)(p, FG_FORWARD, (fg_arrays){ri, ii, ro, io}, flags);
}

X(plan) X(plan_guru_split_dft)(int rank, const X(iodim) *dims, int howmany_rank, const X(iodim) *howmany_dims,
                               R *ri, R *ii, R *ro, R *io, unsigned flags) {
  FG_PLANNER_ENTRY;
  const fg_wide w = fg_widen(rank, dims, howmany_rank, howmany_dims);
  const X(plan) plan = X(plan_guru64_split_dft)(rank, w.dims, howmany_rank, w.howmany_dims, ri, ii, ro, io, flags);
  fg_wide_free(w);
  return plan;
}
