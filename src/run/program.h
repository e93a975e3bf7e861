/* program.h: a problem ready to run on the device: passes, their kernels and tables, the layouts of its arrays. */
#ifndef FG_PROGRAM_H
#define FG_PROGRAM_H

#include "src/pass/kernel.h"
#include "src/pass/pass.h"
#include "src/problem/problem.h"
#include "src/run/host/schedule.h"
#include "src/run/range.h"
#include "src/run/target.h"

typedef struct fg_program fg_program;

/* Make passes, which were planned for p, ready on the target: compile kernels, make tables. NULL on failure; then *why
 * is a short text (of the calling thread, until its next failure). */
fg_program *fg_program_create(const fg_target *target, const fg_problem *p, const fg_passes *passes, const char **why);
void fg_program_destroy(fg_program *);

/* The same for passes of fg_planner_plan_host; and whether that may be executed on these arrays: what has FFTW's padding in
 * its image only in place, as the plan was. */
fg_program *fg_program_create_host(const fg_target *target, const fg_problem *p, const fg_passes *passes, const char **why);
bool fg_program_takes(const fg_program *, const fg_arrays *a);

/* Whether fg_program_create would not have to compile: all kernels of the passes are loaded or on disk. */
bool fg_program_is_kept(const fg_target *target, const fg_passes *passes);

/* Load them: compile those that are nowhere.  false: fg_backend_message() says why. */
bool fg_program_load(const fg_target *target, const fg_passes *passes);

/* The same as fg_program_create for passes that were planned with arrays reached like that (src/plan/planner.h): what does not
 * reach both through images is for fg_direct_run (src/run/direct.h) only, since it has no schedule. */
fg_program *fg_program_create_reaching(const fg_target *target, const fg_problem *p, const enum fg_reach reach[2],
                                       const fg_passes *passes, const char **why);

const fg_passes *fg_program_passes(const fg_program *);

/* The passes as text, "(tile …) (tile …)".  malloc'd; NULL on lack of memory. */
char *fg_program_sprint(const fg_program *);

/* Bytes of device memory that each of the FG_ARRAYS arrays needs. */
const size_t *fg_program_bytes(const fg_program *);

/* What the program was made of. */
unsigned long fg_program_number(const fg_program *); /* unique in this process */
const fg_target *fg_program_target(const fg_program *);
const fg_layout *fg_program_layout(const fg_program *, enum fg_side side);
const fg_schedule *fg_program_schedule(const fg_program *);
const fg_range *fg_program_range(const fg_program *); /* of the input's numbers */

/* Only the passes, in stream, on device memory: from the image of the input to the image of the output
 * (src/problem/layout.h; the imaginary plane of a split array begins at fg_transfer_plane).  Returns once they are
 * launched.  As the backend's functions: 0 or a negative code and fg_backend_message(). */
int fg_program_launch(const fg_program *, void *const arrays[FG_ARRAYS], fg_stream *stream);

/* Likewise one pass, or only indices [first, first + count) of one of its loops (loop >= 0; one without weights in
 * tables or twiddles). */
int fg_program_launch_part(const fg_program *, void *const arrays[FG_ARRAYS], int pass, int loop, ptrdiff_t first,
                           ptrdiff_t count, fg_stream *stream);

/* All of one pass, with its result where into says instead of in its own array (NULL: there). */
int fg_program_launch_into(const fg_program *, void *const arrays[FG_ARRAYS], int pass, void *into, fg_stream *stream);

/* Pass i, on arrays whose planes are given: what is reached directly begins where the problem's pointers do. */
int fg_program_launch_planes(const fg_program *, const fg_planes planes[FG_ARRAYS], int pass, fg_stream *stream);

/* All passes on such arrays, with one call of the device's; false where it cannot be or does not pay: then nothing was
 * launched. waited: for the end of this execution, before the next one is launched. */
bool fg_program_launch_at_once(const fg_program *, const fg_planes planes[FG_ARRAYS], fg_stream *stream, bool waited);

/* It takes so little time that what the device is told how often is felt. */
bool fg_program_short(const fg_program *);

/* Nothing to do: a batch of none. */
bool fg_program_empty(const fg_program *);

/* Pin those of a's arrays that lie in the arena, so that the first execution need not.  NULL pointers are left out. */
void fg_program_pin(const fg_program *, const fg_arrays *a);

/* How an execution ended. */
enum fg_outcome {
  FG_DONE,    /* the output is complete */
  FG_INTACT,  /* it failed, or the numbers are none for its precision; the input is as it was */
  FG_PARTLY,  /* likewise; some transforms of the batch are complete, the input of the rest is as it was */
  FG_DAMAGED  /* it failed with part of the output already written over the input */
};

/* Transform a's arrays; returns when the output is complete. After a failure fg_backend_message() says why. Any number
 * of threads at once. Never FG_PARTLY. */
enum fg_outcome fg_program_execute(const fg_program *, const fg_arrays *a);

/* What FG_PARTLY leaves: points from first on of that dimension of the batch. */
typedef struct {
  int batch;
  ptrdiff_t first;
} fg_rest;

/* The same, faster in place where that converts, for who can finish a rest. */
enum fg_outcome fg_program_execute_partly(const fg_program *, const fg_arrays *a, fg_rest *rest);

#endif
