/* test_gpu_api.c: fftw3_gpu.h, through the library: memory, plans, info, double precision. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api_case.h"
#include "suite.h"

/* ---- version, errors ---- */

START_TEST(version_and_errors) {
  ck_assert_int_eq(fftw3_gpu_version(), FFTW3_GPU_VERSION);
  char text[40];
  snprintf(text, sizeof text, "%d.%d.%d", FFTW3_GPU_VERSION_MAJOR, FFTW3_GPU_VERSION_MINOR, FFTW3_GPU_VERSION_RELEASE);
  ck_assert_str_eq(fftw3_gpu_version_text(), text);
  for (int code = FFTW3_GPU_ERROR_LOST; code <= 0; code++)
    for (int other = FFTW3_GPU_ERROR_LOST - 1; other < code; other++)
      ck_assert_str_ne(fftw3_gpu_error_text(code), fftw3_gpu_error_text(other));
  ck_assert_str_eq(fftw3_gpu_error_text(1234), "unknown error");
}
END_TEST

/* ---- memory ---- */

START_TEST(memory_goes_everywhere) {
  api_forced();
  fftwf_complex *x = api_numbers(1), *y = api_numbers(2);
  void *a = api_on_device(x), *b = api_on_device(NULL);
  const size_t bytes = POINTS * sizeof *x;
  ck_done(fftw3_gpu_copy(b, a, bytes));
  ck_done(fftw3_gpu_copy(y, b, bytes));
  ck_assert_mem_eq(x, y, bytes);
  y[0][0] = 5;
  ck_done(fftw3_gpu_copy(x, y, bytes)); /* host to host */
  ck_assert_float_eq(x[0][0], 5);
  ck_done(fftw3_gpu_free(a));
  ck_done(fftw3_gpu_free(b));
  ck_done(fftw3_gpu_free(NULL));
  ck_done(fftw3_gpu_copy(NULL, NULL, 0));
}
END_TEST

START_TEST(memory_that_makes_no_sense) {
  api_forced();
  fftwf_complex *x = api_numbers(1);
  char *a = api_on_device(x);
  void *untouched = x, *nothing = NULL;
  ck_assert_int_eq(fftw3_gpu_malloc(NULL, 10), FFTW3_GPU_ERROR_ARGUMENT);
  ck_assert_int_eq(fftw3_gpu_malloc(&untouched, (size_t)1 << 50), FFTW3_GPU_ERROR_MEMORY);
  ck_assert_ptr_eq(untouched, x);
  ck_done(fftw3_gpu_malloc(&nothing, 0));
  ck_assert_ptr_nonnull(nothing);
  ck_done(fftw3_gpu_free(nothing));
  ck_assert_ptr_null(fftwf_alloc_complex((size_t)-1 / sizeof *x + 2)); /* as bytes that is one */
  ck_assert_int_eq(fftw3_gpu_free(x), FFTW3_GPU_ERROR_ARGUMENT);
  ck_assert_int_eq(fftw3_gpu_free(a + 8), FFTW3_GPU_ERROR_ARGUMENT);
  ck_assert_int_eq(fftw3_gpu_copy(NULL, a, 8), FFTW3_GPU_ERROR_ARGUMENT);
  ck_assert_int_eq(fftw3_gpu_copy(x, NULL, 8), FFTW3_GPU_ERROR_ARGUMENT);
  ck_assert_int_eq(fftw3_gpu_copy(x, a, ((size_t)1 << 40)), FFTW3_GPU_ERROR_FAILED);
  ck_assert_ptr_nonnull(strstr(fftw3_gpu_message(), "outside every allocation"));
  ck_done(fftw3_gpu_free(a));
}
END_TEST

START_TEST(switched_off) {
  api_choose("off");
  void *memory;
  ck_assert_int_eq(fftw3_gpu_malloc(&memory, 10), FFTW3_GPU_ERROR_NO_DEVICE);
  fftwf_complex *x = api_numbers(1), *y = api_numbers(2);
  const fftwf_plan p = api_plan(x, y, FFTW_ESTIMATE);
  fftw3_gpu_job *job;
  ck_assert_int_eq(fftw3_gpu_execute_stream(p, NULL), FFTW3_GPU_ERROR_ON_HOST);
  ck_done(fftw3_gpu_start(p, &job));
  ck_done(fftw3_gpu_wait(job));
  ck_transform(x, y);
  fftwf_destroy_plan(p);
}
END_TEST

