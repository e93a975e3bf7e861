/* execute.c: running plans.
 *
 * A plan of the real FFTW is a compare and a jump away.  All else stands in functions of its own, so that the compiler
 * sets up no stack frame on that path. */
#include "config.h"

#include "compat/next.h"
#include "compat/plan_problem.h"
#include "compat/traced.h"
#include "src/plan/plan.h"

#define OURS(p) __builtin_expect(fg_plan_is_ours(p), 0)
#define APART __attribute__((noinline, cold)) static

APART void run(fg_plan *plan, const fg_arrays *a) {
  if (!fg_compat_traced()) {
    fg_plan_execute(plan, a);
    return;
  }
  const uint64_t start = fg_trace_clock();
  fg_plan_execute(plan, a);
  fg_trace_execute(plan, a, start);
}

/* ---- the array pointers of one of our plans ---------------------------------------------------------------------- */

static fg_arrays swapped(fg_arrays a) { return (fg_arrays){a.in_im, a.in_re, a.out_im, a.out_re}; }

/* FFTW keeps, with a split plan, whether its imaginary parts lay one real behind the real ones, and runs interleaved
 * arrays through it accordingly. */
static bool split_is_forward(const fg_arrays *a) {
  return a->in_im == fg_imaginary(a->in_re, FG_PRECISION) && a->out_im == fg_imaginary(a->out_re, FG_PRECISION);
}

APART void run_dft(fg_plan *plan, C *in, C *out) {
  const fg_problem *p = fg_plan_problem(plan);
  fg_arrays a = {FG_COMPLEX(in), FG_COMPLEX(out)};
  if (p->format == FG_SPLIT && !split_is_forward(&p->arrays)) a = swapped(a);
  run(plan, &a);
}

/* FFTW plans a backward transform as the forward one with the parts swapped: that is what split arrays get from it. */
APART void run_split_dft(fg_plan *plan, R *ri, R *ii, R *ro, R *io) {
  const fg_problem *p = fg_plan_problem(plan);
  fg_arrays a = {ri, ii, ro, io};
  if (p->format == FG_INTERLEAVED && p->sign == FG_BACKWARD) a = swapped(a);
  run(plan, &a);
}

APART void run_on(fg_plan *plan, void *in_re, void *in_im, void *out_re, void *out_im) {
  run(plan, &(fg_arrays){in_re, in_im, out_re, out_im});
}

/* ---- the public functions ---------------------------------------------------------------------------------------- */

void X(execute)(const X(plan) p) {
  if (OURS(p)) run((fg_plan *)p, NULL);
  else FG_NEXT_EXECUTE(execute)(p);
}

void X(execute_dft)(const X(plan) p, C *in, C *out) {
  if (OURS(p)) run_dft((fg_plan *)p, in, out);
  else FG_NEXT_EXECUTE(execute_dft)(p, in, out);
}

void X(execute_split_dft)(const X(plan) p, R *ri, R *ii, R *ro, R *io) {
  if (OURS(p)) run_split_dft((fg_plan *)p, ri, ii, ro, io);
  else FG_NEXT_EXECUTE(execute_split_dft)(p, ri, ii, ro, io);
}

void X(execute_dft_r2c)(const X(plan) p, R *in, C *out) {
  if (OURS(p)) run_on((fg_plan *)p, FG_REALS(in), FG_COMPLEX(out));
  else FG_NEXT_EXECUTE(execute_dft_r2c)(p, in, out);
}

void X(execute_split_dft_r2c)(const X(plan) p, R *in, R *ro, R *io) {
  if (OURS(p)) run_on((fg_plan *)p, FG_REALS(in), ro, io);
  else FG_NEXT_EXECUTE(execute_split_dft_r2c)(p, in, ro, io);
}

void X(execute_dft_c2r)(const X(plan) p, C *in, R *out) {
  if (OURS(p)) run_on((fg_plan *)p, FG_COMPLEX(in), FG_REALS(out));
  else FG_NEXT_EXECUTE(execute_dft_c2r)(p, in, out);
}

void X(execute_split_dft_c2r)(const X(plan) p, R *ri, R *ii, R *out) {
  if (OURS(p)) run_on((fg_plan *)p, ri, ii, FG_REALS(out));
  else FG_NEXT_EXECUTE(execute_split_dft_c2r)(p, ri, ii, out);
}

void X(execute_r2r)(const X(plan) p, R *in, R *out) {
  if (OURS(p)) run_on((fg_plan *)p, FG_REALS(in), FG_REALS(out));
  else FG_NEXT_EXECUTE(execute_r2r)(p, in, out);
}
