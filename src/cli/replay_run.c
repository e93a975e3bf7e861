/* replay_run.c: the calls of a trace, made again through the library. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/cli.h"
#include "src/cli/replay.h"
#include "src/problem/layout.h"
#include "src/report/trace.h"

enum { SAMPLES = 1 << 14 };
static const double most_compared = 4e9; /* bytes of results kept for comparing */

/* ---- the library ------------------------------------------------------------------------------------------------- */

/* guru64: rank, dims, howmany_rank, howmany_dims. */
#define LOOPS int, const fg_dim *, int, const fg_dim *
typedef void *plan_handle;

#define FUNCTIONS(F)                                                                                                   \
  F(void *, malloc, (size_t))                                                                                          \
  F(void, free, (void *))                                                                                              \
  F(plan_handle, plan_guru64_dft, (LOOPS, void *, void *, int, unsigned))                                              \
  F(plan_handle, plan_guru64_dft_r2c, (LOOPS, void *, void *, unsigned))                                               \
  F(plan_handle, plan_guru64_dft_c2r, (LOOPS, void *, void *, unsigned))                                               \
  F(plan_handle, plan_guru64_r2r, (LOOPS, void *, void *, const int *, unsigned))                                      \
  F(plan_handle, plan_guru64_split_dft, (LOOPS, void *, void *, void *, void *, unsigned))                             \
  F(plan_handle, plan_guru64_split_dft_r2c, (LOOPS, void *, void *, void *, unsigned))                                 \
  F(plan_handle, plan_guru64_split_dft_c2r, (LOOPS, void *, void *, void *, unsigned))                                 \
  F(void, execute, (plan_handle))                                                                                      \
  F(void, execute_dft, (plan_handle, void *, void *))                                                                  \
  F(void, execute_dft_r2c, (plan_handle, void *, void *))                                                              \
  F(void, execute_dft_c2r, (plan_handle, void *, void *))                                                              \
  F(void, execute_r2r, (plan_handle, void *, void *))                                                                  \
  F(void, execute_split_dft, (plan_handle, void *, void *, void *, void *))                                            \
  F(void, execute_split_dft_r2c, (plan_handle, void *, void *, void *))                                                \
  F(void, execute_split_dft_c2r, (plan_handle, void *, void *, void *))                                                \
  F(void, destroy_plan, (plan_handle))                                                                                 \
  F(plan_handle, copy_plan, (plan_handle))                                                                             \
  F(char *, sprint_plan, (plan_handle))                                                                                \
  F(void, flops, (plan_handle, double *, double *, double *))                                                          \
  F(double, cost, (plan_handle))                                                                                       \
  F(double, estimate_cost, (plan_handle))                                                                              \
  F(void, cleanup, (void))                                                                                             \
  F(void, cleanup_threads, (void))                                                                                     \
  F(int, init_threads, (void))                                                                                         \
  F(void, plan_with_nthreads, (int))                                                                                   \
  F(int, planner_nthreads, (void))                                                                                     \
  F(void, make_planner_thread_safe, (void))                                                                            \
  F(void, threads_set_callback, (void (*)(void *(*)(char *), char *, size_t, int, void *), void *))                    \
  F(void, set_timelimit, (double))                                                                                     \
  F(int, alignment_of, (void *))                                                                                       \
  F(void, forget_wisdom, (void))                                                                                       \
  F(void, export_wisdom, (void (*)(char, void *), void *))                                                             \
  F(void, export_wisdom_to_file, (FILE *))                                                                             \
  F(char *, export_wisdom_to_string, (void))                                                                           \
  F(int, import_wisdom, (int (*)(void *), void *))                                                                     \
  F(int, import_wisdom_from_file, (FILE *))                                                                            \
  F(int, import_wisdom_from_string, (const char *))                                                                    \
  F(int, import_system_wisdom, (void))

#define MEMBER(type, name, parameters) type(*name) parameters;
typedef struct {
  FUNCTIONS(MEMBER)
} library;

