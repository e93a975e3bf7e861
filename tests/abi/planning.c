/* planning.c: planners that were taken out of the real FFTW itself, as FFTW-MPI's are in it, beside others.
 *   beside COUNT [safe]: one thread makes so many plans by them; another executes what was planned before, which FFTW allows,
 *     each time on split arrays a new distance apart.  safe: fftwf_make_planner_thread_safe has been called.
 *   apart COUNT: two threads plan by them, with the real FFTW's own lock; a third one by the library's public functions */
#include <dlfcn.h>
#include <fftw3.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 360, MOST_APART = N + 50, LENGTHS = 200 };

static __typeof__(fftwf_plan_dft_1d) *plan_dft_1d;
static __typeof__(fftwf_destroy_plan) *destroy_plan;
static atomic_int stop, executions, missing;
static fftwf_plan split;
static float *arrays;
static int count;

static void *execute(void *unused) {
  float *const out = arrays + 2 * MOST_APART;
  for (int apart = N; !atomic_load(&stop); apart = apart < MOST_APART ? apart + 1 : N) {
    fftwf_execute_split_dft(split, arrays, arrays + apart, out, out + apart);
    atomic_fetch_add(&executions, 1);
  }
  return unused;
}

static void *plan_often(void *unused) {
  fftwf_complex *const points = fftwf_malloc(LENGTHS * sizeof *points);
  for (int i = 0; i < count; i++) {
    fftwf_plan plan = plan_dft_1d(1 + i % LENGTHS, points, points, FFTW_FORWARD, FFTW_ESTIMATE);
    if (plan) destroy_plan(plan);
    else atomic_fetch_add(&missing, 1);
  }
  fftwf_free(points);
  return unused;
}

static int beside(void) {
  const fftwf_iodim dim = {N, 1, 1};
  pthread_t thread;
  arrays = fftwf_malloc(4 * MOST_APART * sizeof *arrays);
  if (!arrays) return 2;
  for (int i = 0; i < 4 * MOST_APART; i++) arrays[i] = (float)(i % 7);
  float *const out = arrays + 2 * MOST_APART;
  split = fftwf_plan_guru_split_dft(1, &dim, 0, NULL, arrays, arrays + N, out, out + N, FFTW_ESTIMATE | FFTW_UNALIGNED);
  if (!split || pthread_create(&thread, NULL, execute, NULL)) return 2;
  plan_often(NULL);
  atomic_store(&stop, 1);
  pthread_join(thread, NULL);
  fftwf_destroy_plan(split);
  fftwf_free(arrays);
  printf("%d plans beside %d executions\n", count, atomic_load(&executions));
  return atomic_load(&executions) == 0;
}

static int apart(void) {
  void *const threads = dlopen(THREADS_FILE, RTLD_LAZY);
  void (*const make_safe)(void) = threads ? (void (*)(void))dlsym(threads, "fftwf_make_planner_thread_safe") : NULL;
  fftwf_complex *const points = fftwf_malloc(LENGTHS * sizeof *points);
  pthread_t thread[2];
  if (!make_safe || !points) return 2;
  make_safe();
  for (int i = 0; i < 2; i++)
    if (pthread_create(&thread[i], NULL, plan_often, NULL)) return 2;
  usleep(2000);
  for (int i = 0; i < count; i++)
    fftwf_destroy_plan(fftwf_plan_dft_1d(1 + i % LENGTHS, points, points, FFTW_FORWARD, FFTW_ESTIMATE));
  for (int i = 0; i < 2; i++) pthread_join(thread[i], NULL);
  fftwf_free(points);
  return 0;
}

int main(int argc, char **argv) {
  void *const real = dlopen(FFTW_FILE, RTLD_LAZY);
  if (argc < 3 || !real) return 2;
  count = atoi(argv[2]);
  plan_dft_1d = (__typeof__(plan_dft_1d))dlsym(real, "fftwf_plan_dft_1d");
  destroy_plan = (__typeof__(destroy_plan))dlsym(real, "fftwf_destroy_plan");
  if (!plan_dft_1d || !destroy_plan) return 2;
#ifdef SAFE
  if (argc > 3) fftwf_make_planner_thread_safe();
#endif
  const int status = strcmp(argv[1], "apart") == 0 ? apart() : beside();
  if (atomic_load(&missing)) printf("%d of the plans were NULL\n", atomic_load(&missing));
  return status ? status : atomic_load(&missing) != 0;
}
