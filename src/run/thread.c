/* thread.c: threads of ours in the program's process. */
#include "src/run/thread.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>

/* Planning takes 64 KB at most, the driver's start and the sim's compiler more: what is not touched costs nothing.  (glibc's default
 * is more, and may have to be: the program's thread-local variables are on it.) */
static const size_t stack = 2 << 20;

bool fg_thread_start(void *(*work)(void *), void *context) {
  sigset_t all, before;
  pthread_attr_t attributes;
  pthread_t thread;
  if (pthread_attr_init(&attributes)) return false;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  size_t usual;
  if (!pthread_attr_getstacksize(&attributes, &usual) && usual < stack) pthread_attr_setstacksize(&attributes, stack);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const bool started = pthread_create(&thread, &attributes, work, context) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  return started;
}
