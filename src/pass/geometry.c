/* geometry.c: how a pass is laid over the device. */
#include "src/pass/geometry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/pass/banks.h"
#include "src/pass/residues.h"
#include "src/pass/tuned.h"

enum {
  MAX_POINTS = 32,       /* complex numbers a thread may hold in registers: 64 of 255, or 128 in double precision */
  MAX_PRIME_POINTS = 64, /* the same where a radix alone has more than that */
  MAX_PRIME_POINTS_DOUBLE = 43,
  MIN_THREADS = 32,
  SECTOR = 32,           /* bytes */
  LARGEST_BLOCK = 64 * 1024, /* bytes of the points of several lines */
  LARGEST_LEAN_RADIX = 16,
  LARGEST_COMFORTABLE_RADIX = 10, /* above, and below 16, more factors and sums are alive at a time */
  MOST_LISTS = FG_GEOMETRY_LISTS,
  MOST_ORDERS = 24
};

static const double EXCHANGE_COST = 0.06, LEAST_SHARE = 0.72;

/* Spectra that come lie in a box's tile first. */
static ptrdiff_t spectrum_points(const fg_pass *p) {
  const int row = p->dims - 1;
  if (p->from.form != FG_FORM_HERMITIAN) return 0;
  return p->n / p->box[row].n * fg_pass_box_elements(p, row, FG_INPUT);
}

static ptrdiff_t box_tile_points(const fg_pass *p) {
  const ptrdiff_t points = fg_banks_box_points(p), spectrum = spectrum_points(p);
  return p->lines * (fg_geometry_singly(p) ? points + spectrum : points > spectrum ? points : spectrum);
}

ptrdiff_t fg_geometry_tile_points(const fg_pass *p) {
  if (p->family == FG_FAMILY_BOX) return box_tile_points(p);
  return p->stages == 1 && !p->pairs ? 0 : fg_banks_tile_points(p);
}

size_t fg_geometry_shared(const fg_pass *p) {
  const size_t rows = p->loops > 1 && p->family == FG_FAMILY_TILE ? (size_t)p->lines * (p->pairs ? 2 : 1) : 0;
  const size_t places = rows * 5 * sizeof(long long);
  return (size_t)fg_geometry_tile_points(p) * 2 * fg_real_size(p->precision) + places;
}

/* Bytes of a complex number in registers and shared memory. */
static int point_size(const fg_pass *p) { return 2 * (int)fg_real_size(p->precision); }

/* Lines lie closer together than the points of a line. */
static bool across(const fg_pass *p, ptrdiff_t along, long long between) {
  if (p->loops == 0 || p->n == 1) return p->n == 1;
  return llabs(between) < llabs((long long)along);
}

bool fg_geometry_load_across(const fg_pass *p) { return across(p, p->in, p->loops ? p->loop[0].in : 0); }
bool fg_geometry_store_across(const fg_pass *p) { return across(p, p->out, p->loops ? p->loop[0].out : 0); }

bool fg_geometry_shares(const fg_pass *p) { return p->family == FG_FAMILY_BOX && (p->across || p->twiddle); }

/* The line is the whole transform. */
fg_mirror fg_geometry_mirror(const fg_pass *p) {
  const fg_place *from = &p->from;
  const bool symmetric = p->to.form == FG_FORM_REDFT00 || p->to.form == FG_FORM_RODFT00;
  if (p->family != FG_FAMILY_TILE || p->filter.kind || p->load_table.kind) return FG_MIRROR_NONE;
  if (fg_form_loads_spectrum(from->form))
    return !from->period && fg_form_length(from->form, from->row) == (p->half_row ? 2 * p->n : p->n) ? FG_MIRROR_LOAD
                                                                                                     : FG_MIRROR_NONE;
  return p->half_row || (p->pairs && !symmetric) ? FG_MIRROR_STORE : FG_MIRROR_NONE;
}

