/* cuda_stream.c: streams, launches and events.  An fg_stream is a CUstream, an fg_event a CUevent. */
#include "config.h"

#include <time.h>

#include "cuda/cuda_device.h"
#include "src/report/clock.h"

/* ---- waiting ---- */

/* The driver may fail to wait (it needs a descriptor for it, say), while the work goes on in memory of the program's.
 * Then it is asked again and again until all is done. Where it cannot tell either, it has so long to finish, and counts
 * as lost. */
static const uint64_t patience = 3000000000; /* ns */

static CUresult done_at_last(CUresult waited, CUresult (*query)(void *), void *what) {
  const struct timespec nap = {0, 50000};
  const uint64_t late = fg_clock_nanoseconds() + patience;
  CUresult result;
  while ((result = query(what)) == CUDA_ERROR_NOT_READY || result == waited) {
    if (result == waited && fg_clock_nanoseconds() > late) return CUDA_ERROR_LAUNCH_TIMEOUT;
    nanosleep(&nap, NULL);
  }
  return result;
}

static CUresult wait_for(CUresult waited, CUresult (*query)(void *), void *what) {
  if (waited != CUDA_ERROR_OPERATING_SYSTEM && waited != CUDA_ERROR_OUT_OF_MEMORY) return waited;
  return done_at_last(waited, query, what);
}

/* While a stream that the default one waits for is being captured, by another thread, the default one must not be used, and
 * cannot be waited for before that has ended. Only this question does the capture no harm (CUDA Driver API,
 * cuStreamIsCapturing). */
static void await_captures(CUstream stream) {
  const struct timespec nap = {0, 20000};
  CUstreamCaptureStatus capturing;
  if (stream != CU_STREAM_LEGACY) return;
  while (fg_cu.cuStreamIsCapturing(stream, &capturing) == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT) nanosleep(&nap, NULL);
}

static CUresult query_stream(void *stream) {
  await_captures(stream);
  const CUresult result = fg_cu.cuStreamQuery(stream);
  return result == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT ? CUDA_ERROR_NOT_READY : result;
}

static CUresult query_event(void *event) { return fg_cu.cuEventQuery(event); }

/* ---- streams ---- */

int fg_cuda_stream_create(fg_device *device, fg_stream **stream) {
  CUstream new = NULL;
  const int code = FG_CUDA_CALL(device, "cuStreamCreate", fg_cu.cuStreamCreate(&new, CU_STREAM_NON_BLOCKING));
  if (!code) *stream = (fg_stream *)new;
  return code;
}

void fg_cuda_stream_destroy(fg_device *device, fg_stream *stream) {
  if (stream) FG_CUDA_TRY(device, fg_cu.cuStreamDestroy_v2((CUstream)stream));
}

/* What is judged before anything is launched there: a stream of another context would cost us ours. */
static CUresult look_at(const fg_device *device, CUstream stream) {
  CUstreamCaptureStatus capturing = CU_STREAM_CAPTURE_STATUS_NONE;
  CUcontext context = device->context;
  CUresult result = fg_cu.cuStreamIsCapturing(stream, &capturing);
  if (!result && capturing != CU_STREAM_CAPTURE_STATUS_NONE) result = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (!result && stream != CU_STREAM_LEGACY && stream != CU_STREAM_PER_THREAD)
    result = fg_cu.cuStreamGetCtx(stream, &context);
  /* The driver's words for a stream of a context that is none, or no more: nothing is wrong with ours. */
  const bool of_any = stream != CU_STREAM_LEGACY && stream != CU_STREAM_PER_THREAD;
  if (of_any && (result == CUDA_ERROR_INVALID_CONTEXT || result == CUDA_ERROR_CONTEXT_IS_DESTROYED))
    return CUDA_ERROR_INVALID_HANDLE;
  return !result && context != device->context ? CUDA_ERROR_INVALID_HANDLE : result;
}

int fg_cuda_stream_of_program(fg_device *device, void *native, fg_stream **stream) {
  const CUstream theirs = native ? native : CU_STREAM_LEGACY;
  const int code = FG_CUDA_CALL(device, "the program's stream", look_at(device, theirs));
  if (!code) *stream = (fg_stream *)theirs;
  return code;
}

