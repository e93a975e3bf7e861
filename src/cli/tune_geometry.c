/* tune_geometry.c: `fftw3-gpu tune --geometry` times geometries of passes on the device and prints the table of those
 * that are faster than the planner's, as src/pass/tuned.txt has it. */
#include <math.h>
#include <stdio.h>

#include "src/cli/bench.h"
#include "src/cli/cli.h"
#include "src/cli/tune.h"
#include "src/pass/tuned.h"
#include "src/report/clock.h"
#include "src/plan/tuning.h"
#include "src/problem/notation.h"

enum { PATIENCE = 2 };

typedef struct {
  FILE *to;
  int arch, problems, passes, tried, faster, wrong;
  double logs;
} tuned_list;

static void print_pass(tuned_list *l, const fg_tuning_pass *pass) {
  char key[FG_CHOICE_KEY], text[512];
  const fg_choice c = fg_choice_of(pass->fastest);
  fg_choice_key(pass->planned, key);
  fg_tuned_print(l->to, l->arch, key, PATIENCE, &c);
  fg_pass_print(pass->planned, text, sizeof text);
  fprintf(l->to, " # %.3f times as fast as %.1f us of %s\n", pass->before / pass->after, pass->before * 1e6, text);
}

/* As in the table, so that it can be put there. */
static void tell_each(void *context, const fg_pass *planned, const fg_pass *tried, double seconds) {
  tuned_list *const l = context;
  char key[FG_CHOICE_KEY];
  const fg_choice c = fg_choice_of(tried);
  fg_choice_key(planned, key);
  if (seconds >= 0) fprintf(l->to, "# %.1f us: ", seconds * 1e6);
  else fprintf(l->to, "# %s: ", isnan(seconds) ? "wrong" : "does not run");
  fg_tuned_print(l->to, l->arch, key, PATIENCE, &c);
  fprintf(l->to, "\n");
}

static void tell(void *context, const fg_tuning_result *r) {
  tuned_list *const l = context;
  char problem[128];
  int tried = 0;
  for (int i = 0; i < r->count; i++) {
    l->passes += r->pass[i].tried > 0;
    l->wrong += r->pass[i].wrong;
    tried += r->pass[i].tried;
  }
  l->problems++;
  l->tried += tried;
  fg_notation_print(r->problem, problem, sizeof problem);
  fprintf(l->to, "# %s: %d geometries of %d passes", problem, tried, r->count);
  if (r->before > 0)
    fprintf(l->to, ", %.1f us, %.1f with the fastest%s", r->before * 1e6, r->after * 1e6, r->kept ? "" : ": not kept");
  fprintf(l->to, "\n");
  for (int i = 0; i < r->count && r->kept; i++) {
    if (r->pass[i].after >= r->pass[i].before) continue;
    print_pass(l, &r->pass[i]);
    l->logs += log(r->pass[i].before / r->pass[i].after);
    l->faster++;
  }
  fflush(l->to);
}

static void run_all(const fg_target *t, const fg_bench_cases *cases, const fg_tune_options *o, tuned_list *l) {
  const double start = fg_clock_seconds();
  const fg_tuning_limits limits = {.most = o->most, .patience = PATIENCE, .keep_slower = true,
                                   .these = o->these, .given = o->given,
                                   .until = o->seconds > 0 ? start + o->seconds : INFINITY,
                                   .tell_each = o->all ? tell_each : NULL};
  int done = 0;
  for (; done < cases->count && fg_clock_seconds() < limits.until; done++) {
    const char *why = fg_tuning_run(t, cases->item[done].problem, &limits, tell, l);
    char problem[128];
    fg_notation_print(cases->item[done].problem, problem, sizeof problem);
    if (why) fprintf(l->to, "# %s: not measured: %s\n", problem, why);
    if (!fg_target_open()) break;
  }
  fprintf(l->to, "# %d of %d problems in %.0f s: %d passes measured, %d faster (by %.3f on average), %d wrong geometries\n",
          done, cases->count, fg_clock_seconds() - start, l->passes, l->faster, l->faster ? exp(l->logs / l->faster) : 1.0,
          l->wrong);
}

static int add_cases(fg_bench_cases *cases, int count, char **problems) {
  int status = count ? 0 : fg_bench_suite_add(cases, "peers", NULL);
  for (int i = 0; i < count && !status; i++) status = fg_bench_case_add(cases, "", problems[i]);
  return status;
}

int fg_tune_geometry(const fg_tune_options *o, int count, char **problems) {
  fg_bench_cases cases = {0};
  const char *why = "";
  int status = add_cases(&cases, count, problems);
  if (o->twice) fg_bench_cases_double(&cases);
  const fg_target *t = status ? NULL : fg_target_get(&why);
  if (!status && !t) {
    fg_cli_error("tune: no GPU: %s", why);
    status = FG_EXIT_FAILED;
  }
  FILE *file = NULL;
  if (!status && !fg_cli_open("tune", o->output, &file)) status = FG_EXIT_FAILED;
  if (!status) {
    tuned_list l = {.to = file ? file : stdout, .arch = t->info->arch};
    fprintf(l.to, "# on %s%s%s\n", t->info->name, *t->info->driver ? ", driver " : "", t->info->driver);
    run_all(t, &cases, o, &l);
    if (l.wrong) status = FG_EXIT_FAILED;
    if (o->given && !l.tried && !status) {
      fg_cli_error("tune: no pass of these problems can have what --try says");
      status = FG_EXIT_FAILED;
    }
  }
  const int closed = fg_cli_close("tune", o->output, file);
  fg_bench_cases_free(&cases);
  return status ? status : closed;
}
