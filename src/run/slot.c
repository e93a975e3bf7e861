/* slot.c: a pool of slots. Executions of any plans share them; the one that fits with the least memory to spare is
 * taken. */
#include "config.h"

#include "src/run/slot.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "src/report/clock.h"
#include "src/run/memory.h"

enum {
  AGE = 1000,  /* releases of others after which an idle slot is given up */
  PATIENCE = 2 /* seconds to wait for memory that other executions have */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t released = PTHREAD_COND_INITIALIZER;
static fg_slot *idle;          /* the one used last first */
static int busy;               /* slots that executions have, or that are being made smaller after one */
static unsigned long releases, ends; /* of slots so far: begun, done */

/* Slots grow one after the other, so that two that need all the memory there is do not each get half of it: all memory
 * is in idle slots, in busy ones and in the one that grows. */
static pthread_mutex_t growing = PTHREAD_MUTEX_INITIALIZER;

static void drop_recording(const fg_target *t, fg_recording *r) {
  if (r->graph) t->backend->graph_destroy(t->device, r->graph);
  *r = (fg_recording){.seen = 0};
}

/* Recordings hold the addresses of the slot's arrays and staging. */
static void drop_recordings(const fg_target *t, fg_slot *s) {
  for (int i = 0; i < FG_RECORDINGS; i++) drop_recording(t, &s->recording[i]);
}

fg_recording *fg_slot_recording(const fg_target *t, fg_slot *s, const fg_recordable *what) {
  fg_recording *r = s->recording, *oldest = r;
  s->executions++;
  for (; r < s->recording + FG_RECORDINGS; r++) {
    if (r->seen && !memcmp(&r->what, what, sizeof *what)) break;
    if (r->last < oldest->last) oldest = r;
  }
  if (r == s->recording + FG_RECORDINGS) {
    r = oldest;
    drop_recording(t, r);
    memcpy(&r->what, what, sizeof *what);
  }
  r->seen++;
  r->last = s->executions;
  return r;
}

static void drop_arrays(const fg_target *t, fg_slot *s) {
  drop_recordings(t, s);
  for (int a = 0; a < FG_ARRAYS; a++) {
    fg_memory_free(t, s->array[a], s->bytes[a]);
    s->array[a] = NULL;
    s->bytes[a] = 0;
  }
}

static void drop_ring(const fg_target *t, fg_ring *r) {
  for (int i = 0; i < FG_RING; i++) {
    if (r->piece[i]) t->backend->pinned_free(t->device, r->piece[i]);
    r->piece[i] = NULL;
  }
  r->bytes = 0;
}

static void drop_event(const fg_target *t, fg_event *e) {
  if (e) t->backend->event_destroy(t->device, e);
}

static void destroy(fg_slot *s) {
  const fg_target *const t = s->target;
  drop_arrays(t, s);
  for (int side = 0; side < 2; side++) {
    drop_ring(t, &s->ring[side]);
    for (int i = 0; i < FG_RING; i++) drop_event(t, s->ring[side].copied[i]);
  }
  drop_event(t, s->arrived);
  drop_event(t, s->computed);
  for (int i = 0; i < FG_STREAMS; i++)
    if (s->stream[i]) t->backend->stream_destroy(t->device, s->stream[i]);
  free(s);
}

static int create_events(const fg_target *t, fg_slot *s) {
  int code = t->backend->event_create(t->device, &s->arrived);
  if (code == FG_OK) code = t->backend->event_create(t->device, &s->computed);
  for (int i = 0; i < 2 * FG_RING && code == FG_OK; i++)
    code = t->backend->event_create(t->device, &s->ring[i / FG_RING].copied[i % FG_RING]);
  return code;
}

static int create(const fg_target *t, fg_slot **slot) {
  fg_slot *s = calloc(1, sizeof *s);
  if (!s) return fg_backend_fail(FG_ENOMEM, "no host memory");
  int code = FG_OK;
  s->target = t;
  for (int i = 0; i < FG_STREAMS && code == FG_OK; i++) code = t->backend->stream_create(t->device, &s->stream[i]);
  if (code == FG_OK) code = create_events(t, s);
  if (code != FG_OK) {
    destroy(s);
    return code;
  }
  *slot = s;
  return FG_OK;
}

static size_t total(const fg_slot *s) {
  size_t sum = 0;
  for (int a = 0; a < FG_ARRAYS; a++) sum += s->bytes[a];
  return sum;
}

static bool holds(const fg_slot *s, const size_t bytes[FG_ARRAYS], const size_t staging[2]) {
  for (int a = 0; a < FG_ARRAYS; a++)
    if (s->bytes[a] < bytes[a]) return false;
  return s->ring[0].bytes >= staging[0] && s->ring[1].bytes >= staging[1];
}

/* With lock held: the smallest that holds all, NULL if none does. */
static fg_slot **fitting(const fg_target *t, const size_t bytes[FG_ARRAYS], const size_t staging[2]) {
  fg_slot **best = NULL;
  for (fg_slot **at = &idle; *at; at = &(*at)->next)
    if ((*at)->target == t && holds(*at, bytes, staging) && (!best || total(*at) < total(*best))) best = at;
  return best;
}

/* Likewise the largest, NULL if there is none. */
static fg_slot **largest(const fg_target *t) {
  fg_slot **best = NULL;
  for (fg_slot **at = &idle; *at; at = &(*at)->next)
    if ((*at)->target == t && (!best || total(*at) > total(*best))) best = at;
  return best;
}

static fg_slot *take_out(fg_slot **at) {
  fg_slot *const s = at ? *at : NULL;
  if (s) *at = s->next;
  return s;
}

/* Ready to be used, and counted as such; NULL if none is. */
static fg_slot *take_fitting(const fg_target *t, const size_t bytes[FG_ARRAYS], const size_t staging[2]) {
  pthread_mutex_lock(&lock);
  fg_slot *const s = take_out(fitting(t, bytes, staging));
  busy += s != NULL;
  pthread_mutex_unlock(&lock);
  return s;
}

static fg_slot *take_largest(const fg_target *t) {
  pthread_mutex_lock(&lock);
  fg_slot *const s = take_out(largest(t));
  pthread_mutex_unlock(&lock);
  return s;
}

static int grow_ring(const fg_target *t, fg_ring *r, size_t bytes) {
  if (r->bytes >= bytes) return FG_OK;
  drop_ring(t, r);
  for (int i = 0; i < FG_RING; i++) {
    const int code = t->backend->pinned_alloc(t->device, bytes, &r->piece[i]);
    if (code != FG_OK) {
      drop_ring(t, r);
      return code;
    }
  }
  r->bytes = bytes;
  return FG_OK;
}

static int grow(const fg_target *t, fg_slot *s, const size_t bytes[FG_ARRAYS], const size_t staging[2]) {
  for (int a = 0; a < FG_ARRAYS; a++) {
    if (s->bytes[a] >= bytes[a]) continue;
    drop_recordings(t, s);
    fg_memory_free(t, s->array[a], s->bytes[a]);
    s->array[a] = NULL;
    s->bytes[a] = 0;
    const int code = fg_memory_alloc(t, bytes[a], &s->array[a]);
    if (code != FG_OK) return code;
    s->bytes[a] = bytes[a];
  }
  if (s->ring[0].bytes < staging[0] || s->ring[1].bytes < staging[1]) drop_recordings(t, s);
  const int code = grow_ring(t, &s->ring[0], staging[0]);
  return code == FG_OK ? grow_ring(t, &s->ring[1], staging[1]) : code;
}

static unsigned long ends_so_far(void) {
  pthread_mutex_lock(&lock);
  const unsigned long n = ends;
  pthread_mutex_unlock(&lock);
  return n;
}

/* An execution has ended since, or does so soon; false if there is none. */
static bool another_end(unsigned long since) {
  const struct timespec until = fg_clock_after(PATIENCE);
  pthread_mutex_lock(&lock);
  int late = 0;
  while (ends == since && busy > 0 && !late)
    late = pthread_cond_clockwait(&released, &lock, CLOCK_MONOTONIC, &until);
  const bool come = ends != since;
  pthread_mutex_unlock(&lock);
  return come;
}

/* All that is idle goes before an execution does without the device, and what others are using is waited for. */
static int grow_patiently(const fg_target *t, fg_slot *s, const size_t bytes[FG_ARRAYS], const size_t staging[2]) {
  unsigned long since = ends_so_far();
  int code = grow(t, s, bytes, staging);
  for (bool first = true; code == FG_ENOMEM && (first || another_end(since)); first = false) {
    since = ends_so_far();
    drop_arrays(t, s);
    fg_slot_trim(t);
    code = grow(t, s, bytes, staging);
  }
  return code;
}

static void destroy_all(fg_slot *list) {
  while (list) {
    fg_slot *const next = list->next;
    destroy(list);
    list = next;
  }
}

void fg_slot_trim(const fg_target *t) {
  fg_slot *list = NULL, *s;
  pthread_mutex_lock(&lock);
  while ((s = take_out(largest(t)))) {
    s->next = list;
    list = s;
  }
  pthread_mutex_unlock(&lock);
  destroy_all(list);
}

bool fg_slot_give_up_oldest(const fg_target *t) {
  pthread_mutex_lock(&lock);
  fg_slot **oldest = NULL;
  for (fg_slot **at = &idle; *at; at = &(*at)->next)
    if ((*at)->target == t && total(*at)) oldest = at;
  fg_slot *const s = take_out(oldest);
  pthread_mutex_unlock(&lock);
  if (s) destroy(s);
  return s != NULL;
}

/* With growing held. */
static int take_grown(const fg_target *t, const size_t bytes[FG_ARRAYS], const size_t staging[2], fg_slot **slot) {
  fg_slot *s = take_fitting(t, bytes, staging); /* it may have come meanwhile */
  int code = FG_OK;
  if (!s) {
    s = take_largest(t);
    if (!s) code = create(t, &s);
    if (code == FG_OK) code = grow_patiently(t, s, bytes, staging);
    if (code != FG_OK && s) destroy(s);
    pthread_mutex_lock(&lock);
    busy += code == FG_OK;
    pthread_mutex_unlock(&lock);
  }
  *slot = code == FG_OK ? s : NULL;
  return code;
}

int fg_slot_acquire(const fg_target *t, const size_t bytes[FG_ARRAYS], const size_t staging[2], fg_slot **slot) {
  *slot = take_fitting(t, bytes, staging);
  if (*slot) return FG_OK;
  pthread_mutex_lock(&growing);
  const int code = take_grown(t, bytes, staging, slot);
  pthread_mutex_unlock(&growing);
  return code;
}

/* With lock held: out of the pool, what was not used for long. */
static fg_slot *take_aged(void) {
  fg_slot **at = &idle;
  while (*at && releases - (*at)->last_used <= AGE) at = &(*at)->next;
  fg_slot *const list = *at; /* the rest were used even earlier */
  *at = NULL;
  return list;
}

/* Likewise one slot of the target whose memory is more than may stay, with that of those used after it. */
static fg_slot *take_excess(const fg_target *t, size_t most) {
  size_t sum = 0;
  for (fg_slot **at = &idle; *at; at = &(*at)->next) {
    fg_slot *const s = *at;
    if (s->target != t) continue;
    sum += total(s);
    if (sum <= most || total(s) == 0) continue;
    *at = s->next;
    return s;
  }
  return NULL;
}

/* Its streams and staging stay: they take longer to make than memory does. */
static void drop_excess(fg_slot *s) {
  drop_arrays(s->target, s);
  pthread_mutex_lock(&lock);
  fg_slot **at = &idle;
  while (*at && (*at)->last_used > s->last_used) at = &(*at)->next;
  s->next = *at;
  *at = s;
  pthread_mutex_unlock(&lock);
}

static void drop_all_excess(const fg_target *t, size_t most) {
  for (;;) {
    pthread_mutex_lock(&lock);
    fg_slot *const s = take_excess(t, most);
    pthread_mutex_unlock(&lock);
    if (!s) return;
    drop_excess(s);
  }
}

void fg_slot_release(fg_slot *s) {
  const fg_target *const t = s->target;
  pthread_mutex_lock(&lock);
  s->last_used = ++releases;
  s->next = idle;
  idle = s;
  fg_slot *const aged = take_aged();
  pthread_mutex_unlock(&lock);
  destroy_all(aged);
  drop_all_excess(t, fg_memory_idle_limit(t));
  pthread_mutex_lock(&lock);
  busy--;
  ends++;
  pthread_cond_broadcast(&released);
  pthread_mutex_unlock(&lock);
}
