/* lock_for.c: a lock that may never come, or too late. */
#include "src/report/lock_for.h"

#include <time.h>

/* By the clock that may be set: ThreadSanitizer knows no other for locks. */
bool fg_lock_for(pthread_mutex_t *lock, long milliseconds) {
  const long second = 1000000000;
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += milliseconds / 1000;
  until.tv_nsec += milliseconds % 1000 * 1000000;
  if (until.tv_nsec >= second) until.tv_sec++, until.tv_nsec -= second;
  return pthread_mutex_timedlock(lock, &until) == 0;
}
