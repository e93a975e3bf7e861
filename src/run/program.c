/* program.c: a problem ready to run on the device. */
#include "src/run/program.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/pass/geometry.h"
#include "src/pass/kernel.h"
#include "src/problem/layout.h"
#include "src/run/chain.h"
#include "src/run/host/pipeline.h"
#include "src/run/host/schedule.h"
#include "src/run/host/transfer.h"
#include "src/run/slot.h"
#include "src/run/table/table.h"

/* launch: of the whole pass, without its arrays; of each second one from its end on. */
typedef struct {
  fg_kernel *kernel;
  fg_device_table *table[FG_PASS_TABLES];
  fg_launch launch;
} step;

struct fg_program {
  unsigned long number;
  const fg_target *target;
  fg_layout in, out;
  fg_passes *passes; /* a copy, cut to its count */
  step *steps; /* one a pass */
  fg_schedule *schedule;
  fg_chains *chains; /* of all passes, if they are short; or NULL */
  fg_range range;
  size_t bytes[FG_ARRAYS];
  bool empty;  /* a batch of none: nothing to do */
};

const fg_passes *fg_program_passes(const fg_program *g) { return g->passes; }

char *fg_program_sprint(const fg_program *g) {
  const fg_passes *list = g->passes;
  const size_t size = (size_t)list->count * 400 + 1;
  char *text = calloc(1, size);
  size_t at = 0;
  for (int i = 0; text && i < list->count; i++) {
    if (i) at += (size_t)snprintf(text + at, size - at, " ");
    at += (size_t)fg_pass_print(&list->pass[i], text + at, size - at);
  }
  return text;
}

const size_t *fg_program_bytes(const fg_program *g) { return g->bytes; }

unsigned long fg_program_number(const fg_program *g) { return g->number; }

const fg_target *fg_program_target(const fg_program *g) { return g->target; }

const fg_layout *fg_program_layout(const fg_program *g, enum fg_side side) {
  return side == FG_INPUT ? &g->in : &g->out;
}

const fg_schedule *fg_program_schedule(const fg_program *g) { return g->schedule; }

const fg_range *fg_program_range(const fg_program *g) { return &g->range; }

static void release_tables(const fg_program *g) {
  if (!g->steps || fg_target_inherited()) return;
  for (int i = 0; i < g->passes->count; i++)
    for (int t = 0; t < FG_PASS_TABLES; t++)
      if (g->steps[i].table[t]) fg_table_release(g->target, g->steps[i].table[t]);
}

void fg_program_destroy(fg_program *g) {
  if (!g) return;
  if (!fg_target_inherited()) fg_chains_free(g->chains);
  release_tables(g);
  free(g->steps);
  free(g->schedule);
  free(g->passes);
  fg_layout_free(&g->in);
  fg_layout_free(&g->out);
  free(g);
}

static atomic_ulong programs;

/* What the passes ask of the backend; defines hold the texts. */
typedef struct {
  fg_kernel_request *list;
  char *defines;
} requests;

static requests requests_of(const fg_passes *passes) {
  const size_t count = (size_t)passes->count;
  requests r = {calloc(count, sizeof *r.list), malloc(count * FG_DEFINES_SIZE)};
  for (int i = 0; r.list && r.defines && i < passes->count; i++)
    r.list[i] = fg_kernel_request_of(&passes->pass[i], r.defines + (size_t)i * FG_DEFINES_SIZE);
  return r;
}

static void requests_free(requests r) {
  free(r.list);
  free(r.defines);
}

bool fg_program_is_kept(const fg_target *target, const fg_passes *passes) {
  requests r = requests_of(passes);
  const bool kept = r.list && r.defines && target->backend->kernels_kept(target->device, passes->count, r.list);
  requests_free(r);
  return kept;
}

