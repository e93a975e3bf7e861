/* asked.c: a library that wraps FFTW's planner_nthreads and one of its planners, and tells where the former comes first. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <fftw3.h>
#include <string.h>
#include <unistd.h>

static int planned;

fftwf_plan fftwf_plan_guru64_dft(int rank, const fftwf_iodim64 *dims, int loops, const fftwf_iodim64 *batch, fftwf_complex *in,
                                 fftwf_complex *out, int sign, unsigned flags) {
  __typeof__(fftwf_plan_guru64_dft) *const next = (__typeof__(next))dlsym(RTLD_NEXT, "fftwf_plan_guru64_dft");
  planned = 1;
  return next(rank, dims, loops, batch, in, out, sign, flags);
}

int fftwf_planner_nthreads(void) {
  int (*const next)(void) = (int (*)(void))dlsym(RTLD_NEXT, "fftwf_planner_nthreads");
  const char *const text = planned ? "asked behind a plan\n" : "asked first\n";
  if (write(2, text, strlen(text)) < 0) return -1;
  return next();
}
