/* resident.h: executions of a plan on arrays that are not all the host's.
 *
 * The transform runs on the device where they are; one array of the two may be the host's.  Each combination of device,
 * ways to reach the arrays and placement has a program of its own, made when it is first met. */
#ifndef FG_RESIDENT_H
#define FG_RESIDENT_H

#include "src/plan/plan.h"
#include "src/plan/route.h"
#include "src/run/program.h"

/* The programs of one plan; any thread may ask. */
typedef struct fg_residents fg_residents;
fg_residents *fg_residents_new(void); /* NULL on lack of memory */
void fg_residents_free(fg_residents *);

/* One of a's arrays is on a device (for p: which pointers count).  Some nanoseconds while nothing can be. */
bool fg_resident_wanted(const fg_problem *p, const fg_arrays *a);

/* Where a plan for such arrays goes: to the device unless it must not.  target: the process's own. */
fg_route fg_resident_route(const fg_problem *p);

/* Flags with which the real FFTW plans p without a look at the arrays, which it cannot read. */
unsigned fg_resident_flags(const fg_problem *p);

/* Make what an execution on a's arrays needs, so that the first one need not. */
void fg_resident_prepare(fg_residents *, const fg_problem *p, const fg_arrays *a);

/* Execute on a's arrays.  FG_DONE, else a reason: FG_INTACT, and the real FFTW may do it on copies (guest.h). */
enum fg_outcome fg_resident_execute(fg_residents *, const fg_problem *p, const fg_arrays *a, const char **why);

/* The program made for a plan's own arrays; NULL if there is none. */
const fg_program *fg_residents_first(fg_residents *);

/* The same in the program's stream, without waiting.  As fg_plan_execute_in. */
int fg_resident_execute_in(fg_residents *, const fg_problem *p, const fg_arrays *a, void *stream, bool *damaged,
                           const char **why);

#endif
