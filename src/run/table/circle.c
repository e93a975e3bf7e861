/* circle.c: roots of unity of one order. */
#include "src/run/table/circle.h"

#include <stdlib.h>

bool fg_circle_make(fg_circle *c, uint64_t n) {
  *c = (fg_circle){.n = n};
  while ((uint64_t)1 << (2 * c->shift) < n) c->shift++;
  const uint64_t fine = (uint64_t)1 << c->shift, coarse = ((n - 1) >> c->shift) + 1;
  c->high = malloc(coarse * sizeof *c->high);
  c->low = malloc(fine * sizeof *c->low);
  if (!c->high || !c->low) {
    fg_circle_free(c);
    return false;
  }
  for (uint64_t m = 0; m < coarse; m++) c->high[m] = fg_root(m << c->shift, n);
  for (uint64_t m = 0; m < fine; m++) c->low[m] = fg_root(m, n);
  return true;
}

void fg_circle_free(fg_circle *c) {
  free(c->high);
  free(c->low);
}
