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

/* Where it is in the tile: rows have odd pitches, so that threads side by side meet different banks. */
template <int EACH> FG_DEVICE int place_in_tile(const spot &at) { return at.line * (EACH | 1) + at.b; }

FG_DEVICE real *reals_in(const pass_state &s) { return reinterpret_cast<real *>(s.tile); }

/* Row after row without a gap: the i-th element of this thread, counted through the block; whether it exists. */
template <int EACH> FG_DEVICE bool dense_exists(const pass_state &s, int i) {
  const long long all = (s.args.lines - static_cast<long long>(s.first)) * EACH;
  const int u = threadIdx.x + i * FG_THREADS, most = all < WHOLE * EACH ? int(all) : WHOLE * EACH;
  return u < most;
}
template <int EACH> FG_DEVICE long long dense_at(const pass_state &s, int i) {
  return static_cast<long long>(s.first) * EACH + threadIdx.x + i * FG_THREADS;
}
template <int EACH> FG_DEVICE int dense_in_tile(int i) {
  const int u = threadIdx.x + i * FG_THREADS;
  return EACH % 2 ? u : u + u / EACH;
}

FG_DEVICE real load_one(const pass_state &s, int i) {
  if (FG_IN_DENSE) return dense_exists<FG_N>(s, i) ? read_number(s.args.in_re, dense_at<FG_N>(s, i)) : 0;
  const spot at = element<FG_N>(i, FG_LOAD_COLUMN);
  return at.exists && row_exists(s, at.line) ? load_real(s.args, place(s, at.line).in, at.b) : 0;
}

/* All loads are under way before the first store to the tile. */
FG_DEVICE void load_reals(const pass_state &s) {
  real x[REPEATS<FG_N>];
#pragma unroll
  for (int i = 0; i < REPEATS<FG_N>; i++) x[i] = load_one(s, i);
#pragma unroll
  for (int i = 0; i < REPEATS<FG_N>; i++) {
    const spot at = element<FG_N>(i, FG_LOAD_COLUMN);
    if (at.exists) shared_store(reals_in(s) + (FG_IN_DENSE ? dense_in_tile<FG_N>(i) : place_in_tile<FG_N>(at)), x[i]);
  }
}

FG_DEVICE cplx load_bin(const pass_state &s, int i) {
  if (FG_IN_DENSE) return dense_exists<BINS>(s, i) ? read_point(s.args, dense_at<BINS>(s, i)) : cplx{0, 0};
  const spot at = element<BINS>(i, FG_LOAD_COLUMN);
  const bool exists = at.exists && row_exists(s, at.line);
  return exists ? fetch_spectrum(s.args, place(s, at.line).in, at.b, true) : cplx{0, 0};
}

FG_DEVICE void load_bins(const pass_state &s) {
  cplx x[REPEATS<BINS>];
#pragma unroll
  for (int i = 0; i < REPEATS<BINS>; i++) x[i] = load_bin(s, i);
#pragma unroll
  for (int i = 0; i < REPEATS<BINS>; i++) {
    const spot at = element<BINS>(i, FG_LOAD_COLUMN);
    const int to = FG_IN_DENSE ? dense_in_tile<BINS>(i) : place_in_tile<BINS>(at);
    if (at.exists) shared_store(s.tile + to, FG_IN_DENSE ? x[i] : spectrum_point(s.args, at.b, x[i], is_edge(at.b)));
  }
}

FG_DEVICE void store_reals(const pass_state &s) {
#pragma unroll
  for (int i = 0; i < REPEATS<FG_N>; i++) {
    if (FG_OUT_DENSE) {
      if (!dense_exists<FG_N>(s, i)) break;
      write_number(s.args.out_re, dense_at<FG_N>(s, i), shared_load(reals_in(s) + dense_in_tile<FG_N>(i)));
      continue;
    }
    const spot at = element<FG_N>(i, FG_STORE_COLUMN);
    if (!at.exists || !row_exists(s, at.line)) continue;
    store_real(s.args, place(s, at.line).out, at.b, shared_load(reals_in(s) + place_in_tile<FG_N>(at)));
  }
}

FG_DEVICE void store_bins(const pass_state &s) {
#pragma unroll
  for (int i = 0; i < REPEATS<BINS>; i++) {
    if (FG_OUT_DENSE) {
      if (!dense_exists<BINS>(s, i)) break;
      write_point(s.args, dense_at<BINS>(s, i), shared_load(s.tile + dense_in_tile<BINS>(i)));
      continue;
    }
    const spot at = element<BINS>(i, FG_STORE_COLUMN);
    if (!at.exists || !row_exists(s, at.line)) continue;
    const cplx x = shared_load(s.tile + place_in_tile<BINS>(at));
    store_spectrum(s.args, place(s, at.line).out, at.b, x, at.b == 0 || 2 * at.b == FG_N);
  }
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
  if constexpr (FROM_BINS) load_bins(s);
  else load_reals(s);
  __syncthreads();
  if (row < WHOLE) read_row(s, row, v);
  let_next_launch();
  __syncthreads();
  if (row < WHOLE) {
    butterfly<FG_N>::apply(v);
    write_row(s, row, v);
  }
  __syncthreads();
  if constexpr (FROM_BINS) store_reals(s);
  else store_bins(s);
}

} // namespace short_row

#endif
