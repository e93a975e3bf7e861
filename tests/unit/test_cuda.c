/* test_cuda.c: how the cuda backend treats the driver and the program, with a fake driver, so that it needs no GPU.
 *
 * The fake has the name libcuda.so.1 and is loaded first, so that the backend gets it when it asks for that name.
 * Every test runs in a process of its own (Check's fork mode), because the driver is started once in a process. */
#include "config.h"

#include <check.h>
#include <cuda.h>
#include <dlfcn.h>
#include <fenv.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda/backend.h"
#include "cuda/cuda_nvrtc.h"
#include "cuda/installed.h"
#include "cuda/store.h"
#include "tests/unit/fake_cuda.h"

static const fg_backend *const cuda = &fg_backend_cuda;
static fake_cuda_state *fake;
static fg_device *device;
static fg_stream *stream;

static CUresult (*fake_get_current)(CUcontext *);
static CUresult (*fake_push)(CUcontext);
static CUresult (*fake_exchange_capture)(CUstreamCaptureMode *);

static char folder[] = "/tmp/fg-test-cuda-XXXXXX"; /* the kernel store */

static void load_fake(void) {
  const char *build = getenv("FG_BUILD"), *named = getenv("FG_FAKE_CUDA");
  char path[4096];
  void *library;
  snprintf(path, sizeof path, "%s/tests/unit/.libs/libcuda.so.1", build ? build : ".");
  library = dlopen(named ? named : path, RTLD_NOW | RTLD_LOCAL);
  ck_assert_msg(library != NULL, "%s", dlerror());
  fake = dlsym(library, "fake_cuda");
  *(void **)&fake_get_current = dlsym(library, "cuCtxGetCurrent");
  *(void **)&fake_push = dlsym(library, "cuCtxPushCurrent_v2");
  *(void **)&fake_exchange_capture = dlsym(library, "cuThreadExchangeStreamCaptureMode");
}

static void setup(void) {
  ck_assert_ptr_nonnull(mkdtemp(folder));
  setenv("FFTW3_GPU_CACHE", folder, 1);
  load_fake();
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *where) {
  (void)status, (void)kind, (void)where;
  return remove(path);
}

static void teardown(void) { nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS); }

static void open_device(void) {
  ck_assert_msg(cuda->open(0, &device) == 0, "%s", fg_backend_message());
  ck_assert_int_eq(cuda->stream_create(device, &stream), 0);
}

static void fail_next(const char *function, CUresult result) {
  fake->result = (int)result;
  fake->fail = function;
}

static void ck_message_has(const char *part) {
  ck_assert_msg(strstr(fg_backend_message(), part) != NULL, "\"%s\" lacks \"%s\"", fg_backend_message(), part);
}

/* ---- opening ---- */

START_TEST(opens_and_describes) {
  fg_device *again;
  open_device();
  ck_assert_str_eq(cuda->info(device)->name, "Fake");
  ck_assert_str_eq(cuda->info(device)->driver, "CUDA 13.0");
  ck_assert_int_eq(cuda->info(device)->arch, 90);
  ck_assert_uint_eq(cuda->info(device)->memory, 1 << 30);
  ck_assert_int_eq(cuda->open(0, &again), 0);
  ck_assert_ptr_eq(again, device);
  ck_assert_int_eq(cuda->open(1, &again), FG_ENODEVICE);
  ck_assert_int_eq(cuda->open(-1, &again), FG_ENODEVICE);
}
END_TEST

START_TEST(a_driver_in_the_process_is_not_missing) {
  const int calls = fake->calls;
  ck_assert_ptr_null(cuda->missing());
  ck_assert_int_eq(fake->calls, calls);
}
END_TEST

START_TEST(no_device_stays_no_device) {
  int calls;
  fail_next("cuInit", CUDA_ERROR_NO_DEVICE);
  ck_assert_int_eq(cuda->count(), FG_ENODEVICE);
  ck_message_has("cuInit");
  calls = fake->calls;
  ck_assert_int_eq(cuda->open(0, &device), FG_ENODEVICE);
  ck_message_has("cuInit");
  ck_assert_int_eq(fake->calls, calls);
}
END_TEST

START_TEST(context_that_cannot_be_had) {
  fail_next("cuDevicePrimaryCtxRetain", CUDA_ERROR_OUT_OF_MEMORY);
  ck_assert_int_eq(cuda->open(0, &device), FG_ENOMEM);
  open_device(); /* later there may be room */
}
END_TEST

