/* fake_cuda.c: a libcuda.so.1 without a GPU, to test what the cuda backend asks of the driver and how it takes failure.
 * Memory is the host's, copies are memcpy, launches do nothing. */
#include <cuda.h>
#include <fenv.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/fake_cuda.h"

fake_cuda_state fake_cuda;

enum { DEPTH = 8 };
static __thread CUcontext stack[DEPTH];
static __thread int depth;
static __thread CUstreamCaptureMode capture = CU_STREAM_CAPTURE_MODE_GLOBAL;

static void *volatile newest; /* what a lost device leaves behind is no leak of the library's */

static CUresult happens(const char *name) {
  ++fake_cuda.calls;
  if (!fake_cuda.fail || strcmp(fake_cuda.fail, name)) return CUDA_SUCCESS;
  fake_cuda.fail = NULL;
  return (CUresult)fake_cuda.result;
}

/* The primary context, and one that is another's. */
static CUcontext context_of(bool alien) { return (CUcontext)(uintptr_t)(alien ? 0x1001 : 0x1000); }

/* Every function counts, fails if told to, and only then does something. */
#define FAKE(name, parameters, ...)                 \
  CUresult CUDAAPI name parameters {                \
    CUresult result = happens(#name);               \
    if (result == CUDA_SUCCESS) { __VA_ARGS__; }    \
    fake_cuda.context_depth = depth;                \
    return result;                                  \
  }

#undef cuEventElapsedTime
#undef cuGraphAddKernelNode
#undef cuGraphExecKernelNodeSetParams

/* ---- graphs: nodes are numbers from 1; the copies of the last one are done when one is launched ---- */

enum { COPIES = 16 };
static CUDA_MEMCPY3D copies[COPIES];
static int copies_count;

static void tell(const char *format, int a, int b) {
  const size_t used = strlen(fake_cuda.story);
  snprintf(fake_cuda.story + used, sizeof fake_cuda.story - used, format, a, b);
}

static int number(CUgraphNode node) { return (int)(uintptr_t)node; }

/* None named twice. */
static CUresult add_node(char kind, CUgraphNode *node, const CUgraphNode *after, size_t count) {
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < i; k++)
      if (after[i] == after[k]) return CUDA_ERROR_INVALID_VALUE;
  tell(" %c%d", kind, ++fake_cuda.nodes);
  for (size_t i = 0; i < count; i++) tell("<%d", number(after[i]), 0);
  *node = (CUgraphNode)(uintptr_t)fake_cuda.nodes;
  return CUDA_SUCCESS;
}

static void new_graph(CUgraph *graph) {
  *graph = (CUgraph)0x5000;
  ++fake_cuda.graphs;
  fake_cuda.nodes = copies_count = 0;
  *fake_cuda.story = 0;
}

static void copy_rows(const CUDA_MEMCPY3D *c) {
  const char *const from = c->srcMemoryType == CU_MEMORYTYPE_HOST ? c->srcHost : (void *)c->srcDevice;
  char *const to = c->dstMemoryType == CU_MEMORYTYPE_HOST ? c->dstHost : (void *)c->dstDevice;
  for (size_t i = 0; i < c->Height * c->Depth; i++) memcpy(to + i * c->dstPitch, from + i * c->srcPitch, c->WidthInBytes);
}

/* What the driver refuses. */
static CUresult keep_copy(const CUDA_MEMCPY3D *c, CUcontext context) {
  const bool sound = context && copies_count < COPIES && c->Depth == 1 && c->Height && c->WidthInBytes &&
                     c->srcHeight >= c->Height && c->dstHeight >= c->Height && c->srcPitch >= c->WidthInBytes &&
                     c->dstPitch >= c->WidthInBytes;
  if (!sound) return CUDA_ERROR_INVALID_VALUE;
  copies[copies_count++] = *c;
  return CUDA_SUCCESS;
}

static CUresult keep_kernel(const CUDA_KERNEL_NODE_PARAMS_v1 *p) {
  if (!p->gridDimX || !p->gridDimY || !p->gridDimZ || !p->blockDimX || !p->blockDimY || !p->blockDimZ || !p->kernelParams)
    return CUDA_ERROR_INVALID_VALUE;
  const int kept[] = {(int)p->gridDimX, (int)p->blockDimX, (int)p->sharedMemBytes, *(const int *)p->kernelParams[0]};
  memcpy(fake_cuda.kernel, kept, sizeof kept);
  return CUDA_SUCCESS;
}

static void copy_all(void) {
  for (int i = 0; i < copies_count; i++) copy_rows(&copies[i]);
}

/* Of a cuda.h before 12.3, which does not declare the function either. */
#if CUDA_VERSION < 12030
#define CUgraphEdgeData void
#endif

