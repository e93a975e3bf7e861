/* learn.h: what a process measures anyway (host and device times of waiting plans, the device's start, planning)
 * corrects the model for the next one.
 *
 * Within a process nothing changes: plans of one run are decided alike.  When it ends, normally and after enough work,
 * and the estimates were off, corrected coefficients are kept in a file beside the calibration's; a machine that was
 * measured by `fftw3-gpu tune` is left at that.  Nothing is learned from sim. */
#ifndef FG_LEARN_H
#define FG_LEARN_H

#include "src/cost/calibration.h"

/* Planning on the device took so long, with kernels to compile, beside what the tables took. */
void fg_learn_planning(double seconds);

/* What the accounts and times of planning make of c: false if that is too little, or not worth a file.  start: seconds
 * that opening the device took; 0: not known. */
bool fg_learn_from(const fg_calibration *c, double start, fg_calibration *learned);

/* What is done when the process ends. */
void fg_learn_keep(void);

#endif
