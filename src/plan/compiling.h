/* compiling.h: kernels that are compiled behind the program's back, so that planning is short. */
#ifndef FG_COMPILING_H
#define FG_COMPILING_H

#include "src/pass/pass.h"
#include "src/run/target.h"

/* Have the kernels of passes, which are not there yet, compiled and loaded by the background thread, and wait for that,
 * but not longer than fg_compiling_patience.  False if it takes longer: it goes on, before whatever that thread is
 * given later.  True also if it failed or no thread can be had: who needs the kernels then finds out why. */
bool fg_compiling_done(const fg_target *, const fg_passes *passes);

/* Seconds that planning with FFTW_ESTIMATE may wait for a compiler.  0.15; tests set it. */
extern double fg_compiling_patience;

#endif
