/* gaps.c: arrays whose gaps are not this transform's to read or to count.
 *   hole    in place, with strides that differ so that FFTW has no plan of its own: two arrays, between which there is no memory
 *   woven   out of place: the input of each transform of a batch, then its output, then the next input
 *   device  the same on a device, each array an allocation of its own (in front of this library only)
 * Exit status 3: wrong. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fftw3.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { N = 128, LINES = 20, IN = 25, OUT = 41, ONE = 1 << 17, ROW = 1024, ROWS = 64 };

/* Of element j of transform t. */
static float value(int t, int j) { return (float)((j * j + 7 * t) % 91) / 91 - 0.4f; }

/* Squares of what is off, and of what should be, of result k of n. */
static void compare(int t, int n, int k, const fftwf_complex got, double sums[2]) {
  double re = 0, im = 0;
  for (int j = 0; j < n; j++) {
    const double angle = -2 * acos(-1) * ((long)j * k % n) / n;
    re += (double)value(t, j) * cos(angle);
    im += (double)value(t, j) * sin(angle);
  }
  sums[0] += ((double)got[0] - re) * ((double)got[0] - re) + ((double)got[1] - im) * ((double)got[1] - im);
  sums[1] += re * re + im * im;
}

static int verdict(const double sums[2]) { return sqrt(sums[0] / sums[1]) < 1e-5 ? 0 : 3; }

static int hole(size_t gap) {
  char *const all = mmap(NULL, 2 * ONE + gap, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (all == MAP_FAILED || mprotect(all, ONE, PROT_READ | PROT_WRITE) ||
      mprotect(all + ONE + gap, ONE, PROT_READ | PROT_WRITE))
    return 77;
  fftwf_complex *const array[] = {(void *)all, (void *)(all + ONE + gap)};
  const ptrdiff_t far = array[1] - array[0];
  const fftwf_iodim64 length = {N, IN, OUT}, batch[] = {{LINES, 1, 2}, {2, far, far}};
  fftwf_plan plan = fftwf_plan_guru64_dft(1, &length, 2, batch, array[0], array[0], FFTW_FORWARD, FFTW_ESTIMATE);
  if (!plan) return 77; /* as stock FFTW */
  double sums[2] = {0, 0};
  for (int t = 0; t < 2 * LINES; t++)
    for (int j = 0; j < N; j++) {
      fftwf_complex *const at = &array[t / LINES][j * IN + t % LINES];
      (*at)[0] = value(t, j);
      (*at)[1] = 0;
    }
  fftwf_execute(plan);
  for (int t = 0; t < 2 * LINES; t++)
    for (int k = 0; k < N; k++) compare(t, N, k, array[t / LINES][k * OUT + t % LINES * 2], sums);
  return verdict(sums);
}

static int woven(void) {
  const int row = ROW;
  fftwf_complex *const in = fftwf_malloc(2 * ROW * ROWS * sizeof *in), *const out = in + ROW;
  if (!in) return 2;
  fftwf_plan plan = fftwf_plan_many_dft(1, &row, ROWS, in, NULL, 1, 2 * ROW, out, NULL, 1, 2 * ROW, FFTW_FORWARD,
                                        FFTW_ESTIMATE | FFTW_PRESERVE_INPUT);
  double sums[2] = {0, 0};
  for (int round = 0; round < 6; round++) {
    for (int t = 0; t < ROWS; t++)
      for (int j = 0; j < ROW; j++) in[2 * ROW * t + j][0] = value(t + round, j), in[2 * ROW * t + j][1] = 0;
    fftwf_execute(plan);
    for (int t = 0; t < ROWS; t += 9)
      for (int k = 0; k < ROW; k += 101) compare(t + round, ROW, k, out[2 * ROW * t + k], sums);
    for (int t = 0; t < ROWS; t++)
      for (int j = 0; j < ROW; j++)
        if (in[2 * ROW * t + j][0] < value(t + round, j) || in[2 * ROW * t + j][0] > value(t + round, j)) return 3;
  }
  return verdict(sums);
}

static int by_address(const void *a, const void *b) {
  const char *const x = *(char *const *)a, *const y = *(char *const *)b;
  return x < y ? -1 : x > y;
}

static int device(void) {
  int (*const allocate)(void **, size_t) = (int (*)(void **, size_t))dlsym(RTLD_DEFAULT, "fftw3_gpu_malloc");
  int (*const copy)(void *, const void *, size_t) =
      (int (*)(void *, const void *, size_t))dlsym(RTLD_DEFAULT, "fftw3_gpu_copy");
  fftwf_complex *const points = fftwf_malloc(ROW * sizeof *points), *array[4]; /* in, out, in, out */
  double sums[2] = {0, 0};
  if (!allocate || !copy || !points) return 2;
  for (int i = 0; i < 4; i++)
    if (allocate((void **)&array[i], ROW * sizeof *points)) return 2;
  qsort(array, 4, sizeof *array, by_address);
  const fftwf_iodim64 length = {ROW, 1, 1}, batch = {2, array[2] - array[0], array[3] - array[1]};
  fftwf_plan plan = fftwf_plan_guru64_dft(1, &length, 1, &batch, array[0], array[1], FFTW_FORWARD, FFTW_ESTIMATE);
  if (!plan) return 3;
  for (int t = 0; t < 2; t++) {
    for (int j = 0; j < ROW; j++) points[j][0] = value(t, j), points[j][1] = 0;
    if (copy(array[2 * t], points, ROW * sizeof *points)) return 2;
  }
  fftwf_execute(plan);
  for (int t = 0; t < 2; t++) {
    if (copy(points, array[2 * t + 1], ROW * sizeof *points)) return 2;
    for (int k = 0; k < ROW; k += 13) compare(t, ROW, k, points[k], sums);
  }
  return verdict(sums);
}

int main(int argc, char **argv) {
  const char *const what = argc > 1 ? argv[1] : "";
  if (!strcmp(what, "device")) return device();
  return !strcmp(what, "hole") ? hole(argc > 2 ? strtoul(argv[2], NULL, 10) : ONE) : !strcmp(what, "woven") ? woven() : 2;
}
