/* plan_r2r.c: planners of real-to-real transforms. */
#include "config.h"

#include "compat/lock.h"
#include "compat/next.h"
#include "compat/plan_problem.h"

/* The kinds into a problem, which may be NULL. */
static void set_kinds(fg_problem *p, const X(r2r_kind) *kind) {
  for (int d = 0; p && d < p->transform.rank; d++) p->r2r_kind[d] = (int)kind[d];
}

X(plan) X(plan_many_r2r)(int rank, const int *n, int howmany, R *in, const int *inembed, int istride, int idist,
                         R *out, const int *onembed, int ostride, int odist, const X(r2r_kind) *kind,
                         unsigned flags) {
  FG_PLANNER_ENTRY;
  if (fg_compat_direct())
    return FG_STRAIGHT(plan_many_r2r, rank, n, howmany, in, inembed, istride, idist, out, onembed, ostride, odist,
                   kind, flags);
  fg_problem *p = fg_translate_many(FG_R2R, FG_PRECISION, rank, n, howmany, (fg_many_side){inembed, istride, idist},
                                    (fg_many_side){onembed, ostride, odist}, in == out);
  set_kinds(p, kind);
  return FG(plan_problem)(p, FG_FORWARD, (fg_arrays){FG_REALS(in), FG_REALS(out)}, flags);
}

X(plan) X(plan_r2r)(int rank, const int *n, R *in, R *out, const X(r2r_kind) *kind, unsigned flags) {
  FG_PLANNER_ENTRY;
  if (fg_compat_direct()) return FG_STRAIGHT(plan_r2r, rank, n, in, out, kind, flags); /* MKL's plan_many_r2r has no plan */
  return X(plan_many_r2r)(rank, n, 1, in, NULL, 1, 1, out, NULL, 1, 1, kind, flags);
}

X(plan) X(plan_r2r_1d)(int n, R *in, R *out, X(r2r_kind) kind, unsigned flags) {
  FG_PLANNER_ENTRY;
  if (fg_compat_direct()) return FG_STRAIGHT(plan_r2r_1d, n, in, out, kind, flags);
  return X(plan_r2r)(1, &n, in, out, &kind, flags);
}

X(plan) X(plan_r2r_2d)(int n0, int n1, R *in, R *out, X(r2r_kind) kind0, X(r2r_kind) kind1, unsigned flags) {
  FG_PLANNER_ENTRY;
  if (fg_compat_direct()) return FG_STRAIGHT(plan_r2r_2d, n0, n1, in, out, kind0, kind1, flags);
  return X(plan_r2r)(2, (int[]){n0, n1}, in, out, (X(r2r_kind)[]){kind0, kind1}, flags);
}

X(plan) X(plan_r2r_3d)(int n0, int n1, int n2, R *in, R *out, X(r2r_kind) kind0, X(r2r_kind) kind1,
                       X(r2r_kind) kind2, unsigned flags) {
  FG_PLANNER_ENTRY;
  if (fg_compat_direct()) return FG_STRAIGHT(plan_r2r_3d, n0, n1, n2, in, out, kind0, kind1, kind2, flags);
  return X(plan_r2r)(3, (int[]){n0, n1, n2}, in, out, (X(r2r_kind)[]){kind0, kind1, kind2}, flags);
}

X(plan) X(plan_guru64_r2r)(int rank, const X(iodim64) *dims, int howmany_rank, const X(iodim64) *howmany_dims,
                           R *in, R *out, const X(r2r_kind) *kind, unsigned flags) {
  FG_PLANNER_ENTRY;
  if (fg_compat_direct())
    return FG_STRAIGHT(plan_guru64_r2r, rank, dims, howmany_rank, howmany_dims, in, out, kind, flags);
  fg_problem *p = fg_translate_guru(FG_R2R, FG_PRECISION, FG_INTERLEAVED, rank, dims, howmany_rank, howmany_dims);
  set_kinds(p, kind);
  return FG(plan_problem)(p, FG_FORWARD, (fg_arrays){FG_REALS(in), FG_REALS(out)}, flags);
}

X(plan) X(plan_guru_r2r)(int rank, const X(iodim) *dims, int howmany_rank, const X(iodim) *howmany_dims, R *in,
                         R *out, const X(r2r_kind) *kind, unsigned flags) {
  FG_PLANNER_ENTRY;
  const fg_wide w = fg_widen(rank, dims, howmany_rank, howmany_dims);
  const X(plan) plan = X(plan_guru64_r2r)(rank, w.dims, howmany_rank, w.howmany_dims, in, out, kind, flags);
  fg_wide_free(w);
  return plan;
}
