/* calls.c: every public function that is no planner: what it answers, printed, to be compared under the preload. */
#include <fftw3.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define E FFTW_ESTIMATE
#define U (FFTW_ESTIMATE | FFTW_UNALIGNED) /* the parts the wrong way round */
enum { SIZE = 512 };

/* Fortran's names: every argument is a pointer. */
#define BOTH(name, ...) void sfftw_##name##_(__VA_ARGS__), sfftw_##name##__(__VA_ARGS__);
typedef fftwf_plan *P;
typedef float *R;
typedef fftwf_complex *C;
BOTH(execute, P) BOTH(execute_dft, P, C, C) BOTH(execute_split_dft, P, R, R, R, R) BOTH(execute_dft_r2c, P, R, C)
BOTH(execute_split_dft_r2c, P, R, R, R) BOTH(execute_dft_c2r, P, C, R) BOTH(execute_split_dft_c2r, P, R, R, R)
BOTH(execute_r2r, P, R, R) BOTH(destroy_plan, P) BOTH(print_plan, P) BOTH(flops, P, double *, double *, double *)
BOTH(estimate_cost, double *, P) BOTH(cost, double *, P) BOTH(cleanup, void) BOTH(set_timelimit, double *)
BOTH(forget_wisdom, void) BOTH(export_wisdom, void (*)(char *, void *), void *)
BOTH(import_wisdom, int *, void (*)(int *, void *), void *) BOTH(import_system_wisdom, int *) BOTH(init_threads, int *)
BOTH(plan_with_nthreads, int *) BOTH(planner_nthreads, int *) BOTH(cleanup_threads, void)

#ifdef BEFORE_FFTW_3_3_9 /* which has none of these */
#define fftwf_planner_nthreads() 0
#define sfftw_planner_nthreads_(n) ((void)(n))
#define fftwf_threads_set_callback(loop, data) ((void)(loop))
#endif

/* ---- executes ---------------------------------------------------------------------------------------------------- */

static float *made[4], *run[4]; /* arrays that plans are made on, and others that they are run on */

static void fill(float *const set[4]) {
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < SIZE; i++) set[k][i] = sinf((float)k + 0.37f * i);
}

static void show(const char *name) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (int k = 0; k < 8; k++) {
    const unsigned char *bytes = (const unsigned char *)(k < 4 ? made[k] : run[k - 4]);
    for (size_t i = 0; i < SIZE * sizeof(float); i++) hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
  }
  printf("%s %016llx\n", name, (unsigned long long)hash);
}

