/* through.h: lines that are loaded and stored through the tile, in the order of memory.
 *
 * Pairs of spectra (pairs.h), and the halves of one (half_row.h) of a convolution, are put together and taken apart there.
 * A line of prime length (FG_RADER) is permuted there: what stages read as their k-th input is point g^q(k), where they
 * store their k-th result, the convolution's −q-th (src/pass/residues.h).  A line of FG_PARTS times a prime is as many lines
 * of the tile, transformed across first: a two-dimensional transform, since both are coprime (Good 1958). */
#ifndef FG_THROUGH_H
#define FG_THROUGH_H

#include "pairs.h"

enum : bool { HALVES_IN = FG_HALF_ROW && FG_CONVOLVE && loads_hermitian(FG_FROM_FORM) };
enum : bool { HALVES_OUT = FG_HALF_ROW && FG_CONVOLVE && !HALVES_IN };
static_assert((!HALVES_IN || FG_LOAD_WHOLE) && (!HALVES_OUT || FG_STORE_WHOLE), "a spectrum is that of the line");
enum : bool { LOAD_THROUGH = FG_RADER || HALVES_IN || (SPECTRA_IN && FG_MIRROR != 1) };
enum : bool { STORE_THROUGH = FG_RADER || HALVES_OUT || (SPLIT_SPECTRA && FG_MIRROR != 2) };

/* ---- spectra ---- */

/* The last row stands in for rows that do not exist: no branch around a load. */
FG_DEVICE cplx fetch_spectrum_point(const pass_state &s, int row, int k) {
  const line_number rows = end_of_rows(s.args) - s.first;
  const line_place p = place(s, line_number(row) < rows ? row : int(rows) - 1);
  return fetch_spectrum(s.args, p.in, k, true);
}

FG_DEVICE void put_element(const pass_state &s, int line, int e, cplx v) {
  shared_store(s.tile + input_at(line, e), FG_BACKWARD ? swapped(v) : v);
}

/* x + i·y and its mirror. */
FG_DEVICE void put_pair(const pass_state &s, const spot &at, cplx x, cplx y) {
  const int mirror = FG_DATA - at.b;
  put_element(s, at.line, at.b, cplx{x.x - y.y, x.y + y.x});
  if (at.b > 0 && mirror != at.b) put_element(s, at.line, mirror, cplx{x.x + y.y, y.x - x.y});
}

/* Bins k and n/2 − k of a row as points of these numbers. */
FG_DEVICE void put_halves(const pass_state &s, int line, int k, cplx low, cplx high) {
  const int mirror = FG_DATA - k;
  low = spectrum_point(s.args, k, low, k == 0);
  high = spectrum_point(s.args, mirror, high, k == 0);
  put_together(s.args, k, low, high);
  put_element(s, line, k, low);
  if (k > 0 && mirror != k) put_element(s, line, mirror, high);
}

/* Two spectra into the tile as one, or the halves of one.  All loads are under way before the first store, which the
 * compiler would not let them pass. */
FG_DEVICE void load_spectra(const pass_state &s) {
  cplx x[MOVES<HALF>], y[MOVES<HALF>];
#pragma unroll
  for (int i = 0; i < MOVES<HALF>; i++) {
    const spot at = moved<HALF>(i, FG_LOAD_COLUMN);
    const int line = at.exists ? at.line : 0, k = at.exists ? at.b : 0;
    x[i] = fetch_spectrum_point(s, line, k);
    y[i] = fetch_spectrum_point(s, HALVES_IN ? line : line + WHOLE, HALVES_IN ? FG_DATA - k : k);
  }
#pragma unroll
  for (int i = 0; i < MOVES<HALF>; i++) {
    const spot at = moved<HALF>(i, FG_LOAD_COLUMN);
    if (!at.exists) continue;
    if constexpr (HALVES_IN) {
      put_halves(s, at.line, at.b, x[i], y[i]);
      continue;
    }
    const cplx second = row_exists(s, at.line + WHOLE) ? spectrum_point(s.args, at.b, y[i], is_edge(at.b)) : cplx{0, 0};
    put_pair(s, at, spectrum_point(s.args, at.b, x[i], is_edge(at.b)), second);
  }
}

FG_DEVICE void store_spectrum_point(const pass_state &s, int row, int k, cplx v) {
  if (!row_exists(s, row)) return;
  const line_place p = place(s, row);
  if (FG_TWIDDLE) v = twiddled(s.args, p.twiddle, k, v);
  put_point(s.args, store_run(s, p, k, 0), 0, v);
}

/* Elements k of two rows, of a result and its mirror. */
FG_DEVICE void store_pair(const pass_state &s, int line, int k, cplx z, cplx m) {
  const real half = real(0.5);
  store_spectrum_point(s, line, k, {half * (z.x + m.x), half * (z.y - m.y)});
  store_spectrum_point(s, line + WHOLE, k, {half * (z.y + m.y), half * (m.x - z.x)});
}

