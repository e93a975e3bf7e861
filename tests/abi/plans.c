/* plans.c: planner calls, legal and not, of every family.
 *
 * Each row says whether FFTW answers NULL, then prints the plan's text and a hash of what it computes.  Under the
 * preload a plan that stays on the host must be the very same one. */
#include <fftw3.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define E FFTW_ESTIMATE
enum { SIZE = 4096 };

static float a[SIZE], b[SIZE], c[SIZE], d[SIZE];
#define CA ((fftwf_complex *)a)
#define CB ((fftwf_complex *)b)

static int failures;

static void fill(void) {
  for (int i = 0; i < SIZE; i++) {
    a[i] = sinf(0.37f * i);
    b[i] = cosf(0.11f * i);
    c[i] = sinf(1.0f + 0.23f * i);
    d[i] = cosf(2.0f + 0.71f * i);
  }
}

static uint64_t hash_of(void) {
  const float *const all[] = {a, b, c, d};
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (int k = 0; k < 4; k++)
    for (size_t i = 0; i < sizeof a; i++) hash = (hash ^ ((const unsigned char *)all[k])[i]) * UINT64_C(0x100000001b3);
  return hash;
}

/* expected: '0' for NULL, 'p' for a plan. */
static void row(char expected, const char *name, fftwf_plan plan) {
  const char got = plan ? 'p' : '0';
  printf("%c %s", got, name);
  if (got != expected) {
    printf(" (expected %c)", expected);
    failures++;
  }
  if (plan) {
    char *text = fftwf_sprint_plan(plan);
    fill();
    fftwf_execute(plan);
    printf(" %016llx\n%s", (unsigned long long)hash_of(), text);
    free(text);
    fftwf_destroy_plan(plan);
  }
  putchar('\n');
}

/* The call is the row's name. */
#define ROW(expected, call) row(expected, #call, call)

#define N(...) ((const int[]){__VA_ARGS__})
#define DIMS(...) ((const fftwf_iodim[]){__VA_ARGS__})
#define DIMS64(...) ((const fftwf_iodim64[]){__VA_ARGS__})

static void complex_basic(void) {
  ROW('p', fftwf_plan_dft_1d(16, CA, CB, FFTW_FORWARD, E));
  ROW('p', fftwf_plan_dft_1d(16, CA, CB, FFTW_BACKWARD, E));
  ROW('p', fftwf_plan_dft_1d(16, CA, CB, 7, E));
  ROW('p', fftwf_plan_dft_1d(16, CA, CB, 0, E));
  ROW('p', fftwf_plan_dft_1d(17, CA, CA, FFTW_FORWARD, E));
  ROW('p', fftwf_plan_dft_1d(1, CA, CB, FFTW_FORWARD, E));
  ROW('0', fftwf_plan_dft_1d(0, CA, CB, FFTW_FORWARD, E));
  ROW('0', fftwf_plan_dft_1d(-4, CA, CB, FFTW_FORWARD, E));
  ROW('0', fftwf_plan_dft_1d(1009, CA, CB, FFTW_FORWARD, E | FFTW_WISDOM_ONLY));
  ROW('p', fftwf_plan_dft_2d(4, 6, CA, CB, FFTW_FORWARD, E));
  ROW('0', fftwf_plan_dft_2d(4, 0, CA, CB, FFTW_FORWARD, E));
  ROW('p', fftwf_plan_dft_3d(3, 4, 5, CA, CA, FFTW_BACKWARD, E));
  ROW('p', fftwf_plan_dft(4, N(2, 3, 4, 5), CA, CB, FFTW_FORWARD, E));
  ROW('p', fftwf_plan_dft(0, NULL, CA, CB, FFTW_FORWARD, E));
  ROW('0', fftwf_plan_dft(-1, N(4), CA, CB, FFTW_FORWARD, E));
  ROW('0', fftwf_plan_dft(INT_MAX, N(4), CA, CB, FFTW_FORWARD, E));
  ROW('p', fftwf_plan_dft_1d(24, CA, CB, FFTW_FORWARD, E | FFTW_UNALIGNED));
  ROW('p', fftwf_plan_dft_1d(24, CA, CB, FFTW_FORWARD, E | FFTW_DESTROY_INPUT | FFTW_PRESERVE_INPUT));
}

