/* tune_host.c: the real FFTW on this machine: a handful of problems, each turned into one coefficient of the model. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/cli/bench.h"
#include "src/cli/cli.h"
#include "src/cli/tune.h"
#include "src/cost/model.h"

typedef struct {
  const fg_bench_fftw *fftw;
  void *in, *out, *plan;
} subject;

static bool execute(void *what) {
  const subject *s = what;
  s->fftw->execute(s->plan);
  return true;
}

static void stop(subject *s) {
  if (s->plan) s->fftw->destroy(s->plan);
  s->fftw->free(s->in);
  s->fftw->free(s->out);
}

/* Seconds of one execution out of place; NAN if it cannot be had. */
static double seconds_of(const fg_bench_fftw *fftw, const char *text, int threads, unsigned flags) {
  fg_problem *p = fg_tune_problem(text);
  fg_bench_plain plain;
  const size_t bytes = (size_t)fg_model_bytes(p, FG_INPUT);
  subject s = {fftw, fftw->malloc(bytes), fftw->malloc(bytes), NULL};
  const int n = (int)fg_tensor_size(&p->transform);
  if (fftw->threads) fftw->threads(threads);
  if (s.in && s.out && fg_bench_plain_of(p, &plain)) {
    memset(s.out, 0, bytes);
    s.plan = fftw->plan_many(plain.rank, plain.n, plain.batch, s.in, NULL, 1, n, s.out, NULL, 1, n, plain.sign, flags);
    memset(s.in, 0, bytes); /* after planning, which may overwrite it */
  }
  const double seconds = s.plan ? fg_tune_median(execute, &s) : NAN;
  if (fftw->threads) fftw->threads(1);
  stop(&s);
  fg_problem_free(p);
  return seconds;
}

/* The time that the model, with the coefficient in question left out of c, does not explain. */
static double beyond(const fg_calibration *c, const char *text, double seconds) {
  fg_problem *p = fg_tune_problem(text);
  const double rest = seconds - fg_model_host_seconds(c, p);
  fg_problem_free(p);
  return rest;
}

static double flops(const char *text) {
  fg_problem *p = fg_tune_problem(text);
  double sum = 0;
  for (int d = 0; d < p->transform.rank; d++) sum += 5 * log2((double)p->transform.dim[d].n);
  sum *= (double)fg_problem_elements(p, FG_INPUT);
  fg_problem_free(p);
  return sum;
}

/* ---- one coefficient after the other: each is found with those before it ---- */

static void tune_rates(fg_calibration *c, const fg_bench_fftw *f) {
  fg_tune_set(&c->rate_two, flops("oc1024*128") / seconds_of(f, "oc1024*128", 1, FG_ESTIMATE));
  const double box = flops("oc24x24x24*4") / seconds_of(f, "oc24x24x24*4", 1, FG_ESTIMATE);
  const double line = flops("oc1000*128") / seconds_of(f, "oc1000*128", 1, FG_ESTIMATE);
  fg_tune_set(&c->rate_smooth, sqrt(box * line));
  fg_tune_set(&c->rate_prime, flops("oc100003") / seconds_of(f, "oc100003", 1, FG_ESTIMATE));
}

/* The part of the time that the walks take, per point. */
static double walk_of(const fg_calibration *c, const char *text, double seconds) {
  fg_calibration still = *c;
  still.walk_cache = still.walk_memory = 0;
  const double rest = beyond(&still, text, seconds);
  fg_problem *p = fg_tune_problem(text);
  const double points = (double)fg_problem_elements(p, FG_INPUT);
  fg_problem_free(p);
  return rest / points;
}

static void tune_memory(fg_calibration *c, const fg_bench_fftw *f) {
  fg_calibration endless = *c;
  endless.stream = INFINITY;
  const double bytes = 2 * 8 * 4096.0 * 4096;
  const double batch = seconds_of(f, "oc4096*4096", 1, FG_ESTIMATE);
  fg_tune_set(&c->stream, (bytes - c->cache) / beyond(&endless, "oc4096*4096", batch));
  fg_tune_set(&c->walk_cache, walk_of(c, "oc256x256", seconds_of(f, "oc256x256", 1, FG_ESTIMATE)));
  fg_tune_set(&c->walk_memory, walk_of(c, "oc4096x4096", seconds_of(f, "oc4096x4096", 1, FG_ESTIMATE)));
}

static void tune_measured(fg_calibration *c, const fg_bench_fftw *f) {
  const double estimated = seconds_of(f, "oc24x24x24*4", 1, FG_ESTIMATE);
  fg_tune_set(&c->measured_rate, fmax(estimated / seconds_of(f, "oc24x24x24*4", 1, FG_MEASURE), 1));
  const double walk = walk_of(c, "oc256x256", seconds_of(f, "oc256x256", 1, FG_MEASURE)) / c->walk_cache;
  fg_tune_set(&c->measured_walk, fmin(fmax(walk, 0.2), 1));
}

static void tune_threads(fg_calibration *c, const fg_bench_fftw *f) {
  const int threads = (int)sysconf(_SC_NPROCESSORS_ONLN);
  if (!f->threads || threads < 2) return;
  const double one = seconds_of(f, "oc1024*4096", 1, FG_ESTIMATE);
  const double all = seconds_of(f, "oc1024*4096", threads, FG_ESTIMATE);
  fg_tune_set(&c->thread_share, fmin((one / all - 1) / (threads - 1), 1));
  const double small = seconds_of(f, "oc64x64x64", 1, FG_ESTIMATE) / (1 + (threads - 1) * c->thread_share);
  const double took = seconds_of(f, "oc64x64x64", threads, FG_ESTIMATE);
  fg_tune_set(&c->thread_seconds, fmax((took - small) / (threads - 1), 0.1e-6));
}

void fg_tune_host(fg_calibration *c) {
  static const char *const names[] = {"libfftw3f.so.3", FFTW3F_PATH, NULL};
  fg_bench_fftw f;
  if (!fg_bench_fftw_open(&f, FG_SINGLE, names, "libfftw3f_threads.so.3")) {
    fg_cli_error("tune: libfftw3f.so.3 was not found: the host's figures are defaults");
    return;
  }
  if (f.timelimit) f.timelimit(2);
  tune_rates(c, &f);
  tune_memory(c, &f);
  tune_measured(c, &f);
  tune_threads(c, &f);
}
