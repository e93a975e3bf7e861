/* trace_file.c: the file of a trace. */
#define _GNU_SOURCE
#include "src/report/trace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/report/log.h"
#include "src/report/process_path.h"
#include "src/report/quietly.h"
#include "src/report/trace_line.h"

static struct {
  int fd;
  dev_t device; /* what fd was: a program may close it and open a file of its own under that number */
  ino_t inode;
  char path[PATH_MAX];
  size_t size;
} file = {.fd = -1};

static void unusable(const char *path, const char *why) {
  static atomic_flag told = ATOMIC_FLAG_INIT;
  if (!atomic_flag_test_and_set(&told)) fg_log_setting("FFTW3_GPU_TRACE", path, why);
}

/* A file that is empty or a trace; else why not. */
static const char *objection(int fd, struct stat *st) {
  char start[sizeof FG_TRACE_MAGIC - 1];
  if (fstat(fd, st)) return fg_error_text(errno);
  if (!S_ISREG(st->st_mode)) return "not a regular file";
  if (st->st_size == 0) return NULL;
  const bool read = pread(fd, start, sizeof start, 0) == (ssize_t)sizeof start;
  const bool ours = read && !memcmp(start, FG_TRACE_MAGIC, sizeof start);
  return ours ? NULL : "a file that is not a trace is not written over";
}

/* High: programs may count on low numbers. */
static int open_high(const char *path) {
  const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
  const int high = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 100) : -1;
  if (high < 0) return fd;
  close(fd);
  return high;
}

enum opening { OPENED, BUSY, FAILED };

static enum opening open_path(void) {
  struct stat st;
  const int fd = open_high(file.path);
  const char *why = fd >= 0 ? objection(fd, &st) : fg_error_text(errno);
  const bool busy = !why && flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK;
  if (!why && !busy && ftruncate(fd, 0)) why = fg_error_text(errno);
  if (why) unusable(file.path, why);
  if (why || busy) {
    if (fd >= 0) close(fd);
    return why ? FAILED : BUSY;
  }
  file.fd = fd;
  file.device = st.st_dev;
  file.inode = st.st_ino;
  file.size = 0;
  return OPENED;
}

bool fg_trace_file_open(const char *pattern, bool child) {
  if (!fg_process_path(file.path, pattern, child)) return false;
  enum opening opening = open_path();
  if (opening == BUSY && fg_process_path(file.path, pattern, true)) opening = open_path();
  if (opening == BUSY) unusable(file.path, "another process writes it");
  return opening == OPENED;
}

size_t fg_trace_file_size(void) { return file.size; }

static bool is_open(void) {
  struct stat st;
  return file.fd >= 0 && !fstat(file.fd, &st) && st.st_dev == file.device && st.st_ino == file.inode;
}

/* Once more if the program closed it. */
static bool still_open(void) {
  if (is_open()) return true;
  file.fd = open_high(file.path);
  return is_open();
}

/* First the old tail goes: a process that is killed in between leaves less, but nothing wrong. */
bool fg_trace_file_write(const char *text, size_t length, const char *tail, size_t tail_length) {
  errno = 0;
  const bool good = still_open() && !ftruncate(file.fd, (off_t)file.size) &&
                    fg_write_quietly(file.fd, text, length, (off_t)file.size) &&
                    fg_write_quietly(file.fd, tail, tail_length, (off_t)(file.size + length));
  if (!good) unusable(file.path, errno ? fg_error_text(errno) : "it was replaced");
  file.size += length;
  return good;
}

void fg_trace_file_close(void) {
  if (is_open()) close(file.fd);
  file.fd = -1;
}
