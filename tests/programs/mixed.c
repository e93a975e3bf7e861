/* mixed.c: single and double precision in one program: an iterative refinement, which solves a screened Poisson equation
 * by corrections that are computed in single precision from residuals in double; and a thread for each precision. */
#include <fftw3.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/programs/show.h"

enum { M = 20, POINTS = M * M * M, ROUNDS = 6 };

static double frequency(int i) { return 2 * acos(-1) * (i <= M / 2 ? i : i - M); }

/* What the operator does to the wave of that index. */
static double symbol(int at) {
  const double x = frequency(at % M), y = frequency(at / M % M), z = frequency(at / M / M);
  return 40 + x * x + y * y + z * z;
}

typedef struct {
  fftw_complex *x, *right, *residual, *work;
  fftw_plan there, back;
} precise;

typedef struct {
  fftwf_complex *work;
  fftwf_plan there, back;
} quick;

/* residual = right - operator x, in double. */
static double residual_of(precise *p) {
  double square = 0;
  for (int k = 0; k < 2 * POINTS; k++) ((double *)p->work)[k] = ((double *)p->x)[k];
  fftw_execute(p->there);
  for (int k = 0; k < 2 * POINTS; k++) ((double *)p->work)[k] *= symbol(k / 2) / POINTS;
  fftw_execute(p->back);
  for (int k = 0; k < 2 * POINTS; k++) {
    const double r = ((double *)p->right)[k] - ((double *)p->work)[k];
    ((double *)p->residual)[k] = r;
    square += r * r;
  }
  return sqrt(square);
}

/* x += the operator's inverse of the residual, in single; damped, so that there is something left to correct. */
static void correct(precise *p, quick *q) {
  for (int k = 0; k < 2 * POINTS; k++) ((float *)q->work)[k] = (float)((double *)p->residual)[k];
  fftwf_execute(q->there);
  for (int k = 0; k < 2 * POINTS; k++) ((float *)q->work)[k] *= (float)(0.999 / symbol(k / 2) / POINTS);
  fftwf_execute(q->back);
  for (int k = 0; k < 2 * POINTS; k++) ((double *)p->x)[k] += ((float *)q->work)[k];
}

static void refine(void) {
  precise p = {fftw_alloc_complex(POINTS), fftw_alloc_complex(POINTS), fftw_alloc_complex(POINTS),
               fftw_alloc_complex(POINTS), NULL, NULL};
  quick q = {fftwf_alloc_complex(POINTS), NULL, NULL};
  float *start = malloc(2 * POINTS * sizeof *start);
  p.there = fftw_plan_dft_3d(M, M, M, p.work, p.work, FFTW_FORWARD, FFTW_ESTIMATE);
  q.there = fftwf_plan_dft_3d(M, M, M, q.work, q.work, FFTW_FORWARD, FFTW_ESTIMATE);
  p.back = fftw_plan_dft_3d(M, M, M, p.work, p.work, FFTW_BACKWARD, FFTW_ESTIMATE);
  q.back = fftwf_plan_dft_3d(M, M, M, q.work, q.work, FFTW_BACKWARD, FFTW_ESTIMATE);
  fill(start, 2 * POINTS, 77);
  for (int k = 0; k < 2 * POINTS; k++) {
    ((double *)p.x)[k] = 0;
    ((double *)p.right)[k] = start[k];
  }
  const double first = residual_of(&p);
  double last = first;
  for (int round = 0; round < ROUNDS; round++) {
    correct(&p, &q);
    last = residual_of(&p);
  }
  show_text("residual_is_beyond_single_precision", "%s", last < 1e-11 * first ? "yes" : "no");
  for (int k = 0; k < 2 * POINTS; k++) start[k] = (float)((double *)p.x)[k];
  show("solution", POINTS, start, 2 * POINTS);
  fftw_destroy_plan(p.there);
  fftw_destroy_plan(p.back);
  fftwf_destroy_plan(q.there);
  fftwf_destroy_plan(q.back);
  fftw_free(p.x);
  fftw_free(p.right);
  fftwf_free(p.residual); /* as programs do that mix the two */
  fftw_free(p.work);
  fftw_free(q.work);
  free(start);
}

