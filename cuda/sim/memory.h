/* memory.h: simulated device memory: every allocation, and what was done to each of its words. */
#ifndef FG_SIM_MEMORY_H
#define FG_SIM_MEMORY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One allocation.  A note per word of 4 bytes, packed: see memory.c. */
typedef struct {
  char *memory; /* aligned to 256 bytes, as on the device; guard zones on both sides */
  size_t bytes;
  _Atomic uint64_t *notes;
  int ordinal;  /* of its device */
  bool adopted; /* memory of the host's: no guard zones, not counted, for every device */
  bool managed; /* the host reaches it too; for every device */
} fg_sim_allocation;

/* Who touches global memory: one launch on a device, its running block, and the allocations it met last (reading,
 * writing). */
typedef struct {
  uint32_t launch, block;
  int ordinal;
  const fg_sim_allocation *last[2];
} fg_sim_toucher;

typedef enum {
  FG_TOUCH_FINE,
  FG_TOUCH_OUTSIDE,    /* of every live allocation of this device */
  FG_TOUCH_MISALIGNED, /* address is no multiple of the access's size */
  FG_TOUCH_UNWRITTEN,  /* a word is read that nothing ever wrote */
  FG_TOUCH_RACE        /* another block of this launch touched a word, one of the two writing */
} fg_sim_touch_result;

/* bytes must fit beside all else in limit.  NULL when they do not, or the host has no memory. */
void *fg_sim_memory_new(size_t bytes, size_t limit, int ordinal, bool managed);

/* Memory of the host that kernels may reach from now on, all of it written; and no more.  false on lack of memory. */
bool fg_sim_memory_adopt(void *memory, size_t bytes);
void fg_sim_memory_disown(void *memory);

/* 0; -1: no such allocation; -2: freed, but its guard zones had been written. */
int fg_sim_memory_drop(void *memory);

size_t fg_sim_memory_used(void);  /* bytes */
size_t fg_sim_memory_count(void); /* allocations */

/* Between lock and unlock nothing is allocated or freed; many may hold it at once.  The next three need it. */
void fg_sim_memory_lock(void);
void fg_sim_memory_unlock(void);

/* The allocation that holds all of [address, address + bytes), or NULL. */
const fg_sim_allocation *fg_sim_memory_find(const void *address, size_t bytes);

/* A copy from the host wrote these words of a: each counts as written. */
void fg_sim_memory_mark(const fg_sim_allocation *a, const void *address, size_t bytes);

/* Note an access of a kernel, or say what is wrong with it (then *with is the other block of a race). */
#define FG_TOUCH_SEVERAL UINT32_MAX
fg_sim_touch_result fg_sim_memory_touch(fg_sim_toucher *, const void *address, unsigned bytes, bool write,
                                        uint32_t *with);

/* "offset 16 of an allocation of 64 bytes", for messages. */
void fg_sim_memory_describe(const void *address, char *text, size_t text_bytes);

#endif
