/* convert.c: reals from one precision to the other. */
#include "src/problem/convert.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

enum fg_instructions fg_convert_most = FG_AVX512;

enum {
  BLOCK = 16,  /* reals: a cache line of single precision, two of double */
  LINE = 64,   /* bytes */
  SHORT = 4096 /* bytes below which the cache is as good */
};

/* ---- reals one by one, which need not be aligned ---- */

static inline double larger(double a, double b) { return a > b ? a : b; }

/* largest, or the magnitude of this one. */
static inline double narrow_one(float *to, const double *from, double largest) {
  double wide;
  memcpy(&wide, from, sizeof wide);
  const float narrow = (float)wide;
  memcpy(to, &narrow, sizeof narrow);
  return larger(fabs(wide), largest);
}

/* Below DBL_MIN, where the conversion takes it for zero, and is not zero. */
static inline bool is_denormal(const double *from) {
  uint64_t magnitude;
  memcpy(&magnitude, from, sizeof magnitude);
  return (magnitude & (UINT64_MAX >> 1)) - 1 < (UINT64_C(1) << 52) - 1;
}

static bool some_denormal(const double *from, size_t reals) {
  bool some = false;
  for (size_t i = 0; i < reals; i++) some |= is_denormal(from + i);
  return some;
}

static inline void widen_one(double *to, const float *from) {
  float narrow;
  memcpy(&narrow, from, sizeof narrow);
  const double wide = narrow;
  memcpy(to, &wide, sizeof wide);
}

/* Never inlined: what they compute stays between the changes of arithmetic. */
__attribute__((noinline)) static double narrow_few(float *to, const double *from, size_t reals) {
  double largest = 0;
  for (size_t i = 0; i < reals; i++) largest = narrow_one(to + i, from + i, largest);
  return largest;
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

static double largest_of(const double *some, int count) {
  double largest = 0;
  for (int i = 0; i < count; i++) largest = larger(some[i], largest);
  return largest;
}

/* The magnitudes of x where they are larger; of what is not a number the processor's maximum is its second operand. */
static inline __m128d larger_sse2(__m128d x, __m128d largest) {
  return _mm_max_pd(_mm_andnot_pd(_mm_set1_pd(-0.0), x), largest);
}

static double narrow_sse2(float *to, const double *from, size_t blocks, bool past_cache) {
  double largest[2];
  __m128d most = _mm_setzero_pd();
  for (size_t i = 0; i < blocks * (BLOCK / 4); i++, to += 4, from += 4) {
    const __m128d low = _mm_loadu_pd(from), high = _mm_loadu_pd(from + 2);
    const __m128 four = _mm_movelh_ps(_mm_cvtpd_ps(low), _mm_cvtpd_ps(high));
    most = larger_sse2(low, larger_sse2(high, most));
    if (past_cache) _mm_stream_ps(to, four);
    else _mm_storeu_ps(to, four);
  }
  _mm_storeu_pd(largest, most);
  return largest_of(largest, 2);
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

__attribute__((target("avx"))) static inline __m256 eight_avx(const double *from, __m256d *most) {
  const __m256d low = _mm256_loadu_pd(from), high = _mm256_loadu_pd(from + 4), sign = _mm256_set1_pd(-0.0);
  *most = _mm256_max_pd(_mm256_andnot_pd(sign, low), _mm256_max_pd(_mm256_andnot_pd(sign, high), *most));
  return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm256_cvtpd_ps(low)), _mm256_cvtpd_ps(high), 1);
}

