/* lookup.c: dlsym as a program and its libraries see it; prints where each answer is.  Behind "--" all answers must be the
 * same with and without libfftw3_gpu_lookup.so.
 *   lookup FILE...     libraries that are not FFTW's, or other copies of it
 * The program is linked to a library of this file with -DNEXT. With -DOTHER it is one that has functions named as FFTW's;
 * with -DWRAPPER one that stands in front of FFTW and takes the real functions out of it by dlsym; with -DSEES_DLSYM one
 * with a dlsym of its own, which tells of a question. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#if defined NEXT
/* RTLD_NEXT, asked from here, means the C library's.  (Not the last thing that it does, so that it is no jump.) */
void *strfry_of_libc(void) {
  void *volatile found = dlsym(RTLD_NEXT, "strfry");
  return found;
}
char *strfry(char *text) { return text; }

#elif defined OTHER
int fftwf_execute_mine(void) { return 1; }
void fftwf_execute(void *plan) { (void)plan; }

#elif defined WRAPPER
static int calls;
void *fftwf_malloc(size_t bytes) {
  static void *(*real)(size_t);
  if (!real) *(void **)&real = dlsym(dlopen("libfftw3f.so.3", RTLD_NOW), "fftwf_malloc");
  printf("wrapped: %d\n", ++calls);
  return real(bytes);
}

#elif defined SEES_DLSYM
void *dlsym(void *handle, const char *name) {
  void *(*const real)(void *, const char *) = (void *(*)(void *, const char *))dlvsym(RTLD_NEXT, "dlsym", VERSION);
  if (!strcmp(name, "strlen")) puts("seen: strlen");
  return real(handle, name);
}

#else
char *strfry(char *);
void *strfry_of_libc(void);
void *fftwf_malloc(size_t) __attribute__((weak)); /* where the program is linked to FFTW, too */
void fftwf_free(void *) __attribute__((weak));

static const char *file_of(void *address) {
  Dl_info at;
  const char *const slash = address && dladdr(address, &at) ? strrchr(at.dli_fname, '/') : NULL;
  return address ? slash ? slash + 1 : "elsewhere" : "none";
}

static void tell(const char *what, void *address) { printf("%s: %s\n", what, file_of(address)); }

static void *open_or_not(const char *file) {
  void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!handle) printf("%s\n", dlerror());
  return handle;
}

int main(int argc, char **argv) {
  void *fftw = open_or_not("libfftw3f.so.3"), *threads = open_or_not("libfftw3f_threads.so.3");
  void *all = dlopen(NULL, RTLD_NOW);
  if (!fftw || !all) return 1;
  tell("execute", dlsym(fftw, "fftwf_execute"));
  tell("legacy", dlsym(fftw, "sfftw_execute_"));
  if (threads) tell("threads", dlsym(threads, "fftwf_init_threads"));
  puts("--");
  tell("version", dlsym(fftw, "fftwf_version"));
  tell("inner function", dlsym(fftw, "fftwf_mkplanner"));
  for (int i = 1; i < argc; i++) {
    void *file = open_or_not(argv[i]);
    if (!file) return 1;
    tell("somebody else's", dlsym(file, "fftwf_execute"));
    tell("a name like FFTW's", dlsym(file, "fftwf_execute_mine"));
  }
  void *apart = dlmopen(LM_ID_NEWLM, "libfftw3f.so.3", RTLD_NOW);
  printf("another namespace's: %d\n", apart && dlsym(apart, "fftwf_execute") == dlsym(fftw, "fftwf_execute"));
  tell("first", dlsym(RTLD_DEFAULT, "strfry"));
  tell("first, by handle", dlsym(all, "strfry"));
  tell("behind the program", dlsym(RTLD_NEXT, "strfry"));
  tell("behind the library", strfry_of_libc());
  dlsym(all, "strlen");
  dlerror();
  errno = 77;
  tell("missing", dlsym(fftw, "fftwf_no_such_function"));
  const int number = errno;
  const char *why = dlerror();
  printf("why: %s; errno %d\n", why ? strrchr(why, ' ') + 1 : "none", number);
  printf("why again: %s\n", dlerror() ? "told" : "none");
  tell("missing behind", dlsym(RTLD_NEXT, "fftwf_no_such_function"));
  printf("why: %s\n", dlerror() ? "told" : "none");
  dlsym(fftw, "fftwf_execute");
  printf("no error: %s\n", dlerror() ? "told" : "none");
  void *(*const get)(size_t) = (void *(*)(size_t))dlsym(fftw, "fftwf_malloc");
  void (*const give)(void *) = (void (*)(void *))dlsym(fftw, "fftwf_free");
  give(get(64));
  if (fftwf_malloc) fftwf_free(fftwf_malloc(64));
  return strfry("") == NULL;
}
#endif
