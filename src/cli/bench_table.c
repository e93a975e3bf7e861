/* bench_table.c: repetitions and their median; the table on stdout with the CSV file beside it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/bench.h"
#include "src/problem/notation.h"

/* ---- repetitions ---- */

bool fg_bench_times_begin(fg_bench_times *t, const fg_bench_options *options, double limit) {
  *t = (fg_bench_times){.options = options, .limit = limit, .start = fg_clock_seconds()};
  t->time = malloc(FG_BENCH_MOST_TIMES * sizeof *t->time);
  return t->time;
}

bool fg_bench_times_more(const fg_bench_times *t) {
  enum { LEAST = 3, USUAL = 20 };
  const double spent = fg_clock_seconds() - t->start;
  if (t->count < LEAST) return true;
  if (t->options->seconds > 0) return t->count < FG_BENCH_MOST_TIMES && spent < t->options->seconds;
  return t->count < USUAL && spent < t->limit;
}

void fg_bench_times_add(fg_bench_times *t, double seconds) { t->time[t->count++] = seconds; }

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double fg_bench_times_median(fg_bench_times *t) {
  const int n = t->count;
  double median = NAN;
  if (n) {
    qsort(t->time, (size_t)n, sizeof *t->time, ascending);
    median = n % 2 ? t->time[n / 2] : (t->time[n / 2 - 1] + t->time[n / 2]) / 2;
  }
  free(t->time);
  t->time = NULL;
  return median;
}

/* Numbers grow by the square root of n each time; 1e30 leaves room for the sums on the way. */
int fg_bench_in_place_limit(ptrdiff_t n) {
  const double growth = log10(n > 2 ? (double)n : 2) / 2;
  return growth < 30 ? (int)(30 / growth) : 1;
}

/* ---- the table ---- */

enum { PROBLEM_WIDTH = 24, WIDTH = 10 };

/* As a cell of the table; empty: for what is not known. */
static void print_cell(const fg_bench_column *c, double value, const char *empty) {
  char cell[40];
  const double size = fabs(value);
  const char *usual = size < 10 ? "%.3f" : size < 100 ? "%.2f" : size < 1000 ? "%.1f" : "%.0f";
  if (!c->title) return;
  if (isnan(value)) snprintf(cell, sizeof cell, "%s", empty);
  else snprintf(cell, sizeof cell, c->format ? c->format : usual, value);
  printf(" %*s", WIDTH, cell);
}

/* Bytes of UTF-8 that take no room of their own. */
static int continuations(const char *text) {
  int count = 0;
  for (; *text; text++) count += ((unsigned char)*text & 0xc0) == 0x80;
  return count;
}

void fg_bench_table_begin(fg_bench_table *t, const fg_bench_column *column, FILE *csv) {
  *t = (fg_bench_table){.column = column, .csv = csv};
  printf("%-*s", PROBLEM_WIDTH, "problem");
  for (const fg_bench_column *c = column; c->csv; c++)
    if (c->title) printf(" %*s", WIDTH + continuations(c->title), c->title);
  putchar('\n');
  fflush(stdout); /* as behind each case */
  if (!csv) return;
  fprintf(csv, "class,problem");
  for (const fg_bench_column *c = column; c->csv; c++) fprintf(csv, ",%s", c->csv);
  fprintf(csv, ",note,plan\n");
}

void fg_bench_row_begin(fg_bench_row *row, const fg_bench_case *c) {
  *row = (fg_bench_row){.class = c->class};
  fg_notation_print(c->problem, row->problem, sizeof row->problem);
  for (int i = 0; i < FG_BENCH_COLUMNS; i++) row->value[i] = NAN;
}

static void print_text(const fg_bench_table *t, const fg_bench_row *row) {
  printf("%-*s", PROBLEM_WIDTH, row->problem);
  for (int i = 0; t->column[i].csv; i++) print_cell(&t->column[i], row->value[i], "-");
  printf(*row->note ? "  %s\n" : "\n", row->note);
  fflush(stdout); /* the next case may take long */
}

static void print_quoted(FILE *f, const char *text) {
  fputs(",\"", f);
  for (; *text; text++)
    if (*text == '"') fputs("\"\"", f);
    else fputc(*text == '\n' ? ' ' : *text, f); /* a case is one line */
  fputc('"', f);
}

static void print_csv(const fg_bench_table *t, const fg_bench_row *row) {
  if (t->data) fprintf(t->csv, "%s,", t->data);
  fprintf(t->csv, "%s,%s", row->class, row->problem);
  for (int i = 0; t->column[i].csv; i++)
    if (isnan(row->value[i])) fputc(',', t->csv);
    else fprintf(t->csv, ",%.9g", row->value[i]);
  print_quoted(t->csv, row->note);
  print_quoted(t->csv, row->passes ? row->passes : "");
  fputc('\n', t->csv);
  fflush(t->csv);
}

void fg_bench_row_print(fg_bench_table *t, fg_bench_row *row, bool failed) {
  print_text(t, row);
  if (t->csv) print_csv(t, row);
  t->cases++;
  t->failures += failed;
  for (int i = 0; t->column[i].csv; i++) {
    if (!t->column[i].mean || !(row->value[i] > 0)) continue;
    t->logs[i] += log(row->value[i]);
    t->means[i]++;
  }
  free(row->passes);
  row->passes = NULL;
}

void fg_bench_table_end(const fg_bench_table *t) {
  printf("%-*s", PROBLEM_WIDTH, "geometric mean");
  for (int i = 0; t->column[i].csv; i++)
    print_cell(&t->column[i], t->means[i] ? exp(t->logs[i] / t->means[i]) : NAN, "");
  printf("\n%d cases", t->cases);
  if (t->failures) printf(", %d failed", t->failures);
  putchar('\n');
}
