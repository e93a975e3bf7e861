/* accuracy.h: what the files of `fftw3-gpu accuracy` share.
 *
 * The numbers of both sides of a problem are doubles in the order of images (src/cli/fftw.h), whatever the precision of
 * the arrays that they are put into and taken from. */
#ifndef FG_ACCURACY_H
#define FG_ACCURACY_H

#include <stdint.h>
#include <stdio.h>

#include "src/cli/bench.h"
#include "src/problem/layout.h"
#include "src/problem/problem.h"

/* ---- the data (accuracy_data.c) ---- */

enum fg_data {
  FG_DATA_RANDOM,  /* uniform in (−1, 1) */
  FG_DATA_IMPULSE, /* one 1 in each transform, at any place; the result is roots of unity */
  FG_DATA_SMOOTH,  /* exponentials of cosines, slow along every dimension: a result that falls off exponentially */
  FG_DATA_RANGE,   /* any sign, any size from 2^−20 to 2^20 */
  FG_DATA_KINDS
};
extern const char *const fg_data_names[FG_DATA_KINDS];

/* p's input; of c2r the spectrum of such numbers.  false: no memory, or no way to transform them. */
bool fg_accuracy_data(enum fg_data, const fg_problem *p, const fg_layout *in, const fg_layout *out, uint64_t seed,
                      double *to);

/* ---- better than double (accuracy_reference.c, accuracy_sums.c) ---- */

/* What the reference is, in words. */
const char *fg_accuracy_reference_name(void);

/* p in long double, on images: by libfftw3l, without it by the definition.  NULL, or why not. */
const char *fg_accuracy_reference(const fg_problem *p, const fg_layout *in, const fg_layout *out, long double *from,
                                  long double *to);

/* The same by FFTW's definitions: sums of products, n² for each line of n points.  NULL, or why not. */
const char *fg_accuracy_sums(const fg_problem *p, const fg_layout *in, const fg_layout *out, const long double *from,
                             long double *to);

/* ---- arrays as a program has them (accuracy_arrays.c) ---- */

typedef struct {
  fg_layout in, out;
  void *block, *image;
  fg_arrays at; /* they lie in the block to each other as p's made-up ones do */
} fg_accuracy_arrays;

bool fg_accuracy_arrays_make(fg_accuracy_arrays *, const fg_problem *p);
void fg_accuracy_arrays_free(fg_accuracy_arrays *);
void fg_accuracy_arrays_put(const fg_accuracy_arrays *, const double *data);
void fg_accuracy_arrays_get(const fg_accuracy_arrays *, double *result);

/* ---- what programs print (accuracy_lines.c) ---- */

/* Two lines that are the same but for the numbers, blanks beside these and at the ends, and how many are between words:
 * "(1.5, -2)", "1.5 - 2i", "x=1,2.5D-03", a table.  The largest difference of two numbers, over the largest magnitude of a's
 * (infinite if that is 0).  false if anything else differs, or one line has more.  No number is what letters are next to (but an
 * exponent's and a last i or j) or a second point is, nor a hexadecimal one: "12ms", "x2", "1.2.3", "0x12". */
bool fg_accuracy_lines_near(const char *a, const char *b, double *difference);

/* ---- who transforms (accuracy_subjects.c) ---- */

/* A plan of somebody's for one problem; run gives NULL, or why not, as the functions that make one do. */
typedef struct fg_accuracy_subject fg_accuracy_subject;
struct fg_accuracy_subject {
  const char *(*run)(fg_accuracy_subject *, const double *data, double *result);
  void (*free)(fg_accuracy_subject *);
};

/* Stock FFTW of p's precision. */
const char *fg_accuracy_stock(const fg_problem *p, fg_accuracy_subject **);

/* This library on the target, computing in that precision. */
const char *fg_accuracy_ours(const fg_problem *p, enum fg_precision compute, fg_accuracy_subject **);

/* cuFFT on the target. */
const char *fg_accuracy_cufft(const fg_problem *p, fg_accuracy_subject **);
bool fg_accuracy_cufft_possible(void);

/* ---- what is measured (accuracy_measure.c) ---- */

enum fg_accuracy_who {
  FG_STOCK_SINGLE, FG_OURS_SINGLE, FG_CUFFT_SINGLE, /* single precision */
  FG_STOCK_AS_SINGLE, FG_OURS_AS_SINGLE,            /* doubles, rounded and computed in single precision */
  FG_STOCK_DOUBLE, FG_OURS_DOUBLE, FG_CUFFT_DOUBLE, /* double precision */
  FG_ACCURACY_SUBJECTS
};

enum fg_norm { FG_NORM_L2, FG_NORM_MAX, FG_NORMS };

typedef struct {
  bool wanted[FG_ACCURACY_SUBJECTS];
  int rounds;
  uint64_t seed;
} fg_accuracy_options;

typedef struct {
  double error[FG_ACCURACY_SUBJECTS][FG_NORMS]; /* relative; NAN: not known */
  double rounding[2][FG_NORMS];                 /* of the exact result to single and to double precision */
  char why[FG_ACCURACY_SUBJECTS][128];          /* not known */
} fg_accuracy_result;

/* NULL, or why nothing could be measured. */
const char *fg_accuracy_measure(const fg_problem *p, enum fg_data, const fg_accuracy_options *, fg_accuracy_result *);

/* ---- the plot (accuracy_svg.c) ---- */

typedef struct {
  char problem[128];
  double points, error[FG_ACCURACY_SUBJECTS]; /* of one transform */
} fg_accuracy_mark;

typedef struct {
  int count;
  fg_accuracy_mark *mark;
} fg_accuracy_plot;

void fg_accuracy_plot_add(fg_accuracy_plot *, const char *problem, double points, const fg_accuracy_result *,
                          enum fg_norm);
void fg_accuracy_plot_write(FILE *f, const fg_accuracy_plot *, const char *device, const char *what);

/* Behind a message that there is no device: what does without; "" if it is in force. */
const char *fg_accuracy_advice(void);

/* ---- a program, twice (accuracy_program.c) ---- */

/* argv ends with NULL.  tolerance: of a relative L2 difference; 0: what no rounding explains.  Exit status. */
int fg_accuracy_program(char **argv, double tolerance, FILE *csv);

#endif
