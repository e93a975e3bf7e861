/* pass.c: what a pass costs, and how it prints. */
#include "src/pass/pass.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/pass/banks.h"
#include "src/pass/geometry.h"
#include "src/pass/residues.h"
#include "src/problem/notation.h"

/* Measured on the reference H200 (doc/measurements.md); other devices are scaled by their multiprocessors. */
static const double copy_bandwidth_sm = 4.1e12 / 132;
static const double launch_seconds = 2.8e-6;
enum { LONGEST_AHEAD = 160 * 1024 }; /* bytes of a row */
/* Instructions of convolutions for each point: of a stage, and around both transforms with a permutation or a chirp; of sums of
 * products for each of their terms. */
enum { STAGE_OPERATIONS = 12, TWIDDLE_OPERATIONS = 5, PERMUTED_OPERATIONS = 20, CHIRP_OPERATIONS = 26, SUM_OPERATIONS = 6 };

ptrdiff_t fg_pass_lines(const fg_pass *p) {
  ptrdiff_t lines = 1;
  for (int d = 0; d < p->loops; d++) lines *= (ptrdiff_t)p->loop[d].n;
  return lines;
}

ptrdiff_t fg_form_length(enum fg_form form, ptrdiff_t n) {
  if (form == FG_FORM_REDFT00) return 2 * (n - 1);
  if (form == FG_FORM_RODFT00) return 2 * (n + 1);
  if (form == FG_FORM_REDFT00_ODD) return n - 1;
  if (form == FG_FORM_RODFT00_ODD) return n + 1;
  return fg_form_quarter_wave(form, n) ? n / 2 : n;
}

int fg_pass_exchanges(const fg_pass *p) { return (p->filter.kind && !p->sums ? 2 * p->stages : p->stages) - 1; }

bool fg_pass_is_rader(const fg_pass *p) {
  return p->filter.kind == FG_TABLE_RADER || p->filter.kind == FG_TABLE_HARTLEY;
}

bool fg_pass_is_cyclic(const fg_pass *p) { return fg_pass_is_rader(p) && fg_pass_length(p) == p->filter.n - 1; }

ptrdiff_t fg_pass_length(const fg_pass *p) {
  return p->real_radix ? p->n / (p->real_radix / 2 + 1) * p->real_radix : p->n;
}

bool fg_pass_is_whole(const fg_pass *p, enum fg_side side) {
  if ((side == FG_INPUT ? p->load_weight : p->store_weight) != 1) return false;
  for (int l = 0; l < p->loops; l++)
    if (side == FG_INPUT ? p->loop[l].load : p->loop[l].store) return false;
  return true;
}

ptrdiff_t fg_pass_row(const fg_pass *p) { return p->half_row ? 2 * p->data : p->data; }

ptrdiff_t fg_pass_box_elements(const fg_pass *p, int d, enum fg_side side) {
  const fg_place *place = side == FG_INPUT ? &p->from : &p->to;
  if (d < p->dims - 1 || !place->form) return p->box[d].n;
  return place->form == FG_FORM_HERMITIAN ? place->row / 2 + 1 : place->row;
}

int fg_pass_crossing(const fg_pass *p) { return p->cluster > 1 ? 0 : -1; }

int fg_pass_returning(const fg_pass *p) {
  return p->family == FG_FAMILY_BOX && p->cluster > 1 && p->filter.kind ? p->stages - 2 : -1;
}

int fg_pass_real_stage(const fg_pass *p) {
  if (p->real_radix) return 0;
  if (!p->odd_row) return -1;
  return fg_form_loads_spectrum(p->from.form) ? p->stages - 1 : 0;
}

int fg_pass_butterfly(const fg_pass *p, int s) {
  if (s != fg_pass_real_stage(p)) return p->radix[s];
  return p->real_radix ? p->real_radix : 2 * p->radix[s] - 1;
}

static bool in_pairs(const fg_pass *p, int d) {
  const fg_place *side = d == 0 ? &p->to : &p->from;
  return p->cluster > 1 && d < 2 && side->form == FG_FORM_HERMITIAN;
}

