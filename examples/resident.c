/* resident.c: the narrated example of fftw3_gpu.h: a low-pass filter, three ways.
 *
 * Built like any FFTW program, and it runs without fftw3-gpu too:
 *
 *     cc resident.c -o resident -I.. -lfftw3f -lm # -IPREFIX/include after an installation
 *     ./resident                                  # stock FFTW
 *     LD_PRELOAD=$(fftw3-gpu path) ./resident     # with FFTW3_GPU=force, too, since so small a case is not worth a GPU
 */
#define FFTW3_GPU_WEAK /* our functions may be absent: their addresses are then NULL */
#include <fftw3.h>
#include <fftw3_gpu.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 48, SIGNALS = 64, KEPT = 5 };

static const size_t bytes = sizeof(fftwf_complex) * N * SIGNALS;

/* Two waves in each signal; the fast one is to go. */
static void make_signals(fftwf_complex *x) {
  for (int s = 0; s < SIGNALS; s++)
    for (int i = 0; i < N; i++) {
      x[s * N + i][0] = (float)(cos(2 * M_PI * 2 * i / N + s) + 0.5 * cos(2 * M_PI * 17 * i / N));
      x[s * N + i][1] = 0;
    }
}

static double distance_to_slow_wave(fftwf_complex *x) {
  double worst = 0;
  for (int s = 0; s < SIGNALS; s++)
    for (int i = 0; i < N; i++) worst = fmax(worst, fabs(x[s * N + i][0] - cos(2 * M_PI * 2 * i / N + s)));
  return worst;
}

static void keep_low_frequencies(fftwf_complex *spectrum) {
  for (int s = 0; s < SIGNALS; s++)
    for (int k = 0; k < N; k++) {
      const float keep = k <= KEPT || k >= N - KEPT ? 1.f / N : 0;
      spectrum[s * N + k][0] *= keep;
      spectrum[s * N + k][1] *= keep;
    }
}

/* A plan does not mind what memory its arrays are in, as long as the planner saw it. */
static fftwf_plan plan(fftwf_complex *x, int sign) {
  const int n = N;
  return fftwf_plan_many_dft(1, &n, SIGNALS, x, NULL, 1, N, x, NULL, 1, N, sign, FFTW_ESTIMATE);
}

/* Ours only where they are there and succeed; a program that needs them would link -lfftw3_gpu and save
 * the question. */
static void check(int code) {
  if (code == 0) return;
  fprintf(stderr, "%s: %s\n", fftw3_gpu_error_text(code), fftw3_gpu_message());
  exit(1);
}

/* 1. FFTW and nothing else.  Under the preload this may already run on the GPU; the info tells. */
static void on_the_host(void) {
  fftwf_complex *x = fftwf_malloc(bytes); /* memory that the GPU can reach directly, if it is used */
  const fftwf_plan there = plan(x, FFTW_FORWARD), back = plan(x, FFTW_BACKWARD);
  make_signals(x);
  fftwf_execute(there);
  keep_low_frequencies(x);
  fftwf_execute(back);
  printf("on the host: %s\n", distance_to_slow_wave(x) < 1e-5 ? "right" : "wrong");
  if (fftw3_gpu_plan_info) {
    fftw3_gpu_info info = FFTW3_GPU_INFO_INIT;
    check(fftw3_gpu_plan_info(there, &info));
    fprintf(stderr, "  route %d (%s), %d passes, %.0f bytes over the link\n", info.route, info.reason, info.passes,
            info.bytes_in + info.bytes_out);
  }
  fftwf_destroy_plan(there);
  fftwf_destroy_plan(back);
  fftwf_free(x);
}

/* 2. The data stays on the GPU between the transforms.  (A program with CUDA kernels of its own would filter there;
 * here the spectrum is copied out and back.) */
static void on_the_device(void) {
  fftwf_complex *x = fftwf_malloc(bytes);
  void *memory;
  if (fftw3_gpu_malloc(&memory, bytes) != 0) { /* no GPU: step 1 was all */
    fftwf_free(x);
    return;
  }
  fftwf_complex *on_gpu = memory; /* never followed by the host */
  const fftwf_plan there = plan(on_gpu, FFTW_FORWARD), back = plan(on_gpu, FFTW_BACKWARD);
  make_signals(x);
  check(fftw3_gpu_copy(on_gpu, x, bytes));
  fftwf_execute(there); /* FFTW's own function */
  check(fftw3_gpu_copy(x, on_gpu, bytes));
  keep_low_frequencies(x);
  check(fftw3_gpu_copy(on_gpu, x, bytes));
  check(fftw3_gpu_execute_stream(back, NULL)); /* or in a cudaStream_t of the program's, without waiting */
  check(fftw3_gpu_copy(x, on_gpu, bytes));     /* comes after it, in the same (default) stream */
  fprintf(stderr, "on the device: %s\n", distance_to_slow_wave(x) < 1e-5 ? "right" : "wrong");
  fftwf_destroy_plan(there);
  fftwf_destroy_plan(back);
  check(fftw3_gpu_free(on_gpu));
  fftwf_free(x);
}

/* 3. In the background, two at once, while this thread has something else to do. */
static void in_the_background(void) {
  fftwf_complex *x[2];
  fftwf_plan there[2], back[2];
  fftw3_gpu_job *job[2];
  for (int i = 0; i < 2; i++) {
    x[i] = fftwf_malloc(bytes);
    there[i] = plan(x[i], FFTW_FORWARD);
    back[i] = plan(x[i], FFTW_BACKWARD);
    make_signals(x[i]);
    check(fftw3_gpu_start(there[i], &job[i])); /* x[i] is the job's from here on … */
  }
  for (int i = 0; i < 2; i++) {
    check(fftw3_gpu_wait(job[i])); /* … to here */
    keep_low_frequencies(x[i]);
    check(fftw3_gpu_start(back[i], &job[i]));
  }
  for (int i = 0; i < 2; i++) {
    check(fftw3_gpu_wait(job[i]));
    fprintf(stderr, "in the background: %s\n", distance_to_slow_wave(x[i]) < 1e-5 ? "right" : "wrong");
    fftwf_destroy_plan(there[i]);
    fftwf_destroy_plan(back[i]);
    fftwf_free(x[i]);
  }
}

int main(void) {
  on_the_host();
  if (!fftw3_gpu_version) return 0; /* without fftw3-gpu */
  on_the_device();
  in_the_background();
  return 0;
}
