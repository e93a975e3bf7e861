/* traffic.h: the global-memory traffic of launches as a GPU would see it, counted when a test asks for it
 * (fg_sim_traffic_begin, sim.h).  While it is on one launch may run at a time. */
#ifndef FG_SIM_TRAFFIC_H
#define FG_SIM_TRAFFIC_H

#include <stdatomic.h>
#include <stdbool.h>

extern atomic_bool fg_sim_traffic_on;

/* The running block's thread made this access; site: where in the kernel's code. */
void fg_sim_traffic_note(unsigned thread, const void *site, const void *address, unsigned bytes, int how);

/* A block, a launch has ended. */
void fg_sim_traffic_block(void);
void fg_sim_traffic_launch(void);

#endif
