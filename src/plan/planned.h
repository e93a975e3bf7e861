/* planned.h: lists of passes that were planned before in this process.
 *
 * Choosing geometries takes milliseconds, and programs that plan, execute and destroy the same transform again and again
 * are common.  What is kept depends on nothing but what is in the key. */
#ifndef FG_PLANNED_H
#define FG_PLANNED_H

#include "src/pass/solver.h"

/* Bytes decide whether two are the same: made by fg_planned_key_of, which leaves none undefined. */
typedef struct {
  fg_work work;
  fg_device_info device;
  unsigned long geometries; /* those that were known then */
  double overlap_caches;
  unsigned long of_tests; /* what only tests set */
} fg_planned_key;

fg_planned_key *fg_planned_key_of(const fg_work *w, const fg_device_info *device); /* malloc'd; NULL: no memory */

/* The list that was kept with the key; false if there is none, or another thread is looking. */
bool fg_planned_find(const fg_planned_key *key, fg_passes *list);

/* Keep the list, in the place of an older one. */
void fg_planned_keep(const fg_planned_key *key, const fg_passes *list);

void fg_planned_forget(void);

#endif
