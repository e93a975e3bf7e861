/* calm.h: around what is done for the program: FFTW leaves errno alone, and no thread is cancelled in it: ours would take
 * locks and device memory with it. */
#ifndef FG_CALM_H
#define FG_CALM_H

#include <errno.h>
#include <pthread.h>

typedef struct {
  int cancel, error;
} fg_calm;

static inline fg_calm fg_calm_begin(void) {
  fg_calm c = {.error = errno};
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &c.cancel);
  return c;
}

static inline void fg_calm_end(fg_calm c) {
  pthread_setcancelstate(c.cancel, NULL);
  errno = c.error;
}

#endif
