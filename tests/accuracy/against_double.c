/* against_double.c: the error of the single-precision FFTW that this process got, measured against double FFTW.
 *
 *   against_double [-r ROUNDS] [-f estimate|measure|patient] PROBLEM...
 *
 * Linked to the stock libraries: run as it is, it measures stock float FFTW; run under the preload, fftw3-gpu.
 * PROBLEM is FFTW's notation without strides, letters i o f b c r k in any order, then the lengths (of k with their
 * kinds), then *howmany: ic64x64*27, orb100*3, ok15e10x8o11.  Real ones with r are out of place.  A line a problem:
 * its text, a tab, the relative L2 error ||float - double|| / ||double||, root mean square over the rounds. */
#include <ctype.h>
#include <fftw3.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_RANK = 8 };

typedef struct {
  int rank, n[MAX_RANK];
  int howmany;
  int in_place, sign, kind; /* 'c', 'r' or 'k' */
  fftwf_r2r_kind r2r[MAX_RANK];
} problem;

static uint64_t random_state;

/* Uniform in [-1/2, 1/2), exact in single precision (splitmix64). */
static float random_real(void) {
  uint64_t z = (random_state += UINT64_C(0x9e3779b97f4a7c15));
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  z ^= z >> 31;
  return (float)((double)(z >> 40) / (1 << 24) - 0.5);
}

static int parse_letters(problem *p, const char **text) {
  for (; isalpha((unsigned char)**text); ++*text) switch (**text) {
      case 'i': p->in_place = 1; break;
      case 'o': p->in_place = 0; break;
      case 'f': p->sign = FFTW_FORWARD; break;
      case 'b': p->sign = FFTW_BACKWARD; break;
      case 'c': case 'r': case 'k': p->kind = **text; break;
      default: return -1;
    }
  return 0;
}

static int parse_length(const char **text, int *n) {
  char *end;
  const long value = strtol(*text, &end, 10);
  if (end == *text || value < 1 || value > (1 << 30)) return -1;
  *text = end;
  *n = (int)value;
  return 0;
}

/* FFTW's order of kinds. */
static int parse_r2r(const char **text, fftwf_r2r_kind *kind) {
  static const char *const names[] = {"f", "b", "h", "e00", "e01", "e10", "e11", "o00", "o01", "o10", "o11"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strncmp(*text, names[i], strlen(names[i]))) {
      *text += strlen(names[i]);
      *kind = (fftwf_r2r_kind)i;
      return 0;
    }
  return -1;
}

static int parse(problem *p, const char *text) {
  *p = (problem){.howmany = 1, .sign = FFTW_FORWARD, .kind = 'c'};
  if (parse_letters(p, &text)) return -1;
  do {
    if (p->rank == MAX_RANK || parse_length(&text, &p->n[p->rank])) return -1;
    if (p->kind == 'k' && parse_r2r(&text, &p->r2r[p->rank])) return -1;
    p->rank++;
  } while (*text == 'x' && *++text);
  if (*text == '*' && *++text && parse_length(&text, &p->howmany)) return -1;
  return *text || (p->kind == 'r' && p->in_place) ? -1 : 0;
}

static size_t points(const problem *p) {
  size_t n = 1;
  for (int d = 0; d < p->rank; d++) n *= (size_t)p->n[d];
  return n;
}

static void *must(void *memory, const char *what) {
  if (memory) return memory;
  fprintf(stderr, "against_double: %s failed\n", what);
  exit(1);
}

/* Reals of a side: the last dimension of a real transform is n/2 + 1 complex numbers on its complex side. */
static size_t reals(const problem *p, int output) {
  const size_t n = (size_t)p->n[p->rank - 1];
  const int half = p->kind == 'r' && (p->sign == FFTW_FORWARD) == output;
  const size_t line = p->kind == 'c' ? 2 * n : half ? 2 * (n / 2 + 1) : n;
  return points(p) / n * line * (size_t)p->howmany;
}

typedef struct {
  float *in, *out;
  fftwf_plan plan;
  double *reference, *reference_out;
  fftw_plan reference_plan;
} transforms;

