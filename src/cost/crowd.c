/* crowd.c: a count of executions. */
#include "src/cost/crowd.h"

#include <pthread.h>
#include <stdatomic.h>

static atomic_int present;

/* Those of other threads are not in the child, and never leave. */
static void renew(void) { atomic_store(&present, 0); }

__attribute__((constructor)) static void watch_fork(void) { pthread_atfork(NULL, NULL, renew); }

int fg_crowd_enter(void) { return atomic_fetch_add_explicit(&present, 1, memory_order_relaxed) + 1; }

/* Of sixteen threads together the reference machine's GPU does 1.4 to 2.1 times as much as of one
 * (doc/measurements.md). */
static double stretch(double count) {
  const double together = 1.7;
  return count > together ? count / together : 1;
}

double fg_crowd_leave(int found) {
  const int left = atomic_fetch_sub_explicit(&present, 1, memory_order_relaxed);
  return stretch(0.5 * (found + left));
}

bool fg_crowd_is_full(double host_seconds, double device_seconds) {
  enum { ENOUGH = 2 };
  const int count = atomic_load_explicit(&present, memory_order_relaxed) + 1;
  if (count < 2 || host_seconds <= 0) return false;
  return device_seconds * stretch(count) > (count > ENOUGH ? host_seconds / 2 : host_seconds);
}
