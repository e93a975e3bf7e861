/* replay_run.c: the calls of a trace, made again through the library. */
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/cli.h"
#include "src/cli/replay.h"
#include "src/cli/replay_library.h"
#include "src/report/trace.h"
#include "src/report/trace_arrays.h"

enum { SAMPLES = 1 << 14 };

/* ---- the state of a replay --------------------------------------------------------------------------------------- */

typedef struct {
  fg_replay_plan handle;
  fg_replay_item *item; /* its line */
  int copies;
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
  fg_replay_library fftw[2]; /* by precision */
  live_plan *plan;        /* by number */
  fg_replay_item **array; /* by number */
  samples *samples;       /* of each row */
  char *wisdom[2], *loose; /* the last exported; one that the program has to free */
  fg_replay_results results;
  pthread_mutex_t lock;   /* held by each thread but while it executes */
  bool together;          /* several threads execute: nobody may fill arrays, which they may share */
  uint64_t chance;
} replay;

static const char no_memory[] = "no memory of the kind and size that is needed";

/* ---- places ------------------------------------------------------------------------------------------------------ */

/* Where a place is in its i-th repetition; NULL for a NULL pointer, *why for lack of memory. */
static char *address(const replay *r, const fg_trace_ref *at, ptrdiff_t step, const char **why) {
  fg_replay_item *const a = at->array >= 0 ? r->array[at->array] : NULL;
  if (!a) return NULL;
  char *base = fg_replay_base(a);
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

/* Of split arrays the parts are apart. */
static bool lacks_a_part(const fg_problem *p, const fg_arrays *a) {
  const bool split = p->format == FG_SPLIT;
  return !a->in_re || !a->out_re || (split && fg_problem_complex_side(p, FG_INPUT) && !a->in_im) ||
         (split && fg_problem_complex_side(p, FG_OUTPUT) && !a->out_im);
}

/* What to do with an array of a transform. */
typedef void action(fg_replay_item *, const fg_problem *, bool input);

/* For each array that a line names, which p transforms. */
static void each_array(const replay *r, const fg_problem *p, const fg_replay_item *item, action act) {
  for (int i = 0; i < FG_TRACE_REFS; i++)
    if (item->line.at[i].array >= 0 && r->array[item->line.at[i].array])
      act(r->array[item->line.at[i].array], p, i < FG_OUT_RE);
}

static void ready(fg_replay_item *a, const fg_problem *p, bool input) { fg_replay_ready(a, p, input, NULL, 0); }

/* The parts of its arrays that p is to transform from and to. */
static void ready_parts(const replay *r, const fg_problem *p, const fg_replay_item *item, const fg_arrays *a) {
  char *const at[FG_TRACE_REFS] = {a->in_re, a->in_im, a->out_re, a->out_im};
  for (int i = 0; i < FG_TRACE_REFS; i++) {
    const bool input = i < FG_OUT_RE;
    const bool planes = item->line.at[input ? FG_IN_IM : FG_OUT_IM].array >= 0;
    const int array = item->line.at[i].array;
    ptrdiff_t low, high;
    if (array < 0 || !r->array[array]) continue;
    fg_trace_reach(p, input ? FG_INPUT : FG_OUTPUT, planes, &low, &high);
    fg_replay_ready(r->array[array], p, input, at[i] + low, (size_t)(high - low));
  }
}

static void spoil(fg_replay_item *a, const fg_problem *p, bool input) {
  (void)p;
  (void)input;
  fg_replay_spoil(a);
}

/* ---- plans ------------------------------------------------------------------------------------------------------- */

static const fg_replay_library *fftw_of(const replay *r, const fg_replay_item *item) {
  return &r->fftw[item->line.precision];
}

static const char *plan_problem(replay *r, fg_replay_item *item, live_plan *live) {
  const fg_problem *p = item->line.problem;
  fg_replay_row *row = &r->rows[item->row];
  const char *why = find_arrays(r, p, item, 0, &live->arrays);
  const uint64_t start = fg_clock_nanoseconds();
  fg_problem now = *p;
  /* By wisdom, which is not in a trace: measured, it would be. */
  if (!(p->flags & FG_WISDOM_ONLY) && lacks_a_part(p, &live->arrays)) now.flags |= FG_ESTIMATE;
  if (!why) live->handle = fg_replay_library_plan(&r->fftw[p->precision], &now, &live->arrays);
  row->plan_seconds += 1e-9 * (double)(fg_clock_nanoseconds() - start);
  row->plans++;
  row->nulls += !live->handle;
  if (live->handle)
    fg_replay_library_where(&r->fftw[p->precision], live->handle, row->where, sizeof row->where, &row->single);
  if (!(p->flags & (FG_ESTIMATE | FG_WISDOM_ONLY))) each_array(r, p, item, spoil);
  return why;
}

/* A plan that was refused in the program is refused again. */
static const char *plan(replay *r, fg_replay_item *item) {
  live_plan live = {.item = item};
  if (!item->line.problem) {
    fftw_of(r, item)->plan_guru64_dft(-1, NULL, 0, NULL, NULL, NULL, -1, FG_ESTIMATE);
    return NULL;
  }
  const char *why = plan_problem(r, item, &live);
  if (item->line.subject >= 0) r->plan[item->line.subject] = live;
  else if (live.handle) fftw_of(r, item)->destroy_plan(live.handle);
  return why;
}

/* ---- executing --------------------------------------------------------------------------------------------------- */

/* Any of very many has the same chance to be kept. */
static void sample(replay *r, samples *s, double seconds) {
  if (!s->time) s->time = malloc(SAMPLES * sizeof *s->time);
  r->chance = r->chance * UINT64_C(6364136223846793005) + 1442695040888963407u;
  const uint64_t at = s->seen < SAMPLES ? (uint64_t)s->seen : (r->chance >> 33) % (uint64_t)(s->seen + 1);
  if (s->time && at < SAMPLES) s->time[at] = (float)seconds;
  s->seen++;
}

/* With where it was computed: a plan may have gone to the GPU since it was made. */
static void show_result(replay *r, const live_plan *live, const fg_replay_item *places, const fg_arrays *a) {
  const fg_replay_item *const plan = live->item;
  fg_replay_row *const row = &r->rows[plan->row];
  const fg_trace_ref *out = &places->line.at[FG_OUT_RE];
  const fg_replay_item *const re_array = r->array[out[0].array];
  const fg_replay_item *const im_array = out[1].array >= 0 ? r->array[out[1].array] : re_array;
  char *re_copy, *im_copy;
  const char *re = fg_replay_view(re_array, a->out_re, &re_copy), *im = fg_replay_view(im_array, a->out_im, &im_copy);
  const fg_replay_library *fftw = &r->fftw[plan->line.problem->precision];
  fg_replay_library_where(fftw, live->handle, row->where, sizeof row->where, &row->single);
  if (re && (im || !a->out_im)) fg_replay_result(&r->results, row, plan->line.problem, re, im);
  free(re_copy);
  free(im_copy);
}

/* With the lock, which is free in between. */
static const char *execute_once(replay *r, fg_replay_item *item, long i) {
  live_plan *const live = &r->plan[item->line.subject];
  const fg_replay_item *const places = item->line.has_arrays ? item : live->item;
  const fg_problem *p = live->item->line.problem;
  fg_replay_row *const row = &r->rows[live->item->row];
  fg_arrays a;
  const char *why = find_arrays(r, p, places, places == item ? i : 0, &a);
  if (why || lacks_a_part(p, &a)) return why ? why : "a transform of a NULL pointer";
  if (!r->together) ready_parts(r, p, places, &a);
  pthread_mutex_unlock(&r->lock);
  const uint64_t start = fg_clock_nanoseconds();
  fg_replay_library_execute(&r->fftw[p->precision], live->handle, p, &live->arrays, &a);
  const double seconds = 1e-9 * (double)(fg_clock_nanoseconds() - start);
  pthread_mutex_lock(&r->lock);
  row->seconds += seconds;
  row->executes++;
  row->called++;
  r->results.execution++;
  sample(r, &r->samples[live->item->row], seconds);
  if (fg_replay_result_wanted(&r->results, row, p)) show_result(r, live, places, &a);
  fg_replay_transformed(p, r->array[places->line.at[FG_IN_RE].array], r->array[places->line.at[FG_OUT_RE].array],
                        a.in_re == a.out_re);
  return r->results.failed ? "its result cannot be kept" : NULL;
}

static long times_of(const replay *r, const fg_replay_item *item) {
  return r->options->most && item->times > r->options->most ? r->options->most : item->times;
}

/* Where FFTW gives no plan today, there is nothing to execute. */
static const char *execute(replay *r, fg_replay_item *item) {
  const char *why = NULL;
  const live_plan *const live = &r->plan[item->line.subject];
  pthread_mutex_lock(&r->lock);
  if (!live->handle) {
    r->results.execution += times_of(r, item);
    r->rows[live->item->row].called += times_of(r, item);
  }
  for (long i = 0; live->handle && !why && i < times_of(r, item); i++) why = execute_once(r, item, i);
  pthread_mutex_unlock(&r->lock);
  return why;
}

/* ---- wisdom: the program's own is not in the trace; what it exports is what it may import ------------------------ */

static void write_char(char c, void *stream) { fputc(c, stream); }
static int read_char(void *stream) { return fgetc(stream); }

static void keep_wisdom(replay *r, enum fg_precision precision, char *text) {
  free(r->wisdom[precision]);
  r->wisdom[precision] = text;
}

static void export_wisdom(replay *r, const fg_trace_line *l) {
  const fg_replay_library *fftw = &r->fftw[l->precision];
  if (!strcmp(l->word, "string")) {
    char *text = fftw->export_wisdom_to_string();
    keep_wisdom(r, l->precision, text ? strdup(text) : NULL);
    free(r->loose);
    r->loose = text;
    return;
  }
  char *text = NULL;
  size_t size = 0;
  FILE *f = open_memstream(&text, &size);
  if (!f) return;
  if (!strcmp(l->word, "file")) fftw->export_wisdom_to_file(f);
  else fftw->export_wisdom(write_char, f);
  fclose(f);
  keep_wisdom(r, l->precision, text);
}

/* Wisdom that came from elsewhere is not there; an import that failed fails again. */
static void import_wisdom(replay *r, const fg_trace_line *l) {
  const fg_replay_library *fftw = &r->fftw[l->precision];
  char nothing[] = "none", *const text = l->result ? r->wisdom[l->precision] : nothing;
  if (!text) return;
  if (!strcmp(l->word, "string")) {
    fftw->import_wisdom_from_string(text);
    return;
  }
  FILE *f = fmemopen(text, strlen(text), "r");
  if (!f) return;
  if (!strcmp(l->word, "file")) fftw->import_wisdom_from_file(f);
  else fftw->import_wisdom(read_char, f);
  fclose(f);
}

/* ---- all calls --------------------------------------------------------------------------------------------------- */

static const char *take_memory(replay *r, fg_replay_item *item) {
  if (item->line.subject >= 0) r->array[item->line.subject] = item;
  if (item->line.call == FG_CALL_ARRAY) return NULL;
  free(item->block); /* in a loop, a block that was freed by other means than fftwf_free, as this is */
  item->block = NULL;
  item->filled = false;
  if (item->line.subject >= 0) return fg_replay_base(item) ? NULL : no_memory;
  free(fftw_of(r, item)->malloc((size_t)item->line.value)); /* it failed in the program */
  return NULL;
}

static void give_memory(replay *r, const fg_replay_item *item) {
  const int id = item->line.subject;
  fg_replay_item *const a = id >= 0 ? r->array[id] : NULL;
  if (a) {
    fg_replay_release(a);
    r->array[id] = NULL;
  } else if (id == FG_TRACE_NULL) {
    fftw_of(r, item)->free(NULL);
  } else if (r->loose) {
    fftw_of(r, item)->free(r->loose);
    r->loose = NULL;
  }
}

/* Where it ran at last: a plan may have gone to the GPU while it was executed. */
static void destroy(replay *r, live_plan *live) {
  fg_replay_row *const row = &r->rows[live->item->row];
  const fg_replay_library *fftw = fftw_of(r, live->item);
  fg_replay_library_where(fftw, live->handle, row->where, sizeof row->where, &row->single);
  fftw->destroy_plan(live->handle);
  if (live->copies-- == 0) live->handle = NULL;
}

static void of_plan(replay *r, const fg_replay_item *item) {
  live_plan *const live = item->line.subject >= 0 ? &r->plan[item->line.subject] : NULL;
  double add, mul, fma;
  if (!live && item->line.call == FG_CALL_DESTROY) fftw_of(r, item)->destroy_plan(NULL);
  if (!live || !live->handle) return;
  const fg_replay_library *fftw = fftw_of(r, live->item);
  switch (item->line.call) {
    case FG_CALL_DESTROY: destroy(r, live); return;
    case FG_CALL_COPY: live->copies += fftw->copy_plan(live->handle) != NULL; return;
    case FG_CALL_PRINT: free(fftw->sprint_plan(live->handle)); return;
    case FG_CALL_FLOPS: fftw->flops(live->handle, &add, &mul, &fma); return;
    case FG_CALL_COST: fftw->cost(live->handle); return;
    case FG_CALL_ESTIMATE_COST: fftw->estimate_cost(live->handle); return;
    default: return;
  }
}

/* In place of the program's own threads: one job after the other. */
static void run_jobs(void *(*work)(char *), char *jobs, size_t size, int count, void *data) {
  (void)data;
  for (int i = 0; i < count; i++) work(jobs + (size_t)i * size);
}

static void state(replay *r, const fg_trace_line *l) {
  const fg_replay_library *fftw = &r->fftw[l->precision];
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
    case FG_CALL_EXPORT_WISDOM: export_wisdom(r, l); return;
    case FG_CALL_IMPORT_WISDOM: import_wisdom(r, l); return;
    case FG_CALL_IMPORT_SYSTEM_WISDOM: fftw->import_system_wisdom(); return;
    default: return;
  }
}

