/* device_memory.h: memory of devices for the program, and copies between any two kinds of memory. */
#ifndef FG_DEVICE_MEMORY_H
#define FG_DEVICE_MEMORY_H

#include "cuda/backend.h"

/* As the backend's functions: 0 or a negative code and fg_backend_message(). */
int fg_device_memory_alloc(void **memory, size_t bytes);

/* memory must be the start of an allocation of a device. */
int fg_device_memory_free(void *memory);

/* After what the program's default stream had to do; done on return. */
int fg_device_memory_copy(void *to, const void *from, size_t bytes);

#endif
