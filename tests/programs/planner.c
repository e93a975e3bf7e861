/* planner.c: what surrounds a transform: flags, plans that must be NULL, printing, cost, memory, cleanup,
 * identification. */
#include <fftw3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/programs/show.h"

enum { N = 240 };

static fftwf_complex *x, *y;

static void says_null(const char *name, fftwf_plan plan) {
  show_text(name, "%s", plan ? "a plan" : "NULL");
  fftwf_destroy_plan(plan);
}

static void refusals(void) {
  const int good[] = {8}, zero[] = {0}, shape[] = {4, 6};
  float *r = (float *)x;
  const fftwf_r2r_kind cosine[] = {FFTW_REDFT00};
  says_null("length_0", fftwf_plan_dft_1d(0, x, y, FFTW_FORWARD, FFTW_ESTIMATE));
  says_null("length_negative", fftwf_plan_dft_2d(8, -3, x, y, FFTW_FORWARD, FFTW_ESTIMATE));
  says_null("rank_negative", fftwf_plan_dft(-1, good, x, y, FFTW_FORWARD, FFTW_ESTIMATE));
  says_null("many_length_0",
            fftwf_plan_many_dft(1, zero, 2, x, NULL, 1, 8, y, NULL, 1, 8, FFTW_FORWARD, FFTW_ESTIMATE));
  says_null("many_batch_negative",
            fftwf_plan_many_dft(1, good, -2, x, NULL, 1, 8, y, NULL, 1, 8, FFTW_FORWARD, FFTW_ESTIMATE));
  says_null("guru_rank_negative", fftwf_plan_guru_dft(-2, NULL, 0, NULL, x, y, FFTW_FORWARD, FFTW_ESTIMATE));
  says_null("cosine_of_one", fftwf_plan_r2r(1, (int[]){1}, r, r, cosine, FFTW_ESTIMATE));
  says_null("c2r_2d_preserve", fftwf_plan_dft_c2r(2, shape, y, r, FFTW_ESTIMATE | FFTW_PRESERVE_INPUT));
  says_null("no_wisdom", fftwf_plan_dft_1d(N, x, y, FFTW_FORWARD, FFTW_MEASURE | FFTW_WISDOM_ONLY));
  says_null("null_pointers", fftwf_plan_dft_1d(N, NULL, NULL, FFTW_FORWARD, FFTW_ESTIMATE));
}

/* Timed planning may overwrite the arrays, so they are filled between planning and execution. */
static void with_flags(const char *name, int sign, unsigned flags) {
  fill(x, 2 * N, 31);
  fftwf_plan plan = fftwf_plan_dft_2d(12, 20, x, y, sign, flags);
  if (flags & FFTW_ESTIMATE) show("  input_after_planning", N, x, 2 * N);
  fill(x, 2 * N, 31);
  fftwf_execute(plan);
  show(name, N, y, 2 * N);
  fftwf_destroy_plan(plan);
}

static void flags(void) {
  with_flags("estimate", FFTW_FORWARD, FFTW_ESTIMATE);
  with_flags("estimate_preserve", FFTW_FORWARD, FFTW_ESTIMATE | FFTW_PRESERVE_INPUT);
  with_flags("estimate_destroy", FFTW_FORWARD, FFTW_ESTIMATE | FFTW_DESTROY_INPUT);
  with_flags("estimate_unaligned", FFTW_FORWARD, FFTW_ESTIMATE | FFTW_UNALIGNED);
  with_flags("estimate_patient", FFTW_FORWARD, FFTW_ESTIMATE_PATIENT);
  with_flags("conserve_memory", FFTW_FORWARD, FFTW_ESTIMATE | FFTW_CONSERVE_MEMORY);
  with_flags("sign_7_is_backward", 7, FFTW_ESTIMATE);
  with_flags("sign_0_is_backward", 0, FFTW_ESTIMATE);
  with_flags("measure*", FFTW_BACKWARD, FFTW_MEASURE);
  with_flags("patient*", FFTW_FORWARD, FFTW_PATIENT);
  fftwf_set_timelimit(0);
  with_flags("no_time*", FFTW_FORWARD, FFTW_EXHAUSTIVE);
  fftwf_set_timelimit(FFTW_NO_TIMELIMIT);
}

