/* cuda.c: the device contract of backend.h, fulfilled with the CUDA driver: the context, the devices, the table of what
 * the other files do.
 *
 * A program may use CUDA itself, so every call leaves the thread's current context as it found it.  Streams of our own do
 * not wait for the default stream. */
#include "config.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/cuda_device.h"
#include "cuda/cuda_nvrtc.h"
#include "cuda/installed.h"
#include "src/report/log.h"

/* ---- entering the context ---- */

static int already_lost(fg_device *device) {
  return fg_backend_lost("the device was lost earlier: ", device->lost_message);
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
  scope->before = current;
  /* If the program is capturing a graph, our calls must neither fail nor spoil its capture. */
  scope->capture = CU_STREAM_CAPTURE_MODE_RELAXED;
  scope->exchanged = fg_cu.cuThreadExchangeStreamCaptureMode(&scope->capture) == CUDA_SUCCESS;
  return 0;
}

int fg_cuda_leave(fg_device *device, const fg_cuda_scope *scope, CUresult result, const char *call) {
  CUstreamCaptureMode capture = scope->capture;
  CUcontext ours;
  if (scope->nested) return fg_cuda_check(device, result, call);
  if (scope->exchanged) fg_cu.cuThreadExchangeStreamCaptureMode(&capture);
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

CUcontext fg_cuda_programs_context(void) {
  CUcontext current = NULL;
  if (inside) return inside_scope.before;
  return fg_cu.cuCtxGetCurrent(&current) == CUDA_SUCCESS ? current : NULL;
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
static _Atomic(fg_device *) devices[MAX_DEVICES]; /* made with the lock, read without it */
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

/* 1000·major + 10·minor of the NVRTC that kernels are from: the archive's, so that none is loaded before something has to be
 * compiled (0.2 s the first time, 10 ms then), else the one to be had; negative: none. */
static int compiler_version(void) {
  const char *path;
  const fg_archive *const archive = fg_installed_archive(&path);
  int major, minor;
  if (archive && sscanf(fg_archive_compiler(archive), "NVRTC %d.%d", &major, &minor) == 2) return 1000 * major + 10 * minor;
  return fg_nvrtc_version();
}

/* 8 everywhere; 16 where groups of multiprocessors are whole (CUDA C++ Programming Guide).  Of compute capability 12 not all
 * devices are said to have clusters of more than one block.  What their blocks send each other is from PTX ISA 8.1 on. */
static int most_cluster(const fg_device_info *info) {
  enum { WHOLE = 100 }; /* multiprocessors: more than any part of a device that is shared out has */
  const int compiler = info->arch < 90 ? -1 : compiler_version(); /* without one there are kernels of the store */
  if (info->arch < 90 || info->arch >= 120 || fg_driver_version() < 12010 || (compiler >= 0 && compiler < 12010)) return 1;
  return info->multiprocessors >= WHOLE ? 16 : 8;
}

static void describe(fg_device *device) {
  fg_device_info *info = &device->info;
  int version = fg_driver_version();
  fg_cu.cuDeviceGetName(info->name, sizeof info->name, device->id);
  snprintf(info->driver, sizeof info->driver, "CUDA %d.%d", version / 1000, version % 1000 / 10);
  info->arch = 10 * (int)attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
               (int)attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  info->double_ratio = (int)attribute(device, CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO);
  info->multiprocessors = (int)attribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  info->threads_block = (int)attribute(device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  info->threads_sm = (int)attribute(device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  info->shared_block = attribute(device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  info->shared_sm = attribute(device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  info->cluster = most_cluster(info);
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

fg_device *fg_cuda_opened(int ordinal) { return ordinal >= 0 && ordinal < MAX_DEVICES ? devices[ordinal] : NULL; }

static const fg_device_info *info(const fg_device *device) { return &device->info; }

const fg_backend fg_backend_cuda = {
    .name = "cuda",
    .count = count,
    .open = open_device,
    .info = info,
    .missing = fg_driver_missing,
    .pointers = fg_cuda_pointers,
    .used_by_program = fg_cuda_used_by_program,
    .pointer = fg_cuda_pointer,
    .begin = begin,
    .end = end,
    .memory_alloc = fg_cuda_memory_alloc,
    .memory_free = fg_cuda_memory_free,
    .memory_available = fg_cuda_memory_available,
    .pinned_alloc = fg_cuda_pinned_alloc,
    .pinned_free = fg_cuda_pinned_free,
    .host_register = fg_cuda_host_register,
    .host_unregister = fg_cuda_host_unregister,
    .stream_create = fg_cuda_stream_create,
    .stream_destroy = fg_cuda_stream_destroy,
    .stream_of_program = fg_cuda_stream_of_program,
    .owner_wait = fg_cuda_owner_wait,
    .stream_wait = fg_cuda_stream_wait,
    .copy_in = fg_cuda_copy_in,
    .copy_out = fg_cuda_copy_out,
    .copy_rows_in = fg_cuda_copy_rows_in,
    .copy_rows_out = fg_cuda_copy_rows_out,
    .copy_within = fg_cuda_copy_within,
    .kernels = fg_cuda_kernels,
    .kernels_kept = fg_cuda_kernels_kept,
    .launch = fg_cuda_launch,
    .event_create = fg_cuda_event_create,
    .event_destroy = fg_cuda_event_destroy,
    .event_record = fg_cuda_event_record,
    .event_elapsed = fg_cuda_event_elapsed,
    .stream_wait_event = fg_cuda_stream_wait_event,
    .event_wait = fg_cuda_event_wait,
    .event_reached = fg_cuda_event_reached,
    .graph_begin = fg_cuda_graph_begin,
    .graph_end = fg_cuda_graph_end,
    .graph_launch = fg_cuda_graph_launch,
    .graph_destroy = fg_cuda_graph_destroy,
    .chain_make = fg_cuda_chain_make,
    .chain_set = fg_cuda_chain_set,
    .chain_launch = fg_cuda_chain_launch,
    .chain_destroy = fg_cuda_chain_destroy,
};
