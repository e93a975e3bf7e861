/* bench_check.c: whether a case's result is right: against FFTW in double precision or by a round trip, and whether
 * another library computes the same. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/bench_device.h"

/* Elements: beyond, FFTW in double would take too much time and memory. */
enum { MOST_CHECKED = 1 << 24 };

/* ---- the inverse ---- */

static int inverse_kind(int kind) {
  switch (kind) {
    case FG_KIND_R2HC: return FG_KIND_HC2R;
    case FG_KIND_HC2R: return FG_KIND_R2HC;
    case FG_KIND_REDFT01: return FG_KIND_REDFT10;
    case FG_KIND_REDFT10: return FG_KIND_REDFT01;
    case FG_KIND_RODFT01: return FG_KIND_RODFT10;
    case FG_KIND_RODFT10: return FG_KIND_RODFT01;
    default: return kind;
  }
}

/* What a transform there and back multiplies by, of one dimension: FFTW's manual, "1d Real-even DFTs". */
static double factor(const fg_problem *p, int d) {
  const ptrdiff_t n = p->transform.dim[d].n;
  if (p->kind != FG_R2R || p->r2r_kind[d] <= FG_KIND_DHT) return (double)n;
  return 2 * (double)fg_kind_length((enum fg_r2r_kind)p->r2r_kind[d], n);
}

static void exchange(fg_tensor *to, const fg_tensor *from) {
  for (int d = 0; d < from->rank; d++) to->dim[d] = (fg_dim){from->dim[d].n, from->dim[d].os, from->dim[d].is};
}

/* The problem that undoes p. */
static fg_problem *inverse_of(const fg_problem *p) {
  fg_problem *q = fg_problem_copy(p);
  if (!q) return NULL;
  exchange(&q->transform, &p->transform);
  exchange(&q->batch, &p->batch);
  if (p->kind == FG_R2C) q->kind = FG_C2R;
  if (p->kind == FG_C2R) q->kind = FG_R2C;
  if (p->kind != FG_R2R) q->sign = -p->sign;
  for (int d = 0; p->kind == FG_R2R && d < p->transform.rank; d++) q->r2r_kind[d] = inverse_kind(p->r2r_kind[d]);
  q->arrays = (fg_arrays){p->arrays.out_re, p->arrays.out_im, p->arrays.in_re, p->arrays.in_im};
  return q;
}

/* From the output back over the input. */
static const char *back(fg_bench_subject *s) {
  fg_bench_runner undo = {0};
  fg_problem *q = inverse_of(s->p);
  const char *why = q ? fg_bench_runner_make(s->b->target, q, &undo) : "out of memory";
  if (!why && fg_bench_execute(s, &undo, s->out_block, s->in_block) != FG_OK) why = fg_backend_message();
  if (!why && s->b->target->backend->stream_wait(s->b->target->device, s->b->stream) != FG_OK)
    why = fg_backend_message();
  fg_bench_runner_free(s->b->target, &undo);
  fg_problem_free(q);
  return why;
}

/* ---- comparing ---- */

typedef struct {
  enum fg_precision precision;
  const double *reference;
  double scale;
  fg_bench_error error;
} comparison;

static int compare_part(const fg_bench_bed *b, char *device, size_t count, uint64_t first, int step, void *context) {
  const fg_target *t = b->target;
  comparison *c = context;
  const size_t bytes = count * fg_real_size(c->precision);
  int code = t->backend->copy_out(t->device, b->staging, device, bytes, b->stream);
  if (code == FG_OK) code = t->backend->stream_wait(t->device, b->stream);
  if (code == FG_OK) 
    fg_bench_compare(&c->error, b->staging, c->precision, count, first, step, c->reference, c->scale);
  return code;
}

typedef struct {
  enum fg_precision precision;
  char *reals;
} kept;

static int keep_part(const fg_bench_bed *b, char *device, size_t count, uint64_t first, int step, void *context) {
  const fg_target *t = b->target;
  const kept *k = context;
  const size_t real = fg_real_size(k->precision);
  int code = t->backend->copy_out(t->device, b->staging, device, count * real, b->stream);
  if (code == FG_OK) code = t->backend->stream_wait(t->device, b->stream);
  for (size_t i = 0; code == FG_OK && i < count; i++)
    memcpy(k->reals + (first + i * (uint64_t)step) * real, (char *)b->staging + i * real, real);
  return code;
}

/* The transform in double precision of what is in the first input array; NULL if that cannot be had. */
static double *reference_of(fg_bench_subject *s) {
  if (s->in.elements > MOST_CHECKED || s->out.elements > MOST_CHECKED) return NULL;
  const size_t reals = (size_t)(s->in.elements * s->in.unit * (s->in.split ? 2 : 1));
  kept k = {s->p->precision, malloc(reals * fg_real_size(s->p->precision))};
  double *reference = NULL;
  if (k.reals && fg_bench_each_part(s->b, &s->in, s->in_block, keep_part, &k) == FG_OK)
    reference = fg_bench_reference(s->p, &s->in, &s->out, k.reals);
  free(k.reals);
  return reference;
}