static int load_kernels(const fg_target *target, const fg_passes *passes, fg_kernel **kernels) {
  requests r = requests_of(passes);
  const int code = r.list && r.defines
                       ? target->backend->kernels(target->device, passes->count, r.list, kernels)
                       : fg_backend_fail(FG_ENOMEM, "no host memory");
  requests_free(r);
  return code;
}

bool fg_program_load(const fg_target *target, const fg_passes *passes) {
  fg_kernel *kernels[FG_MAX_PASSES];
  const int code = load_kernels(target, passes, kernels);
  if (code == FG_ELOST) fg_target_lost(fg_backend_message());
  return code == FG_OK;
}

static int compile(fg_program *g) {
  fg_kernel *kernels[FG_MAX_PASSES];
  const int code = load_kernels(g->target, g->passes, kernels);
  for (int i = 0; code == FG_OK && i < g->passes->count; i++) g->steps[i].kernel = kernels[i];
  return code;
}

static int make_tables(fg_program *g) {
  for (int i = 0; i < g->passes->count; i++) {
    fg_table list[FG_PASS_TABLES];
    fg_pass_table_list(&g->passes->pass[i], list);
    for (int t = 0; t < FG_PASS_TABLES; t++) {
      if (list[t].kind == FG_TABLE_NONE) continue;
      const int code = fg_table_get(g->target, &list[t], &g->steps[i].table[t]);
      if (code != FG_OK) return code;
    }
  }
  return FG_OK;
}

static const void *memory_of(const fg_device_table *t) { return t ? fg_table_memory(t) : NULL; }

/* A pass of the program's, or a part of it. */
static fg_launch launch_of(const step *s, const fg_pass *p) {
  const void *tables[FG_PASS_TABLES];
  for (int t = 0; t < FG_PASS_TABLES; t++) tables[t] = memory_of(s->table[t]);
  return fg_launch_of(p, tables);
}

/* Seconds.  The processor launches a kernel in 2.6 µs or more, and a chain in less than that. Where the program waits for
 * each execution, that is gained, of long ones not to be seen. Where executions follow one another only what launching
 * takes longer than the device does: in a chain the first kernel's blocks do not take their places before the last
 * execution has ended. */
static const double noticed = 100e-6, launch_time = 2.6e-6, begun_early = 3.9e-6;

static bool is_short(const fg_passes *passes) { return passes->cost < noticed; }

static bool chain_pays(const fg_passes *passes, bool waited) {
  return waited ? is_short(passes)
                : passes->count > 1 && passes->cost < begun_early + launch_time * passes->count;
}

static fg_chains *chains_of(const fg_target *target, const fg_passes *passes) {
  return is_short(passes) && passes->count <= FG_CHAIN_MOST ? fg_chains_new(target, passes->count) : NULL;
}

static size_t image_bytes(const fg_layout *l, enum fg_reach reach) {
  return fg_reach_is_image(reach) ? fg_transfer_bytes(l) : 0;
}

static void size_arrays(fg_program *g, enum fg_precision precision, const enum fg_reach reach[2]) {
  const size_t complex_size = 2 * fg_real_size(precision);
  g->bytes[FG_ARRAY_IN] = image_bytes(&g->in, reach[FG_INPUT]);
  g->bytes[FG_ARRAY_OUT] = image_bytes(&g->out, reach[FG_OUTPUT]);
  g->bytes[FG_ARRAY_SCRATCH0] = (size_t)g->passes->scratch[0] * complex_size;
  g->bytes[FG_ARRAY_SCRATCH1] = (size_t)g->passes->scratch[1] * complex_size;
}

