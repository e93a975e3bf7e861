/* sizes.c: lengths of every kind: small ones, primes, prime powers, smooth, and large. Lengths may be given as
 * arguments. */
#include <fftw3.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/programs/show.h"

static const int lengths[] = {2, 3, 4, 5, 7, 8, 11, 13, 15, 17, 31, 64, 101, 243, 343, 625, 1009, 1331, 1536,
                              4096, 4099, 6561, 10007, 15015, 16384, 20000};

static void transform(int n, int batch) {
  char name[32];
  const size_t floats = 2 * (size_t)n * (size_t)batch;
  fftwf_complex *x = fftwf_alloc_complex(floats / 2), *y = fftwf_alloc_complex(floats / 2);
  fill(x, floats, (unsigned)n);
  fftwf_plan forward = fftwf_plan_many_dft(1, &n, batch, x, NULL, 1, n, y, NULL, 1, n, FFTW_FORWARD, FFTW_ESTIMATE);
  fftwf_execute(forward);
  fftwf_destroy_plan(forward);
  snprintf(name, sizeof name, "length_%d", n);
  show(name, (size_t)n, y, floats);
  fftwf_free(x);
  fftwf_free(y);
}

int main(int argc, char **argv) {
  for (int a = 1; a < argc; a++) transform(atoi(argv[a]), 2);
  if (argc == 1)
    for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++) transform(lengths[k], lengths[k] > 4000 ? 1 : 3);
  return 0;
}
