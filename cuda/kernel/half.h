/* half.h: rows of n real elements as n/2 complex points z[k] = x[2k] + i·x[2k + 1]: what half_row.h and box.cu share.
 *
 * Bins k and n/2 − k of a row and the points of the same numbers make each other, w = exp(−2πi·k/n):
 *   bins:    X[k] = (Z[k] + conj Z[n/2 − k])/2 − i·w·(Z[k] − conj Z[n/2 − k])/2
 *   points:  Z[k] = X[k] + conj X[n/2 − k] + i·conj w·(X[k] − conj X[n/2 − k])   (twice the inverse)
 * (Cooley, Lewis, Welch, The fast Fourier transform algorithm: programming considerations in the calculation of sine,
 * cosine and Laplace transforms, J. Sound Vib. 12, 1970.) */
#ifndef FG_HALF_H
#define FG_HALF_H

#include "args.h"
#include "complex.h"

/* w/2. */
FG_DEVICE cplx half_root(const fg_tile_args &a, long long k) {
  return table_load(static_cast<const cplx *>(a.half_row_table) + k);
}

/* i·w·d */
FG_DEVICE cplx turned(cplx w, cplx d) {
  return {fused(-w.x, d.y, -(w.y * d.x)), fused(w.x, d.x, -(w.y * d.y))};
}

/* c·x + y */
FG_DEVICE cplx scaled_plus(real c, cplx x, cplx y) { return {fused(c, x.x, y.x), fused(c, x.y, y.y)}; }

#endif
