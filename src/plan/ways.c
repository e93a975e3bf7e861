/* ways.c: the real FFTW's plans behind a handle of ours. */
#include "src/plan/ways.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "src/problem/layout.h"

static enum fg_placement placement_of(const fg_arrays *a) {
  return a->in_re == a->out_re || a->in_re == a->out_im ? FG_IN_PLACE : FG_OUT_OF_PLACE;
}

static ptrdiff_t distance(const void *re, const void *im) { return im ? (const char *)im - (const char *)re : 0; }

static unsigned alignment(const void *array) { return (unsigned)((uintptr_t)array % 16); } /* as fftwf_alignment_of */

/* NULL, and made is still the caller's, on lack of memory. */
static fg_way *way_of(const fg_arrays *a, fg_host_plan made, bool anywhere) {
  fg_way *way = malloc(sizeof *way);
  if (way)
    *way = (fg_way){made, distance(a->in_re, a->in_im), distance(a->out_re, a->out_im), anywhere,
                    alignment(a->in_re), alignment(a->out_re)};
  return way;
}

static void way_free(const fg_problem *p, fg_way *way) {
  if (way) fg_host_of(p->precision)->destroy(way->plan);
  free(way);
}

/* FFTW uses vectors of two numbers and more: where a complex number begins at such a place, and parts of interleaved numbers
 * do not lie apart. */
static bool suits_vectors(const fg_problem *p, const fg_arrays *a) {
  const unsigned least = p->precision == FG_SINGLE ? 8 : 16;
  return alignment(a->in_re) % least == 0 && alignment(a->out_re) % least == 0 && !fg_problem_apart(p, a);
}

/* unaligned: FG_UNALIGNED, or 0: for arrays that are aligned as a's. */
static fg_way *way_make(const fg_problem *p, const fg_arrays *a, unsigned unaligned) {
  const fg_host *host = fg_host_of(p->precision);
  const unsigned flags = (p->flags & (FG_DESTROY_INPUT | FG_PRESERVE_INPUT | FG_UNALIGNED)) | unaligned;
  const fg_host_plan made = host->plan(p, a, flags | FG_ESTIMATE);
  fg_way *way = made ? way_of(a, made, flags & FG_UNALIGNED) : NULL;
  if (made && !way) host->destroy(made);
  return way;
}

static bool parts_lie_alike(const fg_way *way, const fg_arrays *a) {
  return way->in == distance(a->in_re, a->in_im) && way->out == distance(a->out_re, a->out_im);
}

static bool serves(const fg_way *way, const fg_arrays *a) {
  const bool same = way->in_alignment == alignment(a->in_re) && way->out_alignment == alignment(a->out_re);
  return (way->anywhere || same) && parts_lie_alike(way, a);
}

/* The one that is kept there.  Two threads may both make it; the second to arrive throws its own away. */
static fg_way *made_once(_Atomic(fg_way *) *kept, const fg_problem *p, const fg_arrays *a, unsigned unaligned) {
  fg_way *have = atomic_load(kept);
  if (have) return have;
  fg_way *made = way_make(p, a, unaligned);
  if (made && !atomic_compare_exchange_strong(kept, &have, made)) {
    way_free(p, made);
    return have;
  }
  return made;
}

bool fg_ways_keep(fg_ways *ways, const fg_problem *p, fg_host_plan made) {
  fg_way *way = way_of(&p->arrays, made, p->flags & FG_UNALIGNED);
  if (way) atomic_store(&ways->kept[placement_of(&p->arrays)], way);
  return way != NULL;
}

fg_host_plan fg_ways_plan(fg_ways *ways, const fg_problem *p) {
  const fg_way *way = made_once(&ways->kept[placement_of(&p->arrays)], p, &p->arrays, 0);
  return way ? way->plan : NULL;
}

/* NULL: none. */
static const fg_way *serving(const fg_ways *ways, const fg_arrays *a) {
  const enum fg_placement placement = placement_of(a);
  const fg_way *way = atomic_load(&ways->kept[placement]);
  if (way && serves(way, a)) return way;
  way = atomic_load(&ways->unaligned[placement]);
  return way && serves(way, a) ? way : NULL;
}

bool fg_ways_have(const fg_ways *ways, const fg_arrays *a) { return serving(ways, a) != NULL; }

bool fg_ways_execute_kept(const fg_ways *ways, const fg_problem *p, const fg_arrays *a) {
  const fg_way *const way = serving(ways, a);
  if (!way) return false;
  fg_host_of(p->precision)->execute(way->plan, p, a);
  return true;
}

/* The real FFTW refuses some layouts in place whose strides differ, and to keep the input of some c2r, all of which the
 * device does: for want of it they are done from a dense copy of the input. Where imaginary parts lie apart, or something runs
 * backwards, it is a copy of what the input spans: of other strides that mix directions FFTW 3.3.10 may not come to an end. */
