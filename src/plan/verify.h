/* verify.h: FFTW3_GPU_VERIFY: the real FFTW beside an execution on the device. */
#ifndef FG_VERIFY_H
#define FG_VERIFY_H

#include "src/plan/plan.h"

typedef struct fg_verify fg_verify;

/* The largest relative L2 error that p may have; 0: it is not verified. */
double fg_verify_tolerance(const fg_problem *p);

/* Keep a copy of the input.  NULL when the batch is empty or there is no memory: then nothing is verified. */
fg_verify *fg_verify_begin(const fg_problem *p, const fg_arrays *a);

/* Run the real FFTW on the copy and return ‖ours − theirs‖ / ‖theirs‖ (negative if it could not run); above tolerance
 * its result replaces ours.  Frees v. */
double fg_verify_end(fg_verify *v, fg_plan *plan, const fg_arrays *a, double tolerance);

#endif