static bool open_library(library *l) {
  char path[PATH_MAX];
  if (!fg_cli_library(path, sizeof path)) {
    fg_cli_error("replay: the library is not where it should be: %s", path);
    return false;
  }
  void *handle = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  bool all = handle != NULL;
#define FIND(type, name, parameters) all = all && (*(void **)&l->name = dlsym(handle, "fftwf_" #name)) != NULL;
  FUNCTIONS(FIND)
  if (!all) fg_cli_error("replay: %s cannot be loaded", path);
  return all;
}

/* ---- the state of a replay --------------------------------------------------------------------------------------- */

typedef struct {
  plan_handle handle;
  fg_replay_item *item; /* its line */
  fg_arrays arrays;
} live_plan;

typedef struct {
  float *time; /* SAMPLES of them, or NULL */
  long seen;
} samples;

typedef struct {
  const fg_replay_file *file;
  const fg_replay_options *options;
  fg_replay_row *rows;
  library fftw;
  fg_replay_memory memory;
  live_plan *plan;        /* by number */
  fg_replay_item **array; /* by number */
  samples *samples;       /* of each row */
  char *wisdom, *loose;   /* the last exported; one that the program has to free */
  double compared;        /* bytes */
  bool desynchronised;
  uint64_t chance;
} replay;

static const char no_memory[] = "out of memory";

/* ---- places ------------------------------------------------------------------------------------------------------ */

/* Where a place is in its i-th repetition; NULL for a NULL pointer, *why for lack of memory. */
static char *address(const replay *r, const fg_trace_ref *at, ptrdiff_t step, const char **why) {
  fg_replay_item *const a = at->array >= 0 ? r->array[at->array] : NULL;
  if (!a) return NULL;
  char *base = fg_replay_base(a, &r->memory);
  if (!base) *why = no_memory;
  return base ? base + at->offset + step : NULL;
}

static void side(const replay *r, const fg_problem *p, enum fg_side s, const fg_replay_item *item, long i, void **re,
                 void **im, const char **why) {
  const int first = s == FG_INPUT ? FG_IN_RE : FG_OUT_RE;
  const fg_trace_ref *at = &item->line.at[first];
  const ptrdiff_t *step = &item->frame.step[first];
  char *const real = address(r, &at[0], i * step[0], why);
  *re = real;
  *im = at[1].array >= 0 ? address(r, &at[1], i * step[1], why) : NULL;
  if (at[1].array < 0 && fg_problem_complex_side(p, s) && real) *im = real + fg_real_size(p->precision);
}

static const char *find_arrays(const replay *r, const fg_problem *p, const fg_replay_item *item, long i, fg_arrays *a) {
  const char *why = NULL;
  side(r, p, FG_INPUT, item, i, &a->in_re, &a->in_im, &why);
  side(r, p, FG_OUTPUT, item, i, &a->out_re, &a->out_im, &why);
  return why;
}

/* For each array that a line names. */
static void each_array(const replay *r, const fg_replay_item *item, void (*act)(fg_replay_item *, bool input)) {
  for (int i = 0; i < FG_TRACE_REFS; i++)
    if (item->line.at[i].array >= 0 && r->array[item->line.at[i].array])
      act(r->array[item->line.at[i].array], i < FG_OUT_RE);
}

static void spoil(fg_replay_item *a, bool input) {
  (void)input;
  fg_replay_spoil(a);
}

/* ---- plans ------------------------------------------------------------------------------------------------------- */

/* In elements of each side's array, as guru64 wants them. */
static fg_dim *in_elements(const fg_problem *p, const fg_tensor *t) {
  const ptrdiff_t unit = p->format == FG_SPLIT ? 1 : 2;
  const ptrdiff_t in = fg_problem_complex_side(p, FG_INPUT) ? unit : 1;
  const ptrdiff_t out = fg_problem_complex_side(p, FG_OUTPUT) ? unit : 1;
  fg_dim *dims = malloc(((size_t)t->rank + 1) * sizeof *dims);
  for (int d = 0; dims && d < t->rank; d++) dims[d] = (fg_dim){t->dim[d].n, t->dim[d].is / in, t->dim[d].os / out};
  return dims;
}

