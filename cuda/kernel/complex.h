/* complex.h: complex arithmetic in the precision of the pass (FG_REAL is float or double). */
#ifndef FG_COMPLEX_H
#define FG_COMPLEX_H

#include "memory.h"

typedef FG_REAL real;

/* Aligned so that one complex number is one load or store. */
struct alignas(2 * sizeof(real)) cplx {
  real x, y;
};

/* x·y + z, rounded once, whatever the compiler does otherwise. */
FG_DEVICE real fused(real x, real y, real z) {
#ifdef FG_SIM
  return sizeof(real) == 4 ? __builtin_fmaf(x, y, z) : __builtin_fma(x, y, z);
#else
  return sizeof(real) == 4 ? fmaf(x, y, z) : fma(x, y, z);
#endif
}

FG_DEVICE cplx operator+(cplx a, cplx b) { return {a.x + b.x, a.y + b.y}; }
FG_DEVICE cplx operator-(cplx a, cplx b) { return {a.x - b.x, a.y - b.y}; }
FG_DEVICE cplx operator*(cplx a, cplx b) { return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }
FG_DEVICE cplx scale(real s, cplx a) { return {s * a.x, s * a.y}; }
FG_DEVICE cplx conjugate(cplx a) { return {a.x, -a.y}; }

/* −i·a: a quarter turn in the forward direction. */
FG_DEVICE cplx quarter(cplx a) { return {a.y, -a.x}; }

/* Real and imaginary part exchanged: turns a forward transform into a backward one when done before and after it. */
FG_DEVICE cplx swapped(cplx a) { return {a.y, a.x}; }

/* Table entries are read-only for the whole launch: the non-coherent path. */
FG_DEVICE cplx table_load(const cplx *p) {
  FG_SEE_TABLE(p);
#ifdef FG_SIM
  return *p;
#else
  if constexpr (sizeof(real) == 4) {
    const float2 v = __ldg(reinterpret_cast<const float2 *>(p));
    return {real(v.x), real(v.y)};
  } else {
    const double2 v = __ldg(reinterpret_cast<const double2 *>(p));
    return {real(v.x), real(v.y)};
  }
#endif
}

/* Neighbouring entries that are wanted together. */
struct alignas(4 * sizeof(real)) four_reals {
  real of[4];
};
FG_DEVICE four_reals table_load(const four_reals *p) {
  FG_SEE_TABLE(p);
#ifdef FG_SIM
  return *p;
#else
  if constexpr (sizeof(real) == 4) {
    const float4 v = __ldg(reinterpret_cast<const float4 *>(p));
    return {{real(v.x), real(v.y), real(v.z), real(v.w)}};
  } else {
    const double2 *const two = reinterpret_cast<const double2 *>(p);
    const double2 v = __ldg(two), w = __ldg(two + 1);
    return {{real(v.x), real(v.y), real(w.x), real(w.y)}};
  }
#endif
}

FG_DEVICE int table_load(const int *p) {
  FG_SEE_TABLE(p);
#ifdef FG_SIM
  return *p;
#else
  return __ldg(p);
#endif
}

#endif
