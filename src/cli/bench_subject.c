/* bench_subject.c: one case of `fftw3-gpu bench --device`: its program, its arrays on the device, what is in them. */
#include <stdlib.h>
#include <string.h>

#include "src/cli/bench_device.h"
#include "src/plan/planner.h"
#include "src/run/host/transfer.h"

/* ---- programs ---- */

void fg_bench_runner_free(const fg_target *t, fg_bench_runner *r) {
  fg_program_destroy(r->program);
  for (int i = 0; i < 2; i++) t->backend->memory_free(t->device, r->scratch[i]);
  *r = (fg_bench_runner){0};
}

const char *fg_bench_runner_make(const fg_target *t, const fg_problem *p, fg_bench_runner *r) {
  const char *why = "out of memory";
  fg_passes *passes = calloc(1, sizeof *passes);
  if (passes && fg_planner_plan(p, t->info, passes, &why)) r->program = fg_program_create(t, p, passes, &why);
  free(passes);
  if (!r->program) return why;
  const size_t *bytes = fg_program_bytes(r->program);
  for (int i = 0; i < 2; i++) {
    const size_t needed = bytes[FG_ARRAY_SCRATCH0 + i];
    if (needed && t->backend->memory_alloc(t->device, needed, &r->scratch[i]) != FG_OK) return fg_backend_message();
  }
  return NULL;
}

int fg_bench_runner_launch(const fg_bench_bed *b, const fg_bench_runner *r, void *in, void *out) {
  void *const arrays[FG_ARRAYS] = {in, out, r->scratch[0], r->scratch[1]};
  return fg_program_launch(r->program, arrays, b->stream);
}

int fg_bench_execute(fg_bench_subject *s, const fg_bench_runner *r, void *from, void *to) {
  const fg_target *t = s->b->target;
  int code = FG_OK;
  if (s->in_place) {
    code = t->backend->copy_within(t->device, to, from, s->stride, s->b->stream);
    from = to;
  }
  return code == FG_OK ? fg_bench_runner_launch(s->b, r, from, to) : code;
}

/* ---- data ---- */

int fg_bench_each_part(const fg_bench_bed *b, const fg_layout *l, void *image, fg_bench_part *f, void *context) {
  const size_t reals = (size_t)(l->elements * l->unit), real = fg_real_size(l->precision);
  const size_t most = FG_BENCH_STAGING / real;
  const int step = l->split ? 2 : 1;
  for (int plane = 0; plane < step; plane++)
    for (size_t at = 0; at < reals; at += most) {
      const size_t count = reals - at < most ? reals - at : most;
      char *const device = (char *)fg_transfer_plane(l, image, plane) + at * real;
      const int code = f(b, device, count, at * (size_t)step + (size_t)plane, step, context);
      if (code != FG_OK) return code;
    }
  return FG_OK;
}

static int fill_part(const fg_bench_bed *b, char *device, size_t count, uint64_t first, int step, void *context) {
  const fg_target *t = b->target;
  const enum fg_precision *precision = context;
  if (*precision == FG_SINGLE) fg_bench_random(b->staging, count, first, step);
  else fg_bench_random_double(b->staging, count, first, step);
  const size_t bytes = count * fg_real_size(*precision);
  const int code = t->backend->copy_in(t->device, device, b->staging, bytes, b->stream);
  return code == FG_OK ? t->backend->stream_wait(t->device, b->stream) : code;
}

int fg_bench_fill(const fg_bench_bed *b, const fg_layout *l, void *image) {
  enum fg_precision precision = l->precision;
  return fg_bench_each_part(b, l, image, fill_part, &precision);
}

/* Repeat the first have bytes of a block until all of it is full. */
static int repeat(const fg_bench_bed *b, char *block, size_t have, size_t all) {
  const fg_target *t = b->target;
  int code = FG_OK;
  for (; have < all && code == FG_OK; have *= 2)
    code = t->backend->copy_within(t->device, block + have, block, have < all - have ? have : all - have, b->stream);
  return code;
}

