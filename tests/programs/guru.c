/* guru.c: the guru planners: any tensors, 32 and 64 bit, interleaved and split, transpositions, negative strides. */
#include <fftw3.h>
#include <stdio.h>

#include "tests/programs/show.h"

enum { SPACE = 4000 };

static float *input, *output;

static void refill(void) {
  fill(input, 2 * SPACE, 11);
  fill(output, 2 * SPACE, 12);
}

static fftwf_complex *in(void) { return (fftwf_complex *)input; }
static fftwf_complex *out(void) { return (fftwf_complex *)output; }

/* Execute and print both arrays whole: what the plan does not own must stay. */
static void finish(const char *name, size_t n, fftwf_plan plan) {
  if (!plan) {
    show_text(name, "no plan");
    return;
  }
  fftwf_execute(plan);
  show(name, n, output, 2 * SPACE);
  show("  input", n, input, 2 * SPACE);
  fftwf_destroy_plan(plan);
  refill();
}

static void interleaved(void) {
  const fftwf_iodim line[] = {{20, 1, 1}}, plane[] = {{15, 20, 1}, {20, 1, 15}};
  const fftwf_iodim batch2[] = {{6, 120, 20}, {6, 20, 120}}, batch3[] = {{3, 400, 20}, {2, 200, 600}, {10, 20, 60}};
  finish("1d_batch_rank_2", 20, fftwf_plan_guru_dft(1, line, 2, batch2, in(), out(), FFTW_FORWARD, FFTW_ESTIMATE));
  finish("1d_batch_rank_3", 20, fftwf_plan_guru_dft(1, line, 3, batch3, in(), out(), FFTW_BACKWARD, FFTW_ESTIMATE));
  finish("2d_transposed", 300, fftwf_plan_guru_dft(2, plane, 0, NULL, in(), out(), FFTW_FORWARD, FFTW_ESTIMATE));
  const fftwf_iodim reversed[] = {{20, -3, 5}}, two[] = {{2, 100, -200}};
  finish("negative_strides", 20,
         fftwf_plan_guru_dft(1, reversed, 1, two, in() + 60, out() + 300, FFTW_FORWARD, FFTW_ESTIMATE));
  const fftwf_iodim place[] = {{24, 5, 5}}, rows[] = {{5, 1, 1}, {7, 130, 130}};
  finish("in_place_batch", 24, fftwf_plan_guru_dft(1, place, 2, rows, in(), in(), FFTW_FORWARD, FFTW_ESTIMATE));
}

static void interleaved64(void) {
  const fftwf_iodim64 plane[] = {{16, 34, 16}, {16, 2, 1}}, batch[] = {{3, 560, 256}};
  finish("guru64_2d", 256, fftwf_plan_guru64_dft(2, plane, 1, batch, in(), out(), FFTW_BACKWARD, FFTW_ESTIMATE));
}

static void rank_0(void) {
  const fftwf_iodim transpose[] = {{30, 1, 40}, {40, 30, 1}}, square[] = {{32, 1, 32}, {32, 32, 1}};
  const fftwf_iodim none[] = {{0, 1, 1}};
  finish("copy_transposed", 1, fftwf_plan_guru_dft(0, NULL, 2, transpose, in(), out(), FFTW_FORWARD, FFTW_ESTIMATE));
  finish("in_place_transposed", 1, fftwf_plan_guru_dft(0, NULL, 2, square, in(), in(), FFTW_FORWARD, FFTW_ESTIMATE));
  finish("nothing", 1, fftwf_plan_guru_dft(0, NULL, 1, none, in(), out(), FFTW_FORWARD, FFTW_ESTIMATE));
}

