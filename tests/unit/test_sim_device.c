/* test_sim_device.c: the simulated device's memory, launches and kernels, and the compiler behind it. */
#include "config.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda/store.h"
#include "sim_case.h"

/* ---- memory ---- */

START_TEST(memory_ends_and_comes_back) {
  void *most, *more;
  size_t available, total = sim->info(device)->memory;
  ck_assert_int_eq(sim->memory_alloc(device, total - 4096, &most), 0);
  ck_assert_int_eq(sim->memory_available(device, &available), 0);
  ck_assert_uint_eq(available, 4096);
  ck_assert_int_eq(sim->memory_alloc(device, 4097, &more), FG_ENOMEM);
  ck_assert_uint_eq(fg_sim_count().allocations, 1);
  sim->memory_free(device, most);
  ck_assert_int_eq(sim->memory_alloc(device, 4097, &more), 0);
  sim->memory_free(device, more);
  ck_assert_int_eq(sim->pinned_alloc(device, 100, &more), 0);
  ck_assert_uint_eq(fg_sim_count().allocations, 1);
  sim->pinned_free(device, more);
  ck_assert_uint_eq(fg_sim_count().allocations, 0);
}
END_TEST

START_TEST(host_memory_is_registered_in_whole_pages_and_once) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char *pages = aligned_alloc(page, 4 * page);
  ck_assert_int_eq(sim->host_register(device, pages + 64, page), FG_ELAUNCH);
  ck_assert_int_eq(sim->host_register(device, pages, 100), FG_ELAUNCH);
  ck_assert_int_eq(sim->host_register(device, pages + page, 2 * page), 0);
  ck_assert_int_eq(sim->host_register(device, pages, 2 * page), FG_ELAUNCH);
  ck_assert_int_eq(sim->host_register(device, pages, page), 0);
  ck_assert_uint_eq(fg_sim_count().registered, 2);
  ck_assert_int_eq(sim->host_unregister(device, pages + 2 * page), FG_ELAUNCH);
  ck_assert_int_eq(sim->host_unregister(device, pages + page), 0);
  ck_assert_int_eq(sim->host_unregister(device, pages + page), FG_ELAUNCH);
  ck_assert_int_eq(sim->host_unregister(device, pages), 0);
  ck_assert_uint_eq(fg_sim_count().registered, 0);
  free(pages);
}
END_TEST

START_TEST(a_copy_out_of_bounds_is_refused) {
  float host[N] = {0};
  float *memory = sim_case_array(N);
  ck_assert_int_eq(sim->copy_in(device, memory, host, sizeof host, stream), 0);
  ck_assert_int_eq(sim->copy_in(device, memory + 1, host, sizeof host, stream), FG_ELAUNCH);
  ck_assert_int_eq(sim->copy_out(device, host, memory - 1, 8, stream), FG_ELAUNCH);
  const fg_copy_rows rows = {8, N / 2, 4}, more = {8, N / 2 + 1, 4}; /* overlapping ones of the host's are good enough here */
  ck_assert_int_eq(sim->copy_rows_in(device, memory, host, rows, stream), 0);
  ck_assert_int_eq(sim->copy_rows_in(device, memory, host, more, stream), FG_ELAUNCH);
  ck_assert_int_eq(sim->copy_rows_out(device, host, memory, rows, stream), 0);
  ck_assert_int_eq(sim->copy_rows_out(device, host, memory, more, stream), FG_ELAUNCH);
}
END_TEST

/* ---- launches, several threads, several kernels, the store ---- */

START_TEST(a_launch_must_fit_device_request_and_kernel) {
  const arguments a = {NULL, NULL, 0};
  fg_kernel *kernel;
  ck_assert_int_eq(sim_case_load(KERNEL(""), 64, &kernel), 0);
  ck_assert_int_eq(sim->launch(device, kernel, 1, 1024, 64, &a, sizeof a, stream), 0);
  ck_assert_int_eq(sim->launch(device, kernel, 1, 1025, 64, &a, sizeof a, stream), FG_ELAUNCH);
  ck_assert_int_eq(sim->launch(device, kernel, 0, 32, 64, &a, sizeof a, stream), FG_ELAUNCH);
  ck_assert_int_eq(sim->launch(device, kernel, 1, 32, 65, &a, sizeof a, stream), FG_ELAUNCH);
  ck_assert_int_eq(sim->launch(device, kernel, 1, 32, 64, &a, sizeof a - 8, stream), FG_ELAUNCH);
  ck_assert_int_eq(sim_case_load(IN_PAIRS("(void)tile; (void)other;"), 64, &kernel), 0);
  ck_assert_int_eq(sim->launch(device, kernel, 4, 32, 64, &a, sizeof a, stream), 0);
  ck_assert_int_eq(sim->launch(device, kernel, 3, 32, 64, &a, sizeof a, stream), FG_ELAUNCH);
  ck_assert_int_eq(sim_case_load(KERNEL(""), 228 * 1024, &kernel), 0);
  ck_assert_int_eq(sim->launch(device, kernel, 1, 32, 228 * 1024, &a, sizeof a, stream), FG_ELAUNCH);
}
END_TEST

