/* fftw_threads.c: FFTW's own threads. Linked to libfftw3f_threads, and a second time to libfftw3f_omp (the calls
 * are the same): init, several numbers of threads, a planner made thread safe and used by four threads at once,
 * cleanup.
 *
 * In FFTW 3.3.10 only libfftw3f_threads makes the planner thread safe; with libfftw3f_omp the call does nothing,
 * and stock FFTW breaks when two threads plan. LOCK_PLANNER: the program locks for itself. */
#include <fftw3.h>
#include <pthread.h>
#include <stdio.h>

#include "tests/programs/show.h"

enum { N0 = 60, N1 = 64, N = N0 * N1, PLANNERS = 4 };

static fftwf_complex *x, *y;

static void transform(const char *name, int threads) {
  fftwf_plan_with_nthreads(threads);
  fftwf_plan plan = fftwf_plan_dft_2d(N0, N1, x, y, FFTW_FORWARD, FFTW_ESTIMATE);
  fill(x, 2 * N, 91);
  fftwf_execute(plan);
  show(name, N, y, 2 * N);
  fftwf_destroy_plan(plan);
}

/* Two transforms of one input: a layout that stays with FFTW and its threads wherever else plans may go. */
static void real_transform(void) {
  const int n[] = {N0, N1}, distance = N0 * (N1 / 2 + 1);
  fftwf_plan plan = fftwf_plan_many_dft_r2c(2, n, 2, (float *)x, NULL, 1, 0, y, NULL, 1, distance, FFTW_ESTIMATE);
  fill(x, N, 92);
  fftwf_execute(plan);
  show("real", N, y, 2 * distance);
  fftwf_destroy_plan(plan);
}

#ifdef LOCK_PLANNER
static pthread_mutex_t planner = PTHREAD_MUTEX_INITIALIZER;
static void planner_lock(void) { pthread_mutex_lock(&planner); }
static void planner_unlock(void) { pthread_mutex_unlock(&planner); }
#else
static void planner_lock(void) {}
static void planner_unlock(void) {}
#endif

static void *plan_and_execute(void *data) {
  fftwf_complex *z = data;
  planner_lock();
  fftwf_plan plan = fftwf_plan_dft_1d(1000, z, z, FFTW_FORWARD, FFTW_ESTIMATE);
  planner_unlock();
  fftwf_execute(plan);
  planner_lock();
  fftwf_destroy_plan(plan);
  planner_unlock();
  return NULL;
}

static void planners_at_once(void) {
  pthread_t threads[PLANNERS];
  fftwf_complex *z[PLANNERS];
  fftwf_make_planner_thread_safe();
  for (unsigned t = 0; t < PLANNERS; t++) {
    z[t] = fftwf_alloc_complex(1000);
    fill(z[t], 2000, 93 + t);
    pthread_create(&threads[t], NULL, plan_and_execute, z[t]);
  }
  for (int t = 0; t < PLANNERS; t++) {
    pthread_join(threads[t], NULL);
    show("planned_at_once", 1000, z[t], 2000);
    fftwf_free(z[t]);
  }
}

#ifndef BEFORE_FFTW_3_3_9
/* The program's own way to run FFTW's jobs: here, one after the other. */
static void parallel_loop(void *(*work)(char *), char *jobs, size_t size, int count, void *data) {
  *(int *)data += 1;
  for (int job = 0; job < count; job++) work(jobs + size * (size_t)job);
}

static void with_callback(void) {
  int calls = 0;
  fftwf_threads_set_callback(parallel_loop, &calls);
  fftwf_plan_with_nthreads(3);
  real_transform();
  show_text("callback_was_used", "%s", calls > 0 ? "yes" : "no");
  fftwf_threads_set_callback(NULL, NULL);
}
#endif

int main(void) {
  show_text("init_threads", "%d", fftwf_init_threads() != 0);
  x = fftwf_alloc_complex(N);
  y = fftwf_alloc_complex(2 * N);
  transform("one_thread", 1);
  transform("two_threads", 2);
  transform("five_threads", 5);
#ifndef BEFORE_FFTW_3_3_9
  show_text("planner_nthreads", "%d", fftwf_planner_nthreads());
#endif
  real_transform();
#ifndef BEFORE_FFTW_3_3_9
  with_callback();
#endif
  planners_at_once();
  fftwf_cleanup_threads();
  transform("after_cleanup", 1);
  fftwf_free(x);
  fftwf_free(y);
  return 0;
}
