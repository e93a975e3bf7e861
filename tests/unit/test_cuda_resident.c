/* test_cuda_resident.c: plans given memory of a real device; skipped where there is none.
 *
 * The program's own use of CUDA is played with the driver's functions.  Every test runs in a process of its own
 * (Check's fork mode).  With -t also times: plans on device memory against the bench's device-resident times. */
#include "config.h"

#include <check.h>
#include <cuda.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "homes.h"
#include "on_sim.h"
#include "random_problem.h"
#include "real_fftw.h"
#include "src/plan/resident.h"
#include "src/run/residence.h"
#include "suite.h"
#include "told.h"

#undef cuMemsetD32Async
#undef cuMemcpyDtoH
#undef cuMemcpyHtoD
#undef cuMemsetD8

#define PROGRAM_FUNCTIONS(F)                                                                                         \
  F(cuInit, (unsigned)) F(cuDeviceGet, (CUdevice *, int)) F(cuCtxCreate_v2, (CUcontext *, unsigned, CUdevice))       \
  F(cuCtxGetCurrent, (CUcontext *)) F(cuCtxSetCurrent, (CUcontext)) F(cuCtxPopCurrent_v2, (CUcontext *))             \
  F(cuDevicePrimaryCtxRetain, (CUcontext *, CUdevice)) F(cuCtxSynchronize, (void))                                   \
  F(cuMemAlloc_v2, (CUdeviceptr *, size_t)) F(cuMemFree_v2, (CUdeviceptr))                                           \
  F(cuMemAllocManaged, (CUdeviceptr *, size_t, unsigned)) F(cuMemcpyDtoH_v2, (void *, CUdeviceptr, size_t))          \
  F(cuMemcpyHtoD_v2, (CUdeviceptr, const void *, size_t))                                                            \
  F(cuMemcpyDtoDAsync_v2, (CUdeviceptr, CUdeviceptr, size_t, CUstream)) F(cuStreamCreate, (CUstream *, unsigned))    \
  F(cuMemsetD32Async, (CUdeviceptr, unsigned, size_t, CUstream)) F(cuStreamQuery, (CUstream))                        \
  F(cuStreamSynchronize, (CUstream)) F(cuStreamBeginCapture_v2, (CUstream, CUstreamCaptureMode))                     \
  F(cuStreamEndCapture, (CUstream, CUgraph *)) F(cuGraphDestroy, (CUgraph)) F(cuStreamDestroy_v2, (CUstream))

#define MEMBER(name, parameters) static CUresult(*p_##name) parameters;
PROGRAM_FUNCTIONS(MEMBER)

static CUcontext primary;

static void ck_cuda(CUresult r) { ck_assert_int_eq(r, CUDA_SUCCESS); }

static void *managed(size_t bytes) {
  CUdeviceptr p = 0;
  ck_cuda(p_cuMemAllocManaged(&p, bytes, CU_MEM_ATTACH_GLOBAL));
  return (void *)p;
}

static void managed_free(void *memory) { p_cuMemFree_v2((CUdeviceptr)memory); }

/* As a program with the CUDA runtime is: its primary context is current. */
static void setup(void) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  CUdevice device;
#define FIND(name, parameters) *(void **)&p_##name = dlsym(library, #name);
  PROGRAM_FUNCTIONS(FIND)
  ck_cuda(p_cuInit(0));
  ck_cuda(p_cuDeviceGet(&device, 0));
  ck_cuda(p_cuDevicePrimaryCtxRetain(&primary, device));
  ck_cuda(p_cuCtxSetCurrent(primary));
  homes_managed = managed;
  homes_managed_free = managed_free;
  test_real_fftw();
}

static const char *const problems[] = {
    "ocf64*10",  "icb60*9",   "icf8x6x4*5", "/ocf30*6",  "/icf16x8*4", "icf64x64x64", "ocf8:1:3*6:8:40",
    "icf14:11:1*11:1:14", "ocf1009*3", "icb8192*3", "icf65536", "ocf32768*2", "orf30*4", "irf30*4", "irb8x10",
    "irf32x33x34",
    "orb20x30x40", "/orf12*5", "okd20e10*6", "ik8fx6h", "irf8192", "icf24x24x24*30", "icf1001x77", "ocf100003",
};

