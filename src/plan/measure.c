/* measure.c: the real FFTW and the device, timed on scratch data. */
#include "src/plan/measure.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "src/cost/account.h"
#include "src/plan/measure_geometry.h"
#include "src/plan/prepare.h"
#include "src/plan/wisdom.h"
#include "src/problem/layout.h"
#include "src/report/clock.h"
#include "src/report/log.h"
#include "src/run/arena/arena.h"

enum { LEAST_RUNS = 6, MOST_RUNS = 40, ALIGNMENT = 64 };
static const double most_scratch = 1e9; /* bytes */
static const double enough = 0.5;       /* seconds of one side */
static const double at_least = 4e-3;    /* FFTW's threads take some executions to wake up */

static _Atomic double limits[] = {[FG_SINGLE] = -1, [FG_DOUBLE] = -1};

void fg_measure_limit(enum fg_precision precision, double seconds) { limits[precision] = seconds; }

double fg_measure_until(const fg_problem *p, double began) {
  const double limit = limits[p->precision];
  return limit < 0 ? INFINITY : began + limit;
}

/* ---- scratch: the program's arrays moved elsewhere, all distances that matter kept ---- */

/* Bytes of the program that one side, or both, lie in. */
typedef struct {
  uintptr_t low, high;
} area;

typedef struct {
  void *block[2]; /* to be freed */
  bool own;
  fg_arrays at;
} scratch;

static area plane_area(const fg_layout *l, const void *plane) {
  const uintptr_t real = fg_real_size(l->precision);
  const uintptr_t low = (uintptr_t)plane + (uintptr_t)l->low * real;
  return (area){low, low + (uintptr_t)fg_layout_reach(l) * real};
}

