/* cuda_nvrtc.h: NVRTC, NVIDIA's compiler at run time, loaded by name the first time it is needed.
 *
 * Looked for in this order: the file that the environment variable FFTW3_GPU_NVRTC names (then nowhere else);
 * libnvrtc.so.13, .12 and libnvrtc.so as the loader finds them; the folder that configure recorded; lib64 of CUDA_HOME
 * and CUDA_PATH.  A version newer than the driver comes last, because the driver may refuse its output. */
#ifndef FG_CUDA_NVRTC_H
#define FG_CUDA_NVRTC_H

#include <stddef.h>

/* What every compilation is asked for, beside the architecture; a second one of what did not fit the registers; and a third of
 * what the compiler has made wrong (fg_usage), which is refused if that does not help.
 * OPTIONS is what keys have of it: a change of that rule has to change them, too. */
#define FG_NVRTC_STANDARD "--std=c++17"
#define FG_NVRTC_FUSED "--fmad=true"
#define FG_NVRTC_SPARING "--ptxas-options=--register-usage-level=0"
#define FG_NVRTC_CAREFUL "--ptxas-options=-O1"
#define FG_NVRTC_OPTIONS                                                                            \
  FG_NVRTC_STANDARD " " FG_NVRTC_FUSED ", where it spills and that helps " FG_NVRTC_SPARING         \
                    ", where it is wrong and that helps " FG_NVRTC_CAREFUL

/* Version of NVRTC, 1000·major + 10·minor, or FG_ECOMPILE if there is none (the message says where we looked). */
int fg_nvrtc_version(void);

/* The driver's version in the same form, for the choice above.  Only before the first call of the other functions. */
void fg_nvrtc_for_driver(int version);

/* What a compilation for architecture arch (90) depends on besides its text: target and options as one line. */
int fg_nvrtc_options_text(int arch, char *text, size_t size);

/* Compile text, named source_name in messages, with defines (lines of "#define …") in front; it may include any of the
 * embedded kernel sources.  A malloc'd cubin for arch (90) in *cubin, or PTX if this NVRTC does not know arch itself.
 * FG_ECOMPILE: the message is the head of the compiler's log; the whole of it is logged at debug level. */
int fg_nvrtc_compile(const char *source_name, const char *text, const char *defines, int arch, void **cubin,
                     size_t *bytes);

/* The same for an architecture that this NVRTC knows, and the PTX on the way to the cubin, ended by a zero. */
typedef struct {
  void *cubin, *ptx;
  size_t cubin_bytes, ptx_bytes;
} fg_nvrtc_output;
int fg_nvrtc_compile_both(const char *source_name, const char *text, const char *defines, int arch, fg_nvrtc_output *);

/* The kernel source of that name, or the text itself if it has a newline; NULL if there is none. */
const char *fg_nvrtc_source(const char *source);

#endif
