/* regions.c: the table of regions, an array sorted by address. */
#include "src/run/arena/regions.h"

#include <stdint.h>
#include <string.h>

/* Pages of it that were never used cost nothing. Memory of its own: it changes inside the program's malloc. */
static fg_region regions[FG_REGIONS_MOST];
static size_t count;

/* How many regions begin at or below p. */
static size_t rank_of(const void *p) {
  size_t low = 0, high = count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if ((uintptr_t)regions[middle].base <= (uintptr_t)p) low = middle + 1;
    else high = middle;
  }
  return low;
}

static const char *end_of(const fg_region *r) { return r->base + r->bytes; }

fg_region *fg_regions_holding(const void *from, size_t bytes) {
  const size_t r = rank_of(from);
  if (r == 0) return NULL;
  fg_region *const last = &regions[r - 1];
  const size_t offset = (size_t)((const char *)from - last->base);
  return offset <= last->bytes && bytes <= last->bytes - offset ? last : NULL;
}

fg_region *fg_regions_meeting(const void *from, size_t bytes) {
  const size_t r = rank_of(from);
  if (r > 0 && (uintptr_t)end_of(&regions[r - 1]) > (uintptr_t)from) return &regions[r - 1];
  return r < count && (uintptr_t)regions[r].base - (uintptr_t)from < bytes ? &regions[r] : NULL;
}

fg_region *fg_regions_all(size_t *how_many) {
  *how_many = count;
  return regions;
}

void fg_regions_put(enum fg_region_kind kind, void *base, size_t bytes) {
  if (count == FG_REGIONS_MOST || bytes == 0) return;
  const size_t r = rank_of(base);
  memmove(regions + r + 1, regions + r, (count - r) * sizeof *regions);
  regions[r] = (fg_region){.base = base, .bytes = bytes, .kind = kind};
  count++;
}

void fg_regions_take(fg_region *r) {
  const size_t at = (size_t)(r - regions);
  memmove(r, r + 1, (count - at - 1) * sizeof *r);
  count--;
}
