/* bench_cases.c: the problems of `fftw3-gpu bench`: the user's own, and suites as tables of families. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/bench.h"
#include "src/cli/cli.h"
#include "src/problem/notation.h"

/* Shapes are separated by blanks; a lone N stands for N in each of rank dimensions.  The batch is as large as fits into
 * fill points (at least 1), or what batches lists. */
typedef struct {
  const char *suite, *class, *shapes;
  int rank;
  ptrdiff_t fill;
  const char *batches;
  const char *options; /* the notation's, before the dimensions; NULL: "oc" */
  const char *letters; /* of an r2r kind, after each dimension of a lone N; NULL: none */
} family;

/* Points that make 128 MiB (256 MiB move) and 256 MiB of single-precision complex data. */
enum { MOVE_256M = 1 << 24, HOLD_256M = 1 << 25 };

static const family families[] = {
    /* Each kind of pass, each class of size. */
    {"passes", "lines", "8 16 32 64 128 256 512 1024 2048 4096 8192", 1, MOVE_256M, NULL, NULL, NULL},
    {"passes", "lines-mixed", "96 100 243 360 720 1000 1001 2002", 1, MOVE_256M, NULL, NULL, NULL},
    {"passes", "long", "16384 65536 262144 1048576 4194304", 1, MOVE_256M, NULL, NULL, NULL},
    {"passes", "long-single", "16384 131072 1048576 4194304 16777216", 1, 0, "1", NULL, NULL},
    {"passes", "small-3d", "24", 3, 0, "512", NULL, NULL},
    {"passes", "small-2d", "16", 2, 0, "8192", NULL, NULL},
    {"passes", "2d", "256 1024 4096", 2, MOVE_256M, NULL, NULL, NULL},
    {"passes", "3d", "64 128 256 512 100", 3, MOVE_256M, NULL, NULL, NULL},
    {"passes", "prime", "17 37 101 1009 10007 1000003", 1, MOVE_256M, NULL, NULL, NULL},

    /* What cuFFT and VkFFT were timed with on the reference machine. */
    {"peers", "pow2",
     "2 4 8 16 32 64 128 256 512 1024 2048 4096 8192 16384 32768 65536 131072 262144 524288 1048576 2097152 4194304 "
     "8388608 16777216",
     1, HOLD_256M, NULL, NULL, NULL},
    {"peers", "3d",
     "96 128 160 192 200 240 256 300 320 384 400 480 512 640 768 1000 1024 128x128x256 256x256x512 256x256x1024 "
     "512x512x128 1024x1024x128",
     3, HOLD_256M, NULL, NULL, NULL},
    {"peers", "small3d", "4 8 12 16 20 24 28 30 32 36 40 48 64", 3, 0, "512", NULL, NULL},
    {"peers", "2d", "128 256 360 512 1000 1024 1536 2048 3000 4096 8192 16384 1080x1920 4000x6000",
     2, HOLD_256M, NULL, NULL, NULL},
    {"peers", "small2d", "2 4 6 8 12 16 20 24 28 32 48 64 4x16 8x24 12x28", 2, 0, "8192", NULL, NULL},
    {"peers", "qmc24", "24", 3, 0, "1 4 8 27 53 54", NULL, NULL},
    {"peers", "lowbatch3d", "64 96 100 128 160 192 256", 3, 0, "1", NULL, NULL},
    {"peers", "single1d", "256 1024 4096 16384 65536 262144 1048576 4194304 16777216", 1, 0, "1", NULL, NULL},
    {"peers", "f11f13",
     "11 13 22 26 33 39 121 143 169 286 1001 1331 2002 2197 1573 14641 20020 28561 171366 210432",
     1, HOLD_256M, NULL, NULL, NULL},
    {"peers", "prime",
     "17 19 23 29 31 37 41 47 53 61 73 97 101 113 127 131 211 251 509 1009 2003 4001 8191 10007 32749 65521 131071 "
     "1000003",
     1, HOLD_256M, NULL, NULL, NULL},
    {"peers", "smooth",
     "12 15 20 24 28 30 36 48 60 96 100 120 125 144 200 240 243 343 360 480 500 625 720 729 960 1000 1200 1536 1920 "
     "2000 2187 2401 2500 3000 3125 3600 4800 5000 6000 6561 10000 15000 15625 16807 20000 30000 50000 100000 200000 "
     "500000 1000000 2000000",
     1, HOLD_256M, NULL, NULL, NULL},

    /* Real data, forward, backward, and r2r kinds. */
#define REAL(options, direction)                                                                                      \
    {"real", direction "-1d", "16 64 256 1024 4096 8192 16384 65536 1048576", 1, HOLD_256M, NULL, options, NULL},      \
    {"real", direction "-mixed", "100 243 360 1000 1001 3125 10000 100000 1000000", 1, HOLD_256M, NULL, options,    \
     NULL},                                                                                                           \
    {"real", direction "-prime", "17 31 127 1009 10007 65521", 1, HOLD_256M, NULL, options, NULL},                    \
    {"real", direction "-2d", "128 360 1000 1024 4096 8192 1080x1920", 2, HOLD_256M, NULL, options, NULL},            \
    {"real", direction "-3d", "64 96 128 200 256 300 512 1024", 3, HOLD_256M, NULL, options, NULL},                   \
    {"real", direction "-small2d", "16 28 32", 2, 0, "8192", options, NULL},                                          \
    {"real", direction "-small3d", "16 24 32", 3, 0, "512", options, NULL},                                           \
    {"real", direction "-single", "65536 1048576 16777216", 1, 0, "1", options, NULL}
    REAL("orf", "r2c"),
    REAL("orb", "c2r"),
#undef REAL
    {"real", "r2r-dct1", "129 1025", 1, HOLD_256M, NULL, "ok", "e00"},
    {"real", "r2r-dct2", "256 1000 4096", 1, HOLD_256M, NULL, "ok", "e10"},
    {"real", "r2r-dct3", "256 1000", 1, HOLD_256M, NULL, "ok", "e01"},
    {"real", "r2r-dct4", "256 1000", 1, HOLD_256M, NULL, "ok", "e11"},
    {"real", "r2r-dst1", "127 1023", 1, HOLD_256M, NULL, "ok", "o00"},
    {"real", "r2r-dst2", "256 1000", 1, HOLD_256M, NULL, "ok", "o10"},
    {"real", "r2r-hc", "256 1000", 1, HOLD_256M, NULL, "ok", "f"},
    {"real", "r2r-dct2-2d", "512 1000", 2, HOLD_256M, NULL, "ok", "e10"},
    {"real", "r2r-dct2-3d", "128 256", 3, HOLD_256M, NULL, "ok", "e10"},

    /* Each kind of cosine and sine transform in each kind of shape; the period is 2N, of e00 2(N - 1), of o00 2(N + 1). */
#define R2R(kind, letters, rows, long_rows, planes, boxes, small_plane, small_box)                                    \
    {"r2r", kind "-1d", rows, 1, HOLD_256M, NULL, "ok", letters},                                                     \
    {"r2r", kind "-long", long_rows, 1, HOLD_256M, NULL, "ok", letters},                                              \
    {"r2r", kind "-2d", planes, 2, HOLD_256M, NULL, "ok", letters},                                                   \
    {"r2r", kind "-3d", boxes, 3, HOLD_256M, NULL, "ok", letters},                                                    \
    {"r2r", kind "-small2d", small_plane, 2, 0, "8192", "ok", letters},                                               \
    {"r2r", kind "-small3d", small_box, 3, 0, "512", "ok", letters},                                                  \
    {"r2r", kind "-single", long_rows, 1, 0, "1", "ok", letters}
#define R2R_EVEN(kind, letters) \
    R2R(kind, letters, "64 256 1000 1009 1024 4096", "65536", "512 1000 1024", "128 256", "32", "24")
    R2R("dct1", "e00", "65 257 1001 1010 1025 4097", "65537", "513 1001 1025", "129 257", "33", "25"),
    R2R_EVEN("dct2", "e10"),
    R2R_EVEN("dct3", "e01"),
    R2R_EVEN("dct4", "e11"),
    R2R("dst1", "o00", "63 255 999 1008 1023 4095", "65535", "511 999 1023", "127 255", "31", "23"),
    R2R_EVEN("dst2", "o10"),
    R2R_EVEN("dst3", "o01"),
    R2R_EVEN("dst4", "o11"),
#undef R2R_EVEN
#undef R2R

    /* Errors against the length: some thousand points each. */
#define FILL (1 << 13)
    {"accuracy", "powers", "2 4 8 16 32 64 128 256 512 1024 2048 4096 8192 16384 65536 262144 1048576", 1, FILL, NULL,
     NULL, NULL},
    {"accuracy", "smooth", "6 10 12 20 24 30 36 48 60 100 120 200 360 500 1000 2000 5000 10000 100000 1000000", 1, FILL,
     NULL, NULL, NULL},
    {"accuracy", "odd", "3 5 7 9 15 21 25 27 35 45 63 81 105 125 225 243 315 693 1155 2187 3125 15015 45045", 1, FILL,
     NULL, NULL, NULL},
    {"accuracy", "prime", "11 13 17 19 23 29 31 37 41 43 47 53 59 61 67 73 97 101 127 257 509 1009 2003 4001 10007 65521",
     1, FILL, NULL, NULL, NULL},
#define REAL_ERRORS(options, direction)                                                                                    {"accuracy", direction, "4 9 16 17 37 60 64 100 101 243 360 1000 1009 1024 4096 10007 65536 1000000", 1, FILL,          NULL, options, NULL},                                                                                                 {"accuracy", direction "-2d", "16 30 100 256", 2, FILL, NULL, options, NULL},                                          {"accuracy", direction "-3d", "8 15 24 64", 3, FILL, NULL, options, NULL}
    REAL_ERRORS("orf", "r2c"),
    REAL_ERRORS("orb", "c2r"),
#undef REAL_ERRORS
#define KIND_ERRORS(name, lengths, letters) {"accuracy", name, lengths, 1, FILL, NULL, "ok", letters}
#define LENGTHS "15 37 64 74 100 131 1000 1024 4095"
    KIND_ERRORS("r2hc", LENGTHS, "f"),
    KIND_ERRORS("hc2r", LENGTHS, "b"),
    KIND_ERRORS("dht", LENGTHS, "h"),
    KIND_ERRORS("redft00", "9 38 65 101 1001 1025", "e00"),
    KIND_ERRORS("redft01", LENGTHS, "e01"),
    KIND_ERRORS("redft10", LENGTHS, "e10"),
    KIND_ERRORS("redft11", LENGTHS, "e11"),
    KIND_ERRORS("rodft00", "7 36 63 99 999 1023", "o00"),
    KIND_ERRORS("rodft01", LENGTHS, "o01"),
    KIND_ERRORS("rodft10", LENGTHS, "o10"),
    KIND_ERRORS("rodft11", LENGTHS, "o11"),
#undef LENGTHS
#undef KIND_ERRORS
    {"accuracy", "2d", "8 16 37 48 100 256 17x8 12x30 120x125", 2, FILL, NULL, NULL, NULL},
    {"accuracy", "3d", "4 8 16 24 32 64 6x10x7 30x19x12", 3, FILL, NULL, NULL, NULL},
    {"accuracy", "r2r-2d", "16 37", 2, FILL, NULL, "ok", "e10"},
    {"accuracy", "r2r-3d", "12", 3, FILL, NULL, "ok", "o01"},
#undef FILL

    /* In double precision, whose points are twice as many bytes. */
    {"double", "pow2",
     "16 64 256 512 1024 2048 4096 8192 16384 65536 262144 1048576 4194304 16777216", 1, MOVE_256M, NULL, NULL, NULL},
    {"double", "smooth", "96 100 125 243 360 729 1000 1001 2187 3125 10000 100000 1000000", 1, MOVE_256M, NULL, NULL,
     NULL},
    {"double", "prime", "17 31 37 61 127 1009 10007 65521 1000003", 1, MOVE_256M, NULL, NULL, NULL},
    {"double", "2d", "128 256 1000 1024 4096 1080x1920", 2, MOVE_256M, NULL, NULL, NULL},
    {"double", "3d", "64 96 100 128 200 256 512", 3, MOVE_256M, NULL, NULL, NULL},
    {"double", "small2d", "16 28 32", 2, 0, "8192", NULL, NULL},
    {"double", "small3d", "8 16 24 32", 3, 0, "512", NULL, NULL},
    {"double", "qmc24", "24", 3, 0, "1 27 54", NULL, NULL},
    {"double", "single1d", "65536 1048576 16777216", 1, 0, "1", NULL, NULL},
    {"double", "r2c-1d", "256 1000 1024 4096 65536 1048576", 1, MOVE_256M, NULL, "orf", NULL},
    {"double", "r2c-2d", "1024", 2, MOVE_256M, NULL, "orf", NULL},
    {"double", "r2c-3d", "128 256", 3, MOVE_256M, NULL, "orf", NULL},
    {"double", "c2r-1d", "256 1000 1024 4096 65536 1048576", 1, MOVE_256M, NULL, "orb", NULL},
    {"double", "c2r-2d", "1024", 2, MOVE_256M, NULL, "orb", NULL},
    {"double", "c2r-3d", "128 256", 3, MOVE_256M, NULL, "orb", NULL},

    /* Through the FFTW interface, data on the host. */
    {"host", "qmc", "24", 3, 0, "1 27 54", NULL, NULL},
    {"host", "b2d", "16 28", 2, 0, "8192", NULL, NULL},
    {"host", "b3d", "16", 3, 0, "512", NULL, NULL},
    {"host", "1d", "256 4096 65536 1048576 16777216 1000003", 1, 0, "1", NULL, NULL},
    {"host", "b1d", "1024 1000 4096", 1, 0, "4096", NULL, NULL},
    {"host", "2d", "256 1024 4096 1000", 2, 0, "1", NULL, NULL},
    {"host", "3d", "32 64 100 128 256 512", 3, 0, "1", NULL, NULL},
};

