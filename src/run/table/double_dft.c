/* double_dft.c: a Stockham transform in double precision: decimation in frequency, self-sorting, from one array to
 * another and back (Govindaraju et al., High performance discrete Fourier transforms on graphics processors, SC 2008,
 * section 2.2). */
#include "src/run/table/double_dft.h"

#include <stdlib.h>
#include <string.h>

#include "src/run/ending.h"
#include "src/run/table/circle.h"

/* One stage: sub-transforms of factor·m points, so many of them (done) side by side. */
typedef struct {
  size_t factor, m, done;
} stage;

static fg_double times(fg_double a, fg_double b) {
  return (fg_double){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static fg_double plus(fg_double a, fg_double b) { return (fg_double){a.re + b.re, a.im + b.im}; }
static fg_double minus(fg_double a, fg_double b) { return (fg_double){a.re - b.re, a.im - b.im}; }

static void radix_two(const stage *s, const fg_double *w, const fg_double *x, fg_double *y) {
  const fg_double *const b = x + s->done * s->m;
  for (size_t q = 0; q < s->done; q++) {
    y[q] = plus(x[q], b[q]);
    y[s->done + q] = times(w[1], minus(x[q], b[q]));
  }
}

static void radix_four(const stage *s, const fg_double *w, const fg_double *x, fg_double *y) {
  const size_t apart = s->done * s->m, done = s->done;
  for (size_t q = 0; q < done; q++) {
    const fg_double a = x[q], b = x[apart + q], c = x[2 * apart + q], d = x[3 * apart + q];
    const fg_double ac = plus(a, c), bd = plus(b, d), even = minus(a, c), odd = minus(b, d);
    const fg_double turned = {odd.im, -odd.re}; /* −i·odd */
    y[q] = plus(ac, bd);
    y[done + q] = times(w[1], plus(even, turned));
    y[2 * done + q] = times(w[2], minus(ac, bd));
    y[3 * done + q] = times(w[3], minus(even, turned));
  }
}

/* Any factor: unit holds its roots of unity. */
static void radix_any(const stage *s, const fg_double *unit, const fg_double *w, const fg_double *x, fg_double *y) {
  const size_t apart = s->done * s->m, f = s->factor;
  for (size_t k = 0; k < f; k++)
    for (size_t q = 0; q < s->done; q++) {
      fg_double sum = x[q];
      for (size_t j = 1; j < f; j++) sum = plus(sum, times(unit[j * k % f], x[j * apart + q]));
      y[k * s->done + q] = times(w[k], sum);
    }
}

static fg_double rounded(fg_wide w) { return (fg_double){(double)w.re, (double)w.im}; }

/* w: factor entries of scratch, and as many for the roots of a factor without a butterfly of its own. */
static void run_stage(const stage *s, const fg_circle *c, fg_double *w, const fg_double *x, fg_double *y) {
  fg_double *const unit = w + s->factor;
  for (size_t j = 0; j < s->factor; j++) unit[j] = rounded(fg_circle_at(c, c->n / s->factor * j));
  w[0] = unit[0];
  for (size_t p = 0; p < s->m; p++) {
    w[1] = rounded(fg_circle_at(c, p * s->done));
    for (size_t k = 2; k < s->factor; k++) w[k] = times(w[k - 1], w[1]);
    const fg_double *const from = x + p * s->done;
    fg_double *const to = y + p * s->factor * s->done;
    if (s->factor == 4) radix_four(s, w, from, to);
    else if (s->factor == 2) radix_two(s, w, from, to);
    else radix_any(s, unit, w, from, to);
  }
}

static size_t next_factor(size_t n) {
  if (n % 4 == 0) return 4;
  for (size_t f = 2; f * f <= n; f++)
    if (n % f == 0) return f;
  return n;
}

/* The array that the result is in; NULL if the process ends meanwhile. */
static fg_double *all_stages(const fg_circle *c, fg_double *x, fg_double *y, fg_double *w) {
  stage s = {.done = 1};
  for (size_t left = c->n; left > 1; left = s.m) {
    if (fg_ending()) return NULL;
    s.factor = next_factor(left);
    s.m = left / s.factor;
    run_stage(&s, c, w, x, y);
    s.done *= s.factor;
    fg_double *const result = y;
    y = x;
    x = result;
  }
  return x;
}

int fg_double_dft(fg_double *x, size_t n) {
  fg_circle c;
  if (!fg_circle_make(&c, n)) return -1;
  fg_double *const work = malloc(3 * n * sizeof *work); /* the second array, and twice the largest factor */
  fg_double *const result = work ? all_stages(&c, x, work, work + n) : NULL;
  if (result == work && work) memcpy(x, work, n * sizeof *x);
  free(work);
  fg_circle_free(&c);
  return result ? 0 : -1;
}
