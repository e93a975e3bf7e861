/* replay_threads.c: stretches of a trace in which several threads executed plans, repeated by as many threads.
 *
 * Where lines of different threads stand side by side in a trace, all of them are executions (anything else keeps its
 * place): what belongs to one thread is done by one thread here, all at once. */
#include <pthread.h>
#include <stdlib.h>

#include "src/cli/cli.h"
#include "src/cli/replay.h"

enum { MOST_THREADS = 1024 };

static bool only_executes(const fg_replay_item *item) {
  if (!item->loop) return item->line.call == FG_CALL_EXECUTE;
  for (const fg_replay_item *i = item->body; i; i = i->next)
    if (!only_executes(i)) return false;
  return item->body != NULL;
}

/* A loop is one thread's. */
static int thread_of(const fg_replay_item *item) {
  while (item->loop) item = item->body;
  return item->frame.thread;
}

typedef struct {
  int count, number[MOST_THREADS];
} threads;

static bool note_thread(threads *t, int number) {
  for (int i = 0; i < t->count; i++)
    if (t->number[i] == number) return true;
  if (t->count == MOST_THREADS) return false;
  t->number[t->count++] = number;
  return true;
}

/* Where the executions that begin with first end, and whose they are. */
static fg_replay_item *stretch(fg_replay_item *first, threads *t) {
  fg_replay_item *item = first;
  for (t->count = 0; item && only_executes(item); item = item->next)
    if (!note_thread(t, thread_of(item))) break;
  return item;
}

typedef struct {
  fg_replay_item *first, *end;
  int number;
  fg_replay_runner run;
  void *data;
  pthread_barrier_t *start;
  pthread_t thread;
  bool good;
} worker;

static void *work(void *of) {
  worker *w = of;
  pthread_barrier_wait(w->start);
  w->good = true;
  for (fg_replay_item *item = w->first; w->good && item != w->end; item = item->next)
    if (thread_of(item) == w->number) w->good = w->run(w->data, item);
  return NULL;
}

/* All begin together; the calling thread is the first. */
static bool run_together(const worker *like, const threads *t) {
  worker *workers = calloc((size_t)t->count, sizeof *workers);
  pthread_barrier_t start;
  bool good = workers != NULL;
  if (!good) return fg_cli_error("replay: out of memory"), false;
  pthread_barrier_init(&start, NULL, (unsigned)t->count);
  for (int i = 0; i < t->count; i++) {
    workers[i] = *like;
    workers[i].number = t->number[i];
    workers[i].start = &start;
    if (i && pthread_create(&workers[i].thread, NULL, work, &workers[i])) {
      fg_cli_error("replay: no more than %d threads can be started", i);
      exit(FG_EXIT_FAILED); /* those that were wait for ever */
    }
  }
  work(&workers[0]);
  for (int i = 1; i < t->count; i++) pthread_join(workers[i].thread, NULL);
  for (int i = 0; i < t->count; i++) good &= workers[i].good;
  pthread_barrier_destroy(&start);
  free(workers);
  return good;
}

fg_replay_item *fg_replay_stretch(fg_replay_item *first) {
  threads t;
  fg_replay_item *end = stretch(first, &t);
  return t.count < 2 ? first : end;
}

bool fg_replay_together(fg_replay_item *first, fg_replay_runner run, void *data) {
  threads t;
  fg_replay_item *end = stretch(first, &t);
  return run_together(&(worker){.first = first, .end = end, .run = run, .data = data}, &t);
}
