/* residues.c: the multiplicative group of residues modulo a prime. */
#include "src/pass/residues.h"

bool fg_is_prime(ptrdiff_t n) {
  for (ptrdiff_t d = 2; d * d <= n; d++)
    if (n % d == 0) return false;
  return n > 1;
}

ptrdiff_t fg_power_modulo(ptrdiff_t base, ptrdiff_t exponent, ptrdiff_t n) {
  ptrdiff_t result = 1 % n;
  for (base %= n; exponent > 0; exponent /= 2, base = base * base % n)
    if (exponent % 2) result = result * base % n;
  return result;
}

/* g generates all if no power (p − 1)/q of it, q a prime factor, is 1. */
static bool generates(ptrdiff_t g, ptrdiff_t p) {
  ptrdiff_t rest = p - 1;
  for (ptrdiff_t q = 2; rest > 1; q++) {
    if (q * q > rest) q = rest;
    if (rest % q) continue;
    while (rest % q == 0) rest /= q;
    if (fg_power_modulo(g, (p - 1) / q, p) == 1) return false;
  }
  return true;
}

ptrdiff_t fg_generator(ptrdiff_t p) {
  ptrdiff_t g = 1;
  while (!generates(g, p)) g++;
  return g;
}
