/* real_fftw.c: the real FFTW behind plans of ours: a host table of complex transforms in single precision. */
#include "real_fftw.h"

#include <check.h>
#include <fftw3.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* FFTW's planner is for one thread at a time. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static fftwf_iodim64 *dims_of(const fg_problem *p, const fg_tensor *t) {
  const ptrdiff_t unit = p->format == FG_SPLIT ? 1 : 2;
  fftwf_iodim64 *dims = malloc(((size_t)t->rank + 1) * sizeof *dims);
  for (int d = 0; dims && d < t->rank; d++)
    dims[d] = (fftwf_iodim64){t->dim[d].n, t->dim[d].is / unit, t->dim[d].os / unit};
  return dims;
}

static fg_host_plan plan(const fg_problem *p, const fg_arrays *a, unsigned flags) {
  fftwf_iodim64 *dims = dims_of(p, &p->transform), *batch = dims_of(p, &p->batch);
  const int rank = p->transform.rank, batch_rank = p->batch.rank;
  ck_assert(dims && batch);
  pthread_mutex_lock(&lock);
  fftwf_plan made =
      p->format == FG_SPLIT
          ? fftwf_plan_guru64_split_dft(rank, dims, batch_rank, batch, a->in_re, a->in_im, a->out_re, a->out_im, flags)
          : fftwf_plan_guru64_dft(rank, dims, batch_rank, batch, a->in_re, a->out_re, p->sign, flags);
  pthread_mutex_unlock(&lock);
  free(dims);
  free(batch);
  return made;
}

static atomic_int executions;

int test_real_fftw_executions(void) { return atomic_load(&executions); }

static void execute(fg_host_plan made, const fg_problem *p, const fg_arrays *a) {
  atomic_fetch_add(&executions, 1);
  if (p->format == FG_SPLIT) fftwf_execute_split_dft(made, a->in_re, a->in_im, a->out_re, a->out_im);
  else fftwf_execute_dft(made, a->in_re, a->out_re);
}

static void destroy(fg_host_plan made) {
  pthread_mutex_lock(&lock);
  fftwf_destroy_plan(made);
  pthread_mutex_unlock(&lock);
}

static char *sprint(fg_host_plan made) { return fftwf_sprint_plan(made); }
static const char *version(void) { return fftwf_version; }
static const char *path(void) { return "libfftw3f"; }

void test_real_fftw(void) {
  static const fg_host table = {plan, execute, destroy, sprint, version, path};
  fg_host_register(FG_SINGLE, &table);
}

void test_real_fftw_execute(const fg_problem *p, const fg_arrays *a) {
  const fg_host_plan made = plan(p, a, FFTW_ESTIMATE | FFTW_UNALIGNED);
  ck_assert_ptr_nonnull(made);
  execute(made, p, a);
  destroy(made);
}
