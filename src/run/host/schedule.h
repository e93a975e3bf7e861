/* schedule.h: in what pieces a problem's data comes in, is transformed and leaves: plain data, made once for a program.
 *
 * The steps are in order: a launch needs all arrivals before it, what leaves needs all launches before it. Arrivals,
 * launches and departures each keep their order; else they may overlap. */
#ifndef FG_SCHEDULE_H
#define FG_SCHEDULE_H

#include "src/pass/pass.h"
#include "src/problem/layout.h"

enum fg_step_kind { FG_ARRIVE, FG_LAUNCH, FG_LEAVE };

typedef struct {
  enum fg_step_kind kind;
  int pass, loop;         /* LAUNCH: that range of one of the pass's loops; loop < 0: all of the pass */
  ptrdiff_t first, count; /* ARRIVE, LEAVE: elements of the image (of each plane) */
} fg_step;

typedef struct {
  bool whole;      /* nothing is cut: one arrival, the passes, one departure */
  bool in_batches; /* every piece is transforms of its own: */
  int batch;       /* some of the units points of that dimension of the batch */
  ptrdiff_t units;
  bool same_places; /* in place each output element lies where an input element of its own piece did, or where none does */
  int count;
  fg_step step[];
} fg_schedule;

/* malloc'd; NULL on lack of memory. */
fg_schedule *fg_schedule_make(const fg_problem *p, const fg_layout *in, const fg_layout *out, const fg_passes *passes,
                              const fg_device_info *device);

/* Several pieces where the model would not cut, for tests; 0: as the model says. */
extern int fg_schedule_pieces;

#endif
