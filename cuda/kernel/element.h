/* element.h: one complex element of an array in global memory, interleaved or of two planes. */
#ifndef FG_ELEMENT_H
#define FG_ELEMENT_H

#include "args.h"
#include "complex.h"

FG_DEVICE cplx read_point(const fg_tile_args &a, long long at) {
  if (FG_IN_SPLIT)
    return {global_load(static_cast<const real *>(a.in_re) + at), global_load(static_cast<const real *>(a.in_im) + at)};
  return global_load(static_cast<const cplx *>(a.in_re) + at);
}

FG_DEVICE void write_point(const fg_tile_args &a, long long at, cplx v) {
  if (FG_OUT_SPLIT) {
    global_store(static_cast<real *>(a.out_re) + at, v.x);
    global_store(static_cast<real *>(a.out_im) + at, v.y);
  } else {
    global_store(static_cast<cplx *>(a.out_re) + at, v);
  }
}

#endif
