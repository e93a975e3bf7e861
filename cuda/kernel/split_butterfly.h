/* split_butterfly.h: forward DFTs of R = 2Q real points x in registers, and those whose results are real.
 *
 * Points come, and go, as c[j] = x[j] + x[j + Q] and d[j] = x[j] − x[j + Q], one complex number v[j]: results with even
 * numbers are the DFT of c, those with odd ones that of d, turned.  Of the results 0 … Q are kept, the others being their
 * conjugates.  The compiler, which sees what is zero and what nobody asks for, leaves half of the complex butterflies
 * out. */
#ifndef FG_SPLIT_BUTTERFLY_H
#define FG_SPLIT_BUTTERFLY_H

#include "butterfly.h"

template <int R> struct split_butterfly {
  enum : int { Q = R / 2 };

  /* Q real points to the results 0 … Q/2, and back. */
  FG_DEVICE void transform(const real *x, cplx *w) {
#pragma unroll
    for (int j = 0; j < Q; j++) w[j] = {x[j], 0};
    butterfly<Q>::apply(w);
  }
  FG_DEVICE void transform_to_real(cplx *w) {
    w[0].y = 0;
    if (Q % 2 == 0) w[Q / 2].y = 0;
#pragma unroll
    for (int k = 1; 2 * k < Q; k++) w[Q - k] = conjugate(w[k]);
    butterfly<Q>::apply(w);
  }

  FG_DEVICE real signed_point(int j, real x) { return j % 2 ? -x : x; }

  /* Q odd: result Q + 2k of d is result k with alternating signs.  Q even: results 4k + 1 are those of Q/2 complex points. */
  FG_DEVICE void forward(cplx *v) {
    real c[Q], d[Q];
    cplx even[Q], odd[Q];
#pragma unroll
    for (int j = 0; j < Q; j++) {
      c[j] = v[j].x;
      d[j] = Q % 2 ? signed_point(j, v[j].y) : v[j].y;
    }
    transform(c, even);
    if constexpr (Q % 2) {
      transform(d, odd);
    } else {
#pragma unroll
      for (int j = 0; j < Q / 2; j++) odd[j] = rotated<R>(cplx{d[j], -d[j + Q / 2]}, j);
      butterfly<Q / 2>::apply(odd);
    }
#pragma unroll
    for (int k = 0; 2 * k <= Q; k++) v[2 * k] = even[k];
#pragma unroll
    for (int k = 0; k < (Q + 1) / 2; k++) {
      const int n = 4 * k + 1;
      if (Q % 2) v[Q - 2 * k] = conjugate(odd[k]);
      else v[n <= Q ? n : R - n] = n <= Q ? odd[k] : conjugate(odd[k]);
    }
  }

  FG_DEVICE void to_real(cplx *v) {
    cplx even[Q], odd[Q];
#pragma unroll
    for (int k = 0; 2 * k <= Q; k++) even[k] = v[2 * k];
#pragma unroll
    for (int k = 0; k < (Q + 1) / 2; k++) {
      const int n = 4 * k + 1;
      if (Q % 2) odd[k] = conjugate(v[Q - 2 * k]);
      else odd[k] = n <= Q ? v[n] : conjugate(v[R - n]);
    }
    transform_to_real(even);
    if constexpr (Q % 2) {
      transform_to_real(odd);
#pragma unroll
      for (int j = 0; j < Q; j++) v[j] = {even[j].x, signed_point(j, odd[j].x)};
    } else {
      butterfly<Q / 2>::apply(odd);
#pragma unroll
      for (int j = 0; j < Q / 2; j++) {
        const cplx twice = rotated<R>(scale(2, odd[j]), j);
        v[j] = {even[j].x, twice.x};
        v[j + Q / 2] = {even[j + Q / 2].x, twice.y};
      }
    }
  }
};

#endif