int fg_bench_case_add(fg_bench_cases *cases, const char *class, const char *text) {
  char why[256];
  fg_problem *p = fg_notation_parse(text, FG_SINGLE, why, sizeof why);
  if (!p) {
    fg_cli_error("%s", why);
    return FG_EXIT_USAGE;
  }
  fg_bench_case *grown = realloc(cases->item, ((size_t)cases->count + 1) * sizeof *grown);
  if (!grown) {
    fg_problem_free(p);
    fg_cli_error("out of memory");
    return FG_EXIT_FAILED;
  }
  cases->item = grown;
  cases->item[cases->count++] = (fg_bench_case){class, p};
  return 0;
}

/* "64x64" of "64" in two dimensions; a shape with an x stands for itself. */
static void spell(char *text, size_t size, const char *shape, int length, int rank, const char *letters) {
  const bool whole = memchr(shape, 'x', (size_t)length);
  size_t at = 0;
  text[0] = 0;
  for (int d = 0; d < (whole ? 1 : rank) && at < size; d++)
    at += (size_t)snprintf(text + at, size - at, "%s%.*s%s", d ? "x" : "", length, shape, letters);
}

static ptrdiff_t points(const char *shape) {
  ptrdiff_t product = 1;
  while (*shape) {
    char *end;
    product *= strtol(shape, &end, 10);
    shape = end + strcspn(end, "x"); /* past the letters of an r2r kind */
    shape += *shape == 'x';
  }
  return product;
}

