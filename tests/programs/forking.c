/* forking.c: a program that forks after it has planned and executed. Child and parent both use the old plan and
 * make new ones; so does a child of the child. */
#include <fftw3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/programs/show.h"

enum { N = 420 };

static fftwf_complex *x, *y;
static fftwf_plan old;

static void execute(const char *who, const char *what, fftwf_plan plan, unsigned seed) {
  char name[64];
  snprintf(name, sizeof name, "%s_%s", who, what);
  fill(x, 2 * N, seed);
  fftwf_execute(plan);
  show(name, N, y, 2 * N);
}

static void work(const char *who) {
  execute(who, "old_plan", old, 81);
  fftwf_plan fresh = fftwf_plan_dft_1d(N, x, y, FFTW_BACKWARD, FFTW_ESTIMATE);
  fftwf_plan same = fftwf_plan_dft_2d(20, 21, x, y, FFTW_FORWARD, FFTW_ESTIMATE);
  execute(who, "new_plan", fresh, 82);
  execute(who, "same_plan", same, 83);
  fftwf_destroy_plan(fresh);
  fftwf_destroy_plan(same);
}

/* The parent waits, so that the lines come in order. */
static int in_child(void (*what)(void)) {
  int status = 0;
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    what();
    fftwf_destroy_plan(old);
    exit(0);
  }
  return child < 0 || waitpid(child, &status, 0) != child || status != 0;
}

static void grandchild(void) { work("grandchild"); }

static void child(void) {
  work("child");
  if (in_child(grandchild)) exit(1);
}

static void quick_child(void) {
  work("quick_child");
  fflush(stdout);
  _exit(0);
}

int main(void) {
  x = fftwf_alloc_complex(N);
  y = fftwf_alloc_complex(N);
  old = fftwf_plan_dft_2d(20, 21, x, y, FFTW_FORWARD, FFTW_ESTIMATE);
  work("before");
  int bad = in_child(child) || in_child(quick_child);
  work("parent");
  fftwf_destroy_plan(old);
  fftwf_free(x);
  fftwf_free(y);
  return bad;
}
