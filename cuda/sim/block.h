/* block.h: the simulated multiprocessor: runs a block's threads one by one, switching where they wait. */
#ifndef FG_SIM_BLOCK_H
#define FG_SIM_BLOCK_H

#include "cuda/sim/cuda_on_cpu.h"

#include <stddef.h>

typedef struct {
  const char *name;   /* for messages */
  int ordinal;        /* of the device */
  const fg_sim_exports *exports;
  unsigned grid, block;
  size_t shared;      /* bytes */
  const void *args;
} fg_sim_launch;

enum { FG_CLUSTER_BLOCKS = 16 }; /* of a cluster at most: as many as a device allows */

/* Run all blocks, cluster by cluster.  0, or a code with the message set; the launch has already been found valid. */
int fg_sim_run_grid(const fg_sim_launch *);

/* A violation: set the message, abort if FFTW3_GPU_SIM_ABORT=1, return FG_ELAUNCH. */
int fg_sim_violation(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