static int add_batch(fg_bench_cases *cases, const family *f, const char *shape, ptrdiff_t batch) {
  char text[128];
  snprintf(text, sizeof text, batch > 1 ? "%s%s*%td" : "%s%s", f->options ? f->options : "oc", shape, batch);
  return fg_bench_case_add(cases, f->class, text);
}

static int add_shape(fg_bench_cases *cases, const family *f, const char *shape) {
  const ptrdiff_t fits = f->fill / points(shape);
  if (!f->batches) return add_batch(cases, f, shape, fits > 1 ? fits : 1);
  int status = 0;
  for (const char *b = f->batches; *b && !status; b += strcspn(b, " "), b += *b == ' ')
    status = add_batch(cases, f, shape, strtol(b, NULL, 10));
  return status;
}

static int add_family(fg_bench_cases *cases, const family *f) {
  int status = 0, length;
  for (const char *s = f->shapes; *s && !status; s += length, s += *s == ' ') {
    char shape[64];
    length = (int)strcspn(s, " ");
    spell(shape, sizeof shape, s, length, f->rank, f->letters ? f->letters : "");
    status = add_shape(cases, f, shape);
  }
  return status;
}

/* Those from first on.  Strides are in reals of whatever precision. */
static void in_double(fg_bench_cases *cases, int first) {
  for (int i = first; i < cases->count; i++)
    cases->item[i].problem->precision = cases->item[i].problem->compute = FG_DOUBLE;
}

