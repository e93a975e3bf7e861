/* butterfly.h: forward DFTs of 2 to 64 points in registers, in place, input and output in natural order.
 *
 *   v[k] ← Σ_j v[j] · exp(−2πi jk/R)
 *
 * Primes are sums of products (prime.h), 61 a convolution (rader.h), R = A·B with coprime factors the prime-factor map
 * (no twiddles; Good 1958), 8, 9, 16, 25, 27, 32, 49 and 64 the Cooley–Tukey split with constant twiddles, those by 1,
 * −i and (1 − i)/√2 done without a product.
 * All indices are compile-time constants once the loops are unrolled, so v stays in registers. */
#ifndef FG_BUTTERFLY_H
#define FG_BUTTERFLY_H

#include "complex.h"
#include "constants.h"
#include "prime.h"
#include "rader.h"

/* a · exp(−2πi k/N), 0 ≤ k < N. */
template <int N> FG_DEVICE cplx rotated(cplx a, int k) {
  if (k == 0) return a;
  if (4 * k == N) return quarter(a);
  if (8 * k == N) return scale(real(circle<8>::cos(1)), {a.x + a.y, a.y - a.x});
  if (8 * k == 3 * N) return scale(real(circle<8>::cos(1)), {a.y - a.x, -a.x - a.y});
  return a * cplx{real(circle<N>::cos(k)), real(-circle<N>::sin(k))};
}

template <int R> struct butterfly;

template <> struct butterfly<1> {
  FG_DEVICE void apply(cplx *) {}
};

template <> struct butterfly<2> {
  FG_DEVICE void apply(cplx *v) {
    const cplx a = v[0];
    v[0] = a + v[1];
    v[1] = a - v[1];
  }
};

template <> struct butterfly<4> {
  FG_DEVICE void apply(cplx *v) {
    const cplx a = v[0] + v[2], b = v[0] - v[2], c = v[1] + v[3], d = quarter(v[1] - v[3]);
    v[0] = a + c;
    v[1] = b + d;
    v[2] = a - c;
    v[3] = b - d;
  }
};

/* R = A·B: A transforms of length B, constant twiddles, B transforms of length A. */
template <int A, int B> FG_DEVICE void cooley_tukey(cplx *v) {
  cplx w[A * B];
#pragma unroll
  for (int a = 0; a < A; a++) {
    cplx column[B];
#pragma unroll
    for (int b = 0; b < B; b++) column[b] = v[b * A + a];
    butterfly<B>::apply(column);
#pragma unroll
    for (int b = 0; b < B; b++) w[b * A + a] = rotated<A * B>(column[b], a * b);
  }
#pragma unroll
  for (int b = 0; b < B; b++) {
    butterfly<A>::apply(w + b * A);
#pragma unroll
    for (int a = 0; a < A; a++) v[a * B + b] = w[b * A + a];
  }
}

/* The x with x·a ≡ 1 (mod m). */
FG_CONSTANT int inverse_modulo(int a, int m) {
  for (int x = 1; x < m; x++)
    if (a * x % m == 1) return x;
  return 1;
}

/* R = A·B, A and B coprime: indices mapped so that the transform is a true two-dimensional one. */
template <int A, int B> FG_DEVICE void prime_factor(cplx *v) {
  constexpr int R = A * B, UA = B * inverse_modulo(B % A, A), UB = A * inverse_modulo(A % B, B);
  cplx w[R];
#pragma unroll
  for (int a = 0; a < A; a++) {
#pragma unroll
    for (int b = 0; b < B; b++) w[a * B + b] = v[(a * B + b * A) % R];
    butterfly<B>::apply(w + a * B);
  }
#pragma unroll
  for (int b = 0; b < B; b++) {
    cplx row[A];
#pragma unroll
    for (int a = 0; a < A; a++) row[a] = w[a * B + b];
    butterfly<A>::apply(row);
#pragma unroll
    for (int a = 0; a < A; a++) v[(a * UA + b * UB) % R] = row[a];
  }
}

