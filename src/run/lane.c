/* lane.c: a pool of lanes. */
#include "src/run/lane.h"

#include <pthread.h>
#include <stdlib.h>

#include "src/run/memory.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static fg_lane *idle;
static fg_lane_need *needs;
static unsigned long clock_of_pool; /* lanes taken so far */

/* ---- one lane ---- */

static void drop_array(fg_lane *l, int a) {
  fg_memory_free(l->target, l->array[a], l->bytes[a]);
  l->array[a] = NULL;
  l->bytes[a] = 0;
}

static void drop_arrays(fg_lane *l) {
  for (int a = 0; a < FG_ARRAYS; a++) drop_array(l, a);
}

static size_t total(const fg_lane *l) {
  size_t sum = 0;
  for (int a = 0; a < FG_ARRAYS; a++) sum += l->bytes[a];
  return sum;
}

static void drop_staging(fg_lane *l) {
  for (int i = 0; i < FG_LANE_PIECES; i++) {
    if (l->staging[i]) l->target->backend->pinned_free(l->target->device, l->staging[i]);
    l->staging[i] = NULL;
  }
  l->staging_bytes = 0;
}

/* The host waits for what is going on in the program's stream. */
static void settle(fg_lane *l) {
  if (l->pending) l->target->backend->event_wait(l->target->device, l->after);
  l->pending = NULL;
}

static void destroy(fg_lane *l) {
  const fg_backend *b = l->target->backend;
  fg_device *const d = l->target->device;
  settle(l);
  drop_arrays(l);
  drop_staging(l);
  if (l->before) b->event_destroy(d, l->before);
  if (l->after) b->event_destroy(d, l->after);
  for (int i = 0; i < FG_LANE_PIECES; i++)
    if (l->moved[i]) b->event_destroy(d, l->moved[i]);
  if (l->stream) b->stream_destroy(d, l->stream);
  free(l);
}

static int create(const fg_target *t, fg_lane **lane) {
  fg_lane *l = calloc(1, sizeof *l);
  if (!l) return fg_backend_fail(FG_ENOMEM, "no host memory");
  l->target = t;
  int code = t->backend->stream_create(t->device, &l->stream);
  if (code == FG_OK) code = t->backend->event_create(t->device, &l->before);
  if (code == FG_OK) code = t->backend->event_create(t->device, &l->after);
  for (int i = 0; i < FG_LANE_PIECES && code == FG_OK; i++) code = t->backend->event_create(t->device, &l->moved[i]);
  if (code == FG_OK) *lane = l;
  else destroy(l);
  return code;
}

static int grow_staging(fg_lane *l, size_t bytes) {
  if (l->staging_bytes >= bytes) return FG_OK;
  drop_staging(l);
  for (int i = 0; i < FG_LANE_PIECES; i++) {
    const int code = l->target->backend->pinned_alloc(l->target->device, bytes, &l->staging[i]);
    if (code != FG_OK) {
      drop_staging(l);
      return code;
    }
  }
  l->staging_bytes = bytes;
  return FG_OK;
}

static int grow(fg_lane *l, const size_t bytes[FG_ARRAYS], size_t staging) {
  for (int a = 0; a < FG_ARRAYS; a++) {
    if (l->bytes[a] >= bytes[a]) continue;
    settle(l);
    drop_array(l, a);
    const int code = fg_memory_alloc(l->target, bytes[a], &l->array[a]);
    if (code != FG_OK) return code;
    l->bytes[a] = bytes[a];
  }
  return grow_staging(l, staging);
}

/* ---- the pool ---- */

static bool holds(const fg_lane *l, const size_t bytes[FG_ARRAYS]) {
  for (int a = 0; a < FG_ARRAYS; a++)
    if (l->bytes[a] < bytes[a]) return false;
  return true;
}

/* The target's lane that is best: one that nothing is to be waited for, and among those one that is large enough. */
static fg_lane *take(const fg_target *t, const size_t bytes[FG_ARRAYS], const fg_stream *for_stream) {
  fg_lane **best = NULL;
  int best_score = -1, count = 0;
  pthread_mutex_lock(&lock);
  for (fg_lane **at = &idle; *at; at = &(*at)->next) {
    if ((*at)->target != t) continue;
    const bool at_once = !(*at)->pending || (*at)->pending == for_stream;
    const int score = 2 * at_once + holds(*at, bytes);
    count++;
    if (score > best_score) {
      best = at;
      best_score = score;
    }
  }
  enum { ENOUGH = 4 }; /* lanes whose work is going on: another stream gets one of its own until then */
  fg_lane *l = best && (best_score >= 2 || count >= ENOUGH) ? *best : NULL;
  if (l) *best = l->next;
  clock_of_pool++;
  pthread_mutex_unlock(&lock);
  return l;
}

void fg_lane_trim(void) {
  pthread_mutex_lock(&lock);
  fg_lane *list = idle;
  idle = NULL;
  pthread_mutex_unlock(&lock);
  while (list) {
    fg_lane *const next = list->next;
    destroy(list);
    list = next;
  }
}

