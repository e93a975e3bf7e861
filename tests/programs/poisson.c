/* poisson.c: the Poisson equation on a periodic 32 x 32 x 32 grid by real transforms, checked against its exact
 * solution. */
#include <fftw3.h>
#include <math.h>
#include <stdio.h>

#include "tests/programs/show.h"

enum { N = 32, NC = N / 2 + 1 };

static const double pi = 3.14159265358979323846;

/* u = sin x cos 2y sin 3z + cos 4x, on [0, 2 pi)^3. */
static double exact(int i, int j, int k) {
  const double h = 2 * pi / N;
  return sin(h * i) * cos(2 * h * j) * sin(3 * h * k) + cos(4 * h * i);
}

/* The Laplacian of u, analytically. */
static double source(int i, int j, int k) {
  const double h = 2 * pi / N;
  return -14 * sin(h * i) * cos(2 * h * j) * sin(3 * h * k) - 16 * cos(4 * h * i);
}

static int frequency(int i) { return i <= N / 2 ? i : i - N; }

static void divide_by_laplacian(fftwf_complex *f) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < NC; k++) {
        const int a = frequency(i), b = frequency(j), square = a * a + b * b + k * k;
        const float scale = square ? -1.0f / (float)square / (float)(N * N * N) : 0.0f;
        float *value = f[(i * N + j) * NC + k];
        value[0] *= scale;
        value[1] *= scale;
      }
}

static double worst_error(const float *u) {
  double worst = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++) worst = fmax(worst, fabs(u[(i * N + j) * N + k] - exact(i, j, k)));
  return worst;
}

int main(void) {
  float *u = fftwf_alloc_real(N * N * N);
  fftwf_complex *f = fftwf_alloc_complex(N * N * NC);
  fftwf_plan forward = fftwf_plan_dft_r2c_3d(N, N, N, u, f, FFTW_ESTIMATE);
  fftwf_plan backward = fftwf_plan_dft_c2r_3d(N, N, N, f, u, FFTW_ESTIMATE);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++) u[(i * N + j) * N + k] = (float)source(i, j, k);
  fftwf_execute(forward);
  show("spectrum", N * N * N, f, 2 * N * N * NC);
  divide_by_laplacian(f);
  fftwf_execute(backward);
  show("potential", N * N * N, u, N * N * N);
  const int good = worst_error(u) < 2e-6;
  show_text("agrees_with_exact_solution", "%s", good ? "yes" : "no");
  fftwf_destroy_plan(forward);
  fftwf_destroy_plan(backward);
  fftwf_free(u);
  fftwf_free(f);
  fftwf_cleanup();
  return !good;
}