static void execute_and_check(const char *text, home_kind in, home_kind out, bool by_host) {
  fg_problem *p = test_problem(text, FG_SINGLE);
  char what[120];
  snprintf(what, sizeof what, "%s, %s to %s", text, home_names[in], home_names[out]);
  p->flags = FG_MEASURE;
  homes h = homes_of(p, in, out, p->arrays.in_re == p->arrays.out_re);
  const int before = test_real_fftw_executions();
  fg_plan *plan = fg_plan_create(fg_problem_copy(p));
  ck_assert_msg(plan && fg_plan_is_ours(plan), "%s: no plan", what);
  homes_check_untouched(&h, what);
  for (int i = 0; i < 3; i++) {
    fg_plan_execute(plan, NULL);
    homes_check(&h, what);
    homes_refill(&h);
  }
  ck_assert_int_eq(test_real_fftw_executions() - before, by_host ? 3 : 0);
  fg_plan_destroy(plan);
  homes_free(&h);
  fg_problem_free(p);
  CUcontext current = NULL;
  ck_cuda(p_cuCtxGetCurrent(&current));
  ck_assert_ptr_eq(current, primary);
}

enum { SHARES = 4 }; /* each process that starts CUDA takes a second */

START_TEST(arrays_are_transformed_where_they_are) {
  for (int i = _i; i < TEST_COUNT(problems); i += SHARES) {
    execute_and_check(problems[i], DEVICE, DEVICE, false);
    execute_and_check(problems[i], MANAGED, DEVICE, false);
    execute_and_check(problems[i], SHIFTED, SHIFTED, false);
    execute_and_check(problems[i], MANAGED, MANAGED, false);
  }
}
END_TEST

START_TEST(one_array_may_be_the_hosts) {
  for (home_kind host = HEAP; host <= PINNED; host++) {
    execute_and_check("ocf64*10", DEVICE, host, false);
    execute_and_check("ocf64*10", host, DEVICE, false);
    execute_and_check("orf64x64x64", host, DEVICE, false);
    execute_and_check("ocf8:1:3*6:8:40", DEVICE, host, false);
  }
}
END_TEST

START_TEST(both_on_the_host) {
  for (home_kind host = HEAP; host <= PINNED; host++) execute_and_check("ocf64x64x64", host, host, false);
}
END_TEST

/* Of one to three passes, in pieces or not, in clusters, in place, rows with gaps, r2c and c2r, beside this program's use of the
 * device: what was recorded gives the bits that the steps gave one by one. */
START_TEST(recorded_on_the_host) {
  static const char *const texts[] = {"ocf24x24x24*54", "ocf64x64x64", "icf64x64x64", "ocf32768*12", "ocf1024*512", "ocf262144",
                                      "orf64x64x64", "orb64x64x64", "icf512x512", "ocf100003", "ocf40x40x40*8", "/ocf300*200",
                                      "ocf200*300:220:200", "ok512e10x512e01", "irf100x100x20", "ocf54x54x54*4"};
  for (int i = _i; i < TEST_COUNT(texts); i += SHARES) {
    fg_problem *p = test_problem(texts[i], FG_SINGLE);
    homes h = homes_of(p, ARENA, ARENA, p->arrays.in_re == p->arrays.out_re);
    const home *const out = &h.block[h.blocks - 1];
    const int before = test_real_fftw_executions();
    test_log_clear();
    fg_plan *plan = fg_plan_create(fg_problem_copy(p));
    ck_assert_msg(plan && fg_plan_is_ours(plan), "%s: no plan", texts[i]);
    char *const first = malloc(out->bytes);
    for (int n = 0; n < 5; n++) {
      fg_plan_execute(plan, NULL);
      homes_check(&h, texts[i]);
      if (n == 0) memcpy(first, out->memory, out->bytes);
      ck_assert_msg(!memcmp(first, out->memory, out->bytes), "%s: other bits, execution %d", texts[i], n);
      homes_refill(&h);
    }
    ck_assert_int_eq(test_real_fftw_executions(), before);
    ck_assert_msg(test_log_says("an execution was recorded"), "%s", texts[i]);
    fg_plan_destroy(plan);
    free(first);
    homes_free(&h);
    fg_problem_free(p);
  }
}
END_TEST

