/* test_finalists.c: which of the geometries that were tried is kept, on sim, by a clock that goes on by what each launch is said to
 * take. */
#include <check.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/sim/sim.h"
#include "on_sim.h"
#include "random_problem.h"
#include "src/pass/tuned.h"
#include "src/plan/planner.h"
#include "src/plan/tuning.h"
#include "src/report/clock.h"
#include "suite.h"

/* A device on which a launch takes as long as is said of its threads a block, other launches a second; before all of the given
 * geometries have been tried, and since. */
enum { GIVEN = 5 };
static struct {
  int threads[GIVEN]; /* of the geometries */
  double once[GIVEN], again[GIVEN];
  int count, told;
  bool over;     /* there is no time any more when all have been tried */
  int fails;     /* since, launches of these threads fail */
  int launches;  /* since */
} said;
static double said_clock_now;

/* Looking takes time, too: what comes without a launch of its own (whole problems may) would be repeated for being short. */
static double said_clock(void) { return said_clock_now += 1e-3; }

static int launch_as_said(fg_device *device, fg_kernel *kernel, unsigned grid, unsigned block, size_t shared, const void *args,
                          size_t args_bytes, fg_stream *stream) {
  const bool of_pass = args_bytes > offsetof(fg_tile_args, loop), again = said.told >= said.count;
  double seconds = 1;
  for (int i = 0; i < said.count; i++)
    if ((int)block == said.threads[i]) seconds = again ? said.again[i] : said.once[i];
  if (of_pass) said_clock_now += seconds;
  said.launches += of_pass && again;
  if (of_pass && again && (int)block == said.fails) return FG_ELAUNCH;
  return test_target()->backend->launch(device, kernel, grid, block, shared, args, args_bytes, stream);
}

static void hear_said(void *context, const fg_pass *planned, const fg_pass *tried, double seconds) {
  (void)context, (void)planned, (void)tried;
  ck_assert(seconds > 0);
  if (++said.told == said.count && said.over) said_clock_now += 1e6;
}

static fg_choice fastest_said;
static bool kept_said;
static int faster_said, passes_said, tried_said;

static void listen_said(void *context, const fg_tuning_result *r) {
  (void)context;
  kept_said = r->kept;
  passes_said = r->count;
  for (int i = 0; i < r->count; i++) {
    ck_assert_int_eq(r->pass[i].fastest->n, r->pass[i].planned->n);
    ck_assert_int_eq(r->pass[i].wrong, 0);
    tried_said += r->pass[i].tried;
    if (r->pass[i].after >= r->pass[i].before) continue;
    faster_said++;
    fastest_said = fg_choice_of(r->pass[i].fastest);
  }
}

/* Rows of 60 or 1000 points by these threads; the seconds of each when it is tried, and later.  NULL, or why not. */
static const char *tune_said(const char *text, int most, int count, const int *threads, const double *once, const double *again) {
  fg_choice these[GIVEN];
  fg_target target = *test_target();
  fg_backend backend = *target.backend;
  for (int i = 0; i < count; i++) {
    char choice[FG_CHOICE_TEXT];
    snprintf(choice, sizeof choice, "%s %d 2 0", strstr(text, "1000") ? "10.10.10 1" : "10.6 8", threads[i]);
    ck_assert(fg_choice_parse(&these[i], choice));
    said.threads[i] = threads[i];
    said.once[i] = once[i];
    said.again[i] = again[i];
  }
  said.count = count;
  backend.launch = launch_as_said;
  target.backend = &backend;
  fg_clock_test = said_clock;
  fg_problem *p = test_problem(text, FG_SINGLE);
  const fg_tuning_limits limits = {.most = most, .patience = 1, .until = said_clock_now + 1e5, .these = these, .given = count,
                                   .tell_each = hear_said};
  const char *why = fg_tuning_run(&target, p, &limits, listen_said, NULL);
  ck_assert_int_ge(said.told, count);
  fg_problem_free(p);
  return why;
}

static const int threads_of_five[] = {96, 128, 160, 192, 224};

START_TEST(the_fastest_of_many_is_found_wherever_it_is) {
  double seconds[] = {0.95, 0.9, 0.85, 0.8, 0.75};
  const int best = _i;
  seconds[best] = 0.5;
  ck_assert_ptr_null(tune_said("oc60*8", 16, 5, threads_of_five, seconds, seconds));
  ck_assert(kept_said && faster_said == 1);
  ck_assert_int_eq(fastest_said.threads, threads_of_five[best]);
}
END_TEST

START_TEST(by_turns_another_is_the_fastest) {
  const double once[] = {0.95, 0.9, 0.7, 0.8, 0.75}, again[] = {0.95, 0.9, 0.9, 0.6, 0.8};
  ck_assert_ptr_null(tune_said("oc60*8", 16, 5, threads_of_five, once, again));
  ck_assert(kept_said && faster_said == 1);
  ck_assert_int_eq(fastest_said.threads, threads_of_five[3]);
}
END_TEST

/* With little patience only the first is timed again. */
START_TEST(little_patience_is_for_one) {
  const double once[] = {0.95, 0.9, 0.7, 0.8, 0.75}, again[] = {0.95, 0.9, 0.9, 0.6, 0.8};
  ck_assert_ptr_null(tune_said("oc60*8", 5, 5, threads_of_five, once, again));
  ck_assert_int_eq(fastest_said.threads, threads_of_five[2]);
  const int few = said.launches;
  said.told = said.launches = faster_said = 0;
  fg_tuned_forget(NULL);
  ck_assert_ptr_null(tune_said("oc60*8", 16, 5, threads_of_five, once, again));
  ck_assert_int_gt(said.launches, 2 * few);
}
END_TEST