/* ---- a program that uses CUDA itself ---- */

static void use_everything(void) {
  void *memory, *pinned;
  size_t available;
  double seconds;
  fg_event *event;
  fg_graph *graph;
  ck_assert_int_eq(cuda->memory_alloc(device, 64, &memory), 0);
  ck_assert_int_eq(cuda->memory_available(device, &available), 0);
  ck_assert_int_eq(cuda->pinned_alloc(device, 64, &pinned), 0);
  memset(pinned, 7, 64);
  ck_assert_int_eq(cuda->copy_in(device, memory, pinned, 64, stream), 0);
  memset(pinned, 0, 64);
  ck_assert_int_eq(cuda->copy_out(device, pinned, memory, 64, stream), 0);
  ck_assert_int_eq(cuda->stream_wait(device, stream), 0);
  ck_assert_int_eq(((char *)pinned)[63], 7);
  ck_assert_int_eq(cuda->host_register(device, pinned, 64), 0);
  ck_assert_int_eq(cuda->host_unregister(device, pinned), 0);
  ck_assert_int_eq(cuda->event_create(device, &event), 0);
  ck_assert_int_eq(cuda->event_record(device, event, stream), 0);
  ck_assert_int_eq(cuda->stream_wait_event(device, stream, event), 0);
  ck_assert_int_eq(cuda->event_elapsed(device, event, event, &seconds), 0);
  ck_assert_double_eq_tol(seconds, 0.25, 1e-9);
  ck_assert_int_eq(cuda->graph_begin(device, stream), 0);
  ck_assert_int_eq(cuda->graph_end(device, stream, &graph), 0);
  ck_assert_int_eq(cuda->graph_launch(device, graph, stream), 0);
  cuda->graph_destroy(device, graph);
  cuda->event_destroy(device, event);
  cuda->memory_free(device, memory);
  cuda->pinned_free(device, pinned);
  cuda->stream_destroy(device, stream);
}

START_TEST(no_context_before_no_context_after) {
  CUcontext current;
  open_device();
  use_everything();
  fake_get_current(&current);
  ck_assert_ptr_null(current);
  ck_assert_int_eq(fake->context_depth, 0);
}
END_TEST

START_TEST(the_programs_context_and_capture_stay) {
  const CUcontext theirs = (CUcontext)0x9999;
  CUcontext current;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  fake_push(theirs);
  open_device();
  use_everything();
  fail_next("cuMemAlloc_v2", CUDA_ERROR_OUT_OF_MEMORY);
  ck_assert_int_eq(cuda->memory_alloc(device, 64, &(void *){0}), FG_ENOMEM);
  fake_get_current(&current);
  ck_assert_ptr_eq(current, theirs);
  ck_assert_int_eq(fake->context_depth, 1);
  fake_exchange_capture(&mode);
  ck_assert_int_eq(mode, CU_STREAM_CAPTURE_MODE_GLOBAL);
}
END_TEST

START_TEST(our_context_is_not_pushed_twice) {
  int pushes;
  open_device();
  fake_push((CUcontext)0x1000); /* the fake's primary context, as the runtime API leaves it */
  pushes = fake->pushes;
  use_everything();
  ck_assert_int_eq(fake->pushes, pushes);
}
END_TEST

/* ---- failures ---- */

static const struct {
  CUresult result;
  int code;
} failures[] = {
    {CUDA_ERROR_OUT_OF_MEMORY, FG_ENOMEM},
    {CUDA_ERROR_INVALID_VALUE, FG_ELAUNCH},
    {CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, FG_ELAUNCH},
    {CUDA_ERROR_ILLEGAL_ADDRESS, FG_ELOST},
    {CUDA_ERROR_ECC_UNCORRECTABLE, FG_ELOST},
    {CUDA_ERROR_LAUNCH_FAILED, FG_ELOST},
    {CUDA_ERROR_CONTEXT_IS_DESTROYED, FG_ELOST},
    {CUDA_ERROR_DEINITIALIZED, FG_ELOST},
    {CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, FG_ENODEVICE},
};

