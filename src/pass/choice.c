/* choice.c: geometries as data. */
#include "src/pass/choice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/pass/banks.h"
#include "src/pass/fit.h"
#include "src/pass/geometry.h"

static const char axis_letter[] = "zyx"; /* slowest first, of two dimensions z and y */

fg_choice fg_choice_of(const fg_pass *p) {
  fg_choice c = {.cluster = p->cluster, .lines = p->lines, .threads = p->threads, .blocks_sm = p->blocks_sm};
  const bool box = p->family != FG_FAMILY_TILE;
  c.spacing = box ? p->pitch : p->pad;
  c.across = fg_pass_is_rader(p) && p->stages && p->column[0];
  c.ahead = p->ahead > 0;
  for (int s = 0; s < p->stages; s++) {
    if (!box && p->radix[s] == 1 && p->n > 1) continue; /* a move */
    c.axis[c.stages] = box ? p->axis[s] : 0;
    c.radix[c.stages++] = fg_pass_butterfly(p, s);
  }
  return c;
}

/* ---- putting in ---- */

static int descending(const void *a, const void *b) { return *(const int *)b - *(const int *)a; }

/* The radices, in whatever order (that of reals in its place), are one of the ways to write p's line. */
static bool is_a_way(const fg_choice *c, const fg_pass *p) {
  fg_radix_list lists[FG_GEOMETRY_MORE_LISTS];
  const int first = fg_pass_real_stage(p) == 0;
  int count = fg_geometry_lists(p, lists); /* most choices are among these, which take less time */
  int radix[FG_MAX_STAGES];
  memcpy(radix, c->radix, sizeof radix);
  qsort(radix + first, (size_t)(c->stages - (fg_pass_real_stage(p) >= 0)), sizeof *radix, descending);
  const bool more = count > 0 && (c->stages > lists[0].stages || fg_radix_large(radix[first]));
  if (more) count = fg_geometry_more_lists(p, lists);
  for (int i = 0; i < count; i++)
    if (lists[i].stages == c->stages && !memcmp(lists[i].radix, radix, (size_t)c->stages * sizeof *radix)) return true;
  return false;
}

static bool set_tile(const fg_choice *c, fg_pass *p) {
  for (int s = 0; s < c->stages; s++)
    if (c->axis[s]) return false;
  if (c->cluster > 1) return false;
  const bool known_pad = c->spacing == 0 || c->spacing == 8 || c->spacing == 16 || c->spacing == 32;
  if (!known_pad || (fg_pass_is_rader(p) && c->spacing) || !is_a_way(c, p)) return false;
  fg_geometry_set_radices(p, c->radix, c->stages);
  p->pad = c->spacing;
  fg_geometry_order(p, c->across);
  return true;
}

static bool same_stages(const fg_choice *c, const fg_pass *p) {
  if (c->stages != p->stages) return false;
  for (int s = 0; s < c->stages; s++)
    if (c->radix[s] != p->radix[s] || c->axis[s] != p->axis[s]) return false;
  return true;
}

static bool set_box(const fg_choice *c, fg_pass *p) {
  enum { MOST_WAYS = 125 };
  if (c->cluster < 1 || c->cluster > FG_MOST_CLUSTER || c->ahead) return false;
  p->cluster = c->cluster;
  if (fg_is_cut_chirp(p) && !fg_cut_chirp(p, c->radix[0])) return false;
  fg_pass *ways = malloc(MOST_WAYS * sizeof *ways);
  bool known = false;
  for (int i = ways ? fg_box_ways(p, ways, MOST_WAYS) : 0; i-- > 0 && !known;) known = same_stages(c, &ways[i]);
  free(ways);
  const ptrdiff_t row = p->box[p->dims - 1].n;
  if (!known || c->spacing < row || c->spacing > 2 * row + 17) return false;
  p->stages = c->stages;
  memcpy(p->radix, c->radix, sizeof p->radix);
  memcpy(p->axis, c->axis, sizeof p->axis);
  if (fg_geometry_shares(p)) fg_geometry_skew(p, c->spacing);
  return fg_geometry_shares(p) || c->spacing == p->pitch;
}

