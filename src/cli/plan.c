/* plan.c: `fftw3-gpu plan` prints the passes that problems become, without running them. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/cli.h"
#include "src/plan/planner.h"
#include "src/plan/route.h"
#include "src/problem/notation.h"

/* What FFTW3_GPU=auto would do with the passes. */
static void print_route(const fg_problem *p) {
  const fg_route r = fg_route_look(p);
  if (r.way == FG_ROUTE_WAIT && r.gpu < r.host)
    printf("  auto: host, then GPU after %.0f executions", fg_route_waits_for(p, &r));
  else if (r.way == FG_ROUTE_WAIT) printf("  auto: host, then GPU if executions show that it pays");
  else printf("  auto: %s%s", r.way == FG_ROUTE_HOST ? "host, " : "GPU", r.way == FG_ROUTE_HOST ? r.reason : "");
  const fg_calibration *c = fg_calibration_get();
  printf(" (estimated %.1f us on the host, %.1f us through the GPU with copies)\n", fg_model_host_seconds(c, p) * 1e6,
         fg_model_gpu_seconds(c, p, fg_model_memory(p), -1) * 1e6);
  if (p->precision == FG_DOUBLE && p->kind == FG_DFT)
    printf("  double precision plans stay with the real FFTW for now: this is what the passes would be\n");
}

static int explain(const char *text, enum fg_precision precision) {
  char why[256], problem[256];
  fg_problem *p = fg_notation_parse(text, precision, why, sizeof why);
  if (!p) {
    fg_cli_error("plan: %s", why);
    return FG_EXIT_USAGE;
  }
  p->flags |= FG_ESTIMATE; /* nothing is to be measured */
  fg_notation_print(p, problem, sizeof problem);
  if (fg_tensor_size(&p->batch) == 0) {
    printf("%s\n  an empty batch: nothing to do\n", problem);
    fg_problem_free(p);
    return 0;
  }
  char *explanation = fg_planner_explain(p);
  if (!explanation) {
    fg_problem_free(p);
    fg_cli_error("plan: out of memory");
    return FG_EXIT_FAILED;
  }
  size_t length = strlen(explanation);
  printf("%s\n%s%s", problem, explanation, length && explanation[length - 1] == '\n' ? "" : "\n");
  print_route(p);
  fg_problem_free(p);
  free(explanation);
  return 0;
}

/* Each problem, whatever becomes of the others; the worst status. */
static int explain_all(int count, char **problems, enum fg_precision precision) {
  int worst = 0;
  for (int i = 0; i < count; i++) {
    int status = explain(problems[i], precision);
    if (status > worst) worst = status;
  }
  return worst;
}

static int plan_main(int argc, char **argv) {
  static const struct option options[] = {
      {"precision", required_argument, NULL, 'p'}, {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
  enum fg_precision precision = FG_SINGLE;
  for (int c; (c = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
    if (c == 'h') {
      fg_cli_print_help(&fg_command_plan);
      return 0;
    }
    if (c != 'p') return fg_cli_usage("plan", NULL);
    bool is_double = !strcmp(optarg, "double");
    if (!is_double && strcmp(optarg, "single")) return fg_cli_usage("plan", "plan: no precision '%s'", optarg);
    precision = is_double ? FG_DOUBLE : FG_SINGLE;
  }
  if (optind == argc) return fg_cli_usage("plan", "plan: a problem is missing");
  return explain_all(argc - optind, argv + optind, precision);
}

const fg_command fg_command_plan = {
    .name = "plan",
    .synopsis = "[--precision=P] PROBLEM...",
    .summary = "Print the passes of problems without running them",
    .help = "  --precision=single|double   the precision of the problems (single)\n"
            "\n"
            "PROBLEM: [i|o][c|r|k][f|b][/]N[xN...][*M|vM], as FFTW's test program takes it: in or out of place;\n"
            "complex, real or r2r; forward or backward; / split; lengths, each N[:STRIDE[:OUTPUT_STRIDE]];\n"
            "a batch outside (*) or inside (v) the transform.\n"
            "\n"
            "The passes' estimate is for data that is on the device.  'auto' is what a program with its data on\n"
            "the host gets by default; a GPU that is open already is worth it for more problems.  Double precision\n"
            "plans stay with the real FFTW for now.\n",
    .main = plan_main,
};
