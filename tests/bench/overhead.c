/* overhead.c: what a preload adds to each execution of a short transform that stays with FFTW.
 *
 *   [LD_PRELOAD=...] overhead [-q] PROBLEM...        -q: few samples, to see that it works
 *
 * One process, the same arrays, two plans made alike: one by the functions that the program is linked to, one by those
 * of libfftw3f.so.3 itself, found by name.  They take turns, many short samples; the median of the differences of
 * neighbours is the overhead, as what disturbs one disturbs the next.  Without a preload both are the same functions,
 * and what is printed is the error of the method.
 *
 * A line a problem: nanoseconds of an execution by FFTW itself, and those added. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "tests/bench/transform.h"

enum { MOST_SAMPLES = 4001, FEW_SAMPLES = 5 };

static int samples = MOST_SAMPLES;

typedef struct {
  planners plan;
  void (*execute)(const fftwf_plan);
  void (*destroy)(fftwf_plan);
} functions;

typedef struct {
  const functions *f;
  fftwf_plan plan;
} runner;

static bool find_functions(functions *f, void *library) {
  *(void **)&f->plan.dft = dlsym(library, "fftwf_plan_many_dft");
  *(void **)&f->plan.r2c = dlsym(library, "fftwf_plan_many_dft_r2c");
  *(void **)&f->plan.c2r = dlsym(library, "fftwf_plan_many_dft_c2r");
  *(void **)&f->plan.r2r = dlsym(library, "fftwf_plan_many_r2r");
  *(void **)&f->execute = dlsym(library, "fftwf_execute");
  *(void **)&f->destroy = dlsym(library, "fftwf_destroy_plan");
  return f->plan.dft && f->plan.r2c && f->plan.c2r && f->plan.r2r && f->execute && f->destroy;
}

/* Nanoseconds of one execution out of so many. */
static double sample(const runner *r, int times) {
  const double start = seconds_now();
  for (int i = 0; i < times; i++) r->f->execute(r->plan);
  return 1e9 * (seconds_now() - start) / times;
}

/* Whoever comes second changes from pair to pair. */
static void compare(const char *problem, const runner *linked, const runner *real) {
  static double differences[MOST_SAMPLES], alone[MOST_SAMPLES];
  for (int i = 0; i < 2000; i++) sample(linked, 1), sample(real, 1);
  const double each = sample(real, 100);
  const int times = each < 2000 ? (int)(2000 / (each + 1)) + 1 : 1;
  for (int i = 0; i < samples; i++) {
    const double first = sample(i % 2 ? linked : real, times), second = sample(i % 2 ? real : linked, times);
    differences[i] = i % 2 ? first - second : second - first;
    alone[i] = i % 2 ? second : first;
  }
  printf("%s\t%.1f\t%.1f\n", problem, median_of(alone, samples), median_of(differences, samples));
}

static bool run(const char *problem, const functions *linked, const functions *real) {
  transform t;
  arrays a;
  if (!transform_parse(&t, problem) || !arrays_make(&a, &t, false)) return false;
  const runner ours = {linked, transform_plan_by(&linked->plan, &t, &a, FFTW_ESTIMATE)};
  const runner theirs = {real, transform_plan_by(&real->plan, &t, &a, FFTW_ESTIMATE)};
  const bool planned = ours.plan && theirs.plan;
  if (planned) compare(problem, &ours, &theirs); /* zeros stay zeros, also in place */
  if (ours.plan) linked->destroy(ours.plan);
  if (theirs.plan) real->destroy(theirs.plan);
  arrays_free(&a);
  return planned;
}

int main(int count, char **arguments) {
  functions linked, real;
  void *library = dlopen("libfftw3f.so.3", RTLD_NOW);
  if (!library || !find_functions(&real, library) || !find_functions(&linked, RTLD_DEFAULT)) {
    fprintf(stderr, "overhead: no libfftw3f.so.3\n");
    return 1;
  }
  const bool few = count > 1 && !strcmp(arguments[1], "-q");
  if (few) samples = FEW_SAMPLES;
  puts("#problem\tstock_ns\tadded_ns");
  for (int i = few ? 2 : 1; i < count; i++)
    if (!run(arguments[i], &linked, &real)) {
      fprintf(stderr, "overhead: '%s' cannot be timed\n", arguments[i]);
      return 1;
    }
  return 0;
}
