/* trace.c: calls become lines. */
#define _GNU_SOURCE
#include "config.h"

#include "src/report/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/report/clock.h"
#include "src/report/lock_for.h"
#include "src/report/settings.h"
#include "src/report/trace_arrays.h"
#include "src/report/trace_file.h"
#include "src/report/trace_stream.h"

enum { BUCKETS = 1024, PAGE = 4096 };

typedef struct plan {
  struct plan *next;
  const void *handle;
  int id, references;
  fg_problem *problem;
  char where[16], by[40]; /* for the child of a fork, which has to introduce it: as in fg_trace_line */
} plan;

enum fg_trace_state fg_trace_state = FG_TRACE_UNKNOWN;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards all that follows */
static const char *(*fftw_version[2])(void); /* by precision */
static uint64_t origin;          /* clock when the trace began */
static bool opened, child;       /* the file; of a fork */
static plan *plans[BUCKETS];
static fg_trace_arrays plan_ids; /* only its numbers are used */
static fg_trace_arrays arrays;
/* ---- locking ----------------------------------------------------------------------------------------------------- */

typedef struct {
  int saved, cancel;
} hold;

/* Writing is a point where threads are cancelled: not with the lock. */
static hold hold_on(void) {
  hold h = {.saved = errno};
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &h.cancel);
  return h;
}

static hold take(void) {
  const hold h = hold_on();
  pthread_mutex_lock(&lock);
  return h;
}

static void let_go(hold h) {
  pthread_setcancelstate(h.cancel, NULL);
  errno = h.saved;
}

static void give(hold h) {
  pthread_mutex_unlock(&lock);
  let_go(h);
}

static void stop(void) {
  __atomic_store_n(&fg_trace_state, FG_TRACE_OFF, __ATOMIC_RELEASE);
  fg_trace_file_close();
}

