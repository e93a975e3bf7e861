/* show.c: input and printed results of the C and C++ test programs; show.h describes the lines. */
#include "tests/programs/show.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

void fill(void *array, size_t floats, unsigned seed) {
  float *x = array;
  unsigned state = seed * 2654435761u + 12345u;
  for (size_t k = 0; k < floats; k++) {
    state = state * 1664525u + 1013904223u;
    x[k] = (float)(state >> 8) / 16777216.0f - 0.5f;
  }
}

static double weighted_sum(const float *x, size_t floats, double frequency) {
  double sum = 0;
  for (size_t k = 0; k < floats; k++) sum += x[k] * cos(frequency * (double)k);
  return sum / sqrt((double)floats);
}

void show(const char *name, size_t n, const void *array, size_t floats) {
  const float *x = array;
  double square = 0;
  for (size_t k = 0; k < floats; k++) square += (double)x[k] * x[k];
  printf("%s %zu %zu %.17g", name, n, floats, sqrt(square));
  for (int c = 0; c < 3; c++) printf(" %.17g", weighted_sum(x, floats, 1.2345 * c));
  for (size_t s = 0; s < 5; s++) printf(" %.17g", (double)x[s * (floats - 1) / 4]);
  printf("\n");
}

void show_text(const char *name, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  printf("%s = ", name);
  vprintf(format, arguments);
  printf("\n");
  va_end(arguments);
}
