/* early.c: a library that transforms before main and after it: its constructor runs before that of a preloaded library,
 * its destructor after that one's.  Ends the process with status 3 if a result is wrong. */
#include <fftw3.h>
#include <unistd.h>

enum { N = 64 };

static fftwf_complex data[N];
static fftwf_plan plan;

/* An impulse becomes ones. */
static void transform(void) {
  for (int i = 0; i < N; i++) data[i][0] = data[i][1] = i == 0;
  fftwf_execute(plan);
  for (int i = 0; i < N; i++)
    if (data[i][0] != 1 || data[i][1] != 1) _exit(3);
}

__attribute__((constructor)) static void begin(void) {
  plan = fftwf_plan_dft_1d(N, data, data, FFTW_FORWARD, FFTW_ESTIMATE);
  if (!plan) _exit(3);
  transform();
}

__attribute__((destructor)) static void end(void) {
  transform();
  fftwf_destroy_plan(plan);
}
