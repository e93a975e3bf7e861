/* complex.c: complex transforms through the basic and the many planner: ranks 1 to 4, in place, batches, padding, odd
 * strides, other arrays at execution, arrays that are not aligned, plans made without arrays. */
#include <fftw3.h>
#include <stdio.h>

#include "tests/programs/show.h"

/* The whole output buffer is filled first and printed whole: a write between the elements would show. */
typedef struct {
  size_t in_size, out_size; /* complex numbers; out_size 0: in place */
  fftwf_complex *in, *out;
} buffers;

static buffers buffers_make(size_t in_size, size_t out_size) {
  buffers b = {in_size, out_size, fftwf_alloc_complex(in_size), NULL};
  b.out = out_size ? fftwf_alloc_complex(out_size) : b.in;
  if (out_size) fill(b.out, 2 * out_size, 77);
  fill(b.in, 2 * in_size, 5);
  return b;
}

static void buffers_free(buffers *b) {
  fftwf_free(b->in);
  if (b->out_size) fftwf_free(b->out);
}

static void finish(const char *name, size_t n, fftwf_plan plan, buffers *b) {
  fftwf_execute(plan);
  show(name, n, b->out, 2 * (b->out_size ? b->out_size : b->in_size));
  fftwf_destroy_plan(plan);
  buffers_free(b);
}

static void basic(void) {
  buffers b = buffers_make(360, 360);
  finish("1d", 360, fftwf_plan_dft_1d(360, b.in, b.out, FFTW_FORWARD, FFTW_ESTIMATE), &b);
  b = buffers_make(360, 0);
  finish("1d_in_place_backward", 360, fftwf_plan_dft_1d(360, b.in, b.in, FFTW_BACKWARD, FFTW_ESTIMATE), &b);
  b = buffers_make(30 * 42, 30 * 42);
  finish("2d", 30 * 42, fftwf_plan_dft_2d(30, 42, b.in, b.out, FFTW_BACKWARD, FFTW_ESTIMATE), &b);
  b = buffers_make(12 * 20 * 18, 0);
  finish("3d_in_place", 12 * 20 * 18, fftwf_plan_dft_3d(12, 20, 18, b.in, b.in, FFTW_FORWARD, FFTW_ESTIMATE), &b);
  b = buffers_make(4 * 5 * 6 * 7, 4 * 5 * 6 * 7);
  finish("4d", 840, fftwf_plan_dft(4, (int[]){4, 5, 6, 7}, b.in, b.out, FFTW_FORWARD, FFTW_ESTIMATE), &b);
  b = buffers_make(60, 60);
  finish("ones_in_shape", 60, fftwf_plan_dft(4, (int[]){1, 60, 1, 1}, b.in, b.out, FFTW_FORWARD, FFTW_ESTIMATE), &b);
  b = buffers_make(1, 1);
  finish("one_point", 1, fftwf_plan_dft_1d(1, b.in, b.out, FFTW_FORWARD, FFTW_ESTIMATE), &b);
  b = buffers_make(5, 7);
  finish("rank_0", 1, fftwf_plan_dft(0, NULL, b.in, b.out, FFTW_FORWARD, FFTW_ESTIMATE), &b);
}

static void many(void) {
  const int n1[] = {100}, n2[] = {12, 10}, embed_in[] = {13, 14}, embed_out[] = {12, 11};
  buffers b = buffers_make(700, 700);
  finish("batch_of_rows", 100,
         fftwf_plan_many_dft(1, n1, 7, b.in, NULL, 1, 100, b.out, NULL, 1, 100, FFTW_FORWARD, FFTW_ESTIMATE), &b);
  b = buffers_make(700, 0);
  finish("batch_of_columns_in_place", 100,
         fftwf_plan_many_dft(1, n1, 7, b.in, NULL, 7, 1, b.in, NULL, 7, 1, FFTW_FORWARD, FFTW_ESTIMATE), &b);
  b = buffers_make(700, 700);
  finish("rows_to_columns", 100,
         fftwf_plan_many_dft(1, n1, 7, b.in, NULL, 1, 100, b.out, NULL, 7, 1, FFTW_BACKWARD, FFTW_ESTIMATE), &b);
  b = buffers_make(1600, 2200);
  finish("odd_strides", 100,
         fftwf_plan_many_dft(1, n1, 5, b.in, NULL, 3, 311, b.out, NULL, 5, 509 - 83, FFTW_FORWARD, FFTW_ESTIMATE), &b);
  b = buffers_make(1600, 0);
  finish("odd_strides_in_place", 100,
         fftwf_plan_many_dft(1, n1, 5, b.in, NULL, 3, 311, b.in, NULL, 3, 311, FFTW_FORWARD, FFTW_ESTIMATE), &b);
  b = buffers_make(3 * 2 * 13 * 14, 3 * 12 * 11);
  finish("embedded_2d", 120,
         fftwf_plan_many_dft(2, n2, 3, b.in, embed_in, 2, 2 * 13 * 14, b.out, embed_out, 1, 12 * 11, FFTW_FORWARD,
                             FFTW_ESTIMATE), &b);
  b = buffers_make(120 * 3, 120 * 3);
  finish("interleaved_2d", 120,
         fftwf_plan_many_dft(2, n2, 3, b.in, NULL, 3, 1, b.out, NULL, 3, 1, FFTW_BACKWARD, FFTW_ESTIMATE), &b);
  b = buffers_make(100, 100);
  finish("no_batch", 100,
         fftwf_plan_many_dft(1, n1, 0, b.in, NULL, 1, 100, b.out, NULL, 1, 100, FFTW_FORWARD, FFTW_ESTIMATE), &b);
}

