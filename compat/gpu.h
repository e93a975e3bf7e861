/* gpu.h: what the files behind fftw3_gpu.h share. */
#ifndef FG_COMPAT_GPU_H
#define FG_COMPAT_GPU_H

#include "cuda/backend.h"
#include "fftw3_gpu.h"

/* A backend's code as one of fftw3_gpu.h. */
int fg_gpu_code(int code);

/* FFTW3_GPU_ERROR_ARGUMENT, with that message. */
int fg_gpu_refuse(const char *why);

#endif
