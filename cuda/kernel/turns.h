/* turns.h: the factors that turn the inputs of a butterfly of R points, w¹ to wᴿ⁻¹.
 *
 * Where neighbouring threads have factors of their own, looking one up takes the first cache as long as a point does.  Then
 * only some are looked up, so that each other one is the product of two of these, or the square of one, a rounding more. */
#ifndef FG_TURNS_H
#define FG_TURNS_H

#include "complex.h"

/* A bit for each exponent that is looked up, of those to most: those to a number and its multiples; or the fewest there can be,
 * stamps of which two on a letter make each postage (OEIS A001212), one or two less, but more registers: of not more than 12. */
FG_CONSTANT unsigned long long stamps_to(int most, bool fewest) {
  int root = 1;
  unsigned long long stamps = 0;
  if (most <= 2) return fewest ? 1 << 1 : 1 << 1 | 1 << 2;
  if (fewest && most <= 4) return 1 << 1 | 1 << 2;
  if (fewest && most <= 8) return 1 << 1 | 1 << 3 | 1 << 4;
  if (fewest && most <= 12) return 1 << 1 | 1 << 3 | 1 << 5 | 1 << 6;
  while (root * root <= most) root++;
  for (int j = 1; j <= most; j++)
    if (j < root || j % root == 0) stamps |= 1ull << j;
  return stamps;
}

/* Without a loop over what is only known once the caller's is unrolled. */
FG_CONSTANT int highest_bit(unsigned long long x) {
  int at = 0;
#pragma unroll
  for (int half = 32; half > 0; half /= 2) at += x >> (at + half) ? half : 0;
  return at;
}

FG_CONSTANT unsigned long long reversed(unsigned long long x) {
  unsigned long long y = 0;
  for (int i = 0; i < 64; i++) y |= (x >> i & 1) << (63 - i);
  return y;
}

/* ALL: all are looked up. */
template <int R, bool ALL, bool FEWEST> struct turns {
  static constexpr unsigned long long STAMPS = ALL ? ~0ull : stamps_to(R - 1, FEWEST), REVERSED = reversed(STAMPS);
  FG_CONSTANT bool is_stamp(int j) { return STAMPS >> j & 1; }
  /* Of the two of j, which is none. */
  FG_CONSTANT int larger_stamp(int j) { return highest_bit(STAMPS & REVERSED >> (63 - j)); }

  /* Into w[j] those that are looked up. */
  template <class F> FG_DEVICE void fetch(cplx *w, F look_up) {
#pragma unroll
    for (int j = 1; j < R; j++)
      if (is_stamp(j)) w[j] = look_up(j);
  }
  /* The i-th to be used, where each takes the place of its own: those that others are made of after these. */
  FG_CONSTANT int in_turn(int i) { return ALL ? i : R - 1 - i; }

  /* wʲ: of these, none behind j. */
  FG_DEVICE cplx factor(const cplx *w, int j) {
    if (is_stamp(j)) return w[j];
    const int a = larger_stamp(j);
    return w[a] * w[j - a];
  }
};

#endif
