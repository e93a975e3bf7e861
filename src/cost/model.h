/* model.h: what a transform of host data takes, in seconds, by the real FFTW and through the GPU: estimates from a
 * handful of coefficients, good to a factor of two on the host and to a fifth on the GPU (tests/unit/test_model.c). */
#ifndef FG_MODEL_H
#define FG_MODEL_H

#include "src/cost/calibration.h"
#include "src/problem/problem.h"

/* Where the program's arrays lie: blocks of fftwf_malloc that DMA reaches, or anywhere else. */
enum fg_memory { FG_MEMORY_FOREIGN, FG_MEMORY_OWN };

/* Of p's arrays as planned. */
enum fg_memory fg_model_memory(const fg_problem *p);

/* One execution by the real FFTW with p's threads, planned with p's patience. */
double fg_model_host_seconds(const fg_calibration *c, const fg_problem *p);

/* The same if planning with patience does not find that one thread would be done sooner, as under a time limit. */
double fg_model_host_most(const fg_calibration *c, const fg_problem *p);

/* Its arrays together are larger than the last cache. */
bool fg_model_past_cache(const fg_calibration *c, const fg_problem *p);

/* One execution through the GPU, both copies included; device: seconds that its passes take, negative if they are not
 * known yet. */
double fg_model_gpu_seconds(const fg_calibration *c, const fg_problem *p, enum fg_memory memory, double device);

/* Opening the device: the driver lets the processes of an MPI program that share one, and come to it together, in one by one. */
double fg_model_start_seconds(const fg_calibration *c);

/* Seconds of the processor that planning takes before anything is compiled: the tables of long convolutions. */
double fg_model_table_seconds(const fg_problem *p);

/* Bytes of the problem's elements on that side, in the program's memory. */
double fg_model_bytes(const fg_problem *p, enum fg_side side);

#endif
