/* test_cuda_device.c: the cuda backend on a real device; skipped where there is none.  Kernels are literal text.
 *
 * Every test runs in a process of its own (Check's fork mode), so that one may lose its device. */
#include "config.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cuda.h>

#include "cuda/backend.h"
#include "suite.h"

#define SKIPPED 77 /* as automake understands it */
enum { N = 1 << 14, BLOCK = 256 };

typedef struct {
  const float *in;
  float *out;
  int n;
} arguments;

#define STRUCT "struct arguments { const float *in; float *out; int n; };\n"
#define KERNEL(name, body) STRUCT "extern \"C\" __global__ void " name "(const arguments a) {\n" body "\n}\n"
#define INDEX "int i = blockIdx.x * blockDim.x + threadIdx.x;\n"

static const char scale_text[] = KERNEL("scale", INDEX "if (i < a.n) a.out[i] = FG_FACTOR * a.in[i];");

/* Each block reversed by way of dynamic shared memory that begins far above the 48 KB every kernel may use. */
static const char reverse_text[] =
    KERNEL("reverse", INDEX
           "extern __shared__ float s[];\nfloat *high = s + FG_OFFSET;\n"
           "high[threadIdx.x] = a.in[i];\n__syncthreads();\n"
           "a.out[i] = high[blockDim.x - 1 - threadIdx.x];");

static const char wild_text[] = KERNEL("wild", "((volatile float *)16)[0] = 1;");

static const fg_backend *const cuda = &fg_backend_cuda;
static fg_device *device;
static fg_stream *stream;
static float *host, *result; /* pinned, N each */
static void *in, *out;       /* on the device, N each */

static void ck_done(int code) { ck_assert_msg(code == 0, "%d: %s", code, fg_backend_message()); }

static void setup(void) {
  ck_done(cuda->open(0, &device));
  ck_done(cuda->stream_create(device, &stream));
  ck_done(cuda->pinned_alloc(device, N * sizeof(float), (void **)&host));
  ck_done(cuda->pinned_alloc(device, N * sizeof(float), (void **)&result));
  ck_done(cuda->memory_alloc(device, N * sizeof(float), &in));
  ck_done(cuda->memory_alloc(device, N * sizeof(float), &out));
  for (int i = 0; i < N; ++i) host[i] = (float)i;
}

static fg_kernel *load(const char *text, const char *defines, const char *entry, size_t shared) {
  const fg_kernel_request request = {text, defines, entry, shared};
  fg_kernel *kernel = NULL;
  ck_done(cuda->kernels(device, 1, &request, &kernel));
  return kernel;
}

static void run(fg_kernel *kernel, size_t shared) {
  const arguments a = {in, out, N};
  ck_done(cuda->copy_in(device, in, host, N * sizeof(float), stream));
  ck_done(cuda->launch(device, kernel, N / BLOCK, BLOCK, shared, &a, sizeof a, stream));
  ck_done(cuda->copy_out(device, result, out, N * sizeof(float), stream));
  ck_done(cuda->stream_wait(device, stream));
}

START_TEST(describes_the_device) {
  const fg_device_info *info = cuda->info(device);
  size_t available;
  ck_assert_int_ge(info->arch, 50);
  ck_assert_int_gt(info->multiprocessors, 0);
  ck_assert_uint_ge(info->shared_block, 48 << 10);
  ck_assert_uint_ge(info->shared_sm, info->shared_block);
  ck_assert_int_ge(info->threads_sm, info->threads_block);
  ck_done(cuda->memory_available(device, &available));
  ck_assert_uint_le(available, info->memory);
  printf("%s, sm_%d, %s\n", info->name, info->arch, info->driver);
}
END_TEST

START_TEST(a_kernel_computes) {
  run(load(scale_text, "#define FG_FACTOR 3\n", "scale", 0), 0);
  for (int i = 0; i < N; ++i) ck_assert_float_eq(result[i], 3 * host[i]);
}
END_TEST

START_TEST(copies_within_the_device) {
  ck_done(cuda->copy_in(device, in, host, N * sizeof(float), stream));
  ck_done(cuda->copy_within(device, out, in, N * sizeof(float), stream));
  ck_done(cuda->copy_out(device, result, out, N * sizeof(float), stream));
  ck_done(cuda->stream_wait(device, stream));
  ck_assert_mem_eq(result, host, N * sizeof(float));
}
END_TEST

