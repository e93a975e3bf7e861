/* notation.h: problems as text, in the notation of FFTW's own test program (its tests/README), e.g. ic64x64x64*27. */
#ifndef FG_NOTATION_H
#define FG_NOTATION_H

#include "src/problem/problem.h"

/* The r2r kinds' letters, in the order of FFTW's fftw_r2r_kind. */
enum { FG_NOTATION_KINDS = 11 };
extern const char *const fg_notation_kinds[FG_NOTATION_KINDS];

/* Write p into text[0..size): placement i/o, kind c/r/k, sign f/b, the transform dimensions, then *v batch dimensions,
 * with explicit strides (":is:os", in the units of that notation) only where they are not the contiguous default.
 * Split problems begin with '/'.  Batch dimensions of one point are left out.  A stride of zero is printed as it is but
 * reads as the default: the notation cannot say it.  Always terminated; cut with "..." when it does not fit.  False if it is
 * cut, or there are more than 64 dimensions, of which it says nothing: others may have the same text. */
bool fg_notation_print(const fg_problem *p, char *text, size_t size);

/* Parse text into a new problem with contiguous (or the given) strides.  Its arrays are made-up addresses, never to be
 * followed, that tell the placement: equal in place, otherwise side by side.  Split backward problems become what FFTW
 * makes of them: forward with real and imaginary parts swapped.  On error NULL, and why[0..size) says what is wrong and
 * where.  The caller frees the problem. */
fg_problem *fg_notation_parse(const char *text, enum fg_precision precision, char *why, size_t size);

#endif
