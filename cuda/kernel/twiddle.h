/* twiddle.h: the factors between the passes of a transform that is split over several. */
#ifndef FG_TWIDDLE_H
#define FG_TWIDDLE_H

#include "args.h"
#include "complex.h"

/* v·exp(−2πi·index·k/N'), or its conjugate, from the two tables of high and low parts of the exponent, or, of a
 * short one, from one of all. */
FG_DEVICE cplx twiddled(const fg_tile_args &a, long long index, int k, cplx v) {
  const unsigned m = unsigned(index) * unsigned(k);
  const cplx *const high = static_cast<const cplx *>(a.high), *const low = static_cast<const cplx *>(a.low);
  const cplx w = FG_TWIDDLE_SHORT ? table_load(high + m) : table_load(high + (m >> a.shift)) * table_load(low + (m & a.mask));
  return v * (FG_TWIDDLE_BACK ? conjugate(w) : w);
}

#endif
