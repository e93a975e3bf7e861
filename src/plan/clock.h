/* clock.h: seconds, by a clock that tests can set. */
#ifndef FG_CLOCK_H
#define FG_CLOCK_H

/* Seconds since some moment, never going back. */
double fg_clock_seconds(void);

/* Another clock, for tests; NULL: the system's.  To be set before other threads ask. */
extern double (*fg_clock_test)(void);

#endif
