/* real_prime.h: rows of real data of prime length P = FG_DATA, each as one real cyclic convolution (FG_REAL_RADIX).
 *
 *   H[g^−q] = x[0] + Σ_m x[g^m]·cas(2π·g^(m − q)/P),   cas = cos + sin,   g a generator of the residues modulo P
 *
 * the discrete Hartley transform, is real of real, its own inverse but for the factor P, and has the spectrum in it:
 *
 *   r2c:  X[k] = (H[k] + H[P − k])/2 + i·(H[P − k] − H[k])/2
 *   c2r:  x = H of the row Re X[k] − Im X[k], Re X[k] + Im X[k] at P − k
 *
 * Of the transforms of a real sequence half of the results are conjugates of others.  So of each first butterfly's results,
 * made of FG_REAL_RADIX real points, only the first half are kept, FG_REAL_RADIX/2 + 1 rows of a two-dimensional
 * transform; the last butterflies make their real points of these again.  The length of the convolution is P − 1, or, where
 * that has no butterflies, any from 2(P − 1) − 1 on, the points beyond being zero.  (Rader 1968; Bracewell, The discrete
 * Hartley transform, 1983.)
 *
 * Rows are in the tile as in memory, reals one behind the other; behind the points of all lines is a place for each row's
 * element 0, which is not convolved (tile.cu). */
#ifndef FG_REAL_PRIME_H
#define FG_REAL_PRIME_H

#include "rows.h"

namespace real_prime {

constexpr int POWERS = FG_DATA - 1;

FG_DEVICE real *element(const pass_state &s, int line, int e) {
  return reinterpret_cast<real *>(s.tile) + line * FG_DATA + e;
}
FG_DEVICE cplx *first_of(const pass_state &s, int line) { return s.tile + FG_LINES * PITCH + line; }

/* Point k of the stages, 0 ≤ k < POWERS: a power of g. */
FG_DEVICE real *power(const pass_state &s, int line, int k) { return element(s, line, table_load(s.args.order + k)); }

FG_DEVICE void put_bin(const pass_state &s, const spot &at, cplx x) {
  shared_store(element(s, at.line, at.b), at.b ? x.x - x.y : x.x);
  if (at.b) shared_store(element(s, at.line, FG_DATA - at.b), x.x + x.y);
}

FG_DEVICE cplx get_bin(const pass_state &s, const spot &at) {
  const real half = real(0.5), x = shared_load(element(s, at.line, at.b));
  const real mirror = shared_load(element(s, at.line, at.b ? FG_DATA - at.b : 0));
  return {half * (x + mirror), half * (mirror - x)};
}

FG_DEVICE void load(const pass_state &s, cplx *v) {
  using T = stage<0>;
  if constexpr (FROM_BINS) rows_from_memory(s, [&](const spot &at, int, cplx x) { put_bin(s, at, x); });
  else rows_from_memory(s, [&](spot, int at, real x) { shared_store(element(s, 0, at), x); });
  __syncthreads();
#pragma unroll
  for (int i = 0; i < T::REPEATS; i++) {
    const spot at = T::locate(i);
    real x[2 * T::R];
#pragma unroll
    for (int j = 0; j < 2 * T::R; j++) {
      const int k = at.b + j * T::M;
      x[j] = 0;
      if (j >= FG_REAL_RADIX || j * T::M >= POWERS) continue;
      if (at.exists && (!PADDED || k < POWERS)) x[j] = shared_load(power(s, at.line, k));
    }
#pragma unroll
    for (int k = 0; k < T::R; k++) v[i * T::R + k] = {x[2 * k], x[2 * k + 1]};
    if (at.exists && at.b == 0) shared_store(first_of(s, at.line), cplx{shared_load(element(s, at.line, 0)), 0});
  }
}

FG_DEVICE void store(const pass_state &s, const cplx *v) {
  using T = stage<LAST>;
  __syncthreads(); /* the tile is still being read */
#pragma unroll
  for (int i = 0; i < T::REPEATS; i++) {
    const spot at = T::locate(i);
    if (!at.exists) continue;
#pragma unroll
    for (int j = 0; j < FG_REAL_RADIX && j * T::M < POWERS; j++) {
      const int k = at.b + j * T::M;
      const cplx two = v[i * T::R + j / 2];
      if (!PADDED || k < POWERS) shared_store(power(s, at.line, k), j % 2 ? two.y : two.x);
    }
    if (at.b == 0) shared_store(element(s, at.line, 0), shared_load(first_of(s, at.line)).x);
  }
  __syncthreads();
  if constexpr (FROM_BINS) rows_to_memory(s, [&](spot, int at) { return shared_load(element(s, 0, at)); });
  else rows_to_memory(s, [&](const spot &at, int) { return get_bin(s, at); });
}

} // namespace real_prime

#endif
