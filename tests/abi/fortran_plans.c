/* fortran_plans.c: the legacy Fortran planners, under both names, called as a Fortran compiler would call them. */
#include <fftw3.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 4096 };
static float a[SIZE], b[SIZE], c[SIZE], d[SIZE];
static int64_t plan; /* integer*8 */

/* Every argument is a pointer, as in Fortran: to whole numbers, or to reals and pairs of them.  A planner's first is the
 * plan, its last the flags. */
#define PLANNER(name, ...)                                                                                             \
  void sfftw_##name##_(int64_t *, __VA_ARGS__, int *), sfftw_##name##__(int64_t *, __VA_ARGS__, int *);
typedef int *N;
typedef float *R;
#define DIMS N, N, N, N
PLANNER(plan_dft, N, N, R, R, N)
PLANNER(plan_dft_1d, N, R, R, N)
PLANNER(plan_dft_2d, N, N, R, R, N)
PLANNER(plan_dft_3d, N, N, N, R, R, N)
PLANNER(plan_many_dft, N, N, N, R, N, N, N, R, N, N, N, N)
PLANNER(plan_guru_dft, DIMS, DIMS, R, R, N)
PLANNER(plan_guru_split_dft, DIMS, DIMS, R, R, R, R)
PLANNER(plan_dft_r2c, N, N, R, R)
PLANNER(plan_dft_r2c_1d, N, R, R)
PLANNER(plan_dft_r2c_2d, N, N, R, R)
PLANNER(plan_dft_r2c_3d, N, N, N, R, R)
PLANNER(plan_many_dft_r2c, N, N, N, R, N, N, N, R, N, N, N)
PLANNER(plan_guru_dft_r2c, DIMS, DIMS, R, R)
PLANNER(plan_guru_split_dft_r2c, DIMS, DIMS, R, R, R)
PLANNER(plan_dft_c2r, N, N, R, R)
PLANNER(plan_dft_c2r_1d, N, R, R)
PLANNER(plan_dft_c2r_2d, N, N, R, R)
PLANNER(plan_dft_c2r_3d, N, N, N, R, R)
PLANNER(plan_many_dft_c2r, N, N, N, R, N, N, N, R, N, N, N)
PLANNER(plan_guru_dft_c2r, DIMS, DIMS, R, R)
PLANNER(plan_guru_split_dft_c2r, DIMS, DIMS, R, R, R)
PLANNER(plan_r2r, N, N, R, R, N)
PLANNER(plan_r2r_1d, N, R, R, N)
PLANNER(plan_r2r_2d, N, N, R, R, N, N)
PLANNER(plan_r2r_3d, N, N, N, R, R, N, N, N)
PLANNER(plan_many_r2r, N, N, N, R, N, N, N, R, N, N, N, N)
PLANNER(plan_guru_r2r, DIMS, DIMS, R, R, N)
void sfftw_execute_(int64_t *), sfftw_destroy_plan_(int64_t *);

static uint64_t hash_of(void) {
  const float *const all[] = {a, b, c, d};
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (int k = 0; k < 4; k++)
    for (size_t i = 0; i < sizeof a; i++) hash = (hash ^ ((const unsigned char *)all[k])[i]) * UINT64_C(0x100000001b3);
  return hash;
}

static void row(const char *name) {
  printf("%c %s", plan ? 'p' : '0', name);
  if (plan) {
    char *text = fftwf_sprint_plan((fftwf_plan)(intptr_t)plan);
    for (int i = 0; i < SIZE; i++) {
      a[i] = sinf(0.37f * i);
      b[i] = cosf(0.11f * i);
      c[i] = 0.5f * a[i];
      d[i] = 0.25f * b[i];
    }
    sfftw_execute_(&plan);
    printf(" %016llx\n%s", (unsigned long long)hash_of(), text);
    free(text);
    sfftw_destroy_plan_(&plan);
  }
  putchar('\n');
}

