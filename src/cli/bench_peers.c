/* bench_peers.c: the libraries that the benchmark compares with, each found by name and kept apart from the others. */
#include "config.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "src/cli/bench.h"

/* ---- cuFFT, as its manual declares it ---- */

enum { CUFFT_SUCCESS = 0, CUFFT_C2C = 0x29 };

static struct {
  int (*plan_many)(int *plan, int rank, int *n, int *, int, int, int *, int, int, int type, int batch);
  int (*set_stream)(int plan, void *stream);
  int (*exec_c2c)(int plan, void *in, void *out, int direction);
  int (*destroy)(int plan);
} cufft;

struct fg_bench_cufft {
  int plan, sign;
};

static void *open_first(const char *const *names) {
  void *library = NULL;
  for (; *names && !library; names++)
    if (**names) library = dlopen(*names, RTLD_LAZY | RTLD_LOCAL);
  return library;
}

static bool find_cufft(void) {
  static const char *const names[] = {"libcufft.so.12", "libcufft.so.11", "libcufft.so", NULL};
  void *library = open_first(names);
  if (!library) return false;
  *(void **)&cufft.plan_many = dlsym(library, "cufftPlanMany");
  *(void **)&cufft.set_stream = dlsym(library, "cufftSetStream");
  *(void **)&cufft.exec_c2c = dlsym(library, "cufftExecC2C");
  *(void **)&cufft.destroy = dlsym(library, "cufftDestroy");
  return cufft.plan_many && cufft.set_stream && cufft.exec_c2c && cufft.destroy;
}

static bool have_cufft(void) {
  static enum { UNKNOWN, FOUND, MISSING } state;
  if (state == UNKNOWN) state = find_cufft() ? FOUND : MISSING;
  return state == FOUND;
}

fg_bench_cufft *fg_bench_cufft_plan(const fg_problem *p, void *stream) {
  fg_bench_plain plain;
  if (!fg_bench_plain_of(p, &plain) || !have_cufft()) return NULL;
  fg_bench_cufft *c = malloc(sizeof *c);
  if (!c) return NULL;
  c->sign = plain.sign;
  /* Without embedding strides and distances are not looked at: contiguous. */
  if (cufft.plan_many(&c->plan, plain.rank, plain.n, NULL, 1, 0, NULL, 1, 0, CUFFT_C2C, plain.batch) != CUFFT_SUCCESS) {
    free(c);
    return NULL;
  }
  if (cufft.set_stream(c->plan, stream) == CUFFT_SUCCESS) return c;
  fg_bench_cufft_destroy(c);
  return NULL;
}

bool fg_bench_cufft_execute(const fg_bench_cufft *c, void *in, void *out) {
  return cufft.exec_c2c(c->plan, in, out, c->sign) == CUFFT_SUCCESS; /* its directions are FFTW's signs */
}

void fg_bench_cufft_destroy(fg_bench_cufft *c) {
  if (!c) return;
  cufft.destroy(c->plan);
  free(c);
}

/* ---- libraries with FFTW's interface ---- */

static void find_threads(fg_bench_fftw *f, const char *name) {
  void *library = name ? dlopen(name, RTLD_LAZY | RTLD_LOCAL) : NULL;
  if (!library) return;
  int (*init)(void) = (int (*)(void))dlsym(library, "fftwf_init_threads");
  if (init && init()) *(void **)&f->threads = dlsym(library, "fftwf_plan_with_nthreads");
}

bool fg_bench_fftw_open(fg_bench_fftw *f, const char *const *names, const char *threads) {
  *f = (fg_bench_fftw){0};
  void *library = open_first(names);
  if (!library) return false;
  *(void **)&f->malloc = dlsym(library, "fftwf_malloc");
  *(void **)&f->free = dlsym(library, "fftwf_free");
  *(void **)&f->plan = dlsym(library, "fftwf_plan_guru64_dft");
  *(void **)&f->plan_split = dlsym(library, "fftwf_plan_guru64_split_dft");
  *(void **)&f->plan_many = dlsym(library, "fftwf_plan_many_dft");
  *(void **)&f->execute = dlsym(library, "fftwf_execute");
  *(void **)&f->destroy = dlsym(library, "fftwf_destroy_plan");
  *(void **)&f->sprint = dlsym(library, "fftwf_sprint_plan");
  *(void **)&f->timelimit = dlsym(library, "fftwf_set_timelimit");
  find_threads(f, threads);
  return f->malloc && f->free && f->plan_many && f->execute && f->destroy;
}
