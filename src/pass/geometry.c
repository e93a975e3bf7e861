/* geometry.c: how a pass is laid over the device. */
#include "src/pass/geometry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  MAX_POINTS = 32,       /* complex numbers a thread may hold in registers: 64 of 255 registers in single precision */
  MIN_THREADS = 32,
  SECTOR_POINTS = 4      /* complex floats in a 32-byte sector */
};

bool fg_smooth(ptrdiff_t n) {
  static const int primes[] = {2, 3, 5, 7, 11, 13};
  if (n < 1) return false;
  for (size_t i = 0; i < sizeof primes / sizeof *primes; i++)
    while (n % primes[i] == 0) n /= primes[i];
  return n == 1;
}

/* Fewest stages first, then the most equal radices (the smallest sum of squares): equal radices keep all threads busy in
 * every stage. */
typedef struct {
  int stages, radix[FG_MAX_STAGES];
  int squares;
} radix_list;

static void search(ptrdiff_t n, int largest, radix_list *now, radix_list *best) {
  if (n == 1) {
    if (best->stages == 0 || now->stages < best->stages ||
        (now->stages == best->stages && now->squares < best->squares))
      *best = *now;
    return;
  }
  if (now->stages == FG_MAX_STAGES || (best->stages && now->stages >= best->stages)) return;
  for (int r = largest; r >= 2; r--) {
    if (n % r) continue;
    now->radix[now->stages++] = r;
    now->squares += r * r;
    search(n / r, r, now, best);
    now->squares -= r * r;
    now->stages--;
  }
}

int fg_geometry_radices(ptrdiff_t n, int radix[FG_MAX_STAGES]) {
  radix_list now = {0}, best = {0};
  if (n == 1) {
    radix[0] = 1;
    return 1;
  }
  if (!fg_smooth(n)) return 0;
  search(n, FG_MAX_RADIX, &now, &best);
  memcpy(radix, best.radix, sizeof best.radix);
  return best.stages;
}

static ptrdiff_t points_128(const fg_pass *p) { return p->precision == FG_SINGLE ? 16 : 8; }

static ptrdiff_t padded(const fg_pass *p, ptrdiff_t q) { return q + q / points_128(p); }

static bool all_columns(const fg_pass *p) {
  for (int s = 0; s < p->stages; s++)
    if (!p->column[s]) return false;
  return true;
}

static ptrdiff_t box_points(const fg_pass *p) {
  ptrdiff_t points = (ptrdiff_t)p->pitch * p->lines;
  for (int d = 0; d + 1 < p->dims; d++) points *= p->box[d].n;
  return points;
}

ptrdiff_t fg_geometry_tile_points(const fg_pass *p) {
  if (p->family == FG_FAMILY_BOX) return box_points(p);
  if (p->stages == 1 && !p->pairs) return 0;
  const ptrdiff_t points =
      all_columns(p) ? padded(p, p->n * p->lines) : (ptrdiff_t)p->lines * (padded(p, p->n) | 1);
  return points + points % 2; /* what follows stays 16-byte aligned */
}

size_t fg_geometry_shared(const fg_pass *p) {
  const size_t places = p->loops > 1 && p->family == FG_FAMILY_TILE ? (size_t)p->lines * (p->pairs ? 2 : 1) * 5 * sizeof(long long) : 0;
  return (size_t)fg_geometry_tile_points(p) * 2 * fg_real_size(p->precision) + places;
}

/* Lines lie closer together than the points of a line. */
static bool across(const fg_pass *p, ptrdiff_t along, long long between) {
  if (p->loops == 0 || p->n == 1) return p->n == 1;
  return llabs(between) < llabs((long long)along);
}

bool fg_geometry_load_across(const fg_pass *p) { return across(p, p->in, p->loops ? p->loop[0].in : 0); }
bool fg_geometry_store_across(const fg_pass *p) { return across(p, p->out, p->loops ? p->loop[0].out : 0); }