/* The elements of a half row's real side lie side by side, each row's first where two of them are aligned. */
static bool rows_are_dense(const fg_pass *p, enum fg_side side) {
  const fg_place *place = side == FG_INPUT ? &p->from : &p->to;
  if (!p->half_row || place->split || place->offset % 2) return false;
  for (int l = 0; l < p->loops; l++)
    if ((side == FG_INPUT ? p->loop[l].in : p->loop[l].out) % 2) return false;
  for (int d = 0; d < p->dims - 1; d++)
    if ((side == FG_INPUT ? p->box[d].is : p->box[d].os) % 2) return false;
  if (p->family == FG_FAMILY_TILE && (side == FG_INPUT ? p->load_step : p->store_step) != 1) return false;
  return (side == FG_INPUT ? p->in : p->out) == 1;
}

bool fg_geometry_by_twos(const fg_pass *p, enum fg_side side) {
  return (side == FG_INPUT ? p->from.form : p->to.form) == FG_FORM_REAL && rows_are_dense(p, side);
}

fg_mirror fg_geometry_fold(const fg_pass *p) {
  const bool load = p->from.form == FG_FORM_REDFT10 || p->from.form == FG_FORM_RODFT10;
  const bool store = p->to.form == FG_FORM_REDFT01 || p->to.form == FG_FORM_RODFT01;
  if (load && rows_are_dense(p, FG_INPUT) && fg_pass_is_whole(p, FG_INPUT)) return FG_MIRROR_LOAD;
  return store && rows_are_dense(p, FG_OUTPUT) && fg_pass_is_whole(p, FG_OUTPUT) ? FG_MIRROR_STORE : FG_MIRROR_NONE;
}

static bool is_stage(const fg_pass *p, fg_mirror side, int s) {
  return side == FG_MIRROR_LOAD ? s == 0 : side == FG_MIRROR_STORE && s == p->stages - 1;
}

int fg_geometry_together(const fg_pass *p, int s) {
  const bool both = is_stage(p, fg_geometry_mirror(p), s) || is_stage(p, fg_geometry_fold(p), s);
  return both && p->radix[s] < p->n ? 2 : 1;
}

ptrdiff_t fg_geometry_portions(const fg_pass *p, int s) {
  const ptrdiff_t butterflies = p->n / p->radix[s];
  return fg_geometry_together(p, s) == 2 ? (butterflies + 1) / 2 : butterflies;
}

/* Neighbouring elements that the threads of a stage reach together fill a sector, or two where they begin anywhere, four
 * where a thread reaches four such runs of a half row, or there is nothing to gain. */
static bool fills_sectors(const fg_pass *p, int s, const fg_place *side) {
  const bool one = fg_form_is_real(side->form) && !(p->half_row && side->form == FG_FORM_REAL);
  const int reals = is_stage(p, fg_geometry_fold(p), s) ? 4 : one ? 1 : 2;
  const ptrdiff_t element = (ptrdiff_t)fg_pass_real_size(p, side) * reals;
  const int together = fg_geometry_together(p, s), least = together > 1 && p->half_row ? 4 : together;
  return p->n == 1 || fg_geometry_portions(p, s) * element >= SECTOR * least;
}

/* Put a stage of radix 1 before (at 0) or after the others: points then move in an order of their own. */
static void insert_move(fg_pass *p, int at, bool column) {
  memmove(p->radix + at + 1, p->radix + at, (size_t)(p->stages - at) * sizeof *p->radix);
  memmove(p->column + at + 1, p->column + at, (size_t)(p->stages - at) * sizeof *p->column);
  p->radix[at] = 1;
  p->column[at] = column;
  p->stages++;
}

static int most_points(const fg_pass *p) {
  for (int s = 0; s < p->stages; s++)
    if (p->radix[s] > MAX_POINTS) return p->precision == FG_SINGLE ? MAX_PRIME_POINTS : MAX_PRIME_POINTS_DOUBLE;
  return MAX_POINTS;
}

/* Two butterflies of such a stage are more than a thread can have. */
static bool crowded(const fg_pass *p, int s) {
  const int together = fg_geometry_together(p, s);
  return together > 1 && together * p->radix[s] > most_points(p);
}

