/* roots.c: roots of unity and transforms in long double. */
#include "src/run/table/roots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/run/ending.h"
#include "src/run/table/circle.h"

/* exp(−2πi·m/n) for 8m ≤ n: sine and cosine of an angle in the first eighth of the circle. */
static fg_wide eighth(uint64_t m, uint64_t n) {
  const long double angle = 2 * 3.141592653589793238462643383279502884L * (long double)m / (long double)n;
  return (fg_wide){cosl(angle), -sinl(angle)};
}

/* Clockwise: in the second eighth mirror about −45°, in the rest turn by quarters. */
fg_wide fg_root(uint64_t m, uint64_t n) {
  m %= n;
  if (8 * m <= n) return eighth(m, n);
  if (4 * m < n) {
    const fg_wide r = eighth(n - 4 * m, 4 * n);
    return (fg_wide){-r.im, -r.re};
  }
  if (2 * m < n) {
    const fg_wide r = fg_root(4 * m - n, 4 * n);
    return (fg_wide){r.im, -r.re};
  }
  const fg_wide r = fg_root(2 * m - n, 2 * n);
  return (fg_wide){-r.re, -r.im};
}

static fg_wide times(fg_wide a, fg_wide b) {
  return (fg_wide){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static size_t smallest_factor(size_t n) {
  if (n % 4 == 0) return 4;
  for (size_t f = 2; f * f <= n; f++)
    if (n % f == 0) return f;
  return n;
}

enum { LONG = 4096 };

typedef struct {
  const fg_wide *root; /* exp(−2πi·m/whole) */
  size_t whole;
  fg_wide *inputs; /* of one butterfly */
} circle;

static void butterfly_of_two(const fg_wide *t, fg_wide *y, size_t m) {
  y[0] = (fg_wide){t[0].re + t[1].re, t[0].im + t[1].im};
  y[m] = (fg_wide){t[0].re - t[1].re, t[0].im - t[1].im};
}

/* The f results of one butterfly, m apart, from its inputs t, which it changes; f odd.  Inputs j and f − j have conjugate
 * factors, and so have results q and f − q: cosines of the sums, sines of the differences, for both. */
static void butterfly_of_odd(const circle *c, fg_wide *t, size_t f, fg_wide *y, size_t m) {
  const size_t pairs = f / 2, step = c->whole / f;
  y[0] = t[0];
  for (size_t j = 1; j <= pairs; j++) {
    const fg_wide a = t[j], b = t[f - j];
    t[j] = (fg_wide){a.re + b.re, a.im + b.im};
    t[f - j] = (fg_wide){a.re - b.re, a.im - b.im};
    y[0].re += t[j].re;
    y[0].im += t[j].im;
  }
  for (size_t q = 1; q <= pairs; q++) {
    fg_wide cosines = t[0], sines = {0, 0};
    for (size_t j = 1, power = q; j <= pairs; j++, power = power + q < f ? power + q : power + q - f) {
      const fg_wide w = c->root[power * step];
      cosines.re += w.re * t[j].re;
      cosines.im += w.re * t[j].im;
      sines.re += w.im * t[f - j].re;
      sines.im += w.im * t[f - j].im;
    }
    y[q * m] = (fg_wide){cosines.re - sines.im, cosines.im + sines.re};
    y[(f - q) * m] = (fg_wide){cosines.re + sines.im, cosines.im - sines.re};
  }
}

static void butterfly_of_four(const fg_wide *t, fg_wide *y, size_t m) {
  const fg_wide a = {t[0].re + t[2].re, t[0].im + t[2].im}, b = {t[0].re - t[2].re, t[0].im - t[2].im};
  const fg_wide c = {t[1].re + t[3].re, t[1].im + t[3].im}, d = {t[1].im - t[3].im, t[3].re - t[1].re};
  y[0] = (fg_wide){a.re + c.re, a.im + c.im};
  y[m] = (fg_wide){b.re + d.re, b.im + d.im};
  y[2 * m] = (fg_wide){a.re - c.re, a.im - c.im};
  y[3 * m] = (fg_wide){b.re - d.re, b.im - d.im};
}

/* y ← DFT of x[0], x[stride], …: decimation in time by the factor f, with y[k + q·m] from m-point transforms. */
static void recurse(const circle *c, const fg_wide *x, size_t stride, fg_wide *y, fg_wide *scratch, size_t n) {
  if (n == 1) {
    *y = *x;
    return;
  }
  if (n >= LONG && fg_ending()) return;
  const size_t f = smallest_factor(n), m = n / f, step = c->whole / n;
  for (size_t j = 0; j < f; j++) recurse(c, x + j * stride, stride * f, scratch + j * m, y + j * m, m);
  fg_wide *const t = c->inputs;
  for (size_t k = 0; k < m; k++) {
    t[0] = scratch[k];
    for (size_t j = 1; j < f; j++) t[j] = times(scratch[j * m + k], c->root[j * k * step]);
    if (f == 2) butterfly_of_two(t, y + k, m);
    else if (f == 4) butterfly_of_four(t, y + k, m);
    else butterfly_of_odd(c, t, f, y + k, m);
  }
}

int fg_wide_dft(fg_wide *x, size_t n) {
  fg_circle roots;
  fg_wide *work = malloc(4 * n * sizeof *work);
  if (!work || !fg_circle_make(&roots, n)) {
    free(work);
    return -1;
  }
  fg_wide *const root = work + 2 * n;
  for (size_t m = 0; m < n; m++) root[m] = fg_circle_at(&roots, m);
  fg_circle_free(&roots);
  recurse(&(circle){root, n, work + 3 * n}, x, 1, work, work + n, n);
  memcpy(x, work, n * sizeof *x);
  free(work);
  return fg_ending() ? -1 : 0; /* it may have left off */
}
