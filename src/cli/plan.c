/* plan.c: `fftw3-gpu plan` prints the passes that problems become, without running them. */
#define _GNU_SOURCE
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/cli/cli.h"
#include "src/plan/doubles.h"
#include "src/plan/parts.h"
#include "src/plan/planner.h"
#include "src/plan/prepare.h"
#include "src/plan/route.h"
#include "src/problem/notation.h"
#include "src/report/settings.h"

/* Bytes of the program's own arrays. */
static double array_bytes(const fg_problem *p) {
  const double in = fg_model_bytes(p, FG_INPUT), out = fg_model_bytes(p, FG_OUTPUT);
  return p->arrays.in_re == p->arrays.out_re ? fmax(in, out) : in + out;
}

static double machine_bytes(void) { return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE); }

/* What a process may have of the reference device's. */
static double memory_there(void) {
  const fg_settings *s = fg_settings_get();
  const double all = (double)fg_reference_device.memory;
  if (s->memory) return (double)s->memory;
  return s->memory_percent > 0 ? s->memory_percent / 100 * all : all;
}

/* Zeros if there are no passes. */
static fg_need device_need(const fg_problem *p) {
  const char *why;
  fg_passes *passes = fg_problem_undefined(p) ? NULL : malloc(sizeof *passes);
  const bool planned = passes && fg_planner_plan_host(p, &fg_reference_device, passes, &why);
  const fg_need need = planned ? fg_prepare_need(p, passes) : (fg_need){0, 0};
  free(passes);
  return need;
}

enum room { ROOM_FOR_ALL, ROOM_FOR_PARTS, NO_ROOM_ON_DEVICE, NO_ROOM };

/* What there is memory for; prints what there is too little of. */
static enum room print_room(const fg_problem *p) {
  const fg_need need = device_need(p);
  const double arrays = array_bytes(p), here = machine_bytes(), needed = need.data + need.fixed;
  const double there = memory_there();
  if (arrays > here)
    printf("  does not fit in memory: arrays of %.4g GB, and this machine has %.4g GB\n", arrays / 1e9, here / 1e9);
  if (needed > there)
    printf("  does not fit in the GPU's memory: %.4g GB of %.4g GB\n", needed / 1e9, there / 1e9);
  if (arrays > here) return NO_ROOM;
  if (needed <= there) return ROOM_FOR_ALL;
  const double most = fg_parts_most(need.data, need.fixed, there);
  return most > 0 && fg_parts_possible(p, need.data, most) ? ROOM_FOR_PARTS : NO_ROOM_ON_DEVICE;
}

/* What FFTW3_GPU, auto or as it is set, would do with the passes. */
static void print_route(const fg_problem *p) {
  const enum fg_mode set = fg_settings_get()->mode;
  char mode[16];
  fg_setting_named("FFTW3_GPU")->show(fg_settings_get(), mode, sizeof mode);
  const enum room room = print_room(p);
  const fg_route r = fg_route_look(p);
  if (room == NO_ROOM) {
    printf("  %s: nowhere\n", mode);
    return;
  }
  printf("  %s: ", mode);
  const bool waits = r.way == FG_ROUTE_WAIT || r.way == FG_ROUTE_MEASURE; /* what begins on the host is not cut later */
  if ((room == NO_ROOM_ON_DEVICE || (room == ROOM_FOR_PARTS && waits)) && set != FG_MODE_OFF)
    printf("host, the GPU's memory is too small");
  else if (r.way == FG_ROUTE_WAIT && r.gpu < r.host)
    printf("host, then GPU after %.0f executions", fg_route_waits_for(p, &r));
  else if (r.way == FG_ROUTE_WAIT) printf("host, then GPU if executions show that it pays");
  else if (r.way == FG_ROUTE_HOST) printf("host, %s", r.reason);
  else printf("GPU%s", room == ROOM_FOR_PARTS ? ", in parts" : "");
  const fg_calibration *c = fg_calibration_get();
  printf(" (estimated %.1f us on the host, %.1f us through the GPU with copies)\n", fg_model_host_seconds(c, p) * 1e6,
         fg_model_gpu_seconds(c, p, fg_model_memory(p), -1) * 1e6);
  const char *none = r.way == FG_ROUTE_HOST ? NULL : fg_target_missing();
  if (none) printf("  on this machine: host, %s\n", none);
  if (p->precision == FG_DOUBLE && p->doubles == FG_DOUBLES_AUTO && set != FG_MODE_FORCE && set != FG_MODE_OFF)
    printf("  on GPUs that are slow in double precision: host, unless FFTW3_GPU_DOUBLE or FFTW3_GPU=force says otherwise\n");
}

static int explain(const char *text, enum fg_precision precision) {
  char why[256], problem[256];
  fg_problem *p = fg_notation_parse(text, precision, why, sizeof why);
  if (!p) {
    fg_cli_error("plan: %s", why);
    return FG_EXIT_USAGE;
  }
  p->flags |= FG_ESTIMATE; /* nothing is to be measured */
  fg_doubles_ask(p);
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
  const char *computed = p->precision == FG_SINGLE ? "" : fg_doubles_name(p, true);
  printf("%s%s%s\n%s%s", problem, *computed ? ", " : "", computed, explanation, length && explanation[length - 1] == '\n' ? "" : "\n");
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
  bool twice = false;
  for (int c; (c = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
    if (c == 'h') {
      fg_cli_print_help(&fg_command_plan);
      return 0;
    }
    if (c != 'p') return fg_cli_usage("plan", NULL);
    const int status = fg_cli_precision("plan", optarg, &twice);
    if (status) return status;
  }
  if (optind == argc) return fg_cli_usage("plan", "plan: a problem is missing");
  return explain_all(argc - optind, argv + optind, twice ? FG_DOUBLE : FG_SINGLE);
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
            "The passes' estimate is for data that is on the device.  The line that begins with FFTW3_GPU as it is\n"
            "set ('auto' by default) is what a program with its data on the host gets; a GPU that is open already\n"
            "is worth it for more problems.\n",
    .main = plan_main,
};
