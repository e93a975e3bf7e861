/* roots.h: roots of unity and transforms in more than the precision of the kernels, for tables. */
#ifndef FG_ROOTS_H
#define FG_ROOTS_H

#include <stdint.h>
#include <stddef.h>

typedef struct {
  long double re, im;
} fg_wide;

/* exp(−2πi·m/n), from the integer ratio: the angle is reduced to an eighth of a turn before it is formed. */
fg_wide fg_root(uint64_t m, uint64_t n);

/* Forward DFT of n points in place; n of any factors (time ∝ n·Σ factors).  0, or −1 on lack of memory. */
int fg_wide_dft(fg_wide *x, size_t n);

#endif
