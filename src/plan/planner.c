/* planner.c: asks each solver, keeps the cheapest list of passes. */
#include "src/plan/planner.h"

#include <stdio.h>
#include <stdlib.h>

#include "src/pass/geometry.h"
#include "src/pass/solver.h"
#include "src/plan/planned.h"
#include "src/problem/layout.h"

const fg_device_info fg_reference_device = {
    .name = "reference (NVIDIA H200)", .driver = "", .arch = 90, .multiprocessors = 132, .threads_block = 1024,
    .threads_sm = 2048, .shared_block = 227 * 1024, .shared_sm = 228 * 1024, .cluster = 16, .registers_sm = 65536,
    .memory = (size_t)141 << 30, .l2 = (size_t)60 << 20, .reads_host = true};

bool fg_planner_exhaustive;

enum { MOST_SOLVERS = 32 };

bool fg_planner_cheapest(const fg_planner *planner, const fg_work *w, fg_way way, const ptrdiff_t *choices, int count,
                         fg_passes *list) {
  fg_passes *now = malloc(sizeof *now), *best = malloc(sizeof *best);
  fg_planner within = *planner;
  bool found = false;
  for (int i = 0; now && best && i < count; i++) {
    fg_passes_copy(now, list);
    if (found && !fg_planner_exhaustive) within.limit = best->cost;
    if (!way(&within, w, choices[i], now) || (found && now->cost >= best->cost)) continue;
    fg_passes_copy(best, now);
    found = true;
  }
  if (found) fg_passes_copy(list, best);
  free(now);
  free(best);
  return found;
}

static bool by_solver(const fg_planner *planner, const fg_work *w, ptrdiff_t solver, fg_passes *list) {
  return fg_solvers[solver]->applicable(planner, w) && fg_solvers[solver]->lower(planner, w, list);
}

bool fg_planner_lower(const fg_planner *planner, const fg_work *w, fg_passes *list) {
  ptrdiff_t solvers[MOST_SOLVERS];
  int count = 0;
  while (count < MOST_SOLVERS && fg_solvers[count]) {
    solvers[count] = count;
    count++;
  }
  return fg_planner_cheapest(planner, w, by_solver, solvers, count, list);
}

/* A dimension of one point, where a transform of one point does nothing. */
static bool is_nothing(const fg_problem *p, int d) {
  const bool nothing = p->kind == FG_DFT || (p->kind != FG_R2R && d < p->transform.rank - 1);
  return p->transform.dim[d].n == 1 && nothing;
}

bool fg_planner_has_room(const fg_problem *p) {
  int loops = 0;
  for (int d = 0; d < p->transform.rank; d++) loops += !is_nothing(p, d);
  for (int b = 0; b < p->batch.rank; b++) loops += p->batch.dim[b].n != 1;
  return loops <= FG_MAX_LOOPS;
}

static void add_dimensions(fg_work *w, const fg_problem *p, const fg_layout *in, const fg_layout *out) {
  for (int d = 0; d < p->transform.rank; d++) {
    if (is_nothing(p, d)) continue;
    if (p->kind == FG_R2R) w->r2r_kind[w->rank] = p->r2r_kind[d];
    w->dim[w->rank++] = (fg_dim){p->transform.dim[d].n, in->stride[d], out->stride[d]};
  }
  for (int b = p->batch.rank - 1; b >= 0; b--) {
    const int d = p->transform.rank + b;
    if (p->batch.dim[b].n == 1) continue;
    w->loop[w->loops++] = (fg_loop){.n = p->batch.dim[b].n, .in = in->stride[d], .out = out->stride[d]};
  }
}

/* The program's own array, of doubles that are computed with in single precision. */
static bool wide(const fg_problem *p, enum fg_reach reach) {
  return !fg_reach_is_image(reach) && p->precision == FG_DOUBLE && p->compute == FG_SINGLE;
}

/* When all passes are chosen; what was measured (it has a price) stays as it is. */
static void pair_lone_blocks(fg_passes *list, const fg_device_info *device) {
  for (int i = 0; i < list->count; i++)
    if (!list->pass[i].price) fg_geometry_pair_blocks(&list->pass[i], device);
}