/* Orders of the stages: the first follows the load, the last the store; where a stage would touch less than a sector
 * of a line at a time, or a thread have too many points to pair with their mirrors, moves are put around it. */
static void choose_orders(fg_pass *p, bool permuted_across) {
  bool load = fg_geometry_load_across(p), store = fg_geometry_store_across(p);
  /* What goes through the tile has an order of its own (cuda/kernel/pairs.h); the stages take the other side's. */
  if (fg_pass_is_rader(p)) { /* both sides are in order in the tile, the stages may run as they like */
    for (int s = 0; s < p->stages; s++) p->column[s] = permuted_across;
    return;
  }
  const bool through = p->pairs && p->filter.kind, spectra_in = fg_form_loads_spectrum(p->from.form);
  const bool symmetric = p->to.form == FG_FORM_REDFT00 || p->to.form == FG_FORM_RODFT00;
  const bool through_load = through && spectra_in, through_store = through && !spectra_in && !symmetric;
  if (through_load) load = store;
  if (through_store) store = load;
  for (int s = 0; s < p->stages; s++) p->column[s] = s + 1 < p->stages ? load : store;
  if (p->stages == 1) p->column[0] = load || store; /* one butterfly along a line always gets a move on that side */
  if (p->filter.kind) return; /* its stages run twice, and its lines are long */
  const int last = p->stages - 1;
  const bool move_store = !through_store && (crowded(p, last) || (!store && !fills_sectors(p, last, &p->to)));
  const bool move_load = !through_load && (crowded(p, 0) || (!load && !fills_sectors(p, 0, &p->from)));
  if (move_store) insert_move(p, p->stages, store);
  if (move_load) insert_move(p, 0, load);
}

static int divide_up(ptrdiff_t a, ptrdiff_t b) { return (int)((a + b - 1) / b); }

/* Points of all butterflies that a thread has in stage s. */
static int points_in_stage(const fg_pass *p, int s) {
  const int repeats = divide_up(fg_pass_tile_lines(p) * fg_geometry_portions(p, s), p->threads);
  return repeats * fg_geometry_together(p, s) * p->radix[s];
}

bool fg_geometry_singly(const fg_pass *p) {
  int most = 1;
  if (p->family != FG_FAMILY_BOX || p->precision == FG_SINGLE) return false;
  if (p->stages != p->dims || fg_geometry_shares(p)) return false; /* must: no moves, no skews */
  for (int s = 0; s < p->stages; s++) {
    const int points = points_in_stage(p, s);
    if (p->radix[s] != p->box[p->axis[s]].n || p->radix[s] > MAX_POINTS) return false; /* taste: large primes spill */
    if (points > most) most = points;
  }
  return most > MAX_POINTS;
}

/* Where butterflies are done one after the other: the most points of one, and the share of the time that a
 * multiprocessor's quarters have any.  Warps go to these in turn, so that the first has most. */
static double singly_points_of(const fg_pass *p, int *most) {
  double slots = 0;
  for (int s = 0; s < p->stages; s++) {
    const int butterflies = divide_up(p->lines * (p->n / p->radix[s]), 32), warps = p->threads / 32;
    const int rounds = butterflies / warps * divide_up(warps, 4) + divide_up(butterflies % warps, 4);
    slots += 4.0 * 32 * rounds * p->radix[s];
    if (p->radix[s] > *most) *most = p->radix[s];
  }
  return (double)(p->lines * p->n) * p->stages / slots;
}

/* Points that a thread has in registers, and the share of thread slots that have a butterfly, over the stages. */
static int points_of(const fg_pass *p, double *busy) {
  int most = 1;
  double used = 0, slots = 0;
  if (fg_geometry_singly(p)) {
    *busy = singly_points_of(p, &most);
    return most;
  }
  for (int s = 0; s < p->stages; s++) {
    const int points = points_in_stage(p, s);
    if (points > most) most = points;
    used += (double)(fg_pass_tile_lines(p) * p->n);
    slots += (double)p->threads * points;
  }
  *busy = used / slots;
  return most;
}