ptrdiff_t fg_pass_place_of_index(const fg_pass *p, int d, ptrdiff_t k) {
  const ptrdiff_t n = p->box[d].n;
  if (!in_pairs(p, d)) return k;
  return 2 * k == n ? 1 : 2 * k < n ? 2 * k : 2 * (n - k) + 1;
}

ptrdiff_t fg_pass_index_at_place(const fg_pass *p, int d, ptrdiff_t place) {
  const ptrdiff_t n = p->box[d].n, i = place / 2;
  if (!in_pairs(p, d)) return place;
  return place % 2 == 0 ? i : i ? n - i : n / 2;
}

bool fg_pass_loads_rows(const fg_pass *p) { return p->strip && p->box[2].is != 1; }

static ptrdiff_t share(const fg_pass *p, int d) {
  const ptrdiff_t together = in_pairs(p, d) ? 2 : 1, places = (p->box[d].n + together - 1) / together;
  return (places + p->cluster - 1) / p->cluster * together;
}

double fg_pass_evenness(const fg_pass *p, int d) { return (double)p->box[d].n / (double)(p->cluster * share(p, d)); }

ptrdiff_t fg_pass_part(const fg_pass *p, int s, int d) {
  const int back = fg_pass_returning(p);
  return d == (s <= fg_pass_crossing(p) || (back > 0 && s > back)) ? share(p, d) : p->box[d].n;
}

ptrdiff_t fg_pass_part_points(const fg_pass *p, int s) {
  if (p->cluster == 1) return p->n;
  ptrdiff_t points = 1;
  for (int d = 0; d < p->dims; d++) points *= fg_pass_part(p, s, d);
  return points;
}

ptrdiff_t fg_pass_tile_lines(const fg_pass *p) { return (ptrdiff_t)p->lines * (p->parts ? p->parts : 1); }

/* The parts of a line are rows of the tile, an odd pitch and so many lines apart.  Of two parts neither is without conflicts. */
int fg_pass_spread(const fg_pass *p) { return p->parts > 2 && !p->sums && p->lines % 2 ? 2 : 1; }

bool fg_form_is_real(enum fg_form form) { return form != FG_FORM_COMPLEX && form != FG_FORM_HERMITIAN; }

bool fg_form_loads_spectrum(enum fg_form form) {
  return form == FG_FORM_HERMITIAN || form == FG_FORM_HALFCOMPLEX || form == FG_FORM_REDFT01 || form == FG_FORM_RODFT01;
}

bool fg_form_stores_spectrum(enum fg_form form) {
  return form != FG_FORM_COMPLEX && form != FG_FORM_REAL && form != FG_FORM_REDFT01 && form != FG_FORM_RODFT01;
}

bool fg_form_extends(enum fg_form form) { return form == FG_FORM_REDFT00 || form == FG_FORM_RODFT00; }

bool fg_form_quarter_wave(enum fg_form form, ptrdiff_t n) {
  return (form == FG_FORM_REDFT11 || form == FG_FORM_RODFT11) && n % 2 == 0;
}

bool fg_form_halves(enum fg_form form, ptrdiff_t n) {
  return fg_form_quarter_wave(form, n) || form == FG_FORM_REDFT00_ODD || form == FG_FORM_RODFT00_ODD;
}

ptrdiff_t fg_kind_length(enum fg_r2r_kind kind, ptrdiff_t n) {
  return kind == FG_KIND_REDFT00 ? n - 1 : kind == FG_KIND_RODFT00 ? n + 1 : n;
}

ptrdiff_t fg_pass_sector(const fg_pass *p) { return 32 / (ptrdiff_t)fg_pass_point_size(p, &p->to); }

bool fg_pass_within_loop(const fg_pass *p) {
  return p->padded && p->family == FG_FAMILY_TILE && !p->pairs && !p->parts && !p->ahead && p->lines % fg_pass_sector(p) == 0;
}

static long long stride_of(const fg_loop *loop, enum fg_side side) { return side == FG_INPUT ? loop->in : loop->out; }