/* ---- FFTW's own functions on such memory ---- */

START_TEST(fftw_takes_device_pointers) {
  api_forced();
  fftwf_complex *x = api_numbers(1), *y = api_numbers(2);
  void *in = api_on_device(x), *out = api_on_device(NULL);
  const fftwf_plan p = api_plan(in, out, _i ? FFTW_MEASURE : FFTW_ESTIMATE);
  fftwf_execute(p);
  ck_done(fftw3_gpu_copy(y, out, POINTS * sizeof *y));
  ck_transform(x, y);
  memset(y, 0, POINTS * sizeof *y);
  fftwf_execute_dft(p, x, y);
  ck_transform(x, y);
  fftwf_execute_dft(p, x, out);
  ck_done(fftw3_gpu_copy(y, out, POINTS * sizeof *y));
  ck_transform(x, y);
  fftwf_destroy_plan(p);
  ck_done(fftw3_gpu_free(in));
  ck_done(fftw3_gpu_free(out));
}
END_TEST

/* A plan that the route leaves to the real FFTW, once there is memory of a device in the process. */
START_TEST(host_plans_take_device_pointers_too) {
  api_choose("auto");
  fftwf_complex *x = api_numbers(1), *y = api_numbers(2);
  void *in = api_on_device(x), *out = api_on_device(NULL);
  const fftwf_plan p = api_plan(x, y, FFTW_ESTIMATE);
  fftw3_gpu_info info = {.size = sizeof info};
  ck_done(fftw3_gpu_plan_info(p, &info));
  ck_assert_int_eq(info.route, FFTW3_GPU_ROUTE_HOST);
  ck_assert_str_ne(info.reason, "the real FFTW's own plan"); /* which sim's memory would not surprise */
  fftwf_execute_dft(p, in, out);
  memset(y, 0, POINTS * sizeof *y);
  ck_done(fftw3_gpu_copy(y, out, POINTS * sizeof *y));
  ck_transform(x, y);
  memset(y, 0, POINTS * sizeof *y);
  fftwf_execute(p);
  ck_transform(x, y);
  fftwf_destroy_plan(p);
}
END_TEST

/* Of real data one side has no imaginary part. */
START_TEST(real_plans_in_a_stream) {
  api_forced();
  const int n = N;
  fftwf_complex *x = api_numbers(1), *y = api_numbers(2), *z = api_numbers(3);
  const fftwf_plan p = _i ? fftwf_plan_many_dft_c2r(1, &n, BATCH, x, NULL, 1, N, z[0], NULL, 1, N, FFTW_ESTIMATE)
                          : fftwf_plan_many_dft_r2c(1, &n, BATCH, x[0], NULL, 1, N, z, NULL, 1, N, FFTW_ESTIMATE);
  void *in = api_on_device(x), *out = api_on_device(y);
  ck_done(fftw3_gpu_execute_arrays_stream(p, in, out, NULL));
  if (_i) fftwf_execute_dft_c2r(p, x, y[0]);
  else fftwf_execute_dft_r2c(p, x[0], y);
  ck_done(fftw3_gpu_copy(z, out, POINTS * sizeof *z));
  for (int i = 0; i < POINTS; i++)
    for (int part = 0; part < 2; part++) ck_assert_double_eq_tol(z[i][part], y[i][part], 1e-4);
  fftwf_destroy_plan(p);
}
END_TEST

/* ---- parts of complex numbers that lie otherwise than the plan's ---- */

typedef struct {
  float *re, *im; /* each with room for gaps */
} parts;

static parts new_parts(void) { return (parts){fftwf_alloc_real(2 * POINTS), fftwf_alloc_real(2 * POINTS)}; }

static void free_parts(parts p) {
  fftwf_free(p.re);
  fftwf_free(p.im);
}

