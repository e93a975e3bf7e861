/* tune.c: `fftw3-gpu tune` measures this machine once, for the decision between host and GPU. */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/store.h"
#include "src/cli/bench.h"
#include "src/cli/cli.h"
#include "src/cli/tune.h"
#include "src/plan/tuning.h"
#include "src/problem/notation.h"

/* ---- what both halves share ---- */

void fg_tune_set(double *coefficient, double value) {
  const double far = 1000;
  if (isfinite(value) && value > *coefficient / far && value < *coefficient * far) *coefficient = value;
}

fg_problem *fg_tune_problem(const char *text) {
  char why[128];
  fg_problem *p = fg_notation_parse(text, FG_SINGLE, why, sizeof why);
  if (!p) abort(); /* they are all literals */
  p->flags |= FG_ESTIMATE;
  return p;
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double fg_tune_median(bool (*execute)(void *what), void *what) {
  enum { MOST = 1000, LEAST = 3 };
  const double enough = 0.2, start = fg_clock_seconds();
  double times[MOST];
  int count = 0;
  if (!execute(what)) return -1; /* warms up */
  while (count < MOST && (count < LEAST || fg_clock_seconds() - start < enough)) {
    const double begin = fg_clock_seconds();
    if (!execute(what)) return -1;
    times[count++] = fg_clock_seconds() - begin;
  }
  qsort(times, (size_t)count, sizeof *times, compare);
  return times[count / 2];
}

/* ---- the command ---- */

static int save(const fg_calibration *c, const fg_machine *m) {
  char *path;
  const char *why = fg_calibration_save(c, m, &path);
  if (!why) printf("\nkept in %s\n", path);
  else if (path) fg_cli_error("tune: %s cannot be written: %s", path, why);
  else fg_cli_error("tune: nothing is kept: %s", why);
  free(path);
  return why ? FG_EXIT_FAILED : 0;
}

static int tune(bool dry_run) {
  fg_calibration c = fg_calibration_defaults;
  fg_machine m;
  const char *trouble = dry_run ? NULL : fg_store_trouble();
  if (trouble) {
    fg_cli_error("tune: nothing could be kept: %s (FFTW3_GPU_CACHE names a folder; --dry-run needs none)", trouble);
    return FG_EXIT_FAILED;
  }
  fg_calibration_machine(&m);
  fg_tune_host(&c);
  fg_tune_device(&c, &m);
  fg_calibration_print(stdout, &c, &m);
  return dry_run ? 0 : save(&c, &m);
}

enum { GEOMETRIES = 16 }; /* as help says */

static int tune_main(int argc, char **argv) {
  static const struct option options[] = {{"dry-run", no_argument, NULL, 'n'},
                                          {"geometry", no_argument, NULL, 'g'},
                                          {"seconds", required_argument, NULL, 's'},
                                          {"output", required_argument, NULL, 'o'},
                                          {"most", required_argument, NULL, 'm'},
                                          {"all", no_argument, NULL, 'a'},
                                          {"precision", required_argument, NULL, 'p'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
  bool dry_run = false, geometry = false;
  fg_tune_options o = {.most = GEOMETRIES};
  for (int option; (option = getopt_long(argc, argv, "nh", options, NULL)) != -1;) {
    char *end = "";
    if (option == 'h') {
      fg_cli_print_help(&fg_command_tune);
      return 0;
    }
    if (option == 'n') dry_run = true;
    else if (option == 'g') geometry = true;
    else if (option == 'a') o.all = true;
    else if (option == 'o') o.output = optarg;
    else if (option == 'm') o.most = (int)strtol(optarg, &end, 10);
    else if (option == 's') o.seconds = strtod(optarg, &end);
    else if (option == 'p') o.twice = !strcmp(optarg, "double");
    else return fg_cli_usage("tune", NULL);
    if (option == 'p' && !o.twice && strcmp(optarg, "single") != 0)
      return fg_cli_usage("tune", "tune: no precision '%s'", optarg);
    if (*end || o.seconds < 0 || !isfinite(o.seconds))
      return fg_cli_usage("tune", "tune: --seconds=%s: a number of seconds is needed", optarg);
    if (o.most < 1 || o.most > FG_TUNING_MOST)
      return fg_cli_usage("tune", "tune: --most=%s: a number from 1 to %d is needed", optarg, FG_TUNING_MOST);
  }
  if (geometry && dry_run) return fg_cli_usage("tune", "tune: --geometry keeps nothing: --dry-run does not go with it");
  if (geometry) return fg_tune_geometry(&o, argc - optind, argv + optind);
  if (o.seconds > 0 || o.output || o.all || o.twice || o.most != GEOMETRIES)
    return fg_cli_usage("tune", "tune: --seconds, --most, --precision, --all and --output go with --geometry");
  if (optind < argc) return fg_cli_usage("tune", "tune: unexpected argument '%s'", argv[optind]);
  return tune(dry_run);
}

const fg_command fg_command_tune = {
    .name = "tune",
    .synopsis = "[--dry-run | --geometry [OPTION...] [PROBLEM...]]",
    .summary = "Measure this machine once, so that host or GPU is decided by its own figures",
    .help = "  -n, --dry-run     print what was found, keep nothing\n"
            "      --geometry    instead: time other geometries of each pass (of the peers suite's problems) and print\n"
            "                    a table of those that are faster, to be added to src/pass/tuned.txt\n"
            "      --seconds=N   stop after so long\n"
            "      --most=N      try so many of each pass, not 16\n"
            "      --precision=double   in double precision\n"
            "      --all         print all that were timed, not only those that are faster\n"
            "      --output=FILE write the table there\n"
            "\n"
            "It takes some seconds. The figures are kept beside the compiled kernels (FFTW3_GPU_CACHE), in a file\n"
            "for this host name; fftw3-gpu info shows those in force.\n",
    .main = tune_main,
};
