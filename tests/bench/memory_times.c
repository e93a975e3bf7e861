/* memory_times.c: what taking and giving back memory costs on a GPU, by which src/run/memory.c decides what may stay.
 *
 *   cc -O2 memory_times.c -o memory_times -ldl && ./memory_times
 *
 * A line a size: median microseconds of cuMemAlloc, cuMemFree, and of asking what is free; of pinned host memory for
 * the smaller sizes. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TIMES = 11 };

typedef unsigned long long address;
static int (*start)(unsigned), (*retain)(void **, int), (*set)(void *), (*take)(address *, size_t), (*give)(address),
    (*info)(size_t *, size_t *), (*pin)(void **, size_t, unsigned), (*unpin)(void *);

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *t) {
  qsort(t, TIMES, sizeof *t, ascending);
  return t[TIMES / 2];
}

static void device(size_t bytes) {
  double took[TIMES], gave[TIMES], asked[TIMES];
  size_t available, all;
  for (int i = 0; i < TIMES; i++) {
    address a;
    const double begin = now();
    if (take(&a, bytes)) return;
    took[i] = now() - begin;
    info(&available, &all);
    asked[i] = now() - begin - took[i];
    const double middle = now();
    give(a);
    gave[i] = now() - middle;
  }
  printf("device %8zu MB: take %8.0f us, give %8.0f us, ask %6.0f us\n", bytes >> 20, median(took), median(gave),
         median(asked));
}

static void pinned(size_t bytes) {
  double took[TIMES], gave[TIMES];
  for (int i = 0; i < TIMES; i++) {
    void *a;
    const double begin = now();
    if (pin(&a, bytes, 1)) return;
    took[i] = now() - begin;
    const double middle = now();
    unpin(a);
    gave[i] = now() - middle;
  }
  printf("pinned %8zu MB: take %8.0f us, give %8.0f us\n", bytes >> 20, median(took), median(gave));
}

int main(void) {
  void *cuda = dlopen("libcuda.so.1", RTLD_NOW), *context;
  if (!cuda) return 77;
  *(void **)&start = dlsym(cuda, "cuInit");
  *(void **)&retain = dlsym(cuda, "cuDevicePrimaryCtxRetain");
  *(void **)&set = dlsym(cuda, "cuCtxSetCurrent");
  *(void **)&take = dlsym(cuda, "cuMemAlloc_v2");
  *(void **)&give = dlsym(cuda, "cuMemFree_v2");
  *(void **)&info = dlsym(cuda, "cuMemGetInfo_v2");
  *(void **)&pin = dlsym(cuda, "cuMemHostAlloc");
  *(void **)&unpin = dlsym(cuda, "cuMemFreeHost");
  if (start(0) || retain(&context, 0) || set(context)) return 77;
  for (size_t mb = 1; mb <= 64 << 10; mb *= 4) device(mb << 20);
  for (size_t mb = 1; mb <= 64; mb *= 2) pinned(mb << 20);
  return 0;
}
