/* reference.c: what a complex transform should give: one dimension after the other, in long double. */
#include "reference.h"

#include <math.h>
#include <stdlib.h>

#include "suite.h"

static void conjugate(fg_wide *x, ptrdiff_t elements) {
  for (ptrdiff_t e = 0; e < elements; e++) x[e].im = -x[e].im;
}

/* All lines of n points, stride apart. */
static void lines(fg_wide *x, ptrdiff_t elements, ptrdiff_t n, ptrdiff_t stride) {
  fg_wide *line = malloc((size_t)n * sizeof *line);
  ck_assert_ptr_nonnull(line);
  for (ptrdiff_t first = 0; first < elements; first++) {
    if (first / stride % n) continue;
    for (ptrdiff_t i = 0; i < n; i++) line[i] = x[first + i * stride];
    ck_assert_int_eq(fg_wide_dft(line, (size_t)n), 0);
    for (ptrdiff_t i = 0; i < n; i++) x[first + i * stride] = line[i];
  }
  free(line);
}

void test_reference(const fg_problem *p, fg_wide *x) {
  const ptrdiff_t elements = fg_problem_elements(p, FG_INPUT);
  const bool backward = p->sign != FG_FORWARD;
  ptrdiff_t stride = 1;
  if (backward) conjugate(x, elements);
  for (int d = p->transform.rank - 1; d >= 0; d--) {
    lines(x, elements, p->transform.dim[d].n, stride);
    stride *= p->transform.dim[d].n;
  }
  if (backward) conjugate(x, elements);
}

double test_error(const fg_wide *got, const fg_wide *want, ptrdiff_t elements) {
  long double difference = 0, norm = 0;
  for (ptrdiff_t e = 0; e < elements; e++) {
    const long double re = got[e].re - want[e].re, im = got[e].im - want[e].im;
    difference += re * re + im * im;
    norm += want[e].re * want[e].re + want[e].im * want[e].im;
  }
  return (double)sqrtl(norm > 0 ? difference / norm : difference);
}
