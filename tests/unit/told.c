/* told.c: what the library told, in its log. */
#include "told.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "suite.h"

static char own_path[] = "/tmp/fftw3-gpu-test-log-XXXXXX";
static const char *path = own_path;

void test_log_to_file(void) {
  const int fd = mkstemp(own_path);
  if (fd < 0) exit(EXIT_FAILURE);
  close(fd);
  setenv("FFTW3_GPU_LOG", "warn", 1);
  setenv("FFTW3_GPU_LOG_FILE", path, 1);
}

void test_log_inherit(void) { path = getenv("FFTW3_GPU_LOG_FILE"); }

void test_log_remove(void) { unlink(path); }

void test_log_clear(void) { ck_assert_int_eq(truncate(path, 0), 0); }

/* Lines that begin with start and hold text. */
static int count(const char *start, const char *text) {
  char line[2048];
  int lines = 0;
  FILE *f = fopen(path, "r");
  ck_assert_ptr_nonnull(f);
  while (fgets(line, sizeof line, f)) lines += strncmp(line, start, strlen(start)) == 0 && strstr(line, text) != NULL;
  fclose(f);
  return lines;
}

int test_log_lines(const char *level) {
  char start[40];
  snprintf(start, sizeof start, "fftw3-gpu: %s: ", level);
  return count(start, "");
}

bool test_log_says(const char *text) { return count("", text) > 0; }

int test_in_child(void (*work)(void *argument), void *argument, char *stderr_text, size_t size) {
  int ends[2], status;
  size_t used = 0;
  ck_assert_int_eq(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    alarm(60); /* a hang is a failure too */
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    work(argument);
    _exit(0);
  }
  close(ends[1]);
  for (ssize_t got = 1; got > 0;) {
    got = read(ends[0], stderr_text + used, size - 1 - used);
    used += got > 0 ? (size_t)got : 0;
  }
  stderr_text[used] = '\0';
  close(ends[0]);
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  return status;
}
