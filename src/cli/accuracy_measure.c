/* accuracy_measure.c: the errors of all subjects on one problem and one kind of data. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/accuracy.h"
#include "src/cli/fftw.h"
#include "src/problem/notation.h"

/* ---- errors ---- */

typedef struct {
  long double difference, norm; /* sums of squares */
  long double largest, peak;    /* magnitudes of one number */
} sums;

static void count(sums *s, long double got, long double wanted) {
  const long double off = got - wanted, size = fabsl(off);
  s->difference += off * off;
  s->norm += wanted * wanted;
  if (!(size <= s->largest)) s->largest = size; /* one that is no number, too */
  if (fabsl(wanted) > s->peak) s->peak = fabsl(wanted);
}

static void relate(const sums *s, double error[FG_NORMS]) {
  error[FG_NORM_L2] = (double)sqrtl(s->norm > 0 ? s->difference / s->norm : s->difference);
  error[FG_NORM_MAX] = (double)(s->peak > 0 ? s->largest / s->peak : s->largest);
}

/* ---- a precision of the arrays: its problem, data and the exact result ---- */

typedef struct {
  fg_problem *problem;
  fg_layout in, out;
  size_t in_reals, out_reals;
  double *data, *result;
  long double *wide, *exact;
  sums rounding;
} arena;

static void arena_free(arena *a) {
  fg_layout_free(&a->in);
  fg_layout_free(&a->out);
  fg_problem_free(a->problem);
  free(a->data);
  free(a->result);
  free(a->wide);
  free(a->exact);
}

/* The same problem for arrays of that precision: its made-up arrays have other sizes. */
static fg_problem *in_precision(const fg_problem *p, enum fg_precision precision) {
  char text[512], why[256];
  fg_notation_print(p, text, sizeof text);
  return fg_notation_parse(text, precision, why, sizeof why);
}

static const char *arena_make(arena *a, const fg_problem *p, enum fg_precision precision) {
  a->problem = in_precision(p, precision);
  if (!a->problem) return "too long a problem";
  if (!fg_layout_make(&a->in, a->problem, FG_INPUT) || !fg_layout_make(&a->out, a->problem, FG_OUTPUT))
    return "out of memory";
  a->in_reals = fg_fftw_image_reals(&a->in);
  a->out_reals = fg_fftw_image_reals(&a->out);
  a->data = malloc(a->in_reals * sizeof *a->data);
  a->wide = malloc(a->in_reals * sizeof *a->wide);
  a->result = malloc(a->out_reals * sizeof *a->result);
  a->exact = malloc(a->out_reals * sizeof *a->exact);
  return a->data && a->wide && a->result && a->exact ? NULL : "out of memory";
}

/* Fresh numbers and what they should become. */
static const char *arena_fill(arena *a, enum fg_data kind, uint64_t seed) {
  if (!fg_accuracy_data(kind, a->problem, &a->in, &a->out, seed, a->data)) return "the data could not be made";
  const bool single = a->problem->precision == FG_SINGLE;
  for (size_t i = 0; i < a->in_reals; i++) {
    if (single) a->data[i] = (float)a->data[i];
    a->wide[i] = a->data[i];
  }
  const char *why = fg_accuracy_reference(a->problem, &a->in, &a->out, a->wide, a->exact);
  for (size_t i = 0; !why && i < a->out_reals; i++)
    count(&a->rounding, single ? (long double)(float)a->exact[i] : (long double)(double)a->exact[i], a->exact[i]);
  return why;
}

/* ---- the subjects ---- */

static const char *make(enum fg_accuracy_who who, const fg_problem *p, const fg_problem *single,
                        fg_accuracy_subject **s) {
  switch (who) {
    case FG_STOCK_SINGLE:
    case FG_STOCK_DOUBLE: return fg_accuracy_stock(p, s);
    case FG_STOCK_AS_SINGLE: return fg_accuracy_stock(single, s);
    case FG_OURS_SINGLE:
    case FG_OURS_DOUBLE: return fg_accuracy_ours(p, p->precision, s);
    case FG_OURS_AS_SINGLE: return fg_accuracy_ours(p, FG_SINGLE, s);
    default: return fg_accuracy_cufft(p, s);
  }
}