START_TEST(residence_tells_all_kinds) {
  static const enum fg_pointer_kind want[] = {FG_POINTER_HOST, FG_POINTER_OWN, FG_POINTER_PINNED, FG_POINTER_MANAGED,
                                             FG_POINTER_DEVICE, FG_POINTER_DEVICE};
  for (home_kind k = HEAP; k < SECOND; k++) {
    fg_problem *p = test_problem("ocf64x64x16", FG_SINGLE);
    homes h = homes_of(p, k, k, false);
    const fg_pointer inside = fg_residence_of(h.block[0].memory + h.block[0].bytes / 2);
    ck_assert_msg(inside.kind == want[k], "%s: %d", home_names[k], inside.kind);
    if (k == PINNED) ck_assert(fg_residence_pinned(h.block[0].memory, h.block[0].bytes));
    homes_free(&h);
    fg_problem_free(p);
  }
}
END_TEST

/* Short ones of one to three passes, with and without turns, in clusters and in place: given to the device at once from the second
 * time on (src/run/chain.h), on two sets of arrays by turns, waited for and not. */
START_TEST(again_and_again) {
  static const char *const texts[] = {"ocf64*10", "ocf24x24x24", "icf64x64x64", "orf64x64x64", "orb64x64x64", "ocf65536",
                                      "icb1009*60", "ok65536e10", "irf40x1000", "/ocf30*6", "ocf100003", "ocf128x128x128"};
  const char *const text = texts[_i];
  fg_problem *p[2];
  homes h[2];
  for (int k = 0; k < 2; k++) {
    p[k] = test_problem(text, FG_SINGLE);
    h[k] = homes_of(p[k], DEVICE, DEVICE, p[k]->arrays.in_re == p[k]->arrays.out_re);
  }
  const int before = test_real_fftw_executions();
  fg_plan *plan = fg_plan_create(fg_problem_copy(p[0]));
  for (int i = 0; i < 8; i++) {
    fg_plan_execute(plan, &h[i / 2 % 2].arrays);
    homes_check(&h[i / 2 % 2], text);
    homes_refill(&h[i / 2 % 2]);
  }
  for (int round = 0; round < 8; round++) {
    for (int k = 0; k < 2; k++) ck_assert_int_eq(fg_plan_execute_in(plan, &h[k].arrays, NULL), 0);
    ck_cuda(p_cuCtxSynchronize());
    for (int k = 0; k < 2; k++) {
      homes_check(&h[k], text);
      homes_refill(&h[k]);
    }
  }
  ck_assert_int_eq(test_real_fftw_executions(), before);
  fg_plan_destroy(plan);
  for (int k = 0; k < 2; k++) {
    homes_free(&h[k]);
    fg_problem_free(p[k]);
  }
}
END_TEST

/* ---- order ---- */

enum { LONG = 1 << 24 };

