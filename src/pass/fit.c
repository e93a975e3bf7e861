/* fit.c: how well lines, threads and radices fit a multiprocessor: points and registers of a thread, blocks at a time,
 * sectors. */
#include "src/pass/fit.h"

#include <math.h>
#include <stdlib.h>

enum {
  MAX_POINTS = 32,       /* complex numbers a thread may hold in registers: 64 of 255, or 128 in double precision */
  MAX_POINTS_ALONE = 64, /* the same where a radix alone has more than that */
  MAX_POINTS_ALONE_DOUBLE = 43,
  MAX_POINTS_OF_LINES = 80, /* of lines with a large radix (radices.h); boxes with more than 64 were not measured */
  MIN_THREADS = 32,
  LARGE_TILE = 48 * 1024, /* bytes */
  LARGEST_LEAN_RADIX = 16,
  LEAN_OF_CLUSTER = 25, /* points of a thread */
  LARGEST_COMFORTABLE_RADIX = 10 /* above, and below 16, more factors and sums are alive at a time */
};

static bool has_large_radix(const fg_pass *p) {
  bool large = false;
  for (int s = 0; s < p->stages; s++) large = large || fg_radix_large(p->radix[s]);
  return large;
}

int fg_fit_most_points(const fg_pass *p) {
  if (has_large_radix(p) && p->family == FG_FAMILY_TILE) return MAX_POINTS_OF_LINES;
  for (int s = 0; s < p->stages; s++)
    if (p->radix[s] > MAX_POINTS) return p->precision == FG_SINGLE ? MAX_POINTS_ALONE : MAX_POINTS_ALONE_DOUBLE;
  return MAX_POINTS;
}

static int divide_up(ptrdiff_t a, ptrdiff_t b) { return (int)((a + b - 1) / b); }

static ptrdiff_t all_portions(const fg_pass *p, int s) { return fg_pass_tile_lines(p) * fg_geometry_portions(p, s); }

static int points_of_portion(const fg_pass *p, int s) { return fg_geometry_together(p, s) * p->radix[s]; }

/* What does not depend on the number of threads, of which many are tried: of each stage the portions of all lines, and the
 * points of one; points used over all stages. */
typedef struct {
  ptrdiff_t portions[FG_MAX_STAGES];
  int points[FG_MAX_STAGES];
  double used;
  size_t shared; /* bytes; of boxes that come as spectra for p's threads only */
} share;

static share share_of(const fg_pass *p) {
  share of = {.shared = fg_geometry_shared(p)};
  if (p->sums == FG_SUMS_OF_MIRRORS) { /* sums, of which a thread has one share */
    of.portions[0] = fg_geometry_sums_shares(p);
    of.points[0] = fg_geometry_sums_points(p);
    of.used = fg_geometry_sums_full_shares(p) * of.points[0];
    return of;
  }
  for (int s = 0; s < p->stages; s++) {
    of.portions[s] = all_portions(p, s);
    of.points[s] = points_of_portion(p, s);
    of.used += (double)(fg_pass_tile_lines(p) * fg_pass_part_points(p, s));
  }
  return of;
}

