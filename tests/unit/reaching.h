/* reaching.h: passes that reach the program's arrays on the simulated device with the arrays' own strides. */
#ifndef FG_TEST_REACHING_H
#define FG_TEST_REACHING_H

#include "src/pass/pass.h"
#include "src/problem/problem.h"

/* Host memory that arrays are in. */
typedef struct {
  char *memory;
  size_t bytes;
} test_span;

/* From then on arrays are as far from alignment as they may be, one of their reals: kernels reach those real by real. */
extern bool test_reach_apart;

/* Plan p for arrays on a device. */
bool test_plan_reaching(const fg_problem *p, bool in_place, const fg_device_info *, fg_passes *list, const char **why);

/* Bring the spans to the device, run the passes on the arrays at a there, bring the spans back.  Ends the test if they
 * do not run. */
void test_run_reaching(const fg_problem *p, const fg_passes *, const fg_arrays *a, const test_span *spans, int count);

#endif
