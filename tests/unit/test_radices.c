/* test_radices.c: into which radices lengths are taken apart. */
#include <check.h>
#include <stddef.h>
#include <stdint.h>

#include "src/pass/pass.h"
#include "src/pass/radices.h"
#include "suite.h"

/* Every list is right, and the first has the fewest stages. */
START_TEST(radix_lists_multiply_to_their_length) {
  enum { MOST = 4 };
  for (ptrdiff_t n = 1; n <= 20000; n++) {
    fg_radix_list lists[MOST];
    const int count = fg_radix_lists(n, FG_SINGLE, lists, MOST);
    if ((count > 0) != fg_smooth(n, FG_SINGLE)) ck_abort_msg("%td: %d lists", n, count);
    for (int i = 0; i < count; i++) {
      ptrdiff_t product = 1;
      for (int s = 0; s < lists[i].stages; s++) product *= lists[i].radix[s];
      if (product != n || lists[i].stages < lists[0].stages) ck_abort_msg("%td: list %d", n, i);
      for (int s = 1; s < lists[i].stages; s++)
        if (lists[i].radix[s - 1] < lists[i].radix[s] || lists[i].radix[0] > FG_MAX_RADIX)
          ck_abort_msg("%td: list %d", n, i);
    }
  }
}
END_TEST

/* Stages that n takes at least with radices up to largest, of which any may be large; more than there may be: none. */
static int fewest_stages(ptrdiff_t n, int largest) {
  int fewest = n == 1 ? 0 : FG_MAX_STAGES + 1;
  for (int r = largest; r > 1; r--) {
    if (n % r || !(fg_radix_exists(r, FG_SINGLE) || fg_radix_large(r))) continue;
    const int stages = 1 + fewest_stages(n / r, r);
    if (stages < fewest) fewest = stages;
  }
  return fewest;
}

/* The same of those whose largest radix is a large one; the first has the fewest stages. */
START_TEST(lists_with_large_radices_multiply_to_their_length) {
  enum { MOST = 4 };
  fg_radix_list lists[MOST];
  for (ptrdiff_t n = 1; n <= 6000; n++) {
    const int count = fg_radix_large_lists(n, FG_SINGLE, lists, MOST);
    int fewest = FG_MAX_STAGES + 1;
    for (int r = 33; r <= FG_MAX_RADIX; r++)
      if (fg_radix_large(r) && n % r == 0 && 1 + fewest_stages(n / r, r) < fewest) fewest = 1 + fewest_stages(n / r, r);
    if ((count > 0) != (fewest <= FG_MAX_STAGES) || (count > 0 && lists[0].stages != fewest))
      ck_abort_msg("%td: %d lists, of %d stages", n, count, fewest);
    for (int i = 0; i < count; i++) {
      ptrdiff_t product = 1;
      for (int s = 0; s < lists[i].stages; s++) product *= lists[i].radix[s];
      for (int s = 1; s < lists[i].stages; s++)
        if (lists[i].radix[s - 1] < lists[i].radix[s]) ck_abort_msg("%td: list %d", n, i);
      if (product != n || !fg_radix_large(lists[i].radix[0])) ck_abort_msg("%td: list %d", n, i);
    }
    ck_assert_int_eq(fg_radix_large_lists(n, FG_DOUBLE, lists, MOST), 0);
  }
}
END_TEST

/* As large as can be said: 62 stages are too many, and are counted without overflow. */
START_TEST(absurd_lengths_end) {
  fg_radix_list list[4];
  ck_assert_int_eq(fg_radix_lists((ptrdiff_t)1 << 62, FG_SINGLE, list, 4), 0);
  ck_assert_int_eq(fg_radix_lists(PTRDIFF_MAX, FG_SINGLE, list, 4), 0);
}
END_TEST

START_TEST(smooth_means_primes_up_to_the_largest_radix) {
  for (ptrdiff_t n = -2; n <= 20000; n++) {
    ptrdiff_t rest = n;
    for (ptrdiff_t divisor = 2; rest > 1 && divisor <= FG_MAX_RADIX; divisor++) /* composite ones are gone by then */
      while (rest % divisor == 0) rest /= divisor;
    if (fg_smooth(n, FG_SINGLE) != (rest == 1)) ck_abort_msg("%td", n);
  }
}
END_TEST

int main(void) {
  TCase *tc = tcase_create("radices");
  tcase_set_timeout(tc, 120);
  tcase_add_test(tc, radix_lists_multiply_to_their_length);
  tcase_add_test(tc, lists_with_large_radices_multiply_to_their_length);
  tcase_add_test(tc, absurd_lengths_end);
  tcase_add_test(tc, smooth_means_primes_up_to_the_largest_radix);
  return test_run(tc, "radices");
}