static CUresult synchronize(CUstream stream) {
  CUresult result;
  do {
    await_captures(stream);
    result = fg_cu.cuStreamSynchronize(stream);
  } while (result == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  return result;
}

int fg_cuda_stream_wait(fg_device *device, fg_stream *stream) {
  const int code = fg_cuda_not_recorded(device, stream, "cuStreamSynchronize");
  if (code) return code;
  return FG_CUDA_CALL(device, "cuStreamSynchronize", wait_for(synchronize((CUstream)stream), query_stream, stream));
}

/* Not where a stream that the default one would wait for is being captured: then it must not be used. What was given to it before
 * is not waited for. */
static void wait_in(CUcontext theirs) {
  CUstreamCaptureStatus capturing = CU_STREAM_CAPTURE_STATUS_NONE;
  CUcontext popped;
  if (fg_cu.cuCtxPushCurrent_v2(theirs)) return;
  if (!fg_cu.cuStreamIsCapturing(CU_STREAM_LEGACY, &capturing) && capturing == CU_STREAM_CAPTURE_STATUS_NONE)
    wait_for(fg_cu.cuStreamSynchronize(CU_STREAM_LEGACY), query_stream, CU_STREAM_LEGACY);
  fg_cu.cuCtxPopCurrent_v2(&popped);
}

void fg_cuda_owner_wait(fg_device *device, void *owner) {
  if (owner && owner != device->context) FG_CUDA_TRY(device, wait_in(owner));
}

/* From sm_90 on; recordings of the program can hold such launches since CUDA 12.3. */
bool fg_cuda_depends(const fg_device *device, const fg_kernel *kernel) {
  return fg_dependent_launches && device->info.arch >= 90 && fg_driver_version() >= 12030 && fg_cu.cuLaunchKernelEx &&
         fg_cuda_waits(kernel);
}

static CUresult launch_dependent(const fg_kernel *kernel, unsigned grid, unsigned block, size_t shared,
                                 void **parameters, CUstream stream) {
  CUlaunchAttribute dependent = {.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
                                 .value.programmaticStreamSerializationAllowed = 1};
  const CUlaunchConfig config = {.gridDimX = grid, .gridDimY = 1, .gridDimZ = 1, .blockDimX = block, .blockDimY = 1,
                                 .blockDimZ = 1, .sharedMemBytes = (unsigned)shared, .hStream = stream,
                                 .attrs = &dependent, .numAttrs = 1};
  return fg_cu.cuLaunchKernelEx(&config, fg_cuda_function(kernel), parameters, NULL);
}

int fg_cuda_launch(fg_device *device, fg_kernel *kernel, unsigned grid, unsigned block, size_t shared,
                   const void *args, size_t args_bytes, fg_stream *stream) {
  void *parameters[] = {(void *)args}; /* the driver knows the struct's size from the kernel */
  fg_cuda_place *const place = fg_cuda_place_of(stream);
  const fg_kernel_launch recorded = {kernel, grid, block, shared, args, args_bytes};
  if (place)
    return FG_CUDA_CALL(device, "cuGraphAddKernelNode", fg_cuda_record_kernel(device, place, &recorded));
  if (fg_cuda_depends(device, kernel))
    return FG_CUDA_CALL(device, "cuLaunchKernelEx",
                        launch_dependent(kernel, grid, block, shared, parameters, (CUstream)stream));
  return FG_CUDA_CALL(device, "cuLaunchKernel",
                      fg_cu.cuLaunchKernel(fg_cuda_function(kernel), grid, 1, 1, block, 1, 1, (unsigned)shared,
                                           (CUstream)stream, parameters, NULL));
}

/* ---- events ---- */

int fg_cuda_event_create(fg_device *device, fg_event **event) {
  CUevent new = NULL;
  const int code = FG_CUDA_CALL(device, "cuEventCreate", fg_cu.cuEventCreate(&new, CU_EVENT_DEFAULT));
  if (!code) *event = (fg_event *)new;
  return code;
}

void fg_cuda_event_destroy(fg_device *device, fg_event *event) {
  if (event) FG_CUDA_TRY(device, fg_cu.cuEventDestroy_v2((CUevent)event));
}

int fg_cuda_event_record(fg_device *device, fg_event *event, fg_stream *stream) {
  const fg_cuda_place *const place = fg_cuda_place_of(stream);
  if (place) return FG_CUDA_CALL(device, "event of a recording", fg_cuda_record_event(place, event));
  const int code = fg_cuda_not_recorded(device, event, "cuEventRecord");
  if (code) return code;
  return FG_CUDA_CALL(device, "cuEventRecord", fg_cu.cuEventRecord((CUevent)event, (CUstream)stream));
}

static CUresult elapsed(CUevent a, CUevent b, float *milliseconds) {
  CUresult result = fg_cu.cuEventSynchronize(a); /* a may be in another stream, later than b */
  if (!result) result = fg_cu.cuEventSynchronize(b);
  return result ? result : fg_cu.cuEventElapsedTime(milliseconds, a, b);
}

int fg_cuda_event_elapsed(fg_device *device, fg_event *a, fg_event *b, double *seconds) {
  float milliseconds = 0;
  const int code = FG_CUDA_CALL(device, "cuEventElapsedTime", elapsed((CUevent)a, (CUevent)b, &milliseconds));
  *seconds = 1e-3 * milliseconds;
  return code;
}

int fg_cuda_stream_wait_event(fg_device *device, fg_stream *stream, fg_event *event) {
  const fg_cuda_place *const place = fg_cuda_place_of(event);
  if (place) return FG_CUDA_CALL(device, "event of a recording", fg_cuda_record_wait(stream, place));
  const int code = fg_cuda_not_recorded(device, stream, "cuStreamWaitEvent");
  if (code) return code;
  return FG_CUDA_CALL(device, "cuStreamWaitEvent", fg_cu.cuStreamWaitEvent((CUstream)stream, (CUevent)event, 0));
}

int fg_cuda_event_wait(fg_device *device, fg_event *event) {
  const int code = fg_cuda_not_recorded(device, event, "cuEventSynchronize");
  if (code) return code;
  return FG_CUDA_CALL(device, "cuEventSynchronize",
                      wait_for(fg_cu.cuEventSynchronize((CUevent)event), query_event, event));
}

int fg_cuda_event_reached(fg_device *device, fg_event *event) {
  CUresult result = CUDA_SUCCESS;
  int code = fg_cuda_not_recorded(device, event, "cuEventQuery");
  if (code) return code;
  code = FG_CUDA_CALL(device, "cuEventQuery", (result = fg_cu.cuEventQuery((CUevent)event)) ==
                                                                CUDA_ERROR_NOT_READY ? CUDA_SUCCESS : result);
  return code ? code : result != CUDA_ERROR_NOT_READY;
}
