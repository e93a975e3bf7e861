/* measure.h: FFTW_MEASURE and above: the real FFTW and the device are both timed, and the faster one is kept.
 *
 * On scratch data of the same layout, alignment and kind of memory, never on the program's arrays. */
#ifndef FG_MEASURE_H
#define FG_MEASURE_H

#include "src/plan/host.h"
#include "src/plan/route.h"
#include "src/run/program.h"

/* fftwf_set_timelimit, of that precision: seconds that planning may take; negative: no limit. */
void fg_measure_limit(enum fg_precision, double seconds);

/* When the time is over for planning p, which began then; INFINITY: never. */
double fg_measure_until(const fg_problem *p, double began);

/* Whether the time limit, less what has passed, allows what timing both sides is expected to take. */
bool fg_measure_affordable(const fg_problem *p, const fg_route *r, double passed);

/* Time made, the real FFTW's plan of p, and a program on r->target; planning began then.  True if both were: *program
 * is then the device's, or NULL where the host was faster; r's reason and times say so, and wisdom keeps it.  False,
 * and nothing is known, where time or memory does not allow it, or the device cannot do it. */
bool fg_measure(const fg_problem *p, fg_host_plan made, double began, fg_route *r, fg_program **program);

#endif
