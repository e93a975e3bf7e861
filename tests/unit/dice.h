/* dice.h: random numbers that are the same on every machine and in every run. */
#ifndef FG_TEST_DICE_H
#define FG_TEST_DICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  uint64_t state; /* not 0 */
} dice;

/* xorshift64* (Vigna 2016). */
static inline uint64_t dice_throw(dice *d) {
  d->state ^= d->state >> 12;
  d->state ^= d->state << 25;
  d->state ^= d->state >> 27;
  return d->state * UINT64_C(2685821657736338717);
}

/* low … high, both possible. */
static inline ptrdiff_t dice_between(dice *d, ptrdiff_t low, ptrdiff_t high) {
  return low + (ptrdiff_t)((dice_throw(d) >> 11) % (uint64_t)(high - low + 1));
}

/* True once in n throws. */
static inline bool dice_one_in(dice *d, int n) { return dice_between(d, 1, n) == 1; }

/* −1 … 1 */
static inline double dice_real(dice *d) { return (double)(dice_throw(d) >> 11) / (double)(UINT64_C(1) << 52) - 1; }

#endif
