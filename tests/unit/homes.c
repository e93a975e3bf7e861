/* homes.c: a problem's arrays in memory of any kind. */
#include "homes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda/sim/sim.h"
#include "dice.h"
#include "numbers.h"
#include "on_sim.h"
#include "real_fftw.h"
#include "src/problem/layout.h"
#include "src/run/arena/arena.h"
#include "suite.h"

const char *const home_names[KINDS] = {"heap", "arena", "pinned", "managed", "device", "shifted", "second"};

void *(*homes_managed)(size_t bytes) = fg_sim_managed;
void (*homes_managed_free)(void *memory) = fg_sim_managed_free;

enum { GUARD = 64 };
#define PAGE ((size_t)sysconf(_SC_PAGESIZE))

static void done(int code) { ck_assert_msg(code == FG_OK, "%s", fg_backend_message()); }

/* ---- one block ---- */

static bool is_host(home_kind k) { return k <= MANAGED; }

static const fg_target *target_for(home_kind k) {
  const char *why = "";
  const fg_target *t = test_target();
  if (k == SECOND) t = fg_target_of(t->ordinal == 0, &why);
  ck_assert_msg(t != NULL, "%s", why);
  return t;
}

static char *allocate(home *h, size_t bytes) {
  void *memory = NULL;
  switch (h->kind) {
    case HEAP: memory = malloc(bytes); break;
    case ARENA: memory = fg_arena_alloc(bytes < FG_ARENA_SMALLEST ? FG_ARENA_SMALLEST : bytes); break;
    case PINNED:
      memory = aligned_alloc(PAGE, bytes);
      done(h->target->backend->host_register(h->target->device, memory, bytes));
      break;
    case MANAGED: memory = homes_managed(bytes); break;
    default: done(h->target->backend->memory_alloc(h->target->device, bytes, &memory));
  }
  ck_assert_ptr_nonnull(memory);
  return memory;
}

static home home_new(home_kind kind, size_t bytes) {
  home h = {.kind = kind, .target = target_for(kind), .bytes = bytes};
  h.base = allocate(&h, (bytes + 2 * GUARD + PAGE - 1) / PAGE * PAGE);
  h.memory = h.base + (kind == SHIFTED ? sizeof(test_number) : 0);
  return h;
}

static void home_free(home *h) {
  switch (h->kind) {
    case HEAP: free(h->base); break;
    case ARENA:
      fg_arena_forget(h->base);
      free(h->base);
      break;
    case PINNED:
      done(h->target->backend->host_unregister(h->target->device, h->base));
      free(h->base);
      break;
    case MANAGED: homes_managed_free(h->base); break;
    default: h->target->backend->memory_free(h->target->device, h->base);
  }
}

/* Device memory is only reached by copies. */
static void move(const home *h, char *content, bool in) {
  const fg_backend *b = h->target->backend;
  fg_stream *stream;
  if (is_host(h->kind)) {
    memcpy(in ? h->memory : content, in ? content : h->memory, h->bytes);
    return;
  }
  done(b->stream_create(h->target->device, &stream));
  if (in) done(b->copy_in(h->target->device, h->memory, content, h->bytes, stream));
  else done(b->copy_out(h->target->device, content, h->memory, h->bytes, stream));
  done(b->stream_wait(h->target->device, stream));
  b->stream_destroy(h->target->device, stream);
}

/* ---- a problem's ---- */

typedef struct {
  ptrdiff_t low, high; /* reals, of one plane */
  int planes;
} extent;

static extent extent_of(const fg_problem *p, enum fg_side side) {
  fg_layout l;
  ck_assert(fg_layout_make(&l, p, side));
  extent e = {l.low, l.low + l.unit, l.split ? 2 : 1};
  for (int d = 0; d < l.rank; d++) e.high += (l.walk[d].n - 1) * l.walk[d].stride;
  fg_layout_free(&l);
  return e;
}

static size_t reals_of(const extent *e) { return (size_t)(e->high - e->low) * (size_t)e->planes; }

/* The pointers of an array whose memory begins at memory. */
static void pointers(const fg_problem *p, const extent *e, enum fg_side side, char *memory, void **re, void **im) {
  test_number *const first = (test_number *)memory - e->low;
  *re = first;
  *im = e->planes == 2 ? first + (e->high - e->low) : fg_problem_complex_side(p, side) ? first + 1 : NULL;
}

static fg_arrays arrays_in(const fg_problem *p, char *in, char *out, bool in_place) {
  const extent ei = extent_of(p, FG_INPUT), eo = extent_of(p, FG_OUTPUT);
  extent both = {ei.low < eo.low ? ei.low : eo.low, ei.high > eo.high ? ei.high : eo.high, ei.planes};
  if (eo.planes > both.planes) both.planes = eo.planes;
  fg_arrays a;
  extent i = in_place ? both : ei, o = in_place ? both : eo;
  i.planes = ei.planes;
  o.planes = eo.planes;
  pointers(p, &i, FG_INPUT, in, &a.in_re, &a.in_im);
  pointers(p, &o, FG_OUTPUT, in_place ? in : out, &a.out_re, &a.out_im);
  return a;
}

