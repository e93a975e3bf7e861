/* element.h: one element of an array in global memory: complex, interleaved or of two planes, or real.
 *
 * FG_IN_WIDE, FG_OUT_WIDE: that side's array is of doubles although the pass computes in single precision. */
#ifndef FG_ELEMENT_H
#define FG_ELEMENT_H

#include "args.h"
#include "complex.h"

/* Reals and complex numbers as they are in memory; the latter are one load or store. */
template <bool WIDE> struct memory_type {
  typedef real one;
  typedef cplx pair;
};
template <> struct memory_type<true> {
  typedef double one;
  struct alignas(2 * sizeof(double)) pair {
    double x, y;
  };
};
typedef memory_type<FG_IN_WIDE> in_memory;
typedef memory_type<FG_OUT_WIDE> out_memory;

FG_DEVICE real read_number(const void *array, long long at) {
  return real(global_load(static_cast<const in_memory::one *>(array) + at));
}

FG_DEVICE void write_number(void *array, long long at, real x, bool exists = true) {
  global_store(static_cast<out_memory::one *>(array) + at, out_memory::one(x), exists);
}

/* Two neighbouring reals, aligned to both, as one access. */
FG_DEVICE cplx read_two(const void *array, long long at) {
  const void *const two = static_cast<const in_memory::one *>(array) + at;
  const in_memory::pair v = global_load(static_cast<const in_memory::pair *>(two));
  return {real(v.x), real(v.y)};
}

FG_DEVICE void write_two(void *array, long long at, cplx v) {
  void *const two = static_cast<out_memory::one *>(array) + at;
  global_store_two(static_cast<out_memory::pair *>(two), out_memory::pair{v.x, v.y});
}

FG_DEVICE cplx read_point(const fg_tile_args &a, long long at) {
  if (FG_IN_SPLIT) return {read_number(a.in_re, at), read_number(a.in_im, at)};
  const in_memory::pair v = global_load(static_cast<const in_memory::pair *>(a.in_re) + at);
  return {real(v.x), real(v.y)};
}

/* If it exists: the compiler makes a predicate of that. */
FG_DEVICE void write_point(const fg_tile_args &a, long long at, cplx v, bool exists = true) {
  if (FG_OUT_SPLIT) {
    write_number(a.out_re, at, v.x, exists);
    write_number(a.out_im, at, v.y, exists);
  } else {
    global_store_two(static_cast<out_memory::pair *>(a.out_re) + at, out_memory::pair{v.x, v.y}, exists);
  }
}

#endif
