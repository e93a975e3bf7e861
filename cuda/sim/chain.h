/* chain.h: chains of the simulated device. */
#ifndef FG_SIM_CHAIN_H
#define FG_SIM_CHAIN_H

#include "cuda/backend.h"

int fg_sim_chain_make(fg_device *, int count, const fg_kernel_launch *, fg_chain **);
int fg_sim_chain_set(fg_device *, fg_chain *, int which, const void *args);
void fg_sim_chain_destroy(fg_device *, fg_chain *);

/* Its launches, of which launch does one. */
int fg_sim_chain_run(const fg_chain *, int (*launch)(fg_device *, const fg_kernel_launch *), fg_device *);

size_t fg_sim_chain_count(void); /* of those that are alive */

#endif
