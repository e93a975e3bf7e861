/* places.h: rows of real to real kinds of odd length as sequences of reals, or spectra of such, in another order
 * (cuda/kernel/rows.h). */
#ifndef FG_PLACES_H
#define FG_PLACES_H

#include "src/pass/pass.h"

/* Where the t->length elements of a row, FG_TABLE_PLACES, are when it is loaded, then when it is stored: its position in the
 * sequence, or 2k for the real part of bin k, 2k + 1 for the imaginary one; of kinds whose results are both, the sum or the
 * difference of these.  ~ that, where it is the negative. */
void fg_places_put(int *entries, const fg_table *t);

#endif