#define ROW(name, ...)                                                                                                 \
  sfftw_##name##_(&plan, __VA_ARGS__, &estimate);                                                                      \
  row(#name);                                                                                                          \
  sfftw_##name##__(&plan, __VA_ARGS__, &estimate);                                                                     \
  row(#name "_")

#define I(...) ((int[]){__VA_ARGS__})

int main(void) {
  int estimate = FFTW_ESTIMATE, forward = FFTW_FORWARD, backward = FFTW_BACKWARD;
  ROW(plan_dft, I(3), I(2, 3, 4), a, b, &forward);
  ROW(plan_dft, I(0), I(2), a, b, &forward);
  ROW(plan_dft_1d, I(12), a, b, &backward);
  ROW(plan_dft_1d, I(0), a, b, &backward);
  ROW(plan_dft_2d, I(3), I(8), a, b, &forward);
  ROW(plan_dft_3d, I(3), I(4), I(5), a, a, &backward);
  ROW(plan_many_dft, I(2), I(4, 5), I(3), a, I(6, 5), I(1), I(30), b, I(4, 9), I(2), I(80), &forward);
  ROW(plan_many_dft, I(2), I(4, 5), I(-3), a, I(6, 5), I(1), I(30), b, I(4, 9), I(2), I(80), &forward);
  ROW(plan_guru_dft, I(2), I(4, 5), I(1, 4), I(5, 1), I(1), I(2), I(20), I(20), a, b, &forward);
  ROW(plan_guru_dft, I(1), I(4), I(1), I(1), I(0), I(0), I(0), I(0), a, b, &backward);
  ROW(plan_guru_split_dft, I(1), I(4), I(1), I(2), I(1), I(3), I(4), I(8), a, b, c, d);
  ROW(plan_dft_r2c, I(3), I(2, 3, 4), a, b);
  ROW(plan_dft_r2c_1d, I(9), a, b);
  ROW(plan_dft_r2c_2d, I(6), I(5), a, a);
  ROW(plan_dft_r2c_3d, I(6), I(5), I(4), a, b);
  ROW(plan_many_dft_r2c, I(2), I(6, 4), I(3), a, I(6, 4), I(1), I(24), b, I(4, 4), I(1), I(16));
  ROW(plan_guru_dft_r2c, I(1), I(8), I(2), I(3), I(1), I(2), I(1), I(1), a, b);
  ROW(plan_guru_split_dft_r2c, I(1), I(8), I(2), I(3), I(1), I(2), I(1), I(1), a, b, c);
  ROW(plan_dft_c2r, I(3), I(2, 3, 4), a, b);
  ROW(plan_dft_c2r_1d, I(9), a, b);
  ROW(plan_dft_c2r_2d, I(6), I(5), a, a);
  ROW(plan_dft_c2r_3d, I(6), I(5), I(4), a, b);
  ROW(plan_many_dft_c2r, I(2), I(6, 4), I(3), a, I(4, 4), I(1), I(16), b, I(6, 4), I(1), I(24));
  ROW(plan_guru_dft_c2r, I(1), I(8), I(2), I(3), I(1), I(2), I(1), I(1), a, b);
  ROW(plan_guru_split_dft_c2r, I(1), I(8), I(2), I(3), I(1), I(2), I(1), I(1), a, b, c);
  ROW(plan_r2r, I(2), I(6, 4), a, b, I(FFTW_DHT, FFTW_REDFT10));
  ROW(plan_r2r_1d, I(9), a, b, I(FFTW_RODFT11));
  ROW(plan_r2r_1d, I(1), a, b, I(FFTW_REDFT00));
  ROW(plan_r2r_2d, I(6), I(4), a, b, I(FFTW_REDFT00), I(FFTW_HC2R));
  ROW(plan_r2r_3d, I(6), I(4), I(3), a, a, I(FFTW_REDFT00), I(FFTW_HC2R), I(FFTW_DHT));
  ROW(plan_many_r2r, I(2), I(6, 4), I(2), a, I(6, 4), I(1), I(24), b, I(8, 4), I(2), I(80), I(FFTW_R2HC, FFTW_RODFT00));
  ROW(plan_guru_r2r, I(2), I(6, 4), I(1, 6), I(4, 1), I(1), I(2), I(24), I(24), a, b, I(FFTW_R2HC, FFTW_RODFT00));
  return 0;
}
