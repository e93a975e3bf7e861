/* overhead.c: what a preload adds to each execution of a transform that stays with FFTW.
 *
 *   [LD_PRELOAD=...] overhead [-q] [-n THREADS] [-m] [-W PROBLEM] [-d SECONDS] PROBLEM[,foreign]...
 *     -q           few samples, to see that it works
 *     -n THREADS   of FFTW's (1)
 *     -m           FFTW_MEASURE, else FFTW_ESTIMATE
 *     -W PROBLEM   executed for a second before all others, so that a device is open
 *     -d SECONDS   no further problem is begun after that
 *
 * One process, the same arrays, pairs of plans made alike: one by the functions that the program is linked to, one by
 * those of libfftw3f.so.3 itself, found by name.  What the first of a pair has measured the other takes from wisdom, so that
 * they are the same plan (which does not show what a preload does to FFTW's planning); now one is planned first, now the
 * other.  They take turns, many short samples; the median of the differences of neighbours is the overhead, as what disturbs
 * one disturbs the next.  Where FFTW's own tables come to lie makes up to a fiftieth of difference, so it is the median of
 * several pairs, all of which stay.  Without a preload both are the same functions, and what is printed is the error of the
 * method.
 *
 * A line a problem: its memory, nanoseconds of an execution by FFTW itself, and those added. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/bench/transform.h"

enum { PAIRS = 9, MOST_SAMPLES = 801, FEWEST_SAMPLES = 21, QUICK_SAMPLES = 5 }; /* of each pair */

static struct {
  bool quick;
  int threads;
  unsigned flags;
  const char *warm;
  double deadline;
} option = {.threads = 1, .flags = FFTW_ESTIMATE, .deadline = 1e9};

typedef struct {
  planners plan;
  void (*execute)(const fftwf_plan);
  void (*destroy)(fftwf_plan);
  void (*forget)(void);
  int (*init_threads)(void);
  void (*with_threads)(int);
} functions;

typedef struct {
  const functions *f;
  fftwf_plan plan;
} runner;

static const functions linked = {
    {fftwf_plan_many_dft, fftwf_plan_many_dft_r2c, fftwf_plan_many_dft_c2r, fftwf_plan_many_r2r},
    fftwf_execute, fftwf_destroy_plan, fftwf_forget_wisdom, fftwf_init_threads, fftwf_plan_with_nthreads};
static functions real;

static bool find_real(void) {
  void *const library = dlopen("libfftw3f.so.3", RTLD_NOW), *const threads = dlopen("libfftw3f_threads.so.3", RTLD_NOW);
  if (!library || !threads) return false;
  *(void **)&real.plan.dft = dlsym(library, "fftwf_plan_many_dft");
  *(void **)&real.plan.r2c = dlsym(library, "fftwf_plan_many_dft_r2c");
  *(void **)&real.plan.c2r = dlsym(library, "fftwf_plan_many_dft_c2r");
  *(void **)&real.plan.r2r = dlsym(library, "fftwf_plan_many_r2r");
  *(void **)&real.execute = dlsym(library, "fftwf_execute");
  *(void **)&real.destroy = dlsym(library, "fftwf_destroy_plan");
  *(void **)&real.forget = dlsym(library, "fftwf_forget_wisdom");
  *(void **)&real.init_threads = dlsym(threads, "fftwf_init_threads");
  *(void **)&real.with_threads = dlsym(threads, "fftwf_plan_with_nthreads");
  return real.plan.dft && real.plan.r2c && real.plan.c2r && real.plan.r2r && real.execute && real.destroy && real.forget &&
         real.init_threads && real.with_threads;
}

/* Nanoseconds of one execution out of so many. */
static double sample(const runner *r, int times) {
  const double start = seconds_now();
  for (int i = 0; i < times; i++) r->f->execute(r->plan);
  return 1e9 * (seconds_now() - start) / times;
}

/* So many as take a fiftieth of a second. */
static int samples_of(double nanoseconds) {
  if (option.quick) return QUICK_SAMPLES;
  const double fit = 1e7 / (nanoseconds + 1);
  return fit > MOST_SAMPLES ? MOST_SAMPLES : fit > FEWEST_SAMPLES ? (int)fit : FEWEST_SAMPLES;
}

/* What only begins with a plan's first executions is over then. */
static void settle(const runner pair[2]) {
  enum { TIMES = 500 };
  const double until = seconds_now() + (option.quick ? 1e-3 : 0.05);
  for (int i = 0; i < TIMES && seconds_now() < until; i++) sample(&pair[0], 1), sample(&pair[1], 1);
}

