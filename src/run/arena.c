/* arena.c: blocks that may be handed to DMA, in an array sorted by address. */
#include "src/run/arena.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "src/report/log.h"
#include "src/report/settings.h"

enum { PAGE = 4096, HUGE_PAGE = 2 << 20 };
static const size_t huge = 4 << 20; /* blocks from here on begin on a huge page and ask for such pages */

enum state { PLAIN, PINNED, REFUSED };

typedef struct {
  char *base;
  size_t bytes;
  enum state state;
  unsigned long pinning; /* which, of all so far */
} block;

/* short_lock is held for a look-up only; slow_lock while a block is pinned or unpinned, and taken first. */
static pthread_mutex_t short_lock = PTHREAD_MUTEX_INITIALIZER, slow_lock = PTHREAD_MUTEX_INITIALIZER;
static block *blocks;
static size_t count, room;
static const fg_target *pinned_for;

/* ---- fork: the child has the memory, but nothing of it is pinned there ---- */

static void before_fork(void) {
  pthread_mutex_lock(&slow_lock);
  pthread_mutex_lock(&short_lock);
}

static void after_fork_parent(void) {
  pthread_mutex_unlock(&short_lock);
  pthread_mutex_unlock(&slow_lock);
}

static void after_fork_child(void) {
  for (size_t i = 0; i < count; i++) blocks[i].state = PLAIN;
  after_fork_parent();
}

static void watch_forks(void) { pthread_atfork(before_fork, after_fork_parent, after_fork_child); }

/* ---- the table; all with short_lock held ---- */

/* How many blocks begin at or below p. */
static size_t rank_of(const void *p) {
  size_t low = 0, high = count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if ((uintptr_t)blocks[middle].base <= (uintptr_t)p) low = middle + 1;
    else high = middle;
  }
  return low;
}

static block *holder(const void *from, size_t bytes) {
  const size_t r = rank_of(from);
  if (r == 0) return NULL;
  block *const b = &blocks[r - 1];
  const size_t offset = (size_t)((const char *)from - b->base);
  return offset <= b->bytes && bytes <= b->bytes - offset ? b : NULL;
}

static void take_out(block *b) {
  const size_t at = (size_t)(b - blocks);
  memmove(b, b + 1, (count - at - 1) * sizeof *b);
  count--;
}

static bool make_room(void) {
  if (count < room) return true;
  const size_t more = room ? 2 * room : 64;
  block *larger = realloc(blocks, more * sizeof *larger);
  if (!larger) return false;
  blocks = larger;
  room = more;
  return true;
}

static bool put_in(char *base, size_t bytes) {
  if (!make_room()) return false;
  const size_t r = rank_of(base);
  memmove(blocks + r + 1, blocks + r, (count - r) * sizeof *blocks);
  blocks[r] = (block){base, bytes, PLAIN, 0};
  count++;
  return true;
}

/* ---- seals: whether a block is still the memory that it was ---- */

/* Behind each block, on a page of its own.  A program that gives a block to libc's free (as stock FFTW lets it) may get
 * other pages at its address from malloc later; what was pinned are the old ones, and DMA into them would be lost in
 * silence.  glibc returns memory from its end, so the seal is the first to go. */
typedef struct {
  uint64_t magic;
  const char *base;
} seal;

static const uint64_t SEALED = UINT64_C(0x8f3c6d21b74e95a3);

static seal *seal_of(const block *b) { return (seal *)(b->base + b->bytes); }

/* Eight bytes at p can be read: the kernel looks at a signal mask before it refuses the request for it. */
static bool readable(const void *p) {
  const int saved = errno;
  const bool refused = syscall(SYS_rt_sigprocmask, ~0, p, NULL, 8) != 0 && errno == EFAULT;
  errno = saved;
  return !refused;
}

/* Looks at memory that may have been freed, on purpose: AddressSanitizer is not to mind. */
__attribute__((no_sanitize_address)) static bool intact(const block *b) {
  const seal *s = seal_of(b);
  return readable(s) && s->magic == SEALED && s->base == b->base;
}

/* ---- blocks ---- */

/* A block that the program gave to libc's free behind our back is still in the table when its pages come again. */
static void forget_stale(const char *base, size_t bytes) {
  for (;;) {
    pthread_mutex_lock(&short_lock);
    const size_t r = rank_of(base + bytes - 1);
    block *const b = r ? &blocks[r - 1] : NULL;
    char *const stale = b && b->base + b->bytes > base ? b->base : NULL;
    pthread_mutex_unlock(&short_lock);
    if (!stale) return;
    fg_log(FG_LOG_WARN, "memory of fftwf_malloc was freed by other means than fftwf_free");
    fg_arena_forget(stale);
  }
}

