/* suite.h: how every test program asserts, and its end. */
#ifndef FG_TEST_SUITE_H
#define FG_TEST_SUITE_H

#include <check.h>
#include <stdlib.h>

/* Check (0.15) sends the place of every assertion that holds to the process that runs the suite, which moves kilobytes for
 * each: half of the time of tests that have very many.  Without that a crash is told by where the test begins only. */
#define _mark_point(file, line) ((void)0)

/* AddressSanitizer makes everything several times as slow, and is there for the host's code, which neighbouring cases of a
 * long row take alike: of such a row it gets each TEST_SPARSE-th. */
#ifdef __SANITIZE_ADDRESS__
#define TEST_SPARSE 3
#else
#define TEST_SPARSE 1
#endif

#define TEST_COUNT(table) (int)(sizeof(table) / sizeof *(table))

/* Run a suite.  Returns the program's exit status. */
static inline int test_run_suite(Suite *s) {
  SRunner *runner = srunner_create(s);
  srunner_run_all(runner, CK_NORMAL);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* The same for one test case. */
static inline int test_run(TCase *tests, const char *name) {
  Suite *s = suite_create(name);
  suite_add_tcase(s, tests);
  return test_run_suite(s);
}

#endif
