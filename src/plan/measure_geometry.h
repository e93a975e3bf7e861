/* measure_geometry.h: FFTW_MEASURE and above: the geometry of a plan's passes, too, is measured (src/plan/tuning.h), and
 * kept with wisdom, as entries of its list:
 *
 *     (geometry:ARCHITECTURE:KEY PATIENCE CHOICE)      src/pass/choice.h */
#ifndef FG_MEASURE_GEOMETRY_H
#define FG_MEASURE_GEOMETRY_H

#include <stdio.h>

#include "src/run/program.h"

/* A program for p with the best geometry that p's patience and the time until then (fg_clock_seconds) allow to find:
 * program itself, or one in its place.  Nothing is measured with FFTW_ESTIMATE, nor on sim, whose times mean nothing
 * (but for tests, see below). */
fg_program *fg_measure_geometry(const fg_target *, const fg_problem *p, double until, fg_program *program);
extern bool fg_measure_geometry_on_sim;

/* The entries of passes that compute in that precision: write them, and how many; forget them. */
int fg_measure_geometry_export(FILE *f, enum fg_precision);
void fg_measure_geometry_forget(enum fg_precision);

/* An entry whose first word is problem, with what follows its patience; false if it is none.  *length: with its
 * parenthesis. */
bool fg_measure_geometry_import(const char *problem, int patience, const char *rest, int *length);

#endif
