/* accuracy_table.h: what `fftw3-gpu accuracy` was asked for, and the tables that answer. */
#ifndef FG_ACCURACY_TABLE_H
#define FG_ACCURACY_TABLE_H

#include "src/cli/accuracy.h"

typedef struct {
  fg_accuracy_options options;
  fg_bench_cases cases;
  bool data[FG_DATA_KINDS];
  enum fg_norm norm; /* of the table, the plot and the limit */
  double limit;      /* times stock FFTW's error; 0: any */
  FILE *csv, *svg;   /* or NULL */
} fg_accuracy_request;

/* Exit status: failed if a result was wrong, a problem could not be measured or an error is above the limit. */
int fg_accuracy_tables(const fg_accuracy_request *);

#endif