/* What a thread of so many points needs (ptxas, sm_90, over all radices): not quite twice the points' own registers,
 * which spills little where a large radix would like more; large primes keep sums and differences besides.  Boxes
 * of large transforms do with less if their radices are small, which lets 1024 threads have 16 points each.  In double
 * precision 64 beside the points are enough for small radices, and half of that if so many threads leave no more. */
static int registers_of(const fg_pass *p, int points) {
  const int words = p->precision == FG_SINGLE ? 2 : 4;
  int extra = 14;
  int lean = fg_geometry_shares(p) && words == 2 ? points <= LARGEST_LEAN_RADIX ? 32 : 40 : 0;
  for (int s = 0; s < p->stages; s++) {
    const int r = p->radix[s];
    if (r > LARGEST_LEAN_RADIX && r % 2 && r % 3 && r % 5) extra = 14 + r * words / 2;
    if (lean && r > LARGEST_COMFORTABLE_RADIX && r < LARGEST_LEAN_RADIX) lean = 48;
    if (r > LARGEST_LEAN_RADIX) lean = 0;
  }
  if (fg_pass_is_rader(p)) extra += 12; /* its order */
  int registers = lean ? points * words + lean : (points * words * 7 / 4 + extra + 7) / 8 * 8;
  const int beside = p->threads <= 512 ? 64 : 32;
  if (words == 4 && points <= LARGEST_LEAN_RADIX && registers > points * words + beside)
    registers = points * words + beside;
  return registers < 40 ? 40 : registers < 255 ? registers : 255;
}

/* Blocks whose registers fit a multiprocessor.  Each quarter of it has a quarter of them for whole warps, which shows
 * where warps are few. */
static int blocks_by_registers(const fg_pass *p, const fg_device_info *device, int registers) {
  if (registers <= 128) return device->registers_sm / (p->threads * registers);
  return device->registers_sm / 4 / (32 * registers) * 4 / (p->threads / 32);
}

/* A tile that has the multiprocessor to itself gets along with fewer registers than it would like: the compiler is told,
 * and spills a little. */
static bool is_tight(const fg_pass *p, const fg_device_info *device, int registers) {
  const int all = device->registers_sm / p->threads / 8 * 8;
  return p->family == FG_FAMILY_TILE && all < registers && all >= LEAST_SHARE * registers;
}

static bool is_comfortable(const fg_pass *p) {
  for (int s = 0; s < p->stages; s++)
    if (p->radix[s] > LARGEST_COMFORTABLE_RADIX && p->radix[s] != LARGEST_LEAN_RADIX) return false;
  return !fg_pass_is_rader(p);
}

/* The same of what a pass needs.  In double precision, with radices that need little more than their points, 32
 * registers beside these will do, too, where that makes two or three blocks of fewer. */
static int blocks_by_need(const fg_pass *p, const fg_device_info *device, int points) {
  enum { ENOUGH = 3 };
  const int registers = registers_of(p, points);
  const int blocks = is_tight(p, device, registers) ? 1 : blocks_by_registers(p, device, registers);
  if (blocks >= ENOUGH || p->precision == FG_SINGLE || points > LARGEST_LEAN_RADIX || !is_comfortable(p)) return blocks;
  const int more = blocks_by_registers(p, device, 4 * points + 32);
  return more > ENOUGH ? ENOUGH : more > blocks ? more : blocks;
}

/* Blocks of this pass that one multiprocessor can hold at a time. */
static int residency(const fg_pass *p, const fg_device_info *device, int points) {
  const size_t shared = fg_geometry_shared(p) + 1024;
  int blocks = (int)(device->shared_sm / shared);
  const int by_threads = device->threads_sm / p->threads;
  const int by_registers = blocks_by_need(p, device, points);
  if (by_threads < blocks) blocks = by_threads;
  if (by_registers < blocks) blocks = by_registers;
  return blocks < 32 ? blocks : 32;
}

