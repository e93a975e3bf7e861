/* decisions.c: what the decision between host and GPU is worth by itself, without either.  The library's own route,
 * plans, accounts and measurements, over a host and a device that do nothing but take their time: that of the model, for
 * each problem wrong by a factor of its own, and by a little more in each execution.
 *
 *   decisions [-h HOST] [-g GPU] [-t TIMES] [-n SEEDS] [-v] FILE      tests/bench/regret.txt
 *     -h, -g   the largest factors (2, 1.25): the host takes from 1/HOST to HOST times its estimate
 *     -t       one execution in thirty takes so many times as long as it should (2)
 *     -n       so many worlds, of different factors (5)
 *     -v       each problem above 1.05
 *
 * As regret.sh does it: all four modes, the device open, kernels on disk, a problem executed for 50 ms before it is
 * timed; planned three times, without the wisdom of before, but with what executions have shown.  Of FFTW_MEASURE on many
 * threads half take what these cost, as stock FFTW does now and then where one would be done sooner; of FFTW_ESTIMATE
 * executions on many threads take up to 2.5 times as long until they have gone on for 3 ms without one on the device.
 * Prints for each mode how many problems take at most 1.05 times, and more than 1.25 times, what the better side takes.
 * Linked in place of src/run/program.c and src/plan/measure_geometry.c, which would need kernels. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/cost/model.h"
#include "src/plan/background.h"
#include "src/plan/handle.h"
#include "src/plan/measure_geometry.h"
#include "src/plan/wisdom.h"
#include "src/problem/layout.h"
#include "src/problem/notation.h"
#include "src/report/clock.h"
#include "src/run/arena/arena.h"

enum { THREADS = 16, PLANS = 3 };
static const double settle = 0.05, timed = 0.03, asleep = 3e-3, largest_measured = 64e6;
static double host_wrong = 2, gpu_wrong = 1.25, tail = 2;

/* ---- time ---- */

static double clock_now;
static double read_clock(void) { return clock_now; }

static uint64_t state;

static double dice(void) { /* [0, 1) */
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (double)(state >> 11) * 0x1p-53;
}

/* Most executions take a few percent more or less. */
static double noisy(double seconds) {
  const double about = seconds * (0.97 + 0.03 * (dice() + dice()));
  return dice() < 1 / 30.0 ? tail * about : about;
}

/* ---- the problem at hand: true seconds of both sides; the first executions, which are cold ---- */

static struct {
  double host, gpu, asleep, host_spent;
  int on_host, on_gpu;
} now;

/* The first one is cold. */
static void take(double seconds, int *before, double cold) { clock_now += noisy(seconds) * ((*before)++ ? 1 : cold); }

/* ---- a device that takes its time ---- */

struct fg_program {
  const fg_target *target;
  fg_passes passes;
};

fg_program *fg_program_create_host(const fg_target *t, const fg_problem *p, const fg_passes *passes, const char **why) {
  fg_program *g = malloc(sizeof *g);
  (void)p, (void)why;
  if (!g) return NULL;
  g->target = t;
  g->passes = *passes;
  return g;
}

fg_program *fg_program_create_reaching(const fg_target *t, const fg_problem *p, const enum fg_reach reach[2],
                                       const fg_passes *passes, const char **why) {
  (void)reach;
  return fg_program_create_host(t, p, passes, why);
}

bool fg_program_takes(const fg_program *g, const fg_arrays *a) { return g && a; }

enum fg_outcome fg_program_execute_partly(const fg_program *g, const fg_arrays *a, fg_rest *rest) {
  (void)g, (void)a, (void)rest;
  take(now.gpu, &now.on_gpu, 5);
  now.host_spent = 0; /* the host's threads fall asleep again */
  return FG_DONE;
}