void *fg_arena_alloc(size_t bytes) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  const size_t grain = bytes >= huge ? HUGE_PAGE : PAGE;
  void *base;
  if (bytes > SIZE_MAX - HUGE_PAGE) return NULL;
  bytes = (bytes + PAGE - 1) / PAGE * PAGE;
  if (posix_memalign(&base, grain, bytes + PAGE)) return NULL;
  if (grain == HUGE_PAGE) madvise(base, bytes, MADV_HUGEPAGE); /* fewer page faults, faster pinning; only advice */
  pthread_once(&once, watch_forks);
  forget_stale(base, bytes + PAGE);
  *seal_of(&(block){.base = base, .bytes = bytes}) = (seal){SEALED, base};
  pthread_mutex_lock(&short_lock);
  put_in(base, bytes); /* without room for it the block is as good as foreign */
  pthread_mutex_unlock(&short_lock);
  return base;
}

static bool is_block(const void *p) {
  if (!p || (uintptr_t)p % PAGE) return false;
  pthread_mutex_lock(&short_lock);
  const block *b = holder(p, 0);
  const bool found = b && b->base == p;
  pthread_mutex_unlock(&short_lock);
  return found;
}

bool fg_arena_forget(void *p) {
  if (!is_block(p)) return false;
  pthread_mutex_lock(&slow_lock);
  pthread_mutex_lock(&short_lock);
  block *const b = holder(p, 0);
  const bool pinned = b && b->base == p && b->state == PINNED;
  if (b && b->base == p) take_out(b);
  pthread_mutex_unlock(&short_lock);
  /* On a lost device there is nothing to undo. */
  if (pinned && fg_target_alive() && pinned_for->backend->host_unregister(pinned_for->device, p) != FG_OK)
    fg_log(FG_LOG_WARN, "unpinning: %s", fg_backend_message());
  pthread_mutex_unlock(&slow_lock);
  return true;
}

bool fg_arena_holds(const void *from, size_t bytes) {
  pthread_mutex_lock(&short_lock);
  const bool held = holder(from, bytes) != NULL;
  pthread_mutex_unlock(&short_lock);
  return held;
}

/* The block's copy, to look at without the lock; base NULL if there is none. */
static block look_up(const void *from, size_t bytes) {
  pthread_mutex_lock(&short_lock);
  const block *b = holder(from, bytes);
  const block copy = b ? *b : (block){NULL, 0, REFUSED, 0};
  pthread_mutex_unlock(&short_lock);
  return copy;
}

static void set_state(const block *to) {
  pthread_mutex_lock(&short_lock);
  block *const b = holder(to->base, 0);
  if (b && b->base == to->base) *b = *to;
  pthread_mutex_unlock(&short_lock);
}

static unsigned long number_of(const block *b) { return b->state == PINNED ? b->pinning : 0; }

/* With slow_lock held. */
static unsigned long pin(const fg_target *t, const void *from, size_t bytes) {
  static unsigned long pinnings;
  block b = look_up(from, bytes); /* another thread may have been faster */
  if (b.state != PLAIN) return number_of(&b);
  b.state = t->backend->host_register(t->device, b.base, b.bytes) == FG_OK ? PINNED : REFUSED;
  if (b.state == REFUSED) fg_log(FG_LOG_INFO, "not pinned: %zu bytes: %s", b.bytes, fg_backend_message());
  b.pinning = ++pinnings;
  pinned_for = t;
  set_state(&b);
  return number_of(&b);
}

unsigned long fg_arena_pin(const fg_target *t, const void *from, size_t bytes) {
  const block b = look_up(from, bytes);
  if (b.base && !intact(&b)) {
    fg_log(FG_LOG_WARN, "memory of fftwf_malloc was freed by other means than fftwf_free");
    fg_arena_forget(b.base);
    return 0;
  }
  if (b.state != PLAIN) return number_of(&b);
  if (fg_settings_get()->pin == FG_PIN_NEVER) return 0;
  pthread_mutex_lock(&slow_lock);
  const unsigned long number = pin(t, from, bytes);
  pthread_mutex_unlock(&slow_lock);
  return number;
}
