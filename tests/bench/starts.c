/* starts.c: how much longer a program takes from start to end under a preload.
 *
 *   starts TIMES LIBRARY PROGRAM [ARGUMENT...]
 *
 * Starts it so many times each without and with the preload, by turns, and prints milliseconds: medians of both, and
 * the median of the differences of neighbours.  Exit status 1 if the program ever fails. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/bench/transform.h"

/* Milliseconds; -1: it failed. */
static double run(const char *library, char **command) {
  const double start = seconds_now();
  const pid_t child = fork();
  if (child == 0) {
    if (library) setenv("LD_PRELOAD", library, 1);
    execv(command[0], command);
    _exit(127);
  }
  int status = 1;
  if (child < 0 || waitpid(child, &status, 0) != child || status) return -1;
  return 1e3 * (seconds_now() - start);
}

int main(int count, char **arguments) {
  const int times = count > 3 ? atoi(arguments[1]) : 0;
  if (times < 1) {
    fprintf(stderr, "usage: starts TIMES LIBRARY PROGRAM [ARGUMENT...]\n");
    return 2;
  }
  unsetenv("LD_PRELOAD");
  double *stock = calloc(3 * (size_t)times, sizeof *stock), *ours = stock + times, *more = ours + times;
  if (!stock) return 1;
  run(NULL, arguments + 3);
  run(arguments[2], arguments + 3); /* files come into memory */
  for (int i = 0; i < times; i++) {
    /* Whoever comes first changes from turn to turn. */
    if (i % 2) ours[i] = run(arguments[2], arguments + 3);
    stock[i] = run(NULL, arguments + 3);
    if (i % 2 == 0) ours[i] = run(arguments[2], arguments + 3);
    if (stock[i] < 0 || ours[i] < 0) {
      fprintf(stderr, "starts: %s failed\n", arguments[3]);
      return 1;
    }
    more[i] = ours[i] - stock[i];
  }
  const double stock_ms = median_of(stock, times), ours_ms = median_of(ours, times), more_ms = median_of(more, times);
  printf("%d starts each: stock %.2f ms, preloaded %.2f ms, difference %.2f ms\n", times, stock_ms, ours_ms, more_ms);
  free(stock);
  return 0;
}
