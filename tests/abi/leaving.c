/* leaving.c: what programs do while FFTW plans, in the loop that they have given it (fftwf_threads_set_callback) or in a function
 * that it calls (memalign):
 *   fork        another thread forks, and the child plans and destroys
 *   loop        the loop is left by longjmp, as by an exception
 *   nested      so is that of a plan that the loop of another has asked for
 *   memalign    so is the planner, as by a signal's handler
 *   within      the planner waits, in memalign, for another thread's fork, whose child plans
 *   destroy     the loop destroys another plan, and makes one
 *   waits       another thread plans while a plan is in its loop: at once, or, after fftwf_make_planner_thread_safe, behind it,
 *               although signals come meanwhile
 *   executes    the loop waits for another thread that executes a short plan, which leaves errno alone
 *   task        the loop goes on in another thread, as tasks of a runtime do, and plans there, but after
 *               fftwf_make_planner_thread_safe (task safe); who was left by it can be cancelled
 *   tasks       that, while another task executes with threads and goes on in another thread, too
 * Then planners work in this thread and in another.  Exit status 3: they do not; killed by an alarm: they wait for ever. */
#include <errno.h>
#include <fftw3.h>
#include <malloc.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum { N = 4096, PATIENCE = 30 };

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

static void nests(void *(*work)(char *), char *jobs, size_t size, int count, void *unused) {
  static int depth;
  (void)unused;
  if (armed && depth++ == 0) {
    fftwf_destroy_plan(fftwf_plan_dft_1d(N / 2, in, out, FFTW_FORWARD, FFTW_MEASURE));
  } else if (armed) {
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

/* Another thread is amid a plan, and waits in its loop. */
static pthread_t begin_plan(void) {
  pthread_t thread;
  if (sem_init(&is_in_loop, 0, 0) || sem_init(&may_go_on, 0, 0)) _exit(2);
  fftwf_threads_set_callback(waits, NULL);
  armed = true;
  if (pthread_create(&thread, NULL, plan_long, NULL)) _exit(2);
  sem_wait(&is_in_loop);
  return thread;
}

static void plan_with(void (*loop)(void *(*)(char *), char *, size_t, int, void *)) {
  fftwf_threads_set_callback(loop, NULL);
  armed = true;
  plan_long(NULL);
  if (armed) _exit(2); /* it was not called */
}

static void fork_and_plan(void) {
  int status;
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
}

static void fork_beside(void) {
  const pthread_t thread = begin_plan();
  fork_and_plan();
  sem_post(&may_go_on);
  pthread_join(thread, NULL);
}

static sem_t has_planned;

static void *plan_and_tell(void *unused) {
  plan_in_thread(NULL);
  sem_post(&has_planned);
  return unused;
}

static void *execute_and_tell(void *unused) {
  errno = ERANGE;
  fftwf_execute(old);
  if (errno != ERANGE) _exit(3);
  sem_post(&has_planned);
  return unused;
}

static void executes(void *(*work)(char *), char *jobs, size_t size, int count, void *unused) {
  pthread_t thread;
  (void)unused;
  if (armed) {
    armed = false;
    if (sem_init(&has_planned, 0, 0) || pthread_create(&thread, NULL, execute_and_tell, NULL)) _exit(2);
    sem_wait(&has_planned);
    pthread_join(thread, NULL);
  }
  do_jobs(work, jobs, size, count);
}

static void nothing(int number) { (void)number; }

/* It goes on waiting. */
static void interrupt(pthread_t thread) {
  const struct timespec nap = {0, 2000000};
  struct sigaction action = {.sa_handler = nothing}; /* without SA_RESTART */
  sigaction(SIGUSR1, &action, NULL);
  for (int i = 0; i < 10; i++) {
    pthread_kill(thread, SIGUSR1);
    nanosleep(&nap, NULL);
  }
}

/* In the loop planners are as they are, and all else is free. */
static void plan_beside(bool safe) {
  pthread_t second;
  struct timespec soon;
  if (sem_init(&has_planned, 0, 0)) _exit(2);
  const pthread_t first = begin_plan();
  if (pthread_create(&second, NULL, plan_and_tell, NULL)) _exit(2);
  clock_gettime(CLOCK_REALTIME, &soon);
  soon.tv_sec += safe ? 1 : PATIENCE;
  if ((sem_timedwait(&has_planned, &soon) == 0) == safe) _exit(3);
  if (safe) interrupt(second);
  if (safe && sem_trywait(&has_planned) == 0) _exit(3);
  fftwf_set_timelimit(FFTW_NO_TIMELIMIT);
  free(fftwf_export_wisdom_to_string());
  sem_post(&may_go_on);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
}

/* The stack is deeper than it was when the planner is called the next time. */
static void __attribute__((noinline)) plan_deeper(void) {
  volatile char room[3000];
  room[0] = 1;
  plan_in_thread(NULL);
  if (!room[0]) _exit(2);
}

static void leave(void (*loop)(void *(*)(char *), char *, size_t, int, void *)) {
  if (loop) fftwf_threads_set_callback(loop, NULL);
  if (!setjmp(back)) {
    armed = true;
    plan_long(NULL);
    _exit(2); /* it was not left */
  }
  plan_deeper();
}

#ifdef OWN_MEMALIGN
static bool forks;

static void *fork_in_thread(void *unused) {
  fork_and_plan();
  return unused;
}

void *__libc_memalign(size_t, size_t);
void *memalign(size_t alignment, size_t bytes) {
  pthread_t thread;
  if (armed) {
    armed = false;
    if (!forks) longjmp(back, 1);
    if (pthread_create(&thread, NULL, fork_in_thread, NULL)) _exit(2);
    pthread_join(thread, NULL);
  }
  return __libc_memalign(alignment, bytes);
}

static void fork_within(void) {
  forks = armed = true;
  plan_long(NULL);
  if (armed) _exit(2); /* it was not called */
}
#else
static void fork_within(void) { _exit(2); }
#endif

/* ---- tasks ---- */

enum { MOVES = 11, STACK = 1 << 20 };

static ucontext_t task, scheduler[2];
static int on, moved;
static sem_t turn[2], never;
static bool ended, is_safe;

static void semaphore(sem_t *s, unsigned count) {
  if (sem_init(s, 0, count)) _exit(2);
}

static void make_task(ucontext_t *t, void (*function)(void)) {
  void *const stack = malloc(STACK);
  if (!stack || getcontext(t)) _exit(2);
  t->uc_stack.ss_sp = stack;
  t->uc_stack.ss_size = STACK;
  makecontext(t, function, 0);
}

static void moves(void *(*work)(char *), char *jobs, size_t size, int count, void *unused) {
  (void)unused;
  do_jobs(work, jobs, size, count);
  if (moved++ >= MOVES) return;
  swapcontext(&task, &scheduler[on]);
  if (!is_safe) plan_in_thread(NULL); /* where stock FFTW waits for itself, too */
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
  while (me) sem_wait(&never);
  return NULL;
}

static void move(void) {
  pthread_t thread;
  fftwf_threads_set_callback(moves, NULL);
  make_task(&task, task_plans);
  semaphore(&turn[0], 1);
  semaphore(&turn[1], 0);
  semaphore(&never, 0);
  if (pthread_create(&thread, NULL, run_task, &task)) _exit(2);
  run_task(NULL);
  pthread_cancel(thread);
  pthread_join(thread, NULL);
  if (moved < MOVES) _exit(2);
}

/* Two of them, each on its thread until it pauses, and then on others. */
static ucontext_t two[2], caller[2];
static bool pauses[2];
static __thread int current;
static fftwf_plan large;

static void pauses_once(void *(*work)(char *), char *jobs, size_t size, int count, void *unused) {
  const int me = current;
  (void)unused;
  do_jobs(work, jobs, size, count);
  if (!pauses[me]) return;
  pauses[me] = false;
  swapcontext(&two[me], &caller[me]);
}

static void first_plans(void) {
  plan_long(NULL);
  swapcontext(&two[0], &caller[0]);
}

static void second_executes(void) {
  fftwf_execute(large);
  swapcontext(&two[1], &caller[1]);
}

static void *go_on(void *which) {
  current = which != NULL;
  swapcontext(&caller[current], &two[current]);
  return NULL;
}

static void go_on_elsewhere(void *which) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, go_on, which)) _exit(2);
  pthread_join(thread, NULL);
}

