/* lazy_backend.c: streams that put off all work as long as events allow. */
#include "tests/unit/lazy_backend.h"

#include <stdlib.h>
#include <string.h>

enum kind { COPY_IN, COPY_OUT, COPY_WITHIN, COPY_ROWS_IN, COPY_ROWS_OUT, LAUNCH, RECORD, WAIT, GRAPH };

typedef struct {
  enum kind kind;
  void *to;
  const void *from;
  size_t bytes; /* of a copy or of arguments */
  fg_copy_rows rows;
  fg_kernel *kernel;
  unsigned grid, block;
  size_t shared;
  char *args;
  struct event *event;
  size_t record; /* which of the event's records */
  struct graph *graph;
} operation;

/* Work in the order in which it was recorded; waits and records are of no account then. */
typedef struct graph {
  operation *list;
  size_t count;
} graph;

static graph *recording; /* while there is one; tests of this backend have one thread */
int lazy_backend_graphs; /* launched */
int lazy_backend_chains; /* likewise */

typedef struct stream {
  fg_stream *sim;
  operation *list;
  size_t count, done;
  bool busy; /* with an operation, which may wait for other streams */
  struct stream *next;
} stream;

static stream *streams;   /* all there are */
bool lazy_backend_fair; /* after each operation one of every other stream is done too */

typedef struct event {
  stream *in;               /* of the last record */
  size_t records, position; /* so far; the operation of the last one */
  unsigned asked;           /* whether it has been reached */
} event;

#define SIM (&fg_backend_sim)

static int count(void) { return SIM->count(); }
static int open_device(int ordinal, fg_device **d) { return SIM->open(ordinal, d); }
static const fg_device_info *info(const fg_device *d) { return SIM->info(d); }
static bool pointers(void) { return SIM->pointers(); }
static bool used_by_program(void) { return SIM->used_by_program(); }
static void pointer(const void *p, fg_pointer *what) { SIM->pointer(p, what); }
static int begin(fg_device *d) { return SIM->begin(d); }
static void end(fg_device *d, int begun) { SIM->end(d, begun); }
static int memory_alloc(fg_device *d, size_t bytes, void **m) { return SIM->memory_alloc(d, bytes, m); }
static int memory_free(fg_device *d, void *m) { return SIM->memory_free(d, m); }
static int memory_available(fg_device *d, size_t *bytes) { return SIM->memory_available(d, bytes); }
static int pinned_alloc(fg_device *d, size_t bytes, void **m) { return SIM->pinned_alloc(d, bytes, m); }
static void pinned_free(fg_device *d, void *m) { SIM->pinned_free(d, m); }
static int host_register(fg_device *d, void *m, size_t bytes) { return SIM->host_register(d, m, bytes); }
static int host_unregister(fg_device *d, void *m) { return SIM->host_unregister(d, m); }
static int kernels(fg_device *d, int n, const fg_kernel_request *r, fg_kernel **k) { return SIM->kernels(d, n, r, k); }
static bool kernels_kept(fg_device *d, int n, const fg_kernel_request *r) { return SIM->kernels_kept(d, n, r); }

static int stream_create(fg_device *d, fg_stream **out) {
  stream *s = calloc(1, sizeof *s);
  const int code = SIM->stream_create(d, &s->sim);
  s->next = streams;
  if (code == FG_OK) streams = s;
  if (code == FG_OK) *out = (fg_stream *)s;
  else free(s);
  return code;
}

static int stream_of_program(fg_device *d, void *native, fg_stream **out) {
  static stream *by_default;
  if (!by_default) stream_create(d, (fg_stream **)&by_default);
  *out = native ? native : (fg_stream *)by_default;
  return FG_OK;
}

static int put_off(fg_stream *to, operation o) {
  stream *s = (stream *)to;
  if (recording) {
    recording->list = realloc(recording->list, (recording->count + 1) * sizeof *recording->list);
    recording->list[recording->count++] = o;
    return FG_OK;
  }
  s->list = realloc(s->list, (s->count + 1) * sizeof *s->list);
  s->list[s->count++] = o;
  return FG_OK;
}

static int run_to(fg_device *d, stream *s, size_t end);
static int run_graph(fg_device *d, stream *s, graph *g);