/* Test data; the half spectrum of some where the input must be one: what a c2r transform makes of other input is not
 * defined in more than one dimension. */
static const char *make_input(fg_bench_subject *s) {
  const bool spectrum = s->p->kind == FG_C2R;
  const int code = fg_bench_fill(s->b, spectrum ? &s->out : &s->in, spectrum ? s->out_block : s->in_block);
  if (code != FG_OK) return fg_backend_message();
  return spectrum ? back(s) : NULL;
}

static const char *compare(fg_bench_subject *s, comparison *c) {
  const bool out = c->reference || s->p->kind == FG_C2R; /* c2r is half of a round trip already */
  const char *why = out ? NULL : back(s);
  if (why) return why;
  const int code = fg_bench_each_part(s->b, out ? &s->out : &s->in, out ? s->out_block : s->in_block, compare_part, c);
  return code == FG_OK ? NULL : fg_backend_message();
}

const char *fg_bench_check(fg_bench_subject *s, double *error, bool *by_round_trip) {
  const char *why = make_input(s);
  if (why) return why;
  double *reference = reference_of(s);
  comparison c = {.precision = s->p->precision, .reference = reference, .scale = 1};
  for (int d = 0; d < s->p->transform.rank; d++) c.scale *= factor(s->p, d);
  *by_round_trip = !reference;
  if (fg_bench_execute(s, &s->forward, s->in_block, s->out_block) != FG_OK) why = fg_backend_message();
  else why = compare(s, &c);
  free(reference);
  if (why) return why;
  *error = fg_bench_relative(&c.error);
  if (!(*error < fg_bench_wrong(s->p->precision))) return "WRONG RESULT";
  if (s->p->kind == FG_C2R || !*by_round_trip) return NULL;
  return make_input(s); /* the round trip's end is too large a number to begin with */
}

/* ---- another library's result ---- */

typedef struct {
  enum fg_precision precision;
  double ours, theirs, both; /* sums of products */
  const char *image, *other;
  uint64_t reals;
} likeness;

/* Of the first and the last part: a batch that was not done shows at its end. */
static int liken_part(const fg_bench_bed *b, char *device, size_t count, uint64_t first, int step, void *context) {
  const fg_target *t = b->target;
  likeness *l = context;
  if (first > 0 && first + count * (uint64_t)step < l->reals) return FG_OK;
  const size_t bytes = count * fg_real_size(l->precision);
  void *const other = malloc(bytes);
  int code = other ? FG_OK : fg_backend_fail(FG_ENOMEM, "out of memory");
  if (code == FG_OK) code = t->backend->copy_out(t->device, b->staging, device, bytes, b->stream);
  if (code == FG_OK)
    code = t->backend->copy_out(t->device, other, l->other + (device - l->image), bytes, b->stream);
  if (code == FG_OK) code = t->backend->stream_wait(t->device, b->stream);
  for (size_t i = 0; code == FG_OK && i < count; i++) {
    const double x = fg_bench_real(b->staging, l->precision, i), y = fg_bench_real(other, l->precision, i);
    l->ours += x * x;
    l->theirs += y * y;
    l->both += x * y;
  }
  free(other);
  return code;
}

double fg_bench_distance(fg_bench_subject *s) {
  const fg_target *t = s->b->target;
  char *in = NULL, *out = NULL;
  int code = t->backend->memory_alloc(t->device, s->stride, (void **)&in);
  if (code == FG_OK) code = t->backend->memory_alloc(t->device, s->stride, (void **)&out);
  if (code == FG_OK) code = t->backend->copy_within(t->device, in, s->in_block, s->in_bytes, s->b->stream);
  if (code == FG_OK) code = fg_bench_execute(s, &s->forward, s->in_block, s->out_block);
  if (code == FG_OK && !s->peer->execute(s->peer, in, out)) code = FG_ELAUNCH;
  likeness l = {.precision = s->p->precision, .image = s->out_block, .other = out};
  l.reals = (uint64_t)(s->out.elements * s->out.unit);
  if (code == FG_OK) code = fg_bench_each_part(s->b, &s->out, s->out_block, liken_part, &l);
  t->backend->memory_free(t->device, in);
  t->backend->memory_free(t->device, out);
  if (code != FG_OK || !(l.theirs > 0)) return NAN;
  const double left = 1 - l.both * l.both / (l.ours * l.theirs);
  return sqrt(left > 0 ? left : 0);
}