/* ---- each precision's planner is its own: FFTW lets two threads plan at once ------------------------------------- */

enum { PLANS = 12, N = 360 };
static double errors[2];

static void *in_single(void *unused) {
  fftwf_complex *x = fftwf_alloc_complex(N);
  for (int i = 0; i < PLANS; i++) {
    fftwf_plan p = fftwf_plan_dft_1d(N - 6 * i, x, x, FFTW_FORWARD, FFTW_ESTIMATE);
    for (int k = 0; k < N; k++) x[k][0] = x[k][1] = k == 0;
    fftwf_execute(p);
    for (int k = 0; k < N - 6 * i; k++) errors[0] += fabs(x[k][0] - 1) + fabs(x[k][1] - 1);
    fftwf_destroy_plan(p);
  }
  fftwf_free(x);
  return unused;
}

static void *in_double(void *unused) {
  fftw_complex *x = fftw_alloc_complex(N);
  for (int i = 0; i < PLANS; i++) {
    fftw_plan p = fftw_plan_dft_1d(N - 6 * i, x, x, FFTW_FORWARD, FFTW_ESTIMATE);
    for (int k = 0; k < N; k++) x[k][0] = x[k][1] = k == 0;
    fftw_execute(p);
    for (int k = 0; k < N - 6 * i; k++) errors[1] += fabs(x[k][0] - 1) + fabs(x[k][1] - 1);
    fftw_destroy_plan(p);
  }
  fftw_free(x);
  return unused;
}

static void at_once(void) {
  pthread_t threads[2];
  if (pthread_create(&threads[0], NULL, in_single, NULL) || pthread_create(&threads[1], NULL, in_double, NULL)) exit(1);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  show_text("single_beside_double", "%s", errors[0] < 1e-2 ? "right" : "wrong");
  show_text("double_beside_single", "%s", errors[1] < 1e-11 ? "right" : "wrong");
}

/* ---- wisdom and limits are each precision's own ------------------------------------------------------------------ */

static void apart(void) {
  fftw_complex *x = fftw_alloc_complex(N);
  fftw_plan measured = fftw_plan_dft_1d(N, x, x, FFTW_FORWARD, FFTW_MEASURE);
  char *wisdom = fftw_export_wisdom_to_string();
  fftwf_forget_wisdom();
  fftwf_set_timelimit(0);
  fftw_plan known = fftw_plan_dft_1d(N, x, x, FFTW_FORWARD, FFTW_MEASURE | FFTW_WISDOM_ONLY);
  show_text("double_wisdom_stays", "%s", known ? "yes" : "no");
  show_text("single_takes_double_wisdom", "%d", fftwf_import_wisdom_from_string(wisdom));
  fftwf_set_timelimit(FFTW_NO_TIMELIMIT);
  fftw_destroy_plan(known);
  fftw_destroy_plan(measured);
  free(wisdom);
  fftw_free(x);
}

/* Both precisions' wisdom in one stream of characters: what follows the first is the second's. */
typedef struct {
  char text[1 << 16];
  size_t length, at;
} stream;

static void put(char c, void *data) {
  stream *s = data;
  if (s->length < sizeof s->text) s->text[s->length++] = c;
}

static int get(void *data) {
  stream *s = data;
  return s->at < s->length ? (unsigned char)s->text[s->at++] : EOF;
}

static void in_one_stream(void) {
  stream *s = calloc(1, sizeof *s);
  fftwf_export_wisdom(put, s);
  fftw_export_wisdom(put, s);
  fftwf_export_wisdom(put, s);
  const int single = fftwf_import_wisdom(get, s), two = fftw_import_wisdom(get, s);
  show_text("wisdom_of_one_stream", "%d %d %d", single, two, fftwf_import_wisdom(get, s));
  free(s);
}

int main(void) {
  refine();
  at_once();
  apart();
  in_one_stream();
  fftwf_cleanup();
  fftw_cleanup();
  return 0;
}
