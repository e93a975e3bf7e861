/* fftw2.c: parts of programs of FFTW 2, one for each name that is defined:
 *   LIBRARY   a little of it, of which each function tells that it was called
 *   REAL      its library for real transforms
 *   PROGRAM, PLUGIN   what uses them
 *   HOST      a program that opens a plugin and is linked to no FFTW
 *   OTHER     a plugin of FFTW 3
 *   THIRD     a library that knows nothing of either
 *   WRAPPER, WRAPPED  a library between FFTW 2 and a program, and that program
 *   STARTER   a plugin whose constructor waits for a thread that uses FFTW 2 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct fftw_2_plan *plan;
typedef int (*reader)(void *);
typedef void (*writer)(char, void *);

plan fftw_create_plan(int n, int direction, int flags);
void fftw_destroy_plan(plan);
void fftw_print_plan(plan);
void fftw_fprint_plan(FILE *, plan);
void fftw_forget_wisdom(void);
void fftw_export_wisdom(writer, void *);
void fftw_export_wisdom_to_file(FILE *);
char *fftw_export_wisdom_to_string(void);
int fftw_import_wisdom(reader, void *);
int fftw_import_wisdom_from_file(FILE *);
int fftw_import_wisdom_from_string(const char *);
void rfftw_destroy_plan(plan);
int use(void);

#ifdef LIBRARY
plan fftw_create_plan(int n, int direction, int flags) {
  (void)direction, (void)flags;
  long *p = calloc(64, sizeof *p);
  *p = n;
  return (plan)p;
}
void fftw_destroy_plan(plan p) { printf("destroy %ld\n", *(long *)p); free(p); }
void fftw_print_plan(plan p) { fftw_fprint_plan(stdout, p); }
void fftw_fprint_plan(FILE *f, plan p) { fprintf(f, "plan %ld\n", *(long *)p); }
void fftw_forget_wisdom(void) { puts("forget"); }
void fftw_export_wisdom(writer write, void *data) { write('2', data); }
void fftw_export_wisdom_to_file(FILE *f) { fputs("wisdom of 2\n", f); }
char *fftw_export_wisdom_to_string(void) { return strdup("wisdom of 2"); }
int fftw_import_wisdom(reader read, void *data) { return read(data) != '2'; }
int fftw_import_wisdom_from_file(FILE *f) { return f != stdin; }
int fftw_import_wisdom_from_string(const char *s) { return *s != '2'; }
#endif

#ifdef REAL /* as Debian's, linked to nothing */
void rfftw_destroy_plan(plan p) { fftw_destroy_plan(p); puts("of reals"); }
#endif

#if defined PROGRAM || defined PLUGIN
void by_address(void (*)(void *), void *); /* as a third library does it that knows nothing of either */
static void show(char c, void *data) { printf("%s %c\n", (const char *)data, c); }
static int two(void *data) { return *(const char *)data; }

int use(void) {
  plan p = fftw_create_plan(8, -1, 0);
  char *text = fftw_export_wisdom_to_string();
  fftw_print_plan(p);
  fftw_fprint_plan(stdout, p);
  fftw_forget_wisdom();
  fftw_export_wisdom(show, "exports");
  fftw_export_wisdom_to_file(stdout);
  puts(text);
  free(text);
  printf("%d%d ", fftw_import_wisdom(two, "2"), fftw_import_wisdom(two, "3"));
  printf("%d%d ", fftw_import_wisdom_from_file(stdin), fftw_import_wisdom_from_file(stdout));
  printf("%d%d\n", fftw_import_wisdom_from_string("2"), fftw_import_wisdom_from_string("3"));
  by_address((void (*)(void *))fftw_destroy_plan, p);
#ifdef PROGRAM
  rfftw_destroy_plan(fftw_create_plan(9, -1, 0));
#endif
  fflush(stdout);
  return 0;
}
#endif

#ifdef WRAPPER /* both end in a jump */
plan wrapper_plan(int n) { return fftw_create_plan(n, -1, 0); }
void wrapper_print(plan p) { fftw_print_plan(p); }
void wrapper_destroy(plan p) { fftw_destroy_plan(p); }
#endif

#ifdef WRAPPED
plan wrapper_plan(int n);
void wrapper_print(plan);
void wrapper_destroy(plan);
int main(int argc, char **argv) {
  plan p = wrapper_plan(10);
  wrapper_print(p);
  wrapper_destroy(p);
  return argc > 1 && !dlopen(argv[1], RTLD_NOW);
}
#endif

#ifdef STARTER
static void *work(void *unused) {
  fftw_destroy_plan(fftw_create_plan(11, -1, 0));
  fflush(stdout);
  return unused;
}
__attribute__((constructor)) static void start(void) {
  pthread_t thread;
  if (!pthread_create(&thread, NULL, work, NULL)) pthread_join(thread, NULL);
}
#endif

#ifdef OTHER
void *fftw_plan_dft_1d(int, double (*)[2], double (*)[2], int, unsigned);
void fftw_execute(void *);
int use(void) {
  double x[16][2];
  void *p = fftw_plan_dft_1d(16, x, x, -1, 1u << 6);
  if (!p) return 1;
  for (int i = 0; i < 16; i++) x[i][0] = 1, x[i][1] = 0;
  fftw_execute(p);
  fftw_destroy_plan((plan)p); /* its own, or that of FFTW 3 */
  printf("%g %g\n", x[0][0], x[1][0]);
  fflush(stdout);
  return 0;
}
#endif

#ifdef THIRD
void by_address(void (*f)(void *), void *data) {
  f(data);
  puts("by address");
}
#endif

#if defined PROGRAM || defined HOST /* of a plugin */
int main(int argc, char **argv) {
#ifdef PROGRAM
  if (argc < 2) return use();
#endif
  void *const plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  int (*const theirs)(void) = plugin ? (int (*)(void))dlsym(plugin, "use") : NULL;
  if (!theirs) fprintf(stderr, "%s\n", dlerror());
  return theirs ? theirs() : 2;
}
#endif
