/* geometry.c: lines, threads, radices, their order and the padding of a pass over lines. */
#include "src/pass/geometry.h"

#include <string.h>

#include "src/pass/banks.h"
#include "src/pass/fit.h"
#include "src/pass/residues.h"
#include "src/pass/tuned.h"

enum {
  MOST_ORDERS = 24,
  FULL = 4 /* tiles of each multiprocessor that make a launch a full one: of those loaded ahead the first is not */
};

static void try_all_lines(fg_pass *now, const fg_device_info *device, fg_pass *best, double *best_score) {
  static const int lines[] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128, 256, 512};
  const bool across = fg_geometry_load_across(now) || fg_geometry_store_across(now);
  enum { FEW = 4 };
  const bool split = now->from.split || now->to.split;
  const int element = fg_fit_neighbour_size(now), sector = FG_SECTOR / element, few = sector > FEW ? sector : FEW;
  const ptrdiff_t all = now->pairs ? (fg_pass_lines(now) + 1) / 2 : fg_pass_lines(now);
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    if (lines[i] > 1 && lines[i] / 2 >= all) break;
    now->lines = lines[i];
    const bool fields = fg_pass_alternates(now, FG_INPUT) && fg_pass_alternates(now, FG_OUTPUT);
    const int least = split ? fg_fit_point_size(now) : element; /* of each array half of one will do: long columns have no room */
    if (across && !fields && lines[i] * least % FG_SECTOR && lines[i] < all) continue; /* taste: whole sectors */
    if (fg_pass_is_rader(now) && lines[i] > (across ? few : 1) && all / lines[i] < device->multiprocessors)
      break; /* taste: much work for a line, so a block for every multiprocessor before one gets several lines */
    if (!across && lines[i] > 1 && lines[i] * now->data * fg_fit_point_size(now) > FG_LARGEST_BLOCK)
      break; /* taste: many small blocks */
    fg_fit_lines(now, device, lines[i], best, best_score);
  }
  if (now->crossed) /* all of both loops: multiples of 3 or 5, too */
    for (ptrdiff_t both = (ptrdiff_t)(now->loop[0].n * now->loop[1].n); both < 512 && both / 2 < all; both *= 2)
      fg_fit_lines(now, device, (int)both, best, best_score);
  if (now->loops && now->loop[0].n <= 64 && !fg_pass_is_rader(now))
    fg_fit_lines(now, device, (int)now->loop[0].n, best, best_score);
}

/* Stages of a permuted convolution that have twiddles; all of any other transform but the first do, in whatever order. */
static int turned_stages(const fg_pass *p) {
  return fg_pass_is_rader(p) ? p->stages - fg_pass_groups(p).count : 0;
}

/* What the exchanges cost beside the memory traffic: each moves as many bytes as the pass through a memory about
 * seven times as fast, more slowly by its bank conflicts; about half of that is hidden.  Twiddles take half of that, and
 * as many instructions. */
