/* planning.c: one thread plans by functions that were taken out of the real FFTW itself, as FFTW-MPI's planners are in it; another
 * executes what was planned before, which FFTW allows.  Each execution is on split arrays a new distance apart.  With argument how
 * many plans. */
#include <dlfcn.h>
#include <fftw3.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 360, MOST_APART = N + 50, LENGTHS = 200 };

static atomic_int stop, executions;
static fftwf_plan split;
static float *arrays;

static void *execute(void *unused) {
  float *const out = arrays + 2 * MOST_APART;
  (void)unused;
  for (int apart = N; !atomic_load(&stop); apart = apart < MOST_APART ? apart + 1 : N) {
    fftwf_execute_split_dft(split, arrays, arrays + apart, out, out + apart);
    atomic_fetch_add(&executions, 1);
  }
  return NULL;
}

int main(int argc, char **argv) {
  const fftwf_iodim dim = {N, 1, 1};
  const int count = argc > 1 ? atoi(argv[1]) : 1;
  pthread_t thread;
  void *const real = dlopen(FFTW_FILE, RTLD_LAZY);
  __typeof__(fftwf_plan_dft_1d) *const plan_dft_1d = real ? dlsym(real, "fftwf_plan_dft_1d") : NULL;
  __typeof__(fftwf_destroy_plan) *const destroy_plan = real ? dlsym(real, "fftwf_destroy_plan") : NULL;
  arrays = fftwf_malloc(4 * MOST_APART * sizeof *arrays);
  fftwf_complex *const points = fftwf_malloc(LENGTHS * sizeof *points);
  if (!plan_dft_1d || !destroy_plan || !arrays || !points) return 2;
  for (int i = 0; i < 4 * MOST_APART; i++) arrays[i] = (float)(i % 7);
  float *const out = arrays + 2 * MOST_APART;
  split = fftwf_plan_guru_split_dft(1, &dim, 0, NULL, arrays, arrays + N, out, out + N, FFTW_ESTIMATE | FFTW_UNALIGNED);
  if (!split || pthread_create(&thread, NULL, execute, NULL)) return 2;
  for (int i = 0; i < count; i++) {
    fftwf_plan plan = plan_dft_1d(1 + i % LENGTHS, points, points, FFTW_FORWARD, FFTW_ESTIMATE);
    if (!plan) return 3;
    destroy_plan(plan);
  }
  atomic_store(&stop, 1);
  pthread_join(thread, NULL);
  fftwf_destroy_plan(split);
  fftwf_free(arrays);
  fftwf_free(points);
  printf("%d plans beside %d executions\n", count, atomic_load(&executions));
  return atomic_load(&executions) == 0;
}
