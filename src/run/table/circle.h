/* circle.h: all roots of unity of one order, quickly: each is the product of one of a coarse and one of a fine table. */
#ifndef FG_CIRCLE_H
#define FG_CIRCLE_H

#include <stdbool.h>

#include "src/run/table/roots.h"

typedef struct {
  uint64_t n;
  int shift;
  fg_wide *high, *low; /* exp(−2πi·(m << shift)/n), exp(−2πi·m/n) for m < 2^shift */
} fg_circle;

/* false on lack of memory; about √n entries. */
bool fg_circle_make(fg_circle *c, uint64_t n);
void fg_circle_free(fg_circle *c);

/* exp(−2πi·m/n), m < n, within two roundings of long double. */
static inline fg_wide fg_circle_at(const fg_circle *c, uint64_t m) {
  const fg_wide a = c->high[m >> c->shift], b = c->low[m & (((uint64_t)1 << c->shift) - 1)];
  return (fg_wide){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* exp(sign·πi·j²/m) of a circle of order n = 2m, j < 2³²: the exponent is reduced in integers. */
static inline fg_wide fg_circle_chirp(const fg_circle *c, uint64_t j, int sign) {
  const fg_wide w = fg_circle_at(c, j * j % c->n);
  return (fg_wide){w.re, sign < 0 ? w.im : -w.im};
}

#endif
