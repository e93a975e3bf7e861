/* variant.h: what a test program that is compiled more than once is about: one precision, or (TEST_WIDE) arrays of
 * doubles on the device that are computed with in single precision. */
#ifndef FG_TEST_VARIANT_H
#define FG_TEST_VARIANT_H

#include "src/problem/problem.h"

#ifndef TEST_PRECISION
#define TEST_PRECISION FG_SINGLE
#endif
#ifndef TEST_WIDE
#define TEST_WIDE 0
#endif
static const enum fg_precision PRECISION = TEST_PRECISION, ARRAYS = TEST_WIDE ? FG_DOUBLE : TEST_PRECISION;

#endif
