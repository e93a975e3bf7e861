/* test_source.c: lists of wisdom, FFTW's and ours, from one source of characters: what is not ours is not read. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compat/source.h"
#include "suite.h"

typedef struct {
  const char *text;
  int past_end; /* how often it was asked for more */
} reader;

static int next(void *data) {
  reader *r = data;
  if (*r->text) return *r->text++;
  r->past_end++;
  return EOF;
}

/* As FFTW does: blanks, and a list to its last parenthesis. */
static void read_list(fg_source *s) {
  int depth = 0, c;
  do {
    c = fg_source_next(s);
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
  } while (c != EOF && (depth > 0 || c == ' ' || c == '\n'));
}

/* One import; ours, if it follows, is malloc'd. */
static char *import(reader *r) {
  fg_source s = {.read = next, .data = r};
  read_list(&s);
  return fg_source_list(&s);
}

static const char ours[] = "(fftw3-gpu-wisdom\n  (b))";

static char *joined(const char *list) { return fg_source_joined(strdup(list), ours); }

START_TEST(ours_is_taken) {
  char *text = joined("(fftw-3 (a)\n)\n");
  reader r = {.text = text};
  char *taken = import(&r);
  ck_assert_str_eq(taken, ours);
  ck_assert_str_eq(r.text, "");
  ck_assert_int_eq(r.past_end, 0);
  free(taken);
  free(text);
}
END_TEST

START_TEST(nothing_to_join) {
  char *text = fg_source_joined(strdup("(fftw-3 a)\n"), NULL);
  ck_assert_str_eq(text, "(fftw-3 a)\n");
  free(text);
  ck_assert_ptr_null(fg_source_joined(NULL, ours));
}
END_TEST

START_TEST(behind_a_list_alone_nothing_is_read) {
  static const char *const rest[] = {"", "\n", " (fftw-3 b)", "\nthe program's", "(fftw3-gpu-wisdom (b))"};
  char text[100];
  snprintf(text, sizeof text, "(fftw-3 a)%s", rest[_i]);
  reader r = {.text = text};
  ck_assert_ptr_null(import(&r));
  ck_assert_str_eq(r.text, rest[_i]);
  ck_assert_int_eq(r.past_end, 0);
}
END_TEST

START_TEST(several_follow_each_other) {
  char *first = joined("(fftw-3 a)\n"), all[200];
  snprintf(all, sizeof all, "%s\n(fftw-3 b)\n%s\nrest", first, first);
  reader r = {.text = all};
  char *taken = import(&r), *none = import(&r), *again = import(&r);
  ck_assert_str_eq(taken, ours);
  ck_assert_ptr_null(none);
  ck_assert_str_eq(again, ours);
  ck_assert_str_eq(r.text, "\nrest");
  free(taken);
  free(again);
  free(first);
}
END_TEST

/* Cut off behind FFTW's list, in the middle of ours, or replaced. */
START_TEST(ours_is_damaged) {
  static const char *const texts[] = {"(fftw-3 a\t)", "(fftw-3 a\t)\n(fftw3-gpu", "(fftw-3 a\t)\n(fftw-3 b)"};
  reader r = {.text = texts[_i]};
  ck_assert_ptr_null(import(&r));
}
END_TEST

int main(void) {
  TCase *tc = tcase_create("source");
  tcase_add_test(tc, ours_is_taken);
  tcase_add_test(tc, nothing_to_join);
  tcase_add_loop_test(tc, behind_a_list_alone_nothing_is_read, 0, 5);
  tcase_add_test(tc, several_follow_each_other);
  tcase_add_loop_test(tc, ours_is_damaged, 0, 3);
  return test_run(tc, "source");
}