START_TEST(results_become_codes) {
  void *memory = NULL;
  open_device();
  fail_next("cuMemAlloc_v2", failures[_i].result);
  ck_assert_int_eq(cuda->memory_alloc(device, 64, &memory), failures[_i].code);
  ck_assert_ptr_null(memory);
  ck_message_has("cuMemAlloc: CUDA_ERROR_");
}
END_TEST

/* When the driver cannot wait, its work goes on: it must be over before anything else happens to the memory. */
START_TEST(what_cannot_be_waited_for_is_asked_for) {
  fg_event *event;
  open_device();
  ck_assert_int_eq(cuda->event_create(device, &event), 0);
  fake->busy = 3;
  fail_next("cuStreamSynchronize", CUDA_ERROR_OPERATING_SYSTEM);
  ck_assert_int_eq(cuda->stream_wait(device, stream), 0);
  ck_assert_int_eq(fake->busy, -1);
  fake->busy = 2;
  fail_next("cuEventSynchronize", CUDA_ERROR_OPERATING_SYSTEM);
  ck_assert_int_eq(cuda->event_wait(device, event), 0);
  ck_assert_int_eq(fake->busy, -1);
  cuda->event_destroy(device, event);
}
END_TEST

START_TEST(an_event_is_reached_or_not_or_fails) {
  fg_event *event;
  open_device();
  ck_assert_int_eq(cuda->event_create(device, &event), 0);
  fake->busy = 1;
  ck_assert_int_eq(cuda->event_reached(device, event), 0);
  ck_assert_int_eq(cuda->event_reached(device, event), 1);
  fail_next("cuEventQuery", CUDA_ERROR_LAUNCH_FAILED);
  ck_assert_int_lt(cuda->event_reached(device, event), 0);
  cuda->event_destroy(device, event);
}
END_TEST

START_TEST(lost_is_lost) {
  void *memory, *more;
  int calls;
  open_device();
  ck_assert_int_eq(cuda->memory_alloc(device, 64, &memory), 0);
  fail_next("cuStreamSynchronize", CUDA_ERROR_ILLEGAL_ADDRESS);
  ck_assert_int_eq(cuda->stream_wait(device, stream), FG_ELOST);
  calls = fake->calls;
  ck_assert_int_eq(cuda->memory_alloc(device, 64, &more), FG_ELOST);
  ck_message_has("cuStreamSynchronize");
  ck_assert_int_eq(cuda->stream_wait(device, stream), FG_ELOST);
  cuda->memory_free(device, memory);
  cuda->stream_destroy(device, stream);
  ck_assert_int_eq(fake->calls, calls);
}
END_TEST

START_TEST(after_fork_the_driver_is_left_alone) {
  const fg_kernel_request request = {.source = "\n", .entry = "k"};
  void *memory, *more;
  fg_kernel *kernel;
  int calls, status, code;
  pid_t child;
  open_device();
  ck_assert_int_eq(cuda->memory_alloc(device, 64, &memory), 0);
  calls = fake->calls;
  child = fork();
  if (child == 0) {
    code = cuda->count() == FG_ENODEVICE && cuda->open(0, &device) == FG_ENODEVICE &&
           cuda->memory_alloc(device, 64, &more) == FG_ENODEVICE && cuda->stream_wait(device, stream) == FG_ENODEVICE &&
           cuda->kernels(device, 1, &request, &kernel) == FG_ENODEVICE;
    cuda->memory_free(device, memory);
    cuda->stream_destroy(device, stream);
    _exit(code && fake->calls == calls ? 0 : 1);
  }
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert_int_eq(status, 0);
  ck_assert_int_eq(cuda->stream_wait(device, stream), 0); /* the parent goes on */
}
END_TEST

/* ---- kernels; these need NVRTC ---- */

#define KERNEL(name) "extern \"C\" __global__ void " name "(float *x) { *x = FG_VALUE; }\n"
#define ONE {.source = KERNEL("k"), .defines = "#define FG_VALUE 1\n", .entry = "k"}
#define TWO {.source = KERNEL("k"), .defines = "#define FG_VALUE 2\n", .entry = "k"}
#define BROKEN {.source = KERNEL("k"), .defines = "#define FG_VALUE undeclared\n", .entry = "k"}