START_TEST(large_shared_memory) {
  size_t most = cuda->info(device)->shared_block;
  char defines[64];
  snprintf(defines, sizeof defines, "#define FG_OFFSET %zu\n", most / sizeof(float) - BLOCK);
  run(load(reverse_text, defines, "reverse", most), most);
  for (int i = 0; i < N; ++i) ck_assert_float_eq(result[i], host[i ^ (BLOCK - 1)]);
}
END_TEST

START_TEST(events_time_the_device) {
  fg_kernel *kernel = load(scale_text, "#define FG_FACTOR 3\n", "scale", 0);
  fg_event *a, *b;
  double seconds = -1;
  ck_done(cuda->event_create(device, &a));
  ck_done(cuda->event_create(device, &b));
  ck_done(cuda->event_record(device, a, stream));
  run(kernel, 0);
  ck_done(cuda->event_record(device, b, stream));
  ck_done(cuda->event_elapsed(device, a, b, &seconds));
  ck_assert(seconds > 0 && seconds < 60);
  cuda->event_destroy(device, a);
  cuda->event_destroy(device, b);
}
END_TEST

/* Arrivals, launches and departures in a stream each, piece by piece, as events order them; of the last piece two rows leave,
 * with a gap. */
enum { PIECES = 4, PIECE = N / PIECES };

static void order(fg_stream *before, fg_event *event, fg_stream *after) {
  ck_done(cuda->event_record(device, event, before));
  ck_done(cuda->stream_wait_event(device, after, event));
}

static void record_piece(int i, fg_kernel *kernel, fg_stream *arrivals, fg_stream *departures, fg_event *event) {
  const size_t at = (size_t)i * PIECE, bytes = PIECE * sizeof(float);
  const arguments a = {(float *)in + at, (float *)out + at, PIECE}, b = {(float *)out + at, (float *)out + at, PIECE};
  ck_done(cuda->copy_in(device, (float *)in + at, host + at, bytes, arrivals));
  order(arrivals, event, stream);
  ck_done(cuda->launch(device, kernel, PIECE / BLOCK, BLOCK, 0, &a, sizeof a, stream));
  ck_done(cuda->launch(device, kernel, PIECE / BLOCK, BLOCK, 0, &b, sizeof b, stream));
  order(stream, event, departures);
  const fg_copy_rows rows = {bytes / 4, 2, bytes / 2};
  if (i < PIECES - 1) ck_done(cuda->copy_out(device, result + at, (float *)out + at, bytes, departures));
  else ck_done(cuda->copy_rows_out(device, result + at, (float *)out + at, rows, departures));
}

static fg_graph *record_pieces(fg_kernel *kernel) {
  fg_stream *arrivals, *departures;
  fg_event *event;
  fg_graph *graph = NULL;
  ck_done(cuda->stream_create(device, &arrivals));
  ck_done(cuda->stream_create(device, &departures));
  ck_done(cuda->event_create(device, &event));
  ck_done(cuda->graph_begin(device, stream));
  order(stream, event, arrivals);
  order(stream, event, departures);
  for (int i = 0; i < PIECES; ++i) record_piece(i, kernel, arrivals, departures, event);
  order(arrivals, event, stream);
  order(departures, event, stream);
  ck_done(cuda->graph_end(device, stream, &graph));
  cuda->event_destroy(device, event);
  cuda->stream_destroy(device, arrivals);
  cuda->stream_destroy(device, departures);
  return graph;
}

/* Where the result of element i is; negative: it has not left. */
static int place_of(int i) {
  const int last = i - (PIECES - 1) * PIECE, row = last / (PIECE / 4);
  if (last < 0) return i;
  return row < 2 ? i + row * (PIECE / 4) : -1;
}

START_TEST(a_recording_is_done_again_and_again) {
  fg_graph *const graph = record_pieces(load(scale_text, "#define FG_FACTOR 3\n", "scale", 0));
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < N; ++i) host[i] = (float)(i + round), result[i] = -1;
    ck_done(cuda->graph_launch(device, graph, stream));
    ck_done(cuda->stream_wait(device, stream));
    for (int i = 0; i < N; ++i)
      if (place_of(i) >= 0) ck_assert_float_eq(result[place_of(i)], 9 * host[i]);
    ck_assert_float_eq(result[N - 1], -1);
    ck_assert_float_eq(result[(PIECES - 1) * PIECE + PIECE / 4], -1);
  }
  cuda->graph_destroy(device, graph);
}
END_TEST

