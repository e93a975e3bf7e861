/* pairs.h: lines that carry two rows of real data: z = x₁ + i·x₂.
 *
 *   real to Hermitian:  X₁[k] = (Z[k] + conj Z[n − k])/2,  X₂[k] = (Z[k] − conj Z[n − k])/2i
 *   Hermitian to real:  Z[k] = X₁[k] + i·X₂[k],  Z[n − k] = conj X₁[k] + i·conj X₂[k]
 *
 * for k ≤ n/2.  Spectra go between memory and registers (mirror.h), or, of
 * convolutions, through the tile (through.h).  The real side is as with any line.  A real row that has no partner is
 * paired with zero, a spectrum with itself. */
#ifndef FG_PAIRS_H
#define FG_PAIRS_H

#include "folded.h"
#include "half_row.h"
#include "odd_row.h"

enum : bool { SPECTRA_IN = FG_PAIRS && loads_hermitian(FG_FROM_FORM) };
enum : bool { SPLIT_SPECTRA = FG_PAIRS && !SPECTRA_IN && !symmetric(FG_TO_FORM) };
enum : int { HALF = FG_DATA / 2 + 1 };

FG_DEVICE run_of_points load_run(const pass_state &s, const line_place &p, int k, int dk) {
  const long long stride = FG_IN_UNIT ? 1 : s.args.in;
  return {p, p.in + k * stride, dk * stride, k, dk};
}

FG_DEVICE run_of_points store_run(const pass_state &s, const line_place &p, int k, int dk) {
  const long long stride = FG_OUT_UNIT ? 1 : s.args.out;
  return {p, p.out + k * stride, dk * stride, k, dk};
}

/* ---- registers ---- */

/* A move (radix 1) along dense lines: point after point of the block, whatever line it is in. */
template <int S> FG_CONSTANT bool moves_along() { return radix_of(S) == 1 && !column_of(S) && FG_N > 1; }

/* Points of the block, row after row. */
enum : int { DENSE_POINTS = WHOLE * FG_DATA };
FG_DEVICE int dense_points(const pass_state &s) { return dense_elements<FG_DATA>(s); }

/* Point number at of the array. */
FG_DEVICE void put_dense_point(const pass_state &s, long long at, cplx v) {
  const cplx x = FG_BACKWARD ? swapped(v) : v;
  if (FG_OUT_TWOS) write_two(s.args.out_re, 2 * at, x);
  else write_point(s.args, at, x);
}

/* Of them this thread's COUNT. */
template <int COUNT> FG_DEVICE void fetch_dense(const pass_state &s, int points, cplx *v) {
  const long long at = static_cast<long long>(s.first) * FG_DATA + threadIdx.x;
#pragma unroll
  for (int i = 0; i < COUNT; i++) {
    if (int(threadIdx.x) + i * FG_THREADS >= points) continue;
    v[i] = FG_IN_TWOS ? read_two(s.args.in_re, 2 * (at + i * FG_THREADS)) : read_point(s.args, at + i * FG_THREADS);
    if (FG_BACKWARD) v[i] = swapped(v[i]);
  }
}
template <int COUNT> FG_DEVICE void put_dense(const pass_state &s, int points, const cplx *v) {
  const long long at = static_cast<long long>(s.first) * FG_DATA + threadIdx.x;
#pragma unroll
  for (int i = 0; i < COUNT; i++) {
    if (int(threadIdx.x) + i * FG_THREADS < points) put_dense_point(s, at + i * FG_THREADS, v[i]);
  }
}

/* All blocks but the last are full, which saves a test and an address for each point. */
template <int COUNT> FG_DEVICE void load_dense(const pass_state &s, cplx *v) {
  const int points = dense_points(s);
  if (points == DENSE_POINTS) fetch_dense<COUNT>(s, DENSE_POINTS, v);
  else fetch_dense<COUNT>(s, points, v);
}
template <int COUNT> FG_DEVICE void store_dense(const pass_state &s, const cplx *v) {
  const int points = dense_points(s);
  if (points == DENSE_POINTS) put_dense<COUNT>(s, DENSE_POINTS, v);
  else put_dense<COUNT>(s, points, v);
}

/* Rows of two points, one behind the other (FG_COUPLES): each is one access where the array begins at a multiple of their
 * size, which it need not. */
