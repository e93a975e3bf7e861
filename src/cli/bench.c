/* bench.c: `fftw3-gpu bench` times transforms beside those of other libraries. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/backend.h"
#include "src/cli/bench.h"
#include "src/cli/cli.h"
#include "src/problem/notation.h"

enum where { NOT_SAID, ON_HOST, ON_DEVICE };

typedef struct {
  fg_bench_options options;
  fg_bench_cases cases;
  enum where where;
  bool suite_on_device, list, twice;
  const char *csv, *svg;
} request;

static int read_seconds(const char *text, double *seconds) {
  char *end;
  *seconds = strtod(text, &end);
  if (end != text && !*end && *seconds > 0 && *seconds <= 3600) return 0;
  return fg_cli_usage("bench", "bench: --seconds=%s: it takes seconds, up to 3600", text);
}

static int open_vkfft(fg_bench_options *options, const char *path) {
  const char *why = fg_bench_vkfft_open(path);
  options->vkfft = !why;
  if (!why) return 0;
  fg_cli_error("bench: --vkfft=%s: %s", path, why);
  return FG_EXIT_FAILED;
}

/* One option; 0 or an exit status. */
static int apply(request *r, int option, const char *argument) {
  switch (option) {
    case 'd': r->where = ON_DEVICE; return 0;
    case 'D': fg_dependent_launches = false; return 0;
    case 'H': r->where = ON_HOST; return 0;
    case 'l': r->list = true; return 0;
    case 'm': r->options.measure = true; return 0;
    case 'c': r->csv = argument; return 0;
    case 'g': r->svg = argument; return 0;
    case 'p': return fg_cli_precision("bench", argument, &r->twice);
    case 's': return fg_bench_suite_add(&r->cases, argument, &r->suite_on_device);
    case 'v': return open_vkfft(&r->options, argument);
    case 'w': r->options.waited = true; return 0;
    case 't': return read_seconds(argument, &r->options.seconds);
    default: return fg_cli_usage("bench", NULL);
  }
}

static void list(const fg_bench_cases *cases) {
  for (int i = 0; i < cases->count; i++) {
    char text[128];
    fg_notation_print(cases->item[i].problem, text, sizeof text);
    printf("%s%s%s\n", cases->item[i].class, *cases->item[i].class ? " " : "", text);
  }
}

static int run(request *r) {
  const bool device = r->where == ON_DEVICE || (r->where == NOT_SAID && r->suite_on_device);
  if (r->svg && !device) return fg_cli_usage("bench", "bench: --svg is for what is timed with --device");
  if (!fg_dependent_launches && !device)
    return fg_cli_usage("bench", "bench: --independent is for what is timed with --device");
  if (r->options.waited && !device)
    return fg_cli_usage("bench", "bench: --waited is for what is timed with --device; on the host all are waited for");
  FILE *csv = NULL;
  int status = FG_EXIT_FAILED;
  if (fg_cli_open("bench", r->csv, &csv) && fg_cli_open("bench", r->svg, &r->options.svg))
    status = (device ? fg_bench_device : fg_bench_host)(&r->cases, &r->options, csv);
  const int csv_status = fg_cli_close("bench", r->csv, csv),
            svg_status = fg_cli_close("bench", r->svg, r->options.svg);
  return status ? status : csv_status ? csv_status : svg_status;
}

/* From the command line; 0 or an exit status.  *done: there is nothing to time. */
static int read_request(request *r, int argc, char **argv, bool *done) {
  static const struct option options[] = {
      {"device", no_argument, NULL, 'd'},      {"host", no_argument, NULL, 'H'},
      {"suite", required_argument, NULL, 's'}, {"csv", required_argument, NULL, 'c'},
      {"seconds", required_argument, NULL, 't'}, {"measure", no_argument, NULL, 'm'},
      {"vkfft", required_argument, NULL, 'v'}, {"list", no_argument, NULL, 'l'},
      {"precision", required_argument, NULL, 'p'}, {"independent", no_argument, NULL, 'D'},
      {"svg", required_argument, NULL, 'g'},   {"help", no_argument, NULL, 'h'},
      {"waited", no_argument, NULL, 'w'},      {NULL, 0, NULL, 0}};
  int status = 0;
  for (int c; !status && (c = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
    if (c == 'h') {
      fg_cli_print_help(&fg_command_bench);
      *done = true;
      return 0;
    }
    status = apply(r, c, optarg);
  }
  for (; !status && optind < argc; optind++) status = fg_bench_case_add(&r->cases, "", argv[optind]);
  if (r->twice) fg_bench_cases_double(&r->cases);
  if (!status && r->cases.count == 0) status = fg_cli_usage("bench", "bench: a problem or a suite is missing");
  return status;
}

static int bench_main(int argc, char **argv) {
  request r = {.where = NOT_SAID};
  bool done = false;
  int status = read_request(&r, argc, argv, &done);
  if (!status && !done && r.list) list(&r.cases);
  else if (!status && !done) status = run(&r);
  fg_bench_cases_free(&r.cases);
  return status;
}

const fg_command fg_command_bench = {
    .name = "bench",
    .synopsis = "[OPTION...] [PROBLEM...]",
    .summary = "Time problems beside FFTW, cuFFT and cuFFTW",
    .help = "  --host         complex data on the host, through the FFTW interface: stock FFTW with one thread and\n"
            "                 with all, this library, cuFFTW if it is there (the default, but for device suites)\n"
            "  --device       data on the device: this library's passes, a copy of the same bytes, cuFFT if it\n"
            "                 is there, in place or out of place, whichever is better (ours but for r2c and\n"
            "                 c2r); of real data also as a share of this library's complex transform of the\n"
            "                 same size, out of place\n"
            "  --suite=NAME   passes: each kind of pass, about 40 cases, on the device\n"
            "                 peers: 210 cases that cuFFT and VkFFT were timed with, on the device\n"
            "                 real: r2c, c2r and r2r, 115 cases, on the device\n"
            "                 r2r: each kind of cosine and sine transform, 120 cases, on the device\n"
            "                 double: 80 cases in double precision, on the device\n"
            "                 host: 25 cases on the host\n"
            "  --precision=double   time all problems in double precision\n"
            "  --vkfft=PATH   on the device, time VkFFT too: a library built of pyvkfft (see the man page)\n"
            "  --independent  on the device, let no block take its place before the launch before has ended, as is\n"
            "                 done otherwise from compute capability 9.0 and CUDA 12.3 on\n"
            "  --waited       on the device, wait for the end of each execution, on one pair of arrays: what it takes\n"
            "                 a program that calls fftwf_execute on arrays of the device, or cufftExec and waits\n"
            "  --list         print the problems and run nothing\n"
            "  --csv=FILE     write all figures to FILE too, and the passes of each plan\n"
            "  --svg=FILE     on the device, plot the ratios against the size\n"
            "  --seconds=S    time each figure for S seconds instead of 20 times\n"
            "  --measure      stock FFTW plans with FFTW_MEASURE instead of FFTW_ESTIMATE\n"
            "\n"
            "Each result is checked against FFTW in double precision before it is timed; on the device, beyond\n"
            "2^24 elements or without libfftw3.so.3, by a round trip.  'error' is the relative L2 error.  Times\n"
            "are medians in microseconds; '-' stands for what is not there or not possible.  Exits with 1 if a\n"
            "result was wrong or a problem could not be run.  PROBLEM is as for 'fftw3-gpu plan'.\n",
    .main = bench_main,
};
