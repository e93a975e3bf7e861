/* guest.c: the real FFTW's answer for arrays that it cannot reach: they are copied to the host, and the output's own
 * elements back. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "src/plan/fallback.h"
#include "src/plan/resident.h"
#include "src/report/log.h"
#include "src/run/residence.h"

enum { PLANES = 4 };

/* What a plane of an array spans in memory, and its copy on the host.  Planes that meet have one copy, so that what was
 * in place still is. */
typedef struct {
  char *pointer;   /* as the program gave it */
  char *from, *to; /* bytes of the whole copy */
  char *copy;      /* malloc'd by the first of those that share it */
  bool owner;
  int ordinal;     /* of the device that it is on; -1: the host reaches it */
} guest;

typedef struct {
  const fg_problem *problem;
  guest plane[PLANES]; /* in, out; re, im */
} guests;

static bool present(const fg_problem *p, int i) {
  return i % 2 == 0 || (p->format == FG_SPLIT && fg_problem_complex_side(p, i < 2 ? FG_INPUT : FG_OUTPUT));
}

static const fg_dim *dimension(const fg_problem *p, int d) {
  return d < p->transform.rank ? &p->transform.dim[d] : &p->batch.dim[d - p->transform.rank];
}

/* Any layout, also those that the manual leaves undefined. */
static void measure(guest *g, const fg_problem *p, enum fg_side side) {
  const ptrdiff_t real = (ptrdiff_t)fg_real_size(p->precision);
  const bool pairs = p->format == FG_INTERLEAVED && fg_problem_complex_side(p, side);
  ptrdiff_t low = 0, high = pairs ? 2 : 1;
  for (int d = 0; d < p->transform.rank + p->batch.rank; d++) {
    const ptrdiff_t n = fg_problem_points(p, d, side), reach = (n - 1) * fg_dim_stride(dimension(p, d), side);
    if (n < 1) continue;
    if (reach < 0) low += reach;
    else high += reach;
  }
  g->from = g->pointer + low * real;
  g->to = g->pointer + high * real;
}

static guests guests_of(const fg_problem *p, const fg_arrays *a) {
  void *const pointers[PLANES] = {a->in_re, a->in_im, a->out_re, a->out_im};
  guests g = {.problem = p};
  for (int i = 0; i < PLANES; i++) {
    g.plane[i] = (guest){.pointer = pointers[i], .ordinal = -1};
    if (!present(p, i)) continue;
    const fg_pointer where = fg_residence_of(pointers[i]);
    if (where.kind == FG_MEMORY_DEVICE || where.kind == FG_MEMORY_APART) g.plane[i].ordinal = where.ordinal;
    measure(&g.plane[i], p, i < 2 ? FG_INPUT : FG_OUTPUT);
  }
  return g;
}

/* Until no two spans of one device meet that are not the same. */
static void merge(guests *g) {
  for (bool changed = true; changed;) {
    changed = false;
    for (int i = 0; i < PLANES; i++)
      for (int k = 0; k < PLANES; k++) {
        guest *a = &g->plane[i], *b = &g->plane[k];
        if (a->ordinal < 0 || a->ordinal != b->ordinal || a->from >= b->to || b->from >= a->to) continue;
        if (a->from == b->from && a->to == b->to) continue;
        a->from = b->from = a->from < b->from ? a->from : b->from;
        a->to = b->to = a->to > b->to ? a->to : b->to;
        changed = true;
      }
  }
}

/* ---- copies ---- */

typedef struct {
  const fg_target *target;
  fg_stream *stream;
} channel;

static int channel_open(channel *c, int ordinal) {
  const char *why = "";
  c->target = fg_target_of(ordinal, &why);
  if (!c->target) return fg_backend_fail(FG_ENODEVICE, "%s", why);
  return c->target->backend->stream_create(c->target->device, &c->stream);
}

static int channel_close(channel *c, int code) {
  if (!c->stream) return code;
  const int waited = c->target->backend->stream_wait(c->target->device, c->stream);
  c->target->backend->stream_destroy(c->target->device, c->stream);
  return code == FG_OK ? waited : code;
}

/* The program's own work on the arrays comes first: all of it in its default stream. */
static void after_the_program(void) {
  const char *why;
  const fg_target *t = fg_target_get(&why);
  fg_stream *theirs;
  if (t && t->backend->stream_of_program(t->device, NULL, &theirs) == FG_OK)
    t->backend->stream_wait(t->device, theirs);
}