static double exchange_efficiency(const fg_pass *p) {
  if (p->sums == FG_SUMS_OF_MIRRORS) return 1;
  const int exchanges = fg_pass_is_rader(p) ? 2 * p->stages : p->stages - 1;
  return 1 / (1 + FG_EXCHANGE_COST * (exchanges * fg_banks_conflicts(p) + 2 * turned_stages(p)));
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

/* Blocks that shared memory has room for, blocks_sm at most. */
static size_t room(const fg_pass *p, const fg_device_info *device) {
  const size_t blocks = fg_fit_room(device, fg_geometry_shared(p));
  if (fg_geometry_shared(p) > device->shared_block) return 0;
  return blocks < (size_t)p->blocks_sm ? blocks : (size_t)p->blocks_sm;
}

/* All that are worth it, or none if fewer blocks have room then. */
void fg_geometry_skew_tile(fg_pass *p, const fg_device_info *device) {
  memset(p->skew, 0, sizeof p->skew);
  if (!fg_banks_may_skew(p)) return;
  fg_pass now = *p;
  fg_banks_skew(&now);
  if (room(&now, device) >= room(p, device)) *p = now;
}

static void reverse(int *a, int count) {
  for (int i = 0, j = count - 1; i < j; i++, j--) {
    const int swap = a[i];
    a[i] = a[j];
    a[j] = swap;
  }
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
  fg_geometry_order(p, permuted_across);
  best_padding(p);
  if (fg_banks_may_skew(p)) {
    fg_fit_blocks(p, device);
    fg_geometry_skew_tile(p, device);
  }
  const double s = fg_geometry_shared(p) <= device->shared_block ? fg_fit_score(p, device) * exchange_efficiency(p) : 0;
  if (s <= *best_score) return;
  *best_score = s;
  *best = *p;
}

/* The best ways to write an odd row with that real radix: one, or two where the first has a large radix, for which a
 * stage more may be better. */
static int lists_of_odd_row(const fg_pass *p, int real, fg_radix_list *list) {
  enum { MOST = 2, LARGE = 17 };
  const bool last = fg_form_loads_spectrum(p->from.form);
  const int found = fg_radix_lists(p->data / real, p->precision, list, MOST);
  const int count = list->radix[0] < LARGE ? 1 : found;
  for (int i = 0; i < count; i++) {
    int *const radix = list[i].radix, stages = list[i].stages++;
    if (!last) memmove(radix + 1, radix, (size_t)stages * sizeof *radix);
    radix[last ? stages : 0] = real;
  }
  return count;
}

/* Behind the radix of real points, which may be the only one. */
static int lists_of_real_prime(const fg_pass *p, fg_radix_list *list, int most) {
  const ptrdiff_t rest = fg_pass_length(p) / p->real_radix;
  const int count = fg_radix_lists(rest, p->precision, list, most);
  for (int i = 0; i < count; i++) {
    if (rest == 1) list[i].stages = 0;
    memmove(list[i].radix + 1, list[i].radix, (size_t)list[i].stages++ * sizeof *list[i].radix);
    list[i].radix[0] = p->real_radix;
  }
  return count;
}

int fg_geometry_lists(const fg_pass *p, fg_radix_list list[FG_GEOMETRY_LISTS]) {
  enum { LISTS = 5 };
  if (p->sums == FG_SUMS_OF_MIRRORS) { /* there are no stages; one stands for them where data says which */
    *list = (fg_radix_list){.stages = 1, .radix = {2}};
    return 1;
  }
  if (p->real_radix) return lists_of_real_prime(p, list, LISTS);
  if (!p->odd_row) return fg_radix_lists(p->n, p->precision, list, LISTS);
  int count = 0;
  for (int r = FG_MAX_RADIX; (r = fg_real_radix(p->data, p->precision, r)) && count + 2 <= FG_GEOMETRY_LISTS; r--)
    count += lists_of_odd_row(p, r, list + count);
  return count;
}

int fg_geometry_more_lists(const fg_pass *p, fg_radix_list list[FG_GEOMETRY_MORE_LISTS]) {
  enum { WAYS = 256 };
  fg_radix_list ways[WAYS];
  int count = fg_geometry_lists(p, list);
  if (count == 0 || p->real_radix || p->odd_row || p->sums == FG_SUMS_OF_MIRRORS) return count;
  count += fg_radix_large_lists(p->n, p->precision, list + count, FG_GEOMETRY_LISTS);
  const int all = fg_radix_lists(p->n, p->precision, ways, WAYS);
  for (int i = 0, more = 0; i < all && more < FG_GEOMETRY_LISTS; i++)
    if (ways[i].stages == list[0].stages + 1) {
      bool listed = false; /* where a line has few ways, among the fewest */
      for (int k = 0; k < count; k++) listed = listed || !memcmp(&list[k], &ways[i], sizeof *ways);
      if (listed) continue;
      list[count++] = ways[i];
      more++;
    }
  return count;
}

void fg_geometry_set_radices(fg_pass *p, const int *radix, int stages) {
  memset(p->skew, 0, sizeof p->skew); /* of other radices */
  memcpy(p->radix, radix, (size_t)stages * sizeof *radix);
  p->stages = stages;
  if (p->real_radix) p->radix[0] = p->real_radix / 2 + 1;
  if (!p->odd_row) return;
  int *const real = &p->radix[fg_pass_real_stage(p)];
  p->n = p->data / *real * ((*real + 1) / 2);
  *real = (*real + 1) / 2;
}

/* Give p, whose lines and threads were chosen for the radices of list, the order of radices and the padding with the
 * fewest bank conflicts.  The score of the result. */
static double refine(fg_pass *p, const fg_radix_list *list, const fg_device_info *device) {
  const int first = fg_pass_real_stage(p) == 0, movable = list->stages - (fg_pass_real_stage(p) >= 0);
  int radix[FG_MAX_STAGES];
  double best_score = 0;
  fg_pass best = *p;
  memcpy(radix, list->radix, sizeof radix);
  for (int s = 0; s < movable; s++) radix[first + s] = list->radix[first + movable - 1 - s]; /* smallest first */
  for (int tried = 0; tried < MOST_ORDERS; tried++) {
    fg_pass now = *p;
    fg_geometry_set_radices(&now, radix, list->stages);
    if (fg_geometry_mirror(p) == FG_MIRROR_STORE) reverse(now.radix, now.stages); /* few points there */
    const fg_pass before = now;
    keep_better(&now, true, device, &best, &best_score);
    if (fg_pass_is_rader(p)) {
      now = before;
      keep_better(&now, false, device, &best, &best_score);
    }
    const bool moves = best.stages > list->stages && (p->from.form || p->to.form); /* another order may need none */
    const bool perfect = fg_banks_conflicts(&best) <= 1.01 && !moves && turned_stages(&best) == 0;
    if (perfect || !next_permutation(radix + first, movable)) break;
  }
  *p = best;
  return best_score;
}

static bool has_room_for_one(const fg_pass *p, const fg_device_info *device) {
  return fg_fit_room(device, fg_geometry_shared(p)) < 2;
}

/* Where shared memory has room for one block nothing is loaded while it computes and stores, unless it does so itself.
 * Measured on an H200, 15000 to 20000 points: 1.09 to 1.18 times as fast, and slower where tiles do not begin on whole
 * 128 bytes. */
static void load_ahead(fg_pass *p, const fg_device_info *device) {
  enum { ALIGNED = 128 };
  if (!has_room_for_one(p, device) || !fg_geometry_loads_ahead(p, device)) return;
  if (p->in != 1) return; /* of columns those of 1024 points with a twiddle gain (src/pass/tuned.txt), not others measured */
  if (p->lines * p->n * fg_fit_point_size(p) % ALIGNED || fg_pass_blocks(p) < FULL * device->multiprocessors) return;
  fg_pass now = *p;
  now.ahead = device->multiprocessors;
  if (fg_geometry_fits(&now, device)) *p = now;
}

/* The best of p with these radices, if it is better than best. */
static void try_list(const fg_pass *p, const fg_radix_list *list, const fg_device_info *device, fg_pass *best,
                     double *best_score) {
  fg_pass now = *p, chosen = *p;
  double chosen_score = 0;
  fg_geometry_set_radices(&now, list->radix, list->stages);
  if (fg_geometry_mirror(p) == FG_MIRROR_LOAD) reverse(now.radix, now.stages); /* which wants few points */
  now.pad = fg_pass_is_rader(p) ? 0 : 16;
  fg_geometry_order(&now, true);
  try_all_lines(&now, device, &chosen, &chosen_score);
  /* Not worth the counting where even perfect exchanges would not win. */
  if (chosen_score / (1 + FG_EXCHANGE_COST * (list->stages - 1)) <= *best_score) return;
  chosen_score = refine(&chosen, list, device);
  if (chosen_score <= *best_score) return;
  *best_score = chosen_score;
  *best = chosen;
}

static int stages_but_moves(const fg_pass *p) {
  int stages = 0;
  for (int s = 0; s < p->stages; s++) stages += p->radix[s] > 1;
  return stages;
}

/* As both passes of a long row are: columns with a twiddle, or rows that are stored as columns. */
static bool is_as_of_long_row(const fg_pass *p) { return p->twiddle || (p->in == 1) != (p->out == 1); }

/* Where large radices were measured (on an H200, of long rows on an H100; taken for all): rows without factors, columns, long
 * chirps. */
static bool may_have_large(const fg_pass *p) {
  if (p->real_radix || p->odd_row || p->from.form || p->to.form) return false;
  if (fg_fit_is_long_chirp(p)) return true;
  if (p->load_table.kind || p->store_table.kind || p->filter.kind) return false;
  return p->in != 1 || p->out != 1 || !p->twiddle;
}

/* They are taken where they save a stage (with as many they were up to 1.5 times as slow) and there is work enough for the
 * few threads that they leave; of columns if shared memory has room for two blocks, with runs of 64 bytes, and of four columns
 * for each multiprocessor also in as many blocks as without (800 of 800², 1200 of 1200² alone 1.28 and 1.36 times as fast); and of
 * rows that fit a block only so, by as many points a thread as fill its registers.  What else the shipped table corrects keeps
 * the price that it had without them, by which its neighbours there were measured; a long row's passes keep theirs, too, by
 * which it is cut. */
static void try_large(const fg_pass *p, const fg_device_info *device, fg_pass *best, double *best_score) {
  enum { RUN = 64 };
  fg_radix_list lists[FG_GEOMETRY_LISTS];
  const bool fits = *best_score > 0;
  const int stages = fits ? stages_but_moves(best) : FG_MAX_STAGES;
  const long long full = (long long)FULL * device->multiprocessors;
  if (!may_have_large(p) || fg_pass_lines(p) < full) return;
  if (fits ? fg_tuned_shipped_has(p, device) : p->in != 1 || p->out != 1) return;
  const int count = fg_radix_large_lists(p->n, p->precision, lists, FG_GEOMETRY_LISTS);
  fg_pass large = *best;
  double score = *best_score;
  for (int i = 0; i < count && lists[i].stages < stages; i++) try_list(p, &lists[i], device, &large, &score);
  const bool columns = p->in != 1 || p->out != 1;
  const long long least = columns && fits && fg_pass_blocks(best) < full ? fg_pass_blocks(best) : full;
  if (score <= *best_score || fg_pass_blocks(&large) < least) return;
  if (columns && (has_room_for_one(&large, device) || large.lines * fg_fit_point_size(p) < RUN)) return;
  if (is_as_of_long_row(p) && fits) {
    fg_pass without = *best;
    fg_fit_blocks(&without, device);
    large.price = fg_pass_cost(&without, device);
  }
  *best_score = score;
  *best = large;
}

/* As one butterfly a row of such a kind is put in order on its way through the tile (fg_geometry_ordered), which costs nothing: 9 to
 * 27 points took a copy's time on an H100, with two stages, of which none is, to 1.9 times that. */
static bool is_put_in_order(const fg_pass *p) {
  const bool kind = p->from.form != FG_FORM_REAL && fg_form_is_real(p->from.form) && fg_form_is_real(p->to.form);
  return kind && p->n % 2 && !p->half_row && !p->odd_row && !p->pairs && !p->filter.kind && !fg_form_extends(p->from.form);
}

/* Real to real transforms whose elements a thread orders and turns beside its butterfly: two stages are better than one, of
 * columns, and of rows that are loaded as spectra where a line's elements are even.  (65 of 9 to 32 points on an H100: such columns
 * 1.3 times as fast in the mean, to 2.0, three of them to 1.04 times as slow; such rows 1.36, to 1.6; the other rows 0.8 and 0.9.
 * Half rows and two rows a line were not measured.) */
static bool is_better_in_two(const fg_pass *p) {
  enum { LEAST_OF_COLUMNS = 9, LEAST_OF_ROWS = 16 };
  if (!fg_form_is_real(p->from.form) || !fg_form_is_real(p->to.form) || p->half_row || p->pairs) return false;
  if (is_put_in_order(p)) return false;
  if (fg_geometry_load_across(p) || fg_geometry_store_across(p)) return p->n >= LEAST_OF_COLUMNS;
  return fg_form_loads_spectrum(p->from.form) && p->n >= LEAST_OF_ROWS;
}

bool fg_geometry_choose(fg_pass *p, const fg_device_info *device) {
  fg_radix_list lists[FG_GEOMETRY_LISTS];
  int count = fg_geometry_lists(p, lists);
  if (count > 1 && lists[0].stages == 1 && p->precision == FG_SINGLE && is_put_in_order(p)) count = 1;
  const bool skips = count > 1 && lists[0].stages == 1 && lists[1].stages == 2 && is_better_in_two(p);
  fg_pass best = *p;
  double best_score = 0;
  for (int i = skips; i < count; i++) try_list(p, &lists[i], device, &best, &best_score);
  if (skips && best_score <= 0) try_list(p, &lists[0], device, &best, &best_score); /* which needs the least shared memory */
  if (count > 0) try_large(p, device, &best, &best_score);
  if (best_score <= 0) return false;
  fg_fit_blocks(&best, device);
  load_ahead(&best, device);
  *p = best;
  fg_tuned_correct(p, device);
  return true;
}

double fg_geometry_refine(fg_pass *p, const fg_device_info *device) {
  if (p->family == FG_FAMILY_R2R_BOX) {
    fg_geometry_fit_r2r_box(p, device);
    return fg_geometry_score_r2r_box(p, device);
  }
  if (p->family == FG_FAMILY_BOX) return fg_geometry_refine_box(p, device);
  fg_radix_list list = {0};
  for (int s = 0; s < p->stages; s++) /* moves left out */
    if (p->radix[s] > 1 || p->n == 1) list.radix[list.stages++] = fg_pass_butterfly(p, s);
  const int first = fg_pass_real_stage(p) == 0, end = list.stages - (p->odd_row && !first);
  for (int i = first + 1; i < end; i++) /* largest first */
    for (int j = i; j > first && list.radix[j] > list.radix[j - 1]; j--) {
      const int swap = list.radix[j];
      list.radix[j] = list.radix[j - 1];
      list.radix[j - 1] = swap;
    }
  const double s = refine(p, &list, device);
  if (s > 0) fg_fit_blocks(p, device);
  return s;
}
