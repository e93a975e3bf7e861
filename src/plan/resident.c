/* resident.c: executions of a plan on arrays that are not all the host's. */
#include "src/plan/resident.h"

#include <fenv.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "src/plan/planner.h"
#include "src/report/settings.h"
#include "src/run/direct.h"
#include "src/run/host/transfer.h"
#include "src/run/lane.h"
#include "src/run/memory.h"
#include "src/run/residence.h"

/* ---- where the arrays are ---- */

/* Of a side: interleaved numbers begin where the first plane does. */
typedef struct {
  fg_pointer plane[2];
  int count;
} whereabouts;

static whereabouts find(const fg_problem *p, const fg_arrays *a, enum fg_side side) {
  whereabouts w = {.count = fg_problem_has_second(p, a, side) ? 2 : 1};
  w.plane[0] = fg_residence_of(side == FG_INPUT ? a->in_re : a->out_re);
  if (w.count == 2) w.plane[1] = fg_residence_of(side == FG_INPUT ? a->in_im : a->out_im);
  return w;
}

bool fg_resident_wanted(const fg_problem *p, const fg_arrays *a) {
  if (!fg_residence_possible()) return false;
  return fg_residence_on_device(a->in_re) || (a->out_re != a->in_re && fg_residence_on_device(a->out_re)) ||
         (fg_problem_has_second(p, a, FG_INPUT) && fg_residence_on_device(a->in_im)) ||
         (fg_problem_has_second(p, a, FG_OUTPUT) && fg_residence_on_device(a->out_im));
}

static bool reached_by(const fg_pointer *p, int ordinal) {
  return p->kind == FG_POINTER_MANAGED || (p->kind == FG_POINTER_DEVICE && p->ordinal == ordinal);
}

/* ---- how an execution on them would be ---- */

/* What a program is made for. */
typedef struct {
  int ordinal;
  enum fg_reach reach[2];
  bool in_place;
} shape;

typedef struct resident {
  shape shape;
  fg_program *program;
  fg_lane_need need; /* of device memory beside the arrays */
  struct resident *next;
} resident;

struct fg_residents {
  pthread_mutex_t lock;
  resident *list;
};

/* Complex numbers are loaded whole, and so may be two real ones. */
static bool misaligned(const fg_problem *p, const fg_arrays *a, enum fg_side side) {
  const uintptr_t at = (uintptr_t)(side == FG_INPUT ? a->in_re : a->out_re);
  return (!fg_problem_complex_side(p, side) || p->format == FG_INTERLEAVED) && at % (2 * fg_real_size(p->precision));
}

static bool reach_side(const fg_problem *p, const fg_arrays *a, enum fg_side side, shape *s, const char **why) {
  const whereabouts w = find(p, a, side);
  bool here = true, host = true;
  for (int i = 0; i < w.count; i++) {
    here &= reached_by(&w.plane[i], s->ordinal);
    host &= !fg_residence_device(&w.plane[i]);
  }
  const bool apart = fg_problem_parts_apart(p, a, side), planes = misaligned(p, a, side) || apart;
  s->reach[side] = host ? FG_REACH_IMAGE : planes ? FG_REACH_PLANES : FG_REACH_ARRAY;
  *why = "arrays on several devices, or of another context";
  return (here || host) && !(host && apart);
}

/* The device of the first array that kernels reach; -1 if there is none. */
static int ordinal_of(const fg_problem *p, const fg_arrays *a) {
  const whereabouts sides[] = {find(p, a, FG_INPUT), find(p, a, FG_OUTPUT)};
  const enum fg_pointer_kind kinds[] = {FG_POINTER_DEVICE, FG_POINTER_MANAGED};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    for (int s = 0; s < 2; s++)
      for (int i = 0; i < sides[s].count; i++)
        if (sides[s].plane[i].kind == kinds[k]) return sides[s].plane[i].ordinal;
  return -1;
}