enum { ROUNDS = 20 };

static void *transpose_again_and_again(void *failures) {
  float host[N], result[N];
  fg_kernel *kernel;
  const arguments a = {sim_case_array(N), sim_case_array(N), N};
  for (int i = 0; i < N; i++)
    host[i] = (float)i;
  if (sim_case_load(TRANSPOSITION, sizeof host, &kernel) < 0)
    ++*(int *)failures;
  for (int round = 0; round < ROUNDS && *(int *)failures == 0; round++) {
    sim->copy_in(device, a.in, host, sizeof host, stream);
    *(int *)failures += sim->launch(device, kernel, 1, N, sizeof host, &a, sizeof a, stream) != 0;
    sim->copy_out(device, result, a.out, sizeof result, stream);
    for (int i = 0; i < N; i++)
      *(int *)failures += result[i] != (float)(i % 16 * 16 + i / 16);
  }
  sim->memory_free(device, a.in);
  sim->memory_free(device, a.out);
  return NULL;
}

START_TEST(threads_launch_at_once) {
  pthread_t threads[3];
  int failures[3] = {0};
  for (int i = 0; i < 3; i++)
    ck_assert_int_eq(pthread_create(&threads[i], NULL, transpose_again_and_again, &failures[i]), 0);
  for (int i = 0; i < 3; i++)
    pthread_join(threads[i], NULL);
  for (int i = 0; i < 3; i++)
    ck_assert_int_eq(failures[i], 0);
  ck_assert_uint_eq(fg_sim_count().launches, 3 * ROUNDS);
  ck_assert_uint_le(fg_sim_count().compiles, 1);
}
END_TEST

/* Four kernels that differ in a constant, two of them equal. */
static int load_four(fg_kernel **kernels, const char *mark) {
  fg_kernel_request requests[4];
  char defines[4][64];
  for (int i = 0; i < 4; i++) {
    snprintf(defines[i], sizeof defines[i], "#define VALUE %d\n/* %s */\n", i % 3, mark);
    requests[i] = (fg_kernel_request){.source = KERNEL("global_store(a.out + T, float(VALUE));"),
                                      .defines = defines[i],
                                      .entry = "k"};
  }
  return sim->kernels(device, 4, requests, kernels);
}

START_TEST(several_kernels_are_loaded_by_one_call) {
  fg_kernel *kernels[4], *again[4];
  float result[N];
  const arguments a = {NULL, sim_case_array(N), N};
  ck_assert_int_eq(load_four(kernels, "several"), 0);
  for (int i = 0; i < 4; i++) {
    ck_assert_int_eq(sim->launch(device, kernels[i], 1, N, 0, &a, sizeof a, stream), 0);
    ck_assert_int_eq(sim->copy_out(device, result, a.out, sizeof result, stream), 0);
    ck_assert_float_eq(result[9], (float)(i % 3));
  }
  size_t compiles = fg_sim_count().compiles;
  ck_assert_ptr_eq(kernels[0], kernels[3]);
  ck_assert_int_eq(load_four(again, "several"), 0);
  ck_assert_int_eq(memcmp(kernels, again, sizeof kernels), 0);
  ck_assert_uint_eq(fg_sim_count().compiles, compiles);
}
END_TEST

/* Two processes: the first compiles, the second finds its work in the store. */
START_TEST(a_second_process_finds_kernels_in_the_store) {
  fg_kernel *kernels[4];
  int status;
  char mark[32];
  snprintf(mark, sizeof mark, "process %ld", (long)getpid());
  pid_t child = fork();
  if (child == 0)
    _exit(load_four(kernels, mark) == 0 ? (int)fg_sim_count().compiles : 100);
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert_int_eq(WEXITSTATUS(status), 3);
  ck_assert_int_eq(load_four(kernels, mark), 0);
  ck_assert_uint_eq(fg_sim_count().compiles, 0);
}
END_TEST

