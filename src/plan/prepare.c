/* prepare.c: from a problem to a program on the device. */
#include "src/plan/prepare.h"

#include <fenv.h>
#include <stdlib.h>

#include "src/plan/planner.h"

/* Whether the device could hold the images and the scratch of an execution. */
static bool fits(const fg_target *target, const fg_problem *p, const fg_passes *passes) {
  const double images = (double)fg_problem_elements(p, FG_INPUT) + (double)fg_problem_elements(p, FG_OUTPUT);
  const double scratch = (double)passes->scratch[0] + (double)passes->scratch[1];
  return (images + scratch) * 2 * (double)fg_real_size(p->precision) < (double)target->info->memory;
}

/* Tables are for all plans: the program's rounding mode must not be in them, nor our inexact results in its flags. */
fg_program *fg_prepare(const fg_target *target, const fg_problem *p, bool (*dear)(const fg_problem *p, double device),
                       const char **why) {
  fenv_t of_program;
  feholdexcept(&of_program);
  fesetround(FE_TONEAREST);
  fg_passes *passes = calloc(1, sizeof *passes);
  fg_program *program = NULL;
  *why = "out of memory";
  /* A batch of none has no passes: the program does nothing. */
  const bool planned = passes && (fg_tensor_size(&p->batch) == 0 || fg_planner_plan(p, target->info, passes, why));
  if (planned && !fits(target, p, passes)) *why = "larger than the device's memory";
  else if (planned && dear && dear(p, passes->cost)) *why = "its passes take longer than the host";
  else if (planned) program = fg_program_create(target, p, passes, why);
  free(passes);
  fesetenv(&of_program);
  return program;
}
