/* fake_cuda.h: what a test may see and set in the fake CUDA driver. */
#ifndef FAKE_CUDA_H
#define FAKE_CUDA_H

typedef struct {
  int calls;        /* into any function */
  int pushes;       /* of contexts */
  int loads, unloads; /* of modules */
  int rounding;     /* rounding mode at the last load */
  int shared;       /* last value of the dynamic shared memory attribute */
  int busy;         /* so many times more a query finds work under way */
  int context_depth; /* of the thread that called last */
  const char *fail; /* name of the function that fails next, once */
  int result;       /* with this CUresult */
} fake_cuda_state;

#endif
