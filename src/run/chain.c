/* chain.c: a program's chains, one for each stream that it runs in, as two streams would wait for each other in one. */
#include "src/run/chain.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "src/report/log.h"

enum { PLACES = 4, LONG_AGO = 64 }; /* calls since the last one in a stream that may not be used any more */

typedef struct {
  fg_stream *stream;
  unsigned long called; /* when: the number of the last call in this stream, of all calls; 0: never */
  fg_chain *chain;
  fg_tile_args *args; /* that its launches have */
} place;

struct fg_chains {
  const fg_target *target;
  int count;
  pthread_mutex_t lock;
  unsigned long calls;
  bool refused; /* to be made or changed, by the device: no more of it */
  place place[PLACES];
};

fg_chains *fg_chains_new(const fg_target *target, int count) {
  fg_chains *c = target->backend->chain_make ? calloc(1, sizeof *c) : NULL;
  if (!c) return NULL;
  c->target = target;
  c->count = count;
  pthread_mutex_init(&c->lock, NULL);
  return c;
}

static void drop(const fg_chains *c, place *p) {
  if (p->chain) c->target->backend->chain_destroy(c->target->device, p->chain);
  free(p->args);
  p->chain = NULL;
  p->args = NULL;
}

void fg_chains_free(fg_chains *c) {
  if (!c) return;
  for (int i = 0; i < PLACES; i++) drop(c, &c->place[i]);
  pthread_mutex_destroy(&c->lock);
  free(c);
}

/* The stream's own, else one of a stream that has not been seen for long, with its chain; NULL if there is none. */
static place *place_of(fg_chains *c, fg_stream *stream) {
  place *oldest = c->place;
  for (int i = 0; i < PLACES; i++) {
    place *const p = &c->place[i];
    if (p->called && p->stream == stream) return p;
    if (p->called < oldest->called) oldest = p;
  }
  if (oldest->called && c->calls - oldest->called < LONG_AGO) return NULL;
  oldest->stream = stream;
  if (!oldest->chain) oldest->called = 0;
  return oldest;
}

static bool make(const fg_chains *c, place *p, const fg_kernel_launch *list) {
  p->args = calloc((size_t)c->count, sizeof *p->args);
  if (!p->args) {
    fg_backend_fail(FG_ENOMEM, "no host memory for a chain");
    return false;
  }
  for (int i = 0; i < c->count; i++) memcpy(&p->args[i], list[i].args, list[i].args_bytes);
  return c->target->backend->chain_make(c->target->device, c->count, list, &p->chain) == FG_OK;
}

static bool set(const fg_chains *c, place *p, const fg_kernel_launch *list) {
  for (int i = 0; i < c->count; i++) {
    if (memcmp(&p->args[i], list[i].args, list[i].args_bytes) == 0) continue;
    if (c->target->backend->chain_set(c->target->device, p->chain, i, list[i].args) != FG_OK) return false;
    memcpy(&p->args[i], list[i].args, list[i].args_bytes);
  }
  return true;
}

static bool launch(fg_chains *c, const fg_kernel_launch *list, fg_stream *stream) {
  c->calls++;
  place *const p = c->refused ? NULL : place_of(c, stream);
  if (!p) return false;
  const bool first = !p->called;
  p->called = c->calls;
  if (first) return false;
  if (p->chain ? set(c, p, list) : make(c, p, list))
    return c->target->backend->chain_launch(c->target->device, p->chain, stream) == FG_OK;
  fg_log(FG_LOG_INFO, "passes are launched one by one: %s", fg_backend_message());
  drop(c, p);
  c->refused = true;
  return false;
}

bool fg_chains_launch(fg_chains *c, const fg_kernel_launch *list, fg_stream *stream) {
  if (!c || pthread_mutex_trylock(&c->lock) != 0) return false;
  const bool done = launch(c, list, stream);
  pthread_mutex_unlock(&c->lock);
  return done;
}