/* Its lines are whole, its rows an odd pitch apart. */
static bool set_r2r_box(const fg_choice *c, fg_pass *p) {
  fg_r2r_box_order(p);
  return c->cluster == 1 && !c->ahead && same_stages(c, p) && c->spacing == p->pitch;
}

/* As many blocks have room on a multiprocessor as the compiler is asked for; stages and blocks_sm are set. */
static bool has_room(const fg_pass *p, const fg_device_info *device) {
  return fg_fit_room(device, fg_geometry_shared(p)) >= (size_t)p->blocks_sm;
}

bool fg_choice_apply(const fg_choice *c, fg_pass *p, const fg_device_info *device) {
  fg_pass now = *p;
  const bool sound = c->stages > 0 && c->lines >= 1 && c->lines <= 512 && c->threads >= 32 && c->threads % 32 == 0 &&
                     c->threads <= device->threads_block && c->blocks_sm >= 1 && c->blocks_sm <= 32 &&
                     c->blocks_sm * c->threads <= device->threads_sm;
  if (!sound) return false;
  now.lines = c->lines;
  now.threads = c->threads;
  if (!(p->family == FG_FAMILY_BOX ? set_box(c, &now) : p->family == FG_FAMILY_TILE ? set_tile(c, &now) : set_r2r_box(c, &now)))
    return false;
  now.blocks_sm = c->blocks_sm;
  now.ahead = c->ahead ? c->blocks_sm * device->multiprocessors : 0;
  if (p->family == FG_FAMILY_TILE) fg_geometry_skew_tile(&now, device);
  if (c->ahead && !fg_geometry_loads_ahead(&now, device)) return false;
  if (!fg_geometry_fits(&now, device) || !has_room(&now, device)) return false;
  *p = now;
  return true;
}

/* ---- listing ---- */

typedef struct {
  double score;
  fg_pass pass;
} candidate;

typedef struct {
  const fg_device_info *device;
  candidate *at;
  int count, room;
} candidates;

static bool same_layout(const fg_choice *x, const fg_choice *y) {
  return x->stages == y->stages && !memcmp(x->radix, y->radix, (size_t)x->stages * sizeof *x->radix) &&
         !memcmp(x->axis, y->axis, (size_t)x->stages * sizeof *x->axis) && x->cluster == y->cluster &&
         x->lines == y->lines && x->threads == y->threads && x->ahead == y->ahead;
}

bool fg_choice_equal(const fg_choice *x, const fg_choice *y) {
  return same_layout(x, y) && x->across == y->across && x->blocks_sm == y->blocks_sm && x->spacing == y->spacing;
}

static int better_first(const void *a, const void *b) {
  const double x = ((const candidate *)a)->score, y = ((const candidate *)b)->score;
  return (x < y) - (x > y);
}

/* Keep p if it is among the best; a full list drops its worse half. */
static void offer(candidates *all, const fg_pass *p, double score) {
  if (score <= 0) return;
  if (all->count == all->room) {
    qsort(all->at, (size_t)all->count, sizeof *all->at, better_first);
    all->count = all->room / 2;
  }
  all->at[all->count++] = (candidate){score, *p};
}

/* p, whose stages are set, with that many lines and the two best numbers of threads.  Of a box exchanges count already here: ways
 * with many, which have the most threads, would fill what a short list refines. */
