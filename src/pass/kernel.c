/* kernel.c: from a pass to its kernel. */
#include "src/pass/kernel.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "src/pass/geometry.h"

static int print_list(char *text, size_t size, const char *name, const fg_pass *p, bool columns) {
  int at = snprintf(text, size, "#define %s ", name);
  for (int s = 0; s < p->stages; s++)
    at += snprintf(text + at, size - (size_t)at, "%s%d", s ? "," : "", columns ? p->column[s] : p->radix[s]);
  return at + snprintf(text + at, size - (size_t)at, "\n");
}

fg_kernel_request fg_kernel_request_of(const fg_pass *p, char *defines) {
  const struct {
    const char *name;
    long long value;
  } constants[] = {
      {"FG_N", p->n},
      {"FG_LINES", p->lines},
      {"FG_THREADS", p->threads},
      {"FG_BLOCKS_SM", p->blocks_sm},
      {"FG_STAGES", p->stages},
      {"FG_TILE_POINTS", fg_geometry_tile_points(p)},
      {"FG_BACKWARD", p->sign == FG_BACKWARD},
      {"FG_IN_SPLIT", p->from.split},
      {"FG_OUT_SPLIT", p->to.split},
      {"FG_IN_UNIT", p->in == 1},
      {"FG_OUT_UNIT", p->out == 1},
      {"FG_TWIDDLE", p->twiddle != 0},
      {"FG_LOAD_TABLE", p->load_table.kind != FG_TABLE_NONE},
      {"FG_STORE_TABLE", p->store_table.kind != FG_TABLE_NONE},
      {"FG_CONVOLVE", p->filter.kind != FG_TABLE_NONE},
      {"FG_LOOPS", p->loops},
      {"FG_WIDE", fg_pass_lines(p) > INT_MAX - p->lines},
  };
  int at = snprintf(defines, FG_DEFINES_SIZE, "#define FG_REAL %s\n", p->precision == FG_SINGLE ? "float" : "double");
  for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
    at += snprintf(defines + at, FG_DEFINES_SIZE - (size_t)at, "#define %s %lld\n", constants[i].name, constants[i].value);
  at += print_list(defines + at, FG_DEFINES_SIZE - (size_t)at, "FG_RADICES", p, false);
  print_list(defines + at, FG_DEFINES_SIZE - (size_t)at, "FG_COLUMNS", p, true);
  return (fg_kernel_request){"tile.cu", defines, "fg_tile", fg_geometry_shared(p)};
}

static fg_table stages_table(const fg_pass *p) {
  fg_table t = {.kind = FG_TABLE_STAGES, .precision = p->precision, .n = p->n};
  t.mirrored = p->filter.kind != FG_TABLE_NONE;
  for (int s = 0; s < p->stages; s++)
    if (p->radix[s] > 1) t.radix[t.stages++] = p->radix[s];
  if (t.stages < 2) t.kind = FG_TABLE_NONE;
  return t;
}

/* High and low parts of the exponent get half of its bits each. */
static int twiddle_shift(ptrdiff_t n) {
  int bits = 0;
  while (((ptrdiff_t)1 << bits) < n) bits++;
  return (bits + 1) / 2;
}

static fg_table twiddle_table(const fg_pass *p, enum fg_table_kind kind) {
  if (p->twiddle == 0) return (fg_table){0};
  return (fg_table){.kind = kind, .precision = p->precision, .n = p->twiddle, .shift = twiddle_shift(p->twiddle)};
}

void fg_pass_table_list(const fg_pass *p, fg_table list[6]) {
  list[0] = stages_table(p);
  list[1] = twiddle_table(p, FG_TABLE_HIGH);
  list[2] = twiddle_table(p, FG_TABLE_LOW);
  list[3] = p->load_table;
  list[4] = p->store_table;
  list[5] = p->filter;
}

/* The first element of a pass's side in device memory: plane's bytes are real or complex by the layout. */
static void *element(const fg_pass *p, void *plane, const fg_place *at) {
  const size_t size = fg_real_size(p->precision) * (at->split ? 1 : 2);
  return plane ? (char *)plane + at->offset * (ptrdiff_t)size : NULL;
}

fg_tile_args fg_kernel_args(const fg_pass *p, const fg_planes arrays[FG_ARRAYS], const fg_pass_tables *t) {
  fg_tile_args a;
  memset(&a, 0, sizeof a);
  a.in_re = element(p, arrays[p->from.array].re, &p->from);
  a.in_im = element(p, arrays[p->from.array].im, &p->from);
  a.out_re = element(p, arrays[p->to.array].re, &p->to);
  a.out_im = element(p, arrays[p->to.array].im, &p->to);
  a.lines = fg_pass_lines(p);
  a.in = p->in;
  a.out = p->out;
  a.load_weight = p->load_weight;
  a.store_weight = p->store_weight;
  a.load_limit = p->load_limit;
  a.store_limit = p->store_limit;
  a.stages = t->stages;
  a.high = t->high;
  a.low = t->low;
  a.load_table = t->load;
  a.store_table = t->store;
  a.filter = t->filter;
  if (p->twiddle) {
    a.shift = (unsigned)twiddle_shift(p->twiddle);
    a.mask = (1u << a.shift) - 1;
  }
  memcpy(a.loop, p->loop, (size_t)p->loops * sizeof *p->loop);
  return a;
}

unsigned fg_kernel_grid(const fg_pass *p) { return (unsigned)((fg_pass_lines(p) + p->lines - 1) / p->lines); }
