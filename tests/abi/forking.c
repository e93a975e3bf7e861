/* forking.c: forks beside a thread that executes, for each execution of which the real FFTW has to plan (split arrays a new distance
 * apart, and nothing runs on the device); each child executes a plan that the real FFTW has not seen.  With argument how often. */
#include <fftw3.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 360, ROWS = 30, MOST_APART = N + 50 };

static atomic_int stop;
static fftwf_plan split;
static float *arrays;

static void *execute(void *unused) {
  float *const out = arrays + 2 * MOST_APART;
  (void)unused;
  for (int apart = N; !atomic_load(&stop); apart = apart < MOST_APART ? apart + 1 : N)
    fftwf_execute_split_dft(split, arrays, arrays + apart, out, out + apart);
  return NULL;
}

/* Whether the child got through. */
static int child_is_well(fftwf_plan plan) {
  int status;
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    fftwf_execute(plan);
    _exit(0);
  }
  return waitpid(child, &status, 0) == child && status == 0;
}

int main(int argc, char **argv) {
  const fftwf_r2r_kind kind = FFTW_REDFT10;
  const fftwf_iodim dim = {N, 1, 1};
  const int forks = argc > 1 ? atoi(argv[1]) : 1, row = ROWS;
  int ill = 0;
  pthread_t thread;
  arrays = fftwf_malloc(4 * MOST_APART * sizeof *arrays);
  float *const rows = fftwf_malloc(ROWS * ROWS * sizeof *rows);
  if (!arrays || !rows) return 2;
  for (int i = 0; i < 4 * MOST_APART; i++) arrays[i] = (float)(i % 7);
  for (int i = 0; i < ROWS * ROWS; i++) rows[i] = 1;
  float *const out = arrays + 2 * MOST_APART;
  split = fftwf_plan_guru_split_dft(1, &dim, 0, NULL, arrays, arrays + N, out, out + N, FFTW_ESTIMATE | FFTW_UNALIGNED);
  fftwf_plan plan = fftwf_plan_many_r2r(1, &row, ROWS, rows, NULL, 1, ROWS, rows, NULL, 1, ROWS, &kind, FFTW_ESTIMATE);
  if (!split || !plan || pthread_create(&thread, NULL, execute, NULL)) return 2;
  for (int i = 0; i < forks; i++) ill += !child_is_well(plan);
  atomic_store(&stop, 1);
  pthread_join(thread, NULL);
  fftwf_destroy_plan(split);
  fftwf_destroy_plan(plan);
  fftwf_free(arrays);
  fftwf_free(rows);
  printf("%d of %d children failed\n", ill, forks);
  return ill > 0;
}
