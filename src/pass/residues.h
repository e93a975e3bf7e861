/* residues.h: the multiplicative group of residues modulo a prime, in whose order prime lengths are convolutions. */
#ifndef FG_RESIDUES_H
#define FG_RESIDUES_H

#include "src/pass/pass.h"

bool fg_is_prime(ptrdiff_t n);

/* The largest prime factor, in up to as many steps; of 1 it is 2. */
ptrdiff_t fg_largest_factor(ptrdiff_t n);

/* base^exponent mod n, n < 2^31. */
ptrdiff_t fg_power_modulo(ptrdiff_t base, ptrdiff_t exponent, ptrdiff_t n);

/* The smallest number whose powers are all residues of the prime p but 0; p < 2^31. */
ptrdiff_t fg_generator(ptrdiff_t p);

/* A cyclic convolution of N points in stages: where the product of those before a stage is coprime to the product of the
 * rest, a group begins, and the transform is one over residues modulo the groups' sizes, with no twiddles between groups
 * (Good 1958).  The stages' order is as in cuda/kernel/stage.h: the first reads with the largest step. */
typedef struct {
  int count, size[FG_MAX_STAGES];
  int first[FG_MAX_STAGES]; /* of stage s: the first of its group */
} fg_coprime_groups;
fg_coprime_groups fg_coprime_groups_of(const int *radix, int stages);

/* Those of a pass that is a permuted convolution: one, if its points are padded. */
fg_coprime_groups fg_pass_groups(const fg_pass *p);

/* The index in the convolution of the point that the stages have at k, and of the spectrum at m: 0 … N − 1. */
ptrdiff_t fg_coprime_index(const fg_coprime_groups *, ptrdiff_t k);
ptrdiff_t fg_coprime_bin(const fg_coprime_groups *, ptrdiff_t m);

#endif