static void offer_lines(candidates *all, fg_pass p, int lines) {
  candidate best[2] = {{.score = 0}, {.score = 0}};
  const double exchanges = p.family == FG_FAMILY_BOX ? fg_box_exchange_efficiency(&p) : 1;
  p.lines = lines;
  for (p.threads = 32; p.threads <= all->device->threads_block; p.threads += p.threads < 256 ? 32 : 64) {
    const candidate now = {exchanges * fg_geometry_score(&p, all->device), p};
    if (now.score > best[0].score) best[1] = best[0];
    if (now.score > best[0].score) best[0] = now;
    else if (now.score > best[1].score) best[1] = now;
  }
  for (int i = 0; i < 2; i++) offer(all, &best[i].pass, best[i].score);
}

enum { ANY_LINES = 128 };

static void offer_all_lines(candidates *all, const fg_pass *p, int most) {
  static const int lines[] = {1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 16, 20, 24, 32, 48, 64, 96, ANY_LINES};
  const ptrdiff_t rows = p->pairs ? (fg_pass_lines(p) + 1) / 2 : fg_pass_lines(p);
  for (size_t i = 0; i < sizeof lines / sizeof *lines && lines[i] <= most && (i == 0 || lines[i] / 2 < rows); i++)
    offer_lines(all, *p, lines[i]);
}

static void offer_tiles(candidates *all, const fg_pass *p, bool ahead, int most_lines) {
  fg_radix_list lists[FG_GEOMETRY_MORE_LISTS];
  const int count = fg_geometry_more_lists(p, lists), differ = p->sums ? 1 : count; /* whose stages are not done */
  for (int i = 0; i < count && i < differ; i++) {
    fg_pass now = *p;
    fg_geometry_set_radices(&now, lists[i].radix, lists[i].stages);
    now.pad = fg_pass_is_rader(p) ? 0 : 16;
    fg_geometry_order(&now, true);
    now.ahead = ahead;
    if (!ahead || fg_geometry_loads_ahead(&now, all->device)) offer_all_lines(all, &now, most_lines);
  }
}

static void offer_boxes(candidates *all, const fg_pass *p) {
  enum { MOST_WAYS = 40 };
  fg_pass *ways = malloc(MOST_WAYS * sizeof *ways);
  const int count = ways ? fg_box_ways(p, ways, MOST_WAYS) : 0;
  for (int i = 0; i < count; i++) offer_all_lines(all, &ways[i], ANY_LINES);
  free(ways);
}

/* In a cluster of so many blocks, in every cut that there is. */
static void offer_cuts(candidates *all, const fg_pass *p, int cluster) {
  int factors[FG_MAX_RADIX];
  const int count = fg_is_cut_chirp(p) ? fg_cut_chirp_factors(p, factors) : 0;
  fg_pass now = *p;
  now.cluster = cluster;
  if (!count) offer_boxes(all, &now);
  for (int i = 0; i < count; i++)
    if (fg_cut_chirp(&now, factors[i]) && fg_geometry_cluster_suits(&now, all->device)) offer_boxes(all, &now);
}

typedef struct {
  const fg_pass *own;
  const fg_device_info *device;
  fg_choice *list;
  int count, most;
  bool is_long;
} listing;

static bool listed(const listing *l, const fg_choice *c) {
  const fg_choice own = fg_choice_of(l->own);
  bool there = fg_choice_equal(&own, c);
  for (int i = 0; i < l->count; i++) there = there || fg_choice_equal(&l->list[i], c);
  return there;
}

/* Only what can be put in again as it is. */
static void add(listing *l, const fg_choice *c) {
  fg_pass p = *l->own;
  if (l->count < l->most && !listed(l, c) && fg_choice_apply(c, &p, l->device)) l->list[l->count++] = *c;
}