static int run(fg_device *d, stream *s, operation *o) {
  int code = FG_OK;
  switch (o->kind) {
    case COPY_IN: return SIM->copy_in(d, o->to, o->from, o->bytes, s->sim);
    case COPY_OUT: return SIM->copy_out(d, o->to, o->from, o->bytes, s->sim);
    case COPY_WITHIN: return SIM->copy_within(d, o->to, o->from, o->bytes, s->sim);
    case COPY_ROWS_IN: return SIM->copy_rows_in(d, o->to, o->from, o->rows, s->sim);
    case COPY_ROWS_OUT: return SIM->copy_rows_out(d, o->to, o->from, o->rows, s->sim);
    case WAIT: return run_to(d, (stream *)o->from, o->record); /* where it was recorded then */
    case GRAPH: return run_graph(d, s, o->graph);
    case LAUNCH:
      code = SIM->launch(d, o->kernel, o->grid, o->block, o->shared, o->args, o->bytes, s->sim);
      return code;
    default: return FG_OK;
  }
}

static int step(fg_device *d, stream *s) {
  operation o = s->list[s->done++];
  s->busy = true;
  const int code = run(d, s, &o);
  s->busy = false;
  if (o.kind == LAUNCH) free(o.args);
  return code;
}

/* One operation of each of the others. */
static void be_fair(fg_device *d, const stream *s) {
  static bool busy;
  if (!lazy_backend_fair || busy) return;
  busy = true;
  for (stream *other = streams; other; other = other->next)
    if (other != s && !other->busy && other->done < other->count) step(d, other);
  busy = false;
}

/* Everything in s before operation end. */
static int run_to(fg_device *d, stream *s, size_t end) {
  int first = FG_OK;
  while (s->done < end) {
    const int code = step(d, s);
    if (first == FG_OK) first = code;
    be_fair(d, s);
  }
  return first;
}

static int run_graph(fg_device *d, stream *s, graph *g) {
  int first = FG_OK;
  for (size_t i = 0; i < g->count; i++) {
    operation o = g->list[i];
    const int code = o.kind == WAIT || o.kind == RECORD ? FG_OK : run(d, s, &o);
    if (first == FG_OK) first = code;
  }
  lazy_backend_graphs++;
  return first;
}

static int graph_begin(fg_device *d, fg_stream *s) {
  (void)d, (void)s;
  recording = calloc(1, sizeof *recording);
  return FG_OK;
}

static int graph_end(fg_device *d, fg_stream *s, fg_graph **out) {
  (void)d, (void)s;
  *out = (fg_graph *)recording;
  recording = NULL;
  return FG_OK;
}

static int graph_launch(fg_device *d, fg_graph *g, fg_stream *s) {
  (void)d;
  return put_off(s, (operation){.kind = GRAPH, .graph = (graph *)g});
}

static void graph_destroy(fg_device *d, fg_graph *of) {
  graph *g = (graph *)of;
  (void)d;
  for (size_t i = 0; i < g->count; i++)
    if (g->list[i].kind == LAUNCH) free(g->list[i].args);
  free(g->list);
  free(g);
}

static int stream_wait(fg_device *d, fg_stream *of) {
  stream *s = (stream *)of;
  const int code = run_to(d, s, s->count), wait = SIM->stream_wait(d, s->sim);
  return code ? code : wait;
}

static void stream_destroy(fg_device *d, fg_stream *of) {
  stream *s = (stream *)of, **at = &streams;
  while (*at != s) at = &(*at)->next;
  *at = s->next;
  SIM->stream_destroy(d, s->sim);
  free(s->list);
  free(s);
}

static int copy_in(fg_device *d, void *to, const void *from, size_t bytes, fg_stream *s) {
  (void)d;
  return put_off(s, (operation){.kind = COPY_IN, .to = to, .from = from, .bytes = bytes});
}

static int copy_out(fg_device *d, void *to, const void *from, size_t bytes, fg_stream *s) {
  (void)d;
  return put_off(s, (operation){.kind = COPY_OUT, .to = to, .from = from, .bytes = bytes});
}

static int copy_within(fg_device *d, void *to, const void *from, size_t bytes, fg_stream *s) {
  (void)d;
  return put_off(s, (operation){.kind = COPY_WITHIN, .to = to, .from = from, .bytes = bytes});
}

static int copy_rows_in(fg_device *d, void *to, const void *from, fg_copy_rows rows, fg_stream *s) {
  (void)d;
  return put_off(s, (operation){.kind = COPY_ROWS_IN, .to = to, .from = from, .rows = rows});
}

static int copy_rows_out(fg_device *d, void *to, const void *from, fg_copy_rows rows, fg_stream *s) {
  (void)d;
  return put_off(s, (operation){.kind = COPY_ROWS_OUT, .to = to, .from = from, .rows = rows});
}

static int launch(fg_device *d, fg_kernel *k, unsigned grid, unsigned block, size_t shared, const void *args,
                  size_t bytes, fg_stream *s) {
  char *copy = malloc(bytes);
  (void)d;
  memcpy(copy, args, bytes);
  return put_off(s, (operation){.kind = LAUNCH, .kernel = k, .grid = grid, .block = block, .shared = shared,
                                .args = copy, .bytes = bytes});
}

