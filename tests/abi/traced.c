/* traced.c: ways in which programs use FFTW, for the trace; the argument says which. */
#include <complex.h>
#include <fftw3.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define E FFTW_ESTIMATE
enum { N = 64 };
static float fixed[2 * N]; /* static memory */

static fftwf_plan forward, backward;
static fftwf_complex *a, *b;

static void plan(void) {
  a = fftwf_alloc_complex(N);
  b = fftwf_malloc(N * sizeof *b);
  forward = fftwf_plan_dft_1d(N, a, b, FFTW_FORWARD, E);
  backward = fftwf_plan_dft_1d(N, b, a, FFTW_BACKWARD, E);
}

static void done(void) {
  fftwf_destroy_plan(forward);
  fftwf_destroy_plan(backward);
  fftwf_free(a);
  fftwf_free(b);
}

/* A time step many times over: pairs of transforms, each so often, in a loop, in a loop. */
static void steps(void) {
  plan();
  for (int outer = 0; outer < 5; outer++) {
    for (int i = 0; i < 1000; i++) {
      for (int k = 0; k < 3; k++) fftwf_execute(forward);
      fftwf_execute(backward);
    }
    fftwf_execute_dft(forward, b, a);
  }
  done();
}

/* A batch, one transform a call, on memory of malloc. */
static void alone(void) {
  enum { BATCH = 2000 };
  fftwf_complex *in = calloc((size_t)BATCH * N, sizeof *in), *out = calloc((size_t)BATCH * N, sizeof *out);
  fftwf_plan p = fftwf_plan_dft_1d(N, in, out, FFTW_FORWARD, E);
  for (int step = 0; step < 3; step++)
    for (int i = 0; i < BATCH; i++) fftwf_execute_dft(p, in + i * N, out + i * N);
  fftwf_destroy_plan(p);
  free(in);
  free(out);
}

/* Everything anew in each round. */
static void anew(void) {
  for (int i = 0; i < 500; i++) {
    plan();
    fftwf_execute(forward);
    fftwf_execute(backward);
    done();
  }
}

/* In place, without scaling: floats would overflow after a few dozen. */
static void grow(void) {
  fftwf_plan p = fftwf_plan_dft_1d(N, (fftwf_complex *)fixed, (fftwf_complex *)fixed, FFTW_FORWARD, E);
  for (int i = 0; i < 3000; i++) {
    if (i % 20 == 0) memset(fixed, 0, sizeof fixed);
    fftwf_execute(p);
  }
  fftwf_destroy_plan(p);
}

/* Every kind of transform, in place and out of place, on arrays of their own and on parts. */
static void kinds(void) {
  float *r = fftwf_alloc_real(8 * N), *s = fftwf_alloc_real(8 * N);
  fftwf_complex *c = (fftwf_complex *)s;
  const fftwf_iodim n = {N, 1, 1}, batch = {2, 2 * N, 2 * N};
  const fftwf_r2r_kind both[] = {FFTW_REDFT10, FFTW_HC2R};
  const fftwf_plan p[] = {
      fftwf_plan_dft_r2c_2d(8, 9, r, c, E),
      fftwf_plan_dft_c2r_2d(8, 9, c, r, E),
      fftwf_plan_dft_r2c_1d(N, s, c, E),
      fftwf_plan_dft_c2r_1d(N, c, s, E),
      fftwf_plan_r2r_2d(8, 9, r, s, both[0], both[1], E),
      fftwf_plan_r2r_1d(N, s, s, FFTW_DHT, E),
      fftwf_plan_guru_split_dft(1, &n, 1, &batch, r, r + N, s, s + N, E),
      fftwf_plan_guru_split_dft(1, &n, 1, &batch, r, r + N, r, r + N, E),
      fftwf_plan_guru_split_dft_r2c(1, &n, 1, &batch, r, s, s + N, E),
      fftwf_plan_guru_split_dft_c2r(1, &n, 1, &batch, s, s + N, r, E | FFTW_PRESERVE_INPUT),
  };
  for (int round = 0; round < 5; round++)
    for (size_t i = 0; i < sizeof p / sizeof *p; i++) {
      memset(r, 0, 8 * N * sizeof *r);
      memset(s, 0, 8 * N * sizeof *s);
      fftwf_execute(p[i]);
    }
  for (size_t i = 0; i < sizeof p / sizeof *p; i++) fftwf_destroy_plan(p[i]);
  fftwf_free(r);
  fftwf_free(s);
}

/* Parts of one block that overlap, known bit by bit. */
static void overlap(void) {
  float *block = malloc(1000 * sizeof *block);
  fftwf_complex *c = (fftwf_complex *)block;
  fftwf_plan p = fftwf_plan_dft_1d(100, c + 300, c + 300, FFTW_FORWARD, E);
  fftwf_plan q = fftwf_plan_dft_1d(100, c + 100, c + 100, FFTW_FORWARD, E);
  fftwf_plan r = fftwf_plan_dft_1d(101, c + 200, c + 200, FFTW_FORWARD, E);
  memset(block, 0, 1000 * sizeof *block);
  fftwf_execute(r);
  fftwf_execute(p);
  fftwf_execute(q);
  fftwf_destroy_plan(p);
  fftwf_destroy_plan(q);
  fftwf_destroy_plan(r);
  free(block);
}

