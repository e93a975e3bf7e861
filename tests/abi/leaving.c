/* leaving.c: what programs do while FFTW plans, in the loop that they have given it (fftwf_threads_set_callback) or in a function
 * that it calls (memalign):
 *   fork        another thread forks, and the child plans and destroys
 *   loop        the loop is left by longjmp, as by an exception
 *   memalign    so is the planner, as by a signal's handler
 *   destroy     the loop destroys another plan, and makes one
 *   task        the loop goes on in another thread, as tasks of a runtime do; task safe: fftwf_make_planner_thread_safe was called
 * Then planners work in this thread and in another.  Exit status 3: they do not; killed by an alarm: they wait for ever. */
#include <fftw3.h>
#include <malloc.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { N = 65536, PATIENCE = 30 };

static fftwf_complex *in, *out;
static fftwf_plan old;
static jmp_buf back;
static bool armed;

/* ---- planners work ---- */

static void *plan_in_thread(void *unused) {
  fftwf_complex *const points = fftwf_malloc(60 * sizeof *points);
  memset(points, 0, 60 * sizeof *points);
  points[0][0] = 1;
  fftwf_plan plan = fftwf_plan_dft_1d(60, points, points, FFTW_FORWARD, FFTW_ESTIMATE);
  if (!plan) _exit(3);
  fftwf_execute(plan);
  if (points[59][0] < 0.99f || points[59][0] > 1.01f) _exit(3);
  fftwf_destroy_plan(plan);
  fftwf_free(points);
  return unused;
}

static void plan_in_another(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, plan_in_thread, NULL)) _exit(2);
  pthread_join(thread, NULL);
}

static void *plan_long(void *unused) {
  fftwf_plan plan = fftwf_plan_dft_1d(N, in, out, FFTW_FORWARD, FFTW_MEASURE);
  if (!plan) _exit(3);
  fftwf_destroy_plan(plan);
  return unused;
}

/* ---- loops ---- */

static void do_jobs(void *(*work)(char *), char *jobs, size_t size, int count) {
  for (int i = 0; i < count; i++) work(jobs + (size_t)i * size);
}

static sem_t is_in_loop, may_go_on;

static void waits(void *(*work)(char *), char *jobs, size_t size, int count, void *unused) {
  (void)unused;
  if (armed) {
    armed = false;
    sem_post(&is_in_loop);
    sem_wait(&may_go_on);
  }
  do_jobs(work, jobs, size, count);
}

static void leaves(void *(*work)(char *), char *jobs, size_t size, int count, void *unused) {
  (void)unused;
  if (armed) {
    armed = false;
    longjmp(back, 1);
  }
  do_jobs(work, jobs, size, count);
}

static void destroys(void *(*work)(char *), char *jobs, size_t size, int count, void *unused) {
  (void)unused;
  if (armed) {
    armed = false;
    fftwf_destroy_plan(old);
  }
  do_jobs(work, jobs, size, count);
}

/* ---- the cases ---- */

static void fork_beside(void) {
  pthread_t thread;
  int status;
  sem_init(&is_in_loop, 0, 0);
  sem_init(&may_go_on, 0, 0);
  fftwf_threads_set_callback(waits, NULL);
  armed = true;
  if (pthread_create(&thread, NULL, plan_long, NULL)) _exit(2);
  sem_wait(&is_in_loop);
  const pid_t child = fork();
  if (child == 0) {
    alarm(PATIENCE);
    fftwf_threads_set_callback(NULL, NULL);
    fftwf_destroy_plan(old);
    plan_in_thread(NULL);
    plan_in_another();
    _exit(0);
  }
  if (waitpid(child, &status, 0) < 0 || status) _exit(3);
  sem_post(&may_go_on);
  pthread_join(thread, NULL);
}

/* The stack is deeper than it was when the planner is called the next time. */
static void __attribute__((noinline)) plan_deeper(void) {
  volatile char room[3000];
  room[0] = 1;
  plan_in_thread(NULL);
  if (!room[0]) _exit(2);
}

static void leave(bool by_loop) {
  if (by_loop) fftwf_threads_set_callback(leaves, NULL);
  if (!setjmp(back)) {
    armed = true;
    plan_long(NULL);
    _exit(2); /* it was not left */
  }
  plan_deeper();
}

#ifdef OWN_MEMALIGN
void *__libc_memalign(size_t, size_t);
void *memalign(size_t alignment, size_t bytes) {
  if (armed) {
    armed = false;
    longjmp(back, 1);
  }
  return __libc_memalign(alignment, bytes);
}
#endif

static ucontext_t task, scheduler[2];
static int on, moved;
static sem_t turn[2];
static bool ended;

static void moves(void *(*work)(char *), char *jobs, size_t size, int count, void *unused) {
  (void)unused;
  do_jobs(work, jobs, size, count);
  if (moved++ < 11) swapcontext(&task, &scheduler[on]);
}

static void task_plans(void) {
  plan_long(NULL);
  ended = true;
  swapcontext(&task, &scheduler[on]);
}

static void *run_task(void *number) {
  const int me = number != NULL;
  while (!ended) {
    sem_wait(&turn[me]);
    on = me;
    if (!ended) swapcontext(&scheduler[me], &task);
    sem_post(&turn[!me]);
  }
  return NULL;
}

static void move(void) {
  pthread_t thread;
  enum { STACK = 1 << 20 };
  fftwf_threads_set_callback(moves, NULL);
  getcontext(&task);
  task.uc_stack.ss_sp = malloc(STACK);
  task.uc_stack.ss_size = STACK;
  makecontext(&task, task_plans, 0);
  sem_init(&turn[0], 0, 1);
  sem_init(&turn[1], 0, 0);
  if (pthread_create(&thread, NULL, run_task, &task)) _exit(2);
  run_task(NULL);
  pthread_join(thread, NULL);
  free(task.uc_stack.ss_sp);
  if (moved < 11) _exit(2);
}

int main(int argc, char **argv) {
  const char *const what = argc > 1 ? argv[1] : "";
  alarm(2 * PATIENCE);
  fftwf_init_threads();
  if (argc > 2) fftwf_make_planner_thread_safe();
  in = fftwf_malloc(N * sizeof *in);
  out = fftwf_malloc(N * sizeof *out);
  old = fftwf_plan_dft_1d(64, in, out, FFTW_FORWARD, FFTW_ESTIMATE);
  if (!in || !out || !old) return 2;
  fftwf_plan_with_nthreads(2);
  if (!strcmp(what, "fork")) fork_beside();
  else if (!strcmp(what, "loop")) leave(true);
  else if (!strcmp(what, "memalign")) leave(false);
  else if (!strcmp(what, "task")) move();
  else if (!strcmp(what, "destroy")) {
    fftwf_threads_set_callback(destroys, NULL);
    armed = true;
    plan_long(NULL);
    if (armed) return 2;
  } else {
    return 2;
  }
  fftwf_threads_set_callback(NULL, NULL);
  plan_in_thread(NULL);
  plan_in_another();
  puts(what);
  return 0;
}
