/* pinnings.c: a pool of pinnings, known by their index. */
#include "src/run/arena/pinnings.h"

#include "src/report/log.h"
#include "src/run/arena/regions.h"

enum { INDEX_BITS = 17, MOST = FG_REGIONS_MOST };
_Static_assert(MOST < 1 << INDEX_BITS, "an index fits into a number");

typedef struct {
  const fg_target *target;
  char *base;
  size_t bytes;
  unsigned users, next; /* the next that is free */
  unsigned long number; /* serial number and index */
  bool watched, made, given_up;
} pinning;

static pinning pool[MOST]; /* 0 is none */
static unsigned begun, unused, put_by;
static unsigned long serial;
static size_t watched_bytes, watched_most;

void fg_pinnings_limit(size_t bytes) { watched_most = bytes; }

static unsigned take_unused(void) {
  const unsigned i = unused;
  if (i) unused = pool[i].next;
  else if (begun + 1 < MOST) return ++begun;
  return i;
}

unsigned fg_pinning_reserve(const fg_target *t, char *base, size_t bytes, bool watched) {
  if (watched && watched_bytes + bytes > watched_most) return 0;
  const unsigned i = take_unused();
  if (!i) return 0;
  pool[i] = (pinning){.target = t, .base = base, .bytes = bytes, .users = 1, .watched = watched};
  pool[i].number = ++serial << INDEX_BITS | i;
  if (watched) watched_bytes += bytes;
  return i;
}

int fg_pinning_make(unsigned i) {
  const pinning *p = &pool[i];
  const int code = p->target->backend->host_register(p->target->device, p->base, p->bytes);
  if (code == FG_OK) fg_log(FG_LOG_DEBUG, "pinned: %zu bytes", p->bytes);
  else fg_log(FG_LOG_INFO, "not pinned: %zu bytes: %s", p->bytes, fg_backend_message());
  return code;
}

unsigned long fg_pinning_made(unsigned i) {
  pool[i].made = true;
  return pool[i].given_up ? 0 : pool[i].number;
}

bool fg_pinning_covers(unsigned i, const void *from, size_t bytes) {
  const pinning *p = &pool[i];
  const size_t offset = (size_t)((const char *)from - p->base);
  return i && p->made && offset <= p->bytes && bytes <= p->bytes - offset;
}

unsigned long fg_pinning_use(unsigned i) {
  pool[i].users++;
  return pool[i].number;
}

bool fg_pinning_used(unsigned i) { return pool[i].users > 0; }

static unsigned now_unused(unsigned i) { return pool[i].given_up && !pool[i].users ? i : 0; }

unsigned fg_pinning_leave(unsigned long number) {
  const unsigned i = number & ((1u << INDEX_BITS) - 1);
  if (!i || i >= MOST || pool[i].number != number) return 0; /* in a forked child: it was forgotten */
  pool[i].users--;
  return now_unused(i);
}

unsigned fg_pinning_give_up(unsigned i) {
  if (!i) return 0;
  pool[i].given_up = true;
  return now_unused(i);
}

/* On a lost device there is nothing to undo. */
void fg_pinning_undo(unsigned i) {
  const pinning *p = &pool[i];
  if (!p->made || !fg_target_open()) return;
  if (p->target->backend->host_unregister(p->target->device, p->base) == FG_OK)
    fg_log(FG_LOG_DEBUG, "unpinned: %zu bytes", p->bytes);
  else fg_log(FG_LOG_WARN, "unpinning: %s", fg_backend_message());
}

void fg_pinning_forget(unsigned i) {
  if (pool[i].watched) watched_bytes -= pool[i].bytes;
  pool[i] = (pinning){.next = unused};
  unused = i;
}

void fg_pinning_put_by(unsigned i) {
  pool[i].next = put_by;
  put_by = i;
}

bool fg_pinning_is_put_by(void) { return put_by != 0; }

unsigned fg_pinning_put_by_last(void) {
  const unsigned i = put_by;
  if (i) put_by = pool[i].next;
  return i;
}

void fg_pinnings_reset(void) {
  for (unsigned i = 1; i <= begun; i++) pool[i] = (pinning){.number = 0};
  begun = unused = put_by = 0;
  watched_bytes = 0;
}