static plan_handle plan_with(const library *l, const fg_problem *p, const fg_dim *dims, const fg_dim *batch,
                             const fg_arrays *a) {
  const int rank = p->transform.rank, howmany = p->batch.rank;
  const bool split = p->format == FG_SPLIT;
  switch (p->kind) {
    case FG_DFT:
      if (!split) return l->plan_guru64_dft(rank, dims, howmany, batch, a->in_re, a->out_re, p->sign, p->flags);
      return l->plan_guru64_split_dft(rank, dims, howmany, batch, a->in_re, a->in_im, a->out_re, a->out_im, p->flags);
    case FG_R2C:
      if (!split) return l->plan_guru64_dft_r2c(rank, dims, howmany, batch, a->in_re, a->out_re, p->flags);
      return l->plan_guru64_split_dft_r2c(rank, dims, howmany, batch, a->in_re, a->out_re, a->out_im, p->flags);
    case FG_C2R:
      if (!split) return l->plan_guru64_dft_c2r(rank, dims, howmany, batch, a->in_re, a->out_re, p->flags);
      return l->plan_guru64_split_dft_c2r(rank, dims, howmany, batch, a->in_re, a->in_im, a->out_re, p->flags);
    case FG_R2R: break;
  }
  return l->plan_guru64_r2r(rank, dims, howmany, batch, a->in_re, a->out_re, p->r2r_kind, p->flags);
}

/* In a traced replay nothing is asked that the program did not ask. */
static void tell_where(replay *r, fg_replay_row *row, plan_handle plan) {
  if (*row->where || getenv("FFTW3_GPU_TRACE")) return;
  char *text = r->fftw.sprint_plan(plan);
  snprintf(row->where, sizeof row->where, "%s", text && !strncmp(text, "(gpu-", 5) ? "gpu" : "host");
  free(text);
}

static const char *plan_problem(replay *r, fg_replay_item *item, live_plan *live) {
  const fg_problem *p = item->line.problem;
  fg_replay_row *row = &r->rows[item->row];
  const char *why = find_arrays(r, p, item, 0, &live->arrays);
  fg_dim *dims = in_elements(p, &p->transform), *batch = in_elements(p, &p->batch);
  if (!dims || !batch) why = no_memory;
  const uint64_t start = fg_trace_clock();
  if (!why) live->handle = plan_with(&r->fftw, p, dims, batch, &live->arrays);
  row->plan_seconds += 1e-9 * (double)(fg_trace_clock() - start);
  row->plans++;
  row->nulls += !live->handle;
  if (live->handle) tell_where(r, row, live->handle);
  if (!(p->flags & (FG_ESTIMATE | FG_WISDOM_ONLY))) each_array(r, item, spoil);
  free(dims);
  free(batch);
  return why;
}

/* A plan that was refused in the program is refused again. */
static const char *plan(replay *r, fg_replay_item *item) {
  live_plan live = {.item = item};
  if (!item->line.problem) {
    r->fftw.plan_guru64_dft(-1, NULL, 0, NULL, NULL, NULL, -1, FG_ESTIMATE);
    return NULL;
  }
  const char *why = plan_problem(r, item, &live);
  if (item->line.subject >= 0) r->plan[item->line.subject] = live;
  else if (live.handle) r->fftw.destroy_plan(live.handle);
  return why;
}

/* ---- executing --------------------------------------------------------------------------------------------------- */

static bool same_arrays(const fg_arrays *a, const fg_arrays *b) {
  return a->in_re == b->in_re && a->in_im == b->in_im && a->out_re == b->out_re && a->out_im == b->out_im;
}

