/* test_wisdom.c: what was planned on the device, as a set and as text. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/plan/wisdom.h"
#include "src/problem/notation.h"
#include "src/run/ranks.h"
#include "tests/unit/suite.h"

static fg_problem *problem(const char *text, unsigned flags) {
  char why[128];
  fg_problem *p = fg_notation_parse(text, FG_SINGLE, why, sizeof why);
  ck_assert_msg(p != NULL, "%s", why);
  p->flags = flags;
  return p;
}

static void learn(const char *text, unsigned flags) {
  fg_problem *p = problem(text, flags);
  fg_wisdom_learn(p);
  fg_problem_free(p);
}

static bool knows(const char *text, unsigned flags) {
  fg_problem *p = problem(text, flags);
  const bool known = fg_wisdom_knows(p);
  fg_problem_free(p);
  return known;
}

static void start(void) {
  fg_wisdom_forget(FG_SINGLE);
  fg_wisdom_forget(FG_DOUBLE);
}

START_TEST(knows_what_it_learned_with_at_least_that_patience) {
  learn("ocf64*3", FG_MEASURE);
  ck_assert(knows("ocf64*3", FG_MEASURE));
  ck_assert(knows("ocf64*3", FG_ESTIMATE));
  ck_assert(!knows("ocf64*3", FG_PATIENT));
  ck_assert(!knows("ocb64*3", FG_MEASURE));
  ck_assert(!knows("icf64*3", FG_MEASURE));
  learn("ocf64*3", FG_PATIENT);
  learn("ocf64*3", FG_ESTIMATE);
  ck_assert(knows("ocf64*3", FG_PATIENT));
}
END_TEST

/* More text than wisdom keeps, alike but for its end; and more dimensions than a text has. */
START_TEST(what_has_no_text_of_its_own_is_not_known) {
  char one[600] = "ocf4", other[600];
  for (int d = 0; d < 11; d++)
    sprintf(one + strlen(one), "%c2:%td:%td", d ? 'x' : '*', (ptrdiff_t)100000000000 << d, (ptrdiff_t)100000000001 << d);
  strcpy(other, one);
  other[strlen(other) - 1] ^= 1;
  learn(one, FG_MEASURE);
  ck_assert(!knows(other, FG_MEASURE) && !knows(one, FG_MEASURE));
  fg_problem *many = fg_problem_new(FG_DFT, FG_SINGLE, FG_INTERLEAVED, 66, 0);
  for (int d = 0; d < 66; d++) many->transform.dim[d] = (fg_dim){d == 65 ? 8 : 1, 2, 2};
  fg_wisdom_learn(many);
  many->transform.dim[65].n = 16;
  ck_assert(!fg_wisdom_knows(many));
  fg_problem_free(many);
}
END_TEST

START_TEST(text_brings_everything_back) {
  learn("ocf64", FG_MEASURE);
  learn("icb12x30v4", FG_PATIENT);
  char *text = fg_wisdom_export(FG_SINGLE);
  ck_assert_ptr_nonnull(text);
  ck_assert_int_eq(strncmp(text, FG_WISDOM_HEAD, strlen(FG_WISDOM_HEAD)), 0);
  fg_wisdom_forget(FG_SINGLE);
  ck_assert(!knows("ocf64", FG_MEASURE));
  ck_assert_ptr_null(fg_wisdom_export(FG_SINGLE));
  ck_assert(fg_wisdom_import(FG_SINGLE, text));
  ck_assert(knows("ocf64", FG_MEASURE));
  ck_assert(knows("icb12x30v4", FG_PATIENT));
  ck_assert_ptr_null(fg_wisdom_export(FG_DOUBLE));
  free(text);
}
END_TEST

static bool found(enum fg_precision precision, enum fg_precision compute) {
  fg_finding finding;
  fg_problem *p = problem("ocf64", FG_MEASURE);
  p->precision = precision;
  p->compute = compute;
  const bool known = fg_wisdom_find(p, FG_MEMORY_OWN, &finding) && fg_wisdom_knows(p);
  fg_problem_free(p);
  return known;
}

