/* model.c: seconds, by the coefficients of the calibration.
 *
 * The real FFTW: flops at a rate that its factors set; what does not fit the last cache at the rate of memory; and the
 * walks that make FFTW_ESTIMATE slow: a dimension longer than its largest codelet, across a long power of two, misses
 * every cache at every point.  The GPU: the link, both ways at once for a batch in pieces, and a fixed price; staging
 * adds the copies of the pieces that nothing hides. */
#include "src/cost/model.h"

#include <math.h>

#include "src/pass/radices.h"
#include "src/report/settings.h"
#include "src/run/ranks.h"
#include "src/run/residence.h"

/* ---- the problem ---- */

static double reals(const fg_problem *p, enum fg_side side) {
  return (fg_problem_complex_side(p, side) ? 2.0 : 1.0) * (double)fg_problem_elements(p, side);
}

double fg_model_bytes(const fg_problem *p, enum fg_side side) {
  return reals(p, side) * (double)fg_real_size(p->precision);
}

/* Of its image: over the link and in the device's memory. */
static double image_bytes(const fg_problem *p, enum fg_side side) {
  return reals(p, side) * (double)fg_real_size(p->compute);
}

static double points(const fg_problem *p) {
  return (double)fg_tensor_size(&p->transform) * (double)fg_tensor_size(&p->batch);
}

/* As executions find it: also what the program has pinned itself. */
static bool is_reached(const void *array) {
  const enum fg_pointer_kind kind = fg_residence_of(array).kind;
  return kind == FG_POINTER_PINNED || (kind == FG_POINTER_OWN && fg_settings_get()->pin != FG_PIN_NEVER);
}

enum fg_memory fg_model_memory(const fg_problem *p) {
  if (p->compute != p->precision) return FG_MEMORY_FOREIGN; /* staged whatever memory it is: the processor converts */
  return is_reached(p->arrays.in_re) && is_reached(p->arrays.out_re) ? FG_MEMORY_OWN : FG_MEMORY_FOREIGN;
}

/* ---- the real FFTW ---- */

/* Codelets of one step end at this length. */
enum { LONGEST_CODELET = 128, FIRST_SHARED = 32, LARGEST_FACTOR = 13 };

static bool only_factors_to(ptrdiff_t n, ptrdiff_t most) {
  for (ptrdiff_t f = 2; f <= most; f++)
    while (n % f == 0) n /= f;
  return n == 1;
}

static double rate(const fg_calibration *c, const fg_problem *p, ptrdiff_t n) {
  const double better = p->flags & FG_ESTIMATE ? 1 : c->measured_rate;
  const double wider = p->precision == FG_DOUBLE ? 2 : 1; /* half as many numbers in a vector */
  if (only_factors_to(n, 2)) return c->rate_two / wider;
  if (only_factors_to(n, LARGEST_FACTOR)) return c->rate_smooth * better / wider;
  return c->rate_prime / wider;
}

/* Real data is half the work, but more than half of the time; r2r, whose codelets know no vectors, takes longer than complex
 * numbers would. By the medians of 338 times of stock FFTW, 22 of r2r (doc/measurements.md: Start-up, throughput, regret). */
static double share_of_flops(const fg_problem *p) {
  if (p->kind == FG_DFT) return 1;
  return p->kind == FG_R2R ? 2 : 0.8;
}

/* Of the points that are walked to; the kinds whose sines and cosines are symmetric go through them once more. */
static double share_of_walk(const fg_problem *p) {
  if (p->kind == FG_DFT) return 1;
  return p->kind == FG_R2R ? 0.9 : 0.6;
}

/* What is even or odd about its ends is a transform of twice the intervals between them. */
static ptrdiff_t length_of(const fg_problem *p, int d) {
  const ptrdiff_t n = p->transform.dim[d].n;
  return p->kind == FG_R2R && n > 1 ? fg_kind_length((enum fg_r2r_kind)p->r2r_kind[d], n) : n;
}

