/* bench_host.c: `fftw3-gpu bench --host`: the FFTW interface on arrays of the host, by stock FFTW, this library and
 * cuFFTW. */
#include "config.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/cli/bench.h"
#include "src/cli/cli.h"

/* PCIe 5 x16 with pinned memory, measured; the floor takes what goes in and what comes out one after the other. */
static const double link_bandwidth = 55e9;

enum { STOCK_ONE, STOCK_ALL, OURS, FLOOR, CUFFTW, ONE_PER_OURS, ALL_PER_OURS, OURS_PER_FLOOR, CUFFTW_PER_OURS, ERROR };

static const fg_bench_column columns[] = {
    [STOCK_ONE] = {"1 thread us", "stock_1_thread_us", NULL, false},
    [STOCK_ALL] = {"all us", "stock_all_us", NULL, false},
    [OURS] = {"ours us", "ours_us", NULL, false},
    [FLOOR] = {"floor us", "link_floor_us", NULL, false},
    [CUFFTW] = {"cuFFTW us", "cufftw_us", NULL, false},
    [ONE_PER_OURS] = {"1/ours", "stock_1_thread_per_ours", NULL, true},
    [ALL_PER_OURS] = {"all/ours", "stock_all_per_ours", NULL, true},
    [OURS_PER_FLOOR] = {"ours/floor", "ours_per_link_floor", NULL, true},
    [CUFFTW_PER_OURS] = {"cuFFTW/ours", "cufftw_per_ours", NULL, true},
    [ERROR] = {"error", "error", "%.1e", false},
    {NULL, NULL, NULL, false}};

/* Those of one precision, opened for the first case that has it. */
typedef struct {
  enum { UNKNOWN, THERE, MISSING } state;
  fg_bench_fftw stock, ours, cufftw;
  bool have_cufftw;
} libraries;

/* What all cases share. */
typedef struct {
  const fg_bench_options *options;
  libraries of[2]; /* enum fg_precision */
  int processors;
} bench;

typedef struct {
  const bench *b;
  const libraries *l;
  const fg_problem *p;
  fg_layout in, out;
  char *image; /* of the input */
  double *reference;
} subject;

/* The arrays of one library and its plan for them. */
typedef struct {
  const fg_bench_fftw *fftw;
  void *in_block, *out_block;
  fg_arrays a;
  void *plan;
} execution;

static bool in_place(const fg_problem *p) { return p->arrays.in_re == p->arrays.out_re; }

/* ---- arrays ---- */

typedef struct {
  ptrdiff_t low, high; /* reals from the array's pointer to its lowest, and past its highest */
} span;

static span span_of(const fg_layout *l) {
  span s = {l->low, l->low + (l->split ? 1 : 2)};
  for (int d = 0; d < l->rank; d++) s.high += (l->walk[d].n - 1) * l->walk[d].stride;
  return s;
}

/* A block with one plane, or two of a split array behind each other. */
static void *place(const fg_bench_fftw *f, const fg_layout *l, span s, void **re, void **im) {
  const size_t plane = ((size_t)(s.high - s.low) + 15) / 16 * 16, real = fg_real_size(l->precision);
  char *block = f->malloc((l->split ? 2 : 1) * plane * real);
  if (!block) return NULL;
  *re = block - s.low * (ptrdiff_t)real;
  *im = (char *)*re + (l->split ? plane : 1) * real;
  return block;
}

static bool place_arrays(const subject *s, execution *e) {
  span in = span_of(&s->in), out = span_of(&s->out);
  if (!in_place(s->p)) {
    e->in_block = place(e->fftw, &s->in, in, &e->a.in_re, &e->a.in_im);
    e->out_block = place(e->fftw, &s->out, out, &e->a.out_re, &e->a.out_im);
    return e->in_block && e->out_block;
  }
  in = (span){in.low < out.low ? in.low : out.low, in.high > out.high ? in.high : out.high};
  e->in_block = place(e->fftw, &s->in, in, &e->a.in_re, &e->a.in_im);
  e->a.out_re = e->a.in_re;
  e->a.out_im = e->a.in_im;
  return e->in_block;
}

