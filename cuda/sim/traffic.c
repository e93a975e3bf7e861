/* traffic.c: sectors that the warps of a launch ask for, and bytes that it cannot do without.
 *
 * Threads run one after the other here, so the accesses that a warp would make together are found afterwards: those of
 * its lanes at one site of the kernel's code, at the same repetition. */
#include "config.h"

#include "cuda/sim/traffic.h"

#include "cuda/sim/cuda_on_cpu.h"
#include "cuda/sim/shared.h"
#include "cuda/sim/sim.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SECTOR = 32, WORD = 4, KINDS = 3 };

typedef struct {
  uintptr_t site, sector;
  uint32_t thread, repetition; /* first its number in the block, to keep the order */
  int how;
} access_record;

typedef struct {
  void *at;
  size_t count, room, size;
} growing;

atomic_bool fg_sim_traffic_on;
static growing accesses = {.size = sizeof(access_record)}; /* of the running block */
static growing words = {.size = sizeof(uint64_t)};         /* of the launch: address and kind */
static growing counted = {.size = sizeof(fg_sim_traffic)};
static fg_sim_traffic now;

static void *append(growing *g) {
  if (g->count == g->room) {
    g->room = g->room ? 2 * g->room : 1024;
    g->at = realloc(g->at, g->room * g->size);
    if (!g->at) abort(); /* tests only */
  }
  return (char *)g->at + g->size * g->count++;
}

void fg_sim_traffic_begin(void) {
  accesses.count = words.count = counted.count = 0;
  memset(&now, 0, sizeof now);
  fg_sim_traffic_on = true;
}

int fg_sim_traffic_end(fg_sim_traffic *list, int most) {
  const int count = (int)counted.count;
  fg_sim_traffic_on = false;
  memcpy(list, counted.at, (size_t)(count < most ? count : most) * sizeof *list);
  return count;
}

void fg_sim_traffic_note(unsigned thread, const void *site, const void *address, unsigned bytes, int how) {
  access_record *const r = append(&accesses);
  const uintptr_t sector = how == FG_SIM_NOTHING ? 0 : (uintptr_t)address / SECTOR;
  *r = (access_record){(uintptr_t)site, sector, thread, (uint32_t)accesses.count, how};
  for (unsigned b = 0; b < bytes && how != FG_SIM_NOTHING; b += WORD)
    *(uint64_t *)append(&words) = ((uint64_t)(uintptr_t)address + b) / WORD * KINDS + (uint64_t)how;
}

#define COMPARE(x, y)                                                                                                  \
  if ((x) != (y)) return (x) < (y) ? -1 : 1

static int by_thread(const void *a, const void *b) {
  const access_record *x = a, *y = b;
  COMPARE(x->thread, y->thread);
  COMPARE(x->site, y->site);
  COMPARE(x->repetition, y->repetition);
  return 0;
}

static int by_warp(const void *a, const void *b) {
  const access_record *x = a, *y = b;
  COMPARE(x->thread / FG_WARP, y->thread / FG_WARP);
  COMPARE(x->site, y->site);
  COMPARE(x->repetition, y->repetition);
  COMPARE(x->sector, y->sector);
  return 0;
}

static int by_number(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  COMPARE(x, y);
  return 0;
}

static size_t *sectors_of(int how) {
  return how == FG_SIM_WRITE ? &now.written_sectors : how == FG_SIM_READ ? &now.read_sectors : &now.table_sectors;
}

/* The n-th time that a thread comes to a site is what the others of its warp do when they come there for the n-th
 * time. */
void fg_sim_traffic_block(void) {
  access_record *const r = accesses.at;
  if (!accesses.count) return;
  qsort(r, accesses.count, sizeof *r, by_thread);
  uint32_t repetition = 0;
  for (size_t i = 0; i < accesses.count; i++) {
    const bool same = i > 0 && r[i].thread == r[i - 1].thread && r[i].site == r[i - 1].site;
    r[i].repetition = repetition = same ? repetition + 1 : 0;
  }
  qsort(r, accesses.count, sizeof *r, by_warp);
  for (size_t i = 0; i < accesses.count; i++)
    if (r[i].how != FG_SIM_NOTHING && (i == 0 || by_warp(&r[i], &r[i - 1]))) ++*sectors_of(r[i].how);
  accesses.count = 0;
}

void fg_sim_traffic_launch(void) {
  const uint64_t *const w = words.at;
  if (words.count) qsort(words.at, words.count, words.size, by_number);
  for (size_t i = 0; i < words.count; i++) {
    if (i > 0 && w[i] == w[i - 1]) continue;
    if (w[i] % KINDS == FG_SIM_READ) now.read_bytes += WORD;
    if (w[i] % KINDS == FG_SIM_WRITE) now.written_bytes += WORD;
  }
  *(fg_sim_traffic *)append(&counted) = now;
  words.count = 0;
  memset(&now, 0, sizeof now);
}