static void complex_many(void) {
  ROW('p', fftwf_plan_many_dft(1, N(8), 5, CA, NULL, 1, 8, CB, NULL, 1, 8, FFTW_FORWARD, E));
  ROW('p', fftwf_plan_many_dft(1, N(8), 5, CA, NULL, 5, 1, CB, NULL, 1, 8, FFTW_BACKWARD, E));
  ROW('p', fftwf_plan_many_dft(2, N(4, 5), 3, CA, N(4, 7), 2, 60, CB, N(9, 5), 1, 20, FFTW_FORWARD, E));
  ROW('p', fftwf_plan_many_dft(2, N(4, 5), 3, CA, N(0, 2), 1, 20, CB, N(-3, 5), 1, 20, FFTW_FORWARD, E));
  ROW('p', fftwf_plan_many_dft(1, N(8), 0, CA, NULL, 1, 8, CB, NULL, 1, 8, FFTW_FORWARD, E));
  ROW('0', fftwf_plan_many_dft(1, N(8), -1, CA, NULL, 1, 8, CB, NULL, 1, 8, FFTW_FORWARD, E));
  ROW('0', fftwf_plan_many_dft(2, N(8, 0), 2, CA, NULL, 1, 8, CB, NULL, 1, 8, FFTW_FORWARD, E));
  ROW('0', fftwf_plan_many_dft(-2, N(8, 8), 2, CA, NULL, 1, 8, CB, NULL, 1, 8, FFTW_FORWARD, E));
  ROW('p', fftwf_plan_many_dft(1, N(8), 3, CA, NULL, 0, 0, CB, NULL, 1, 8, FFTW_FORWARD, E));
  ROW('p', fftwf_plan_many_dft(1, N(8), 3, CA, NULL, 1, 4, CB, NULL, 1, 8, FFTW_FORWARD, E));
  ROW('p', fftwf_plan_many_dft(1, N(8), 3, CA + 40, NULL, -1, -8, CB, NULL, 1, 8, FFTW_FORWARD, E));
  ROW('p', fftwf_plan_many_dft(1, N(6), 6, CA, NULL, 1, 6, CA, NULL, 6, 1, FFTW_FORWARD, E));
  ROW('p', fftwf_plan_many_dft(0, NULL, 12, CA, NULL, 1, 3, CB, NULL, 1, 2, FFTW_FORWARD, E));
}

static void complex_guru(void) {
  ROW('p', fftwf_plan_guru_dft(1, DIMS({8, 1, 2}), 1, DIMS({3, 8, 16}), CA, CB, FFTW_FORWARD, E));
  ROW('p', fftwf_plan_guru_dft(1, DIMS({8, 6, 6}), 2, DIMS({3, 2, 2}, {2, 1, 1}), CA, CB, FFTW_BACKWARD, E));
  ROW('p', fftwf_plan_guru_dft(2, DIMS({4, 5, 1}, {5, 1, 4}), 0, NULL, CA, CB, FFTW_FORWARD, E));
  ROW('p', fftwf_plan_guru_dft(0, NULL, 2, DIMS({4, 5, 1}, {5, 1, 4}), CA, CB, FFTW_FORWARD, E));
  ROW('p', fftwf_plan_guru_dft(0, NULL, 2, DIMS({5, 5, 1}, {5, 1, 5}), CA, CA, FFTW_FORWARD, E));
  ROW('p', fftwf_plan_guru_dft(1, DIMS({8, 1, 1}), INT_MAX, NULL, CA, CB, FFTW_FORWARD, E));
  ROW('p', fftwf_plan_guru_dft(1, DIMS({8, 1, 1}), 1, DIMS({0, 1, 1}), CA, CB, FFTW_FORWARD, E));
  ROW('0', fftwf_plan_guru_dft(1, DIMS({8, 1, 1}), 1, DIMS({-1, 1, 1}), CA, CB, FFTW_FORWARD, E));
  ROW('0', fftwf_plan_guru_dft(1, DIMS({0, 1, 1}), 0, NULL, CA, CB, FFTW_FORWARD, E));
  ROW('0', fftwf_plan_guru_dft(1, DIMS({8, 1, 1}), -1, NULL, CA, CB, FFTW_FORWARD, E));
  ROW('0', fftwf_plan_guru_dft(INT_MAX, DIMS({8, 1, 1}), 0, NULL, CA, CB, FFTW_FORWARD, E));
  ROW('0', fftwf_plan_guru_dft(-1, DIMS({8, 1, 1}), 0, NULL, CA, CB, FFTW_FORWARD, E));
  ROW('p', fftwf_plan_guru64_dft(1, DIMS64({9, 2, 3}), 1, DIMS64({2, 1, 1}), CA, CB, FFTW_FORWARD, E));
  ROW('p', fftwf_plan_guru64_dft(1, DIMS64({9, 1, 1}), INT_MAX, NULL, CA, CB, FFTW_BACKWARD, E));
  ROW('0', fftwf_plan_guru64_dft(1, DIMS64({-9, 1, 1}), 0, NULL, CA, CB, FFTW_FORWARD, E));
}

