/* trace_arrays.c: addresses to arrays, in a table sorted by address. */
#define _GNU_SOURCE
#include "src/report/trace_arrays.h"

#include <dlfcn.h>
#include <features.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096, MOST_REGIONS = 1 << 16 };

/* ---- numbers: the lowest one that is free, so that a program's loop uses the same ones each time ----------------- */

int fg_trace_number_take(fg_trace_arrays *t) {
  while (t->lowest < t->numbers && t->used[t->lowest]) t->lowest++;
  if (t->lowest == t->numbers) {
    const int more = t->numbers ? 2 * t->numbers : 64;
    unsigned char *larger = realloc(t->used, (size_t)more);
    if (!larger) return FG_TRACE_OTHER;
    memset(larger + t->numbers, 0, (size_t)(more - t->numbers));
    t->used = larger;
    t->numbers = more;
  }
  t->used[t->lowest] = 1;
  return t->lowest++;
}

void fg_trace_number_give(fg_trace_arrays *t, int id) {
  if (id < 0) return;
  t->used[id] = 0;
  if (id < t->lowest) t->lowest = id;
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* How many regions begin at or below address. */
static int rank_of(const fg_trace_arrays *t, uintptr_t address) {
  int low = 0, high = t->count;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (t->region[middle].low <= address) low = middle + 1;
    else high = middle;
  }
  return low;
}

static void take_out(fg_trace_arrays *t, int at) {
  t->count--;
  memmove(t->region + at, t->region + at + 1, (size_t)(t->count - at) * sizeof *t->region);
}

static bool put_in(fg_trace_arrays *t, const fg_trace_region *r) {
  if (t->count == t->room) {
    const int more = t->room ? 2 * t->room : 64;
    fg_trace_region *larger = realloc(t->region, (size_t)more * sizeof *larger);
    if (!larger) return false;
    t->region = larger;
    t->room = more;
  }
  const int at = rank_of(t, r->low);
  memmove(t->region + at + 1, t->region + at, (size_t)(t->count - at) * sizeof *t->region);
  t->region[at] = *r;
  t->count++;
  return true;
}

static void retire(fg_trace_arrays *t, int at) {
  fg_trace_number_give(t, t->region[at].id);
  take_out(t, at);
}

/* With too many arrays of memory whose end is never told, all such are forgotten. */
static void make_room(fg_trace_arrays *t) {
  if (t->count < MOST_REGIONS) return;
  for (int i = t->count - 1; i >= 0; i--)
    if (!t->region[i].own) retire(t, i);
}

static int add(fg_trace_arrays *t, fg_trace_region r) {
  r.id = fg_trace_number_take(t);
  if (r.id >= 0 && !put_in(t, &r)) {
    fg_trace_number_give(t, r.id);
    r.id = FG_TRACE_OTHER;
  }
  return r.id;
}

/* ---- fftwf_malloc ------------------------------------------------------------------------------------------------ */

/* What lay there before has been freed unseen. */
int fg_trace_arrays_malloc(fg_trace_arrays *t, enum fg_precision precision, const void *p, size_t bytes) {
  const uintptr_t low = (uintptr_t)p, high = low + (bytes ? bytes : 1);
  for (int i = rank_of(t, high - 1) - 1; i >= 0 && t->region[i].high > low; i--) retire(t, i);
  make_room(t);
  return add(t, (fg_trace_region){low, high, low, bytes, 0, true, precision});
}

int fg_trace_arrays_free(fg_trace_arrays *t, const void *p) {
  const int at = rank_of(t, (uintptr_t)p) - 1;
  if (at < 0 || !t->region[at].own || t->region[at].base != (uintptr_t)p) return FG_TRACE_OTHER;
  const int id = t->region[at].id;
  retire(t, at);
  return id;
}

/* ---- any address ------------------------------------------------------------------------------------------------- */

bool (*fg_trace_on_device)(const void *);

static const char *kind_of(uintptr_t address) {
  if (fg_trace_on_device && fg_trace_on_device((const void *)address)) return "device";
#if defined __GLIBC__ && __GLIBC_PREREQ(2, 35)
  struct dl_find_object object;
  if (!_dl_find_object((void *)address, &object)) return "static";
#else
  (void)address;
#endif
  return "foreign";
}

fg_trace_line fg_trace_arrays_line(const fg_trace_region *r) {
  fg_trace_line l = {.call = r->own ? FG_CALL_MALLOC : FG_CALL_ARRAY, .subject = r->id};
  l.precision = r->precision;
  l.value = r->own ? (long long)r->bytes : (long long)(r->base % PAGE);
  if (!r->own) strcpy(l.word, kind_of(r->base));
  return l;
}

static bool meets(const fg_trace_region *r, uintptr_t low, uintptr_t high) { return r->low <= high && r->high >= low; }

typedef struct {
  void (*tell)(const fg_trace_line *, void *);
  void *data;
} listener;