static size_t bytes_for(const fg_problem *p, enum fg_side side, bool in_place) {
  const extent ei = extent_of(p, FG_INPUT), eo = extent_of(p, FG_OUTPUT);
  const extent both = {ei.low < eo.low ? ei.low : eo.low, ei.high > eo.high ? ei.high : eo.high,
                       ei.planes > eo.planes ? ei.planes : eo.planes};
  return sizeof(test_number) * reals_of(in_place ? &both : side == FG_INPUT ? &ei : &eo);
}

/* Mark the bytes of the output's elements among those of memory. */
static void mark(const fg_problem *p, const fg_arrays *a, const char *memory, char *owned) {
  const ptrdiff_t elements = fg_problem_elements(p, FG_OUTPUT);
  const int batch = p->batch.rank;
  for (ptrdiff_t e = 0; e < elements; e++) {
    ptrdiff_t rest = e, at = 0;
    for (int d = 0; d < batch + p->transform.rank; d++) {
      const fg_dim *dim = d < batch ? &p->batch.dim[d] : &p->transform.dim[d - batch];
      const ptrdiff_t n = d < batch ? dim->n : fg_problem_points(p, d - batch, FG_OUTPUT);
      at += rest % n * dim->os;
      rest /= n;
    }
    memset(owned + ((char *)((test_number *)a->out_re + at) - memory), 1, sizeof(test_number));
    if (a->out_im) memset(owned + ((char *)((test_number *)a->out_im + at) - memory), 1, sizeof(test_number));
  }
}

static void fill(char *memory, size_t bytes, dice *d) {
  for (size_t i = 0; i < bytes / sizeof(test_number); i++) ((test_number *)memory)[i] = (test_number)dice_real(d);
}

static void by_real_fftw(homes *h) {
  char *in = h->right[0], *out = h->in_place ? in : h->right[1];
  fg_problem *copy = fg_problem_copy(h->problem);
  const fg_arrays a = arrays_in(copy, in, out, h->in_place);
  copy->arrays = a;
  copy->flags = FG_ESTIMATE;
  test_real_fftw_execute(copy, &a);
  if (!h->in_place) memcpy(in, h->before[0], h->block[0].bytes); /* c2r may destroy it */
  fg_problem_free(copy);
}

homes homes_of(fg_problem *p, home_kind in, home_kind out, bool in_place) {
  dice d = {4711};
  homes h = {.problem = p, .in_place = in_place, .blocks = in_place ? 1 : 2};
  for (int b = 0; b < h.blocks; b++) {
    h.block[b] = home_new(b ? out : in, bytes_for(p, b ? FG_OUTPUT : FG_INPUT, in_place));
    h.before[b] = malloc(h.block[b].bytes);
    h.right[b] = malloc(h.block[b].bytes);
    fill(h.before[b], h.block[b].bytes, &d);
    memcpy(h.right[b], h.before[b], h.block[b].bytes);
  }
  const home *last = &h.block[h.blocks - 1];
  h.arrays = p->arrays = arrays_in(p, h.block[0].memory, last->memory, in_place);
  h.owned = calloc(1, last->bytes);
  mark(p, &h.arrays, last->memory, h.owned);
  by_real_fftw(&h);
  homes_refill(&h);
  return h;
}

void homes_free(homes *h) {
  for (int b = 0; b < h->blocks; b++) {
    home_free(&h->block[b]);
    free(h->before[b]);
    free(h->right[b]);
  }
  free(h->owned);
}

void homes_refill(const homes *h) {
  for (int b = 0; b < h->blocks; b++) move(&h->block[b], h->before[b], true);
}

/* Relative to the norm of what the real FFTW says. */
static double error_of(const test_number *got, const test_number *want, const char *owned, size_t reals) {
  double difference = 0, norm = 0;
  for (size_t i = 0; i < reals; i++) {
    if (!owned[i * sizeof(test_number)]) continue;
    difference += ((double)got[i] - want[i]) * ((double)got[i] - want[i]);
    norm += (double)want[i] * want[i];
  }
  return norm > 0 ? sqrt(difference / norm) : sqrt(difference);
}

void homes_check(const homes *h, const char *what) {
  for (int b = 0; b < h->blocks; b++) {
    char *now = malloc(h->block[b].bytes);
    move(&h->block[b], now, false);
    if (b == h->blocks - 1) {
      const size_t numbers = h->block[b].bytes / sizeof(test_number);
      const double error = error_of((test_number *)now, (test_number *)h->right[b], h->owned, numbers);
      ck_assert_msg(error < 3e-6, "%s: error %g", what, error);
    }
    for (size_t i = 0; i < h->block[b].bytes; i++)
      if (b < h->blocks - 1 || !h->owned[i])
        ck_assert_msg(now[i] == h->before[b][i], "%s: byte %zu of array %d was written", what, i, b);
    free(now);
  }
}

void homes_check_untouched(const homes *h, const char *what) {
  for (int b = 0; b < h->blocks; b++) {
    char *now = malloc(h->block[b].bytes);
    move(&h->block[b], now, false);
    ck_assert_msg(!memcmp(now, h->before[b], h->block[b].bytes), "%s: array %d was written", what, b);
    free(now);
  }
}
