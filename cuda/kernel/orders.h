/* orders.h: in which order rows of real data are the points of a transform, and where several elements make a point, how
 * (form.h, real_line.h).  P: a position. */
#ifndef FG_ORDERS_H
#define FG_ORDERS_H

#include "complex.h"

/* The element at position p of Makhoul's order. */
template <class P> FG_CONSTANT __forceinline__ P makhoul(P n, P p) { return 2 * p < n ? 2 * p : 2 * (n - 1 - p) + 1; }

/* An element of a row and the sign that it has at a position. */
template <class P> struct signed_element {
  P e;
  bool negative;
};

/* REDFT11, N odd; as a table: src/run/table/places.c.  The transform is a sum over odd residues a, b modulo 8N of
 * x(a)·cos(2πab/8N), x(−a) = x(a) = −x(4N − a); of each orbit of these symmetries one residue is 1 modulo 8, and modulo N it is
 * free. */
template <class P> FG_CONSTANT __forceinline__ signed_element<P> folded(P n, P a) {
  if (a > 4 * n) a = 8 * n - a;
  const bool negative = a > 2 * n;
  if (negative) a = 4 * n - a;
  return {(a - 1) / 2, negative};
}
template <class P> FG_CONSTANT P inverse_of_8(P n) {
  for (long long k = 0; k < 8; k++)
    if ((k * n + 1) % 8 == 0) return P((k * n + 1) / 8 % n);
  return 0;
}
/* a = 8q + 1 with a ≡ 8p (mod n). */
template <class P> FG_CONSTANT __forceinline__ signed_element<P> quarter_wave_input(P n, P p) {
  return folded<P>(n, 8 * ((p + n - inverse_of_8(n)) % n) + 1);
}
/* b = 8q + 1 with b ≡ p (mod n). */
template <class P> FG_CONSTANT __forceinline__ signed_element<P> quarter_wave_output(P n, P p) {
  return folded<P>(n, 8 * P((long long)((p + n - 1) % n) * inverse_of_8(n) % n) + 1);
}

/* 2 cos(π/4), of results that are eighths of a turn from the spectrum's. */
FG_CONSTANT real eighth_twice() { return real(1.41421356237309504880); }

struct two_results {
  real first, second;
};

/* Those at positions p and n − p, but for their signs: 2·Re(v·exp(−2πi n/8)), v being bin p, and of its conjugate. */
FG_DEVICE two_results quarter_wave_results(long long n, cplx v) {
  const real x = n % 8 == 1 || n % 8 == 7 ? v.x : -v.x, y = n % 8 == 1 || n % 8 == 3 ? v.y : -v.y;
  return {eighth_twice() * (x + y), eighth_twice() * (x - y)};
}

/* REDFT00 (odd: RODFT00) whose period is twice an odd P, from there the extension's elements: point p of those at p and P − p,
 * and the results 2p and P − 2p of point p. */
FG_DEVICE cplx odd_period_point(bool odd, long long p, real x, real y) {
  const real sum = x + y, difference = x - y;
  const cplx v = odd ? cplx{difference, sum} : cplx{sum, difference};
  return {v.x, p % 2 ? -v.y : v.y};
}
FG_DEVICE two_results odd_period_results(bool odd, cplx v) {
  return odd ? two_results{-v.y, -v.x} : two_results{v.x, v.y};
}

#endif
