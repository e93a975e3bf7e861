/* test_cuda_kernels.c: which kernels the cuda backend loads: what is loaded already, what the store has, what the
 * installed archive has, what NVRTC compiles; and what happens when the driver refuses them. */
#include <fenv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda/cuda_nvrtc.h"
#include "cuda/installed.h"
#include "cuda/store.h"
#include "driver_case.h"
#include "src/pass/kernel.h"
#include "src/plan/planner.h"
#include "src/problem/notation.h"

#define KERNEL(name) "extern \"C\" __global__ void " name "(float *x) { *x = FG_VALUE; }\n"
#define ONE {.source = KERNEL("k"), .defines = "#define FG_VALUE 1\n", .entry = "k"}
#define TWO {.source = KERNEL("k"), .defines = "#define FG_VALUE 2\n", .entry = "k"}
#define BROKEN {.source = KERNEL("k"), .defines = "#define FG_VALUE undeclared\n", .entry = "k"}

/* ---- these need NVRTC ---- */

START_TEST(equal_requests_are_loaded_once) {
  const fg_kernel_request requests[] = {ONE, TWO, ONE};
  fg_kernel *first[3], *then[3];
  driver_case_open();
  ck_assert_msg(cuda->kernels(device, 3, requests, first) == 0, "%s", fg_backend_message());
  ck_assert_ptr_eq(first[0], first[2]);
  ck_assert_ptr_ne(first[0], first[1]);
  ck_assert_int_eq(fake->loads, 2);
  ck_assert_int_eq(cuda->kernels(device, 3, requests, then), 0);
  ck_assert_int_eq(memcmp(first, then, sizeof first), 0);
  ck_assert_int_eq(fake->loads, 2);
  ck_assert_int_eq(cuda->launch(device, first[0], 1, 32, 0, &stream, sizeof stream, stream), 0);
}
END_TEST

/* Of the only pass of a problem. */
static fg_kernel_request request_of(const char *problem, char *defines) {
  char message[128];
  const char *why = message;
  fg_passes *list = calloc(1, sizeof *list);
  fg_problem *p = fg_notation_parse(problem, FG_SINGLE, message, sizeof message);
  ck_assert_msg(list && p && fg_planner_plan(p, &fg_reference_device, list, &why), "%s", why);
  ck_assert_int_eq(list->count, 1);
  const fg_kernel_request request = fg_kernel_request_of(&list->pass[0], defines);
  fg_problem_free(p);
  free(list);
  return request;
}

