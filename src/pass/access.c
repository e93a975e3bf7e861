/* access.c: how the stages of a pass reach memory and the tile: along lines or across them, point by point or in pairs
 * of mirrors, and how much the tile has. */
#include <stdlib.h>
#include <string.h>

#include "src/pass/banks.h"
#include "src/pass/fit.h"

/* Spectra that come lie in a box's tile first, but not where a cluster shares it. */
static ptrdiff_t spectrum_points(const fg_pass *p) {
  const int row = p->dims - 1;
  if (p->from.form != FG_FORM_HERMITIAN || p->cluster > 1) return 0;
  return p->n / p->box[row].n * fg_pass_box_elements(p, row, FG_INPUT);
}

static ptrdiff_t box_tile_points(const fg_pass *p) {
  const ptrdiff_t points = fg_banks_box_points(p), spectrum = spectrum_points(p);
  return p->lines * (fg_geometry_singly(p) ? points + spectrum : points > spectrum ? points : spectrum);
}

bool fg_geometry_short_row(const fg_pass *p) {
  const bool bins = fg_form_loads_spectrum(p->from.form), reals = !bins && p->from.form;
  if (p->family != FG_FAMILY_TILE || p->stages != 1 || p->radix[0] != p->n || p->n < 2) return false;
  if (p->pairs || p->half_row || p->filter.kind || p->twiddle || p->load_table.kind || p->store_table.kind) return false;
  if (!fg_pass_is_whole(p, FG_INPUT) || !fg_pass_is_whole(p, FG_OUTPUT)) return false;
  if (fg_form_extends(p->from.form)) return false;
  if (bins) return fg_form_is_real(p->to.form) && !fg_form_stores_spectrum(p->to.form) && !p->from.period;
  return reals && fg_form_length(p->from.form, p->from.row) == p->from.row && fg_form_stores_spectrum(p->to.form) &&
         !p->to.period;
}

/* Odd rows go through the tile only for this, so that it has to pay.  (On an H100, single precision: REDFT11 of 33 to 255 elements
 * 0.95 to 2.35 times as fast so, REDFT01 and HC2R in rows to 147 elements 0.9 to 2, mostly 1.2 and more; longer, and in columns, 0.7
 * to 1.3, and REDFT10 0.66 to 1.2.) */
static bool odd_row_is_ordered(const fg_pass *p) {
  enum { LONGEST = 149 };
  const enum fg_form form = p->from.form;
  if (!fg_pass_is_whole(p, FG_INPUT) || !fg_pass_is_whole(p, FG_OUTPUT) || p->twiddle) return false; /* must: it is all of a row */
  if (form == FG_FORM_REDFT11 || form == FG_FORM_RODFT11) return true;
  const bool across = fg_geometry_load_across(p) || fg_geometry_store_across(p);
  return fg_form_loads_spectrum(form) && !across && p->data <= LONGEST;
}

bool fg_geometry_ordered(const fg_pass *p) {
  if (p->from.form == FG_FORM_REAL || p->from.form == FG_FORM_HERMITIAN || p->data % 2 == 0) return false;
  return fg_geometry_short_row(p) || p->real_radix || (p->odd_row && odd_row_is_ordered(p));
}

/* Rows of reals, or as many of bins, of odd pitches. */
static ptrdiff_t short_row_points(const fg_pass *p) { return p->lines * ((p->n / 2 + 1) | 1); }

ptrdiff_t fg_geometry_tile_points(const fg_pass *p) {
  if (p->family == FG_FAMILY_BOX) return box_tile_points(p);
  if (fg_geometry_short_row(p)) return short_row_points(p);
  if (p->sums == FG_SUMS_OF_MIRRORS) return p->lines * fg_geometry_sums_row(p);
  const bool rows = fg_geometry_rows_through(p, FG_INPUT) || fg_geometry_rows_through(p, FG_OUTPUT);
  return p->stages == 1 && !p->pairs && !rows && !fg_pass_is_rader(p) ? 0 : fg_banks_tile_points(p);
}

bool fg_geometry_may_load_ahead(const fg_pass *p, const fg_device_info *device) {
  const bool rows = p->loops == 1 && p->in == 1 && p->loop[0].in == p->n; /* one behind the other */
  const bool columns = p->loops > 0 && p->loop[0].in == 1 && fg_banks_all_columns(p); /* side by side */
  if (p->family != FG_FAMILY_TILE || p->filter.kind || p->load_table.kind || p->from.form || p->to.form) return false;
  if (p->from.split || p->from.wide || (!rows && !columns)) return false;
  return device->arch >= 90 && p->stages > 1;
}

