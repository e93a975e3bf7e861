/* route.c: host or GPU?  First what must be the host's, then what the user asked for, then the cost model. */
#include "src/plan/route.h"

#include <math.h>

#include "src/pass/radices.h"
#include "src/plan/wisdom.h"
#include "src/report/settings.h"
#include "src/run/arena.h"

/* Leads from the reference machine (doc/performance.md): stock FFTW's rate falls as the data leaves the caches. */
static const double flops_in_cache = 12e9, flops_in_l3 = 6e9, flops_in_memory = 3e9;
static const double thread_efficiency = 0.7;
static const double pinned_bandwidth = 50e9, staged_bandwidth = 25e9, gpu_overhead = 30e-6;

/* Starting CUDA takes about 0.35 s.  How often a plan will be executed is not known: it is taken to pay when a
 * handful of executions do; once the device is open only the executions themselves count. */
static const double start_up_worth = 0.05, margin = 1.3;
/* Executions that planning may take as long as. */
static const double planning_worth = 20;

static double side_bytes(const fg_problem *p, enum fg_side side) {
  const double reals = (fg_problem_complex_side(p, side) ? 2.0 : 1.0) * (double)fg_problem_elements(p, side);
  return reals * (double)fg_real_size(p->precision);
}

static double bytes_of(const fg_problem *p) { return (side_bytes(p, FG_INPUT) + side_bytes(p, FG_OUTPUT)) / 2; }

double fg_route_host_seconds(const fg_problem *p) {
  const double n = (double)fg_tensor_size(&p->transform), elements = (double)fg_problem_elements(p, FG_INPUT);
  const double bytes = bytes_of(p), working_set = bytes < 8 * n * 2 ? bytes : 8 * n * 2;
  const double rate = working_set < 1 << 20 ? flops_in_cache : working_set < 16 << 20 ? flops_in_l3 : flops_in_memory;
  const double threads = p->threads > 1 ? 1 + (p->threads - 1) * thread_efficiency : 1;
  const double flops = (p->kind == FG_DFT ? 5 : p->kind == FG_C2R ? 5 : 2.5) * elements * log2(n > 2 ? n : 2);
  return flops / (rate * threads);
}

/* Both copies, one after the other. */
double fg_route_gpu_seconds(const fg_problem *p) {
  const bool pinned = fg_arena_holds(p->arrays.in_re, 1) && fg_arena_holds(p->arrays.out_re, 1);
  return gpu_overhead + 2 * bytes_of(p) / (pinned ? pinned_bandwidth : staged_bandwidth);
}

/* FFTW plans a multi-dimensional c2r that keeps its input only in place or along one dimension; programs look at the
 * NULL. */
static bool real_fftw_may_refuse(const fg_problem *p) {
  int dimensions = 0;
  for (int d = 0; d < p->transform.rank; d++) dimensions += p->transform.dim[d].n > 1;
  return p->kind == FG_C2R && dimensions > 1 && p->flags & FG_PRESERVE_INPUT && p->arrays.in_re != p->arrays.out_re;
}

/* The table of a long convolution is transformed on the processor when the plan is made, in long double: about 40 ns
 * a point and level of its length (doc/performance.md). */
static double planning_seconds(const fg_problem *p) {
  double seconds = 0;
  for (int d = 0; d < p->transform.rank; d++) {
    const double n = (double)p->transform.dim[d].n, length = 2 * n;
    if (!fg_smooth(p->transform.dim[d].n)) seconds += 40e-9 * length * log2(length);
  }
  return seconds;
}

const char *fg_route_must_host(const fg_problem *p) {
  if (p->precision != FG_SINGLE) return "double precision";
  if ((p->flags & FG_WISDOM_ONLY) && !fg_wisdom_knows(p)) return "wisdom only";
  if (real_fftw_may_refuse(p)) return "c2r that keeps its input";
  return fg_problem_undefined(p);
}

static const char *not_worth_it(const fg_problem *p) {
  const double host = fg_route_host_seconds(p), gpu = fg_route_gpu_seconds(p);
  if (host < margin * gpu) return "faster on the host";
  if (planning_seconds(p) > planning_worth * host) return "planning would take longer";
  if (!fg_target_open() && host < start_up_worth) return "too small to start the GPU for";
  return NULL;
}

const char *fg_route_host_reason(const fg_problem *p) {
  const char *reason = fg_route_must_host(p);
  if (reason || (p->flags & FG_WISDOM_ONLY)) return reason; /* what wisdom knows was found worth it before */
  return not_worth_it(p);
}

fg_route fg_route_of(const fg_problem *p) {
  const enum fg_mode mode = fg_settings_get()->mode;
  fg_route r = {NULL, "switched off"};
  if (mode == FG_MODE_OFF) return r;
  r.reason = mode == FG_MODE_AUTO ? fg_route_host_reason(p) : fg_route_must_host(p);
  if (r.reason) return r;
  r.target = fg_target_get(&r.reason);
  if (r.target) r.reason = mode == FG_MODE_FORCE ? "forced" : "faster on the GPU";
  return r;
}