/* On failure *why is NULL where the backend's message says it. */
static bool prepare(fg_program *g, const fg_problem *p, const enum fg_reach reach[2], const char **why) {
  const bool scheduled = fg_reach_is_image(reach[FG_INPUT]) && fg_reach_is_image(reach[FG_OUTPUT]);
  *why = "out of memory";
  if (!fg_layout_make_reaching(&g->in, p, FG_INPUT, reach[FG_INPUT]) ||
      !fg_layout_make_reaching(&g->out, p, FG_OUTPUT, reach[FG_OUTPUT]))
    return false;
  size_arrays(g, p->compute, reach);
  g->range = fg_range_of(p, g->passes);
  g->steps = calloc((size_t)g->passes->count, sizeof *g->steps);
  if (scheduled) g->schedule = fg_schedule_make(p, &g->in, &g->out, g->passes, g->target->info);
  if (!g->steps || (scheduled && !g->schedule)) return false;
  *why = NULL;
  int code = compile(g);
  if (code == FG_ENOMEM) { /* kernels take memory of the device, too */
    fg_slot_trim(g->target);
    code = compile(g);
  }
  if (code == FG_OK) code = make_tables(g);
  for (int i = 0; code == FG_OK && i < g->passes->count; i++) {
    g->steps[i].launch = launch_of(&g->steps[i], &g->passes->pass[i]);
    if (i % 2) fg_launch_turn_round(&g->steps[i].launch, &g->passes->pass[i]);
  }
  if (code == FG_ELOST) fg_target_lost(fg_backend_message());
  if (code == FG_OK) g->chains = chains_of(g->target, g->passes);
  return code == FG_OK;
}

fg_program *fg_program_create_reaching(const fg_target *target, const fg_problem *p, const enum fg_reach reach[2],
                                       const fg_passes *passes, const char **why) {
  fg_program *g = calloc(1, sizeof *g);
  *why = "out of memory";
  if (!g) return NULL;
  g->target = target;
  g->number = 1 + atomic_fetch_add(&programs, 1);
  g->empty = fg_tensor_size(&p->batch) == 0;
  const size_t bytes = offsetof(fg_passes, pass) + (size_t)passes->count * sizeof *passes->pass;
  g->passes = malloc(bytes);
  if (g->passes) memcpy(g->passes, passes, bytes);
  if (g->passes && (g->empty || prepare(g, p, reach, why))) return g;
  fg_program_destroy(g);
  if (!*why) *why = fg_backend_message();
  return NULL;
}

fg_program *fg_program_create(const fg_target *target, const fg_problem *p, const fg_passes *passes, const char **why) {
  return fg_program_create_reaching(target, p, (const enum fg_reach[]){FG_REACH_IMAGE, FG_REACH_IMAGE}, passes, why);
}

fg_program *fg_program_create_host(const fg_target *target, const fg_problem *p, const fg_passes *passes, const char **why) {
  return fg_program_create_reaching(target, p, (const enum fg_reach[]){FG_REACH_HOST, FG_REACH_HOST}, passes, why);
}

bool fg_program_takes(const fg_program *g, const fg_arrays *a) { return !g->in.padded || a->in_re == a->out_re; }

static void planes_of(const fg_program *g, void *const arrays[FG_ARRAYS], fg_planes planes[FG_ARRAYS]) {
  for (int a = 0; a < FG_ARRAYS; a++) planes[a] = (fg_planes){arrays[a], NULL};
  planes[FG_ARRAY_IN].im = fg_transfer_plane(&g->in, arrays[FG_ARRAY_IN], 1);
  planes[FG_ARRAY_OUT].im = fg_transfer_plane(&g->out, arrays[FG_ARRAY_OUT], 1);
}

/* p with indices [first, first + count) of one of its loops only. */
static void restrict_to(fg_pass *p, int loop, ptrdiff_t first, ptrdiff_t count) {
  p->from.offset += first * (ptrdiff_t)p->loop[loop].in;
  p->to.offset += first * (ptrdiff_t)p->loop[loop].out;
  p->loop[loop].n = count;
}

/* With arguments for these arrays. */
static fg_kernel_launch placed(const fg_planes planes[FG_ARRAYS], const step *s, const fg_launch *l, const fg_pass *p,
                               fg_tile_args *args) {
  memcpy(args, &l->args, l->bytes); /* of most a third */
  fg_launch_place(args, l, p, planes);
  return (fg_kernel_launch){s->kernel, l->grid, l->threads, l->shared, args, l->bytes};
}

