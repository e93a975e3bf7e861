/* accuracy_lines.c: two lines of output, told apart in their words or only in their numbers. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/accuracy.h"

/* Or of a letter in UTF-8. */
static bool of_word(char c) { return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80; }

static const char *past_blanks(const char *text) { return text + strspn(text, " \t\r\n"); }

/* What Fortran writes behind 1.5 for 1.5e+03, "D+03": 1000, and *end is moved past it; 1 if that is not there. */
static double take_exponent(char **end) {
  const char *const d = *end, *const digits = d + 1 + (d[0] && (d[1] == '+' || d[1] == '-'));
  if ((*d != 'D' && *d != 'd') || !isdigit((unsigned char)*digits)) return 1;
  return pow(10, (double)strtol(d + 1, end, 10));
}

/* The number that text begins with, a blank behind its sign or not, and its end; NULL: there is none. */
static const char *number_at(const char *text, double *number) {
  const bool sign = *text == '-' || *text == '+';
  const char *const digits = sign ? past_blanks(text + 1) : text;
  char *end;
  if (!isdigit((unsigned char)digits[*digits == '.'])) return NULL;
  if (*digits == '0' && (digits[1] == 'x' || digits[1] == 'X')) return NULL;
  *number = strtod(digits, &end) * (*text == '-' ? -1 : 1);
  *number *= take_exponent(&end);
  const bool imaginary = (*end == 'i' || *end == 'j') && !of_word(end[1]);
  if ((of_word(*end) && !imaginary) || (*end == '.' && of_word(end[1])) || !isfinite(*number)) return NULL;
  return end;
}

bool fg_accuracy_lines_near(const char *a, const char *b, double *difference) {
  double most = 0, largest = 0;
  a = past_blanks(a);
  b = past_blanks(b);
  for (bool begins = true;;) { /* a number may, here */
    double x, y;
    const char *const from_a = past_blanks(a), *const from_b = past_blanks(b);
    const char *const past_a = begins ? number_at(from_a, &x) : NULL, *const past_b = past_a ? number_at(from_b, &y) : NULL;
    if (past_b) {
      const int unit = of_word(*past_a) && *past_a == *past_b; /* i or j, behind which another may begin: 2i-3j */
      most = fmax(most, fabs(x - y));
      largest = fmax(largest, fabs(x));
      a = past_blanks(past_a + unit);
      b = past_blanks(past_b + unit);
      continue;
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
