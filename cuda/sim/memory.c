/* memory.c: simulated device memory.  Allocations lie in an array sorted by address, under a read-write lock.
 *
 * A word's note: bit 63 written ever · bits 40–62 launch that touched it last · bits 20–39 block of that launch that
 * wrote it · bits 0–19 block that read it.  Blocks are kept as 1 + block modulo a little less than 2^20, 0 for none and
 * MANY for several: what is forgotten so can hide a race but never invent one. */
#include "config.h"

#include "cuda/sim/memory.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 256, GUARD = 256, GUARD_BYTE = 0xa5 };
enum { MANY = (1 << 20) - 1, LAUNCHES = 1 << 23 };

static const uint64_t WRITTEN = UINT64_C(1) << 63;

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static fg_sim_allocation *table;
static size_t count, room, used, adopted;

void fg_sim_memory_lock(void) { pthread_rwlock_rdlock(&lock); }

void fg_sim_memory_unlock(void) { pthread_rwlock_unlock(&lock); }

/* How many allocations begin at or below address. */
static size_t rank_of(const void *address) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if ((uintptr_t)table[middle].memory <= (uintptr_t)address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static inline bool holds(const fg_sim_allocation *a, const void *address, size_t bytes) {
  uintptr_t offset = (uintptr_t)address - (uintptr_t)a->memory; /* huge if address lies below */
  return offset <= a->bytes && bytes <= a->bytes - offset;
}

const fg_sim_allocation *fg_sim_memory_find(const void *address, size_t bytes) {
  size_t r = rank_of(address);
  return r > 0 && holds(&table[r - 1], address, bytes) ? &table[r - 1] : NULL;
}

static bool allocate(size_t bytes, fg_sim_allocation *a) {
  size_t whole = (GUARD + bytes + GUARD + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  char *block = aligned_alloc(ALIGNMENT, whole);
  a->notes = calloc(bytes / 4 + 1, sizeof *a->notes);
  if (!block || !a->notes) {
    free(block);
    free(a->notes);
    return false;
  }
  a->memory = block + GUARD;
  a->bytes = bytes;
  memset(block, GUARD_BYTE, GUARD);
  memset(a->memory + bytes, GUARD_BYTE, GUARD);
  return true;
}

static bool make_room(void) {
  if (count < room)
    return true;
  size_t more = room ? 2 * room : 16;
  fg_sim_allocation *larger = realloc(table, more * sizeof *larger);
  if (!larger)
    return false;
  table = larger;
  room = more;
  return true;
}

static void put_in(fg_sim_allocation a) {
  size_t r = rank_of(a.memory);
  memmove(table + r + 1, table + r, (count - r) * sizeof *table);
  table[r] = a;
  count++;
}

/* With the lock held for writing. */
static void *add(size_t bytes, size_t limit, int ordinal, bool managed) {
  fg_sim_allocation a = {.ordinal = ordinal, .managed = managed};
  if (used > limit || bytes > limit - used || !make_room() || !allocate(bytes, &a))
    return NULL;
  if (managed) /* what the host writes there is not seen */
    fg_sim_memory_mark(&a, a.memory, bytes);
  put_in(a);
  used += bytes;
  return a.memory;
}

bool fg_sim_memory_adopt(void *memory, size_t bytes) {
  fg_sim_allocation a = {
      .memory = memory, .bytes = bytes, .notes = malloc(bytes / 4 * sizeof *a.notes), .adopted = true};
  if (!a.notes)
    return false;
  fg_sim_memory_mark(&a, memory, bytes);
  pthread_rwlock_wrlock(&lock);
  bool room_made = make_room();
  if (room_made) {
    put_in(a);
    adopted++;
  }
  pthread_rwlock_unlock(&lock);
  if (!room_made)
    free(a.notes);
  return room_made;
}

void fg_sim_memory_disown(void *memory) {
  pthread_rwlock_wrlock(&lock);
  size_t r = rank_of(memory);
  if (r > 0 && table[r - 1].memory == memory && table[r - 1].adopted) {
    free(table[r - 1].notes);
    memmove(table + r - 1, table + r, (count - r) * sizeof *table);
    count--;
    adopted--;
  }
  pthread_rwlock_unlock(&lock);
}

void *fg_sim_memory_new(size_t bytes, size_t limit, int ordinal, bool managed) {
  pthread_rwlock_wrlock(&lock);
  void *memory = add(bytes, limit, ordinal, managed);
  pthread_rwlock_unlock(&lock);
  return memory;
}

static bool guards_whole(const fg_sim_allocation *a) {
  const unsigned char *before = (unsigned char *)a->memory - GUARD, *behind = (unsigned char *)a->memory + a->bytes;
  for (size_t i = 0; i < GUARD; i++)
    if (before[i] != GUARD_BYTE || behind[i] != GUARD_BYTE)
      return false;
  return true;
}

/* With the lock held for writing. */
static int take_out(void *memory) {
  size_t r = rank_of(memory);
  if (r == 0 || table[r - 1].memory != memory || table[r - 1].adopted)
    return -1;
  fg_sim_allocation a = table[r - 1];
  memmove(table + r - 1, table + r, (count - r) * sizeof *table);
  count--;
  used -= a.bytes;
  int result = guards_whole(&a) ? 0 : -2;
  free(a.memory - GUARD);
  free(a.notes);
  return result;
}

int fg_sim_memory_drop(void *memory) {
  pthread_rwlock_wrlock(&lock);
  int result = take_out(memory);
  pthread_rwlock_unlock(&lock);
  return result;
}

size_t fg_sim_memory_used(void) {
  fg_sim_memory_lock();
  size_t bytes = used;
  fg_sim_memory_unlock();
  return bytes;
}

size_t fg_sim_memory_count(void) {
  fg_sim_memory_lock();
  size_t n = count - adopted;
  fg_sim_memory_unlock();
  return n;
}

void fg_sim_memory_mark(const fg_sim_allocation *a, const void *address, size_t bytes) {
  if (bytes == 0)
    return;
  size_t offset = (size_t)((const char *)address - a->memory);
  for (size_t w = offset / 4; w <= (offset + bytes - 1) / 4; w++)
    atomic_store_explicit(&a->notes[w], WRITTEN, memory_order_relaxed);
}

/* The new note of a word, or what is wrong.  code: the block as notes keep it. */
static inline fg_sim_touch_result touch_word(uint64_t *note, uint32_t launch, uint32_t code, bool write,
                                             uint32_t *with) {
  uint64_t n = *note;
  uint32_t writer = n >> 20 & MANY, reader = n & MANY;
  if ((n >> 40 & (LAUNCHES - 1)) != launch)
    writer = reader = 0;
  if (!write && !(n & WRITTEN))
    return FG_TOUCH_UNWRITTEN;
  bool foreign_writer = writer && writer != code;
  if (foreign_writer || (write && reader && reader != code)) {
    *with = foreign_writer ? writer : reader;
    return FG_TOUCH_RACE;
  }
  if (write)
    writer = code;
  else
    reader = reader == 0 || reader == code ? code : MANY;
  *note = (n & WRITTEN) | (write ? WRITTEN : 0) | (uint64_t)launch << 40 | (uint64_t)writer << 20 | reader;
  return FG_TOUCH_FINE;
}

static const fg_sim_allocation *find_cached(fg_sim_toucher *who, const void *address, unsigned bytes, bool write) {
  const fg_sim_allocation *a = who->last[write];
  if (a && holds(a, address, bytes))
    return a;
  a = fg_sim_memory_find(address, bytes);
  if (a && a->ordinal != who->ordinal && !a->adopted && !a->managed)
    return NULL;
  if (a)
    who->last[write] = a;
  return a;
}

fg_sim_touch_result fg_sim_memory_touch(fg_sim_toucher *who, const void *address, unsigned bytes, bool write,
                                        uint32_t *with) {
  const fg_sim_allocation *a = find_cached(who, address, bytes, write);
  if (!a)
    return FG_TOUCH_OUTSIDE;
  if ((bytes & (bytes - 1)) == 0 && (uintptr_t)address & (bytes - 1))
    return FG_TOUCH_MISALIGNED;
  size_t offset = (size_t)((const char *)address - a->memory);
  uint32_t launch = who->launch % LAUNCHES, code = 1 + who->block % (MANY - 1);
  for (size_t w = offset / 4; w <= (offset + bytes - 1) / 4; w++) {
    uint64_t note = atomic_load_explicit(&a->notes[w], memory_order_relaxed);
    fg_sim_touch_result result = touch_word(&note, launch, code, write, with);
    if (result != FG_TOUCH_FINE) {
      *with = *with == MANY ? FG_TOUCH_SEVERAL : *with - 1;
      return result;
    }
    atomic_store_explicit(&a->notes[w], note, memory_order_relaxed);
  }
  return FG_TOUCH_FINE;
}

void fg_sim_memory_describe(const void *address, char *text, size_t text_bytes) {
  size_t r = rank_of(address);
  if (r == 0) {
    snprintf(text, text_bytes, "%p, below every allocation", address);
    return;
  }
  const fg_sim_allocation *a = &table[r - 1];
  snprintf(text, text_bytes, "offset %zu of an allocation of %zu bytes", (size_t)((const char *)address - a->memory),
           a->bytes);
}
