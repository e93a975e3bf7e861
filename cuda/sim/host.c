/* host.c: host memory registered with the simulated device: what a driver would refuse, or take and regret, is a
 * violation. Kernels may reach it like memory of the device. */
#include "config.h"

#include "cuda/sim/host.h"

#include "cuda/backend.h"
#include "cuda/sim/block.h"
#include "cuda/sim/memory.h"
#include "cuda/sim/pages.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct range {
  char *memory;
  size_t bytes;
  fg_sim_pages *pages;
  struct range *next;
} range;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static range *ranges;
static size_t count;

/* With the lock held. */
static const range *overlapping(const char *memory, size_t bytes) {
  for (const range *r = ranges; r; r = r->next)
    if ((uintptr_t)memory < (uintptr_t)r->memory + r->bytes && (uintptr_t)r->memory < (uintptr_t)memory + bytes)
      return r;
  return NULL;
}

static int add(char *memory, size_t bytes) {
  if (overlapping(memory, bytes))
    return fg_sim_violation("host_register: part of %zu bytes at %p is registered already", bytes, (void *)memory);
  range *r = malloc(sizeof *r);
  if (!r || !fg_sim_memory_adopt(memory, bytes)) {
    free(r);
    r = NULL;
  }
  if (!r)
    return fg_backend_fail(FG_ENOMEM, "sim: no host memory for a registration");
  *r = (range){memory, bytes, fg_sim_pages_keep(memory, bytes), ranges};
  ranges = r;
  count++;
  return 0;
}

int fg_sim_host_register(void *memory, size_t bytes) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  if (bytes == 0 || (uintptr_t)memory % page || bytes % page)
    return fg_sim_violation("host_register: %zu bytes at %p are not whole pages", bytes, memory);
  pthread_mutex_lock(&lock);
  int result = add(memory, bytes);
  pthread_mutex_unlock(&lock);
  return result;
}

/* With the lock held. */
static int take_out(const char *memory) {
  range **at = &ranges;
  while (*at && (*at)->memory != memory)
    at = &(*at)->next;
  if (!*at)
    return fg_sim_violation("host_unregister: %p is not registered", (const void *)memory);
  range *r = *at;
  *at = r->next;
  fg_sim_memory_disown(r->memory);
  fg_sim_pages_drop(r->pages);
  free(r);
  count--;
  return 0;
}

int fg_sim_host_unregister(void *memory) {
  pthread_mutex_lock(&lock);
  int result = take_out(memory);
  pthread_mutex_unlock(&lock);
  return result;
}

/* With the lock held. */
static const char *changed(void) {
  const char *where = NULL;
  for (const range *r = ranges; r && !where; r = r->next)
    where = fg_sim_pages_changed(r->pages);
  return where;
}

int fg_sim_host_check(void) {
  pthread_mutex_lock(&lock);
  const char *where = changed();
  pthread_mutex_unlock(&lock);
  return where ? fg_sim_violation("registered memory at %p is no longer what was registered", (const void *)where) : 0;
}

size_t fg_sim_host_count(void) {
  pthread_mutex_lock(&lock);
  size_t n = count;
  pthread_mutex_unlock(&lock);
  return n;
}
