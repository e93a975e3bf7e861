/* members.c: transforms of a batch have nothing to do with each other: whatever one holds, numbers that are larger by far,
 * smaller by far or none at all, the others' results stay the same, to the bit. */
#include <fftw3.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MEMBERS = 5, KINDS = 11 };

enum type { COMPLEX, TO_SPECTRUM, FROM_SPECTRUM, REAL };

typedef struct {
  enum type type;
  int rank, n[3];
  fftwf_r2r_kind kind[3];
  int in, out; /* reals of a member */
  float *data, *from, *to, *before;
  fftwf_plan plan;
} subject;

static int product(const int *n, int rank) {
  int p = 1;
  for (int d = 0; d < rank; d++) p *= n[d];
  return p;
}

static void plan(subject *s) {
  const int all = product(s->n, s->rank), spectrum = all / s->n[s->rank - 1] * (s->n[s->rank - 1] / 2 + 1);
  s->in = s->type == COMPLEX ? 2 * all : s->type == FROM_SPECTRUM ? 2 * spectrum : all;
  s->out = s->type == COMPLEX ? 2 * all : s->type == TO_SPECTRUM ? 2 * spectrum : all;
  s->data = fftwf_malloc((size_t)(MEMBERS * s->in) * sizeof *s->data);
  s->from = fftwf_malloc((size_t)(MEMBERS * s->in) * sizeof *s->from);
  s->to = fftwf_malloc((size_t)(MEMBERS * s->out) * sizeof *s->to);
  s->before = fftwf_malloc((size_t)(MEMBERS * s->out) * sizeof *s->before);
  fftwf_complex *const from = (fftwf_complex *)s->from, *const to = (fftwf_complex *)s->to;
  switch (s->type) {
    case COMPLEX:
      s->plan = fftwf_plan_many_dft(s->rank, s->n, MEMBERS, from, NULL, 1, all, to, NULL, 1, all, FFTW_FORWARD,
                                    FFTW_ESTIMATE);
      break;
    case TO_SPECTRUM:
      s->plan = fftwf_plan_many_dft_r2c(s->rank, s->n, MEMBERS, s->from, NULL, 1, all, to, NULL, 1, spectrum,
                                        FFTW_ESTIMATE);
      break;
    case FROM_SPECTRUM:
      s->plan = fftwf_plan_many_dft_c2r(s->rank, s->n, MEMBERS, from, NULL, 1, spectrum, s->to, NULL, 1, all,
                                        FFTW_ESTIMATE);
      break;
    default:
      s->plan = fftwf_plan_many_r2r(s->rank, s->n, MEMBERS, s->from, NULL, 1, all, s->to, NULL, 1, all, s->kind,
                                    FFTW_ESTIMATE);
  }
  if (!s->plan) exit(2);
  for (int i = 0; i < MEMBERS * s->in; i++) s->data[i] = (float)(rand() % 2001 - 1000) / 1000;
}

static void execute(subject *s, int member, float by) {
  memcpy(s->from, s->data, (size_t)(MEMBERS * s->in) * sizeof *s->from);
  for (int i = 0; i < s->in; i++) s->from[member * s->in + i] *= by;
  fftwf_execute(s->plan);
}

static int others_changed(const subject *s, int member) {
  const size_t bytes = (size_t)s->out * sizeof *s->to;
  for (int m = 0; m < MEMBERS; m++)
    if (m != member && memcmp(s->to + m * s->out, s->before + m * s->out, bytes)) return 1;
  return 0;
}

static int check(subject *s, const char *what) {
  static const float factors[] = {1e20f, NAN, 1e-20f};
  int wrong = 0;
  plan(s);
  execute(s, 0, 1);
  memcpy(s->before, s->to, (size_t)(MEMBERS * s->out) * sizeof *s->to);
  for (int member = 0; member < MEMBERS; member++)
    for (size_t f = 0; f < sizeof factors / sizeof *factors; f++) {
      execute(s, member, factors[f]);
      if (others_changed(s, member) && !wrong++)
        printf("%s, %d x %d x %d: member %d times %g reaches others\n", what, s->n[0], s->n[1], s->n[2], member,
               factors[f]);
    }
  fftwf_destroy_plan(s->plan);
  fftwf_free(s->data);
  fftwf_free(s->from);
  fftwf_free(s->to);
  fftwf_free(s->before);
  return wrong;
}

int main(void) {
  static const int sizes[][4] = {{1, 100},   {1, 101},   {1, 64},      {1, 18},       {1, 509},     {1, 1009},
                                 {1, 32768}, {2, 12, 10}, {2, 9, 15}, {2, 101, 6}, {3, 4, 6, 5}};
  int wrong = 0;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (int type = COMPLEX; type < REAL; type++) {
      subject s = {.type = (enum type)type, .rank = sizes[i][0], .n = {sizes[i][1], sizes[i][2], sizes[i][3]}};
      wrong += check(&s, type == COMPLEX ? "complex" : type == TO_SPECTRUM ? "r2c" : "c2r");
    }
  for (int kind = 0; kind < KINDS; kind++) {
    subject even = {.type = REAL, .rank = 1, .n = {64}, .kind = {(fftwf_r2r_kind)kind}};
    subject odd = {.type = REAL, .rank = 1, .n = {101}, .kind = {(fftwf_r2r_kind)kind}};
    subject two = {.type = REAL, .rank = 2, .n = {21, 20}, .kind = {(fftwf_r2r_kind)kind, FFTW_REDFT10}};
    char name[16];
    snprintf(name, sizeof name, "kind %d", kind);
    wrong += check(&even, name) + check(&odd, name) + check(&two, name);
    if (kind != FFTW_REDFT00 && kind != FFTW_RODFT00) continue; /* whose rows begin at odd elements */
    subject dense = {.type = REAL, .rank = 1, .n = {257}, .kind = {(fftwf_r2r_kind)kind}};
    wrong += check(&dense, name);
  }
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
