/* residues.c: the multiplicative group of residues modulo a prime. */
#include "src/pass/residues.h"

#include <string.h>

bool fg_is_prime(ptrdiff_t n) {
  for (ptrdiff_t d = 2; d * d <= n; d++)
    if (n % d == 0) return false;
  return n > 1;
}

ptrdiff_t fg_largest_factor(ptrdiff_t n) {
  ptrdiff_t factor = 2;
  while (factor < n)
    if (n % factor == 0) n /= factor;
    else factor++;
  return factor;
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

static ptrdiff_t common_divisor(ptrdiff_t a, ptrdiff_t b) {
  while (b) {
    const ptrdiff_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

fg_coprime_groups fg_coprime_groups_of(const int *radix, int stages) {
  fg_coprime_groups g = {0};
  ptrdiff_t before = 1, rest = 1;
  for (int s = 0; s < stages; s++) rest *= radix[s];
  for (int s = 0; s < stages; s++) {
    const bool begins = s == 0 || common_divisor(before, rest) == 1;
    if (begins) g.size[g.count++] = 1;
    g.size[g.count - 1] *= radix[s];
    g.first[s] = begins ? s : g.first[s - 1];
    before *= radix[s];
    rest /= radix[s];
  }
  return g;
}

fg_coprime_groups fg_pass_groups(const fg_pass *p) {
  int radix[FG_MAX_STAGES];
  if (!fg_pass_is_cyclic(p)) return (fg_coprime_groups){.count = 1};
  memcpy(radix, p->radix, sizeof radix);
  if (p->real_radix) radix[0] = p->real_radix;
  return fg_coprime_groups_of(radix, p->stages);
}

static ptrdiff_t points_of(const fg_coprime_groups *g) {
  ptrdiff_t n = 1;
  for (int i = 0; i < g->count; i++) n *= g->size[i];
  return n;
}

/* The x < n that is residue[i] modulo the size of group i. */
static ptrdiff_t combined(const fg_coprime_groups *g, const ptrdiff_t *residue) {
  ptrdiff_t x = 0, product = 1;
  for (int i = 0; i < g->count; i++) {
    while (x % g->size[i] != residue[i]) x += product;
    product *= g->size[i];
  }
  return x;
}

ptrdiff_t fg_coprime_index(const fg_coprime_groups *g, ptrdiff_t k) {
  ptrdiff_t residue[FG_MAX_STAGES];
  if (g->count == 1) return k;
  for (int i = g->count; i-- > 0; k /= g->size[i]) residue[i] = k % g->size[i];
  return combined(g, residue);
}

ptrdiff_t fg_coprime_bin(const fg_coprime_groups *g, ptrdiff_t m) {
  const ptrdiff_t n = points_of(g);
  ptrdiff_t residue[FG_MAX_STAGES];
  if (g->count == 1) return m;
  for (int i = 0; i < g->count; m /= g->size[i++])
    residue[i] = m % g->size[i] * (n / g->size[i] % g->size[i]) % g->size[i];
  return combined(g, residue);
}
