/* lock_for.h: a lock that may never come, or too late. */
#ifndef FG_LOCK_FOR_H
#define FG_LOCK_FOR_H

#include <pthread.h>
#include <stdbool.h>

/* What an ending process waits for a lock at most: exit may have been called by a signal's handler, in the thread that has it. */
enum { FG_LOCK_AT_END = 1000 }; /* ms */

/* Take the lock, waiting for so many milliseconds at most. */
bool fg_lock_for(pthread_mutex_t *lock, long milliseconds);

#endif
