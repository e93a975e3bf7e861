/* kernel.c: from a pass to its kernel. */
#include "src/pass/kernel.h"

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "src/pass/banks.h"
#include "src/pass/geometry.h"
#include "src/pass/residues.h"

typedef struct {
  char *text;
  size_t at;
} defines;

static void define(defines *d, const char *name, long long value) {
  d->at += (size_t)snprintf(d->text + d->at, FG_DEFINES_SIZE - d->at, "#define %s %lld\n", name, value);
}

static void define_list(defines *d, const char *name, const int *values, int count) {
  d->at += (size_t)snprintf(d->text + d->at, FG_DEFINES_SIZE - d->at, "#define %s ", name);
  for (int i = 0; i < count; i++)
    d->at += (size_t)snprintf(d->text + d->at, FG_DEFINES_SIZE - d->at, i ? ",%d" : "%d", values[i]);
  d->at += (size_t)snprintf(d->text + d->at, FG_DEFINES_SIZE - d->at, "\n");
}

/* A table of all factors has 8 KB at most, in single precision. */
static bool twiddle_is_short(ptrdiff_t n) { return n <= 1024; }

/* High and low parts of the exponent get half of its bits each; of short tables the low part has none. */
static int twiddle_shift(ptrdiff_t n) {
  int bits = 0;
  if (twiddle_is_short(n)) return 0;
  while (((ptrdiff_t)1 << bits) < n) bits++;
  return (bits + 1) / 2;
}

/* What all families have. */
static void define_common(defines *d, const fg_pass *p) {
  d->at += (size_t)snprintf(d->text, FG_DEFINES_SIZE, "#define FG_REAL %s\n",
                            p->precision == FG_SINGLE ? "float" : "double");
  define(d, "FG_THREADS", p->threads);
  define(d, "FG_BLOCKS_SM", p->blocks_sm);
  define(d, "FG_STAGES", p->stages);
  define_list(d, "FG_RADICES", p->radix, p->stages);
  define(d, "FG_BACKWARD", p->sign == FG_BACKWARD);
  define(d, "FG_IN_SPLIT", p->from.split);
  define(d, "FG_OUT_SPLIT", p->to.split);
  define(d, "FG_IN_WIDE", p->from.wide);
  define(d, "FG_OUT_WIDE", p->to.wide);
  define(d, "FG_IN_UNIT", p->in == 1);
  define(d, "FG_OUT_UNIT", p->out == 1);
  define(d, "FG_TWIDDLE", p->twiddle != 0);
  define(d, "FG_TWIDDLE_BACK", p->twiddle_back);
  define(d, "FG_TWIDDLE_SHORT", p->twiddle && twiddle_is_short(p->twiddle));
  define(d, "FG_CONVOLVE", p->filter.kind != FG_TABLE_NONE);
  define(d, "FG_FILTER_ROWS", p->filter.rows > 0);
  define(d, "FG_LOAD_TABLE", p->load_table.kind != FG_TABLE_NONE);
  define(d, "FG_STORE_TABLE", p->store_table.kind != FG_TABLE_NONE);
  define(d, "FG_FROM_FORM", p->from.form);
  define(d, "FG_TO_FORM", p->to.form);
  define(d, "FG_HALF_ROW", p->half_row);
  define(d, "FG_IN_TWOS", fg_geometry_by_twos(p, FG_INPUT));
  define(d, "FG_OUT_TWOS", fg_geometry_by_twos(p, FG_OUTPUT));
  define(d, "FG_LOOPS", p->loops);
  define(d, "FG_MANY_LINES", fg_pass_lines(p) > INT_MAX - 2 * p->lines);
}

