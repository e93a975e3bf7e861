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

enum { GEOMETRIES = 16, MOST_GIVEN = 64 }; /* the first as help says */

typedef struct {
  bool dry_run, geometry, only_geometry; /* the last: an option that goes with the second only */
  fg_tune_options of_geometry;
  fg_choice these[MOST_GIVEN];
} request;

static int read_seconds(const char *text, double *seconds) {
  char *end;
  *seconds = strtod(text, &end);
  if (end != text && !*end && *seconds >= 0 && isfinite(*seconds)) return 0;
  return fg_cli_usage("tune", "tune: --seconds=%s: a number of seconds is needed", text);
}

static int read_most(const char *text, int *most) {
  char *end;
  const long value = strtol(text, &end, 10);
  *most = (int)value;
  if (end != text && !*end && value >= 1 && value <= FG_TUNING_MOST) return 0;
  return fg_cli_usage("tune", "tune: --most=%s: a number from 1 to %d is needed", text, FG_TUNING_MOST);
}

static int read_choice(request *r, const char *text) {
  fg_tune_options *const o = &r->of_geometry;
  if (o->given == MOST_GIVEN) return fg_cli_usage("tune", "tune: --try at most %d times", MOST_GIVEN);
  char same[FG_CHOICE_TEXT];
  fg_choice *const c = &r->these[o->given++];
  if (fg_choice_parse(c, text)) fg_choice_print(c, same);
  if (!c->stages || strcmp(same, text) != 0)
    return fg_cli_usage("tune", "tune: --try='%s' is no geometry, as '16.16.16 1 256 3 16' is one", text);
  return 0;
}

/* One option; 0 or an exit status. */
static int apply(request *r, int option, const char *argument) {
  fg_tune_options *const o = &r->of_geometry;
  r->only_geometry = r->only_geometry || (option != 'n' && option != 'g');
  switch (option) {
    case 'n': r->dry_run = true; return 0;
    case 'g': r->geometry = true; return 0;
    case 'a': o->all = true; return 0;
    case 'o': o->output = argument; return 0;
    case 's': return read_seconds(argument, &o->seconds);
    case 'm': return read_most(argument, &o->most);
    case 't': return read_choice(r, argument);
    case 'p': return fg_cli_precision("tune", argument, &o->twice);
    default: return fg_cli_usage("tune", NULL);
  }
}

static int tune_main(int argc, char **argv) {
  static const struct option options[] = {
      {"dry-run", no_argument, NULL, 'n'},       {"geometry", no_argument, NULL, 'g'},
      {"seconds", required_argument, NULL, 's'}, {"output", required_argument, NULL, 'o'},
      {"most", required_argument, NULL, 'm'},    {"try", required_argument, NULL, 't'},
      {"all", no_argument, NULL, 'a'},           {"precision", required_argument, NULL, 'p'},
      {"help", no_argument, NULL, 'h'},          {NULL, 0, NULL, 0}};
  static request r; /* large */
  r = (request){.of_geometry = {.most = GEOMETRIES, .these = r.these}};
  for (int option; (option = getopt_long(argc, argv, "nh", options, NULL)) != -1;) {
    if (option == 'h') {
      fg_cli_print_help(&fg_command_tune);
      return 0;
    }
    const int status = apply(&r, option, optarg);
    if (status) return status;
  }
  if (r.geometry && r.dry_run) return fg_cli_usage("tune", "tune: --geometry keeps nothing: --dry-run does not go with it");
  if (r.geometry) return fg_tune_geometry(&r.of_geometry, argc - optind, argv + optind);
  if (r.only_geometry)
    return fg_cli_usage("tune", "tune: --seconds, --most, --try, --precision, --all and --output go with --geometry");
  if (optind < argc) return fg_cli_usage("tune", "tune: unexpected argument '%s'", argv[optind]);
  return tune(r.dry_run);
}

const fg_command fg_command_tune = {
    .name = "tune",
    .synopsis = "[--dry-run | --geometry [OPTION...] [PROBLEM...]]",
    .summary = "Measure this machine once, so that its own figures decide",
    .help = "  -n, --dry-run     print what was found, keep nothing\n"
            "      --geometry    instead: time other geometries of each pass (of the peers suite's problems) and print\n"
            "                    a table of those that are faster, to be added to src/pass/tuned.txt\n"
            "      --seconds=N   stop after so long\n"
            "      --most=N      try so many of each pass, not 16\n"
            "      --precision=double   in double precision\n"
            "      --try=GEOMETRY  try this, and what further --try say, as src/pass/tuned.txt has them: radices, lines,\n"
            "                    threads, blocks a multiprocessor, spacing; of rows of 60 points '4.15 8 32 29 8'\n"
            "      --all         print all that were timed, not only those that are faster\n"
            "      --output=FILE write the table there\n"
            "\n"
            "It takes some seconds. The figures are kept beside the compiled kernels (FFTW3_GPU_CACHE), in a file\n"
            "for this host name; fftw3-gpu info shows those in force.\n",
    .main = tune_main,
};