typedef struct {
  CUresult (*retain)(CUcontext *, CUdevice), (*set)(CUcontext), (*synchronize)(void);
  atomic_bool stop;
  CUresult failed;
  int waits;
} waiter;

/* As cudaDeviceSynchronize does, again and again; without a pause others would get little of the driver's lock. */
static void *wait_for_the_context(void *of) {
  const struct timespec nap = {0, 10000};
  waiter *const w = of;
  CUcontext context;
  w->failed = w->retain(&context, 0);
  if (!w->failed) w->failed = w->set(context);
  for (; !w->failed && !atomic_load(&w->stop); w->waits++, nanosleep(&nap, NULL)) w->failed = w->synchronize();
  return NULL;
}

/* A program's other threads may wait for the whole device while something is recorded, which a stream that is captured forbids. */
START_TEST(recording_disturbs_nobody) {
  void *const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  ck_assert_ptr_nonnull(driver);
  waiter w = {.retain = (CUresult(*)(CUcontext *, CUdevice))dlsym(driver, "cuDevicePrimaryCtxRetain"),
              .set = (CUresult(*)(CUcontext))dlsym(driver, "cuCtxSetCurrent"),
              .synchronize = (CUresult(*)(void))dlsym(driver, "cuCtxSynchronize")};
  fg_kernel *const kernel = load(scale_text, "#define FG_FACTOR 3\n", "scale", 0);
  pthread_t other;
  ck_assert_int_eq(pthread_create(&other, NULL, wait_for_the_context, &w), 0);
  for (int round = 0; round < 50; ++round) {
    fg_graph *const graph = record_pieces(kernel);
    cuda->graph_destroy(device, graph);
  }
  atomic_store(&w.stop, true);
  ck_assert_int_eq(pthread_join(other, NULL), 0);
  ck_assert_int_eq(w.failed, CUDA_SUCCESS);
  ck_assert_int_gt(w.waits, 0);
}
END_TEST

enum { ROUNDS = 64, PART = N / ROUNDS };

/* Two kernels, the second of what the first has made; each time from and to other parts of the arrays, and nobody waits in
 * between: what was given before has kept its arguments. */
START_TEST(a_chain_takes_other_arguments_each_time) {
  fg_kernel *const kernel = load(scale_text, "#define FG_FACTOR 3\n", "scale", 0);
  void *between;
  fg_chain *chain = NULL;
  ck_done(cuda->memory_alloc(device, N * sizeof(float), &between));
  ck_done(cuda->copy_in(device, in, host, N * sizeof(float), stream));
  for (int round = 0; round < ROUNDS; ++round) {
    const size_t at = (size_t)round * PART;
    const arguments first = {(float *)in + at, (float *)between + at, PART};
    const arguments second = {(float *)between + at, (float *)out + (N - PART - at), PART};
    const fg_kernel_launch list[] = {{kernel, PART / BLOCK, BLOCK, 0, &first, sizeof first},
                                     {kernel, PART / BLOCK, BLOCK, 0, &second, sizeof second}};
    if (chain) {
      ck_done(cuda->chain_set(device, chain, 0, &first));
      ck_done(cuda->chain_set(device, chain, 1, &second));
    } else {
      ck_done(cuda->chain_make(device, 2, list, &chain));
    }
    ck_done(cuda->chain_launch(device, chain, stream));
  }
  ck_done(cuda->copy_out(device, result, out, N * sizeof(float), stream));
  ck_done(cuda->stream_wait(device, stream));
  for (int i = 0; i < N; ++i) {
    const int from = (ROUNDS - 1 - i / PART) * PART + i % PART;
    ck_assert_float_eq(result[i], 9 * host[from]);
  }
  cuda->chain_destroy(device, chain);
  ck_done(cuda->memory_free(device, between));
}
END_TEST

