/* compile.h: kernels as shared objects of the host: compiled, kept in the kernel store, loaded. */
#ifndef FG_SIM_COMPILE_H
#define FG_SIM_COMPILE_H

#include "cuda/backend.h"
#include "cuda/sim/cuda_on_cpu.h"

struct fg_kernel {
  fg_kernel *next;
  char *key;
  char *name; /* for messages: "entry (source)" */
  const fg_sim_exports *exports;
  size_t shared; /* dynamic shared memory its requests announced, at most */
};

/* fg_backend.kernels: every request's kernel, from memory, from the store, or compiled. */
/* Whether none of them would have to be compiled. */
bool fg_sim_kernels_kept(int count, const fg_kernel_request *);

int fg_sim_kernels(int count, const fg_kernel_request *, fg_kernel **);

/* Compiler runs so far. */
size_t fg_sim_compiles(void);

#endif
