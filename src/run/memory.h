/* memory.h: the device memory of this process: how much of each device's it may have at once, and what it gives up
 * there to get more. */
#ifndef FG_MEMORY_H
#define FG_MEMORY_H

#include "src/run/target.h"

/* bytes of the device's memory. When the limit or the device has no more, idle slots are given up, those not used for longest
 * first, before it fails with FG_ENOMEM. free takes the same number of bytes. */
int fg_memory_alloc(const fg_target *, size_t bytes, void **memory);
void fg_memory_free(const fg_target *, void *memory, size_t bytes);

/* What this process may have of that device: FFTW3_GPU_MEMORY, else nine tenths of what was free on the device when this was first
 * asked, divided by the processes of this program that share it (src/run/ranks.h). */
size_t fg_memory_limit(const fg_target *);

/* What it may keep while nothing runs: a quarter of the limit, 4 GB at most; what plans are known to need, all of the quarter. */
size_t fg_memory_idle_limit(const fg_target *);
size_t fg_memory_needed_limit(const fg_target *);

/* The device for planners: its memory is what this process may have, and theirs: bytes of the program's own arrays there. */
void fg_memory_device(const fg_target *, size_t theirs, fg_device_info *device);

/* What it has now, of all devices. */
size_t fg_memory_used(void);

/* Other limits, for tests: of all (0: as above), and of what may stay. */
extern size_t fg_memory_most, fg_memory_most_idle;

#endif
