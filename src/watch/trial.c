/* trial.c: whether the functions of this library are those that are called by their names. A program may bring a
 * malloc of its own, or another library may come before this one. */
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "src/watch/watched.h"

/* What this thread has been told. (volatile: the C library's headers promise that none of the calls below comes back
 * here.) */
static __thread volatile unsigned came, went, mapped, replaced, unmapped, renewed;

static void block_came(void *base, size_t bytes) {
  (void)base, (void)bytes;
  came++;
}

static void block_goes(void *base) {
  (void)base;
  went++;
}

static void mapping_came(void *base, size_t bytes) {
  (void)base, (void)bytes;
  mapped++;
}

static void range_came(void *from, size_t bytes) {
  (void)from, (void)bytes;
  replaced++;
}

static void range_goes(void *from, size_t bytes) {
  (void)from, (void)bytes;
  unmapped++;
}

static void range_renewed(void *from, size_t bytes) {
  (void)from, (void)bytes;
  renewed++;
}

static const fg_watcher on_trial = {0, block_came, block_goes, mapping_came, range_came, range_goes, range_renewed};

enum { BYTES = FG_WATCH_SMALLEST };

/* A block that we were told of, and are told of again when it goes.  Any other one is left: it may come from one
 * allocator by a name that only that has, and free belong to another. */
static bool seen(void *block) {
  if (!block || came != 1 || went != 0) return false;
  free(block);
  const bool gone = went == 1;
  came = went = 0;
  return gone;
}

static void *aligned(void) {
  void *block;
  return posix_memalign(&block, 64, BYTES) ? NULL : block;
}

/* malloc is the first: who brings an allocator brings that, and the free that belongs to it. */
static bool pair(void) {
  free(malloc(BYTES));
  const bool ours = came == 1 && went == 1;
  came = went = 0;
  return ours;
}

static bool blocks(void) {
  came = went = 0;
  const bool all = pair() && seen(calloc(2, BYTES)) && seen(realloc(NULL, BYTES)) &&
                   seen(reallocarray(NULL, 2, BYTES)) && seen(aligned_alloc(64, BYTES)) && seen(memalign(64, BYTES)) &&
                   seen(valloc(BYTES)) && seen(pvalloc(BYTES)) && seen(aligned());
  void *const block = all ? malloc(BYTES) : NULL, *const larger = block ? realloc(block, 2 * BYTES) : NULL;
  if (larger) free(larger);
  return larger && came == 2 && went == 2;
}

static bool mappings(void) {
  const int protection = PROT_READ | PROT_WRITE, flags = MAP_PRIVATE | MAP_ANONYMOUS;
  char *const p = mmap(NULL, 2 * BYTES, protection, flags, -1, 0);
  if (p == MAP_FAILED || mapped != 1) return false;
  unmapped = 0;
  madvise(p, BYTES, MADV_DONTNEED);
  const bool over = mmap(p, BYTES, protection, flags | MAP_FIXED, -1, 0) == p && unmapped == 1;
  const bool moved = mremap(p + BYTES, BYTES, BYTES, MREMAP_MAYMOVE) != MAP_FAILED && unmapped == 2;
  munmap(p, 2 * BYTES);
  return over && moved && mapped == 2 && replaced == 1 && renewed == 1 && unmapped == 3;
}

const char *fg_watched_trial(void) {
  if (!fg_watched_libc()) return "malloc is not the C library's";
  const int saved = errno;
  fg_watched_by = &on_trial;
  const bool all_blocks = blocks(), all_mappings = mappings();
  fg_watched_by = NULL;
  errno = saved;
  if (!all_blocks) return "malloc or free is the program's own";
  return all_mappings ? NULL : "mmap or munmap is the program's own";
}

const char *fftw3_gpu_watch(const fg_watcher *watcher) {
  const char *const why = fg_watched_by ? "somebody else watches already" : fg_watched_trial();
  if (!why) fg_watched_by = watcher;
  return why;
}
