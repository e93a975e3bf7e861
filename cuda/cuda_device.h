/* cuda_device.h: one opened CUDA device, and how a call enters its context; shared by cuda.c and cuda_kernels.c. */
#ifndef FG_CUDA_DEVICE_H
#define FG_CUDA_DEVICE_H

#include <pthread.h>
#include <stdatomic.h>

#include "cuda/backend.h"
#include "cuda/cuda_driver.h"

struct fg_device {
  CUdevice id;
  CUcontext context; /* the primary one, shared with the program if it uses CUDA itself */
  fg_device_info info;
  atomic_bool lost;        /* no call reaches the driver any more; set after lost_message */
  char lost_message[256];
  pthread_mutex_t lock;    /* of kernels and of the writing of lost_message */
  fg_kernel *kernels;      /* all that were ever loaded */
};

/* What a call of ours must put back in the calling thread. */
typedef struct {
  bool nested; /* within begin and end: nothing to put back */
  bool pushed;
  CUstreamCaptureMode capture;
} fg_cuda_scope;

/* Make the device's context current.  0, or FG_ENODEVICE (forked child) or FG_ELOST: then there is nothing to leave. */
int fg_cuda_enter(fg_device *device, fg_cuda_scope *scope);

/* Put the thread back as it was and judge the result of what was called in between: 0, or FG_E… and a message. */
int fg_cuda_leave(fg_device *device, const fg_cuda_scope *scope, CUresult result, const char *call);

/* fg_driver_check, which also remembers that the device is lost. */
int fg_cuda_check(fg_device *device, CUresult result, const char *call);

/* The backend's kernels(). */
bool fg_cuda_kernels_kept(fg_device *, int count, const fg_kernel_request *);
int fg_cuda_kernels(fg_device *device, int count, const fg_kernel_request *requests, fg_kernel **kernels);

/* The function of a kernel, for a launch. */
CUfunction fg_cuda_function(const fg_kernel *kernel);

#endif
