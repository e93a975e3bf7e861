/* bench_peers.c: the libraries that the benchmark compares with, each found by name and kept apart from the others. */
#include "config.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/cli/bench.h"
#include "src/cli/fftw.h"

/* ---- cuFFT, as its manual declares it ---- */

enum { CUFFT_SUCCESS = 0, CUFFT_R2C = 0x2a, CUFFT_C2R = 0x2c, CUFFT_C2C = 0x29, CUFFT_DOUBLE = 0x40 };

static struct {
  int (*plan_many)(int *plan, int rank, int *n, int *, int, int, int *, int, int, int type, int batch);
  int (*set_stream)(int plan, void *stream);
  int (*exec_c2c)(int plan, void *in, void *out, int direction);
  int (*exec_r2c)(int plan, void *in, void *out);
  int (*exec_c2r)(int plan, void *in, void *out);
  int (*exec_z2z)(int plan, void *in, void *out, int direction);
  int (*exec_d2z)(int plan, void *in, void *out);
  int (*exec_z2d)(int plan, void *in, void *out);
  int (*destroy)(int plan);
} cufft;

typedef struct {
  fg_bench_peer peer;
  int plan;
  enum fg_kind kind;
  enum fg_precision precision;
  int sign;
} cufft_plan;

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
  *(void **)&cufft.exec_r2c = dlsym(library, "cufftExecR2C");
  *(void **)&cufft.exec_c2r = dlsym(library, "cufftExecC2R");
  *(void **)&cufft.exec_z2z = dlsym(library, "cufftExecZ2Z");
  *(void **)&cufft.exec_d2z = dlsym(library, "cufftExecD2Z");
  *(void **)&cufft.exec_z2d = dlsym(library, "cufftExecZ2D");
  *(void **)&cufft.destroy = dlsym(library, "cufftDestroy");
  return cufft.plan_many && cufft.set_stream && cufft.exec_c2c && cufft.exec_r2c && cufft.exec_c2r &&
         cufft.exec_z2z && cufft.exec_d2z && cufft.exec_z2d && cufft.destroy;
}

bool fg_bench_have_cufft(void) {
  static enum { UNKNOWN, FOUND, MISSING } state;
  if (state == UNKNOWN) state = find_cufft() ? FOUND : MISSING;
  return state == FOUND;
}

static bool cufft_execute(const fg_bench_peer *peer, void *in, void *out) {
  const cufft_plan *c = (const cufft_plan *)peer;
  const bool twice = c->precision == FG_DOUBLE;
  switch (c->kind) {
    case FG_R2C: return (twice ? cufft.exec_d2z : cufft.exec_r2c)(c->plan, in, out) == CUFFT_SUCCESS;
    case FG_C2R: return (twice ? cufft.exec_z2d : cufft.exec_c2r)(c->plan, in, out) == CUFFT_SUCCESS;
    default: /* its directions are FFTW's signs */
      return (twice ? cufft.exec_z2z : cufft.exec_c2c)(c->plan, in, out, c->sign) == CUFFT_SUCCESS;
  }
}

static void cufft_destroy(fg_bench_peer *peer) {
  cufft.destroy(((cufft_plan *)peer)->plan);
  free(peer);
}

/* Rows of so many elements: all of the array's memory that an execution uses. */
static int embed(const fg_bench_plain *p, int row, int to[3]) {
  int all = 1;
  for (int d = 0; d < p->rank; d++) {
    to[d] = d == p->rank - 1 ? row : p->n[d];
    all *= to[d];
  }
  return all;
}

static bool plan_real(int *plan, fg_bench_plain *p, int precision, bool in_place) {
  const int n = p->n[p->rank - 1], half = n / 2 + 1;
  int reals[3], spectrum[3];
  const int real = embed(p, in_place ? 2 * half : n, reals), complex = embed(p, half, spectrum);
  const int code = p->kind == FG_R2C ? cufft.plan_many(plan, p->rank, p->n, reals, 1, real, spectrum, 1, complex,
                                                       precision + CUFFT_R2C, p->batch)
                                     : cufft.plan_many(plan, p->rank, p->n, spectrum, 1, complex, reals, 1, real,
                                                       precision + CUFFT_C2R, p->batch);
  return code == CUFFT_SUCCESS;
}

/* Without embedding strides and distances are not looked at: contiguous. */
static bool plan_complex(int *plan, fg_bench_plain *p, int precision) {
  return cufft.plan_many(plan, p->rank, p->n, NULL, 1, 0, NULL, 1, 0, precision + CUFFT_C2C, p->batch) == CUFFT_SUCCESS;
}

fg_bench_peer *fg_bench_cufft_plan(const fg_problem *p, bool in_place, void *stream) {
  fg_bench_plain plain;
  if (p->kind == FG_R2R || !fg_bench_plain_of(p, &plain) || !fg_bench_have_cufft()) return NULL;
  cufft_plan *c = malloc(sizeof *c);
  if (!c) return NULL;
  *c = (cufft_plan){.peer = {cufft_execute, cufft_destroy}, .kind = plain.kind, .sign = plain.sign};
  c->precision = p->precision;
  const int type = p->precision == FG_DOUBLE ? CUFFT_DOUBLE : 0;
  if (!(p->kind == FG_DFT ? plan_complex(&c->plan, &plain, type) : plan_real(&c->plan, &plain, type, in_place))) {
    free(c);
    return NULL;
  }
  if (cufft.set_stream(c->plan, stream) == CUFFT_SUCCESS) return &c->peer;
  cufft_destroy(&c->peer);
  return NULL;
}

/* ---- libraries with FFTW's interface ---- */

/* fftwf_name or fftw_name. */
static void *find(void *library, enum fg_precision precision, const char *name) {
  char symbol[64];
  snprintf(symbol, sizeof symbol, precision == FG_SINGLE ? "fftwf_%s" : "fftw_%s", name);
  return fg_fftw_symbol(library, symbol);
}

static void find_threads(fg_bench_fftw *f, enum fg_precision precision, const char *name) {
  void *library = name ? dlopen(name, RTLD_LAZY | RTLD_LOCAL) : NULL;
  if (!library) return;
  int (*init)(void) = (int (*)(void))find(library, precision, "init_threads");
  if (init && init()) *(void **)&f->threads = find(library, precision, "plan_with_nthreads");
}

bool fg_bench_fftw_open(fg_bench_fftw *f, enum fg_precision precision, const char *const *names, const char *threads) {
  *f = (fg_bench_fftw){0};
  void *library = open_first(names);
  if (!library) return false;
  *(void **)&f->malloc = find(library, precision, "malloc");
  *(void **)&f->free = find(library, precision, "free");
  *(void **)&f->plan = find(library, precision, "plan_guru64_dft");
  *(void **)&f->plan_split = find(library, precision, "plan_guru64_split_dft");
  *(void **)&f->plan_many = find(library, precision, "plan_many_dft");
  *(void **)&f->execute = find(library, precision, "execute");
  *(void **)&f->destroy = find(library, precision, "destroy_plan");
  *(void **)&f->sprint = find(library, precision, "sprint_plan");
  *(void **)&f->timelimit = find(library, precision, "set_timelimit");
  find_threads(f, precision, threads);
  return f->malloc && f->free && f->plan_many && f->execute && f->destroy;
}