/* Launches with their arguments, which are put off anew each time. */
typedef struct {
  int count;
  fg_kernel_launch *list;
} chain;

static int chain_set(fg_device *d, fg_chain *of, int which, const void *args) {
  fg_kernel_launch *l = &((chain *)of)->list[which];
  (void)d;
  memcpy((void *)l->args, args, l->args_bytes);
  return FG_OK;
}

static int chain_make(fg_device *d, int n, const fg_kernel_launch *list, fg_chain **out) {
  chain *c = malloc(sizeof *c);
  *c = (chain){n, malloc((size_t)n * sizeof *list)};
  *out = (fg_chain *)c;
  for (int i = 0; i < n; i++) {
    c->list[i] = list[i];
    c->list[i].args = malloc(list[i].args_bytes);
    chain_set(d, *out, i, list[i].args);
  }
  return FG_OK;
}

static int chain_launch(fg_device *d, fg_chain *of, fg_stream *s) {
  const chain *c = (chain *)of;
  for (const fg_kernel_launch *l = c->list; l < c->list + c->count; l++)
    launch(d, l->kernel, l->grid, l->block, l->shared, l->args, l->args_bytes, s);
  lazy_backend_chains++;
  return FG_OK;
}

static void chain_destroy(fg_device *d, fg_chain *of) {
  chain *c = (chain *)of;
  (void)d;
  for (int i = 0; i < c->count; i++) free((void *)c->list[i].args);
  free(c->list);
  free(c);
}

static int event_create(fg_device *d, fg_event **e) {
  (void)d;
  *e = calloc(1, sizeof(event));
  return FG_OK;
}

static void event_destroy(fg_device *d, fg_event *e) {
  (void)d;
  free(e);
}

static int event_record(fg_device *d, fg_event *of, fg_stream *s) {
  event *e = (event *)of;
  (void)d;
  put_off(s, (operation){.kind = RECORD});
  if (recording) return FG_OK;
  e->in = (stream *)s;
  e->records++;
  e->position = e->in->count;
  return FG_OK;
}

static int event_elapsed(fg_device *d, fg_event *a, fg_event *b, double *seconds) {
  (void)d, (void)a, (void)b;
  *seconds = 0;
  return FG_OK;
}

/* An event never recorded holds nothing back. */
static int stream_wait_event(fg_device *d, fg_stream *s, fg_event *of) {
  event *e = (event *)of;
  (void)d;
  if (recording) return FG_OK;
  return e->records ? put_off(s, (operation){.kind = WAIT, .event = e, .record = e->position, .from = e->in}) : FG_OK;
}

static int event_wait(fg_device *d, fg_event *of) {
  event *e = (event *)of;
  const int code = e->records ? run_to(d, e->in, e->position) : FG_OK, wait = SIM->event_wait(d, of);
  return code ? code : wait;
}

/* At last, when it has been asked for often enough. */
static int event_reached(fg_device *d, fg_event *of) {
  event *e = (event *)of;
  if (++e->asked % 4) return 0;
  const int code = e->records ? run_to(d, e->in, e->position) : FG_OK, reached = SIM->event_reached(d, of);
  return code ? code : reached;
}

const fg_backend lazy_backend = {
    .name = "lazy", .count = count, .open = open_device, .info = info,
    .pointers = pointers, .used_by_program = used_by_program, .pointer = pointer,
    .stream_of_program = stream_of_program, .begin = begin, .end = end,
    .memory_alloc = memory_alloc, .memory_free = memory_free, .memory_available = memory_available,
    .pinned_alloc = pinned_alloc, .pinned_free = pinned_free,
    .host_register = host_register, .host_unregister = host_unregister,
    .stream_create = stream_create, .stream_destroy = stream_destroy, .stream_wait = stream_wait,
    .copy_in = copy_in, .copy_out = copy_out, .copy_within = copy_within,
    .copy_rows_in = copy_rows_in, .copy_rows_out = copy_rows_out, .kernels = kernels,
    .kernels_kept = kernels_kept, .launch = launch,
    .event_create = event_create, .event_destroy = event_destroy, .event_record = event_record,
    .event_elapsed = event_elapsed, .stream_wait_event = stream_wait_event, .event_wait = event_wait,
    .event_reached = event_reached,
    .graph_begin = graph_begin, .graph_end = graph_end, .graph_launch = graph_launch, .graph_destroy = graph_destroy,
    .chain_make = chain_make, .chain_set = chain_set, .chain_launch = chain_launch, .chain_destroy = chain_destroy,
};
