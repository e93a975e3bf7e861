/* apart.c: what one precision is told is nothing to the other, in a program that has both, with threads: numbers of
 * threads, time limits, wisdom in files, cleanup, memory. */
#include <fftw3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/programs/show.h"

enum { N = 240, LINES = 6, POINTS = N * LINES };

static fftwf_complex *single;
static fftw_complex *wide;

static fftwf_plan plan_single(unsigned flags) {
  int n = N;
  return fftwf_plan_many_dft(1, &n, LINES, single, NULL, 1, N, single, NULL, 1, N, FFTW_FORWARD, flags);
}

static fftw_plan plan_double(unsigned flags) {
  int n = N;
  return fftw_plan_many_dft(1, &n, LINES, wide, NULL, 1, N, wide, NULL, 1, N, FFTW_BACKWARD, flags);
}

/* Both, on fresh numbers, shown as floats. */
static void execute(const char *name, fftwf_plan s, fftw_plan d) {
  char text[64];
  float *const rounded = malloc(sizeof *single * POINTS);
  fill(single, 2 * POINTS, 5);
  for (int k = 0; k < 2 * POINTS; k++) ((double *)wide)[k] = ((float *)single)[k];
  if (s) {
    fftwf_execute(s);
    snprintf(text, sizeof text, "%s_single*", name);
    show(text, N, single, 2 * POINTS);
  }
  if (d) {
    fftw_execute(d);
    for (int k = 0; k < 2 * POINTS; k++) rounded[k] = (float)((double *)wide)[k];
    snprintf(text, sizeof text, "%s_double*", name);
    show(text, N, rounded, 2 * POINTS);
  }
  free(rounded);
}

static void show_nthreads(const char *name) {
#ifdef BEFORE_FFTW_3_3_9
  (void)name;
#else
  show_text(name, "%d %d", fftwf_planner_nthreads(), fftw_planner_nthreads());
#endif
}

static void threads(void) {
  show_text("threads_single", "%d", fftwf_init_threads() != 0);
  show_text("threads_double", "%d", fftw_init_threads() != 0);
  fftw_plan_with_nthreads(3);
  show_nthreads("nthreads_after_double");
  fftwf_plan_with_nthreads(2);
  show_nthreads("nthreads_after_single");
  fftwf_plan s = plan_single(FFTW_ESTIMATE);
  fftw_plan d = plan_double(FFTW_ESTIMATE);
  execute("threads", s, d);
  fftwf_destroy_plan(s);
  fftwf_cleanup_threads();
  show_nthreads("nthreads_after_cleanup");
  execute("threads_of_the_other", NULL, d);
  fftw_destroy_plan(d);
  fftw_plan_with_nthreads(1);
}

/* A time limit of nothing: MEASURE gives some plan, and quickly, in one precision only. */
static void limits(void) {
  fftwf_set_timelimit(0);
  fftw_set_timelimit(FFTW_NO_TIMELIMIT);
  fftwf_plan s = plan_single(FFTW_MEASURE);
  fftw_plan d = plan_double(FFTW_MEASURE);
  execute("limits", s, d);
  fftwf_destroy_plan(s);
  fftw_destroy_plan(d);
  fftwf_set_timelimit(FFTW_NO_TIMELIMIT);
  fftwf_destroy_plan(plan_single(FFTW_MEASURE)); /* now it is known, too */
}

static int known_single(void) {
  fftwf_plan p = plan_single(FFTW_MEASURE | FFTW_WISDOM_ONLY);
  fftwf_destroy_plan(p);
  return p != NULL;
}

static int known_double(void) {
  fftw_plan p = plan_double(FFTW_MEASURE | FFTW_WISDOM_ONLY);
  fftw_destroy_plan(p);
  return p != NULL;
}

static void wisdom_files(void) {
  char of_single[] = "/tmp/fftw3-gpu-apart-s-XXXXXX", of_double[] = "/tmp/fftw3-gpu-apart-d-XXXXXX";
  close(mkstemp(of_single));
  close(mkstemp(of_double));
  show_text("exported", "%d %d", fftwf_export_wisdom_to_filename(of_single), fftw_export_wisdom_to_filename(of_double));
  show_text("known", "%d %d", known_single(), known_double());
  fftwf_forget_wisdom();
  show_text("known_after_forgetting_single", "%d %d", known_single(), known_double());
  fftw_forget_wisdom();
  show_text("imported_wrongly", "%d %d", fftwf_import_wisdom_from_filename(of_double),
            fftw_import_wisdom_from_filename(of_single));
  show_text("known_after_that", "%d %d", known_single(), known_double());
  show_text("imported", "%d %d", fftwf_import_wisdom_from_filename(of_single),
            fftw_import_wisdom_from_filename(of_double));
  show_text("known_again", "%d %d", known_single(), known_double());
  unlink(of_single);
  unlink(of_double);
}

static void cleanup(void) {
  fftwf_plan s = plan_single(FFTW_ESTIMATE);
  fftw_plan d = plan_double(FFTW_ESTIMATE);
  fftwf_destroy_plan(s);
  fftwf_cleanup();
  show_text("known_after_cleanup_of_single", "%d %d", known_single(), known_double());
  execute("cleaned_up", NULL, d);
  fftw_destroy_plan(d);
  s = plan_single(FFTW_ESTIMATE);
  fftw_cleanup();
  execute("the_other_way_round", s, NULL);
  fftwf_destroy_plan(s);
  fftwf_cleanup();
}

static void memory(void) {
  float *const s = fftwf_alloc_real(3);
  double *const d = fftw_alloc_real(3);
  fftw_complex *const c = fftw_alloc_complex(3);
  show_text("alignment", "%d %d %d", fftwf_alignment_of(s), fftw_alignment_of(d), fftw_alignment_of((double *)c));
  show_text("alignment_one_on", "%d %d", fftwf_alignment_of(s + 1), fftw_alignment_of(d + 1));
  fftwf_free(s);
  fftwf_free(d); /* either frees both */
  fftw_free(c);
}

int main(void) {
  single = fftwf_alloc_complex(POINTS);
  wide = fftw_alloc_complex(POINTS);
  threads();
  limits();
  wisdom_files();
  cleanup();
  memory();
  fftwf_free(single);
  fftw_free(wide);
  fftw_cleanup_threads();
  return 0;
}