bool fg_lane_give_up(const fg_target *t) {
  pthread_mutex_lock(&lock);
  fg_lane **at = &idle;
  while (*at && ((*at)->target != t || total(*at) == 0)) at = &(*at)->next;
  fg_lane *const l = *at;
  if (l) *at = l->next;
  pthread_mutex_unlock(&lock);
  if (l) destroy(l);
  return l != NULL;
}

/* Also in the same stream: it may be a new one that the driver calls by the name of one destroyed. */
static int follow(fg_lane *l, fg_stream *for_stream) {
  if (!l->pending) return FG_OK;
  return l->target->backend->stream_wait_event(l->target->device, for_stream ? for_stream : l->stream, l->after);
}

int fg_lane_acquire(const fg_target *t, const size_t bytes[FG_ARRAYS], size_t staging, fg_stream *for_stream,
                    fg_lane **lane) {
  fg_lane *l = take(t, bytes, for_stream);
  int code = l ? FG_OK : create(t, &l);
  if (code != FG_OK) return code;
  code = grow(l, bytes, staging);
  if (code == FG_ENOMEM) {
    settle(l);
    drop_arrays(l);
    fg_lane_trim();
    code = grow(l, bytes, staging);
  }
  if (code == FG_OK) code = follow(l, for_stream);
  if (code != FG_OK) {
    destroy(l);
    return code;
  }
  *lane = l;
  return FG_OK;
}

/* ---- what may stay ---- */

/* With lock held, as what follows: bytes that living plans need, the most of each array; 0 if they are too many to stay. */
static size_t needed(const fg_target *t) {
  size_t sum = 0;
  for (int a = 0; a < FG_ARRAYS; a++) {
    size_t most = 0;
    for (const fg_lane_need *n = needs; n; n = n->next)
      if (n->target == t && n->bytes[a] > most) most = n->bytes[a];
    sum += most;
  }
  return sum <= fg_memory_needed_limit(t) ? sum : 0;
}

/* More than may stay unneeded. */
static bool large(const fg_lane *l) { return total(l) > fg_memory_idle_limit(l->target); }

static size_t in_large_lanes(const fg_target *t) {
  size_t sum = 0;
  for (const fg_lane *l = idle; l; l = l->next)
    if (l->target == t && large(l)) sum += total(l);
  return sum;
}

static bool may_stay(const fg_lane *l) {
  return !large(l) || in_large_lanes(l->target) + total(l) <= needed(l->target);
}

static void put(fg_lane *l) {
  l->put = clock_of_pool;
  l->next = idle;
  idle = l;
}

/* Its stream and staging stay: they take longer to make than memory does. */
static void put_without_arrays(fg_lane *l) {
  settle(l);
  drop_arrays(l);
  pthread_mutex_lock(&lock);
  put(l);
  pthread_mutex_unlock(&lock);
}

static bool at_work(const fg_lane *l) {
  return l->pending && l->target->backend->event_reached(l->target->device, l->after) == 0;
}

/* With lock held: out of the pool, a large lane where there are more than are needed, behind which so many were taken. */
static fg_lane *take_unneeded(const fg_target *t, unsigned long times) {
  const size_t bytes = in_large_lanes(t);
  fg_lane **at = &idle;
  if (bytes == 0 || bytes <= needed(t)) return NULL; /* each execution asks */
  while (*at && ((*at)->target != t || !large(*at) || clock_of_pool - (*at)->put < times || at_work(*at))) at = &(*at)->next;
  fg_lane *const l = *at;
  if (l) *at = l->next;
  return l;
}

static void drop_unneeded(const fg_target *t, unsigned long times) {
  for (;;) {
    pthread_mutex_lock(&lock);
    fg_lane *const l = take_unneeded(t, times);
    pthread_mutex_unlock(&lock);
    if (!l) return;
    put_without_arrays(l);
  }
}

/* Executions in as many streams as before may come again: what they used is dropped when it was not used for so long. */
enum { LONG = 64 };

void fg_lane_release(fg_lane *l, fg_stream *in_stream) {
  const fg_target *const t = l->target;
  l->pending = in_stream;
  pthread_mutex_lock(&lock);
  const bool stays = in_stream || may_stay(l);
  if (stays) put(l);
  fg_lane *const old = take_unneeded(t, LONG);
  pthread_mutex_unlock(&lock);
  if (!stays) put_without_arrays(l);
  if (!old) return;
  put_without_arrays(old);
  drop_unneeded(t, LONG);
}

void fg_lane_keep(fg_lane_need *n) {
  size_t sum = 0;
  for (int a = 0; a < FG_ARRAYS; a++) sum += n->bytes[a];
  n->listed = sum > fg_memory_idle_limit(n->target);
  if (!n->listed) return;
  pthread_mutex_lock(&lock);
  n->next = needs;
  needs = n;
  pthread_mutex_unlock(&lock);
}

void fg_lane_keep_no_more(fg_lane_need *n) {
  if (!n->listed || fg_target_inherited()) return; /* lanes are the parent's, and the lock may be held for ever */
  const fg_target *const t = n->target;
  pthread_mutex_lock(&lock);
  fg_lane_need **at = &needs;
  while (*at && *at != n) at = &(*at)->next;
  if (*at) *at = n->next;
  pthread_mutex_unlock(&lock);
  drop_unneeded(t, 0);
}