static size_t real_size(const subject *s) { return fg_real_size(s->p->precision); }

/* The image of an interleaved array is one plane; of a split one, here as everywhere, it is two. */
static void put_input(const subject *s, const execution *e) {
  fg_layout_scatter(&s->in, e->a.in_re, 0, s->in.elements, s->image);
  if (s->in.split)
    fg_layout_scatter(&s->in, e->a.in_im, 0, s->in.elements, s->image + s->in.elements * (ptrdiff_t)real_size(s));
}

static double error_of(const subject *s, const execution *e) {
  const bool split = s->out.split;
  const size_t elements = (size_t)s->out.elements;
  fg_bench_error error = {0, 0};
  char *image = malloc(2 * elements * real_size(s));
  char *const second = image + elements * real_size(s);
  if (!image || !s->reference) {
    free(image);
    return NAN;
  }
  fg_layout_gather(&s->out, e->a.out_re, 0, s->out.elements, image);
  if (split) fg_layout_gather(&s->out, e->a.out_im, 0, s->out.elements, second);
  const enum fg_precision precision = s->p->precision;
  fg_bench_compare(&error, image, precision, split ? elements : 2 * elements, 0, split ? 2 : 1, s->reference, 1);
  if (split) fg_bench_compare(&error, second, precision, elements, 1, 2, s->reference, 1);
  free(image);
  return fg_bench_relative(&error);
}

/* ---- plans ---- */

/* With strides in units of reals reals. */
static fg_dim *dims_in(const fg_tensor *t, ptrdiff_t reals) {
  fg_dim *dims = malloc(((size_t)t->rank + 1) * sizeof *dims);
  for (int d = 0; dims && d < t->rank; d++)
    dims[d] = (fg_dim){t->dim[d].n, t->dim[d].is / reals, t->dim[d].os / reals};
  return dims;
}

static void *plan_guru(const subject *s, const execution *e, unsigned flags) {
  const fg_problem *p = s->p;
  const bool split = p->format == FG_SPLIT;
  fg_dim *dims = dims_in(&p->transform, split ? 1 : 2), *batch = dims_in(&p->batch, split ? 1 : 2);
  void *plan = NULL;
  if (dims && batch && split && e->fftw->plan_split)
    plan = e->fftw->plan_split(p->transform.rank, dims, p->batch.rank, batch, e->a.in_re, e->a.in_im, e->a.out_re,
                               e->a.out_im, flags);
  else if (dims && batch && !split && e->fftw->plan)
    plan = e->fftw->plan(p->transform.rank, dims, p->batch.rank, batch, e->a.in_re, e->a.out_re, p->sign, flags);
  free(dims);
  free(batch);
  return plan;
}

static void *plan(const subject *s, const execution *e, unsigned flags) {
  fg_bench_plain plain;
  if (!fg_bench_plain_of(s->p, &plain)) return e->fftw == &s->l->cufftw ? NULL : plan_guru(s, e, flags);
  const int n = (int)fg_tensor_size(&s->p->transform);
  return e->fftw->plan_many(plain.rank, plain.n, plain.batch, e->a.in_re, NULL, 1, n, e->a.out_re, NULL, 1, n,
                            plain.sign, flags);
}

/* ---- timing ---- */

/* Seconds of one execution out of so many, one after the other.  In place, each begins with fresh data. */
static double time_once(const subject *s, const execution *e, int times) {
  if (in_place(s->p)) put_input(s, e);
  const double start = fg_clock_seconds();
  for (int i = 0; i < times; i++) e->fftw->execute(e->plan);
  return (fg_clock_seconds() - start) / times;
}

/* Enough executions that the clock's resolution does not count. */
static int times_for(const subject *s, double seconds) {
  const double enough = 1e-4, most = 10000;
  const int limit = in_place(s->p) ? fg_bench_in_place_limit(fg_tensor_size(&s->p->transform)) : (int)most;
  const double times = seconds > enough / most ? ceil(enough / seconds) : most;
  return times < limit ? (int)times : limit;
}

