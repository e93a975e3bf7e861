/* rows.h: rows of real data that go through the tile, between it and memory, which is reached in its own order: FG_DATA reals on one
 * side, bins 0 … FG_DATA/2 on the other.  In the tile they are as in memory, or (FG_ORDERED) a kind's elements are in the order of
 * those. */
#ifndef FG_ROWS_H
#define FG_ROWS_H

#include "placed_rows.h"

enum : int { ROW_BINS = FG_DATA / 2 + 1 };
enum : bool { FROM_BINS = loads_hermitian(FG_FROM_FORM) };

/* Rows have odd pitches, so that threads side by side meet different banks. */
enum : int { REAL_PITCH = FG_DATA | 1, BIN_PITCH = ROW_BINS | 1 };
FG_DEVICE real *real_row(const pass_state &s, int line) { return reinterpret_cast<real *>(s.tile) + line * REAL_PITCH; }
FG_DEVICE cplx *bin_row(const pass_state &s, int line) { return s.tile + line * BIN_PITCH; }

/* Where an element is in the tile; u: its number in the block, row after row. */
template <int EACH> FG_DEVICE int place_of_spot(const spot &at) { return at.line * (EACH | 1) + at.b; }
template <int EACH> FG_DEVICE int place_of_number(int u) { return EACH % 2 ? u : u + u / EACH; }

/* From memory: dense(at) of an element of rows one behind the other, of which the block has count, any(row's address,
 * index) of others.  All loads are under way before the first store to the tile. */
template <int EACH, class T, class F, class G>
FG_DEVICE void bring(const pass_state &s, int count, T *tile, F dense, G any) {
  const long long first = static_cast<long long>(s.first) * EACH + threadIdx.x;
  T x[MOVES<EACH>];
#pragma unroll
  for (int i = 0; i < MOVES<EACH>; i++) {
    const spot at = moved<EACH>(i, FG_LOAD_COLUMN);
    x[i] = {};
    if (FG_IN_DENSE && int(threadIdx.x) + i * FG_THREADS < count) x[i] = dense(first + i * FG_THREADS);
    if (!FG_IN_DENSE && at.exists && row_exists(s, at.line)) x[i] = any(place(s, at.line).in, at.b);
  }
#pragma unroll
  for (int i = 0; i < MOVES<EACH>; i++) {
    const spot at = moved<EACH>(i, FG_LOAD_COLUMN);
    const int u = threadIdx.x + i * FG_THREADS;
    if (at.exists) shared_store(tile + (FG_IN_DENSE ? place_of_number<EACH>(u) : place_of_spot<EACH>(at)), x[i]);
  }
}

/* To memory, likewise. */
template <int EACH, class T, class F, class G>
FG_DEVICE void take(const pass_state &s, int count, const T *tile, F dense, G any) {
  const long long first = static_cast<long long>(s.first) * EACH + threadIdx.x;
#pragma unroll
  for (int i = 0; i < MOVES<EACH>; i++) {
    const spot at = moved<EACH>(i, FG_STORE_COLUMN);
    const int u = threadIdx.x + i * FG_THREADS;
    if (FG_OUT_DENSE && u < count) dense(first + i * FG_THREADS, shared_load(tile + place_of_number<EACH>(u)));
    if (!FG_OUT_DENSE && at.exists && row_exists(s, at.line))
      any(place(s, at.line).out, at.b, shared_load(tile + place_of_spot<EACH>(at)));
  }
}

/* move(elements of a block): where all blocks but the last are full, that saves tests for a second text; short and odd rows
 * are not worth it. */
template <int EACH, class F> FG_DEVICE void move_dense(const pass_state &s, bool dense, F move) {
  const int count = dense ? dense_elements<EACH>(s) : 0;
  if (dense && FG_REAL_RADIX && count == WHOLE * EACH) move(WHOLE * EACH);
  else move(count);
}

/* ---- kinds of odd length: reals in another order, to and from a plain sequence or its spectrum ---- */