/* The same plan in either precision. */
#define PLANNER(name, X, real)                                                                                        \
  static X##_plan name(const problem *p, real *in, real *out, unsigned flags) {                                       \
    const int is = (int)(reals(p, 0) / (size_t)p->howmany), os = (int)(reals(p, 1) / (size_t)p->howmany);             \
    X##_complex *const ci = (X##_complex *)in, *const co = (X##_complex *)out;                                        \
    if (p->kind == 'c')                                                                                               \
      return X##_plan_many_dft(p->rank, p->n, p->howmany, ci, NULL, 1, is / 2, co, NULL, 1, os / 2, p->sign, flags);  \
    if (p->kind == 'k')                                                                                               \
      return X##_plan_many_r2r(p->rank, p->n, p->howmany, in, NULL, 1, is, out, NULL, 1, os, p->r2r, flags);          \
    if (p->sign == FFTW_FORWARD)                                                                                      \
      return X##_plan_many_dft_r2c(p->rank, p->n, p->howmany, in, NULL, 1, is, co, NULL, 1, os / 2, flags);           \
    return X##_plan_many_dft_c2r(p->rank, p->n, p->howmany, ci, NULL, 1, is / 2, out, NULL, 1, os, flags);            \
  }
PLANNER(plan_single, fftwf, float)
PLANNER(plan_double, fftw, double)

static transforms prepare(const problem *p, unsigned flags) {
  transforms t;
  t.in = must(fftwf_malloc(reals(p, 0) * sizeof *t.in), "fftwf_malloc");
  t.out = p->in_place ? t.in : must(fftwf_malloc(reals(p, 1) * sizeof *t.out), "fftwf_malloc");
  t.reference = must(fftw_malloc(reals(p, 0) * sizeof *t.reference), "fftw_malloc");
  t.reference_out = must(fftw_malloc(reals(p, 1) * sizeof *t.reference), "fftw_malloc");
  t.plan = must(plan_single(p, t.in, t.out, flags), "the float planner");
  t.reference_plan = must(plan_double(p, t.reference, t.reference_out, FFTW_ESTIMATE), "the double planner");
  return t;
}

static void release(const problem *p, transforms *t) {
  fftwf_destroy_plan(t->plan);
  fftw_destroy_plan(t->reference_plan);
  fftwf_free(t->in);
  if (!p->in_place) fftwf_free(t->out);
  fftw_free(t->reference);
  fftw_free(t->reference_out);
}

/* Square of the relative L2 error of one transform of fresh data. */
static double squared_error(const problem *p, const transforms *t) {
  double difference = 0, norm = 0;
  for (size_t i = 0; i < reals(p, 0); i++) t->reference[i] = t->in[i] = random_real();
  fftwf_execute(t->plan);
  fftw_execute(t->reference_plan);
  for (size_t i = 0, count = reals(p, 1); i < count; i++) {
    const double d = t->out[i] - t->reference_out[i];
    difference += d * d;
    norm += t->reference_out[i] * t->reference_out[i];
  }
  return difference / norm;
}

static void measure(const char *text, const problem *p, int rounds, unsigned flags) {
  transforms t = prepare(p, flags);
  double sum = 0;
  random_state = 1;
  for (int round = 0; round < rounds; round++) sum += squared_error(p, &t);
  printf("%s\t%.4e\n", text, sqrt(sum / rounds));
  fflush(stdout);
  release(p, &t);
}

static unsigned flags_named(const char *name) {
  if (!strcmp(name, "measure")) return FFTW_MEASURE;
  if (!strcmp(name, "patient")) return FFTW_PATIENT;
  return FFTW_ESTIMATE;
}

int main(int argc, char **argv) {
  int rounds = 1, i = 1;
  unsigned flags = FFTW_ESTIMATE;
  for (; i + 1 < argc && argv[i][0] == '-'; i += 2) {
    if (argv[i][1] == 'r') rounds = atoi(argv[i + 1]);
    if (argv[i][1] == 'f') flags = flags_named(argv[i + 1]);
  }
  if (i >= argc || rounds < 1) {
    fprintf(stderr, "usage: against_double [-r ROUNDS] [-f estimate|measure|patient] PROBLEM...\n");
    return 2;
  }
  for (; i < argc; i++) {
    problem p;
    if (parse(&p, argv[i])) {
      fprintf(stderr,
              "against_double: '%s' is not a problem: letters i o f b c r k, lengths with x, then *howmany\n", argv[i]);
      return 2;
    }
    measure(argv[i], &p, rounds, flags);
  }
  return 0;
}
