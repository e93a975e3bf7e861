/* fake_cuda.h: what a test may see and set in the fake CUDA driver. */
#ifndef FAKE_CUDA_H
#define FAKE_CUDA_H

typedef struct {
  int calls;        /* into any function */
  int pushes;       /* of contexts */
  int loads, unloads; /* of modules */
  int rounding;     /* rounding mode at the last load */
  int dependent;    /* launches that need not wait for the end of the one before */
  int graphs;       /* made here or there and not destroyed, those that can be launched included */
  int edges, early; /* of graphs: to a kernel that waits for the end of the one before, or only for its last stage */
  int nodes;        /* of the last graph */
  char story[512];  /* it: " c1 k2<1 k3 2~3 e4<3": a copy, a kernel after it, another that begins early, an empty node */
  int kernel[4];    /* grid, block, shared memory and first int of the arguments of its last kernel */
  int set_value;    /* the first int of the arguments that a graph's kernel was last set to */
  int shared;       /* last value of the dynamic shared memory attribute */
  int older;        /* kernels are for an architecture so much below sm_90 */
  int capturing;    /* so many times more the default stream cannot be used */
  int synchronized; /* streams that were waited for */
  int busy;         /* so many times more a query finds work under way */
  int context_depth; /* of the thread that called last */
  void *waited_in;  /* context of the last wait for a stream */
  unsigned memory_type, managed, alien; /* what it says of any pointer */
  const char *fail; /* name of the function that fails next, once */
  int result;       /* with this CUresult */
} fake_cuda_state;

/* Streams: of another context, being captured. */
#define FAKE_ALIEN ((CUstream)0x2101)
#define FAKE_CAPTURING ((CUstream)0x2102)

#endif
