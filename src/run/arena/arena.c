/* arena.c: what is pinned when, and that it never outlives its memory. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr */
#endif
#include "src/run/arena/arena.h"

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "src/report/log.h"
#include "src/report/settings.h"
#include "src/run/arena/pinnings.h"

enum { HUGE_PAGE = 2 << 20 };
#define PAGE FG_ARENA_PAGE
static const size_t huge = 4 << 20; /* blocks from here on begin on a huge page and ask for such pages */

/* ---- the lock: held for look-ups and changes of tables; nothing is called under it that allocates or waits ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool watching;
static bool (*_Atomic still_watching)(void); /* NULL: no need to ask */
static atomic_bool blind;                   /* what was watched is not any more */

/* While memory is watched a signal's handler may come here too. */
static sigset_t enter(void) {
  sigset_t all, before;
  sigemptyset(&before);
  if (watching) {
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
  }
  pthread_mutex_lock(&lock);
  return before;
}

static void leave(const sigset_t *before) {
  pthread_mutex_unlock(&lock);
  if (watching) pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* ---- fork: the child has the memory, but nothing of it is pinned there ---- */

static sigset_t before_the_fork; /* under the lock */

/* Signals that came meanwhile are delivered before the lock is open again: they have to wait for that, too. */
static void before_fork(void) {
  const sigset_t before = enter();
  before_the_fork = before;
}

static void after_fork(void) {
  const sigset_t before = before_the_fork;
  leave(&before);
}

static void after_fork_child(void) {
  size_t count;
  fg_region *const all = fg_regions_all(&count);
  for (size_t i = 0; i < count; i++) all[i].pinning = 0;
  fg_pinnings_reset();
  after_fork();
}

/* Before any other module: a fork takes locks in the reverse order, so that this one, under which no other is taken, comes
 * last. */
__attribute__((constructor(200))) static void watch_forks(void) {
  pthread_atfork(before_fork, after_fork, after_fork_child);
}

/* ---- seals: whether a block is still the memory that it was ---- */

/* Behind each block, on a page of its own.  A program that gives a block of fftwf_malloc to libc's free (as stock FFTW
 * lets it), or finds a way to free what is watched without being seen, may get other pages at its address from malloc
 * later; what was pinned are the old ones, and DMA into them would be lost in silence.  glibc returns memory from its
 * end, so the seal is the first to go. */
typedef struct {
  uint64_t magic;
  const char *base;
} seal;

static const uint64_t SEALED = UINT64_C(0x8f3c6d21b74e95a3);

static char *page_down(const char *p) { return (char *)p - (uintptr_t)p % PAGE; }

static char *page_up(const char *p) { return page_down(p + PAGE - 1); }

static bool is_sealed(const fg_region *r) { return r->kind == FG_REGION_OWN || r->kind == FG_REGION_BLOCK; }

static void put_seal(char *base, size_t bytes) { *(seal *)page_up(base + bytes) = (seal){SEALED, base}; }

/* Eight bytes at p can be read: the kernel looks at a signal mask before it refuses the request for it. */
static bool readable(const void *p) {
  const int saved = errno;
  const bool refused = syscall(SYS_rt_sigprocmask, ~0, p, NULL, 8) != 0 && errno == EFAULT;
  errno = saved;
  return !refused;
}

/* Looks at memory that may have been freed, on purpose: AddressSanitizer is not to mind. */
__attribute__((no_sanitize_address)) static bool intact(const fg_region *r) {
  if (!is_sealed(r)) return true;
  const seal *s = (const seal *)page_up(r->base + r->bytes);
  return readable(s) && s->magic == SEALED && s->base == r->base;
}

/* ---- what pinning costs, and what it saves ---- */

/* Of the reference machine (doc/measurements.md): registering pages; and how much longer an array takes through staging
 * than by DMA in place: threads have to be woken and the first piece has to be copied, then copies by the processor and
 * by DMA overlap. */
static const double register_call = 60e-6, register_byte = 36e-12;
static const double waking_byte = 80e-12, waking_most = 25e-6, copying_byte = 12e-12, copying_most = 170e-6;

static double cost_of_pinning(size_t bytes) { return register_call + register_byte * (double)bytes; }

static double cost_of_staging(size_t bytes) {
  return fmin(waking_byte * (double)bytes, waking_most) + fmin(copying_byte * (double)bytes, copying_most);
}

/* Seven of eight pages are in memory: pinning must not make memory of what the program only reserved. */
static bool resident(char *base, size_t bytes) {
  unsigned char there[4096];
  size_t found = 0;
  const size_t page = PAGE;
  for (size_t at = 0; at < bytes; at += sizeof there * page) {
    const size_t span = bytes - at < sizeof there * page ? bytes - at : sizeof there * page;
    if (mincore(base + at, span, there)) return false;
    for (size_t i = 0; i < span / page; i++) found += there[i] & 1;
  }
  return found * 8 >= bytes / page * 7;
}

/* ---- pinning ---- */

/* What is left to do when the lock has been given back: make and undo are pinnings. */
typedef struct {
  unsigned make, undo;
  char *base;
  size_t bytes;
  bool watched, broken;
} job;

static void undo(unsigned pinning) {
  if (!pinning) return;
  fg_pinning_undo(pinning);
  const sigset_t before = enter();
  fg_pinning_forget(pinning);
  leave(&before);
}

static void undo_put_by(void) {
  unsigned pinning;
  do {
    const sigset_t before = enter();
    pinning = fg_pinning_put_by_last();
    leave(&before);
    undo(pinning);
  } while (pinning);
}

/* The region's pinning is given up; what the caller has to undo of it. */
static unsigned detach(fg_region *r) {
  const unsigned pinning = r->pinning;
  r->pinning = 0;
  return fg_pinning_give_up(pinning);
}

/* All of what is used is pinned together; but own blocks whole, and at once. */
static bool is_wanted(fg_region *r, const char *from, size_t bytes) {
  if (r->refused) return false;
  if (r->kind == FG_REGION_OWN) {
    r->low = r->base;
    r->high = r->base + r->bytes;
    return true;
  }
  if (!r->low || from < r->low) r->low = (char *)from;
  if (from + bytes > r->high) r->high = (char *)from + bytes;
  r->owed += cost_of_staging(bytes);
  return r->owed >= cost_of_pinning((size_t)(r->high - r->low));
}

static void begin(const fg_target *t, fg_region *r, job *j) {
  if (r->pinning && fg_pinning_used(r->pinning)) return;
  r->owed = 0;
  j->undo = detach(r);
  j->base = page_down(r->low);
  j->bytes = (size_t)(page_up(r->high) - j->base);
  j->watched = r->kind != FG_REGION_OWN;
  r->pinning = j->make = fg_pinning_reserve(t, j->base, j->bytes, j->watched);
}

/* With the lock held: the number of a pinning that is there, or 0 and what to do. */
static unsigned long look(const fg_target *t, const void *from, size_t bytes, job *j) {
  fg_region *const r = fg_regions_holding(from, bytes);
  if (!r) return 0;
  j->broken = !intact(r);
  if (j->broken) {
    j->undo = detach(r);
    fg_regions_take(r);
    return 0;
  }
  if (fg_pinning_covers(r->pinning, from, bytes)) return fg_pinning_use(r->pinning);
  if (is_wanted(r, from, bytes)) begin(t, r, j);
  return 0;
}

/* With the lock held. Unless the memory went away meanwhile its region still has the pinning that failed. */
static void give_in(const job *j, bool refused) {
  fg_region *const r = fg_regions_meeting(j->base, j->bytes);
  if (r && r->pinning == j->make) {
    r->pinning = 0;
    r->refused = refused;
  }
  fg_pinning_forget(j->make);
}

static unsigned long make(const job *j) {
  const bool ready = !j->watched || resident(j->base, j->bytes), made = ready && fg_pinning_make(j->make) == FG_OK;
  const sigset_t before = enter();
  unsigned long number = 0;
  if (made) number = fg_pinning_made(j->make);
  else give_in(j, ready);
  leave(&before);
  if (made && !number) undo(j->make);
  return number;
}

/* Some region that is not fftwf_malloc's; with the lock held. */
static fg_region *a_watched_one(void) {
  size_t count;
  fg_region *const all = fg_regions_all(&count);
  for (size_t i = 0; i < count; i++)
    if (all[i].kind != FG_REGION_OWN) return &all[i];
  return NULL;
}

static void stop_watching(void) {
  if (atomic_exchange(&blind, true)) return;
  fg_log(FG_LOG_WARN, "memory is no longer watched: something has taken the place of munmap");
  for (bool more = true; more;) {
    const sigset_t before = enter();
    fg_region *const r = a_watched_one();
    const unsigned last = r ? detach(r) : 0;
    more = r != NULL;
    if (r) fg_regions_take(r);
    leave(&before);
    undo(last);
  }
}

static void see_to_it(void) {
  bool (*const still)(void) = still_watching;
  if (still && !still()) stop_watching();
}

static void complain(void) { fg_log(FG_LOG_WARN, "memory was freed by other means than fftwf_free"); }

unsigned long fg_arena_hold(const fg_target *t, const void *from, size_t bytes) {
  job j = {.make = 0};
  if (fg_settings_get()->pin == FG_PIN_NEVER) return 0;
  see_to_it();
  sigset_t before = enter();
  if (fg_pinning_is_put_by()) {
    leave(&before);
    undo_put_by();
    before = enter();
  }
  const unsigned long number = look(t, from, bytes, &j);
  leave(&before);
  if (j.broken) complain();
  undo(j.undo);
  return j.make ? make(&j) : number;
}

void fg_arena_let_go(unsigned long number) {
  if (!number) return;
  const sigset_t before = enter();
  const unsigned last = fg_pinning_leave(number);
  leave(&before);
  undo(last);
}

unsigned long fg_arena_pin(const fg_target *t, const void *from, size_t bytes) {
  const unsigned long number = fg_arena_hold(t, from, bytes);
  fg_arena_let_go(number);
  return number;
}

bool fg_arena_holds(const void *from, size_t bytes) {
  const sigset_t before = enter();
  const fg_region *r = fg_regions_holding(from, bytes);
  const bool held = r && (r->kind == FG_REGION_OWN || fg_pinning_covers(r->pinning, from, bytes));
  leave(&before);
  return held;
}

/* ---- memory that comes and goes ---- */

void fg_arena_watch(bool (*still)(void)) {
  still_watching = still;
  fg_pinnings_limit((size_t)sysconf(_SC_PHYS_PAGES) / 2 * PAGE);
  watching = true;
}

/* What is left of a mapping when a part of it goes. */
static void keep_rest(const fg_region *r, char *from, char *end) {
  if (r->kind != FG_REGION_MAPPING) return;
  if (from - r->base >= (ptrdiff_t)FG_ARENA_SMALLEST) fg_regions_put(r->kind, r->base, (size_t)(from - r->base));
  char *const last = r->base + r->bytes;
  if (last - end >= (ptrdiff_t)FG_ARENA_SMALLEST) fg_regions_put(r->kind, end, (size_t)(last - end));
}

/* Take out one region that meets the range; false if there is none. late: the driver must not be called. */
static bool take_one(char *from, char *end, bool late, bool *own) {
  const sigset_t before = enter();
  fg_region *const r = fg_regions_meeting(from, (size_t)(end - from));
  unsigned last = 0;
  if (r) {
    const fg_region was = *r;
    *own |= was.kind == FG_REGION_OWN;
    last = detach(r);
    fg_regions_take(r);
    keep_rest(&was, from, end);
  }
  if (late && last) fg_pinning_put_by(last);
  leave(&before);
  if (!late) undo(last);
  return r != NULL;
}

/* Whether own memory was among it. */
static bool range_goes(void *from, size_t bytes, bool late) {
  const int saved = errno;
  bool own = false;
  if (bytes < UINTPTR_MAX - PAGE - (uintptr_t)from) /* what the kernel refuses changes nothing */
    while (take_one(page_down(from), page_up((char *)from + bytes), late, &own)) continue;
  errno = saved;
  return own;
}

void fg_arena_range_came(void *from, size_t bytes) { range_goes(from, bytes, true); }

void fg_arena_range_goes(void *from, size_t bytes) { range_goes(from, bytes, false); }

static bool renew_one(char **from, const char *end) {
  const sigset_t before = enter();
  fg_region *const r = fg_regions_meeting(*from, (size_t)(end - *from));
  unsigned last = 0;
  if (r) {
    last = detach(r);
    r->owed = 0;
    r->low = r->high = NULL;
    *from = r->base + r->bytes;
  }
  leave(&before);
  undo(last);
  return r && *from < end;
}

void fg_arena_range_renewed(void *from, size_t bytes) {
  const int saved = errno;
  char *at = page_down(from);
  const char *const end = page_up((char *)from + bytes);
  while (at < end && renew_one(&at, end)) continue;
  errno = saved;
}

/* own: only if it is a block of fftwf_malloc's. */
static bool block_goes(void *base, bool own) {
  const int saved = errno;
  const sigset_t before = enter();
  fg_region *const r = fg_regions_holding(base, 0);
  const bool found = r && r->base == base && (own ? r->kind == FG_REGION_OWN : is_sealed(r));
  const unsigned last = found ? detach(r) : 0;
  if (found) fg_regions_take(r);
  leave(&before);
  undo(last);
  errno = saved;
  return found;
}

void fg_arena_block_goes(void *base) { block_goes(base, false); }

bool fg_arena_forget(void *p) { return p && (uintptr_t)p % PAGE == 0 && block_goes(p, true); }

/* A block that the program gave to libc's free behind our back is still in the table when its pages come again. It may
 * be the driver that asked for them, with locks of its own. */
static void put(enum fg_region_kind kind, char *base, size_t bytes) {
  if (range_goes(base, bytes + (kind == FG_REGION_MAPPING ? 0 : PAGE), true)) complain();
  if (is_sealed(&(fg_region){.kind = kind})) put_seal(base, bytes);
  const sigset_t before = enter();
  if (kind == FG_REGION_OWN || !blind) fg_regions_put(kind, base, bytes);
  leave(&before);
}

void fg_arena_came(enum fg_region_kind kind, void *base, size_t bytes) {
  const int saved = errno;
  put(kind, base, bytes);
  errno = saved;
}

/* A program with an allocator of its own may lack one of its functions: a block is of who frees it.  (FFTW calls memalign.) */
static bool frees(const void *allocates) {
  Dl_info one, other;
  return dladdr(allocates, &one) && dladdr((const void *)free, &other) && one.dli_fbase == other.dli_fbase;
}

static void *allocate(size_t grain, size_t bytes) {
  static atomic_int how; /* 1: posix_memalign, 2: memalign */
  void *base;
  if (!atomic_load(&how)) atomic_store(&how, frees((const void *)posix_memalign) ? 1 : 2);
  if (atomic_load(&how) == 2) return memalign(grain, bytes);
  return posix_memalign(&base, grain, bytes) ? NULL : base;
}

void *fg_arena_alloc(size_t bytes) {
  const size_t grain = bytes >= huge ? HUGE_PAGE : PAGE;
  if (bytes > SIZE_MAX - HUGE_PAGE) return NULL;
  const size_t page = PAGE;
  bytes = (bytes + page - 1) / page * page;
  void *const base = allocate(grain, bytes + page);
  if (!base) return NULL;
  if (grain == HUGE_PAGE) madvise(base, bytes, MADV_HUGEPAGE); /* fewer page faults, faster pinning; only advice */
  put(FG_REGION_OWN, base, bytes);
  undo_put_by();
  return base;
}
