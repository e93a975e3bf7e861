/* prime.h: forward DFTs of odd prime length R in registers, as sums of products.
 *
 *   X[±k] = x[0] + Σ_q (x[q] + x[−q]) · cos(2πqk/R) ∓ i Σ_q (x[q] − x[−q]) · sin(2πqk/R),   1 ≤ q, k ≤ H = (R − 1)/2
 *
 * The sines are divided by the largest of them, so that one product of each sum is none and the factor is part of the
 * last addition.  Where H is even and large, q and k run through powers of a generator g of the residues modulo R, which
 * makes the cosines a cyclic convolution: sums of what is H/2 apart with sums of cosines, differences with differences,
 * half of the products.
 *
 * In a convolution, where the errors of two transforms add up, sums are made of short ones, whose partial sums are smaller
 * and round less (47 points: an eighth of the whole error), for a few more additions and registers. */
#ifndef FG_PRIME_H
#define FG_PRIME_H

#include "complex.h"
#include "constants.h"

/* g^q modulo R, 0 ≤ q < H; none: 1 + q, which needs no generator. */
template <int R> struct generated {
  enum : bool { HALVED = false };
  FG_DEVICE int power(int q) { return 1 + q; }
};
#define FG_GENERATED(R, ...)                                                                                           \
  template <> struct generated<R> {                                                                                    \
    enum : bool { HALVED = true };                                                                                     \
    FG_DEVICE int power(int q) {                                                                                       \
      static const unsigned char powers[] = {__VA_ARGS__};                                                             \
      return powers[q];                                                                                                \
    }                                                                                                                  \
  };
FG_GENERATED(13, 1, 2, 4, 8, 3, 6)
FG_GENERATED(17, 1, 3, 9, 10, 13, 5, 15, 11)
FG_GENERATED(29, 1, 2, 4, 8, 16, 3, 6, 12, 24, 19, 9, 18, 7, 14)
FG_GENERATED(37, 1, 2, 4, 8, 16, 32, 27, 17, 34, 31, 25, 13, 26, 15, 30, 23, 9, 18)
FG_GENERATED(41, 1, 6, 36, 11, 25, 27, 39, 29, 10, 19, 32, 28, 4, 24, 21, 3, 18, 26, 33, 34)
FG_GENERATED(53, 1, 2, 4, 8, 16, 32, 11, 22, 44, 35, 17, 34, 15, 30, 7, 14, 28, 3, 6, 12, 24, 48, 43, 33, 13, 26)
#undef FG_GENERATED

template <int R> struct pairs_of {
  enum : int { H = (R - 1) / 2, M = H / 2, TOP = (R + 1) / 4 }; /* sin(2π·TOP/R) is the largest */
  enum : int { RUN = FG_CONVOLVE ? 4 : R };                     /* terms that are added one after the other */

  /* The q-th pair that is summed, the k-th of results: g^q and g^−k = −g^(H − k). */
  FG_DEVICE int input(int q) { return generated<R>::power(q); }
  FG_DEVICE int output(int k) { return generated<R>::HALVED && k > 0 ? R - generated<R>::power(H - k) : input(k); }

  FG_DEVICE int turns(int q, int k) { return input(q) * output(k) % R; }
  FG_DEVICE double cosine(int q, int k) { return circle<R>::cos(turns(q, k)); }

  /* Σ term(i), FROM ≤ i < TO. */
  template <int FROM, int TO, class F> FG_DEVICE real sum_of(F term) {
    if constexpr (TO - FROM > RUN) {
      return sum_of<FROM, (FROM + TO) / 2>(term) + sum_of<(FROM + TO) / 2, TO>(term);
    } else {
      real sum = term(FROM);
#pragma unroll
      for (int i = FROM + 1; i < TO; i++) sum = sum + term(i);
      return sum;
    }
  }

  /* v[k] ← first + Σ_q v[q] · cos. */
  FG_DEVICE void cosines(real *v, real first) {
    real sum[H];
#pragma unroll
    for (int k = 0; k < H; k++)
      sum[k] = sum_of<0, H + 1>([&](int i) { return i == 0 ? first : real(cosine(i - 1, k)) * v[i - 1]; });
#pragma unroll
    for (int k = 0; k < H; k++) v[k] = sum[k];
  }

  FG_DEVICE void halved_cosines(real *v, real first) {
    real plus[M], minus[M], sum[M], difference[M];
#pragma unroll
    for (int q = 0; q < M; q++) {
      plus[q] = v[q] + v[q + M];
      minus[q] = v[q] - v[q + M];
    }
#pragma unroll
    for (int k = 0; k < M; k++) {
      sum[k] = sum_of<0, M + 1>([&](int i) {
        return i == 0 ? first : real((cosine(i - 1, k) + cosine(i - 1 + M, k)) / 2) * plus[i - 1];
      });
      difference[k] = sum_of<0, M>([&](int q) { return real((cosine(q, k) - cosine(q + M, k)) / 2) * minus[q]; });
    }
#pragma unroll
    for (int k = 0; k < M; k++) {
      v[k] = sum[k] + difference[k];
      v[k + M] = sum[k] - difference[k];
    }
  }

  /* v[k] ← Σ_q v[q] · sin, divided by the largest sine. */
  FG_DEVICE void sines(real *v) {
    real sum[H];
#pragma unroll
    for (int k = 0; k < H; k++) {
      int largest = 0;
#pragma unroll
      for (int q = 0; q < H; q++)
        if (turns(q, k) == TOP || turns(q, k) == R - TOP) largest = q;
      sum[k] = sum_of<0, H>([&](int i) { /* the largest first */
        const int q = i == 0 ? largest : i == largest ? 0 : i, m = turns(q, k);
        return q == largest ? m == TOP ? v[q] : -v[q] : real(circle<R>::sin(m) / circle<R>::sin(TOP)) * v[q];
      });
    }
#pragma unroll
    for (int k = 0; k < H; k++) v[k] = sum[k];
  }

  /* Real and imaginary parts apart, so that no more than half of one is held twice. */
  FG_DEVICE void transform(cplx *v) {
    real even_x[H], even_y[H], odd_x[H], odd_y[H];
    cplx total = v[0];
#pragma unroll
    for (int q = 0; q < H; q++) {
      const cplx a = v[input(q)], b = v[R - input(q)];
      even_x[q] = a.x + b.x;
      even_y[q] = a.y + b.y;
      odd_x[q] = a.x - b.x;
      odd_y[q] = a.y - b.y;
      total = total + cplx{even_x[q], even_y[q]};
    }
    if constexpr (generated<R>::HALVED) {
      halved_cosines(even_x, v[0].x);
      halved_cosines(even_y, v[0].y);
    } else {
      cosines(even_x, v[0].x);
      cosines(even_y, v[0].y);
    }
    sines(odd_x);
    sines(odd_y);
    const real top = real(circle<R>::sin(TOP));
#pragma unroll
    for (int k = 0; k < H; k++) {
      v[output(k)] = {even_x[k] + top * odd_y[k], even_y[k] - top * odd_x[k]};
      v[R - output(k)] = {even_x[k] - top * odd_y[k], even_y[k] + top * odd_x[k]};
    }
    v[0] = total;
  }
};

#endif
