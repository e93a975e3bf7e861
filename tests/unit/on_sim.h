/* on_sim.h: passes, also of real data, run on the simulated device and compared with the reference. */
#ifndef FG_TEST_ON_SIM_H
#define FG_TEST_ON_SIM_H

#include "dice.h"
#include "src/pass/pass.h"
#include "src/problem/problem.h"
#include "src/run/target.h"

/* Settings for the whole program: everything that can goes to sim, whose violations abort.  To be called in main. */
void test_choose_sim(void);

/* The same with no thread to copy but the executing one, for what is about kernels: others would only spin while sim, in the
 * executing thread, computes. */
void test_choose_sim_alone(void);

const fg_target *test_target(void);

/* Run passes, planned for p, on random numbers.  Returns the relative error; ends the test if they do not run, or write
 * anything but the output. */
double test_passes_error(fg_problem *p, const fg_passes *passes, dice *d);

/* The same in place, or on arrays that begin at a guard page. */
double test_placed_error(fg_problem *p, const fg_passes *passes, bool in_place, bool at_start, dice *d);

/* The error that is allowed: a rounding for each level of the transform, random in sign, and some for the rest. */
double test_allowed_error(const fg_problem *p, const fg_passes *passes);

#endif
