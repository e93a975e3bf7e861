/* plan_real.c: planners of real-to-complex and complex-to-real transforms, interleaved and split. */
#include "config.h"

#include "compat/lock.h"
#include "compat/next.h"
#include "compat/plan_problem.h"

/* ---- real to complex --------------------------------------------------------------------------------------------- */

X(plan) X(plan_many_dft_r2c)(int rank, const int *n, int howmany, R *in, const int *inembed, int istride,
                             int idist, C *out, const int *onembed, int ostride, int odist, unsigned flags) {
  FG_PLANNER_ENTRY;
  if (fg_compat_direct())
    return FG_STRAIGHT(plan_many_dft_r2c, rank, n, howmany, in, inembed, istride, idist, out, onembed, ostride, odist,
                   flags);
  fg_problem *p = fg_translate_many(FG_R2C, FG_PRECISION, rank, n, howmany, (fg_many_side){inembed, istride, idist},
                                    (fg_many_side){onembed, ostride, odist}, (void *)in == (void *)out);
  return FG(plan_problem)(p, FG_FORWARD, (fg_arrays){FG_REALS(in), FG_COMPLEX(out)}, flags);
}

X(plan) X(plan_dft_r2c)(int rank, const int *n, R *in, C *out, unsigned flags) {
  FG_PLANNER_ENTRY;
  return X(plan_many_dft_r2c)(rank, n, 1, in, NULL, 1, 1, out, NULL, 1, 1, flags);
}

X(plan) X(plan_dft_r2c_1d)(int n, R *in, C *out, unsigned flags) {
  FG_PLANNER_ENTRY;
  return X(plan_dft_r2c)(1, &n, in, out, flags);
}

X(plan) X(plan_dft_r2c_2d)(int n0, int n1, R *in, C *out, unsigned flags) {
  FG_PLANNER_ENTRY;
  return X(plan_dft_r2c)(2, (int[]){n0, n1}, in, out, flags);
}

X(plan) X(plan_dft_r2c_3d)(int n0, int n1, int n2, R *in, C *out, unsigned flags) {
  FG_PLANNER_ENTRY;
  return X(plan_dft_r2c)(3, (int[]){n0, n1, n2}, in, out, flags);
}

X(plan) X(plan_guru64_dft_r2c)(int rank, const X(iodim64) *dims, int howmany_rank, const X(iodim64) *howmany_dims,
                               R *in, C *out, unsigned flags) {
  FG_PLANNER_ENTRY;
  if (fg_compat_direct())
    return FG_STRAIGHT(plan_guru64_dft_r2c, rank, dims, howmany_rank, howmany_dims, in, out, flags);
  fg_problem *p = fg_translate_guru(FG_R2C, FG_PRECISION, FG_INTERLEAVED, rank, dims, howmany_rank, howmany_dims);
  return FG(plan_problem)(p, FG_FORWARD, (fg_arrays){FG_REALS(in), FG_COMPLEX(out)}, flags);
}

X(plan) X(plan_guru_dft_r2c)(int rank, const X(iodim) *dims, int howmany_rank, const X(iodim) *howmany_dims, R *in,
                             C *out, unsigned flags) {
  FG_PLANNER_ENTRY;
  const fg_wide w = fg_widen(rank, dims, howmany_rank, howmany_dims);
  const X(plan) plan = X(plan_guru64_dft_r2c)(rank, w.dims, howmany_rank, w.howmany_dims, in, out, flags);
  fg_wide_free(w);
  return plan;
}

X(plan) X(plan_guru64_split_dft_r2c)(int rank, const X(iodim64) *dims, int howmany_rank,
                                     const X(iodim64) *howmany_dims, R *in, R *ro, R *io, unsigned flags) {
  FG_PLANNER_ENTRY;
  if (fg_compat_direct())
    return FG_STRAIGHT(plan_guru64_split_dft_r2c, rank, dims, howmany_rank, howmany_dims, in, ro, io, flags);
  fg_problem *p = fg_translate_guru(FG_R2C, FG_PRECISION, FG_SPLIT, rank, dims, howmany_rank, howmany_dims);
  return FG(plan_problem)(p, FG_FORWARD, (fg_arrays){in, NULL, ro, io}, flags);
}

X(plan) X(plan_guru_split_dft_r2c)(int rank, const X(iodim) *dims, int howmany_rank, const X(iodim) *howmany_dims,
                                   R *in, R *ro, R *io, unsigned flags) {
  FG_PLANNER_ENTRY;
  const fg_wide w = fg_widen(rank, dims, howmany_rank, howmany_dims);
  const X(plan) plan = X(plan_guru64_split_dft_r2c)(rank, w.dims, howmany_rank, w.howmany_dims, in, ro, io, flags);
  fg_wide_free(w);
  return plan;
}

