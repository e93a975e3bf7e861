/* copy.c: copying past the caches. */
#include "src/run/host/copy.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>

enum { LINE = 64, SHORT = 4096 }; /* bytes below which memcpy is as good */

__attribute__((target("avx"))) static void lines_avx(char *to, const char *from, size_t lines) {
  for (size_t i = 0; i < lines; i++, to += LINE, from += LINE) {
    const __m256i a = _mm256_loadu_si256((const __m256i *)from), b = _mm256_loadu_si256((const __m256i *)(from + 32));
    _mm256_stream_si256((__m256i *)to, a);
    _mm256_stream_si256((__m256i *)(to + 32), b);
  }
}

static void lines_sse(char *to, const char *from, size_t lines) {
  for (size_t i = 0; i < lines * (LINE / 16); i++)
    _mm_stream_si128((__m128i *)to + i, _mm_loadu_si128((const __m128i *)from + i));
}

/* Whole cache lines of the destination by stores past the caches, its ends by memcpy; the fence orders the former
 * before what the caller does next. */
void fg_copy_past_cache(void *to, const void *from, size_t bytes) {
  if (bytes < SHORT) {
    memcpy(to, from, bytes);
    return;
  }
  const size_t head = -(uintptr_t)to % LINE, lines = (bytes - head) / LINE, tail = bytes - head - lines * LINE;
  char *const t = (char *)to + head;
  const char *const f = (const char *)from + head;
  memcpy(to, from, head);
  if (__builtin_cpu_supports("avx")) lines_avx(t, f, lines);
  else lines_sse(t, f, lines);
  memcpy(t + lines * LINE, f + lines * LINE, tail);
  _mm_sfence();
}

static bool flushes_lines(void) {
  unsigned a, b, c, d;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && b & bit_CLFLUSHOPT;
}

__attribute__((target("clflushopt"))) void fg_copy_leave_caches(const void *from, size_t bytes) {
  static _Atomic int known; /* 0: not yet, 1: it can, -1: it cannot */
  if (!known) known = flushes_lines() ? 1 : -1;
  const char *const first = (const char *)from - (uintptr_t)from % LINE, *const end = (const char *)from + bytes;
  for (const char *line = first; known > 0 && line < end; line += LINE) _mm_clflushopt((void *)line);
}
#else
void fg_copy_past_cache(void *to, const void *from, size_t bytes) { memcpy(to, from, bytes); }
void fg_copy_leave_caches(const void *from, size_t bytes) { (void)from, (void)bytes; }
#endif
