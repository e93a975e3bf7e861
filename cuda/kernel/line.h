/* line.h: where the lines of a tile are in global memory.
 *
 * All lines of a pass are numbered through its loops, innermost first; a block takes FG_LINES consecutive ones, or those
 * that are left of a turn of the innermost loop (FG_WITHIN_LOOP). */
#ifndef FG_LINE_H
#define FG_LINE_H

#include "args.h"
#include "complex.h"

#if FG_MANY_LINES
typedef unsigned long long line_number;
#else
typedef unsigned line_number;
#endif

/* What the loops' indices of one line add up to. */
struct line_place {
  long long in, out, twiddle, load, store;
};

/* u by the points of loop d. */
FG_DEVICE line_number divided(const fg_tile_args &a, line_number u, int d) {
#if FG_MANY_LINES
  return u / line_number(a.loop[d].n);
#else
  return (__umulhi(u, a.loop[d].by.magic) + u) >> a.loop[d].by.shift;
#endif
}

FG_DEVICE line_place place_of(const fg_tile_args &a, line_number number) {
  line_place p = {0, 0, 0, 0, 0};
#pragma unroll
  for (int d = 0; d < FG_LOOPS; d++) {
    /* The outermost index needs no division. */
    const line_number rest = d + 1 < FG_LOOPS ? divided(a, number, d) : 0;
    const line_number i = number - rest * line_number(a.loop[d].n);
    number = rest;
    p.in += i * a.loop[d].in;
    p.out += i * a.loop[d].out;
    if (FG_TWIDDLE) p.twiddle += i * a.loop[d].twiddle;
    if (FG_LOAD_TABLE || FG_FROM_FORM || FG_FILTER_ROWS) p.load += i * a.loop[d].load;
    if (FG_STORE_TABLE || FG_TO_FORM) p.store += i * a.loop[d].store;
  }
  return p;
}

#endif