__attribute__((target("avx"))) static double narrow_avx(float *to, const double *from, size_t blocks, bool past_cache) {
  double largest[4];
  __m256d most = _mm256_setzero_pd();
  for (size_t i = 0; i < blocks; i++, to += BLOCK, from += BLOCK) {
    const __m256 low = eight_avx(from, &most), high = eight_avx(from + 8, &most);
    if (past_cache) {
      _mm256_stream_ps(to, low);
      _mm256_stream_ps(to + 8, high);
    } else {
      _mm256_storeu_ps(to, low);
      _mm256_storeu_ps(to + 8, high);
    }
  }
  _mm256_storeu_pd(largest, most);
  return largest_of(largest, 4);
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

__attribute__((target("avx512f"))) static double narrow_avx512(float *to, const double *from, size_t blocks,
                                                               bool past_cache) {
  double largest[8];
  __m512d most = _mm512_setzero_pd();
  for (size_t i = 0; i < blocks; i++, to += BLOCK, from += BLOCK) {
    const __m512d first = _mm512_loadu_pd(from), second = _mm512_loadu_pd(from + 8);
    const __m256 low = _mm512_cvtpd_ps(first), high = _mm512_cvtpd_ps(second);
    const __m512d all = _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_castps_pd(low)), _mm256_castps_pd(high), 1);
    most = _mm512_max_pd(_mm512_abs_pd(first), _mm512_max_pd(_mm512_abs_pd(second), most));
    if (past_cache) _mm512_stream_pd((double *)to, all);
    else _mm512_storeu_pd((double *)to, all);
  }
  _mm512_storeu_pd(largest, most);
  return largest_of(largest, 8);
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

static double narrow_blocks(float *to, const double *from, size_t blocks, bool past_cache) {
  if (fg_convert_most >= FG_AVX512 && __builtin_cpu_supports("avx512f"))
    return narrow_avx512(to, from, blocks, past_cache);
  if (fg_convert_most >= FG_AVX && __builtin_cpu_supports("avx")) return narrow_avx(to, from, blocks, past_cache);
  if (fg_convert_most >= FG_SSE2) return narrow_sse2(to, from, blocks, past_cache);
  return narrow_few(to, from, blocks * BLOCK);
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

fg_arithmetic fg_convert_begin(void) {
  fg_arithmetic before;
  feholdexcept(&before);
  fesetround(FE_TONEAREST);
  return before;
}

void fg_convert_end(fg_arithmetic before) { fesetenv(&before); }

static double narrow_blocks(float *to, const double *from, size_t blocks, bool past_cache) {
  (void)past_cache;
  return narrow_few(to, from, blocks * BLOCK);
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

double fg_convert_narrow(float *to, const double *from, size_t reals, bool past_cache) {
  double largest = 0;
  size_t head;
  past_cache = past_cache && by_lines(to, reals, sizeof *to, &head);
  if (!past_cache) head = 0;
  const size_t blocks = (reals - head) / BLOCK, done = head + blocks * BLOCK;
  if (head) largest = narrow_few(to, from, head);
  if (blocks) largest = larger(narrow_blocks(to + head, from + head, blocks, past_cache), largest);
  if (done < reals) largest = larger(narrow_few(to + done, from + done, reals - done), largest);
  if (past_cache) fence();
  return largest == 0 && some_denormal(from, reals) ? DBL_MIN : largest;
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

__attribute__((noinline)) static double narrow_apart(float *to, const double *from, fg_convert_row r) {
  double largest = 0;
  for (ptrdiff_t i = 0; i < r.count; i++, to += r.to) {
    largest = narrow_one(to, from + i * r.from, largest);
    if (r.unit == 2) largest = narrow_one(to + 1, from + i * r.from + 1, largest);
  }
  for (ptrdiff_t i = 0; largest == 0 && i < r.count; i++)
    if (is_denormal(from + i * r.from) || (r.unit == 2 && is_denormal(from + i * r.from + 1))) return DBL_MIN;
  return largest;
}

__attribute__((noinline)) static void widen_apart(double *to, const float *from, fg_convert_row r) {
  for (; r.count > 0; r.count--, to += r.to, from += r.from) {
    widen_one(to, from);
    if (r.unit == 2) widen_one(to + 1, from + 1);
  }
}

double fg_convert_narrow_row(float *to, const double *from, fg_convert_row r) {
  return dense(&r) ? fg_convert_narrow(to, from, (size_t)(r.count * r.unit), false) : narrow_apart(to, from, r);
}

void fg_convert_widen_row(double *to, const float *from, fg_convert_row r) {
  if (dense(&r)) fg_convert_widen(to, from, (size_t)(r.count * r.unit), false);
  else widen_apart(to, from, r);
}