static void write_sometimes(void) {
  if (!fg_trace_stream_write_sometimes(origin)) stop();
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static void put(const fg_trace_line *l, uint64_t since) {
  fg_trace_stream_push(fg_trace_line_print(l), NULL, true, &(fg_trace_frame){.start = since - origin, .times = 1});
}

static void tell(const fg_trace_line *l, void *since) { put(l, *(uint64_t *)since); }

static fg_trace_frame timed(uint64_t start) {
  const uint64_t ns = fg_clock_nanoseconds() - start;
  return (fg_trace_frame){.start = start - origin, .times = 1, .timed = true, .ns = ns, .min = ns, .max = ns};
}

typedef void teller(const fg_trace_line *, void *);

static void locate_side(const fg_problem *p, enum fg_side side, char *re, char *im, fg_trace_ref *at, teller *tell_of, void *to) {
  ptrdiff_t low, high;
  const bool planes = im && im != re + fg_real_size(p->precision);
  const bool split = planes || (im && p->format == FG_SPLIT);
  fg_trace_reach(p, side, split, &low, &high);
  at[0] = fg_trace_arrays_find(&arrays, re, low, high, tell_of, to);
  at[1] = (fg_trace_ref){FG_TRACE_NULL, 0};
  if (split) at[1] = fg_trace_arrays_find(&arrays, im, low, high, tell_of, to);
}

/* Where p's arrays a are; tell_of is told of those that are new, or joined. */
static void locate(const fg_problem *p, const fg_arrays *a, fg_trace_ref *at, teller *tell_of, void *to) {
  locate_side(p, FG_INPUT, a->in_re, a->in_im, at + FG_IN_RE, tell_of, to);
  locate_side(p, FG_OUTPUT, a->out_re, a->out_im, at + FG_OUT_RE, tell_of, to);
  /* What the output joined may be where the input was found. */
  locate_side(p, FG_INPUT, a->in_re, a->in_im, at + FG_IN_RE, tell_of, to);
}

/* But for its places. */
static fg_trace_line plan_line(const plan *p) {
  fg_trace_line l = {.call = FG_CALL_PLAN, .precision = p->problem->precision, .subject = p->id, .problem = p->problem};
  memcpy(l.where, p->where, sizeof l.where);
  memcpy(l.by, p->by, sizeof l.by);
  return l;
}

/* ---- the beginning of a file ------------------------------------------------------------------------------------- */

static void put_head(FILE *f, enum fg_precision precision) {
  const char *version = fftw_version[precision] ? fftw_version[precision]() : NULL;
  fprintf(f, FG_TRACE_MAGIC " %d\nprogram ", FG_TRACE_VERSION);
  for (const char *c = program_invocation_short_name; *c; c++) fputc(*c > ' ' && *c < 127 ? *c : '_', f);
  fprintf(f, " pid=%ld", (long)getpid());
  if (child) fprintf(f, " parent=%ld", (long)getppid());
  fprintf(f, " processors=%ld fftw=%s library=%s\n", sysconf(_SC_NPROCESSORS_ONLN), version ? version : "-",
          PACKAGE_VERSION);
}

typedef struct {
  FILE *file;
  uint64_t since; /* the trace began */
} inheritance;

static void bequeath(const fg_trace_line *l, void *to) {
  const inheritance *const i = to;
  char *text = fg_trace_line_print(l);
  if (text) fprintf(i->file, "+%" PRIu64 " t0 %s\n", i->since, text);
  free(text);
}

/* What the child of a fork has from its parent.  A plan's arrays may have been freed, or joined to others, since it was made: they
 * are where its pointers are now. */
static void put_inherited(FILE *f, uint64_t since) {
  inheritance to = {f, since};
  for (int i = 0; i < arrays.count; i++) {
    const fg_trace_line l = fg_trace_arrays_line(&arrays.region[i]);
    bequeath(&l, &to);
  }
  for (int b = 0; b < BUCKETS; b++)
    for (const plan *p = plans[b]; p; p = p->next)
      if (p->problem) {
        fg_trace_line l = plan_line(p);
        locate(p->problem, &p->problem->arrays, l.at, bequeath, &to);
        bequeath(&l, &to);
      }
}

/* Whether there is a file to write to, now that a function of that precision was called. */
static bool ready(enum fg_precision precision) {
  if (opened) return fg_trace_now() == FG_TRACE_ON;
  opened = true;
  FILE *f = fg_trace_file_open(fg_settings_get()->trace, child) ? fg_trace_stream_stand() : NULL;
  if (!f) {
    stop();
    return false;
  }
  put_head(f, precision);
  if (child) put_inherited(f, fg_clock_nanoseconds() - origin);
  return true;
}

/* ---- fork -------------------------------------------------------------------------------------------------------- */

static void before_fork(void) {
  pthread_mutex_lock(&lock);
  if (!opened || fg_trace_now() != FG_TRACE_ON) return;
  if (!fg_trace_stream_write(NULL, fg_clock_nanoseconds() - origin)) stop();
}

static void in_parent(void) { pthread_mutex_unlock(&lock); }

/* The child writes a file of its own, if it calls FFTW at all. */
static void in_child(void) {
  const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
  lock = fresh;
  if (fg_trace_now() != FG_TRACE_ON) return;
  fg_trace_file_close();
  fg_trace_stream_forked();
  opened = false;
  child = true;
}

/* Before the planner lock's, as src/report/report.c's. */
__attribute__((constructor(201))) static void watch_fork(void) { pthread_atfork(before_fork, in_parent, in_child); }

static void thread_ends(void *number) {
  const hold h = take();
  fg_trace_stream_leave(number);
  give(h);
}

/* ---- begin and end ----------------------------------------------------------------------------------------------- */

static void begin(void) {
  const char *value = secure_getenv("FFTW3_GPU_TRACE");
  const bool wanted = value && *value && fg_settings_get()->trace && fg_trace_stream_begin(thread_ends);
  origin = fg_clock_nanoseconds();
  __atomic_store_n(&fg_trace_state, wanted ? FG_TRACE_ON : FG_TRACE_OFF, __ATOMIC_RELEASE);
}

bool fg_trace_begin(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  const int saved = errno;
  pthread_once(&once, begin);
  errno = saved;
  return fg_trace_now() == FG_TRACE_ON;
}

void fg_trace_versions(enum fg_precision precision, const char *(*fftw)(void)) { fftw_version[precision] = fftw; }

void fg_trace_devices(bool (*on_device)(const void *)) { fg_trace_on_device = on_device; }

/* As a destructor it runs after the program's own exit handlers: they may still transform. */
__attribute__((destructor)) void fg_trace_finish(void) {
  if (fg_trace_now() != FG_TRACE_ON) return;
  const hold h = hold_on();
  if (!fg_lock_for(&lock, FG_LOCK_AT_END)) { /* the file is without its end */
    let_go(h);
    return;
  }
  if (opened && fg_trace_now() == FG_TRACE_ON) {
    fg_trace_stream_end(fg_clock_nanoseconds() - origin);
    stop();
  }
  give(h);
}

/* ---- plans ------------------------------------------------------------------------------------------------------- */

static plan **bucket_of(const void *handle) { return &plans[(uintptr_t)handle / 16 % BUCKETS]; }

/* The link to handle's plan, or to the NULL at the end. */
static plan **find(const void *handle) {
  plan **link = bucket_of(handle);
  while (*link && (*link)->handle != handle) link = &(*link)->next;
  return link;
}

static void forget(plan **link) {
  plan *const p = *link;
  *link = p->next;
  fg_trace_number_give(&plan_ids, p->id);
  fg_problem_free(p->problem);
  free(p);
}

/* A handle that was freed unseen comes again. */
static plan *remember(const void *handle, const fg_problem *p) {
  plan **link = find(handle), *entry;
  if (*link) forget(link);
  entry = calloc(1, sizeof *entry);
  if (!entry) return NULL;
  *entry = (plan){*bucket_of(handle), handle, fg_trace_number_take(&plan_ids), 1, fg_problem_copy(p), "", ""};
  *bucket_of(handle) = entry;
  return entry;
}

void fg_trace_plan(enum fg_precision precision, const void *handle, const fg_problem *p, const char *where,
                   const char *by, uint64_t start) {
  const fg_trace_frame frame = timed(start);
  fg_trace_line l = {.call = FG_CALL_PLAN, .precision = precision, .subject = FG_TRACE_NULL};
  l.problem = (fg_problem *)p;
  snprintf(l.where, sizeof l.where, "%s", handle ? where : "");
  snprintf(l.by, sizeof l.by, "%s", by);
  const hold h = take();
  if (ready(precision)) {
    plan *entry = handle && p ? remember(handle, p) : NULL;
    if (p) locate(p, &p->arrays, l.at, tell, &start);
    if (entry) {
      l.subject = entry->id;
      memcpy(entry->where, l.where, sizeof l.where);
      memcpy(entry->by, l.by, sizeof l.by);
    }
    fg_trace_stream_push(fg_trace_line_print(&l), NULL, true, &frame);
    write_sometimes();
  }
  give(h);
}

/* The offsets of the places that there are. */
static const ptrdiff_t *pack(const fg_trace_ref *at, ptrdiff_t *offset) {
  for (int i = 0, n = 0; i < FG_TRACE_REFS; i++)
    if (at[i].array >= 0) offset[n++] = at[i].offset;
  return offset;
}

void fg_trace_execute(const void *handle, const fg_arrays *a, uint64_t start) {
  const fg_trace_frame frame = timed(start);
  const hold h = take();
  const plan *const p = *find(handle);
  if (p && p->problem && ready(p->problem->precision)) {
    fg_trace_line l = {.call = FG_CALL_EXECUTE, .subject = p->id, .has_arrays = true};
    ptrdiff_t offset[FG_TRACE_REFS] = {0};
    locate(p->problem, a ? a : &p->problem->arrays, l.at, tell, &start);
    fg_trace_stream_push(fg_trace_line_template(&l), pack(l.at, offset), false, &frame);
    write_sometimes();
  }
  give(h);
}

void fg_trace_of_plan(enum fg_precision precision, enum fg_call call, const void *handle) {
  const hold h = take();
  plan **const link = find(handle);
  if ((!handle || *link) && ready(precision)) {
    fg_trace_line l = {.call = call, .subject = handle ? (*link)->id : FG_TRACE_NULL};
    if (!handle) l.precision = precision; /* else that of the plan */
    put(&l, fg_clock_nanoseconds());
    if (handle && call == FG_CALL_COPY) (*link)->references++;
    if (handle && call == FG_CALL_DESTROY && --(*link)->references == 0) forget(link);
    write_sometimes();
  }
  give(h);
}

/* ---- the rest ---------------------------------------------------------------------------------------------------- */

void fg_trace_malloc(enum fg_precision precision, const void *p, size_t bytes) {
  const hold h = take();
  if (ready(precision)) {
    fg_trace_line l = {.call = FG_CALL_MALLOC, .precision = precision, .value = (long long)bytes};
    l.subject = p ? fg_trace_arrays_malloc(&arrays, precision, p, bytes) : FG_TRACE_NULL;
    put(&l, fg_clock_nanoseconds());
    write_sometimes();
  }
  give(h);
}

void fg_trace_free(enum fg_precision precision, const void *p) {
  const hold h = take();
  if (ready(precision)) {
    const int array = p ? fg_trace_arrays_free(&arrays, p) : FG_TRACE_NULL;
    put(&(fg_trace_line){.call = FG_CALL_FREE, .precision = precision, .subject = array}, fg_clock_nanoseconds());
    write_sometimes();
  }
  give(h);
}

void fg_trace_alignment_of(enum fg_precision precision, const void *p, int result) {
  const long long mod = (long long)((uintptr_t)p % PAGE);
  fg_trace_note(&(fg_trace_line){FG_CALL_ALIGNMENT_OF, precision, .value = mod, .result = result});
}

void fg_trace_note(const fg_trace_line *l) {
  const hold h = take();
  if (ready(l->precision)) {
    put(l, fg_clock_nanoseconds());
    write_sometimes();
  }
  give(h);
}
