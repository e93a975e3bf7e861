/* span.c: the memory between a problem's lowest and highest element. */
#include "src/problem/span.h"

#include <stdlib.h>

static void add(fg_span *s, ptrdiff_t points, ptrdiff_t stride) {
  const ptrdiff_t way = (points - 1) * stride;
  if (way < 0) s->low += way;
  else s->high += way;
}

fg_span fg_span_of(const fg_problem *p, enum fg_side side, int without) {
  fg_span s = {0, fg_problem_complex_side(p, side) && p->format == FG_INTERLEAVED ? 2 : 1};
  for (int d = 0; d < p->transform.rank; d++)
    add(&s, fg_problem_points(p, d, side), fg_dim_stride(&p->transform.dim[d], side));
  for (int b = 0; b < p->batch.rank; b++)
    if (b != without) add(&s, p->batch.dim[b].n, fg_dim_stride(&p->batch.dim[b], side));
  return s;
}

bool fg_span_apart(const fg_problem *p, int batch) {
  const fg_span in = fg_span_of(p, FG_INPUT, batch), out = fg_span_of(p, FG_OUTPUT, batch);
  const ptrdiff_t low = in.low < out.low ? in.low : out.low, high = in.high > out.high ? in.high : out.high;
  return p->batch.dim[batch].is == p->batch.dim[batch].os && high - low <= labs(p->batch.dim[batch].is);
}