/* A long list has each with one block more than the model finds registers for, too. */
static void add_best(listing *l, candidates *all, int most) {
  qsort(all->at, (size_t)all->count, sizeof *all->at, better_first);
  for (int i = 0; i < all->count && i < 4 * most; i++) { /* orders and padding, which take their time */
    all->at[i].score = fg_geometry_refine(&all->at[i].pass, l->device);
    if (all->at[i].score > 0) fg_geometry_pair_blocks(&all->at[i].pass, l->device);
  }
  const fg_choice own = fg_choice_of(l->own);
  if (all->count > 4 * most) all->count = 4 * most;
  qsort(all->at, (size_t)all->count, sizeof *all->at, better_first);
  for (int i = 0; i < all->count && l->count < most; i++) {
    fg_choice c = fg_choice_of(&all->at[i].pass);
    if (all->at[i].score <= 0) continue;
    if (!same_layout(&c, &own)) add(l, &c);
    c.blocks_sm++;
    if (l->is_long && l->count < most) add(l, &c);
  }
}

/* Where there are clusters half of the list is for other numbers of blocks, of each the likeliest two. */
static void add_best_boxes(listing *l, candidates *all, int most) {
  enum { OF_EACH = 2 };
  const bool clusters = fg_geometry_may_cluster(l->own, l->device);
  offer_cuts(all, l->own, l->own->cluster);
  add_best(l, all, clusters ? (most + 1) / 2 : most);
  for (int blocks = 1; clusters && blocks <= l->device->cluster; blocks++) {
    fg_pass p = *l->own;
    p.cluster = blocks;
    const bool suits = fg_is_cut_chirp(&p) || fg_geometry_cluster_suits(&p, l->device);
    if (blocks == l->own->cluster || !suits) continue;
    all->count = 0;
    offer_cuts(all, l->own, blocks);
    add_best(l, all, l->count + OF_EACH < most ? l->count + OF_EACH : most);
  }
}

/* p's own with its tiles loaded ahead, and as many blocks as then fit. */
static void add_own_ahead(listing *l) {
  fg_pass p = *l->own;
  p.ahead = 1;
  fg_fit_blocks(&p, l->device);
  const fg_choice c = fg_choice_of(&p);
  add(l, &c);
}

/* Lines of a block of up to 6 KB: kernels that only copy are as fast as the device's own copy in blocks of 2 to 4 KB, and take
 * 1.02 to 1.06 times as long in larger ones (doc/measurements.md, Rows in small blocks). */
static int small_block(const fg_pass *p) {
  enum { SMALL = 6144 };
  const ptrdiff_t lines = SMALL / (p->n * fg_fit_point_size(p));
  return lines < 1 ? 1 : lines > ANY_LINES ? ANY_LINES : (int)lines;
}

/* Half of the list is for tiles that are loaded ahead, where they may be and few blocks at a time leave something to
 * gain; a third where another third is for small blocks.  Of columns, few of which gain, a short list has one. */
static void add_best_tiles(listing *l, candidates *all, int most) {
  enum { FEW_BLOCKS = 8, FEW_OF_COLUMNS = 2, SHORT = 16 };
  const bool rows = l->own->in == 1, few = l->own->blocks_sm <= (rows ? FEW_BLOCKS : FEW_OF_COLUMNS);
  const bool one = !rows && most <= SHORT, own = fg_geometry_loads_ahead(l->own, l->device);
  const bool ahead = few && (one ? own : fg_geometry_may_load_ahead(l->own, l->device)); /* others may have fewer stages */
  const bool small = rows && l->is_long;
  if (small) {
    offer_tiles(all, l->own, false, small_block(l->own));
    add_best(l, all, most / 3);
    all->count = 0;
  }
  offer_tiles(all, l->own, false, ANY_LINES);
  add_best(l, all, !ahead ? most : one ? most - 1 : small ? most * 2 / 3 : most / 2);
  if (!ahead) return;
  add_own_ahead(l);
  if (one) return;
  all->count = 0;
  offer_tiles(all, l->own, true, ANY_LINES);
  add_best(l, all, most);
}

/* Registers that the compiler may give a thread. */
static int registers(const fg_choice *c, const fg_device_info *device) {
  return device->registers_sm / (c->threads * c->blocks_sm) / 8 * 8;
}