static double measure(const subject *s, const execution *e) {
  const double limit = 2, start = fg_clock_seconds();
  fg_bench_times times;
  double seconds = 0;
  for (int i = 0; i < 2 || fg_clock_seconds() - start < 0.02; i++) seconds = time_once(s, e, 1);
  if (!fg_bench_times_begin(&times, s->b->options, limit)) return NAN;
  const int each = times_for(s, seconds);
  while (fg_bench_times_more(&times)) fg_bench_times_add(&times, 1e6 * time_once(s, e, each));
  return fg_bench_times_median(&times);
}

/* ---- a library ---- */

typedef struct {
  double time, error; /* microseconds; NAN: it cannot do this */
  char *plan;         /* as text; malloc'd or NULL */
} result;

/* Doubles may be computed with in single precision where that is asked for. */
static double wrong(const subject *s) {
  const char *setting = getenv("FFTW3_GPU_DOUBLE");
  return fg_bench_wrong(setting && !strcmp(setting, "single") ? FG_SINGLE : s->p->precision);
}

static void stop(execution *e) {
  if (e->plan) e->fftw->destroy(e->plan);
  e->fftw->free(e->in_block);
  e->fftw->free(e->out_block);
}

static result run_library(const subject *s, const fg_bench_fftw *fftw, unsigned flags) {
  result r = {NAN, NAN, NULL};
  execution e = {.fftw = fftw};
  if (place_arrays(s, &e)) e.plan = plan(s, &e, flags);
  if (e.plan) {
    put_input(s, &e); /* after planning, which may overwrite the arrays */
    fftw->execute(e.plan);
    r.error = error_of(s, &e);
    r.plan = fftw->sprint ? fftw->sprint(e.plan) : NULL;
    /* Without a reference nothing is known to be wrong. */
    if (!(r.error >= wrong(s))) r.time = measure(s, &e);
  }
  stop(&e);
  return r;
}

static double run_stock(const subject *s, int threads) {
  const fg_bench_fftw *stock = &s->l->stock;
  if (threads > 1 && !stock->threads) return NAN;
  if (stock->threads) stock->threads(threads);
  if (stock->timelimit) stock->timelimit(8);
  const result r = run_library(s, stock, s->b->options->measure ? FG_MEASURE : FG_ESTIMATE);
  free(r.plan);
  if (stock->threads) stock->threads(1); /* this library may plan with it too */
  return r.time;
}

static double run_cufftw(const subject *s) {
  if (!s->l->have_cufftw) return NAN;
  const result r = run_library(s, &s->l->cufftw, FG_ESTIMATE);
  free(r.plan);
  return r.time;
}

/* ---- the libraries ---- */

/* Settings are read when the library is first used: from here on every plan goes to the GPU if it can. */
static const char *open_ours(fg_bench_fftw *ours, enum fg_precision precision) {
  char path[PATH_MAX];
  if (!fg_cli_library(path, sizeof path)) return "the library is not where it should be";
  setenv("FFTW3_GPU", "force", 1);
  if (fg_bench_fftw_open(ours, precision, (const char *const[]){path, NULL}, NULL)) return NULL;
  return "the library cannot be loaded";
}

/* NULL, or what is missing. */
static const char *open_libraries(libraries *l, enum fg_precision precision) {
  static const char *const stock[][3] = {{"libfftw3f.so.3", FFTW3F_PATH, NULL}, {"libfftw3.so.3", FFTW3_PATH, NULL}};
  static const char *const threads[] = {"libfftw3f_threads.so.3", "libfftw3_threads.so.3"};
  static const char *const cufftw[] = {"libcufftw.so.12", "libcufftw.so.11", "libcufftw.so", NULL};
  if (l->state != UNKNOWN) return l->state == THERE ? NULL : "a library is missing";
  l->state = MISSING;
  if (!fg_bench_fftw_open(&l->stock, precision, stock[precision], threads[precision]))
    return precision == FG_SINGLE ? "libfftw3f.so.3 was not found" : "libfftw3.so.3 was not found";
  const char *why = open_ours(&l->ours, precision);
  if (why) return why;
  l->have_cufftw = fg_bench_fftw_open(&l->cufftw, precision, cufftw, NULL);
  l->state = THERE;
  return NULL;
}