/* Lines that follow each other on that side. */
static ptrdiff_t row_on(const fg_pass *p, enum fg_side side) {
  ptrdiff_t row = 1;
  for (int l = 0; l < p->loops && (l == 0 || stride_of(&p->loop[l], side) == row * stride_of(&p->loop[0], side)); l++)
    row *= (ptrdiff_t)p->loop[l].n;
  return row;
}

ptrdiff_t fg_pass_neighbours(const fg_pass *p) {
  const ptrdiff_t in = row_on(p, FG_INPUT), out = row_on(p, FG_OUTPUT);
  return in < out ? in : out;
}

/* Where one side's neighbours count alone: not of convolutions, whose prices were fitted to turns of the innermost loop, nor of few
 * lines, for which more blocks are better than longer runs. */
static bool side_counts(const fg_pass *p) {
  enum { FEW = 512 };
  return !p->filter.kind && !p->load_table.kind && !p->store_table.kind && fg_pass_lines(p) >= FEW;
}

ptrdiff_t fg_pass_run_of_lines(const fg_pass *p, enum fg_side side) {
  if (side_counts(p)) return row_on(p, side);
  return p->loops ? (ptrdiff_t)p->loop[0].n : 1;
}

/* Of a box that alternates with others: its points follow each other, too. */
static bool box_is_dense(const fg_pass *p, enum fg_side side) {
  for (int d = p->dims - 2; d >= 0; d--) {
    const fg_dim *const outer = &p->box[d], *const inner = &p->box[d + 1];
    const ptrdiff_t elements = fg_pass_box_elements(p, d + 1, side);
    if (side == FG_INPUT ? outer->is != inner->is * elements : outer->os != inner->os * elements) return false;
  }
  return true;
}

bool fg_pass_alternates(const fg_pass *p, enum fg_side side) {
  enum { FEW = 40 };
  const ptrdiff_t row = fg_pass_run_of_lines(p, side), along = side == FG_INPUT ? p->in : p->out;
  if (row == 1 || !side_counts(p) || llabs(stride_of(&p->loop[0], side)) != 1) return false;
  if (llabs((long long)along) != row || p->lines % row != 0 || fg_pass_blocks(p) < FEW) return false;
  return p->family == FG_FAMILY_TILE || box_is_dense(p, side);
}

bool fg_pass_splits_columns(const fg_pass *p, enum fg_side side) {
  enum { MANY = 4096 };
  const bool split = side == FG_INPUT ? p->from.split : p->to.split;
  return split && p->family == FG_FAMILY_TILE && !p->pairs && !p->filter.kind && fg_pass_lines(p) >= MANY;
}

double fg_pass_broken_run(const fg_pass *p) {
  enum { CACHED = 48 << 20 }; /* bytes: so much stays in the L2 until all of it is there */
  if (p->family != FG_FAMILY_TILE || p->loops == 0 || p->to.array == p->from.array || fg_pass_within_loop(p)) return 0;
  if (llabs(p->loop[0].out) != 1 || llabs((long long)p->out) <= 1 || p->to.split || p->to.wide) return 0;
  const bool real = fg_form_is_real(p->to.form);
  const ptrdiff_t element = (ptrdiff_t)fg_pass_point_size(p, &p->to) / (real ? 2 : 1);
  const ptrdiff_t each = fg_pass_run_of_lines(p, FG_OUTPUT);
  if (p->lines % each == 0 || fg_pass_bytes(p) < CACHED) return 0; /* whole turns */
  bool whole = p->lines * element % 32 == 0 && each * element % 32 == 0 && p->out * element % 32 == 0;
  /* Of components, which go on in the next loop, too: without, they were priced too low (0.98 in double precision on an H100). */
  for (int l = 1; l < p->loops; l++) whole = whole && p->loop[l].out * element % 32 == 0;
  return whole ? 0 : (double)((p->lines < each ? p->lines : each) * element);
}

double fg_pass_broken_share(double bytes) { return fmin(0.96, 1.2 * bytes / (bytes + 64)); }

