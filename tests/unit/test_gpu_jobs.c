/* test_gpu_jobs.c: fftw3_gpu.h, through the library: executions in streams and in the background. */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api_case.h"
#include "suite.h"

enum { JOBS = 12, THREADS = 4 };

/* ---- streams ---- */

START_TEST(stream_execution) {
  api_forced();
  fftwf_complex *x = api_numbers(1), *y = api_numbers(2), *z = api_numbers(3);
  void *in = api_on_device(x), *out = api_on_device(NULL), *other = api_on_device(z);
  const fftwf_plan p = api_plan(in, out, FFTW_ESTIMATE);
  ck_done(fftw3_gpu_execute_stream(p, NULL));
  ck_done(fftw3_gpu_copy(y, out, POINTS * sizeof *y));
  ck_transform(x, y);
  ck_done(fftw3_gpu_execute_arrays_stream(p, other, out, NULL));
  ck_done(fftw3_gpu_copy(y, out, POINTS * sizeof *y));
  ck_transform(z, y);
  fftwf_destroy_plan(p);
}
END_TEST

START_TEST(stream_execution_refuses) {
  api_forced();
  fftwf_complex *x = api_numbers(1), *y = api_numbers(2), before[POINTS];
  memcpy(before, y, sizeof before);
  void *in = api_on_device(x);
  const fftwf_plan host = api_plan(x, y, FFTW_ESTIMATE), mixed = api_plan(in, y, FFTW_ESTIMATE);
  ck_assert_int_eq(fftw3_gpu_execute_stream(host, NULL), FFTW3_GPU_ERROR_ON_HOST);
  ck_assert_int_eq(fftw3_gpu_execute_stream(mixed, NULL), FFTW3_GPU_ERROR_ON_HOST);
  ck_assert_int_eq(fftw3_gpu_execute_stream(NULL, NULL), FFTW3_GPU_ERROR_ARGUMENT);
  ck_assert_int_eq(fftw3_gpu_execute_arrays_stream(host, NULL, x, NULL), FFTW3_GPU_ERROR_ARGUMENT);
  ck_assert_mem_eq(before, y, sizeof before);
  const fftwf_iodim dim = {N, 1, 1};
  float *f = (float *)in;
  const fftwf_plan split = fftwf_plan_guru_split_dft(1, &dim, 0, NULL, f, f + N, f + 2 * N, f + 3 * N, FFTW_ESTIMATE);
  ck_assert_int_eq(fftw3_gpu_execute_arrays_stream(split, in, in, NULL), FFTW3_GPU_ERROR_ARGUMENT);
  ck_done(fftw3_gpu_execute_stream(split, NULL));
  fftwf_destroy_plan(split);
  fftwf_destroy_plan(host);
  fftwf_destroy_plan(mixed);
}
END_TEST

START_TEST(stream_execution_fails) {
  api_forced();
  setenv("FFTW3_GPU_SIM_FAIL", "launch:1+", 1);
  fftwf_complex *x = api_numbers(1), *y = api_numbers(2);
  void *in = api_on_device(x), *out = api_on_device(NULL);
  const fftwf_plan p = api_plan(in, out, FFTW_ESTIMATE), in_place = api_plan(in, in, FFTW_ESTIMATE);
  ck_assert_int_eq(fftw3_gpu_execute_stream(p, NULL), FFTW3_GPU_ERROR_FAILED);
  ck_assert_int_eq(fftw3_gpu_execute_stream(in_place, NULL), FFTW3_GPU_ERROR_FAILED);
  fftwf_execute(p); /* by the real FFTW */
  ck_done(fftw3_gpu_copy(y, out, POINTS * sizeof *y));
  ck_transform(x, y);
}
END_TEST

/* ---- in the background ---- */

/* Half of the jobs are the real FFTW's own plans. */
static void *several_at_once(void *unused) {
  fftwf_complex *x[JOBS], *y[JOBS];
  fftwf_plan p[JOBS];
  fftw3_gpu_job *job[JOBS];
  for (int i = 0; i < JOBS; i++) {
    x[i] = api_numbers(i);
    y[i] = api_numbers(100 + i);
    p[i] = api_plan(x[i], y[i], FFTW_ESTIMATE);
    ck_done(fftw3_gpu_start(p[i], &job[i]));
  }
  for (int i = JOBS - 1; i >= 0; i--) {
    if (i % 3 == 0)
      while (!fftw3_gpu_done(job[i])) usleep(100);
    ck_done(fftw3_gpu_wait(job[i]));
    ck_transform(x[i], y[i]);
    fftwf_destroy_plan(p[i]);
    fftwf_free(x[i]);
    fftwf_free(y[i]);
  }
  return unused;
}

