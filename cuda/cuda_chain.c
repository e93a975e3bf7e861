/* cuda_chain.c: kernels given to the device at once, as a CUDA graph whose kernels take other arguments each time: one
 * call of the driver's for all, which takes it about as long as one launch does. */
#include "config.h"

#include <stdlib.h>

#include "cuda/cuda_device.h"

typedef struct {
  CUgraphNode node;
  CUDA_KERNEL_NODE_PARAMS_v1 parameters; /* but for the arguments */
} link_of;

struct fg_chain {
  CUgraph graph; /* as long as the nodes are named */
  CUgraphExec exec;
  link_of link[];
};

/* CUgraphEdgeData: a kernel's blocks may take their places once those of the one before have all begun or ended. */
static const struct {
  unsigned char from_port, to_port, type, reserved[5];
} early = {.from_port = 1 /* CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC */, .type = 1 /* CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC */};

CUresult fg_cuda_add_kernel(const fg_device *device, CUgraph graph, fg_cuda_nodes after, const fg_kernel_launch *l,
                            CUDA_KERNEL_NODE_PARAMS_v1 *parameters, CUgraphNode *node) {
  void *args[] = {(void *)l->args};
  const bool depends = after.kernel && fg_cu.cuGraphAddDependencies_v2 && fg_cuda_depends(device, l->kernel);
  *parameters = (CUDA_KERNEL_NODE_PARAMS_v1){
      .func = fg_cuda_function(l->kernel), .gridDimX = l->grid, .gridDimY = 1, .gridDimZ = 1, .blockDimX = l->block,
      .blockDimY = 1, .blockDimZ = 1, .sharedMemBytes = (unsigned)l->shared, .kernelParams = args};
  const CUresult result = fg_cu.cuGraphAddKernelNode(node, graph, after.node, depends ? 0 : after.count, parameters);
  parameters->kernelParams = NULL;
  return result || !depends ? result : fg_cu.cuGraphAddDependencies_v2(graph, after.node, node, &early, 1);
}

static CUresult add(const fg_device *device, fg_chain *c, int i, const fg_kernel_launch *l) {
  const fg_cuda_nodes after = {i > 0 ? &c->link[i - 1].node : NULL, i > 0, i > 0};
  return fg_cuda_add_kernel(device, c->graph, after, l, &c->link[i].parameters, &c->link[i].node);
}

static void take_apart(fg_chain *c) {
  if (c->exec) fg_cu.cuGraphExecDestroy(c->exec);
  if (c->graph) fg_cu.cuGraphDestroy(c->graph);
}

static CUresult make(const fg_device *device, fg_chain *c, int count, const fg_kernel_launch *list) {
  CUresult result = fg_cu.cuGraphCreate(&c->graph, 0);
  for (int i = 0; !result && i < count; i++) result = add(device, c, i, &list[i]);
  if (!result) result = fg_cu.cuGraphInstantiateWithFlags(&c->exec, c->graph, 0);
  if (result) take_apart(c);
  return result;
}

int fg_cuda_chain_make(fg_device *device, int count, const fg_kernel_launch *list, fg_chain **chain) {
  fg_chain *c = calloc(1, sizeof *c + (size_t)count * sizeof *c->link);
  if (!c) return fg_backend_fail(FG_ENOMEM, "no host memory");
  const int code = FG_CUDA_CALL(device, "cuGraphInstantiate", make(device, c, count, list));
  if (code) free(c);
  else *chain = c;
  return code;
}

int fg_cuda_chain_set(fg_device *device, fg_chain *c, int which, const void *args) {
  void *parameters[] = {(void *)args};
  CUDA_KERNEL_NODE_PARAMS_v1 changed = c->link[which].parameters;
  changed.kernelParams = parameters;
  return FG_CUDA_CALL(device, "cuGraphExecKernelNodeSetParams",
                      fg_cu.cuGraphExecKernelNodeSetParams(c->exec, c->link[which].node, &changed));
}

/* The stream of each thread has the same name in all of them, so that a chain of that name would make them wait for each other. */
int fg_cuda_chain_launch(fg_device *device, fg_chain *c, fg_stream *stream) {
  if ((CUstream)stream == CU_STREAM_PER_THREAD) return fg_backend_fail(FG_ELAUNCH, "a stream of each thread");
  const int code = fg_cuda_not_recorded(device, stream, "cuGraphLaunch");
  if (code) return code;
  return FG_CUDA_CALL(device, "cuGraphLaunch", fg_cu.cuGraphLaunch(c->exec, (CUstream)stream));
}

void fg_cuda_chain_destroy(fg_device *device, fg_chain *c) {
  if (c) FG_CUDA_TRY(device, take_apart(c));
  free(c);
}
