/* handlers.c: what a program's signal handlers may do to this library.
 *   exit MICROSECONDS: ends the process with status 7 from one that came amid executions
 *   fork: each maps and unmaps memory, while the process forks again and again */
#include <fftw3.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 16, FORKS = 300, BYTES = 1 << 20 };

static void end(int signal) {
  (void)signal;
  exit(7);
}

static void map(int signal) {
  (void)signal;
  void *const p = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p != MAP_FAILED) munmap(p, BYTES);
}

static void come(void (*handler)(int), int microseconds) {
  const struct itimerval often = {{0, microseconds}, {0, microseconds}};
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
  sigaction(SIGALRM, &action, NULL);
  setitimer(ITIMER_REAL, &often, NULL);
}

static void fork_often(void) {
  char *const large = malloc(200 << 20); /* a fork takes longer */
  if (large) memset(large, 1, 200 << 20);
  come(map, 2000);
  for (int i = 0; i < FORKS; i++) {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    if (child > 0) waitpid(child, NULL, 0);
  }
  free(large);
}

int main(int argc, char **argv) {
  fftwf_complex *const data = fftwf_malloc(N * sizeof *data);
  if (argc < 2 || !data) return 2;
  fftwf_plan plan = fftwf_plan_dft_1d(N, data, data, FFTW_FORWARD, FFTW_ESTIMATE);
  memset(data, 0, N * sizeof *data);
  if (strcmp(argv[1], "exit") == 0) {
    come(end, argc > 2 ? atoi(argv[2]) : 30000);
    for (;;) fftwf_execute(plan);
  }
  fork_often();
  fftwf_execute(plan);
  puts("end");
  return 0;
}
