/* cuda_driver.h: the CUDA driver, loaded by name the first time it is needed.  Its functions are reached as
 * fg_cu.cuLaunchKernel(…); nothing of CUDA is linked. */
#ifndef FG_CUDA_DRIVER_H
#define FG_CUDA_DRIVER_H

#include <cuda.h>
#include <stdbool.h>

/* FN(exported name, parameters).  The names carry the version suffix of the binary interface that the parameters belong
 * to, so the table holds whatever cuda.h we are built with; all of them are in every driver since CUDA 11.4. */
#define FG_DRIVER_FUNCTIONS(FN)                                                                                       \
  FN(cuInit, (unsigned flags))                                                                                        \
  FN(cuDriverGetVersion, (int *version))                                                                              \
  FN(cuGetErrorName, (CUresult, const char **))                                                                       \
  FN(cuGetErrorString, (CUresult, const char **))                                                                     \
  FN(cuDeviceGetCount, (int *))                                                                                       \
  FN(cuDeviceGet, (CUdevice *, int ordinal))                                                                          \
  FN(cuDeviceGetName, (char *, int size, CUdevice))                                                                   \
  FN(cuDeviceGetAttribute, (int *, CUdevice_attribute, CUdevice))                                                     \
  FN(cuDeviceTotalMem_v2, (size_t *, CUdevice))                                                                       \
  FN(cuDevicePrimaryCtxRetain, (CUcontext *, CUdevice))                                                               \
  FN(cuCtxGetCurrent, (CUcontext *))                                                                                  \
  FN(cuCtxPushCurrent_v2, (CUcontext))                                                                                \
  FN(cuCtxPopCurrent_v2, (CUcontext *))                                                                               \
  FN(cuThreadExchangeStreamCaptureMode, (CUstreamCaptureMode *))                                                      \
  FN(cuMemAlloc_v2, (CUdeviceptr *, size_t))                                                                          \
  FN(cuMemFree_v2, (CUdeviceptr))                                                                                     \
  FN(cuMemGetInfo_v2, (size_t *available, size_t *total))                                                             \
  FN(cuMemHostAlloc, (void **, size_t, unsigned flags))                                                               \
  FN(cuMemFreeHost, (void *))                                                                                         \
  FN(cuMemHostRegister_v2, (void *, size_t, unsigned flags))                                                          \
  FN(cuMemHostUnregister, (void *))                                                                                   \
  FN(cuMemcpyHtoDAsync_v2, (CUdeviceptr, const void *, size_t, CUstream))                                             \
  FN(cuMemcpyDtoHAsync_v2, (void *, CUdeviceptr, size_t, CUstream))                                                   \
  FN(cuMemcpyDtoDAsync_v2, (CUdeviceptr, CUdeviceptr, size_t, CUstream))                                              \
  FN(cuMemcpy2DAsync_v2, (const CUDA_MEMCPY2D *, CUstream))                                                           \
  FN(cuPointerGetAttributes, (unsigned count, CUpointer_attribute *, void **values, CUdeviceptr))                      \
  FN(cuStreamGetCtx, (CUstream, CUcontext *))                                                                         \
  FN(cuStreamIsCapturing, (CUstream, CUstreamCaptureStatus *))                                                        \
  FN(cuStreamCreate, (CUstream *, unsigned flags))                                                                    \
  FN(cuStreamDestroy_v2, (CUstream))                                                                                  \
  FN(cuStreamSynchronize, (CUstream))                                                                                 \
  FN(cuStreamQuery, (CUstream))                                                                                       \
  FN(cuStreamWaitEvent, (CUstream, CUevent, unsigned flags))                                                          \
  FN(cuEventCreate, (CUevent *, unsigned flags))                                                                      \
  FN(cuEventDestroy_v2, (CUevent))                                                                                    \
  FN(cuEventRecord, (CUevent, CUstream))                                                                              \
  FN(cuEventQuery, (CUevent))                                                                                         \
  FN(cuEventSynchronize, (CUevent))                                                                                   \
  FN(cuEventElapsedTime, (float *milliseconds, CUevent, CUevent))                                                     \
  FN(cuGraphCreate, (CUgraph *, unsigned flags))                                                                      \
  FN(cuGraphAddKernelNode, (CUgraphNode *, CUgraph, const CUgraphNode *after, size_t,                                 \
                            const CUDA_KERNEL_NODE_PARAMS_v1 *))                                                      \
  FN(cuGraphAddMemcpyNode, (CUgraphNode *, CUgraph, const CUgraphNode *after, size_t, const CUDA_MEMCPY3D *,          \
                            CUcontext))                                                                               \
  FN(cuGraphAddEmptyNode, (CUgraphNode *, CUgraph, const CUgraphNode *after, size_t))                                 \
  FN(cuGraphExecKernelNodeSetParams, (CUgraphExec, CUgraphNode, const CUDA_KERNEL_NODE_PARAMS_v1 *))                  \
  FN(cuGraphInstantiateWithFlags, (CUgraphExec *, CUgraph, unsigned long long flags))                                 \
  FN(cuGraphLaunch, (CUgraphExec, CUstream))                                                                          \
  FN(cuGraphExecDestroy, (CUgraphExec))                                                                               \
  FN(cuGraphDestroy, (CUgraph))                                                                                       \
  FN(cuModuleLoadData, (CUmodule *, const void *image))                                                               \
  FN(cuModuleUnload, (CUmodule))                                                                                      \
  FN(cuModuleGetFunction, (CUfunction *, CUmodule, const char *name))                                                 \
  FN(cuFuncGetAttribute, (int *, CUfunction_attribute, CUfunction))                                                   \
  FN(cuFuncSetAttribute, (CUfunction, CUfunction_attribute, int value))                                               \
  FN(cuLaunchKernel, (CUfunction, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,       \
                      unsigned shared, CUstream, void **parameters, void **extra))

