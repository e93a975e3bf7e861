/* replay_arrays.c: memory like the program's: of the same kind and alignment, shared and overlapping as it was, with
 * numbers that are the same in each replay. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/bench.h"
#include "src/cli/replay.h"

enum { PAGE = 4096, NUMBERS = (1 << 16) + 1 };

/* Numbers grow by the square root of n in each transform.  From here on they would come near the end of the floats
 * within the next one. */
static const double largest = 15;

static fg_replay_item *whole_of(fg_replay_item *a) {
  while (a->whole) a = a->whole;
  return a;
}

static fg_replay_memory memory;

void fg_replay_memory_from(const fg_replay_memory *from) { memory = *from; }

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

static size_t pages(ptrdiff_t bytes) { return ((size_t)bytes + PAGE - 1) / PAGE * PAGE; }

static bool own(const fg_replay_item *a) { return a->line.call == FG_CALL_MALLOC; }

/* Memory of a device, or managed.  Where there is no device it is the host's. */
static bool device(const fg_replay_item *a) {
  return memory.device_malloc && a->line.call == FG_CALL_ARRAY && !strcmp(a->line.word, "device");
}

/* What offsets count from has the address, mod 4096, that it had in the program. */
static void allocate(fg_replay_item *a) {
  const size_t before = pages(-a->low), mod = own(a) ? 0 : (size_t)a->line.value % PAGE;
  const size_t bytes = before + mod + (size_t)a->high;
  void *block = NULL;
  if (own(a)) block = memory.malloc[a->line.precision](bytes);
  else if (!device(a)) block = posix_memalign(&block, PAGE, bytes) ? NULL : block;
  else if (memory.device_malloc(&block, bytes)) block = NULL;
  a->block = block;
  a->base = block ? a->block + before + mod : NULL;
}

char *fg_replay_base(fg_replay_item *a) {
  ptrdiff_t delta = 0;
  for (; a->whole; a = a->whole) delta += a->delta;
  if (!a->block) allocate(a);
  return a->block ? a->base + delta : NULL;
}

void fg_replay_release(fg_replay_item *a) {
  if (a->block && own(a)) memory.free[a->line.precision](a->block);
  else if (a->block && device(a)) memory.device_free(a->block);
  else free(a->block);
  a->block = a->base = NULL;
  a->filled = false;
}

const char *fg_replay_view(const fg_replay_item *a, const char *at, char **copy) {
  *copy = NULL;
  while (a->whole) a = a->whole;
  if (!device(a)) return at;
  const char *const first = a->base + a->low;
  const size_t bytes = (size_t)(a->high - a->low);
  *copy = malloc(bytes);
  return *copy && !memory.device_copy(*copy, first, bytes) ? *copy + (at - first) : NULL;
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/* The same numbers in both precisions; *bytes of them. */
static const char *numbers_of(enum fg_precision precision, size_t *bytes) {
  static float single[NUMBERS];
  static double twice[NUMBERS];
  if (single[0] == 0) {
    fg_bench_random(single, NUMBERS, 1, 1);
    for (int i = 0; i < NUMBERS; i++) twice[i] = single[i];
  }
  *bytes = NUMBERS * fg_real_size(precision);
  return precision == FG_SINGLE ? (const char *)single : (const char *)twice;
}

/* Copied from one table, each array from a place of its own: this must not take longer than the transforms. */
static void fill(const fg_replay_item *a, enum fg_precision precision, char *to, size_t bytes) {
  size_t all;
  const char *const numbers = numbers_of(precision, &all);
  const size_t real = fg_real_size(precision), before = (size_t)(to - (a->base + a->low)) / real;
  size_t at = ((size_t)a->number * 977 + before) % NUMBERS * real;
  while (bytes) {
    const size_t piece = all - at < bytes ? all - at : bytes;
    if (device(a)) memory.device_copy(to, numbers + at, piece);
    else memcpy(to, numbers + at, piece);
    to += piece;
    bytes -= piece;
    at = 0;
  }
}

static void fill_whole(fg_replay_item *a, enum fg_precision precision) {
  fill(a, precision, a->base + a->low, (size_t)(a->high - a->low));
  a->filled = true;
  a->holds = precision;
  a->spoiled = false;
  a->magnitude = 0;
  a->renewed = 0;
}

/* The whole array for each of its many parts would take long, parts alone for ever would break chains of transforms. */
void fg_replay_ready(fg_replay_item *a, const fg_problem *p, bool input, char *from, size_t bytes) {
  a = whole_of(a);
  if (!fg_replay_base(a)) return; /* which its use will tell */
  const bool other = !a->filled || a->holds != p->precision, useless = other || a->spoiled || a->magnitude > largest;
  if (a->filled && !(input && useless)) return;
  if (from) a->renewed += bytes;
  if (other || !from || a->renewed >= (size_t)(a->high - a->low)) fill_whole(a, p->precision);
  else fill(a, p->precision, from, bytes);
}

void fg_replay_spoil(fg_replay_item *a) { whole_of(a)->spoiled = true; }

/* FFTW keeps the input, by default, of all but c2r and of r2r with such a dimension. */
static bool spoils_input(const fg_problem *p) {
  if (p->flags & FG_PRESERVE_INPUT) return false;
  if (p->flags & FG_DESTROY_INPUT || p->kind == FG_C2R) return true;
  for (int d = 0; p->kind == FG_R2R && d < p->transform.rank; d++)
    if (p->r2r_kind[d] == 1) return true;
  return false;
}

void fg_replay_transformed(const fg_problem *p, fg_replay_item *in, fg_replay_item *out, bool in_place) {
  const double growth = log10(2 * (double)fg_tensor_size(&p->transform)) / 2;
  in = whole_of(in);
  out = whole_of(out);
  const double magnitude = in->magnitude + growth;
  const double covered = (double)fg_problem_elements(p, FG_OUTPUT) * (fg_problem_complex_side(p, FG_OUTPUT) ? 2 : 1) *
                         (double)fg_real_size(p->precision);
  const bool all = covered >= (double)(out->high - out->low);
  if (all || magnitude > out->magnitude) out->magnitude = magnitude;
  if (all) {
    out->spoiled = false;
    out->holds = p->precision;
  }
  /* In place, c2r leaves something or other in the padding of its rows. */
  if (in_place ? p->kind == FG_C2R : spoils_input(p)) in->spoiled = true;
}