/* Bytes from line to line where they are next to each other: of half rows reals. */
static int neighbour_size(const fg_pass *p) {
  const bool real = fg_form_is_real(p->from.form) ? fg_geometry_load_across(p) : fg_geometry_store_across(p);
  return p->half_row && real ? point_size(p) / 2 : point_size(p);
}

/* The share of the bandwidth that accesses across lines reach: by the contiguous bytes of a block's lines, less
 * where these begin in the middle of a 128-byte line.  (Measured on an H200: doc/performance.md.) */
static double across_efficiency(const fg_pass *p) {
  const double element = (double)neighbour_size(p), n = p->loops ? (double)p->loop[0].n : 1;
  const long long lines = p->lines, row = p->loops ? p->loop[0].n : 1;
  const double segments = row % lines == 0 ? 1 : lines % row == 0 ? (double)lines / n : (double)lines / n + 1;
  const double bytes = (double)lines * element / segments;
  const bool aligned = fmod(n * element, 128) == 0 && fmod((double)lines * element, 64) == 0;
  const bool whole_rows = lines % row == 0;
  const double run = bytes >= 128 ? 1 : bytes >= 64 ? 0.88 : bytes >= 32 ? 0.65 : 0.4;
  return run * (aligned || whole_rows || bytes >= 224 ? 1 : 0.85);
}

/* Permuted accesses meet few banks twice where neighbouring threads have the same point of neighbouring lines. */
static double permuted_efficiency(const fg_pass *p) {
  if (!fg_pass_is_rader(p)) return 1;
  const ptrdiff_t lines = fg_pass_tile_lines(p);
  const int wavefront = 128 / point_size(p);
  const double conflicts = lines % wavefront == 0 ? 1 : lines >= 8 ? 1.6 : lines >= 4 ? 2.1 : 3;
  return 1 / (1 + 2 * EXCHANGE_COST * conflicts);
}

/* Many points a thread leave room for few threads, in double precision for very few; but not where it has them one
 * butterfly after the other. */
static double depth_efficiency(const fg_pass *p, int points) {
  if (points <= 10 || fg_geometry_singly(p)) return 1;
  if (points <= 16) return 0.99;
  const bool few = points <= 25;
  return p->precision == FG_SINGLE ? (few ? 0.93 : 0.88) : (few ? 0.86 : 0.8);
}

/* How good a choice of lines and threads is: higher is better.  The terms, each between 0 and 1: whole sectors where
 * lines are next to each other, busy threads, enough bytes in flight, few points a thread, blocks enough for the
 * device and, on a multiprocessor, for some to load while others compute. */
static double score(const fg_pass *p, const fg_device_info *device) {
  double busy;
  const int points = points_of(p, &busy);
  if (points > most_points(p)) return -1;
  const int blocks = residency(p, device, points);
  if (blocks < 1) return -1;

  const bool tile_across = fg_geometry_load_across(p) || fg_geometry_store_across(p);
  const bool strided = p->family == FG_FAMILY_BOX ? p->across : tile_across;
  const double sectors = strided ? across_efficiency(p) : 1;
  const double flight = (double)blocks * p->threads * points * point_size(p) / (64 * 1024);
  const double grid = (double)fg_pass_blocks(p) / device->multiprocessors;
  const double waves = grid >= 4 ? 1 : grid >= 1 ? 0.95 : 0.6 + 0.35 * grid;
  const double depth = depth_efficiency(p, points);
  const double fitting = is_tight(p, device, registers_of(p, points)) ? 0.8 : 1;
  const double overlap = blocks >= 4 ? 1 : blocks == 3 ? 0.97 : blocks == 2 ? 0.92 : 0.7;
  const double size = p->threads < 64 ? 0.93 : p->threads <= 256 ? 1 : p->threads <= 512 ? 0.97 : 0.93;
  return fitting * sectors * busy * (flight < 1 ? flight : 1) * waves * depth * overlap * size * permuted_efficiency(p);
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
      const int needed = divide_up(fg_pass_tile_lines(p) * fg_geometry_portions(p, s), repeats);
      try_threads(p, device, divide_up(needed, 32) * 32, best, best_score);
    }
  for (int threads = MIN_THREADS; threads <= device->threads_block; threads *= 2)
    try_threads(p, device, threads, best, best_score);
}