/* Newer ones (CUDA 11.8, 12.3), NULL where the driver lacks them.  edges: CUgraphEdgeData, which older cuda.h do
 * not have. */
#define FG_DRIVER_NEWER_FUNCTIONS(FN)                                                                                 \
  FN(cuGraphAddDependencies_v2, (CUgraph, const CUgraphNode *from, const CUgraphNode *to, const void *edges, size_t)) \
  FN(cuLaunchKernelEx, (const CUlaunchConfig *, CUfunction, void **parameters, void **extra))

/* cuda.h renames some of these by macro; the table must see the plain names. */
#undef cuEventElapsedTime
#undef cuGraphAddKernelNode
#undef cuGraphExecKernelNodeSetParams
#undef cuMemHostRegister

#define FG_DRIVER_MEMBER(name, parameters) CUresult(CUDAAPI *name) parameters;
typedef struct {
  FG_DRIVER_FUNCTIONS(FG_DRIVER_MEMBER)
  FG_DRIVER_NEWER_FUNCTIONS(FG_DRIVER_MEMBER)
} fg_driver;
#undef FG_DRIVER_MEMBER

extern fg_driver fg_cu; /* filled by fg_driver_start */

/* Load and initialise the driver, once per process.  Number of devices (at least 1), or FG_ENODEVICE; after fork, in
 * the child of a process that had started it, always FG_ENODEVICE, without a call into the driver. */
int fg_driver_start(void);

/* 0 if this process has started the driver and may call it, else FG_ENODEVICE. */
int fg_driver_usable(void);

/* The driver is in this process, started by us or loaded by the program, and may be called: found among the loaded objects, and
 * only looked for again when there are others than the last time, and not while or after we load it. */
bool fg_driver_present(void);

/* Why the driver cannot be had, a literal: no file of its name is where the loader looks.  NULL if there is one; then
 * it may still fail to start. */
const char *fg_driver_missing(void);

/* The program had loaded it before we did. */
bool fg_driver_of_program(void);

/* cuPointerGetAttributes of a driver that is present; CUDA_ERROR_NOT_INITIALIZED where none is. */
CUresult fg_driver_pointer(unsigned count, CUpointer_attribute *ask, void **answers, CUdeviceptr p);

/* The driver's CUDA version: 1000·major + 10·minor; 0 before fg_driver_start. */
int fg_driver_version(void);

/* 0 for CUDA_SUCCESS, else the FG_E… code that result stands for, with a message naming the call. */
int fg_driver_check(CUresult result, const char *call);

#endif
