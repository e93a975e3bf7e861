/* backend.c: the calling thread's last failure.
 *
 * It is kept under a thread key, not in a __thread array: a preloaded library's __thread memory is taken out of
 * the stack of every thread of the program. */
#include "config.h"

#include "cuda/backend.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

bool fg_dependent_launches = true;

enum { LONGEST = 4096 };

/* Two texts in turn, since who has asked for a message may fail at something else, cleaning up, before it is told. */
typedef struct {
  int code, now;
  char text[2][LONGEST];
} failure;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool have_key;

static void make_key(void) { have_key = pthread_key_create(&key, free) == 0; }

static failure *last(void) {
  pthread_once(&once, make_key);
  return have_key ? pthread_getspecific(key) : NULL;
}

/* The calling thread's, made if it has none; NULL: no memory. */
static failure *own(void) {
  failure *f = last();
  if (f || !have_key || !(f = calloc(1, sizeof *f))) return f;
  if (pthread_setspecific(key, f) == 0) return f;
  free(f);
  return NULL;
}

const char *fg_backend_message(void) { return last() ? last()->text[last()->now] : "no message"; }
int fg_backend_code(void) { return last() ? last()->code : 0; }

int fg_backend_fail(int code, const char *format, ...) {
  failure *const f = own();
  if (!f) return code;
  va_list args;
  va_start(args, format);
  vsnprintf(f->text[!f->now], LONGEST, format, args); /* the arguments may contain the old message */
  va_end(args);
  f->now = !f->now;
  f->code = code;
  return code;
}
