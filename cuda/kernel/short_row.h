/* short_row.h: rows of real data that are one butterfly (FG_SHORT_ROW): a thread has a whole row.
 *
 * Through the tile go only reals on the real side, and bins 0 … n/2 on the other, so that the compiler, which sees that
 * imaginary parts are zero (or not asked for) and that mirrored bins are conjugates, leaves half of the butterfly out.
 * Memory is reached in its own order. */
#ifndef FG_SHORT_ROW_H
#define FG_SHORT_ROW_H

#include "through.h"

namespace short_row {

constexpr int BINS = FG_N / 2 + 1, REAL_PITCH = FG_N | 1, BIN_PITCH = BINS | 1;
constexpr bool FROM_BINS = loads_hermitian(FG_FROM_FORM);

/* The i-th of EACH elements of all rows that this thread moves. */
template <int EACH> constexpr int REPEATS = (WHOLE * EACH + FG_THREADS - 1) / FG_THREADS;
template <int EACH> FG_DEVICE spot element(int i, bool column) {
  const int u = threadIdx.x + i * FG_THREADS;
  const bool exists = WHOLE * EACH % FG_THREADS == 0 || u < WHOLE * EACH;
  if (column) return {u % WHOLE, u / WHOLE, exists};
  return {u / EACH, u % EACH, exists};
}

/* Where an element is in the tile: rows have odd pitches, so that threads side by side meet different banks.  u: its number
 * in the block, row after row. */
template <int EACH> FG_DEVICE int place_of_spot(const spot &at) { return at.line * (EACH | 1) + at.b; }
template <int EACH> FG_DEVICE int place_of_number(int u) { return EACH % 2 ? u : u + u / EACH; }

FG_DEVICE real *reals_in(const pass_state &s) { return reinterpret_cast<real *>(s.tile); }

/* From memory: number(at) of an element of rows one behind the other, any(row's address, index) of others.  All loads are
 * under way before the first store to the tile. */
template <int EACH, class T, class F, class G>
FG_DEVICE void bring(const pass_state &s, T *tile, F number, G any) {
  const int count = FG_IN_DENSE ? dense_elements<EACH>(s) : 0;
  T x[REPEATS<EACH>];
#pragma unroll
  for (int i = 0; i < REPEATS<EACH>; i++) {
    const spot at = element<EACH>(i, FG_LOAD_COLUMN);
    const int u = threadIdx.x + i * FG_THREADS;
    x[i] = {};
    if (FG_IN_DENSE && u < count) x[i] = number(static_cast<long long>(s.first) * EACH + u);
    if (!FG_IN_DENSE && at.exists && row_exists(s, at.line)) x[i] = any(place(s, at.line).in, at.b);
  }
#pragma unroll
  for (int i = 0; i < REPEATS<EACH>; i++) {
    const spot at = element<EACH>(i, FG_LOAD_COLUMN);
    const int u = threadIdx.x + i * FG_THREADS;
    if (at.exists) shared_store(tile + (FG_IN_DENSE ? place_of_number<EACH>(u) : place_of_spot<EACH>(at)), x[i]);
  }
}

/* To memory, likewise. */
template <int EACH, class T, class F, class G>
FG_DEVICE void take(const pass_state &s, const T *tile, F number, G any) {
  const int count = FG_OUT_DENSE ? dense_elements<EACH>(s) : 0;
#pragma unroll
  for (int i = 0; i < REPEATS<EACH>; i++) {
    const spot at = element<EACH>(i, FG_STORE_COLUMN);
    const int u = threadIdx.x + i * FG_THREADS;
    if (FG_OUT_DENSE && u < count)
      number(static_cast<long long>(s.first) * EACH + u, shared_load(tile + place_of_number<EACH>(u)));
    if (!FG_OUT_DENSE && at.exists && row_exists(s, at.line))
      any(place(s, at.line).out, at.b, shared_load(tile + place_of_spot<EACH>(at)));
  }
}

FG_DEVICE void rows_from_memory(const pass_state &s) {
  const fg_tile_args &a = s.args;
  if constexpr (FROM_BINS)
    bring<BINS>(s, s.tile, [&](long long at) { return read_point(a, at); }, [&](long long row, int k) {
      return spectrum_point(a, k, fetch_spectrum(a, row, k, true), is_edge(k));
    });
  else
    bring<FG_N>(s, reals_in(s), [&](long long at) { return read_number(a.in_re, at); },
                [&](long long row, int e) { return load_real(a, row, e); });
}

FG_DEVICE void rows_to_memory(const pass_state &s) {
  const fg_tile_args &a = s.args;
  if constexpr (FROM_BINS)
    take<FG_N>(s, reals_in(s), [&](long long at, real x) { write_number(a.out_re, at, x); },
               [&](long long row, int e, real x) { store_real(a, row, e, x); });
  else
    take<BINS>(s, s.tile, [&](long long at, cplx x) { write_point(a, at, x); }, [&](long long row, int k, cplx x) {
      store_spectrum(a, row, k, x, k == 0 || 2 * k == FG_N);
    });
}

/* The row of a thread that has one. */
FG_DEVICE void read_row(const pass_state &s, int row, cplx *v) {
  if constexpr (FROM_BINS) {
#pragma unroll
    for (int k = 0; k < BINS; k++) {
      cplx x = shared_load(s.tile + row * BIN_PITCH + k);
      if (k == 0 || 2 * k == FG_N) x.y = 0;
      v[k] = x;
      if (2 * k < FG_N && k > 0) v[FG_N - k] = conjugate(x);
    }
  } else {
#pragma unroll
    for (int j = 0; j < FG_N; j++) v[j].x = shared_load(reals_in(s) + row * REAL_PITCH + j);
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
    if (FROM_BINS) shared_store(reals_in(s) + row * REAL_PITCH + k, x.x);
    else shared_store(s.tile + row * BIN_PITCH + k, x);
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
