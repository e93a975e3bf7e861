/* host.c: the real FFTW as src/ sees it: the table of src/plan/host.h, filled with the leaf planners. */
#include "config.h"

#include <stdlib.h>

#include "compat/lock.h"
#include "compat/next.h"
#include "compat/plan_problem.h"
#include "compat/translate.h"

/* ---- plan -------------------------------------------------------------------------------------------------------- */

/* A problem as guru64 takes it: rank, dims, howmany_rank, howmany_dims. */
typedef struct {
  int rank, howmany_rank;
  const fg_iodim64 *dims, *howmany_dims;
} loops;

#define LOOPS(l) (l)->rank, (l)->dims, (l)->howmany_rank, (l)->howmany_dims

static X(plan) plan_interleaved(const fg_problem *p, const loops *l, const fg_arrays *a, unsigned flags) {
  switch (p->kind) {
    case FG_DFT: return FG_REAL(plan_guru64_dft, NULL, LOOPS(l), a->in_re, a->out_re, p->sign, flags);
    case FG_R2C: return FG_REAL(plan_guru64_dft_r2c, NULL, LOOPS(l), a->in_re, a->out_re, flags);
    case FG_C2R: return FG_REAL(plan_guru64_dft_c2r, NULL, LOOPS(l), a->in_re, a->out_re, flags);
    case FG_R2R: break;
  }
  X(r2r_kind) *kind = malloc((size_t)(l->rank + 1) * sizeof *kind);
  if (!kind) return NULL;
  for (int d = 0; d < l->rank; d++) kind[d] = (X(r2r_kind))p->r2r_kind[d];
  X(plan) plan = FG_REAL(plan_guru64_r2r, NULL, LOOPS(l), a->in_re, a->out_re, kind, flags);
  free(kind);
  return plan;
}

static X(plan) plan_split(const fg_problem *p, const loops *l, const fg_arrays *a, unsigned flags) {
  switch (p->kind) {
    case FG_DFT: return FG_REAL(plan_guru64_split_dft, NULL, LOOPS(l), a->in_re, a->in_im, a->out_re, a->out_im, flags);
    case FG_R2C: return FG_REAL(plan_guru64_split_dft_r2c, NULL, LOOPS(l), a->in_re, a->out_re, a->out_im, flags);
    case FG_C2R: return FG_REAL(plan_guru64_split_dft_c2r, NULL, LOOPS(l), a->in_re, a->in_im, a->out_re, flags);
    case FG_R2R: break; /* real numbers have no format */
  }
  return plan_interleaved(p, l, a, flags);
}

static fg_host_plan host_plan(const fg_problem *p, const fg_arrays *a, unsigned flags) {
  fg_iodim64 *dims = fg_translate_back(p, &p->transform), *howmany_dims = fg_translate_back(p, &p->batch);
  X(plan) plan = NULL;
  if (dims && howmany_dims) {
    const loops l = {p->transform.rank, p->batch.rank, dims, howmany_dims};
    fg_compat_begin_own_plan(FG_PRECISION);
    fg_compat_enter();
    plan = p->format == FG_SPLIT ? plan_split(p, &l, a, flags) : plan_interleaved(p, &l, a, flags);
    fg_compat_leave();
    fg_compat_end_plan(FG_PRECISION);
  }
  free(dims);
  free(howmany_dims);
  return plan;
}

/* ---- execute ----------------------------------------------------------------------------------------------------- */

/* The split execute runs the plan as it was made, which for a backward interleaved one is with the parts swapped. */
static void execute_parts(X(plan) plan, const fg_problem *p, const fg_arrays *a) {
  if (p->format == FG_INTERLEAVED && p->sign == FG_BACKWARD)
    FG_NEXT_EXECUTE(execute_split_dft)(plan, a->in_im, a->in_re, a->out_im, a->out_re);
  else
    FG_NEXT_EXECUTE(execute_split_dft)(plan, a->in_re, a->in_im, a->out_re, a->out_im);
}

static void execute_split(X(plan) plan, const fg_problem *p, const fg_arrays *a) {
  switch (p->kind) {
    case FG_DFT: execute_parts(plan, p, a); return;
    case FG_R2C: FG_NEXT_EXECUTE(execute_split_dft_r2c)(plan, a->in_re, a->out_re, a->out_im); return;
    case FG_C2R: FG_NEXT_EXECUTE(execute_split_dft_c2r)(plan, a->in_re, a->in_im, a->out_re); return;
    case FG_R2R: return; /* real numbers have no format */
  }
}

static void execute_interleaved(X(plan) plan, const fg_problem *p, const fg_arrays *a) {
  switch (p->kind) {
    case FG_DFT: FG_NEXT_EXECUTE(execute_dft)(plan, a->in_re, a->out_re); return;
    case FG_R2C: FG_NEXT_EXECUTE(execute_dft_r2c)(plan, a->in_re, a->out_re); return;
    case FG_C2R: FG_NEXT_EXECUTE(execute_dft_c2r)(plan, a->in_re, a->out_re); return;
    case FG_R2R: FG_NEXT_EXECUTE(execute_r2r)(plan, a->in_re, a->out_re); return;
  }
}

static void host_execute(fg_host_plan plan, const fg_problem *p, const fg_arrays *a) {
  if (p->kind != FG_R2R && (p->format == FG_SPLIT || fg_problem_apart(p, a))) execute_split(plan, p, a);
  else execute_interleaved(plan, p, a);
}

/* ---- the rest ---------------------------------------------------------------------------------------------------- */

static void host_destroy(fg_host_plan plan) {
  fg_compat_begin_own_plan(FG_PRECISION);
  fg_compat_enter();
  FG_REAL_DO(destroy_plan, plan);
  fg_compat_leave();
  fg_compat_end_plan(FG_PRECISION);
}

static char *host_sprint(fg_host_plan plan) { return FG_REAL(sprint_plan, NULL, plan); }

const fg_host FG(host) = {.plan = host_plan,
                          .execute = host_execute,
                          .destroy = host_destroy,
                          .idle = fg_compat_idle,
                          .sprint = host_sprint,
                          .version = FG(real_version),
                          .path = FG(real_path)};
