/* plan_dft.c: planners of complex transforms, interleaved format. */
#include "config.h"

#include "compat/lock.h"
#include "compat/next.h"
#include "compat/plan_problem.h"

X(plan) X(plan_many_dft)(int rank, const int *n, int howmany, C *in, const int *inembed, int istride, int idist, C *out,
                         const int *onembed, int ostride, int odist, int sign, unsigned flags) {
  FG_PLANNER_ENTRY;
  if (fg_compat_direct())
    return FG_STRAIGHT(plan_many_dft, rank, n, howmany, in, inembed, istride, idist, out, onembed, ostride, odist,
                   sign, flags);
  fg_problem *p = fg_translate_many(FG_DFT, FG_PRECISION, rank, n, howmany, (fg_many_side){inembed, istride, idist},
                                    (fg_many_side){onembed, ostride, odist}, in == out);
  return FG(plan_problem)(p, sign, (fg_arrays){FG_COMPLEX(in), FG_COMPLEX(out)}, flags);
}

X(plan) X(plan_dft)(int rank, const int *n, C *in, C *out, int sign, unsigned flags) {
  FG_PLANNER_ENTRY;
  return X(plan_many_dft)(rank, n, 1, in, NULL, 1, 1, out, NULL, 1, 1, sign, flags);
}

X(plan) X(plan_dft_1d)(int n, C *in, C *out, int sign, unsigned flags) {
  FG_PLANNER_ENTRY;
  return X(plan_dft)(1, &n, in, out, sign, flags);
}

X(plan) X(plan_dft_2d)(int n0, int n1, C *in, C *out, int sign, unsigned flags) {
  FG_PLANNER_ENTRY;
  return X(plan_dft)(2, (int[]){n0, n1}, in, out, sign, flags);
}

X(plan) X(plan_dft_3d)(int n0, int n1, int n2, C *in, C *out, int sign, unsigned flags) {
  FG_PLANNER_ENTRY;
  return X(plan_dft)(3, (int[]){n0, n1, n2}, in, out, sign, flags);
}

X(plan) X(plan_guru64_dft)(int rank, const X(iodim64) *dims, int howmany_rank, const X(iodim64) *howmany_dims,
                           C *in, C *out, int sign, unsigned flags) {
  FG_PLANNER_ENTRY;
  if (fg_compat_direct())
    return FG_STRAIGHT(plan_guru64_dft, rank, dims, howmany_rank, howmany_dims, in, out, sign, flags);
  fg_problem *p = fg_translate_guru(FG_DFT, FG_PRECISION, FG_INTERLEAVED, rank, dims, howmany_rank, howmany_dims);
  return FG(plan_problem)(p, sign, (fg_arrays){FG_COMPLEX(in), FG_COMPLEX(out)}, flags);
}

X(plan) X(plan_guru_dft)(int rank, const X(iodim) *dims, int howmany_rank, const X(iodim) *howmany_dims, C *in,
                         C *out, int sign, unsigned flags) {
  FG_PLANNER_ENTRY;
  const fg_wide w = fg_widen(rank, dims, howmany_rank, howmany_dims);
  const X(plan) plan = X(plan_guru64_dft)(rank, w.dims, howmany_rank, w.howmany_dims, in, out, sign, flags);
  fg_wide_free(w);
  return plan;
}
