/* accuracy_lines.c: two lines of output, told apart in their words or only in their numbers. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/accuracy.h"

static bool of_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

static const char *past_blanks(const char *text) { return text + strspn(text, " \t\r\n"); }

/* Fortran writes 1.5D+03 for 1.5e+03. */
static void copy_exponent(char *text) {
  char *const d = strpbrk(text, "Dd");
  if (d > text && (d[1] == '+' || d[1] == '-' || isdigit((unsigned char)d[1]))) *d = 'e';
}

/* The number that text begins with, and where it ends: at no letter or digit (the i or j of an imaginary part aside), nor at
 * the second point of what is no number.  NULL: there is none. */
static const char *number_at(const char *text, double *number) {
  char copy[64], *end;
  strncpy(copy, text, sizeof copy - 1);
  copy[sizeof copy - 1] = '\0';
  copy_exponent(copy);
  *number = strtod(copy, &end);
  if (end == copy || isspace((unsigned char)*copy) || !isfinite(*number)) return NULL;
  const bool imaginary = (*end == 'i' || *end == 'j') && !of_word(end[1]);
  if ((of_word(*end) && !imaginary) || (*end == '.' && of_word(end[1]))) return NULL;
  return text + (end - copy);
}

bool fg_accuracy_lines_near(const char *a, const char *b, double *difference) {
  double most = 0, largest = 0;
  for (bool begins = true;;) { /* a number may, here */
    double x, y;
    const char *const from_a = past_blanks(a), *const from_b = past_blanks(b);
    const char *const past_a = begins ? number_at(from_a, &x) : NULL, *const past_b = past_a ? number_at(from_b, &y) : NULL;
    if (past_b) {
      most = fmax(most, fabs(x - y));
      largest = fmax(largest, fabs(x));
      a = past_a;
      b = past_b;
      continue; /* 1.5-2.5i is two */
    }
    if (!*from_a && !*from_b) break;
    if (a != from_a && b != from_b) {
      a = from_a;
      b = from_b;
      begins = true;
      continue;
    }
    if (*a != *b) return false;
    begins = !of_word(*a) && *a != '.';
    a++;
    b++;
  }
  *difference = most > 0 ? most / largest : 0;
  return true;
}
