/* convert.c: reals from one precision to the other. */
#include "src/problem/convert.h"

#include <stdint.h>
#include <string.h>

enum fg_instructions fg_convert_most = FG_AVX512;

enum {
  BLOCK = 16,  /* reals: a cache line of single precision, two of double */
  LINE = 64,   /* bytes */
  SHORT = 4096 /* bytes below which the cache is as good */
};

/* ---- reals one by one, which need not be aligned ---- */

static inline void narrow_one(float *to, const double *from) {
  double wide;
  memcpy(&wide, from, sizeof wide);
  const float narrow = (float)wide;
  memcpy(to, &narrow, sizeof narrow);
}

static inline void widen_one(double *to, const float *from) {
  float narrow;
  memcpy(&narrow, from, sizeof narrow);
  const double wide = narrow;
  memcpy(to, &wide, sizeof wide);
}

/* Never inlined: what they compute stays between the changes of arithmetic. */
__attribute__((noinline)) static void narrow_few(float *to, const double *from, size_t reals) {
  for (size_t i = 0; i < reals; i++) narrow_one(to + i, from + i);
}

__attribute__((noinline)) static void widen_few(double *to, const float *from, size_t reals) {
  for (size_t i = 0; i < reals; i++) widen_one(to + i, from + i);
}

#ifdef __x86_64__
#include <immintrin.h>

/* All exceptions masked, rounding to nearest, what is below the smallest normal number is 0 on both sides. */
enum { QUIET = 0x1f80, TO_ZERO = 0x8000, FROM_ZERO = 0x0040 };

fg_arithmetic fg_convert_begin(void) {
  const fg_arithmetic before = _mm_getcsr();
  _mm_setcsr(QUIET | TO_ZERO | FROM_ZERO);
  return before;
}

void fg_convert_end(fg_arithmetic before) { _mm_setcsr(before); }

/* ---- blocks; past the cache only to whole lines ---- */

static void narrow_sse2(float *to, const double *from, size_t blocks, bool past_cache) {
  for (size_t i = 0; i < blocks * (BLOCK / 4); i++, to += 4, from += 4) {
    const __m128 low = _mm_cvtpd_ps(_mm_loadu_pd(from)), high = _mm_cvtpd_ps(_mm_loadu_pd(from + 2));
    const __m128 four = _mm_movelh_ps(low, high);
    if (past_cache) _mm_stream_ps(to, four);
    else _mm_storeu_ps(to, four);
  }
}

static void widen_sse2(double *to, const float *from, size_t blocks, bool past_cache) {
  for (size_t i = 0; i < blocks * (BLOCK / 4); i++, to += 4, from += 4) {
    const __m128 four = _mm_loadu_ps(from);
    const __m128d low = _mm_cvtps_pd(four), high = _mm_cvtps_pd(_mm_movehl_ps(four, four));
    if (past_cache) {
      _mm_stream_pd(to, low);
      _mm_stream_pd(to + 2, high);
    } else {
      _mm_storeu_pd(to, low);
      _mm_storeu_pd(to + 2, high);
    }
  }
}

__attribute__((target("avx"))) static inline __m256 eight_avx(const double *from) {
  const __m128 low = _mm256_cvtpd_ps(_mm256_loadu_pd(from)), high = _mm256_cvtpd_ps(_mm256_loadu_pd(from + 4));
  return _mm256_insertf128_ps(_mm256_castps128_ps256(low), high, 1);
}

__attribute__((target("avx"))) static void narrow_avx(float *to, const double *from, size_t blocks, bool past_cache) {
  for (size_t i = 0; i < blocks; i++, to += BLOCK, from += BLOCK) {
    const __m256 low = eight_avx(from), high = eight_avx(from + 8);
    if (past_cache) {
      _mm256_stream_ps(to, low);
      _mm256_stream_ps(to + 8, high);
    } else {
      _mm256_storeu_ps(to, low);
      _mm256_storeu_ps(to + 8, high);
    }
  }
}

__attribute__((target("avx"))) static void widen_avx(double *to, const float *from, size_t blocks, bool past_cache) {
  for (size_t i = 0; i < blocks * (BLOCK / 8); i++, to += 8, from += 8) {
    const __m256d low = _mm256_cvtps_pd(_mm_loadu_ps(from)), high = _mm256_cvtps_pd(_mm_loadu_ps(from + 4));
    if (past_cache) {
      _mm256_stream_pd(to, low);
      _mm256_stream_pd(to + 4, high);
    } else {
      _mm256_storeu_pd(to, low);
      _mm256_storeu_pd(to + 4, high);
    }
  }
}

__attribute__((target("avx512f"))) static void narrow_avx512(float *to, const double *from, size_t blocks,
                                                             bool past_cache) {
  for (size_t i = 0; i < blocks; i++, to += BLOCK, from += BLOCK) {
    const __m256 low = _mm512_cvtpd_ps(_mm512_loadu_pd(from)), high = _mm512_cvtpd_ps(_mm512_loadu_pd(from + 8));
    const __m512d all = _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_castps_pd(low)), _mm256_castps_pd(high), 1);
    if (past_cache) _mm512_stream_pd((double *)to, all);
    else _mm512_storeu_pd((double *)to, all);
  }
}

