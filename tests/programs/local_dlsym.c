/* local_dlsym.c: FFTW loaded at run time with RTLD_LOCAL, every function fetched with dlsym. A preload is asked only by
 * way of libfftw3_gpu_lookup.so; else it must do no harm. */
#include <dlfcn.h>
#include <fftw3.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/programs/show.h"

enum { N = 300 };

static void *library;

static void *find(const char *name) {
  void *symbol = dlsym(library, name);
  if (symbol) return symbol;
  show_text(name, "not found");
  exit(1);
}

#define FIND(name) __typeof__(name) *const p_##name = (__typeof__(name) *)find(#name)

static void transform(void) {
  FIND(fftwf_alloc_complex);
  FIND(fftwf_free);
  FIND(fftwf_plan_dft_2d);
  FIND(fftwf_execute);
  FIND(fftwf_execute_dft);
  FIND(fftwf_destroy_plan);
  FIND(fftwf_sprint_plan);
  FIND(fftwf_cleanup);
  fftwf_complex *x = p_fftwf_alloc_complex(N), *y = p_fftwf_alloc_complex(N);
  fill(x, 2 * N, 61);
  fftwf_plan plan = p_fftwf_plan_dft_2d(15, 20, x, y, FFTW_FORWARD, FFTW_ESTIMATE);
  char *text = p_fftwf_sprint_plan(plan);
  show_text("prints", "%c", text[0]);
  free(text);
  p_fftwf_execute(plan);
  show("execute", N, y, 2 * N);
  p_fftwf_execute_dft(plan, y, x);
  show("execute_dft", N, x, 2 * N);
  p_fftwf_destroy_plan(plan);
  p_fftwf_free(x);
  p_fftwf_free(y);
  p_fftwf_cleanup();
}

int main(void) {
  library = dlopen("libfftw3f.so.3", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    show_text("dlopen", "%s", dlerror());
    return 1;
  }
  show_text("version", "%s", (const char *)find("fftwf_version"));
  transform();
  return dlclose(library);
}
