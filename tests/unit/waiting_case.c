/* waiting_case.c: plans that wait, by a clock that only executions move. */
#include "waiting_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "on_sim.h"
#include "random_problem.h"
#include "real_fftw.h"
#include "src/plan/background.h"
#include "src/plan/compiling.h"
#include "src/plan/plan.h"
#include "suite.h"
#include "told.h"

int waiting_threads = 1;
const double waiting_host_time = 1e-3, waiting_start = 10e-3, waiting_planning = 2e-3;

void waiting_open(device_case *c, const char *text) {
  device_case_open(c, text);
  ((fg_problem *)c->problem)->threads = waiting_threads;
  test_real_fftw_execute(c->problem, &c->arrays.at);
  c->by_host = device_case_memory(c);
  c->plan = fg_plan_create((fg_problem *)c->problem);
  ck_assert(c->plan && fg_plan_is_ours(c->plan));
  c->problem = fg_plan_problem(c->plan);
}

bool waiting_is_right(const device_case *c) {
  char *now = device_case_memory(c);
  const float *x = (const float *)now, *y = (const float *)c->by_host;
  bool near = true;
  for (size_t i = 0; i < c->bytes / sizeof *x; i++) near = near && fabsf(x[i] - y[i]) <= 1e-4f * (1 + fabsf(y[i]));
  free(now);
  return near;
}

void waiting_execute(device_case *c, int times) {
  for (int i = 0; i < times; i++) {
    device_case_execute(c);
    ck_assert(waiting_is_right(c));
    fg_background_wait();
  }
}

void waiting_says(const device_case *c, const char *begin) {
  char *text = fg_plan_sprint(c->plan);
  ck_assert_msg(text && strncmp(text, begin, strlen(begin)) == 0, "%s", text);
  free(text);
}

void waiting_stays_on_host(const char *text, unsigned flags) {
  fg_problem *p = test_problem(text, FG_SINGLE);
  test_arrays a;
  p->flags = flags;
  test_arrays_make(&a, p, false, false);
  void *plan = fg_plan_create(p);
  ck_assert(plan && !fg_plan_is_ours(plan));
  fg_host_of(FG_SINGLE)->destroy(plan);
  test_arrays_free(&a);
}

void waiting_empty_cache(char *folder) {
  ck_assert_ptr_nonnull(mkdtemp(folder));
  setenv("FFTW3_GPU_CACHE", folder, 1);
}

void waiting_remove_cache(const char *folder) {
  char command[128];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  ck_assert_int_eq(system(command), 0);
}

static void begin(void) {
  test_log_clear();
  test_coefficients(waiting_start, waiting_planning);
  test_time(waiting_host_time, 1e-9);
  fg_compiling_patience = 1000; /* what is planned for the device is there */
}

int waiting_run(const char *name, void (*add)(TCase *)) {
  TCase *tc = tcase_create(name);
  test_choose_sim();
  unsetenv("FFTW3_GPU"); /* auto */
  unsetenv("FFTW3_GPU_SIM_ABORT");
  test_log_to_file();
  test_real_fftw();
  tcase_set_timeout(tc, 120);
  tcase_add_checked_fixture(tc, begin, NULL);
  add(tc);
  const int status = test_run(tc, name);
  test_log_remove();
  return status;
}