static bool adjacent(const fg_problem *p, void *re, void *im) { return im == (char *)re + fg_real_size(p->precision); }

/* A backward plan is the forward one with the parts swapped: that is how it runs on parts. */
static void execute_parts(const library *l, const live_plan *live, const fg_problem *p, const fg_arrays *a) {
  if (p->format == FG_INTERLEAVED && p->sign == FG_BACKWARD)
    l->execute_split_dft(live->handle, a->in_im, a->in_re, a->out_im, a->out_re);
  else l->execute_split_dft(live->handle, a->in_re, a->in_im, a->out_re, a->out_im);
}

static void execute_on(const library *l, const live_plan *live, const fg_problem *p, const fg_arrays *a) {
  const bool split = p->format == FG_SPLIT;
  switch (p->kind) {
    case FG_DFT:
      if (split || !adjacent(p, a->in_re, a->in_im) || !adjacent(p, a->out_re, a->out_im)) execute_parts(l, live, p, a);
      else l->execute_dft(live->handle, a->in_re, a->out_re);
      return;
    case FG_R2C:
      if (split) l->execute_split_dft_r2c(live->handle, a->in_re, a->out_re, a->out_im);
      else l->execute_dft_r2c(live->handle, a->in_re, a->out_re);
      return;
    case FG_C2R:
      if (split) l->execute_split_dft_c2r(live->handle, a->in_re, a->in_im, a->out_re);
      else l->execute_dft_c2r(live->handle, a->in_re, a->out_re);
      return;
    case FG_R2R: l->execute_r2r(live->handle, a->in_re, a->out_re); return;
  }
}

/* Any of very many has the same chance to be kept. */
static void sample(replay *r, samples *s, double seconds) {
  if (!s->time) s->time = malloc(SAMPLES * sizeof *s->time);
  r->chance = r->chance * UINT64_C(6364136223846793005) + 1442695040888963407u;
  const uint64_t at = s->seen < SAMPLES ? (uint64_t)s->seen : (r->chance >> 33) % (uint64_t)(s->seen + 1);
  if (s->time && at < SAMPLES) s->time[at] = (float)seconds;
  s->seen++;
}

/* ---- comparing: one replay writes results, the next reads them ---------------------------------------------------- */

typedef struct {
  int row;
  long execution;
  ptrdiff_t count; /* floats that follow */
} result_head;

static double difference(const float *a, const float *b, ptrdiff_t count) {
  double square = 0, norm = 0;
  for (ptrdiff_t i = 0; i < count; i++) {
    square += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
    norm += (double)b[i] * b[i];
  }
  return norm > 0 ? sqrt(square / norm) : sqrt(square);
}

static void compare_with(replay *r, const result_head *mine, const float *result) {
  result_head head;
  float *theirs = malloc((size_t)mine->count * sizeof *theirs);
  const bool same = theirs && fread(&head, sizeof head, 1, r->options->results) == 1 && head.row == mine->row &&
                    head.execution == mine->execution && head.count == mine->count &&
                    fread(theirs, sizeof *theirs, (size_t)head.count, r->options->results) == (size_t)head.count;
  fg_replay_row *const row = &r->rows[mine->row];
  if (same) {
    const double d = difference(result, theirs, mine->count);
    if (!(d <= row->difference)) row->difference = d; /* or no number */
    row->compared++;
  }
  r->desynchronised = !same; /* one of the two has no plan where the other has */
  free(theirs);
}

static void keep(replay *r, const result_head *head, const float *result) {
  r->desynchronised = fwrite(head, sizeof *head, 1, r->options->results) != 1 ||
                      fwrite(result, sizeof *result, (size_t)head->count, r->options->results) != (size_t)head->count;
}