/* Put a stage of radix 1 before (at 0) or after the others: points then move in an order of their own. */
static void insert_move(fg_pass *p, int at, bool column) {
  memmove(p->radix + at + 1, p->radix + at, (size_t)(p->stages - at) * sizeof *p->radix);
  memmove(p->column + at + 1, p->column + at, (size_t)(p->stages - at) * sizeof *p->column);
  p->radix[at] = 1;
  p->column[at] = column;
  p->stages++;
}

/* Orders of the stages: the first follows the load, the last the store; where a stage would touch less than a sector of a
 * line at a time, moves are put around it. */
static void choose_orders(fg_pass *p) {
  bool load = fg_geometry_load_across(p), store = fg_geometry_store_across(p);
  /* What goes through the tile has an order of its own (cuda/kernel/pairs.h); the stages beside it take the other side's. */
  const bool through_load = p->pairs && fg_form_loads_spectrum(p->from.form), through_store = p->pairs && !through_load;
  if (through_load) load = store;
  if (through_store) store = load;
  const int first = p->radix[0], last = p->radix[p->stages - 1];
  for (int s = 0; s < p->stages; s++) p->column[s] = s + 1 < p->stages ? load : store;
  if (p->stages == 1) p->column[0] = load || store; /* a single butterfly along a line always gets a move on that side */
  if (p->filter.kind) return; /* its stages run twice, and its lines are long */
  const bool move_store = !store && !through_store && p->n / last < SECTOR_POINTS && p->n > 1;
  const bool move_load = !load && !through_load && p->n / first < SECTOR_POINTS && p->n > 1;
  if (move_store) insert_move(p, p->stages, store);
  if (move_load) insert_move(p, 0, load);
}

static int divide_up(ptrdiff_t a, ptrdiff_t b) { return (int)((a + b - 1) / b); }

/* Registers a thread needs for its points, and the share of thread slots that have a butterfly, over the stages. */
static int points_of(const fg_pass *p, double *busy) {
  int most = 1;
  double used = 0, slots = 0;
  for (int s = 0; s < p->stages; s++) {
    const ptrdiff_t butterflies = p->lines * (p->n / p->radix[s]);
    const int repeats = divide_up(butterflies, p->threads), points = repeats * p->radix[s];
    if (points > most) most = points;
    used += (double)butterflies * p->radix[s];
    slots += (double)repeats * p->threads * p->radix[s];
  }
  *busy = used / slots;
  return most;
}

/* Blocks of this pass that one multiprocessor can hold at a time. */
static int residency(const fg_pass *p, const fg_device_info *device, int points) {
  const size_t shared = fg_geometry_shared(p) + 1024;
  const int words = p->precision == FG_SINGLE ? 2 : 4;
  const int registers = points * words * 5 / 4 + 32;
  int blocks = (int)(device->shared_sm / shared);
  const int by_threads = device->threads_sm / p->threads;
  const int by_registers = device->registers_sm / (p->threads * (registers < 255 ? registers : 255));
  if (by_threads < blocks) blocks = by_threads;
  if (by_registers < blocks) blocks = by_registers;
  return blocks < 32 ? blocks : 32;
}

/* The share of the bandwidth that accesses across lines reach: by the contiguous bytes of a block's lines, less where these
 * begin in the middle of a 128-byte line.  (Measured on an H200: doc/performance.md.) */
static double across_efficiency(const fg_pass *p) {
  const double element = 2 * (double)fg_real_size(p->precision), n = p->loops ? (double)p->loop[0].n : 1;
  const long long lines = p->lines, row = p->loops ? p->loop[0].n : 1;
  const double segments = row % lines == 0 ? 1 : lines % row == 0 ? (double)lines / n : (double)lines / n + 1;
  const double bytes = (double)lines * element / segments;
  const bool aligned = fmod(n * element, 128) == 0 && fmod((double)lines * element, 64) == 0;
  const bool whole_rows = lines % row == 0;
  const double run = bytes >= 128 ? 1 : bytes >= 64 ? 0.88 : bytes >= 32 ? 0.65 : 0.4;
  return run * (aligned || whole_rows || bytes >= 224 ? 1 : 0.85);
}

