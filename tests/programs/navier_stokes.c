/* navier_stokes.c: the incompressible Navier-Stokes equations in a periodic box, pseudo-spectral: products on the grid,
 * derivatives, pressure and friction on the spectrum, two thirds of the modes kept, Runge and Kutta's midpoint rule.
 *
 *   navier_stokes [N [STEPS [THREADS]]] [time]        default: 16 points a side, 2 steps, one thread, FFTW's not used
 *
 * The flow is Arnold, Beltrami and Childress', which a uniform wind carries along while it decays: an exact solution
 * in all three dimensions, whose advection the product of velocity and vorticity has to bring about.  "time" adds
 * seconds, of all steps and of their transforms, on standard error. */
#include <fftw3.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "tests/programs/show.h"

typedef fftwf_complex *spectrum;

/* Spectra are normalised: the sum of their waves is the field. */
static struct {
  int n, half, threads;
  size_t points, modes;
  spectrum velocity[3], middle[3], rate[3], work;
  float *u[3], *vorticity[3];
  fftwf_plan there, back;
  double transforming; /* seconds */
} flow;

static const double pi = 3.14159265358979323846, viscosity = 0.05, step_length = 0.01;
static const double wind[3] = {1, 0.5, -0.25}, strength[3] = {1, 0.7, 0.4};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- the exact solution ------------------------------------------------------------------------------------------ */

static double exact(int c, const double *x, double time) {
  const double *s = strength, decay = exp(-viscosity * time);
  double y[3];
  for (int d = 0; d < 3; d++) y[d] = x[d] - wind[d] * time;
  const double swirl = c == 0   ? s[0] * sin(y[2]) + s[2] * cos(y[1])
                       : c == 1 ? s[1] * sin(y[0]) + s[0] * cos(y[2])
                                : s[2] * sin(y[1]) + s[1] * cos(y[0]);
  return wind[c] + decay * swirl;
}

static void position(size_t at, double *x) {
  const size_t n = (size_t)flow.n;
  x[0] = 2 * pi * (double)(at / (n * n)) / flow.n;
  x[1] = 2 * pi * (double)(at / n % n) / flow.n;
  x[2] = 2 * pi * (double)(at % n) / flow.n;
}

static void set_exact(float *u, int c, double time) {
#pragma omp parallel for
  for (size_t i = 0; i < flow.points; i++) {
    double x[3];
    position(i, x);
    u[i] = (float)exact(c, x, time);
  }
}

/* Root mean square of the difference ÷ that of the solution. */
static double error_at(int c, double time) {
  double difference = 0, whole = 0;
  const float *u = flow.u[c];
#pragma omp parallel for reduction(+ : difference, whole)
  for (size_t i = 0; i < flow.points; i++) {
    double x[3];
    position(i, x);
    const double right = exact(c, x, time);
    difference += (u[i] - right) * (u[i] - right);
    whole += right * right;
  }
  return sqrt(difference / whole);
}

/* ---- transforms -------------------------------------------------------------------------------------------------- */

static void to_spectrum(float *field, spectrum s) {
  const double begun = now();
  fftwf_execute_dft_r2c(flow.there, field, s);
  flow.transforming += now() - begun;
  const float scale = 1 / (float)flow.points;
#pragma omp parallel for
  for (size_t i = 0; i < flow.modes; i++) {
    s[i][0] *= scale;
    s[i][1] *= scale;
  }
}

/* Through the work spectrum, which the transform destroys. */
static void to_field(float *field) {
  const double begun = now();
  fftwf_execute_dft_c2r(flow.back, flow.work, field);
  flow.transforming += now() - begun;
}

/* ---- on the spectrum --------------------------------------------------------------------------------------------- */

static void wave(size_t at, float *k) {
  const size_t n = (size_t)flow.n, half = (size_t)flow.half;
  const int i = (int)(at / (n * half)), j = (int)(at / half % n);
  k[0] = (float)(i <= flow.n / 2 ? i : i - flow.n);
  k[1] = (float)(j <= flow.n / 2 ? j : j - flow.n);
  k[2] = (float)(at % half);
}

/* Component c of the curl, i k x v, into work. */
static void curl(const spectrum *v, int c) {
  const int d = (c + 1) % 3, e = (c + 2) % 3;
#pragma omp parallel for
  for (size_t i = 0; i < flow.modes; i++) {
    float k[3];
    wave(i, k);
    flow.work[i][0] = -(k[d] * v[e][i][1] - k[e] * v[d][i][1]);
    flow.work[i][1] = k[d] * v[e][i][0] - k[e] * v[d][i][0];
  }
}

/* The rate: the product's part without divergence, for the modes that are kept, and friction on v. */
static void add_pressure_and_friction(const spectrum *v) {
  const float most = (float)flow.n / 3;
#pragma omp parallel for
  for (size_t i = 0; i < flow.modes; i++) {
    float k[3];
    wave(i, k);
    const float square = k[0] * k[0] + k[1] * k[1] + k[2] * k[2];
    const int kept = square > 0 && fabsf(k[0]) < most && fabsf(k[1]) < most && k[2] < most;
    for (int part = 0; part < 2; part++) {
      float along = 0;
      for (int c = 0; c < 3; c++) along += k[c] * flow.rate[c][i][part];
      for (int c = 0; c < 3; c++)
        flow.rate[c][i][part] =
            kept ? flow.rate[c][i][part] - k[c] * along / square - (float)viscosity * square * v[c][i][part] : 0;
    }
  }
}