/* Run a statement on fresh data and print a hash of all arrays. */
#define SHOW(statement)                                                                                                \
  do {                                                                                                                 \
    fill(made);                                                                                                        \
    fill(run);                                                                                                         \
    statement;                                                                                                         \
    show(#statement);                                                                                                  \
  } while (0)

#define COMPLEX(p) ((fftwf_complex *)(p))

/* The new-array execute of one kind: in C, then under both Fortran names. */
#define EXECUTES(name, plan, ...)                                                                                      \
  do {                                                                                                                 \
    fftwf_plan p = plan;                                                                                               \
    SHOW(fftwf_execute(p));                                                                                            \
    SHOW(sfftw_execute_(&p));                                                                                          \
    SHOW(sfftw_execute__(&p));                                                                                         \
    SHOW(fftwf_##name(p, __VA_ARGS__));                                                                                \
    SHOW(sfftw_##name##_(&p, __VA_ARGS__));                                                                            \
    SHOW(sfftw_##name##__(&p, __VA_ARGS__));                                                                           \
    sfftw_destroy_plan_(&p);                                                                                           \
  } while (0)

static void executes(void) {
  const fftwf_iodim n = {24, 1, 1}, n2 = {24, 2, 2};
  float **m = made, **r = run;
  EXECUTES(execute_dft, fftwf_plan_dft_1d(24, COMPLEX(m[0]), COMPLEX(m[1]), FFTW_FORWARD, E), COMPLEX(r[0]),
           COMPLEX(r[1]));
  EXECUTES(execute_dft, fftwf_plan_dft_1d(24, COMPLEX(m[0]), COMPLEX(m[1]), FFTW_BACKWARD, E), COMPLEX(r[0]),
           COMPLEX(r[1]));
  EXECUTES(execute_dft, fftwf_plan_guru_split_dft(1, &n2, 0, NULL, m[0], m[0] + 1, m[1], m[1] + 1, E), COMPLEX(r[0]),
           COMPLEX(r[1]));
  EXECUTES(execute_dft, fftwf_plan_guru_split_dft(1, &n2, 0, NULL, m[0] + 1, m[0], m[1] + 1, m[1], E), COMPLEX(r[0]),
           COMPLEX(r[1]));
  EXECUTES(execute_split_dft, fftwf_plan_guru_split_dft(1, &n, 0, NULL, m[0], m[1], m[2], m[3], E), r[0], r[1], r[2],
           r[3]);
  EXECUTES(execute_split_dft, fftwf_plan_dft_1d(24, COMPLEX(m[0]), COMPLEX(m[1]), FFTW_BACKWARD, U), r[0], r[0] + 1,
           r[1], r[1] + 1);
  EXECUTES(execute_split_dft, fftwf_plan_dft_1d(24, COMPLEX(m[0]), COMPLEX(m[1]), FFTW_FORWARD, U), r[0] + 1, r[0],
           r[1] + 1, r[1]);
  EXECUTES(execute_dft_r2c, fftwf_plan_dft_r2c_1d(24, m[0], COMPLEX(m[1]), E), r[0], COMPLEX(r[1]));
  EXECUTES(execute_dft_c2r, fftwf_plan_dft_c2r_1d(24, COMPLEX(m[0]), m[1], E), COMPLEX(r[0]), r[1]);
  EXECUTES(execute_split_dft_r2c, fftwf_plan_guru_split_dft_r2c(1, &n, 0, NULL, m[0], m[1], m[2], E), r[0], r[1], r[2]);
  EXECUTES(execute_split_dft_c2r, fftwf_plan_guru_split_dft_c2r(1, &n, 0, NULL, m[0], m[1], m[2], E), r[0], r[1], r[2]);
  EXECUTES(execute_r2r, fftwf_plan_r2r_1d(24, m[0], m[1], FFTW_RODFT11, E), r[0], r[1]);
}

/* ---- texts and costs --------------------------------------------------------------------------------------------- */

static void costs(void) {
  fftwf_plan p = fftwf_plan_dft_1d(24, COMPLEX(made[0]), COMPLEX(made[1]), FFTW_FORWARD, E);
  double add = -1, mul = -1, fma = -1, cost = -1;
  fftwf_flops(p, &add, &mul, &fma);
  printf("flops %g %g %g, cost %g, estimate %g\n", add, mul, fma, fftwf_cost(p), fftwf_estimate_cost(p));
  sfftw_flops_(&p, &add, &mul, &fma);
  printf("flops %g %g %g", add, mul, fma);
  sfftw_cost_(&cost, &p);
  printf(", cost %g", cost);
  sfftw_estimate_cost__(&cost, &p);
  printf(", estimate %g\n", cost);
  fftwf_print_plan(p);
  fftwf_fprint_plan(p, stdout);
  sfftw_print_plan_(&p);
  printf("\n");
  fftwf_destroy_plan(p);
}

static void memory(void) {
  void *all[] = {fftwf_malloc(0), fftwf_malloc(1000), fftwf_alloc_real(77), fftwf_alloc_complex(77)};
  for (int i = 0; i < 4; i++) {
    printf("memory %d, alignment %d\n", all[i] != NULL, fftwf_alignment_of(all[i]));
    fftwf_free(all[i]);
  }
  fftwf_free(NULL);
  printf("alignment %d\n", fftwf_alignment_of(made[0] + 1));
}

/* ---- wisdom ------------------------------------------------------------------------------------------------------ */

static char text[1 << 16];
static size_t length, position;

static void write_char(char c, void *data) { text[(*(size_t *)data)++] = c; }
static int read_char(void *data) { return *(size_t *)data < length ? text[(*(size_t *)data)++] : EOF; }
static void write_fortran(char *c, void *data) { write_char(*c, data); }
static void read_fortran(int *c, void *data) { *c = read_char(data); }

/* Whether wisdom for the one transform that it was gathered for is there. */
static int wise(void) {
  fftwf_plan p = fftwf_plan_dft_1d(60, COMPLEX(made[0]), COMPLEX(made[1]), FFTW_FORWARD, FFTW_WISDOM_ONLY);
  fftwf_destroy_plan(p);
  return p != NULL;
}

/* What stands behind the wisdom is not read: the program may go on with it, or wait for it. */
static void followed_by(const char *rest, const char *string) {
  length = (size_t)snprintf(text, sizeof text, "%s%s", string, rest);
  position = 0;
  const int good = fftwf_import_wisdom(read_char, &position);
  printf("import %d, left %d\n", good, (int)(length - position - strlen(rest)));
}

static void wisdom(const char *file) {
  int okay = -1;
  printf("wise %d\n", wise());
  fftwf_destroy_plan(fftwf_plan_dft_1d(60, COMPLEX(made[0]), COMPLEX(made[1]), FFTW_FORWARD, FFTW_MEASURE));
  printf("wise %d\n", wise());
  length = 0;
  fftwf_export_wisdom(write_char, &length);
  char *string = fftwf_export_wisdom_to_string();
  printf("same text %d\n", length == strlen(string) && memcmp(text, string, length) == 0);
  length = 0;
  sfftw_export_wisdom_(write_fortran, &length);
  printf("same text %d\n", length == strlen(string) && memcmp(text, string, length) == 0);

  fftwf_forget_wisdom();
  printf("wise %d\n", wise());
  position = 0;
  printf("import %d, ", fftwf_import_wisdom(read_char, &position));
  printf("wise %d\n", wise());
  followed_by("of the program's", string);
  followed_by("\n \n(of the program's)", string);
  followed_by(string, string);
  sfftw_forget_wisdom__();
  position = 0;
  sfftw_import_wisdom__(&okay, read_fortran, &position);
  printf("import %d, wise %d\n", okay, wise());

  printf("export %d\n", fftwf_export_wisdom_to_filename(file));
  printf("export %d\n", fftwf_export_wisdom_to_filename("/nonexistent/folder/wisdom"));
  fftwf_forget_wisdom();
  printf("import %d, ", fftwf_import_wisdom_from_filename(file));
  printf("wise %d\n", wise());
  printf("import %d\n", fftwf_import_wisdom_from_filename("/nonexistent/folder/wisdom"));

  FILE *f = fopen(file, "w+");
  fftwf_export_wisdom_to_file(f);
  fftwf_forget_wisdom();
  rewind(f);
  printf("import %d, ", fftwf_import_wisdom_from_file(f));
  printf("wise %d\n", wise());
  fclose(f);

  fftwf_forget_wisdom();
  printf("import %d, ", fftwf_import_wisdom_from_string(string));
  printf("wise %d\n", wise());
  printf("import %d\n", fftwf_import_wisdom_from_string("no wisdom at all"));
  free(string);
  printf("system %d\n", fftwf_import_system_wisdom());
  sfftw_import_system_wisdom_(&okay);
  printf("system %d\n", okay);
}

/* ---- threads and state ------------------------------------------------------------------------------------------- */

static void loop(void *(*work)(char *), char *jobs, size_t size, int count, void *data) {
  ++*(int *)data;
  for (int i = 0; i < count; i++) work(jobs + size * (size_t)i);
}

static void threads(void) {
  int n = -1, okay = -1, calls = 0;
  enum { LENGTH = 1 << 16 };
  printf("init %d, ", fftwf_init_threads());
  printf("threads %d\n", fftwf_planner_nthreads());
  fftwf_plan_with_nthreads(3);
  printf("threads %d\n", fftwf_planner_nthreads());
  fftwf_make_planner_thread_safe();
  fftwf_threads_set_callback(loop, &calls);
  fftwf_complex *big = fftwf_alloc_complex(LENGTH);
  memset(big, 0, LENGTH * sizeof *big);
  fftwf_plan p = fftwf_plan_dft_1d(LENGTH, big, big, FFTW_FORWARD, E);
  fftwf_execute(p);
  printf("loops %d\n", calls);
  fftwf_destroy_plan(p);
  fftwf_cleanup(); /* with plans left it is undefined what becomes of them */
  fftwf_free(big);
  printf("threads %d\n", fftwf_planner_nthreads());
  fftwf_threads_set_callback(NULL, NULL);
  fftwf_cleanup_threads();
  sfftw_init_threads_(&okay);
  sfftw_plan_with_nthreads__((int[]){2});
  sfftw_planner_nthreads_(&n);
  printf("init %d, threads %d\n", okay, n);
  sfftw_cleanup_threads__();
  fftwf_plan_with_nthreads(4); /* without init_threads: FFTW does it itself, after a cleanup */
  printf("threads %d\n", fftwf_planner_nthreads());
  fftwf_cleanup_threads();
}

static void state(void) {
  double limit = 0;
  fftwf_set_timelimit(0);
  fftwf_plan p = fftwf_plan_dft_1d(48, COMPLEX(made[0]), COMPLEX(made[1]), FFTW_FORWARD, FFTW_PATIENT);
  printf("plan without time %d\n", p != NULL);
  fftwf_destroy_plan(p);
  sfftw_set_timelimit_(&limit);
  fftwf_set_timelimit(FFTW_NO_TIMELIMIT);
  fftwf_destroy_plan(NULL);
  sfftw_cleanup_();
  fftwf_cleanup();
}

int main(int argc, char **argv) {
  for (int k = 0; k < 4; k++) {
    made[k] = fftwf_alloc_real(SIZE);
    run[k] = fftwf_alloc_real(SIZE);
  }
  executes();
  costs();
  memory();
  wisdom(argc > 1 ? argv[1] : "wisdom.tmp");
  threads();
  state();
  for (int k = 0; k < 4; k++) {
    fftwf_free(made[k]);
    fftwf_free(run[k]);
  }
  return 0;
}
