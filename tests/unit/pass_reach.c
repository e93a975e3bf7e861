/* pass_reach.c: which elements of its arrays a pass reads and writes. */
#include "pass_reach.h"

#include <stdlib.h>

#include "src/pass/geometry.h"
#include "suite.h"

/* What one side says of the axes of a pass: the line, then its loops. */
typedef struct {
  ptrdiff_t n, stride, weight;
} axis;

ptrdiff_t test_pass_points(const fg_pass *p) { return fg_pass_is_rader(p) ? p->data : p->n; }

/* The d-th dimension of a line, which has one, or of a box, slowest first. */
static axis own_axis(const fg_pass *p, int d, enum fg_side side) {
  const fg_place *place = side == FG_INPUT ? &p->from : &p->to;
  const bool halves = fg_form_halves(place->form, place->row) && fg_pass_is_whole(p, side); /* a point is two elements */
  const ptrdiff_t n = halves ? place->row : test_pass_points(p);
  const ptrdiff_t stride = p->family != FG_FAMILY_TILE ? fg_dim_stride(&p->box[d], side) : 0;
  if (p->family != FG_FAMILY_TILE) return (axis){p->box[d].n, stride, fg_is_cut_chirp(p) ? stride : 0};
  return side == FG_INPUT ? (axis){n, p->in, p->load_weight} : (axis){n, p->out, p->store_weight};
}

static int own_axes(const fg_pass *p) { return p->family != FG_FAMILY_TILE ? p->dims : 1; }

static axis loop_axis(const fg_loop *l, enum fg_side side) {
  return side == FG_INPUT ? (axis){l->n, l->in, l->load} : (axis){l->n, l->out, l->store};
}

static bool limited(const fg_pass *p, enum fg_side side) {
  return side == FG_INPUT ? p->load_table.kind != FG_TABLE_NONE : p->store_table.kind != FG_TABLE_NONE;
}

static ptrdiff_t limit(const fg_pass *p, enum fg_side side) {
  return side == FG_INPUT ? p->load_limit : p->store_limit;
}

/* ---- ranges ---- */

static void extend(test_range *r, ptrdiff_t by) {
  if (by < 0) r->low += by;
  else r->high += by;
}

static void leave_out(test_range *r, ptrdiff_t by) {
  if (by < 0) r->low -= by;
  else r->high -= by;
}

/* The last of neighbouring strips may have fewer columns. */
static bool beyond_strip(const fg_pass *p, ptrdiff_t line, ptrdiff_t k) {
  return p->strip_rest && (line + 1) % p->loop[0].n == 0 && k % p->box[2].n >= p->strip_rest;
}

/* Axes with a weight run together along one line of positions: stride = ratio · weight for all of them. */
typedef struct {
  ptrdiff_t ratio, positions; /* positions: one more than the highest */
} along;

static void add_axis(test_range *r, along *line, bool weighted, axis a) {
  if (a.n == 1) return;
  if (!weighted || a.weight == 0) {
    extend(r, (a.n - 1) * a.stride);
    return;
  }
  ck_assert_int_eq(a.stride % a.weight, 0);
  if (line->positions > 1) ck_assert_int_eq(line->ratio, a.stride / a.weight);
  line->ratio = a.stride / a.weight;
  line->positions += (a.n - 1) * a.weight;
}

test_range test_pass_range(const fg_pass *p, enum fg_side side) {
  const ptrdiff_t offset = side == FG_INPUT ? p->from.offset : p->to.offset;
  test_range r = {offset, offset};
  along line = {0, 1};
  for (int d = 0; d < own_axes(p); d++) add_axis(&r, &line, limited(p, side), own_axis(p, d, side));
  for (int l = 0; l < p->loops; l++) add_axis(&r, &line, limited(p, side), loop_axis(&p->loop[l], side));
  if (p->strip_rest) leave_out(&r, (p->box[2].n - p->strip_rest) * own_axis(p, 2, side).stride);
  if (limited(p, side)) {
    const ptrdiff_t last = line.positions < limit(p, side) ? line.positions : limit(p, side);
    extend(&r, (last - 1) * line.ratio);
  }
  return r;
}

