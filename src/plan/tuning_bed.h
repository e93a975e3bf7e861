/* tuning_bed.h: a problem's arrays on the device, for programs that compute it with one geometry or another. */
#ifndef FG_TUNING_BED_H
#define FG_TUNING_BED_H

#include "src/run/program.h"

typedef struct {
  const fg_target *target;
  const fg_problem *problem;
  fg_stream *stream;
  fg_event *begin, *end;
  fg_kernel *compare;
  char *block[FG_ARRAYS]; /* of each array as many copies, one after the other */
  size_t bytes[FG_ARRAYS], output_bytes; /* from copy to copy; of the output itself */
  int copies, next;
  char *right;            /* what the first copy of the output should be */
  void *differences;
} fg_tuning_bed;

/* Arrays with random input, and the right output, which program gives.  NULL, or why not; fg_tuning_bed_free in either
 * case. */
const char *fg_tuning_bed_make(fg_tuning_bed *, const fg_target *, const fg_problem *p, const fg_program *program);
void fg_tuning_bed_free(fg_tuning_bed *);

/* Whether program, in which pass is new, gives the same output, but for rounding. */
bool fg_tuning_right(fg_tuning_bed *, const fg_program *program, int pass);

/* Seconds of that pass alone (negative: of all), the least of a few; negative if it fails. */
double fg_tuning_seconds(fg_tuning_bed *, const fg_program *program, int pass);

#endif
