/* turns.h: the factors that turn the inputs of a butterfly of R points, w¹ to wᴿ⁻¹.
 *
 * Where neighbouring threads have factors of their own, looking one up takes the first cache as long as a point does.  Then
 * each APART-th is looked up and those before the first such; the others, a third of few and most of many, are products of two
 * of these, a rounding more. */
#ifndef FG_TURNS_H
#define FG_TURNS_H

#include "complex.h"

FG_CONSTANT int root_above(int n) {
  int root = 1;
  while (root * root < n) root++;
  return root;
}

/* ALL: all are looked up. */
template <int R, bool ALL> struct turns {
  static constexpr int APART = ALL || R < 4 ? 1 : root_above(R);
  FG_CONSTANT bool is_product(int j) { return j > APART && j % APART != 0; }

  /* Into w[j] those that are looked up. */
  template <class F> FG_DEVICE void fetch(cplx *w, F look_up) {
#pragma unroll
    for (int j = 1; j < R; j++)
      if (!is_product(j)) w[j] = look_up(j);
  }
  /* The i-th to be used, where each takes the place of its own: those that others are made of after these. */
  FG_CONSTANT int in_turn(int i) { return APART > 1 ? R - 1 - i : i; }

  /* wʲ: of these, none behind j. */
  FG_DEVICE cplx factor(const cplx *w, int j) { return is_product(j) ? w[j - j % APART] * w[j % APART] : w[j]; }
};

#endif