FG_DEVICE bool begins_even(const void *array) { return reinterpret_cast<unsigned long long>(array) % sizeof(four_reals) == 0; }

FG_DEVICE void load_couples(const pass_state &s, cplx *v) {
  const four_reals *const rows = static_cast<const four_reals *>(s.args.in_re) + s.first;
#pragma unroll
  for (int i = 0; i < stage<0>::REPEATS; i++) {
    const spot at = stage<0>::locate(i);
    if (!at.exists || !row_exists(s, at.line)) continue;
    const four_reals x = global_load_four(rows + at.line);
    v[2 * i] = {x.of[0], x.of[1]}, v[2 * i + 1] = {x.of[2], x.of[3]};
    if (FG_BACKWARD) v[2 * i] = swapped(v[2 * i]), v[2 * i + 1] = swapped(v[2 * i + 1]);
  }
}
FG_DEVICE void store_couples(const pass_state &s, const cplx *v) {
  four_reals *const rows = static_cast<four_reals *>(s.args.out_re) + s.first;
#pragma unroll
  for (int i = 0; i < stage<LAST>::REPEATS; i++) {
    const spot at = stage<LAST>::locate(i);
    if (!at.exists || !row_exists(s, at.line)) continue;
    const cplx x = FG_BACKWARD ? swapped(v[2 * i]) : v[2 * i], y = FG_BACKWARD ? swapped(v[2 * i + 1]) : v[2 * i + 1];
    global_store_four(rows + at.line, four_reals{{x.x, x.y, y.x, y.y}});
  }
}

/* The R points of one butterfly, of one row or of two. */
template <int R> FG_DEVICE void load_butterfly(const pass_state &s, int line, int k, int dk, cplx *v) {
  if (!row_exists(s, line)) return;
  const line_place p = place(s, line);
  const run_of_points r = load_run(s, p, k, dk);
#pragma unroll
  for (int j = 0; j < R; j++) v[j] = load_point(s.args, r, j);
}

/* Real rows: the second as imaginary part, before any factor. */
template <int R> FG_DEVICE void load_real_pair(const pass_state &s, int line, int k, int dk, cplx *v) {
#pragma unroll
  for (int second = 0; second < 2; second++) {
    const int row = line + second * WHOLE;
    if (!row_exists(s, row)) continue;
    const line_place p = place(s, row);
    const run_of_points r = load_run(s, p, k, dk);
#pragma unroll
    for (int j = 0; j < R; j++) {
      if (CHIRP && k + j * dk >= FG_DATA) continue;
      const cplx x = fetch_point(s.args, r, j);
      if (second) v[j].y = x.x;
      else v[j].x = x.x;
    }
  }
#pragma unroll
  for (int j = 0; j < R; j++) {
    if (CHIRP && k + j * dk < FG_DATA)
      v[j] = v[j] * table_load(static_cast<const cplx *>(s.args.load_table) + k + j * dk);
    if (FG_BACKWARD) v[j] = swapped(v[j]);
  }
}

FG_DEVICE void load_lines(const pass_state &s, cplx *v) {
  using T = stage<0>;
  if constexpr (FG_MIRROR == 1) {
    if constexpr (FG_HALF_ROW) load_half_row_bins<T>(s, v);
    else load_mirrored(s, v);
    return;
  }
  if constexpr ((FG_FOLD & 1) != 0) {
    load_folded_rows<T>(s, v);
    return;
  }
  if constexpr (FG_ODD_ROW && FG_IN_ROWS) {
    rows_from_memory(s);
    __syncthreads();
  }
  if constexpr (FG_IN_DENSE && moves_along<0>()) {
    load_dense<T::REPEATS>(s, v);
    return;
  }
  if constexpr ((FG_COUPLES & 1) != 0) {
    if (begins_even(s.args.in_re)) {
      load_couples(s, v);
      return;
    }
  }
#pragma unroll
  for (int i = 0; i < T::REPEATS; i++) {
    const spot at = T::locate(i);
#pragma unroll
    for (int j = 0; (FG_PAIRS || (FG_HALF_ROW && CHIRP)) && j < T::R; j++)
      v[i * T::R + j] = {0, 0}; /* the row that may be missing, or the padding */
    if (!at.exists) continue;
    if constexpr (FG_PAIRS) load_real_pair<T::R>(s, at.line, at.b, T::M, v + i * T::R);
    else if constexpr (FG_HALF_ROW) load_half_row<T::R>(s, at.line, at.b, T::M, v + i * T::R);
    else if constexpr (FG_ODD_ROW == 1) load_odd_row<T::M>(s, at.line, at.b, v + i * T::R);
    else if constexpr (FG_ODD_ROW == 2) load_odd_bins<T::R>(s, at.line, at.b, v + i * T::R);
    else load_butterfly<T::R>(s, at.line, at.b, T::M, v + i * T::R);
  }
}