/* The real and imaginary parts of all, to and from every second real; the other way round. */
static void take_apart(const fftwf_complex *x, parts to) {
  for (int i = 0; i < POINTS; i++) to.re[2 * i] = x[i][0], to.im[2 * i] = x[i][1];
}

static void put_together(parts from, fftwf_complex *x) {
  for (int i = 0; i < POINTS; i++) x[i][0] = from.re[2 * i], x[i][1] = from.im[2 * i];
}

static void ck_transform_of_swapped(const fftwf_complex *x, const fftwf_complex *y) {
  fftwf_complex *a = fftwf_alloc_complex(POINTS), *b = fftwf_alloc_complex(POINTS);
  for (int i = 0; i < POINTS; i++) a[i][0] = x[i][1], a[i][1] = x[i][0], b[i][0] = y[i][1], b[i][1] = y[i][0];
  ck_transform(a, b);
  fftwf_free(a);
  fftwf_free(b);
}

/* Stock FFTW, whose other plans look at one pointer only, and the device. */
enum { UNALIGNED = FFTW_ESTIMATE | FFTW_UNALIGNED };
static const char *const who[] = {"off", "force"};

/* Split arrays get the forward transform from a plan of either direction. */
START_TEST(interleaved_plans_take_parts) {
  api_choose(who[_i / 2]);
  const int n = N, sign = _i % 2 ? FFTW_BACKWARD : FFTW_FORWARD;
  fftwf_complex *x = api_numbers(1), *y = api_numbers(2);
  const fftwf_plan p = fftwf_plan_many_dft(1, &n, BATCH, x, NULL, 1, N, y, NULL, 1, N, sign, UNALIGNED);
  const parts in = new_parts(), out = new_parts();
  take_apart(x, in);
  fftwf_execute_split_dft(p, in.re, in.im, out.re, out.im);
  put_together(out, y);
  ck_transform(x, y);
  memset(y, 0, POINTS * sizeof *y);
  fftwf_execute_split_dft(p, x[0], x[0] + 1, y[0], y[0] + 1);
  ck_transform(x, y);
  memset(y, 0, POINTS * sizeof *y);
  fftwf_execute_split_dft(p, x[0] + 1, x[0], y[0] + 1, y[0]);
  ck_transform_of_swapped(x, y);
  fftwf_destroy_plan(p);
  free_parts(in);
  free_parts(out);
}
END_TEST

/* By the device; verified; by the real FFTW where the device fails; and with results for the host. */
START_TEST(parts_apart_may_be_on_the_device) {
  api_forced();
  if (_i == 1) setenv("FFTW3_GPU_VERIFY", "1e-5", 1);
  if (_i == 2) setenv("FFTW3_GPU_SIM_FAIL", "launch:1+", 1);
  fftwf_complex *x = api_numbers(1), *y = api_numbers(2);
  const fftwf_plan p = api_plan(api_on_device(x), api_on_device(y), UNALIGNED);
  const parts in = new_parts(), out = new_parts();
  for (int i = 0; i < 2 * POINTS; i++) out.re[i] = out.im[i] = 7;
  take_apart(x, in);
  const parts there = {_i == 3 ? out.re : api_on_device(out.re), _i == 3 ? out.im : api_on_device(out.im)};
  fftwf_execute_split_dft(p, api_on_device(in.re), api_on_device(in.im), there.re, there.im);
  ck_done(fftw3_gpu_copy(out.re, there.re, 2 * POINTS * sizeof(float)));
  ck_done(fftw3_gpu_copy(out.im, there.im, 2 * POINTS * sizeof(float)));
  put_together(out, y);
  ck_transform(x, y);
  for (int i = 1; i < 2 * POINTS; i += 2) ck_assert(out.re[i] == 7 && out.im[i] == 7); /* what is between them */
  fftwf_destroy_plan(p);
}
END_TEST