static const char *call_item(replay *r, fg_replay_item *item) {
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
  for (long i = 0; !why && i < times_of(r, item); i++) why = call_item(r, item);
  return why;
}

static bool run_item(void *data, fg_replay_item *item) {
  replay *r = data;
  for (long round = 0; item->loop && round < times_of(r, item); round++)
    for (fg_replay_item *inner = item->body; inner; inner = inner->next)
      if (!run_item(r, inner)) return false;
  const char *why = item->loop ? NULL : call(r, item);
  if (why) fg_cli_error("replay: %s:%ld: %s", r->file->name, item->number, why);
  return !why;
}

static void each_array_of_one(const replay *r, const fg_replay_item *item, action act) {
  const fg_replay_item *const plan = r->plan[item->line.subject].item;
  each_array(r, plan->line.problem, item->line.has_arrays ? item : plan, act);
}

/* For each array that the items up to end use. */
static void each_array_of(const replay *r, fg_replay_item *first, const fg_replay_item *end, action act) {
  for (fg_replay_item *item = first; item != end; item = item->next)
    if (item->loop) each_array_of(r, item->body, NULL, act);
    else each_array_of_one(r, item, act);
}

/* Numbers may grow beyond floats until all threads are done, which takes no other time. */
static bool run_together(replay *r, fg_replay_item *first, const fg_replay_item *end) {
  each_array_of(r, first, end, ready);
  r->together = true;
  const bool good = fg_replay_together(first, run_item, r);
  r->together = false;
  each_array_of(r, first, end, spoil);
  return good;
}