static area join(area a, area b) {
  return (area){a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}

static bool area_of(const fg_problem *p, enum fg_side side, area *a) {
  fg_layout l = {0};
  const void *re = side == FG_INPUT ? p->arrays.in_re : p->arrays.out_re;
  const void *im = side == FG_INPUT ? p->arrays.in_im : p->arrays.out_im;
  const bool made = re && fg_layout_make(&l, p, side);
  if (made) *a = plane_area(&l, re);
  if (made && l.split) *a = join(*a, plane_area(&l, im));
  fg_layout_free(&l);
  return made;
}

/* A block as that area, as it is aligned; *by: how far it lies from it. */
static bool make_block(scratch *s, int i, area a, ptrdiff_t *by) {
  const size_t bytes = a.high - a.low + 2 * ALIGNMENT;
  s->block[i] = s->own && bytes >= FG_ARENA_SMALLEST ? fg_arena_alloc(bytes) : malloc(bytes);
  if (!s->block[i]) return false;
  memset(s->block[i], 0, bytes); /* all pages there, and no number that is slow to compute with */
  const uintptr_t block = (uintptr_t)s->block[i];
  *by = (ptrdiff_t)(block + (a.low - block) % ALIGNMENT - a.low);
  return true;
}

static void *moved(const void *array, ptrdiff_t by) { return array ? (char *)array + by : NULL; }

static void scratch_free(scratch *s) {
  for (int i = 0; i < 2; i++) {
    if (s->block[i]) fg_arena_forget(s->block[i]);
    free(s->block[i]);
  }
}

static bool scratch_make(scratch *s, const fg_problem *p, enum fg_memory memory) {
  area in, out;
  ptrdiff_t in_by, out_by;
  *s = (scratch){.own = memory == FG_MEMORY_OWN};
  if (!area_of(p, FG_INPUT, &in) || !area_of(p, FG_OUTPUT, &out)) return false;
  const bool together = in.low < out.high && out.low < in.high;
  if (together) in = out = join(in, out);
  if ((double)(in.high - in.low) + (together ? 0 : (double)(out.high - out.low)) > most_scratch) return false;
  bool made = make_block(s, 0, in, &in_by);
  out_by = in_by;
  if (made && !together) made = make_block(s, 1, out, &out_by);
  const fg_arrays *a = &p->arrays;
  if (!made) {
    scratch_free(s);
    return false;
  }
  s->at = (fg_arrays){moved(a->in_re, in_by), moved(a->in_im, in_by), moved(a->out_re, out_by),
                      moved(a->out_im, out_by)};
  return true;
}

/* ---- timing ---- */

typedef struct {
  const fg_problem *problem;
  fg_host_plan host;
  fg_program *device; /* NULL: time the host */
  const fg_arrays *at;
} subject;

static bool execute(const subject *s) {
  fg_rest rest;
  if (s->device) return fg_program_execute_partly(s->device, s->at, &rest) == FG_DONE;
  fg_host_of(s->problem->precision)->execute(s->host, s->problem, s->at);
  return true;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The median of the later half of a few executions, behind one that warms up; negative if one failed.  (The best of
 * many threads' executions says little of the others: FFTW's take now half, now twice as long.) */
static double typical(const subject *s) {
  double took[MOST_RUNS + 1], spent = 0;
  int count = 0;
  for (int run = 0; run < 2 || (spent < (run <= LEAST_RUNS ? enough : at_least) && run <= MOST_RUNS); run++) {
    const double start = fg_clock_seconds();
    if (!execute(s)) return -1;
    const double seconds = fg_clock_seconds() - start;
    spent += seconds;
    if (run > 0) took[count++] = seconds;
  }
  const int half = count / 2, later = count - half;
  qsort(took + half, (size_t)later, sizeof *took, ascending);
  return took[half + (later - 1) / 2];
}

/* The real FFTW may use the limit up, and more: a little beside that is still within the meaning of it. */
static bool within(const fg_problem *p, double expected, double passed) {
  const double beside = 0.25, limit = limits[p->precision];
  return limit < 0 || passed + expected < limit || expected < beside * limit;
}

static double runs(const fg_route *r) { return (LEAST_RUNS + 1) * (r->host + r->gpu); }

bool fg_measure_affordable(const fg_problem *p, const fg_route *r, double passed) {
  const double start = fg_target_open() ? 0 : fg_model_start_seconds(fg_calibration_get());
  return within(p, start + fg_account_planning(p, true) + runs(r), passed);
}

/* fg_prepare's question, when compiling turns out to be needed. */
typedef struct {
  double began;
  const fg_route *route;
} question;

static const char *no_time(const void *context, const fg_problem *p, const fg_forecast *f) {
  const question *q = context;
  const double expected = fg_account_planning(p, f->kept) + runs(q->route);
  return within(p, expected, fg_clock_seconds() - q->began) ? NULL : "no time to compile its kernels";
}

static bool time_both(const fg_problem *p, fg_host_plan made, fg_program *program, fg_route *r) {
  scratch s;
  if (!scratch_make(&s, p, r->memory)) return false;
  r->gpu = typical(&(subject){p, made, program, &s.at});
  r->host = r->gpu >= 0 ? typical(&(subject){p, made, NULL, &s.at}) : 0;
  scratch_free(&s);
  return r->gpu >= 0;
}

bool fg_measure(const fg_problem *p, fg_host_plan made, double began, fg_route *r, fg_program **program) {
  const char *why;
  const fg_route estimate = *r;
  if (!fg_measure_affordable(p, r, fg_clock_seconds() - began)) return false;
  fg_need need;
  *program = fg_prepare(r->target, p, no_time, &(question){began, r}, &need, &why);
  if (!*program) {
    fg_log(FG_LOG_INFO, "not measured on the GPU: %s", why);
    return false;
  }
  fg_account *account = fg_account_of(p, r->memory, r->gpu);
  if (account) fg_account_planned(account);
  if (!time_both(p, made, *program, r)) {
    fg_program_destroy(*program);
    *program = NULL;
    *r = estimate;
    return false;
  }
  const bool device = r->gpu < r->host;
  fg_wisdom_keep(p, r->memory, &(fg_finding){device, r->host, r->gpu});
  fg_log(FG_LOG_INFO, "measured: %.1f us on the host, %.1f us through the GPU", r->host * 1e6, r->gpu * 1e6);
  r->reason = device ? "measured: faster on the GPU" : "measured: faster on the host";
  if (device) *program = fg_measure_geometry(r->target, p, fg_measure_until(p, began), *program);
  if (device) return true;
  fg_program_destroy(*program);
  *program = NULL;
  return true;
}