typedef struct {
  double alone, added; /* nanoseconds */
} price;

/* Whoever comes second changes from sample to sample. */
static price compare(const runner pair[2]) {
  static double differences[MOST_SAMPLES], alone[MOST_SAMPLES];
  settle(pair);
  const double once = sample(&pair[0], 1), each = once < 1e4 ? sample(&pair[0], 100) : once;
  const int times = each < 2000 ? (int)(2000 / (each + 1)) + 1 : 1, samples = samples_of(each * times);
  for (int i = 0; i < samples; i++) {
    const double first = sample(&pair[i % 2], times), second = sample(&pair[1 - i % 2], times);
    differences[i] = i % 2 ? first - second : second - first;
    alone[i] = i % 2 ? second : first;
  }
  return (price){median_of(alone, samples), median_of(differences, samples)};
}

/* FFTW's own plan, and that of the functions that are linked. */
static bool plan_pair(runner pair[2], int i, const transform *t, const arrays *a) {
  linked.forget();
  real.forget();
  for (int k = 0; k < 2; k++) {
    const bool is_linked = (i + k) % 2;
    const functions *const f = is_linked ? &linked : &real;
    pair[is_linked] = (runner){f, transform_plan_by(&f->plan, t, a, option.flags)};
  }
  return pair[0].plan && pair[1].plan;
}

static bool run(const char *text) {
  transform t;
  arrays a;
  runner pair[PAIRS][2] = {0};
  double alone[PAIRS], added[PAIRS];
  char problem[64];
  snprintf(problem, sizeof problem, "%.*s", (int)strcspn(text, ","), text);
  const char *const memory = text[strcspn(text, ",")] ? "foreign" : "own";
  if (!transform_parse(&t, problem) || !arrays_make(&a, &t, !strcmp(memory, "foreign"))) return false;
  bool planned = true;
  for (int i = 0; planned && i < PAIRS; i++) planned = plan_pair(pair[i], i, &t, &a);
  memset(a.in, 0, span_floats(&t.in) * sizeof *a.in); /* measuring overwrites it; zeros stay zeros, also in place */
  for (int i = 0; planned && i < PAIRS; i++) {
    const price p = compare(pair[i]);
    alone[i] = p.alone;
    added[i] = p.added;
  }
  if (planned) printf("%s\t%s\t%.1f\t%.1f\n", problem, memory, median_of(alone, PAIRS), median_of(added, PAIRS));
  for (int i = 0; i < PAIRS; i++)
    for (int k = 0; k < 2; k++)
      if (pair[i][k].plan) pair[i][k].f->destroy(pair[i][k].plan);
  arrays_free(&a);
  return planned;
}

static void warm_up(void) {
  transform t;
  arrays a;
  if (!option.warm || !transform_parse(&t, option.warm) || !arrays_make(&a, &t, false)) return;
  const runner r = {&linked, transform_plan(&t, &a, FFTW_ESTIMATE)};
  const double until = seconds_now() + 1;
  while (r.plan && seconds_now() < until) sample(&r, 1);
  if (r.plan) fftwf_destroy_plan(r.plan);
  arrays_free(&a);
}

static bool read_options(int count, char **arguments) {
  for (int letter; (letter = getopt(count, arguments, "qn:mW:d:")) != -1;) switch (letter) {
      case 'q': option.quick = true; break;
      case 'n': option.threads = atoi(optarg); break;
      case 'm': option.flags = FFTW_MEASURE; break;
      case 'W': option.warm = optarg; break;
      case 'd': option.deadline = atof(optarg); break;
      default: return false;
    }
  return option.threads > 0;
}

int main(int count, char **arguments) {
  if (!read_options(count, arguments)) {
    fprintf(stderr, "usage: see the beginning of overhead.c\n");
    return 2;
  }
  if (!find_real()) {
    fprintf(stderr, "overhead: no libfftw3f.so.3 with threads\n");
    return 1;
  }
  if (option.threads > 1) {
    linked.init_threads();
    real.init_threads();
    linked.with_threads(option.threads);
    real.with_threads(option.threads);
  }
  const double begun = seconds_now();
  warm_up();
  puts("#problem\tmemory\tstock_ns\tadded_ns");
  for (int i = optind; i < count; i++) {
    if (seconds_now() - begun > option.deadline) {
      printf("# no time left for %s\n", arguments[i]);
      continue;
    }
    if (!run(arguments[i])) {
      fprintf(stderr, "overhead: '%s' cannot be timed\n", arguments[i]);
      return 1;
    }
    fflush(stdout);
  }
  return 0;
}
