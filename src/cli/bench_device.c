/* bench_device.c: `fftw3-gpu bench --device`: the passes of each problem on data that is on the device already, beside
 * a copy of the same bytes, cuFFT, VkFFT, and for real data the complex transform of the same size. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/bench_device.h"
#include "src/cli/cli.h"

enum {
  PASSES, OURS, OURS_OUT, OURS_IN, COPY, OURS_PER_COPY, COMPLEX, OURS_PER_COMPLEX, CUFFT, CUFFT_OUT, CUFFT_IN,
  CUFFT_PER_OURS, VKFFT, VKFFT_OUT, VKFFT_IN, BEST_PER_OURS, ERROR, ESTIMATE, BYTES, COLUMNS
};

static const fg_bench_column all_columns[COLUMNS + 1] = {
    [PASSES] = {"passes", "passes", "%.0f", false},
    [OURS] = {"ours us", "ours_us", NULL, false},
    [OURS_OUT] = {NULL, "ours_out_of_place_us", NULL, false},
    [OURS_IN] = {NULL, "ours_in_place_us", NULL, false},
    [COPY] = {"copy us", "copy_us", NULL, false},
    [OURS_PER_COPY] = {"ours/copy", "ours_per_copy", NULL, true},
    [COMPLEX] = {NULL, "complex_us", NULL, false},
    [OURS_PER_COMPLEX] = {"÷ complex", "ours_per_complex", NULL, true},
    [CUFFT] = {"cuFFT us", "cufft_us", NULL, false},
    [CUFFT_OUT] = {NULL, "cufft_out_of_place_us", NULL, false},
    [CUFFT_IN] = {NULL, "cufft_in_place_us", NULL, false},
    [CUFFT_PER_OURS] = {"cuFFT/ours", "cufft_per_ours", NULL, true},
    [VKFFT] = {"VkFFT us", "vkfft_us", NULL, false},
    [VKFFT_OUT] = {NULL, "vkfft_out_of_place_us", NULL, false},
    [VKFFT_IN] = {NULL, "vkfft_in_place_us", NULL, false},
    [BEST_PER_OURS] = {"best/ours", "best_per_ours", NULL, true}, /* the better of both */
    [ERROR] = {"error", "error", "%.1e", false},
    [ESTIMATE] = {NULL, "estimated_us", NULL, false},
    [BYTES] = {NULL, "bytes", NULL, false}};

/* A result of another library that is no transform. */
static const double different = 1e-4;

/* ---- other libraries: missing or failing is no failure of the case ---- */

static void note(fg_bench_row *row, const char *who, const char *why) {
  const size_t at = strlen(row->note);
  snprintf(row->note + at, sizeof row->note - at, "%s%s: %s", at ? "; " : "", who, why);
}

typedef struct {
  const char *name;
  fg_bench_peer *(*plan)(const fg_problem *, bool in_place, void *stream);
  int best, placed[2]; /* columns: out of place, in place */
} library;

/* One placement.  The result is looked at out of place; where it is another one, in place does not count either. */
static bool measure_placed(fg_bench_subject *s, fg_bench_row *row, const library *l, bool in_place) {
  fg_bench_peer *peer = l->plan(s->p, in_place, s->b->stream);
  if (!peer) return false;
  s->peer = peer;
  const char *why = NULL;
  if (!in_place && !(fg_bench_distance(s) < different)) why = "another result";
  if (!why) why = fg_bench_measure_peer(s, in_place, &row->value[l->placed[in_place]]);
  if (why) note(row, l->name, why);
  s->b->target->backend->stream_wait(s->b->target->device, s->b->stream);
  peer->destroy(peer);
  s->peer = NULL;
  return !why;
}

static void measure_library(fg_bench_subject *s, fg_bench_row *row, const library *l) {
  if (measure_placed(s, row, l, false)) measure_placed(s, row, l, true);
  row->value[l->best] = fmin(row->value[l->placed[0]], row->value[l->placed[1]]);
}

