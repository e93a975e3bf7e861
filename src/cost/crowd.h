/* crowd.h: executions that share the device at the same time.
 *
 * A device alone may be faster than one thread of the host and still be slower than many of them: its links are shared
 * out among all that execute, and two keep them busy: a third only makes all wait longer, where the host would do it
 * beside them.  But who waits for one execution wants it soon, wherever.  So, where both sides' times are known, a second
 * goes to the host if it would wait longer for the device than the host takes, a further one if half as long. */
#ifndef FG_CROWD_H
#define FG_CROWD_H

#include <stdbool.h>

/* An execution goes to the device; how many are there now, this one counted.  Each leaves in the end. */
int fg_crowd_enter(void);

/* One that found so many leaves: how many times longer it took than alone, by the mean of that and of how many it leaves,
 * itself counted. */
double fg_crowd_leave(int found);

/* Whether one more execution, which alone takes so many seconds, is better done on the host.  false where one side's
 * time is not known (0). */
bool fg_crowd_is_full(double host_seconds, double device_seconds);

#endif
