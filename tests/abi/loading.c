/* loading.c: a thread makes the first FFTW call of the process while a library is loaded whose constructor, which the loader's lock is
 * held for, calls FFTW as well.  With -DPLUGIN the library. */
#include <dlfcn.h>
#include <fftw3.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifdef PLUGIN
__attribute__((constructor)) static void transform(void) {
  usleep(300000); /* the other one comes */
  fftwf_complex *const data = fftwf_malloc(8 * sizeof *data);
  fftwf_plan plan = fftwf_plan_dft_1d(8, data, data, FFTW_FORWARD, FFTW_ESTIMATE);
  for (int i = 0; i < 8; i++) data[i][0] = data[i][1] = 1;
  fftwf_execute(plan);
  fftwf_destroy_plan(plan);
  fftwf_free(data);
}
#else
static void *first(void *call) {
  usleep(100000);
  if (strcmp(call, "threads") == 0) fftwf_init_threads();
  else fftwf_free(fftwf_malloc(1000));
  return NULL;
}

int main(int argc, char **argv) {
  pthread_t thread;
  if (argc < 3 || pthread_create(&thread, NULL, first, argv[2])) return 2;
  if (!dlopen(argv[1], RTLD_NOW)) {
    puts(dlerror());
    return 2;
  }
  pthread_join(thread, NULL);
  puts("loaded");
  return 0;
}
#endif
