/* sums.h: lines of prime length p in the tile, as sums of products (FG_SUMS).
 *
 *   X[±k] = x[0] + Σ_j (x[j] + x[−j]) · cos(2πjk/p) ∓ i Σ_j (x[j] − x[−j]) · sin(2πjk/p),   1 ≤ j, k ≤ (p − 1)/2
 *
 * p² products a line, which rounds once where a convolution transforms twice: for what has to round as stock FFTW does,
 * which adds up, too (src/pass/solver/rader.c).  A thread has results k and −k of some lines, whose factors are the same.
 * Rows that mirror themselves take less (mirrored_sums.h). */
#ifndef FG_SUMS_H
#define FG_SUMS_H

#include "through.h"

namespace sums {

enum : int { TERMS = (PRIME - 1) / 2, LINES = FG_LINES };
enum : int { TOGETHER = LINES < 4 ? LINES : 4 }; /* of a thread */
enum : int { SHARES = (LINES + TOGETHER - 1) / TOGETHER * (TERMS + 1) };
enum : int { REPEATS = (SHARES + FG_THREADS - 1) / FG_THREADS };
enum : int { RUN = 6 }; /* terms one after the other; their sums are added: 0.9 of stock FFTW's error where one sum has 1.15 */

/* The two sums of a line, or its results k and −k. */
struct pair {
  cplx first, second;
};

FG_DEVICE pair operator+(const pair &a, const pair &b) { return {a.first + b.first, a.second + b.second}; }

/* Point 0 of a line; the last stands in for lines that do not exist. */
FG_DEVICE cplx *line_at(const pass_state &s, int line) {
  return s.tile + prime_at(line < LINES ? line : LINES - 1, 0);
}

/* What point j, and −j, adds to the sums, by exp(−2πi·jk/p). */
FG_DEVICE pair term(const cplx *x, int j, cplx w) {
  const cplx a = shared_load(x + j), b = shared_load(x + PRIME - j);
  return {scale(w.x, a + b), scale(w.y, a - b)};
}

FG_DEVICE pair results(const cplx *x, const pair &sum) {
  const cplx both = shared_load(x) + sum.first, odd = sum.second;
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

FG_DEVICE void put(cplx *line, int k, const pair &v) {
  shared_store(line + k, v.first);
  if (k > 0) shared_store(line + PRIME - k, v.second);
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
    for (int l = 0; l < TOGETHER; l++)
      if (u < SHARES && first + l < LINES) put(line_at(s, first + l), k, v[i][l]);
  }
}

} /* namespace sums */

#endif
