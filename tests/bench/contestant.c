/* contestant.c: one process of a contest (contest.c), with whatever library its environment puts under it.  It reads
 * commands on stdin and answers each with a line on stdout:
 *
 *   plan PROBLEM own|foreign THREADS estimate|measure|patient SEED TIMELIMIT SETTLE
 *       arrays, plan, fresh input, one execution; then more of them for SETTLE seconds, so that what only begins with
 *       a plan's first executions is over.  Answer: ok PLAN_MS FIRST_US NORM SUM SUM SUM; no: there is no such plan
 *   time SECONDS
 *       executions for that long, at least one.  Answer: us MEDIAN
 *   drop
 *       plan and arrays are given up.  Answer: ok */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/transform.h"

enum { MOST_SAMPLES = 1000 };

static struct {
  transform t;
  arrays a;
  fftwf_plan plan;
  uint64_t seed;
  double each; /* seconds of an execution, about */
  void *before; /* memory in front of them */
} now;

static void drop(void) {
  if (now.plan) fftwf_destroy_plan(now.plan);
  arrays_free(&now.a);
  free(now.before);
  now.plan = NULL;
  now.before = NULL;
}

/* Short arrays and FFTW's tables lie elsewhere for each plan, within pages too: that alone makes a short transform up to
 * three times as long. */
static void move_on(void) {
  enum { LINE = 64, LINES = 61, STEP = 23 };
  static size_t plans;
  now.before = malloc(LINE * (1 + plans++ * STEP % LINES));
}

static void use_threads(int threads) {
  static bool begun;
  if (threads > 1 && !begun) begun = fftwf_init_threads();
  if (begun) fftwf_plan_with_nthreads(threads);
}

static double execute_once(void) {
  const double start = seconds_now();
  fftwf_execute(now.plan);
  return seconds_now() - start;
}

/* In place the numbers overflow before long; no arithmetic here takes longer for that (denormal ones would). */
static void settle(double seconds) {
  const double until = seconds_now() + seconds;
  while (now.each < 0.1 && seconds_now() < until) now.each = execute_once();
}

static void answer_plan(const char *memory, int threads, unsigned flags, double limit, double seconds) {
  move_on();
  if (!arrays_make(&now.a, &now.t, !strcmp(memory, "foreign"))) {
    puts("no");
    return;
  }
  use_threads(threads);
  fftwf_forget_wisdom(); /* what another problem has left */
  fftwf_set_timelimit(limit);
  const double start = seconds_now();
  now.plan = transform_plan(&now.t, &now.a, flags);
  const double planned = seconds_now() - start;
  if (!now.plan) {
    puts("no");
    return;
  }
  transform_fill(&now.t, now.a.in, now.seed); /* after planning, which may overwrite the arrays */
  const double first = execute_once();
  const fingerprint f = transform_fingerprint(&now.t, now.a.out);
  now.each = first;
  settle(seconds);
  printf("ok %.3f %.2f %.9g %.9g %.9g %.9g\n", 1e3 * planned, 1e6 * first, f.norm, f.sum[0], f.sum[1], f.sum[2]);
}

static void plan(const char *arguments) {
  char problem[64], memory[16], patience[16];
  int threads;
  unsigned long long seed;
  double limit, seconds;
  drop();
  if (sscanf(arguments, "%63s %15s %d %15s %llu %lf %lf", problem, memory, &threads, patience, &seed, &limit,
             &seconds) != 7 || !transform_parse(&now.t, problem)) {
    puts("no");
    return;
  }
  const unsigned flags = !strcmp(patience, "measure")   ? FFTW_MEASURE
                         : !strcmp(patience, "patient") ? FFTW_PATIENT
                                                        : FFTW_ESTIMATE;
  now.seed = seed;
  answer_plan(memory, threads, flags, limit, seconds);
}

/* Of short executions so many make a sample that the clock does not count. */
static void time_for(double seconds) {
  static double samples[MOST_SAMPLES];
  const double enough = 2e-5, shortest = 1e-8;
  const double each = now.each > shortest ? now.each : shortest;
  const int times = each < enough ? (int)(enough / each) + 1 : 1;
  int count = 0;
  if (each < 0.05) execute_once(); /* its caches were used by others meanwhile */
  const double begun = seconds_now();
  do {
    const double start = seconds_now();
    for (int i = 0; i < times; i++) fftwf_execute(now.plan);
    samples[count++] = (seconds_now() - start) / times;
  } while (count < MOST_SAMPLES && seconds_now() - begun < seconds);
  now.each = median_of(samples, count);
  printf("us %.5f\n", 1e6 * now.each);
}

int main(void) {
  char line[256];
  while (fgets(line, sizeof line, stdin)) {
    if (!strncmp(line, "plan ", 5)) {
      plan(line + 5);
    } else if (!strncmp(line, "time ", 5) && now.plan) {
      time_for(atof(line + 5));
    } else {
      drop();
      puts("ok");
    }
    fflush(stdout);
  }
  drop();
  return 0;
}