void fg_program_destroy(fg_program *g) { free(g); }
bool fg_program_is_kept(const fg_target *t, const fg_passes *passes) { return t && passes; }
bool fg_program_load(const fg_target *t, const fg_passes *passes) { return t && passes; }
const fg_passes *fg_program_passes(const fg_program *g) { return &g->passes; }
const fg_target *fg_program_target(const fg_program *g) { return g->target; }
char *fg_program_sprint(const fg_program *g) { return g ? strdup("") : NULL; }
void fg_program_pin(const fg_program *g, const fg_arrays *a) { (void)g, (void)a; }

/* For arrays of a device and for tuning: nobody comes here. */
static _Noreturn void not_here(void) { abort(); }
const size_t *fg_program_bytes(const fg_program *g) { (void)g, not_here(); }
unsigned long fg_program_number(const fg_program *g) { (void)g, not_here(); }
const fg_layout *fg_program_layout(const fg_program *g, enum fg_side s) { (void)g, (void)s, not_here(); }
const fg_schedule *fg_program_schedule(const fg_program *g) { (void)g, not_here(); }
const fg_range *fg_program_range(const fg_program *g) { (void)g, not_here(); }
bool fg_program_short(const fg_program *g) { (void)g, not_here(); }
bool fg_program_empty(const fg_program *g) { (void)g, not_here(); }
int fg_program_launch(const fg_program *g, void *const a[FG_ARRAYS], fg_stream *s) { (void)g, (void)a, (void)s, not_here(); }
int fg_program_launch_part(const fg_program *g, void *const a[FG_ARRAYS], int pass, int loop, ptrdiff_t first,
                           ptrdiff_t count, fg_stream *s) {
  (void)g, (void)a, (void)pass, (void)loop, (void)first, (void)count, (void)s, not_here();
}
int fg_program_launch_into(const fg_program *g, void *const a[FG_ARRAYS], int pass, void *into, fg_stream *s) {
  (void)g, (void)a, (void)pass, (void)into, (void)s, not_here();
}
int fg_program_launch_planes(const fg_program *g, const fg_planes planes[FG_ARRAYS], int pass, fg_stream *s) {
  (void)g, (void)planes, (void)pass, (void)s, not_here();
}
bool fg_program_launch_at_once(const fg_program *g, const fg_planes planes[FG_ARRAYS], fg_stream *s, bool waited) {
  (void)g, (void)planes, (void)s, (void)waited, not_here();
}
enum fg_outcome fg_program_execute(const fg_program *g, const fg_arrays *a) { (void)g, (void)a, not_here(); }

bool fg_measure_geometry_on_sim;
fg_program *fg_measure_geometry(const fg_target *t, const fg_problem *p, double until, fg_program *program) {
  (void)t, (void)p, (void)until;
  return program;
}
int fg_measure_geometry_export(FILE *f, enum fg_precision precision) { return f || precision ? 0 : 0; }
void fg_measure_geometry_forget(enum fg_precision precision) { (void)precision; }
bool fg_measure_geometry_import(const char *problem, int patience, const char *rest, int *length) {
  return problem && patience && rest && length ? false : false;
}

/* ---- a host that takes its time ---- */

static uint64_t host_handle; /* as a plan of the real FFTW: it does not begin with the magic word */

static fg_host_plan host_plan(const fg_problem *p, const fg_arrays *a, unsigned flags) {
  (void)p, (void)a, (void)flags;
  return &host_handle;
}

/* Many threads begin slowly, unless FFTW_MEASURE has used them before. */
static void host_execute(fg_host_plan plan, const fg_problem *p, const fg_arrays *a) {
  (void)plan, (void)a;
  const double begun = clock_now;
  take(now.host * (p->threads > 1 && p->flags & FG_ESTIMATE && now.host_spent < asleep ? now.asleep : 1), &now.on_host, 3);
  now.host_spent += clock_now - begun;
}

static void host_destroy(fg_host_plan plan) { (void)plan; }
static char *host_sprint(fg_host_plan plan) { return plan ? strdup("") : NULL; }
static const char *host_name(void) { return "host"; }

/* ---- one problem ---- */

typedef struct {
  const char *name;
  unsigned flags;
  int threads;
} mode;

static const mode modes[] = {{"e_1", FG_ESTIMATE, 1}, {"e_all", FG_ESTIMATE, THREADS}, {"m_1", 0, 1},
                             {"m_all", 0, THREADS}};
