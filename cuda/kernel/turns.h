/* turns.h: the factors that turn the inputs of a butterfly of R points, w¹ to wᴿ⁻¹.
 *
 * Where neighbouring threads have factors of their own, looking one up takes the first cache as long as a point does.  Then
 * only some are looked up, so that each other one is the product of two of these, or the square of one, a rounding more. */
#ifndef FG_TURNS_H
#define FG_TURNS_H

#include "complex.h"

/* A bit for each exponent that is looked up, of those to most, a basis of which one or two add up to each: those to a number and
 * its multiples; or the fewest that do (OEIS A001212), one or two less, but more registers: of not more than 12. */
FG_CONSTANT unsigned long long basis_to(int most, bool fewest) {
  int root = 1;
  unsigned long long basis = 0;
  if (most <= 2) return fewest ? 1 << 1 : 1 << 1 | 1 << 2;
  if (fewest && most <= 4) return 1 << 1 | 1 << 2;
  if (fewest && most <= 8) return 1 << 1 | 1 << 3 | 1 << 4;
  if (fewest && most <= 12) return 1 << 1 | 1 << 3 | 1 << 5 | 1 << 6;
  while (root * root <= most) root++;
  for (int j = 1; j <= most; j++)
    if (j < root || j % root == 0) basis |= 1ull << j;
  return basis;
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

/* ALL: all are looked up; FEWEST: the fewest, where that is known to leave registers (stage.h; boxes spilled). */
template <int R, bool ALL, bool FEWEST> struct turns {
  enum : unsigned long long { BASIS = ALL ? ~0ull : basis_to(R - 1, FEWEST), REVERSED = reversed(BASIS) };
  enum : bool { PRODUCTS = (~BASIS & ~0ull >> (64 - R)) > 1 }; /* there is always a bit for 0 */
  FG_CONSTANT bool is_looked_up(int j) { return BASIS >> j & 1; }
  /* The larger of the two that make j. */
  FG_CONSTANT int larger_of(int j) { return highest_bit(BASIS & REVERSED >> (63 - j)); }

  /* Into w[j] those that are looked up. */
  template <class F> FG_DEVICE void fetch(cplx *w, F look_up) {
#pragma unroll
    for (int j = 1; j < R; j++)
      if (is_looked_up(j)) w[j] = look_up(j);
  }
  /* The i-th to be used, where each takes the place of its own: those that others are made of after these. */
  FG_CONSTANT int in_turn(int i) { return PRODUCTS ? R - 1 - i : i; }

  /* wʲ: of these, none behind j. */
  FG_DEVICE cplx factor(const cplx *w, int j) {
    if (is_looked_up(j)) return w[j];
    const int a = larger_of(j);
    return w[a] * w[j - a];
  }
};

#endif