static void measure_others(fg_bench_subject *s, fg_bench_row *row) {
  static const library cufft = {"cuFFT", fg_bench_cufft_plan, CUFFT, {CUFFT_OUT, CUFFT_IN}};
  static const library vkfft = {"VkFFT", fg_bench_vkfft_plan, VKFFT, {VKFFT_OUT, VKFFT_IN}};
  if (s->b->target->backend == &fg_backend_sim) return;
  measure_library(s, row, &cufft);
  if (s->b->options->vkfft) measure_library(s, row, &vkfft);
}

/* ---- a case ---- */

/* Our own time of the complex transform of the same sizes.  That it cannot be had is no failure of the case. */
static void measure_complex(const fg_bench_bed *b, const fg_problem *p, fg_bench_row *row) {
  fg_bench_subject s = {.b = b};
  fg_problem *c = fg_bench_complex_of(p);
  if (!c) return;
  const char *why = fg_bench_subject_make(&s, b, c);
  if (!why && (fg_bench_fill(b, &s.in, s.in_block) != FG_OK || fg_bench_spread(&s) != FG_OK))
    why = fg_backend_message();
  if (!why) why = fg_bench_measure_ours(&s, &row->value[COMPLEX]);
  if (why) note(row, "complex", why);
  fg_bench_subject_free(&s);
  fg_problem_free(c);
}

static const char *measure_all(fg_bench_subject *s, fg_bench_row *row) {
  if (fg_bench_spread(s) != FG_OK) return fg_backend_message();
  if (fg_problem_in_place(&s->p->arrays) && !s->in_place) note(row, "in place", "timed from one array to another");
  const char *why = fg_bench_measure_ours(s, &row->value[s->in_place ? OURS_IN : OURS_OUT]);
  if (!why) why = fg_bench_measure_copy(s, &row->value[COPY]);
  if (!why) measure_others(s, row);
  return why;
}

/* Our own time of a problem out of place in place, as the other libraries are timed, too. */
static const char *measure_in_place(const fg_bench_bed *b, const fg_problem *p, fg_bench_row *row) {
  fg_bench_subject s = {.b = b};
  fg_problem *q = fg_bench_in_place_of(p);
  double error = 0;
  bool by_round_trip;
  if (!q) return NULL;
  const char *why = fg_bench_subject_make(&s, b, q);
  if (why) {
    note(row, "in place", why); /* there may be no memory for it: no failure */
    why = NULL;
  } else {
    why = fg_bench_check(&s, &error, &by_round_trip);
    if (!why && fg_bench_spread(&s) != FG_OK) why = fg_backend_message();
    if (!why) why = fg_bench_measure_ours(&s, &row->value[OURS_IN]);
  }
  fg_bench_subject_free(&s);
  fg_problem_free(q);
  return why;
}

/* What is better counts, of each library. */
static void compare(fg_bench_row *row) {
  double *v = row->value;
  v[OURS] = fmin(v[OURS_OUT], v[OURS_IN]);
  v[OURS_PER_COPY] = v[OURS] / v[COPY];
  v[OURS_PER_COMPLEX] = (isnan(v[OURS_OUT]) ? v[OURS_IN] : v[OURS_OUT]) / v[COMPLEX]; /* which is out of place */
  v[CUFFT_PER_OURS] = v[CUFFT] / v[OURS];
  v[BEST_PER_OURS] = fmin(v[CUFFT], v[VKFFT]) / v[OURS];
}

/* bytes: the input's and the output's, of which a copy of the same bytes moves each half. */
static void describe(const fg_bench_subject *s, fg_bench_row *row) {
  const fg_passes *passes = fg_program_passes(s->forward.program);
  const ptrdiff_t in = s->in.elements * s->in.unit * (s->in.split ? 2 : 1);
  const ptrdiff_t out = s->out.elements * s->out.unit * (s->out.split ? 2 : 1);
  row->value[PASSES] = passes->count;
  row->value[ESTIMATE] = passes->cost * 1e6;
  row->value[BYTES] = (double)(in + out) / 2 * (double)fg_real_size(s->p->precision);
  row->passes = fg_program_sprint(s->forward.program);
}