/* In place with rows in and columns out: the transform and a transposition of the square array. */
static void transposing(void) {
  const int n[] = {16};
  buffers b = buffers_make(16 * 16, 0);
  finish("transpose_in_place", 16,
         fftwf_plan_many_dft(1, n, 16, b.in, NULL, 1, 16, b.in, NULL, 16, 1, FFTW_FORWARD, FFTW_ESTIMATE), &b);
}

static void other_arrays(void) {
  buffers a = buffers_make(30 * 42, 30 * 42), b = buffers_make(30 * 42, 30 * 42);
  fftwf_plan plan = fftwf_plan_dft_2d(30, 42, a.in, a.out, FFTW_FORWARD, FFTW_ESTIMATE);
  fill(b.in, 2 * 30 * 42, 9);
  for (int turn = 0; turn < 3; turn++) fftwf_execute_dft(plan, b.in, b.out);
  show("execute_dft", 30 * 42, b.out, 2 * 30 * 42);
  show("execute_dft_untouched", 30 * 42, a.out, 2 * 30 * 42);
  show("execute_dft_input_kept", 30 * 42, b.in, 2 * 30 * 42);
  fftwf_execute_dft(plan, a.out, b.out);
  show("execute_dft_mixed", 30 * 42, b.out, 2 * 30 * 42);
  buffers_free(&b);
  finish("execute_own", 30 * 42, plan, &a);
}

static void unaligned(void) {
  float *memory = fftwf_alloc_real(2 * 2 * 200 + 16);
  fill(memory, 2 * 2 * 200 + 16, 3);
  fftwf_complex *in = (fftwf_complex *)(memory + 1), *out = (fftwf_complex *)(memory + 403);
  fftwf_plan plan = fftwf_plan_dft_1d(200, in, out, FFTW_FORWARD, FFTW_ESTIMATE | FFTW_UNALIGNED);
  fftwf_execute(plan);
  show("unaligned", 200, memory, 2 * 2 * 200 + 16);
  fftwf_execute_dft(plan, (fftwf_complex *)(memory + 2), (fftwf_complex *)(memory + 405));
  show("unaligned_other", 200, memory, 2 * 2 * 200 + 16);
  fftwf_destroy_plan(plan);
  plan = fftwf_plan_dft_1d(200, in, in, FFTW_BACKWARD, FFTW_ESTIMATE);
  fftwf_execute(plan);
  show("unaligned_in_place", 200, memory, 2 * 2 * 200 + 16);
  fftwf_destroy_plan(plan);
  fftwf_free(memory);
}

/* Estimated plans never touch the arrays, so programs make them before they have any. */
static void without_arrays(void) {
  const int n[] = {48};
  fftwf_plan plan = fftwf_plan_many_dft(1, n, 10, NULL, NULL, 1, 48, NULL, NULL, 1, 48, FFTW_FORWARD,
                                        FFTW_ESTIMATE | FFTW_UNALIGNED);
  buffers b = buffers_make(480, 480);
  fftwf_execute_dft(plan, b.in, b.in);
  show("null_plan_in_place", 48, b.in, 960);
  fftwf_destroy_plan(plan);
  plan = fftwf_plan_dft_1d(16, NULL, NULL, FFTW_FORWARD, FFTW_ESTIMATE | FFTW_UNALIGNED);
  fftwf_execute_dft(plan, b.in, b.out);
  show("null_plan_out_of_place", 16, b.out, 32);
  fftwf_destroy_plan(plan);
  buffers_free(&b);
}

int main(void) {
  basic();
  many();
  transposing();
  other_arrays();
  unaligned();
  without_arrays();
  return 0;
}
