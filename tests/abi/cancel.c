/* cancel.c: a thread that has been cancelled plans and executes to the end, as in FFTW, which has no cancellation
 * points; and errno is left alone.  Status 3 if not. */
#include <errno.h>
#include <fftw3.h>
#include <pthread.h>
#include <stdio.h>

enum { N = 60, ERRNO = 77 };

static fftwf_complex data[N];
static int done; /* steps of the thread */

static fftwf_plan transform(void) {
  errno = ERRNO;
  fftwf_plan plan = fftwf_plan_dft_1d(N, data, data, FFTW_FORWARD, FFTW_ESTIMATE);
  if (!plan || errno != ERRNO) return NULL;
  done++;
  fftwf_execute(plan);
  if (errno != ERRNO) return NULL;
  done++;
  return plan;
}

static void *cancelled(void *unused) {
  pthread_cancel(pthread_self());
  fftwf_destroy_plan(transform());
  pthread_testcancel();
  return unused;
}

int main(void) {
  pthread_t thread;
  void *end = NULL;
  if (pthread_create(&thread, NULL, cancelled, NULL) || pthread_join(thread, &end)) return 2;
  if (end != PTHREAD_CANCELED || done != 2) {
    printf("the thread made %d of 2 steps and was %scancelled\n", done, end == PTHREAD_CANCELED ? "" : "not ");
    return 3;
  }
  /* Nothing that it held is missing now. */
  fftwf_plan plan = transform();
  fftwf_destroy_plan(plan);
  return plan ? 0 : 3;
}
