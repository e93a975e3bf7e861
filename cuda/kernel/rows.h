/* rows.h: rows of real data that go through the tile as they are, between it and memory, in memory's own order: FG_DATA
 * reals on one side, bins 0 … FG_DATA/2 on the other. */
#ifndef FG_ROWS_H
#define FG_ROWS_H

#include "points.h"

constexpr int ROW_BINS = FG_DATA / 2 + 1;
constexpr bool FROM_BINS = loads_hermitian(FG_FROM_FORM);

/* The i-th of EACH elements of all rows that this thread moves. */
template <int EACH> constexpr int MOVES = (WHOLE * EACH + FG_THREADS - 1) / FG_THREADS;
template <int EACH> FG_DEVICE spot moved(int i, bool column) {
  const int u = threadIdx.x + i * FG_THREADS;
  const bool exists = WHOLE * EACH % FG_THREADS == 0 || u < WHOLE * EACH;
  if (column) return {u % WHOLE, u / WHOLE, exists};
  return {u / EACH, u % EACH, exists};
}

/* Where an element is in the tile, if it holds rows of EACH elements: their pitch is odd, so that threads side by side meet
 * different banks.  dense: the block's elements are numbered row after row. */
template <int EACH> FG_DEVICE int row_place(const spot &at, int i, bool dense) {
  const int u = threadIdx.x + i * FG_THREADS;
  return dense ? EACH % 2 ? u : u + u / EACH : at.line * (EACH | 1) + at.b;
}

/* From memory: number(at) of an element of rows one behind the other, any(row's address, index) of others.  All loads are
 * under way before the first store to the tile.  put(spot, its place, element). */
template <int EACH, class T, class F, class G, class P>
FG_DEVICE void bring(const pass_state &s, F number, G any, P put) {
  const int count = FG_IN_DENSE ? dense_elements<EACH>(s) : 0;
  T x[MOVES<EACH>];
#pragma unroll
  for (int i = 0; i < MOVES<EACH>; i++) {
    const spot at = moved<EACH>(i, FG_LOAD_COLUMN);
    const int u = threadIdx.x + i * FG_THREADS;
    x[i] = {};
    if (FG_IN_DENSE && u < count) x[i] = number(static_cast<long long>(s.first) * EACH + u);
    if (!FG_IN_DENSE && at.exists && row_exists(s, at.line)) x[i] = any(place(s, at.line).in, at.b);
  }
#pragma unroll
  for (int i = 0; i < MOVES<EACH>; i++) {
    const spot at = moved<EACH>(i, FG_LOAD_COLUMN);
    if (at.exists) put(at, row_place<EACH>(at, i, FG_IN_DENSE), x[i]);
  }
}

/* To memory, likewise; get(spot, its place). */
template <int EACH, class F, class G, class P>
FG_DEVICE void take(const pass_state &s, F number, G any, P get) {
  const int count = FG_OUT_DENSE ? dense_elements<EACH>(s) : 0;
#pragma unroll
  for (int i = 0; i < MOVES<EACH>; i++) {
    const spot at = moved<EACH>(i, FG_STORE_COLUMN);
    const int u = threadIdx.x + i * FG_THREADS;
    const int in_tile = row_place<EACH>(at, i, FG_OUT_DENSE);
    if (FG_OUT_DENSE && u < count) number(static_cast<long long>(s.first) * EACH + u, get(at, in_tile));
    if (!FG_OUT_DENSE && at.exists && row_exists(s, at.line)) any(place(s, at.line).out, at.b, get(at, in_tile));
  }
}

/* Elements are bins if FROM_BINS, else reals. */
template <class P> FG_DEVICE void rows_from_memory(const pass_state &s, P put) {
  const fg_tile_args &a = s.args;
  if constexpr (FROM_BINS)
    bring<ROW_BINS, cplx>(s, [&](long long at) { return read_point(a, at); }, [&](long long row, int k) {
      return spectrum_point(a, k, fetch_spectrum(a, row, k, true), is_edge(k));
    }, put);
  else
    bring<FG_DATA, real>(s, [&](long long at) { return read_number(a.in_re, at); },
                         [&](long long row, int e) { return load_real(a, row, e); }, put);
}

/* The other way round. */
template <class P> FG_DEVICE void rows_to_memory(const pass_state &s, P get) {
  const fg_tile_args &a = s.args;
  if constexpr (FROM_BINS)
    take<FG_DATA>(s, [&](long long at, real x) { write_number(a.out_re, at, x); },
                  [&](long long row, int e, real x) { store_real(a, row, e, x); }, get);
  else
    take<ROW_BINS>(s, [&](long long at, cplx x) { write_point(a, at, x); }, [&](long long row, int k, cplx x) {
      store_spectrum(a, row, k, x, k == 0 || 2 * k == FG_DATA);
    }, get);
}

#endif
