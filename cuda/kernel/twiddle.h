/* twiddle.h: the factors between the passes of a transform that is split over several. */
#ifndef FG_TWIDDLE_H
#define FG_TWIDDLE_H

#include "args.h"
#include "complex.h"

/* exp(−2πi·index·k/N'), or its conjugate, from the two tables of high and low parts of the exponent, or, of a short one, from
 * one of all. */
FG_DEVICE cplx twiddle_factor(const fg_tile_args &a, long long index, int k) {
  const unsigned m = unsigned(index) * unsigned(k);
  const cplx *const high = static_cast<const cplx *>(a.high), *const low = static_cast<const cplx *>(a.low);
  const cplx w = FG_TWIDDLE_SHORT ? table_load(high + m) : table_load(high + (m >> a.shift)) * table_load(low + (m & a.mask));
  return FG_TWIDDLE_BACK ? conjugate(w) : w;
}

/* v times that. */
FG_DEVICE cplx twiddled(const fg_tile_args &a, long long index, int k, cplx v) { return v * twiddle_factor(a, index, k); }

/* Each v[j] times its factor, for k = first + j·step: between multiples of FEW factors are products of three, not looked up,
 * which takes the longer the further apart neighbouring threads' are.  FROM_FIRST: of two, those of multiples of FEW being
 * looked up with first's part, which is more accurate (strips, in clusters, take up to 3 % longer so). */
template <int R, bool FROM_FIRST = false>
FG_DEVICE void twiddle_all(const fg_tile_args &a, long long index, int first, int step, cplx *v) {
  constexpr int FEW = R < 8 ? R : 4;
  cplx low[FEW];
  const cplx base = FROM_FIRST ? cplx{1, 0} : twiddle_factor(a, index, first);
#pragma unroll
  for (int j = 1; j < FEW; j++) low[j] = twiddle_factor(a, index, j * step);
#pragma unroll
  for (int j = 0; j < R; j += FEW) {
    const cplx high = FROM_FIRST ? twiddle_factor(a, index, first + j * step)
                      : j == 0  ? base
                                : base * twiddle_factor(a, index, j * step);
    v[j] = v[j] * high;
#pragma unroll
    for (int i = 1; i < FEW; i++)
      if (j + i < R) v[j + i] = v[j + i] * (high * low[i]);
  }
}

#endif
