/* convert.h: reals from one precision to the other, at the speed of memory.
 *
 * Rounded to nearest, whatever the program's rounding mode, and without a trace in its floating-point flags: no trap
 * that it has set is sprung. What is too large for single precision becomes infinity; what is not a number stays so;
 * below FLT_MIN numbers become 0 of their sign on x86, many of whose processors are slow at such ones, and are rounded
 * elsewhere. What is narrowed is measured on the way: the largest magnitude tells whether such things matter (range.h). */
#ifndef FG_CONVERT_H
#define FG_CONVERT_H

#include <stdbool.h>
#include <stddef.h>

/* Around all of the calls below: the arithmetic that they need, and the thread's own again. */
#ifdef __x86_64__
typedef unsigned fg_arithmetic;
#else
#include <fenv.h>
typedef fenv_t fg_arithmetic;
#endif
fg_arithmetic fg_convert_begin(void);
void fg_convert_end(fg_arithmetic);

/* Neighbouring reals. Past the cache: as fg_copy_past_cache (src/run/host/copy.h). Narrowing returns the largest magnitude
 * of what was narrowed; what is not a number has none. On x86 what is below DBL_MIN counts as 0 in arithmetic here, but of nothing
 * larger the magnitude is DBL_MIN. */
double fg_convert_narrow(float *to, const double *from, size_t reals, bool past_cache);
void fg_convert_widen(double *to, const float *from, size_t reals, bool past_cache);

/* Elements of 1 or 2 reals, some reals apart on both sides. */
typedef struct {
  ptrdiff_t count, unit; /* elements; reals in each */
  ptrdiff_t to, from;    /* strides, in reals */
} fg_convert_row;

double fg_convert_narrow_row(float *to, const double *from, fg_convert_row);
void fg_convert_widen_row(double *to, const float *from, fg_convert_row);

/* The best instructions that may be used, where the processor has them; for tests. */
enum fg_instructions { FG_PORTABLE, FG_SSE2, FG_AVX, FG_AVX512 };
extern enum fg_instructions fg_convert_most;

#endif