void fg_bench_cases_double(fg_bench_cases *cases) { in_double(cases, 0); }

int fg_bench_suite_add(fg_bench_cases *cases, const char *name, bool *device) {
  bool known = false;
  int status = 0, first = cases->count;
  for (size_t i = 0; i < sizeof families / sizeof *families && !status; i++) {
    if (strcmp(families[i].suite, name)) continue;
    known = true;
    status = add_family(cases, &families[i]);
  }
  if (!known) return fg_cli_usage("bench", "bench: no suite '%s'", name);
  if (strcmp(name, "double") == 0) in_double(cases, first);
  if (device) *device = strcmp(name, "host") != 0;
  return status;
}

void fg_bench_cases_free(fg_bench_cases *cases) {
  for (int i = 0; i < cases->count; i++) fg_problem_free(cases->item[i].problem);
  free(cases->item);
  *cases = (fg_bench_cases){0};
}

/* d lies dense outside of *dense reals, which it then joins with so many points of its own. */
static bool dense_outside(const fg_dim *d, enum fg_side side, ptrdiff_t points, ptrdiff_t *dense) {
  const bool fits = d->n == 1 || fg_dim_stride(d, side) == *dense;
  *dense *= points;
  return fits && d->n <= INT32_MAX;
}

/* padded: rows of reals take the memory of their complex numbers. */
static bool dense_side(const fg_problem *p, enum fg_side side, bool padded) {
  const bool complex = fg_problem_complex_side(p, side);
  ptrdiff_t dense = complex ? 2 : 1;
  bool fits = true;
  for (int d = p->transform.rank - 1; d >= 0; d--) {
    const bool row = d == p->transform.rank - 1;
    const fg_dim *dim = &p->transform.dim[d];
    const ptrdiff_t points = row && padded && !complex ? 2 * (dim->n / 2 + 1) : fg_problem_points(p, d, side);
    fits = dense_outside(dim, side, points, &dense) && fits;
  }
  for (int d = p->batch.rank - 1; d >= 0; d--)
    fits = dense_outside(&p->batch.dim[d], side, p->batch.dim[d].n, &dense) && fits;
  return fits;
}