/* ---- complex to real --------------------------------------------------------------------------------------------- */

X(plan) X(plan_many_dft_c2r)(int rank, const int *n, int howmany, C *in, const int *inembed, int istride,
                             int idist, R *out, const int *onembed, int ostride, int odist, unsigned flags) {
  FG_PLANNER_ENTRY;
  if (fg_compat_direct())
    return FG_STRAIGHT(plan_many_dft_c2r, rank, n, howmany, in, inembed, istride, idist, out, onembed, ostride, odist,
                   flags);
  fg_problem *p = fg_translate_many(FG_C2R, FG_PRECISION, rank, n, howmany, (fg_many_side){inembed, istride, idist},
                                    (fg_many_side){onembed, ostride, odist}, (void *)in == (void *)out);
  return FG(plan_problem)(p, FG_FORWARD, (fg_arrays){FG_COMPLEX(in), FG_REALS(out)}, flags);
}

X(plan) X(plan_dft_c2r)(int rank, const int *n, C *in, R *out, unsigned flags) {
  FG_PLANNER_ENTRY;
  return X(plan_many_dft_c2r)(rank, n, 1, in, NULL, 1, 1, out, NULL, 1, 1, flags);
}

X(plan) X(plan_dft_c2r_1d)(int n, C *in, R *out, unsigned flags) {
  FG_PLANNER_ENTRY;
  return X(plan_dft_c2r)(1, &n, in, out, flags);
}

X(plan) X(plan_dft_c2r_2d)(int n0, int n1, C *in, R *out, unsigned flags) {
  FG_PLANNER_ENTRY;
  return X(plan_dft_c2r)(2, (int[]){n0, n1}, in, out, flags);
}

X(plan) X(plan_dft_c2r_3d)(int n0, int n1, int n2, C *in, R *out, unsigned flags) {
  FG_PLANNER_ENTRY;
  return X(plan_dft_c2r)(3, (int[]){n0, n1, n2}, in, out, flags);
}

X(plan) X(plan_guru64_dft_c2r)(int rank, const X(iodim64) *dims, int howmany_rank, const X(iodim64) *howmany_dims,
                               C *in, R *out, unsigned flags) {
  FG_PLANNER_ENTRY;
  if (fg_compat_direct())
    return FG_STRAIGHT(plan_guru64_dft_c2r, rank, dims, howmany_rank, howmany_dims, in, out, flags);
  fg_problem *p = fg_translate_guru(FG_C2R, FG_PRECISION, FG_INTERLEAVED, rank, dims, howmany_rank, howmany_dims);
  return FG(plan_problem)(p, FG_FORWARD, (fg_arrays){FG_COMPLEX(in), FG_REALS(out)}, flags);
}

X(plan) X(plan_guru_dft_c2r)(int rank, const X(iodim) *dims, int howmany_rank, const X(iodim) *howmany_dims, C *in,
                             R *out, unsigned flags) {
  FG_PLANNER_ENTRY;
  const fg_wide w = fg_widen(rank, dims, howmany_rank, howmany_dims);
  const X(plan) plan = X(plan_guru64_dft_c2r)(rank, w.dims, howmany_rank, w.howmany_dims, in, out, flags);
  fg_wide_free(w);
  return plan;
}

X(plan) X(plan_guru64_split_dft_c2r)(int rank, const X(iodim64) *dims, int howmany_rank,
                                     const X(iodim64) *howmany_dims, R *ri, R *ii, R *out, unsigned flags) {
  FG_PLANNER_ENTRY;
  if (fg_compat_direct())
    return FG_STRAIGHT(plan_guru64_split_dft_c2r, rank, dims, howmany_rank, howmany_dims, ri, ii, out, flags);
  fg_problem *p = fg_translate_guru(FG_C2R, FG_PRECISION, FG_SPLIT, rank, dims, howmany_rank, howmany_dims);
  return FG(plan_problem)(p, FG_FORWARD, (fg_arrays){ri, ii, out, NULL}, flags);
}

X(plan) X(plan_guru_split_dft_c2r)(int rank, const X(iodim) *dims, int howmany_rank, const X(iodim) *howmany_dims,
                                   R *ri, R *ii, R *out, unsigned flags) {
  FG_PLANNER_ENTRY;
  const fg_wide w = fg_widen(rank, dims, howmany_rank, howmany_dims);
  const X(plan) plan = X(plan_guru64_split_dft_c2r)(rank, w.dims, howmany_rank, w.howmany_dims, ri, ii, out, flags);
  fg_wide_free(w);
  return plan;
}