/* Registers that the compiler may give a thread where so many blocks are to be on a multiprocessor: each quarter of it
 * has a quarter of them, for whole warps. */
static int registers_for(const fg_pass *p, const fg_device_info *device, int blocks) {
  const int warps = divide_up(blocks * (p->threads / 32), 4);
  return device->registers_sm / 4 / (32 * warps) / 8 * 8;
}

/* What the compiler is asked for.  Of many blocks one less than there is room for does no harm, if its share of the
 * quarters would be less than what a thread needs. */
static void set_blocks(fg_pass *p, const fg_device_info *device) {
  enum { MANY = 8 };
  double busy;
  const int points = points_of(p, &busy);
  p->blocks_sm = residency(p, device, points);
  if (p->blocks_sm >= MANY && registers_for(p, device, p->blocks_sm) < registers_of(p, points)) p->blocks_sm--;
}

/* Skew the exchanges that have fewer conflicts with it, and make room for it in the rows. */
static void choose_skews(fg_pass *p, int pitch) {
  p->pitch = pitch;
  for (int s = 0; s + 1 < p->stages; s++) {
    p->skew[s] = false;
    const double plain = fg_banks_exchange_conflicts(p, s);
    if (plain <= 1.01) continue;
    p->skew[s] = true;
    p->skew[s] = fg_banks_shortest_pitch(p) <= pitch && fg_banks_exchange_conflicts(p, s) < plain - 0.01;
  }
}

/* The pitch and the skews with the fewest conflicts among those that leave as many blocks on a multiprocessor. */
static void arrange_box(fg_pass *p, const fg_device_info *device) {
  const ptrdiff_t row = p->box[p->dims - 1].n, most = row + (p->across ? 2 : row / 8 + 17);
  double least = fg_banks_box_conflicts(p);
  fg_pass best = *p;
  for (ptrdiff_t pitch = row; pitch <= most && least > 1.01; pitch++) {
    fg_pass now = *p;
    choose_skews(&now, (int)pitch);
    if (fg_geometry_shared(&now) > device->shared_block) continue;
    set_blocks(&now, device);
    const double conflicts = fg_banks_box_conflicts(&now);
    if (now.blocks_sm < p->blocks_sm || conflicts >= least - 0.01) continue;
    least = conflicts;
    best = now;
  }
  *p = best;
}

static void try_boxes(fg_pass *now, const fg_device_info *device, fg_pass *best, double *best_score) {
  static const int side_by_side[] = {2, 3, 4, 5, 6, 8, 10, 12, 15, 16, 20, 24, 30, 32, 48, 64};
  const ptrdiff_t all = now->pairs ? (fg_pass_lines(now) + 1) / 2 : fg_pass_lines(now);
  for (int boxes = 1; !now->across && boxes <= 64; boxes *= 2)
    if (boxes == 1 || (boxes / 2 < all && boxes * now->n * point_size(now) <= LARGEST_BLOCK))
      try_lines(now, device, boxes, best, best_score);
  for (size_t i = 0; now->across && i < sizeof side_by_side / sizeof *side_by_side; i++)
    if (side_by_side[i] / 2 < all) try_lines(now, device, side_by_side[i], best, best_score);
}

double fg_geometry_choose_box(fg_pass *p, const fg_device_info *device, double least) {
  fg_pass best = *p, now = *p;
  double best_score = 0;
  try_boxes(&now, device, &best, &best_score);
  *p = best;
  if (best_score <= least) return 0; /* perfect exchanges would not help */
  set_blocks(p, device);
  if (!fg_geometry_shares(p)) return best_score;
  arrange_box(p, device);
  return best_score / (1 + EXCHANGE_COST * (p->stages - 1) * (fg_banks_box_conflicts(p) - 1));
}

