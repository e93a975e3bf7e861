/* cuda_memory.c: memory of the device, pinned and registered memory of the host, copies; whose memory a pointer leads
 * to. */
#include "config.h"

#include "cuda/cuda_device.h"

/* ---- memory of anybody's ---- */

bool fg_cuda_pointers(void) { return fg_driver_present(); }

/* It loaded the driver before us, or this thread is in a context, in which we leave none. */
bool fg_cuda_used_by_program(void) {
  static atomic_bool known;
  if (!atomic_load(&known) && fg_driver_present() && (fg_driver_of_program() || fg_cuda_programs_context()))
    atomic_store(&known, true);
  return atomic_load(&known);
}

static enum fg_pointer_kind kind_of(unsigned type, unsigned managed, CUcontext context, int ordinal) {
  if (managed) return FG_POINTER_MANAGED;
  if (type == CU_MEMORYTYPE_HOST) return FG_POINTER_PINNED;
  if (type != CU_MEMORYTYPE_DEVICE) return FG_POINTER_HOST;
  /* Memory of a pool has no context: it is for all of them. */
  const fg_device *ours = fg_cuda_opened(ordinal);
  return ours && context && context != ours->context ? FG_POINTER_APART : FG_POINTER_DEVICE;
}

void fg_cuda_pointer(const void *p, fg_pointer *what) {
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
  if (managed || type == CU_MEMORYTYPE_DEVICE) what->owner = context;
  what->ordinal = ordinal;
  what->base = (const void *)base;
}

/* ---- the device's ---- */

int fg_cuda_memory_alloc(fg_device *device, size_t bytes, void **memory) {
  CUdeviceptr address = 0;
  const int code = FG_CUDA_CALL(device, "cuMemAlloc", fg_cu.cuMemAlloc_v2(&address, bytes ? bytes : 1));
  if (!code) *memory = (void *)address;
  return code;
}

/* Freeing cannot fail for the caller: what the driver would not take back is gone with the device or the process. */
int fg_cuda_memory_free(fg_device *device, void *memory) {
  return memory ? FG_CUDA_CALL(device, "cuMemFree", fg_cu.cuMemFree_v2((CUdeviceptr)memory)) : FG_OK;
}

int fg_cuda_memory_available(fg_device *device, size_t *free_bytes) {
  size_t total;
  return FG_CUDA_CALL(device, "cuMemGetInfo", fg_cu.cuMemGetInfo_v2(free_bytes, &total));
}

/* ---- the host's ---- */

int fg_cuda_pinned_alloc(fg_device *device, size_t bytes, void **memory) {
  return FG_CUDA_CALL(device, "cuMemHostAlloc",
                      fg_cu.cuMemHostAlloc(memory, bytes ? bytes : 1, CU_MEMHOSTALLOC_PORTABLE));
}

void fg_cuda_pinned_free(fg_device *device, void *memory) {
  if (memory) FG_CUDA_TRY(device, fg_cu.cuMemFreeHost(memory));
}

int fg_cuda_host_register(fg_device *device, void *memory, size_t bytes) {
  const unsigned flags = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP;
  return FG_CUDA_CALL(device, "cuMemHostRegister", fg_cu.cuMemHostRegister_v2(memory, bytes, flags));
}

int fg_cuda_host_unregister(fg_device *device, void *memory) {
  return FG_CUDA_CALL(device, "cuMemHostUnregister", fg_cu.cuMemHostUnregister(memory));
}

/* ---- between them ---- */

/* One side of a copy: rows, pitch bytes from one to the next. */
typedef struct {
  CUmemorytype type;
  const void *at;
  size_t pitch;
} side;

static side host(const void *at, size_t pitch) { return (side){CU_MEMORYTYPE_HOST, at, pitch}; }
static side on_device(const void *at, size_t pitch) { return (side){CU_MEMORYTYPE_DEVICE, at, pitch}; }

static int record(fg_device *device, fg_cuda_place *place, side from, side to, size_t bytes, size_t rows) {
  const CUDA_MEMCPY3D what = {.srcMemoryType = from.type, .srcHost = from.at, .srcDevice = (CUdeviceptr)from.at,
                              .srcPitch = from.pitch, .srcHeight = rows, .dstMemoryType = to.type,
                              .dstHost = (void *)to.at, .dstDevice = (CUdeviceptr)to.at, .dstPitch = to.pitch,
                              .dstHeight = rows, .WidthInBytes = bytes, .Height = rows, .Depth = 1};
  return FG_CUDA_CALL(device, "cuGraphAddMemcpyNode", fg_cuda_record_copy(device, place, &what));
}

int fg_cuda_copy_in(fg_device *device, void *device_to, const void *host_from, size_t bytes, fg_stream *stream) {
  fg_cuda_place *const place = fg_cuda_place_of(stream);
  if (place) return record(device, place, host(host_from, bytes), on_device(device_to, bytes), bytes, 1);
  return FG_CUDA_CALL(device, "cuMemcpyHtoDAsync",
                      fg_cu.cuMemcpyHtoDAsync_v2((CUdeviceptr)device_to, host_from, bytes, (CUstream)stream));
}

int fg_cuda_copy_out(fg_device *device, void *host_to, const void *device_from, size_t bytes, fg_stream *stream) {
  fg_cuda_place *const place = fg_cuda_place_of(stream);
  if (place) return record(device, place, on_device(device_from, bytes), host(host_to, bytes), bytes, 1);
  return FG_CUDA_CALL(device, "cuMemcpyDtoHAsync",
                      fg_cu.cuMemcpyDtoHAsync_v2(host_to, (CUdeviceptr)device_from, bytes, (CUstream)stream));
}

int fg_cuda_copy_within(fg_device *device, void *device_to, const void *device_from, size_t bytes, fg_stream *stream) {
  fg_cuda_place *const place = fg_cuda_place_of(stream);
  if (place) return record(device, place, on_device(device_from, bytes), on_device(device_to, bytes), bytes, 1);
  return FG_CUDA_CALL(device, "cuMemcpyDtoDAsync",
                      fg_cu.cuMemcpyDtoDAsync_v2((CUdeviceptr)device_to, (CUdeviceptr)device_from, bytes,
                                                 (CUstream)stream));
}

static int copy_rows(fg_device *device, side from, side to, fg_copy_rows r, fg_stream *stream) {
  const CUDA_MEMCPY2D what = {.srcMemoryType = from.type, .srcHost = from.at, .srcDevice = (CUdeviceptr)from.at,
                              .srcPitch = from.pitch, .dstMemoryType = to.type, .dstHost = (void *)to.at,
                              .dstDevice = (CUdeviceptr)to.at, .dstPitch = to.pitch, .WidthInBytes = r.bytes,
                              .Height = r.rows};
  fg_cuda_place *const place = fg_cuda_place_of(stream);
  if (place) return record(device, place, from, to, r.bytes, r.rows);
  return FG_CUDA_CALL(device, "cuMemcpy2DAsync", fg_cu.cuMemcpy2DAsync_v2(&what, (CUstream)stream));
}

int fg_cuda_copy_rows_in(fg_device *device, void *device_to, const void *host_from, fg_copy_rows r,
                         fg_stream *stream) {
  return copy_rows(device, host(host_from, r.pitch), on_device(device_to, r.bytes), r, stream);
}

int fg_cuda_copy_rows_out(fg_device *device, void *host_to, const void *device_from, fg_copy_rows r,
                          fg_stream *stream) {
  return copy_rows(device, on_device(device_from, r.bytes), host(host_to, r.pitch), r, stream);
}