ptrdiff_t fg_pass_blocks(const fg_pass *p) {
  const ptrdiff_t rows = p->pairs ? 2 * (ptrdiff_t)p->lines : p->lines;
  if (fg_pass_within_loop(p)) return fg_pass_lines(p) / p->loop[0].n * ((p->loop[0].n + rows - 1) / rows);
  return (fg_pass_lines(p) + rows - 1) / rows * p->cluster;
}

size_t fg_pass_real_size(const fg_pass *p, const fg_place *side) {
  return fg_real_size(side->wide ? FG_DOUBLE : p->precision);
}

size_t fg_pass_point_size(const fg_pass *p, const fg_place *side) { return 2 * fg_pass_real_size(p, side); }

/* Bytes that one side of all lines has.  A spectrum of whole lines has half of their points. */
static double side_bytes(const fg_pass *p, const fg_place *side) {
  const double missing = p->strip_rest ? 1 - (double)p->strip_rest / (double)p->box[2].n : 0; /* of a row of strips' last */
  const double lines = (double)fg_pass_lines(p) * (missing > 0 ? 1 - missing / (double)p->loop[0].n : 1);
  const double points = lines * (double)fg_pass_row(p), real = (double)fg_pass_real_size(p, side);
  if (side->form == FG_FORM_COMPLEX) return 2 * real * points;
  if (side->form == FG_FORM_HERMITIAN) return (side->period ? 2 : 1) * real * points;
  return real * points * (side->period ? 2 : 1) * (double)side->row / (double)fg_form_length(side->form, side->row);
}

double fg_pass_bytes(const fg_pass *p) { return side_bytes(p, &p->from) + side_bytes(p, &p->to); }

/* The share of the copy bandwidth that an access in runs of so many bytes reaches. */
static double run_efficiency(double bytes) {
  if (bytes >= 128) return 1;
  if (bytes >= 64) return 0.9;
  if (bytes >= 32) return 0.65;
  return 0.65 * bytes / 32;
}

/* Runs of strips begin with sectors of 32 bytes on that side. */
static bool strips_are_aligned(const fg_pass *p, enum fg_side side, ptrdiff_t element) {
  const bool in = side == FG_INPUT, rows = in && fg_pass_loads_rows(p);
  bool aligned = true;
  for (int d = 0; d < 2; d++) aligned = aligned && (rows || (in ? p->box[d].is : p->box[d].os) * element % 32 == 0);
  for (int l = 0; l < p->loops; l++) aligned = aligned && (in ? p->loop[l].in : p->loop[l].out) * element % 32 == 0;
  return aligned;
}

/* Runs that begin within sectors take one more: half of them where only loads do, but for columns of one dimension, of which strips
 * lose more (2·10⁶ on an H100, strip.c).  (c2r of 270³ to 480³ there, with rows in scratch as they are, and padded.) */
static double strip_sector_share(const fg_pass *p, ptrdiff_t element) {
  const double run = (double)(p->box[2].n * element);
  const bool in = strips_are_aligned(p, FG_INPUT, element), out = strips_are_aligned(p, FG_OUTPUT, element);
  if (in && out) return 1;
  return out && !p->four_step ? 2 * run / (2 * run + 32) : run / (run + 32);
}

double fg_pass_sector_share(const fg_pass *p) {
  const ptrdiff_t element = 2 * (ptrdiff_t)fg_real_size(p->precision), run = p->lines * element;
  if (p->strip) return strip_sector_share(p, element);
  if (!p->across || (run % 32 == 0 && fg_pass_neighbours(p) * element % 32 == 0)) return 1;
  if (fg_pass_alternates(p, FG_INPUT) && fg_pass_alternates(p, FG_OUTPUT)) return 1;
  return (double)run / (double)(run + 32);
}

