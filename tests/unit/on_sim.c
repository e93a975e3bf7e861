/* on_sim.c: passes run on the simulated device and compared with the reference. */
#include "on_sim.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "arrays.h"
#include "reaching.h"
#include "real_reference.h"
#include "reference.h"
#include "src/run/program.h"
#include "suite.h"

void test_choose_sim(void) {
  setenv("FFTW3_GPU", "force", 1);
  setenv("FFTW3_GPU_BACKEND", "sim", 1);
  setenv("FFTW3_GPU_SIM_ABORT", "1", 1);
  setenv("FFTW3_GPU_CACHE", "kernel-cache", 0); /* kernels of several tests are compiled once */
}

void test_choose_sim_alone(void) {
  test_choose_sim();
  setenv("FFTW3_GPU_COPY_THREADS", "1", 0);
}

const fg_target *test_target(void) {
  const char *why = "";
  const fg_target *t = fg_target_get(&why);
  if (!t) ck_abort_msg("%s", why);
  return t;
}

static void execute(const fg_problem *p, const fg_passes *passes, const fg_arrays *at) {
  const char *why = "";
  fg_program *g = fg_program_create(test_target(), p, passes, &why);
  if (!g) ck_abort_msg("%s", why);
  if (fg_program_execute(g, at) != FG_DONE) ck_abort_msg("%s", fg_backend_message());
  fg_program_destroy(g);
}

static void execute_reaching(const fg_problem *p, const fg_passes *passes, const test_arrays *a) {
  test_span spans[4];
  for (int b = 0; b < a->blocks; b++) spans[b] = (test_span){a->block[b].memory, a->block[b].bytes};
  test_run_reaching(p, passes, &a->at, spans, a->blocks);
}

double test_passes_error(fg_problem *p, const fg_passes *passes, dice *d) {
  return test_placed_error(p, passes, false, dice_one_in(d, 2), d);
}

double test_placed_error(fg_problem *p, const fg_passes *passes, bool in_place, bool at_start, dice *d) {
  const ptrdiff_t elements = fg_problem_elements(p, FG_OUTPUT);
  test_arrays a;
  test_arrays_make(&a, p, in_place, at_start);
  test_arrays_fill(&a, p, d);
  fg_wide *want = test_arrays_read(&a, p, FG_INPUT);
  if (p->kind == FG_DFT) test_reference(p, want);
  else want = test_real_reference(p, want);
  if (p->compute == p->precision && !test_reach_apart) execute(p, passes, &a.at);
  else execute_reaching(p, passes, &a);
  test_arrays_untouched(&a, p, false);
  fg_wide *got = test_arrays_read(&a, p, FG_OUTPUT);
  const double error = test_error(got, want, elements);
  free(got);
  free(want);
  test_arrays_free(&a);
  return error;
}

double test_allowed_error(const fg_problem *p, const fg_passes *passes) {
  const double unit = p->compute == FG_SINGLE ? FLT_EPSILON / 2 : DBL_EPSILON / 2;
  bool convolution = false;
  for (int i = 0; i < passes->count; i++) {
    const fg_pass *s = &passes->pass[i];
    convolution |= s->filter.kind || s->load_table.kind || s->store_table.kind;
  }
  return unit * (convolution ? 3 : 1) * (1 + sqrt(log2((double)fg_tensor_size(&p->transform) + 1)));
}
