/* short_row.h: rows of real data that are one butterfly (FG_SHORT_ROW): a thread has a whole row.
 *
 * Through the tile go only reals on the real side, and bins 0 … n/2 on the other, so that the compiler, which sees that
 * imaginary parts are zero (or not asked for) and that mirrored bins are conjugates, leaves half of the butterfly out.
 * Memory is reached in its own order. */
#ifndef FG_SHORT_ROW_H
#define FG_SHORT_ROW_H

#include "rows.h"

namespace short_row {

enum : int { BINS = ROW_BINS };

/* The row of a thread that has one. */
FG_DEVICE void read_row(const pass_state &s, int row, cplx *v) {
  if constexpr (FROM_BINS) {
#pragma unroll
    for (int k = 0; k < BINS; k++) {
      cplx x = shared_load(bin_row(s, row) + k);
      if (k == 0 || 2 * k == FG_N) x.y = 0;
      v[k] = x;
      if (2 * k < FG_N && k > 0) v[FG_N - k] = conjugate(x);
    }
  } else {
#pragma unroll
    for (int j = 0; j < FG_N; j++) v[j].x = shared_load(real_row(s, row) + j);
  }
#pragma unroll
  for (int j = 0; j < FG_N; j++)
    if (FG_BACKWARD) v[j] = swapped(v[j]);
}

FG_DEVICE void write_row(const pass_state &s, int row, const cplx *v) {
#pragma unroll
  for (int k = 0; k < (FROM_BINS ? FG_N : BINS); k++) {
    cplx x = FG_BACKWARD ? swapped(v[k]) : v[k];
    if (k == 0 || 2 * k == FG_N) x.y = 0;
    if (FROM_BINS) shared_store(real_row(s, row) + k, x.x);
    else shared_store(bin_row(s, row) + k, x);
  }
}

FG_DEVICE void transform(const pass_state &s) {
  const int row = threadIdx.x;
  cplx v[FG_N];
#pragma unroll
  for (int j = 0; j < FG_N; j++) v[j] = {0, 0};
  rows_from_memory(s);
  __syncthreads();
  if (row < WHOLE) read_row(s, row, v);
  let_next_launch();
  __syncthreads();
  if (row < WHOLE) {
    butterfly<FG_N>::apply(v);
    write_row(s, row, v);
  }
  __syncthreads();
  rows_to_memory(s);
}

} // namespace short_row

#endif