static int launch(const fg_program *g, const fg_planes planes[FG_ARRAYS], const step *s, const fg_launch *l,
                  const fg_pass *p, fg_stream *stream) {
  fg_tile_args args;
  const fg_kernel_launch k = placed(planes, s, l, p, &args);
  return g->target->backend->launch(g->target->device, k.kernel, k.grid, k.block, k.shared, k.args, k.args_bytes, stream);
}

int fg_program_launch_planes(const fg_program *g, const fg_planes planes[FG_ARRAYS], int pass, fg_stream *stream) {
  const step *s = &g->steps[pass];
  return launch(g, planes, s, &s->launch, &g->passes->pass[pass], stream);
}

bool fg_program_launch_at_once(const fg_program *g, const fg_planes planes[FG_ARRAYS], fg_stream *stream, bool waited) {
  fg_tile_args args[FG_CHAIN_MOST];
  fg_kernel_launch list[FG_CHAIN_MOST];
  if (!g->chains || !chain_pays(g->passes, waited)) return false;
  for (int i = 0; i < g->passes->count; i++)
    list[i] = placed(planes, &g->steps[i], &g->steps[i].launch, &g->passes->pass[i], &args[i]);
  return fg_chains_launch(g->chains, list, stream);
}

bool fg_program_short(const fg_program *g) { return is_short(g->passes); }

bool fg_program_empty(const fg_program *g) { return g->empty; }

int fg_program_launch_part(const fg_program *g, void *const arrays[FG_ARRAYS], int pass, int loop, ptrdiff_t first,
                           ptrdiff_t count, fg_stream *stream) {
  fg_planes planes[FG_ARRAYS];
  planes_of(g, arrays, planes);
  if (loop < 0) return fg_program_launch_planes(g, planes, pass, stream);
  fg_pass part = g->passes->pass[pass];
  restrict_to(&part, loop, first, count);
  const fg_launch of_part = launch_of(&g->steps[pass], &part);
  return launch(g, planes, &g->steps[pass], &of_part, &part, stream);
}

/* From one array to another even where the pass works in place: what it reads is then called by the last one's name,
 * which is free if both are the same. */
int fg_program_launch_into(const fg_program *g, void *const arrays[FG_ARRAYS], int pass, void *into,
                           fg_stream *stream) {
  fg_planes planes[FG_ARRAYS];
  fg_pass p = g->passes->pass[pass];
  planes_of(g, arrays, planes);
  if (into && p.from.array == p.to.array) {
    p.from.array = (p.to.array + 1) % FG_ARRAYS;
    planes[p.from.array] = planes[p.to.array];
  }
  if (into) planes[p.to.array] = (fg_planes){into, NULL};
  return launch(g, planes, &g->steps[pass], &g->steps[pass].launch, &p, stream);
}

int fg_program_launch(const fg_program *g, void *const arrays[FG_ARRAYS], fg_stream *stream) {
  fg_planes planes[FG_ARRAYS];
  int code = FG_OK;
  if (g->empty) return code;
  planes_of(g, arrays, planes);
  if (fg_program_launch_at_once(g, planes, stream, false)) return FG_OK;
  for (int i = 0; code == FG_OK && i < g->passes->count; i++) code = fg_program_launch_planes(g, planes, i, stream);
  return code;
}

void fg_program_pin(const fg_program *g, const fg_arrays *a) {
  if (!g->empty) fg_pipeline_pin(g, a);
}

enum fg_outcome fg_program_execute(const fg_program *g, const fg_arrays *a) {
  return fg_program_execute_partly(g, a, NULL);
}

enum fg_outcome fg_program_execute_partly(const fg_program *g, const fg_arrays *a, fg_rest *rest) {
  return g->empty ? FG_DONE : fg_pipeline_run(g, a, rest);
}
