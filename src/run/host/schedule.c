/* schedule.c: cutting a problem into pieces.
 *
 * A batch is cut along its outermost dimension: the same range of one loop of every pass. One large transform is cut
 * where its first pass may begin before all of the input has come, and where its last pass has finished parts of the
 * output. */
#include "src/run/host/schedule.h"

#include <math.h>
#include <stdlib.h>

#include "src/problem/span.h"

int fg_schedule_pieces = 0;

/* Measured on the reference H200 (doc/measurements.md). */
static const double link = 55e9;         /* bytes per second, one way */
static const double piece_cost = 7e-6;   /* seconds that one more piece costs */
enum { MOST_PIECES = 64 };

/* ---- where to cut ---- */

typedef struct {
  int batch;                /* the dimension that is cut */
  ptrdiff_t units;          /* its points */
  int loop[FG_MAX_PASSES];  /* of each pass: the loop it is, or is merged into */
  ptrdiff_t per[FG_MAX_PASSES]; /* indices of that loop for each unit */
} batch_cut;

/* The loop of p that steps from unit to unit of the cut dimension, step elements apart where the pass reads. */
static bool find_loop(const fg_pass *p, ptrdiff_t units, long long step, int *loop, ptrdiff_t *per) {
  for (int l = 0; l < p->loops; l++) {
    const fg_loop *at = &p->loop[l];
    if (at->n % units || at->in * (at->n / units) != step) continue;
    if (at->twiddle || at->load || at->store) continue;
    *loop = l;
    *per = (ptrdiff_t)(at->n / units);
    return true;
  }
  return false;
}

/* Follow the dimension from array to array through the passes. */
static bool follow(const fg_passes *passes, long long step_in, long long step_out, batch_cut *cut) {
  long long step[FG_ARRAYS] = {[FG_ARRAY_IN] = step_in};
  for (int i = 0; i < passes->count; i++) {
    const fg_pass *p = &passes->pass[i];
    const long long from = step[p->from.array];
    if (!from || !find_loop(p, cut->units, from, &cut->loop[i], &cut->per[i])) return false;
    step[p->to.array] = p->loop[cut->loop[i]].out * cut->per[i];
  }
  return step[FG_ARRAY_OUT] == step_out;
}

/* A dimension of the batch that is outermost in both images. */
static bool cut_batch(const fg_problem *p, const fg_layout *in, const fg_layout *out, const fg_passes *passes,
                      batch_cut *cut) {
  for (int b = 0; b < p->batch.rank; b++) {
    const int d = p->transform.rank + b;
    cut->batch = b;
    cut->units = p->batch.dim[b].n;
    if (cut->units < 2 || in->stride[d] * cut->units != in->elements || out->stride[d] * cut->units != out->elements)
      continue;
    if (follow(passes, in->stride[d], out->stride[d], cut)) return true;
  }
  return false;
}

/* From the first to the last element of a line or a box; negative if it runs backwards in memory. */
static long long reach_of(const fg_pass *p, enum fg_side side) {
  const fg_place *const place = side == FG_INPUT ? &p->from : &p->to;
  const bool halves = fg_form_halves(place->form, place->row) && fg_pass_is_whole(p, side); /* a point is two elements */
  const ptrdiff_t row = halves ? place->row : fg_pass_row(p);
  if (p->family == FG_FAMILY_TILE) return (row - 1) * (long long)(side == FG_INPUT ? p->in : p->out);
  long long reach = 0;
  for (int d = 0; d < p->dims; d++) {
    const long long stride = side == FG_INPUT ? p->box[d].is : p->box[d].os;
    if (stride < 0) return -1;
    reach += (fg_pass_box_elements(p, d, side) - 1) * stride;
  }
  return reach;
}

/* The loop of p whose indices one after the other own consecutive stretches of one side's image, from its beginning; -1
 * if there is none. */
static int slab_loop(const fg_pass *p, enum fg_side side, ptrdiff_t elements) {
  const fg_place *place = side == FG_INPUT ? &p->from : &p->to;
  const bool tables = side == FG_INPUT ? p->load_table.kind : p->store_table.kind;
  if (place->offset != 0 || tables) return -1;
  for (int l = 0; l < p->loops; l++) {
    const fg_loop *at = &p->loop[l];
    const long long stride = side == FG_INPUT ? at->in : at->out;
    long long reach = reach_of(p, side);
    bool ahead = reach >= 0 && !at->twiddle && !at->load && !at->store && stride * at->n == elements;
    for (int o = 0; o < p->loops; o++) {
      const long long other = side == FG_INPUT ? p->loop[o].in : p->loop[o].out;
      ahead = ahead && other > 0;
      if (o != l) reach += (p->loop[o].n - 1) * other;
    }
    if (ahead && reach < stride) return l;
  }
  return -1;
}

/* ---- how many pieces ---- */

static ptrdiff_t clamp(double x, double low, double high) {
  return (ptrdiff_t)(x < low ? low : x > high ? high : x);
}

/* The last piece leaves alone, bytes ÷ pieces ÷ link; every piece costs: the sum is least at the root of
 * their ratio. */
static ptrdiff_t batch_pieces(ptrdiff_t units, double bytes) {
  if (fg_schedule_pieces) return clamp(fg_schedule_pieces, 1, (double)units);
  return clamp(round(sqrt(bytes / link / piece_cost)), 1, units < MOST_PIECES ? (double)units : MOST_PIECES);
}