START_TEST(equal_requests_are_loaded_once) {
  const fg_kernel_request requests[] = {ONE, TWO, ONE};
  fg_kernel *first[3], *then[3];
  open_device();
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

START_TEST(launches_depend_only_when_asked_to) {
  const fg_kernel_request request = ONE;
  fg_kernel *kernel;
  float *x = NULL;
  open_device();
  ck_assert_msg(cuda->kernels(device, 1, &request, &kernel) == 0, "%s", fg_backend_message());
  ck_assert_int_eq(cuda->launch(device, kernel, 1, 32, 0, &x, sizeof x, stream), 0);
  ck_assert_int_eq(fake->dependent, 0);
  fg_dependent_launches = true;
  ck_assert_int_eq(cuda->launch(device, kernel, 1, 32, 0, &x, sizeof x, stream), 0);
  ck_assert_int_eq(fake->dependent, 1);
  fail_next("cuLaunchKernelEx", CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  ck_assert_int_eq(cuda->launch(device, kernel, 1, 32, 0, &x, sizeof x, stream), FG_ELAUNCH);
  ck_message_has("cuLaunchKernelEx");
}
END_TEST

START_TEST(one_that_fails_fails_all) {
  const fg_kernel_request requests[] = {ONE, BROKEN, TWO};
  fg_kernel *kernels[3];
  open_device();
  ck_assert_int_eq(cuda->kernels(device, 3, requests, kernels), FG_ECOMPILE);
  ck_message_has("undeclared");
  ck_assert_int_eq(cuda->kernels(device, 1, requests, kernels), 0);
}
END_TEST

START_TEST(unknown_source) {
  const fg_kernel_request request = {.source = "no_such.cu", .defines = "", .entry = "k"};
  fg_kernel *kernel;
  open_device();
  ck_assert_int_eq(cuda->kernels(device, 1, &request, &kernel), FG_ECOMPILE);
  ck_message_has("no_such.cu");
}
END_TEST

static void fill_store(void) { /* in a process of its own, so that nothing is left in memory */
  const fg_kernel_request request = ONE;
  fg_kernel *kernel;
  int status;
  pid_t child = fork();
  if (child == 0) {
    open_device();
    _exit(cuda->kernels(device, 1, &request, &kernel) ? 1 : 0);
  }
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert_int_eq(status, 0);
}

START_TEST(stored_kernel_that_the_driver_refuses) {
  const fg_kernel_request request = ONE;
  fg_kernel *kernel;
  fill_store();
  open_device();
  fail_next("cuModuleLoadData", CUDA_ERROR_INVALID_IMAGE);
  ck_assert_msg(cuda->kernels(device, 1, &request, &kernel) == 0, "%s", fg_backend_message());
  ck_assert_int_eq(fake->loads, 1);
}
END_TEST

/* ---- the installed archive: as these name no NVRTC that exists, nothing else has kernels ---- */

static void install(const fg_kernel_request *request, const char *target) {
  char path[64];
  fg_archive_item item = {fg_installed_key(target, request), "code", 5, 0};
  snprintf(path, sizeof path, "%s/kernels.fgk", folder);
  ck_assert_int_eq(fg_archive_write(path, fg_store_sources_hash(), "", &item, 1), 0);
  free((char *)item.key);
  fg_installed_at(path);
  setenv("FFTW3_GPU_NVRTC", "/nowhere", 1);
}

START_TEST(installed_kernels_need_no_compiler) {
  const fg_kernel_request one = ONE, two = TWO;
  fg_kernel *kernel;
  install(&one, _i ? "ptx" : "sm_90");
  open_device();
  ck_assert_int_eq(cuda->kernels_kept(device, 1, &one), _i == 0); /* the driver will compile PTX */
  ck_assert_int_eq(cuda->kernels_kept(device, 1, &two), 0);
  ck_assert_msg(cuda->kernels(device, 1, &one, &kernel) == 0, "%s", fg_backend_message());
  ck_assert_int_eq(fake->loads, 1);
  ck_assert_int_eq(cuda->kernels(device, 1, &two, &kernel), FG_ECOMPILE);
  ck_message_has("FFTW3_GPU_NVRTC");
  ck_assert(cuda->kernels_kept(device, 1, &one)); /* it is loaded */
}
END_TEST

/* In another process, which had the driver compile it: what that keeps is no compiling to come. */
START_TEST(ptx_that_the_driver_has_compiled_is_kept) {
  const fg_kernel_request one = ONE, two = TWO;
  install(&one, "ptx");
  fill_store();
  open_device();
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
  open_device();
  ck_assert_int_eq(cuda->kernels(device, 1, &one, &kernel), FG_ECOMPILE);
  ck_assert_int_eq(fake->loads, 0);
}
END_TEST

START_TEST(installed_kernel_that_the_driver_refuses) {
  const fg_kernel_request one = ONE;
  fg_kernel *kernel;
  install(&one, _i ? "ptx" : "sm_90");
  unsetenv("FFTW3_GPU_NVRTC");
  open_device();
  fail_next("cuModuleLoadData", CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
  ck_assert_msg(cuda->kernels(device, 1, &one, &kernel) == 0, "%s", fg_backend_message());
  ck_assert_int_eq(fake->loads, 1);
  ck_assert(!fg_installed_has(90, &one));
}
END_TEST

START_TEST(fresh_kernel_that_the_driver_refuses) {
  const fg_kernel_request request = ONE;
  fg_kernel *kernel;
  open_device();
  fail_next("cuModuleLoadData", CUDA_ERROR_INVALID_IMAGE);
  ck_assert_int_eq(cuda->kernels(device, 1, &request, &kernel), FG_ECOMPILE);
  ck_message_has("cuModuleLoadData");
  fail_next("cuModuleLoadData", CUDA_ERROR_OUT_OF_MEMORY);
  ck_assert_int_eq(cuda->kernels(device, 1, &request, &kernel), FG_ENOMEM);
}
END_TEST

START_TEST(a_module_without_the_entry_is_unloaded) {
  const fg_kernel_request request = ONE;
  fg_kernel *kernel;
  open_device();
  fail_next("cuModuleGetFunction", CUDA_ERROR_NOT_FOUND);
  ck_assert_int_eq(cuda->kernels(device, 1, &request, &kernel), FG_ECOMPILE);
  ck_assert_int_eq(fake->loads, 1);
  ck_assert_int_eq(fake->unloads, 1);
}
END_TEST

START_TEST(shared_memory_is_asked_for_once) {
  fg_kernel_request request = ONE;
  fg_kernel *kernel;
  open_device();
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
  open_device();
  fesetround(FE_UPWARD);
  feclearexcept(FE_ALL_EXCEPT);
  feraiseexcept(FE_INEXACT);
  ck_assert_int_eq(cuda->kernels(device, 1, &request, &kernel), 0);
  ck_assert_int_eq(fegetround(), FE_UPWARD);
  ck_assert_int_eq(fetestexcept(FE_ALL_EXCEPT), FE_INEXACT);
  ck_assert_int_eq(fake->rounding, FE_TONEAREST);
}
END_TEST

/* Asked in a child: the settings, read once in a process, must not be read before a test has made its own. */
static bool have_nvrtc(void) {
  int status = 1;
  pid_t child = fork();
  if (child == 0) _exit(fg_nvrtc_version() < 0);
  return waitpid(child, &status, 0) == child && status == 0;
}

/* ---- memory and streams of the program's ---- */

static fg_pointer ask(unsigned type, unsigned managed, unsigned alien) {
  fg_pointer what;
  fake->memory_type = type;
  fake->managed = managed;
  fake->alien = alien;
  cuda->pointer((void *)0x7000123, &what);
  return what;
}

/* The program, not we, has loaded the driver here: its pointers are known before any device of ours is open. */
START_TEST(pointers_of_the_program) {
  ck_assert(cuda->pointers() && cuda->used_by_program());
  ck_assert_int_eq(ask(0, 0, 0).kind, FG_POINTER_HOST);
  ck_assert_int_eq(ask(CU_MEMORYTYPE_HOST, 0, 0).kind, FG_POINTER_PINNED);
  ck_assert_int_eq(ask(CU_MEMORYTYPE_DEVICE, 0, 0).kind, FG_POINTER_DEVICE);
  ck_assert_int_eq(ask(CU_MEMORYTYPE_DEVICE, 1, 0).kind, FG_POINTER_MANAGED);
  ck_assert_int_eq(ask(CU_MEMORYTYPE_DEVICE, 0, 1).kind, FG_POINTER_DEVICE);
  open_device();
  ck_assert_int_eq(ask(CU_MEMORYTYPE_DEVICE, 0, 1).kind, FG_POINTER_APART); /* not of the context that is ours now */
  const fg_pointer what = ask(CU_MEMORYTYPE_DEVICE, 0, 0);
  ck_assert_ptr_eq(what.base, (void *)0x7000100);
  ck_assert_uint_eq(what.bytes, 4096);
  fail_next("cuPointerGetAttributes", CUDA_ERROR_NOT_INITIALIZED);
  ck_assert_int_eq(ask(CU_MEMORYTYPE_DEVICE, 0, 0).kind, FG_POINTER_HOST);
  ck_assert_int_eq(fake->context_depth, 0);
}
END_TEST

START_TEST(pointers_of_a_forked_child_are_not_asked_for) {
  open_device();
  ask(CU_MEMORYTYPE_DEVICE, 0, 0);
  const pid_t child = fork();
  if (child == 0) {
    const int calls = fake->calls;
    const bool host = ask(CU_MEMORYTYPE_DEVICE, 0, 0).kind == FG_POINTER_HOST;
    _exit(host && !cuda->pointers() && fake->calls == calls ? 0 : 1);
  }
  int status;
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert_int_eq(status, 0);
}
END_TEST

START_TEST(streams_of_the_program) {
  fg_stream *s;
  open_device();
  ck_assert_int_eq(cuda->stream_of_program(device, NULL, &s), 0);
  ck_assert_ptr_eq(s, CU_STREAM_LEGACY);
  ck_assert_int_eq(cuda->stream_of_program(device, (void *)0x2001, &s), 0);
  ck_assert_ptr_eq(s, (void *)0x2001);
  ck_assert_int_eq(cuda->stream_of_program(device, FAKE_ALIEN, &s), FG_ELAUNCH);
  ck_assert_int_eq(cuda->stream_of_program(device, FAKE_CAPTURING, &s), FG_ELAUNCH);
  ck_assert_int_eq(fake->context_depth, 0);
}
END_TEST

static void add_driver_tests(TCase *c) {
  tcase_add_test(c, pointers_of_the_program);
  tcase_add_test(c, pointers_of_a_forked_child_are_not_asked_for);
  tcase_add_test(c, streams_of_the_program);
  tcase_add_test(c, opens_and_describes);
  tcase_add_test(c, a_driver_in_the_process_is_not_missing);
  tcase_add_test(c, no_device_stays_no_device);
  tcase_add_test(c, context_that_cannot_be_had);
  tcase_add_test(c, no_context_before_no_context_after);
  tcase_add_test(c, the_programs_context_and_capture_stay);
  tcase_add_test(c, our_context_is_not_pushed_twice);
  tcase_add_loop_test(c, results_become_codes, 0, sizeof failures / sizeof *failures);
  tcase_add_test(c, what_cannot_be_waited_for_is_asked_for);
  tcase_add_test(c, an_event_is_reached_or_not_or_fails);
  tcase_add_test(c, lost_is_lost);
  tcase_add_test(c, after_fork_the_driver_is_left_alone);
  tcase_add_loop_test(c, installed_kernels_need_no_compiler, 0, 2);
  tcase_add_test(c, installed_kernels_of_other_devices_are_not_loaded);
  tcase_add_test(c, ptx_that_the_driver_has_compiled_is_kept);
}

static void add_kernel_tests(TCase *c) {
  tcase_add_test(c, equal_requests_are_loaded_once);
  tcase_add_test(c, launches_depend_only_when_asked_to);
  tcase_add_test(c, one_that_fails_fails_all);
  tcase_add_test(c, unknown_source);
  tcase_add_test(c, stored_kernel_that_the_driver_refuses);
  tcase_add_loop_test(c, installed_kernel_that_the_driver_refuses, 0, 2);
  tcase_add_test(c, fresh_kernel_that_the_driver_refuses);
  tcase_add_test(c, a_module_without_the_entry_is_unloaded);
  tcase_add_test(c, shared_memory_is_asked_for_once);
  tcase_add_test(c, floating_point_environment_stays);
}

int main(void) {
  Suite *s = suite_create("cuda");
  TCase *c = tcase_create("cuda");
  SRunner *runner;
  int failed;
  tcase_add_checked_fixture(c, setup, teardown);
  tcase_set_timeout(c, 60);
  add_driver_tests(c);
  if (have_nvrtc()) add_kernel_tests(c);
  suite_add_tcase(s, c);
  runner = srunner_create(s);
  srunner_set_fork_status(runner, CK_FORK);
  srunner_run_all(runner, CK_NORMAL);
  failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
