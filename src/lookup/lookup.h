/* lookup.h: what libfftw3_gpu_lookup.so asks libfftw3_gpu.so. */
#ifndef FG_LOOKUP_H
#define FG_LOOKUP_H

/* The library's function of that name if address is in the real FFTW behind it, and caller is not one that it calls as
 * FFTW; else NULL: another copy of FFTW is left to who opened it.  For each precision, by name, through dlsym. */
void *fftw3_gpu_instead_of(const char *name, const void *address, const void *caller);
void *fftw3_gpu_instead_of_double(const char *name, const void *address, const void *caller);
typedef void *fg_instead_function(const char *name, const void *address, const void *caller);
#define FG_INSTEAD_NAME "fftw3_gpu_instead_of"
#define FG_INSTEAD_DOUBLE_NAME "fftw3_gpu_instead_of_double"

#endif
