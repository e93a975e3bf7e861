/* notation.c: problems to and from the notation of FFTW's test program.
 *
 *   problem   = { option } dims [ ( "*" | "v" ) dims ]
 *   option    = "i" in place | "o" out of place (default) | "c" complex (default) | "r" real and complex | "k" r2r
 *             | "f" "-" forward (default) | "b" "+" backward | "/" split | "d" may destroy its input | "t" transposed
 *   dims      = dim { "x" dim }
 *   dim       = number [ ":" stride [ ":" stride ] ] [ r2r kind: f b h e00 e01 e10 e11 o00 o01 o10 o11 ]
 *
 * The first stride is the input's, the second the output's (default: the same); both count elements: complex numbers in
 * a complex interleaved array, reals elsewhere.  A stride that is left out, or zero, is the next inner dimension's
 * stride times its length.  After "*" come batch dimensions outside the transform, after "v" those inside it: vectors
 * whose elements are contiguous.  A number may end in k (1024) or m (1024²).  Letters of either case. */
#include "src/problem/notation.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { MAX_RANK = 64 };
static const ptrdiff_t MAX_EXTENT = PTRDIFF_MAX >> 8; /* reals: byte counts stay far from overflow */

const char *const fg_notation_kinds[FG_NOTATION_KINDS] = {"f",   "b",   "h",   "e00", "e01", "e10",
                                                          "e11", "o00", "o01", "o10", "o11"};

static ptrdiff_t multiply(ptrdiff_t a, ptrdiff_t b, bool *overflow) {
  ptrdiff_t product;
  if (__builtin_mul_overflow(a, b, &product) || product > MAX_EXTENT || product < -MAX_EXTENT) {
    *overflow = true;
    return 0;
  }
  return product;
}

/* ---- default strides ---- */

typedef struct {
  enum fg_kind kind;
  bool in_place;
} layout;

/* Elements that a row of n points takes on one side: a row of complex conjugate-even data is n/2 + 1 complex numbers,
 * and in place the real row is padded to the same memory.  Only the last transform dimension is such a row. */
static ptrdiff_t row_length(layout l, ptrdiff_t n, enum fg_side side) {
  if (l.kind != FG_R2C && l.kind != FG_C2R)
    return n;
  enum fg_side complex_side = l.kind == FG_R2C ? FG_OUTPUT : FG_INPUT;
  if (side == complex_side)
    return n / 2 + 1;
  return l.in_place ? 2 * (n / 2 + 1) : n;
}

/* The strides that the next outer dimension has by default. */
typedef struct {
  layout layout;
  ptrdiff_t is, os;
  bool overflow;
} chain;

static void chain_fill(const chain *c, fg_dim *d) {
  if (!d->is)
    d->is = c->is;
  if (!d->os)
    d->os = c->os;
}

static void chain_advance(chain *c, const fg_dim *d, bool row) {
  c->is = multiply(d->is, row ? row_length(c->layout, d->n, FG_INPUT) : d->n, &c->overflow);
  c->os = multiply(d->os, row ? row_length(c->layout, d->n, FG_OUTPUT) : d->n, &c->overflow);
}

/* Fill the default strides of a list of dimensions, innermost first.  rows: the last dimension is a row. */
static void chain_dims(chain *c, fg_dim *dim, int rank, bool rows) {
  for (int d = rank - 1; d >= 0; d--) {
    chain_fill(c, &dim[d]);
    chain_advance(c, &dim[d], rows && d == rank - 1);
  }
}

/* Reals in an element of one side's array. */
static ptrdiff_t element_reals(enum fg_kind kind, enum fg_format format, enum fg_side side) {
  bool real = kind == FG_R2R || (kind == FG_R2C && side == FG_INPUT) || (kind == FG_C2R && side == FG_OUTPUT);
  return real || format == FG_SPLIT ? 1 : 2;
}

/* ---- print ---- */

typedef struct {
  char *text;
  size_t size, used; /* used: what an endless text would hold */
} writer;