/* Of the pass only the last slab's share is not hidden behind the link. */
static ptrdiff_t slab_pieces(const fg_pass *p, int loop, const fg_device_info *device) {
  if (loop < 0) return 1;
  const double n = (double)p->loop[loop].n;
  if (fg_schedule_pieces) return clamp(fg_schedule_pieces, 1, n);
  return clamp(round(sqrt(fg_pass_cost(p, device) / piece_cost)), 1, n < MOST_PIECES ? n : MOST_PIECES);
}

/* ---- the steps ---- */

static void add(fg_schedule *s, fg_step step) { s->step[s->count++] = step; }

/* Units before piece i of so many. */
static ptrdiff_t before(ptrdiff_t units, ptrdiff_t pieces, ptrdiff_t i) {
  return units / pieces * i + (i < units % pieces ? i : units % pieces);
}

static void add_batches(fg_schedule *s, const batch_cut *cut, const fg_layout *in, const fg_layout *out,
                        const fg_passes *passes, ptrdiff_t pieces) {
  const ptrdiff_t each_in = in->elements / cut->units, each_out = out->elements / cut->units;
  for (ptrdiff_t i = 0; i < pieces; i++) {
    const ptrdiff_t first = before(cut->units, pieces, i), count = before(cut->units, pieces, i + 1) - first;
    add(s, (fg_step){FG_ARRIVE, 0, -1, first * each_in, count * each_in});
    for (int k = 0; k < passes->count; k++)
      add(s, (fg_step){FG_LAUNCH, k, cut->loop[k], first * cut->per[k], count * cut->per[k]});
    add(s, (fg_step){FG_LEAVE, 0, -1, first * each_out, count * each_out});
  }
}

/* One pass, cut where it meets the input (by arrivals before) or the output (departures after), or both at once. */
static void add_slabs(fg_schedule *s, const fg_passes *passes, int k, int loop, ptrdiff_t pieces,
                      enum fg_step_kind kind) {
  const fg_pass *p = &passes->pass[k];
  const ptrdiff_t units = (ptrdiff_t)p->loop[loop].n;
  const ptrdiff_t each = (ptrdiff_t)(kind == FG_ARRIVE ? p->loop[loop].in : p->loop[loop].out);
  for (ptrdiff_t i = 0; i < pieces; i++) {
    const ptrdiff_t first = before(units, pieces, i), count = before(units, pieces, i + 1) - first;
    if (kind == FG_ARRIVE) add(s, (fg_step){FG_ARRIVE, 0, -1, first * each, count * each});
    add(s, (fg_step){FG_LAUNCH, k, loop, first, count});
    if (kind == FG_LEAVE) add(s, (fg_step){FG_LEAVE, 0, -1, first * each, count * each});
  }
}

static void add_one(fg_schedule *s, const fg_layout *in, const fg_layout *out, const fg_passes *passes,
                    const fg_device_info *device) {
  const int last = passes->count - 1;
  const int come = slab_loop(&passes->pass[0], FG_INPUT, in->elements);
  const int go = last > 0 ? slab_loop(&passes->pass[last], FG_OUTPUT, out->elements) : -1;
  const ptrdiff_t in_pieces = slab_pieces(&passes->pass[0], come, device);
  const ptrdiff_t out_pieces = slab_pieces(&passes->pass[last], go, device);
  const bool cut_in = in_pieces > 1, cut_out = out_pieces > 1;
  if (!cut_in) add(s, (fg_step){FG_ARRIVE, 0, -1, 0, in->elements});
  else add_slabs(s, passes, 0, come, in_pieces, FG_ARRIVE);
  for (int k = cut_in; k < passes->count - cut_out; k++) add(s, (fg_step){FG_LAUNCH, k, -1, 0, 0});
  if (cut_out) add_slabs(s, passes, last, go, out_pieces, FG_LEAVE);
  else add(s, (fg_step){FG_LEAVE, 0, -1, 0, out->elements});
  s->whole = !cut_in && !cut_out;
}

static bool same_strides(const fg_problem *p) {
  for (int d = 0; d < p->transform.rank; d++)
    if (p->transform.dim[d].is != p->transform.dim[d].os) return false;
  for (int d = 0; d < p->batch.rank; d++)
    if (p->batch.dim[d].is != p->batch.dim[d].os) return false;
  return true;
}

/* In place each output element lies where an input element of its own piece did, or where none does. */
static bool in_same_places(const fg_problem *p, int batch) {
  if (p->kind == FG_DFT || p->kind == FG_R2R) return same_strides(p);
  return p->format == FG_INTERLEAVED && fg_span_apart(p, batch);
}

fg_schedule *fg_schedule_make(const fg_problem *p, const fg_layout *in, const fg_layout *out, const fg_passes *passes,
                              const fg_device_info *device) {
  batch_cut cut;
  const size_t most = (size_t)MOST_PIECES * ((size_t)passes->count + 2);
  fg_schedule *s = calloc(1, sizeof *s + most * sizeof *s->step);
  if (!s) return NULL;
  const double in_bytes = (double)in->elements * (double)fg_layout_element_size(in) * (in->split ? 2 : 1);
  const double out_bytes = (double)out->elements * (double)fg_layout_element_size(out) * (out->split ? 2 : 1);
  s->in_batches = cut_batch(p, in, out, passes, &cut);
  const ptrdiff_t pieces = s->in_batches ? batch_pieces(cut.units, in_bytes < out_bytes ? in_bytes : out_bytes) : 1;
  s->in_batches = pieces > 1;
  s->same_places = s->in_batches && in_same_places(p, cut.batch);
  if (s->in_batches) {
    s->batch = cut.batch;
    s->units = cut.units;
    add_batches(s, &cut, in, out, passes, pieces);
  } else {
    add_one(s, in, out, passes, device);
  }
  return s;
}