static void look_at(replay *r, int row, const fg_problem *p, const fg_arrays *a) {
  fg_layout l;
  if (!fg_layout_make(&l, p, FG_OUTPUT)) return;
  const size_t plane = (size_t)l.elements * (size_t)l.unit;
  const result_head head = {row, r->rows[row].executes, (ptrdiff_t)(l.split ? 2 * plane : plane)};
  float *image = malloc((size_t)(head.count + 1) * sizeof *image);
  r->compared += (double)head.count * sizeof *image;
  if (image && r->compared <= most_compared) {
    fg_layout_gather(&l, a->out_re, 0, l.elements, image);
    if (l.split) fg_layout_gather(&l, a->out_im, 0, l.elements, image + plane);
    if (r->options->compare) compare_with(r, &head, image);
    else keep(r, &head, image);
  }
  free(image);
  fg_layout_free(&l);
}

/* The 1st, 2nd, 4th, 8th … of each row. */
static bool worth_a_look(const replay *r, const fg_replay_row *row, const fg_problem *p) {
  return r->options->results && !r->desynchronised && (row->executes & (row->executes - 1)) == 0 &&
         fg_tensor_size(&p->batch) > 0 && !fg_problem_undefined(p);
}

static const char *execute_once(replay *r, fg_replay_item *item, long i) {
  live_plan *const live = &r->plan[item->line.subject];
  const fg_replay_item *const places = item->line.has_arrays ? item : live->item;
  const fg_problem *p = live->item->line.problem;
  fg_replay_row *const row = &r->rows[live->item->row];
  fg_arrays a;
  const char *why = find_arrays(r, p, places, places == item ? i : 0, &a);
  if (why || !a.in_re || !a.out_re) return why ? why : "a transform of a NULL pointer";
  each_array(r, places, fg_replay_ready);
  const bool own = same_arrays(&a, &live->arrays);
  const uint64_t start = fg_trace_clock();
  if (own) r->fftw.execute(live->handle);
  else execute_on(&r->fftw, live, p, &a);
  const double seconds = 1e-9 * (double)(fg_trace_clock() - start);
  row->seconds += seconds;
  row->executes++;
  sample(r, &r->samples[live->item->row], seconds);
  if (worth_a_look(r, row, p)) look_at(r, live->item->row, p, &a);
  fg_replay_transformed(p, r->array[places->line.at[FG_IN_RE].array], r->array[places->line.at[FG_OUT_RE].array],
                        a.in_re == a.out_re);
  return NULL;
}

static long times_of(const replay *r, const fg_replay_item *item) {
  return r->options->most && item->times > r->options->most ? r->options->most : item->times;
}

/* Where FFTW gives no plan today, there is nothing to execute. */
static const char *execute(replay *r, fg_replay_item *item) {
  const char *why = NULL;
  if (!r->plan[item->line.subject].handle) return NULL;
  for (long i = 0; !why && i < times_of(r, item); i++) why = execute_once(r, item, i);
  return why;
}

/* ---- wisdom: the program's own is not in the trace; what it exports is what it may import -------------------------- */

static void write_char(char c, void *stream) { fputc(c, stream); }
static int read_char(void *stream) { return fgetc(stream); }

static void keep_wisdom(replay *r, char *text) {
  free(r->wisdom);
  r->wisdom = text;
}

static void export_wisdom(replay *r, const char *way) {
  if (!strcmp(way, "string")) {
    char *text = r->fftw.export_wisdom_to_string();
    keep_wisdom(r, text ? strdup(text) : NULL);
    free(r->loose);
    r->loose = text;
    return;
  }
  char *text = NULL;
  size_t size = 0;
  FILE *f = open_memstream(&text, &size);
  if (!f) return;
  if (!strcmp(way, "file")) r->fftw.export_wisdom_to_file(f);
  else r->fftw.export_wisdom(write_char, f);
  fclose(f);
  keep_wisdom(r, text);
}