/* Fewer blocks, which leave eight registers more, twice; one more block; the other paddings. */
static void add_variants(listing *l) {
  static const int pads[] = {0, 8, 16, 32};
  const fg_choice own = fg_choice_of(l->own);
  fg_choice c = own;
  for (int step = 0; step < 2 && c.blocks_sm > 1; step++) {
    const int now = registers(&c, l->device);
    while (c.blocks_sm > 1 && registers(&c, l->device) == now) c.blocks_sm--;
    add(l, &c);
  }
  c = own;
  c.blocks_sm++;
  add(l, &c);
  c = own;
  for (size_t i = 0; i < sizeof pads / sizeof *pads && l->own->family == FG_FAMILY_TILE; i++) {
    c.spacing = pads[i];
    add(l, &c);
  }
}

int fg_choice_variants(const fg_pass *p, const fg_device_info *device, fg_choice *list, int most) {
  listing l = {p, device, list, 0, most, false};
  add_variants(&l);
  return l.count;
}

int fg_choice_list(const fg_pass *p, const fg_device_info *device, fg_choice *list, int most) {
  enum { ROOM = 512, VARIANTS = 6 };
  const int best = most > 2 * VARIANTS ? most - VARIANTS : (most + 1) / 2;
  candidates all = {device, malloc(ROOM * sizeof *all.at), 0, ROOM};
  listing l = {p, device, list, 0, most, most >= FG_LONG_LIST};
  if (!all.at) return 0;
  if (p->family == FG_FAMILY_BOX) {
    add_best_boxes(&l, &all, best);
  } else if (p->family == FG_FAMILY_R2R_BOX) {
    offer_all_lines(&all, p, ANY_LINES);
    add_best(&l, &all, best);
  } else {
    add_best_tiles(&l, &all, best);
  }
  add_variants(&l);
  free(all.at);
  return l.count;
}

/* ---- as text ---- */

void fg_choice_print(const fg_choice *c, char text[FG_CHOICE_TEXT]) {
  bool box = false;
  int at = 0;
  for (int s = 0; s < c->stages; s++) box = box || c->axis[s];
  if (c->across) text[at++] = 'a';
  if (c->ahead) text[at++] = 'n';
  if (c->cluster > 1) at += snprintf(text + at, (size_t)(FG_CHOICE_TEXT - at), "c%d.", c->cluster);
  for (int s = 0; s < c->stages; s++) {
    if (s) text[at++] = '.';
    if (box) text[at++] = axis_letter[c->axis[s]];
    at += snprintf(text + at, (size_t)(FG_CHOICE_TEXT - at), "%d", c->radix[s]);
  }
  snprintf(text + at, (size_t)(FG_CHOICE_TEXT - at), " %d %d %d %d", c->lines, c->threads, c->blocks_sm, c->spacing);
}

static bool parse_stage(fg_choice *c, const char **text) {
  const char *letter = **text ? strchr(axis_letter, **text) : NULL;
  char *end;
  if (c->stages == FG_MAX_STAGES) return false;
  if (letter) {
    c->axis[c->stages] = (int)(letter - axis_letter);
    ++*text;
  }
  const long radix = strtol(*text, &end, 10);
  if (end == *text || radix < 1 || radix > FG_LONGEST_LINE) return false;
  c->radix[c->stages++] = (int)radix;
  *text = end;
  return true;
}

/* "c4." */
static bool parse_cluster(fg_choice *c, const char **text) {
  char *end;
  const long blocks = strtol(*text + 1, &end, 10);
  if (end == *text + 1 || *end != '.' || blocks < 2 || blocks > FG_MOST_CLUSTER) return false;
  c->cluster = (int)blocks;
  *text = end + 1;
  return true;
}

