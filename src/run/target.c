/* target.c: the device that this process runs on. */
#include "src/run/target.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "config.h"
#include "src/report/clock.h"
#include "src/report/lock_for.h"
#include "src/report/log.h"
#include "src/report/settings.h"
#include "src/run/ending.h"
#include "src/run/last_cache.h"
#include "src/run/ranks.h"

enum state { UNOPENED, OPEN, ABSENT, LOST, FORKED };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int state = UNOPENED;
static atomic_bool opening; /* set for good before the driver is first asked for anything */
static fg_target target;
static char reason[256] = "";
static double start_seconds;

const fg_backend *fg_target_backend(void) {
  if (fg_settings_get()->sim) return &fg_backend_sim;
#ifdef HAVE_CUDA
  return &fg_backend_cuda;
#else
  return NULL;
#endif
}

/* A driver's context is dead in the child, also one that another thread was only about to make, and a lock that another
 * thread held stays held: the child must touch neither. */
static void after_fork(void) {
  const int was = atomic_load(&state);
  if (was == OPEN || was == LOST || (was == UNOPENED && atomic_load(&opening))) atomic_store(&state, FORKED);
  pthread_mutex_init(&lock, NULL);
}

/* From the beginning: another thread may fork as soon as this one has the lock. */
__attribute__((constructor)) static void watch_forks(void) { pthread_atfork(NULL, NULL, after_fork); }

int fg_target_choose(int count) {
  const int asked = fg_settings_get()->device;
  char value[16], why[96];
  if (asked < count) return asked >= 0 ? asked : fg_ranks_device(count);
  snprintf(value, sizeof value, "%d", asked);
  if (count == 1) snprintf(why, sizeof why, "there is no such GPU, only number 0; transforms stay on the host");
  else snprintf(why, sizeof why, "there is no such GPU, only 0 to %d; transforms stay on the host", count - 1);
  fg_log_setting("FFTW3_GPU_DEVICE", value, why);
  return -1;
}

static int open_device(void) {
  target.backend = fg_target_backend();
  if (!target.backend) return fg_backend_fail(FG_ENODEVICE, "built without CUDA");
  const int count = target.backend->count();
  if (count < 0) return count;
  if (count == 0) return fg_backend_fail(FG_ENODEVICE, "no device");
  /* Half of the start-up is still to come. */
  if (fg_ending()) return fg_backend_fail(FG_ENODEVICE, "the process is ending");
  target.ordinal = fg_target_choose(count);
  if (target.ordinal < 0) return fg_backend_fail(FG_ENODEVICE, "FFTW3_GPU_DEVICE names none");
  return target.backend->open(target.ordinal, &target.device);
}

static void open_once(void) {
  const double began = fg_clock_seconds();
  const fg_backend *backend = fg_target_backend();
  const bool alone = backend && !backend->used_by_program(); /* else the program has paid for most of it */
  atomic_store(&opening, true);
  if (open_device() == FG_OK) {
    if (alone) start_seconds = fg_clock_seconds() - began;
    target.info = target.backend->info(target.device);
    target.last_cache = fg_last_cache("/sys/devices/system/cpu/cpu0/cache");
    fg_log(FG_LOG_INFO, "%s: %s, %d multiprocessors", target.backend->name, target.info->name,
           target.info->multiprocessors);
    atomic_store(&state, OPEN);
    return;
  }
  snprintf(reason, sizeof reason, "%s", fg_backend_message());
  fg_log(FG_LOG_WARN, "no GPU: %s", reason);
  atomic_store(&state, ABSENT);
}

static const fg_target *as_it_is(const char **why) {
  switch (atomic_load(&state)) {
    case OPEN: return &target;
    case FORKED: *why = "after fork"; return NULL;
    default: *why = reason; return NULL;
  }
}

const fg_target *fg_target_get(const char **why) {
  if (atomic_load(&state) == UNOPENED) {
    pthread_mutex_lock(&lock);
    if (atomic_load(&state) == UNOPENED) open_once();
    pthread_mutex_unlock(&lock);
  }
  return as_it_is(why);
}

const fg_target *fg_target_get_soon(const char **why) {
  enum { MOST_START = 60000 }; /* ms */
  static atomic_bool slow;     /* that long was waited once; not again */
  if (atomic_load(&state) == UNOPENED) {
    if (!fg_lock_for(&lock, atomic_load(&slow) ? 0 : MOST_START)) {
      atomic_store(&slow, true);
      *why = "the GPU is still being started";
      return NULL;
    }
    if (atomic_load(&state) == UNOPENED) open_once();
    pthread_mutex_unlock(&lock);
  }
  return as_it_is(why);
}

enum { MOST_OTHERS = 63 };
static _Atomic(const fg_target *) others[MOST_OTHERS + 1];

/* With the lock held; a target lives as long as the process. */
static const fg_target *open_other(int ordinal, const char **why) {
  fg_target *t = calloc(1, sizeof *t);
  *why = "out of memory";
  if (!t) return NULL;
  *t = (fg_target){.backend = target.backend, .ordinal = ordinal};
  if (t->backend->open(ordinal, &t->device) != FG_OK) {
    free(t);
    *why = fg_backend_message();
    return NULL;
  }
  t->info = t->backend->info(t->device);
  atomic_store(&others[ordinal], t);
  return t;
}

const fg_target *fg_target_of(int ordinal, const char **why) {
  const fg_target *t = fg_target_get(why);
  if (!t || ordinal == t->ordinal) return t;
  *why = "no such device";
  if (ordinal < 0 || ordinal > MOST_OTHERS) return NULL;
  t = atomic_load(&others[ordinal]);
  if (t) return t;
  pthread_mutex_lock(&lock);
  t = atomic_load(&others[ordinal]);
  if (!t) t = open_other(ordinal, why);
  pthread_mutex_unlock(&lock);
  return t;
}

double fg_target_start_seconds(void) { return fg_target_open() ? start_seconds : 0; }

bool fg_target_open(void) { return atomic_load(&state) == OPEN; }

bool fg_target_possible(void) {
  const int now = atomic_load(&state);
  return now == UNOPENED || now == OPEN;
}

const char *fg_target_missing(void) {
  switch (atomic_load(&state)) {
    case OPEN: return NULL;
    case FORKED: return "after fork";
    case UNOPENED: break;
    default: return reason;
  }
  const fg_backend *b = fg_target_backend();
  if (!b) return "built without CUDA";
  return b->missing ? b->missing() : NULL;
}

bool fg_target_inherited(void) { return atomic_load(&state) == FORKED; }

void fg_target_lost(const char *why) {
  int open = OPEN;
  pthread_mutex_lock(&lock);
  if (atomic_load(&state) == OPEN) snprintf(reason, sizeof reason, "device lost: %s", why);
  if (atomic_compare_exchange_strong(&state, &open, LOST)) fg_log(FG_LOG_ERROR, "%s", reason);
  pthread_mutex_unlock(&lock);
}