/* Wisdom that came from elsewhere is not there; an import that failed fails again. */
static void import_wisdom(replay *r, const char *way, bool good) {
  char nothing[] = "none", *const text = good ? r->wisdom : nothing;
  if (!text) return;
  if (!strcmp(way, "string")) {
    r->fftw.import_wisdom_from_string(text);
    return;
  }
  FILE *f = fmemopen(text, strlen(text), "r");
  if (!f) return;
  if (!strcmp(way, "file")) r->fftw.import_wisdom_from_file(f);
  else r->fftw.import_wisdom(read_char, f);
  fclose(f);
}

/* ---- all calls --------------------------------------------------------------------------------------------------- */

static const char *take_memory(replay *r, fg_replay_item *item) {
  if (item->line.subject >= 0) r->array[item->line.subject] = item;
  if (item->line.call == FG_CALL_ARRAY) return NULL;
  fg_replay_release(item, free); /* in a loop, a block that was never freed by fftwf_free */
  if (item->line.subject >= 0) return fg_replay_base(item, &r->memory) ? NULL : no_memory;
  free(r->fftw.malloc((size_t)item->line.value)); /* it failed in the program */
  return NULL;
}

static void give_memory(replay *r, const fg_replay_item *item) {
  const int id = item->line.subject;
  fg_replay_item *const a = id >= 0 ? r->array[id] : NULL;
  if (a) {
    fg_replay_release(a, r->fftw.free);
    r->array[id] = NULL;
  } else if (id == FG_TRACE_NULL) {
    r->fftw.free(NULL);
  } else if (r->loose) {
    r->fftw.free(r->loose);
    r->loose = NULL;
  }
}

static void of_plan(replay *r, const fg_replay_item *item) {
  live_plan *const live = item->line.subject >= 0 ? &r->plan[item->line.subject] : NULL;
  double add, mul, fma;
  if (!live && item->line.call == FG_CALL_DESTROY) r->fftw.destroy_plan(NULL);
  if (!live || !live->handle) return;
  switch (item->line.call) {
    case FG_CALL_DESTROY: r->fftw.destroy_plan(live->handle); return;
    case FG_CALL_COPY: r->fftw.copy_plan(live->handle); return;
    case FG_CALL_PRINT: free(r->fftw.sprint_plan(live->handle)); return;
    case FG_CALL_FLOPS: r->fftw.flops(live->handle, &add, &mul, &fma); return;
    case FG_CALL_COST: r->fftw.cost(live->handle); return;
    case FG_CALL_ESTIMATE_COST: r->fftw.estimate_cost(live->handle); return;
    default: return;
  }
}

/* In place of the program's own threads: one job after the other. */
static void run_jobs(void *(*work)(char *), char *jobs, size_t size, int count, void *data) {
  (void)data;
  for (int i = 0; i < count; i++) work(jobs + (size_t)i * size);
}

static void state(replay *r, const fg_trace_line *l) {
  const library *fftw = &r->fftw;
  const bool own = !strcmp(l->word, "own");
  enum { PAGE = 4096 };
  switch (l->call) {
    case FG_CALL_CLEANUP: fftw->cleanup(); return;
    case FG_CALL_CLEANUP_THREADS: fftw->cleanup_threads(); return;
    case FG_CALL_INIT_THREADS: fftw->init_threads(); return;
    case FG_CALL_PLAN_WITH_NTHREADS: fftw->plan_with_nthreads((int)l->value); return;
    case FG_CALL_PLANNER_NTHREADS: fftw->planner_nthreads(); return;
    case FG_CALL_MAKE_PLANNER_THREAD_SAFE: fftw->make_planner_thread_safe(); return;
    case FG_CALL_THREADS_SET_CALLBACK: fftw->threads_set_callback(own ? run_jobs : NULL, NULL); return;
    case FG_CALL_SET_TIMELIMIT: fftw->set_timelimit(l->value < 0 ? -1.0 : 1e-6 * (double)l->value); return;
    case FG_CALL_ALIGNMENT_OF: fftw->alignment_of((void *)(uintptr_t)(PAGE + l->value)); return;
    case FG_CALL_FORGET_WISDOM: fftw->forget_wisdom(); return;
    case FG_CALL_EXPORT_WISDOM: export_wisdom(r, l->word); return;
    case FG_CALL_IMPORT_WISDOM: import_wisdom(r, l->word, l->result); return;
    case FG_CALL_IMPORT_SYSTEM_WISDOM: fftw->import_system_wisdom(); return;
    default: return;
  }
}

