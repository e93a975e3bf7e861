/* real_fftw.h: the real FFTW behind plans of ours, for tests that link it. */
#ifndef FG_TEST_REAL_FFTW_H
#define FG_TEST_REAL_FFTW_H

#include "arrays.h"
#include "src/plan/plan.h"

/* Register it as the host of the precision that the test is of (numbers.h). */
void test_real_fftw(void);

/* How often a plan of the host was executed so far; and by the calling thread. */
int test_real_fftw_executions(void);
int test_real_fftw_executions_here(void);

/* The flags of the plan of the host that was made last. */
unsigned test_real_fftw_flags(void);

/* Plans of the host that are alive. */
int test_real_fftw_plans(void);

/* What the real FFTW makes of p on a's arrays, planned as a fallback is; a's arrays are the same afterwards but for the
 * output. */
void test_real_fftw_execute(const fg_problem *p, const fg_arrays *a);

#endif
