/* sums.h: lines of prime length p in the tile, as sums of products (FG_SUMS).
 *
 *   X[±k] = x[0] + Σ_j (x[j] + x[−j]) · cos(2πjk/p) ∓ i Σ_j (x[j] − x[−j]) · sin(2πjk/p),   1 ≤ j, k ≤ (p − 1)/2
 *
 * p² products a line, which rounds once where a convolution transforms twice: for what has to round as stock FFTW does,
 * which adds up, too (src/pass/solver/rader.c).  A thread has results k and −k of some lines, whose factors are the same.
 *
 * A row that is an even extension (REDFT00) is the same backwards, an odd one (RODFT00) its negative.  Once transformed
 * across its parts a, a line's point −j is the conjugate of point j (or its negative), so that its results are real
 * (imaginary) and one product for each j makes each of both sums; and result −k of part −a is result k of part a. */
#ifndef FG_SUMS_H
#define FG_SUMS_H

#include "through.h"

namespace sums {

constexpr bool EVEN = FG_FROM_FORM == FG_FORM_REDFT00 && FG_TO_FORM == FG_FORM_REDFT00;
constexpr bool ODD = FG_FROM_FORM == FG_FORM_RODFT00 && FG_TO_FORM == FG_FORM_RODFT00;
constexpr bool EXTENDED = (EVEN || ODD) && FG_LOAD_WHOLE && FG_STORE_WHOLE && !FG_PAIRS;
static_assert(!EXTENDED || (!FG_BACKWARD && !FG_TWIDDLE && !FG_LOAD_TABLE && FG_PARTS % 2 == 0 && FG_DATA == FROM_LENGTH),
              "points mirror each other within this line");

constexpr int TERMS = (PRIME - 1) / 2;
constexpr int SUMMED_PARTS = EXTENDED ? FG_PARTS / 2 + 1 : FG_PARTS, LINES = WHOLE * SUMMED_PARTS;
constexpr int TOGETHER = LINES < 4 ? LINES : 4; /* of a thread */
constexpr int SHARES = (LINES + TOGETHER - 1) / TOGETHER * (TERMS + 1);
constexpr int REPEATS = (SHARES + FG_THREADS - 1) / FG_THREADS;
constexpr int RUN = 6; /* terms one after the other; their sums are added: 0.9 of stock FFTW's error where one sum has 1.15 */

/* The two sums of a line, or its results k and −k; EXTENDED: x only. */
struct pair {
  cplx first, second;
};

FG_DEVICE pair operator+(const pair &a, const pair &b) { return {a.first + b.first, a.second + b.second}; }

/* Point 0 of a line; the last stands in for lines that do not exist. */
FG_DEVICE cplx *line_at(const pass_state &s, int line) {
  const int l = line < LINES ? line : LINES - 1;
  return s.tile + prime_at(l / SUMMED_PARTS * FG_PARTS + l % SUMMED_PARTS, 0);
}

/* What point j, and −j, adds to the sums, by exp(−2πi·jk/p). */
FG_DEVICE pair term(const cplx *x, int j, cplx w) {
  const cplx a = shared_load(x + j);
  if constexpr (EXTENDED) return {{w.x * (EVEN ? a.x : a.y), 0}, {w.y * (EVEN ? a.y : a.x), 0}};
  const cplx b = shared_load(x + PRIME - j);
  return {scale(w.x, a + b), scale(w.y, a - b)};
}

FG_DEVICE pair results(const cplx *x, const pair &sum) {
  const cplx zero = shared_load(x), even = sum.first, odd = sum.second;
  if constexpr (EXTENDED) {
    const real both = EVEN ? zero.x : zero.y, turned = EVEN ? -odd.x : odd.x;
    return {{both + 2 * (even.x + turned), 0}, {both + 2 * (even.x - turned), 0}};
  }
  const cplx both = zero + even;
  return {{both.x - odd.y, both.y + odd.x}, {both.x + odd.y, both.y - odd.x}};
}

/* Of TOGETHER lines from first on. */
FG_DEVICE void add_up(const pass_state &s, int first, int k, pair *v) {
  const cplx *const roots = static_cast<const cplx *>(s.args.filter);
  const cplx *x[TOGETHER];
#pragma unroll
  for (int l = 0; l < TOGETHER; l++) {
    x[l] = line_at(s, first + l);
    v[l] = {{0, 0}, {0, 0}};
  }
  int turns = 0;
#pragma unroll 1
  for (int j = 1; j <= TERMS; j += RUN) {
    pair run[TOGETHER] = {};
#pragma unroll
    for (int i = j; i < j + RUN; i++) {
      if (i > TERMS) break;
      turns += turns + k < PRIME ? k : k - PRIME;
      const cplx w = table_load(roots + turns);
#pragma unroll
      for (int l = 0; l < TOGETHER; l++) run[l] = run[l] + term(x[l], i, w);
    }
#pragma unroll
    for (int l = 0; l < TOGETHER; l++) v[l] = v[l] + run[l];
  }
#pragma unroll
  for (int l = 0; l < TOGETHER; l++) v[l] = results(x[l], v[l]);
}

FG_DEVICE cplx point_of(cplx result) { return EXTENDED && ODD ? cplx{0, result.x} : result; }

FG_DEVICE void put(cplx *line, int k, const pair &v) {
  shared_store(line + k, point_of(v.first));
  if (k > 0) shared_store(line + PRIME - k, point_of(v.second));
}

/* The same of part −a, of which part a has the results the other way round, and negative where they are odd. */
FG_DEVICE void put_mirrored(cplx *line, int k, const pair &v) {
  const real sign = EVEN ? 1 : -1;
  put(line, k, {scale(sign, k > 0 ? v.second : v.first), scale(sign, v.first)});
}

/* In place. */
FG_DEVICE void transform(const pass_state &s) {
  pair v[REPEATS][TOGETHER];
#pragma unroll
  for (int i = 0; i < REPEATS; i++) {
    const int u = threadIdx.x + i * FG_THREADS;
    if (u < SHARES) add_up(s, u / (TERMS + 1) * TOGETHER, u % (TERMS + 1), v[i]);
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < REPEATS; i++) {
    const int u = threadIdx.x + i * FG_THREADS, first = u / (TERMS + 1) * TOGETHER, k = u % (TERMS + 1);
#pragma unroll
    for (int l = 0; l < TOGETHER; l++) {
      const int line = first + l, part = line % SUMMED_PARTS;
      if (u >= SHARES || line >= LINES) continue;
      put(line_at(s, line), k, v[i][l]);
      if (EXTENDED && part > 0 && 2 * part < FG_PARTS)
        put_mirrored(line_at(s, line) + (FG_PARTS - 2 * part) * PITCH, k, v[i][l]);
    }
  }
}

} /* namespace sums */

#endif
