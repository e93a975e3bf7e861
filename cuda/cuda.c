/* cuda.c: the device contract of backend.h, fulfilled with the CUDA driver.
 *
 * A program may use CUDA itself, so every call leaves the thread's current context as it found it, and works in streams
 * of our own that do not wait for the default stream. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cuda/cuda_device.h"
#include "cuda/cuda_nvrtc.h"
#include "src/report/log.h"

/* ---- entering the context ---- */

static int already_lost(fg_device *device) {
  return fg_backend_fail(FG_ELOST, "the device was lost earlier: %s", device->lost_message);
}

/* The device whose context this thread is in for several calls. */
static __thread fg_device *inside;
static __thread fg_cuda_scope inside_scope;

int fg_cuda_enter(fg_device *device, fg_cuda_scope *scope) {
  CUcontext current = NULL;
  int code = fg_driver_usable();
  if (code) return code;
  if (atomic_load(&device->lost)) return already_lost(device);
  scope->pushed = false;
  scope->nested = inside == device;
  if (scope->nested) return 0;
  if (fg_cu.cuCtxGetCurrent(&current) != CUDA_SUCCESS || current != device->context) {
    code = fg_cuda_check(device, fg_cu.cuCtxPushCurrent_v2(device->context), "cuCtxPushCurrent");
    if (code) return code;
    scope->pushed = true;
  }
  /* If the program is capturing a graph, our calls must neither fail nor spoil its capture. */
  scope->capture = CU_STREAM_CAPTURE_MODE_RELAXED;
  fg_cu.cuThreadExchangeStreamCaptureMode(&scope->capture);
  return 0;
}

int fg_cuda_leave(fg_device *device, const fg_cuda_scope *scope, CUresult result, const char *call) {
  CUstreamCaptureMode capture = scope->capture;
  CUcontext ours;
  if (scope->nested) return fg_cuda_check(device, result, call);
  fg_cu.cuThreadExchangeStreamCaptureMode(&capture);
  if (scope->pushed) fg_cu.cuCtxPopCurrent_v2(&ours);
  return fg_cuda_check(device, result, call);
}

static int begin(fg_device *device) {
  if (inside || fg_cuda_enter(device, &inside_scope)) return 0;
  inside = device;
  return 1;
}

static void end(fg_device *device, int begun) {
  if (!begun) return;
  inside = NULL;
  fg_cuda_leave(device, &inside_scope, CUDA_SUCCESS, "cuCtxPopCurrent");
}

int fg_cuda_check(fg_device *device, CUresult result, const char *call) {
  int code = fg_driver_check(result, call);
  if (code != FG_ELOST) return code;
  pthread_mutex_lock(&device->lock);
  if (!atomic_load(&device->lost)) {
    snprintf(device->lost_message, sizeof device->lost_message, "%s", fg_backend_message());
    atomic_store(&device->lost, true);
    fg_log(FG_LOG_INFO, "cuda: %s is lost: %s", device->info.name, device->lost_message); /* src/run/target.c warns */
  }
  pthread_mutex_unlock(&device->lock);
  return code;
}

/* ---- devices ---- */

#define MAX_DEVICES 64
static fg_device *devices[MAX_DEVICES];
static pthread_mutex_t devices_lock = PTHREAD_MUTEX_INITIALIZER;

static int count(void) {
  int n = fg_driver_start();
  return n > MAX_DEVICES ? MAX_DEVICES : n;
}

static size_t attribute(const fg_device *device, CUdevice_attribute which) {
  int value = 0;
  fg_cu.cuDeviceGetAttribute(&value, which, device->id);
  return value > 0 ? (size_t)value : 0;
}