/* Interleaved arrays get the transform that the plan's parts would get if they lay so. */
START_TEST(split_plans_take_interleaved_numbers) {
  api_choose(who[_i / 2]);
  const fftwf_iodim row = {N, 2, 2}, batch = {BATCH, 2 * N, 2 * N};
  fftwf_complex *x = api_numbers(1), *y = api_numbers(2);
  float *const a = x[0], *const b = y[0];
  const int at = _i % 2;
  const fftwf_plan p =
      fftwf_plan_guru_split_dft(1, &row, 1, &batch, a + at, a + !at, b + at, b + !at, UNALIGNED);
  fftwf_execute_dft(p, x, y);
  if (at) ck_transform_of_swapped(x, y);
  else ck_transform(x, y);
  fftwf_destroy_plan(p);
}
END_TEST

/* The parts of one side only lie so. */
START_TEST(split_plans_take_numbers_of_which_one_side_was_apart) {
  api_choose(who[_i / 2]);
  const fftwf_iodim row = {N, 2, 2}, batch = {BATCH, 2 * N, 2 * N};
  fftwf_complex *x = api_numbers(1), *y = api_numbers(2);
  float *const a = x[0], *const b = y[0];
  const parts apart = new_parts();
  const fftwf_plan p = _i % 2 ? fftwf_plan_guru_split_dft(1, &row, 1, &batch, apart.re, apart.im, b, b + 1, UNALIGNED)
                              : fftwf_plan_guru_split_dft(1, &row, 1, &batch, a, a + 1, apart.re, apart.im, UNALIGNED);
  fftwf_execute_dft(p, x, y);
  ck_transform_of_swapped(x, y);
  fftwf_destroy_plan(p);
  free_parts(apart);
}
END_TEST

/* ---- info ---- */

START_TEST(info_of_a_host_plan) {
  api_choose("auto");
  fftwf_complex *x = api_numbers(1), *y = api_numbers(2);
  const fftwf_plan p = api_plan(x, y, FFTW_ESTIMATE);
  fftw3_gpu_info info = {.size = sizeof info};
  ck_done(fftw3_gpu_plan_info(p, &info));
  ck_assert_int_eq(info.route, FFTW3_GPU_ROUTE_HOST);
  ck_assert_int_eq(info.device, -1);
  ck_assert_int_eq(info.passes, 0);
  ck_assert_str_ne(info.reason, "");
  ck_assert_int_eq(fftw3_gpu_plan_info(NULL, &info), FFTW3_GPU_ERROR_ARGUMENT);
  ck_assert_int_eq(fftw3_gpu_plan_info(p, NULL), FFTW3_GPU_ERROR_ARGUMENT);
  info.size = 0;
  ck_assert_int_eq(fftw3_gpu_plan_info(p, &info), FFTW3_GPU_ERROR_ARGUMENT);
  fftwf_destroy_plan(p);
}
END_TEST

START_TEST(info_of_a_gpu_plan) {
  api_forced();
  const double bytes = POINTS * sizeof(fftwf_complex);
  fftwf_complex *x = api_numbers(1), *y = api_numbers(2);
  void *in = api_on_device(x);
  const fftwf_plan host = api_plan(x, y, FFTW_ESTIMATE), mixed = api_plan(in, y, FFTW_ESTIMATE);
  fftw3_gpu_info info = {.size = sizeof info};
  fftwf_execute(host);
  fftwf_execute(host);
  ck_done(fftw3_gpu_plan_info(host, &info));
  ck_assert_int_eq(info.route, FFTW3_GPU_ROUTE_SIM);
  ck_assert_int_eq(info.device, 0);
  ck_assert_int_eq(info.passes, 1);
  ck_assert_str_eq(info.reason, "forced");
  ck_assert_double_eq(info.device_bytes, 2 * bytes);
  ck_assert_double_eq(info.bytes_in, bytes);
  ck_assert_double_eq(info.bytes_out, bytes);
  ck_assert_uint_eq(info.executions, 2);
  ck_assert_uint_eq(info.by_host, 0);
  ck_done(fftw3_gpu_plan_info(mixed, &info));
  ck_assert_str_eq(info.reason, "arrays on the device");
  ck_assert_double_eq(info.bytes_in, 0);
  ck_assert_double_eq(info.bytes_out, bytes);
  fftwf_destroy_plan(host);
  fftwf_destroy_plan(mixed);
}
END_TEST

/* ---- double precision ---- */

