/* memory.c: the device memory of this process. */
#include "src/run/memory.h"

#include <stdatomic.h>
#include <string.h>

#include "src/report/log.h"
#include "src/report/settings.h"
#include "src/run/lane.h"
#include "src/run/ranks.h"
#include "src/run/slot.h"

size_t fg_memory_most = 0;

static const double share_of_free = 0.9;
/* Taken and given back in 1.1 ms on the reference H200 (tests/bench/memory_times.c); filling it takes 78. */
size_t fg_memory_most_idle = (size_t)4 << 30;

/* Of each device. */
enum { DEVICES = 64 };
static struct {
  atomic_size_t used, limit; /* limit: 0 until it is asked for */
} of[DEVICES];

static int index_of(const fg_target *t) { return t->ordinal < DEVICES ? t->ordinal : DEVICES - 1; }

size_t fg_memory_used(void) {
  size_t all = 0;
  for (int i = 0; i < DEVICES; i++) all += atomic_load(&of[i].used);
  return all;
}

static size_t default_limit(const fg_target *t) {
  size_t available = 0;
  const int devices = t->backend->count();
  if (t->backend->memory_available(t->device, &available) != FG_OK) available = t->info->memory;
  return (size_t)(share_of_free * (double)available / fg_ranks_sharing(devices));
}

static size_t limit_of(const fg_target *t) {
  const fg_settings *s = fg_settings_get();
  if (s->memory) return s->memory;
  return s->memory_percent > 0 ? (size_t)(s->memory_percent / 100 * (double)t->info->memory) : default_limit(t);
}

size_t fg_memory_limit(const fg_target *t) {
  atomic_size_t *const limit = &of[index_of(t)].limit;
  size_t known = atomic_load(limit);
  if (fg_memory_most) return fg_memory_most;
  if (known) return known;
  known = limit_of(t);
  atomic_store(limit, known ? known : 1);
  fg_log(FG_LOG_INFO, "at most %zu MB of the memory of device %d", known >> 20, t->ordinal);
  return known;
}

size_t fg_memory_needed_limit(const fg_target *t) { return fg_memory_limit(t) / 4; }

size_t fg_memory_idle_limit(const fg_target *t) {
  const size_t quarter = fg_memory_needed_limit(t);
  return quarter < fg_memory_most_idle ? quarter : fg_memory_most_idle;
}

void fg_memory_device(const fg_target *t, size_t theirs, fg_device_info *device) {
  const size_t limit = fg_memory_limit(t);
  memcpy(device, t->info, sizeof *device); /* what lies between its members, too: plans are looked up by it */
  if (limit < device->memory && theirs < device->memory - limit) device->memory = limit + theirs;
}

/* What does not fit is never counted: another thread's that does would be refused meanwhile. */
static int reserve(atomic_size_t *used, size_t limit, size_t bytes) {
  size_t before = atomic_load(used);
  do {
    if (bytes > limit || before > limit - bytes)
      return fg_backend_fail(FG_ENOMEM, "%zu MB more than the %zu MB of device memory in use would be over the limit",
                             bytes >> 20, before >> 20);
  } while (!atomic_compare_exchange_weak(used, &before, before + bytes));
  return FG_OK;
}

static int allocate(const fg_target *t, size_t bytes, void **memory) {
  atomic_size_t *const used = &of[index_of(t)].used;
  int code = reserve(used, fg_memory_limit(t), bytes);
  if (code != FG_OK) return code;
  code = t->backend->memory_alloc(t->device, bytes, memory);
  if (code != FG_OK) atomic_fetch_sub(used, bytes);
  return code;
}

int fg_memory_alloc(const fg_target *t, size_t bytes, void **memory) {
  int code = allocate(t, bytes, memory);
  while (code == FG_ENOMEM && (fg_slot_give_up_oldest(t) || fg_lane_give_up(t))) code = allocate(t, bytes, memory);
  return code;
}

void fg_memory_free(const fg_target *t, void *memory, size_t bytes) {
  if (!memory) return;
  t->backend->memory_free(t->device, memory);
  atomic_fetch_sub(&of[index_of(t)].used, bytes);
}