static void *copied(const fg_layout *l, bool dense, const void *array, void **copy) {
  const ptrdiff_t real = (ptrdiff_t)fg_real_size(l->precision), low = l->low * real; /* none of what is dense */
  const size_t bytes = dense ? (size_t)l->elements * fg_layout_element_size(l) : (size_t)(fg_layout_reach(l) * real);
  *copy = malloc(bytes);
  if (!*copy) return NULL;
  if (!dense) memcpy(*copy, (const char *)array + low, bytes);
  else fg_layout_gather(l, array, 0, l->elements, *copy);
  return (char *)*copy - low;
}

static bool runs_forward(const fg_layout *l) { return l->low == 0; }

/* p with an input that lies as its image does, in its own precision; NULL on lack of memory. */
static fg_problem *on_image(const fg_problem *p, const fg_layout *l) {
  fg_problem *const q = fg_problem_copy(p);
  for (int d = 0; q && d < p->transform.rank; d++) q->transform.dim[d].is = l->stride[d] * l->unit;
  for (int b = 0; q && b < p->batch.rank; b++) q->batch.dim[b].is = l->stride[p->transform.rank + b] * l->unit;
  return q;
}

static bool execute_on(const fg_problem *p, const fg_arrays *a, unsigned flags) {
  const fg_host *host = fg_host_of(p->precision);
  const fg_host_plan made = host->plan(p, a, flags);
  if (!made) return false;
  host->execute(made, p, a);
  host->destroy(made);
  return true;
}

static bool execute_copied(const fg_problem *p, const fg_arrays *a) {
  fg_layout l;
  const bool apart = fg_problem_parts_apart(p, a, FG_INPUT);
  fg_problem unconverted = *p;
  unconverted.compute = p->precision;
  if (fg_problem_undefined(p) ||
      !fg_layout_make_reaching(&l, &unconverted, FG_INPUT, apart ? FG_REACH_PLANES : FG_REACH_IMAGE))
    return false;
  void *copy[2] = {NULL, NULL};
  fg_arrays moved = *a;
  const bool dense = !apart && runs_forward(&l);
  fg_problem *const q = dense ? on_image(p, &l) : NULL;
  moved.in_re = copied(&l, dense, a->in_re, &copy[0]);
  if (l.split) moved.in_im = copied(&l, dense, a->in_im, &copy[1]);
  else if (a->in_im && moved.in_re) moved.in_im = (char *)moved.in_re + fg_real_size(p->precision);
  const bool done = (!dense || q) && copy[0] && (!l.split || copy[1]) &&
                    execute_on(dense ? q : p, &moved, FG_ESTIMATE | FG_UNALIGNED | FG_DESTROY_INPUT);
  if (q) fg_problem_free(q);
  free(copy[0]);
  free(copy[1]);
  fg_layout_free(&l);
  return done;
}

/* One that is kept from now on: the first for arrays aligned as these, if that is of use, else for any.  NULL if the real FFTW has
 * none.  It may not serve a: another thread was first, or arrays whose parts lie otherwise. */
static const fg_way *kept_from_now(fg_ways *ways, const fg_problem *p, const fg_arrays *a) {
  const enum fg_placement placement = placement_of(a);
  if (!atomic_load(&ways->kept[placement]) && suits_vectors(p, a)) return made_once(&ways->kept[placement], p, a, 0);
  return made_once(&ways->unaligned[placement], p, a, FG_UNALIGNED);
}

bool fg_ways_execute(fg_ways *ways, const fg_problem *p, const fg_arrays *a) {
  if (fg_ways_execute_kept(ways, p, a)) return true;
  const fg_way *way = kept_from_now(ways, p, a);
  fg_way *const now = way && !serves(way, a) ? way_make(p, a, fg_problem_apart(p, a) ? FG_UNALIGNED : 0) : NULL;
  if (now) way = now;
  if (!way || !serves(way, a)) return execute_copied(p, a);
  fg_host_of(p->precision)->execute(way->plan, p, a);
  if (now) way_free(p, now);
  return true;
}

/* Of interleaved numbers whose parts lie apart FFTW knows nothing: planned as if they did not, it would reach what is between
 * them, too, which copies may not have.  Split ones have no sign: backward is forward with the parts swapped. */
bool fg_ways_execute_copies(fg_ways *ways, const fg_problem *p, const fg_arrays *a) {
  if (!fg_problem_apart(p, a)) return fg_ways_execute(ways, p, a);
  fg_problem split = *p;
  fg_arrays parts = *a;
  split.format = FG_SPLIT;
  if (p->kind == FG_DFT && p->sign == FG_BACKWARD) {
    split.sign = FG_FORWARD;
    parts = (fg_arrays){a->in_im, a->in_re, a->out_im, a->out_re};
  }
  const unsigned flags = p->flags & (FG_DESTROY_INPUT | FG_PRESERVE_INPUT);
  return execute_on(&split, &parts, flags | FG_ESTIMATE | FG_UNALIGNED) || execute_copied(&split, &parts);
}

void fg_ways_free(fg_ways *ways, const fg_problem *p) {
  for (int i = 0; i < FG_PLACEMENTS; i++) {
    way_free(p, atomic_load(&ways->kept[i]));
    way_free(p, atomic_load(&ways->unaligned[i]));
  }
}
