/* real_fftw.c: the real FFTW behind plans of ours: a host table in the precision of the test. */
#include "real_fftw.h"

#include <fftw3.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "numbers.h"
#include "src/run/residence.h"
#include "suite.h"

/* FFTW's planner is for one thread at a time. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int plans; /* alive */

static ptrdiff_t unit_of(const fg_problem *p, enum fg_side side) {
  return p->format == FG_INTERLEAVED && fg_problem_complex_side(p, side) ? 2 : 1;
}

static TEST_FFTW(iodim64) *dims_of(const fg_problem *p, const fg_tensor *t) {
  TEST_FFTW(iodim64) *dims = malloc(((size_t)t->rank + 1) * sizeof *dims);
  for (int d = 0; dims && d < t->rank; d++)
    dims[d] = (TEST_FFTW(iodim64)){t->dim[d].n, t->dim[d].is / unit_of(p, FG_INPUT),
                                   t->dim[d].os / unit_of(p, FG_OUTPUT)};
  return dims;
}

/* The real FFTW must never look at memory of a device. */
static void check_reach(const fg_problem *p, const fg_arrays *a) {
  const void *const pointers[] = {a->in_re, a->out_re, p->format == FG_SPLIT ? a->in_im : NULL,
                                  p->format == FG_SPLIT ? a->out_im : NULL};
  for (size_t i = 0; i < sizeof pointers / sizeof *pointers; i++) {
    const fg_pointer where = fg_residence_of(pointers[i]);
    ck_assert_msg(where.kind != FG_POINTER_DEVICE, "the real FFTW got an array on the device");
  }
}

static TEST_FFTW(plan) plan_of(const fg_problem *p, const fg_arrays *a, const TEST_FFTW(iodim64) *dims,
                          const TEST_FFTW(iodim64) *batch, unsigned flags) {
  const int rank = p->transform.rank, more = p->batch.rank;
  const bool split = p->format == FG_SPLIT;
  TEST_FFTW(r2r_kind) kinds[16];
  switch (p->kind) {
    case FG_DFT:
      if (split)
        return TEST_FFTW(plan_guru64_split_dft)(rank, dims, more, batch, a->in_re, a->in_im, a->out_re, a->out_im,
                                                flags);
      return TEST_FFTW(plan_guru64_dft)(rank, dims, more, batch, a->in_re, a->out_re, p->sign, flags);
    case FG_R2C:
      return split ? TEST_FFTW(plan_guru64_split_dft_r2c)(rank, dims, more, batch, a->in_re, a->out_re, a->out_im,
                                                          flags)
                   : TEST_FFTW(plan_guru64_dft_r2c)(rank, dims, more, batch, a->in_re, a->out_re, flags);
    case FG_C2R:
      return split ? TEST_FFTW(plan_guru64_split_dft_c2r)(rank, dims, more, batch, a->in_re, a->in_im, a->out_re,
                                                          flags)
                   : TEST_FFTW(plan_guru64_dft_c2r)(rank, dims, more, batch, a->in_re, a->out_re, flags);
    default:
      for (int d = 0; d < rank; d++) kinds[d] = (TEST_FFTW(r2r_kind))p->r2r_kind[d];
      return TEST_FFTW(plan_guru64_r2r)(rank, dims, more, batch, a->in_re, a->out_re, kinds, flags);
  }
}

static atomic_uint last_flags;
unsigned test_real_fftw_flags(void) { return atomic_load(&last_flags); }

static fg_host_plan plan(const fg_problem *p, const fg_arrays *a, unsigned flags) {
  atomic_store(&last_flags, flags);
  TEST_FFTW(iodim64) *dims = dims_of(p, &p->transform), *batch = dims_of(p, &p->batch);
  ck_assert(dims && batch);
  if (!(flags & FFTW_ESTIMATE)) check_reach(p, a);
  pthread_mutex_lock(&lock);
  TEST_FFTW(plan) made = plan_of(p, a, dims, batch, flags);
  plans += made != NULL;
  pthread_mutex_unlock(&lock);
  free(dims);
  free(batch);
  return made;
}

static atomic_int executions;
static _Thread_local int executions_here;

int test_real_fftw_executions(void) { return atomic_load(&executions); }
int test_real_fftw_executions_here(void) { return executions_here; }

static void execute(fg_host_plan made, const fg_problem *p, const fg_arrays *a) {
  const bool split = p->format == FG_SPLIT;
  atomic_fetch_add(&executions, 1);
  executions_here++;
  check_reach(p, a);
  switch (p->kind) {
    case FG_DFT:
      if (split) TEST_FFTW(execute_split_dft)(made, a->in_re, a->in_im, a->out_re, a->out_im);
      else TEST_FFTW(execute_dft)(made, a->in_re, a->out_re);
      return;
    case FG_R2C:
      if (split) TEST_FFTW(execute_split_dft_r2c)(made, a->in_re, a->out_re, a->out_im);
      else TEST_FFTW(execute_dft_r2c)(made, a->in_re, a->out_re);
      return;
    case FG_C2R:
      if (split) TEST_FFTW(execute_split_dft_c2r)(made, a->in_re, a->in_im, a->out_re);
      else TEST_FFTW(execute_dft_c2r)(made, a->in_re, a->out_re);
      return;
    default: TEST_FFTW(execute_r2r)(made, a->in_re, a->out_re);
  }
}

static void destroy(fg_host_plan made) {
  pthread_mutex_lock(&lock);
  TEST_FFTW(destroy_plan)(made);
  plans -= made != NULL;
  pthread_mutex_unlock(&lock);
}

static char *sprint(fg_host_plan made) { return TEST_FFTW(sprint_plan)(made); }
static const char *version(void) { return TEST_FFTW(version); }
static const char *path(void) { return "libfftw3f"; }

void test_real_fftw(void) {
  static const fg_host table = {
      .plan = plan, .execute = execute, .destroy = destroy, .sprint = sprint, .version = version, .path = path};
  fg_host_register(TEST_ARRAYS, &table);
}

int test_real_fftw_plans(void) {
  pthread_mutex_lock(&lock);
  const int alive = plans;
  pthread_mutex_unlock(&lock);
  return alive;
}

void test_real_fftw_execute(const fg_problem *p, const fg_arrays *a) {
  const uintptr_t number = 2 * fg_real_size(p->precision);
  const bool vectors = (uintptr_t)a->in_re % number == 0 && (uintptr_t)a->out_re % number == 0 && !fg_problem_apart(p, a);
  const fg_host_plan made =
      plan(p, a, FFTW_ESTIMATE | (vectors ? 0 : FFTW_UNALIGNED) | (p->flags & (FFTW_PRESERVE_INPUT | FFTW_UNALIGNED)));
  ck_assert_ptr_nonnull(made);
  execute(made, p, a);
  destroy(made);
}
