/* prepare.h: from a problem to a program on the device. */
#ifndef FG_PREPARE_H
#define FG_PREPARE_H

#include "src/run/program.h"

/* What is known once there are passes, before anything is compiled. */
typedef struct {
  double seconds; /* of the passes on the device */
  bool kept;      /* no kernel has to be compiled */
  const fg_target *target;
  const fg_passes *passes;
} fg_forecast;

/* Bytes of device memory.  data: images and scratch of an execution, of which a part of a batch takes a part; fixed: tables,
 * and what images are rounded up by. */
typedef struct {
  double data, fixed;
} fg_need;

/* Why passes like that are not wanted, a literal; NULL if they are. */
typedef const char *(*fg_objection)(const void *context, const fg_problem *p, const fg_forecast *);

/* Plan p's passes and make them ready on the target; NULL on failure, then *why is a few words (of this thread, until
 * its next failure).  objection (may be NULL) is asked in between, with context.  *need: what an execution takes, 0 if that
 * is not known. */
fg_program *fg_prepare(const fg_target *target, const fg_problem *p, fg_objection objection, const void *context,
                       fg_need *need, const char **why);

fg_need fg_prepare_need(const fg_problem *p, const fg_passes *passes);

#endif