/* The input is written by work that the program has only just given to its default stream, or a blocking one. */
START_TEST(after_the_default_stream) {
  CUdeviceptr in, out, slow[2];
  CUstream stream = NULL; /* the default one */
  float *y = malloc(2 * 64 * sizeof *y);
  if (_i) ck_cuda(p_cuStreamCreate(&stream, CU_STREAM_DEFAULT));
  ck_cuda(p_cuMemAlloc_v2(&in, 64 * 8));
  ck_cuda(p_cuMemAlloc_v2(&out, 64 * 8));
  for (int i = 0; i < 2; i++) ck_cuda(p_cuMemAlloc_v2(&slow[i], (size_t)LONG * 64));
  fg_problem *p = test_problem("ocf64", FG_SINGLE);
  p->arrays = (fg_arrays){(void *)in, (float *)in + 1, (void *)out, (float *)out + 1};
  fg_plan *plan = fg_plan_create(p);
  ck_assert(plan && fg_plan_is_ours(plan));
  for (int round = 1; round <= 5; round++) {
    const float value = (float)round;
    unsigned bits;
    memcpy(&bits, &value, sizeof bits);
    for (int i = 0; i < 4; i++) /* about 4 ms */
      ck_cuda(p_cuMemcpyDtoDAsync_v2(slow[1], slow[0], (size_t)LONG * 64, stream));
    ck_cuda(p_cuMemsetD32Async(in, bits, 128, stream));
    fg_plan_execute(plan, NULL);
    ck_cuda(p_cuStreamQuery(stream)); /* it was waited for */
    ck_cuda(p_cuMemcpyDtoH_v2(y, out, 64 * 8));
    ck_assert_float_eq_tol(y[0], 64 * value, 1e-3);
    ck_assert_float_eq_tol(y[2], 0, 1e-3);
  }
  fg_plan_destroy(plan);
}
END_TEST

START_TEST(in_a_stream_of_the_program) {
  CUdeviceptr in, out, slow[2];
  CUstream stream;
  float *y = malloc(2 * 64 * sizeof *y);
  ck_cuda(p_cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  ck_cuda(p_cuMemAlloc_v2(&in, 64 * 8));
  ck_cuda(p_cuMemAlloc_v2(&out, 64 * 8));
  for (int i = 0; i < 2; i++) ck_cuda(p_cuMemAlloc_v2(&slow[i], (size_t)LONG * 64));
  fg_problem *p = test_problem("ocf64", FG_SINGLE);
  p->arrays = (fg_arrays){(void *)in, (float *)in + 1, (void *)out, (float *)out + 1};
  fg_plan *plan = fg_plan_create(p);
  const float value = 3;
  unsigned bits;
  memcpy(&bits, &value, sizeof bits);
  for (int i = 0; i < 100; i++) ck_cuda(p_cuMemcpyDtoDAsync_v2(slow[1], slow[0], (size_t)LONG * 64, stream));
  ck_cuda(p_cuMemsetD32Async(in, bits, 128, stream));
  ck_assert_int_eq(fg_plan_execute_in(plan, NULL, stream), 0);
  ck_assert_int_eq(p_cuStreamQuery(stream), CUDA_ERROR_NOT_READY); /* nothing waited for it */
  ck_cuda(p_cuStreamSynchronize(stream));
  ck_cuda(p_cuMemcpyDtoH_v2(y, out, 64 * 8));
  ck_assert_float_eq_tol(y[0], 64 * value, 1e-3);

  /* One that is being captured is refused, and its capture goes on. */
  CUgraph graph;
  ck_cuda(p_cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  ck_assert_int_lt(fg_plan_execute_in(plan, NULL, stream), 0);
  ck_cuda(p_cuStreamEndCapture(stream, &graph));
  fg_plan_destroy(plan);
}
END_TEST

static atomic_bool captures_end;
static atomic_int captures;

/* A graph of nothing, again and again, in a stream that the default one waits for. */
static void *capture_streams(void *unused) {
  CUstream stream;
  ck_cuda(p_cuCtxSetCurrent(primary));
  ck_cuda(p_cuStreamCreate(&stream, CU_STREAM_DEFAULT));
  while (!atomic_load(&captures_end)) {
    CUgraph graph = NULL;
    if (p_cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED)) continue;
    usleep(30);
    p_cuStreamEndCapture(stream, &graph); /* which an execution may have spoilt, as any use of the default stream does */
    if (graph) p_cuGraphDestroy(graph);
    atomic_fetch_add(&captures, 1);
    usleep(60);
  }
  p_cuStreamDestroy_v2(stream);
  return unused;
}

/* Meanwhile the default stream cannot be used, and what is in it not be waited for; in place and out of place, of one pass and of
 * several, every result is right. */
START_TEST(while_another_thread_captures) {
  static const char *const texts[] = {"icb60*9", "ocf64*10", "icf64x64x64", "orf64x64x64"};
  enum { PLANS = 60, EXECUTIONS = 5 }; /* of a plan: one by one, then at once */
  pthread_t thread;
  int by_host = 0;
  ck_assert_int_eq(pthread_create(&thread, NULL, capture_streams, NULL), 0);
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
    fg_problem *p = test_problem(texts[k], FG_SINGLE);
    p->flags = FG_ESTIMATE;
    homes h = homes_of(p, DEVICE, DEVICE, p->arrays.in_re == p->arrays.out_re);
    by_host -= test_real_fftw_executions();
    for (int i = 0; i < PLANS; i++) {
      fg_plan *plan = fg_plan_create(fg_problem_copy(p));
      for (int n = 0; n < EXECUTIONS; n++) {
        fg_plan_execute(plan, NULL);
        homes_check(&h, texts[k]);
        homes_refill(&h);
      }
      fg_plan_destroy(plan);
    }
    by_host += test_real_fftw_executions();
    homes_free(&h);
    fg_problem_free(p);
  }
  atomic_store(&captures_end, true);
  pthread_join(thread, NULL);
  ck_assert_int_gt(atomic_load(&captures), 0);
  ck_assert_int_lt(by_host, TEST_COUNT(texts) * PLANS * EXECUTIONS);
  printf("%d captures; %d executions, %d by the real FFTW\n", atomic_load(&captures), TEST_COUNT(texts) * PLANS * EXECUTIONS,
         by_host);
}
END_TEST