START_TEST(too_much_memory) {
  void *memory;
  ck_assert_int_eq(cuda->memory_alloc(device, (size_t)1 << 50, &memory), FG_ENOMEM);
  run(load(scale_text, "#define FG_FACTOR 2\n", "scale", 0), 0); /* and nothing is broken by it */
}
END_TEST

START_TEST(a_wild_store_loses_the_device) {
  fg_kernel *wild = load(wild_text, "", "wild", 0);
  const arguments a = {in, out, N};
  void *memory;
  int code = cuda->launch(device, wild, 1, 1, 0, &a, sizeof a, stream);
  if (!code) code = cuda->stream_wait(device, stream);
  ck_assert_int_eq(code, FG_ELOST);
  ck_assert_ptr_nonnull(strstr(fg_backend_message(), "CUDA_ERROR_ILLEGAL_ADDRESS"));
  ck_assert_int_eq(cuda->memory_alloc(device, 64, &memory), FG_ELOST);
  cuda->memory_free(device, in);
}
END_TEST

START_TEST(a_forked_child_is_told_so) {
  void *memory;
  int status;
  pid_t child = fork();
  if (child == 0) _exit(cuda->memory_alloc(device, 64, &memory) == FG_ENODEVICE ? 0 : 1);
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert_int_eq(status, 0);
  run(load(scale_text, "#define FG_FACTOR 2\n", "scale", 0), 0);
}
END_TEST

enum { THREADS = 8, KINDS = 4 };

static void *load_kinds(void *loaded) {
  static const char *const factors[KINDS] = {"#define FG_FACTOR 5\n", "#define FG_FACTOR 6\n", "#define FG_FACTOR 7\n",
                                             "#define FG_FACTOR 8\n"};
  fg_kernel_request requests[KINDS];
  for (int k = 0; k < KINDS; ++k) requests[k] = (fg_kernel_request){scale_text, factors[k], "scale", 0};
  return cuda->kernels(device, KINDS, requests, loaded) ? NULL : loaded;
}

START_TEST(threads_get_the_same_kernels) {
  fg_kernel *kernels[THREADS][KINDS];
  pthread_t threads[THREADS];
  void *ended;
  for (int t = 0; t < THREADS; ++t) ck_assert_int_eq(pthread_create(&threads[t], NULL, load_kinds, kernels[t]), 0);
  for (int t = 0; t < THREADS; ++t) {
    pthread_join(threads[t], &ended);
    ck_assert_ptr_nonnull(ended);
    ck_assert_int_eq(memcmp(kernels[t], kernels[0], sizeof kernels[0]), 0);
  }
  run(kernels[0][3], 0);
  ck_assert_float_eq(result[7], 8 * 7);
}
END_TEST

/* Asked in a child: a process that has started CUDA cannot fork tests that use it. */
static bool have_device(void) {
  int status = 1;
  pid_t child = fork();
  if (child == 0) {
    int count = cuda->count();
    if (count < 0) fprintf(stderr, "skipped: %s\n", fg_backend_message());
    _exit(count < 0);
  }
  return waitpid(child, &status, 0) == child && status == 0;
}

int main(void) {
  Suite *s;
  TCase *c;
  SRunner *runner;
  int failed;
  if (!have_device()) return SKIPPED;
  s = suite_create("device");
  c = tcase_create("device");
  tcase_add_checked_fixture(c, setup, NULL);
  tcase_set_timeout(c, 120);
  tcase_add_test(c, describes_the_device);
  tcase_add_test(c, a_kernel_computes);
  tcase_add_test(c, copies_within_the_device);
  tcase_add_test(c, large_shared_memory);
  tcase_add_test(c, events_time_the_device);
  tcase_add_test(c, a_recording_is_done_again_and_again);
  tcase_add_test(c, recording_disturbs_nobody);
  tcase_add_test(c, a_chain_takes_other_arguments_each_time);
  tcase_add_test(c, too_much_memory);
  tcase_add_test(c, a_wild_store_loses_the_device);
  tcase_add_test(c, a_forked_child_is_told_so);
  tcase_add_test(c, threads_get_the_same_kernels);
  suite_add_tcase(s, c);
  runner = srunner_create(s);
  srunner_set_fork_status(runner, CK_FORK);
  srunner_run_all(runner, CK_NORMAL);
  failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
