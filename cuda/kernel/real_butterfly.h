/* real_butterfly.h: forward DFTs of R real points in registers, and those whose results are real: v has the points two by
 * two, and results 0 … R/2, of which the others are conjugates.  The compiler, which sees what is zero and what nobody
 * asks for, leaves half of the complex butterfly out. */
#ifndef FG_REAL_BUTTERFLY_H
#define FG_REAL_BUTTERFLY_H

#include "butterfly.h"

template <int R> struct real_butterfly {
  static constexpr int KEPT = R / 2 + 1;

  FG_DEVICE real point(const cplx *v, int j) { return j % 2 ? v[j / 2].y : v[j / 2].x; }

  FG_DEVICE void forward(cplx *v) {
    cplx w[R];
#pragma unroll
    for (int j = 0; j < R; j++) w[j] = {point(v, j), 0};
    butterfly<R>::apply(w);
#pragma unroll
    for (int k = 0; k < KEPT; k++) v[k] = w[k];
  }

  FG_DEVICE void to_real(cplx *v) {
    cplx w[R];
#pragma unroll
    for (int k = 0; k < KEPT; k++) {
      w[k] = k == 0 || 2 * k == R ? cplx{v[k].x, 0} : v[k];
      if (k > 0 && 2 * k < R) w[R - k] = conjugate(v[k]);
    }
    butterfly<R>::apply(w);
#pragma unroll
    for (int k = 0; k < KEPT; k++) v[k] = {2 * k < R ? w[2 * k].x : 0, 2 * k + 1 < R ? w[2 * k + 1].x : 0};
  }
};

#endif