/* Each output element lies where an input element of its own line does. */
static bool same_places(const fg_problem *p) {
  const int last = p->transform.rank - 1;
  const bool halved = p->kind == FG_R2C || p->kind == FG_C2R;
  if (halved && (last < 0 || p->format == FG_SPLIT)) return false;
  for (int d = 0; d < p->transform.rank; d++) {
    const fg_dim *dim = &p->transform.dim[d];
    const fg_dim row = p->kind == FG_R2C ? (fg_dim){0, 1, 2} : (fg_dim){0, 2, 1};
    if (halved && d == last ? dim->n > 1 && (dim->is != row.is || dim->os != row.os) : dim->is != dim->os) return false;
  }
  for (int b = 0; b < p->batch.rank; b++)
    if (p->batch.dim[b].is != p->batch.dim[b].os) return false;
  return true;
}

/* Both sides are reached as one array.  One of reals has no plane from which imaginary parts could be read. */
static bool reached_alike(const fg_problem *p, const enum fg_reach reach[2]) {
  const bool no_plane = fg_problem_complex_side(p, FG_INPUT) && !fg_problem_complex_side(p, FG_OUTPUT);
  return reach[FG_INPUT] == reach[FG_OUTPUT] && reach[FG_INPUT] != FG_REACH_IMAGE &&
         !(no_plane && reach[FG_INPUT] == FG_REACH_PLANES);
}

static bool shape_of(const fg_problem *p, const fg_arrays *a, shape *s, const char **why) {
  *s = (shape){.ordinal = ordinal_of(p, a)};
  *why = "arrays of another context";
  if (s->ordinal < 0) return false;
  if (!reach_side(p, a, FG_INPUT, s, why) || !reach_side(p, a, FG_OUTPUT, s, why)) return false;
  s->in_place = fg_problem_in_place(a) && same_places(p) && reached_alike(p, s->reach);
  return true;
}

/* ---- programs ---- */

static bool same_shape(const shape *a, const shape *b) {
  return a->ordinal == b->ordinal && a->reach[0] == b->reach[0] && a->reach[1] == b->reach[1] &&
         a->in_place == b->in_place;
}

/* Bytes of the program's arrays that are on the device. */
static size_t bytes_there(const fg_problem *p, const shape *s) {
  size_t reals = 0;
  for (int side = FG_INPUT; side <= (s->in_place ? FG_INPUT : FG_OUTPUT); side++)
    if (s->reach[side] != FG_REACH_IMAGE)
      reals += (size_t)fg_problem_elements(p, side) * (fg_problem_complex_side(p, side) ? 2 : 1);
  return reals * fg_real_size(p->precision);
}

static fg_program *plan_program(const fg_target *target, const fg_problem *p, const shape *s, const char **why) {
  fg_passes *passes = calloc(1, sizeof *passes);
  fg_program *program = NULL;
  *why = "out of memory";
  const bool nothing = fg_tensor_size(&p->batch) == 0;
  fg_device_info device;
  fg_memory_device(target, bytes_there(p, s), &device);
  if (passes && (nothing || fg_planner_plan_reaching(p, s->reach, s->in_place, &device, passes, why)))
    program = fg_program_create_reaching(target, p, s->reach, passes, why);
  free(passes);
  return program;
}

/* As fg_prepare: tables are for all plans, whatever the program's rounding mode. */
static fg_program *make_program(const fg_problem *p, const shape *s, const char **why) {
  fenv_t of_program;
  feholdexcept(&of_program);
  fesetround(FE_TONEAREST);
  const fg_target *target = fg_target_of(s->ordinal, why);
  fg_program *program = target ? plan_program(target, p, s, why) : NULL;
  fesetenv(&of_program);
  return program;
}

/* One that could not be made is tried again by the next execution. */
static fg_program *add(fg_residents *all, const fg_problem *p, const shape *s, const char **why) {
  fg_program *program = make_program(p, s, why);
  resident *r = program ? calloc(1, sizeof *r) : NULL;
  if (!r) {
    fg_program_destroy(program);
    return NULL;
  }
  *r = (resident){.shape = *s, .program = program, .need.target = fg_program_target(program), .next = all->list};
  memcpy(r->need.bytes, fg_program_bytes(program), sizeof r->need.bytes);
  fg_lane_keep(&r->need);
  all->list = r;
  return program;
}

static fg_program *program_for(fg_residents *all, const fg_problem *p, const shape *s, const char **why) {
  pthread_mutex_lock(&all->lock);
  const resident *r = all->list;
  while (r && !same_shape(&r->shape, s)) r = r->next;
  fg_program *program = r ? r->program : add(all, p, s, why);
  pthread_mutex_unlock(&all->lock);
  return program;
}