/* A side of rows that go through the tile as they are, whose elements are just numbers, or bins (cuda/kernel/rows.h). */
static bool is_plain(const fg_pass *p, const fg_place *side) {
  if (fg_geometry_ordered(p) && side->form != FG_FORM_REAL) return false;
  if (p->odd_row) return fg_geometry_rows_through(p, side == &p->from ? FG_INPUT : FG_OUTPUT);
  return (fg_geometry_short_row(p) || p->real_radix) && (side->form == FG_FORM_REAL || side->form == FG_FORM_HERMITIAN);
}

static ptrdiff_t elements_of_row(const fg_pass *p, const fg_place *side) {
  return is_plain(p, side) && side->form == FG_FORM_HERMITIAN ? p->data / 2 + 1 : fg_pass_row(p);
}

static void define_tile(defines *d, const fg_pass *p) {
  int columns[FG_MAX_STAGES];
  for (int s = 0; s < p->stages; s++) columns[s] = p->column[s];
  define(d, "FG_N", p->n);
  const bool in_twos = fg_geometry_by_twos(p, FG_INPUT), out_twos = fg_geometry_by_twos(p, FG_OUTPUT);
  const bool in = p->loops == 1 && p->in == 1 && p->loop[0].in == elements_of_row(p, &p->from);
  const bool out = p->loops == 1 && p->out == 1 && p->loop[0].out == elements_of_row(p, &p->to);
  const bool twos = in_twos && !fg_form_extends(p->from.form);
  const bool in_form = p->from.form && !twos && !is_plain(p, &p->from);
  const bool out_form = p->to.form && !out_twos && !is_plain(p, &p->to);
  define(d, "FG_IN_DENSE", in && !p->load_table.kind && !in_form);
  define(d, "FG_OUT_DENSE", out && !p->store_table.kind && !p->twiddle && !out_form);
  define(d, "FG_ODD_ROW", p->odd_row ? fg_form_loads_spectrum(p->from.form) ? 2 : 1 : 0);
  define(d, "FG_IN_ROWS", fg_geometry_rows_through(p, FG_INPUT));
  define(d, "FG_OUT_ROWS", fg_geometry_rows_through(p, FG_OUTPUT));
  define(d, "FG_FOLD", fg_geometry_folds(p, FG_INPUT) + 2 * fg_geometry_folds(p, FG_OUTPUT));
  define(d, "FG_COUPLES", fg_geometry_couples(p, FG_INPUT) + 2 * fg_geometry_couples(p, FG_OUTPUT));
  define(d, "FG_SHORT_ROW", fg_geometry_short_row(p));
  define(d, "FG_ORDERED", fg_geometry_ordered(p));
  define(d, "FG_LINES", fg_pass_tile_lines(p));
  define(d, "FG_PARTS", p->parts ? p->parts : 1);
  define(d, "FG_SPREAD", fg_pass_spread(p));
  define(d, "FG_PAD", p->pad);
  define(d, "FG_AHEAD", p->ahead > 0);
  define(d, "FG_WITHIN_LOOP", fg_pass_within_loop(p));
  define(d, "FG_IN_EVEN", p->ahead && fg_geometry_in_even(p)); /* others have one text for both */
  define(d, "FG_TILE_POINTS", fg_geometry_tile_points(p));
  define(d, "FG_RADER", fg_pass_is_rader(p));
  define(d, "FG_SUMS", p->sums);
  if (p->sums == FG_SUMS_OF_MIRRORS) define(d, "FG_SUMS_FACTORS", fg_geometry_sums_factors(p));
  define(d, "FG_REAL_RADIX", p->real_radix);
  define(d, "FG_DATA", p->data);
  const bool chirp = p->filter.kind == FG_TABLE_FILTER && !p->filter.rows;
  define(d, "FG_LOADED", chirp ? p->load_limit : p->data);
  define(d, "FG_STORED", chirp ? p->store_limit : p->data);
  define(d, "FG_FROM_ROW", p->from.row);
  define(d, "FG_TO_ROW", p->to.row);
  define(d, "FG_TO_PERIOD", p->to.period > 0 ? p->to.period : 1);
  define(d, "FG_LOAD_WHOLE", fg_pass_is_whole(p, FG_INPUT));
  define(d, "FG_STORE_WHOLE", fg_pass_is_whole(p, FG_OUTPUT));
  define(d, "FG_LOAD_DENSE", p->load_step == 1);
  define(d, "FG_STORE_DENSE", p->store_step == 1);
  define(d, "FG_PAIRS", p->pairs);
  define(d, "FG_MIRROR", fg_geometry_mirror(p));
  define(d, "FG_LOAD_COLUMN", fg_geometry_load_across(p));
  define(d, "FG_STORE_COLUMN", fg_geometry_store_across(p));
  define_list(d, "FG_COLUMNS", columns, p->stages);
  define_list(d, "FG_SKEWS", p->skew, fg_pass_exchanges(p) + 1);
}