/* How good a choice of lines and threads is: higher is better.  The terms, each between 0 and 1: whole sectors where lines
 * are next to each other, busy threads, enough bytes in flight, few points a thread, blocks enough for the device and, on
 * a multiprocessor, for some to load while others compute. */
static double score(const fg_pass *p, const fg_device_info *device) {
  double busy;
  const int points = points_of(p, &busy);
  if (points > MAX_POINTS / (p->precision == FG_DOUBLE ? 2 : 1)) return -1;
  const int blocks = residency(p, device, points);
  if (blocks < 1) return -1;

  const bool strided = p->family == FG_FAMILY_TILE && (fg_geometry_load_across(p) || fg_geometry_store_across(p));
  const double sectors = strided ? across_efficiency(p) : 1;
  const double flight = (double)blocks * p->threads * points * 8 / (64 * 1024);
  const double grid = (double)fg_pass_blocks(p) / device->multiprocessors;
  const double waves = grid >= 4 ? 1 : grid >= 1 ? 0.95 : 0.6 + 0.35 * grid;
  const double depth = points <= 10 ? 1 : points <= 16 ? 0.99 : 0.92;
  const double overlap = blocks >= 4 ? 1 : blocks == 3 ? 0.97 : blocks == 2 ? 0.92 : 0.7;
  const double size = p->threads < 64 ? 0.93 : p->threads <= 256 ? 1 : p->threads <= 512 ? 0.97 : 0.93;
  return sectors * busy * (flight < 1 ? flight : 1) * waves * depth * overlap * size;
}

/* Threads worth trying: those that deal out one of the stages evenly, and powers of two. */
static bool try_threads(fg_pass *p, const fg_device_info *device, int threads, fg_pass *best, double *best_score) {
  if (threads < MIN_THREADS || threads > device->threads_block) return false;
  p->threads = threads;
  if (fg_geometry_shared(p) > device->shared_block) return false;
  const double s = score(p, device);
  if (s <= *best_score) return false;
  *best_score = s;
  *best = *p;
  return true;
}

static void try_lines(fg_pass *p, const fg_device_info *device, int lines, fg_pass *best, double *best_score) {
  p->lines = lines;
  for (int s = 0; s < p->stages; s++)
    for (int repeats = 1; repeats <= 4; repeats++) {
      const int needed = divide_up(p->lines * (p->n / p->radix[s]), repeats);
      try_threads(p, device, divide_up(needed, 32) * 32, best, best_score);
    }
  for (int threads = MIN_THREADS; threads <= device->threads_block; threads *= 2)
    try_threads(p, device, threads, best, best_score);
}

static void set_blocks(fg_pass *p, const fg_device_info *device) {
  double busy;
  p->blocks_sm = residency(p, device, points_of(p, &busy));
}

double fg_geometry_choose_box(fg_pass *p, const fg_device_info *device) {
  fg_pass best = *p, now = *p;
  double best_score = 0;
  for (int boxes = 1; boxes <= 64; boxes *= 2)
    if (boxes == 1 || (boxes / 2 < fg_pass_lines(p) && boxes * p->n <= 8192)) try_lines(&now, device, boxes, &best, &best_score);
  *p = best;
  if (best_score > 0) set_blocks(p, device);
  return best_score;
}

bool fg_geometry_choose(fg_pass *p, const fg_device_info *device) {
  fg_pass best = *p, now = *p;
  double best_score = 0;
  now.stages = fg_geometry_radices(p->n, now.radix);
  if (now.stages == 0 || now.stages + 2 > FG_MAX_STAGES) return false;
  choose_orders(&now);
  static const int lines[] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128, 256, 512};
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    if (lines[i] > 1 && lines[i] / 2 >= divide_up(fg_pass_lines(p), p->pairs ? 2 : 1)) break;
    try_lines(&now, device, lines[i], &best, &best_score);
  }
  if (p->loops && p->loop[0].n <= 64) try_lines(&now, device, (int)p->loop[0].n, &best, &best_score);
  if (best_score <= 0) return false;
  set_blocks(&best, device);
  *p = best;
  return true;
}