/* Bins k and n/2 − k of a row; the middle one is its own mirror. */
FG_DEVICE void store_halves(const pass_state &s, int line, int k, cplx z, cplx m) {
  const line_place p = place(s, line);
  if (2 * k == FG_DATA) store_bin(s, line, p, k, conjugate(z), false);
  else store_bins(s, line, p, k, z, m, k == 0);
}

/* Two spectra out of one, or the halves of one. */
FG_DEVICE void store_spectra(const pass_state &s) {
#pragma unroll 4
  for (int i = 0; i < MOVES<HALF>; i++) {
    const spot at = moved<HALF>(i, FG_STORE_COLUMN);
    if (!at.exists || (HALVES_OUT && !row_exists(s, at.line))) continue;
    const cplx z = shared_load(s.tile + output_at(at.line, at.b));
    const cplx m = shared_load(s.tile + output_at(at.line, at.b ? FG_DATA - at.b : 0));
    if constexpr (HALVES_OUT) store_halves(s, at.line, at.b, z, m);
    else store_pair(s, at.line, at.b, z, m);
  }
}

/* ---- whole lines ---- */

FG_CONSTANT unsigned sum_modulo(unsigned a, unsigned b, unsigned n) { return a + b < n ? a + b : a + b - n; }

/* Where this thread's elements lie in the tile, one after the other (moved, in points.h), PART and POINT being PART_IN and
 * POINT_IN, or those of the output: each part and point by an addition to the one before, not by divisions. */
template <bool COLUMN, unsigned PART, unsigned POINT> struct walk {
  enum : bool { STEADY = !COLUMN || FG_THREADS % WHOLE == 0 }; /* elements are a constant apart */
  enum : unsigned { STEP = COLUMN ? FG_THREADS / WHOLE : FG_THREADS };
  int u = threadIdx.x;
  unsigned part = element(u) * PART % FG_PARTS, point = element(u) * POINT % PRIME;

  FG_DEVICE unsigned element(unsigned u) { return COLUMN ? u / WHOLE : u; } /* of the first line, or of the block's */
  FG_DEVICE unsigned line(unsigned u) { return WHOLE == 1 ? 0 : COLUMN ? u % WHOLE : u / FG_DATA; }

  __device__ __forceinline__ int place() const {
    if (FG_PARTS == 1) return u; /* whole lines only */
    return STEADY ? part_at(line(u), part, point)
                  : part_at(line(u), element(u) * PART % FG_PARTS, element(u) * POINT % PRIME);
  }
  __device__ __forceinline__ void go_on() {
    u += FG_THREADS;
    part = sum_modulo(part, STEP * PART % FG_PARTS, FG_PARTS);
    point = sum_modulo(point, STEP * POINT % PRIME, PRIME);
  }
};

/* move(points): all blocks but the last are full, which saves a test and an address for each point. */
template <class F> FG_DEVICE void move_whole_lines(const pass_state &s, F move) {
  const int points = dense_points(s);
  if (points == DENSE_POINTS) move(DENSE_POINTS);
  else move(points);
}

FG_DEVICE void load_whole_lines(const pass_state &s) {
  move_whole_lines(s, [&](int points) __attribute__((always_inline)) {
    cplx x[MOVES<FG_DATA>];
    fetch_dense<MOVES<FG_DATA>>(s, points, x);
    walk<false, PART_IN, POINT_IN> w;
#pragma unroll
    for (int i = 0; i < MOVES<FG_DATA>; i++, w.go_on())
      if (w.u < DENSE_POINTS) shared_store(s.tile + w.place(), x[i]);
  });
}

/* Several loads from the tile are under way before the stores that wait for them. */
FG_DEVICE void store_whole_lines(const pass_state &s) {
  constexpr int BATCH = 8;
  move_whole_lines(s, [&](int points) __attribute__((always_inline)) {
    const long long at = static_cast<long long>(s.first) * FG_DATA + threadIdx.x;
    walk<false, PART_OUT, POINT_OUT> w;
#pragma unroll
    for (int begin = 0; begin < MOVES<FG_DATA>; begin += BATCH) {
      const int first = w.u;
      cplx x[BATCH];
#pragma unroll
      for (int i = 0; i < BATCH && begin + i < MOVES<FG_DATA>; i++, w.go_on())
        if (w.u < points) x[i] = shared_load(s.tile + w.place());
#pragma unroll
      for (int i = 0; i < BATCH && begin + i < MOVES<FG_DATA>; i++)
        if (first + i * FG_THREADS < points) put_dense_point(s, at + (begin + i) * FG_THREADS, x[i]);
    }
  });
}

