/* taken.c: a program that takes FFTW's functions out of the library by dlsym, and others around it.
 *   taken             plans, executes and destroys a plan so; linked to FFTW, it has a plan of its own before, of which it knows the
 *                     destructor by address; prints results
 *   taken PLUGIN      opens that, plans, closes it, plans
 * With -DPROFILER a library that wraps fftwf_execute (-DPLANS: a planner, too), and finds it by RTLD_NEXT, -DBY_HANDLE by dlsym of FFTW's file, -DBY_HELPER by a
 * library that does so, -DHELPER; with -DPLUGIN one that is linked to the threads library; with -DHOST a program
 * that is not linked to FFTW and opens, runs and closes such plugins. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <fftw3.h>
#include <stdio.h>
#include <string.h>

#if defined HELPER
void *helper_finds(const char *name) {
  void *volatile found = dlsym(dlopen(LIBRARY, RTLD_NOW), name);
  return found;
}

#elif defined PROFILER
void *helper_finds(const char *name);
void fftwf_execute(const fftwf_plan p) {
  static void (*next)(const fftwf_plan);
#if defined BY_HELPER
  if (!next) *(void **)&next = helper_finds("fftwf_execute");
#elif defined BY_HANDLE
  if (!next) *(void **)&next = dlsym(dlopen(LIBRARY, RTLD_NOW), "fftwf_execute");
#else
  if (!next) *(void **)&next = dlsym(RTLD_NEXT, "fftwf_execute");
#endif
  fputs("profiled\n", stderr);
  next(p);
}

#ifdef PLANS
fftwf_plan fftwf_plan_many_dft(int rank, const int *n, int howmany, fftwf_complex *in, const int *inembed, int istride, int idist,
                               fftwf_complex *out, const int *onembed, int ostride, int odist, int sign, unsigned flags) {
  static __typeof__(&fftwf_plan_many_dft) next;
  if (!next) *(void **)&next = dlsym(RTLD_NEXT, "fftwf_plan_many_dft");
  return next(rank, n, howmany, in, inembed, istride, idist, out, onembed, ostride, odist, sign, flags);
}
#endif

#elif defined PLUGIN
static fftwf_complex data[1 << 14];

static void loop(void *(*work)(char *), char *data, size_t size, int jobs, void *ours) {
  (void)ours;
  for (int i = 0; i < jobs; i++) work(data + size * (size_t)i);
}

/* With threads, and loops of its own, which it leaves behind. */
int run(void) {
  if (!fftwf_init_threads()) return 1;
  fftwf_plan_with_nthreads(2);
#ifdef LOOPS
  fftwf_threads_set_callback(loop, NULL);
#endif
  fftwf_plan p = fftwf_plan_dft_1d(1 << 14, data, data, FFTW_FORWARD, FFTW_ESTIMATE);
  if (!p) return 1;
  memset(data, 0, sizeof data);
  data[1][0] = 1;
  fftwf_execute(p);
  fftwf_destroy_plan(p);
  const float y = data[1 << 12][1];
  fftwf_cleanup_threads();
  return !(y < -0.999 && y > -1.001) + 0 * (loop == NULL);
}

#elif defined HOST
int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    void *handle = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
    int (*run)(void) = NULL;
    if (handle) *(void **)&run = dlsym(handle, "run");
    if (!run || run()) return 1;
    dlclose(handle);
  }
  return 0;
}

#else
static fftwf_complex in[64], out[64];

static int plan_and_plan(const char *plugin) {
  void *handle = dlopen(plugin, RTLD_NOW | RTLD_GLOBAL);
  if (!handle) return printf("%s\n", dlerror()), 1;
  fftwf_plan first = fftwf_plan_dft_1d(64, in, out, FFTW_FORWARD, FFTW_ESTIMATE);
  fftwf_execute(first);
  dlclose(handle);
  fftwf_plan second = fftwf_plan_dft_1d(32, in, out, FFTW_FORWARD, FFTW_ESTIMATE);
  fftwf_execute(second);
  fftwf_destroy_plan(first);
  fftwf_destroy_plan(second);
  return 0;
}

static const char *file_of(void *address) {
  Dl_info at;
  const char *const slash = dladdr(address, &at) ? strrchr(at.dli_fname, '/') : NULL;
  return slash ? slash + 1 : "nowhere";
}

static void linked(void) {
  void (*volatile destroy)(fftwf_plan) = fftwf_destroy_plan; /* in a program that is not PIE an address of its own */
  const int n = 64;
  fftwf_plan p = fftwf_plan_many_dft(1, &n, 1, in, NULL, 1, 0, out, NULL, 1, 0, FFTW_FORWARD, FFTW_ESTIMATE);
  fftwf_execute(p);
  destroy(p);
}

int main(int argc, char **argv) {
  void *fftw = dlopen(LIBRARY, RTLD_NOW);
  if (argc > 1) return plan_and_plan(argv[1]);
  linked();
  if (!fftw) return 1;
  fftwf_plan (*plan)(int, fftwf_complex *, fftwf_complex *, int, unsigned);
  void (*execute)(const fftwf_plan), (*destroy)(fftwf_plan);
  *(void **)&plan = dlsym(fftw, "fftwf_plan_dft_1d");
  *(void **)&execute = dlsym(fftw, "fftwf_execute");
  *(void **)&destroy = dlsym(fftw, "fftwf_destroy_plan");
  if (!plan || !execute || !destroy) return 1;
  in[1][0] = 1;
  fftwf_plan p = plan(64, in, out, FFTW_FORWARD, FFTW_ESTIMATE);
  execute(p);
  destroy(p);
  const float re = out[16][0], im = out[16][1];
  printf("%s %s %s: %s\n", file_of((void *)plan), file_of((void *)execute), file_of((void *)destroy),
         re < 1e-5f && re > -1e-5f && im < -0.9999f && im > -1.0001f ? "right" : "wrong");
  return 0;
}
#endif
