/* accuracy_table.c: the tables of `fftw3-gpu accuracy`, one for each kind of data, and what is too inaccurate. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/accuracy_table.h"
#include "src/cli/cli.h"
#include "src/problem/notation.h"
#include "src/report/settings.h"
#include "src/run/target.h"

/* ---- columns: in the table those of one norm, in the CSV file all ---- */

enum {
  STOCK_S, OURS_S, RATIO_S, CUFFT_S, STOCK_AS, OURS_AS, RATIO_AS, STOCK_D, OURS_D, RATIO_D, CUFFT_D, EACH,
  COLUMNS = 2 * EACH
};

#define COLUMN(at, norm, title, csv, format, mean) [(norm)*EACH + (at)] = {title, csv, format, mean}
/* Doubles that were rounded and given to FFTWf, which is the measure of doubles computed in single precision. */
#define ROUNDED "d→FFTWf"
#define COLUMNS_OF(norm, suffix)                                                                                      \
  COLUMN(STOCK_S, norm, "FFTWf", "fftw_single" suffix, "%.2e", false),                                                \
      COLUMN(OURS_S, norm, "single", "single" suffix, "%.2e", false),                                                 \
      COLUMN(RATIO_S, norm, "÷ FFTWf", "single_per_fftw_single" suffix, "%.2f", true),                                \
      COLUMN(CUFFT_S, norm, "cuFFT", "cufft_single" suffix, "%.2e", false),                                           \
      COLUMN(STOCK_AS, norm, ROUNDED, "fftw_as_single" suffix, "%.2e", false),                                        \
      COLUMN(OURS_AS, norm, "as single", "as_single" suffix, "%.2e", false),                                          \
      COLUMN(RATIO_AS, norm, "÷ " ROUNDED, "as_single_per_fftw_as_single" suffix, "%.2f", true),                      \
      COLUMN(STOCK_D, norm, "FFTW", "fftw_double" suffix, "%.2e", false),                                             \
      COLUMN(OURS_D, norm, "double", "double" suffix, "%.2e", false),                                                 \
      COLUMN(RATIO_D, norm, "÷ FFTW", "double_per_fftw_double" suffix, "%.2f", true),                                 \
      COLUMN(CUFFT_D, norm, "cuFFT d", "cufft_double" suffix, "%.2e", false)
static const fg_bench_column all_columns[COLUMNS + 1] = {COLUMNS_OF(FG_NORM_L2, "_l2"),
                                                         COLUMNS_OF(FG_NORM_MAX, "_max")};
_Static_assert((int)COLUMNS <= (int)FG_BENCH_COLUMNS, "a row has room for all columns");

/* Whose error a column is, or whose ratio. */
static const int who_of[EACH] = {FG_STOCK_SINGLE,    FG_OURS_SINGLE,    FG_OURS_SINGLE,  FG_CUFFT_SINGLE,
                                 FG_STOCK_AS_SINGLE, FG_OURS_AS_SINGLE, FG_OURS_AS_SINGLE, FG_STOCK_DOUBLE,
                                 FG_OURS_DOUBLE,     FG_OURS_DOUBLE,    FG_CUFFT_DOUBLE};

static void choose_columns(const fg_accuracy_request *r, fg_bench_column columns[COLUMNS + 1]) {
  memcpy(columns, all_columns, sizeof all_columns);
  for (int i = 0; i < COLUMNS; i++)
    if (i / EACH != (int)r->norm || !r->options.wanted[who_of[i % EACH]]) columns[i].title = NULL;
}

/* ---- what is too much ---- */

typedef struct {
  enum fg_accuracy_who ours, stock;
  enum fg_precision arithmetic;
} pair;

static const pair pairs[] = {{FG_OURS_SINGLE, FG_STOCK_SINGLE, FG_SINGLE},
                             {FG_OURS_AS_SINGLE, FG_STOCK_AS_SINGLE, FG_SINGLE},
                             {FG_OURS_DOUBLE, FG_STOCK_DOUBLE, FG_DOUBLE}};
