/* random_problem.h: complex problems with wild but legal layouts; problems and their passes from a text. */
#ifndef FG_TEST_RANDOM_PROBLEM_H
#define FG_TEST_RANDOM_PROBLEM_H

#include "dice.h"
#include "src/pass/pass.h"
#include "src/problem/problem.h"

typedef struct {
  enum fg_precision precision;
  int rank, batch_rank;       /* at most */
  ptrdiff_t n, batch_n;       /* at most, of one dimension */
  ptrdiff_t elements;         /* at most, of all together */
  bool in_place;              /* the same strides on both sides */
} test_limits;

/* A problem of random ranks, lengths, format and sign; on each side the dimensions lie in random order, with gaps,
 * some of them backwards, so that every element is owned once.  Never fails: ends the test instead. */
fg_problem *test_random_problem(dice *d, const test_limits *limits);

/* The problem of a text as src/problem/notation.h reads it; placement from the text. */
fg_problem *test_problem(const char *text, enum fg_precision precision);

/* The passes of such a problem on a device: to be freed.  Ends the test if there are none. */
fg_passes *test_plan(const char *text, enum fg_precision precision, const fg_device_info *device);

#endif
