/* bench_vkfft.c: VkFFT through the C functions of pyvkfft's CUDA library, which the user builds and names. */
#include "config.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "src/cli/bench.h"
#include "src/pass/pass.h"

/* As src/vkfft_cuda.cu of pyvkfft 2025.1 declares them. */
static struct {
  void *(*make_config)(const long *size, size_t rank, void *buffer, void *buffer_out, void *stream, int norm,
                       size_t precision, int r2c, int dct, int dst, int, int, int, int, size_t batch, const long *skip,
                       int, int, int, int, int, int, int, const long *grouped_batch, int);
  void *(*init_app)(const void *config, int *result, size_t *scratch, long *bluestein, long *uploads);
  int (*fft)(void *app, void *in, void *out);
  int (*ifft)(void *app, void *in, void *out);
  void (*free_app)(void *app);
  void (*free_config)(void *config);
  unsigned (*dimensions)(void);
} vkfft;

enum { MOST_DIMENSIONS = 32, USUAL = -1 };

typedef struct {
  fg_bench_peer peer;
  void *config, *app;
  enum fg_kind kind;
  bool backward, in_place;
} vkfft_plan;

const char *fg_bench_vkfft_open(const char *path) {
  void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  if (!library) return dlerror();
  *(void **)&vkfft.make_config = dlsym(library, "make_config");
  *(void **)&vkfft.init_app = dlsym(library, "init_app");
  *(void **)&vkfft.fft = dlsym(library, "fft");
  *(void **)&vkfft.ifft = dlsym(library, "ifft");
  *(void **)&vkfft.free_app = dlsym(library, "free_app");
  *(void **)&vkfft.free_config = dlsym(library, "free_config");
  *(void **)&vkfft.dimensions = dlsym(library, "vkfft_max_fft_dimensions");
  const bool all = vkfft.make_config && vkfft.init_app && vkfft.fft && vkfft.ifft && vkfft.free_app &&
                   vkfft.free_config && vkfft.dimensions;
  if (all && vkfft.dimensions() >= 4 && vkfft.dimensions() <= MOST_DIMENSIONS) return NULL;
  vkfft.make_config = NULL;
  return "not a CUDA library of pyvkfft";
}

/* Out of place it reads the real side of c2r as input, and "returns" to it. */
static bool execute(const fg_bench_peer *peer, void *in, void *out) {
  const vkfft_plan *v = (const vkfft_plan *)peer;
  if (v->kind == FG_C2R && !v->in_place) return vkfft.ifft(v->app, out, in) == 0;
  return (v->backward ? vkfft.ifft : vkfft.fft)(v->app, in, out) == 0;
}

static void destroy(fg_bench_peer *peer) {
  vkfft_plan *v = (vkfft_plan *)peer;
  if (v->app) vkfft.free_app(v->app);
  if (v->config) vkfft.free_config(v->config);
  free(v);
}

/* Its number of a cosine (sine) transform: 1 to 4, the same in all dimensions; 0: it has none. */
static int type_of(const fg_problem *p, int first) {
  static const int type[] = {1, 3, 2, 4}; /* of FFTW's 00, 01, 10, 11 */
  for (int d = 0; d < p->transform.rank; d++)
    if (p->r2r_kind[d] != p->r2r_kind[0]) return 0;
  const int kind = p->r2r_kind[0] - first;
  return kind >= 0 && kind < 4 ? type[kind] : 0;
}

static void configure(vkfft_plan *v, const fg_bench_plain *plain, size_t real, int dct, int dst, void *stream) {
  long size[MOST_DIMENSIONS], skip[MOST_DIMENSIONS] = {0}, grouped[MOST_DIMENSIONS];
  for (int d = 0; d < MOST_DIMENSIONS; d++) {
    size[d] = d < plain->rank ? plain->n[plain->rank - 1 - d] : 1;
    grouped[d] = USUAL;
  }
  void *const any = (void *)1, *const other = v->in_place ? NULL : (void *)2; /* executions bring the arrays */
  v->config = vkfft.make_config(size, (size_t)plain->rank, any, other, stream, 0, real,
                                v->kind == FG_R2C || v->kind == FG_C2R, dct, dst, USUAL, USUAL, USUAL, USUAL,
                                (size_t)plain->batch, skip, USUAL, USUAL, USUAL, USUAL, USUAL, USUAL, USUAL, grouped,
                                USUAL);
}

/* VkFFT plans and runs in the calling thread's context, which none is where cuFFT has not planned before: the stream's. */
static void make_current(void *stream) {
  void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL), *context = NULL;
  if (!driver) return;
  int (*of_stream)(void *, void **), (*set_current)(void *);
  *(void **)&of_stream = dlsym(driver, "cuStreamGetCtx");
  *(void **)&set_current = dlsym(driver, "cuCtxSetCurrent");
  if (of_stream && set_current && of_stream(stream, &context) == 0 && context) set_current(context);
}

fg_bench_peer *fg_bench_vkfft_plan(const fg_problem *p, bool in_place, void *stream) {
  fg_bench_plain plain;
  if (!vkfft.make_config || !fg_bench_plain_of(p, &plain)) return NULL;
  const int dct = p->kind == FG_R2R ? type_of(p, FG_KIND_REDFT00) : 0, dst = p->kind == FG_R2R ? type_of(p, FG_KIND_RODFT00) : 0;
  vkfft_plan *v = p->kind == FG_R2R && !dct && !dst ? NULL : malloc(sizeof *v);
  if (!v) return NULL;
  *v = (vkfft_plan){.peer = {execute, destroy}, .kind = p->kind, .in_place = in_place};
  v->backward = p->kind != FG_R2R && p->sign == FG_BACKWARD;
  make_current(stream);
  configure(v, &plain, fg_real_size(p->precision), dct, dst, stream);
  int result = -1;
  size_t scratch;
  long bluestein[MOST_DIMENSIONS], uploads[MOST_DIMENSIONS];
  if (v->config) v->app = vkfft.init_app(v->config, &result, &scratch, bluestein, uploads);
  if (v->app && result == 0) return &v->peer;
  destroy(&v->peer);
  return NULL;
}