/* Seconds a point, by the bytes that the walk goes through. */
static double walk(const fg_calibration *c, double bytes) {
  const double near = 512e3, far = 128e6;
  if (bytes < near) return c->walk_cache * bytes / near * bytes / near;
  const double way = bytes > far ? 1 : log2(bytes / near) / log2(far / near);
  return c->walk_cache + (c->walk_memory - c->walk_cache) * way;
}

/* A dimension that takes several steps, each point in another page or in the same few lines of the cache.  A long
 * contiguous one is such a walk in parts. */
static double walk_share(const fg_problem *p, const fg_dim *d) {
  const double stride = fabs((double)d->is) * (double)fg_real_size(p->precision), page = 2048;
  if (d->n <= LONGEST_CODELET) return 0;
  if (stride < page) return d->n > 1 << 17 ? 0.6 : d->n > 1 << 15 ? 0.2 : 0;
  return fmod(stride, page) == 0 ? 1 : 0;
}

static double walk_seconds(const fg_calibration *c, const fg_problem *p) {
  const double each = 2 * (double)fg_real_size(p->precision) * (double)fg_tensor_size(&p->transform);
  double shares = 0;
  for (int d = 0; d < p->transform.rank; d++) shares += walk_share(p, &p->transform.dim[d]);
  const double better = p->flags & FG_ESTIMATE ? 1 : c->measured_walk;
  return shares * better * walk(c, each) * points(p) * share_of_walk(p);
}

bool fg_model_past_cache(const fg_calibration *c, const fg_problem *p) {
  return fg_model_bytes(p, FG_INPUT) + fg_model_bytes(p, FG_OUTPUT) > c->cache;
}

static double stream_seconds(const fg_calibration *c, const fg_problem *p) {
  const double bytes = fg_model_bytes(p, FG_INPUT) + fg_model_bytes(p, FG_OUTPUT);
  return bytes > c->cache ? (bytes - c->cache) / c->stream : 0;
}

static double flop_seconds(const fg_calibration *c, const fg_problem *p) {
  double seconds = 0;
  for (int d = 0; d < p->transform.rank; d++) {
    const ptrdiff_t n = length_of(p, d);
    if (n > 1) seconds += 5 * log2((double)n) * points(p) / rate(c, p, n);
  }
  return seconds * share_of_flops(p);
}

/* FFTW_ESTIMATE shares out among the threads whatever takes more than one step, also where one would be done sooner
 * (doc/measurements.md: 16 threads make 50 us of the 0.3 us that 256 points take). */
static bool takes_one_step(const fg_problem *p) {
  const ptrdiff_t n = fg_tensor_size(&p->transform);
  return p->transform.rank <= 1 && n <= FIRST_SHARED && fg_tensor_size(&p->batch) == 1;
}

/* A single line is shared badly among threads. */
static double thread_share(const fg_calibration *c, const fg_problem *p) {
  return p->transform.rank == 1 && fg_tensor_size(&p->batch) == 1 ? 0.3 * c->thread_share : c->thread_share;
}

/* Past the cache memory sets the pace, in either precision. */
static double seen_on_host(const fg_calibration *c, const fg_problem *p) {
  if (fg_model_past_cache(c, p)) return c->seen_memory;
  return p->precision == FG_DOUBLE ? c->seen_double : c->seen_cache;
}

static double one_thread_seconds(const fg_calibration *c, const fg_problem *p) {
  const double copy = points(p) / c->rate_two; /* also a transform of one point reads and writes */
  return seen_on_host(c, p) * (copy + flop_seconds(c, p) + walk_seconds(c, p) + stream_seconds(c, p));
}

double fg_model_host_most(const fg_calibration *c, const fg_problem *p) {
  const double more = p->threads > 1 && !takes_one_step(p) ? p->threads - 1 : 0;
  return one_thread_seconds(c, p) / (1 + more * thread_share(c, p)) + more * c->thread_seconds;
}

double fg_model_host_seconds(const fg_calibration *c, const fg_problem *p) {
  const double most = fg_model_host_most(c, p), one = one_thread_seconds(c, p);
  return p->flags & FG_ESTIMATE || most < one ? most : one;
}

