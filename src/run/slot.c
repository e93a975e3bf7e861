/* slot.c: a pool of slots.  Executions of any plans share them; the one that fits with the least memory to spare is taken. */
#include "src/run/slot.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static fg_slot *idle;

static void drop_arrays(const fg_target *t, fg_slot *s) {
  for (int a = 0; a < FG_ARRAYS; a++) {
    if (s->array[a]) t->backend->memory_free(t->device, s->array[a]);
    s->array[a] = NULL;
    s->bytes[a] = 0;
  }
}

static void drop_staging(const fg_target *t, fg_slot *s) {
  for (int i = 0; i < FG_STAGES_IN_FLIGHT; i++) {
    if (s->staging[i]) t->backend->pinned_free(t->device, s->staging[i]);
    s->staging[i] = NULL;
  }
  s->staging_bytes = 0;
}

static void destroy(const fg_target *t, fg_slot *s) {
  drop_arrays(t, s);
  drop_staging(t, s);
  for (int i = 0; i < FG_STAGES_IN_FLIGHT; i++)
    if (s->staged[i]) t->backend->event_destroy(t->device, s->staged[i]);
  if (s->stream) t->backend->stream_destroy(t->device, s->stream);
  free(s);
}

static int create(const fg_target *t, fg_slot **slot) {
  fg_slot *s = calloc(1, sizeof *s);
  if (!s) return fg_backend_fail(FG_ENOMEM, "no host memory");
  int code = t->backend->stream_create(t->device, &s->stream);
  for (int i = 0; i < FG_STAGES_IN_FLIGHT && code == FG_OK; i++)
    code = t->backend->event_create(t->device, &s->staged[i]);
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

static bool holds(const fg_slot *s, const size_t bytes[FG_ARRAYS], size_t staging_bytes) {
  for (int a = 0; a < FG_ARRAYS; a++)
    if (s->bytes[a] < bytes[a]) return false;
  return s->staging_bytes >= staging_bytes;
}

/* Out of the pool: the smallest that holds all, else the largest, which then grows; NULL if the pool is empty. */
static fg_slot *take(const size_t bytes[FG_ARRAYS], size_t staging_bytes) {
  pthread_mutex_lock(&lock);
  fg_slot **best = NULL;
  for (fg_slot **at = &idle; *at; at = &(*at)->next) {
    const bool fits = holds(*at, bytes, staging_bytes);
    const bool best_fits = best && holds(*best, bytes, staging_bytes);
    if (!best || (fits && !best_fits) || (fits && total(*at) < total(*best)) ||
        (!fits && !best_fits && total(*at) > total(*best)))
      best = at;
  }
  fg_slot *s = best ? *best : NULL;
  if (s) *best = s->next;
  pthread_mutex_unlock(&lock);
  return s;
}

static int grow_staging(const fg_target *t, fg_slot *s, size_t bytes) {
  if (s->staging_bytes >= bytes) return FG_OK;
  drop_staging(t, s);
  for (int i = 0; i < FG_STAGES_IN_FLIGHT; i++) {
    const int code = t->backend->pinned_alloc(t->device, bytes, &s->staging[i]);
    if (code != FG_OK) {
      drop_staging(t, s);
      return code;
    }
  }
  s->staging_bytes = bytes;
  return FG_OK;
}

static int grow(const fg_target *t, fg_slot *s, const size_t bytes[FG_ARRAYS], size_t staging_bytes) {
  for (int a = 0; a < FG_ARRAYS; a++) {
    if (s->bytes[a] >= bytes[a]) continue;
    if (s->array[a]) t->backend->memory_free(t->device, s->array[a]);
    s->array[a] = NULL;
    s->bytes[a] = 0;
    const int code = t->backend->memory_alloc(t->device, bytes[a], &s->array[a]);
    if (code != FG_OK) return code;
    s->bytes[a] = bytes[a];
  }
  return grow_staging(t, s, staging_bytes);
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

int fg_slot_acquire(const fg_target *t, const size_t bytes[FG_ARRAYS], size_t staging_bytes, fg_slot **slot) {
  fg_slot *s = take(bytes, staging_bytes);
  int code = s ? FG_OK : create(t, &s);
  if (code != FG_OK) return code;
  code = grow(t, s, bytes, staging_bytes);
  if (code == FG_ENOMEM) {
    drop_arrays(t, s);
    fg_slot_trim(t);
    code = grow(t, s, bytes, staging_bytes);
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
