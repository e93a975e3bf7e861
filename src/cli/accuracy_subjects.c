/* accuracy_subjects.c: those who transform for `fftw3-gpu accuracy`: stock FFTW, this library, cuFFT. */
#include <stdlib.h>
#include <string.h>

#include "src/cli/accuracy.h"
#include "src/cli/fftw.h"
#include "src/plan/planner.h"
#include "src/run/program.h"

/* ---- stock FFTW ---- */

typedef struct {
  fg_accuracy_subject subject;
  fg_accuracy_arrays arrays;
  const fg_fftw *fftw;
  void *plan;
} stock;

static const char *stock_run(fg_accuracy_subject *subject, const double *data, double *result) {
  const stock *s = (const stock *)subject;
  fg_accuracy_arrays_put(&s->arrays, data);
  s->fftw->execute(s->plan);
  fg_accuracy_arrays_get(&s->arrays, result);
  return NULL;
}

static void stock_free(fg_accuracy_subject *subject) {
  stock *s = (stock *)subject;
  if (s->plan) s->fftw->destroy(s->plan);
  fg_accuracy_arrays_free(&s->arrays);
  free(s);
}

/* p's own dimensions one after the other. */
static fg_dim *all_dims(const fg_problem *p) {
  const size_t rank = (size_t)p->transform.rank, batches = (size_t)p->batch.rank;
  fg_dim *dims = malloc((rank + batches + 1) * sizeof *dims);
  if (dims && rank) memcpy(dims, p->transform.dim, rank * sizeof *dims);
  if (dims && batches) memcpy(dims + rank, p->batch.dim, batches * sizeof *dims);
  return dims;
}

const char *fg_accuracy_stock(const fg_problem *p, fg_accuracy_subject **subject) {
  const enum fg_fftw_precision precision = p->precision == FG_SINGLE ? FG_FFTW_SINGLE : FG_FFTW_DOUBLE;
  const fg_fftw *f = fg_fftw_get(precision);
  if (!f) return precision == FG_FFTW_SINGLE ? "no libfftw3f.so.3" : "no libfftw3.so.3";
  stock *s = calloc(1, sizeof *s);
  fg_dim *dims = all_dims(p);
  if (s) {
    *s = (stock){.subject = {stock_run, stock_free}, .fftw = f};
    if (dims && fg_accuracy_arrays_make(&s->arrays, p)) s->plan = fg_fftw_plan(f, p, dims, &s->arrays.at);
  }
  free(dims);
  if (s && s->plan) {
    *subject = &s->subject;
    return NULL;
  }
  if (s) stock_free(&s->subject);
  return "it has no plan";
}

/* ---- this library ---- */

typedef struct {
  fg_accuracy_subject subject;
  fg_accuracy_arrays arrays;
  fg_problem *problem;
  fg_program *program;
} ours;

static const char *ours_run(fg_accuracy_subject *subject, const double *data, double *result) {
  const ours *s = (const ours *)subject;
  fg_accuracy_arrays_put(&s->arrays, data);
  if (fg_program_execute(s->program, &s->arrays.at) != FG_DONE) return fg_backend_message();
  fg_accuracy_arrays_get(&s->arrays, result);
  return NULL;
}

static void ours_free(fg_accuracy_subject *subject) {
  ours *s = (ours *)subject;
  fg_program_destroy(s->program);
  fg_accuracy_arrays_free(&s->arrays);
  fg_problem_free(s->problem);
  free(s);
}

/* Passes that compute in another precision than was asked for are none. */
static bool computes_in(const fg_passes *passes, enum fg_precision precision) {
  for (int i = 0; i < passes->count; i++)
    if (passes->pass[i].precision != precision) return false;
  return true;
}

static const char *ours_plan(ours *s) {
  const char *why = "out of memory";
  const fg_target *target = fg_target_get(&why);
  if (!target) return why;
  fg_passes *passes = calloc(1, sizeof *passes);
  if (passes && fg_planner_plan(s->problem, target->info, passes, &why)) {
    why = "this conversion cannot be planned";
    if (computes_in(passes, s->problem->compute)) s->program = fg_program_create(target, s->problem, passes, &why);
  }
  free(passes);
  return s->program ? NULL : why;
}