static void put(writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(writer *w, const char *format, ...) {
  va_list args;
  va_start(args, format);
  size_t at = w->used < w->size ? w->used : w->size;
  int n = vsnprintf(at < w->size ? w->text + at : NULL, w->size - at, format, args);
  va_end(args);
  if (n > 0)
    w->used += (size_t)n;
}

static void put_end(const writer *w) {
  static const char dots[] = "...";
  if (w->used < w->size)
    return;
  size_t keep = w->size < sizeof dots ? w->size : sizeof dots;
  memcpy(w->text + w->size - keep, dots + sizeof dots - keep, keep);
}

/* Print one dimension, or only find out (w NULL) whether its strides are the default ones. */
static bool put_dim(writer *w, const chain *c, fg_dim d) {
  bool is_default = d.n == 1 || (d.is == c->is && d.os == c->os);
  if (!w)
    return is_default;
  put(w, "%td", d.n);
  if (is_default)
    return true;
  put(w, ":%td", d.is);
  if (d.os != d.is)
    put(w, ":%td", d.os);
  return false;
}

typedef struct {
  fg_dim dim[MAX_RANK];
  int rank;
} dims;

/* The dimensions of one tensor after c, which ends behind them; r2r: its kinds, or NULL. */
static bool put_dims(writer *w, chain *c, const dims *t, const int *r2r, bool rows) {
  chain before[MAX_RANK]; /* defaults grow from the innermost dimension, the text begins with the outermost */
  bool all = true;
  for (int d = t->rank - 1; d >= 0; d--) {
    before[d] = *c;
    fg_dim as_read = t->dim[d];
    if (put_dim(NULL, c, as_read))
      as_read.is = as_read.os = 0;
    else
      all = false;
    chain_fill(c, &as_read);
    chain_advance(c, &as_read, rows && d == t->rank - 1);
  }
  for (int d = 0; w && d < t->rank; d++) {
    put(w, "%s", d ? "x" : "");
    put_dim(w, &before[d], t->dim[d]);
    if (r2r)
      put(w, "%s", r2r[d] >= 0 && r2r[d] < FG_NOTATION_KINDS ? fg_notation_kinds[r2r[d]] : "?");
  }
  return all;
}

/* Transform and batch, the batch outside (mark '*') or inside ('v').  Says whether all strides are default ones. */
static bool put_tensors(writer *w, layout l, const dims *transform, const dims *batch, const int *r2r, char mark) {
  chain c = {.layout = l, .is = 1, .os = 1};
  chain inner = c;
  bool all = true;
  if (mark == 'v')
    all = put_dims(NULL, &c, batch, NULL, false);
  all &= put_dims(w, &c, transform, r2r, true);
  if (!batch->rank)
    return all;
  if (w)
    put(w, "%c", mark);
  return put_dims(w, mark == 'v' ? &inner : &c, batch, NULL, false) && all;
}

/* A tensor in the notation's units.  Batch dimensions of one point are nothing; a transform of rank 0 is one point. */
static dims in_elements(const fg_problem *p, const fg_tensor *t, bool *all) {
  dims result = {.rank = 0};
  bool transform = t == &p->transform;
  for (int d = 0; d < t->rank; d++) {
    if (!transform && t->dim[d].n == 1)
      continue;
    if (result.rank == MAX_RANK) {
      *all = false;
      break;
    }
    fg_dim dim = t->dim[d];
    dim.is /= element_reals(p->kind, p->format, FG_INPUT);
    dim.os /= element_reals(p->kind, p->format, FG_OUTPUT);
    result.dim[result.rank++] = dim;
  }
  if (transform && !result.rank)
    result.dim[result.rank++] = (fg_dim){1, 1, 1};
  return result;
}

bool fg_notation_print(const fg_problem *p, char *text, size_t size) {
  static const char kinds[] = {[FG_DFT] = 'c', [FG_R2C] = 'r', [FG_C2R] = 'r', [FG_R2R] = 'k'};
  writer w = {text, size, 0};
  bool all = true;
  if (!size)
    return false;
  layout l = {p->kind, p->arrays.in_re == p->arrays.out_re};
  dims transform = in_elements(p, &p->transform, &all), batch = in_elements(p, &p->batch, &all);
  const int *r2r = p->kind == FG_R2R && p->transform.rank > 0 ? p->r2r_kind : NULL;
  put(&w, "%s%c%c", p->format == FG_SPLIT ? "/" : "", l.in_place ? 'i' : 'o', kinds[p->kind]);
  if (p->kind != FG_R2R)
    put(&w, "%c", p->kind == FG_C2R || (p->kind == FG_DFT && p->sign == FG_BACKWARD) ? 'b' : 'f');
  bool inside = batch.rank && !put_tensors(NULL, l, &transform, &batch, r2r, '*') &&
                put_tensors(NULL, l, &transform, &batch, r2r, 'v');
  put_tensors(&w, l, &transform, &batch, r2r, inside ? 'v' : '*');
  put_end(&w);
  return all && w.used < size;
}

/* ---- parse ---- */

typedef struct {
  const char *text, *at;
  char *why;
  size_t size;
} reader;

typedef struct {
  enum fg_kind kind;
  enum fg_format format;
  int sign;
  bool in_place, destroy, transposed;
  char mark; /* '*', 'v', or 0: no batch */
  dims transform, batch;
  int r2r[MAX_RANK];
} parsed;

static bool fail(const reader *r, const char *at, const char *what) {
  enum { SHOWN = 100 }; /* so that there is room for what is wrong */
  const char *const more = strlen(r->text) > SHOWN ? "..." : "";
  if (*at)
    snprintf(r->why, r->size, "\"%.*s%s\": %s at character %td ('%c')", SHOWN, r->text, more, what, at - r->text + 1, *at);
  else
    snprintf(r->why, r->size, "\"%.*s%s\": %s at its end", SHOWN, r->text, more, what);
  return false;
}

static bool take(reader *r, char letter) {
  if (tolower((unsigned char)*r->at) != letter)
    return false;
  r->at++;
  return true;
}

static bool read_number(reader *r, ptrdiff_t *value) {
  const char *start = r->at;
  bool negative = take(r, '-'), overflow = false;
  if (!negative)
    take(r, '+');
  if (!isdigit((unsigned char)*r->at))
    return fail(r, r->at, "a number is missing");
  for (*value = 0; isdigit((unsigned char)*r->at); r->at++)
    *value = multiply(*value, 10, &overflow) + (*r->at - '0');
  ptrdiff_t unit = take(r, 'k') ? 1024 : take(r, 'm') ? 1024 * 1024 : 1;
  *value = multiply(*value, negative ? -unit : unit, &overflow);
  return overflow ? fail(r, start, "a number is too large") : true;
}

/* An r2r kind, R2HC if there is none. */
static bool read_r2r(reader *r, int *kind) {
  *kind = 0;
  if (!strchr("fbheo", tolower((unsigned char)*r->at)) || !*r->at)
    return true;
  for (int k = 0; k < FG_NOTATION_KINDS; k++) {
    const char *const letters = fg_notation_kinds[k];
    size_t length = strlen(letters);
    if (tolower((unsigned char)*r->at) == letters[0] && !strncmp(r->at + 1, letters + 1, length - 1)) {
      *kind = k;
      r->at += length;
      return true;
    }
  }
  return fail(r, r->at, "an unknown r2r kind (f b h e00 e01 e10 e11 o00 o01 o10 o11)");
}

static bool read_dim(reader *r, fg_dim *d, ptrdiff_t least) {
  const char *start = r->at;
  *d = (fg_dim){0, 0, 0};
  if (!read_number(r, &d->n))
    return false;
  if (d->n < least)
    return fail(r, start, least ? "a length must be positive" : "a batch must not be negative");
  if (!take(r, ':'))
    return true;
  if (!read_number(r, &d->is))
    return false;
  d->os = d->is;
  return take(r, ':') ? read_number(r, &d->os) : true;
}

/* dims; r2r NULL where kinds have no place. */
static bool read_dims(reader *r, dims *t, int *r2r, ptrdiff_t least) {
  do {
    if (t->rank == MAX_RANK)
      return fail(r, r->at, "too many dimensions");
    if (!read_dim(r, &t->dim[t->rank], least) || (r2r && !read_r2r(r, &r2r[t->rank])))
      return false;
    t->rank++;
  } while (take(r, 'x'));
  return true;
}

static bool read_options(reader *r, parsed *p) {
  bool real = false;
  for (;; r->at++) {
    switch (tolower((unsigned char)*r->at)) {
    case 'i': p->in_place = true; break;
    case 'o': p->in_place = false; break;
    case 'c': p->kind = FG_DFT, real = false; break;
    case 'r': real = true; break;
    case 'k': p->kind = FG_R2R, real = false; break;
    case 'f': p->sign = FG_FORWARD; break;
    case 'b': p->sign = FG_BACKWARD; break;
    case '/': p->format = FG_SPLIT; break;
    case 'd': p->destroy = true; break;
    case 't': p->transposed = true; break;
    case '[':
    case ']': return fail(r, r->at, "MPI's scrambled order has no meaning here");
    case '-':
    case '+': /* a sign; lengths have none */
      p->sign = *r->at == '-' ? FG_FORWARD : FG_BACKWARD;
      break;
    default:
      if (real)
        p->kind = p->sign == FG_FORWARD ? FG_R2C : FG_C2R;
      return true;
    }
  }
}

static bool read_problem(reader *r, parsed *p) {
  if (!read_options(r, p) || !read_dims(r, &p->transform, p->kind == FG_R2R ? p->r2r : NULL, 1))
    return false;
  p->mark = take(r, '*') ? '*' : take(r, 'v') ? 'v' : 0;
  if (p->mark && !read_dims(r, &p->batch, NULL, 0))
    return false;
  return *r->at ? fail(r, r->at, "unexpected text") : true;
}

/* ---- from what was read to a problem ---- */

/* "t": the output of the two outermost dimensions is transposed, as FFTW's test program defines it. */
static void transpose(dims *t, bool *overflow) {
  if (t->rank < 2)
    return;
  t->dim[0].os = t->dim[1].os;
  t->dim[1].os = multiply(t->dim[0].os, t->dim[0].n, overflow);
}

static bool fill_strides(parsed *p) {
  chain c = {.layout = {p->kind, p->in_place}, .is = 1, .os = 1};
  if (p->mark == 'v')
    chain_dims(&c, p->batch.dim, p->batch.rank, false);
  chain_dims(&c, p->transform.dim, p->transform.rank, true);
  if (p->mark != 'v')
    chain_dims(&c, p->batch.dim, p->batch.rank, false);
  if (p->transposed) {
    transpose(&p->transform, &c.overflow);
    transpose(&p->batch, &c.overflow);
  }
  return !c.overflow;
}

static void copy_dims(fg_tensor *to, const dims *from, ptrdiff_t in_reals, ptrdiff_t out_reals) {
  for (int d = 0; d < from->rank; d++) {
    const fg_dim *f = &from->dim[d];
    to->dim[d] = (fg_dim){f->n, f->is * in_reals, f->os * out_reals};
  }
}

/* What one side's array reaches, in reals from its pointer: lowest (never positive) up to before highest. */
typedef struct {
  ptrdiff_t low, high;
} span;

static span span_of(const fg_problem *p, enum fg_side side, bool *overflow) {
  const fg_tensor *tensors[] = {&p->transform, &p->batch};
  span s = {0, 2};
  ptrdiff_t points = 1; /* they may be more than the array has elements, where these are shared */
  for (int t = 0; t < 2; t++)
    for (int d = 0; d < tensors[t]->rank; d++) {
      const fg_dim *dim = &tensors[t]->dim[d];
      ptrdiff_t reach = multiply(dim->n > 0 ? dim->n - 1 : 0, fg_dim_stride(dim, side), overflow);
      *(reach < 0 ? &s.low : &s.high) += reach;
      points = multiply(points, dim->n, overflow);
    }
  if (s.high - s.low > MAX_EXTENT)
    *overflow = true;
  return s;
}

/* Addresses from start on for one side's array; returns where it ends. */
static uintptr_t place(const fg_problem *p, enum fg_side side, span s, uintptr_t start, void **re, void **im) {
  enum { ALIGNMENT = 64 };
  size_t real = fg_real_size(p->precision), real_bytes = (size_t)(s.high - s.low) * real;
  size_t bytes = (real_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  bool has_im = p->kind == FG_DFT || p->kind == (side == FG_INPUT ? FG_C2R : FG_R2C);
  uintptr_t first = start + (size_t)-s.low * real;
  *re = (void *)first;
  *im = has_im ? (void *)(first + (p->format == FG_SPLIT ? bytes : real)) : NULL;
  return start + (p->format == FG_SPLIT ? 2 * bytes : bytes);
}

static void swap(void **a, void **b) {
  void *t = *a;
  *a = *b;
  *b = t;
}

/* Made-up arrays that tell the placement: side by side, or one for both. */
static bool place_arrays(fg_problem *p, bool in_place, bool swapped) {
  bool overflow = false;
  span in = span_of(p, FG_INPUT, &overflow), out = span_of(p, FG_OUTPUT, &overflow);
  if (overflow)
    return false;
  if (in_place)
    in = out = (span){in.low < out.low ? in.low : out.low, in.high > out.high ? in.high : out.high};
  fg_arrays *a = &p->arrays;
  uintptr_t start = (uintptr_t)1 << 20;
  uintptr_t end = place(p, FG_INPUT, in, start, &a->in_re, &a->in_im);
  place(p, FG_OUTPUT, out, in_place ? start : end, &a->out_re, &a->out_im);
  if (swapped) {
    swap(&a->in_re, &a->in_im);
    swap(&a->out_re, &a->out_im);
  }
  return true;
}

static fg_problem *build(const parsed *q, enum fg_precision precision) {
  fg_problem *p = fg_problem_new(q->kind, precision, q->format, q->transform.rank, q->batch.rank);
  if (!p)
    return NULL;
  ptrdiff_t in_reals = element_reals(q->kind, q->format, FG_INPUT);
  ptrdiff_t out_reals = element_reals(q->kind, q->format, FG_OUTPUT);
  copy_dims(&p->transform, &q->transform, in_reals, out_reals);
  copy_dims(&p->batch, &q->batch, in_reals, out_reals);
  for (int d = 0; q->kind == FG_R2R && d < q->transform.rank; d++)
    p->r2r_kind[d] = q->r2r[d];
  p->sign = q->kind == FG_C2R || (q->kind == FG_DFT && q->format != FG_SPLIT) ? q->sign : FG_FORWARD;
  p->flags = q->destroy ? FG_DESTROY_INPUT : 0;
  p->threads = 1;
  return p;
}

fg_problem *fg_notation_parse(const char *text, enum fg_precision precision, char *why, size_t size) {
  reader r = {text, text, why, size};
  parsed q = {.kind = FG_DFT, .sign = FG_FORWARD};
  if (!read_problem(&r, &q))
    return NULL;
  bool fits = fill_strides(&q);
  fg_problem *p = fits ? build(&q, precision) : NULL;
  bool swapped = q.kind == FG_DFT && q.format == FG_SPLIT && q.sign == FG_BACKWARD;
  if (p && place_arrays(p, q.in_place, swapped))
    return p;
  snprintf(why, size, "\"%s\": %s", text, fits && !p ? "out of memory" : "too large for the address space");
  fg_problem_free(p);
  return NULL;
}