enum { PAIRS = sizeof pairs / sizeof *pairs };

/* As the table's headings have them. */
static const char *const names[FG_ACCURACY_SUBJECTS] = {"FFTWf",     "single", "cuFFT",  ROUNDED,
                                                        "as single", "FFTW",   "double", "cuFFT d"};

/* ours / stock; 1 where both are exact. */
static double ratio(const fg_accuracy_result *r, const pair *p, enum fg_norm norm) {
  const double ours = r->error[p->ours][norm], stock = r->error[p->stock][norm];
  return ours == 0 && stock == 0 ? 1 : ours / stock;
}

/* Stock FFTW may be exact where roundings happen to cancel: what rounding the result costs is always allowed. */
static const char *judge(const fg_accuracy_request *request, const fg_accuracy_result *r, const pair *p, char note[160]) {
  const double *error = r->error[p->ours], least = r->rounding[p->arithmetic][request->norm];
  const double allowed = request->limit * fmax(r->error[p->stock][request->norm], least);
  if (!request->options.wanted[p->ours]) return NULL;
  if (isnan(error[FG_NORM_L2]) && !*r->why[p->ours]) return "WRONG RESULT";
  if (error[FG_NORM_L2] > fg_bench_wrong(p->arithmetic)) return "WRONG RESULT";
  if (!(request->limit > 0)) return NULL;
  if (*r->why[p->ours]) snprintf(note, 160, "%s: %.120s", names[p->ours], r->why[p->ours]);
  else if (*r->why[p->stock]) snprintf(note, 160, "%s: nothing to compare with: %.90s", names[p->ours], r->why[p->stock]);
  else if (!(error[request->norm] <= allowed))
    snprintf(note, 160, "%s: TOO LARGE, %.2f times", names[p->ours], error[request->norm] / (allowed / request->limit));
  else return NULL;
  return note;
}

/* ---- reasons for what is not known, each told once ---- */

enum { MOST_REASONS = 32 };
typedef struct {
  int who, count;
  char why[128];
} reason;

typedef struct {
  int count;
  reason item[MOST_REASONS];
} reasons;

static void remember(reasons *all, int who, const char *why) {
  int i = 0;
  while (i < all->count && (all->item[i].who != who || strcmp(all->item[i].why, why))) i++;
  if (i == MOST_REASONS) return;
  if (i == all->count) {
    all->item[all->count++] = (reason){.who = who};
    snprintf(all->item[i].why, sizeof all->item[i].why, "%s", why);
  }
  all->item[i].count++;
}

static void print_reasons(const reasons *all) {
  for (int i = 0; i < all->count; i++)
    printf("'-' of %s: %s (%d cases)\n", names[all->item[i].who], all->item[i].why, all->item[i].count);
}

/* ---- a case ---- */

typedef struct {
  const fg_accuracy_request *request;
  fg_bench_table table;
  reasons reasons;
  double worst[PAIRS];
  char where[PAIRS][128];
} section;

static void fill_row(fg_bench_row *row, const fg_accuracy_result *r) {
  static const int ratios[PAIRS] = {RATIO_S, RATIO_AS, RATIO_D};
  static const int errors[] = {STOCK_S, OURS_S, CUFFT_S, STOCK_AS, OURS_AS, STOCK_D, OURS_D, CUFFT_D};
  for (int norm = 0; norm < FG_NORMS; norm++) {
    for (int who = 0; who < FG_ACCURACY_SUBJECTS; who++) row->value[norm * EACH + errors[who]] = r->error[who][norm];
    for (int i = 0; i < PAIRS; i++)
      row->value[norm * EACH + ratios[i]] = ratio(r, &pairs[i], (enum fg_norm)norm);
  }
}

static void note_worst(section *s, const char *problem, const fg_accuracy_result *r) {
  for (int i = 0; i < PAIRS; i++) {
    const double now = ratio(r, &pairs[i], s->request->norm);
    if (!(now > s->worst[i]) || isinf(now)) continue;
    s->worst[i] = now;
    snprintf(s->where[i], sizeof s->where[i], "%s", problem);
  }
}