enum { MODES = sizeof modes / sizeof *modes };

/* Shared by the worlds' processes. */
static struct {
  int problems, within, far;
  double worst;
} *score;

static double off_by(double most) { return pow(most, 2 * dice() - 1); }

static double bytes_of(const fg_problem *p, enum fg_side side) { return fg_model_bytes(p, side) + 64; }

/* Arrays are never touched. */
static bool place(fg_problem *p, bool own, void *block[2]) {
  const bool in_place = p->arrays.in_re == p->arrays.out_re;
  const double in = bytes_of(p, FG_INPUT), out = bytes_of(p, FG_OUTPUT);
  const size_t bytes[] = {(size_t)(in_place && out > in ? out : in), (size_t)out};
  block[1] = NULL;
  for (int i = 0; i < (in_place ? 1 : 2); i++) {
    block[i] = own && bytes[i] >= FG_ARENA_SMALLEST ? fg_arena_alloc(bytes[i]) : malloc(bytes[i]);
    if (!block[i]) return false;
  }
  float *const x = block[0], *const y = in_place ? x : block[1];
  p->arrays = (fg_arrays){x, fg_problem_complex_side(p, FG_INPUT) ? x + 1 : NULL, y,
                          fg_problem_complex_side(p, FG_OUTPUT) ? y + 1 : NULL};
  return true;
}

static void executed(void *plan, const fg_problem *p) {
  if (fg_plan_is_ours(plan)) fg_plan_execute(plan, NULL);
  else host_execute(plan, p, &p->arrays);
  fg_background_wait();
}

/* Mean true seconds of executions of the plan, as it is then. */
static double seconds_of(void *plan, const fg_problem *p) {
  const double begun = clock_now;
  int runs = 0;
  while (clock_now < begun + settle || runs++ < 3) executed(plan, p);
  const double from = clock_now;
  const int on_host = now.on_host, on_gpu = now.on_gpu;
  while (clock_now < from + timed) executed(plan, p);
  const int host = now.on_host - on_host, gpu = now.on_gpu - on_gpu;
  return (host * now.host + gpu * now.gpu) / (host + gpu);
}

static void try(const char *text, bool own, int m, uint64_t seed, bool verbose) {
  char why[200];
  state = UINT64_C(0x9e3779b97f4a7c15) * (seed * MODES + (uint64_t)m + 1); /* the same truth for each way to decide */
  for (int i = 0; i < 8; i++) dice();
  void *block[2];
  fg_problem *p = fg_notation_parse(text, FG_SINGLE, why, sizeof why);
  if (!p || !place(p, own, block)) {
    fprintf(stderr, "decisions: %s: %s\n", text, p ? "no memory" : why);
    exit(2);
  }
  p->flags = modes[m].flags;
  p->threads = modes[m].threads;
  const fg_calibration *c = fg_calibration_get();
  const bool badly = dice() < 0.5;
  const double host = p->flags & FG_ESTIMATE || badly ? fg_model_host_most(c, p) : fg_model_host_seconds(c, p);
  const double gpu = fg_model_gpu_seconds(c, p, fg_model_memory(p), -1);
  now.host = host * off_by(host_wrong);
  now.gpu = gpu * off_by(gpu_wrong);
  now.asleep = 1 + 1.5 * dice();
  now.host_spent = 0;
  now.on_host = now.on_gpu = 0;
  fg_problem *const kept = fg_problem_copy(p);
  void *plan = fg_plan_create(p);
  double took = seconds_of(plan, kept) / PLANS;
  for (int again = 1; again < PLANS; again++) {
    if (fg_plan_is_ours(plan)) fg_plan_destroy(plan);
    fg_wisdom_forget(FG_SINGLE);
    plan = fg_plan_create(fg_problem_copy(kept));
    took += seconds_of(plan, kept) / PLANS;
  }
  const double best = now.host < now.gpu ? now.host : now.gpu, regret = took / best;
  score[m].problems++;
  score[m].within += regret <= 1.05;
  score[m].far += regret > 1.25;
  if (regret > score[m].worst) score[m].worst = regret;
  if (verbose && regret > 1.05)
    printf("%5.2f %-5s %-20s %-7s host %8.1f (est. %8.1f)  gpu %8.1f (est. %8.1f) us: %s\n", regret, modes[m].name, text,
           own ? "own" : "foreign", now.host * 1e6, host * 1e6, now.gpu * 1e6, gpu * 1e6,
           fg_plan_is_ours(plan) ? fg_plan_facts_of(plan).reason : "the real FFTW's own");
  if (fg_plan_is_ours(plan)) fg_plan_destroy(plan);
  fg_problem_free(kept);
  for (int i = 0; i < 2; i++) {
    if (block[i]) fg_arena_forget(block[i]);
    free(block[i]);
  }
}