/* Contiguous bytes that a block's access on one side covers. */
static double run_bytes(const fg_pass *p, enum fg_side side) {
  const fg_place *const place = side == FG_INPUT ? &p->from : &p->to;
  const ptrdiff_t along = side == FG_INPUT ? p->in : p->out;
  const bool real_box = p->family == FG_FAMILY_R2R_BOX;
  const bool reals = (p->half_row || p->odd_row || real_box) && fg_form_is_real(place->form);
  const double element = (double)fg_pass_point_size(p, place) / (reals ? 2 : 1);
  if (p->four_step && p->dims == 2 && side == FG_OUTPUT) return 32; /* or more, which gained nothing */
  if (p->strip) {
    const bool rows = side == FG_INPUT && fg_pass_loads_rows(p);
    return (double)(rows ? fg_pass_part(p, 0, 1) : p->box[2].n) * element;
  }
  if (p->crossed) return (double)fg_pass_crossed_run(p, side) * element;
  if (llabs((long long)along) == 1) { /* rows that follow each other are one run */
    const bool dense = p->loops && llabs(stride_of(&p->loop[0], side)) == fg_pass_row(p);
    const ptrdiff_t follow = row_on(p, side);
    return (double)fg_pass_row(p) * element * (double)(!dense ? 1 : p->lines < follow ? p->lines : follow);
  }
  if (!p->loops || llabs(stride_of(&p->loop[0], side)) != 1) return element;
  const ptrdiff_t row = fg_pass_run_of_lines(p, side);
  const ptrdiff_t together = fg_pass_alternates(p, side) ? row * fg_pass_row(p) : p->lines < row ? p->lines : row;
  const double bytes = (double)together * element, halves = bytes / 2; /* of split arrays: less than a sector in each */
  return fg_pass_splits_columns(p, side) && halves < 32 ? halves : bytes;
}

/* One block alone on a multiprocessor cannot load while it computes; those of a cluster wait for each other, too, and the
 * longest rows have few threads.  (Rows of 24576 to 27000 points on an H200: 0.48 to 0.57.) */
static double overlap_efficiency(const fg_pass *p) {
  const bool long_row = p->family == FG_FAMILY_TILE && p->lines == 1 && !p->ahead && !p->filter.kind && !p->from.form &&
                        !p->to.form && p->precision == FG_SINGLE &&
                        p->n * 2 * (ptrdiff_t)fg_real_size(p->precision) > LONGEST_AHEAD;
  const double alone = p->cluster > 1 ? 0.5 : long_row ? 0.55 : 0.7;
  return p->blocks_sm >= 3 ? 1 : p->blocks_sm == 2 ? 0.92 : alone;
}

/* What the blocks of a cluster wait for each other, and what the last of them have less to do than the others.
 * (24³ and 32³ on an H200: doc/measurements.md.) */
double fg_pass_cluster_efficiency(const fg_pass *p) {
  double even = 1;
  for (int d = 0; d < 2 && p->cluster > 1; d++) even = fmin(even, fg_pass_evenness(p, d));
  return p->cluster > 1 ? even * pow(p->four_step ? 0.98 : 0.95, log2(p->cluster)) : 1;
}

/* Whose factors the stage's butterflies take. */
static int stage_length(const fg_pass *p, int s) {
  if (p->family == FG_FAMILY_R2R_BOX) return (int)fg_kind_length(p->kind[p->axis[s]], p->radix[s]);
  return s == 0 && p->real_radix ? p->real_radix / 2 : fg_pass_butterfly(p, s); /* half: two of real points */
}

/* Instructions for each point of the tile, or element of a box of reals, in one transform: the butterflies (a prime factor
 * q takes about q + 1, 2 takes two), and for each stage its twiddles and its accesses. */
static double transform_operations(const fg_pass *p) {
  double operations = 0;
  for (int s = 0; s < p->stages; s++) {
    int rest = stage_length(p, s);
    for (int q = 2; rest > 1; q++)
      for (; rest % q == 0; rest /= q) operations += q == 2 ? 2 : q + 1;
    operations += STAGE_OPERATIONS;
  }
  if (p->family == FG_FAMILY_R2R_BOX) operations /= 2;
  if (fg_pass_is_rader(p)) /* all but one of the groups of stages have no twiddles at first */
    operations -= TWIDDLE_OPERATIONS * (fg_pass_groups(p).count - 1);
  return operations;
}

/* Instructions that a multiprocessor finishes in a second.  In double precision by generation (CUDA C++ Programming
 * Guide, throughput of arithmetic instructions). */
