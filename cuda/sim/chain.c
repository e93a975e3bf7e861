/* chain.c: chains of the simulated device: launches that are kept, each with its own copy of its arguments. */
#include "config.h"

#include "cuda/sim/chain.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/sim/fault.h"

struct fg_chain {
  int count;
  fg_kernel_launch launch[];
};

static atomic_size_t alive;

size_t fg_sim_chain_count(void) { return alive; }

static void *copy_of(const void *args, size_t bytes) {
  void *copy = malloc(bytes);
  if (copy) memcpy(copy, args, bytes);
  return copy;
}

int fg_sim_chain_make(fg_device *device, int count, const fg_kernel_launch *list, fg_chain **chain) {
  const int fault = fg_fault_due(FG_FAULT_CHAIN);
  (void)device;
  if (fault) return fault;
  fg_chain *c = calloc(1, sizeof *c + (size_t)count * sizeof *c->launch);
  if (!c) return fg_backend_fail(FG_ENOMEM, "sim: no host memory for a chain");
  alive++;
  for (c->count = 0; c->count < count; c->count++) {
    fg_kernel_launch *const l = &c->launch[c->count];
    *l = list[c->count];
    l->args = copy_of(l->args, l->args_bytes);
    if (l->args) continue;
    fg_sim_chain_destroy(device, c);
    return fg_backend_fail(FG_ENOMEM, "sim: no host memory for a chain");
  }
  *chain = c;
  return FG_OK;
}

int fg_sim_chain_set(fg_device *device, fg_chain *c, int which, const void *args) {
  fg_kernel_launch *const l = &c->launch[which];
  const int fault = fg_fault_due(FG_FAULT_CHAIN);
  (void)device;
  if (!fault) memcpy((void *)l->args, args, l->args_bytes);
  return fault;
}

void fg_sim_chain_destroy(fg_device *device, fg_chain *c) {
  (void)device;
  if (!c) return;
  for (int i = 0; i < c->count; i++) free((void *)c->launch[i].args);
  free(c);
  alive--;
}

int fg_sim_chain_run(const fg_chain *c, int (*launch)(fg_device *, const fg_kernel_launch *), fg_device *device) {
  int code = fg_fault_due(FG_FAULT_CHAIN);
  for (int i = 0; code == FG_OK && i < c->count; i++) code = launch(device, &c->launch[i]);
  return code;
}
