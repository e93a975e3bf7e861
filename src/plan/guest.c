/* guest.c: copies on the host of arrays that are on a device. */
#include "src/plan/guest.h"

#include <stdint.h>
#include <stdlib.h>

#include "src/run/residence.h"
#include "src/run/target.h"

enum { PLANES = 4 };

/* What a plane of an array spans in memory, and its copy on the host.  Planes that meet have one copy, so that what was
 * in place still is. */
typedef struct {
  char *pointer;   /* as the program gave it */
  char *from, *to; /* bytes of the whole copy */
  char *copy;      /* malloc'd by the first of those that share it */
  bool owner;
  int ordinal;     /* of the device that it is on; -1: the host reaches it */
  void *context;   /* of the program's, which it is in; or NULL */
} guest;

struct fg_guests {
  const fg_problem *problem;
  bool second[2];      /* that side has two of them */
  guest plane[PLANES]; /* in, out; re, im */
};

static bool present(const fg_guests *g, int i) { return i % 2 == 0 || g->second[i / 2]; }

/* A real and an imaginary part, one behind the other. */
static bool pairs(const fg_guests *g, enum fg_side side) {
  return fg_problem_complex_side(g->problem, side) && !g->second[side];
}

static const fg_dim *dimension(const fg_problem *p, int d) {
  return d < p->transform.rank ? &p->transform.dim[d] : &p->batch.dim[d - p->transform.rank];
}

/* Any layout, also those that the manual leaves undefined. */
static void measure(const fg_guests *all, guest *g, enum fg_side side) {
  const fg_problem *p = all->problem;
  const ptrdiff_t real = (ptrdiff_t)fg_real_size(p->precision);
  ptrdiff_t low = 0, high = pairs(all, side) ? 2 : 1;
  for (int d = 0; d < p->transform.rank + p->batch.rank; d++) {
    const ptrdiff_t n = fg_problem_points(p, d, side), reach = (n - 1) * fg_dim_stride(dimension(p, d), side);
    if (n < 1) continue;
    if (reach < 0) low += reach;
    else high += reach;
  }
  g->from = g->pointer + low * real;
  g->to = g->pointer + high * real;
}

static fg_guests guests_of(const fg_problem *p, const fg_arrays *a) {
  void *const pointers[PLANES] = {a->in_re, a->in_im, a->out_re, a->out_im};
  fg_guests g = {.problem = p};
  for (int s = FG_INPUT; s <= FG_OUTPUT; s++) g.second[s] = fg_problem_has_second(p, a, (enum fg_side)s);
  for (int i = 0; i < PLANES; i++) {
    g.plane[i] = (guest){.pointer = pointers[i], .ordinal = -1};
    if (!present(&g, i)) continue;
    const fg_pointer where = fg_residence_of(pointers[i]);
    if (where.kind == FG_POINTER_DEVICE || where.kind == FG_POINTER_APART) g.plane[i].ordinal = where.ordinal;
    g.plane[i].context = where.owner;
    measure(&g, &g.plane[i], i < 2 ? FG_INPUT : FG_OUTPUT);
  }
  return g;
}

