/* crowd.h: executions that share the device at the same time.
 *
 * A device alone may be faster than one thread of the host and still be slower than many of them: its links are shared
 * out among all that execute.  Where both sides' times are known, those that would wait longer for it than the host
 * takes go to the host, so that together both do more than either. */
#ifndef FG_CROWD_H
#define FG_CROWD_H

#include <stdbool.h>

/* An execution goes to the device; how many are there now, this one counted.  Each is left in the end. */
int fg_crowd_enter(void);
void fg_crowd_leave(void);

/* How many times longer each of so many takes than alone. */
double fg_crowd_stretch(int count);

/* Whether one more execution, which alone takes so many seconds, would be done sooner on the host.  false where one
 * side's time is not known (0). */
bool fg_crowd_is_full(double host_seconds, double device_seconds);

#endif
