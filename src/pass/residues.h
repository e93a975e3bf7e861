/* residues.h: the multiplicative group of residues modulo a prime, in whose order prime lengths are convolutions. */
#ifndef FG_RESIDUES_H
#define FG_RESIDUES_H

#include <stdbool.h>
#include <stddef.h>

bool fg_is_prime(ptrdiff_t n);

/* base^exponent mod n, n < 2^31. */
ptrdiff_t fg_power_modulo(ptrdiff_t base, ptrdiff_t exponent, ptrdiff_t n);

/* The smallest number whose powers are all residues of the prime p but 0; p < 2^31. */
ptrdiff_t fg_generator(ptrdiff_t p);

#endif
