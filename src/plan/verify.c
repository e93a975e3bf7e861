/* verify.c: the real FFTW beside an execution on the device. */
#include "src/plan/verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/plan/handle.h"
#include "src/problem/layout.h"

enum { PLANES = 2 };

/* One side of a problem in memory of its own: the same strides, other arrays. */
typedef struct {
  fg_layout layout;
  int planes;
  void *memory[PLANES]; /* spans */
  void *array[PLANES];  /* what the problem's pointers would be */
  void *image;          /* one plane */
} shadow;

struct fg_verify {
  const fg_problem *problem;
  shadow in, out;
};

/* Single: a hundred times what the longest transforms have; double: likewise. */
double fg_verify_tolerance(const fg_problem *p) {
  const double tolerance = fg_settings_get()->verify;
  if (tolerance != FG_VERIFY_AUTO) return tolerance;
  return p->compute == FG_SINGLE ? 1e-5 : 1e-13;
}

static size_t image_bytes(const fg_layout *l) { return (size_t)l->elements * fg_layout_element_size(l); }

static bool shadow_make(shadow *s, const fg_problem *p, const fg_arrays *a, enum fg_side side) {
  const enum fg_reach reach = fg_problem_parts_apart(p, a, side) ? FG_REACH_PLANES : FG_REACH_IMAGE;
  if (!fg_layout_make_reaching(&s->layout, p, side, reach)) return false;
  s->layout.image = p->precision; /* nothing is converted here */
  const ptrdiff_t real = (ptrdiff_t)fg_real_size(p->precision);
  s->planes = s->layout.split ? 2 : 1;
  s->image = malloc(image_bytes(&s->layout));
  for (int i = 0; i < s->planes; i++) {
    s->memory[i] = malloc((size_t)(fg_layout_reach(&s->layout) * real));
    if (!s->memory[i] || !s->image) return false;
    s->array[i] = (char *)s->memory[i] - s->layout.low * real;
  }
  if (s->planes == 1 && s->layout.unit == 2) s->array[1] = (char *)s->array[0] + real;
  return true;
}

static void shadow_free(shadow *s) {
  for (int i = 0; i < PLANES; i++) free(s->memory[i]);
  free(s->image);
  fg_layout_free(&s->layout);
}

static void verify_free(fg_verify *v) {
  shadow_free(&v->in);
  shadow_free(&v->out);
  free(v);
}

fg_verify *fg_verify_begin(const fg_problem *p, const fg_arrays *a) {
  /* The layout of a batch of none is of one element, which is not the problem's. */
  fg_verify *v = fg_tensor_size(&p->batch) > 0 ? calloc(1, sizeof *v) : NULL;
  if (!v) return NULL;
  v->problem = p;
  if (!shadow_make(&v->in, p, a, FG_INPUT) || !shadow_make(&v->out, p, a, FG_OUTPUT)) {
    verify_free(v);
    return NULL;
  }
  for (int i = 0; i < v->in.planes; i++) {
    const fg_layout *l = &v->in.layout;
    fg_layout_gather(l, i ? a->in_im : a->in_re, 0, l->elements, v->in.image);
    fg_layout_scatter(l, v->in.array[i], 0, l->elements, v->in.image);
  }
  return v;
}

static double real_at(const void *image, enum fg_precision precision, size_t i) {
  return precision == FG_SINGLE ? (double)((const float *)image)[i] : ((const double *)image)[i];
}

/* Sums of squares: those of doubles beyond 10^154, or below 10^-162, are no doubles. */
typedef struct {
  long double difference, norm;
} squares;

/* In double, unless they may be none there: long double is software on some processors, a hundred times as slow (AArch64). */
static bool compare_in_double(const void *ours, const void *theirs, const fg_layout *l, size_t reals, squares *sum) {
  const double least = 1e-280;
  double difference = 0, norm = 0;
  for (size_t i = 0; i < reals; i++) {
    const double t = real_at(theirs, l->precision, i), d = real_at(ours, l->precision, i) - t;
    difference += d * d;
    norm += t * t;
  }
  if (!isfinite(difference) || !isfinite(norm) || norm < least || (difference < least && difference > 0)) return false;
  sum->difference += difference;
  sum->norm += norm;
  return true;
}

static void compare(const void *ours, const void *theirs, const fg_layout *l, squares *sum) {
  const size_t reals = image_bytes(l) / fg_real_size(l->precision);
  if (compare_in_double(ours, theirs, l, reals, sum)) return;
  for (size_t i = 0; i < reals; i++) {
    const long double t = real_at(theirs, l->precision, i), d = real_at(ours, l->precision, i) - t;
    sum->difference += d * d;
    sum->norm += t * t;
  }
}

/* Each plane of the program's output against the shadow's; with replace the shadow's result goes into it. */
static bool each_plane(fg_verify *v, const fg_arrays *a, squares *sum, bool replace) {
  const fg_layout *l = &v->out.layout;
  void *ours = malloc(image_bytes(l));
  if (!ours) return false;
  for (int i = 0; i < v->out.planes; i++) {
    void *const output = i ? a->out_im : a->out_re;
    fg_layout_gather(l, v->out.array[i], 0, l->elements, v->out.image);
    if (replace) {
      fg_layout_scatter(l, output, 0, l->elements, v->out.image);
    } else {
      fg_layout_gather(l, output, 0, l->elements, ours);
      compare(ours, v->out.image, l, sum);
    }
  }
  free(ours);
  return true;
}

double fg_verify_end(fg_verify *v, fg_plan *plan, const fg_arrays *a, double tolerance) {
  const fg_arrays theirs = {v->in.array[0], v->in.array[1], v->out.array[0], v->out.array[1]};
  squares sum = {0, 0};
  double error = -1;
  if (fg_ways_execute_copies(&plan->ways, v->problem, &theirs) && each_plane(v, a, &sum, false)) {
    error = (double)sqrtl(sum.norm > 0 ? sum.difference / sum.norm : sum.difference);
    if (!(error <= tolerance)) each_plane(v, a, &sum, true);
  }
  verify_free(v);
  return error;
}
