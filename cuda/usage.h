/* usage.h: what the compiler says that a kernel takes. */
#ifndef FG_USAGE_H
#define FG_USAGE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
  unsigned registers; /* a thread */
  unsigned spilled;   /* bytes of local memory a thread: what did not fit */
  /* It spills, but the register that points there has something else meanwhile, so that it reads and writes anywhere: seen of
   * ptxas 13.0 with some kernels that load ahead (doc/measurements.md, "Stages ahead").  Such a kernel must not run.  Only to be
   * asked for compute capability 7.0 and up. */
  bool loses_stack;
} fg_usage;

/* Of a cubin that has one kernel: the attributes in .nv.info, as cuobjdump --dump-resource-usage shows them, and its
 * instructions, if it spills.  false if it is none, or does not say. */
bool fg_usage_of(const void *cubin, size_t bytes, fg_usage *);

#endif