static fftw_complex *doubles(int seed) {
  fftw_complex *x = fftw_alloc_complex(POINTS);
  for (int i = 0; i < 2 * POINTS; i++) ((double *)x)[i] = ((i * 37 + seed) % 101 - 50) / 32.0;
  return x;
}

static fftw_plan double_plan(fftw_complex *in, fftw_complex *out, int sign) {
  const int n = N;
  const fftw_plan p = fftw_plan_many_dft(1, &n, BATCH, in, NULL, 1, N, out, NULL, 1, N, sign, FFTW_ESTIMATE);
  ck_assert_ptr_nonnull(p);
  return p;
}

/* Relative L2 error of there and back again. */
static double round_trip(fftw_plan there, fftw_plan back, const fftw_complex *y) {
  fftw_complex *x = doubles(1);
  double error = 0, norm = 0;
  fftw_execute(there);
  fftw_execute(back);
  for (int i = 0; i < 2 * POINTS; i++) {
    const double d = ((const double *)y)[i] / N - ((double *)x)[i];
    error += d * d;
    norm += ((double *)x)[i] * ((double *)x)[i];
  }
  fftw_free(x);
  return sqrt(error / norm);
}

static const struct {
  int how, route, compute;
  double least, most; /* of the error */
} double_ways[] = {
    {FFTW3_GPU_DOUBLE_AS_SET, FFTW3_GPU_ROUTE_SIM, 8, 0, 1e-15},
    {FFTW3_GPU_DOUBLE_HOST, FFTW3_GPU_ROUTE_HOST, 0, 0, 1e-15},
    {FFTW3_GPU_DOUBLE_SINGLE, FFTW3_GPU_ROUTE_SIM, 4, 1e-9, 1e-6},
    {FFTW3_GPU_DOUBLE_DOUBLE, FFTW3_GPU_ROUTE_SIM, 8, 0, 1e-15},
};

START_TEST(doubles_are_computed_as_asked) {
  api_forced();
  ck_done(fftw3_gpu_double(double_ways[_i].how));
  fftw_complex *x = doubles(1), *y = doubles(2);
  const fftw_plan there = double_plan(x, y, FFTW_FORWARD), back = double_plan(y, y, FFTW_BACKWARD);
  fftw3_gpu_info info = FFTW3_GPU_INFO_INIT;
  ck_done(fftw3_gpu_plan_info(there, &info));
  ck_assert_int_eq(info.route, double_ways[_i].route);
  ck_assert_int_eq(info.compute, double_ways[_i].compute);
  ck_assert_int_eq(info.precision, double_ways[_i].compute ? 8 : 0);
  if (info.compute) ck_assert_double_eq(info.bytes_in, (double)POINTS * 2 * info.compute);
  char *text = fftw_sprint_plan(there);
  ck_assert_int_eq(strstr(text, ", double as single\n") != NULL, info.compute == 4);
  ck_assert_int_eq(strstr(text, ", double\n") != NULL, info.compute == 8);
  free(text);
  const double error = round_trip(there, back, y);
  ck_assert_msg(error >= double_ways[_i].least && error < double_ways[_i].most, "%g", error);
  fftw_destroy_plan(there);
  fftw_destroy_plan(back);
}
END_TEST

START_TEST(doubles_in_no_known_way) {
  api_forced();
  ck_assert_int_eq(fftw3_gpu_double(-1), FFTW3_GPU_ERROR_ARGUMENT);
  ck_assert_int_eq(fftw3_gpu_double(FFTW3_GPU_DOUBLE_DOUBLE + 1), FFTW3_GPU_ERROR_ARGUMENT);
}
END_TEST

/* Arrays on the device, also converted there, the real FFTW's own plans and jobs: as in single precision. */
static const struct {
  const char *mode;
  int how;
  double most;
} places[] = {
    {"force", FFTW3_GPU_DOUBLE_DOUBLE, 1e-15}, {"force", FFTW3_GPU_DOUBLE_SINGLE, 1e-6},
    {"off", FFTW3_GPU_DOUBLE_AS_SET, 1e-15},
};

