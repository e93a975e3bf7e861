/* memory.c: FFTW's aligned memory. */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>

#include "compat/next.h"
#include "compat/traced.h"
#include "src/report/settings.h"
#include "src/run/arena/arena.h"

/* Without a real FFTW: memory that libc's free accepts, as that of every FFTW build on this system is. */
static void *own(size_t bytes) {
  const size_t alignment = 64;
  if (bytes > SIZE_MAX - alignment) return NULL;
  const size_t rounded = (bytes + alignment - 1) & ~(alignment - 1);
  return aligned_alloc(alignment, rounded ? rounded : alignment);
}

void *X(malloc)(size_t n) {
  void *p = n >= FG_ARENA_SMALLEST && fg_settings_get()->mode != FG_MODE_OFF ? fg_arena_alloc(n) : NULL;
  if (!p) p = FG_REAL(malloc, own(n), n);
  if (fg_compat_traced()) fg_trace_malloc(FG_PRECISION, p, n);
  return p;
}

void X(free)(void *p) {
  if (fg_compat_traced()) fg_trace_free(FG_PRECISION, p);
  if (fg_arena_forget(p)) {
    free(p);
    return;
  }
  const FG(next_table) *real = FG(real)();
  if (real->free) real->free(p);
  else free(p);
}

static void *alloc(size_t n, size_t size) {
  size_t bytes;
  return __builtin_mul_overflow(n, size, &bytes) ? NULL : X(malloc)(bytes);
}

R *X(alloc_real)(size_t n) { return alloc(n, sizeof(R)); }

C *X(alloc_complex)(size_t n) { return alloc(n, sizeof(C)); }
