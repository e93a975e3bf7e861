/* told_time.h: a clock that only executions move, and coefficients under which small problems are worth waiting. */
#ifndef FG_TEST_TOLD_TIME_H
#define FG_TEST_TOLD_TIME_H

#include "src/cost/calibration.h"

/* From now on each execution of the real FFTW, and each launch on sim, takes the thread that asks for it so many seconds,
 * and nothing else takes any. */
void test_time(double host, double launch);

/* A slow host, a fast GPU: 360 * 30 points take about half a millisecond and nearly nothing.  Starting it takes start seconds,
 * planning plan seconds. */
const fg_calibration *test_coefficients(double start, double plan);

/* A problem that they are good for. */
#define TEST_WAITS "oc360*30"

#endif