bool fg_choice_parse(fg_choice *c, const char *text) {
  *c = (fg_choice){.cluster = 1};
  if (*text == 'c' && !parse_cluster(c, &text)) return false;
  if (*text == 'a') {
    c->across = true;
    text++;
  } else if (*text == 'n') {
    c->ahead = true;
    text++;
  }
  do
    if (!parse_stage(c, &text)) return false;
  while (*text == '.' && *++text);
  return sscanf(text, " %d %d %d %d", &c->lines, &c->threads, &c->blocks_sm, &c->spacing) == 4;
}

bool fg_choice_trusted(const fg_choice *c) { return !c->ahead || c->stages <= FG_MOST_STAGES_AHEAD; }

/* ---- the key ---- */

static int log2_of(double x) {
  int bits = 0;
  for (; x >= 2; x /= 2) bits++;
  return bits;
}

static ptrdiff_t common(ptrdiff_t a, ptrdiff_t b) {
  while (b) {
    const ptrdiff_t rest = a % b;
    a = b;
    b = rest;
  }
  return a < 0 ? -a : a;
}

static char access_of(ptrdiff_t stride, bool across) { return stride == 1 ? 'u' : across ? 'a' : 's'; }

/* From 2^22 points on there are blocks enough for any device; a row matters where lines are next to each other, by what
 * divides it, and where it is short. */
void fg_choice_key(const fg_pass *p, char key[FG_CHOICE_KEY]) {
  const bool across = fg_geometry_load_across(p) || fg_geometry_store_across(p) || p->across;
  const ptrdiff_t row = across && p->loops ? (ptrdiff_t)p->loop[0].n : 0;
  const ptrdiff_t n = p->odd_row ? p->data : p->n; /* before the radices are chosen, too */
  const int points = log2_of((double)fg_pass_lines(p) * (double)n);
  const bool folded = fg_geometry_folds(p, FG_INPUT) || fg_geometry_folds(p, FG_OUTPUT);
  const int rows = p->odd_row ? 3 : p->half_row ? 2 : folded ? 4 : p->pairs;
  int at = 0;
  if (fg_is_cut_chirp(p)) {
    at = snprintf(key, FG_CHOICE_KEY, "cut-chirp:%td/%td", n, p->data);
  } else if (p->family == FG_FAMILY_R2R_BOX) {
    at = snprintf(key, FG_CHOICE_KEY, "r2r");
    for (int d = 0; d < p->dims; d++)
      at += snprintf(key + at, (size_t)(FG_CHOICE_KEY - at), "%c%td.%d", d ? 'x' : ':', p->box[d].n, (int)p->kind[d]);
  } else if (p->family == FG_FAMILY_BOX) {
    at = snprintf(key, FG_CHOICE_KEY, p->four_step ? "four-step" : "box");
    for (int d = 0; d < p->dims; d++)
      at += snprintf(key + at, (size_t)(FG_CHOICE_KEY - at), "%c%td", !d ? ':' : d == 2 && p->strip ? '|' : 'x', p->box[d].n);
  } else {
    static const char *const of_sums[] = {"tile", "sums", "mirrors"};
    at = snprintf(key, FG_CHOICE_KEY, "%s:%td/%td", of_sums[p->sums], n, p->data);
  }
  snprintf(key + at, (size_t)(FG_CHOICE_KEY - at), ":%c:%c%c:%d:%td.%td:%d%d%d%d%d:%d.%d:%d%d%d:%d%d%d%d",
           p->precision == FG_SINGLE ? 's' : 'd', access_of(p->in, fg_geometry_load_across(p)),
           access_of(p->out, fg_geometry_store_across(p)), points < 22 ? points : 22, p->crossed ? 64 + row : row < 64 ? row : 64,
           p->padded && p->family == FG_FAMILY_TILE ? 0 : common(row, 64), p->twiddle != 0, p->load_table.kind != 0,
           p->store_table.kind != 0, (int)p->filter.kind, p->filter.rows > 0, p->parts, rows, p->from.form, p->to.form,
           p->loops > 1, p->from.split, p->to.split, p->from.wide, p->to.wide);
}
