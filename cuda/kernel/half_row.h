/* half_row.h: a row of n real elements as a line of FG_DATA = n/2 points of its own (FG_HALF_ROW; half.h).
 *
 * Bins 0 and n/2 are both of point 0, bin n/4, if there is one, of its own point.  A thread has both points (mirror.h); those
 * of a convolution, which has FG_N points, are in the tile (through.h).
 *
 * Elements 2k and 2k + 1 are those of the form's order.  Where they are neighbours in memory they are one access; in
 * Makhoul's order they are loaded and stored by fours where that can be (folded.h). */
#ifndef FG_HALF_ROW_H
#define FG_HALF_ROW_H

#include "extended.h"

/* ---- spectra ---- */

FG_DEVICE void put_together(const fg_tile_args &a, long long k, cplx &x, cplx &mirror) {
  const cplx sum = x + conjugate(mirror), t = turned(conjugate(half_root(a, k)), x - conjugate(mirror));
  x = scaled_plus(2, t, sum);
  mirror = conjugate(scaled_plus(-2, t, sum));
}

template <class T>
FG_DEVICE void fetch_bins(const pass_state &s, long long row, long long u, long long m, mirrored_points<T> &x) {
#pragma unroll
  for (int j = 0; j < x.LOW; j++) {
    x.low[j] = fetch_spectrum(s.args, row, u + j * T::M, j == 0);
    x.low_mirror[j] = fetch_spectrum(s.args, row, FG_N - u - j * T::M, false);
  }
#pragma unroll
  for (int j = 0; j < x.HIGH; j++) {
    x.high[j] = fetch_spectrum(s.args, row, m + j * T::M, false);
    x.high_mirror[j] = fetch_spectrum(s.args, row, FG_N - m - j * T::M, false);
  }
  x.middle = {0, 0};
  if (FG_N % 2 == 0 && u == 0) x.middle = fetch_spectrum(s.args, row, FG_N / 2, false);
}

template <class T> FG_DEVICE void join_bins(const pass_state &s, long long u, long long m, mirrored_points<T> &x) {
  const fg_tile_args &a = s.args;
#pragma unroll
  for (int j = 0; j < x.LOW; j++) {
    const long long k = u + j * T::M;
    x.low[j] = spectrum_point(a, k, x.low[j], j == 0 && u == 0);
    x.low_mirror[j] = spectrum_point(a, FG_N - k, x.low_mirror[j], j == 0 && u == 0);
    put_together(a, k, x.low[j], x.low_mirror[j]);
  }
#pragma unroll
  for (int j = 0; j < x.HIGH; j++) {
    const long long k = m + j * T::M;
    x.high[j] = spectrum_point(a, k, x.high[j], false);
    x.high_mirror[j] = spectrum_point(a, FG_N - k, x.high_mirror[j], false);
    put_together(a, k, x.high[j], x.high_mirror[j]);
  }
  x.middle = scale(2, conjugate(spectrum_point(a, FG_N / 2, x.middle, false)));
}

template <class T> FG_DEVICE void load_half_row_bins(const pass_state &s, cplx *v) {
#pragma unroll
  for (int i = 0; i < T::REPEATS; i += T::TOGETHER) {
    const spot at = T::locate(i);
    const int u = at.exists ? at.b : 0, m = u ? T::M - u : T::M / 2, line = at.exists ? at.line : 0;
    mirrored_points<T> x;
    fetch_bins<T>(s, place(s, existing_row(s, line, 0)).in, u, m, x);
    join_bins<T>(s, u, m, x);
    deal_out<T>(u == 0, x, v + i * T::R);
  }
}

/* Of a line of the tile, or of row p. */
FG_DEVICE void store_bin(const pass_state &s, int line, const line_place &p, long long k, cplx v, bool edge) {
  if (FG_OUT_ROWS) put_bin(s, line, k, v, edge);
  else store_element(s, p, k, v, edge);
}

