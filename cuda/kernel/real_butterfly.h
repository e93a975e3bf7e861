/* real_butterfly.h: butterflies of odd length R between reals and the bins 0 … R/2 of their spectrum, whose others are
 * conjugates: half of the arithmetic of butterfly.h.
 *
 * Primes: the same sums of products, of which only those that a real row has (prime.h).  R = A·B as in butterfly.h: A
 * transforms of length B of reals, then of those across them one of each two that are conjugates; backwards, one of each
 * two, then B to reals.  (Sorensen, Jones, Heideman, Burrus, Real-valued fast Fourier transform algorithms, 1987.) */
#ifndef FG_REAL_BUTTERFLY_H
#define FG_REAL_BUTTERFLY_H

#include "butterfly.h"

/* R = A·B; 1·R: a prime. */
template <int R> struct factors_of {
  enum : int { A = 1, B = R };
};
#define FG_FACTORS(R, FIRST, SECOND)                                                                                   \
  template <> struct factors_of<R> {                                                                                   \
    enum : int { A = FIRST, B = SECOND };                                                                              \
  };
FG_FACTORS(9, 3, 3)
FG_FACTORS(15, 3, 5)
FG_FACTORS(21, 3, 7)
FG_FACTORS(25, 5, 5)
FG_FACTORS(27, 3, 9)
#undef FG_FACTORS

template <int R> struct real_prime {
  using P = pairs_of<R>;
  enum : int { H = P::H };

  FG_DEVICE void cosines(real *v, real first) {
    if constexpr (generated<R>::HALVED) P::halved_cosines(v, first);
    else P::cosines(v, first);
  }

  FG_DEVICE void forward(const real *x, cplx *bins) {
    real even[H], odd[H], total = x[0];
#pragma unroll
    for (int q = 0; q < H; q++) {
      even[q] = x[P::input(q)] + x[R - P::input(q)];
      odd[q] = x[P::input(q)] - x[R - P::input(q)];
      total = total + even[q];
    }
    cosines(even, x[0]);
    P::sines(odd);
    bins[0] = {total, 0};
#pragma unroll
    for (int k = 0; k < H; k++) {
      const int bin = P::output(k);
      const real top = real(2 * bin < R ? -circle<R>::sin(P::TOP) : circle<R>::sin(P::TOP));
      bins[2 * bin < R ? bin : R - bin] = {even[k], top * odd[k]};
    }
  }

  FG_DEVICE void backward(const cplx *bins, real *x) {
    real even[H], odd[H], total = bins[0].x;
#pragma unroll
    for (int q = 0; q < H; q++) {
      const int bin = P::input(q);
      const cplx v = 2 * bin < R ? bins[bin] : conjugate(bins[R - bin]);
      even[q] = 2 * v.x;
      odd[q] = 2 * v.y;
      total = total + even[q];
    }
    cosines(even, bins[0].x);
    P::sines(odd);
    const real top = real(circle<R>::sin(P::TOP));
    x[0] = total;
#pragma unroll
    for (int k = 0; k < H; k++) {
      x[P::output(k)] = even[k] + top * odd[k];
      x[R - P::output(k)] = even[k] - top * odd[k];
    }
  }
};

template <int R> struct real_butterfly {
  enum : int { A = factors_of<R>::A, B = factors_of<R>::B };
  enum : bool { COPRIME = A % B && B % A };
  enum : int { UA = B * inverse_modulo(B % A, A), UB = A * inverse_modulo(A % B, B) };

  /* The place of element b of the a-th transform of length B, and of result a of the b-th of length A. */
  FG_DEVICE int input(int a, int b) { return COPRIME ? (a * B + b * A) % R : b * A + a; }
  FG_DEVICE int output(int a, int b) { return COPRIME ? (a * UA + b * UB) % R : a * B + b; }
  FG_DEVICE cplx between(cplx v, int a, int b) {
    if constexpr (COPRIME) return v;
    else return rotated<R>(v, a * b);
  }

  FG_DEVICE cplx bin_of(const cplx *bins, int k) { return 2 * k < R ? bins[k] : conjugate(bins[R - k]); }
  FG_DEVICE void set_bin(cplx *bins, int k, cplx v) {
    if (2 * k < R) bins[k] = v;
    else bins[R - k] = conjugate(v);
  }

  /* bins[k] ← Σ_j x[j] · exp(−2πi jk/R) */
  FG_DEVICE void forward(const real *x, cplx *bins) {
    if constexpr (A == 1) {
      real_prime<R>::forward(x, bins);
    } else {
      cplx w[A * (B / 2 + 1)], first[A / 2 + 1];
      real sums[A];
#pragma unroll
      for (int a = 0; a < A; a++) {
        cplx *const column = w + a * (B / 2 + 1);
        real elements[B];
#pragma unroll
        for (int b = 0; b < B; b++) elements[b] = x[input(a, b)];
        real_butterfly<B>::forward(elements, column);
        sums[a] = column[0].x;
      }
      real_butterfly<A>::forward(sums, first);
#pragma unroll
      for (int a = 0; a <= A / 2; a++) set_bin(bins, output(a, 0), first[a]);
#pragma unroll
      for (int b = 1; b <= B / 2; b++) {
        cplx row[A];
#pragma unroll
        for (int a = 0; a < A; a++) row[a] = between(w[a * (B / 2 + 1) + b], a, b);
        butterfly<A>::apply(row);
#pragma unroll
        for (int a = 0; a < A; a++) set_bin(bins, output(a, b), row[a]);
      }
    }
  }

  /* x[j] ← Σ_k X[k] · exp(−2πi jk/R), X[k] = bins[k], X[R − k] = conj bins[k]; the imaginary part of bins[0] is not
   * looked at. */
  FG_DEVICE void backward(const cplx *bins, real *x) {
    if constexpr (A == 1) {
      real_prime<R>::backward(bins, x);
    } else {
      cplx first[B / 2 + 1], w[(A / 2 + 1) * B];
      real sums[B];
#pragma unroll
      for (int b = 0; b <= B / 2; b++) first[b] = bin_of(bins, input(0, b));
      real_butterfly<B>::backward(first, sums);
#pragma unroll
      for (int b = 0; b < B; b++) w[b] = {sums[b], 0};
#pragma unroll
      for (int a = 1; a <= A / 2; a++) {
        cplx *const column = w + a * B;
#pragma unroll
        for (int b = 0; b < B; b++) column[b] = bin_of(bins, input(a, b));
        butterfly<B>::apply(column);
#pragma unroll
        for (int b = 0; b < B; b++) column[b] = between(column[b], a, b);
      }
#pragma unroll
      for (int b = 0; b < B; b++) {
        cplx row[A / 2 + 1];
        real elements[A];
#pragma unroll
        for (int a = 0; a <= A / 2; a++) row[a] = w[a * B + b];
        real_butterfly<A>::backward(row, elements);
#pragma unroll
        for (int a = 0; a < A; a++) x[output(a, b)] = elements[a];
      }
    }
  }
};

#endif
