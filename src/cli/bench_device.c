/* bench_device.c: `fftw3-gpu bench --device`: the passes of each problem on data that is on the device already, beside
 * a copy of the same bytes and cuFFT. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/bench.h"
#include "src/cli/cli.h"
#include "src/plan/planner.h"
#include "src/run/program.h"
#include "src/run/transfer.h"

enum {
  STAGING = 16 << 20,       /* bytes that go to and from the device at a time */
  MOST_CHECKED = 1 << 24    /* elements: beyond, FFTW in double would take too much time and memory */
};

enum {
  PASSES, OURS, OURS_LEAST, COPY, OURS_PER_COPY, CUFFT, CUFFT_OUT, CUFFT_IN, CUFFT_PER_OURS, ERROR, ESTIMATE, BYTES
};

static const fg_bench_column columns[] = {
    [PASSES] = {"passes", "passes", "%.0f", false},
    [OURS] = {"ours us", "ours_us", NULL, false},
    [OURS_LEAST] = {NULL, "ours_least_us", NULL, false},
    [COPY] = {"copy us", "copy_us", NULL, false},
    [OURS_PER_COPY] = {"ours/copy", "ours_per_copy", NULL, true},
    [CUFFT] = {"cuFFT us", "cufft_us", NULL, false},
    [CUFFT_OUT] = {NULL, "cufft_out_of_place_us", NULL, false},
    [CUFFT_IN] = {NULL, "cufft_in_place_us", NULL, false},
    [CUFFT_PER_OURS] = {"cuFFT/ours", "cufft_per_ours", NULL, true},
    [ERROR] = {"error", "error", "%.1e", false},
    [ESTIMATE] = {NULL, "estimated_us", NULL, false},
    [BYTES] = {NULL, "bytes", NULL, false},
    {NULL, NULL, NULL, false}};

/* What all cases share. */
typedef struct {
  const fg_target *target;
  const fg_bench_options *options;
  fg_stream *stream;
  fg_event *begin, *end;
  float *staging;
} bench;

/* A program and its scratch memory. */
typedef struct {
  fg_program *program;
  void *scratch[2];
} runner;

/* One case.  Its arrays are repeated until they are more than the L2 holds, and used in turn, so that no execution
 * finds its input there. */
typedef struct {
  const bench *b;
  const fg_problem *p;
  fg_layout in, out;
  runner forward;
  fg_bench_cufft *cufft;
  size_t in_bytes, out_bytes; /* of one array */
  ptrdiff_t pairs, next;
  char *in_block, *out_block;
} subject;

/* ---- programs ---- */

static void runner_free(const fg_target *t, runner *r) {
  fg_program_destroy(r->program);
  for (int i = 0; i < 2; i++) t->backend->memory_free(t->device, r->scratch[i]);
  *r = (runner){0};
}