/* ---- the GPU ---- */

enum { LONGEST_TILE = 16384, LARGEST_BOX = 8192 };

static double least(double a, double b) { return a < b ? a : b; }

/* Passes over device memory, about. */
static double passes(const fg_problem *p) {
  double count = 0;
  if (fg_tensor_size(&p->transform) <= LARGEST_BOX) return 1;
  for (int d = 0; d < p->transform.rank; d++) {
    const ptrdiff_t n = length_of(p, d);
    const double parts = n <= 1 ? 0 : n <= LONGEST_TILE ? 1 : n <= 1 << 26 ? 2 : 3;
    count += parts * (fg_smooth(n, p->compute) ? 1 : 5);
  }
  return count > 0 ? count : 1;
}

/* One line is one block's work up to a length, however fast the other blocks are. */
static double block_seconds(const fg_problem *p) {
  const double each = 2.8e-9, longest = 4096, n = p->transform.rank == 1 ? (double)p->transform.dim[0].n : 0;
  return each * (n > LONGEST_TILE ? sqrt(n) : least(n, longest));
}

/* The link, and the pieces that the batch comes in: they overlap, but for the first and the last. */
static double link_seconds(const fg_calibration *c, const fg_problem *p, double one_way, double both_ways) {
  const double in = image_bytes(p, FG_INPUT), out = image_bytes(p, FG_OUTPUT);
  const double alone = in / one_way + out / one_way, transforms = (double)fg_tensor_size(&p->batch);
  if (transforms < 2) return alone;
  const double pieces = fmin(fmax(round(sqrt(least(in, out) / one_way / c->piece)), 1), least(transforms, 64));
  return least(alone, (in + out) / both_ways + least(in, out) / one_way / pieces + (pieces - 1) * c->piece);
}

/* Copies into the first piece of staging and out of the last one, which nothing hides. */
static double staging_seconds(const fg_calibration *c, const fg_problem *p) {
  const double in = image_bytes(p, FG_INPUT), out = image_bytes(p, FG_OUTPUT);
  const double largest = 4e6, shortest = 100e3; /* bytes: of half an array; of one that takes the whole fixed price */
  const double fixed = c->staging_seconds * (least(in / shortest, 1) + least(out / shortest, 1));
  return fixed + (least(in / 2, largest) + least(out / 2, largest)) / c->staging_rate;
}

double fg_model_gpu_seconds(const fg_calibration *c, const fg_problem *p, enum fg_memory memory, double device) {
  const double bytes = image_bytes(p, FG_INPUT) + image_bytes(p, FG_OUTPUT);
  const double inside = device >= 0 ? device : passes(p) * bytes / c->device;
  /* The first pass goes along with the arrivals, the last with the departures. */
  const double exposed = passes(p) > 1 ? inside * (passes(p) - 1) / passes(p) : 0;
  const double seconds = c->overhead + block_seconds(p) + exposed;
  if (memory == FG_MEMORY_OWN) return c->seen_own * (seconds + link_seconds(c, p, c->link, c->link_both));
  const double seen = p->compute == p->precision ? c->seen_foreign : c->seen_converted;
  return seen * (seconds + link_seconds(c, p, c->staged, c->staged_both) + staging_seconds(c, p));
}

double fg_model_start_seconds(const fg_calibration *c) { return c->start * fg_ranks_expected(); }

/* Such a table is transformed on the processor (src/run/table/table.c), for double precision in long double: seconds a point
 * and level of its length (doc/measurements.md). */
double fg_model_table_seconds(const fg_problem *p) {
  const double each = p->compute == FG_SINGLE ? 5e-9 : 40e-9;
  double seconds = 0;
  for (int d = 0; d < p->transform.rank; d++) {
    const double n = (double)length_of(p, d), length = 2 * n;
    if (!fg_smooth(length_of(p, d), p->compute)) seconds += each * length * log2(length);
  }
  return seconds;
}
