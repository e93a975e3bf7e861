/* precision.h: the one place that knows for which of FFTW's precisions a file of compat/ is compiled.
 *
 * The other files write X(name) for FFTW's public C name, F77(name) for the legacy Fortran one, FG(name) for what is
 * private to the precision, R and C for its numbers.  They are compiled twice, with and without FG_COMPAT_DOUBLE.
 * translate.c, lock.c, source.c, begin.c and gpu_*.c serve both precisions and are compiled once. */
#ifndef FG_COMPAT_PRECISION_H
#define FG_COMPAT_PRECISION_H

#include <fftw3.h>

#include "src/problem/problem.h"

#ifdef FG_COMPAT_DOUBLE

#define X(name) fftw_##name
#define FG(name) fg_double_##name
#define F77(name) dfftw_##name##_
#define F77_TWO(name) dfftw_##name##__ /* compilers of g77's kind add a second underscore */
#define GPU(name) fftw3_gpu_##name##_double /* of fftw3_gpu.h, where it needs to know the precision of plans */

typedef double R;
typedef fftw_complex C;

#define FG_PRECISION FG_DOUBLE
#define FG_LIBRARY "libfftw3" /* file name of the real library, up to the first '.' or '_' */
#define FG_CONFIGURED_PATH FFTW3_PATH

#else

#define X(name) fftwf_##name
#define FG(name) fg_single_##name
#define F77(name) sfftw_##name##_
#define F77_TWO(name) sfftw_##name##__
#define GPU(name) fftw3_gpu_##name

typedef float R;
typedef fftwf_complex C;

#define FG_PRECISION FG_SINGLE
#define FG_LIBRARY "libfftw3f"
#define FG_CONFIGURED_PATH FFTW3F_PATH

#endif

/* The names of a macro's expansion, as text. */
#define FG_TEXT_OF(name) #name
#define FG_TEXT(name) FG_TEXT_OF(name)

#define FG_HIDDEN __attribute__((visibility("hidden")))

/* From 3.3.9 on, the last from 3.3.11; older headers do not declare them. */
int X(planner_nthreads)(void);
void X(threads_set_callback)(void (*parallel_loop)(void *(*work)(char *), char *jobdata, size_t elsize, int njobs, void *data),
                             void *data);
X(plan) X(copy_plan)(X(plan) p);

#endif
