/* host_times.c: what one fftwf_execute on arrays of the host takes, against the floor that the link sets.
 *
 *   cc -O2 host_times.c -o host_times -lfftw3f -lm
 *   FFTW3_GPU=force LD_PRELOAD=libfftw3_gpu.so ./host_times own|foreign out|in [largest array in bytes]
 *
 * own: arrays of fftwf_malloc; foreign: of malloc.  A line a case: milliseconds of planning, microseconds of the first
 * execution, median of the others, floor, and median ÷ floor.  The floor is bytes in ÷ 55 GB/s + bytes out ÷ 55 GB/s for one
 * transform, both ÷ 101 GB/s for a batch (PCIe 5 x16).  One output of the last transform is checked. */
#include <fftw3.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
  int rank, n[3], batch;
} problem;

static const problem problems[] = {
    {3, {24, 24, 24}, 1},     {3, {24, 24, 24}, 27},  {3, {24, 24, 24}, 54},    {2, {16, 16}, 8192},
    {2, {28, 28}, 8192},      {3, {16, 16, 16}, 512}, {1, {256}, 1},            {1, {4096}, 1},
    {1, {65536}, 1},          {1, {1048576}, 1},      {1, {16777216}, 1},       {1, {1000003}, 1},
    {1, {1024}, 4096},        {1, {1000}, 4096},      {1, {4096}, 4096},        {2, {256, 256}, 1},
    {2, {1024, 1024}, 1},     {2, {4096, 4096}, 1},   {2, {1000, 1000}, 1},     {3, {32, 32, 32}, 1},
    {3, {64, 64, 64}, 1},     {3, {100, 100, 100}, 1}, {3, {128, 128, 128}, 1}, {3, {256, 256, 256}, 1},
    {3, {512, 512, 512}, 1},
};

enum { MOST_TIMES = 400, LEAST_TIMES = 5 };

typedef struct {
  fftwf_complex *in, *out;
  size_t each, all; /* elements of a transform, of the batch */
} arrays;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void fill(const arrays *a) {
  for (size_t i = 0; i < a->all; i++) {
    a->in[i][0] = (float)(i * 7919 % 1013) / 1013 - 0.5f;
    a->in[i][1] = (float)(i * 104729 % 997) / 997 - 0.5f;
  }
}

/* Of the last transform: output 0 has to be the sum of its input. */
static double error_after(const arrays *a, fftwf_plan plan, double *seconds) {
  double sum = 0;
  for (size_t i = a->all - a->each; i < a->all; i++) sum += a->in[i][0];
  const double start = now();
  fftwf_execute(plan);
  *seconds = now() - start;
  return fabs((double)a->out[a->all - a->each][0] - sum) / sqrt((double)a->each);
}

/* In place the numbers grow from time to time, so they are made small again now and then. */
static double median_time(const arrays *a, fftwf_plan plan) {
  double times[MOST_TIMES], spent = 0;
  int count = 0;
  while (count < MOST_TIMES && (count < LEAST_TIMES || spent < 0.12)) {
    if (a->in == a->out && count % 4 == 0)
      for (size_t i = 0; i < a->all; i++) a->in[i][0] = a->in[i][1] = 0.25f;
    const double start = now();
    fftwf_execute(plan);
    spent += times[count++] = now() - start;
  }
  qsort(times, (size_t)count, sizeof *times, compare);
  return times[count / 2];
}

static void measure(const problem *p, arrays *a, size_t bytes) {
  const int n = (int)a->each;
  fill(a);
  if (a->out != a->in) memset(a->out, 0, bytes);
  const double start = now();
  const fftwf_plan plan = fftwf_plan_many_dft(p->rank, p->n, p->batch, a->in, NULL, 1, n, a->out, NULL, 1, n,
                                              FFTW_FORWARD, FFTW_ESTIMATE);
  double first;
  const double planned = now(), error = error_after(a, plan, &first);
  const double floor = 2 * (double)bytes / (p->batch > 1 ? 101e9 : 55e9), median = median_time(a, plan);
  printf("%dx%dx%d*%d  %.2f  %.1f  %.1f  %.1f  %.2f%s\n", p->n[0], p->n[1] ? p->n[1] : 1, p->n[2] ? p->n[2] : 1,
         p->batch, 1e3 * (planned - start), 1e6 * first, 1e6 * median, 1e6 * floor, median / floor,
         error > 1e-3 ? "  WRONG" : "");
  fflush(stdout);
  fftwf_destroy_plan(plan);
}

int main(int count, char **arguments) {
  const int foreign = count > 1 && !strcmp(arguments[1], "foreign");
  const int in_place = count > 2 && !strcmp(arguments[2], "in");
  const double largest = count > 3 ? atof(arguments[3]) : 1e99;
  puts("problem  plan_ms  first_us  median_us  floor_us  ratio");
  for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
    const problem *p = &problems[i];
    arrays a = {.each = 1};
    for (int d = 0; d < p->rank; d++) a.each *= (size_t)p->n[d];
    a.all = a.each * (size_t)p->batch;
    const size_t bytes = a.all * sizeof *a.in;
    if ((double)bytes > largest) continue;
    a.in = foreign ? malloc(bytes) : fftwf_malloc(bytes);
    a.out = in_place ? a.in : foreign ? malloc(bytes) : fftwf_malloc(bytes);
    if (!a.in || !a.out) return 1;
    measure(p, &a, bytes);
    if (!in_place) (foreign ? free : fftwf_free)(a.out);
    (foreign ? free : fftwf_free)(a.in);
  }
  return 0;
}