static void rate_of(const spectrum *v) {
  for (int c = 0; c < 3; c++) {
    memcpy(flow.work, v[c], flow.modes * sizeof *v[c]);
    to_field(flow.u[c]);
    curl(v, c);
    to_field(flow.vorticity[c]);
  }
#pragma omp parallel for
  for (size_t i = 0; i < flow.points; i++) {
    const float a[3] = {flow.u[0][i], flow.u[1][i], flow.u[2][i]};
    const float b[3] = {flow.vorticity[0][i], flow.vorticity[1][i], flow.vorticity[2][i]};
    for (int c = 0; c < 3; c++) flow.u[c][i] = a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3];
  }
  for (int c = 0; c < 3; c++) to_spectrum(flow.u[c], flow.rate[c]);
  add_pressure_and_friction(v);
}

/* to = from + time · rate. */
static void advance(const spectrum *from, spectrum *to, double time) {
  for (int c = 0; c < 3; c++)
#pragma omp parallel for
    for (size_t i = 0; i < flow.modes; i++)
      for (int part = 0; part < 2; part++) to[c][i][part] = from[c][i][part] + (float)time * flow.rate[c][i][part];
}

static void step(void) {
  rate_of(flow.velocity);
  advance(flow.velocity, flow.middle, step_length / 2);
  rate_of(flow.middle);
  advance(flow.velocity, flow.velocity, step_length);
}

/* ---- from beginning to end --------------------------------------------------------------------------------------- */

static int begin(void) {
  const int n = flow.n;
  flow.half = n / 2 + 1;
  flow.points = (size_t)n * (size_t)n * (size_t)n;
  flow.modes = (size_t)n * (size_t)n * (size_t)flow.half;
  if (flow.threads > 0) {
    if (!fftwf_init_threads()) return 0;
    fftwf_plan_with_nthreads(flow.threads);
  }
#ifdef _OPENMP
  omp_set_num_threads(flow.threads > 0 ? flow.threads : 1);
#endif
  int made = (flow.work = fftwf_alloc_complex(flow.modes)) != NULL;
  for (int c = 0; c < 3; c++) {
    spectrum *all[] = {&flow.velocity[c], &flow.middle[c], &flow.rate[c]};
    for (int a = 0; a < 3; a++) made &= (*all[a] = fftwf_alloc_complex(flow.modes)) != NULL;
    made &= (flow.u[c] = fftwf_alloc_real(flow.points)) != NULL;
    made &= (flow.vorticity[c] = fftwf_alloc_real(flow.points)) != NULL;
  }
  if (!made) return 0;
  flow.there = fftwf_plan_dft_r2c_3d(n, n, n, flow.u[0], flow.rate[0], FFTW_ESTIMATE);
  flow.back = fftwf_plan_dft_c2r_3d(n, n, n, flow.work, flow.u[0], FFTW_ESTIMATE);
  return flow.there && flow.back;
}

static void end(void) {
  fftwf_destroy_plan(flow.there);
  fftwf_destroy_plan(flow.back);
  fftwf_free(flow.work);
  for (int c = 0; c < 3; c++) {
    fftwf_free(flow.velocity[c]);
    fftwf_free(flow.middle[c]);
    fftwf_free(flow.rate[c]);
    fftwf_free(flow.u[c]);
    fftwf_free(flow.vorticity[c]);
  }
  fftwf_cleanup();
}

static void run(int steps, int timed) {
  for (int c = 0; c < 3; c++) {
    set_exact(flow.u[c], c, 0);
    to_spectrum(flow.u[c], flow.velocity[c]);
  }
  flow.transforming = 0;
  const double begun = now();
  for (int s = 0; s < steps; s++) step();
  if (timed) fprintf(stderr, "navier_stokes seconds %.4f transforms %.4f\n", now() - begun, flow.transforming);
  for (int c = 0; c < 3; c++) {
    memcpy(flow.work, flow.velocity[c], flow.modes * sizeof *flow.work);
    to_field(flow.u[c]);
  }
}

int main(int count, char **arguments) {
  const int timed = count > 1 && !strcmp(arguments[count - 1], "time");
  count -= timed;
  flow.n = count > 1 ? atoi(arguments[1]) : 16;
  const int steps = count > 2 ? atoi(arguments[2]) : 2;
  flow.threads = count > 3 ? atoi(arguments[3]) : 0;
  if (flow.n < 4 || flow.n > 1024 || steps < 0 || !begin()) {
    fprintf(stderr, "navier_stokes: no such flow, or no memory\n");
    return 2;
  }
  run(steps, timed);
  int good = 1;
  for (int c = 0; c < 3; c++) {
    const char *const names[] = {"u", "v", "w"};
    show(names[c], flow.points, flow.u[c], flow.points);
    /* The midpoint rule is off by a few 1e-6 a step here; without advection it would be by 1e-2. */
    good &= error_at(c, steps * step_length) < 2e-6 + 5e-6 * steps;
  }
  show_text("agrees_with_exact_solution", "%s", good ? "yes" : "no");
  end();
  return !good;
}
