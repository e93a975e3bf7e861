/* tune.h: what the files of `fftw3-gpu tune` share. */
#ifndef FG_TUNE_H
#define FG_TUNE_H

#include "src/cost/calibration.h"
#include "src/pass/choice.h"
#include "src/problem/problem.h"

/* Fill in what was measured; what could not be keeps its value.  A message says why. */
void fg_tune_host(fg_calibration *c);
void fg_tune_device(fg_calibration *c, fg_machine *m);

/* value, if it is a number and within a factor of a thousand of what c has there; else that stays. */
void fg_tune_set(double *coefficient, double value);

typedef struct {
  double seconds;     /* at most; 0: no limit */
  int most;           /* geometries of a pass, before the variants of the fastest */
  bool all;           /* print all, not only what is faster */
  bool twice;         /* in double precision */
  const fg_choice *these; /* geometries to try, and how many: those that a pass can have, instead of the likeliest */
  int given;
  const char *output; /* a file; NULL: stdout */
} fg_tune_options;

/* Time geometries of the problems' passes (none: of the peers suite).  Exit status. */
int fg_tune_geometry(const fg_tune_options *, int count, char **problems);

/* A problem of ours, never NULL. */
fg_problem *fg_tune_problem(const char *text);

/* Median seconds of execute(what), in a run of about a fifth of a second, with three executions at least; negative if
 * one failed. */
double fg_tune_median(bool (*execute)(void *what), void *what);

#endif
