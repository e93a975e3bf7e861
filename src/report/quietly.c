/* quietly.c: writing that harms nobody where it fails. */
#include "src/report/quietly.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

/* Both signals are the thread's that writes. */
static void take(int signal) {
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, signal);
  while (sigtimedwait(&one, NULL, &(struct timespec){0, 0}) < 0 && errno == EINTR) continue;
}

ssize_t fg_write_quietly(int fd, const void *from, size_t bytes, off_t at) {
  sigset_t both, before, pending;
  sigemptyset(&both);
  sigaddset(&both, SIGPIPE);
  sigaddset(&both, SIGXFSZ);
  if (sigpending(&pending) || pthread_sigmask(SIG_BLOCK, &both, &before)) return -1;
  const ssize_t written = at < 0 ? write(fd, from, bytes) : pwrite(fd, from, bytes, at);
  const int why = errno, signal = written >= 0 ? 0 : why == EPIPE ? SIGPIPE : why == EFBIG ? SIGXFSZ : 0;
  if (signal && !sigismember(&pending, signal)) take(signal);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  errno = why;
  return written;
}
