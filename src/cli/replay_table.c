/* replay_table.c: what a replay took, beside what the trace recorded. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "src/cli/replay.h"
#include "src/problem/notation.h"

/* ---- the rows ---------------------------------------------------------------------------------------------------- */

static void put_flags(const fg_problem *p, char *text, size_t size) {
  const char *patience = p->flags & FG_ESTIMATE     ? "estimate"
                         : p->flags & FG_EXHAUSTIVE ? "exhaustive"
                         : p->flags & FG_PATIENT    ? "patient"
                                                    : "measure";
  snprintf(text, size, "%s%s%s%s", p->precision == FG_DOUBLE ? "double:" : "", patience,
           p->flags & FG_WISDOM_ONLY ? ",wisdom" : "", p->flags & FG_UNALIGNED ? ",unaligned" : "");
}

static void add_item(const fg_replay_item *item, fg_replay_row *row) {
  const fg_problem *p = item->line.problem;
  const double seconds = 1e-9 * (double)item->frame.ns;
  if (item->line.call == FG_CALL_EXECUTE) {
    row->recorded_executes += item->times * item->around;
    row->recorded_seconds += seconds;
    return;
  }
  fg_notation_print(p, row->problem, sizeof row->problem);
  put_flags(p, row->flags, sizeof row->flags);
  row->precision = p->precision;
  row->threads = p->threads;
  row->recorded_plans += item->times * item->around;
  row->recorded_plan_seconds += seconds;
}

static void add_items(const fg_replay_item *item, fg_replay_row *rows) {
  for (; item; item = item->next) {
    add_items(item->body, rows);
    if (item->row >= 0) add_item(item, &rows[item->row]);
  }
}

void fg_replay_rows_begin(const fg_replay_file *file, fg_replay_row *rows) { add_items(file->first, rows); }

/* ---- as text ----------------------------------------------------------------------------------------------------- */

/* NAN: not known. */
static void print_number(double value) {
  const double size = fabs(value);
  if (isnan(value)) printf(" %10s", "-");
  else printf(size < 10 ? " %10.3f" : size < 100 ? " %10.2f" : size < 1000 ? " %10.1f" : " %10.0f", value);
}

static double each(double seconds, long times) { return times ? seconds / (double)times : NAN; }

/* Microseconds beside what was recorded, of which there is only the sum; where two libraries are compared, medians. */
static double mean(const fg_replay_row *r) { return 1e6 * each(r->seconds, r->executes); }
static double recorded_mean(const fg_replay_row *r) { return 1e6 * each(r->recorded_seconds, r->recorded_executes); }

static void print_problem(const fg_replay_row *row) {
  printf("%-24s %-21s %3d", row->problem, row->flags, row->threads);
}

static fg_replay_row sum_of(const fg_replay_file *file, const fg_replay_row *rows) {
  fg_replay_row sum = {.difference = 0};
  for (int i = 0; i < file->rows; i++) {
    sum.plans += rows[i].plans;
    sum.executes += rows[i].executes;
    sum.plan_seconds += rows[i].plan_seconds;
    sum.seconds += rows[i].seconds;
    sum.recorded_plan_seconds += rows[i].recorded_plan_seconds;
    sum.recorded_seconds += rows[i].recorded_seconds;
    sum.compared += rows[i].compared;
    if (!isnan(sum.difference) && !(rows[i].difference <= sum.difference)) sum.difference = rows[i].difference;
  }
  return sum;
}

static void print_head(const fg_replay_file *file) {
  printf("%s: %s, %.3f s\n", file->name, file->head, 1e-9 * (double)file->end);
}

void fg_replay_table(const fg_replay_file *file, const fg_replay_row *rows, int times) {
  print_head(file);
  printf("%-24s %-21s %3s %-5s %6s %10s %10s %10s %10s %10s %10s %10s\n", "problem", "planned", "thr", "where", "plans",
         "plan ms", "recorded", "executions", "mean us", "recorded", "total ms", "recorded");
  for (int i = 0; i < file->rows; i++) {
    const fg_replay_row *r = &rows[i];
    print_problem(r);
    printf(" %-5s %6ld", r->plans && r->nulls == r->plans ? "null" : *r->where ? r->where : "-", r->plans);
    print_number(1e3 * r->plan_seconds);
    print_number(1e3 * r->recorded_plan_seconds);
    printf(" %10ld", r->executes);
    print_number(mean(r));
    print_number(recorded_mean(r));
    print_number(1e3 * r->seconds);
    print_number(1e3 * r->recorded_seconds);
    putchar('\n');
  }
  const fg_replay_row sum = sum_of(file, rows);
  if (times > 1) printf("the program %d times; ", times);
  printf("planning %.6f s, executing %.6f s; recorded %.6f s and %.6f s\n", sum.plan_seconds, sum.seconds,
         sum.recorded_plan_seconds, sum.recorded_seconds);
}