bool fg_geometry_loads_ahead(const fg_pass *p, const fg_device_info *device) {
  return p->stages <= FG_MOST_STAGES_AHEAD && fg_geometry_may_load_ahead(p, device);
}

bool fg_geometry_in_even(const fg_pass *p) {
  bool even = p->loops > 0 && p->loop[0].in == 1 && p->loop[0].n % 2 == 0 && p->in % 2 == 0 && p->lines % 2 == 0;
  for (int l = 1; l < p->loops; l++) even = even && p->loop[l].in % 2 == 0;
  return even;
}

/* Of a pass that loads ahead, what is in shared memory beside the tile: what lines as they arrive are longer by (rows may
 * begin at the second point), and the barrier (cuda/kernel/ahead.h).  Points. */
static ptrdiff_t points_ahead(const fg_pass *p) {
  const ptrdiff_t tile = fg_geometry_tile_points(p), even = (tile + 1) / 2 * 2, barrier = 2;
  const ptrdiff_t arriving = (p->lines * p->n + 2) / 2 * 2;
  return p->ahead ? (even > arriving ? even : arriving) + barrier - tile : 0;
}

/* Where blocks of a cluster count what arrives (cuda/kernel/box_shape.h). */
static ptrdiff_t points_of_barrier(const fg_pass *p) { return p->cluster > 1; }

size_t fg_geometry_shared(const fg_pass *p) {
  if (p->family == FG_FAMILY_R2R_BOX)
    return (size_t)(p->lines * (p->n / p->box[p->dims - 1].n) * p->pitch) * fg_real_size(p->precision);
  const size_t rows = p->loops > 1 && p->family == FG_FAMILY_TILE ? (size_t)p->lines * (p->pairs ? 2 : 1) : 0;
  const size_t places = rows * 5 * sizeof(long long) * (p->ahead ? 2 : 1);
  const ptrdiff_t points = fg_geometry_tile_points(p) + points_ahead(p) + points_of_barrier(p);
  return (size_t)points * 2 * fg_real_size(p->precision) + places;
}

/* Lines lie closer together than the points of a line. */
static bool across(const fg_pass *p, ptrdiff_t along, long long between) {
  if (p->loops == 0 || p->n == 1) return p->n == 1;
  return llabs(between) < llabs((long long)along);
}

bool fg_geometry_load_across(const fg_pass *p) { return across(p, p->in, p->loops ? p->loop[0].in : 0); }
bool fg_geometry_store_across(const fg_pass *p) { return across(p, p->out, p->loops ? p->loop[p->crossed].out : 0); }

bool fg_geometry_shares(const fg_pass *p) {
  return p->family == FG_FAMILY_BOX && (p->across || p->twiddle || p->four_step || p->strip);
}

/* The line is the whole transform. */
fg_mirror fg_geometry_mirror(const fg_pass *p) {
  const fg_place *from = &p->from;
  if (p->family != FG_FAMILY_TILE || p->odd_row || p->filter.kind || p->load_table.kind) return FG_MIRROR_NONE;
  if (fg_form_loads_spectrum(from->form))
    return !from->period && fg_form_length(from->form, from->row) == (p->half_row ? 2 * p->n : p->n) ? FG_MIRROR_LOAD
                                                                                                     : FG_MIRROR_NONE;
  return p->half_row || (p->pairs && !fg_form_extends(p->to.form)) ? FG_MIRROR_STORE : FG_MIRROR_NONE;
}

/* The elements of a real side of rows of even length lie side by side, each row's first where two of them are aligned. */
static bool rows_are_dense(const fg_pass *p, enum fg_side side) {
  const fg_place *place = side == FG_INPUT ? &p->from : &p->to;
  if (place->split || place->offset % 2) return false;
  for (int l = 0; l < p->loops; l++)
    if ((side == FG_INPUT ? p->loop[l].in : p->loop[l].out) % 2) return false;
  const bool cut_row = p->four_step && p->dims == 2; /* both dimensions are the row's */
  for (int d = 0; d < p->dims - 1 && !cut_row; d++)
    if ((side == FG_INPUT ? p->box[d].is : p->box[d].os) % 2) return false;
  if (p->family == FG_FAMILY_TILE && (side == FG_INPUT ? p->load_step : p->store_step) != 1) return false;
  if (cut_row && side == FG_OUTPUT) return p->box[0].os == 1; /* results are neighbours along the first */
  return (side == FG_INPUT ? p->in : p->out) == 1;
}

