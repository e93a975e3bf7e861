/* accuracy_lines.c: two lines of output, told apart in their words or only in their numbers. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/accuracy.h"

/* The number at *at, followed by a blank or the end, which *at then points to; false if there is none. */
static bool take_number(const char **at, double *number) {
  char *end;
  *number = strtod(*at, &end);
  if (end == *at || (*end && !isspace((unsigned char)*end)) || !isfinite(*number)) return false;
  *at = end;
  return true;
}

static bool same_word(const char **a, const char **b) {
  const size_t m = strcspn(*a, " \t\r\n"), n = strcspn(*b, " \t\r\n");
  if (m != n || memcmp(*a, *b, n)) return false;
  *a += m;
  *b += n;
  return true;
}

bool fg_accuracy_lines_near(const char *a, const char *b, double *difference) {
  double most = 0, largest = 0;
  for (;;) {
    double x, y;
    a += strspn(a, " \t\r\n");
    b += strspn(b, " \t\r\n");
    if (!*a && !*b) break;
    const char *const start[2] = {a, b};
    if (take_number(&a, &x) && take_number(&b, &y)) {
      most = fmax(most, fabs(x - y));
      largest = fmax(largest, fabs(x));
      continue;
    }
    a = start[0];
    b = start[1];
    if (!same_word(&a, &b) || !*start[0]) return false;
  }
  *difference = most > 0 ? most / largest : 0;
  return true;
}