const fg_program *fg_residents_first(fg_residents *all) {
  if (!all || !fg_target_possible()) return NULL; /* a child of fork may find the lock held for ever */
  pthread_mutex_lock(&all->lock);
  const resident *r = all->list;
  while (r && r->next) r = r->next;
  pthread_mutex_unlock(&all->lock);
  return r ? r->program : NULL; /* as long as the plan */
}

fg_residents *fg_residents_new(void) {
  fg_residents *all = calloc(1, sizeof *all);
  if (all) pthread_mutex_init(&all->lock, NULL);
  return all;
}

void fg_residents_free(fg_residents *all) {
  while (all && all->list) {
    resident *const r = all->list;
    all->list = r->next;
    fg_lane_keep_no_more(&r->need);
    fg_program_destroy(r->program);
    free(r);
  }
  if (all) pthread_mutex_destroy(&all->lock);
  free(all);
}

/* ---- planning, executing ---- */

unsigned fg_resident_flags(const fg_problem *p) {
  return (p->flags & (FG_DESTROY_INPUT | FG_PRESERVE_INPUT | FG_WISDOM_ONLY)) | FG_ESTIMATE | FG_UNALIGNED;
}

fg_route fg_resident_route(const fg_problem *p) {
  fg_route r = {.way = FG_ROUTE_HOST, .reason = "switched off"};
  if (fg_settings_get()->mode == FG_MODE_OFF) return r;
  r.reason = fg_route_must_host(p);
  if (r.reason) return r;
  r.target = fg_target_get(&r.reason);
  if (!r.target) return r;
  r.way = FG_ROUTE_GPU;
  r.reason = "arrays on the device";
  return r;
}

/* All that an execution needs; false and *why if the device cannot do it. */
static bool direct_of(fg_residents *all, const fg_problem *p, const fg_arrays *a, fg_direct *d, const char **why) {
  shape s;
  *why = "switched off";
  if (fg_settings_get()->mode == FG_MODE_OFF) return false;
  /* A child of fork may find the lock of the programs held for ever. */
  if (!fg_target_possible()) return fg_target_get(why);
  *why = fg_problem_undefined(p);
  if (*why || !shape_of(p, a, &s, why)) return false;
  *d = (fg_direct){.reach = {s.reach[0], s.reach[1]}, .arrays = *a, .in_place = s.in_place};
  d->program = all ? program_for(all, p, &s, why) : NULL;
  if (!d->program) return false;
  const fg_layout *in = fg_program_layout(d->program, FG_INPUT), *out = fg_program_layout(d->program, FG_OUTPUT);
  d->copy = !s.in_place && !fg_program_empty(d->program) && s.reach[0] != FG_REACH_IMAGE &&
            s.reach[1] != FG_REACH_IMAGE && fg_transfer_overlap(in, out, a);
  return true;
}

void fg_resident_prepare(fg_residents *all, const fg_problem *p, const fg_arrays *a) {
  fg_direct d;
  const char *why;
  direct_of(all, p, a, &d, &why);
}

enum fg_outcome fg_resident_execute(fg_residents *all, const fg_problem *p, const fg_arrays *a, const char **why) {
  fg_direct d;
  if (!direct_of(all, p, a, &d, why)) return FG_INTACT;
  const enum fg_outcome outcome = fg_direct_run(&d);
  if (outcome != FG_DONE) *why = fg_backend_message();
  return outcome;
}

int fg_resident_execute_in(fg_residents *all, const fg_problem *p, const fg_arrays *a, void *stream, bool *damaged,
                           const char **why) {
  fg_direct d;
  fg_stream *theirs;
  *damaged = false;
  if (!direct_of(all, p, a, &d, why)) return fg_backend_fail(FG_EHOST, "%s", *why);
  const fg_target *t = fg_program_target(d.program);
  if (d.reach[0] == FG_REACH_IMAGE || d.reach[1] == FG_REACH_IMAGE)
    return fg_backend_fail(FG_EHOST, "one of the arrays is on the host");
  const int code = t->backend->stream_of_program(t->device, stream, &theirs);
  return code == FG_OK ? fg_direct_run_in(&d, theirs, damaged) : code;
}
