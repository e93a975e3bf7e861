/* route.h: host or GPU? */
#ifndef FG_ROUTE_H
#define FG_ROUTE_H

#include "src/problem/problem.h"
#include "src/run/target.h"

typedef struct {
  const fg_target *target; /* NULL: the host */
  const char *reason;      /* a few words, for the report */
} fg_route;

/* Decide for p.  Opens the device only for a problem that is worth it. */
fg_route fg_route_of(const fg_problem *p);

/* Why p must be the host's whatever the settings say, in a few words; NULL if it need not. */
const char *fg_route_must_host(const fg_problem *p);

/* Why FFTW3_GPU=auto would leave p on the host, in a few words; NULL if it would try the GPU. */
const char *fg_route_host_reason(const fg_problem *p);

/* Estimated seconds of one execution by the real FFTW, and through the GPU with both copies. */
double fg_route_host_seconds(const fg_problem *p);
double fg_route_gpu_seconds(const fg_problem *p);

#endif