/* ---- a case ---- */

/* Count reals of the image from at on. */
static void fill(const subject *s, size_t at, size_t count, uint64_t first, int step) {
  void *const to = s->image + at * real_size(s);
  if (s->p->precision == FG_SINGLE) fg_bench_random(to, count, first, step);
  else fg_bench_random_double(to, count, first, step);
}

static const char *prepare(subject *s) {
  if (s->p->kind != FG_DFT) return "only complex transforms are timed, but for --device";
  if (fg_tensor_size(&s->p->batch) == 0) return "an empty batch";
  const char *why = fg_problem_undefined(s->p);
  if (why) return why;
  if (!fg_layout_make(&s->in, s->p, FG_INPUT) || !fg_layout_make(&s->out, s->p, FG_OUTPUT)) return "out of memory";
  const size_t elements = (size_t)s->in.elements;
  s->image = malloc(2 * elements * real_size(s));
  if (!s->image) return "out of memory";
  if (!s->in.split) {
    fill(s, 0, 2 * elements, 0, 1);
  } else {
    fill(s, 0, elements, 0, 2);
    fill(s, elements, elements, 1, 2);
  }
  s->reference = fg_bench_reference(s->p, &s->in, &s->out, NULL);
  return NULL;
}

static const char *run_ours(const subject *s, fg_bench_row *row) {
  const result r = run_library(s, &s->l->ours, FG_ESTIMATE);
  row->value[OURS] = r.time;
  row->value[ERROR] = r.error;
  row->passes = r.plan;
  if (!s->reference) snprintf(row->note, sizeof row->note, "not checked");
  if (r.plan && strncmp(r.plan, "(gpu-", 5)) snprintf(row->note, sizeof row->note, "stayed with FFTW");
  if (r.error >= wrong(s)) return "WRONG RESULT";
  return isnan(r.time) ? "no plan" : NULL;
}

static void compare(const subject *s, fg_bench_row *row) {
  double *v = row->value;
  v[STOCK_ONE] = run_stock(s, 1);
  v[STOCK_ALL] = run_stock(s, s->b->processors);
  v[CUFFTW] = run_cufftw(s);
  v[FLOOR] = 1e6 * 2 * (double)s->in.elements * 2 * (double)real_size(s) / link_bandwidth;
  v[ONE_PER_OURS] = v[STOCK_ONE] / v[OURS];
  v[ALL_PER_OURS] = v[STOCK_ALL] / v[OURS];
  v[OURS_PER_FLOOR] = v[OURS] / v[FLOOR];
  v[CUFFTW_PER_OURS] = v[CUFFTW] / v[OURS];
}

static void run_case(bench *b, const fg_bench_case *c, fg_bench_table *table) {
  subject s = {.b = b, .p = c->problem, .l = &b->of[c->problem->precision]};
  fg_bench_row row;
  fg_bench_row_begin(&row, c);
  const char *why = open_libraries(&b->of[c->problem->precision], c->problem->precision);
  if (!why) why = prepare(&s);
  if (!why) why = run_ours(&s, &row);
  if (!why) compare(&s, &row);
  if (why) snprintf(row.note, sizeof row.note, "%s", why);
  free(s.image);
  free(s.reference);
  fg_layout_free(&s.in);
  fg_layout_free(&s.out);
  fg_bench_row_print(table, &row, why != NULL);
}

int fg_bench_host(const fg_bench_cases *cases, const fg_bench_options *options, FILE *csv) {
  bench b = {.options = options, .processors = (int)sysconf(_SC_NPROCESSORS_ONLN)};
  fg_bench_table table;
  printf("data on the host; median times; stock FFTW plans with %s, on 1 thread and on %d;\n"
         "floor: in and out over a link of %.0f GB/s\n",
         options->measure ? "FFTW_MEASURE" : "FFTW_ESTIMATE", b.processors, link_bandwidth / 1e9);
  fg_bench_table_begin(&table, columns, csv);
  for (int i = 0; i < cases->count; i++) run_case(&b, &cases->item[i], &table);
  fg_bench_table_end(&table);
  return table.failures ? FG_EXIT_FAILED : 0;
}