START_TEST(what_was_faster_once_is_held_against_the_planned_by_turns) {
  const double once[] = {0.5, 0.6}, again[] = {0.997, 1.0};
  ck_assert_ptr_null(tune_said("oc60*8", 16, 2, threads_of_five, once, again));
  ck_assert(!faster_said && !kept_said);
}
END_TEST

START_TEST(a_hundredth_is_enough_by_turns) {
  const double once[] = {0.999, 1.2}, again[] = {0.99, 1.0};
  ck_assert_ptr_null(tune_said("oc60*8", 16, 2, threads_of_five, once, again));
  ck_assert(faster_said == 1 && kept_said);
}
END_TEST

/* What was timed once counts then, if it is faster by 2 % (0.99: is not), and nothing is timed again but the whole problem. */
START_TEST(without_time_for_that_much_faster_is_enough) {
  const double much[] = {0.9, 1.2}, little[] = {0.99, 1.2}, same[] = {1.0, 1.0};
  said.over = true;
  ck_assert_ptr_null(tune_said("oc60*8", 16, 2, threads_of_five, much, same));
  ck_assert_int_eq(faster_said, 1);
  said.told = faster_said = 0;
  fg_tuned_forget(NULL);
  ck_assert_ptr_null(tune_said("oc60*8", 16, 2, threads_of_five, little, same));
  ck_assert_int_eq(faster_said, 0);
}
END_TEST

/* The time is up at the end of the first round: what that has shown counts, and no more is timed. */
START_TEST(turns_end_with_the_time) {
  const double once[] = {0.5, 0.6}, again[] = {9000, 9500}; /* seconds a launch: two samples, and five of a launch each */
  ck_assert_ptr_null(tune_said("oc60*8", 16, 2, threads_of_five, once, again));
  ck_assert(!faster_said && !kept_said);
  ck_assert_int_le(said.launches, 3 * 7); /* of 4 rounds of 3 */
}
END_TEST

static fg_choice last_tried;

static void hear_last(void *context, const fg_pass *planned, const fg_pass *tried, double seconds) {
  (void)context, (void)planned, (void)seconds;
  last_tried = fg_choice_of(tried);
}

/* With patience for more than the likeliest come variants of the fastest of those, if it is much faster. */
START_TEST(variants_of_the_fastest_are_tried) {
  enum { MOST = 12 };
  fg_choice likeliest[MOST];
  fg_passes *planned = test_plan("oc60*8", FG_SINGLE, test_target()->info);
  const int listed = fg_choice_list(&planned->pass[0], test_target()->info, likeliest, MOST);
  fg_target target = *test_target();
  fg_backend backend = *target.backend;
  ck_assert_int_ne(likeliest[0].threads, planned->pass[0].threads);
  said.threads[0] = likeliest[0].threads;
  said.once[0] = said.again[0] = _i ? 0.99 : 0.5;
  said.count = 1;
  backend.launch = launch_as_said;
  target.backend = &backend;
  fg_clock_test = said_clock;
  const fg_tuning_limits limits = {.most = MOST, .patience = 1, .until = INFINITY, .tell_each = hear_last};
  fg_problem *p = test_problem("oc60*8", FG_SINGLE);
  ck_assert_ptr_null(fg_tuning_run(&target, p, &limits, listen_said, NULL));
  fg_problem_free(p);
  ck_assert(kept_said);
  if (_i) ck_assert_int_eq(tried_said, listed);
  else ck_assert_int_gt(tried_said, listed);
  ck_assert((last_tried.lines == likeliest[0].lines && last_tried.threads == likeliest[0].threads) == !_i);
  free(planned);
}
END_TEST

/* The other pass, of 40 points, cannot have what is given. */
START_TEST(a_pass_has_finalists_of_its_own) {
  const int threads[] = {96, 160};
  const double seconds[] = {0.5, 0.6};
  ck_assert_ptr_null(tune_said("ic40x1000", 16, 2, threads, seconds, seconds));
  ck_assert(passes_said == 2 && faster_said == 1);
}
END_TEST

START_TEST(what_fails_later_is_left_out) {
  const double seconds[] = {0.5, 0.6};
  said.fails = threads_of_five[0];
  ck_assert_ptr_null(tune_said("oc60*8", 16, 2, threads_of_five, seconds, seconds));
  ck_assert(kept_said && faster_said == 1);
  ck_assert_int_eq(fastest_said.threads, threads_of_five[1]);
}
END_TEST

int main(void) {
  test_choose_sim();
  TCase *tc = tcase_create("finalists");
  tcase_set_timeout(tc, 120);
  tcase_add_loop_test(tc, variants_of_the_fastest_are_tried, 0, 2);
  tcase_add_loop_test(tc, the_fastest_of_many_is_found_wherever_it_is, 0, TEST_COUNT(threads_of_five));
  tcase_add_test(tc, by_turns_another_is_the_fastest);
  tcase_add_test(tc, little_patience_is_for_one);
  tcase_add_test(tc, a_hundredth_is_enough_by_turns);
  tcase_add_test(tc, turns_end_with_the_time);
  tcase_add_test(tc, a_pass_has_finalists_of_its_own);
  tcase_add_test(tc, what_fails_later_is_left_out);
  tcase_add_test(tc, what_was_faster_once_is_held_against_the_planned_by_turns);
  tcase_add_test(tc, without_time_for_that_much_faster_is_enough);
  return test_run(tc, "finalists");
}