static void try_all_lines(fg_pass *now, const fg_device_info *device, fg_pass *best, double *best_score) {
  static const int lines[] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128, 256, 512};
  const bool across = fg_geometry_load_across(now) || fg_geometry_store_across(now);
  const ptrdiff_t all = now->pairs ? (fg_pass_lines(now) + 1) / 2 : fg_pass_lines(now);
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    if (lines[i] > 1 && lines[i] / 2 >= all) break;
    if (across && lines[i] * neighbour_size(now) % SECTOR && lines[i] < all) continue; /* taste: whole sectors */
    if (fg_pass_is_rader(now) && lines[i] > (across ? 4 : 1) && all / lines[i] < device->multiprocessors)
      break; /* taste: much work for a line, so a block for every multiprocessor before one gets several lines */
    if (!across && lines[i] > 1 && lines[i] * now->data * point_size(now) > LARGEST_BLOCK)
      break; /* taste: many small blocks */
    try_lines(now, device, lines[i], best, best_score);
  }
  if (now->loops && now->loop[0].n <= 64 && !fg_pass_is_rader(now))
    try_lines(now, device, (int)now->loop[0].n, best, best_score);
}

/* Stages of a permuted convolution that have twiddles; all of any other transform but the first do, in whatever order. */
static int turned_stages(const fg_pass *p) {
  return fg_pass_is_rader(p) ? p->stages - fg_coprime_groups_of(p->radix, p->stages).count : 0;
}

/* What the exchanges cost beside the memory traffic: each moves as many bytes as the pass through a memory about
 * seven times as fast, more slowly by its bank conflicts; about half of that is hidden.  Twiddles take half of that, and
 * as many instructions. */
static double exchange_efficiency(const fg_pass *p) {
  const int exchanges = fg_pass_is_rader(p) ? 2 * p->stages : p->stages - 1;
  return 1 / (1 + EXCHANGE_COST * (exchanges * fg_banks_conflicts(p) + 2 * turned_stages(p)));
}

static void best_padding(fg_pass *p) {
  static const int pads[] = {0, 16, 8, 32};
  double least = 1e9;
  int best = 0;
  if (fg_pass_is_rader(p)) { /* as in memory, and odd */
    p->pad = 0;
    return;
  }
  for (size_t i = 0; i < sizeof pads / sizeof *pads && least > 1.01; i++) {
    p->pad = pads[i];
    const double conflicts = fg_banks_conflicts(p);
    if (conflicts < least - 0.01) {
      least = conflicts;
      best = pads[i];
    }
  }
  p->pad = best;
}

/* The next permutation of a list in lexicographic order; false after the last. */
static bool next_permutation(int *a, int count) {
  int i = count - 2, j = count - 1;
  while (i >= 0 && a[i] >= a[i + 1]) i--;
  if (i < 0) return false;
  while (a[j] <= a[i]) j--;
  int swap = a[i];
  a[i] = a[j];
  a[j] = swap;
  for (i++, j = count - 1; i < j; i++, j--) {
    swap = a[i];
    a[i] = a[j];
    a[j] = swap;
  }
  return true;
}

/* p with that padding and order of stages, if it is better than best. */
static void keep_better(fg_pass *p, bool permuted_across, const fg_device_info *device, fg_pass *best,
                        double *best_score) {
  choose_orders(p, permuted_across);
  best_padding(p);
  const double s = fg_geometry_shared(p) <= device->shared_block ? score(p, device) * exchange_efficiency(p) : 0;
  if (s <= *best_score) return;
  *best_score = s;
  *best = *p;
}

/* Give p, whose lines and threads were chosen for the radices of list, the order of radices and the padding with the
 * fewest bank conflicts.  The score of the result. */
