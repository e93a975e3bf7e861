/* double_dft.h: long transforms on the processor, for tables of single precision. */
#ifndef FG_DOUBLE_DFT_H
#define FG_DOUBLE_DFT_H

#include <stddef.h>

typedef struct {
  double re, im;
} fg_double;

/* Forward DFT of n points in place; n of any factors (time ∝ n·Σ factors).  0, or −1 on lack of memory or because the
 * process ends. */
int fg_double_dft(fg_double *x, size_t n);

#endif
