/* bench.h: what the files of `fftw3-gpu bench` share: cases, test data and its true transform, timing, the table. */
#ifndef FG_BENCH_H
#define FG_BENCH_H

#include <stdint.h>
#include <stdio.h>

#include "src/problem/layout.h"
#include "src/problem/problem.h"
#include "src/report/clock.h"

/* ---- what is timed (bench_cases.c) ---- */

typedef struct {
  const char *class; /* family of a suite; "" for the user's own */
  fg_problem *problem;
} fg_bench_case;

typedef struct {
  int count;
  fg_bench_case *item;
} fg_bench_cases;

/* Add one problem in FFTW's notation: 0, or an exit status after a message. */
int fg_bench_case_add(fg_bench_cases *, const char *class, const char *text);

/* Add a suite.  device (when not NULL): whether it is meant for data resident on the device. */
int fg_bench_suite_add(fg_bench_cases *, const char *name, bool *device);
void fg_bench_cases_free(fg_bench_cases *);

/* All of them in double precision. */
void fg_bench_cases_double(fg_bench_cases *);

/* A problem without split arrays that any plan_many takes: contiguous (a real side may be padded to its complex one),
 * at most three dimensions and one batch. */
typedef struct {
  enum fg_kind kind;
  int rank, n[3], batch, sign;
} fg_bench_plain;
bool fg_bench_plain_of(const fg_problem *p, fg_bench_plain *plain);

/* The complex problem of the same sizes, contiguous and out of place; NULL on lack of memory. */
fg_problem *fg_bench_complex_of(const fg_problem *p);

/* The same transforms in place; NULL: p is r2c or c2r, in place, has strides, or memory lacks. */
fg_problem *fg_bench_in_place_of(const fg_problem *p);

/* ---- the test data and what becomes of it (bench_reference.c) ----
 * Numbers of a generator that counts, so that any part can be made anew.  Real or imaginary part c of image element e
 * (src/problem/layout.h) has index 2e + c; in an image of reals element e has index e. */

/* 64 random bits for each n. */
uint64_t fg_bench_mix(uint64_t n);

/* Every step-th number from index first on, in (-1, 1). */
void fg_bench_random(float *to, size_t count, uint64_t first, int step);
void fg_bench_random_double(double *to, size_t count, uint64_t first, int step);

/* The i-th of an array of reals. */
double fg_bench_real(const void *reals, enum fg_precision, size_t i);

/* The transform of data (indexed as these numbers, in p's precision; NULL: of the numbers) by FFTW in double precision,
 * indexed likewise, malloc'd; NULL if there is no libfftw3 or no memory for it. */
double *fg_bench_reference(const fg_problem *p, const fg_layout *in, const fg_layout *out, const void *data);

typedef struct {
  double difference, norm; /* sums of squares */
} fg_bench_error;

/* Count in a part of a result.  reference NULL: it must be the test data times scale. */
void fg_bench_compare(fg_bench_error *, const void *got, enum fg_precision, size_t count, uint64_t first, int step,
                      const double *reference, double scale);
double fg_bench_relative(const fg_bench_error *); /* L2 */

/* A relative error that no rounding explains. */
static inline double fg_bench_wrong(enum fg_precision p) { return p == FG_SINGLE ? 1e-5 : 1e-13; }

/* ---- timing (bench_table.c) ---- */

typedef struct {
  double seconds; /* time each figure for so long; 0: 20 repetitions */
  bool measure;   /* stock FFTW plans with FFTW_MEASURE */
  bool vkfft;     /* VkFFT is there */
  bool waited;    /* on the device: for the end of each execution */
  FILE *svg;      /* a plot of what is timed on the device; or NULL */
} fg_bench_options;

enum { FG_BENCH_MOST_TIMES = 100000 };

/* The repetitions of one figure. */
typedef struct {
  const fg_bench_options *options;
  double limit; /* without options->seconds: stop after so many seconds, with at least 3 repetitions */
  double start;
  int count;
  double *time;
} fg_bench_times;

bool fg_bench_times_begin(fg_bench_times *, const fg_bench_options *, double limit);
bool fg_bench_times_more(const fg_bench_times *);
void fg_bench_times_add(fg_bench_times *, double seconds);
double fg_bench_times_median(fg_bench_times *); /* and frees them */

