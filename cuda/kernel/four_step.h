/* four_step.h: the factors between the two parts of a dimension that is cut in two (FG_FOUR_STEP, box.cu): n = n₁·n₂ as n₁ by
 * n₂.  Result k of the first part, n₁ points, is multiplied by exp(−2πi·j·k/n), j the place in the second.
 *
 * In their table k − 1, j is one entry of n₂ for each.  Between multiples of FEW factors are products of two entries, so that
 * a third or so is loaded. */
#ifndef FG_FOUR_STEP_H
#define FG_FOUR_STEP_H

#include "box_shape.h"

/* The results of a butterfly of the first part. */
FG_DEVICE void turn(const fg_tile_args &a, const spot &at, cplx *v) {
  constexpr int R = size_of(0), FEW = R < 8 ? R : 4;
  if (!at.exists) return;
  const cplx *const factors = static_cast<const cplx *>(a.stages) + shared_index(0, at);
  cplx low[FEW];
#pragma unroll
  for (int k = 1; k < FEW; k++) v[k] = v[k] * (low[k] = table_load(factors + (k - 1) * size_of(1)));
#pragma unroll
  for (int k = FEW; k < R; k += FEW) {
    const cplx high = table_load(factors + (k - 1) * size_of(1));
    v[k] = v[k] * high;
#pragma unroll
    for (int i = 1; i < FEW; i++)
      if (k + i < R) v[k + i] = v[k + i] * (high * low[i]);
  }
}

#endif