START_TEST(doubles_go_everywhere) {
  const int device = !strcmp(places[_i].mode, "force");
  api_choose(places[_i].mode);
  ck_done(fftw3_gpu_double(places[_i].how));
  const size_t bytes = POINTS * sizeof(fftw_complex);
  fftw_complex *x = doubles(1), *y = doubles(2);
  fftw3_gpu_job *job = NULL;
  void *memory = x;
  if (device) {
    ck_done(fftw3_gpu_malloc(&memory, bytes));
    ck_done(fftw3_gpu_copy(memory, x, bytes));
  }
  const fftw_plan there = double_plan(memory, y, FFTW_FORWARD), back = double_plan(y, y, FFTW_BACKWARD);
  ck_done(fftw3_gpu_start_double(there, &job));
  ck_done(fftw3_gpu_wait(job));
  ck_assert_double_lt(round_trip(there, back, y), places[_i].most);
  fftw3_gpu_info info = FFTW3_GPU_INFO_INIT;
  ck_done(fftw3_gpu_plan_info(there, &info));
  ck_assert_int_eq(info.route, device ? FFTW3_GPU_ROUTE_SIM : FFTW3_GPU_ROUTE_HOST);
  ck_assert_uint_eq(info.by_host, 0);
  ck_assert_int_eq(fftw3_gpu_start_double(NULL, &job), FFTW3_GPU_ERROR_ARGUMENT);
  fftw_destroy_plan(there);
  fftw_destroy_plan(back);
}
END_TEST

/* A program built against an older header knows fewer fields. */
START_TEST(info_leaves_alone_what_the_caller_does_not_know) {
  api_forced();
  fftwf_complex *x = api_numbers(1), *y = api_numbers(2);
  const fftwf_plan p = api_plan(x, y, FFTW_ESTIMATE);
  fftw3_gpu_info info;
  memset(&info, 0x5a, sizeof info);
  info.size = offsetof(fftw3_gpu_info, device_bytes);
  ck_done(fftw3_gpu_plan_info(p, &info));
  ck_assert_int_eq(info.passes, 1);
  ck_assert_uint_eq(info.size, offsetof(fftw3_gpu_info, device_bytes));
  for (size_t i = info.size; i < sizeof info; i++) ck_assert_int_eq(((unsigned char *)&info)[i], 0x5a);
  fftwf_destroy_plan(p);
}
END_TEST

START_TEST(failures_are_counted) {
  api_forced();
  setenv("FFTW3_GPU_SIM_FAIL", "launch:1+", 1);
  fftwf_complex *x = api_numbers(1), *y = api_numbers(2);
  const fftwf_plan p = api_plan(x, y, FFTW_ESTIMATE);
  fftw3_gpu_info info = {.size = sizeof info};
  fftwf_execute(p);
  ck_transform(x, y);
  ck_done(fftw3_gpu_plan_info(p, &info));
  ck_assert_uint_eq(info.executions, 1);
  ck_assert_uint_eq(info.by_host, 1);
  fftwf_destroy_plan(p);
}
END_TEST

/* In place with other strides, for which the real FFTW has no plan: it answers from a copy. */
START_TEST(what_the_real_fftw_does_not_plan_may_fail_too) {
  api_forced();
  setenv("FFTW3_GPU_SIM_FAIL", "launch:1+", 1);
  const int n = N;
  fftwf_complex *x = api_numbers(1), *y = api_numbers(2), *z = fftwf_alloc_complex(POINTS + BATCH);
  memcpy(z, x, POINTS * sizeof *x);
  const fftwf_plan p = fftwf_plan_many_dft(1, &n, BATCH, z, NULL, 1, N, z, NULL, 1, N + 1, FFTW_FORWARD, FFTW_ESTIMATE);
  fftw3_gpu_info info = {.size = sizeof info};
  ck_assert_ptr_nonnull(p);
  fftwf_execute(p);
  ck_done(fftw3_gpu_plan_info(p, &info));
  ck_assert_uint_eq(info.by_host, 1);
  for (int b = 0; b < BATCH; b++) memcpy(y + b * N, z + b * (N + 1), N * sizeof *y);
  ck_transform(x, y);
  fftwf_destroy_plan(p);
}
END_TEST

/* ---- what else a program may notice ---- */