/* Regions behind the first that meets it, if they do too, become parts of it. */
static void join(fg_trace_arrays *t, int first, const listener *to) {
  while (first + 1 < t->count) {
    fg_trace_region *const whole = &t->region[first], *const part = whole + 1;
    if (part->own || !meets(part, whole->low, whole->high)) return;
    fg_trace_line l = {.call = FG_CALL_JOIN, .subject = part->id};
    l.at[0] = (fg_trace_ref){whole->id, (ptrdiff_t)(part->base - whole->base)};
    to->tell(&l, to->data);
    if (part->high > whole->high) whole->high = part->high;
    retire(t, first + 1);
  }
}

static fg_trace_ref ref_to(const fg_trace_region *r, uintptr_t address) {
  return (fg_trace_ref){r->id, (ptrdiff_t)(address - r->base)};
}

/* Where a range may begin behind that region (negative: none), so that it is found behind it, too: not within a block of
 * fftwf_malloc. */
static uintptr_t cut_behind(const fg_trace_arrays *t, int before, uintptr_t low) {
  const fg_trace_region *const r = before >= 0 ? &t->region[before] : NULL;
  if (!r) return low;
  const uintptr_t least = r->own ? r->high : r->low;
  return low < least ? least : low;
}

static fg_trace_ref introduce(fg_trace_arrays *t, uintptr_t address, uintptr_t low, uintptr_t high,
                              const listener *to) {
  make_room(t);
  const int before = rank_of(t, address) - 1;
  if (before >= 0 && t->region[before].own) low = cut_behind(t, before, low);
  fg_trace_region r = {low, high, address, 0, 0, false, FG_SINGLE};
  r.id = add(t, r);
  if (r.id < 0) return (fg_trace_ref){FG_TRACE_NULL, 0};
  const fg_trace_line l = fg_trace_arrays_line(&r);
  to->tell(&l, to->data);
  return ref_to(&r, address);
}

/* The first foreign region that meets [low, high), or -1.  One may begin before blocks of fftwf_malloc and end behind them. */
static int first_meeting(const fg_trace_arrays *t, uintptr_t low, uintptr_t high) {
  int found = -1;
  for (int i = rank_of(t, high) - 1; i >= 0 && (t->region[i].own || t->region[i].high >= low); i--)
    if (!t->region[i].own) found = i;
  return found;
}

/* The table stays sorted: a range that begins before a block of fftwf_malloc and goes on behind it is cut there. */
static void widen(fg_trace_arrays *t, int at, uintptr_t low, uintptr_t high) {
  fg_trace_region *const r = &t->region[at];
  low = cut_behind(t, at - 1, low);
  if (low < r->low) r->low = low;
  if (high > r->high) r->high = high;
}

fg_trace_ref fg_trace_arrays_find(fg_trace_arrays *t, const void *p, ptrdiff_t low, ptrdiff_t high,
                                  void (*tell)(const fg_trace_line *, void *), void *data) {
  const listener to = {tell, data};
  const uintptr_t address = (uintptr_t)p, from = address + (uintptr_t)low, until = address + (uintptr_t)high;
  if (!p) return (fg_trace_ref){FG_TRACE_NULL, 0};
  const int at = rank_of(t, address) - 1;
  fg_trace_region *const holder = at >= 0 && t->region[at].high > address ? &t->region[at] : NULL;
  if (holder && (holder->own || (holder->low <= from && holder->high >= until))) return ref_to(holder, address);
  const int first = first_meeting(t, from, until);
  if (first < 0) return introduce(t, address, from, until, &to);
  widen(t, first, from, until);
  join(t, first, &to);
  return ref_to(&t->region[first], address);
}

/* ---- what a transform touches ------------------------------------------------------------------------------------ */

/* A program may plan absurd sizes on pointers that it never uses: beyond what can be memory only the pointer counts. */
bool fg_trace_reach(const fg_problem *p, enum fg_side side, bool plane, ptrdiff_t *low, ptrdiff_t *high) {
  static const double most = (double)((ptrdiff_t)1 << 46);
  const ptrdiff_t real = (ptrdiff_t)fg_real_size(p->precision);
  const ptrdiff_t unit = fg_problem_complex_side(p, side) && p->format == FG_INTERLEAVED && !plane ? 2 : 1;
  double span = 0;
  ptrdiff_t from = 0, until = unit;
  for (int d = 0; d < p->transform.rank + p->batch.rank; d++) {
    const fg_dim *dim = d < p->transform.rank ? &p->transform.dim[d] : &p->batch.dim[d - p->transform.rank];
    const ptrdiff_t n = fg_problem_points(p, d, side), stride = fg_dim_stride(dim, side);
    if (n <= 1) continue;
    span += (double)(n - 1) * (double)(stride < 0 ? -stride : stride);
    if (span > most) break;
    *(stride < 0 ? &from : &until) += (n - 1) * stride;
  }
  *low = span > most ? 0 : from * real;
  *high = (span > most ? unit : until) * real;
  return !(span > most);
}

void fg_trace_arrays_clear(fg_trace_arrays *t) {
  free(t->region);
  free(t->used);
  *t = (fg_trace_arrays){0};
}
