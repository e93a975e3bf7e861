/* slow_cuda.c: a driver whose start takes half a second and whose exit handler must not run meanwhile.  It has no
 * device.  The other functions are made by ending.sh. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_int inside;

static void at_end(void) {
  if (!atomic_load(&inside)) return;
  fprintf(stderr, "the driver's exit handler ran while it was starting\n");
  _exit(99);
}

int cuInit(unsigned flags) {
  (void)flags;
  atomic_store(&inside, 1);
  atexit(at_end);
  if (getenv("SLOW_CUDA_TRACE")) fprintf(stderr, "started\n");
  usleep(500000);
  atomic_store(&inside, 0);
  return 100; /* CUDA_ERROR_NO_DEVICE */
}