static const char *call_once(replay *r, fg_replay_item *item) {
  switch (item->line.call) {
    case FG_CALL_MALLOC:
    case FG_CALL_ARRAY: return take_memory(r, item);
    case FG_CALL_FREE: give_memory(r, item); return NULL;
    case FG_CALL_PLAN: return plan(r, item);
    case FG_CALL_DESTROY:
    case FG_CALL_COPY:
    case FG_CALL_PRINT:
    case FG_CALL_FLOPS:
    case FG_CALL_COST:
    case FG_CALL_ESTIMATE_COST: of_plan(r, item); return NULL;
    default: state(r, &item->line); return NULL;
  }
}

static const char *call(replay *r, fg_replay_item *item) {
  const char *why = NULL;
  if (item->line.call == FG_CALL_EXECUTE) return execute(r, item);
  for (long i = 0; !why && i < times_of(r, item); i++) why = call_once(r, item);
  return why;
}

static bool run(replay *r, fg_replay_item *first) {
  for (fg_replay_item *item = first; item; item = item->next) {
    for (long round = 0; item->loop && round < times_of(r, item); round++)
      if (!run(r, item->body)) return false;
    const char *why = item->loop ? NULL : call(r, item);
    if (!why) continue;
    fg_cli_error("replay: %s:%ld: %s", r->file->name, item->number, why);
    return false;
  }
  return true;
}

/* ---- begin and end ----------------------------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b) {
  const float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

static double median(const samples *s) {
  const size_t n = s->time ? (size_t)(s->seen < SAMPLES ? s->seen : SAMPLES) : 0;
  if (!n) return NAN;
  qsort(s->time, n, sizeof *s->time, ascending);
  return n % 2 ? s->time[n / 2] : ((double)s->time[n / 2 - 1] + s->time[n / 2]) / 2;
}

/* What the program left, before it is repeated. */
static void tidy(replay *r, fg_replay_item *first) {
  for (fg_replay_item *item = first; item; item = item->next) {
    tidy(r, item->body);
    fg_replay_release(item, item->line.call == FG_CALL_MALLOC ? r->fftw.free : free);
  }
}

static bool begin(replay *r) {
  const size_t ids = (size_t)r->file->ids + 1;
  r->plan = calloc(ids, sizeof *r->plan);
  r->array = calloc(ids, sizeof *r->array);
  r->samples = calloc((size_t)r->file->rows + 1, sizeof *r->samples);
  if (!r->plan || !r->array || !r->samples) {
    fg_cli_error("replay: %s", no_memory);
    return false;
  }
  r->memory = (fg_replay_memory){r->fftw.malloc, r->fftw.free};
  return true;
}

static void end(replay *r) {
  for (int i = 0; r->samples && i < r->file->rows; i++) {
    r->rows[i].median = median(&r->samples[i]);
    free(r->samples[i].time);
  }
  free(r->samples);
  free(r->plan);
  free(r->array);
  free(r->wisdom);
  free(r->loose);
}

int fg_replay_run(fg_replay_file *file, fg_replay_row *rows, const fg_replay_options *options) {
  replay r = {.file = file, .rows = rows, .options = options};
  bool good = open_library(&r.fftw) && begin(&r);
  for (int time = 0; good && time < options->times; time++) {
    if (time) tidy(&r, file->first);
    good = run(&r, file->first);
  }
  end(&r);
  return good ? 0 : FG_EXIT_FAILED;
}
