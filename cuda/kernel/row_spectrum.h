/* row_spectrum.h: the half spectrum of a row that is cut in two and shared by the blocks of a cluster (box.cu): straight from
 * memory into the first stage, and from the tile to memory.
 *
 * The row is n/2 = n₁n₂ points (half.h).  A block has the mirrors of its points, as in mirrored_rows.h. */
#ifndef FG_ROW_SPECTRUM_H
#define FG_ROW_SPECTRUM_H

#include "mirrored_rows.h"

/* The first stage's butterfly at s: bins i·n₂ + j.  Of the first and the last, X[0] and X[n/2], the real part counts.
 * Between multiples of FEW roots are products of two, as in four_step.h. */
FG_DEVICE void read_row(const fg_tile_args &a, const line_place &own, const spot &s, cplx *v) {
  constexpr int R = stage<0>::R, FEW = R < 8 ? 1 : 4;
  if (!s.exists) return;
  const int j = shared_index(0, s);
  cplx low[FEW], high;
#pragma unroll
  for (int i = 1; i < FEW; i++) low[i] = scale(2, half_root(a, i * size_of(1)));
#pragma unroll
  for (int i = 0; i < R; i++) {
    const int k = i * size_of(1) + j;
    cplx x = read_point(a, own.in + k), y = conjugate(read_point(a, own.in + FG_TOTAL - k));
    if (i == 0 && j == 0) x.y = y.y = 0;
    if (i % FEW == 0) high = half_root(a, k);
    v[i] = point_of_bins(conjugate(i % FEW ? high * low[i % FEW] : high), x, y);
  }
}

/* Bin k = k₁ + n₁k₂ of point k and its mirror; with bin 0 goes bin n/2. */
FG_DEVICE void store_row(const fg_tile_args &a, const line_place &own, const cplx *tile) {
  constexpr int PART = part_of(0), ALL = PART * size_of(1);
#pragma unroll
  for (int i = 0; i < (ALL + FG_THREADS - 1) / FG_THREADS; i++) {
    number u = {threadIdx.x, FG_THREADS};
    if ((i + 1) * FG_THREADS > ALL && value_of(u, i) >= ALL) break;
    spot s{}, t{};
    s.at[0] = next_digit(u, i, PART);
    s.at[1] = value_of(u, i);
    const int place = first_in(LAST) + s.at[0], index = index_at(0, place);
    if (!has_index_at(0, place)) continue;
    t.at[0] = place_of_index(0, index ? size_of(0) - index : 0) - first_in(LAST);
    t.at[1] = (index ? size_of(1) - 1 : s.at[1] ? size_of(1) : 0) - s.at[1];
    const int k = index + size_of(0) * s.at[1];
    const cplx x = shared_load(tile + tile_address<LAST, ROW>(s, s.at[1]));
    const cplx y = conjugate(shared_load(tile + tile_address<LAST, ROW>(t, t.at[1])));
    const cplx even = scale(real(0.5), x + y), odd = turned(half_root(a, k), y - x);
    write_point(a, own.out + k, even + odd);
    if (k == 0) write_point(a, own.out + FG_TOTAL, conjugate(even - odd));
  }
}

#endif