static double sm_operations(const fg_pass *p, const fg_device_info *device) {
  const double clock = 1.6e9;
  if (p->precision == FG_SINGLE) return 128 * clock;
  switch (device->arch) {
    case 90:
    case 100: return 64 * clock;
    case 60:
    case 70:
    case 80: return 32 * clock;
    default: return 2 * clock;
  }
}

/* Seconds of the arithmetic of a transform, which matters where the device does little in double precision. */
static double transform_seconds(const fg_pass *p, const fg_device_info *device) {
  if (p->precision == FG_SINGLE) return 0;
  const double points = (double)(fg_pass_blocks(p) / p->cluster) * (double)fg_pass_tile_lines(p) * (double)p->n;
  return points * transform_operations(p) / (sm_operations(p, device) * device->multiprocessors);
}

/* The same of sums of products of lines (cuda/kernel/sums.h), which wait for their factors more than they compute. */
static double sum_operations(const fg_pass *p) { return SUM_OPERATIONS * (double)p->filter.n; }

/* A convolution in a tile: seconds of what it computes and exchanges, which its memory traffic hides behind.  Accesses
 * without conflicts are hidden in turn; what conflicts cost, and a prime's permutations, is not.  (Fitted to 67 to 8191
 * points on an H200, within a fifth or so.) */
static double convolution_seconds(const fg_pass *p, const fg_device_info *device) {
  const double sm_bytes = 128 * 1.7e9; /* a second on a multiprocessor */
  const bool rader = fg_pass_is_rader(p);
  const double around = rader ? PERMUTED_OPERATIONS : CHIRP_OPERATIONS;
  const double blocks = fmax(1, (double)fg_pass_blocks(p) / device->multiprocessors);
  const double points = blocks * (double)fg_pass_tile_lines(p) * (double)p->n;
  if (p->sums == FG_SUMS_OF_MIRRORS)
    return blocks * fg_geometry_sums_operations(p) / sm_operations(p, device);
  if (p->sums) return points * sum_operations(p) / sm_operations(p, device);
  const double compute = points * (2 * transform_operations(p) + around) / sm_operations(p, device);
  const double exchanges = 2 * (p->stages - 1) + (rader ? 2 : 0) + (p->parts ? 1 : 0);
  const double wasted = 2 * exchanges * (fg_banks_conflicts(p) - 1) + (rader ? 2 : 0);
  return compute + points * wasted * 4 * (double)fg_real_size(p->precision) / sm_bytes;
}

/* A convolution in a cluster: seconds of what it computes, of whose speed the exchanges and tables leave a part.  (In bulk fitted
 * to 12893, 32749, 65521, 100003 and 131071 points on an H200, within a sixth; 50021 cut by 60, and cut by 14, which like 40009
 * took up to a third longer; few rows of five lengths to 65521 so that they stand beside three passes, which take longer than they
 * are priced, too.) */
static double cut_chirp_seconds(const fg_pass *p, const fg_device_info *device) {
  const double blocks = p->blocks_sm >= 3 ? 1 : p->blocks_sm == 2 ? 0.92 : 0.7;
  const double full = fg_pass_blocks(p) < device->multiprocessors ? 0.85 : 0.72, large = p->box[0].n > 48 ? 0.6 : 1;
  const double efficiency = full * large * blocks * fg_pass_cluster_efficiency(p);
  const double operations = (double)fg_pass_lines(p) * (double)p->n * (transform_operations(p) + CHIRP_OPERATIONS);
  return operations / (sm_operations(p, device) * device->multiprocessors * efficiency);
}

/* What strips leave of it.  (Of 30 on an H100, in copies: 1.02 to 1.24, of a megabyte 1.34 to 1.47; beside what is done
 * otherwise, which takes a tenth or two longer than it is priced, as planes do.) */
static double strip_efficiency(const fg_pass *p) {
  const ptrdiff_t bytes = p->n * 2 * (ptrdiff_t)fg_real_size(p->precision);
  return 0.93 * (p->twiddle ? 0.96 : 1) * (bytes > 768 * 1024 ? 0.8 : 1);
}

