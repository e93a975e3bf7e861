/* mirrored_rows.h: half spectra of boxes that the blocks of a cluster share (box.cu): straight from memory into the first
 * stage, and from the tile to memory.
 *
 * A block has an index and its negative of the dimension that is shared out (box_shape.h), and all of the others: so the
 * mirrors of its points are its own, and nothing crosses for their sake.  Rows are half rows (half.h). */
#ifndef FG_MIRRORED_ROWS_H
#define FG_MIRRORED_ROWS_H

#include "box_shape.h"
#include "element.h"
#include "half.h"

enum : int { ROW_POINTS = size_of(ROW) };

/* Z of bins X and the conjugate of their mirror's (half.h); w: conj of the root. */
FG_DEVICE cplx point_of_bins(cplx w, cplx own, cplx mirror) {
  return swapped(scaled_plus(2, turned(w, own - mirror), own + mirror));
}

/* Column k of the first stage's butterfly at s.  Of the column where k and −k are both in memory the Hermitian part counts.
 * Of i·n₂ + j, cut in two, the negative is (n₁ − 1 − i)·n₂ + (n₂ − j), unless j is 0. */
template <bool EDGE> FG_DEVICE void read_column(const fg_tile_args &a, const line_place &own, const spot &s, cplx *v) {
  constexpr int R = stage<0>::R;
  const int j = shared_index(0, s), k = s.at[ROW], rest = FG_FOUR_STEP && j ? R - 1 : R;
  const long long step = in_stride(a, 0), beside = in_stride(a, 1), along = in_stride(a, ROW);
  const long long begin = own.in + j * beside, mirror = own.in + (j ? size_of(1) - j : 0) * beside;
  const cplx w = conjugate(half_root(a, k));
#pragma unroll
  for (int i = 0; i < R; i++) {
    const long long x = begin + i * step, y = mirror + (i == 0 && rest == R ? 0 : rest - i) * step;
    if constexpr (EDGE) {
      const cplx first = read_point(a, x) + conjugate(read_point(a, y));
      const cplx last = read_point(a, x + ROW_POINTS * along) + conjugate(read_point(a, y + ROW_POINTS * along));
      v[i] = point_of_bins(w, scale(real(0.5), first), scale(real(0.5), last));
    } else {
      v[i] = point_of_bins(w, read_point(a, x + k * along), conjugate(read_point(a, y + (ROW_POINTS - k) * along)));
    }
  }
}

FG_DEVICE void read_mirrored(const fg_tile_args &a, const line_place &own, const spot &s, cplx *v) {
  if (!s.exists) return;
  if (s.at[ROW] == 0) read_column<true>(a, own, s, v);
  else read_column<false>(a, own, s, v);
}

/* A row in the tile and that of its negative, and where both are in memory. */
struct two_rows {
  const cplx *own, *mirror;
  long long own_at, mirror_at;
  bool exists;
};
FG_DEVICE two_rows rows_at(const fg_tile_args &a, const cplx *tile, long long begin, int place, int k) {
  const int whole = first_in(LAST) + place, index = index_at(0, whole), negative = index ? size_of(0) - index : 0;
  const bool carried = FG_FOUR_STEP && index;
  const int mirror = (carried ? size_of(1) - 1 : k ? size_of(1) : 0) - k;
  spot s{}, t{};
  s.at[0] = place;
  s.at[1] = k;
  t.at[0] = place_of_index(0, negative) - first_in(LAST);
  t.at[1] = mirror;
  const long long out = out_stride(a, 0), beside = out_stride(a, 1);
  return {tile + tile_address<LAST, ROW>(s, 0), tile + tile_address<LAST, ROW>(t, 0), begin + index * out + k * beside,
          begin + negative * out + mirror * beside, has_index_at(0, whole)};
}

/* Half of a row's columns, and how many rows the threads store at a time: rather a part of the second dimension, or several
 * times that, so that only constants change from one time to the next. */
enum : int { COLUMNS = (ROW_POINTS + 1) / 2, BLOCK_ROWS = part_of(0) * size_of(1) };
FG_CONSTANT int rows_at_a_time() {
  if (COLUMNS > FG_THREADS) return 1;
  for (int rows = FG_THREADS / COLUMNS; 3 * rows * COLUMNS >= 2 * FG_THREADS; rows--)
    if (size_of(1) % rows == 0 || rows % size_of(1) == 0) return rows;
  return FG_THREADS / COLUMNS;
}
enum : int { AT_A_TIME = rows_at_a_time() };

/* The i-th row of those that this thread stores, where it begins with that one: its places. */
struct row_place {
  int first, second;
};
FG_DEVICE row_place row_of(int begin, int i) {
  constexpr int N = size_of(1), TIMES = N % AT_A_TIME == 0 ? N / AT_A_TIME : 1;
  if (TIMES > 1) return {i / TIMES, begin + i % TIMES * AT_A_TIME};
  const int row = begin + i * AT_A_TIME;
  return {row / N, AT_A_TIME % N == 0 ? begin % N : row % N};
}

/* Elements k of a row and n/2 − k of its negative's are made of the same two points. */
FG_DEVICE void store_two(const fg_tile_args &a, const two_rows &r, int k) {
  const long long along = out_stride(a, ROW);
  if (!r.exists) return;
  const cplx x = shared_load(r.own + k), y = conjugate(shared_load(r.mirror + (k ? ROW_POINTS - k : 0)));
  const cplx even = scale(real(0.5), x + y), odd = turned(half_root(a, k), y - x);
  write_point(a, r.own_at + k * along, even + odd);
  write_point(a, r.mirror_at + (ROW_POINTS - k) * along, conjugate(even - odd));
}

FG_DEVICE void store_mirrored(const fg_tile_args &a, const line_place &own, const cplx *tile) {
  constexpr int LAPS = (COLUMNS + FG_THREADS - 1) / FG_THREADS; /* of threads along a row */
  const int begin = int(threadIdx.x) / COLUMNS, column = int(threadIdx.x) % COLUMNS;
#pragma unroll
  for (int i = 0; i < (BLOCK_ROWS + AT_A_TIME - 1) / AT_A_TIME; i++) {
    if (begin >= AT_A_TIME || ((i + 1) * AT_A_TIME > BLOCK_ROWS && begin + i * AT_A_TIME >= BLOCK_ROWS)) break;
    const row_place at = row_of(begin, i);
    const two_rows r = rows_at(a, tile, own.out, at.first, at.second);
#pragma unroll
    for (int lap = 0; lap < LAPS; lap++)
      if (LAPS == 1 || column + lap * FG_THREADS < COLUMNS) store_two(a, r, column + lap * FG_THREADS);
  }
  constexpr int MIDDLE = ROW_POINTS / 2; /* of an even row, the conjugate of one point */
#pragma unroll
  for (int i = 0; i < (ROW_POINTS % 2 ? 0 : (BLOCK_ROWS + FG_THREADS - 1) / FG_THREADS); i++) {
    number u = {threadIdx.x, FG_THREADS};
    if ((i + 1) * FG_THREADS > BLOCK_ROWS && value_of(u, i) >= BLOCK_ROWS) break;
    const int k1 = next_digit(u, i, size_of(1));
    const two_rows r = rows_at(a, tile, own.out, value_of(u, i), k1);
    if (r.exists) write_point(a, r.own_at + MIDDLE * out_stride(a, ROW), conjugate(shared_load(r.mirror + MIDDLE)));
  }
}

#endif