/* What was computed in single precision says nothing about double, whatever the arrays are. */
START_TEST(precisions_are_told_apart) {
  fg_problem *p = problem("ocf64", FG_MEASURE);
  p->precision = FG_DOUBLE;
  fg_wisdom_learn(p);
  fg_wisdom_keep(p, FG_MEMORY_OWN, &(fg_finding){true, 3e-3, 1e-3});
  char *text = fg_wisdom_export(FG_DOUBLE);
  ck_assert_ptr_nonnull(text);
  ck_assert_ptr_null(fg_wisdom_export(FG_SINGLE));
  fg_wisdom_forget(FG_DOUBLE);
  ck_assert(!found(FG_DOUBLE, FG_SINGLE));
  ck_assert(fg_wisdom_import(FG_DOUBLE, text));
  ck_assert(found(FG_DOUBLE, FG_SINGLE));
  ck_assert(!found(FG_DOUBLE, FG_DOUBLE));
  ck_assert(!found(FG_SINGLE, FG_SINGLE));
  free(text);
  fg_problem_free(p);
}
END_TEST

/* Times are of so many threads, on memory of one kind. */
START_TEST(findings_are_told_apart) {
  fg_finding f;
  fg_problem *p = problem("ocf64", FG_MEASURE);
  p->threads = 4;
  fg_wisdom_keep(p, FG_MEMORY_OWN, &(fg_finding){true, 3e-3, 1e-3});
  ck_assert(!fg_wisdom_find(p, FG_MEMORY_FOREIGN, &f));
  fg_wisdom_keep(p, FG_MEMORY_FOREIGN, &(fg_finding){false, 3e-3, 4e-3});
  p->threads = 1;
  ck_assert(!fg_wisdom_find(p, FG_MEMORY_OWN, &f) && !fg_wisdom_find(p, FG_MEMORY_FOREIGN, &f));
  p->threads = 4;
  for (int text = 0; text < 2; text++) {
    ck_assert(fg_wisdom_find(p, FG_MEMORY_OWN, &f) && f.device);
    ck_assert(fg_wisdom_find(p, FG_MEMORY_FOREIGN, &f) && !f.device && f.gpu > 3.9e-3);
    ck_assert(!fg_wisdom_knows(p)); /* that it was planned on the device is something else */
    char *all = fg_wisdom_export(FG_SINGLE);
    fg_wisdom_forget(FG_SINGLE);
    ck_assert(fg_wisdom_import(FG_SINGLE, all));
    free(all);
  }
  fg_problem_free(p);
}
END_TEST

/* What was timed while many processes shared the device holds where as many do. */
START_TEST(findings_of_many_processes_are_theirs) {
  fg_finding f;
  char shared[32];
  setenv("OMPI_COMM_WORLD_LOCAL_RANK", "0", 1);
  setenv("OMPI_COMM_WORLD_LOCAL_SIZE", "1000", 1);
  ck_assert_int_gt(fg_ranks_expected(), 1); /* fewer than a thousand devices */
  snprintf(shared, sizeof shared, " 4/%d own ", fg_ranks_expected());
  fg_problem *p = problem("ocf64", FG_MEASURE);
  p->threads = 4;
  fg_wisdom_keep(p, FG_MEMORY_OWN, &(fg_finding){true, 3e-3, 1e-3});
  for (int i = 0; i < 40; i++) { /* in all corners of the set */
    char other[16];
    snprintf(other, sizeof other, "ocf%d", 100 + i);
    learn(other, FG_MEASURE);
  }
  char *all = fg_wisdom_export(FG_SINGLE);
  char *const at = strstr(all, shared);
  ck_assert_msg(at != NULL && strrchr(all, '(') < at, "%s", all); /* last, for libraries that read no further */
  fg_wisdom_forget(FG_SINGLE);
  ck_assert(fg_wisdom_import(FG_SINGLE, all));
  ck_assert(fg_wisdom_find(p, FG_MEMORY_OWN, &f) && f.device && f.host > 2.9e-3);
  fg_wisdom_forget(FG_SINGLE);
  memset(at + 2, ' ', strlen(shared) - strlen(" 4 own ")); /* of one process */
  ck_assert(fg_wisdom_import(FG_SINGLE, all));
  ck_assert(!fg_wisdom_find(p, FG_MEMORY_OWN, &f));
  free(all);
  all = fg_wisdom_export(FG_SINGLE);
  ck_assert_msg(strstr(all, " gpu 4 own ") != NULL, "%s", all);
  free(all);
  fg_problem_free(p);
}
END_TEST

