/* accuracy.c: `fftw3-gpu accuracy`: how far results are from the exact ones, beside those of other libraries. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/accuracy_table.h"
#include "src/cli/cli.h"
#include "src/report/settings.h"

typedef struct {
  fg_accuracy_request table;
  bool program;
  double tolerance;
  const char *csv, *svg;
} request;

/* Points of all problems of the suite together that sim, which is slow, is spared. */
enum { MOST_ON_SIM = 1 << 15 };

static int read_number(const char *option, const char *text, double least, double most, double *number) {
  char *end;
  *number = strtod(text, &end);
  if (end != text && !*end && *number >= least && *number <= most) return 0;
  return fg_cli_usage("accuracy", "accuracy: --%s=%s: it takes a number from %g to %g", option, text, least, most);
}

/* Set what the names between commas stand for; 0 or an exit status. */
static int read_list(const char *option, const char *text, const char *const *names, int count, bool *set) {
  do {
    const size_t length = strcspn(text, ",");
    int i = 0;
    while (i < count && (strlen(names[i]) != length || strncmp(names[i], text, length))) i++;
    if (i == count) return fg_cli_usage("accuracy", "accuracy: --%s: not '%.*s'", option, (int)length, text);
    set[i] = true;
    text += length + (text[length] == ',');
  } while (*text);
  return 0;
}

static int read_data(request *r, const char *text) {
  memset(r->table.data, 0, sizeof r->table.data);
  return read_list("data", text, fg_data_names, FG_DATA_KINDS, r->table.data);
}

static const char *const precisions[] = {"single", "as-single", "double"};

static void want(fg_accuracy_options *o, const bool precision[3]) {
  o->wanted[FG_STOCK_SINGLE] = o->wanted[FG_OURS_SINGLE] = o->wanted[FG_CUFFT_SINGLE] = precision[0];
  o->wanted[FG_STOCK_AS_SINGLE] = o->wanted[FG_OURS_AS_SINGLE] = precision[1];
  o->wanted[FG_STOCK_DOUBLE] = o->wanted[FG_OURS_DOUBLE] = o->wanted[FG_CUFFT_DOUBLE] = precision[2];
}

static int read_precision(request *r, const char *text) {
  bool precision[3] = {false, false, false};
  const int status = read_list("precision", text, precisions, 3, precision);
  want(&r->table.options, precision);
  return status;
}

static int read_norm(request *r, const char *text) {
  r->table.norm = !strcmp(text, "max") ? FG_NORM_MAX : FG_NORM_L2;
  if (!strcmp(text, "max") || !strcmp(text, "l2")) return 0;
  return fg_cli_usage("accuracy", "accuracy: --norm=%s: it takes l2 or max", text);
}

static int read_whole(const char *option, const char *text, double least, double most, double *number) {
  const int status = read_number(option, text, least, most, number);
  *number = (double)(uint64_t)*number;
  return status;
}

/* One option; 0 or an exit status. */
static int apply(request *r, int option, const char *argument) {
  double number = 1;
  int status = 0;
  switch (option) {
    case 'c': r->csv = argument; return 0;
    case 'g': r->svg = argument; return 0;
    case 'd': return read_data(r, argument);
    case 'p': return read_precision(r, argument);
    case 'n': return read_norm(r, argument);
    case 'l': return read_number("limit", argument, 0.01, 1e6, &r->table.limit);
    case 't': return read_number("tolerance", argument, 1e-18, 1, &r->tolerance);
    case 'r':
      status = read_whole("rounds", argument, 1, 1e6, &number);
      r->table.options.rounds = (int)number;
      return status;
    case 's':
      status = read_whole("seed", argument, 0, 0x1p53, &number);
      r->table.options.seed = (uint64_t)number;
      return status;
    case 'P': r->program = true; return 0;
    default: return fg_cli_usage("accuracy", NULL);
  }
}

/* From the command line; 0 or an exit status.  What follows --program, whether an argument of it or not, is the
 * program. */
static int read_options(request *r, int argc, char **argv, bool *done) {
  static const struct option options[] = {
      {"data", required_argument, NULL, 'd'},   {"precision", required_argument, NULL, 'p'},
      {"norm", required_argument, NULL, 'n'},   {"limit", required_argument, NULL, 'l'},
      {"rounds", required_argument, NULL, 'r'}, {"seed", required_argument, NULL, 's'},
      {"csv", required_argument, NULL, 'c'},    {"svg", required_argument, NULL, 'g'},
      {"program", no_argument, NULL, 'P'},      {"tolerance", required_argument, NULL, 't'},
      {"help", no_argument, NULL, 'h'},         {NULL, 0, NULL, 0}};
  int status = 0;
  for (int c; !status && (c = getopt_long(argc, argv, r->program ? "+h" : "h", options, NULL)) != -1;) {
    if (c == 'h') {
      fg_cli_print_help(&fg_command_accuracy);
      *done = true;
      return 0;
    }
    status = apply(r, c, optarg);
  }
  return status;
}

