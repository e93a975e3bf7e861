/* host.h: the real FFTW, as src/ sees it: a table that compat/ fills.  One for each precision. */
#ifndef FG_HOST_H
#define FG_HOST_H

#include "src/problem/problem.h"

typedef void *fg_host_plan; /* a plan made by the real FFTW */

typedef struct {
  /* Plan p with the given flags on arrays a (the leaf guru64 planner of p's kind and format).  NULL if the real FFTW
   * says NULL or is not there.  Takes the planner lock itself. */
  fg_host_plan (*plan)(const fg_problem *p, const fg_arrays *a, unsigned flags);
  /* Execute on a's arrays (the new-array execute of p's kind and format). */
  void (*execute)(fg_host_plan plan, const fg_problem *p, const fg_arrays *a);
  void (*destroy)(fg_host_plan plan);
  /* Whether nobody has the planner just now, so that a plan would not wait for another's.  NULL: always. */
  bool (*idle)(void);
  char *(*sprint)(fg_host_plan plan); /* malloc'd, or NULL */
  /* Version text of the real FFTW and the path of the file it lives in; NULL if it was not found. */
  const char *(*version)(void);
  const char *(*path)(void);
} fg_host;

/* compat registers its table before the first plan; NULL until then. */
void fg_host_register(enum fg_precision precision, const fg_host *host);
const fg_host *fg_host_of(enum fg_precision precision);

#endif