/* Rows are loaded as their extensions, two points of three elements; those of a convolution point by point. */
static bool extends(const fg_pass *p) {
  return p->half_row && !p->filter.kind && fg_form_extends(p->from.form) && fg_pass_is_whole(p, FG_INPUT);
}

bool fg_geometry_by_twos(const fg_pass *p, enum fg_side side) {
  if (side == FG_INPUT && extends(p)) return p->load_step == 1 && !p->from.split && p->from.offset % 2 == 0;
  return p->half_row && (side == FG_INPUT ? p->from.form : p->to.form) == FG_FORM_REAL && rows_are_dense(p, side);
}

bool fg_geometry_couples(const fg_pass *p, enum fg_side side) {
  const bool load = side == FG_INPUT;
  const fg_place *place = load ? &p->from : &p->to;
  if (p->family != FG_FAMILY_TILE || p->n != 2 || p->data != 2 || p->precision != FG_SINGLE) return false;
  if (p->filter.kind || p->ahead) return false;
  if (place->form || place->split || place->wide || p->loops != 1) return false;
  if (load ? p->load_table.kind : p->store_table.kind || p->twiddle) return false;
  return load ? p->in == 1 && p->loop[0].in == 2 : p->out == 1 && p->loop[0].out == 2;
}

/* A side of REDFT11 or RODFT11 that is just that. */
static bool is_quarter_wave(const fg_pass *p, const fg_place *place) {
  if (p->filter.kind || p->load_table.kind || p->store_table.kind || p->twiddle) return false;
  return fg_form_quarter_wave(place->form, place->row);
}

static bool in_makhouls_order(const fg_pass *p, enum fg_side side) {
  const enum fg_form form = side == FG_INPUT ? p->from.form : p->to.form;
  if (!p->half_row || p->filter.kind) return false;
  return side == FG_INPUT ? form == FG_FORM_REDFT10 || form == FG_FORM_RODFT10
                          : form == FG_FORM_REDFT01 || form == FG_FORM_RODFT01;
}

bool fg_geometry_folds(const fg_pass *p, enum fg_side side) {
  if (side == FG_INPUT && extends(p)) return true;
  if (!in_makhouls_order(p, side) && !is_quarter_wave(p, side == FG_INPUT ? &p->from : &p->to)) return false;
  return rows_are_dense(p, side) && fg_pass_is_whole(p, side);
}

int fg_geometry_together(const fg_pass *p, int s) {
  const fg_mirror mirror = fg_geometry_mirror(p);
  const bool load = s == 0 && (mirror == FG_MIRROR_LOAD || fg_geometry_folds(p, FG_INPUT));
  const bool store = s == p->stages - 1 && (mirror == FG_MIRROR_STORE || fg_geometry_folds(p, FG_OUTPUT));
  return (load || store) && p->radix[s] < p->n ? 2 : 1;
}

ptrdiff_t fg_geometry_portions(const fg_pass *p, int s) {
  const ptrdiff_t butterflies = fg_pass_part_points(p, s) / p->radix[s];
  return fg_geometry_together(p, s) == 2 ? (butterflies + 1) / 2 : butterflies;
}

/* Neighbouring elements that the threads of a stage reach together fill a sector, or two where they begin anywhere, four
 * where a thread reaches four such runs of a half row, or there is nothing to gain.  Those of REDFT11 and RODFT11 are half
 * of the stage's butterflies from each end, and may be whole sectors. */
static bool fills_sectors(const fg_pass *p, int s, enum fg_side side) {
  const fg_place *const place = side == FG_INPUT ? &p->from : &p->to;
  const bool one = fg_form_is_real(place->form) && !(p->half_row && place->form == FG_FORM_REAL);
  const int folded = in_makhouls_order(p, side) ? 4 : 2;
  const bool folds = fg_geometry_folds(p, side), ends = folds && !p->half_row;
  const int reals = folds ? folded : one ? 1 : 2;
  const ptrdiff_t element = (ptrdiff_t)fg_pass_real_size(p, place) * reals;
  const int together = fg_geometry_together(p, s), least = together > 1 && p->half_row ? 4 : together;
  if (p->n == 1 || fg_geometry_couples(p, side) || (ends && p->n / p->radix[s] * element % (2 * FG_SECTOR) == 0)) return true;
  return fg_geometry_portions(p, s) * element >= FG_SECTOR * least;
}

