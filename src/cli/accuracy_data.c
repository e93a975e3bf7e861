/* accuracy_data.c: numbers that show different errors: noise, an impulse, smooth ones, and of very different size. */
#include <math.h>
#include <stdlib.h>

#include "src/cli/accuracy.h"
#include "src/cli/fftw.h"

const char *const fg_data_names[FG_DATA_KINDS] = {"random", "impulse", "smooth", "range"};

static double uniform(uint64_t n) { return (double)(fg_bench_mix(n) >> 11) * 0x1p-52 - 1; }

/* Every bit of small numbers too: sums of numbers that are multiples of the same power of two are often exact, which
 * would flatter those who add first. */
static double number(uint64_t n) { return uniform(n) * (1 - 0x1p-30) + uniform(~n) * 0x1p-30; }

/* One side of a problem. */
typedef struct {
  const fg_problem *p;
  const fg_layout *layout;
  enum fg_side side;
  uint64_t seed;
  double *to;
} side;

static ptrdiff_t length(const side *s, int d) { return fg_problem_points(s->p, d, s->side); }

static ptrdiff_t transform_points(const side *s) {
  ptrdiff_t points = 1;
  for (int d = 0; d < s->p->transform.rank; d++) points *= length(s, d);
  return points;
}

/* ---- without a place ---- */

static void put_random(const side *s) {
  for (size_t i = 0; i < fg_fftw_image_reals(s->layout); i++) s->to[i] = number(s->seed + i);
}

static void put_range(const side *s) {
  for (size_t i = 0; i < fg_fftw_image_reals(s->layout); i++) {
    const double size = uniform(s->seed + i);
    s->to[i] = copysign(exp2(20 * uniform(~(s->seed + i))), size) * (1 + fabs(size));
  }
}

/* ---- by the place: the batch outside, then the transform's dimensions as they come ---- */

/* The image element of the point with these indices, and the phase that smooth numbers have there. */
typedef struct {
  ptrdiff_t element;
  double cosines, sines; /* summed over the dimensions */
} point;

static point point_at(const side *s, ptrdiff_t index) {
  const int rank = s->p->transform.rank;
  point at = {.element = s->layout->offset};
  for (int i = rank + s->p->batch.rank - 1; i >= 0; i--) {
    const int d = (i + rank) % (rank + s->p->batch.rank); /* batch dimensions are the first, and last to change */
    const ptrdiff_t j = index % length(s, d);
    const double angle = 2 * 3.14159265358979323846 * ((double)j + 0.3) / (double)length(s, d);
    index /= length(s, d);
    at.element += j * s->layout->stride[d];
    at.cosines += cos(angle);
    at.sines += sin(angle);
  }
  return at;
}

static void put_impulses(const side *s) {
  const ptrdiff_t points = transform_points(s), batch = fg_tensor_size(&s->p->batch);
  for (size_t i = 0; i < fg_fftw_image_reals(s->layout); i++) s->to[i] = 0;
  for (ptrdiff_t b = 0; b < batch; b++) {
    const ptrdiff_t where = (ptrdiff_t)(fg_bench_mix(s->seed + (uint64_t)b) % (uint64_t)points);
    s->to[point_at(s, b * points + where).element * fg_fftw_image_unit(s->layout)] = 1;
  }
}

static void put_smooth(const side *s) {
  const ptrdiff_t all = transform_points(s) * fg_tensor_size(&s->p->batch), unit = fg_fftw_image_unit(s->layout);
  const double turn = uniform(s->seed);
  for (ptrdiff_t i = 0; i < all; i++) {
    const point at = point_at(s, i);
    s->to[at.element * unit] = exp(at.cosines + turn * at.sines);
    if (unit == 2) s->to[at.element * unit + 1] = exp(at.sines);
  }
}

static void put(enum fg_data kind, const side *s) {
  static void (*const how[FG_DATA_KINDS])(const side *) = {put_random, put_impulses, put_smooth, put_range};
  how[kind](s);
}

/* ---- c2r: what it makes of other input than a half spectrum of reals is not defined in more than one dimension ---- */

static bool put_spectrum(const fg_problem *p, const fg_layout *in, const fg_layout *out, double *to) {
  const size_t spectrum = fg_fftw_image_reals(in), reals = fg_fftw_image_reals(out);
  long double *x = malloc(reals * sizeof *x), *y = malloc(spectrum * sizeof *y);
  fg_problem forward = *p;
  forward.kind = FG_R2C;
  forward.sign = FG_FORWARD;
  for (size_t i = 0; x && i < reals; i++) x[i] = to[i];
  const bool done = x && y && !fg_accuracy_reference(&forward, out, in, x, y);
  for (size_t i = 0; done && i < spectrum; i++) to[i] = (double)y[i];
  free(x);
  free(y);
  return done;
}

bool fg_accuracy_data(enum fg_data kind, const fg_problem *p, const fg_layout *in, const fg_layout *out, uint64_t seed,
                      double *to) {
  if (p->kind != FG_C2R) {
    put(kind, &(side){p, in, FG_INPUT, seed, to});
    return true;
  }
  double *real = malloc((fg_fftw_image_reals(out) + fg_fftw_image_reals(in)) * sizeof *real);
  if (!real) return false;
  put(kind, &(side){p, out, FG_OUTPUT, seed, real});
  const bool done = put_spectrum(p, in, out, real);
  for (size_t i = 0; done && i < fg_fftw_image_reals(in); i++) to[i] = real[i];
  free(real);
  return done;
}