static void run_case(section *s, enum fg_data data, const fg_bench_case *c, fg_accuracy_plot *plot) {
  fg_bench_row row;
  fg_accuracy_result result;
  char note[160];
  fg_bench_row_begin(&row, c);
  const char *wrong = fg_accuracy_measure(c->problem, data, &s->request->options, &result);
  if (!wrong) {
    fill_row(&row, &result);
    note_worst(s, row.problem, &result);
    fg_accuracy_plot_add(plot, row.problem, (double)fg_tensor_size(&c->problem->transform), &result, s->request->norm);
    for (int who = 0; who < FG_ACCURACY_SUBJECTS; who++)
      if (s->request->options.wanted[who] && *result.why[who]) remember(&s->reasons, who, result.why[who]);
    for (int i = 0; i < PAIRS && !wrong; i++) wrong = judge(s->request, &result, &pairs[i], note);
  }
  if (wrong) snprintf(row.note, sizeof row.note, "%s", wrong);
  fg_bench_row_print(&s->table, &row, wrong != NULL);
}

/* ---- all ---- */

static void print_end(const section *s) {
  fg_bench_table_end(&s->table);
  for (int i = 0; i < PAIRS; i++)
    if (s->worst[i] > 0)
      printf("largest %s ÷ %s: %.2f (%s)\n", names[pairs[i].ours], names[pairs[i].stock], s->worst[i], s->where[i]);
  print_reasons(&s->reasons);
}

/* Failures. */
static int run_data(const fg_accuracy_request *r, enum fg_data data, const fg_bench_column *columns, bool first,
                    fg_accuracy_plot *plot) {
  section *s = calloc(1, sizeof *s);
  if (!s) return 1;
  s->request = r;
  printf("%s%s data\n", first ? "" : "\n", fg_data_names[data]);
  if (first && r->csv) fputs("data,", r->csv);
  fg_bench_table_begin(&s->table, columns, first ? r->csv : NULL);
  s->table.csv = r->csv;
  s->table.data = fg_data_names[data];
  for (int i = 0; i < r->cases.count; i++) run_case(s, data, &r->cases.item[i], plot);
  print_end(s);
  const int failures = s->table.failures;
  free(s);
  return failures;
}

static const char *norm_name(enum fg_norm norm) {
  return norm == FG_NORM_L2 ? "relative L2 error" : "largest error over the largest number";
}

const char *fg_accuracy_advice(void) {
  return fg_settings_get()->sim ? "" : " (FFTW3_GPU_BACKEND=sim has the processor run the kernels)";
}

int fg_accuracy_tables(const fg_accuracy_request *request) {
  fg_accuracy_request r = *request;
  const char *why;
  const fg_target *target = fg_target_get(&why);
  if (!target) {
    fg_cli_error("accuracy: no device: %s%s", why, fg_accuracy_advice());
    return FG_EXIT_FAILED;
  }
  if (!fg_accuracy_cufft_possible()) r.options.wanted[FG_CUFFT_SINGLE] = r.options.wanted[FG_CUFFT_DOUBLE] = false;
  printf("%s: %s; %s against %s\n", target->backend->name, target->info->name, norm_name(r.norm),
         fg_accuracy_reference_name());
  fg_bench_column columns[COLUMNS + 1];
  fg_accuracy_plot plot = {0}, rest = {0};
  int failures = 0;
  bool first = true;
  choose_columns(&r, columns);
  for (int data = 0; data < FG_DATA_KINDS; data++) {
    if (!r.data[data]) continue;
    failures += run_data(&r, (enum fg_data)data, columns, first, first ? &plot : &rest);
    if (first && r.svg) {
      char what[128];
      snprintf(what, sizeof what, "%s, %s data", norm_name(r.norm), fg_data_names[data]);
      fg_accuracy_plot_write(r.svg, &plot, target->info->name, what);
    }
    first = false;
  }
  free(plot.mark);
  free(rest.mark);
  return failures ? FG_EXIT_FAILED : 0;
}