START_TEST(launches_depend_where_kernels_wait) {
  char defines[FG_DEFINES_SIZE];
  const fg_kernel_request requests[] = {request_of("oc16*100", defines), ONE};
  fg_kernel *kernels[2];
  char args[4096] = {0};
  driver_case_open();
  ck_assert_msg(cuda->kernels(device, 2, requests, kernels) == 0, "%s", fg_backend_message());
  ck_assert_int_eq(cuda->launch(device, kernels[0], 1, 32, 0, args, sizeof args, stream), 0);
  ck_assert_int_eq(fake->dependent, 1);
  ck_assert_int_eq(cuda->launch(device, kernels[1], 1, 32, 0, args, sizeof args, stream), 0);
  ck_assert_int_eq(fake->dependent, 1);
  ck_assert_int_eq(cuda->launch(device, kernels[0], 1, 32, 0, args, sizeof args, stream), 0);
  ck_assert_int_eq(fake->dependent, 2);
  driver_case_fail("cuLaunchKernelEx", CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  ck_assert_int_eq(cuda->launch(device, kernels[0], 1, 32, 0, args, sizeof args, stream), FG_ELAUNCH);
  driver_case_says("cuLaunchKernelEx");
}
END_TEST

/* As an NVRTC compiles that knows nothing newer: they have no such instructions. */
START_TEST(launches_do_not_depend_where_kernels_are_for_older_devices) {
  char defines[FG_DEFINES_SIZE];
  const fg_kernel_request request = request_of("oc16*100", defines);
  fg_kernel *kernel;
  char args[4096] = {0};
  driver_case_open();
  fake->older = 3;
  ck_assert_msg(cuda->kernels(device, 1, &request, &kernel) == 0, "%s", fg_backend_message());
  ck_assert_int_eq(cuda->launch(device, kernel, 1, 32, 0, args, sizeof args, stream), 0);
  ck_assert_int_eq(fake->dependent, 0);
}
END_TEST

/* Four kernels, of which the second and the last wait by themselves. */
static int make_chain(fg_kernel *const kernels[2], fg_chain **chain) {
  static const char args[4096];
  fg_kernel_launch list[4];
  for (int i = 0; i < 4; i++) list[i] = (fg_kernel_launch){kernels[i % 2 == 0], 1, 32, 0, args, sizeof args};
  return cuda->chain_make(device, 4, list, chain);
}

START_TEST(a_chain_depends_where_kernels_wait) {
  char defines[FG_DEFINES_SIZE];
  const fg_kernel_request requests[] = {request_of("oc16*100", defines), ONE};
  fg_kernel *kernels[2];
  fg_chain *chain = NULL;
  const int value = 4711;
  driver_case_open();
  ck_assert_msg(cuda->kernels(device, 2, requests, kernels) == 0, "%s", fg_backend_message());
  ck_assert_int_eq(make_chain(kernels, &chain), 0);
  ck_assert_int_eq(fake->early, 2);
  ck_assert_int_eq(fake->edges, 1);
  ck_assert_int_eq(cuda->chain_set(device, chain, 3, &value), 0);
  ck_assert_int_eq(fake->set_value, value);
  ck_assert_int_eq(cuda->chain_launch(device, chain, stream), 0);
  ck_assert_int_eq(fake->graphs, 2);
  cuda->chain_destroy(device, chain);
  ck_assert_int_eq(fake->graphs, 0);
  cuda->chain_destroy(device, NULL);

  fg_dependent_launches = false;
  ck_assert_int_eq(make_chain(kernels, &chain), 0);
  ck_assert_int_eq(fake->early, 2);
  ck_assert_int_eq(fake->edges, 1 + 3);
  cuda->chain_destroy(device, chain);
  fg_dependent_launches = true;
}
END_TEST

/* The stream of each thread has one name in all. */
START_TEST(a_chain_is_not_for_the_threads_streams) {
  const fg_kernel_request request = ONE;
  fg_kernel *kernels[2];
  fg_chain *chain = NULL;
  driver_case_open();
  ck_assert_msg(cuda->kernels(device, 1, &request, kernels) == 0, "%s", fg_backend_message());
  kernels[1] = kernels[0];
  ck_assert_int_eq(make_chain(kernels, &chain), 0);
  const int calls = fake->calls;
  ck_assert_int_lt(cuda->chain_launch(device, chain, (fg_stream *)CU_STREAM_PER_THREAD), 0);
  ck_assert_int_eq(fake->calls, calls);
  cuda->chain_destroy(device, chain);
}
END_TEST

START_TEST(a_chain_that_cannot_be_made_leaves_nothing) {
  static const char *const calls[] = {"cuGraphCreate", "cuGraphAddKernelNode", "cuGraphAddDependencies_v2",
                                      "cuGraphInstantiateWithFlags"};
  char defines[FG_DEFINES_SIZE];
  const fg_kernel_request requests[] = {request_of("oc16*100", defines), ONE};
  fg_kernel *kernels[2];
  fg_chain *chain = NULL;
  driver_case_open();
  ck_assert_msg(cuda->kernels(device, 2, requests, kernels) == 0, "%s", fg_backend_message());
  driver_case_fail(calls[_i], CUDA_ERROR_NOT_SUPPORTED);
  ck_assert_int_lt(make_chain(kernels, &chain), 0);
  ck_assert_int_eq(fake->graphs, 0);
  ck_assert_ptr_null(chain);
  ck_assert_int_eq(make_chain(kernels, &chain), 0);
  driver_case_fail("cuGraphExecKernelNodeSetParams", CUDA_ERROR_INVALID_VALUE);
  ck_assert_int_lt(cuda->chain_set(device, chain, 0, &(const int){0}), 0);
  driver_case_fail("cuGraphLaunch", CUDA_ERROR_OUT_OF_MEMORY);
  ck_assert_int_eq(cuda->chain_launch(device, chain, stream), FG_ENOMEM);
  cuda->chain_destroy(device, chain);
  ck_assert_int_eq(fake->graphs, 0);
}
END_TEST

START_TEST(one_that_fails_fails_all) {
  const fg_kernel_request requests[] = {ONE, BROKEN, TWO};
  fg_kernel *kernels[3];
  driver_case_open();
  ck_assert_int_eq(cuda->kernels(device, 3, requests, kernels), FG_ECOMPILE);
  driver_case_says("undeclared");
  ck_assert_int_eq(cuda->kernels(device, 1, requests, kernels), 0);
}
END_TEST

START_TEST(unknown_source) {
  const fg_kernel_request request = {.source = "no_such.cu", .defines = "", .entry = "k"};
  fg_kernel *kernel;
  driver_case_open();
  ck_assert_int_eq(cuda->kernels(device, 1, &request, &kernel), FG_ECOMPILE);
  driver_case_says("no_such.cu");
}
END_TEST

static void fill_store(void) { /* in a process of its own, so that nothing is left in memory */
  const fg_kernel_request request = ONE;
  fg_kernel *kernel;
  int status;
  pid_t child = fork();
  if (child == 0) {
    driver_case_open();
    _exit(cuda->kernels(device, 1, &request, &kernel) ? 1 : 0);
  }
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert_int_eq(status, 0);
}

START_TEST(stored_kernel_that_the_driver_refuses) {
  const fg_kernel_request request = ONE;
  fg_kernel *kernel;
  fill_store();
  driver_case_open();
  driver_case_fail("cuModuleLoadData", CUDA_ERROR_INVALID_IMAGE);
  ck_assert_msg(cuda->kernels(device, 1, &request, &kernel) == 0, "%s", fg_backend_message());
  ck_assert_int_eq(fake->loads, 1);
}
END_TEST

/* ---- the installed archive: as these name no NVRTC that exists, nothing else has kernels ---- */

static void install_by(const fg_kernel_request *request, const char *target, const char *compiler) {
  char path[64];
  fg_archive_item item = {fg_installed_key(target, request), "code", 5, 0};
  snprintf(path, sizeof path, "%s/kernels.fgk", folder);
  ck_assert_int_eq(fg_archive_write(path, fg_store_sources_hash(), compiler, &item, 1), 0);
  free((char *)item.key);
  fg_installed_at(path);
  setenv("FFTW3_GPU_NVRTC", "/nowhere", 1);
}

static void install(const fg_kernel_request *request, const char *target) { install_by(request, target, ""); }

/* Clusters are of what the compiler of the installed kernels knows, which is not asked itself. */
START_TEST(clusters_are_the_installed_kernels) {
  static const struct {
    const char *compiler;
    int cluster;
  } by[] = {{"NVRTC 12.0", 1}, {"NVRTC 12.1", 16}, {"NVRTC 13.0", 16}};
  const fg_kernel_request one = ONE;
  install_by(&one, "sm_90", by[_i].compiler);
  driver_case_open();
  ck_assert_int_eq(cuda->info(device)->cluster, by[_i].cluster);
}
END_TEST

START_TEST(installed_kernels_need_no_compiler) {
  const fg_kernel_request one = ONE, two = TWO;
  fg_kernel *kernel;
  install(&one, _i ? "ptx" : "sm_90");
  driver_case_open();
  ck_assert_int_eq(cuda->kernels_kept(device, 1, &one), _i == 0); /* the driver will compile PTX */
  ck_assert_int_eq(cuda->kernels_kept(device, 1, &two), 0);
  ck_assert_msg(cuda->kernels(device, 1, &one, &kernel) == 0, "%s", fg_backend_message());
  ck_assert_int_eq(fake->loads, 1);
  ck_assert_int_eq(cuda->kernels(device, 1, &two, &kernel), FG_ECOMPILE);
  driver_case_says("FFTW3_GPU_NVRTC");
  ck_assert(cuda->kernels_kept(device, 1, &one)); /* it is loaded */
}
END_TEST

/* PTX of what loads ahead is not taken: its stack could not be looked after. */
START_TEST(what_loads_ahead_is_compiled_here) {
  static const fg_kernel_request ahead = {.source = KERNEL("k"), .defines = "#define FG_VALUE 1\n#define FG_AHEAD 1\n", .entry = "k"};
  fg_kernel *kernel;
  install(&ahead, _i ? "ptx" : "sm_90");
  driver_case_open();
  ck_assert_int_eq(cuda->kernels(device, 1, &ahead, &kernel), _i ? FG_ECOMPILE : 0);
}
END_TEST

/* In another process, which had the driver compile it: what that keeps is no compiling to come. */
START_TEST(ptx_that_the_driver_has_compiled_is_kept) {
  const fg_kernel_request one = ONE, two = TWO;
  install(&one, "ptx");
  fill_store();
  driver_case_open();
  ck_assert_int_eq(fake->loads, 0);
  ck_assert(cuda->kernels_kept(device, 1, &one));
  ck_assert(!cuda->kernels_kept(device, 1, &two));
  setenv("CUDA_CACHE_DISABLE", "1", 1);
  ck_assert(!cuda->kernels_kept(device, 1, &one));
  setenv("CUDA_CACHE_DISABLE", "0", 1);
  ck_assert(cuda->kernels_kept(device, 1, &one));
  fg_installed_refuse();
  ck_assert(!cuda->kernels_kept(device, 1, &one));
}
END_TEST

START_TEST(installed_kernels_of_other_devices_are_not_loaded) {
  const fg_kernel_request one = ONE;
  fg_kernel *kernel;
  install(&one, "sm_80");
  driver_case_open();
  ck_assert_int_eq(cuda->kernels(device, 1, &one, &kernel), FG_ECOMPILE);
  ck_assert_int_eq(fake->loads, 0);
}
END_TEST

START_TEST(installed_kernel_that_the_driver_refuses) {
  const fg_kernel_request one = ONE;
  fg_kernel *kernel;
  install(&one, _i ? "ptx" : "sm_90");
  unsetenv("FFTW3_GPU_NVRTC");
  driver_case_open();
  driver_case_fail("cuModuleLoadData", CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
  ck_assert_msg(cuda->kernels(device, 1, &one, &kernel) == 0, "%s", fg_backend_message());
  ck_assert_int_eq(fake->loads, 1);
  ck_assert(!fg_installed_has(90, &one));
}
END_TEST

START_TEST(fresh_kernel_that_the_driver_refuses) {
  const fg_kernel_request request = ONE;
  fg_kernel *kernel;
  driver_case_open();
  driver_case_fail("cuModuleLoadData", CUDA_ERROR_INVALID_IMAGE);
  ck_assert_int_eq(cuda->kernels(device, 1, &request, &kernel), FG_ECOMPILE);
  driver_case_says("cuModuleLoadData");
  driver_case_fail("cuModuleLoadData", CUDA_ERROR_OUT_OF_MEMORY);
  ck_assert_int_eq(cuda->kernels(device, 1, &request, &kernel), FG_ENOMEM);
}
END_TEST

START_TEST(a_module_without_the_entry_is_unloaded) {
  const fg_kernel_request request = ONE;
  fg_kernel *kernel;
  driver_case_open();
  driver_case_fail("cuModuleGetFunction", CUDA_ERROR_NOT_FOUND);
  ck_assert_int_eq(cuda->kernels(device, 1, &request, &kernel), FG_ECOMPILE);
  ck_assert_int_eq(fake->loads, 1);
  ck_assert_int_eq(fake->unloads, 1);
}
END_TEST

START_TEST(shared_memory_is_asked_for_once) {
  fg_kernel_request request = ONE;
  fg_kernel *kernel;
  driver_case_open();
  request.shared = 48 << 10;
  ck_assert_int_eq(cuda->kernels(device, 1, &request, &kernel), 0);
  ck_assert_int_eq(fake->shared, 0);
  request.shared = 100 << 10;
  ck_assert_int_eq(cuda->kernels(device, 1, &request, &kernel), 0);
  ck_assert_int_eq(fake->shared, 100 << 10);
  request.shared = 64 << 10;
  ck_assert_int_eq(cuda->kernels(device, 1, &request, &kernel), 0);
  ck_assert_int_eq(fake->shared, 100 << 10);
}
END_TEST

START_TEST(floating_point_environment_stays) {
  const fg_kernel_request request = ONE;
  fg_kernel *kernel;
  driver_case_open();
  fesetround(FE_UPWARD);
  feclearexcept(FE_ALL_EXCEPT);
  feraiseexcept(FE_INEXACT);
  ck_assert_int_eq(cuda->kernels(device, 1, &request, &kernel), 0);
  ck_assert_int_eq(fegetround(), FE_UPWARD);
  ck_assert_int_eq(fetestexcept(FE_ALL_EXCEPT), FE_INEXACT);
  ck_assert_int_eq(fake->rounding, FE_TONEAREST);
}
END_TEST

static void add_tests(TCase *c) {
  tcase_add_loop_test(c, installed_kernels_need_no_compiler, 0, 2);
  tcase_add_test(c, installed_kernels_of_other_devices_are_not_loaded);
  tcase_add_test(c, ptx_that_the_driver_has_compiled_is_kept);
  if (!driver_case_has_nvrtc()) return;
  tcase_add_test(c, equal_requests_are_loaded_once);
  tcase_add_test(c, launches_depend_where_kernels_wait);
  tcase_add_test(c, launches_do_not_depend_where_kernels_are_for_older_devices);
  tcase_add_test(c, a_chain_depends_where_kernels_wait);
  tcase_add_test(c, a_chain_is_not_for_the_threads_streams);
  tcase_add_loop_test(c, a_chain_that_cannot_be_made_leaves_nothing, 0, 4);
  tcase_add_test(c, one_that_fails_fails_all);
  tcase_add_test(c, unknown_source);
  tcase_add_test(c, stored_kernel_that_the_driver_refuses);
  tcase_add_loop_test(c, installed_kernel_that_the_driver_refuses, 0, 2);
  tcase_add_test(c, fresh_kernel_that_the_driver_refuses);
  tcase_add_test(c, a_module_without_the_entry_is_unloaded);
  tcase_add_test(c, shared_memory_is_asked_for_once);
  tcase_add_test(c, floating_point_environment_stays);
  tcase_add_loop_test(c, what_loads_ahead_is_compiled_here, 0, 2);
  tcase_add_loop_test(c, clusters_are_the_installed_kernels, 0, 3);
}

int main(void) { return driver_case_run("cuda_kernels", add_tests); }