/* Pitch of a box's rows on that side where it is to be a constant of the kernel: a multiple of the row or, of real data, of
 * the padded row in place, and planes as many rows apart as there are; else 0.  (The digits of a split dimension have
 * multiples; any pitch would make a kernel of each.) */
static ptrdiff_t row_pitch(const fg_pass *p, enum fg_side side) {
  const fg_place *place = side == FG_INPUT ? &p->from : &p->to;
  const ptrdiff_t row = fg_pass_box_elements(p, p->dims - 1, side);
  const ptrdiff_t pitch = side == FG_INPUT ? p->box[p->dims - 2].is : p->box[p->dims - 2].os;
  const bool in_place = fg_form_is_real(place->form) && pitch % (2 * (row / 2 + 1)) == 0;
  if (p->across || (side == FG_INPUT ? p->in : p->out) != 1 || (pitch % row && !in_place)) return 0;
  for (int d = p->dims - 3; d >= 0; d--)
    if ((side == FG_INPUT ? p->box[d].is : p->box[d].os) !=
        p->box[d + 1].n * (side == FG_INPUT ? p->box[d + 1].is : p->box[d + 1].os))
      return 0;
  return pitch;
}

/* Spectra lie one behind the other, box after box, without a gap. */
static bool boxes_are_dense(const fg_pass *p, enum fg_side side) {
  if ((side == FG_INPUT ? p->from.form : p->to.form) != FG_FORM_HERMITIAN) return false;
  if (p->loops > 1 || row_pitch(p, side) != fg_pass_box_elements(p, p->dims - 1, side)) return false;
  if (p->loops == 0) return true;
  if (side == FG_INPUT) return p->loop[0].in == p->box[0].n * p->box[0].is;
  return p->loop[0].out == p->box[0].n * p->box[0].os;
}

static void define_box(defines *d, const fg_pass *p) {
  int sizes[FG_MAX_BOX];
  for (int i = 0; i < p->dims; i++) sizes[i] = (int)p->box[i].n;
  define(d, "FG_DIMS", p->dims);
  define_list(d, "FG_SIZES", sizes, p->dims);
  define(d, "FG_TOTAL", p->n);
  define(d, "FG_BOXES", p->lines);
  define(d, "FG_ACROSS", p->across);
  define(d, "FG_CLUSTER", p->cluster);
  define(d, "FG_FOUR_STEP", p->four_step);
  define(d, "FG_STRIP", p->strip);
  define(d, "FG_STRIP_REST", p->strip_rest);
  define(d, "FG_LOAD_ROWS", fg_pass_loads_rows(p));
  define(d, "FG_TWIDDLE_ROW", p->twiddle_row);
  define(d, "FG_LOADED", p->load_limit);
  define(d, "FG_STORED", p->store_limit);
  define(d, "FG_SINGLY", fg_geometry_singly(p));
  define(d, "FG_PITCH", p->pitch);
  define(d, "FG_BOX_POINTS", fg_banks_box_points(p));
  define(d, "FG_IN_PITCH", row_pitch(p, FG_INPUT));
  define(d, "FG_OUT_PITCH", row_pitch(p, FG_OUTPUT));
  define(d, "FG_IN_DENSE", boxes_are_dense(p, FG_INPUT));
  define(d, "FG_OUT_DENSE", boxes_are_dense(p, FG_OUTPUT) && !p->twiddle);
  define_list(d, "FG_AXES", p->axis, p->stages);
  define_list(d, "FG_SKEWS", p->skew, p->stages);
}

