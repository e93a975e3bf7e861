/* movers.c: threads that copy. */
#include "config.h"

#include "src/run/host/movers.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "src/report/clock.h"
#include "src/report/settings.h"
#include "src/run/ranks.h"
#include "src/run/thread.h"

enum { MOST = 64, MOST_OF_FEW = FG_FEW_MOVERS - 1, BETWEEN_CLOCKS = 1024 };
static const uint64_t linger = 50000; /* ns awake after the last execution: the next one often follows at once */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, taken = PTHREAD_MUTEX_INITIALIZER;
/* By whom. */
enum { FEW, ALL, NEEDS };
static pthread_cond_t needed[NEEDS] = {PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER};
static int threads, tried; /* there are; were to be started */
static atomic_int wanted;  /* the first so many of them: an execution has taken those */
static fg_belts belts;

int fg_movers_processors = 0;

/* Half of the movers look at one belt first, half at the other. */
static void work_awake(int number) {
  const int first = number % 2;
  uint64_t idle_since = 0;
  for (unsigned turns = 0;; turns++) {
    const bool is_wanted = number < atomic_load_explicit(&wanted, memory_order_relaxed);
    if (is_wanted && (fg_belt_help(&belts.belt[first]) || fg_belt_help(&belts.belt[!first]) ||
                      fg_belt_help(&belts.belt[FG_SPARE]))) continue;
    fg_belt_pause(turns);
    if (is_wanted) idle_since = 0;
    else if (idle_since == 0) idle_since = fg_clock_nanoseconds();
    else if (turns % BETWEEN_CLOCKS == 0 && fg_clock_nanoseconds() - idle_since > linger) return;
  }
}

static void *mover(void *number) {
  for (;;) {
    pthread_mutex_lock(&lock);
    while ((int)(size_t)number >= atomic_load(&wanted)) pthread_cond_wait(&needed[(int)(size_t)number < MOST_OF_FEW ? FEW : ALL], &lock);
    pthread_mutex_unlock(&lock);
    work_awake((int)(size_t)number);
  }
  return NULL;
}

/* Of the thread that executes first: later ones may be bound to fewer. */
static int processors(void) {
  static int known;
  if (fg_movers_processors) return fg_movers_processors;
  if (!known) known = fg_ranks_processors();
  return known;
}

static int copy_threads(int worth) {
  const int asked = fg_settings_get()->copy_threads;
  if (asked) return asked < MOST ? asked : MOST;
  return processors() < worth ? processors() : worth;
}

/* In the child of a fork there are none: they start anew if they are needed. */
static void after_fork(void) {
  pthread_mutex_init(&lock, NULL);
  pthread_mutex_init(&taken, NULL);
  for (int i = 0; i < NEEDS; i++) pthread_cond_init(&needed[i], NULL);
  threads = tried = 0;
  atomic_store(&wanted, 0);
  memset(&belts, 0, sizeof belts);
}

static void start(int others) {
  static bool watching_forks;
  tried = others;
  if (!watching_forks) pthread_atfork(NULL, NULL, after_fork);
  watching_forks = true;
  while (threads < others && fg_thread_start(mover, (void *)(size_t)threads)) threads++;
}

fg_belts *fg_movers_take(int worth) {
  if (pthread_mutex_trylock(&taken)) return NULL;
  const int others = copy_threads(worth) - 1;
  pthread_mutex_lock(&lock);
  if (tried < others) start(others);
  const bool some = others > 0 && threads > 0;
  atomic_store(&wanted, some ? others : 0);
  if (some) pthread_cond_broadcast(&needed[FEW]);
  if (some && others > MOST_OF_FEW) pthread_cond_broadcast(&needed[ALL]);
  pthread_mutex_unlock(&lock);
  if (!some) pthread_mutex_unlock(&taken);
  return some ? &belts : NULL;
}

void fg_movers_give(void) {
  atomic_store(&wanted, 0);
  pthread_mutex_unlock(&taken);
}