int fg_bench_spread(fg_bench_subject *s) {
  const int code = repeat(s->b, s->in_block, s->in_bytes, s->stride);
  return code == FG_OK ? repeat(s->b, s->in_block, s->stride, (size_t)s->pairs * s->stride) : code;
}

/* ---- a case ---- */

static const char *make_blocks(fg_bench_subject *s) {
  const fg_target *t = s->b->target;
  const size_t *bytes = fg_program_bytes(s->forward.program);
  s->in_bytes = bytes[FG_ARRAY_IN];
  s->out_bytes = bytes[FG_ARRAY_OUT];
  s->stride = s->in_bytes > s->out_bytes ? s->in_bytes : s->out_bytes;
  s->pairs = (ptrdiff_t)((2 * t->info->l2 + s->stride - 1) / s->stride);
  /* In place one execution begins where the last one ended, unless there is another array in between; of the largest the L2
   * holds too little to count. */
  const ptrdiff_t least = s->stride < 64 * t->info->l2 ? 2 : 1;
  if (s->pairs < least) s->pairs = least;
  if (s->residents || t->backend == &fg_backend_sim) s->pairs = 1; /* sim has no L2 */
  do {
    const size_t all = (size_t)s->pairs * s->stride;
    if (t->backend->memory_alloc(t->device, all, (void **)&s->in_block) == FG_OK &&
        t->backend->memory_alloc(t->device, all, (void **)&s->out_block) == FG_OK)
      return NULL;
    t->backend->memory_free(t->device, s->in_block);
    s->in_block = NULL;
  } while (--s->pairs > 0);
  return fg_backend_message();
}

/* Its arrays are as their images, so that a block may be one. */
static bool dense(const fg_bench_subject *s) {
  char block[1]; /* of which only the address counts */
  return fg_transfer_dense(&s->in, block) == block && fg_transfer_dense(&s->out, block) == block;
}

/* Whether an element has one place in both images: those of rows of reals and of their spectra are dense, each in its way. */
static bool images_agree(const fg_problem *p, const fg_layout *in, const fg_layout *out) {
  const int dims = p->transform.rank + p->batch.rank;
  return in->unit == out->unit && in->elements == out->elements && in->offset == out->offset &&
         (dims == 0 || memcmp(in->stride, out->stride, (size_t)dims * sizeof *in->stride) == 0);
}

const char *fg_bench_subject_make(fg_bench_subject *s, const fg_bench_bed *b, const fg_problem *p) {
  *s = (fg_bench_subject){.b = b, .p = p};
  if (fg_tensor_size(&p->batch) == 0) return "an empty batch";
  const char *why = fg_problem_undefined(p);
  if (why) return why;
  if (!fg_layout_make(&s->in, p, FG_INPUT) || !fg_layout_make(&s->out, p, FG_OUTPUT)) return "out of memory";
  s->in_place = fg_problem_in_place(&p->arrays) && images_agree(p, &s->in, &s->out);
  if (b->options->waited) {
    if (!dense(s)) return "--waited is for arrays without gaps";
    s->residents = fg_residents_new();
    if (!s->residents) return "out of memory";
  }
  why = fg_bench_runner_make(b->target, p, &s->forward);
  return why ? why : make_blocks(s);
}

void fg_bench_subject_free(fg_bench_subject *s) {
  const fg_target *t = s->b->target;
  t->backend->stream_wait(t->device, s->b->stream);
  t->backend->memory_free(t->device, s->in_block);
  t->backend->memory_free(t->device, s->out_block);
  t->backend->memory_free(t->device, s->spare_block);
  fg_bench_runner_free(t, &s->forward);
  fg_residents_free(s->residents);
  fg_layout_free(&s->in);
  fg_layout_free(&s->out);
}
