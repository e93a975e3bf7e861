/* tune_device.c: the GPU on this machine: its start, its links, and executions of a few problems, whose times are
 * turned into the coefficients that the links do not explain. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/bench.h"
#include "src/cli/cli.h"
#include "src/cli/tune.h"
#include "src/cost/model.h"
#include "src/plan/prepare.h"
#include "src/run/arena/arena.h"

/* ---- links: raw copies of one large block ---- */

typedef struct {
  const fg_target *target;
  fg_stream *stream[2];
  void *pinned[2], *device[2];
  size_t bytes;
  bool in, out; /* which of the two copies */
} link_subject;

static bool good(int code) { return code == FG_OK; }

static bool copy_once(void *what) {
  const link_subject *s = what;
  const fg_backend *b = s->target->backend;
  fg_device *d = s->target->device;
  bool done = !s->in || good(b->copy_in(d, s->device[0], s->pinned[0], s->bytes, s->stream[0]));
  done = done && (!s->out || good(b->copy_out(d, s->pinned[1], s->device[1], s->bytes, s->stream[1])));
  for (int i = 0; i < 2; i++) done = good(b->stream_wait(d, s->stream[i])) && done;
  return done;
}

static bool copy_within(void *what) {
  const link_subject *s = what;
  const fg_backend *b = s->target->backend;
  return good(b->copy_within(s->target->device, s->device[0], s->device[1], s->bytes, s->stream[0])) &&
         good(b->stream_wait(s->target->device, s->stream[0]));
}

static bool link_begin(link_subject *s) {
  const fg_backend *b = s->target->backend;
  bool done = true;
  for (int i = 0; i < 2; i++) {
    done = done && good(b->stream_create(s->target->device, &s->stream[i]));
    done = done && good(b->pinned_alloc(s->target->device, s->bytes, &s->pinned[i]));
    done = done && good(b->memory_alloc(s->target->device, s->bytes, &s->device[i]));
    if (done) memset(s->pinned[i], 0, s->bytes);
  }
  return done;
}

static void link_end(link_subject *s) {
  const fg_backend *b = s->target->backend;
  for (int i = 0; i < 2; i++) {
    if (s->device[i]) b->memory_free(s->target->device, s->device[i]);
    if (s->pinned[i]) b->pinned_free(s->target->device, s->pinned[i]);
    if (s->stream[i]) b->stream_destroy(s->target->device, s->stream[i]);
  }
}

static void tune_links(fg_calibration *c, const fg_target *t) {
  link_subject s = {.target = t, .bytes = (size_t)64 << 20, .in = true};
  const double bytes = (double)s.bytes;
  if (link_begin(&s)) {
    const double in = fg_tune_median(copy_once, &s);
    s.out = true;
    const double both = fg_tune_median(copy_once, &s);
    s.in = false;
    const double out = fg_tune_median(copy_once, &s);
    if (in > 0 && out > 0) fg_tune_set(&c->link, 2 * bytes / (in + out));
    if (both > 0) fg_tune_set(&c->link_both, 2 * bytes / both);
    const double within = fg_tune_median(copy_within, &s);
    if (within > 0) fg_tune_set(&c->device, 2 * bytes / within);
  }
  link_end(&s);
}

/* ---- executions ---- */

typedef struct {
  fg_program *program;
  fg_arrays at;
} run_subject;

static bool run_once(void *what) {
  const run_subject *s = what;
  return fg_program_execute(s->program, &s->at) == FG_DONE;
}

static void *array(size_t bytes, enum fg_memory memory) {
  void *block = memory == FG_MEMORY_OWN && bytes >= FG_ARENA_SMALLEST ? fg_arena_alloc(bytes) : malloc(bytes);
  if (block) memset(block, 0, bytes);
  return block;
}

static void drop(void *block) {
  if (block) fg_arena_forget(block);
  free(block);
}

/* How long planning took where kernels had to be compiled: it is much shorter where they are on disk already. */
typedef struct {
  double seconds;
  int count;
} plannings;

