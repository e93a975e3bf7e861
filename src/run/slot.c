/* slot.c: a pool of slots. Executions of any plans share them; the one that fits with the least memory to spare is
 * taken. */
#include "src/run/slot.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static fg_slot *idle;

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
    if (s->array[a]) t->backend->memory_free(t->device, s->array[a]);
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

static void destroy(const fg_target *t, fg_slot *s) {
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
  for (int i = 0; i < FG_STREAMS && code == FG_OK; i++) code = t->backend->stream_create(t->device, &s->stream[i]);
  if (code == FG_OK) code = create_events(t, s);
  if (code != FG_OK) {
    destroy(t, s);
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

/* Out of the pool: the smallest that holds all, else the largest, which then grows; NULL if the pool is empty. */
static fg_slot *take(const size_t bytes[FG_ARRAYS], const size_t staging[2]) {
  pthread_mutex_lock(&lock);
  fg_slot **best = NULL;
  for (fg_slot **at = &idle; *at; at = &(*at)->next) {
    const bool fits = holds(*at, bytes, staging);
    const bool best_fits = best && holds(*best, bytes, staging);
    if (!best || (fits && !best_fits) || (fits && total(*at) < total(*best)) ||
        (!fits && !best_fits && total(*at) > total(*best)))
      best = at;
  }
  fg_slot *s = best ? *best : NULL;
  if (s) *best = s->next;
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
    if (s->array[a]) t->backend->memory_free(t->device, s->array[a]);
    s->array[a] = NULL;
    s->bytes[a] = 0;
    const int code = t->backend->memory_alloc(t->device, bytes[a], &s->array[a]);
    if (code != FG_OK) return code;
    s->bytes[a] = bytes[a];
  }
  if (s->ring[0].bytes < staging[0] || s->ring[1].bytes < staging[1]) drop_recordings(t, s);
  const int code = grow_ring(t, &s->ring[0], staging[0]);
  return code == FG_OK ? grow_ring(t, &s->ring[1], staging[1]) : code;
}

void fg_slot_trim(const fg_target *t) {
  pthread_mutex_lock(&lock);
  fg_slot *list = idle;
  idle = NULL;
  pthread_mutex_unlock(&lock);
  while (list) {
    fg_slot *const next = list->next;
    destroy(t, list);
    list = next;
  }
}

int fg_slot_acquire(const fg_target *t, const size_t bytes[FG_ARRAYS], const size_t staging[2], fg_slot **slot) {
  fg_slot *s = take(bytes, staging);
  int code = s ? FG_OK : create(t, &s);
  if (code != FG_OK) return code;
  code = grow(t, s, bytes, staging);
  if (code == FG_ENOMEM) {
    drop_arrays(t, s);
    fg_slot_trim(t);
    code = grow(t, s, bytes, staging);
  }
  if (code != FG_OK) {
    destroy(t, s);
    return code;
  }
  *slot = s;
  return FG_OK;
}

void fg_slot_release(fg_slot *s) {
  pthread_mutex_lock(&lock);
  s->next = idle;
  idle = s;
  pthread_mutex_unlock(&lock);
}
