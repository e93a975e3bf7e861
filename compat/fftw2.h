/* fftw2.h: FFTW 2, whose libraries have functions of the same names as FFTW 3 in double precision, for plans and wisdom of its own.
 * A program that is linked to it and runs under this library goes on with it. */
#ifndef FG_COMPAT_FFTW2_H
#define FG_COMPAT_FFTW2_H

#include "compat/precision.h"

/* FFTW 2's function of that name, if it is FFTW 2 that the caller at that address means: a library of FFTW 2, or who is linked to
 * one; else NULL. */
void *fg_fftw2(const char *name, const void *caller);

/* At the beginning of a function that FFTW 2 has, too: leave it for that one, with the same arguments. */
#ifdef FG_COMPAT_DOUBLE
#define FG_FFTW2_FUNCTION(name) (__typeof__(X(name)) *)fg_fftw2(FG_TEXT(X(name)), __builtin_return_address(0))
#define FG_FFTW2(name, ...)                                                                                            \
  do {                                                                                                                 \
    __typeof__(X(name)) *const theirs = FG_FFTW2_FUNCTION(name);                                                       \
    if (theirs) return theirs(__VA_ARGS__);                                                                            \
  } while (0)
#define FG_FFTW2_DO(name, ...)                                                                                         \
  do {                                                                                                                 \
    __typeof__(X(name)) *const theirs = FG_FFTW2_FUNCTION(name);                                                       \
    if (theirs) {                                                                                                      \
      theirs(__VA_ARGS__);                                                                                             \
      return;                                                                                                          \
    }                                                                                                                  \
  } while (0)
#else
#define FG_FFTW2(...) ((void)0)
#define FG_FFTW2_DO(...) ((void)0)
#endif

#endif
