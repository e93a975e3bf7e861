/* planned.c: a table of some hundred lists; a newer one takes an older one's place. */
#include "src/plan/planned.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "src/pass/tuned.h"

enum { PLACES = 256 };

typedef struct {
  fg_planned_key key;
  fg_passes list; /* room for its passes only */
} entry;

/* Never waited for: what cannot be looked up is planned anew.  (In a child of fork it may be held for ever.) */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static entry *places[PLACES];

/* Member by member: what lies between them is copied with a struct, and is anything. */
static void copy_place(fg_place *to, const fg_place *from) {
  to->array = from->array;
  to->split = from->split;
  to->wide = from->wide;
  to->offset = from->offset;
  to->form = from->form;
  to->row = from->row;
  to->period = from->period;
}

static void copy_work(fg_work *to, const fg_work *from) {
  to->precision = from->precision;
  to->sign = from->sign;
  copy_place(&to->from, &from->from);
  copy_place(&to->to, &from->to);
  to->rank = from->rank;
  to->kind = from->kind;
  to->loops = from->loops;
  to->batched = from->batched;
  to->over_link = from->over_link;
  for (int d = 0; d < from->rank; d++) {
    to->dim[d] = from->dim[d];
    to->r2r_kind[d] = from->r2r_kind[d];
  }
  for (int d = 0; d < from->loops; d++) to->loop[d] = from->loop[d];
}

fg_planned_key *fg_planned_key_of(const fg_work *w, const fg_device_info *device) {
  fg_planned_key *key = calloc(1, sizeof *key);
  if (!key) return NULL;
  copy_work(&key->work, w);
  memcpy(&key->device, device, sizeof *device);
  key->geometries = fg_tuned_generation();
  key->overlap_caches = fg_overlap_caches;
  key->of_tests = fg_strip_short_rows + 2UL * fg_cut_any_twiddled;
  return key;
}

static entry **place_of(const fg_planned_key *key) {
  const unsigned char *const bytes = (const unsigned char *)key;
  unsigned hash = 5381;
  for (size_t i = 0; i < sizeof *key; i++) hash = hash * 33 + bytes[i];
  return &places[hash % PLACES];
}

bool fg_planned_find(const fg_planned_key *key, fg_passes *list) {
  if (pthread_mutex_trylock(&lock)) return false;
  const entry *const e = *place_of(key);
  const bool found = e && !memcmp(&e->key, key, sizeof *key);
  if (found) fg_passes_copy(list, &e->list);
  pthread_mutex_unlock(&lock);
  return found;
}

void fg_planned_keep(const fg_planned_key *key, const fg_passes *list) {
  entry *e = malloc(offsetof(entry, list.pass) + (size_t)list->count * sizeof *list->pass);
  if (!e) return;
  memcpy(&e->key, key, sizeof *key);
  fg_passes_copy(&e->list, list);
  if (pthread_mutex_trylock(&lock) == 0) {
    entry **const place = place_of(key), *const older = *place;
    *place = e;
    e = older;
    pthread_mutex_unlock(&lock);
  }
  free(e);
}

void fg_planned_forget(void) {
  if (pthread_mutex_trylock(&lock)) return;
  for (int i = 0; i < PLACES; i++) {
    free(places[i]);
    places[i] = NULL;
  }
  pthread_mutex_unlock(&lock);
}