static void count_planning(plannings *all, double seconds) {
  const double compiled = 10e-3;
  if (seconds < compiled) return;
  all->seconds += seconds;
  all->count++;
}

/* Seconds of one execution; NAN if it failed. */
static double seconds_of(const fg_target *t, const char *text, enum fg_memory memory, plannings *all) {
  fg_problem *p = fg_tune_problem(text);
  const size_t bytes = (size_t)fg_model_bytes(p, FG_INPUT);
  const char *why = "out of memory";
  fg_need need;
  float *in = array(bytes, memory), *out = array(bytes, memory);
  run_subject s = {NULL, {in, in ? in + 1 : NULL, out, out ? out + 1 : NULL}};
  const double start = fg_clock_seconds();
  p->arrays = s.at;
  if (in && out) s.program = fg_prepare(t, p, NULL, NULL, &need, &why);
  count_planning(all, fg_clock_seconds() - start);
  const double seconds = s.program ? fg_tune_median(run_once, &s) : -1;
  if (seconds < 0) fg_cli_error("tune: %s: %s", text, s.program ? fg_backend_message() : why);
  fg_program_destroy(s.program);
  drop(in);
  drop(out);
  fg_problem_free(p);
  return seconds < 0 ? NAN : seconds;
}

/* What the model says of own memory, which is known by now, subtracted from what other memory took. */
static double beyond_own(const fg_calibration *c, const char *text, double seconds) {
  fg_problem *p = fg_tune_problem(text);
  const double own = fg_model_gpu_seconds(c, p, FG_MEMORY_OWN, -1);
  fg_problem_free(p);
  return seconds - own;
}

/* The first and the last piece are copied by themselves: half of 1 MB there and back, and 4 MB of 8. */
static void tune_staging(fg_calibration *c, const fg_target *t, plannings *all) {
  const double small = beyond_own(c, "oc131072", seconds_of(t, "oc131072", FG_MEMORY_FOREIGN, all));
  const double large = beyond_own(c, "oc1048576", seconds_of(t, "oc1048576", FG_MEMORY_FOREIGN, all));
  fg_tune_set(&c->staging_rate, 2 * (4e6 - 0.5e6) / (large - small));
  fg_tune_set(&c->staging_seconds, (small - 2 * 0.5e6 / c->staging_rate) / 2);
  const double bytes = 8 * 16777216.0, hidden = 2 * c->staging_seconds + 2 * 4e6 / c->staging_rate;
  const double one_way = seconds_of(t, "oc16777216", FG_MEMORY_FOREIGN, all) - hidden - c->overhead;
  fg_tune_set(&c->staged, fmin(2 * bytes / one_way, c->link));
  const double batch = 8 * 1024 * 4096.0, both = seconds_of(t, "oc1024*4096", FG_MEMORY_FOREIGN, all);
  const double pieces = fmax(round(sqrt(batch / c->staged / c->piece)), 1);
  const double rest = both - hidden - c->overhead - batch / c->staged / pieces - (pieces - 1) * c->piece;
  fg_tune_set(&c->staged_both, fmin(2 * batch / rest, c->link_both));
}

static void tune_executions(fg_calibration *c, const fg_target *t) {
  plannings all = {0, 0};
  fg_tune_set(&c->overhead, seconds_of(t, "oc256", FG_MEMORY_OWN, &all));
  tune_staging(c, t, &all);
  if (all.count) fg_tune_set(&c->plan, all.seconds / all.count);
}

void fg_tune_device(fg_calibration *c, fg_machine *m) {
  const char *why = "";
  const double start = fg_clock_seconds();
  const fg_target *t = fg_target_get(&why);
  const double opened = fg_clock_seconds() - start;
  if (!t) {
    fg_cli_error("tune: no GPU (%s): its figures are defaults", why);
    return;
  }
  if (t->backend == &fg_backend_sim) {
    fg_cli_error("tune: the sim backend has no figures: the GPU's are defaults");
    return;
  }
  fg_calibration_name_device(m, t->info->name);
  fg_tune_set(&c->start, opened);
  tune_links(c, t);
  tune_executions(c, t);
}