static void split(void) {
  ROW('p', fftwf_plan_guru_split_dft(1, DIMS({8, 1, 1}), 0, NULL, a, b, c, d, E));
  ROW('p', fftwf_plan_guru_split_dft(1, DIMS({8, 1, 1}), 0, NULL, b, a, d, c, E));
  ROW('p', fftwf_plan_guru_split_dft(1, DIMS({8, 2, 2}), 1, DIMS({3, 16, 16}), a, a + 1, c, c + 1, E));
  ROW('p', fftwf_plan_guru_split_dft(1, DIMS({8, 2, 2}), 0, NULL, a + 1, a, c + 1, c, E));
  ROW('p', fftwf_plan_guru_split_dft(2, DIMS({4, 3, 1}, {3, 1, 4}), 1, DIMS({2, 12, 12}), a, b, a, b, E));
  ROW('0', fftwf_plan_guru_split_dft(1, DIMS({0, 1, 1}), 0, NULL, a, b, c, d, E));
  ROW('p', fftwf_plan_guru64_split_dft(1, DIMS64({12, 1, 1}), 1, DIMS64({2, 12, 12}), a, b, c, d, E));
  ROW('0', fftwf_plan_guru64_split_dft(1, DIMS64({12, 1, 1}), 1, DIMS64({-2, 12, 12}), a, b, c, d, E));
}

static void real_to_complex(void) {
  ROW('p', fftwf_plan_dft_r2c_1d(15, a, CB, E));
  ROW('p', fftwf_plan_dft_r2c_1d(16, a, CA, E));
  ROW('0', fftwf_plan_dft_r2c_1d(0, a, CB, E));
  ROW('p', fftwf_plan_dft_r2c_2d(4, 6, a, CB, E));
  ROW('p', fftwf_plan_dft_r2c_2d(4, 6, a, CA, E));
  ROW('p', fftwf_plan_dft_r2c_2d(4, 7, a, CA, E));
  ROW('p', fftwf_plan_dft_r2c_3d(3, 4, 5, a, CB, E));
  ROW('p', fftwf_plan_dft_r2c(0, NULL, a, CB, E));
  ROW('p', fftwf_plan_dft_r2c(4, N(2, 3, 2, 5), a, CA, E));
  ROW('p', fftwf_plan_many_dft_r2c(2, N(4, 6), 3, a, NULL, 1, 24, CB, NULL, 1, 16, E));
  ROW('p', fftwf_plan_many_dft_r2c(2, N(4, 6), 3, a, NULL, 3, 1, CA, NULL, 3, 1, E));
  ROW('p', fftwf_plan_many_dft_r2c(2, N(4, 6), 2, a, N(4, 9), 1, 40, CB, N(5, 5), 2, 50, E));
  ROW('0', fftwf_plan_many_dft_r2c(2, N(4, 6), -3, a, NULL, 1, 24, CB, NULL, 1, 16, E));
  ROW('p', fftwf_plan_guru_dft_r2c(1, DIMS({8, 2, 3}), 1, DIMS({2, 1, 1}), a, CB, E));
  ROW('p', fftwf_plan_guru64_dft_r2c(1, DIMS64({8, 2, 3}), 0, NULL, a, CB, E));
  ROW('0', fftwf_plan_guru64_dft_r2c(1, DIMS64({0, 2, 3}), 0, NULL, a, CB, E));
  ROW('p', fftwf_plan_guru_split_dft_r2c(1, DIMS({8, 2, 3}), 1, DIMS({2, 1, 1}), a, b, c, E));
  ROW('p', fftwf_plan_guru64_split_dft_r2c(1, DIMS64({9, 1, 1}), 0, NULL, a, b, c, E));
}

