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
#include <string.h>

bool fg_dependent_launches = true;

typedef struct {
  int code;
  char text[];
} failure;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool have_key;

static void make_key(void) { have_key = pthread_key_create(&key, free) == 0; }

static const failure *last(void) {
  pthread_once(&once, make_key);
  return have_key ? pthread_getspecific(key) : NULL;
}

/* Takes it over; NULL: not even memory for the text. */
static void keep(failure *f) {
  failure *const old = (failure *)last();
  free(have_key && pthread_setspecific(key, f) == 0 ? old : f);
}

const char *fg_backend_message(void) { return last() ? last()->text : "no message"; }
int fg_backend_code(void) { return last() ? last()->code : 0; }

int fg_backend_fail(int code, const char *format, ...) {
  va_list args;
  va_start(args, format);
  const int length = vsnprintf(NULL, 0, format, args);
  va_end(args);
  failure *const f = length < 0 ? NULL : malloc(sizeof *f + (size_t)length + 1);
  if (f) {
    va_start(args, format);
    vsnprintf(f->text, (size_t)length + 1, format, args);
    va_end(args);
    f->code = code;
  }
  keep(f); /* after formatting: the arguments may contain the old message */
  return code;
}

int fg_backend_lost(const char *before, const char *reason) {
  if (fg_backend_code() == FG_ELOST && strstr(fg_backend_message(), reason)) return FG_ELOST;
  return fg_backend_fail(FG_ELOST, "%s%s", before, reason);
}
