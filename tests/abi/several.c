/* several.c HOW LIBRARY...: opens each, globally or locally, and transforms by what it exports. */
#include <dlfcn.h>
#include <fftw3.h>
#include <stdio.h>
#include <string.h>

enum { N = 64 };

static int transform(const char *library, int how) {
  fftwf_complex x[N];
  void *const handle = dlopen(library, RTLD_NOW | how);
  if (!handle) return fprintf(stderr, "%s\n", dlerror()), 2;
  __typeof__(fftwf_plan_dft_1d) *const plan = (__typeof__(plan))dlsym(handle, "fftwf_plan_dft_1d");
  __typeof__(fftwf_execute) *const execute = (__typeof__(execute))dlsym(handle, "fftwf_execute");
  __typeof__(fftwf_destroy_plan) *const destroy = (__typeof__(destroy))dlsym(handle, "fftwf_destroy_plan");
  if (!plan || !execute || !destroy) return 3;
  fftwf_plan p = plan(N, x, x, FFTW_FORWARD, FFTW_ESTIMATE);
  if (!p) return 4;
  for (int i = 0; i < N; i++) x[i][0] = 1, x[i][1] = 0;
  execute(p);
  destroy(p);
  return x[0][0] == N && x[1][0] == 0 ? 0 : 5;
}

int main(int argc, char **argv) {
  for (int i = 2; i < argc; i++) {
    const int status = transform(argv[i], strcmp(argv[1], "global") == 0 ? RTLD_GLOBAL : RTLD_LOCAL);
    if (status) return status;
  }
  return argc < 3;
}