bool fg_geometry_rows_through(const fg_pass *p, enum fg_side side) {
  const bool load = side == FG_INPUT;
  const fg_place *place = load ? &p->from : &p->to;
  const bool extended = extends(p) && fg_form_extends(p->to.form);
  if (p->odd_row && fg_geometry_ordered(p)) return true;
  const bool reals = p->odd_row && place->form == FG_FORM_REAL, bins = p->odd_row && place->form == FG_FORM_HERMITIAN;
  if (!extended && !reals && !bins) return false;
  if (p->loops != 1 || (load ? p->load_step : p->store_step) != 1 || (load ? p->in : p->out) != 1) return false;
  const ptrdiff_t row = bins ? p->data / 2 + 1 : reals ? p->data : place->row;
  if ((load ? p->loop[0].in : p->loop[0].out) != row) return false;
  if (p->odd_row && (!fg_pass_is_whole(p, side) || p->twiddle)) return false;
  return bins || !fills_sectors(p, load ? 0 : p->stages - 1, side); /* bins of the lower half have gaps between them */
}

/* Put a stage of radix 1 before (at 0) or after the others: points then move in an order of their own. */
static void insert_move(fg_pass *p, int at, bool column) {
  memmove(p->radix + at + 1, p->radix + at, (size_t)(p->stages - at) * sizeof *p->radix);
  memmove(p->column + at + 1, p->column + at, (size_t)(p->stages - at) * sizeof *p->column);
  p->radix[at] = 1;
  p->column[at] = column;
  p->stages++;
}

/* Two butterflies of such a stage are more than a thread can have. */
static bool crowded(const fg_pass *p, int s) {
  const int together = fg_geometry_together(p, s);
  return together > 1 && together * p->radix[s] > fg_fit_most_points(p);
}

/* Orders of the stages: the first follows the load, the last the store; where a stage would touch less than a sector
 * of a line at a time, or a thread have too many points to pair with their mirrors, moves are put around it. */
void fg_geometry_order(fg_pass *p, bool permuted_across) {
  bool load = fg_geometry_load_across(p), store = fg_geometry_store_across(p);
  /* What goes through the tile has an order of its own (cuda/kernel/pairs.h); the stages take the other side's. */
  if (fg_pass_is_rader(p)) { /* both sides are in order in the tile, the stages may run as they like */
    for (int s = 0; s < p->stages; s++) p->column[s] = permuted_across;
    return;
  }
  const bool through = (p->pairs || p->half_row) && p->filter.kind, spectra_in = fg_form_loads_spectrum(p->from.form);
  const bool through_load = through && spectra_in;
  const bool through_store = through && !spectra_in && (p->half_row || !fg_form_extends(p->to.form));
  if (through_load) load = store;
  if (through_store) store = load;
  for (int s = 0; s < p->stages; s++) p->column[s] = s + 1 < p->stages ? load : store;
  /* A line that is one butterfly gets a move on the other side, or needs none. */
  if (p->stages == 1) p->column[0] = load || store;
  if (fg_geometry_short_row(p)) return; /* it goes through the tile in the orders of memory */
  if (p->filter.kind) return; /* its stages run twice, and its lines are long */
  const int last = p->stages - 1;
  const bool rows_in = fg_geometry_rows_through(p, FG_INPUT), rows_out = fg_geometry_rows_through(p, FG_OUTPUT);
  const int real = fg_pass_real_stage(p); /* must: reals are no points */
  const bool sparse_store = last != real && !store && !rows_out && !fills_sectors(p, last, FG_OUTPUT);
  const bool sparse_load = real != 0 && !load && !rows_in && !fills_sectors(p, 0, FG_INPUT);
  const bool move_store = !through_store && (crowded(p, last) || sparse_store);
  const bool move_load = !through_load && (crowded(p, 0) || sparse_load);
  if (move_store) insert_move(p, p->stages, store);
  if (move_load) insert_move(p, 0, load);
}
