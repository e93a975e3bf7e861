/* numbers.h: what the program's arrays hold and what the device computes in, as the build of a test says: single
 * precision, or (TEST_AS_SINGLE) doubles that are computed in single precision. */
#ifndef FG_TEST_NUMBERS_H
#define FG_TEST_NUMBERS_H

#include "random_problem.h"

#ifdef TEST_AS_SINGLE
typedef double test_number;
#define TEST_ARRAYS FG_DOUBLE
#define TEST_FFTW(name) fftw_##name
#else
typedef float test_number;
#define TEST_ARRAYS FG_SINGLE
#define TEST_FFTW(name) fftwf_##name
#endif

/* DMA may reach arrays of such numbers. */
#define TEST_REACHED (TEST_ARRAYS == FG_SINGLE)

/* test_problem of such numbers. */
static inline fg_problem *test_problem_of_numbers(const char *text) {
  fg_problem *p = test_problem(text, TEST_ARRAYS);
  p->compute = FG_SINGLE;
  return p;
}

#endif