FAKE(cuInit, (unsigned flags), (void)flags, getenv("FAKE_CUDA_INIT") ? (void)usleep((unsigned)atoi(getenv("FAKE_CUDA_INIT"))) : (void)0)
FAKE(cuDriverGetVersion, (int *version), *version = 13000)
FAKE(cuGetErrorString, (CUresult error, const char **text), (void)error, *text = "a fake failure")
FAKE(cuDeviceGetCount, (int *count), *count = 1)
FAKE(cuDeviceGet, (CUdevice *device, int ordinal), *device = ordinal)
FAKE(cuDeviceGetName, (char *name, int size, CUdevice device), (void)device, strncpy(name, "Fake", (size_t)size))
FAKE(cuDeviceTotalMem_v2, (size_t *bytes, CUdevice device), (void)device, *bytes = 1 << 30)
FAKE(cuDevicePrimaryCtxRetain, (CUcontext *context, CUdevice device), (void)device, *context = context_of(false))
FAKE(cuCtxGetCurrent, (CUcontext *context), *context = depth ? stack[depth - 1] : NULL)
FAKE(cuCtxPushCurrent_v2, (CUcontext context), ++fake_cuda.pushes, stack[depth++ % DEPTH] = context)
FAKE(cuCtxPopCurrent_v2, (CUcontext *context), *context = stack[--depth])
FAKE(cuMemAlloc_v2, (CUdeviceptr *memory, size_t bytes), *memory = (CUdeviceptr)(newest = malloc(bytes)))
FAKE(cuMemFree_v2, (CUdeviceptr memory), free((void *)memory))
FAKE(cuMemGetInfo_v2, (size_t *available, size_t *total), *available = 1 << 29, *total = 1 << 30)
FAKE(cuMemHostAlloc, (void **memory, size_t bytes, unsigned flags), (void)flags, *memory = malloc(bytes))
FAKE(cuMemFreeHost, (void *memory), free(memory))
FAKE(cuMemHostRegister_v2, (void *memory, size_t bytes, unsigned flags), (void)memory, (void)bytes, (void)flags)
FAKE(cuMemHostUnregister, (void *memory), (void)memory)
FAKE(cuStreamGetCtx, (CUstream stream, CUcontext *context),
     *context = context_of(stream == FAKE_ALIEN))
FAKE(cuStreamIsCapturing, (CUstream stream, CUstreamCaptureStatus *status),
     *status = stream == FAKE_CAPTURING ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
     result = stream == CU_STREAM_LEGACY && fake_cuda.capturing-- > 0 ? CUDA_ERROR_STREAM_CAPTURE_IMPLICIT : result)
FAKE(cuStreamCreate, (CUstream *stream, unsigned flags), *stream = (CUstream)(0x2000 + (size_t)flags))
FAKE(cuStreamDestroy_v2, (CUstream stream), (void)stream)
FAKE(cuStreamSynchronize, (CUstream stream), (void)stream, ++fake_cuda.synchronized, fake_cuda.waited_in = depth ? stack[depth - 1] : NULL)
FAKE(cuStreamQuery, (CUstream stream), (void)stream; result = fake_cuda.busy-- > 0 ? CUDA_ERROR_NOT_READY : result)
FAKE(cuEventQuery, (CUevent event), (void)event; result = fake_cuda.busy-- > 0 ? CUDA_ERROR_NOT_READY : result)
FAKE(cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned flags), (void)stream, (void)event, (void)flags)
FAKE(cuEventCreate, (CUevent *event, unsigned flags), *event = (CUevent)(0x3000 + (size_t)flags))
FAKE(cuEventDestroy_v2, (CUevent event), (void)event)
FAKE(cuEventRecord, (CUevent event, CUstream stream), (void)event, (void)stream)
FAKE(cuEventSynchronize, (CUevent event), (void)event)
FAKE(cuEventElapsedTime, (float *milliseconds, CUevent a, CUevent b), (void)a, (void)b, *milliseconds = 250)
FAKE(cuGraphCreate, (CUgraph *graph, unsigned flags), (void)flags, new_graph(graph))
FAKE(cuGraphAddKernelNode, (CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,
                            const CUDA_KERNEL_NODE_PARAMS_v1 *parameters),
     (void)graph; fake_cuda.edges += (int)count; result = keep_kernel(parameters);
     if (!result) result = add_node('k', node, after, count))
FAKE(cuGraphAddMemcpyNode, (CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,
                            const CUDA_MEMCPY3D *what, CUcontext context),
     (void)graph; result = keep_copy(what, context);
     if (!result) result = add_node('c', node, after, count))
FAKE(cuGraphAddEmptyNode, (CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count),
     (void)graph; result = add_node('e', node, after, count))
FAKE(cuGraphAddDependencies_v2, (CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                 const CUgraphEdgeData *edges, size_t count),
     (void)graph, (void)count; tell(" %d~%d", number(*from), number(*to));
     /* from the programmatic port, a programmatic one */
     fake_cuda.early += number(*to) > number(*from) && !memcmp(edges, "\1\0\1\0\0\0\0", 8))
FAKE(cuGraphInstantiateWithFlags, (CUgraphExec *exec, CUgraph graph, unsigned long long flags),
     (void)graph, (void)flags, ++fake_cuda.graphs, *exec = (CUgraphExec)0x6000)
