/* cuda_recording.c: work that is recorded instead of done, as a CUDA graph, node by node.
 *
 * No stream is captured for it: while one is, another thread that waits for the whole context (cudaDeviceSynchronize) is told an
 * error (CUDA C++ Programming Guide, stream capture), or crashes within the driver (580.159.04). */
#include "config.h"

#include <stdlib.h>

#include "cuda/cuda_device.h"

enum { MOST_LAST = 4, MOST_PLACES = 8 };

/* How far a stream or an event is: what comes next there comes after these nodes. */
struct fg_cuda_place {
  const void *of;
  size_t count;
  CUgraphNode last[MOST_LAST];
  bool kernel; /* they are one kernel */
};

typedef struct {
  CUgraph graph;
  CUresult failed;  /* the first that did: then there is no graph */
  const char *call; /* which that was */
  size_t count;
  fg_cuda_place place[MOST_PLACES];
} recording;

static __thread recording *current;

fg_cuda_place *fg_cuda_place_of(const void *stream_or_event) {
  for (size_t i = 0; current && i < current->count; i++)
    if (current->place[i].of == stream_or_event) return &current->place[i];
  return NULL;
}

static fg_cuda_place *new_place(const void *of) {
  if (current->count == MOST_PLACES) return NULL;
  fg_cuda_place *const p = &current->place[current->count++];
  *p = (fg_cuda_place){.of = of};
  return p;
}

static CUresult noted(CUresult result, const char *call) {
  if (current->failed) return result;
  current->failed = result;
  current->call = call;
  return result;
}

/* ---- nodes ---- */

static CUresult moved(fg_cuda_place *p, CUresult result, const char *call, CUgraphNode node, bool kernel) {
  if (result) return noted(result, call);
  p->last[0] = node;
  p->count = 1;
  p->kernel = kernel;
  return CUDA_SUCCESS;
}

CUresult fg_cuda_record_kernel(const fg_device *device, fg_cuda_place *p, const fg_kernel_launch *launch) {
  CUDA_KERNEL_NODE_PARAMS_v1 parameters;
  CUgraphNode node = NULL;
  const fg_cuda_nodes after = {p->last, p->count, p->kernel};
  const CUresult result = fg_cuda_add_kernel(device, current->graph, after, launch, &parameters, &node);
  return moved(p, result, "cuGraphAddKernelNode", node, true);
}

CUresult fg_cuda_record_copy(const fg_device *device, fg_cuda_place *p, const CUDA_MEMCPY3D *what) {
  CUgraphNode node = NULL;
  const CUresult result =
      fg_cu.cuGraphAddMemcpyNode(&node, current->graph, p->last, p->count, what, device->context);
  return moved(p, result, "cuGraphAddMemcpyNode", node, false);
}

/* ---- order ---- */

static const char too_many[] = "streams and events of a recording";

CUresult fg_cuda_record_event(const fg_cuda_place *p, const void *event) {
  fg_cuda_place *e = fg_cuda_place_of(event);
  if (!e) e = new_place(event);
  if (!e) return noted(CUDA_ERROR_OUT_OF_MEMORY, too_many);
  *e = *p;
  e->of = event;
  return CUDA_SUCCESS;
}

/* Those of both, each once: a node that is named twice is refused. */
static size_t merge(const fg_cuda_place *a, const fg_cuda_place *b, CUgraphNode all[2 * MOST_LAST]) {
  size_t n = 0;
  for (; n < a->count; n++) all[n] = a->last[n];
  for (size_t i = 0; i < b->count; i++) {
    size_t same = 0;
    while (same < a->count && a->last[same] != b->last[i]) same++;
    if (same == a->count) all[n++] = b->last[i];
  }
  return n;
}

CUresult fg_cuda_record_wait(const void *stream, const fg_cuda_place *event) {
  CUgraphNode all[2 * MOST_LAST], join = NULL;
  fg_cuda_place *p = fg_cuda_place_of(stream);
  if (!p) p = new_place(stream);
  if (!p) return noted(CUDA_ERROR_OUT_OF_MEMORY, too_many);
  const size_t n = merge(p, event, all);
  if (n == p->count) return CUDA_SUCCESS;
  if (n > MOST_LAST) {
    const CUresult result = fg_cu.cuGraphAddEmptyNode(&join, current->graph, all, n);
    return moved(p, result, "cuGraphAddEmptyNode", join, false);
  }
  for (size_t i = 0; i < n; i++) p->last[i] = all[i];
  p->count = n;
  p->kernel = false;
  return CUDA_SUCCESS;
}

static CUresult refuse(const char *call) { return noted(CUDA_ERROR_STREAM_CAPTURE_ISOLATION, call); }

int fg_cuda_not_recorded(fg_device *device, const void *stream_or_event, const char *call) {
  if (!fg_cuda_place_of(stream_or_event)) return FG_OK;
  return FG_CUDA_CALL(device, call, refuse(call));
}

/* ---- from begin to end ---- */

/* One within another is refused: what the outer one goes on to record must not be done instead. One that was left by longjmp stays,
 * whose streams nobody uses any more. */
int fg_cuda_graph_begin(fg_device *device, fg_stream *stream) {
  if (current) return fg_backend_fail(FG_ELAUNCH, "this thread is recording already");
  recording *r = calloc(1, sizeof *r);
  if (!r) return fg_backend_fail(FG_ENOMEM, "no host memory");
  const int code = FG_CUDA_CALL(device, "cuGraphCreate", fg_cu.cuGraphCreate(&r->graph, 0));
  if (code) {
    free(r);
    return code;
  }
  current = r;
  new_place(stream);
  return FG_OK;
}

static CUresult instantiate(const recording *r, CUgraphExec *exec) {
  return r->failed ? r->failed : fg_cu.cuGraphInstantiateWithFlags(exec, r->graph, 0);
}

int fg_cuda_graph_end(fg_device *device, fg_stream *stream, fg_graph **graph) {
  recording *const r = current;
  CUgraphExec exec = NULL;
  (void)stream;
  if (!r) return fg_backend_fail(FG_ELAUNCH, "this thread is not recording");
  current = NULL;
  const int code = FG_CUDA_CALL(device, r->failed ? r->call : "cuGraphInstantiate", instantiate(r, &exec));
  if (code != FG_ELOST && code != FG_ENODEVICE) fg_cu.cuGraphDestroy(r->graph);
  free(r);
  if (!code) *graph = (fg_graph *)exec;
  return code;
}

int fg_cuda_graph_launch(fg_device *device, fg_graph *graph, fg_stream *stream) {
  const int code = fg_cuda_not_recorded(device, stream, "cuGraphLaunch");
  if (code) return code;
  return FG_CUDA_CALL(device, "cuGraphLaunch", fg_cu.cuGraphLaunch((CUgraphExec)graph, (CUstream)stream));
}

void fg_cuda_graph_destroy(fg_device *device, fg_graph *graph) {
  if (graph) FG_CUDA_TRY(device, fg_cu.cuGraphExecDestroy((CUgraphExec)graph));
}
