/* real_prime.h: rows of real data of prime length P = FG_DATA, each as one real cyclic convolution (FG_REAL_RADIX).
 *
 * With a generator g of the residues modulo P and H = (P − 1)/2, g^H = −1: cosines of 2π·g^m/P have the period H in m, sines
 * change their signs after H.  So for q < H
 *
 *   r2c:  X[g^q] = x[0] + Σ c[m]·cos(2π·g^(m + q)/P) − i·Σ d[m]·sin(…),   c, d[m] = x[g^m] ± x[−g^m],   m < H
 *   c2r:  x[±g^q] = X[0] + 2·Σ Re X[g^m]·cos(…) ∓ 2·Σ Im X[g^m]·sin(…)
 *
 * Both sums at once are a convolution of the 2H real points whose sums and differences of what is H apart are c and d, with
 * cos + sin.  (Rader 1968, with a Hartley kernel.)  FG_REAL_RADIX points of them are a butterfly of the first stage, which
 * takes c and d as they are, and of the last one, which leaves the two sums (split_butterfly.h); in between half of the rows
 * of a two-dimensional complex transform, and one more, are all there is to do.  Where P − 1 has no butterflies the sums are
 * padded: c and d to LENGTH/2 ≥ 2H − 1 points each, the rest being zero.
 *
 * Rows are in the tile as in memory (rows.h).  Behind the points of all lines is a place for each row's element 0, which is
 * not convolved (tile.cu). */
#ifndef FG_REAL_PRIME_H
#define FG_REAL_PRIME_H

#include "rows.h"

namespace real_convolution {

enum : int { POINTS_EACH = FG_REAL_RADIX / 2 }; /* c and d of a butterfly */

FG_DEVICE cplx *first_of(const pass_state &s, int line) { return s.tile + FG_LINES * PITCH + line; }

/* Point j of butterfly b is one that there is. */
template <class T> FG_DEVICE bool is_point(int b, int j) {
  return j < POINTS_EACH && j * T::M < POWERS && (!PADDED || b + j * T::M < POWERS);
}

/* ±x as the sign of a power. */
FG_DEVICE real with_sign(int power, real x) { return power < 0 ? -x : x; }

/* ±k is a power of g, 1 ≤ k ≤ H: c and d of it. */
FG_DEVICE cplx read_pair(const pass_state &s, int line, int power) {
  const int k = power < 0 ? -power : power;
  if (FROM_BINS) {
    const cplx x = shared_load(bin_row(s, line) + k);
    return {x.x, with_sign(power, -x.y)};
  }
  const real x = shared_load(real_row(s, line) + k), mirror = shared_load(real_row(s, line) + FG_DATA - k);
  return {x + mirror, with_sign(power, x - mirror)};
}

/* The sums of cosines and of sines. */
FG_DEVICE void write_pair(const pass_state &s, int line, int power, cplx sum) {
  const int k = power < 0 ? -power : power;
  const real sine = with_sign(power, sum.y);
  if (FROM_BINS) {
    shared_store(real_row(s, line) + k, sum.x + sine);
    shared_store(real_row(s, line) + FG_DATA - k, sum.x - sine);
  } else {
    shared_store(bin_row(s, line) + k, cplx{sum.x, -sine});
  }
}

FG_DEVICE void load(const pass_state &s, cplx *v) {
  using T = stage<0>;
  rows_from_memory(s);
  __syncthreads();
#pragma unroll
  for (int i = 0; i < T::REPEATS; i++) {
    const spot at = T::locate(i);
#pragma unroll
    for (int j = 0; j < T::R; j++) {
      v[i * T::R + j] = {0, 0};
      if (is_point<T>(at.b, j) && at.exists)
        v[i * T::R + j] = read_pair(s, at.line, table_load(s.args.order + at.b + j * T::M));
    }
    if (!at.exists || at.b) continue;
    const real first = FROM_BINS ? shared_load(bin_row(s, at.line)).x : shared_load(real_row(s, at.line));
    shared_store(first_of(s, at.line), cplx{first, 0});
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
    for (int j = 0; j < T::R; j++)
      if (is_point<T>(at.b, j)) write_pair(s, at.line, table_load(s.args.order + at.b + j * T::M), v[i * T::R + j]);
    if (at.b) continue;
    const cplx first = shared_load(first_of(s, at.line));
    if (FROM_BINS) shared_store(real_row(s, at.line), first.x);
    else shared_store(bin_row(s, at.line), cplx{first.x, 0});
  }
  __syncthreads();
  rows_to_memory(s);
}

} // namespace real_convolution

#endif
