/* places.c: how real to real kinds of odd length n are real transforms of as many points, without factors: every angle of theirs is
 * one of multiples of 2π/n but for quarters of a turn (of REDFT11 and RODFT11 eighths), since n and 8 are coprime.  (Heideman,
 * Computation of an odd-length DCT from a real-valued DFT of the same length, 1992.) */
#include "src/run/table/places.h"

static int place(ptrdiff_t at, bool negative) { return negative ? ~(int)at : (int)at; }
static int bin(ptrdiff_t k, bool imaginary, bool negative) { return place(2 * k + imaginary, negative); }

/* ---- REDFT10, RODFT10, and their inverses ---- */

/* The sequence begins with the element in the middle and goes on to the left, or comes back from the right, with those at
 * distances j that are even, the other way with odd ones.  With k = 2m and k = n − 2q
 *
 *   cos(π(n − 2j)k/2n) = (−1)^m cos(2πjm/n),   −(−1)^((k − 1)/2) (−1)^j sin(2πjq/n) */
static int from_middle(ptrdiff_t n, ptrdiff_t e, bool negative) {
  const ptrdiff_t j = e < n / 2 ? n / 2 - e : e - n / 2;
  const bool back = (e > n / 2) != (j % 2 == 1);
  return place(back && j ? n - j : j, negative);
}
static int by_parity(ptrdiff_t n, ptrdiff_t k) { return bin(k % 2 ? (n - k) / 2 : k / 2, k % 2, k / 2 % 2); }

/* ---- all but REDFT11 and RODFT11 ---- */

static int sequence_place(enum fg_form form, ptrdiff_t n, ptrdiff_t e) {
  switch (form) {
    case FG_FORM_REDFT10:
    case FG_FORM_REDFT01: return from_middle(n, e, false);
    case FG_FORM_RODFT10:
    case FG_FORM_RODFT01: return from_middle(n, e, e % 2);
    default: return place(e, false);
  }
}

static int spectrum_place(enum fg_form form, ptrdiff_t n, ptrdiff_t k) {
  const bool upper = 2 * k > n;
  const ptrdiff_t low = upper ? n - k : k;
  switch (form) {
    case FG_FORM_REDFT10:
    case FG_FORM_REDFT01: return by_parity(n, k);
    case FG_FORM_RODFT10:
    case FG_FORM_RODFT01: return by_parity(n, n - 1 - k);
    default: return bin(low, upper, false);
  }
}

/* ---- REDFT11, RODFT11 ---- */

/* The same that cuda/kernel/orders.h computes: the residues a modulo 8n that are 1 modulo 8, each as an element or its negative. */
typedef struct {
  ptrdiff_t e;
  bool negative;
} signed_element;

static signed_element folded(ptrdiff_t n, ptrdiff_t a) {
  if (a > 4 * n) a = 8 * n - a;
  const bool negative = a > 2 * n;
  return (signed_element){((negative ? 4 * n - a : a) - 1) / 2, negative};
}
static ptrdiff_t inverse_of_8(ptrdiff_t n) {
  ptrdiff_t k = 0;
  while ((k * n + 1) % 8) k++;
  return (k * n + 1) / 8 % n;
}

/* Results p and n − p are √2·(±Re ± Im) of bin p, whose real part has the sign of cos(πn/4), its imaginary one that of sin. */
static void put_quarter_wave(int *loaded, int *stored, ptrdiff_t n, bool odd) {
  const ptrdiff_t inverse = inverse_of_8(n);
  const bool turned = n % 8 == 3 || n % 8 == 5, alike = n % 8 == 1 || n % 8 == 5;
  for (ptrdiff_t p = 0; p < n; p++) {
    const signed_element in = folded(n, 8 * ((p + n - inverse) % n) + 1), out = folded(n, 8 * ((p + n - 1) % n * inverse % n) + 1);
    const bool upper = 2 * p > n, negative = (out.negative != turned) != (odd && out.e % 2);
    loaded[odd ? n - 1 - in.e : in.e] = place(p, in.negative);
    stored[out.e] = bin(upper ? n - p : p, upper == alike, negative);
  }
}

void fg_places_put(int *entries, const fg_table *t) {
  const enum fg_form from = (enum fg_form)t->first, to = (enum fg_form)t->step;
  const ptrdiff_t n = t->length;
  int *const loaded = entries, *const stored = entries + n;
  const bool backwards = fg_form_loads_spectrum(from);
  if (from == FG_FORM_REDFT11 || from == FG_FORM_RODFT11) {
    put_quarter_wave(loaded, stored, n, from == FG_FORM_RODFT11);
    return;
  }
  for (ptrdiff_t e = 0; e < n; e++) {
    loaded[e] = backwards ? spectrum_place(from, n, e) : sequence_place(from, n, e);
    stored[e] = backwards ? sequence_place(to, n, e) : spectrum_place(to, n, e);
  }
}
