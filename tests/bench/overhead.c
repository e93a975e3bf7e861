/* overhead.c: what a preload adds to each execution of a short transform that stays with FFTW.
 *
 *   [LD_PRELOAD=...] overhead [-q] PROBLEM...        -q: few samples, to see that it works
 *
 * One process, the same arrays, pairs of plans made alike: one by the functions that the program is linked to, one by
 * those of libfftw3f.so.3 itself, found by name.  They take turns, many short samples; the median of the differences of
 * neighbours is the overhead, as what disturbs one disturbs the next.  Where FFTW's own tables come to lie makes up to a
 * fiftieth of difference, so it is the median of several pairs, all of which stay, now one planned first, now the
 * other.  Without a preload both are the same functions, and what is printed is the error of the method.
 *
 * A line a problem: nanoseconds of an execution by FFTW itself, and those added. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "tests/bench/transform.h"

enum { PAIRS = 9, MOST_SAMPLES = 801, FEW_SAMPLES = 5 }; /* of each pair */

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

typedef struct {
  double alone, added; /* nanoseconds */
} price;

/* Whoever comes second changes from sample to sample. */
static price compare(const runner *linked, const runner *real) {
  static double differences[MOST_SAMPLES], alone[MOST_SAMPLES];
  for (int i = 0; i < 500; i++) sample(linked, 1), sample(real, 1);
  const double each = sample(real, 100);
  const int times = each < 2000 ? (int)(2000 / (each + 1)) + 1 : 1;
  for (int i = 0; i < samples; i++) {
    const double first = sample(i % 2 ? linked : real, times), second = sample(i % 2 ? real : linked, times);
    differences[i] = i % 2 ? first - second : second - first;
    alone[i] = i % 2 ? second : first;
  }
  return (price){median_of(alone, samples), median_of(differences, samples)};
}

static bool run(const char *problem, const functions *linked, const functions *real) {
  transform t;
  arrays a;
  runner pair[PAIRS][2] = {0};
  double alone[PAIRS], added[PAIRS];
  if (!transform_parse(&t, problem) || !arrays_make(&a, &t, false)) return false;
  bool planned = true;
  for (int i = 0; i < PAIRS; i++)
    for (int k = 0; k < 2; k++) {
      const bool is_linked = (i + k) % 2;
      const functions *const f = is_linked ? linked : real;
      runner *const r = &pair[i][is_linked];
      *r = (runner){f, transform_plan_by(&f->plan, &t, &a, FFTW_ESTIMATE)};
      planned = planned && r->plan;
    }
  for (int i = 0; planned && i < PAIRS; i++) { /* zeros stay zeros, also in place */
    const price p = compare(&pair[i][true], &pair[i][false]);
    alone[i] = p.alone;
    added[i] = p.added;
  }
  if (planned) printf("%s\t%.1f\t%.1f\n", problem, median_of(alone, PAIRS), median_of(added, PAIRS));
  for (int i = 0; i < PAIRS; i++)
    for (int k = 0; k < 2; k++)
      if (pair[i][k].plan) pair[i][k].f->destroy(pair[i][k].plan);
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