/* Until no two spans of one device meet that are not the same. */
static void merge(fg_guests *g) {
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

static int bring(guest *g) {
  const size_t bytes = (size_t)(g->to - g->from);
  channel c = {NULL, NULL};
  if (!g->copy) g->copy = malloc(bytes);
  g->owner = true;
  if (!g->copy) return fg_backend_fail(FG_ENOMEM, "no host memory for a copy");
  int code = channel_open(&c, g->ordinal);
  if (code == FG_OK) fg_residence_wait_for_program(c.target, g->context);
  if (code == FG_OK) code = c.target->backend->copy_out(c.target->device, g->copy, g->from, bytes, c.stream);
  return channel_close(&c, code);
}

int fg_guests_bring_again(fg_guests *g) {
  int code = FG_OK;
  for (int i = 0; code == FG_OK && i < PLANES; i++) {
    guest *one = &g->plane[i];
    for (int k = 0; k < i; k++)
      if (g->plane[k].ordinal == one->ordinal && g->plane[k].from == one->from) one->copy = g->plane[k].copy;
    if (one->ordinal >= 0 && (!one->copy || one->owner)) code = bring(one);
  }
  return code;
}

static void *on_host(const guest *g) { return g->copy ? g->copy + (g->pointer - g->from) : g->pointer; }

/* Of pairs the imaginary pointer follows the real one. */
static void *second_on_host(const fg_guests *g, int i) {
  if (present(g, i)) return on_host(&g->plane[i]);
  const guest *re = &g->plane[i - 1];
  return g->plane[i].pointer ? (char *)on_host(re) + (g->plane[i].pointer - re->pointer) : NULL;
}

/* Reals from the array's pointer to the output's element e; the batch counts slowest. */
static ptrdiff_t position(const fg_problem *p, ptrdiff_t e) {
  ptrdiff_t at = 0;
  for (int i = p->transform.rank + p->batch.rank - 1; i >= 0; i--) {
    const int d = i < p->batch.rank ? p->transform.rank + i : i - p->batch.rank;
    const ptrdiff_t n = fg_problem_points(p, d, FG_OUTPUT);
    at += e % n * fg_dim_stride(dimension(p, d), FG_OUTPUT);
    e /= n;
  }
  return at;
}

static int give_run(const channel *c, const guest *out, ptrdiff_t first, ptrdiff_t bytes) {
  return c->target->backend->copy_in(c->target->device, out->pointer + first, (char *)on_host(out) + first,
                                     (size_t)bytes, c->stream);
}

/* One run of neighbouring elements after the other. */
static int give_plane(const fg_guests *g, const guest *out) {
  const fg_problem *p = g->problem;
  const ptrdiff_t real = (ptrdiff_t)fg_real_size(p->precision), element = pairs(g, FG_OUTPUT) ? 2 * real : real;
  const ptrdiff_t elements = fg_problem_elements(p, FG_OUTPUT);
  ptrdiff_t first = 0, bytes = 0; /* of the run */
  channel c = {NULL, NULL};
  int code = channel_open(&c, out->ordinal);
  for (ptrdiff_t e = 0; code == FG_OK && e < elements; e++) {
    const ptrdiff_t at = position(p, e) * real;
    if (bytes && at != first + bytes) {
      code = give_run(&c, out, first, bytes);
      bytes = 0;
    }
    if (!bytes) first = at;
    bytes += element;
  }
  if (code == FG_OK && bytes) code = give_run(&c, out, first, bytes);
  return channel_close(&c, code);
}

int fg_guests_give_back(const fg_guests *g) {
  int code = FG_OK;
  for (int i = 2; code == FG_OK && i < PLANES; i++)
    if (present(g, i) && g->plane[i].ordinal >= 0) code = give_plane(g, &g->plane[i]);
  return code;
}

/* ---- all ---- */

void fg_guests_free(fg_guests *g) {
  for (int i = 0; g && i < PLANES; i++)
    if (g->plane[i].owner) free(g->plane[i].copy);
  free(g);
}

fg_guests *fg_guests_bring(const fg_problem *p, const fg_arrays *a) {
  fg_guests *g = malloc(sizeof *g);
  if (!g) {
    fg_backend_fail(FG_ENOMEM, "no host memory for a copy");
    return NULL;
  }
  *g = guests_of(p, a);
  merge(g);
  const char *why;
  const fg_target *own = fg_target_get(&why);
  if (own) fg_residence_await_captures(own);
  for (int i = 0; own && i < PLANES; i++) /* managed memory is not brought */
    if (i == 0 || g->plane[i].context != g->plane[i - 1].context)
      fg_residence_wait_for_program(own, g->plane[i].context);
  if (fg_guests_bring_again(g) == FG_OK) return g;
  fg_guests_free(g);
  return NULL;
}

fg_arrays fg_guests_arrays(const fg_guests *g) {
  return (fg_arrays){on_host(&g->plane[0]), second_on_host(g, 1), on_host(&g->plane[2]), second_on_host(g, 3)};
}