static void split(void) {
  const fftwf_iodim line[] = {{36, 1, 1}}, batch[] = {{10, 36, 36}};
  float *ri = input, *ii = input + SPACE, *ro = output, *io = output + SPACE;
  finish("split_forward", 36, fftwf_plan_guru_split_dft(1, line, 1, batch, ri, ii, ro, io, FFTW_ESTIMATE));
  finish("split_backward", 36, fftwf_plan_guru_split_dft(1, line, 1, batch, ii, ri, io, ro, FFTW_ESTIMATE));
  finish("split_in_place", 36, fftwf_plan_guru_split_dft(1, line, 1, batch, ri, ii, ri, ii, FFTW_ESTIMATE));
  const fftwf_iodim pairs[] = {{36, 2, 1}}, pair_batch[] = {{10, 72, 36}};
  finish("interleaved_to_split", 36,
         fftwf_plan_guru_split_dft(1, pairs, 1, pair_batch, input, input + 1, ro, io, FFTW_ESTIMATE));
  const fftwf_iodim64 plane[] = {{15, 21, 15 + 4}, {15, 1, 1}};
  finish("split64_2d", 225, fftwf_plan_guru64_split_dft(2, plane, 0, NULL, ri, ii, ro, io, FFTW_ESTIMATE));
}

static void split_other_arrays(void) {
  const fftwf_iodim line[] = {{36, 1, 1}}, batch[] = {{10, 36, 36}};
  float *ri = input, *ii = input + SPACE, *ro = output, *io = output + SPACE;
  fftwf_plan plan = fftwf_plan_guru_split_dft(1, line, 1, batch, ri, ii, ro, io, FFTW_ESTIMATE);
  fftwf_execute_split_dft(plan, ri + 400, ii + 400, ro + 800, io + 800);
  show("execute_split_dft", 36, output, 2 * SPACE);
  finish("split_own_arrays", 36, plan);
}

/* FFTW plans a backward transform as the forward one of swapped parts, and that is what a split execution gets of it;
 * its plans take parts that lie otherwise than planned. */
static void split_arrays_of_interleaved_plans(void) {
  const unsigned flags = FFTW_ESTIMATE | FFTW_UNALIGNED;
  fftwf_plan plan;
#ifndef __aarch64__ /* on which stock FFTW answers otherwise than on x86-64 */
  plan = fftwf_plan_dft_1d(36, in(), out(), FFTW_BACKWARD, flags);
  fftwf_execute_split_dft(plan, input + 400, input + 401, output + 400, output + 401);
  finish("split_of_backward", 36, plan);
#endif
  plan = fftwf_plan_dft_1d(36, in(), out(), FFTW_FORWARD, flags);
  fftwf_execute_split_dft(plan, input + 400, input + SPACE, output + 400, output + SPACE);
  finish("split_of_forward", 36, plan);
  plan = fftwf_plan_dft_r2c_1d(30, input, out(), flags);
  fftwf_execute_split_dft_r2c(plan, input + 400, output + 400, output + SPACE);
  finish("split_of_r2c", 30, plan);
  plan = fftwf_plan_dft_c2r_1d(30, in(), output, flags | FFTW_PRESERVE_INPUT);
  fftwf_execute_split_dft_c2r(plan, input + 400, input + SPACE, output + 400);
  finish("split_of_c2r", 30, plan);
}

static void split_real(void) {
  const fftwf_iodim line[] = {{30, 1, 1}}, batch[] = {{5, 30, 16}}, back[] = {{5, 16, 30}};
  finish("split_r2c", 30,
         fftwf_plan_guru_split_dft_r2c(1, line, 1, batch, input, output, output + SPACE, FFTW_ESTIMATE));
  finish("split_c2r", 30,
         fftwf_plan_guru_split_dft_c2r(1, line, 1, back, input, input + SPACE, output,
                                       FFTW_ESTIMATE | FFTW_PRESERVE_INPUT));
}

int main(void) {
  input = fftwf_alloc_real(2 * SPACE);
  output = fftwf_alloc_real(2 * SPACE);
  refill();
  interleaved();
  interleaved64();
  rank_0();
  split();
  split_other_arrays();
  split_arrays_of_interleaved_plans();
  split_real();
  fftwf_free(input);
  fftwf_free(output);
  return 0;
}
