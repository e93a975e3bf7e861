/* own_threads.c: a program with its own threads. Planning is behind a mutex, as FFTW asks; executing is not: eight
 * threads share one plan on their own arrays, and eight threads have a plan each. */
#include <fftw3.h>
#include <pthread.h>
#include <stdio.h>

#include "tests/programs/show.h"

enum { THREADS = 8, N = 24 * 30, TURNS = 4 };

static pthread_mutex_t planner = PTHREAD_MUTEX_INITIALIZER;
static fftwf_plan shared;

typedef struct {
  unsigned number;
  fftwf_complex *in, *out;
} worker;

static void *use_shared_plan(void *data) {
  worker *w = data;
  for (int turn = 0; turn < TURNS; turn++) fftwf_execute_dft(shared, w->in, w->out);
  return NULL;
}

static int own_length(unsigned number) { return (int)(number % 4 + 3) * 60; }

static fftwf_plan locked_plan(const worker *w, int sign) {
  pthread_mutex_lock(&planner);
  fftwf_plan plan = fftwf_plan_dft_1d(own_length(w->number), w->in, w->out, sign, FFTW_ESTIMATE);
  pthread_mutex_unlock(&planner);
  return plan;
}

static void *use_own_plans(void *data) {
  worker *w = data;
  for (int turn = 0; turn < TURNS; turn++) {
    fftwf_plan plan = locked_plan(w, turn % 2 ? FFTW_FORWARD : FFTW_BACKWARD);
    fftwf_execute(plan);
    pthread_mutex_lock(&planner);
    fftwf_destroy_plan(plan);
    pthread_mutex_unlock(&planner);
  }
  return NULL;
}

static void run_all(worker *workers, void *(*work)(void *)) {
  pthread_t threads[THREADS];
  for (int t = 0; t < THREADS; t++) pthread_create(&threads[t], NULL, work, &workers[t]);
  for (int t = 0; t < THREADS; t++) pthread_join(threads[t], NULL);
}

static void show_all(const worker *workers, const char *what) {
  char name[32];
  for (int t = 0; t < THREADS; t++) {
    snprintf(name, sizeof name, "%s_%d", what, t);
    show(name, N, workers[t].out, 2 * N);
  }
}

int main(void) {
  worker workers[THREADS];
  for (unsigned t = 0; t < THREADS; t++) {
    workers[t] = (worker){t, fftwf_alloc_complex(N), fftwf_alloc_complex(N)};
    fill(workers[t].in, 2 * N, 70 + t);
  }
  shared = fftwf_plan_dft_2d(24, 30, workers[0].in, workers[0].out, FFTW_FORWARD, FFTW_ESTIMATE);
  run_all(workers, use_shared_plan);
  show_all(workers, "shared_plan");
  run_all(workers, use_own_plans);
  show_all(workers, "own_plans");
  fftwf_destroy_plan(shared);
  for (int t = 0; t < THREADS; t++) {
    fftwf_free(workers[t].in);
    fftwf_free(workers[t].out);
  }
  return 0;
}