FG_DEVICE void load_elements(const pass_state &s) {
  cplx x[MOVES<FG_DATA>];
#pragma unroll
  for (int i = 0; i < MOVES<FG_DATA>; i++) {
    const spot at = moved<FG_DATA>(i, FG_LOAD_COLUMN);
    x[i] = {0, 0};
    if (!at.exists) continue;
    if constexpr (FG_PAIRS) load_real_pair<1>(s, at.line, at.b, 1, x + i);
    else if constexpr (FG_HALF_ROW) load_half_row<1>(s, at.line, at.b, 1, x + i);
    else load_butterfly<1>(s, at.line, at.b, 1, x + i);
  }
  walk<FG_LOAD_COLUMN, PART_IN, POINT_IN> w;
#pragma unroll
  for (int i = 0; i < MOVES<FG_DATA>; i++, w.go_on()) {
    const spot at = moved<FG_DATA>(i, FG_LOAD_COLUMN);
    if (at.exists) shared_store(s.tile + (FG_PARTS > 1 ? w.place() : input_at(at.line, at.b)), x[i]);
  }
}

FG_DEVICE void store_elements(const pass_state &s) {
  walk<FG_STORE_COLUMN, PART_OUT, POINT_OUT> w;
#pragma unroll 4
  for (int i = 0; i < MOVES<FG_DATA>; i++, w.go_on()) {
    const spot at = moved<FG_DATA>(i, FG_STORE_COLUMN);
    if (!at.exists) continue;
    const cplx x = shared_load(s.tile + (FG_PARTS > 1 ? w.place() : output_at(at.line, at.b)));
    if constexpr (FG_PAIRS) store_real_pair<1>(s, at.line, at.b, 1, &x);
    else if constexpr (FG_HALF_ROW) store_half_row<1>(s, at.line, at.b, 1, &x);
    else store_butterfly<1>(s, at.line, at.b, 1, &x);
  }
}

/* ---- between tile and registers ---- */

FG_DEVICE int place_of_power(const pass_state &s, int line, int k) {
  return prime_at(line, table_load(s.args.order + k));
}

/* What the first stage reads. */
FG_DEVICE void read_first(const pass_state &s, cplx *v) {
  using T = stage<0>;
#pragma unroll
  for (int i = 0; i < T::REPEATS; i++) {
    const spot at = T::locate(i);
#pragma unroll
    for (int j = 0; j < T::R; j++) {
      const int k = at.b + j * T::M;
      cplx x = {0, 0};
      if (at.exists && (!CHIRP || k < FG_DATA)) {
        x = shared_load(s.tile + (FG_RADER ? place_of_power(s, at.line, k) : stage_at(at.line, k)));
        if (CHIRP) x = x * table_load(static_cast<const cplx *>(s.args.load_table) + k);
      }
      v[i * T::R + j] = x;
    }
  }
}

/* What the last stage leaves. */
FG_DEVICE void write_last(const pass_state &s, cplx *v) {
  using T = stage<LAST>;
#pragma unroll
  for (int i = 0; (CHIRP || FG_RADER) && i < T::REPEATS; i++) {
    const spot at = T::locate(i);
#pragma unroll
    for (int j = 0; j < T::R; j++) {
      const int k = at.b + j * T::M;
      cplx &x = v[i * T::R + j];
      if (FG_RADER && at.exists) shared_store(s.tile + place_of_power(s, at.line, k), x);
      if (CHIRP && at.exists && k < FG_DATA) x = x * table_load(static_cast<const cplx *>(s.args.store_table) + k);
    }
  }
  if (!FG_RADER) exchange_write<LAST>(v, s.tile);
}

/* Across the parts of each line, in place. */
FG_DEVICE void transform_parts(const pass_state &s) {
#pragma unroll 1
  for (int u = threadIdx.x; u < WHOLE * PRIME; u += FG_THREADS) {
    cplx *const first = s.tile + part_at(u / PRIME, 0, u % PRIME);
    constexpr int NEXT = WHOLE * PITCH;
    cplx v[FG_PARTS];
#pragma unroll
    for (int j = 0; j < FG_PARTS; j++) v[j] = shared_load(first + j * NEXT);
    butterfly<FG_PARTS>::apply(v);
#pragma unroll
    for (int j = 0; j < FG_PARTS; j++) shared_store(first + j * NEXT, v[j]);
  }
}

FG_DEVICE void load_tile(const pass_state &s) {
  if constexpr (SPECTRA_IN || HALVES_IN) load_spectra(s);
  else if constexpr (FG_IN_DENSE) load_whole_lines(s);
  else load_elements(s);
  __syncthreads();
  if constexpr (FG_PARTS > 1) {
    transform_parts(s);
    __syncthreads();
  }
}

FG_DEVICE void store_tile(const pass_state &s) {
  __syncthreads();
  if constexpr (SPLIT_SPECTRA || HALVES_OUT) store_spectra(s);
  else if constexpr (FG_OUT_DENSE) store_whole_lines(s);
  else store_elements(s);
}

FG_DEVICE void load_through(const pass_state &s, cplx *v) {
  load_tile(s);
  read_first(s, v);
}

FG_DEVICE void store_through(const pass_state &s, cplx *v) {
  if (LAST > 0) __syncthreads(); /* the tile is still being read */
  write_last(s, v);
  store_tile(s);
}

#endif