static int bring(guest *g) {
  const size_t bytes = (size_t)(g->to - g->from);
  channel c = {NULL, NULL};
  g->copy = malloc(bytes + 64);
  g->owner = true;
  if (!g->copy) return fg_backend_fail(FG_ENOMEM, "no host memory for a copy");
  int code = channel_open(&c, g->ordinal);
  if (code == FG_OK) code = c.target->backend->copy_out(c.target->device, g->copy, g->from, bytes, c.stream);
  return channel_close(&c, code);
}

static int bring_all(guests *g) {
  int code = FG_OK;
  for (int i = 0; code == FG_OK && i < PLANES; i++) {
    guest *one = &g->plane[i];
    for (int k = 0; k < i; k++)
      if (g->plane[k].ordinal == one->ordinal && g->plane[k].from == one->from) one->copy = g->plane[k].copy;
    if (one->ordinal >= 0 && !one->copy) code = bring(one);
  }
  return code;
}

static void *on_host(const guest *g) { return g->copy ? g->copy + (g->pointer - g->from) : g->pointer; }

/* Interleaved: the imaginary pointer follows the real one, whatever array that is in. */
static void *second_on_host(const guests *g, int i) {
  if (present(g->problem, i)) return on_host(&g->plane[i]);
  const guest *re = &g->plane[i - 1];
  return g->plane[i].pointer ? (char *)on_host(re) + (g->plane[i].pointer - re->pointer) : NULL;
}

/* One run of neighbouring elements after the other. */
static int give_back(const guests *g, int i) {
  const fg_problem *p = g->problem;
  const guest *out = &g->plane[i];
  const ptrdiff_t real = (ptrdiff_t)fg_real_size(p->precision);
  const int rank = p->transform.rank + p->batch.rank;
  const bool pairs = p->format == FG_INTERLEAVED && fg_problem_complex_side(p, FG_OUTPUT);
  const ptrdiff_t elements = fg_problem_elements(p, FG_OUTPUT), unit = pairs ? 2 : 1;
  channel c = {NULL, NULL};
  int code = channel_open(&c, out->ordinal);
  ptrdiff_t start = 0, length = 0; /* of the run, in reals */
  for (ptrdiff_t e = 0; code == FG_OK && e <= elements; e++) {
    ptrdiff_t rest = e, at = 0;
    for (int d = rank - 1; e < elements && d >= 0; d--) {
      /* the batch outside */
      const int which = d < p->batch.rank ? p->transform.rank + d : d - p->batch.rank;
      const ptrdiff_t n = fg_problem_points(p, which, FG_OUTPUT);
      at += rest % n * fg_dim_stride(dimension(p, which), FG_OUTPUT);
      rest /= n;
    }
    if (e < elements && e > 0 && at == start + length) {
      length += unit;
      continue;
    }
    if (length)
      code = c.target->backend->copy_in(c.target->device, out->pointer + start * real,
                                        (char *)on_host(out) + start * real, (size_t)(length * real), c.stream);
    start = at;
    length = unit;
  }
  return channel_close(&c, code);
}

static int give_all_back(const guests *g) {
  int code = FG_OK;
  for (int i = 2; code == FG_OK && i < PLANES; i++)
    if (present(g->problem, i) && g->plane[i].ordinal >= 0) code = give_back(g, i);
  return code;
}

static void drop(guests *g) {
  for (int i = 0; i < PLANES; i++)
    if (g->plane[i].owner) free(g->plane[i].copy);
}

void fg_resident_by_host(fg_plan *plan, const fg_arrays *a) {
  const fg_problem *p = fg_plan_problem(plan);
  if (fg_tensor_size(&p->batch) == 0) return;
  guests g = guests_of(p, a);
  merge(&g);
  after_the_program();
  if (bring_all(&g) != FG_OK) fg_die("arrays on a device that cannot be read: %s", fg_backend_message());
  const fg_arrays host = {on_host(&g.plane[0]), second_on_host(&g, 1), on_host(&g.plane[2]), second_on_host(&g, 3)};
  if (!fg_fallback_execute(plan, &host)) fg_die("the real FFTW has no plan for this transform");
  if (give_all_back(&g) != FG_OK) fg_die("arrays on a device that cannot be written: %s", fg_backend_message());
  drop(&g);
}