bool fg_bench_plain_of(const fg_problem *p, fg_bench_plain *plain) {
  const bool halved = p->kind == FG_R2C || p->kind == FG_C2R;
  const ptrdiff_t batch = fg_tensor_size(&p->batch);
  *plain = (fg_bench_plain){.kind = p->kind, .rank = p->transform.rank, .batch = (int)batch, .sign = p->sign};
  if (p->format != FG_INTERLEAVED || plain->rank < 1 || plain->rank > 3) return false;
  for (int d = 0; d < plain->rank; d++) plain->n[d] = (int)p->transform.dim[d].n;
  for (int side = 0; side < 2; side++)
    if (!dense_side(p, (enum fg_side)side, false) && !(halved && dense_side(p, (enum fg_side)side, true))) return false;
  return batch > 0 && batch <= INT32_MAX;
}

/* The dimensions of from, outside of *dense reals. */
static void copy_dense(fg_tensor *to, const fg_tensor *from, ptrdiff_t *dense) {
  for (int d = from->rank - 1; d >= 0; d--) {
    to->dim[d] = (fg_dim){from->dim[d].n, *dense, *dense};
    *dense *= from->dim[d].n;
  }
}

fg_problem *fg_bench_complex_of(const fg_problem *p) {
  fg_problem *c = fg_problem_new(FG_DFT, p->precision, FG_INTERLEAVED, p->transform.rank, p->batch.rank);
  if (!c) return NULL;
  ptrdiff_t dense = 2;
  c->sign = p->sign;
  copy_dense(&c->transform, &p->transform, &dense);
  copy_dense(&c->batch, &p->batch, &dense);
  return c;
}

fg_problem *fg_bench_in_place_of(const fg_problem *p) {
  fg_bench_plain plain;
  if (p->kind == FG_R2C || p->kind == FG_C2R || fg_problem_in_place(&p->arrays) || !fg_bench_plain_of(p, &plain)) return NULL;
  fg_problem *q = fg_problem_copy(p);
  if (q) q->arrays.out_re = q->arrays.in_re, q->arrays.out_im = q->arrays.in_im;
  return q;
}
