/* parts.h: a batch that is larger than the memory that this process may have on the device: plans of parts of it, one
 * executed after the other. */
#ifndef FG_PARTS_H
#define FG_PARTS_H

#include "src/problem/problem.h"

typedef struct fg_parts fg_parts;

/* Plans of ours for parts of p, whose transforms need need bytes of device memory all together, so that each needs at
 * most most.  NULL if p is no batch, one transform alone needs more, or a part stays on the host. */
fg_parts *fg_parts_create(const fg_problem *p, double need, double most);
void fg_parts_destroy(fg_parts *);

/* How much a part's data may be, so that two parts can be under way or at least one, where all has data and fixed bytes and
 * there are limit; 0 if that is no less than all of it: what is no part would be planned in parts for ever. */
double fg_parts_most(double data, double fixed, double limit);

/* Whether p can be cut so, before anything is planned. */
bool fg_parts_possible(const fg_problem *p, double need, double most);

int fg_parts_count(const fg_parts *);

/* The plan of the n-th part, n from 0 on. */
const struct fg_plan *fg_parts_plan(const fg_parts *, int n);

/* As fg_plan_execute, part by part; each ends with the right answer.  False, and nothing was done, if input and output
 * overlap in a way in which a part would overwrite what a later one has to read. */
bool fg_parts_execute(const fg_parts *, const fg_arrays *a);

#endif