START_TEST(planning_leaves_errno_alone) {
  api_forced();
  fftwf_complex *x = api_numbers(1), *y = api_numbers(2);
  errno = 77;
  const fftwf_plan p = api_plan(x, y, FFTW_ESTIMATE);
  ck_assert_int_eq(errno, 77);
  fftwf_destroy_plan(p);
}
END_TEST

START_TEST(cleaning_up_takes_our_wisdom_too) {
  api_forced();
  fftwf_complex *x = api_numbers(1), *y = api_numbers(2);
  fftwf_destroy_plan(api_plan(x, y, FFTW_ESTIMATE));
  char *before = fftwf_export_wisdom_to_string();
  ck_assert(before && strstr(before, "ocf60*7"));
  fftwf_cleanup();
  char *after = fftwf_export_wisdom_to_string();
  ck_assert(after && !strstr(after, "ocf60*7"));
  free(before);
  free(after);
}
END_TEST

/* FFTW3_GPU_VERIFY, with a tolerance that nothing keeps: each time the real FFTW's answer is taken. */
START_TEST(device_arrays_are_verified) {
  char log[] = "/tmp/fftw3-gpu-test-api-XXXXXX", line[500];
  api_forced();
  close(mkstemp(log));
  setenv("FFTW3_GPU_LOG_FILE", log, 1);
  setenv("FFTW3_GPU_LOG", "error", 1);
  setenv("FFTW3_GPU_VERIFY", "1e-30", 1);
  fftwf_complex *x = api_numbers(1), *y = api_numbers(2);
  void *in = api_on_device(x), *out = api_on_device(NULL);
  const fftwf_plan p = api_plan(in, out, FFTW_ESTIMATE), in_place = api_plan(in, in, FFTW_ESTIMATE);
  fftwf_execute(p);
  ck_done(fftw3_gpu_copy(y, out, POINTS * sizeof *y));
  ck_transform(x, y);
  fftwf_execute(in_place);
  ck_done(fftw3_gpu_copy(y, in, POINTS * sizeof *y));
  ck_transform(x, y);
  int told = 0;
  FILE *f = fopen(log, "r");
  while (fgets(line, sizeof line, f)) told += strstr(line, "verification: error") != NULL;
  fclose(f);
  unlink(log);
  ck_assert_int_eq(told, 2);
}
END_TEST

int main(void) {
  TCase *tc = tcase_create("gpu api");
  tcase_set_timeout(tc, 120);
  tcase_add_test(tc, version_and_errors);
  tcase_add_test(tc, memory_goes_everywhere);
  tcase_add_test(tc, memory_that_makes_no_sense);
  tcase_add_test(tc, switched_off);
  tcase_add_loop_test(tc, fftw_takes_device_pointers, 0, 2);
  tcase_add_test(tc, host_plans_take_device_pointers_too);
  tcase_add_loop_test(tc, real_plans_in_a_stream, 0, 2);
  tcase_add_loop_test(tc, interleaved_plans_take_parts, 0, 4);
  tcase_add_loop_test(tc, parts_apart_may_be_on_the_device, 0, 4);
  tcase_add_loop_test(tc, split_plans_take_interleaved_numbers, 0, 4);
  tcase_add_loop_test(tc, split_plans_take_numbers_of_which_one_side_was_apart, 0, 4);
  tcase_add_test(tc, info_of_a_host_plan);
  tcase_add_test(tc, info_of_a_gpu_plan);
  tcase_add_test(tc, info_leaves_alone_what_the_caller_does_not_know);
  tcase_add_loop_test(tc, doubles_are_computed_as_asked, 0, 4);
  tcase_add_test(tc, doubles_in_no_known_way);
  tcase_add_loop_test(tc, doubles_go_everywhere, 0, 3);
  tcase_add_test(tc, failures_are_counted);
  tcase_add_test(tc, what_the_real_fftw_does_not_plan_may_fail_too);
  tcase_add_test(tc, planning_leaves_errno_alone);
  tcase_add_test(tc, cleaning_up_takes_our_wisdom_too);
  tcase_add_test(tc, device_arrays_are_verified);
  return test_run(tc, "gpu api");
}
