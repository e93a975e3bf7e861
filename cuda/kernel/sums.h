/* sums.h: lines of prime length p in the tile, as sums of products (FG_SUMS).
 *
 *   X[±k] = x[0] + Σ_j (x[j] + x[−j]) · cos(2πjk/p) ∓ i Σ_j (x[j] − x[−j]) · sin(2πjk/p),   1 ≤ j, k ≤ (p − 1)/2
 *
 * p² products a line, which rounds once where a convolution transforms twice: for what has to round as stock FFTW does,
 * which adds up, too (src/pass/solver/rader.c).  A thread has results k and −k. */
#ifndef FG_SUMS_H
#define FG_SUMS_H

#include "through.h"

namespace sums {

constexpr int HALF = (PRIME - 1) / 2, SHARES = FG_LINES * (HALF + 1);
constexpr int REPEATS = (SHARES + FG_THREADS - 1) / FG_THREADS;
constexpr int RUN = 6; /* terms that are added one after the other */

struct results {
  cplx plus, minus;
};

FG_DEVICE results of_line(const pass_state &s, int line, int k) {
  const cplx *const x = s.tile + prime_at(line, 0);
  const cplx *const roots = static_cast<const cplx *>(s.args.filter);
  cplx even = shared_load(x), odd = {0, 0};
  int turns = 0;
#pragma unroll 1
  for (int j = 1; j <= HALF; j += RUN) {
    cplx even_run = {0, 0}, odd_run = {0, 0};
#pragma unroll
    for (int i = j; i < j + RUN; i++) {
      if (i > HALF) break;
      turns += turns + k < PRIME ? k : k - PRIME;
      const cplx a = shared_load(x + i), b = shared_load(x + PRIME - i), w = table_load(roots + turns);
      even_run = even_run + scale(w.x, a + b);
      odd_run = odd_run + scale(w.y, a - b);
    }
    even = even + even_run;
    odd = odd + odd_run;
  }
  return {{even.x - odd.y, even.y + odd.x}, {even.x + odd.y, even.y - odd.x}};
}

/* In place. */
FG_DEVICE void transform(const pass_state &s) {
  results v[REPEATS];
#pragma unroll
  for (int i = 0; i < REPEATS; i++) {
    const int u = threadIdx.x + i * FG_THREADS;
    if (u < SHARES) v[i] = of_line(s, u / (HALF + 1), u % (HALF + 1));
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < REPEATS; i++) {
    const int u = threadIdx.x + i * FG_THREADS, line = u / (HALF + 1), k = u % (HALF + 1);
    if (u >= SHARES) break;
    shared_store(s.tile + prime_at(line, k), v[i].plus);
    if (k > 0) shared_store(s.tile + prime_at(line, PRIME - k), v[i].minus);
  }
}

} /* namespace sums */

#endif