static const char *check(fg_bench_subject *s, fg_bench_row *row) {
  bool by_round_trip = false;
  const char *why = fg_bench_check(s, &row->value[ERROR], &by_round_trip);
  if (by_round_trip) snprintf(row->note, sizeof row->note, "checked by round trip");
  return why;
}

static void run_case(const fg_bench_bed *b, const fg_bench_case *c, fg_bench_table *table, fg_bench_plot *plot) {
  fg_bench_subject s;
  fg_bench_row row;
  fg_bench_row_begin(&row, c);
  const char *why = fg_bench_subject_make(&s, b, c->problem);
  if (s.forward.program) describe(&s, &row);
  if (!why) why = check(&s, &row);
  if (!why) why = measure_all(&s, &row);
  if (why) snprintf(row.note, sizeof row.note, "%s", why);
  fg_bench_subject_free(&s); /* its memory is that of the others now */
  if (!why && (why = measure_in_place(b, c->problem, &row))) snprintf(row.note, sizeof row.note, "in place: %s", why);
  if (!why && c->problem->kind != FG_DFT) measure_complex(b, c->problem, &row);
  compare(&row);
  if (!why)
    fg_bench_plot_add(plot, &row, (double)fg_tensor_size(&c->problem->transform), row.value[BEST_PER_OURS],
                      row.value[OURS_PER_COPY]);
  fg_bench_row_print(table, &row, why != NULL);
}

/* ---- all cases ---- */

static int open_bed(fg_bench_bed *b) {
  const fg_target *t = b->target;
  int code = t->backend->stream_create(t->device, &b->stream);
  if (code == FG_OK) code = t->backend->event_create(t->device, &b->begin);
  if (code == FG_OK) code = t->backend->event_create(t->device, &b->end);
  return code == FG_OK ? t->backend->pinned_alloc(t->device, FG_BENCH_STAGING, &b->staging) : code;
}

static void close_bed(fg_bench_bed *b) {
  const fg_target *t = b->target;
  t->backend->pinned_free(t->device, b->staging);
  if (b->end) t->backend->event_destroy(t->device, b->end);
  if (b->begin) t->backend->event_destroy(t->device, b->begin);
  if (b->stream) t->backend->stream_destroy(t->device, b->stream);
}

/* Columns that say something of these cases. */
static void choose_columns(const fg_bench_cases *cases, bool vkfft, fg_bench_column columns[COLUMNS + 1]) {
  bool real = false;
  memcpy(columns, all_columns, sizeof all_columns);
  for (int i = 0; i < cases->count; i++) real |= cases->item[i].problem->kind != FG_DFT;
  if (!real) columns[OURS_PER_COMPLEX].title = NULL;
  if (!vkfft) columns[VKFFT].title = columns[BEST_PER_OURS].title = NULL;
}

int fg_bench_device(const fg_bench_cases *cases, const fg_bench_options *options, FILE *csv) {
  const char *why;
  fg_bench_bed b = {.target = fg_target_get(&why), .options = options};
  if (!b.target) {
    fg_cli_error("bench: no device: %s", why);
    return FG_EXIT_FAILED;
  }
  fg_bench_column columns[COLUMNS + 1];
  fg_bench_table table = {.failures = 1};
  fg_bench_plot plot = {0};
  choose_columns(cases, options->vkfft, columns);
  if (open_bed(&b) == FG_OK) {
    const bool all_double = cases->count > 0 && cases->item[0].problem->precision == FG_DOUBLE;
    printf("%s: %s; data on the device%s%s; median times\n", b.target->backend->name, b.target->info->name,
           all_double ? ", double precision" : "", options->waited ? "; each execution waited for" : "");
    fg_bench_table_begin(&table, columns, csv);
    for (int i = 0; i < cases->count; i++) run_case(&b, &cases->item[i], &table, &plot);
    fg_bench_table_end(&table);
    if (options->svg) fg_bench_plot_write(options->svg, &plot, b.target->info->name);
    fg_bench_plot_free(&plot);
  } else {
    fg_cli_error("bench: %s", fg_backend_message());
  }
  close_bed(&b);
  return table.failures ? FG_EXIT_FAILED : 0;
}