static void complex_to_real(void) {
  ROW('p', fftwf_plan_dft_c2r_1d(15, CA, b, E));
  ROW('p', fftwf_plan_dft_c2r_1d(16, CA, a, E));
  ROW('p', fftwf_plan_dft_c2r_1d(16, CA, b, E | FFTW_PRESERVE_INPUT));
  ROW('0', fftwf_plan_dft_c2r_1d(-1, CA, b, E));
  ROW('p', fftwf_plan_dft_c2r_2d(4, 6, CA, b, E));
  ROW('p', fftwf_plan_dft_c2r_2d(4, 7, CA, a, E));
  ROW('0', fftwf_plan_dft_c2r_2d(4, 6, CA, b, E | FFTW_PRESERVE_INPUT));
  ROW('p', fftwf_plan_dft_c2r_2d(1, 6, CA, b, E | FFTW_PRESERVE_INPUT));
  ROW('0', fftwf_plan_dft_c2r_2d(6, 1, CA, b, E | FFTW_PRESERVE_INPUT));
  ROW('p', fftwf_plan_dft_c2r_3d(3, 4, 5, CA, b, E));
  ROW('p', fftwf_plan_dft_c2r(4, N(2, 3, 2, 5), CA, a, E));
  ROW('p', fftwf_plan_many_dft_c2r(2, N(4, 6), 3, CA, NULL, 1, 16, b, NULL, 1, 24, E));
  ROW('p', fftwf_plan_many_dft_c2r(1, N(6), 3, CA, NULL, 1, 4, b, NULL, 1, 6, E | FFTW_PRESERVE_INPUT));
  ROW('p', fftwf_plan_many_dft_c2r(2, N(4, 6), 2, CA, N(4, 5), 2, 50, b, N(5, 9), 1, 45, E));
  ROW('p', fftwf_plan_guru_dft_c2r(1, DIMS({8, 2, 3}), 1, DIMS({2, 1, 1}), CA, b, E));
  ROW('p', fftwf_plan_guru64_dft_c2r(1, DIMS64({8, 2, 3}), 0, NULL, CA, b, E));
  ROW('p', fftwf_plan_guru_split_dft_c2r(1, DIMS({8, 2, 3}), 1, DIMS({2, 1, 1}), a, b, c, E));
  ROW('p', fftwf_plan_guru64_split_dft_c2r(1, DIMS64({9, 1, 1}), 0, NULL, a, b, c, E));
  ROW('0', fftwf_plan_guru64_split_dft_c2r(1, DIMS64({9, 1, 1}), -7, NULL, a, b, c, E));
}

static void real_to_real(void) {
  static const fftwf_r2r_kind all[] = {FFTW_R2HC,    FFTW_HC2R,    FFTW_DHT,     FFTW_REDFT00,
                                       FFTW_REDFT01, FFTW_REDFT10, FFTW_REDFT11, FFTW_RODFT00,
                                       FFTW_RODFT01, FFTW_RODFT10, FFTW_RODFT11};
  for (int k = 0; k < 11; k++) {
    ROW('p', fftwf_plan_r2r_1d(12, a, b, all[k], E));
    ROW(all[k] == FFTW_REDFT00 ? '0' : 'p', fftwf_plan_r2r_1d(1, a, b, all[k], E));
  }
  ROW('0', fftwf_plan_r2r_1d(0, a, b, FFTW_DHT, E));
  ROW('p', fftwf_plan_r2r_2d(4, 6, a, b, FFTW_DHT, FFTW_REDFT10, E));
  ROW('0', fftwf_plan_r2r_2d(1, 6, a, b, FFTW_REDFT00, FFTW_REDFT10, E));
  ROW('p', fftwf_plan_r2r_3d(3, 4, 5, a, a, FFTW_R2HC, FFTW_RODFT11, FFTW_REDFT01, E));
  ROW('p', fftwf_plan_r2r(2, N(3, 8), a, b, (fftwf_r2r_kind[]){FFTW_RODFT00, FFTW_HC2R}, E));
  ROW('p', fftwf_plan_r2r(0, NULL, a, b, NULL, E));
  ROW('p', fftwf_plan_many_r2r(1, N(6), 4, a, NULL, 4, 1, b, N(8), 1, 8, (fftwf_r2r_kind[]){FFTW_DHT}, E));
  ROW('0', fftwf_plan_many_r2r(1, N(6), -4, a, NULL, 4, 1, b, N(8), 1, 8, (fftwf_r2r_kind[]){FFTW_DHT}, E));
  ROW('p', fftwf_plan_guru_r2r(2, DIMS({3, 8, 1}, {8, 1, 3}), 0, NULL, a, b,
                               (fftwf_r2r_kind[]){FFTW_REDFT11, FFTW_R2HC}, E));
  ROW('p', fftwf_plan_guru64_r2r(1, DIMS64({8, 1, 2}), 1, DIMS64({3, 8, 16}), a, b,
                                 (fftwf_r2r_kind[]){FFTW_RODFT10}, E));
  ROW('0', fftwf_plan_guru64_r2r(1, DIMS64({8, 1, 2}), -1, NULL, a, b, (fftwf_r2r_kind[]){FFTW_RODFT10}, E));
}

int main(void) {
  complex_basic();
  complex_many();
  complex_guru();
  split();
  real_to_complex();
  complex_to_real();
  real_to_real();
  fftwf_destroy_plan(NULL);
  fftwf_cleanup();
  return failures > 0;
}