static bool wanted(const char *only, int m) {
  char list[100], name[10];
  snprintf(list, sizeof list, " %s ", only);
  snprintf(name, sizeof name, " %s ", modes[m].name);
  return strspn(only, " ") == strlen(only) || strstr(list, name);
}

static double largest(const char *text) {
  char why[200];
  fg_problem *p = fg_notation_parse(text, FG_SINGLE, why, sizeof why);
  const double bytes = p ? fg_model_bytes(p, FG_INPUT) + fg_model_bytes(p, FG_OUTPUT) : 0;
  fg_problem_free(p);
  return bytes;
}

/* A world: each problem of the file, once in each of its modes. */
static void world(FILE *f, uint64_t seed, bool verbose) {
  char line[200], text[64], memory[16], only[100];
  rewind(f);
  seed *= 1000;
  while (fgets(line, sizeof line, f)) {
    *only = 0;
    if (*line == '#' || sscanf(line, "%63s %15s %99[^\n]", text, memory, only) < 2) continue;
    seed++;
    for (int m = 0; m < MODES; m++)
      if (wanted(only, m) && ((modes[m].flags & FG_ESTIMATE) || largest(text) < largest_measured))
        try(text, !strcmp(memory, "own"), m, seed, verbose);
  }
}

int main(int count, char **argument) {
  static const fg_host host = {.plan = host_plan, .execute = host_execute, .destroy = host_destroy, .sprint = host_sprint,
                               .version = host_name, .path = host_name};
  int option, worlds = 5;
  bool verbose = false;
  while ((option = getopt(count, argument, "h:g:t:n:v")) != -1) switch (option) {
      case 'h': host_wrong = atof(optarg); break;
      case 'g': gpu_wrong = atof(optarg); break;
      case 't': tail = atof(optarg); break;
      case 'n': worlds = atoi(optarg); break;
      case 'v': verbose = true; break;
      default: return 2;
    }
  FILE *f = optind < count ? fopen(argument[optind], "r") : NULL;
  if (!f) return fprintf(stderr, "decisions: a file of problems is needed\n"), 2;
  setenv("FFTW3_GPU_BACKEND", "sim", 1);
  unsetenv("FFTW3_GPU");
  fg_host_register(FG_SINGLE, &host);
  fg_calibration_use(&fg_calibration_defaults);
  fg_clock_test = read_clock;
  score = mmap(NULL, MODES * sizeof *score, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (score == MAP_FAILED) return 2;
  for (int w = 1; w <= worlds; w++) { /* each in a process without experience, on a device of its own */
    const char *why = "";
    int status = 0;
    if (fork() == 0) {
      if (!fg_target_get(&why)) exit(fprintf(stderr, "decisions: %s\n", why));
      world(f, (uint64_t)w, verbose);
      exit(0);
    }
    if (wait(&status) < 0 || status) return 2;
  }
  fclose(f);
  for (int m = 0; m < MODES; m++)
    printf("%-5s %4d problems, within 1.05: %5.1f %%, above 1.25: %d, worst %.2f\n", modes[m].name, score[m].problems,
           100.0 * score[m].within / score[m].problems, score[m].far, score[m].worst);
  return 0;
}
