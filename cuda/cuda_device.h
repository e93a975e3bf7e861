/* cuda_device.h: one opened CUDA device, how a call enters its context, and what each file does of the contract
 * (backend.h); shared by cuda.c and the cuda_*.c beside it. */
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
  CUcontext before; /* this thread's, or NULL */
  CUstreamCaptureMode capture; /* of this thread's before, if it was exchanged */
  bool exchanged;
} fg_cuda_scope;

/* Make the device's context current.  0, or FG_ENODEVICE (forked child) or FG_ELOST: then there is nothing to leave. */
int fg_cuda_enter(fg_device *device, fg_cuda_scope *scope);

/* Put the thread back as it was and judge the result of what was called in between: 0, or FG_E… and a message. */
int fg_cuda_leave(fg_device *device, const fg_cuda_scope *scope, CUresult result, const char *call);

/* Evaluate call, a CUresult, in the device's context: 0, or FG_E… and a message that begins with name. */
#define FG_CUDA_CALL(device, name, call)                                  \
  ({                                                                      \
    fg_cuda_scope scope_;                                                 \
    const int code_ = fg_cuda_enter(device, &scope_);                     \
    code_ ? code_ : fg_cuda_leave(device, &scope_, (call), name);         \
  })

/* The same, whatever comes of it. */
#define FG_CUDA_TRY(device, call) ((void)FG_CUDA_CALL(device, "", ((void)(call), CUDA_SUCCESS)))

/* The context that the program has made current in this thread, also between begin and end; NULL: none. */
CUcontext fg_cuda_programs_context(void);

/* fg_driver_check, which also remembers that the device is lost. */
int fg_cuda_check(fg_device *device, CUresult result, const char *call);

/* An opened device; NULL if that one is not. */
fg_device *fg_cuda_opened(int ordinal);

/* ---- what fulfils the contract, by its names there ---- */

/* cuda_memory.c */
bool fg_cuda_pointers(void);
bool fg_cuda_used_by_program(void);
void fg_cuda_pointer(const void *p, fg_pointer *what);
int fg_cuda_memory_alloc(fg_device *, size_t bytes, void **memory);
int fg_cuda_memory_free(fg_device *, void *memory);
int fg_cuda_memory_available(fg_device *, size_t *free_bytes);
int fg_cuda_pinned_alloc(fg_device *, size_t bytes, void **memory);
void fg_cuda_pinned_free(fg_device *, void *memory);
int fg_cuda_host_register(fg_device *, void *memory, size_t bytes);
int fg_cuda_host_unregister(fg_device *, void *memory);
int fg_cuda_copy_in(fg_device *, void *device_to, const void *host_from, size_t bytes, fg_stream *);
int fg_cuda_copy_out(fg_device *, void *host_to, const void *device_from, size_t bytes, fg_stream *);
int fg_cuda_copy_within(fg_device *, void *device_to, const void *device_from, size_t bytes, fg_stream *);
int fg_cuda_copy_rows_in(fg_device *, void *device_to, const void *host_from, fg_copy_rows, fg_stream *);
int fg_cuda_copy_rows_out(fg_device *, void *host_to, const void *device_from, fg_copy_rows, fg_stream *);

/* cuda_stream.c */
int fg_cuda_stream_create(fg_device *, fg_stream **);
void fg_cuda_stream_destroy(fg_device *, fg_stream *);
int fg_cuda_stream_of_program(fg_device *, void *native, fg_stream **);
void fg_cuda_owner_wait(fg_device *, void *owner);
int fg_cuda_stream_wait(fg_device *, fg_stream *);
int fg_cuda_launch(fg_device *, fg_kernel *, unsigned grid, unsigned block, size_t shared, const void *args,
                   size_t args_bytes, fg_stream *);
int fg_cuda_event_create(fg_device *, fg_event **);
void fg_cuda_event_destroy(fg_device *, fg_event *);
int fg_cuda_event_record(fg_device *, fg_event *, fg_stream *);
int fg_cuda_event_elapsed(fg_device *, fg_event *a, fg_event *b, double *seconds);
int fg_cuda_stream_wait_event(fg_device *, fg_stream *, fg_event *);
int fg_cuda_event_wait(fg_device *, fg_event *);
int fg_cuda_event_reached(fg_device *, fg_event *);

/* Whether its blocks may take their places before the launch before has ended, for whose end they wait by themselves
 * (memory.h). */
bool fg_cuda_depends(const fg_device *, const fg_kernel *);

/* cuda_recording.c */
int fg_cuda_graph_begin(fg_device *, fg_stream *);
int fg_cuda_graph_end(fg_device *, fg_stream *, fg_graph **);
int fg_cuda_graph_launch(fg_device *, fg_graph *, fg_stream *);
void fg_cuda_graph_destroy(fg_device *, fg_graph *);

/* Where a stream or an event is in what the calling thread records; NULL: it is not recorded, but used. */
typedef struct fg_cuda_place fg_cuda_place;
fg_cuda_place *fg_cuda_place_of(const void *stream_or_event);

/* Next in a stream: a kernel; a copy. An event is where a stream is; what comes later in a stream comes after an event, too.
 * Streams and events of the recording, and others, have nothing to do with each other. */
CUresult fg_cuda_record_kernel(const fg_device *, fg_cuda_place *stream, const fg_kernel_launch *);
CUresult fg_cuda_record_copy(const fg_device *, fg_cuda_place *stream, const CUDA_MEMCPY3D *);
CUresult fg_cuda_record_event(const fg_cuda_place *stream, const void *event);
CUresult fg_cuda_record_wait(const void *stream, const fg_cuda_place *event);

/* 0, if it is not recorded; else what call does is not for a recording, of which there will be no graph. */
int fg_cuda_not_recorded(fg_device *, const void *stream_or_event, const char *call);

/* cuda_chain.c */
int fg_cuda_chain_make(fg_device *, int count, const fg_kernel_launch *, fg_chain **);
int fg_cuda_chain_set(fg_device *, fg_chain *, int which, const void *args);
int fg_cuda_chain_launch(fg_device *, fg_chain *, fg_stream *);
void fg_cuda_chain_destroy(fg_device *, fg_chain *);

/* Nodes of a graph, which are one kernel or not. */
typedef struct {
  const CUgraphNode *node;
  size_t count;
  bool kernel;
} fg_cuda_nodes;

/* A kernel after those, as parameters then say but for the arguments, which the graph keeps: after one kernel it begins as a
 * dependent launch does, where it may. */
CUresult fg_cuda_add_kernel(const fg_device *, CUgraph, fg_cuda_nodes after, const fg_kernel_launch *,
                            CUDA_KERNEL_NODE_PARAMS_v1 *parameters, CUgraphNode *node);

/* cuda_kernels.c */
bool fg_cuda_kernels_kept(fg_device *, int count, const fg_kernel_request *);
int fg_cuda_kernels(fg_device *device, int count, const fg_kernel_request *requests, fg_kernel **kernels);

/* The function of a kernel, for a launch. */
CUfunction fg_cuda_function(const fg_kernel *kernel);

/* It waits by itself for the launch before (memory.h): those of cuda/kernel/ do that are compiled for sm_90 and later. */
bool fg_cuda_waits(const fg_kernel *kernel);

#endif
