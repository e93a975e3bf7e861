/* test_overlap.c: whether arrays overlap, of which each may lie in the other's gaps. */
#include <check.h>
#include <string.h>

#include "random_problem.h"
#include "src/problem/notation.h"
#include "src/run/host/transfer.h"
#include "suite.h"

/* In and out in one block of memory, whose planes begin at these reals (-1: there is none). */
static const struct {
  const char *text;
  int in[2], out[2];
  bool meet;
} neighbours[] = {
    {"ocf100", {0, -1}, {200, -1}, false},         {"ocf100", {1, -1}, {200, -1}, true},
    {"ocf100", {200, -1}, {0, -1}, false},         {"ocf100", {199, -1}, {0, -1}, true},
    {"ocf100:-1:1", {198, -1}, {200, -1}, false},  {"ocf100:-1:1", {198, -1}, {100, -1}, true},
    {"ocf100:1:-1", {0, -1}, {398, -1}, false},    {"ocf100:1:-1", {0, -1}, {396, -1}, true},
    {"ocf10*10:20:40", {740, -1}, {0, -1}, false}, {"ocf10*10:20:40", {739, -1}, {0, -1}, true},
    {"/ocf100", {0, 100}, {200, 300}, false},      {"/ocf100", {0, 100}, {199, 300}, true},
    {"/ocf100", {0, 201}, {300, 101}, true},       {"/ocf100", {200, 0}, {300, 99}, true},
    {"orf100", {0, -1}, {100, -1}, false},         {"orf100", {0, -1}, {99, -1}, true},
    /* each in the other's gaps: by rows of the same stride, by elements, by few stretches; and where these are not gaps */
    {"ocf8*5:16:16", {0, -1}, {16, -1}, false},    {"ocf8*5:16:16", {16, -1}, {0, -1}, false},
    {"ocf8*5:16:16", {0, -1}, {15, -1}, true},     {"ocf8*5:16:16", {0, -1}, {48, -1}, false},
    {"ocf8*5:15:15", {0, -1}, {16, -1}, true},     {"ocf8:2:2*5:16:16", {0, -1}, {2, -1}, false},
    {"ocf8:2:2*5:16:16", {0, -1}, {1, -1}, true},  {"ocf8*5:16:-16", {0, -1}, {144, -1}, false},
    {"ocf8*3:20:36", {0, -1}, {24, -1}, false},    {"ocf8*3:20:36", {0, -1}, {20, -1}, true},
    {"orf6*4:8:4", {0, -1}, {0, -1}, true},        {"orf6*4:16:8", {0, -1}, {6, -1}, false},
    {"/ocf8*5:16:16", {0, 160}, {8, 168}, false},  {"/ocf8*5:16:16", {0, 8}, {160, 4}, true}};

START_TEST(overlaps_are_seen) {
  for (int n = 0; n < TEST_COUNT(neighbours); n++)
    for (int precision = FG_SINGLE; precision <= FG_DOUBLE; precision++) {
      char why[200];
      static double block[2000];
      fg_problem *p = fg_notation_parse(neighbours[n].text, precision, why, sizeof why);
      fg_layout in, out;
      void *at[4];
      ck_assert_msg(p != NULL, "%s", why);
      ck_assert(fg_layout_make(&in, p, FG_INPUT) && fg_layout_make(&out, p, FG_OUTPUT));
      for (int i = 0; i < 4; i++) {
        const int real = i < 2 ? neighbours[n].in[i] : neighbours[n].out[i - 2];
        at[i] = real < 0 ? NULL : (char *)block + (size_t)real * fg_real_size(p->precision);
      }
      ck_assert_msg(fg_transfer_overlap(&in, &out, &(fg_arrays){at[0], at[1], at[2], at[3]}) == neighbours[n].meet,
                    "%d: %s", n, neighbours[n].text);
      fg_layout_free(&in);
      fg_layout_free(&out);
      fg_problem_free(p);
    }
}
END_TEST

/* Marks of a plane's elements in memory from origin on, in bytes; all of them were unmarked or of that number. */
static bool mark(const fg_layout *l, ptrdiff_t at, int d, char *memory, char number) {
  bool alone = true;
  for (ptrdiff_t i = 0; d >= 0 && i < l->walk[d].n; i++)
    alone = mark(l, at + i * l->walk[d].stride * (ptrdiff_t)fg_real_size(l->precision), d - 1, memory, number) && alone;
  for (size_t i = 0; d < 0 && i < (size_t)l->unit * fg_real_size(l->precision); i++) {
    alone = alone && (!memory[at + (ptrdiff_t)i] || memory[at + (ptrdiff_t)i] == number);
    memory[at + (ptrdiff_t)i] = number;
  }
  return alone;
}

/* Planes of random problems, and of regular ones, at all distances at which their spans meet: what is not taken for an overlap
 * shares no byte; and of those that share none some are seen. */
START_TEST(what_shares_an_element_overlaps) {
  static const char *const regular[] = {"ocf8*5:32:32", "ocf8:2:2*5:16:16", "ocf8*4:32:40", "ocf4:2:2x5:8:8*3:80:80", "orf6*4:16:8",
                                        "ocf3:-1:1*4:12:12", "ocf4*3:20:-20", "ocf5:3:3*2:15:30"};
  enum { RANDOM = 300, MOST = 1 << 16 };
  static char memory[2 * MOST];
  dice d = {4711};
  long apart = 0, seen = 0;
  for (int n = 0; n < TEST_COUNT(regular) + RANDOM; n++) {
    fg_problem *p = n < TEST_COUNT(regular) ? test_problem(regular[n], FG_SINGLE)
                                            : test_random_problem(&d, &(test_limits){FG_DOUBLE, 2, 2, 5, 4, 40, false});
    fg_layout in, out;
    ck_assert(fg_layout_make(&in, p, FG_INPUT) && fg_layout_make(&out, p, FG_OUTPUT));
    const ptrdiff_t real = (ptrdiff_t)fg_real_size(p->precision);
    const ptrdiff_t reach[] = {fg_layout_reach(&in) * real, fg_layout_reach(&out) * real};
    in.split = out.split = false; /* one plane of each */
    const ptrdiff_t most = reach[0] + reach[1];
    ptrdiff_t step = real;
    for (ptrdiff_t at = 0; 2 * most < MOST && at < most; at += step) {
      const fg_arrays a = {memory + reach[1] - in.low * real, NULL, memory + at - out.low * real, NULL};
      memset(memory, 0, (size_t)(2 * most));
      mark(&in, reach[1], in.rank - 1, memory, 1);
      const bool alone = mark(&out, at, out.rank - 1, memory, 2), meet = fg_transfer_overlap(&in, &out, &a);
      ck_assert_msg(alone || meet, "%d at %td", n, at);
      if (n >= TEST_COUNT(regular)) step = 1 + dice_between(&d, 0, most / 16);
      apart += alone;
      seen += alone && !meet;
    }
    fg_layout_free(&in);
    fg_layout_free(&out);
    fg_problem_free(p);
  }
  ck_assert_int_gt(seen, apart / 3);
}
END_TEST

int main(void) {
  TCase *tc = tcase_create("overlap");
  tcase_set_timeout(tc, 60);
  tcase_add_test(tc, overlaps_are_seen);
  tcase_add_test(tc, what_shares_an_element_overlaps);
  return test_run(tc, "overlap");
}