/* How often data of a transform of n points may be transformed in place before floats overflow. */
int fg_bench_in_place_limit(ptrdiff_t n);

/* ---- the table (bench_table.c) ---- */

enum { FG_BENCH_COLUMNS = 24 };

typedef struct {
  const char *title;  /* in the table; NULL: only in the CSV file */
  const char *csv;
  const char *format; /* of the table, for a double; NULL: three digits or more */
  bool mean;          /* a ratio: the geometric mean of all cases means something */
} fg_bench_column;

typedef struct {
  const char *class;
  char problem[128], note[160];
  char *passes; /* malloc'd or NULL; CSV only */
  double value[FG_BENCH_COLUMNS]; /* NAN: not known */
} fg_bench_row;

typedef struct {
  const fg_bench_column *column; /* ends with a NULL csv */
  FILE *csv;
  const char *data; /* of all its rows: a first column of the CSV file; or NULL */
  double logs[FG_BENCH_COLUMNS];
  int cases, failures, means[FG_BENCH_COLUMNS];
} fg_bench_table;

void fg_bench_table_begin(fg_bench_table *, const fg_bench_column *, FILE *csv);
void fg_bench_row_begin(fg_bench_row *, const fg_bench_case *);
void fg_bench_row_print(fg_bench_table *, fg_bench_row *, bool failed); /* and frees what it holds */
void fg_bench_table_end(const fg_bench_table *);

/* ---- the plot (bench_svg.c) ---- */

typedef struct {
  const char *class;
  char problem[128];
  double points, value[2]; /* points of one transform; ratios, NAN: not known */
} fg_bench_mark;

typedef struct {
  int count;
  fg_bench_mark *mark;
} fg_bench_plot;

/* per_peer: the better peer's time ÷ ours; per_copy: ours ÷ a copy's. */
void fg_bench_plot_add(fg_bench_plot *, const fg_bench_row *, double points, double per_peer, double per_copy);
void fg_bench_plot_write(FILE *f, const fg_bench_plot *, const char *device);
void fg_bench_plot_free(fg_bench_plot *);

/* ---- the two ways to time; exit status ---- */

int fg_bench_device(const fg_bench_cases *, const fg_bench_options *, FILE *csv);
int fg_bench_host(const fg_bench_cases *, const fg_bench_options *, FILE *csv);

/* ---- other libraries (bench_peers.c) ---- */

/* A plan of another library for the device.  In place, in and out are the same; the input of c2r is lost. */
typedef struct fg_bench_peer fg_bench_peer;
struct fg_bench_peer {
  bool (*execute)(const fg_bench_peer *, void *in, void *out);
  void (*destroy)(fg_bench_peer *);
};

/* NULL: no cuFFT, or it cannot do that.  The device's primary context must exist.  stream: a CUstream. */
bool fg_bench_have_cufft(void);
fg_bench_peer *fg_bench_cufft_plan(const fg_problem *p, bool in_place, void *stream);

/* ---- VkFFT, in a library of pyvkfft (bench_vkfft.c) ---- */

/* NULL, or why it cannot be used. */
const char *fg_bench_vkfft_open(const char *path);

/* As fg_bench_cufft_plan. */
fg_bench_peer *fg_bench_vkfft_plan(const fg_problem *p, bool in_place, void *stream);

/* FFTW's interface in one precision, of whatever library. */
typedef struct {
  void *(*malloc)(size_t);
  void (*free)(void *);
  /* guru64; NULL: it has none */
  void *(*plan)(int, const fg_dim *, int, const fg_dim *, void *in, void *out, int sign, unsigned flags);
  void *(*plan_split)(int, const fg_dim *, int, const fg_dim *, void *, void *, void *, void *, unsigned flags);
  void *(*plan_many)(int rank, const int *n, int batch, void *in, const int *, int, int, void *out, const int *, int,
                     int, int sign, unsigned flags);
  void (*execute)(const void *plan);
  void (*destroy)(void *plan);
  /* NULL: it has none */
  char *(*sprint)(const void *plan);
  void (*timelimit)(double seconds);
  void (*threads)(int);
} fg_bench_fftw;

/* The first of these libraries that loads (names or paths, ended by NULL); with its threads from another, or NULL. */
bool fg_bench_fftw_open(fg_bench_fftw *, enum fg_precision, const char *const *names, const char *threads);

#endif
