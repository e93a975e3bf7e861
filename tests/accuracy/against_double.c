/* against_double.c: the error of the single-precision FFTW that this process got, measured against double FFTW.
 *
 *   against_double [-r ROUNDS] [-f estimate|measure|patient] PROBLEM...
 *
 * Linked to the stock libraries: run as it is, it measures stock float FFTW; run under the preload, fftw3-gpu.  PROBLEM is
 * FFTW's notation without strides, letters i o f b c in any order, then the lengths, then *howmany: ic64x64*27.  A line a
 * problem: its text, a tab, the relative L2 error ||float - double|| / ||double||, root mean square over the rounds. */
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
  int in_place, sign;
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
      case 'c': break;
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

static int parse(problem *p, const char *text) {
  *p = (problem){.howmany = 1, .sign = FFTW_FORWARD};
  if (parse_letters(p, &text)) return -1;
  do {
    if (p->rank == MAX_RANK || parse_length(&text, &p->n[p->rank++])) return -1;
  } while (*text == 'x' && *++text);
  if (*text == '*' && *++text && parse_length(&text, &p->howmany)) return -1;
  return *text ? -1 : 0;
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

typedef struct {
  fftwf_complex *in, *out;
  fftwf_plan plan;
  fftw_complex *reference;
  fftw_plan reference_plan;
} transforms;

static transforms prepare(const problem *p, unsigned flags) {
  transforms t;
  const size_t total = points(p) * (size_t)p->howmany;
  const int distance = (int)points(p);
  t.in = must(fftwf_malloc(total * sizeof *t.in), "fftwf_malloc");
  t.out = p->in_place ? t.in : must(fftwf_malloc(total * sizeof *t.out), "fftwf_malloc");
  t.reference = must(fftw_malloc(total * sizeof *t.reference), "fftw_malloc");
  t.plan = must(fftwf_plan_many_dft(p->rank, p->n, p->howmany, t.in, NULL, 1, distance, t.out, NULL, 1, distance, p->sign,
                                    flags), "fftwf_plan_many_dft");
  t.reference_plan = must(fftw_plan_many_dft(p->rank, p->n, p->howmany, t.reference, NULL, 1, distance, t.reference, NULL,
                                             1, distance, p->sign, FFTW_ESTIMATE), "fftw_plan_many_dft");
  return t;
}

static void release(const problem *p, transforms *t) {
  fftwf_destroy_plan(t->plan);
  fftw_destroy_plan(t->reference_plan);
  fftwf_free(t->in);
  if (!p->in_place) fftwf_free(t->out);
  fftw_free(t->reference);
}

/* Square of the relative L2 error of one transform of fresh data. */
static double squared_error(const problem *p, const transforms *t) {
  const size_t reals = 2 * points(p) * (size_t)p->howmany;
  float *in = (float *)t->in;
  const float *out = (const float *)t->out;
  double *reference = (double *)t->reference, difference = 0, norm = 0;
  for (size_t i = 0; i < reals; i++) reference[i] = in[i] = random_real();
  fftwf_execute(t->plan);
  fftw_execute(t->reference_plan);
  for (size_t i = 0; i < reals; i++) {
    const double d = out[i] - reference[i];
    difference += d * d;
    norm += reference[i] * reference[i];
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
      fprintf(stderr, "against_double: '%s' is not a problem: letters i o f b c, lengths with x, then *howmany\n", argv[i]);
      return 2;
    }
    measure(argv[i], &p, rounds, flags);
  }
  return 0;
}