const char *fg_accuracy_ours(const fg_problem *p, enum fg_precision compute, fg_accuracy_subject **subject) {
  ours *s = calloc(1, sizeof *s);
  if (!s) return "out of memory";
  s->subject = (fg_accuracy_subject){ours_run, ours_free};
  const char *why = "out of memory";
  if (fg_accuracy_arrays_make(&s->arrays, p) && (s->problem = fg_problem_copy(p))) {
    s->problem->compute = compute;
    s->problem->arrays = s->arrays.at;
    why = ours_plan(s);
  }
  if (why) ours_free(&s->subject);
  else *subject = &s->subject;
  return why;
}

/* ---- cuFFT, on images: what it can plan is dense ---- */

typedef struct {
  fg_accuracy_subject subject;
  const fg_target *target;
  fg_stream *stream;
  fg_bench_peer *peer;
  enum fg_precision precision;
  size_t in_reals, out_reals;
  void *in, *out, *staging;
} cufft;

static const char *cufft_run(fg_accuracy_subject *subject, const double *data, double *result) {
  const cufft *c = (const cufft *)subject;
  const fg_backend *b = c->target->backend;
  const size_t real = fg_real_size(c->precision);
  for (size_t i = 0; i < c->in_reals; i++)
    if (c->precision == FG_SINGLE) ((float *)c->staging)[i] = (float)data[i];
    else ((double *)c->staging)[i] = data[i];
  int code = b->copy_in(c->target->device, c->in, c->staging, c->in_reals * real, c->stream);
  if (code == FG_OK && !c->peer->execute(c->peer, c->in, c->out)) return "it failed";
  if (code == FG_OK) code = b->copy_out(c->target->device, c->staging, c->out, c->out_reals * real, c->stream);
  if (code == FG_OK) code = b->stream_wait(c->target->device, c->stream);
  if (code != FG_OK) return fg_backend_message();
  for (size_t i = 0; i < c->out_reals; i++) result[i] = fg_bench_real(c->staging, c->precision, i);
  return NULL;
}

static void cufft_free(fg_accuracy_subject *subject) {
  cufft *c = (cufft *)subject;
  const fg_backend *b = c->target->backend;
  if (c->peer) c->peer->destroy(c->peer);
  b->memory_free(c->target->device, c->in);
  b->memory_free(c->target->device, c->out);
  b->pinned_free(c->target->device, c->staging);
  if (c->stream) b->stream_destroy(c->target->device, c->stream);
  free(c);
}

static const char *cufft_make(cufft *c, const fg_problem *p) {
  const fg_backend *b = c->target->backend;
  const size_t real = fg_real_size(p->precision), in = c->in_reals * real, out = c->out_reals * real;
  int code = b->stream_create(c->target->device, &c->stream);
  if (code == FG_OK) code = b->memory_alloc(c->target->device, in, &c->in);
  if (code == FG_OK) code = b->memory_alloc(c->target->device, out, &c->out);
  if (code == FG_OK) code = b->pinned_alloc(c->target->device, in > out ? in : out, &c->staging);
  if (code != FG_OK) return fg_backend_message();
  c->peer = fg_bench_cufft_plan(p, false, c->stream);
  return c->peer ? NULL : "it cannot plan that";
}

bool fg_accuracy_cufft_possible(void) {
  const char *why;
  const fg_target *target = fg_target_get(&why);
  return target && target->backend != &fg_backend_sim && fg_bench_have_cufft();
}

const char *fg_accuracy_cufft(const fg_problem *p, fg_accuracy_subject **subject) {
  const char *why = "out of memory";
  cufft *c = fg_accuracy_cufft_possible() ? calloc(1, sizeof *c) : NULL;
  fg_layout in = {0}, out = {0};
  if (!c) return "no cuFFT";
  *c = (cufft){.subject = {cufft_run, cufft_free}, .target = fg_target_get(&why), .precision = p->precision};
  if (fg_layout_make(&in, p, FG_INPUT) && fg_layout_make(&out, p, FG_OUTPUT)) {
    c->in_reals = fg_fftw_image_reals(&in);
    c->out_reals = fg_fftw_image_reals(&out);
    why = cufft_make(c, p);
  }
  fg_layout_free(&in);
  fg_layout_free(&out);
  if (why) cufft_free(&c->subject);
  else *subject = &c->subject;
  return why;
}
