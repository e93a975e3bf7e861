/* blocks.c: malloc and its kin. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <gnu/libc-version.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "src/watch/watched.h"

const fg_watcher *_Atomic fg_watched_by;

/* ---- the functions behind ours ---- */

static struct {
  void *(*malloc)(size_t);
  void *(*calloc)(size_t, size_t);
  void *(*realloc)(void *, size_t);
  void (*free)(void *);
  int (*posix_memalign)(void **, size_t, size_t);
  void *(*aligned_alloc)(size_t, size_t);
  void *(*memalign)(size_t, size_t);
  void *(*valloc)(size_t);
  void *(*pvalloc)(size_t);
  size_t (*usable_size)(void *);
} next;

/* What finding them asks for itself, before there are threads. Never given back. */
static _Alignas(16) char early[1 << 16];
static size_t early_used;
static volatile bool finding; /* the compiler takes it that dlsym calls nothing here */

static void *early_alloc(size_t bytes) {
  bytes = (bytes + 15) & ~(size_t)15;
  if (bytes > sizeof early - early_used) return NULL;
  early_used += bytes;
  return early + early_used - bytes;
}

static bool is_early(const void *p) { return (uintptr_t)p - (uintptr_t)early < sizeof early; }

static void find(void) {
  finding = true;
  next.calloc = (void *(*)(size_t, size_t))dlsym(RTLD_NEXT, "calloc");
  next.realloc = (void *(*)(void *, size_t))dlsym(RTLD_NEXT, "realloc");
  next.free = (void (*)(void *))dlsym(RTLD_NEXT, "free");
  next.posix_memalign = (int (*)(void **, size_t, size_t))dlsym(RTLD_NEXT, "posix_memalign");
  next.aligned_alloc = (void *(*)(size_t, size_t))dlsym(RTLD_NEXT, "aligned_alloc");
  next.memalign = (void *(*)(size_t, size_t))dlsym(RTLD_NEXT, "memalign");
  next.valloc = (void *(*)(size_t))dlsym(RTLD_NEXT, "valloc");
  next.pvalloc = (void *(*)(size_t))dlsym(RTLD_NEXT, "pvalloc");
  next.usable_size = (size_t (*)(void *))dlsym(RTLD_NEXT, "malloc_usable_size");
  next.malloc = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
  finding = false;
}

/* False while they are being found. */
static inline bool ready(void) {
  if (next.malloc) return true;
  if (finding) return false;
  find();
  return true;
}

/* Some allocators bring functions by all names that the C library has for its own. */
static bool is_libcs(void *function) {
  Dl_info of_function, of_libc;
  return function && dladdr(function, &of_function) && dladdr((void *)&gnu_get_libc_version, &of_libc) &&
         of_function.dli_fbase == of_libc.dli_fbase;
}

bool fg_watched_libc(void) {
  ready();
  return next.usable_size && is_libcs((void *)next.malloc) && is_libcs((void *)next.free);
}

/* ---- telling ---- */

/* Who is to be told of a block of so many bytes. */
static inline const fg_watcher *who(size_t bytes) {
  return bytes < FG_WATCH_SMALLEST || bytes > PTRDIFF_MAX / 2 ? NULL : fg_watched_by;
}

static inline size_t padded(const fg_watcher *w, size_t bytes) { return w ? bytes + w->pad : bytes; }

static inline void *came(const fg_watcher *w, void *p, size_t bytes) {
  if (w && p) w->block_came(p, bytes);
  return p;
}

static inline void goes(void *p) {
  const fg_watcher *w = p && !is_early(p) ? fg_watched_by : NULL;
  if (w && next.usable_size(p) >= FG_WATCH_SMALLEST) w->block_goes(p);
}

/* ---- the functions ---- */

void *malloc(size_t n) {
  if (!ready()) return early_alloc(n);
  const fg_watcher *w = who(n);
  return came(w, next.malloc(padded(w, n)), n);
}

void *calloc(size_t count, size_t size) {
  size_t n;
  if (!ready()) return __builtin_mul_overflow(count, size, &n) ? NULL : early_alloc(n);
  const fg_watcher *w = __builtin_mul_overflow(count, size, &n) ? NULL : who(n);
  return w ? came(w, next.calloc(1, padded(w, n)), n) : next.calloc(count, size);
}

void free(void *p) {
  if (is_early(p) || !ready()) return;
  goes(p);
  next.free(p);
}

/* A block that cannot be made larger is unknown from then on. */
void *realloc(void *p, size_t n) {
  if (!ready() || is_early(p)) {
    void *q = malloc(n);
    const size_t most = p ? (size_t)(early + sizeof early - (char *)p) : 0;
    if (q && p) memcpy(q, p, n < most ? n : most);
    return q;
  }
  const fg_watcher *w = who(n);
  goes(p);
  return came(w, next.realloc(p, padded(w, n)), n);
}

void *reallocarray(void *p, size_t count, size_t size) {
  size_t n;
  if (!__builtin_mul_overflow(count, size, &n)) return realloc(p, n);
  errno = ENOMEM;
  return NULL;
}

int posix_memalign(void **p, size_t alignment, size_t n) {
  if (!ready()) return ENOMEM;
  const fg_watcher *w = who(n);
  const int code = next.posix_memalign(p, alignment, padded(w, n));
  if (code == 0) came(w, *p, n);
  return code;
}

void *aligned_alloc(size_t alignment, size_t n) {
  if (!ready()) return NULL;
  const fg_watcher *w = who(n);
  return came(w, next.aligned_alloc(alignment, padded(w, n)), n);
}

void *memalign(size_t alignment, size_t n) {
  if (!ready()) return NULL;
  const fg_watcher *w = who(n);
  return came(w, next.memalign(alignment, padded(w, n)), n);
}

void *valloc(size_t n) {
  if (!ready()) return NULL;
  const fg_watcher *w = who(n);
  return came(w, next.valloc(padded(w, n)), n);
}

void *pvalloc(size_t n) {
  if (!ready()) return NULL;
  const fg_watcher *w = who(n);
  return came(w, next.pvalloc(padded(w, n)), n);
}

/* Other names of free: of old programs, and of C23. */
void cfree(void *p) { free(p); }

void free_sized(void *p, size_t n) {
  (void)n;
  free(p);
}

void free_aligned_sized(void *p, size_t alignment, size_t n) {
  (void)alignment, (void)n;
  free(p);
}
