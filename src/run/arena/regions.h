/* regions.h: memory of the program's that may be pinned, as a sorted table of regions that never overlap.
 *
 * A region is a block of memory whose whole life is seen: it is put in when the memory comes and taken out before the
 * memory goes. Nothing here locks or allocates: the arena's lock is held around every call. */
#ifndef FG_REGIONS_H
#define FG_REGIONS_H

#include <stdbool.h>
#include <stddef.h>

enum fg_region_kind {
  FG_REGION_OWN,     /* of fftwf_malloc */
  FG_REGION_BLOCK,   /* of malloc and its kin, while they are watched */
  FG_REGION_MAPPING, /* of mmap, likewise */
  FG_REGION_STATIC   /* the program's zero-initialised variables, likewise */
};

typedef struct {
  char *base;
  size_t bytes;
  enum fg_region_kind kind;
  bool refused;      /* it could not be pinned, and is not tried again */
  unsigned pinning;  /* of it, or of a part: an index of the arena's; 0 if there is none */
  char *low, *high;  /* what executions have used of it; NULL before the first */
  double owed;       /* seconds that copying it through staging has cost */
} fg_region;

enum { FG_REGIONS_MOST = 1 << 16 };

/* The region that holds all of [from, from + bytes), or NULL. Good until the table changes, as all that follow. */
fg_region *fg_regions_holding(const void *from, size_t bytes);

/* The first region with a byte in [from, from + bytes), or NULL. */
fg_region *fg_regions_meeting(const void *from, size_t bytes);

/* All of them, in order of address. */
fg_region *fg_regions_all(size_t *count);

/* Where none of it is in the table. Without room the memory is as good as unknown. */
void fg_regions_put(enum fg_region_kind, void *base, size_t bytes);

void fg_regions_take(fg_region *);

#endif