static void describe(fg_device *device) {
  fg_device_info *info = &device->info;
  int version = fg_driver_version();
  fg_cu.cuDeviceGetName(info->name, sizeof info->name, device->id);
  snprintf(info->driver, sizeof info->driver, "CUDA %d.%d", version / 1000, version % 1000 / 10);
  info->arch = 10 * (int)attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
               (int)attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  info->multiprocessors = (int)attribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  info->threads_block = (int)attribute(device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  info->threads_sm = (int)attribute(device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  info->shared_block = attribute(device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  info->shared_sm = attribute(device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  info->registers_sm = (int)attribute(device, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
  info->l2 = attribute(device, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  info->reads_host = attribute(device, CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM) != 0;
  fg_cu.cuDeviceTotalMem_v2(&info->memory, device->id);
}

static int open_new(int ordinal, fg_device *device) {
  CUcontext *context = &device->context;
  int code = fg_driver_check(fg_cu.cuDeviceGet(&device->id, ordinal), "cuDeviceGet");
  if (!code) code = fg_driver_check(fg_cu.cuDevicePrimaryCtxRetain(context, device->id), "cuDevicePrimaryCtxRetain");
  if (code) return code;
  pthread_mutex_init(&device->lock, NULL);
  describe(device);
  fg_log(FG_LOG_INFO, "cuda: device %d is %s, sm_%d", ordinal, device->info.name, device->info.arch);
  return 0;
}

static int open_locked(int ordinal) {
  fg_device *device;
  int code;
  if (devices[ordinal]) return 0;
  device = calloc(1, sizeof *device);
  if (!device) return fg_backend_fail(FG_ENOMEM, "out of host memory");
  code = open_new(ordinal, device);
  if (code)
    free(device);
  else
    devices[ordinal] = device;
  return code;
}

/* A device stays open until the process ends: by then the driver may be gone, so it is never closed. */
static int open_device(int ordinal, fg_device **device) {
  int n = count(), code;
  if (n < 0) return n;
  if (ordinal < 0 || ordinal >= n) return fg_backend_fail(FG_ENODEVICE, "no CUDA device %d: there are %d", ordinal, n);
  pthread_mutex_lock(&devices_lock);
  fg_nvrtc_for_driver(fg_driver_version());
  code = open_locked(ordinal);
  *device = devices[ordinal];
  pthread_mutex_unlock(&devices_lock);
  return code;
}

static const fg_device_info *info(const fg_device *device) { return &device->info; }

/* ---- memory of anybody's ---- */

static bool pointers(void) { return fg_driver_present(); }

/* It loaded the driver before us, or this thread is in a context, in which we leave none. */
static bool used_by_program(void) {
  static atomic_bool known;
  CUcontext current = NULL;
  if (!atomic_load(&known) && fg_driver_present() &&
      (fg_driver_of_program() || (fg_cu.cuCtxGetCurrent(&current) == CUDA_SUCCESS && current)))
    atomic_store(&known, true);
  return atomic_load(&known);
}

static enum fg_pointer_kind kind_of(unsigned type, unsigned managed, CUcontext context, int ordinal) {
  if (managed) return FG_POINTER_MANAGED;
  if (type == CU_MEMORYTYPE_HOST) return FG_POINTER_PINNED;
  if (type != CU_MEMORYTYPE_DEVICE) return FG_POINTER_HOST;
  /* Memory of a pool has no context: it is for all of them. */
  const fg_device *ours = ordinal >= 0 && ordinal < MAX_DEVICES ? devices[ordinal] : NULL;
  return ours && context && context != ours->context ? FG_POINTER_APART : FG_POINTER_DEVICE;
}

static void pointer(const void *p, fg_pointer *what) {
  CUpointer_attribute ask[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,    CU_POINTER_ATTRIBUTE_IS_MANAGED,
                               CU_POINTER_ATTRIBUTE_CONTEXT,        CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                               CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, CU_POINTER_ATTRIBUTE_RANGE_SIZE};
  unsigned type = 0, managed = 0;
  CUcontext context = NULL;
  CUdeviceptr base = 0;
  int ordinal = -1;
  void *answers[] = {&type, &managed, &context, &ordinal, &base, &what->bytes};
  *what = (fg_pointer){.kind = FG_POINTER_HOST};
  if (fg_driver_pointer(sizeof ask / sizeof *ask, ask, answers, (CUdeviceptr)p)) {
    what->bytes = 0;
    return;
  }
  what->kind = kind_of(type, managed, context, ordinal);
  what->ordinal = ordinal;
  what->base = (const void *)base;
}

/* ---- memory ---- */

static int memory_alloc(fg_device *device, size_t bytes, void **memory) {
  fg_cuda_scope scope;
  CUdeviceptr address = 0;
  int code = fg_cuda_enter(device, &scope);
  if (code) return code;
  code = fg_cuda_leave(device, &scope, fg_cu.cuMemAlloc_v2(&address, bytes ? bytes : 1), "cuMemAlloc");
  if (!code) *memory = (void *)address;
  return code;
}

/* Freeing cannot fail for the caller: what the driver would not take back is gone with the device or the process. */
static void memory_free(fg_device *device, void *memory) {
  fg_cuda_scope scope;
  if (!memory || fg_cuda_enter(device, &scope)) return;
  fg_cu.cuMemFree_v2((CUdeviceptr)memory);
  fg_cuda_leave(device, &scope, CUDA_SUCCESS, "cuMemFree");
}

static int memory_available(fg_device *device, size_t *free_bytes) {
  fg_cuda_scope scope;
  size_t total;
  int code = fg_cuda_enter(device, &scope);
  if (code) return code;
  return fg_cuda_leave(device, &scope, fg_cu.cuMemGetInfo_v2(free_bytes, &total), "cuMemGetInfo");
}

static int pinned_alloc(fg_device *device, size_t bytes, void **memory) {
  fg_cuda_scope scope;
  CUresult result;
  int code = fg_cuda_enter(device, &scope);
  if (code) return code;
  result = fg_cu.cuMemHostAlloc(memory, bytes ? bytes : 1, CU_MEMHOSTALLOC_PORTABLE);
  return fg_cuda_leave(device, &scope, result, "cuMemHostAlloc");
}

static void pinned_free(fg_device *device, void *memory) {
  fg_cuda_scope scope;
  if (!memory || fg_cuda_enter(device, &scope)) return;
  fg_cu.cuMemFreeHost(memory);
  fg_cuda_leave(device, &scope, CUDA_SUCCESS, "cuMemFreeHost");
}

static int host_register(fg_device *device, void *memory, size_t bytes) {
  fg_cuda_scope scope;
  CUresult result;
  int code = fg_cuda_enter(device, &scope);
  if (code) return code;
  result = fg_cu.cuMemHostRegister_v2(memory, bytes, CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP);
  return fg_cuda_leave(device, &scope, result, "cuMemHostRegister");
}

static int host_unregister(fg_device *device, void *memory) {
  fg_cuda_scope scope;
  int code = fg_cuda_enter(device, &scope);
  if (code) return code;
  return fg_cuda_leave(device, &scope, fg_cu.cuMemHostUnregister(memory), "cuMemHostUnregister");
}

/* ---- streams and copies; an fg_stream is a CUstream, an fg_event a CUevent ---- */

static int stream_create(fg_device *device, fg_stream **stream) {
  fg_cuda_scope scope;
  CUstream new = NULL;
  int code = fg_cuda_enter(device, &scope);
  if (code) return code;
  code = fg_cuda_leave(device, &scope, fg_cu.cuStreamCreate(&new, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
  if (!code) *stream = (fg_stream *)new;
  return code;
}

/* What is judged before anything is launched there: a stream of another context would cost us ours. */
static CUresult look_at(const fg_device *device, CUstream stream) {
  CUstreamCaptureStatus capturing = CU_STREAM_CAPTURE_STATUS_NONE;
  CUcontext context = device->context;
  CUresult result = fg_cu.cuStreamIsCapturing(stream, &capturing);
  if (!result && capturing != CU_STREAM_CAPTURE_STATUS_NONE) result = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (!result && stream != CU_STREAM_LEGACY && stream != CU_STREAM_PER_THREAD)
    result = fg_cu.cuStreamGetCtx(stream, &context);
  return !result && context != device->context ? CUDA_ERROR_INVALID_HANDLE : result;
}

static int stream_of_program(fg_device *device, void *native, fg_stream **stream) {
  fg_cuda_scope scope;
  const CUstream theirs = native ? native : CU_STREAM_LEGACY;
  int code = fg_cuda_enter(device, &scope);
  if (code) return code;
  *stream = (fg_stream *)theirs;
  return fg_cuda_leave(device, &scope, look_at(device, theirs), "the program's stream");
}

static void stream_destroy(fg_device *device, fg_stream *stream) {
  fg_cuda_scope scope;
  if (!stream || fg_cuda_enter(device, &scope)) return;
  fg_cu.cuStreamDestroy_v2((CUstream)stream);
  fg_cuda_leave(device, &scope, CUDA_SUCCESS, "cuStreamDestroy");
}

/* The driver may fail to wait (it needs a descriptor for it, say), while the work goes on in memory of the program's.
 * Then it is asked again and again until all is done. Where it cannot tell either, it has so many seconds to finish,
 * and counts as lost. */
#define PATIENCE 3

static CUresult done_at_last(CUresult waited, CUresult (*query)(void *), void *what) {
  const struct timespec nap = {0, 50000};
  struct timespec began, now;
  CUresult result;
  clock_gettime(CLOCK_MONOTONIC, &began);
  while ((result = query(what)) == CUDA_ERROR_NOT_READY || result == waited) {
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (result == waited && now.tv_sec - began.tv_sec > PATIENCE) return CUDA_ERROR_LAUNCH_TIMEOUT;
    nanosleep(&nap, NULL);
  }
  return result;
}

static CUresult query_stream(void *stream) { return fg_cu.cuStreamQuery(stream); }

static CUresult wait_for(CUresult waited, CUresult (*query)(void *), void *what) {
  if (waited != CUDA_ERROR_OPERATING_SYSTEM && waited != CUDA_ERROR_OUT_OF_MEMORY) return waited;
  return done_at_last(waited, query, what);
}

static int stream_wait(fg_device *device, fg_stream *stream) {
  fg_cuda_scope scope;
  CUresult result;
  int code = fg_cuda_enter(device, &scope);
  if (code) return code;
  result = wait_for(fg_cu.cuStreamSynchronize((CUstream)stream), query_stream, stream);
  return fg_cuda_leave(device, &scope, result, "cuStreamSynchronize");
}

static int copy_in(fg_device *device, void *device_to, const void *host_from, size_t bytes, fg_stream *stream) {
  fg_cuda_scope scope;
  CUresult result;
  int code = fg_cuda_enter(device, &scope);
  if (code) return code;
  result = fg_cu.cuMemcpyHtoDAsync_v2((CUdeviceptr)device_to, host_from, bytes, (CUstream)stream);
  return fg_cuda_leave(device, &scope, result, "cuMemcpyHtoDAsync");
}

static int copy_out(fg_device *device, void *host_to, const void *device_from, size_t bytes, fg_stream *stream) {
  fg_cuda_scope scope;
  CUresult result;
  int code = fg_cuda_enter(device, &scope);
  if (code) return code;
  result = fg_cu.cuMemcpyDtoHAsync_v2(host_to, (CUdeviceptr)device_from, bytes, (CUstream)stream);
  return fg_cuda_leave(device, &scope, result, "cuMemcpyDtoHAsync");
}

static int copy_within(fg_device *device, void *device_to, const void *device_from, size_t bytes, fg_stream *stream) {
  fg_cuda_scope scope;
  CUresult result;
  int code = fg_cuda_enter(device, &scope);
  if (code) return code;
  result = fg_cu.cuMemcpyDtoDAsync_v2((CUdeviceptr)device_to, (CUdeviceptr)device_from, bytes, (CUstream)stream);
  return fg_cuda_leave(device, &scope, result, "cuMemcpyDtoDAsync");
}

static int launch(fg_device *device, fg_kernel *kernel, unsigned grid, unsigned block, size_t shared, const void *args,
                  size_t args_bytes, fg_stream *stream) {
  fg_cuda_scope scope;
  void *parameters[] = {(void *)args}; /* the driver knows the struct's size from the kernel */
  CUresult result;
  int code = fg_cuda_enter(device, &scope);
  if (code) return code;
  (void)args_bytes;
  result = fg_cu.cuLaunchKernel(fg_cuda_function(kernel), grid, 1, 1, block, 1, 1, (unsigned)shared, (CUstream)stream,
                                parameters, NULL);
  return fg_cuda_leave(device, &scope, result, "cuLaunchKernel");
}

/* ---- events ---- */

static int event_create(fg_device *device, fg_event **event) {
  fg_cuda_scope scope;
  CUevent new = NULL;
  int code = fg_cuda_enter(device, &scope);
  if (code) return code;
  code = fg_cuda_leave(device, &scope, fg_cu.cuEventCreate(&new, CU_EVENT_DEFAULT), "cuEventCreate");
  if (!code) *event = (fg_event *)new;
  return code;
}

static void event_destroy(fg_device *device, fg_event *event) {
  fg_cuda_scope scope;
  if (!event || fg_cuda_enter(device, &scope)) return;
  fg_cu.cuEventDestroy_v2((CUevent)event);
  fg_cuda_leave(device, &scope, CUDA_SUCCESS, "cuEventDestroy");
}

static int event_record(fg_device *device, fg_event *event, fg_stream *stream) {
  fg_cuda_scope scope;
  int code = fg_cuda_enter(device, &scope);
  if (code) return code;
  return fg_cuda_leave(device, &scope, fg_cu.cuEventRecord((CUevent)event, (CUstream)stream), "cuEventRecord");
}

static CUresult elapsed(CUevent a, CUevent b, float *milliseconds) {
  CUresult result = fg_cu.cuEventSynchronize(a); /* a may be in another stream, later than b */
  if (!result) result = fg_cu.cuEventSynchronize(b);
  return result ? result : fg_cu.cuEventElapsedTime(milliseconds, a, b);
}

static int event_elapsed(fg_device *device, fg_event *a, fg_event *b, double *seconds) {
  fg_cuda_scope scope;
  float milliseconds = 0;
  int code = fg_cuda_enter(device, &scope);
  if (code) return code;
  code = fg_cuda_leave(device, &scope, elapsed((CUevent)a, (CUevent)b, &milliseconds), "cuEventElapsedTime");
  *seconds = 1e-3 * milliseconds;
  return code;
}

static int stream_wait_event(fg_device *device, fg_stream *stream, fg_event *event) {
  fg_cuda_scope scope;
  CUresult result;
  int code = fg_cuda_enter(device, &scope);
  if (code) return code;
  result = fg_cu.cuStreamWaitEvent((CUstream)stream, (CUevent)event, 0);
  return fg_cuda_leave(device, &scope, result, "cuStreamWaitEvent");
}

static CUresult query_event(void *event) { return fg_cu.cuEventQuery(event); }

static int event_wait(fg_device *device, fg_event *event) {
  fg_cuda_scope scope;
  CUresult result;
  int code = fg_cuda_enter(device, &scope);
  if (code) return code;
  result = wait_for(fg_cu.cuEventSynchronize((CUevent)event), query_event, event);
  return fg_cuda_leave(device, &scope, result, "cuEventSynchronize");
}

static int event_reached(fg_device *device, fg_event *event) {
  fg_cuda_scope scope;
  int code = fg_cuda_enter(device, &scope);
  if (code) return code;
  const CUresult result = fg_cu.cuEventQuery((CUevent)event);
  const bool waiting = result == CUDA_ERROR_NOT_READY;
  code = fg_cuda_leave(device, &scope, waiting ? CUDA_SUCCESS : result, "cuEventQuery");
  return code ? code : !waiting;
}

/* ---- recordings; an fg_graph is a CUgraphExec ---- */

static int graph_begin(fg_device *device, fg_stream *stream) {
  fg_cuda_scope scope;
  CUresult result;
  int code = fg_cuda_enter(device, &scope);
  if (code) return code;
  result = fg_cu.cuStreamBeginCapture_v2((CUstream)stream, CU_STREAM_CAPTURE_MODE_RELAXED);
  return fg_cuda_leave(device, &scope, result, "cuStreamBeginCapture");
}

static CUresult end_capture(CUstream stream, CUgraphExec *exec) {
  CUgraph graph = NULL;
  CUresult result = fg_cu.cuStreamEndCapture(stream, &graph);
  if (result || !graph) return result ? result : CUDA_ERROR_INVALID_VALUE;
  result = fg_cu.cuGraphInstantiateWithFlags(exec, graph, 0);
  fg_cu.cuGraphDestroy(graph);
  return result;
}

static int graph_end(fg_device *device, fg_stream *stream, fg_graph **graph) {
  fg_cuda_scope scope;
  CUgraphExec exec = NULL;
  int code = fg_cuda_enter(device, &scope);
  if (code) return code;
  code = fg_cuda_leave(device, &scope, end_capture((CUstream)stream, &exec), "cuGraphInstantiate");
  if (!code) *graph = (fg_graph *)exec;
  return code;
}

static int graph_launch(fg_device *device, fg_graph *graph, fg_stream *stream) {
  fg_cuda_scope scope;
  int code = fg_cuda_enter(device, &scope);
  if (code) return code;
  return fg_cuda_leave(device, &scope, fg_cu.cuGraphLaunch((CUgraphExec)graph, (CUstream)stream), "cuGraphLaunch");
}

static void graph_destroy(fg_device *device, fg_graph *graph) {
  fg_cuda_scope scope;
  if (!graph || fg_cuda_enter(device, &scope)) return;
  fg_cu.cuGraphExecDestroy((CUgraphExec)graph);
  fg_cuda_leave(device, &scope, CUDA_SUCCESS, "cuGraphExecDestroy");
}

static int gate_wait(fg_device *device, fg_stream *stream, unsigned *gate) {
  fg_cuda_scope scope;
  int code = fg_cuda_enter(device, &scope);
  if (code) return code;
  const CUresult result = fg_cu.cuStreamWaitValue32_v2 ? fg_cu.cuStreamWaitValue32_v2(
                              (CUstream)stream, (CUdeviceptr)gate, 1, CU_STREAM_WAIT_VALUE_GEQ)
                                                       : CUDA_ERROR_NOT_SUPPORTED;
  return fg_cuda_leave(device, &scope, result, "cuStreamWaitValue32");
}

static int gate_open(fg_device *device, fg_stream *stream, unsigned *gate) {
  fg_cuda_scope scope;
  int code = fg_cuda_enter(device, &scope);
  if (code) return code;
  const CUresult result = fg_cu.cuStreamWriteValue32_v2 ? fg_cu.cuStreamWriteValue32_v2(
                              (CUstream)stream, (CUdeviceptr)gate, 1, CU_STREAM_WRITE_VALUE_DEFAULT)
                                                        : CUDA_ERROR_NOT_SUPPORTED;
  return fg_cuda_leave(device, &scope, result, "cuStreamWriteValue32");
}

const fg_backend fg_backend_cuda = {
    .name = "cuda",
    .count = count,
    .open = open_device,
    .info = info,
    .pointers = pointers,
    .used_by_program = used_by_program,
    .pointer = pointer,
    .begin = begin,
    .end = end,
    .memory_alloc = memory_alloc,
    .memory_free = memory_free,
    .memory_available = memory_available,
    .pinned_alloc = pinned_alloc,
    .pinned_free = pinned_free,
    .host_register = host_register,
    .host_unregister = host_unregister,
    .stream_create = stream_create,
    .stream_destroy = stream_destroy,
    .stream_of_program = stream_of_program,
    .stream_wait = stream_wait,
    .copy_in = copy_in,
    .copy_out = copy_out,
    .copy_within = copy_within,
    .kernels = fg_cuda_kernels,
    .kernels_kept = fg_cuda_kernels_kept,
    .launch = launch,
    .event_create = event_create,
    .event_destroy = event_destroy,
    .event_record = event_record,
    .event_elapsed = event_elapsed,
    .stream_wait_event = stream_wait_event,
    .event_wait = event_wait,
    .event_reached = event_reached,
    .graph_begin = graph_begin,
    .graph_end = graph_end,
    .graph_launch = graph_launch,
    .graph_destroy = graph_destroy,
    .gate_wait = gate_wait,
    .gate_open = gate_open,
};