static void move_both(void) {
  large = fftwf_plan_dft_1d(N, in, out, FFTW_FORWARD, FFTW_ESTIMATE);
  fftwf_threads_set_callback(pauses_once, NULL);
  make_task(&two[0], first_plans);
  make_task(&two[1], second_executes);
  pauses[0] = pauses[1] = true;
  go_on(NULL);
  go_on(two);
  if (pauses[0] || pauses[1]) _exit(2); /* not with threads */
  go_on_elsewhere(two);
  if (!is_safe) plan_in_another(); /* the plan is still paused */
  go_on_elsewhere(NULL);
}

int main(int argc, char **argv) {
  const char *const what = argc > 1 ? argv[1] : "";
  alarm(2 * PATIENCE);
  fftwf_init_threads();
  is_safe = argc > 2;
  if (is_safe) fftwf_make_planner_thread_safe();
  in = fftwf_malloc(N * sizeof *in);
  out = fftwf_malloc(N * sizeof *out);
  old = fftwf_plan_dft_1d(64, in, out, FFTW_FORWARD, FFTW_ESTIMATE);
  if (!in || !out || !old) return 2;
  fftwf_plan_with_nthreads(2);
  if (!strcmp(what, "fork")) fork_beside();
  else if (!strcmp(what, "waits")) plan_beside(is_safe);
  else if (!strcmp(what, "loop")) leave(leaves);
  else if (!strcmp(what, "nested")) leave(nests);
  else if (!strcmp(what, "memalign")) leave(NULL);
  else if (!strcmp(what, "within")) fork_within();
  else if (!strcmp(what, "task")) move();
  else if (!strcmp(what, "tasks")) move_both();
  else if (!strcmp(what, "executes")) plan_with(executes);
  else if (!strcmp(what, "destroy")) plan_with(destroys);
  else return 2;
  fftwf_threads_set_callback(NULL, NULL);
  plan_in_thread(NULL);
  plan_in_another();
  puts(what);
  return 0;
}