template <int R> FG_DEVICE void store_butterfly(const pass_state &s, int line, int k, int dk, const cplx *v) {
  if (!row_exists(s, line)) return;
  const line_place p = place(s, line);
  const run_of_points r = store_run(s, p, k, dk);
  cplx x[R];
#pragma unroll
  for (int j = 0; j < R; j++) x[j] = v[j];
  if constexpr (TWIDDLED_TOGETHER<R>) twiddle_all<R, true>(s.args, p.twiddle, k, dk, x);
#pragma unroll
  for (int j = 0; j < R; j++)
    if (finish_point<TWIDDLED_TOGETHER<R>>(s.args, r, j, x[j])) put_point(s.args, r, j, x[j]);
}

/* The second row's part of a result, or the first's, as the form stores it.  A symmetric row's spectrum is real, or
 * (odd) imaginary, so that two of them need no taking apart. */
FG_DEVICE cplx part(cplx v, int second) {
  if (odd_kind(FG_TO_FORM) && symmetric(FG_TO_FORM)) return {0, second ? -v.x : v.y};
  return {second ? v.y : v.x, 0};
}

/* Real results: real parts are one row, imaginary parts another. */
template <int R> FG_DEVICE void store_real_pair(const pass_state &s, int line, int k, int dk, const cplx *v) {
#pragma unroll
  for (int second = 0; second < 2; second++) {
    const int row = line + second * WHOLE;
    if (!row_exists(s, row)) continue;
    const line_place p = place(s, row);
    const run_of_points r = store_run(s, p, k, dk);
#pragma unroll
    for (int j = 0; j < R; j++) {
      cplx x = v[j];
      if (finish_point(s.args, r, j, x)) put_point(s.args, r, j, part(x, second));
    }
  }
}

FG_DEVICE void store_lines(const pass_state &s, const cplx *v) {
  using T = stage<LAST>;
  if constexpr (FG_MIRROR == 2) {
    if constexpr (FG_HALF_ROW) store_half_row_bins<T>(s, v);
    else store_mirrored(s, v);
    return;
  }
  if constexpr ((FG_FOLD & 2) != 0) {
    store_folded_rows<T>(s, v);
    return;
  }
  if (FG_ODD_ROW && FG_OUT_ROWS) __syncthreads(); /* the tile is still being read */
  if constexpr (FG_OUT_DENSE && moves_along<LAST>()) {
    store_dense<T::REPEATS>(s, v);
    return;
  }
  if constexpr ((FG_COUPLES & 2) != 0) {
    if (begins_even(s.args.out_re)) {
      store_couples(s, v);
      return;
    }
  }
#pragma unroll
  for (int i = 0; i < T::REPEATS; i++) {
    const spot at = T::locate(i);
    if (!at.exists) continue;
    if constexpr (FG_PAIRS) store_real_pair<T::R>(s, at.line, at.b, T::M, v + i * T::R);
    else if constexpr (FG_HALF_ROW) store_half_row<T::R>(s, at.line, at.b, T::M, v + i * T::R);
    else if constexpr (FG_ODD_ROW == 1) store_odd_bins<T::R>(s, at.line, at.b, v + i * T::R);
    else if constexpr (FG_ODD_ROW == 2) store_odd_row<T::M>(s, at.line, at.b, v + i * T::R);
    else store_butterfly<T::R>(s, at.line, at.b, T::M, v + i * T::R);
  }
  if constexpr (FG_ODD_ROW && FG_OUT_ROWS) {
    __syncthreads();
    rows_to_memory(s);
  }
}

#endif