static void fail(fg_accuracy_result *r, enum fg_accuracy_who who, const char *why) {
  snprintf(r->why[who], sizeof r->why[who], "%s", why);
  for (int norm = 0; norm < FG_NORMS; norm++) r->error[who][norm] = NAN;
}

typedef struct {
  fg_accuracy_subject *subject[FG_ACCURACY_SUBJECTS];
  sums sum[FG_ACCURACY_SUBJECTS];
} field;

/* Those of one precision of the arrays, on one arena's numbers.  Stock FFTW has doubles rounded by fg_accuracy_arrays,
 * as a program would do. */
static void run_all(field *f, arena *a, fg_accuracy_result *r) {
  const int from = a->problem->precision == FG_SINGLE ? FG_STOCK_SINGLE : FG_STOCK_AS_SINGLE;
  const int to = a->problem->precision == FG_SINGLE ? FG_CUFFT_SINGLE : FG_CUFFT_DOUBLE;
  for (int who = from; who <= to; who++) {
    if (!f->subject[who] || *r->why[who]) continue;
    const char *why = f->subject[who]->run(f->subject[who], a->data, a->result);
    if (why) fail(r, (enum fg_accuracy_who)who, why);
    for (size_t i = 0; !why && i < a->out_reals; i++) count(&f->sum[who], a->result[i], a->exact[i]);
  }
}

static void make_all(field *f, const arena arenas[2], const fg_accuracy_options *options, fg_accuracy_result *r) {
  for (int who = 0; who < FG_ACCURACY_SUBJECTS; who++) {
    const fg_problem *p = arenas[who > FG_CUFFT_SINGLE ? FG_DOUBLE : FG_SINGLE].problem;
    const char *why = "not asked for";
    if (options->wanted[who]) why = make((enum fg_accuracy_who)who, p, arenas[FG_SINGLE].problem, &f->subject[who]);
    if (why) fail(r, (enum fg_accuracy_who)who, why);
  }
}

static const char *run_rounds(field *f, arena arenas[2], enum fg_data kind, const fg_accuracy_options *options,
                              fg_accuracy_result *r) {
  const bool doubles = options->wanted[FG_OURS_DOUBLE] || options->wanted[FG_OURS_AS_SINGLE];
  for (int round = 0; round < options->rounds; round++) {
    const uint64_t seed = fg_bench_mix(options->seed * UINT64_C(0x10001) + (uint64_t)round);
    for (int precision = options->wanted[FG_OURS_SINGLE] ? FG_SINGLE : FG_DOUBLE; precision <= (doubles ? 1 : 0);
         precision++) {
      const char *why = arena_fill(&arenas[precision], kind, seed);
      if (why) return why;
      run_all(f, &arenas[precision], r);
    }
  }
  return NULL;
}

const char *fg_accuracy_measure(const fg_problem *p, enum fg_data kind, const fg_accuracy_options *options,
                                fg_accuracy_result *r) {
  arena arenas[2] = {0};
  field f = {0};
  memset(r, 0, sizeof *r);
  const char *why = fg_tensor_size(&p->batch) > 0 ? fg_problem_undefined(p) : "an empty batch";
  for (int precision = 0; precision < 2 && !why; precision++)
    why = arena_make(&arenas[precision], p, (enum fg_precision)precision);
  if (!why) {
    make_all(&f, arenas, options, r);
    why = run_rounds(&f, arenas, kind, options, r);
  }
  for (int who = 0; who < FG_ACCURACY_SUBJECTS; who++) {
    if (!why && !*r->why[who]) relate(&f.sum[who], r->error[who]);
    if (f.subject[who]) f.subject[who]->free(f.subject[who]);
  }
  for (int precision = 0; precision < 2; precision++) {
    relate(&arenas[precision].rounding, r->rounding[precision]);
    arena_free(&arenas[precision]);
  }
  return why;
}