/* What a dimension that is cut in two leaves of a cluster's speed.  (Fitted to 31 rows of 16384 to 131072 points and 21
 * planes of 80² to 256² on an H200, within a sixth: doc/measurements.md.) */
static double cut_efficiency(const fg_pass *p) {
  const ptrdiff_t point = 2 * (ptrdiff_t)fg_real_size(p->precision), bytes = p->n * point;
  const bool row = p->dims == 2;
  ptrdiff_t rest = p->n;
  if (p->strip) return strip_efficiency(p);
  if (!p->four_step) return 1;
  while (rest % 2 == 0) rest /= 2;
  while (rest % 3 == 0) rest /= 3;
  double efficiency = row ? 0.97 : 0.93;
  if (rest > 1) efficiency *= row ? 0.92 : 0.87;
  if (row && p->box[0].n > 32) efficiency *= 0.85; /* large radix: few threads */
  if (!row && p->box[2].n * point % 128) efficiency *= 0.82;
  if (row && bytes > 512 * 1024) efficiency *= 0.93;
  if (!row && bytes >= 256 * 1024) efficiency *= bytes > 512 * 1024 ? 0.7 : 0.87;
  return efficiency;
}

/* And half spectra, each of whose elements is loaded twice, or made of two of the tile.  (Of 46 planes, 22 boxes and four
 * rows, r2c and c2r, on an H200: beside what is done otherwise, which takes a tenth or two longer than it is priced, as
 * planes do.) */
static double spectra_efficiency(const fg_pass *p) {
  if (p->cluster == 1 || !p->half_row) return 1;
  if (!p->four_step) return p->box[0].n > 48 ? 0.48 : 0.6;
  return p->dims == 2 ? 0.75 : 1;
}

/* Of columns of half a spectrum that begin within sectors where they are loaded, though not where they are stored: with it
 * 480² is priced above planes in clusters, which on an H100 take 171 us for 207. */
static double padded_efficiency(const fg_pass *p) { return fg_pass_within_loop(p) && !p->twiddle ? 0.9 : 1; }

/* Of the bandwidth, what the blocks that are asked for and the sectors that they store reach. */
static double flow_efficiency(const fg_pass *p) {
  const double broken = fg_pass_broken_run(p);
  if (broken > 0) return 0.92 * fg_pass_broken_share(broken);
  return overlap_efficiency(p) * fg_pass_sector_share(p) * padded_efficiency(p);
}

double fg_pass_cost(const fg_pass *p, const fg_device_info *device) {
  const double in = run_efficiency(run_bytes(p, FG_INPUT));
  const double out = run_efficiency(run_bytes(p, FG_OUTPUT));
  const double fill = (double)fg_pass_blocks(p) / device->multiprocessors;
  const double few = fill < 1 ? fill * (p->cluster > 1 ? 0.75 : 1) : 1; /* whose latency is not hidden */
  const double blocks = flow_efficiency(p) * fg_pass_cluster_efficiency(p) * cut_efficiency(p);
  const double share = few * blocks * spectra_efficiency(p);
  const double bandwidth = copy_bandwidth_sm * device->multiprocessors * share * (p->crossed ? FG_CROSSED : 1);
  const double memory = (side_bytes(p, &p->from) / in + side_bytes(p, &p->to) / out) / bandwidth;
  if (p->family == FG_FAMILY_BOX && p->filter.kind)
    return launch_seconds + fmax(memory, cut_chirp_seconds(p, device) / few);
  if (!p->filter.kind) return launch_seconds + fmax(memory, transform_seconds(p, device));
  const double overlap = p->sums == FG_SUMS_OF_MIRRORS ? 1 : overlap_efficiency(p);
  return launch_seconds + fmax(memory, convolution_seconds(p, device) / overlap);
}

double fg_pass_price(const fg_pass *p, const fg_device_info *device) {
  return p->price > 0 ? p->price : fg_pass_cost(p, device);
}

double fg_pass_least_cost(const fg_pass *p, const fg_device_info *device) {
  const double rounding = 1 - 1e-9; /* sums in another order may be less in the last bits */
  return rounding * (launch_seconds + fg_pass_bytes(p) / (copy_bandwidth_sm * device->multiprocessors));
}

