/* accuracy_sums.c: transforms by FFTW's definitions (its manual, "What FFTW Really Computes"), sums in long double with
 * factors that are good to its last bit: slow, and independent of any fast algorithm. */
#include <stdlib.h>

#include "src/cli/accuracy.h"
#include "src/cli/fftw.h"
#include "src/run/table/roots.h"

/* Products: some seconds. */
static const double most_products = 0x1p25;

enum { R2HC, HC2R, DHT, REDFT00, REDFT01, REDFT10, REDFT11, RODFT00, RODFT01, RODFT10, RODFT11 };

static long double cosine(ptrdiff_t m, ptrdiff_t n) { return fg_root((uint64_t)m, (uint64_t)n).re; } /* of 2πm/n */
static long double sine(ptrdiff_t m, ptrdiff_t n) { return -fg_root((uint64_t)m, (uint64_t)n).im; }

/* What input j of n adds to output k. */
static long double real_factor(int kind, ptrdiff_t j, ptrdiff_t k, ptrdiff_t n) {
  const long double ends = k % 2 ? -1 : 1;
  switch (kind) {
    case R2HC: return 2 * k <= n ? cosine(j * k % n, n) : -sine(j * (n - k) % n, n);
    case HC2R:
      if (2 * j > n) return -2 * sine(k * (n - j) % n, n);
      return (j == 0 || 2 * j == n ? 1 : 2) * cosine(j * k % n, n);
    case DHT: return cosine(j * k % n, n) + sine(j * k % n, n);
    case REDFT00: return j == 0 ? 1 : j == n - 1 ? ends : 2 * cosine(j * k, 2 * (n - 1));
    case REDFT01: return j == 0 ? 1 : 2 * cosine(j * (2 * k + 1), 4 * n);
    case REDFT10: return 2 * cosine((2 * j + 1) * k, 4 * n);
    case REDFT11: return 2 * cosine((2 * j + 1) * (2 * k + 1), 8 * n);
    case RODFT00: return 2 * sine((j + 1) * (k + 1), 2 * (n + 1));
    case RODFT01: return j == n - 1 ? ends : 2 * sine((j + 1) * (2 * k + 1), 4 * n);
    case RODFT10: return 2 * sine((2 * j + 1) * (k + 1), 4 * n);
    default: return 2 * sine((2 * j + 1) * (2 * k + 1), 8 * n);
  }
}

/* kind < 0: the complex transform forward. */
static fg_wide factor(int kind, ptrdiff_t j, ptrdiff_t k, ptrdiff_t n) {
  if (kind < 0) return fg_root((uint64_t)(j * k % n), (uint64_t)n);
  return (fg_wide){real_factor(kind, j, k, n), 0};
}

/* One line of n points, stride apart, by way of room for as many. */
static void line(fg_wide *x, ptrdiff_t stride, ptrdiff_t n, int kind, fg_wide *room) {
  for (ptrdiff_t k = 0; k < n; k++) {
    room[k] = (fg_wide){0, 0};
    for (ptrdiff_t j = 0; j < n; j++) {
      const fg_wide a = x[j * stride], f = factor(kind, j, k, n);
      room[k].re += a.re * f.re - a.im * f.im;
      room[k].im += a.re * f.im + a.im * f.re;
    }
  }
  for (ptrdiff_t k = 0; k < n; k++) x[k * stride] = room[k];
}

/* All dimensions of one transform, dense, as they come. */
static bool transform(const fg_problem *p, fg_wide *x) {
  const ptrdiff_t points = fg_tensor_size(&p->transform);
  ptrdiff_t stride = 1;
  for (int d = p->transform.rank - 1; d >= 0; d--) {
    const ptrdiff_t n = p->transform.dim[d].n;
    fg_wide *room = malloc((size_t)n * sizeof *room);
    if (!room) return false;
    for (ptrdiff_t first = 0; first < points; first++)
      if (first / stride % n == 0) line(x + first, stride, n, p->kind == FG_R2R ? p->r2r_kind[d] : -1, room);
    free(room);
    stride *= n;
  }
  return true;
}

/* Real number of an image where an element of the problem is: the transform's indices, and that of the batch.  Beyond
 * half of a spectrum there is none: then the mirrored indices', and *mirrored. */
static ptrdiff_t place(const fg_problem *p, const fg_layout *l, enum fg_side side, ptrdiff_t batch, ptrdiff_t index,
                       bool *mirrored) {
  const int rank = p->transform.rank;
  const ptrdiff_t last = rank ? p->transform.dim[rank - 1].n : 1;
  ptrdiff_t element = l->offset;
  *mirrored = rank && index % last >= fg_problem_points(p, rank - 1, side);
  for (int d = rank - 1; d >= 0; d--) {
    const ptrdiff_t n = p->transform.dim[d].n, i = index % n;
    element += (*mirrored ? (n - i) % n : i) * l->stride[d];
    index /= n;
  }
  for (int d = rank + p->batch.rank - 1; d >= rank; d--) {
    element += batch % p->batch.dim[d - rank].n * l->stride[d];
    batch /= p->batch.dim[d - rank].n;
  }
  return element * fg_fftw_image_unit(l);
}

/* Backward is forward between conjugates. */
static void read_one(const fg_problem *p, const fg_layout *in, ptrdiff_t batch, const long double *from, fg_wide *x) {
  for (ptrdiff_t i = 0; i < fg_tensor_size(&p->transform); i++) {
    bool mirrored;
    const ptrdiff_t at = place(p, in, FG_INPUT, batch, i, &mirrored);
    const bool complex = fg_problem_complex_side(p, FG_INPUT), conjugate = mirrored != (p->sign == FG_BACKWARD);
    x[i] = (fg_wide){from[at], !complex ? 0 : conjugate ? -from[at + 1] : from[at + 1]};
  }
}

static void write_one(const fg_problem *p, const fg_layout *out, ptrdiff_t batch, const fg_wide *x, long double *to) {
  for (ptrdiff_t i = 0; i < fg_tensor_size(&p->transform); i++) {
    bool mirrored;
    const ptrdiff_t at = place(p, out, FG_OUTPUT, batch, i, &mirrored);
    if (mirrored) continue;
    to[at] = x[i].re;
    if (fg_problem_complex_side(p, FG_OUTPUT)) to[at + 1] = p->sign == FG_BACKWARD ? -x[i].im : x[i].im;
  }
}

static double products(const fg_problem *p) {
  double each = 0;
  for (int d = 0; d < p->transform.rank; d++) each += (double)p->transform.dim[d].n;
  return each * (double)fg_tensor_size(&p->transform) * (double)fg_tensor_size(&p->batch);
}

const char *fg_accuracy_sums(const fg_problem *p, const fg_layout *in, const fg_layout *out, const long double *from,
                             long double *to) {
  if (products(p) > most_products) return "too large without libfftw3l.so.3";
  fg_wide *x = malloc((size_t)fg_tensor_size(&p->transform) * sizeof *x);
  bool done = x != NULL;
  for (ptrdiff_t b = 0; done && b < fg_tensor_size(&p->batch); b++) {
    read_one(p, in, b, from, x);
    done = transform(p, x);
    write_one(p, out, b, x, to);
  }
  free(x);
  return done ? NULL : "out of memory";
}