/* NULL, or why not. */
static const char *runner_make(const fg_target *t, const fg_problem *p, runner *r) {
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

static int runner_launch(const bench *b, const runner *r, void *in, void *out) {
  void *const arrays[FG_ARRAYS] = {in, out, r->scratch[0], r->scratch[1]};
  return fg_program_launch(r->program, arrays, b->stream);
}

/* ---- data ---- */

typedef int part_function(const bench *b, char *device, size_t count, uint64_t first, int step, void *context);

/* Go through all of an image, a part after the other. */
static int each_part(const bench *b, const fg_layout *l, void *image, part_function *f, void *context) {
  const size_t reals = (size_t)l->elements * (l->split ? 1 : 2), most = STAGING / sizeof(float);
  const int step = l->split ? 2 : 1;
  for (int plane = 0; plane < step; plane++)
    for (size_t at = 0; at < reals; at += most) {
      const size_t count = reals - at < most ? reals - at : most;
      char *const device = (char *)fg_transfer_plane(l, image, plane) + at * sizeof(float);
      const int code = f(b, device, count, at * (size_t)step + (size_t)plane, step, context);
      if (code != FG_OK) return code;
    }
  return FG_OK;
}

static int fill_part(const bench *b, char *device, size_t count, uint64_t first, int step, void *context) {
  const fg_target *t = b->target;
  (void)context;
  fg_bench_random(b->staging, count, first, step);
  const int code = t->backend->copy_in(t->device, device, b->staging, count * sizeof(float), b->stream);
  return code == FG_OK ? t->backend->stream_wait(t->device, b->stream) : code;
}

typedef struct {
  const double *reference;
  double scale;
  fg_bench_error error;
} comparison;

static int compare_part(const bench *b, char *device, size_t count, uint64_t first, int step, void *context) {
  const fg_target *t = b->target;
  comparison *c = context;
  int code = t->backend->copy_out(t->device, b->staging, device, count * sizeof(float), b->stream);
  if (code == FG_OK) code = t->backend->stream_wait(t->device, b->stream);
  if (code == FG_OK) fg_bench_compare(&c->error, b->staging, count, first, step, c->reference, c->scale);
  return code;
}

/* ---- the check ---- */

/* The problem that undoes p. */
static fg_problem *inverse_of(const fg_problem *p) {
  fg_problem *q = fg_problem_copy(p);
  if (!q) return NULL;
  for (int d = 0; d < p->transform.rank; d++)
    q->transform.dim[d] = (fg_dim){p->transform.dim[d].n, p->transform.dim[d].os, p->transform.dim[d].is};
  for (int d = 0; d < p->batch.rank; d++)
    q->batch.dim[d] = (fg_dim){p->batch.dim[d].n, p->batch.dim[d].os, p->batch.dim[d].is};
  q->sign = -p->sign;
  q->arrays = (fg_arrays){p->arrays.out_re, p->arrays.out_im, p->arrays.in_re, p->arrays.in_im};
  return q;
}

/* From the output back over the input. */
static const char *there_and_back(subject *s, comparison *c) {
  runner back = {0};
  fg_problem *q = inverse_of(s->p);
  const char *why = q ? runner_make(s->b->target, q, &back) : "out of memory";
  c->scale = (double)fg_tensor_size(&s->p->transform);
  if (!why && (runner_launch(s->b, &back, s->out_block, s->in_block) != FG_OK ||
               each_part(s->b, &s->in, s->in_block, compare_part, c) != FG_OK))
    why = fg_backend_message();
  runner_free(s->b->target, &back);
  fg_problem_free(q);
  return why;
}

/* NULL, or why the transform is not as it should be. */
static const char *check(subject *s, fg_bench_row *row) {
  comparison c = {0};
  const char *why = NULL;
  if (each_part(s->b, &s->in, s->in_block, fill_part, NULL) != FG_OK ||
      runner_launch(s->b, &s->forward, s->in_block, s->out_block) != FG_OK)
    return fg_backend_message();
  double *reference = s->in.elements <= MOST_CHECKED ? fg_bench_reference(s->p, &s->in, &s->out) : NULL;
  c.reference = reference;
  if (!reference) {
    snprintf(row->note, sizeof row->note, "checked by round trip");
    why = there_and_back(s, &c);
  } else if (each_part(s->b, &s->out, s->out_block, compare_part, &c) != FG_OK) {
    why = fg_backend_message();
  }
  free(reference);
  if (why) return why;
  row->value[ERROR] = fg_bench_relative(&c.error);
  return row->value[ERROR] < FG_BENCH_WRONG ? NULL : "WRONG RESULT";
}

/* ---- timing ---- */

typedef int work(subject *s, void *in, void *out);

static int ours(subject *s, void *in, void *out) { return runner_launch(s->b, &s->forward, in, out); }

static int copy(subject *s, void *in, void *out) {
  return s->b->target->backend->copy_within(s->b->target->device, out, in, s->in_bytes, s->b->stream);
}

static int cufft_out_of_place(subject *s, void *in, void *out) {
  return fg_bench_cufft_execute(s->cufft, in, out) ? FG_OK : fg_backend_fail(FG_ELAUNCH, "cuFFT failed");
}

static int cufft_in_place(subject *s, void *in, void *out) {
  (void)in;
  return cufft_out_of_place(s, out, out);
}

static int repeat(subject *s, work *w, int times) {
  int code = FG_OK;
  for (int i = 0; i < times && code == FG_OK; i++) {
    const size_t pair = (size_t)(s->next++ % s->pairs);
    code = w(s, s->in_block + pair * s->in_bytes, s->out_block + pair * s->out_bytes);
  }
  return code;
}

/* Seconds of one execution out of so many, one after the other.  In place, each begins with fresh data. */
static int time_once(subject *s, work *w, int times, double *seconds) {
  const fg_target *t = s->b->target;
  int code = FG_OK;
  if (w == cufft_in_place)
    code = t->backend->copy_within(t->device, s->out_block, s->in_block, (size_t)s->pairs * s->in_bytes, s->b->stream);
  if (code == FG_OK) code = t->backend->event_record(t->device, s->b->begin, s->b->stream);
  if (code == FG_OK) code = repeat(s, w, times);
  if (code == FG_OK) code = t->backend->event_record(t->device, s->b->end, s->b->stream);
  if (code == FG_OK) code = t->backend->event_elapsed(t->device, s->b->begin, s->b->end, seconds);
  *seconds /= times;
  return code;
}

/* Enough executions that the launch of the first and the events do not count. */
static int times_for(const subject *s, work *w, double seconds) {
  const double enough = 1e-3, most = 1000;
  double times = seconds > enough / most ? ceil(enough / seconds) : most;
  if (w == cufft_in_place) {
    const double limit = (double)fg_bench_in_place_limit(fg_tensor_size(&s->p->transform)) * (double)s->pairs;
    if (times > limit) times = limit;
  }
  return (int)times;
}

static int warm_up(subject *s, work *w, double *seconds) {
  const double start = fg_bench_now();
  int code = FG_OK;
  for (int i = 0; code == FG_OK && (i < 2 || fg_bench_now() - start < 0.02); i++) code = time_once(s, w, 1, seconds);
  return code;
}

/* Median and least time in microseconds; NULL, or what went wrong. */
static const char *measure(subject *s, work *w, double *median, double *least) {
  fg_bench_times times;
  double seconds = 0;
  int code = warm_up(s, w, &seconds);
  const int each = code == FG_OK ? times_for(s, w, seconds) : 1;
  if (code != FG_OK) return fg_backend_message();
  if (!fg_bench_times_begin(&times, s->b->options, INFINITY)) return "out of memory";
  while (code == FG_OK && fg_bench_times_more(&times)) {
    code = time_once(s, w, each, &seconds);
    fg_bench_times_add(&times, seconds * 1e6);
  }
  *median = fg_bench_times_median(&times, least);
  return code == FG_OK ? NULL : fg_backend_message();
}

/* cuFFT missing or failing is no failure of the case. */
static void measure_cufft(subject *s, fg_bench_row *row) {
  const fg_target *t = s->b->target;
  if (t->backend == &fg_backend_sim) return;
  s->cufft = fg_bench_cufft_plan(s->p, s->b->stream);
  if (!s->cufft) return;
  const char *why = measure(s, cufft_out_of_place, &row->value[CUFFT_OUT], NULL);
  if (!why) why = measure(s, cufft_in_place, &row->value[CUFFT_IN], NULL);
  if (why) snprintf(row->note, sizeof row->note, "cuFFT: %s", why);
  row->value[CUFFT] = fmin(row->value[CUFFT_OUT], row->value[CUFFT_IN]);
  row->value[CUFFT_PER_OURS] = row->value[CUFFT] / row->value[OURS];
}

/* The same data in all pairs. */
static int fill_pairs(subject *s) {
  const fg_target *t = s->b->target;
  int code = each_part(s->b, &s->in, s->in_block, fill_part, NULL);
  for (ptrdiff_t have = 1; have < s->pairs && code == FG_OK; have *= 2) {
    const ptrdiff_t more = have < s->pairs - have ? have : s->pairs - have;
    char *const to = s->in_block + (size_t)have * s->in_bytes;
    code = t->backend->copy_within(t->device, to, s->in_block, (size_t)more * s->in_bytes, s->b->stream);
  }
  return code;
}

static const char *measure_all(subject *s, fg_bench_row *row) {
  if (fill_pairs(s) != FG_OK) return fg_backend_message();
  const char *why = measure(s, ours, &row->value[OURS], &row->value[OURS_LEAST]);
  if (!why) why = measure(s, copy, &row->value[COPY], NULL);
  if (why) return why;
  row->value[OURS_PER_COPY] = row->value[OURS] / row->value[COPY];
  measure_cufft(s, row);
  return NULL;
}

/* ---- a case ---- */

static const char *refuse(const fg_problem *p) {
  if (p->kind != FG_DFT) return "only complex transforms run on the device";
  if (fg_tensor_size(&p->batch) == 0) return "an empty batch";
  return fg_problem_undefined(p);
}

static const char *prepare(subject *s) {
  const fg_target *t = s->b->target;
  const char *why = refuse(s->p);
  if (why) return why;
  if (!fg_layout_make(&s->in, s->p, FG_INPUT) || !fg_layout_make(&s->out, s->p, FG_OUTPUT)) return "out of memory";
  why = runner_make(t, s->p, &s->forward);
  if (why) return why;
  const size_t *bytes = fg_program_bytes(s->forward.program);
  s->in_bytes = bytes[FG_ARRAY_IN];
  s->out_bytes = bytes[FG_ARRAY_OUT];
  s->pairs = (ptrdiff_t)((2 * t->info->l2 + s->in_bytes - 1) / s->in_bytes);
  if (s->pairs < 1) s->pairs = 1;
  const size_t pairs = (size_t)s->pairs;
  if (t->backend->memory_alloc(t->device, pairs * s->in_bytes, (void **)&s->in_block) != FG_OK ||
      t->backend->memory_alloc(t->device, pairs * s->out_bytes, (void **)&s->out_block) != FG_OK)
    return fg_backend_message();
  return NULL;
}

static void finish(subject *s) {
  const fg_target *t = s->b->target;
  t->backend->stream_wait(t->device, s->b->stream);
  fg_bench_cufft_destroy(s->cufft);
  t->backend->memory_free(t->device, s->in_block);
  t->backend->memory_free(t->device, s->out_block);
  runner_free(t, &s->forward);
  fg_layout_free(&s->in);
  fg_layout_free(&s->out);
}

static void describe(const subject *s, fg_bench_row *row) {
  const fg_passes *passes = fg_program_passes(s->forward.program);
  row->value[PASSES] = passes->count;
  row->value[ESTIMATE] = passes->cost * 1e6;
  row->value[BYTES] = (double)s->in.elements * 2 * sizeof(float);
  row->passes = fg_program_sprint(s->forward.program);
}

static void run_case(const bench *b, const fg_bench_case *c, fg_bench_table *table) {
  subject s = {.b = b, .p = c->problem};
  fg_bench_row row;
  fg_bench_row_begin(&row, c);
  const char *why = prepare(&s);
  if (s.forward.program) describe(&s, &row);
  if (!why) why = check(&s, &row);
  if (!why) why = measure_all(&s, &row);
  if (why) snprintf(row.note, sizeof row.note, "%s", why);
  finish(&s);
  fg_bench_row_print(table, &row, why != NULL);
}

static int open_bench(bench *b) {
  const fg_target *t = b->target;
  int code = t->backend->stream_create(t->device, &b->stream);
  if (code == FG_OK) code = t->backend->event_create(t->device, &b->begin);
  if (code == FG_OK) code = t->backend->event_create(t->device, &b->end);
  return code == FG_OK ? t->backend->pinned_alloc(t->device, STAGING, (void **)&b->staging) : code;
}

static void close_bench(bench *b) {
  const fg_target *t = b->target;
  t->backend->pinned_free(t->device, b->staging);
  if (b->end) t->backend->event_destroy(t->device, b->end);
  if (b->begin) t->backend->event_destroy(t->device, b->begin);
  if (b->stream) t->backend->stream_destroy(t->device, b->stream);
}

int fg_bench_device(const fg_bench_cases *cases, const fg_bench_options *options, FILE *csv) {
  const char *why;
  bench b = {.target = fg_target_get(&why), .options = options};
  if (!b.target) {
    fg_cli_error("bench: no device: %s", why);
    return FG_EXIT_FAILED;
  }
  fg_bench_table table = {.failures = 1};
  if (open_bench(&b) == FG_OK) {
    printf("%s: %s; data on the device; median times\n", b.target->backend->name, b.target->info->name);
    fg_bench_table_begin(&table, columns, csv);
    for (int i = 0; i < cases->count; i++) run_case(&b, &cases->item[i], &table);
    fg_bench_table_end(&table);
  } else {
    fg_cli_error("bench: %s", fg_backend_message());
  }
  close_bench(&b);
  return table.failures ? FG_EXIT_FAILED : 0;
}