/* A plan's text is its maker's own; that it is one parenthesised list is common to all. */
static const char *looks_like_a_plan(const char *text) {
  int depth = 0;
  for (const char *c = text; *c; c++) depth += (*c == '(') - (*c == ')');
  return text[0] == '(' && depth == 0 && strchr(text, ')') ? "yes" : "no";
}

static void printing(void) {
  char text[8192] = "";
  fftwf_plan plan = fftwf_plan_dft_2d(12, 20, x, y, FFTW_FORWARD, FFTW_ESTIMATE);
  char *copy = fftwf_sprint_plan(plan);
  FILE *file = tmpfile();
  fftwf_fprint_plan(plan, file);
  rewind(file);
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  show_text("sprint_plan_is_a_list", "%s", looks_like_a_plan(copy));
  show_text("fprint_plan_equals_sprint", "%s", strcmp(copy, text) ? "no" : "yes");
  free(copy);
  double adds = -1, multiplies = -1, fused = -1;
  fftwf_flops(plan, &adds, &multiplies, &fused);
  show_text("flops_are_counted", "%s", adds > 0 && multiplies >= 0 && fused >= 0 ? "yes" : "no");
  show_text("cost_is_not_negative", "%s", fftwf_cost(plan) >= 0 && fftwf_estimate_cost(plan) >= 0 ? "yes" : "no");
  fftwf_destroy_plan(plan);
}

static void memory(void) {
  void *nothing = fftwf_malloc(0);
  float *r = fftwf_alloc_real(10);
  show_text("malloc_0", "%s", nothing ? "a pointer" : "NULL");
  show_text("alignment_of_malloc", "%d", fftwf_alignment_of(r));
  show_text("alignment_one_off", "%d", fftwf_alignment_of(r + 1));
  show_text("malloc_modulo_16", "%d", (int)((uintptr_t)(void *)r % 16));
  fftwf_free(nothing);
  fftwf_free(r);
  fftwf_free(NULL);
}

/* A program's own copies of these arrays are filled before any library's code runs, so a preload cannot know the real
 * texts' ends there (plugin.c sees them whole); the number must be right, the others must be text. */
static void identification(void) {
  show_text("version", "%.*s", (int)strcspn(fftwf_version + 5, "-") + 5, fftwf_version); /* without "-sse2" and the like */
  show_text("cc", "%s", fftwf_cc[0] ? "known" : "empty");
  show_text("codelet_optim", "%s", strlen(fftwf_codelet_optim) < 512 ? "text" : "rubbish");
}

/* Formally undefined, yet programs do it: plans outlive cleanup. */
static void after_cleanup(void) {
  fill(x, 2 * N, 33);
  fftwf_plan plan = fftwf_plan_dft_1d(N, x, y, FFTW_FORWARD, FFTW_ESTIMATE);
  fftwf_cleanup();
  fftwf_execute(plan);
  show("executed_after_cleanup", N, y, 2 * N);
  fftwf_destroy_plan(plan);
  plan = fftwf_plan_dft_1d(N, x, y, FFTW_BACKWARD, FFTW_ESTIMATE);
  fftwf_execute(plan);
  show("planned_after_cleanup", N, y, 2 * N);
  fftwf_destroy_plan(plan);
  fftwf_cleanup();
}

int main(void) {
  x = fftwf_alloc_complex(N);
  y = fftwf_alloc_complex(N);
  refusals();
  flags();
  printing();
  memory();
  identification();
  after_cleanup();
  fftwf_free(x);
  fftwf_free(y);
  return 0;
}
