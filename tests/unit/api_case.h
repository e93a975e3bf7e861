/* api_case.h: small transforms through fftw3_gpu.h; kernels on the processor.
 *
 * Every test is a process of its own (Check's fork mode) that chooses its settings before its first call. */
#ifndef FG_TEST_API_CASE_H
#define FG_TEST_API_CASE_H

#include <fftw3.h>
#include <fftw3_gpu.h>

#include "suite.h"

enum { N = 60, BATCH = 7, POINTS = N * BATCH };

/* The value of FFTW3_GPU, with sim as the backend; forced: "force". */
void api_choose(const char *mode);
void api_forced(void);

/* An array of fftwf_malloc, and one on the device with the same content (NULL: any). */
fftwf_complex *api_numbers(int seed);
void *api_on_device(const void *content);

/* BATCH forward transforms of N points, one behind the other. */
fftwf_plan api_plan(fftwf_complex *in, fftwf_complex *out, unsigned flags);

/* y is what such a plan makes of x. */
void ck_transform(const fftwf_complex *x, const fftwf_complex *y);

/* A function of fftw3_gpu.h returned 0. */
void ck_done(int code);

#endif