/* ---- elements ---- */

ptrdiff_t test_pass_element(const fg_pass *p, ptrdiff_t line, ptrdiff_t k, enum fg_side side) {
  ptrdiff_t element = side == FG_INPUT ? p->from.offset : p->to.offset, position = 0;
  if (beyond_strip(p, line, k)) return -1;
  for (int d = own_axes(p) - 1; d >= 0; d--) {
    const axis a = own_axis(p, d, side);
    element += k % a.n * a.stride;
    position += k % a.n * a.weight;
    k /= a.n;
  }
  for (int l = 0; l < p->loops; l++) {
    const axis a = loop_axis(&p->loop[l], side);
    element += line % a.n * a.stride;
    position += line % a.n * a.weight;
    line /= a.n;
  }
  return limited(p, side) && position >= limit(p, side) ? -1 : element;
}

/* For each element: the pass that wrote it last (0: none), and the line of it that did. */
typedef struct {
  ptrdiff_t size;
  struct {
    int pass;
    ptrdiff_t line;
  } *mark;
} traced;

/* Check's own assertions report each success too, which takes its time: here only failures are. */
static void trace_stores(const fg_pass *p, traced *to, int number) {
  for (ptrdiff_t line = 0; line < fg_pass_lines(p); line++)
    for (ptrdiff_t k = 0; k < test_pass_points(p); k++) {
      const ptrdiff_t e = test_pass_element(p, line, k, FG_OUTPUT);
      if (e == -1) continue;
      if (e < 0 || e >= to->size) ck_abort_msg("pass %d writes element %td of %td", number, e, to->size);
      if (to->mark[e].pass == number) ck_abort_msg("pass %d writes element %td twice", number, e);
      to->mark[e].pass = number;
      to->mark[e].line = line;
    }
}

static void check_load(const traced *from, int number, ptrdiff_t e, ptrdiff_t line, bool stored) {
  if (e < 0 || e >= from->size) ck_abort_msg("pass %d reads element %td of %td", number, e, from->size);
  if (!from->mark[e].pass) ck_abort_msg("pass %d reads element %td, which nobody wrote", number, e);
  if (stored && from->mark[e].pass == number && from->mark[e].line != line)
    ck_abort_msg("pass %d reads element %td, which another line of it writes", number, e);
}

/* Before the stores: everything must be there.  After them, in place: only what the same line wrote may be gone. */
static void trace_loads(const fg_pass *p, const traced *from, int number, bool stored) {
  for (ptrdiff_t line = 0; line < fg_pass_lines(p); line++)
    for (ptrdiff_t k = 0; k < test_pass_points(p); k++) {
      const ptrdiff_t e = test_pass_element(p, line, k, FG_INPUT);
      if (e != -1) check_load(from, number, e, line, stored);
    }
}

void test_passes_trace(const fg_passes *list, ptrdiff_t in_elements, ptrdiff_t out_elements) {
  traced array[FG_ARRAYS] = {
      {in_elements, NULL}, {out_elements, NULL}, {list->scratch[0], NULL}, {list->scratch[1], NULL}};
  for (int a = 0; a < FG_ARRAYS; a++) array[a].mark = calloc((size_t)array[a].size + 1, sizeof *array[a].mark);
  for (ptrdiff_t e = 0; e < in_elements; e++) array[FG_ARRAY_IN].mark[e].pass = -1;
  for (int i = 0; i < list->count; i++) {
    const fg_pass *p = &list->pass[i];
    ck_assert_msg(p->to.array != FG_ARRAY_IN, "pass %d writes the input", i + 1);
    trace_loads(p, &array[p->from.array], i + 1, false);
    trace_stores(p, &array[p->to.array], i + 1);
    trace_loads(p, &array[p->from.array], i + 1, true);
  }
  for (ptrdiff_t e = 0; e < out_elements; e++)
    if (!array[FG_ARRAY_OUT].mark[e].pass) ck_abort_msg("element %td of the output was never written", e);
  for (int a = 0; a < FG_ARRAYS; a++) free(array[a].mark);
}
