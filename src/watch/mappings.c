/* mappings.c: mmap and whatever gives addresses other pages. brk is not here: below its end lie blocks of malloc's
 * only. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "src/watch/watched.h"

static struct {
  void *(*mmap)(void *, size_t, int, int, int, off_t);
  int (*munmap)(void *, size_t);
  void *(*mremap)(void *, size_t, size_t, int, ...);
  int (*madvise)(void *, size_t, int);
  void *(*shmat)(int, const void *, int);
  ssize_t (*process_madvise)(int, const struct iovec *, size_t, int, unsigned);
} next;

static bool finding;
static atomic_bool found;

/* False while they are being found, which may itself map memory. */
static bool ready(void) {
  if (atomic_load_explicit(&found, memory_order_acquire)) return true;
  if (finding) return false;
  finding = true;
  next.mmap = (void *(*)(void *, size_t, int, int, int, off_t))dlsym(RTLD_NEXT, "mmap");
  next.munmap = (int (*)(void *, size_t))dlsym(RTLD_NEXT, "munmap");
  next.mremap = (void *(*)(void *, size_t, size_t, int, ...))dlsym(RTLD_NEXT, "mremap");
  next.madvise = (int (*)(void *, size_t, int))dlsym(RTLD_NEXT, "madvise");
  next.shmat = (void *(*)(int, const void *, int))dlsym(RTLD_NEXT, "shmat");
  next.process_madvise =
      (ssize_t(*)(int, const struct iovec *, size_t, int, unsigned))dlsym(RTLD_NEXT, "process_madvise");
  atomic_store_explicit(&found, true, memory_order_release);
  finding = false;
  return true;
}

static void range_goes(void *from, size_t bytes) {
  const fg_watcher *w = fg_watched_by;
  if (w) w->range_goes(from, bytes);
}

static void range_came(void *from, size_t bytes) {
  const fg_watcher *w = fg_watched_by;
  if (w && bytes) w->range_came(from, bytes);
}

/* ---- new pages at these addresses ---- */

/* Memory that is the process's alone, and that nothing but these functions takes away. */
static bool is_plain(size_t bytes, int protection, int flags) {
  const int wanted = MAP_PRIVATE | MAP_ANONYMOUS, odd = MAP_GROWSDOWN | MAP_STACK | MAP_HUGETLB;
  return bytes >= FG_WATCH_SMALLEST && (flags & (wanted | odd)) == wanted &&
         (protection & (PROT_READ | PROT_WRITE)) == (PROT_READ | PROT_WRITE);
}

void *mmap(void *address, size_t bytes, int protection, int flags, int file, off_t offset) {
  if (!ready()) return (void *)syscall(SYS_mmap, address, bytes, protection, flags, file, offset);
  if (flags & MAP_FIXED) range_goes(address, bytes);
  void *const p = next.mmap(address, bytes, protection, flags, file, offset);
  const fg_watcher *w = p == MAP_FAILED ? NULL : fg_watched_by;
  if (w && is_plain(bytes, protection, flags)) w->mapping_came(p, bytes);
  else if (w) w->range_came(p, bytes);
  return p;
}

void *mmap64(void *, size_t, int, int, int, off_t) __attribute__((alias("mmap")));

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4 /* glibc 2.32 */
#endif

/* What comes of a mapping that was moved or resized is unknown from then on. */
void *mremap(void *old, size_t old_bytes, size_t bytes, int flags, ...) {
  va_list more;
  va_start(more, flags);
  void *const to = flags & (MREMAP_FIXED | MREMAP_DONTUNMAP) ? va_arg(more, void *) : NULL; /* where, or a hint */
  va_end(more);
  if (!ready()) return (void *)syscall(SYS_mremap, old, old_bytes, bytes, flags, to);
  range_goes(old, old_bytes);
  if (flags & MREMAP_FIXED) range_goes(to, bytes);
  void *const p = next.mremap(old, old_bytes, bytes, flags, to);
  if (p != MAP_FAILED) range_came(p, bytes);
  return p;
}

void *shmat(int id, const void *address, int flags) {
  ready();
  void *const p = next.shmat(id, address, flags);
  struct shmid_ds about;
  const int saved = errno;
  if (flags & SHM_REMAP && p != (void *)-1 && !shmctl(id, IPC_STAT, &about)) range_came(p, about.shm_segsz);
  errno = saved;
  return p;
}

/* ---- no pages ---- */

int munmap(void *from, size_t bytes) {
  if (!ready()) return (int)syscall(SYS_munmap, from, bytes);
  range_goes(from, bytes);
  if (bytes) return next.munmap(from, bytes);
  errno = EINVAL;
  return -1;
}

/* ---- other pages ---- */

/* Advice that leaves the pages as they are. */
static bool is_harmless(int advice) {
  switch (advice) {
    case MADV_NORMAL:
    case MADV_RANDOM:
    case MADV_SEQUENTIAL:
    case MADV_WILLNEED:
    case MADV_DONTFORK:
    case MADV_DOFORK:
    case MADV_HUGEPAGE:
    case MADV_NOHUGEPAGE:
    case MADV_DONTDUMP:
    case MADV_DODUMP: return true;
    default: return false;
  }
}

/* Told afterwards: before, another thread might still have the old pages pinned. */
static void renewed(void *from, size_t bytes, int advice) {
  const fg_watcher *w = is_harmless(advice) ? NULL : fg_watched_by;
  if (w && bytes) w->range_renewed(from, bytes);
}

int madvise(void *from, size_t bytes, int advice) {
  if (!ready()) return (int)syscall(SYS_madvise, from, bytes, advice);
  const int code = next.madvise(from, bytes, advice);
  renewed(from, bytes, advice);
  return code;
}

ssize_t process_madvise(int process, const struct iovec *ranges, size_t count, int advice, unsigned flags) {
  if (!ready() || !next.process_madvise) {
    errno = ENOSYS;
    return -1;
  }
  const ssize_t code = next.process_madvise(process, ranges, count, advice, flags);
  for (size_t i = 0; code >= 0 && i < count; i++) renewed(ranges[i].iov_base, ranges[i].iov_len, advice);
  return code;
}