static bool run(replay *r, fg_replay_item *first) {
  for (fg_replay_item *item = first, *end; item; item = end) {
    end = r->options->threads ? fg_replay_stretch(item) : item;
    const bool good = end == item ? run_item(r, item) : run_together(r, item, end);
    if (!good) return false;
    if (end == item) end = item->next;
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
static void tidy(fg_replay_item *first) {
  for (fg_replay_item *item = first; item; item = item->next) {
    tidy(item->body);
    fg_replay_release(item);
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
  const char *mode = getenv("FFTW3_GPU");
  const bool off = mode && !strcmp(mode, "off"); /* stock FFTW reaches the host's memory only */
  const fg_replay_library *single = &r->fftw[FG_SINGLE], *twice = &r->fftw[FG_DOUBLE];
  const fg_replay_device *d = &single->device;
  fg_replay_memory_from(&(fg_replay_memory){{single->malloc, twice->malloc}, {single->free, twice->free},
                                            off ? NULL : d->malloc, d->free, d->copy});
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
  free(r->wisdom[FG_SINGLE]);
  free(r->wisdom[FG_DOUBLE]);
  free(r->loose);
}

int fg_replay_run(fg_replay_file *file, fg_replay_row *rows, const fg_replay_options *options) {
  replay r = {.file = file, .rows = rows, .options = options, .lock = PTHREAD_MUTEX_INITIALIZER};
  r.results = (fg_replay_results){.file = options->results, .compare = options->compare};
  bool good = fg_replay_library_open(&r.fftw[FG_SINGLE], FG_SINGLE) &&
              fg_replay_library_open(&r.fftw[FG_DOUBLE], FG_DOUBLE) && begin(&r);
  for (int time = 0; good && time < options->times; time++) {
    if (time) tidy(file->first);
    good = run(&r, file->first);
  }
  const int failed = fg_replay_results_end(&r.results);
  if (failed) fg_cli_error("replay: results cannot be kept to be compared with: %s", strerror(failed));
  good = good && !failed;
  end(&r);
  return good ? 0 : FG_EXIT_FAILED;
}
