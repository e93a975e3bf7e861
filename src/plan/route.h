/* route.h: host or GPU, now or later? */
#ifndef FG_ROUTE_H
#define FG_ROUTE_H

#include "src/cost/model.h"
#include "src/plan/prepare.h"
#include "src/run/target.h"

enum fg_way_to_go {
  FG_ROUTE_HOST,    /* the real FFTW */
  FG_ROUTE_WAIT,    /* the real FFTW first; the GPU when the executions so far would have paid for it */
  FG_ROUTE_MEASURE, /* both are to be timed */
  FG_ROUTE_GPU
};

typedef struct {
  enum fg_way_to_go way;
  const char *reason;      /* a few words, for the report */
  const fg_target *target; /* of GPU and MEASURE, else NULL */
  enum fg_memory memory;   /* where the arrays lie */
  double host, gpu;        /* seconds of one execution, estimated or measured before; 0 if nobody asked */
  bool measured;           /* both are, or were found to be the GPU's */
} fg_route;

/* Decide for p.  Opens the device only for a problem that is worth it. */
fg_route fg_route_of(const fg_problem *p);

/* The same, but the device is neither opened nor asked for: target is NULL. */
fg_route fg_route_look(const fg_problem *p);

/* Why p must be the host's whatever the settings say, in a few words; NULL if it need not. */
const char *fg_route_must_host(const fg_problem *p);

/* Executions until the GPU would be started for p alone, if it goes on to wait. */
double fg_route_waits_for(const fg_problem *p, const fg_route *r);

/* fg_prepare's question: with passes that take so long the host is faster, as far as it is not known better.  context: the
 * fg_route that was decided on. */
const char *fg_route_objection(const void *context, const fg_problem *p, const fg_forecast *);

#endif
