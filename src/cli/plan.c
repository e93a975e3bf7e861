/* plan.c: `fftw3-gpu plan` prints the passes that problems become, without running them. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/cli.h"
#include "src/plan/planner.h"
#include "src/problem/notation.h"

static int explain(const char *text, enum fg_precision precision) {
  char why[256], problem[256];
  fg_problem *p = fg_notation_parse(text, precision, why, sizeof why);
  if (!p) {
    fg_cli_error("plan: %s", why);
    return FG_EXIT_USAGE;
  }
  p->flags |= FG_ESTIMATE; /* nothing is to be measured */
  fg_notation_print(p, problem, sizeof problem);
  char *explanation = fg_planner_explain(p);
  fg_problem_free(p);
  if (!explanation) {
    fg_cli_error("plan: out of memory");
    return FG_EXIT_FAILED;
  }
  size_t length = strlen(explanation);
  printf("%s\n%s%s", problem, explanation, length && explanation[length - 1] == '\n' ? "" : "\n");
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
            "a batch outside (*) or inside (v) the transform.\n",
    .main = plan_main,
};
