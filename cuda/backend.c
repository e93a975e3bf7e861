/* backend.c: the calling thread's last failure, as text.
 *
 * The text is kept under a thread key, not in a __thread array: a preloaded library's __thread memory is taken out of
 * the stack of every thread of the program. */
#include "config.h"

#include "cuda/backend.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

bool fg_dependent_launches = false;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool have_key;

static void make_key(void) { have_key = pthread_key_create(&key, free) == 0; }

static void keep(char *text) {
  char *old;
  pthread_once(&once, make_key);
  if (!have_key) {
    free(text);
    return;
  }
  old = pthread_getspecific(key);
  if (pthread_setspecific(key, text) == 0)
    free(old);
  else
    free(text);
}

const char *fg_backend_message(void) {
  const char *text;
  pthread_once(&once, make_key);
  text = have_key ? pthread_getspecific(key) : NULL;
  return text ? text : "no message";
}

int fg_backend_fail(int code, const char *format, ...) {
  char *text = NULL;
  va_list args;
  va_start(args, format);
  if (vasprintf(&text, format, args) < 0) text = NULL;
  va_end(args);
  keep(text); /* after formatting: the arguments may contain the old message */
  return code;
}
