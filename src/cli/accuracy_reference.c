/* accuracy_reference.c: the transform in a precision better than double: x86's long double has 64 bits, others more. */
#include <float.h>
#include <stdlib.h>

#include "src/cli/accuracy.h"
#include "src/cli/fftw.h"

#if LDBL_MANT_DIG <= DBL_MANT_DIG
#define LONG_IS_DOUBLE 1
#else
#define LONG_IS_DOUBLE 0
#endif

static const fg_fftw *the_fftw(void) {
  static bool threads;
  const fg_fftw *f = fg_fftw_get(FG_FFTW_LONG);
  if (f && !threads) fg_fftw_use_threads(FG_FFTW_LONG);
  threads = true;
  return f;
}

const char *fg_accuracy_reference_name(void) {
  return the_fftw() ? "long double FFTW" : "the definition in long double (no libfftw3l.so.3)";
}

const char *fg_accuracy_reference(const fg_problem *p, const fg_layout *in, const fg_layout *out, long double *from,
                                  long double *to) {
  const fg_fftw *f = the_fftw();
  if (LONG_IS_DOUBLE) return "this machine has nothing better than double precision";
  if (!f) return fg_accuracy_sums(p, in, out, from, to);
  return fg_fftw_transform(f, p, in, out, from, to) ? NULL : "no memory, or no plan of long double FFTW";
}
