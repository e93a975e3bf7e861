/* clock.c: seconds. */
#include "src/plan/clock.h"

#include <stddef.h>
#include <time.h>

double (*fg_clock_test)(void);

double fg_clock_seconds(void) {
  struct timespec t;
  if (fg_clock_test) return fg_clock_test();
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