__attribute__((target("avx512f"))) static void widen_avx512(double *to, const float *from, size_t blocks,
                                                            bool past_cache) {
  for (size_t i = 0; i < blocks; i++, to += BLOCK, from += BLOCK) {
    const __m512d low = _mm512_cvtps_pd(_mm256_loadu_ps(from)), high = _mm512_cvtps_pd(_mm256_loadu_ps(from + 8));
    if (past_cache) {
      _mm512_stream_pd(to, low);
      _mm512_stream_pd(to + 8, high);
    } else {
      _mm512_storeu_pd(to, low);
      _mm512_storeu_pd(to + 8, high);
    }
  }
}

static void narrow_blocks(float *to, const double *from, size_t blocks, bool past_cache) {
  if (fg_convert_most >= FG_AVX512 && __builtin_cpu_supports("avx512f")) narrow_avx512(to, from, blocks, past_cache);
  else if (fg_convert_most >= FG_AVX && __builtin_cpu_supports("avx")) narrow_avx(to, from, blocks, past_cache);
  else if (fg_convert_most >= FG_SSE2) narrow_sse2(to, from, blocks, past_cache);
  else narrow_few(to, from, blocks * BLOCK);
}

static void widen_blocks(double *to, const float *from, size_t blocks, bool past_cache) {
  if (fg_convert_most >= FG_AVX512 && __builtin_cpu_supports("avx512f")) widen_avx512(to, from, blocks, past_cache);
  else if (fg_convert_most >= FG_AVX && __builtin_cpu_supports("avx")) widen_avx(to, from, blocks, past_cache);
  else if (fg_convert_most >= FG_SSE2) widen_sse2(to, from, blocks, past_cache);
  else widen_few(to, from, blocks * BLOCK);
}

/* Before what the caller does next. */
static void fence(void) { _mm_sfence(); }

#else

fg_arithmetic fg_convert_begin(void) { return 0; }
void fg_convert_end(fg_arithmetic before) { (void)before; }

static void narrow_blocks(float *to, const double *from, size_t blocks, bool past_cache) {
  (void)past_cache;
  narrow_few(to, from, blocks * BLOCK);
}

static void widen_blocks(double *to, const float *from, size_t blocks, bool past_cache) {
  (void)past_cache;
  widen_few(to, from, blocks * BLOCK);
}

static void fence(void) {}
#endif

/* ---- neighbouring reals ---- */

/* Whether a result may go past the cache, and the reals before its first whole line. */
static bool by_lines(const void *to, size_t reals, size_t size, size_t *head) {
  const size_t bytes = -(uintptr_t)to % LINE;
  *head = bytes / size;
  return reals * size >= SHORT && bytes % size == 0;
}

void fg_convert_narrow(float *to, const double *from, size_t reals, bool past_cache) {
  size_t head;
  past_cache = past_cache && by_lines(to, reals, sizeof *to, &head);
  if (!past_cache) head = 0;
  const size_t blocks = (reals - head) / BLOCK, done = head + blocks * BLOCK;
  if (head) narrow_few(to, from, head);
  if (blocks) narrow_blocks(to + head, from + head, blocks, past_cache);
  if (done < reals) narrow_few(to + done, from + done, reals - done);
  if (past_cache) fence();
}

void fg_convert_widen(double *to, const float *from, size_t reals, bool past_cache) {
  size_t head;
  past_cache = past_cache && by_lines(to, reals, sizeof *to, &head);
  if (!past_cache) head = 0;
  const size_t blocks = (reals - head) / BLOCK, done = head + blocks * BLOCK;
  if (head) widen_few(to, from, head);
  if (blocks) widen_blocks(to + head, from + head, blocks, past_cache);
  if (done < reals) widen_few(to + done, from + done, reals - done);
  if (past_cache) fence();
}

/* ---- elements apart ---- */

static bool dense(const fg_convert_row *r) { return r->to == r->unit && r->from == r->unit; }

__attribute__((noinline)) static void narrow_apart(float *to, const double *from, fg_convert_row r) {
  for (; r.count > 0; r.count--, to += r.to, from += r.from) {
    narrow_one(to, from);
    if (r.unit == 2) narrow_one(to + 1, from + 1);
  }
}

__attribute__((noinline)) static void widen_apart(double *to, const float *from, fg_convert_row r) {
  for (; r.count > 0; r.count--, to += r.to, from += r.from) {
    widen_one(to, from);
    if (r.unit == 2) widen_one(to + 1, from + 1);
  }
}

void fg_convert_narrow_row(float *to, const double *from, fg_convert_row r) {
  if (dense(&r)) fg_convert_narrow(to, from, (size_t)(r.count * r.unit), false);
  else narrow_apart(to, from, r);
}

void fg_convert_widen_row(double *to, const float *from, fg_convert_row r) {
  if (dense(&r)) fg_convert_widen(to, from, (size_t)(r.count * r.unit), false);
  else widen_apart(to, from, r);
}