FAKE(cuGraphExecKernelNodeSetParams, (CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1 *parameters),
     (void)exec, (void)node; fake_cuda.set_value = *(const int *)parameters->kernelParams[0])
FAKE(cuGraphLaunch, (CUgraphExec exec, CUstream stream), (void)exec, (void)stream, copy_all())
FAKE(cuGraphExecDestroy, (CUgraphExec exec), (void)exec, --fake_cuda.graphs)
FAKE(cuGraphDestroy, (CUgraph graph), (void)graph, --fake_cuda.graphs)
FAKE(cuModuleUnload, (CUmodule module), (void)module, ++fake_cuda.unloads)

FAKE(cuMemcpyHtoDAsync_v2, (CUdeviceptr to, const void *from, size_t bytes, CUstream stream),
     (void)stream, memcpy((void *)to, from, bytes))
FAKE(cuMemcpyDtoHAsync_v2, (void *to, CUdeviceptr from, size_t bytes, CUstream stream),
     (void)stream, memcpy(to, (void *)from, bytes))
FAKE(cuMemcpyDtoDAsync_v2, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream),
     (void)stream, memmove((void *)to, (void *)from, bytes))
FAKE(cuMemcpy2DAsync_v2, (const CUDA_MEMCPY2D *what, CUstream stream),
     (void)stream; const bool in = what->srcMemoryType == CU_MEMORYTYPE_HOST;
     const char *const from = in ? what->srcHost : (void *)what->srcDevice;
     char *const to = in ? (void *)what->dstDevice : what->dstHost;
     for (size_t i = 0; i < what->Height; i++)
       memcpy(to + i * what->dstPitch, from + i * what->srcPitch, what->WidthInBytes))
FAKE(cuModuleLoadData, (CUmodule *module, const void *image),
     (void)image, fake_cuda.rounding = fegetround(), *module = (CUmodule)(size_t)(0x4000 + fake_cuda.loads++))
FAKE(cuModuleGetFunction, (CUfunction *function, CUmodule module, const char *name),
     (void)name, *function = (CUfunction)module)
FAKE(cuFuncGetAttribute, (int *value, CUfunction_attribute which, CUfunction function),
     (void)function, *value = which == CU_FUNC_ATTRIBUTE_PTX_VERSION ? 90 - fake_cuda.older : 0)
FAKE(cuFuncSetAttribute, (CUfunction function, CUfunction_attribute which, int value),
     (void)which, (void)function, fake_cuda.shared = value)
FAKE(cuLaunchKernel, (CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                      unsigned shared, CUstream stream, void **parameters, void **extra),
     (void)function, (void)gx, (void)gy, (void)gz, (void)bx, (void)by, (void)bz, (void)shared, (void)stream,
     (void)parameters, (void)extra)

FAKE(cuLaunchKernelEx, (const CUlaunchConfig *config, CUfunction function, void **parameters, void **extra),
     (void)function, (void)parameters, (void)extra;
     fake_cuda.dependent += config->numAttrs == 1 && config->gridDimX && config->blockDimX &&
                            config->attrs->id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION &&
                            config->attrs->value.programmaticStreamSerializationAllowed)

FAKE(cuPointerGetAttributes, (unsigned count, CUpointer_attribute *ask, void **answers, CUdeviceptr p),
     (void)ask, (void)p;
     if (count == 6) {
       *(unsigned *)answers[0] = fake_cuda.memory_type;
       *(unsigned *)answers[1] = fake_cuda.managed;
       *(CUcontext *)answers[2] = context_of(fake_cuda.alien);
       *(int *)answers[3] = 0;
       *(CUdeviceptr *)answers[4] = p & ~(CUdeviceptr)255;
       *(size_t *)answers[5] = 4096;
     })

FAKE(cuThreadExchangeStreamCaptureMode, (CUstreamCaptureMode *mode),
     CUstreamCaptureMode before = capture; capture = *mode; *mode = before)

/* An H200's, as far as kernels are laid out by them. */
static int attribute(CUdevice_attribute which) {
  switch (which) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: return 9;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: return 0;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: return 132;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR: return 2048;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: return 227 << 10;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR: return 228 << 10;
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR: return 65536;
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE: return 60 << 20;
    default: return 1024;
  }
}

FAKE(cuDeviceGetAttribute, (int *value, CUdevice_attribute which, CUdevice device),
     (void)device; *value = attribute(which))

/* NVRTC asks the driver for a table of private functions; its first word is its size.  Ours is empty. */
CUresult CUDAAPI cuGetExportTable(const void **table, const CUuuid *id) {
  static const size_t empty[8] = {sizeof(size_t)};
  (void)id;
  *table = empty;
  return CUDA_SUCCESS;
}

/* Asked only after a failure; never fails itself. */
CUresult CUDAAPI cuGetErrorName(CUresult error, const char **name) {
  *name = error == CUDA_ERROR_OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_OTHER";
  return CUDA_SUCCESS;
}
