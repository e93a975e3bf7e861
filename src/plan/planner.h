/* planner.h: from a problem to the cheapest list of passes. */
#ifndef FG_PLANNER_H
#define FG_PLANNER_H

#include "src/pass/pass.h"
#include "src/problem/layout.h"

/* Lower p to passes from FG_ARRAY_IN to FG_ARRAY_OUT, which hold the images of its arrays (src/problem/layout.h).
 * false if no solver can; *why is then a few words. */
bool fg_planner_plan(const fg_problem *p, const fg_device_info *device, fg_passes *list, const char **why);

/* The same for executions on the host's arrays (FG_REACH_HOST). */
bool fg_planner_plan_host(const fg_problem *p, const fg_device_info *device, fg_passes *list, const char **why);

/* As fg_planner_plan, for arrays that are reached like that.  in_place: both are the array of FG_ARRAY_OUT, and each
 * output element lies where an input element of its own line does. */
bool fg_planner_plan_reaching(const fg_problem *p, const enum fg_reach reach[2], bool in_place,
                              const fg_device_info *device, fg_passes *list, const char **why);

/* Whether p has no more dimensions than passes can have; no solver can otherwise. */
#define FG_TOO_MANY_DIMENSIONS "too many dimensions"
bool fg_planner_has_room(const fg_problem *p);

/* Forget what was planned so far in this process, which is planned again only when something has changed. */
void fg_planner_forget(void);

/* The reference H200, for plans that are only looked at. */
extern const fg_device_info fg_reference_device;

/* What would be done with p, several lines: the passes on a device like the reference, bytes and scratch.  malloc'd;
 * NULL on lack of memory. */
char *fg_planner_explain(const fg_problem *p);

#endif