static bool any_wrong(const fg_replay_file *file, const fg_replay_row *rows) {
  bool wrong = false;
  for (int i = 0; i < file->rows; i++) wrong |= !(rows[i].difference <= fg_replay_wrong(&rows[i]));
  return wrong;
}

static bool any_on_device(const fg_replay_file *file, const fg_replay_row *ours) {
  bool any = false;
  for (int i = 0; i < file->rows; i++) any |= ours[i].executes > 0 && *ours[i].where && strcmp(ours[i].where, "host");
  return any;
}

void fg_replay_compare_table(const fg_replay_file *file, const fg_replay_row *stock, const fg_replay_row *ours) {
  print_head(file);
  printf("%-24s %-21s %3s %-5s %10s %10s %10s %10s %10s %10s\n", "problem", "planned", "thr", "where", "executions",
         "FFTW med.", "ours med.", "FFTW/ours", "compared", "difference");
  for (int i = 0; i < file->rows; i++) {
    const fg_replay_row *a = &stock[i], *b = &ours[i];
    print_problem(b);
    printf(" %-5s %10ld", b->plans && b->nulls == b->plans ? "null" : *b->where ? b->where : "-", b->executes);
    print_number(1e6 * a->median);
    print_number(1e6 * b->median);
    print_number(a->median / b->median);
    if (b->compared) printf(" %10ld %10.1e\n", b->compared, b->difference);
    else printf(" %10s %10s\n", "-", "-");
  }
  const fg_replay_row a = sum_of(file, stock), b = sum_of(file, ours);
  printf("planning %.6f s with FFTW, %.6f s with the library; executing %.6f s and %.6f s; recorded %.6f s and "
         "%.6f s\n", a.plan_seconds, b.plan_seconds, a.seconds, b.seconds, b.recorded_plan_seconds, b.recorded_seconds);
  printf("%ld results compared, largest relative L2 difference %.1e%s\n", b.compared, b.difference,
         any_wrong(file, ours) ? ": WRONG RESULTS" : "");
  if (!file->rows)
    printf("no plan is in this trace: nothing was repeated (FFTW-MPI\'s plans are FFTW\'s own, and in none)\n");
  else if (!any_on_device(file, ours))
    printf("all of it ran on the host: FFTW was compared with FFTW (FFTW3_GPU=force has the GPU do it, where there is one,\n"
           "FFTW3_GPU=force FFTW3_GPU_BACKEND=sim its kernels on the processor)\n");
}

/* ---- as CSV ------------------------------------------------------------------------------------------------------ */

static void csv_number(FILE *f, double value) {
  if (isnan(value)) fputc(',', f);
  else fprintf(f, ",%.9g", value);
}

static void csv_times(FILE *f, const fg_replay_row *r) {
  fprintf(f, ",%ld", r->plans);
  csv_number(f, r->plan_seconds);
  fprintf(f, ",%ld", r->executes);
  csv_number(f, mean(r));
  csv_number(f, 1e6 * r->median);
  csv_number(f, r->seconds);
}

void fg_replay_csv(FILE *f, const fg_replay_file *file, const fg_replay_row *stock, const fg_replay_row *ours) {
  fprintf(f, "problem,planned,threads,where,plans,plan_s,executions,mean_us,median_us,total_s,recorded_plans,"
             "recorded_plan_s,recorded_executions,recorded_mean_us,recorded_total_s");
  if (stock)
    fprintf(f, ",stock_plans,stock_plan_s,stock_executions,stock_mean_us,stock_median_us,stock_total_s,compared,"
               "difference");
  fputc('\n', f);
  for (int i = 0; i < file->rows; i++) {
    const fg_replay_row *r = &ours[i];
    fprintf(f, "\"%s\",\"%s\",%d,%s", r->problem, r->flags, r->threads, r->where);
    csv_times(f, r);
    fprintf(f, ",%ld", r->recorded_plans);
    csv_number(f, r->recorded_plan_seconds);
    fprintf(f, ",%ld", r->recorded_executes);
    csv_number(f, recorded_mean(r));
    csv_number(f, r->recorded_seconds);
    if (stock) {
      csv_times(f, &stock[i]);
      fprintf(f, ",%ld,%.3g", r->compared, r->difference);
    }
    fputc('\n', f);
  }
}
