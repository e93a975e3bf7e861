/* cuda_program.c: a program that uses CUDA itself and gives FFTW what memory it has, as it would give it to cuFFTW;
 * linked to stock FFTW alone, which could not do it.  Under the preload every line must say right, in every mode.
 *
 * CUDA is reached by name, so that it can be built anywhere; exit status 77 where there is none. */
#include <dlfcn.h>
#include <fftw3.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long address; /* CUdeviceptr */
typedef void *context;

static int (*init)(unsigned), (*retain)(context *, int), (*set_current)(context), (*get_current)(context *);
static int (*alloc)(address *, size_t), (*alloc_managed)(address *, size_t, unsigned), (*release)(address);
static int (*to_device)(address, const void *, size_t), (*to_host)(void *, address, size_t);
static int (*host_alloc)(void **, size_t, unsigned);

static int load(void) {
  static const struct {
    void *function;
    const char *name;
  } all[] = {
      {&init, "cuInit"},           {&retain, "cuDevicePrimaryCtxRetain"}, {&set_current, "cuCtxSetCurrent"},
      {&alloc, "cuMemAlloc_v2"},   {&get_current, "cuCtxGetCurrent"},     {&alloc_managed, "cuMemAllocManaged"},
      {&release, "cuMemFree_v2"},  {&to_device, "cuMemcpyHtoD_v2"},       {&to_host, "cuMemcpyDtoH_v2"},
      {&host_alloc, "cuMemHostAlloc"},
  };
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  for (size_t i = 0; library && i < sizeof all / sizeof *all; i++)
    if (!(*(void **)all[i].function = dlsym(library, all[i].name))) return 0;
  return library && init(0) == 0;
}

static context ours;
static int failed;

static void expect(int good, const char *what) {
  context now = NULL;
  get_current(&now);
  printf("%s: %s\n", what, good && now == ours ? "right" : "WRONG");
  failed |= !good || now != ours;
}

enum { N = 40, MANY = 30, ALL = N * MANY };
static const size_t bytes = ALL * sizeof(fftwf_complex);

static void make(fftwf_complex *x, int wave) {
  for (int i = 0; i < ALL; i++) {
    x[i][0] = (float)cos(2 * M_PI * wave * i / N);
    x[i][1] = (float)sin(2 * M_PI * wave * i / N);
  }
}

/* One frequency in each transform. */
static int is_wave(fftwf_complex *y, int wave) {
  for (int i = 0; i < ALL; i++)
    if (fabs(y[i][0] - (i % N == wave ? N : 0)) > 1e-3 || fabs(y[i][1]) > 1e-3) return 0;
  return 1;
}

static fftwf_plan plan(void *in, void *out, unsigned flags) {
  const int n = N;
  return fftwf_plan_many_dft(1, &n, MANY, in, NULL, 1, N, out, NULL, 1, N, FFTW_FORWARD, flags);
}

int main(void) {
  address device[2], managed[2];
  fftwf_complex *x = malloc(bytes), *y = malloc(bytes), *m[2];
  void *pinned[2];
  if (!load()) {
    puts("skipped: no CUDA driver");
    return 77;
  }
  if (retain(&ours, 0) || set_current(ours)) return 1;
  for (int i = 0; i < 2; i++) {
    if (alloc(&device[i], bytes) || alloc_managed(&managed[i], bytes, 1) || host_alloc(&pinned[i], bytes, 0)) return 1;
    m[i] = (fftwf_complex *)(size_t)managed[i];
  }

  const fftwf_plan host = plan(x, y, FFTW_ESTIMATE); /* small: stays on the host, but for FFTW3_GPU=force */
  make(x, 3);
  fftwf_execute(host);
  expect(is_wave(y, 3), "host arrays");

  const fftwf_plan p = plan((void *)(size_t)device[0], (void *)(size_t)device[1], FFTW_MEASURE);
  to_device(device[0], x, bytes);
  fftwf_execute(p);
  to_host(y, device[1], bytes);
  expect(is_wave(y, 3), "device arrays");

  make(m[0], 5);
  fftwf_execute_dft(p, m[0], (void *)(size_t)device[1]);
  to_host(y, device[1], bytes);
  expect(is_wave(y, 5), "managed to device");

  const fftwf_plan both = plan(m[0], m[1], FFTW_PATIENT);
  make(m[0], 7);
  fftwf_execute(both);
  expect(is_wave(m[1], 7), "managed arrays");

  make(x, 9);
  to_device(device[0], x, bytes);
  memset(y, 0, bytes);
  fftwf_execute_dft(host, (void *)(size_t)device[0], y);
  expect(is_wave(y, 9), "device to host, by a plan of host arrays");
  fftwf_execute_dft(host, (void *)(size_t)device[0], (void *)(size_t)device[0]);
  to_host(y, device[0], bytes);
  expect(is_wave(y, 9), "in place on the device, by a plan that is not");

  make(pinned[0], 11);
  fftwf_execute_dft(p, pinned[0], pinned[1]);
  expect(is_wave(pinned[1], 11), "pinned arrays, by a plan of device arrays");

  fftwf_destroy_plan(host);
  fftwf_destroy_plan(p);
  fftwf_destroy_plan(both);
  fftwf_cleanup();
  for (int i = 0; i < 2; i++) failed |= release(device[i]) || release(managed[i]);
  return failed;
}
