/* odd_row.h: a row of n = r·m real elements, r odd, as (r + 1)/2 of the r lines of length m that it is made of
 * (FG_ODD_ROW; src/pass/solver/odd_row.c).
 *
 * FG_ODD_ROW 1: reals are loaded.  The first stage's butterflies have r of them, elements b + i·m, and leave bins 0 …
 * r/2, the others being conjugates: points of positions k with k mod r ≤ r/2, of which the later stages' butterflies
 * have none or all.  2: reals are stored, the same backwards, the last stage's butterflies having r.  So all but that
 * stage is a transform of FG_N = (r + 1)/2·m points, whose k-th is point whole(k) of the row's.
 *
 * Of a stage's results, or inputs, those of the upper half are the conjugates of their mirrors' in memory; those of
 * positions that r divides have both halves here.  So there are gaps in memory between what the threads of a stage have:
 * rows that lie one behind the other go through the tile as they are, and those of some kinds in order (FG_IN_ROWS, FG_OUT_ROWS,
 * FG_ORDERED; rows.h). */
#ifndef FG_ODD_ROW_H
#define FG_ODD_ROW_H

#include "extended.h"
#include "rows.h"

static_assert(!FG_ODD_ROW || (FG_BACKWARD == (FG_ODD_ROW == 2) && REAL_RADIX * (FG_N / KEPT) == FG_DATA),
              "a row of reals to its spectrum, or back");
static_assert(!FG_ODD_ROW || ((!FG_IN_ROWS || radix_of(0) > 1) && (!FG_OUT_ROWS || radix_of(LAST) > 1)),
              "what goes through the tile needs no move");

static_assert(!FG_ODD_ROW || !FG_ORDERED || (FG_IN_ROWS && FG_OUT_ROWS), "what is in order is so in the tile");

/* ---- reals ---- */

template <int M> FG_DEVICE void load_odd_row(const pass_state &s, int line, int b, cplx *v) {
  if (!row_exists(s, line)) return;
  const fg_tile_args &a = s.args;
  const line_place p = place(s, line);
  const long long stride = FG_IN_UNIT ? 1 : a.in, first = p.in + b * stride, step = M * stride;
  const long long row = p.in - (FG_LOAD_WHOLE ? 0 : load_distance(a, position(p.load)));
  pack_reals(v, [&](int i) {
    if (FG_IN_ROWS) return shared_load(real_row(s, line) + b + i * M);
    if (FG_FROM_FORM == FG_FORM_REAL) return read_number(a.in_re, first + i * step);
    const int e = b + i * M;
    return load_real(a, row, FG_LOAD_WHOLE ? e : position(p.load + e * a.load_weight));
  });
}

template <int M> FG_DEVICE void store_odd_row(const pass_state &s, int line, int b, const cplx *v) {
  if (!row_exists(s, line)) return;
  const fg_tile_args &a = s.args;
  const line_place p = place(s, line);
  const long long stride = FG_OUT_UNIT ? 1 : a.out, first = p.out + b * stride, step = M * stride;
  const long long row = p.out - (FG_STORE_WHOLE ? 0 : store_distance(a, position(p.store)));
  unpack_reals(v, [&](int i, real x) {
    const int e = b + i * M;
    if (FG_OUT_ROWS) shared_store(real_row(s, line) + e, x);
    else if (FG_TO_FORM == FG_FORM_REAL) write_number(a.out_re, first + i * step, x);
    else store_real(a, row, FG_STORE_WHOLE ? e : position(p.store + e * a.store_weight), x);
  });
}

/* ---- spectra ---- */

/* Point j of a butterfly's R: a position, and whether that is in the lower half; j says so of all but the one in the
 * middle. */
template <int R> struct odd_bin {
  long long k;
  bool low;
  FG_DEVICE odd_bin of(long long first, int j) {
    const long long k = first + j * (FG_DATA / R);
    const bool low = 2 * j + 2 <= R || (2 * j < R && 2 * k < FG_DATA);
    return {low ? k : FG_DATA - k, low};
  }
};

template <int R> FG_DEVICE void load_odd_bins(const pass_state &s, int line, int b, cplx *v) {
  const long long row = place(s, existing_row(s, line, 0)).in, first = whole(b);
#pragma unroll
  for (int j = 0; j < R; j++) {
    const long long k = odd_bin<R>::of(first, j).k;
    v[j] = FG_IN_ROWS ? shared_load(bin_row(s, line) + k) : fetch_spectrum(s.args, row, k, j == 0);
  }
#pragma unroll
  for (int j = 0; j < R; j++) {
    const odd_bin<R> at = odd_bin<R>::of(first, j);
    const cplx x = FG_ORDERED ? v[j] : spectrum_point(s.args, at.k, v[j], j == 0 && at.k == 0); /* which has no factors */
    v[j] = as_loaded({x.x, at.low ? x.y : -x.y});
  }
}

template <int R> FG_DEVICE void store_odd_bins(const pass_state &s, int line, int b, const cplx *v) {
  if (!row_exists(s, line)) return;
  const line_place p = place(s, line);
  const bool both = b % KEPT == 0;
#pragma unroll
  for (int j = 0; j < R; j++) {
    const odd_bin<R> at = odd_bin<R>::of(whole(b), j);
    if (!at.low && both) continue;
    const cplx x = {v[j].x, at.low ? v[j].y : -v[j].y};
    if (FG_OUT_ROWS) shared_store(bin_row(s, line) + at.k, j == 0 && at.k == 0 ? cplx{x.x, 0} : x);
    else store_element(s, p, at.k, x, j == 0 && at.k == 0);
  }
}

#endif