/* The sum of all but the first is bin 0 of the transform; x[0] added there comes back in every result. */
template <int P> FG_DEVICE void rader(cplx *v) {
  using G = residues<P>;
  constexpr int N = P - 1;
  cplx w[N];
#pragma unroll
  for (int q = 0; q < N; q++) w[q] = v[G::power(q)];
  butterfly<N>::apply(w);
  const cplx first = v[0];
  v[0] = first + w[0];
#pragma unroll
  for (int k = 0; k < N; k++) w[k] = swapped(w[k] * G::filter(k));
  w[0] = w[0] + swapped(first);
  butterfly<N>::apply(w);
#pragma unroll
  for (int q = 0; q < N; q++) v[G::power((N - q) % N)] = swapped(w[q]);
}

/* How R is split, told apart so that only what is called is made of it. */
enum split_kind { NOT_SPLIT, TURNED, COPRIME };
template <int R> struct split_of {
  enum : int { KIND = NOT_SPLIT };
};
#define FG_SPLIT(R, how, a, b)                                                                                         \
  template <> struct split_of<R> {                                                                                     \
    enum : int { KIND = how, A = a, B = b };                                                                           \
  };
FG_SPLIT(6, COPRIME, 2, 3)
FG_SPLIT(8, TURNED, 2, 4)
FG_SPLIT(9, TURNED, 3, 3)
FG_SPLIT(10, COPRIME, 2, 5)
FG_SPLIT(12, COPRIME, 4, 3)
FG_SPLIT(14, COPRIME, 2, 7)
FG_SPLIT(15, COPRIME, 3, 5)
FG_SPLIT(16, TURNED, 4, 4)
FG_SPLIT(18, COPRIME, 2, 9)
FG_SPLIT(20, COPRIME, 4, 5)
FG_SPLIT(21, COPRIME, 3, 7)
FG_SPLIT(22, COPRIME, 2, 11)
FG_SPLIT(24, COPRIME, 3, 8)
FG_SPLIT(25, TURNED, 5, 5)
FG_SPLIT(26, COPRIME, 2, 13)
FG_SPLIT(27, TURNED, 3, 9)
FG_SPLIT(28, COPRIME, 4, 7)
FG_SPLIT(30, COPRIME, 2, 15)
FG_SPLIT(32, TURNED, 4, 8)
FG_SPLIT(33, COPRIME, 3, 11)
FG_SPLIT(34, COPRIME, 2, 17)
FG_SPLIT(35, COPRIME, 5, 7)
FG_SPLIT(36, COPRIME, 4, 9)
FG_SPLIT(38, COPRIME, 2, 19)
FG_SPLIT(39, COPRIME, 3, 13)
FG_SPLIT(40, COPRIME, 5, 8)
FG_SPLIT(42, COPRIME, 6, 7)
FG_SPLIT(44, COPRIME, 4, 11)
FG_SPLIT(45, COPRIME, 5, 9)
FG_SPLIT(46, COPRIME, 2, 23)
FG_SPLIT(48, COPRIME, 3, 16)
FG_SPLIT(49, TURNED, 7, 7)
FG_SPLIT(50, COPRIME, 2, 25)
FG_SPLIT(51, COPRIME, 3, 17)
FG_SPLIT(52, COPRIME, 4, 13)
FG_SPLIT(54, COPRIME, 2, 27)
FG_SPLIT(55, COPRIME, 5, 11)
FG_SPLIT(56, COPRIME, 7, 8)
FG_SPLIT(57, COPRIME, 3, 19)
FG_SPLIT(58, COPRIME, 2, 29)
FG_SPLIT(60, COPRIME, 4, 15)
FG_SPLIT(62, COPRIME, 2, 31)
FG_SPLIT(63, COPRIME, 7, 9)
FG_SPLIT(64, TURNED, 8, 8)
#undef FG_SPLIT

template <int R> struct butterfly {
  FG_DEVICE void apply(cplx *v) {
    using S = split_of<R>;
    if constexpr (S::KIND == COPRIME) prime_factor<S::A, S::B>(v);
    else if constexpr (S::KIND == TURNED) cooley_tukey<S::A, S::B>(v);
    else if constexpr (R == 61) rader<R>(v);
    else pairs_of<R>::transform(v);
  }
};

#endif
