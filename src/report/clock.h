/* clock.h: the time, for all of the library. */
#ifndef FG_CLOCK_H
#define FG_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Since some moment, never going back.  Seconds are by a clock that tests can set: what decides something asks it. */
double fg_clock_seconds(void);
uint64_t fg_clock_nanoseconds(void);

/* The moment so many seconds from now, for pthread_cond_clockwait and CLOCK_MONOTONIC. */
struct timespec fg_clock_after(time_t seconds);

/* Another clock for fg_clock_seconds, for tests; NULL: the system's.  To be set before other threads ask. */
extern double (*fg_clock_test)(void);

#endif
