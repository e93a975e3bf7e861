/* unit_circle.h: roots of unity that are constants of a kernel, worked out while it is compiled: to some 100 bits, as sums of
 * two doubles, and rounded once.  (Butterflies have theirs in constants.h.) */
#ifndef FG_UNIT_CIRCLE_H
#define FG_UNIT_CIRCLE_H

#include "complex.h"

/* hi + lo, lo being less than half a unit of hi's last place (Dekker, A floating-point technique for extending the available
 * precision, 1971). */
struct two_doubles {
  double hi, lo;
};

FG_CONSTANT two_doubles normal(double hi, double lo) { return {hi + lo, lo - ((hi + lo) - hi)}; }
FG_CONSTANT two_doubles exact_product(double a, double b) {
  const double a1 = a * 134217729.0 - (a * 134217729.0 - a), a2 = a - a1;
  const double b1 = b * 134217729.0 - (b * 134217729.0 - b), b2 = b - b1;
  const double p = a * b;
  return {p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2};
}
FG_CONSTANT two_doubles plus(two_doubles a, two_doubles b) {
  const double s = a.hi + b.hi, t = s - a.hi;
  return normal(s, ((a.hi - (s - t)) + (b.hi - t)) + a.lo + b.lo);
}
FG_CONSTANT two_doubles times(two_doubles a, two_doubles b) {
  const two_doubles p = exact_product(a.hi, b.hi);
  return normal(p.hi, p.lo + a.hi * b.lo + a.lo * b.hi);
}
FG_CONSTANT two_doubles over(two_doubles a, double b) {
  const double q = a.hi / b;
  const two_doubles p = exact_product(q, b);
  return normal(q, (((a.hi - p.hi) - p.lo) + a.lo) / b);
}

/* Σ (−x²)^i·x^first/(2i + first)!, x at most an eighth of a turn: the cosine (first 0) or the sine (1). */
FG_CONSTANT double series(two_doubles x, int first) {
  const two_doubles square = times(x, x), minus = {-square.hi, -square.lo};
  two_doubles term = first ? x : two_doubles{1, 0}, sum = term;
  for (int i = first + 2; i < 28; i += 2) {
    term = over(times(term, minus), double(i) * (i - 1));
    sum = plus(sum, term);
  }
  return sum.hi;
}
FG_CONSTANT double eighth(long long k, long long n, int first) {
  const two_doubles turn = {6.283185307179586232, 2.449293598294706414e-16};
  return series(over(times(turn, {double(k), 0}), double(n)), first);
}

/* cos and sin of k/n of a turn, 0 ≤ k ≤ n. */
FG_CONSTANT double cos_of(long long k, long long n) {
  if (2 * k > n) k = n - k;
  const bool negative = 4 * k > n;
  if (negative) k = n - 2 * k, n *= 2;
  const double c = 8 * k > n ? eighth(n - 4 * k, 4 * n, 1) : eighth(k, n, 0);
  return negative ? -c : c;
}
FG_CONSTANT double sin_of(long long k, long long n) {
  const bool negative = 2 * k > n;
  if (negative) k = n - k;
  if (4 * k > n) k = n - 2 * k, n *= 2;
  const double s = 8 * k > n ? eighth(n - 4 * k, 4 * n, 0) : eighth(k, n, 1);
  return negative ? -s : s;
}

/* exp(−2πi·(first + k·step)/n) for k < COUNT, first + k·step from 0 to n. */
template <int COUNT> struct roots {
  double re[COUNT], im[COUNT];
};
template <int COUNT> FG_CONSTANT roots<COUNT> roots_of(int first, int step, int n) {
  roots<COUNT> r = {};
  for (int k = 0; k < COUNT; k++) {
    r.re[k] = cos_of(first + (long long)k * step, n);
    r.im[k] = -sin_of(first + (long long)k * step, n);
  }
  return r;
}
template <class ROOTS> FG_DEVICE cplx factor(const ROOTS &r, int k) { return {real(r.re[k]), real(r.im[k])}; }

#endif