static void define_r2r_box(defines *d, const fg_pass *p) {
  int sizes[FG_MAX_BOX], kinds[FG_MAX_BOX];
  ptrdiff_t dense = 1;
  bool out = true;
  for (int i = p->dims - 1; i >= 0; i--) {
    sizes[i] = (int)p->box[i].n;
    kinds[i] = (int)p->kind[i];
    out = out && p->box[i].os == dense;
    dense *= p->box[i].n;
  }
  define(d, "FG_DIMS", p->dims);
  define_list(d, "FG_SIZES", sizes, p->dims);
  define_list(d, "FG_KINDS", kinds, p->dims);
  define_list(d, "FG_AXES", p->axis, p->stages);
  define(d, "FG_TOTAL", p->n);
  define(d, "FG_BOXES", p->lines);
  define(d, "FG_PITCH", p->pitch);
  define(d, "FG_OUT_DENSE", out && (p->loops == 0 || (p->loops == 1 && p->loop[0].out == dense)));
}

fg_kernel_request fg_kernel_request_of(const fg_pass *p, char *text) {
  defines d = {text, 0};
  define_common(&d, p);
  if (p->family == FG_FAMILY_BOX) {
    define_box(&d, p);
    return (fg_kernel_request){"box.cu", text, "fg_box", fg_geometry_shared(p)};
  }
  if (p->family == FG_FAMILY_R2R_BOX) {
    define_r2r_box(&d, p);
    return (fg_kernel_request){"r2r_box.cu", text, "fg_r2r_box", fg_geometry_shared(p)};
  }
  define_tile(&d, p);
  return (fg_kernel_request){"tile.cu", text, "fg_tile", fg_geometry_shared(p)};
}

static fg_table stages_table(const fg_pass *p) {
  fg_table t = {.kind = FG_TABLE_STAGES, .precision = p->precision, .n = p->odd_row ? p->data : p->n};
  t.mirrored = p->filter.kind != FG_TABLE_NONE;
  t.coprime = fg_pass_is_cyclic(p);
  t.real = p->real_radix != 0;
  for (int s = 0; s < p->stages; s++)
    if (p->radix[s] > 1) t.radix[t.stages++] = fg_pass_butterfly(p, s);
  const bool turned = !t.coprime || fg_coprime_groups_of(t.radix, t.stages).count < t.stages;
  if (t.stages < 2 || !turned) t.kind = FG_TABLE_NONE;
  return t;
}

/* The stages along dimension d of a box alone; of a convolution those forwards, of which those backwards are the mirror. */
static fg_table box_table(const fg_pass *p, int d) {
  fg_pass along = {.precision = p->precision, .n = p->box[d].n, .filter = p->filter};
  for (int s = 0; s < (p->filter.kind ? p->stages / 2 : p->stages); s++)
    if (p->axis[s] == d) along.radix[along.stages++] = p->radix[s];
  return stages_table(&along);
}

/* Those between the two parts of a dimension: entry k − 1, j of rows of n₂ is exp(−2πi·j·k/n), as between two stages. */
static fg_table four_step_table(const fg_pass *p) {
  const int first = (int)p->box[0].n, second = (int)p->box[1].n;
  const fg_pass stages = {.precision = p->precision, .n = p->box[0].n * p->box[1].n, .stages = 2, .radix = {second, first}};
  return stages_table(&stages);
}