static bool lower_or_find(const fg_work *w, const fg_device_info *device, fg_passes *list) {
  fg_planned_key *const key = fg_planned_key_of(w, device);
  bool planned = key && fg_planned_find(key, list);
  if (!planned) {
    planned = fg_planner_lower(&(fg_planner){.device = device}, w, list);
    if (planned) pair_lone_blocks(list, device);
    if (planned && key) fg_planned_keep(key, list);
  }
  free(key);
  return planned;
}

static bool plan_layouts(const fg_problem *p, const fg_layout *in, const fg_layout *out, const enum fg_reach reach[2],
                         bool in_place, const fg_device_info *device, fg_passes *list, const char **why) {
  fg_work w = {.precision = p->compute, .sign = p->sign == FG_FORWARD ? FG_FORWARD : FG_BACKWARD};
  w.kind = p->kind;
  w.from = (fg_place){.array = in_place ? FG_ARRAY_OUT : FG_ARRAY_IN, .offset = in->offset};
  w.to = (fg_place){.array = FG_ARRAY_OUT, .offset = out->offset};
  w.from.split = in->split || reach[FG_INPUT] == FG_REACH_PLANES;
  w.to.split = out->split || reach[FG_OUTPUT] == FG_REACH_PLANES;
  w.from.wide = wide(p, reach[FG_INPUT]);
  w.to.wide = wide(p, reach[FG_OUTPUT]);
  *why = FG_TOO_MANY_DIMENSIONS;
  if (!fg_planner_has_room(p)) return false;
  add_dimensions(&w, p, in, out);
  w.batched = w.loops > 0;
  w.over_link = reach[FG_INPUT] == FG_REACH_HOST && reach[FG_OUTPUT] == FG_REACH_HOST;
  *why = "no solver";
  return lower_or_find(&w, device, list);
}

bool fg_planner_plan_reaching(const fg_problem *p, const enum fg_reach reach[2], bool in_place,
                              const fg_device_info *device, fg_passes *list, const char **why) {
  fg_layout in = {0}, out = {0};
  *list = (fg_passes){0};
  *why = "out of memory";
  const bool planned = fg_layout_make_reaching(&in, p, FG_INPUT, reach[FG_INPUT]) &&
                       fg_layout_make_reaching(&out, p, FG_OUTPUT, reach[FG_OUTPUT]) &&
                       plan_layouts(p, &in, &out, reach, in_place, device, list, why);
  fg_layout_free(&in);
  fg_layout_free(&out);
  return planned;
}

bool fg_planner_plan(const fg_problem *p, const fg_device_info *device, fg_passes *list, const char **why) {
  return fg_planner_plan_reaching(p, (const enum fg_reach[]){FG_REACH_IMAGE, FG_REACH_IMAGE}, false, device, list, why);
}

bool fg_planner_plan_host(const fg_problem *p, const fg_device_info *device, fg_passes *list, const char **why) {
  return fg_planner_plan_reaching(p, (const enum fg_reach[]){FG_REACH_HOST, FG_REACH_HOST}, false, device, list, why);
}

void fg_planner_forget(void) { fg_planned_forget(); }

static void explain_passes(FILE *f, const fg_problem *p) {
  fg_passes *list = malloc(sizeof *list);
  const char *why = "out of memory";
  if (list && fg_planner_plan_host(p, &fg_reference_device, list, &why)) {
    const double mb = 2.0 * (double)fg_real_size(p->compute) / 1e6;
    for (int i = 0; i < list->count; i++) {
      char text[512];
      fg_pass_print(&list->pass[i], text, sizeof text);
      fprintf(f, "  pass %d: %s\n", i + 1, text);
    }
    fprintf(f, "  estimated %.1f us for data on the device, %s; %.3g MB of scratch\n", list->cost * 1e6,
            fg_reference_device.name, (double)(list->scratch[0] + list->scratch[1]) * mb);
  } else {
    fprintf(f, "  host: %s\n", why);
  }
  free(list);
}

char *fg_planner_explain(const fg_problem *p) {
  char *text = NULL;
  size_t size = 0;
  FILE *f = open_memstream(&text, &size);
  if (!f) return NULL;
  const char *undefined = fg_problem_undefined(p);
  if (undefined) fprintf(f, "  host: %s\n", undefined);
  else explain_passes(f, p);
  fclose(f);
  return text;
}
