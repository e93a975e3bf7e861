/* prepare.h: from a problem to a program on the device. */
#ifndef FG_PREPARE_H
#define FG_PREPARE_H

#include "src/run/program.h"

/* Plan p's passes and make them ready on the target; NULL on failure, then *why is a few words (of this thread, until its
 * next failure).  dear: asked, if not NULL, once the seconds are known that the passes take on the device: true refuses
 * them, before anything is compiled. */
fg_program *fg_prepare(const fg_target *target, const fg_problem *p, bool (*dear)(const fg_problem *p, double device),
                       const char **why);

#endif