/* They are the store's entries like others: what was not used for long goes. */
START_TEST(kept_kernels_are_trimmed) {
  const fg_kernel_request request = {.source = KERNEL("/* trimmed */"), .defines = "", .entry = "k"};
  char cache[64];
  fg_kernel *kernel;
  snprintf(cache, sizeof cache, "%s/cache", folder);
  setenv("FFTW3_GPU_CACHE", cache, 1);
  ck_assert_str_eq(fg_store_folder(), cache);
  ck_assert_int_eq(sim->kernels(device, 1, &request, &kernel), 0);
  ck_assert_int_eq(access(cache, F_OK), 0);
  fg_store_trim(0);
  ck_assert_int_eq(rmdir(cache), 0); /* nothing is left */
}
END_TEST

/* ---- the compiler ---- */

START_TEST(text_that_is_no_kernel_is_a_compile_error) {
  fg_kernel *kernel;
  ck_assert_int_eq(sim_case_load(KERNEL("no_such_function();"), 0, &kernel), FG_ECOMPILE);
  ck_assert_ptr_nonnull(strstr(fg_backend_message(), "no_such_function"));
}
END_TEST

/* The child that the compiler runs in is then reaped without us. */
START_TEST(a_program_that_ignores_its_children_gets_kernels) {
  fg_kernel *kernel;
  signal(SIGCHLD, SIG_IGN);
  ck_assert_int_eq(sim_case_load(KERNEL("/* children ignored */"), 0, &kernel), 0);
  ck_assert_int_eq(sim_case_load(KERNEL("children ignored"), 0, &kernel), FG_ECOMPILE);
}
END_TEST

START_TEST(the_compiler_runs_without_the_preload) {
  char path[64];
  fg_kernel *kernel;
  snprintf(path, sizeof path, "%s/compiler", folder);
  FILE *script = fopen(path, "w");
  fprintf(script, "#!/bin/sh\ntest -z \"$LD_PRELOAD\" && exec %s \"$@\"\n", FG_CXX);
  fclose(script);
  ck_assert_int_eq(chmod(path, 0700), 0);
  setenv("FFTW3_GPU_CXX", path, 1);
  setenv("LD_PRELOAD", "libc.so.6", 1);
  ck_assert_msg(sim_case_load(KERNEL(""), 0, &kernel) == 0, "%s", fg_backend_message());
  ck_assert_uint_eq(fg_sim_count().compiles, 1);
}
END_TEST

START_TEST(a_missing_compiler_is_a_compile_error) {
  fg_kernel *kernel;
  setenv("FFTW3_GPU_CXX", "/nonexistent/c++ -O1", 1);
  ck_assert_int_eq(sim_case_load(KERNEL(""), 0, &kernel), FG_ECOMPILE);
  ck_assert_ptr_nonnull(strstr(fg_backend_message(), "/nonexistent/c++"));
}
END_TEST

START_TEST(a_file_is_found_by_its_name) {
  const fg_kernel_request absent = {.source = "no such file.cu", .defines = "", .entry = "k"};
  fg_kernel *kernel;
  ck_assert_int_eq(sim->kernels(device, 1, &absent, &kernel), FG_ECOMPILE);
  ck_assert_ptr_nonnull(strstr(fg_backend_message(), "no such file.cu"));
}
END_TEST

static void add(Suite *s) {
  TCase *tc = sim_case_tests(s, "memory");
  tcase_add_test(tc, memory_ends_and_comes_back);
  tcase_add_test(tc, host_memory_is_registered_in_whole_pages_and_once);
  tcase_add_test(tc, a_copy_out_of_bounds_is_refused);
  tc = sim_case_tests(s, "kernels");
  tcase_add_test(tc, a_launch_must_fit_device_request_and_kernel);
  tcase_add_test(tc, threads_launch_at_once);
  tcase_add_test(tc, several_kernels_are_loaded_by_one_call);
  tcase_add_test(tc, a_second_process_finds_kernels_in_the_store);
  tcase_add_test(tc, kept_kernels_are_trimmed);
  tc = sim_case_tests(s, "compiler");
  tcase_add_test(tc, text_that_is_no_kernel_is_a_compile_error);
  tcase_add_test(tc, a_program_that_ignores_its_children_gets_kernels);
  tcase_add_test(tc, the_compiler_runs_without_the_preload);
  tcase_add_test(tc, a_missing_compiler_is_a_compile_error);
  tcase_add_test(tc, a_file_is_found_by_its_name);
}

int main(void) { return sim_case_main("sim device", add); }
