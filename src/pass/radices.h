/* radices.h: which lengths the butterflies can do, and in which stages. */
#ifndef FG_RADICES_H
#define FG_RADICES_H

#include "src/pass/pass.h"

/* Butterflies exist for every length from 2 to 64 (cuda/kernel/butterfly.h); in double precision, where points take twice
 * the registers, for those to 32 and the primes to 43: from 47 on a thread's do not hold them.  *Large* are the composite
 * ones beyond 32, of single precision, which leave few threads: fg_radix_exists is false for them, since smooth lengths
 * do without, and who wants them asks for their lists. */
enum { FG_MAX_RADIX = 64 };
bool fg_radix_exists(int r, enum fg_precision);
bool fg_radix_large(int r);
bool fg_radix_either(int r, enum fg_precision); /* exists, or is large in single precision */

typedef struct {
  int stages, radix[FG_MAX_STAGES]; /* largest first */
  int squares;                      /* sum of squares: small when the radices are alike */
} fg_radix_list;

/* n is a product of radices. */
bool fg_smooth(ptrdiff_t n, enum fg_precision);

/* Taste: as a convolution's points they are better permuted than padded with a chirp.  Primes beyond 32, long sums of products by
 * few threads, are not: of 78 problems of 83 to 10623 points with one of 37 to 61 (single precision, an H100) chirps were 1.6 times
 * as fast in the mean, to 3.3, and of nine, all of 37 and 41, to 1.3 times as slow; of 52 of 17 to 31 0.88 times as fast; of 12 in
 * double precision 1.34, to 3.5, and of three to 1.14 times as slow. */
bool fg_radices_permute(ptrdiff_t n);

/* The largest odd radix up to most that divides n, leaves something of it, and has a butterfly of reals
 * (cuda/kernel/real_butterfly.h); 0: none. */
int fg_real_radix(ptrdiff_t n, enum fg_precision, int most);

/* The best ways to write n as a product of radices, at most max of them: fewest stages first, then the most equal
 * radices, which keep all threads busy in every stage.  Returns how many; 0 if n is not smooth.  n = 1 has one: a
 * single stage of radix 1. */
int fg_radix_lists(ptrdiff_t n, enum fg_precision, fg_radix_list *list, int max);

/* Those with a large radix; none in double precision. */
int fg_radix_large_lists(ptrdiff_t n, enum fg_precision, fg_radix_list *list, int max);

#endif