static fg_table twiddle_table(const fg_pass *p, enum fg_table_kind kind) {
  if (p->twiddle == 0) return (fg_table){0};
  return (fg_table){.kind = kind, .precision = p->precision, .n = p->twiddle, .shift = twiddle_shift(p->twiddle)};
}

/* exp(−2πi·k/N)/2 of the bins of a half row: of a line up to the one that is its own mirror. */
static fg_table half_row_table(const fg_pass *p) {
  if (!p->half_row) return (fg_table){0};
  const bool box = p->family == FG_FAMILY_BOX;
  const bool whole_line = !box || (p->four_step && p->dims == 2);
  const ptrdiff_t n = whole_line ? p->data : p->box[p->dims - 1].n, last = box ? n : n / 2;
  return (fg_table){.kind = FG_TABLE_ROOTS, .precision = p->precision, .n = 2 * n, .length = last + 1, .step = 1,
                    .halved = 1};
}

/* Where the elements of a row of a kind are. */
static fg_table places_table(const fg_pass *p) {
  return (fg_table){.kind = FG_TABLE_PLACES, .length = p->data, .first = p->from.form, .step = p->to.form};
}

void fg_pass_table_list(const fg_pass *p, fg_table list[FG_PASS_TABLES]) {
  memset(list, 0, FG_PASS_TABLES * sizeof *list);
  if (p->family == FG_FAMILY_TILE && !p->sums) list[FG_OF_STAGES] = stages_table(p);
  if (p->four_step) list[FG_OF_STAGES] = four_step_table(p);
  list[FG_OF_HIGH] = twiddle_table(p, FG_TABLE_HIGH);
  if (!twiddle_is_short(p->twiddle)) list[FG_OF_LOW] = twiddle_table(p, FG_TABLE_LOW);
  list[FG_OF_LOAD] = p->load_table;
  list[FG_OF_STORE] = p->store_table;
  list[FG_OF_FILTER] = p->filter;
  list[FG_OF_FORM] = fg_geometry_ordered(p) ? places_table(p) : p->form_table;
  list[FG_OF_HALF_ROW] = half_row_table(p);
  if (p->sums == FG_SUMS_OF_MIRRORS) {
    list[FG_OF_FILTER] = (fg_table){.kind = FG_TABLE_PRODUCTS, .precision = p->precision, .n = p->filter.n,
                                    .length = fg_geometry_sums_factors(p)};
    list[FG_OF_ORDER] = (fg_table){.kind = FG_TABLE_MIRRORS, .n = p->filter.n, .length = p->data,
                                   .first = p->from.form == FG_FORM_RODFT00};
  } else if (p->sums) {
    list[FG_OF_FILTER] = (fg_table){.kind = FG_TABLE_ROOTS, .precision = p->precision, .n = p->filter.n,
                                    .length = p->filter.n, .step = 1};
  } else if (fg_pass_is_rader(p)) {
    fg_table *const filter = &list[FG_OF_FILTER], *const order = &list[FG_OF_ORDER];
    memcpy(filter->radix, p->radix, sizeof filter->radix);
    filter->stages = p->stages;
    filter->coprime = fg_pass_is_cyclic(p);
    filter->real = p->real_radix != 0;
    if (filter->real) filter->radix[0] = p->real_radix;
    *order = (fg_table){.kind = FG_TABLE_POWERS, .n = p->filter.n, .stages = p->stages, .coprime = filter->coprime,
                         .real = filter->real, .step = fg_pass_spread(p)};
    memcpy(order->radix, filter->radix, sizeof order->radix);
  }
  for (int d = 0; d < p->dims && p->family == FG_FAMILY_BOX; d++) list[FG_OF_BOX + d] = box_table(p, d);
}

/* The element so far behind the first of a pass's side in device memory: plane's bytes are real or complex by the layout. */
static void *element(const fg_pass *p, void *plane, const fg_place *at, ptrdiff_t behind) {
  const size_t size = fg_pass_real_size(p, at) * (at->split || fg_form_is_real(at->form) ? 1 : 2);
  return plane ? (char *)plane + (at->offset + behind) * (ptrdiff_t)size : NULL;
}