static int print_radices(const fg_pass *p, char *text, size_t size) {
  int at = 0;
  for (int s = 0; s < p->stages; s++)
    if (p->radix[s] > 1)
      at += snprintf(text + at, size - (size_t)at, "%s%d%s", at ? "." : " = ", fg_pass_butterfly(p, s),
                     s == fg_pass_real_stage(p) ? "/2" : "");
  return at;
}

/* Whole numbers: the program's locale may have another decimal point. */
static void print_bytes(const fg_pass *p, char text[32]) {
  const double bytes = fg_pass_bytes(p);
  if (bytes < 1e5) snprintf(text, 32, "%.0f bytes", bytes);
  else if (bytes < 1e7) snprintf(text, 32, "%.0f kB", bytes / 1e3);
  else snprintf(text, 32, "%.0f MB", bytes / 1e6);
}

static int print_box(const fg_pass *p, char *text, size_t size) {
  static const char names[] = "zyx";
  char bytes[32];
  print_bytes(p, bytes);
  char sizes[64] = "", stages[96] = "";
  int at = 0;
  for (int d = 0; d < p->dims; d++) {
    at += snprintf(sizes + at, sizeof sizes - (size_t)at,
                   d == 1 && p->four_step ? "·%td" : d == 2 && p->strip ? "|%td" : d ? "x%td" : "%td",
                   d == p->dims - 1 && p->half_row ? 2 * p->box[d].n : p->box[d].n);
    if (p->family == FG_FAMILY_R2R_BOX)
      at += snprintf(sizes + at, sizeof sizes - (size_t)at, "%s", fg_notation_kinds[p->kind[d]]);
  }
  at = 0;
  for (int s = 0; s < p->stages; s++)
    at += snprintf(stages + at, sizeof stages - (size_t)at, s ? " %c%d" : "%c%d",
                   names[FG_MAX_BOX - p->dims + p->axis[s]], p->radix[s]);
  char twiddle[40] = "";
  if (p->twiddle) snprintf(twiddle, sizeof twiddle, ", twiddle %td", p->twiddle);
  char cluster[40] = "";
  if (p->cluster > 1) snprintf(cluster, sizeof cluster, " in clusters of %d", p->cluster);
  const char *const does = p->filter.kind ? "convolve" : p->family == FG_FAMILY_R2R_BOX ? "r2r" : "box";
  return snprintf(text, size, "(%s %s%s = %s, %td × %d boxes%s%s, %d threads%s, %s)", does, sizes, p->half_row ? "/2" : "",
                  stages, fg_pass_blocks(p) / p->cluster, p->lines, p->across ? " across" : "", cluster, p->threads,
                  twiddle, bytes);
}

int fg_pass_print(const fg_pass *p, char *text, size_t size) {
  if (p->family != FG_FAMILY_TILE) return print_box(p, text, size);
  char radices[64] = "", bytes[32];
  print_bytes(p, bytes);
  if (p->stages > 1 && !p->sums) print_radices(p, radices, sizeof radices);
  const bool load = p->column[0], store = p->column[p->stages - 1];
  char twiddle[40] = "";
  if (p->twiddle) snprintf(twiddle, sizeof twiddle, ", twiddle %td", p->twiddle);
  const bool padded = p->filter.kind && !fg_pass_is_rader(p);
  char half[32] = "";
  if (p->half_row && padded) snprintf(half, sizeof half, " of %td/2", fg_pass_row(p));
  return snprintf(text, size, "(%s %td%s%s, %td × %d lines, %d threads%s, %s→%s%s%s%s, %s)",
                  p->sums ? "sums" : fg_pass_is_rader(p) ? "rader" : p->filter.kind ? "convolve" : "tile",
                  padded ? p->n : fg_pass_row(p), p->half_row && !padded ? "/2" : half, radices, fg_pass_blocks(p), p->lines,
                  p->threads, p->ahead ? ", loaded ahead" : "", load ? "column" : "row", store ? "column" : "row", twiddle,
                  p->load_table.kind ? ", factors in" : "", p->store_table.kind ? ", factors out" : "", bytes);
}