static double refine(fg_pass *p, const fg_radix_list *list, const fg_device_info *device) {
  int radix[FG_MAX_STAGES];
  double best_score = 0;
  fg_pass best = *p;
  for (int s = 0; s < list->stages; s++) radix[s] = list->radix[list->stages - 1 - s]; /* smallest first */
  for (int tried = 0; tried < MOST_ORDERS; tried++) {
    fg_pass now = *p;
    now.stages = list->stages;
    for (int s = 0; s < now.stages; s++)
      now.radix[s] = radix[fg_geometry_mirror(p) == FG_MIRROR_STORE ? now.stages - 1 - s : s]; /* few points there */
    const fg_pass before = now;
    keep_better(&now, true, device, &best, &best_score);
    if (fg_pass_is_rader(p)) {
      now = before;
      keep_better(&now, false, device, &best, &best_score);
    }
    const bool moves = best.stages > list->stages && (p->from.form || p->to.form); /* another order may need none */
    const bool perfect = fg_banks_conflicts(&best) <= 1.01 && !moves && turned_stages(&best) == 0;
    if (perfect || !next_permutation(radix, list->stages)) break;
  }
  *p = best;
  return best_score;
}

bool fg_geometry_choose(fg_pass *p, const fg_device_info *device) {
  fg_radix_list lists[MOST_LISTS];
  const int count = fg_radix_lists(p->n, p->precision, lists, MOST_LISTS);
  fg_pass best = *p;
  double best_score = 0;
  for (int i = 0; i < count; i++) {
    fg_pass now = *p, chosen = *p;
    double chosen_score = 0;
    now.stages = lists[i].stages;
    for (int s = 0; s < now.stages; s++) /* a mirrored load wants few points */
      now.radix[s] = lists[i].radix[fg_geometry_mirror(p) == FG_MIRROR_LOAD ? now.stages - 1 - s : s];
    now.pad = fg_pass_is_rader(p) ? 0 : 16;
    choose_orders(&now, true);
    try_all_lines(&now, device, &chosen, &chosen_score);
    /* Not worth the counting where even perfect exchanges would not win. */
    if (chosen_score / (1 + EXCHANGE_COST * (lists[i].stages - 1)) <= best_score) continue;
    chosen_score = refine(&chosen, &lists[i], device);
    if (chosen_score <= best_score) continue;
    best_score = chosen_score;
    best = chosen;
  }
  if (best_score <= 0) return false;
  set_blocks(&best, device);
  *p = best;
  fg_tuned_correct(p, device);
  return true;
}

/* ---- for geometries that are listed and put in ---- */

void fg_geometry_order(fg_pass *p, bool permuted_across) { choose_orders(p, permuted_across); }

double fg_geometry_score(const fg_pass *p, const fg_device_info *device) {
  return fg_geometry_shared(p) <= device->shared_block ? score(p, device) : 0;
}

static double refine_box(fg_pass *p, const fg_device_info *device) {
  const double s = fg_geometry_score(p, device);
  if (s <= 0) return 0;
  set_blocks(p, device);
  if (!fg_geometry_shares(p)) return s;
  arrange_box(p, device);
  return s / (1 + EXCHANGE_COST * (p->stages - 1) * (fg_banks_box_conflicts(p) - 1));
}

double fg_geometry_refine(fg_pass *p, const fg_device_info *device) {
  if (p->family == FG_FAMILY_BOX) return refine_box(p, device);
  fg_radix_list list = {0};
  for (int s = p->stages; s-- > 0;) /* largest first, moves left out */
    if (p->radix[s] > 1 || p->n == 1) list.radix[list.stages++] = p->radix[s];
  for (int i = 1; i < list.stages; i++)
    for (int j = i; j > 0 && list.radix[j] > list.radix[j - 1]; j--) {
      const int swap = list.radix[j];
      list.radix[j] = list.radix[j - 1];
      list.radix[j - 1] = swap;
    }
  const double s = refine(p, &list, device);
  if (s > 0) set_blocks(p, device);
  return s;
}

void fg_geometry_skew(fg_pass *p, int pitch) { choose_skews(p, pitch); }

bool fg_geometry_fits(const fg_pass *p, const fg_device_info *device) { return fg_geometry_score(p, device) > 0; }