static void *run(void *data) {
  fftwf_complex *mine = fftwf_alloc_complex(N);
  memset(mine, 0, N * sizeof *mine);
  for (int i = 0; i < 1000; i++) fftwf_execute_dft(data, mine, mine);
  fftwf_free(mine);
  return NULL;
}

static void threads(void) {
  enum { THREADS = 8 };
  pthread_t thread[THREADS];
  fftwf_plan p = fftwf_plan_dft_1d(N, (fftwf_complex *)fixed, (fftwf_complex *)fixed, FFTW_FORWARD, E | FFTW_UNALIGNED);
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < THREADS; i++) pthread_create(&thread[i], NULL, run, p);
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
  }
  fftwf_destroy_plan(p);
}

/* Nothing but executions, by several threads. */
/* No thread ends before all have executed: the next would get its number. */
static pthread_barrier_t all_have;

static void *run_team(void *data) {
  for (int i = 0; i < 1000; i++) fftwf_execute(data);
  pthread_barrier_wait(&all_have);
  return NULL;
}

static void team(void) {
  enum { THREADS = 4 };
  static fftwf_complex data[THREADS][N];
  pthread_t thread[THREADS];
  fftwf_plan p[THREADS];
  pthread_barrier_init(&all_have, NULL, THREADS);
  for (int i = 0; i < THREADS; i++) p[i] = fftwf_plan_dft_1d(N, data[i], data[i], FFTW_FORWARD, E);
  for (int i = 0; i < THREADS; i++) pthread_create(&thread[i], NULL, run_team, p[i]);
  for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
  for (int i = 0; i < THREADS; i++) fftwf_destroy_plan(p[i]);
}

static void children(void) {
  plan();
  fftwf_execute(forward);
  if (fork() == 0) {
    fftwf_execute(backward);
    fftwf_execute_dft(forward, b, a);
    _exit(0);
  }
  wait(NULL);
  if (fork() == 0) _exit(0); /* a child that calls nothing */
  wait(NULL);
  fftwf_execute(forward);
  done();
}

/* A child whose plans' arrays were freed before the fork, or have become parts of another. */
static void outlived(void) {
  fftwf_complex *const all = calloc(2 * N, sizeof *all);
  plan();
  fftwf_free(a);
  fftwf_free(b);
  fftwf_plan first = fftwf_plan_dft_1d(N / 4, all, all, FFTW_FORWARD, E);
  fftwf_plan second = fftwf_plan_dft_1d(N / 4, all + N, all + N, FFTW_FORWARD, E);
  fftwf_plan both = fftwf_plan_dft_1d(2 * N, all, all, FFTW_FORWARD, E);
  if (fork() == 0) {
    fftwf_execute_dft(forward, all, all + N);
    fftwf_execute(second);
    _exit(0);
  }
  wait(NULL);
  fftwf_execute(both);
  fftwf_destroy_plan(first);
  fftwf_destroy_plan(second);
  fftwf_destroy_plan(both);
  fftwf_destroy_plan(forward);
  fftwf_destroy_plan(backward);
  free(all);
}

static int trace_has(const char *text) {
  static char all[1 << 16];
  FILE *f = fopen(getenv("FFTW3_GPU_TRACE"), "r");
  if (!f) return 0;
  all[fread(all, 1, sizeof all - 1, f)] = 0;
  fclose(f);
  return strstr(all, text) != NULL;
}

/* A busy machine writes a little later: with the last call everything before it is there. */
static void killed(void) {
  plan();
  for (int i = 0; i < 10; i++) fftwf_execute(forward);
  fftwf_execute(backward);
  while (!trace_has("set_timelimit")) fftwf_set_timelimit(10);
  abort();
}

/* All descriptors of the process, ours too; then a file of the program's own. */
static void closes(void) {
  plan();
  fftwf_execute(forward);
  for (int fd = 3; fd < 1024; fd++) close(fd);
  for (int fd = 3; fd < 200; fd++)
    if (dup(1) < 0) exit(3);
  fftwf_execute(backward);
  done();
}

static void many(void) {
  plan();
  unsigned state = 1;
  for (int i = 0; i < 20000; i++) {
    state = state * 1664525 + 1013904223;
    fftwf_execute(state >> 30 ? forward : backward);
  }
  done();
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*act)(void);
  } ways[] = {{"steps", steps},       {"alone", alone},     {"anew", anew},       {"grow", grow},
              {"kinds", kinds},       {"overlap", overlap}, {"threads", threads}, {"team", team},
              {"children", children}, {"killed", killed},   {"closes", closes},   {"many", many},
              {"outlived", outlived}};
  for (size_t i = 0; argc == 2 && i < sizeof ways / sizeof *ways; i++)
    if (!strcmp(argv[1], ways[i].name)) return ways[i].act(), 0;
  return 2;
}
