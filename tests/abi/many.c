/* many.c: one plan of N^3 points (24^3 if not given) executed many times; prints the first letters of the plan's text.
 *
 *   many COUNT [N]   so often
 *   many gpu [N]     until the plan has gone to the GPU, for a minute at most
 *
 * The status says whether the last result (with "gpu": every one) was that of the first, but for rounding. */
#include <fftw3.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int on_gpu(fftwf_plan plan) {
  char *text = fftwf_sprint_plan(plan);
  const int is = text && !strncmp(text, "(gpu-", 5);
  free(text);
  return is;
}

static int differs(const fftwf_complex *a, const fftwf_complex *b, int points) {
  for (int i = 0; i < points; i++)
    if (fabsf(a[i][0] - b[i][0]) > 1e-2f || fabsf(a[i][1] - b[i][1]) > 1e-2f) return 1;
  return 0;
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  const int count = atoi(argv[1]), n = argc > 2 ? atoi(argv[2]) : 24, points = n * n * n;
  const size_t size = (size_t)points;
  const time_t end = time(NULL) + 60;
  fftwf_complex *in = fftwf_alloc_complex(size), *out = fftwf_alloc_complex(size), *first = fftwf_alloc_complex(size);
  if (!in || !out || !first) return 2;
  fftwf_plan plan = fftwf_plan_dft_3d(n, n, n, in, out, FFTW_FORWARD, FFTW_ESTIMATE);
  for (int i = 0; i < points; i++) {
    in[i][0] = (float)(i * 7919 % 1013) / 1013 - 0.5f;
    in[i][1] = (float)(i * 104729 % 997) / 997 - 0.5f;
  }
  int wrong = 0;
  for (int i = 0; count ? i < count : !on_gpu(plan) && time(NULL) < end; i++) {
    fftwf_execute(plan);
    if (i == 0) memcpy(first, out, size * sizeof *out);
    else if (!count) wrong |= differs(first, out, points);
  }
  fftwf_execute(plan);
  wrong |= differs(first, out, points);
  char *text = fftwf_sprint_plan(plan);
  printf("%.9s\n", text);
  free(text);
  return wrong;
}
