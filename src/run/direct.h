/* direct.h: one execution on arrays that are on the device, or one of them: passes work on them where they are. */
#ifndef FG_DIRECT_H
#define FG_DIRECT_H

#include "src/run/program.h"

typedef struct {
  const fg_program *program; /* made for arrays that are reached so */
  enum fg_reach reach[2];    /* by enum fg_side; FG_REACH_IMAGE: that array is the host's */
  fg_arrays arrays;
  bool in_place; /* planned so */
  bool copy;     /* input and output overlap otherwise: the input is copied first */
} fg_direct;

/* Comes after all that the program has given to its default stream, and is done on return; otherwise as
 * fg_program_execute. */
enum fg_outcome fg_direct_run(const fg_direct *);

/* The same in the program's stream, without waiting; both arrays must be on the device.  0, or a code: then nothing was
 * launched, or (*damaged) part of it was. */
int fg_direct_run_in(const fg_direct *, fg_stream *stream, bool *damaged);

#endif