/* The suite; on sim without its larger problems. */
static int add_suite(fg_bench_cases *cases) {
  const int status = fg_bench_suite_add(cases, "accuracy", NULL);
  int kept = 0;
  for (int i = 0; i < cases->count; i++) {
    fg_problem *const p = cases->item[i].problem;
    if (fg_settings_get()->sim && fg_problem_elements(p, FG_INPUT) > MOST_ON_SIM) fg_problem_free(p);
    else cases->item[kept++] = cases->item[i];
  }
  cases->count = kept;
  return status;
}

static int run(request *r, char **arguments) {
  int status = FG_EXIT_FAILED;
  if (fg_cli_open("accuracy", r->csv, &r->table.csv) && fg_cli_open("accuracy", r->svg, &r->table.svg))
    status = r->program ? fg_accuracy_program(arguments, r->tolerance, r->table.csv) : fg_accuracy_tables(&r->table);
  const int csv = fg_cli_close("accuracy", r->csv, r->table.csv),
            svg = fg_cli_close("accuracy", r->svg, r->table.svg);
  return status ? status : csv ? csv : svg;
}

/* Where --program stands, options of the program behind it are not ours: it is told before options are sorted. */
static bool wants_program(int argc, char **argv) {
  for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
    if (!strcmp(argv[i], "--program")) return true;
  return false;
}

static int accuracy_main(int argc, char **argv) {
  request r = {.table = {.options = {.rounds = 1, .seed = 1}, .data = {true, true, true, true}},
               .program = wants_program(argc, argv)};
  bool done = false;
  want(&r.table.options, (const bool[3]){true, true, true});
  int status = read_options(&r, argc, argv, &done);
  if (!status && !done && r.program) {
    if (optind == argc) status = fg_cli_usage("accuracy", "accuracy: a program is missing");
    else if (r.svg) status = fg_cli_usage("accuracy", "accuracy: --svg is for problems");
  } else if (!status && !done) {
    for (int i = optind; !status && i < argc; i++) status = fg_bench_case_add(&r.table.cases, "", argv[i]);
    if (!status && r.table.cases.count == 0) status = add_suite(&r.table.cases);
  }
  if (!status && !done) status = run(&r, argv + optind);
  fg_bench_cases_free(&r.table.cases);
  return status;
}

const fg_command fg_command_accuracy = {
    .name = "accuracy",
    .synopsis = "[OPTION...] [PROBLEM...]",
    .summary = "Errors beside those of FFTW and cuFFT",
    .help = "  --data=LIST        of random, impulse, smooth and range (numbers of very different size); default all\n"
            "  --precision=LIST   of single, double and as-single (doubles converted, FFTW3_GPU_DOUBLE=single);\n"
            "                     default all\n"
            "  --norm=l2|max      the table's, the plot's and the limit's error: ||result - exact|| / ||exact|| with\n"
            "                     the root of the sum of squares (default), or with the largest number\n"
            "  --limit=FACTOR     fail where an error is above FACTOR times that of stock FFTW in the same\n"
            "                     precision, or where there is none\n"
            "  --rounds=N         N times the data, for errors that are means over more of it; default 1\n"
            "  --seed=N           other random numbers\n"
            "  --csv=FILE         write all figures of both norms to FILE too\n"
            "  --svg=FILE         plot the errors of the first kind of data against the length, beside the growth\n"
            "                     that theory has for them\n"
            "  --program          the rest of the command line is a program: run it with stock FFTW, then with the\n"
            "                     library (FFTW3_GPU=force, if it is not set), and compare each transform\n"
            "  --tolerance=T      with --program: the relative L2 difference of a transform that is too large;\n"
            "                     default 1e-5, in double precision 1e-13\n"
            "\n"
            "Exact is FFTW in long double precision; without libfftw3l.so.3 small problems are summed up by the\n"
            "definition.  'single', 'double' and 'as single' are this library's errors; FFTWf and FFTW those of\n"
            "stock FFTW on numbers of its own precision, d→FFTWf those of FFTWf on doubles that were rounded.\n"
            "Each ÷ divides the column before it by the one it names.  Without problems: a list of some 200 (on\n"
            "sim without the larger ones).  '-' stands for what is not there; the reasons follow the table.  Exits with\n"
            "1 if a result was wrong or a problem could not be measured; with --limit also if one of ours is '-'.\n"
            "PROBLEM is as for 'fftw3-gpu plan'.\n",
    .main = accuracy_main,
};