fg_divisor fg_divisor_of(long long n) {
  fg_divisor by = {0, 0};
  if (n < 1 || n > INT_MAX) return by; /* no lines, or FG_MANY_LINES */
  while (((long long)1 << by.shift) < n) by.shift++;
  by.magic = (unsigned)(((((uint64_t)1 << by.shift) - (uint64_t)n) << 32) / (uint64_t)n + 1);
  return by;
}

static fg_tile_args args_of(const fg_pass *p, const void *const tables[FG_PASS_TABLES]) {
  fg_tile_args a;
  memset(&a, 0, sizeof a);
  a.lines = fg_pass_lines(p);
  a.in = p->in;
  a.out = p->out;
  a.load_weight = p->load_weight;
  a.store_weight = p->store_weight;
  a.load_limit = p->load_limit;
  a.store_limit = p->store_limit;
  a.stages = tables[FG_OF_STAGES];
  a.high = tables[FG_OF_HIGH];
  a.low = tables[FG_OF_LOW];
  a.load_table = tables[FG_OF_LOAD];
  a.store_table = tables[FG_OF_STORE];
  a.filter = tables[FG_OF_FILTER];
  a.order = tables[FG_OF_ORDER];
  a.load_step = p->load_step;
  a.store_step = p->store_step;
  a.form_table = tables[FG_OF_FORM];
  a.half_row_table = tables[FG_OF_HALF_ROW];
  for (int d = 0; d < p->dims; d++) {
    a.box_in[d] = p->box[d].is;
    a.box_out[d] = p->box[d].os;
    a.box_stages[d] = tables[FG_OF_BOX + d];
  }
  if (p->twiddle) {
    a.shift = (unsigned)twiddle_shift(p->twiddle);
    a.mask = (1u << a.shift) - 1;
  }
  memcpy(a.loop, p->loop, (size_t)p->loops * sizeof *p->loop);
  for (int l = 0; l + 1 < p->loops; l++) a.loop[l].by = fg_divisor_of(p->loop[l].n);
  return a;
}

fg_launch fg_launch_of(const fg_pass *p, const void *const tables[FG_PASS_TABLES]) {
  const size_t loops = p->loops ? (size_t)p->loops : 1;
  return (fg_launch){.grid = fg_kernel_grid(p), .threads = (unsigned)p->threads, .shared = fg_geometry_shared(p),
                     .args = args_of(p, tables), .bytes = offsetof(fg_tile_args, loop) + loops * sizeof(fg_loop)};
}

void fg_launch_turn_round(fg_launch *l, const fg_pass *p) {
  fg_loop *outermost = p->loops > 1 ? &l->args.loop[p->loops - 1] : NULL;
  if (!outermost || outermost->twiddle || outermost->load || outermost->store) return;
  l->first_in = (ptrdiff_t)((outermost->n - 1) * outermost->in);
  l->first_out = (ptrdiff_t)((outermost->n - 1) * outermost->out);
  outermost->in = -outermost->in;
  outermost->out = -outermost->out;
}

void fg_launch_place(fg_tile_args *args, const fg_launch *l, const fg_pass *p, const fg_planes arrays[FG_ARRAYS]) {
  args->in_re = element(p, arrays[p->from.array].re, &p->from, l->first_in);
  args->in_im = element(p, arrays[p->from.array].im, &p->from, l->first_in);
  args->out_re = element(p, arrays[p->to.array].re, &p->to, l->first_out);
  args->out_im = element(p, arrays[p->to.array].im, &p->to, l->first_out);
}

unsigned fg_kernel_grid(const fg_pass *p) {
  const ptrdiff_t blocks = fg_pass_blocks(p);
  return (unsigned)(p->ahead && p->ahead < blocks ? p->ahead : blocks);
}
