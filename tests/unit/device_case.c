/* device_case.c: one plan on the simulated device, and both answers. */
#include "device_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "numbers.h"
#include "on_sim.h"
#include "real_fftw.h"
#include "suite.h"
#include "told.h"

void device_case_begin(void) {
  test_choose_sim();
  unsetenv("FFTW3_GPU_SIM_ABORT");
  test_real_fftw();
  test_log_to_file();
}

int device_case_end(TCase *tc, const char *name) {
  tcase_set_timeout(tc, 120);
  const int status = test_run(tc, name);
  test_log_remove();
  return status;
}

char *device_case_memory(const device_case *c) {
  char *copy = malloc(c->bytes + 1), *at = copy;
  ck_assert_ptr_nonnull(copy);
  for (int b = 0; b < c->arrays.blocks; b++) {
    memcpy(at, c->arrays.block[b].memory, c->arrays.block[b].bytes);
    at += c->arrays.block[b].bytes;
  }
  return copy;
}

bool device_case_is(const device_case *c, const char *answer) {
  char *now = device_case_memory(c);
  const bool same = memcmp(now, answer, c->bytes) == 0;
  free(now);
  return same;
}

bool device_case_is_near(const device_case *c, const char *answer) {
  test_number *now = (test_number *)device_case_memory(c);
  const test_number *const want = (const test_number *)answer;
  bool near = true;
  for (size_t i = 0; i < c->bytes / sizeof *now; i++)
    near = near && (!memcmp(&now[i], &want[i], sizeof *now) || fabs(now[i] - want[i]) < 1e-4);
  free(now);
  return near;
}

void device_case_open(device_case *c, const char *text) {
  dice d = {81};
  fg_problem *p = test_problem_of_numbers(text);
  memset(c, 0, sizeof *c);
  p->flags = FG_ESTIMATE;
  test_arrays_make(&c->arrays, p, p->arrays.in_re == p->arrays.out_re, false);
  test_arrays_fill(&c->arrays, p, &d);
  for (int b = 0; b < c->arrays.blocks; b++) c->bytes += c->arrays.block[b].bytes;
  c->problem = p;
}

void device_case_plan(device_case *c) {
  fg_problem *own = (fg_problem *)c->problem;
  test_real_fftw_execute(own, &c->arrays.at);
  c->by_host = device_case_memory(c);
  c->plan = fg_plan_create(own);
  ck_assert(c->plan && fg_plan_is_ours(c->plan));
  c->problem = fg_plan_problem(c->plan);
  device_case_execute(c);
  c->by_device = device_case_memory(c);
}

void device_case_execute(device_case *c) {
  test_arrays_refill(&c->arrays);
  fg_plan_execute(c->plan, NULL);
}

void device_case_close(device_case *c) {
  if (c->plan) fg_plan_destroy(c->plan);
  else fg_problem_free((fg_problem *)c->problem);
  test_arrays_free(&c->arrays);
  free(c->by_device);
  free(c->by_host);
}