/* Both bins that a point and its mirror make. */
FG_DEVICE void store_bins(const pass_state &s, int line, const line_place &p, long long k, cplx z, cplx mirror,
                          bool edge) {
  const cplx sum = z + conjugate(mirror), t = turned(half_root(s.args, k), conjugate(mirror) - z);
  store_bin(s, line, p, k, scaled_plus(real(0.5), sum, t), edge);
  store_bin(s, line, p, FG_DATA - k, conjugate(scaled_plus(real(0.5), sum, scale(-1, t))), edge);
}

template <class T> FG_DEVICE void store_half_row_bins(const pass_state &s, const cplx *v) {
  if (FG_OUT_ROWS) __syncthreads(); /* the tile is still being read */
#pragma unroll
  for (int i = 0; i < T::REPEATS; i += T::TOGETHER) {
    const spot at = T::locate(i);
    if (!at.exists || !row_exists(s, at.line)) continue;
    const line_place p = place(s, at.line);
    for_mirrored<T>(at.b, v + i * T::R, [&](long long k, cplx z, cplx mirror, bool edge) {
      store_bins(s, at.line, p, k, z, mirror, edge);
    });
    if constexpr (FG_N % 2 == 0)
      if (at.b == 0) store_bin(s, at.line, p, FG_N / 2, conjugate(middle_of<T>(v + i * T::R)), false);
  }
  if (FG_OUT_ROWS) store_rows(s);
}

/* ---- two elements of any order ---- */

/* Points k, k + dk, … of a row. */
template <int R> FG_DEVICE void load_half_row(const pass_state &s, int line, int k, int dk, cplx *v) {
  if (!row_exists(s, line)) return;
  const fg_tile_args &a = s.args;
  const line_place p = place(s, line);
  const long long stride = FG_IN_UNIT ? 1 : a.in, first = p.in + 2 * k * stride, step = 2 * dk * stride;
  const long long row = p.in - (FG_LOAD_WHOLE ? 0 : load_distance(a, position(p.load)));
#pragma unroll
  for (int j = 0; j < R; j++) {
    const long long at = first + j * step;
    const int e = 2 * (k + j * dk);
    if (CHIRP && e >= 2 * FG_DATA) continue;
    if (FG_IN_TWOS) {
      v[j] = read_two(a.in_re, at);
    } else if (FG_FROM_FORM == FG_FORM_REAL) {
      v[j] = {read_number(a.in_re, at), read_number(a.in_re, at + stride)};
    } else {
      const position x = FG_LOAD_WHOLE ? e : position(p.load + e * a.load_weight);
      const position y = FG_LOAD_WHOLE ? e + 1 : position(p.load + (e + 1) * a.load_weight);
      v[j] = {load_real(a, row, x), load_real(a, row, y)};
    }
    if (CHIRP) v[j] = v[j] * table_load(static_cast<const cplx *>(a.load_table) + k + j * dk);
    if (FG_BACKWARD) v[j] = swapped(v[j]);
  }
}

template <int R> FG_DEVICE void store_half_row(const pass_state &s, int line, int k, int dk, const cplx *v) {
  if (!row_exists(s, line)) return;
  const fg_tile_args &a = s.args;
  const line_place p = place(s, line);
  const long long stride = FG_OUT_UNIT ? 1 : a.out, first = p.out + 2 * k * stride, step = 2 * dk * stride;
  const long long row = p.out - (FG_STORE_WHOLE ? 0 : store_distance(a, position(p.store)));
#pragma unroll
  for (int j = 0; j < R; j++) {
    const long long at = first + j * step;
    const int e = 2 * (k + j * dk);
    if (CHIRP && e >= 2 * FG_DATA) continue;
    const cplx x = CHIRP ? v[j] * table_load(static_cast<const cplx *>(a.store_table) + k + j * dk) : v[j];
    const cplx z = FG_BACKWARD ? swapped(x) : x;
    if (FG_OUT_TWOS) {
      write_two(a.out_re, at, z);
    } else if (FG_TO_FORM == FG_FORM_REAL) {
      write_number(a.out_re, at, z.x);
      write_number(a.out_re, at + stride, z.y);
    } else {
      store_real(a, row, FG_STORE_WHOLE ? e : position(p.store + e * a.store_weight), z.x);
      store_real(a, row, FG_STORE_WHOLE ? e + 1 : position(p.store + (e + 1) * a.store_weight), z.y);
    }
  }
}

#endif
