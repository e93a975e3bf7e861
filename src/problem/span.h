/* span.h: the memory between a problem's lowest and highest element. */
#ifndef FG_SPAN_H
#define FG_SPAN_H

#include "src/problem/problem.h"

/* In reals from the array's pointer: from the lowest to past the highest element. */
typedef struct {
  ptrdiff_t low, high;
} fg_span;

/* Of one plane of a side, with all dimensions but that one of the batch; -1: with all. */
fg_span fg_span_of(const fg_problem *p, enum fg_side side, int without);

/* From point to point of that dimension of the batch one stretch of memory follows the other, the same for input and output:
 * in place no point's transforms touch what is another's. */
bool fg_span_apart(const fg_problem *p, int batch);

#endif