START_TEST(jobs_of_several_threads) {
  static const char *const modes[] = {"force", "auto", "off"};
  pthread_t threads[THREADS];
  api_choose(modes[_i]);
  fftwf_make_planner_thread_safe();
  for (int t = 0; t < THREADS; t++) ck_assert_int_eq(pthread_create(&threads[t], NULL, several_at_once, NULL), 0);
  for (int t = 0; t < THREADS; t++) pthread_join(threads[t], NULL);
}
END_TEST

START_TEST(jobs_that_make_no_sense) {
  api_forced();
  fftw3_gpu_job *job = NULL;
  ck_assert_int_eq(fftw3_gpu_start(NULL, &job), FFTW3_GPU_ERROR_ARGUMENT);
  ck_assert_ptr_null(job);
  ck_done(fftw3_gpu_wait(NULL));
  ck_assert_int_eq(fftw3_gpu_done(NULL), 0);
}
END_TEST

/* The child has the job but not the thread that does it; jobs of its own are done. */
START_TEST(jobs_and_fork) {
  api_forced();
  fftwf_complex *x = api_numbers(1), *y = api_numbers(2);
  const fftwf_plan p = api_plan(x, y, FFTW_ESTIMATE);
  fftw3_gpu_job *job, *own;
  ck_done(fftw3_gpu_start(p, &job));
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    const int was_done = fftw3_gpu_done(job), code = fftw3_gpu_wait(job);
    if (code != (was_done ? 0 : FFTW3_GPU_ERROR_NO_DEVICE)) _exit(1);
    if (fftw3_gpu_start(p, &own) != 0 || fftw3_gpu_wait(own) != 0) _exit(2);
    ck_transform(x, y);
    _exit(0);
  }
  int status;
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert_int_eq(status, 0);
  ck_done(fftw3_gpu_wait(job));
  ck_transform(x, y);
}
END_TEST

/* ---- cancellation: no function is a point where a thread ends, as none of FFTW's is ---- */

static int steps;
static fftwf_plan planned; /* on arrays of the host: on a device it has to be planned anew */

/* Without Check's functions, which are such points. */
static void *cancelled(void *content) {
  void *in = NULL, *out = NULL;
  fftw3_gpu_job *job;
  pthread_cancel(pthread_self());
  steps += fftw3_gpu_malloc(&in, (POINTS + 1) * sizeof(fftwf_complex)) == 0;
  steps += fftw3_gpu_malloc(&out, (POINTS + 1) * sizeof(fftwf_complex)) == 0;
  float *const x = (float *)in + 1, *const y = (float *)out + 1; /* for which there are no kernels yet */
  steps += fftw3_gpu_copy(x, content, POINTS * sizeof(fftwf_complex)) == 0;
  steps += fftw3_gpu_execute_arrays_stream(planned, x, y, NULL) == 0;
  for (int i = 0; i < 50; i++) {
    const int started = fftw3_gpu_start(planned, &job) == 0;
    for (int turn = 0; turn < i; turn++) sched_yield(); /* a thread may have begun it */
    steps += started && fftw3_gpu_wait(job) == 0;
  }
  fftwf_cleanup();
  steps += fftw3_gpu_free(in) == 0 && fftw3_gpu_free(out) == 0;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL); /* not here either: AddressSanitizer minds */
  return NULL;
}

START_TEST(cancelled_threads_go_on_to_the_end) {
  pthread_t thread;
  api_forced();
  fftwf_complex *x = api_numbers(1), *y = api_numbers(2);
  planned = api_plan(x, y, FFTW_ESTIMATE);
  ck_assert_int_eq(pthread_create(&thread, NULL, cancelled, x), 0);
  pthread_join(thread, NULL);
  ck_assert_int_eq(steps, 55);
  fftwf_destroy_plan(planned);
  fftwf_free(x);
  fftwf_free(y);
}
END_TEST

int main(void) {
  TCase *tc = tcase_create("gpu jobs");
  tcase_set_timeout(tc, 120);
  tcase_add_test(tc, stream_execution);
  tcase_add_test(tc, stream_execution_refuses);
  tcase_add_test(tc, stream_execution_fails);
  tcase_add_loop_test(tc, jobs_of_several_threads, 0, 3);
  tcase_add_test(tc, jobs_that_make_no_sense);
  tcase_add_test(tc, jobs_and_fork);
  tcase_add_test(tc, cancelled_threads_go_on_to_the_end);
  return test_run(tc, "gpu jobs");
}
