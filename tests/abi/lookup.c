/* lookup.c: dlsym as a program and its libraries see it; prints a line for each question. Behind the first few all must be
 * the same with and without libfftw3_gpu_lookup.so.
 *   lookup NEXT     NEXT: this file, compiled with -DNEXT as a shared library, linked in front of the C library */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#ifdef NEXT
/* Functions that are here and in the C library: RTLD_NEXT, asked from here, means that one's. */
void *strfry_of_libc(void) { return dlsym(RTLD_NEXT, "strfry"); }
char *strfry(char *text) { return text; }
/* No FFTW's, whatever it is called. */
int fftwf_execute_mine(void) { return 1; }
void fftwf_execute(void *plan) { (void)plan; }
#else
char *strfry(char *);
void *strfry_of_libc(void);
void fftwf_execute(void *);

static const char *file_of(void *address) {
  Dl_info at;
  const char *const slash = address && dladdr(address, &at) ? strrchr(at.dli_fname, '/') : NULL;
  return address ? slash ? slash + 1 : "elsewhere" : "none";
}

static void tell(const char *what, void *address) { printf("%s: %s\n", what, file_of(address)); }

int main(int argc, char **argv) {
  void *fftw = dlopen("libfftw3f.so.3", RTLD_NOW | RTLD_LOCAL);
  void *threads = dlopen("libfftw3f_threads.so.3", RTLD_NOW | RTLD_LOCAL);
  void *next = dlopen(argv[argc - 1], RTLD_NOW | RTLD_LOCAL);
  void *all = dlopen(NULL, RTLD_NOW);
  if (!fftw || !threads || !next || !all) return puts(dlerror()), 1;
  tell("execute", dlsym(fftw, "fftwf_execute"));
  tell("threads", dlsym(threads, "fftwf_init_threads"));
  tell("legacy", dlsym(fftw, "sfftw_execute_"));
  puts("--");
  tell("version", dlsym(fftw, "fftwf_version"));
  tell("inner function", dlsym(fftw, "fftwf_mkplanner"));
  tell("somebody else's", dlsym(next, "fftwf_execute"));
  tell("a name like FFTW's", dlsym(next, "fftwf_execute_mine"));
  tell("first", dlsym(RTLD_DEFAULT, "strfry"));
  tell("first, by handle", dlsym(all, "strfry"));
  tell("behind the program", dlsym(RTLD_NEXT, "strfry"));
  tell("behind the library", strfry_of_libc());
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
  return strfry("") == NULL;
}
#endif