/* A program with a context of its own: kernels of ours cannot reach its memory, copies can. */
START_TEST(memory_of_another_context) {
  CUcontext own, current;
  CUdevice device;
  CUdeviceptr memory;
  float x[128] = {1}, y[128];
  ck_cuda(p_cuDeviceGet(&device, 0));
  ck_cuda(p_cuCtxCreate_v2(&own, 0, device));
  ck_cuda(p_cuMemAlloc_v2(&memory, sizeof x));
  ck_cuda(p_cuMemcpyHtoD_v2(memory, x, sizeof x));
  test_target();
  fg_problem *p = test_problem("icf64", FG_SINGLE);
  p->arrays = (fg_arrays){(void *)memory, (float *)memory + 1, (void *)memory, (float *)memory + 1};
  ck_assert_int_eq(fg_residence_of((void *)memory).kind, FG_POINTER_APART);
  fg_plan *plan = fg_plan_create(p);
  const int before = test_real_fftw_executions();
  fg_plan_execute(plan, NULL);
  ck_assert_int_eq(test_real_fftw_executions(), before + 1);
  ck_cuda(p_cuCtxGetCurrent(&current));
  ck_assert_ptr_eq(current, own);
  ck_cuda(p_cuMemcpyDtoH_v2(y, memory, sizeof y));
  for (int i = 0; i < 128; i++) ck_assert_float_eq(y[i], i % 2 ? 0 : 1);
  fg_plan_destroy(plan);
}
END_TEST