enum : bool { ORDERED_OUT = FG_ORDERED && FG_TO_FORM != FG_FORM_REAL }; /* after HALFCOMPLEX */

/* Results are both parts of a bin, added or subtracted; and their factor. */
enum : bool { QUARTER_WAVE = FG_TO_FORM == FG_FORM_REDFT11 || FG_TO_FORM == FG_FORM_RODFT11 };
enum : bool { DOUBLED = FG_TO_FORM == FG_FORM_REDFT10 || FG_TO_FORM == FG_FORM_RODFT10 };
FG_CONSTANT real of_kind() { return QUARTER_WAVE ? eighth_twice() : DOUBLED ? 2 : 1; }

/* src/run/table/places.h */
FG_DEVICE const int *places_of_row(const pass_state &s, bool stored) {
  return static_cast<const int *>(s.args.form_table) + (stored ? FG_DATA : 0);
}
FG_DEVICE real *ordered_row(const pass_state &s, int line, bool bins) {
  return bins ? reinterpret_cast<real *>(bin_row(s, line)) : real_row(s, line);
}

/* (Templates: else kernels without it would have it compiled, too, with threads that it cannot do with.) */
template <int ELEMENTS> FG_DEVICE void ordered_from_memory(const pass_state &s) {
  bring_placed<ELEMENTS>(s, places_of_row(s, false), [&](int row, int p, real x) {
    real *const to = ordered_row(s, row, FROM_BINS) + without_sign(p);
    shared_store(to, p < 0 ? -x : x);
    if (FROM_BINS && p == 0) shared_store(to + 1, real(0)); /* bin 0 is real */
  });
}

template <int ELEMENTS> FG_DEVICE void ordered_to_memory(const pass_state &s) {
  take_placed<ELEMENTS>(s, places_of_row(s, true), [&](int row, int p) {
    const int from = without_sign(p);
    real x;
    if constexpr (QUARTER_WAVE) {
      const cplx v = shared_load(bin_row(s, row) + from / 2);
      x = v.x + (from % 2 ? -v.y : v.y);
    } else {
      x = shared_load(ordered_row(s, row, !FROM_BINS) + from);
    }
    return (p < 0 ? -of_kind() : of_kind()) * x;
  });
}

FG_DEVICE void rows_from_memory(const pass_state &s) {
  const fg_tile_args &a = s.args;
  if constexpr (FG_ORDERED) ordered_from_memory<FG_DATA>(s);
  else if constexpr (FROM_BINS)
    move_dense<ROW_BINS>(s, FG_IN_DENSE, [&](int count) {
      bring<ROW_BINS>(s, count, s.tile, [&](long long at) { return read_point(a, at); }, [&](long long row, int k) {
        return spectrum_point(a, k, fetch_spectrum(a, row, k, true), is_edge(k));
      });
    });
  else
    move_dense<FG_DATA>(s, FG_IN_DENSE, [&](int count) {
      bring<FG_DATA>(s, count, real_row(s, 0), [&](long long at) { return read_number(a.in_re, at); },
                     [&](long long row, int e) { return load_real(a, row, e); });
    });
}

FG_DEVICE void rows_to_memory(const pass_state &s) {
  const fg_tile_args &a = s.args;
  if constexpr (ORDERED_OUT) ordered_to_memory<FG_DATA>(s);
  else if constexpr (FROM_BINS)
    move_dense<FG_DATA>(s, FG_OUT_DENSE, [&](int count) {
      take<FG_DATA>(s, count, real_row(s, 0), [&](long long at, real x) { write_number(a.out_re, at, x); },
                    [&](long long row, int e, real x) { store_real(a, row, e, x); });
    });
  else
    move_dense<ROW_BINS>(s, FG_OUT_DENSE, [&](int count) {
      take<ROW_BINS>(s, count, s.tile, [&](long long at, cplx x) { write_point(a, at, x); },
                     [&](long long row, int k, cplx x) {
                       store_spectrum(a, row, k, x, k == 0 || 2 * k == FG_DATA);
                     });
    });
}

#endif