bool fg_geometry_singly(const fg_pass *p) {
  int most = 1;
  if (p->family != FG_FAMILY_BOX || p->cluster > 1) return false;
  if (p->stages != p->dims || fg_geometry_shares(p)) return false; /* must: no moves, no skews */
  for (int s = 0; s < p->stages; s++) {
    const int points = divide_up(all_portions(p, s), p->threads) * points_of_portion(p, s);
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
static int points_of(const fg_pass *p, const share *of, double *busy) {
  int most = 1;
  double slots = 0;
  if (fg_geometry_singly(p)) {
    *busy = singly_points_of(p, &most);
    return most;
  }
  for (int s = 0; s < p->stages; s++) {
    const int points = divide_up(of->portions[s], p->threads) * of->points[s];
    if (points > most) most = points;
    slots += (double)p->threads * points;
  }
  *busy = of->used / slots;
  return most;
}

/* Rows of permuted convolutions in parts are dealt out as was measured: 28 of 66 to 256 points, of 2 to 32 parts, on an H100, 24
 * geometries of each. */
static bool is_in_parts(const fg_pass *p) {
  enum { LONGEST = 512, MOST = 32 };
  const bool columns = fg_geometry_load_across(p) || fg_geometry_store_across(p);
  return p->parts && p->parts <= MOST && !p->sums && !columns && p->precision == FG_SINGLE && p->n <= LONGEST;
}

/* What a thread may have, and what any kernel here has. */
static int in_bounds(int registers) { return registers < 40 ? 40 : registers < 255 ? registers : 255; }

/* Across its parts a thread has one point of each.  (Asked for as many blocks as this leaves room for they took 1.0 to 1.15 times
 * less than with what is said of other passes.) */
static int registers_of_parts(const fg_pass *p, int points) {
  const int convolved = points * 3 + 20, across = p->parts * 2 + 28;
  return in_bounds(((convolved > across ? convolved : across) + 7) / 8 * 8);
}

/* What a thread of so many points needs (ptxas, sm_90, over all radices): not quite twice the points' own registers,
 * which spills little where a large radix would like more; large primes keep sums and differences besides.  Boxes
 * of large transforms do with less if their radices are small, which lets 1024 threads have 16 points each.  In double
 * precision 64 beside the points are enough for small radices, and half of that if so many threads leave no more. */
static int registers_of(const fg_pass *p, int points) {
  if (is_in_parts(p)) return registers_of_parts(p, points);
  if (fg_geometry_short_row(p)) points = (points + 1) / 2; /* half of them are zero, or conjugates */
  const int words = p->precision == FG_SINGLE ? 2 : 4;
  if (p->sums == FG_SUMS_OF_MIRRORS) return points * words + (points * words > 32 ? 52 : 40);
  int extra = 14;
  int lean = fg_geometry_shares(p) && words == 2 ? points <= LARGEST_LEAN_RADIX ? 32 : 40 : 0;
  for (int s = 0; s < p->stages; s++) {
    const int r = fg_pass_butterfly(p, s);
    if (r > LARGEST_LEAN_RADIX && r % 2 && r % 3 && r % 5 && !fg_radix_large(r)) extra = 14 + r * words / 2;
    if (lean && r > LARGEST_COMFORTABLE_RADIX && r < LARGEST_LEAN_RADIX) lean = 48;
    if (r > LARGEST_LEAN_RADIX) lean = 0;
  }
  if (fg_pass_is_rader(p)) extra += 12; /* its order */
  for (int s = 0; s < p->stages && p->real_radix; s++) /* two transforms of real points at once */
    if (s == 0 || p->radix[s] > LARGEST_LEAN_RADIX) extra += p->radix[s] > LARGEST_LEAN_RADIX ? 32 : 24;
  int registers = lean ? points * words + lean : (points * words * 7 / 4 + extra + 7) / 8 * 8;
  if (has_large_radix(p)) registers = points * words + 26 + extra; /* such a butterfly begins and ends in its own */
  if (p->cluster > 1) registers = points * words + (words == 4 ? 40 : points <= LEAN_OF_CLUSTER ? 16 : 26) + extra - 14;
  if (p->strip && p->twiddle) registers += 14; /* factors that are made of each other */
  if (p->cluster > 1 && p->half_row) registers += p->from.form == FG_FORM_HERMITIAN ? 24 : 8; /* mirrors; roots, addresses */
  if (fg_is_cut_chirp(p)) registers += points <= LARGEST_LEAN_RADIX ? 22 : 30; /* factors on both ways and in between */
  const int beside = p->threads <= 512 ? 64 : 32;
  if (words == 4 && points <= LARGEST_LEAN_RADIX && registers > points * words + beside)
    registers = points * words + beside;
  return in_bounds(registers);
}

/* Blocks whose registers fit a multiprocessor.  Each quarter of it has a quarter of them for whole warps, which shows
 * where warps are few. */
static int blocks_by_registers(const fg_pass *p, const fg_device_info *device, int registers) {
  if (registers <= 128 && !fg_is_cut_chirp(p)) return device->registers_sm / (p->threads * registers);
  return device->registers_sm / 4 / (32 * registers) * 4 / (p->threads / 32);
}

/* Registers that the compiler may give a thread where so many blocks are to be on a multiprocessor: each quarter of it
 * has a quarter of them, for whole warps. */
static int registers_for(const fg_pass *p, const fg_device_info *device, int blocks) {
  const int warps = divide_up(blocks * (p->threads / 32), 4);
  return device->registers_sm / 4 / (32 * warps) / 8 * 8;
}

/* Complex rows without forms or twiddles, in single precision, one a block: of such a tile it was measured what follows. */
static bool is_lone_row(const fg_pass *p) {
  return p->precision == FG_SINGLE && p->lines == 1 && p->in == 1 && p->out == 1 && !p->twiddle && !p->from.form &&
         !p->to.form;
}

bool fg_fit_is_long_chirp(const fg_pass *p) {
  enum { SHORTEST = 14592, LONGEST = 24576 };
  fg_pass one = *p;
  one.lines = 1;
  return is_lone_row(&one) && p->filter.kind == FG_TABLE_FILTER && p->n >= SHORTEST && p->n <= LONGEST;
}

/* A tile that has the multiprocessor to itself gets along with fewer registers than it would like: the compiler is told,
 * and spills a little.  (Bytes of a thread, by ptxas, sm_90: of large radices at 0.82 of what they are said to need up to 50,
 * at 0.8 and less, and of those that load ahead, to 240; of convolutions, of which much is said, at 0.6 up to 30.  The
 * others were measured as dealt out without regard to quarters.) */
static bool is_tight(const fg_pass *p, const fg_device_info *device, int registers) {
  const bool convolved = is_lone_row(p) && (fg_pass_is_rader(p) || fg_fit_is_long_chirp(p));
  const bool large = is_lone_row(p) && has_large_radix(p);
  const int all = large || convolved ? registers_for(p, device, 1) : device->registers_sm / p->threads / 8 * 8;
  const double least = large && convolved ? 0.78 : large ? 0.82 : convolved ? 0.6 : 0.72;
  if (large && p->ahead) return false;
  return p->family == FG_FAMILY_TILE && all < registers && all >= least * registers;
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
static int residency(const fg_pass *p, const fg_device_info *device, size_t shared, int points) {
  int blocks = (int)fg_fit_room(device, shared);
  const int by_threads = device->threads_sm / p->threads;
  const int by_registers = blocks_by_need(p, device, points);
  if (by_threads < blocks) blocks = by_threads;
  if (by_registers < blocks) blocks = by_registers;
  return blocks < 32 ? blocks : 32;
}

/* Bytes from line to line where they are next to each other: of split arrays (fg_pass_splits_columns), of half and odd rows, and of
 * real to real ones, reals.  Of the latter's convolutions, but sums, points: with reals few columns would be planned in three
 * passes; and of few lines, which make fewer blocks than there are multiprocessors. */
int fg_fit_neighbour_size(const fg_pass *p) {
  enum { MANY = 8192 };
  const bool sums = p->sums == FG_SUMS_OF_MIRRORS, many = fg_pass_lines(p) >= MANY;
  const bool from = fg_form_is_real(p->from.form), whole = !p->pairs && (!p->filter.kind || sums) && many;
  const bool both = from && fg_form_is_real(p->to.form) && whole;
  const bool load = fg_geometry_load_across(p), store = fg_geometry_store_across(p);
  const bool reals = (p->half_row || p->odd_row || both) && (from ? load : store);
  const bool planes = (load && fg_pass_splits_columns(p, FG_INPUT)) || (store && fg_pass_splits_columns(p, FG_OUTPUT));
  return reals || planes ? fg_fit_point_size(p) / 2 : fg_fit_point_size(p);
}

static double run_share(double bytes) { return bytes >= 128 ? 1 : bytes >= 64 ? 0.88 : bytes >= 32 ? 0.65 : 0.4; }

/* Where what is stored is whole sectors, though what is loaded may not be; the last block of each turn has fewer lines. */
static double within_loop_efficiency(const fg_pass *p) {
  const ptrdiff_t n = p->loop[0].n, blocks = (n + p->lines - 1) / p->lines;
  const double loaded = p->from.array >= FG_ARRAY_SCRATCH0 ? 1 : 0.93;
  return loaded * (double)n / (double)(blocks * p->lines) * run_share((double)p->lines * (double)fg_fit_neighbour_size(p));
}

/* Boxes: few blocks have two runs, and what counts is whole sectors.  (Of 150, 180 and 250 points on an H100 runs of 80 bytes took
 * 1.3 to 1.6 times as long as those of 64 and 128.) */
static double boxes_efficiency(const fg_pass *p) {
  if (fg_pass_alternates(p, FG_INPUT) && fg_pass_alternates(p, FG_OUTPUT)) return 1;
  const ptrdiff_t row = fg_pass_neighbours(p), lines = p->lines, element = fg_fit_neighbour_size(p);
  const bool whole_rows = lines % row == 0, aligned = row * element % 128 == 0 && lines * element % 64 == 0;
  const double run = (double)((whole_rows ? row : lines) * element);
  const double turned = whole_rows || row % lines == 0 ? 0 : (double)lines / (double)row; /* blocks that have two; or more turns */
  const double bytes = turned > 1 ? run / (turned + 1) : run;
  const double share = turned > 1 ? run_share(bytes) : (1 - turned) * run_share(run) + turned * run_share(run / 2);
  return share * (aligned || whole_rows || bytes >= 224 ? 1 : 0.85) * fg_pass_sector_share(p);
}

/* Of lines that alternate, all of whose bytes are contiguous: a warp asks for one point of each line after the other, so that of
 * many lines it finds few bytes together, and for the sectors around them again and again.  (Rows of 9 to 441 points of 2 to 6
 * components on an H100, copies: 0.95 to 1.1 where 64 bytes are together, 1.0 to 1.3 where 32, 1.2 to 2.0 where 16 or 24.) */
static double alternating_efficiency(const fg_pass *p, ptrdiff_t row) {
  enum { WARP = 32, SECTOR = 32 };
  const int element = fg_fit_neighbour_size(p), points = p->lines < WARP ? WARP / p->lines : 1;
  const ptrdiff_t together = row * points * element;
  const bool whole = row * fg_pass_row(p) * element % SECTOR == 0; /* where half and odd rows are reals */
  if (together >= 2 * SECTOR) return 1;
  if (together >= SECTOR) return whole ? 0.95 : 0.85;
  return whole ? 0.7 : 0.55;
}

/* The share of the bandwidth that accesses across lines reach on one side: by the contiguous bytes of a block's lines, less where
 * these begin in the middle of a 128-byte line.  (Measured on an H200: doc/measurements.md.) */
static double side_efficiency(const fg_pass *p, enum fg_side side) {
  if (p->crossed) return FG_CROSSED * run_share((double)fg_pass_crossed_run(p, side) * fg_fit_neighbour_size(p));
  const ptrdiff_t row = fg_pass_run_of_lines(p, side);
  const double element = (double)fg_fit_neighbour_size(p), n = (double)row;
  const long long lines = p->lines;
  if (fg_pass_alternates(p, side)) return alternating_efficiency(p, row);
  const double segments = row % lines == 0 ? 1 : lines % row == 0 ? (double)lines / n : (double)lines / n + 1;
  const double bytes = (double)lines * element / segments;
  const bool aligned = fmod(n * element, 128) == 0 && fmod((double)lines * element, 64) == 0;
  const bool whole_rows = lines % row == 0 || (p->loops && lines % p->loop[0].n == 0); /* or turns */
  if (p->padded) return fg_pass_within_loop(p) ? within_loop_efficiency(p) : 0.75 * run_share(bytes);
  return run_share(bytes) * (aligned || whole_rows || bytes >= 224 ? 1 : 0.85);
}

static double across_efficiency(const fg_pass *p) {
  if (p->family == FG_FAMILY_BOX) return boxes_efficiency(p);
  const double broken = fg_pass_broken_run(p);
  if (broken > 0) return fg_pass_broken_share(broken);
  const double in = fg_geometry_load_across(p) ? side_efficiency(p, FG_INPUT) : 1;
  return fg_geometry_store_across(p) ? fmin(in, side_efficiency(p, FG_OUTPUT)) : in;
}

/* Permuted accesses meet few banks twice where neighbouring threads have the same point of neighbouring lines. */
static double permuted_efficiency(const fg_pass *p) {
  if (!fg_pass_is_rader(p)) return 1;
  const ptrdiff_t lines = fg_pass_tile_lines(p);
  const int wavefront = 128 / fg_fit_point_size(p);
  const double conflicts = lines % wavefront == 0 ? 1 : lines >= 8 ? 1.6 : lines >= 4 ? 2.1 : 3;
  return 1 / (1 + 2 * FG_EXCHANGE_COST * conflicts);
}

static bool has_forms(const fg_pass *p) { return p->from.form || p->to.form; } /* reals on one side, or both */

/* Rows that fill the device many times over, of more than one stage (large primes have moves, too).  What this decides was fitted
 * to geometries timed on an H200 (doc/measurements.md, Rows in small blocks and the section after it): 2,600 of 37 complex lengths
 * from 64 to 4096 points, 3,500 of 53 rows of r2c, c2r and kinds, and two each of 35 more; in double precision 2,300 of 37 complex
 * rows, r2c and c2r.  The best by the score takes as many times as long as the fastest, in brackets without these terms: 1.012
 * (1.027), 1.015 (1.056), 1.013 (1.028).  Kinds in double precision follow unfitted, and rows in planes and boxes, ten of which
 * took 0.97 to 1.01 of before.
 *
 * Points of a halved row are half of its elements; of odd ones, too, whose n is another with each real radix.  Short rows of
 * reals keep the score of before, and longer rows (of odd ones from 4097 elements on, not points): large radices, and two blocks
 * where one has room, were measured to gain there. */
static bool is_bulk_of_rows(const fg_pass *p) {
  enum { MANY = 1 << 22, SHORTEST = 33, SHORTEST_OF_REALS = 60, LONGEST = 4096 };
  const ptrdiff_t points = p->odd_row ? (p->data + 1) / 2 : p->n, most = p->odd_row ? p->data : p->n;
  if (p->family != FG_FAMILY_TILE || p->in != 1 || p->out != 1 || p->twiddle) return false;
  if (p->filter.kind || p->load_table.kind || p->store_table.kind) return false;
  if (points < (has_forms(p) ? SHORTEST_OF_REALS : SHORTEST) || most > LONGEST) return false;
  return p->stages > 1 && !fg_pass_is_rader(p) && fg_pass_lines(p) * points >= MANY;
}

/* Many points a thread leave room for few threads, in double precision for very few (rows in bulk apart); but not where it has
 * them one butterfly after the other.  Where points have a factor on the way in or out of a transform, to be loaded and kept
 * beside them, threads of 24 and 32 took 1.1 to 1.45 times as long as the best, of 8 to 16 (384 and 512 points in single
 * precision on an H200): taken as 1/0.85.  Large radices in small tiles, of which many would fit, took 1.1 to 1.4 times
 * as long. */
static double depth_efficiency(const fg_pass *p, int points, bool bulk) {
  if (points <= 10 || fg_geometry_singly(p)) return 1;
  if (has_large_radix(p) && p->four_step) return fg_pass_lines(p) > 1 ? 0.7 : 0.4;
  if (has_large_radix(p) && p->lines * p->n * fg_fit_point_size(p) < LARGE_TILE) return 0.7;
  if (has_large_radix(p)) return points <= MAX_POINTS_ALONE ? 0.88 : 0.8;
  if (points <= 16) return 0.99;
  const bool few = points <= 25, factors = !p->filter.kind && (p->load_table.kind || p->store_table.kind);
  if (p->precision == FG_DOUBLE && !bulk) return few ? 0.86 : 0.8;
  return (factors ? 0.85 : 1) * (few ? 0.93 : 0.88);
}

/* Blocks on a multiprocessor: for some to load while others compute.  What loads ahead does so while it stores: taken to
 * lose half as much (only orders lists; not fitted to measurements). */
static double overlap_efficiency(const fg_pass *p, int blocks) {
  if (fg_pass_broken_run(p) > 0) return 1; /* one is asked for */
  if (p->ahead) return blocks >= 3 ? 1 : blocks == 2 ? 0.96 : 0.85;
  return blocks >= 4 ? 1 : blocks == 3 ? 0.97 : blocks == 2 ? 0.92 : p->cluster > 1 ? 0.5 : 0.7;
}

/* Blocks enough for the device, and for the last of them to matter little. */
static double waves_of(const fg_pass *p, const fg_device_info *device) {
  const double grid = (double)fg_pass_blocks(p) / device->multiprocessors;
  return grid >= 4 ? 1 : grid >= 1 ? 0.95 : 0.6 + 0.35 * grid;
}

/* Sums of products compute longer than they move: what counts is threads that have a share, of which a multiprocessor holds
 * about 512, in more than a few blocks since most is between barriers; across rows also that threads are a multiple of these.
 * (100 to 512 elements on an H100, 13 to 16 geometries of each of eleven passes.) */
static double score_of_sums(const fg_pass *p, const share *of, const fg_device_info *device) {
  double busy;
  const int points = points_of(p, of, &busy), blocks = residency(p, device, of->shared, points);
  const bool across = fg_geometry_load_across(p) || fg_geometry_store_across(p);
  if (blocks < 1 || of->portions[0] > p->threads || p->threads < p->lines) return -1; /* must: a share each; a row's elements */
  const double moving = across ? (double)(p->threads / p->lines * p->lines) / p->threads : 1;
  const double run = across ? (double)p->lines * (double)fg_real_size(p->precision) : 64;
  const double sectors = run >= 64 ? 1 : run >= 32 ? 0.97 : 0.8;
  const double resident = fmin(1, (double)blocks * p->threads / 512);
  const double overlap = blocks >= 4 ? 1 : blocks == 3 ? 0.97 : blocks == 2 ? 0.93 : 0.75;
  const double size = p->threads < 64 ? 0.96 : 1;
  return busy * sqrt(moving) * sectors * resident * overlap * waves_of(p, device) * size;
}

/* Most of their time goes into moving elements between memory and places of the tile, so that threads are to have as many of these
 * each; then count warps to hide it behind, few points a thread and short barriers.  (What such a rule chooses among the geometries
 * that were measured takes 1.06 times as long as the fastest in the mean.) */
static double score_of_parts(const fg_pass *p, const share *of, const fg_device_info *device) {
  enum { WARPS = 18 };
  double busy;
  const int points = points_of(p, of, &busy);
  if (points > fg_fit_most_points(p)) return -1;
  const int blocks = residency(p, device, of->shared, points);
  if (blocks < 1) return -1;
  const ptrdiff_t elements = fg_pass_tile_lines(p) * (p->n + 1);
  const double moving = (double)elements / ((double)p->threads * divide_up(elements, p->threads));
  const double resident = fmin(1, blocks * p->threads / 32.0 / WARPS);
  const double depth = pow(fmin(1, 8.0 / points), 0.25), size = p->threads < 64 ? 0.85 : pow(fmin(1, 160.0 / p->threads), 0.15);
  const double permuted = permuted_efficiency(p);  /* squared, it is what the fit has for conflicts, before these are counted */
  const double alone = blocks == 1 ? 0.85 : 1;     /* not in the fit; the price of a pass takes off more */
  return waves_of(p, device) * alone * sqrt(moving) * cbrt(resident) * depth * size * permuted * permuted;
}

/* Threads that have no butterfly cost little beside those of other blocks, which wait for the memory. */
static double busy_efficiency(bool bulk, double busy) { return bulk ? sqrt(sqrt(busy)) : busy; }

/* Kernels that only copy are as fast as the device's own copy in blocks of 2 to 4 KB, and take 1.02 to 1.06 times as long in larger
 * ones.  The exponents are fitted: they charge a little more. */
static double block_efficiency(const fg_pass *p) {
  enum { SMALL = 4096 };
  const double exponent = p->precision == FG_SINGLE ? 0.05 : 0.1;
  return pow(fmin(1, (double)SMALL / (double)(p->lines * p->n * fg_fit_point_size(p))), exponent);
}

/* Blocks of one warp and of more than eight lose a little, complex rows in bulk, in single precision, less.  Of rows that do not
 * fill the device a warp that has many points a thread, as in two stages, loses more, with nothing beside it that computes while
 * it waits: in 33 rows alone, 200 to 9450 points, such geometries took 1.26 to 1.33 times the median of each (single precision on
 * an H100; plans with this rule were not timed). */
static double size_efficiency(const fg_pass *p, const fg_device_info *device, int points, bool bulk) {
  enum { MANY_POINTS = 24 };
  const bool row = p->family == FG_FAMILY_TILE && p->precision == FG_SINGLE && p->in == 1 && p->out == 1;
  if (row && p->threads < 64 && points > MANY_POINTS && fg_pass_blocks(p) <= device->multiprocessors) return 0.7;
  if (p->threads < 64) return bulk && !has_forms(p) && p->precision == FG_SINGLE ? 0.99 : 0.93;
  return p->threads <= 256 ? 1 : p->threads <= 512 ? 0.97 : 0.93;
}

/* How good a choice of lines and threads is: higher is better.  The terms, each between 0 and 1: whole sectors where
 * lines are next to each other, busy threads, enough bytes in flight, few points a thread, blocks enough for the
 * device, and on a multiprocessor. */
static double score(const fg_pass *p, const share *of, const fg_device_info *device) {
  double busy;
  if (p->sums == FG_SUMS_OF_MIRRORS) return score_of_sums(p, of, device);
  if (is_in_parts(p)) return score_of_parts(p, of, device);
  const bool cut = p->four_step || p->strip;
  if (cut && (p->cluster == 1 || !fg_geometry_cluster_suits(p, device))) return -1; /* must: see there */
  /* must: the kernel has one box, which begins with one butterfly (several, measured, lose to a pass more) */
  if (p->cluster > 1 && (p->lines > 1 || p->radix[0] != p->box[0].n || !fg_geometry_may_cluster(p, device))) return -1;
  const int points = points_of(p, of, &busy);
  if (points > fg_fit_most_points(p)) return -1;
  /* must: a thread has a whole row; in columns elements of one row */
  if (p->threads < p->lines && (fg_geometry_short_row(p) || fg_geometry_ordered(p))) return -1;
  const int blocks = residency(p, device, of->shared, points);
  if (blocks < 1) return -1;

  const bool tile_across = fg_geometry_load_across(p) || fg_geometry_store_across(p);
  const bool strided = p->family == FG_FAMILY_BOX ? p->across : tile_across;
  const double sectors = strided ? across_efficiency(p) : 1;
  const double flight = (double)blocks * p->threads * points * fg_fit_point_size(p) / (64 * 1024);
  const double fitting = is_tight(p, device, registers_of(p, points)) ? 0.8 : 1;
  const double overlap = overlap_efficiency(p, blocks);
  const double kept = p->odd_row ? (double)p->data / (double)(2 * p->n) : 1; /* the rest is done twice */
  const bool bulk = is_bulk_of_rows(p);
  const double depth = depth_efficiency(p, points, bulk);
  const double size = size_efficiency(p, device, points, bulk) * (bulk ? block_efficiency(p) : 1);
  return kept * fitting * sectors * busy_efficiency(bulk, busy) * (flight < 1 ? flight : 1) * waves_of(p, device) * depth *
         overlap * size * permuted_efficiency(p);
}

double fg_fit_score(const fg_pass *p, const fg_device_info *device) {
  const share of = share_of(p);
  return score(p, &of, device);
}

static void try_threads(fg_pass *p, share *of, const fg_device_info *device, int threads, fg_pass *best,
                        double *best_score) {
  p->threads = threads;
  if (p->family == FG_FAMILY_BOX && p->from.form == FG_FORM_HERMITIAN) of->shared = fg_geometry_shared(p);
  if (of->shared > device->shared_block) return;
  const double s = score(p, of, device);
  if (s <= *best_score) return;
  *best_score = s;
  *best = *p;
}

/* Threads worth trying: those that deal out one of the stages evenly, and powers of two; each once. */
void fg_fit_lines(fg_pass *p, const fg_device_info *device, int lines, fg_pass *best, double *best_score) {
  enum { WARP = 32, MOST_WARPS = 64 }; /* the latter of a block: no device has as many */
  bool tried[MOST_WARPS + 1] = {false};
  p->lines = lines;
  p->threads = MIN_THREADS;
  share of = share_of(p);
  const int most = device->threads_block < WARP * MOST_WARPS ? device->threads_block : WARP * MOST_WARPS;
  for (int s = 0; s < p->stages; s++)
    for (int repeats = 1; repeats <= 4; repeats++) {
      const int threads = divide_up(divide_up(of.portions[s], repeats), WARP) * WARP;
      if (threads < MIN_THREADS || threads > most || tried[threads / WARP]) continue;
      tried[threads / WARP] = true;
      try_threads(p, &of, device, threads, best, best_score);
    }
  for (int threads = MIN_THREADS; threads <= most; threads *= 2)
    if (!tried[threads / WARP]) try_threads(p, &of, device, threads, best, best_score);
}

/* What the compiler is asked for.  Of many blocks one less than there is room for does no harm, if its share of the
 * quarters would be less than what a thread needs. */
void fg_fit_blocks(fg_pass *p, const fg_device_info *device) {
  enum { MANY = 8 };
  double busy;
  const share of = share_of(p);
  const int points = points_of(p, &of, &busy);
  p->blocks_sm = residency(p, device, of.shared, points);
  if (fg_pass_broken_run(p) > 0 && p->sums != FG_SUMS_OF_MIRRORS) p->blocks_sm = 1; /* sums have more to do than to store */
  if (p->blocks_sm >= MANY && registers_for(p, device, p->blocks_sm) < registers_of(p, points)) p->blocks_sm--;
}

/* The compiler makes do with half of a multiprocessor's registers, if that is a third more than the points have of their own: of 55
 * passes of random problems, one block of which was said to need more than half, 40 spilled nothing and the others 8 to 40 bytes of
 * a thread (ptxas, sm_90).  Boxes side by side, large radices and stores that wait for each other gain nothing, or lose.
 * Not in blocks_by_need, where double precision has the like: by what one block costs cuts were measured. */
static bool pair_suits(const fg_pass *p, const fg_device_info *device) {
  double busy;
  const bool box = p->family == FG_FAMILY_BOX;
  if (p->precision != FG_SINGLE || p->cluster > 1 || p->ahead || (!box && p->family != FG_FAMILY_TILE)) return false;
  if ((box && p->across) || has_large_radix(p) || fg_pass_broken_run(p) > 0) return false;
  const share of = share_of(p);
  if (2 * p->threads > device->threads_sm || fg_fit_room(device, of.shared) < 2) return false;
  const int points = points_of(p, &of, &busy), most = p->parts > points ? p->parts : points;
  return 3 * registers_for(p, device, 2) >= 4 * 2 * most;
}

void fg_geometry_pair_blocks(fg_pass *p, const fg_device_info *device) {
  if (p->blocks_sm == 1 && pair_suits(p, device)) p->blocks_sm = 2;
}

double fg_geometry_score(const fg_pass *p, const fg_device_info *device) {
  if (p->family == FG_FAMILY_R2R_BOX) return fg_geometry_score_r2r_box(p, device);
  return fg_geometry_shared(p) <= device->shared_block ? fg_fit_score(p, device) : 0;
}

bool fg_geometry_fits(const fg_pass *p, const fg_device_info *device) { return fg_geometry_score(p, device) > 0; }