START_TEST(one_precision_is_forgotten) {
  fg_problem *p = problem("ocf64", FG_MEASURE);
  fg_wisdom_learn(p);
  p->precision = p->compute = FG_DOUBLE;
  fg_wisdom_learn(p);
  fg_wisdom_forget(FG_SINGLE);
  ck_assert(fg_wisdom_knows(p));
  ck_assert(!knows("ocf64", FG_MEASURE));
  fg_problem_free(p);
}
END_TEST

START_TEST(damaged_text_is_told) {
  ck_assert(!fg_wisdom_import(FG_SINGLE, FG_WISDOM_HEAD "\n (ocf64 1) (oc"));
  ck_assert(knows("ocf64", FG_MEASURE));
  ck_assert(!fg_wisdom_import(FG_SINGLE, FG_WISDOM_HEAD));
  ck_assert(fg_wisdom_import(FG_SINGLE, FG_WISDOM_HEAD ")"));
  static const char *const wrong[] = {"gpu 0 own 10 10", "gpu 1 own 0 10", "gpu 1 own 10 0", "gpu -1 own 10 10",
                                      "gpu 1 own 10 -10", "cpu 1 own 10 10", "gpu 1 home 10 10", "gpu 1 own 10",
                                      "gpu 1 own 10 10 10", "gpu 4/1 own 10 10", "gpu 4/ own 10 10", "gpu 4/x own 10 10",
                                      "gpu 4/-2 own 10 10", "gpu /4 own 10 10", "gpu 4/8/2 own 10 10", "gpu 4 /8 own 10 10",
                                      "gpu 4/ 8 own 10 10", "gpu 4/+8 own 10 10", "gpu 4294967297 own 10 10",
                                      "gpu 4/4294967298 own 10 10"};
  for (int i = 0; i < TEST_COUNT(wrong); i++) {
    char text[100];
    snprintf(text, sizeof text, FG_WISDOM_HEAD "\n (ocf32 1 %s))", wrong[i]);
    ck_assert_msg(!fg_wisdom_import(FG_SINGLE, text), "%s", text);
  }
  ck_assert(!knows("ocf32", FG_ESTIMATE));
  ck_assert(!fg_wisdom_import(FG_SINGLE, FG_WISDOM_HEAD "\n (ocf32 1 gpu 4;8 own 10 10) (ocf16 2))"));
  ck_assert(knows("ocf16", FG_PATIENT) && !knows("ocf32", FG_ESTIMATE)); /* what a later library may write is passed over */
}
END_TEST

/* Cut off anywhere a finding is nothing, not that it was planned on the device. */
START_TEST(cut_off_text_says_nothing) {
  static const char whole[] = FG_WISDOM_HEAD "\n (ocf32 1 host 4/8 own 10 10))";
  char text[sizeof whole];
  fg_finding f;
  fg_problem *p = problem("ocf32", FG_ESTIMATE);
  p->threads = 4;
  for (size_t length = strlen(FG_WISDOM_HEAD); length + 2 < sizeof whole; length++) {
    snprintf(text, sizeof text, "%.*s", (int)length, whole);
    ck_assert_msg(!fg_wisdom_import(FG_SINGLE, text), "%s", text);
    ck_assert_msg(!fg_wisdom_knows(p) && !fg_wisdom_find(p, FG_MEMORY_OWN, &f), "%s", text);
  }
  ck_assert_ptr_null(fg_wisdom_export(FG_SINGLE));
  fg_problem_free(p);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("wisdom");
  TCase *set = tcase_create("set");
  tcase_add_checked_fixture(set, start, NULL);
  tcase_add_test(set, knows_what_it_learned_with_at_least_that_patience);
  tcase_add_test(set, what_has_no_text_of_its_own_is_not_known);
  tcase_add_test(set, text_brings_everything_back);
  tcase_add_test(set, precisions_are_told_apart);
  tcase_add_test(set, findings_are_told_apart);
  tcase_add_test(set, findings_of_many_processes_are_theirs);
  tcase_add_test(set, one_precision_is_forgotten);
  tcase_add_test(set, damaged_text_is_told);
  tcase_add_test(set, cut_off_text_says_nothing);
  suite_add_tcase(suite, set);
  return test_run_suite(suite);
}
