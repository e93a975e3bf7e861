/* prepare.c: from a problem to a program on the device. */
#include "src/plan/prepare.h"

#include <fenv.h>
#include <stdlib.h>
#include <string.h>

#include "src/cost/learn.h"
#include "src/cost/model.h"
#include "src/pass/kernel.h"
#include "src/plan/planner.h"
#include "src/problem/layout.h"
#include "src/report/clock.h"
#include "src/run/host/transfer.h"
#include "src/run/memory.h"
#include "src/run/table/table.h"

static bool is_one_of(const fg_table *table, const fg_table *list, int count) {
  for (int t = 0; t < count; t++)
    if (memcmp(&list[t], table, sizeof *table) == 0) return true;
  return false;
}

static bool pass_has(const fg_pass *p, const fg_table *table) {
  fg_table list[FG_PASS_TABLES];
  fg_pass_table_list(p, list);
  return is_one_of(table, list, FG_PASS_TABLES);
}

/* Each once, as they are in memory. */
static double bytes_of_tables(const fg_passes *passes) {
  fg_table list[FG_PASS_TABLES];
  double bytes = 0;
  for (int i = 0; i < passes->count; i++) {
    fg_pass_table_list(&passes->pass[i], list);
    for (int t = 0; t < FG_PASS_TABLES; t++) {
      bool known = list[t].kind == FG_TABLE_NONE || is_one_of(&list[t], list, t);
      for (int before = 0; before < i && !known; before++) known = pass_has(&passes->pass[before], &list[t]);
      if (!known) bytes += (double)fg_table_bytes(&list[t]);
    }
  }
  return bytes;
}

fg_need fg_prepare_need(const fg_problem *p, const fg_passes *passes) {
  const double scratch = (double)passes->scratch[0] + (double)passes->scratch[1];
  fg_need need = {2 * scratch * (double)fg_real_size(p->compute), bytes_of_tables(passes)};
  for (int side = FG_INPUT; side <= FG_OUTPUT; side++) {
    fg_layout image;
    if (!fg_layout_make_reaching(&image, p, side, FG_REACH_HOST)) continue; /* no memory: then there will be no plan either */
    const double data = (image.split ? 2.0 : 1.0) * (double)image.elements * (double)fg_layout_element_size(&image);
    need.data += data;
    need.fixed += (double)fg_transfer_bytes(&image) - data;
    fg_layout_free(&image);
  }
  return need;
}

/* *compiles: it is known that kernels have to be. */
static const char *object(const fg_target *target, const fg_problem *p, const fg_passes *passes, const fg_need *need,
                          fg_objection objection, const void *context, bool *compiles) {
  if (need->data + need->fixed > (double)fg_memory_limit(target)) return "larger than the memory that the GPU has for this process";
  if (!objection) return NULL;
  const fg_forecast f = {passes->cost, fg_program_is_kept(target, passes), target, passes};
  *compiles = !f.kept;
  return objection(context, p, &f);
}

/* Tables are for all plans: the program's rounding mode must not be in them, nor our inexact results in its flags. */
fg_program *fg_prepare(const fg_target *target, const fg_problem *p, fg_objection objection, const void *context,
                       fg_need *need, const char **why) {
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
  *need = planned ? fg_prepare_need(p, passes) : (fg_need){0, 0};
  const char *const against = planned ? object(target, p, passes, need, objection, context, &compiles) : NULL;
  if (against) *why = against;
  else if (planned) program = fg_program_create_host(target, p, passes, why);
  if (program && compiles) fg_learn_planning(fg_clock_seconds() - began - fg_model_table_seconds(p));
  free(passes);
  fesetenv(&of_program);
  return program;
}
