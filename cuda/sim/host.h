/* host.h: host memory registered with the simulated device. */
#ifndef FG_SIM_HOST_H
#define FG_SIM_HOST_H

#include <stddef.h>

/* As the backend's host_register and host_unregister.  A range that is not whole pages, that has a page registered
 * already, or that was never registered is a violation. */
int fg_sim_host_register(void *memory, size_t bytes);
int fg_sim_host_unregister(void *memory);

/* With FFTW3_GPU_SIM_PAGES=1: every registered address still has the page that was registered, else a violation. */
int fg_sim_host_check(void);

size_t fg_sim_host_count(void); /* ranges registered now */

#endif
