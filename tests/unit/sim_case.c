/* sim_case.c: kernels given as text, on the simulated device. */
#include "config.h"

#include "sim_case.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

fg_device *device;
fg_stream *stream;
char folder[] = "/tmp/fftw3-gpu-test-XXXXXX";

int sim_case_load(const char *text, size_t shared, fg_kernel **kernel) {
  const fg_kernel_request request = {.source = text, .defines = "", .entry = "k", .shared = shared};
  return sim->kernels(device, 1, &request, kernel);
}

float *sim_case_array(size_t count) {
  void *memory;
  ck_assert_int_eq(sim->memory_alloc(device, count * sizeof(float), &memory), 0);
  return memory;
}

int sim_case_run(const char *text, unsigned grid, unsigned block, size_t shared, float *result) {
  float host[N];
  fg_kernel *kernel;
  for (int i = 0; i < N; i++) host[i] = (float)i;
  const arguments a = {sim_case_array(N), sim_case_array(N), N};
  if (sim_case_load(text, shared, &kernel) < 0) ck_abort_msg("%s", fg_backend_message());
  ck_assert_int_eq(sim->copy_in(device, a.in, host, sizeof host, stream), 0);
  const int code = sim->launch(device, kernel, grid, block, shared, &a, sizeof a, stream);
  if (code == 0) ck_assert_int_eq(sim->stream_wait(device, stream), 0);
  ck_assert_int_eq(sim->copy_out(device, result, a.out, N * sizeof *result, stream), 0);
  sim->memory_free(device, a.in);
  sim->memory_free(device, a.out);
  return code;
}

void sim_case_run_well(const char *text, unsigned grid, unsigned block, size_t shared, float *result) {
  if (sim_case_run(text, grid, block, shared, result) < 0) ck_abort_msg("%s", fg_backend_message());
}

/* ---- programs ---- */

static void setup(void) {
  ck_assert_int_eq(sim->open(0, &device), 0);
  ck_assert_int_eq(sim->stream_create(device, &stream), 0);
}

TCase *sim_case_tests(Suite *s, const char *name) {
  TCase *tc = tcase_create(name);
  tcase_add_checked_fixture(tc, setup, NULL);
  tcase_set_timeout(tc, 120);
  suite_add_tcase(s, tc);
  return tc;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *where) {
  (void)status, (void)type, (void)where;
  return remove(path);
}

int sim_case_main(const char *name, void (*add)(Suite *)) {
  if (!mkdtemp(folder)) return EXIT_FAILURE;
  setenv("FFTW3_GPU_CACHE", folder, 1);
  unsetenv("FFTW3_GPU_SIM_FAIL");
  unsetenv("FFTW3_GPU_SIM_ABORT");
  Suite *s = suite_create(name);
  add(s);
  const int status = test_run_suite(s);
  nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
  return status;
}
