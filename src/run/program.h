/* program.h: a problem ready to run on the device: passes, their kernels and tables, the layouts of its arrays. */
#ifndef FG_PROGRAM_H
#define FG_PROGRAM_H

#include "src/pass/pass.h"
#include "src/problem/problem.h"
#include "src/run/target.h"

typedef struct fg_program fg_program;

/* Make passes, which were planned for p, ready on the target: compile kernels, make tables.  NULL on failure; then *why is a
 * short text (of the calling thread, until its next failure). */
fg_program *fg_program_create(const fg_target *target, const fg_problem *p, const fg_passes *passes, const char **why);
void fg_program_destroy(fg_program *);

const fg_passes *fg_program_passes(const fg_program *);

/* How an execution ended. */
enum fg_outcome {
  FG_DONE,    /* the output is complete */
  FG_INTACT,  /* it failed; the input is as it was */
  FG_DAMAGED  /* it failed with part of the output already written over the input */
};

/* Transform a's arrays; returns when the output is complete.  After a failure fg_backend_message() says why.  Any number of
 * threads at once. */
enum fg_outcome fg_program_execute(fg_program *, const fg_arrays *a);

#endif
