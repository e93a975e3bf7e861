/* clock.c: the time, for all of the library. */
#include "src/report/clock.h"

#include <stddef.h>

double (*fg_clock_test)(void);

struct timespec fg_clock_after(time_t seconds) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  t.tv_sec += seconds;
  return t;
}

uint64_t fg_clock_nanoseconds(void) {
  const struct timespec t = fg_clock_after(0);
  return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

double fg_clock_seconds(void) { return fg_clock_test ? fg_clock_test() : 1e-9 * (double)fg_clock_nanoseconds(); }