/* ---- times ---- */

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void time_one(const char *text, bool in_stream) {
  enum { REPEATS = 50 };
  fg_problem *p = test_problem(text, FG_SINGLE);
  CUdeviceptr in = 0, out = 0;
  const size_t bytes = (size_t)fg_problem_elements(p, FG_INPUT) * 8 + (1 << 20);
  ck_cuda(p_cuMemAlloc_v2(&in, bytes));
  const bool in_place = p->arrays.in_re == p->arrays.out_re;
  if (in_place) out = in;
  else ck_cuda(p_cuMemAlloc_v2(&out, bytes));
  p->arrays = (fg_arrays){(void *)in, (float *)in + 1, (void *)out, (float *)out + 1};
  const double start = now();
  fg_plan *plan = fg_plan_create(p);
  const double planned = now();
  for (int i = 0; i < 5; i++) fg_plan_execute(plan, NULL);
  double best = 1e9;
  for (int r = 0; r < 7; r++) {
    const double t = now();
    for (int i = 0; i < REPEATS; i++) {
      if (in_stream) fg_plan_execute_in(plan, NULL, NULL);
      else fg_plan_execute(plan, NULL);
    }
    p_cuCtxSynchronize();
    const double each = (now() - t) / REPEATS;
    if (each < best) best = each;
  }
  printf("%-18s %-8s planned in %6.2f ms, %9.2f us an execution\n", text, in_stream ? "stream" : "execute",
         1e3 * (planned - start), 1e6 * best);
  fg_plan_destroy(plan);
  p_cuMemFree_v2(in);
  if (!in_place) p_cuMemFree_v2(out);
}

static void time_questions(void) {
  enum { REPEATS = 100000 };
  CUdeviceptr on_device;
  ck_cuda(p_cuMemAlloc_v2(&on_device, 1 << 20));
  static float in_image[16];
  char *large = malloc(64 << 20), *small = malloc(64);
  const void *const pointers[] = {in_image, small, large, (void *)on_device};
  static const char *const names[] = {"program's image", "its heap", "malloc, mapped", "device"};
  for (int i = 0; i < 4; i++) {
    volatile bool sink = false;
    const double t = now();
    for (int r = 0; r < REPEATS; r++) sink ^= fg_residence_on_device(pointers[i]);
    (void)sink;
    printf("whose memory, %-16s %6.1f ns\n", names[i], 1e9 * (now() - t) / REPEATS);
  }
}

START_TEST(times) {
  static const char *const texts[] = {"icf256x256x256", "ocf256x256x256", "icf24x24x24*512", "ocf24x24x24*512",
                                      "ocf4096*4096", "icf1048576", "ocf64"};
  test_target();
  time_questions();
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    for (int s = 0; s < 2; s++) time_one(texts[i], s);
}
END_TEST

/* Asked in a child: a process that has started CUDA cannot fork tests that use it. */
static bool have_device(void) {
  int status = 1;
  const pid_t child = fork();
  if (child == 0) {
    const int count = fg_backend_cuda.count();
    if (count < 0) fprintf(stderr, "skipped: %s\n", fg_backend_message());
    _exit(count < 0);
  }
  return waitpid(child, &status, 0) == child && status == 0;
}

int main(int argc, char **argv) {
  if (!have_device()) return 77;
  setenv("FFTW3_GPU", "force", 1);
  test_log_to_file();
  setenv("FFTW3_GPU_LOG", "debug", 1);
  const bool only_times = argc > 1 && !strcmp(argv[1], "-t");
  TCase *tc = tcase_create("resident on the device");
  tcase_add_checked_fixture(tc, setup, NULL);
  tcase_set_timeout(tc, 120);
  if (only_times) {
    tcase_add_test(tc, times);
    return test_run(tc, "times");
  }
  tcase_add_loop_test(tc, arrays_are_transformed_where_they_are, 0, SHARES);
  tcase_add_loop_test(tc, again_and_again, 0, 12);
  tcase_add_test(tc, one_array_may_be_the_hosts);
  tcase_add_test(tc, both_on_the_host);
  tcase_add_loop_test(tc, recorded_on_the_host, 0, SHARES);
  tcase_add_test(tc, residence_tells_all_kinds);
  tcase_add_loop_test(tc, after_the_default_stream, 0, 2);
  tcase_add_test(tc, while_another_thread_captures);
  tcase_add_test(tc, in_a_stream_of_the_program);
  tcase_add_test(tc, memory_of_another_context);
  const int status = test_run(tc, "resident on the device");
  test_log_remove();
  return status;
}
