/* quietly.c: writing that harms nobody where it fails. */
#include "src/report/quietly.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

int fg_open_quietly(const char *path) {
  const int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
  const int flags = fd < 0 ? -1 : fcntl(fd, F_GETFL);
  if (flags >= 0) fcntl(fd, F_SETFL, flags & ~O_NONBLOCK); /* who reads slowly is waited for */
  return fd;
}

enum { SIGNALS = 2 };
static const int signals[SIGNALS] = {SIGPIPE, SIGXFSZ}; /* both are the thread's that writes */

static void take(int signal) {
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, signal);
  while (sigtimedwait(&one, NULL, &(struct timespec){0, 0}) < 0 && errno == EINTR) continue;
}

static bool write_all(int fd, const char *from, size_t bytes, off_t at) {
  while (bytes > 0) { /* a pipe may take less */
    const ssize_t written = at < 0 ? write(fd, from, bytes) : pwrite(fd, from, bytes, at);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    from += written;
    bytes -= (size_t)written;
    if (at >= 0) at += written;
  }
  return true;
}

/* What was written says nothing of the signal: a pipe whose reader goes away meanwhile has taken a part, and raises it. */
bool fg_write_quietly(int fd, const void *from, size_t bytes, off_t at) {
  sigset_t both, mask, before, now;
  sigemptyset(&both);
  for (int i = 0; i < SIGNALS; i++) sigaddset(&both, signals[i]);
  if (sigpending(&before) || pthread_sigmask(SIG_BLOCK, &both, &mask)) return false;
  const bool written = write_all(fd, from, bytes, at);
  const int why = errno;
  for (int i = 0; i < SIGNALS && !sigpending(&now); i++)
    if (sigismember(&now, signals[i]) && !sigismember(&before, signals[i])) take(signals[i]);
  pthread_sigmask(SIG_SETMASK, &mask, NULL);
  errno = why;
  return written;
}
