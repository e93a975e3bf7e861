/* prepare.c: from a problem to a program on the device. */
#include "src/plan/prepare.h"

#include <fenv.h>
#include <stdlib.h>

#include "src/cost/learn.h"
#include "src/cost/model.h"
#include "src/plan/planner.h"
#include "src/report/clock.h"
#include "src/run/memory.h"

double fg_prepare_need(const fg_problem *p, const fg_passes *passes) {
  double reals = 2 * ((double)passes->scratch[0] + (double)passes->scratch[1]);
  for (int side = FG_INPUT; side <= FG_OUTPUT; side++)
    reals += (fg_problem_complex_side(p, side) ? 2.0 : 1.0) * (double)fg_problem_elements(p, side);
  return reals * (double)fg_real_size(p->compute);
}

/* *compiles: it is known that kernels have to be. */
static const char *object(const fg_target *target, const fg_problem *p, const fg_passes *passes, double need,
                          fg_objection objection, const void *context, bool *compiles) {
  if (need > (double)fg_memory_limit(target)) return "larger than the memory that the GPU has for this process";
  if (!objection) return NULL;
  const fg_forecast f = {passes->cost, fg_program_is_kept(target, passes), target, passes};
  *compiles = !f.kept;
  return objection(context, p, &f);
}

/* Tables are for all plans: the program's rounding mode must not be in them, nor our inexact results in its flags. */
fg_program *fg_prepare(const fg_target *target, const fg_problem *p, fg_objection objection, const void *context,
                       double *need, const char **why) {
  fenv_t of_program;
  feholdexcept(&of_program);
  fesetround(FE_TONEAREST);
  fg_passes *passes = calloc(1, sizeof *passes);
  fg_program *program = NULL;
  const double began = fg_clock_seconds();
  bool compiles = false;
  *why = "out of memory";
  /* A batch of none has no passes: the program does nothing. */
  fg_device_info device;
  fg_memory_device(target, 0, &device);
  const bool planned = passes && (fg_tensor_size(&p->batch) == 0 || fg_planner_plan_host(p, &device, passes, why));
  *need = planned ? fg_prepare_need(p, passes) : 0;
  const char *const against = planned ? object(target, p, passes, *need, objection, context, &compiles) : NULL;
  if (against) *why = against;
  else if (planned) program = fg_program_create_host(target, p, passes, why);
  if (program && compiles) fg_learn_planning(fg_clock_seconds() - began - fg_model_table_seconds(p));
  free(passes);
  fesetenv(&of_program);
  return program;
}
