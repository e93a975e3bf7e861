/* test_source.c: several lists of wisdom from one source of characters, and sources that come again under the same
 * address. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compat/source.h"
#include "suite.h"

typedef struct {
  const char *text;
  size_t at;
  int past_end; /* how often it was asked for more */
} reader;

static int next(void *data) {
  reader *r = data;
  if (r->text[r->at]) return r->text[r->at++];
  r->past_end++;
  return EOF;
}

/* As FFTW does: a list, and the blanks behind it with the character after them. */
static void read_list(fg_source *s, char *list) {
  int c = fg_source_next(s);
  while (c == ' ' || c == '\n') c = fg_source_next(s);
  for (int depth = 0; c != EOF; c = fg_source_next(s)) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    *list++ = (char)c;
    if (depth <= 0) break;
  }
  *list = 0;
  do c = fg_source_next(s);
  while (c == ' ' || c == '\n');
}

/* One import, which must find this list; ours, if it follows, is malloc'd. */
static char *import(reader *r, const char *expected) {
  char list[100];
  fg_source s = fg_source_open(next, r);
  read_list(&s, list);
  ck_assert_str_eq(list, expected);
  char *ours = fg_source_list(&s);
  if (!ours) fg_source_leave(&s);
  return ours;
}

START_TEST(ours_is_taken) {
  reader r = {.text = "(fftw-3 a)\n(fftw3-gpu-wisdom (b))\n(fftw-3 c)"};
  char *ours = import(&r, "(fftw-3 a)");
  ck_assert_str_eq(ours, "(fftw3-gpu-wisdom (b))");
  free(ours);
  ck_assert_ptr_null(import(&r, "(fftw-3 c)"));
}
END_TEST

START_TEST(what_is_not_ours_is_served_to_the_next_import) {
  reader r = {.text = "(fftw-3 a)\n(fftw-3 b)\n(fftw-3 c)\n"};
  ck_assert_ptr_null(import(&r, "(fftw-3 a)"));
  ck_assert_ptr_null(import(&r, "(fftw-3 b)"));
  ck_assert_ptr_null(import(&r, "(fftw-3 c)"));
}
END_TEST

/* Freed and allocated again, or set back to its beginning. */
START_TEST(another_source_at_the_same_address_begins_anew) {
  reader r = {.text = "(fftw-3 a)\n(fftw-3 b)"};
  ck_assert_ptr_null(import(&r, "(fftw-3 a)"));
  r = (reader){.text = _i ? "\n (fftw-3 other)" : "(fftw-3 other)"};
  ck_assert_ptr_null(import(&r, "(fftw-3 other)"));
  r = (reader){.text = "(fftw-3 a)\nrest"};
  ck_assert_ptr_null(import(&r, "(fftw-3 a)"));
  ck_assert_int_eq(next(&r), 'e'); /* stock FFTW has read as far */
}
END_TEST

START_TEST(an_end_is_met_once) {
  reader r = {.text = "(fftw-3 a)\n"};
  ck_assert_ptr_null(import(&r, "(fftw-3 a)"));
  ck_assert_int_eq(r.past_end, 1);
}
END_TEST

int main(void) {
  TCase *tc = tcase_create("source");
  tcase_add_test(tc, ours_is_taken);
  tcase_add_test(tc, what_is_not_ours_is_served_to_the_next_import);
  tcase_add_loop_test(tc, another_source_at_the_same_address_begins_anew, 0, 2);
  tcase_add_test(tc, an_end_is_met_once);
  return test_run(tc, "source");
}
