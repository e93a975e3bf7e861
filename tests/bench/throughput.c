/* throughput.c: many threads at once on one plan, and on a plan each.
 *
 *   throughput THREADS SECONDS PROBLEM...
 *
 * Each thread has arrays of its own (fftwf_malloc) with the same input.  After the timing every thread's result must
 * be that of the first execution, which one thread made alone.  A line a problem: transforms a second by one thread,
 * by all with one plan (fftwf_execute_dft), by all with a plan each, and those two ÷ the first.  Exit status 1 if a
 * result was wrong.  Complex problems out of place only, so that an execution can be repeated. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/transform.h"

enum { MOST_THREADS = 256 };

typedef struct {
  const transform *t;
  arrays a;
  fftwf_plan plan; /* its own, or the one of all */
  bool shared;
  long executions;
  double seconds;
} worker;

static pthread_barrier_t begin;
static double seconds_each;

static void execute(const worker *w) {
  if (w->shared) fftwf_execute_dft(w->plan, (fftwf_complex *)w->a.in, (fftwf_complex *)w->a.out);
  else fftwf_execute(w->plan);
}

static void *work(void *of) {
  worker *w = of;
  execute(w); /* slots and staging are made once */
  memset(w->a.out, 0, transform_bytes_out(w->t));
  pthread_barrier_wait(&begin);
  const double start = seconds_now();
  for (w->executions = 0; w->executions == 0 || seconds_now() - start < seconds_each; w->executions++) execute(w);
  w->seconds = seconds_now() - start;
  return NULL;
}

/* Transforms a second of count threads together. */
static double run(worker *workers, int count) {
  pthread_t threads[MOST_THREADS];
  double rate = 0;
  pthread_barrier_init(&begin, NULL, (unsigned)count);
  for (int i = 0; i < count; i++)
    if (pthread_create(&threads[i], NULL, work, &workers[i])) exit(1);
  for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
  pthread_barrier_destroy(&begin);
  for (int i = 0; i < count; i++) rate += (double)workers[i].executions / workers[i].seconds;
  return rate * workers->t->batch;
}

static int wrong_results(const worker *workers, int count, const fingerprint *expected) {
  int wrong = 0;
  for (int i = 0; i < count; i++) {
    const fingerprint f = transform_fingerprint(workers[i].t, workers[i].a.out);
    wrong += !fingerprints_agree(expected, &f);
  }
  return wrong;
}

/* As wrong_results; the rate to *rate. */
static int run_with(worker *workers, int count, bool shared, const fingerprint *expected, double *rate) {
  for (int i = 0; i < count; i++) workers[i].shared = shared;
  for (int i = 1; i < count; i++)
    workers[i].plan = shared ? workers->plan : transform_plan(workers->t, &workers[i].a, FFTW_ESTIMATE);
  *rate = run(workers, count);
  for (int i = 1; i < count && !shared; i++) fftwf_destroy_plan(workers[i].plan);
  return wrong_results(workers, count, expected);
}

static int measure(const transform *t, worker *workers, int threads) {
  double one, same, own;
  workers->plan = transform_plan(t, &workers->a, FFTW_ESTIMATE);
  for (int i = 0; i < threads; i++) transform_fill(t, workers[i].a.in, 7);
  fftwf_execute(workers->plan);
  const fingerprint expected = transform_fingerprint(t, workers->a.out);
  int wrong = run_with(workers, 1, true, &expected, &one);
  wrong += run_with(workers, threads, true, &expected, &same);
  wrong += run_with(workers, threads, false, &expected, &own);
  fftwf_destroy_plan(workers->plan);
  printf("%s\t%.0f\t%.0f\t%.0f\t%.2f\t%.2f\t%s\n", t->text, one, same, own, same / one, own / one,
         wrong ? "WRONG" : "right");
  fflush(stdout);
  return wrong;
}

static int run_problem(const char *problem, int threads) {
  static worker workers[MOST_THREADS];
  transform t;
  int wrong = 1;
  if (!transform_parse(&t, problem) || t.kind != 'c' || t.in_place) {
    fprintf(stderr, "throughput: '%s' is no complex problem out of place\n", problem);
    return 1;
  }
  int made = 0;
  for (; made < threads; made++) {
    workers[made] = (worker){.t = &t};
    if (!arrays_make(&workers[made].a, &t, false)) break;
  }
  if (made == threads) wrong = measure(&t, workers, threads);
  while (made > 0) arrays_free(&workers[--made].a);
  return wrong;
}

int main(int count, char **arguments) {
  const int threads = count > 3 ? atoi(arguments[1]) : 0;
  int wrong = 0;
  if (threads < 1 || threads > MOST_THREADS) {
    fprintf(stderr, "usage: throughput THREADS SECONDS PROBLEM...\n");
    return 2;
  }
  seconds_each = atof(arguments[2]);
  puts("#problem\tone_thread_per_s\tone_plan_per_s\town_plans_per_s\tone_plan_ratio\town_plans_ratio\tcheck");
  for (int i = 3; i < count; i++) wrong += run_problem(arguments[i], threads);
  return wrong > 0;
}
