/* fortran.c: the legacy Fortran names of everything but planners.
 *
 * Every argument is a reference, results come first, a plan is a variable of eight bytes.  The real library's executes
 * of this family look into the plan, so none of them may ever see one of ours. */
#include "config.h"

#include "compat/fortran.h"

#include <stdio.h>

/* ---- plans ------------------------------------------------------------------------------------------------------- */

FORTRAN(execute, (X(plan) *const p)) { X(execute)(*p); }

FORTRAN(execute_dft, (X(plan) *const p, C *in, C *out)) { X(execute_dft)(*p, in, out); }

FORTRAN(execute_split_dft, (X(plan) *const p, R *ri, R *ii, R *ro, R *io)) {
  X(execute_split_dft)(*p, ri, ii, ro, io);
}

FORTRAN(execute_dft_r2c, (X(plan) *const p, R *in, C *out)) { X(execute_dft_r2c)(*p, in, out); }

FORTRAN(execute_split_dft_r2c, (X(plan) *const p, R *in, R *ro, R *io)) { X(execute_split_dft_r2c)(*p, in, ro, io); }

FORTRAN(execute_dft_c2r, (X(plan) *const p, C *in, R *out)) { X(execute_dft_c2r)(*p, in, out); }

FORTRAN(execute_split_dft_c2r, (X(plan) *const p, R *ri, R *ii, R *out)) { X(execute_split_dft_c2r)(*p, ri, ii, out); }

FORTRAN(execute_r2r, (X(plan) *const p, R *in, R *out)) { X(execute_r2r)(*p, in, out); }

FORTRAN(destroy_plan, (X(plan) *p)) { X(destroy_plan)(*p); }

/* From FFTW 3.3.11 on. */
FORTRAN(copy_plan, (X(plan) *copy, X(plan) *const p)) { *copy = X(copy_plan)(*p); }

/* Fortran has buffers of its own: the text goes out before the program's next write. */
FORTRAN(print_plan, (X(plan) *const p)) {
  X(print_plan)(*p);
  fflush(stdout);
}

FORTRAN(flops, (X(plan) *const p, double *add, double *mul, double *fma)) { X(flops)(*p, add, mul, fma); }

FORTRAN(estimate_cost, (double *cost, X(plan) *const p)) { *cost = X(estimate_cost)(*p); }

FORTRAN(cost, (double *cost, X(plan) *const p)) { *cost = X(cost)(*p); }

/* ---- planner state ----------------------------------------------------------------------------------------------- */

FORTRAN(cleanup, (void)) { X(cleanup)(); }

FORTRAN(set_timelimit, (double *t)) { X(set_timelimit)(*t); }

FORTRAN(init_threads, (int *okay)) { *okay = X(init_threads)(); }

FORTRAN(cleanup_threads, (void)) { X(cleanup_threads)(); }

FORTRAN(plan_with_nthreads, (int *nthreads)) { X(plan_with_nthreads)(*nthreads); }

FORTRAN(planner_nthreads, (int *nthreads)) { *nthreads = X(planner_nthreads)(); }

/* ---- wisdom ------------------------------------------------------------------------------------------------------ */

FORTRAN(forget_wisdom, (void)) { X(forget_wisdom)(); }

typedef struct {
  void (*write_char)(char *, void *);
  void *data;
} writer;

static void write_one(char c, void *data) {
  const writer *w = data;
  w->write_char(&c, w->data);
}

FORTRAN(export_wisdom, (void (*write_char)(char *, void *), void *data)) {
  X(export_wisdom)(write_one, &(writer){write_char, data});
}

typedef struct {
  void (*read_char)(int *, void *);
  void *data;
} reader;

static int read_one(void *data) {
  const reader *r = data;
  int c;
  r->read_char(&c, r->data);
  return c < 0 ? EOF : c;
}

FORTRAN(import_wisdom, (int *okay, void (*read_char)(int *, void *), void *data)) {
  *okay = X(import_wisdom)(read_one, &(reader){read_char, data});
}

FORTRAN(import_system_wisdom, (int *okay)) { *okay = X(import_system_wisdom)(); }
