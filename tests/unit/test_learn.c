/* test_learn.c: what is learned from executions of known length: which estimates are corrected, how far, and what is
 * kept.  Every test is a process of its own, so that it has its own accounts. */
#include <check.h>
#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "random_problem.h"
#include "src/cost/account.h"
#include "src/cost/learn.h"
#include "src/problem/notation.h"
#include "suite.h"

static const fg_calibration *const usual = &fg_calibration_defaults;
static fg_calibration learned;

enum { MANY = 20000 };

static enum fg_precision precision = FG_SINGLE, compute = FG_SINGLE; /* of the problems below */

/* count problems like text with batches from first on, of that many threads: each executed so often on the host, where
 * it takes host times the estimate, then on the device, where it takes device times it (0: not at all). */
static void work(const char *text, int first, int count, int threads, int times, enum fg_memory memory, double host,
                 double device) {
  for (int i = first; i < first + count; i++) {
    char with_batch[64];
    snprintf(with_batch, sizeof with_batch, "%s*%d", text, i);
    fg_problem *p = test_problem(with_batch, precision);
    p->threads = threads;
    p->compute = compute;
    const fg_calibration *c = fg_calibration_get();
    const double on_host = fg_model_host_seconds(c, p), on_device = fg_model_gpu_seconds(c, p, memory, -1);
    fg_account *a = fg_account_of(p, memory, on_device);
    for (int n = 0; n < times; n++) fg_account_host(a, host * on_host * (n ? 1 : 10)); /* the first does not count */
    for (int n = 0; device > 0 && n <= FG_TRIALS; n++) fg_account_device(a, n ? device * on_device : 1);
    fg_problem_free(p);
  }
}

/* Accounts count nanoseconds. */
static bool close_to(double a, double b) { return fabs(a - b) < 1e-4 * fabs(b); }

/* Nothing differs from the defaults but the coefficient at that field. */
static void only(const double *field) {
  fg_calibration c = learned;
  const size_t at = (size_t)((const char *)field - (const char *)&learned);
  *(double *)((char *)&c + at) = *(const double *)((const char *)usual + at);
  for (const fg_coefficient *k = fg_coefficients; k->name; k++)
    ck_assert_msg(*(double *)((char *)&c + k->offset) == *(const double *)((const char *)usual + k->offset), "%s",
                  k->name);
}

START_TEST(nothing_is_learned_from_nothing) { ck_assert(!fg_learn_from(usual, 0, &learned)); }
END_TEST

/* In the cache 24^3, past it 128^3; nine problems count three quarters, one a quarter. */
START_TEST(the_host_in_cache_and_past_it) {
  static const struct {
    const char *text;
    int count;
    double took, expected;
  } cases[] = {{"oc24x24x24", 9, 2, 0.75}, {"oc24x24x24", 1, 2, 0.25}, {"oc24x24x24", 9, 0.5, 0.75},
               {"oc128x128x128", 9, 2, 0.75}, {"oc128x128x128", 3, 3, 0.5}};
  double *const field = _i < 3 ? &learned.seen_cache : &learned.seen_memory;
  work(cases[_i].text, 2, cases[_i].count, 1, MANY, FG_MEMORY_OWN, cases[_i].took, 0);
  ck_assert(fg_learn_from(usual, 0, &learned));
  ck_assert(close_to(*field, pow(cases[_i].took, cases[_i].expected)));
  only(field);
}
END_TEST

START_TEST(the_gpu_by_memory) {
  const enum fg_memory memory = _i ? FG_MEMORY_FOREIGN : FG_MEMORY_OWN;
  double *const field = _i ? &learned.seen_foreign : &learned.seen_own;
  work("oc24x24x24", 2, 3, 1, MANY, memory, 1, 4);
  ck_assert(fg_learn_from(usual, 0, &learned));
  ck_assert(close_to(*field, 2));
  only(field);
}
END_TEST

/* Memory and the link are the same for all; FFTW's arithmetic in double, and converting, are nobody else's. */
START_TEST(double_precision_shares_what_bytes_decide) {
  static const struct {
    const char *text;
    enum fg_precision compute;
    enum fg_memory memory;
    double host, device;
  } cases[] = {{"oc16x16x16", FG_DOUBLE, FG_MEMORY_OWN, 2, 0},      {"oc128x128x128", FG_DOUBLE, FG_MEMORY_OWN, 2, 0},
               {"oc16x16x16", FG_DOUBLE, FG_MEMORY_OWN, 1, 2},      {"oc16x16x16", FG_DOUBLE, FG_MEMORY_FOREIGN, 1, 2},
               {"oc16x16x16", FG_SINGLE, FG_MEMORY_FOREIGN, 1, 2}};
  double *const fields[] = {&learned.seen_double, &learned.seen_memory, &learned.seen_own, &learned.seen_foreign,
                            &learned.seen_converted};
  precision = FG_DOUBLE;
  compute = cases[_i].compute;
  work(cases[_i].text, 2, 3, 1, MANY, cases[_i].memory, cases[_i].host, cases[_i].device);
  ck_assert(fg_learn_from(usual, 0, &learned));
  ck_assert(close_to(*fields[_i], sqrt(2)));
  only(fields[_i]);
  fg_problem *p = test_problem("oc16x16x16*2", FG_DOUBLE); /* and the next estimate has it */
  p->compute = compute;
  if (_i == 0)
    ck_assert(close_to(fg_model_host_seconds(&learned, p), sqrt(2) * fg_model_host_seconds(usual, p)));
  else if (_i > 1)
    ck_assert(close_to(fg_model_gpu_seconds(&learned, p, cases[_i].memory, -1),
                       sqrt(2) * fg_model_gpu_seconds(usual, p, cases[_i].memory, -1)));
  fg_problem_free(p);
}
END_TEST

/* Sixteen on one device, or on a few, see it as none of them would alone, and wait for each other to open it. */
START_TEST(processes_teach_nothing_of_the_device) {
  if (_i) {
    setenv("OMPI_COMM_WORLD_LOCAL_RANK", "0", 1);
    setenv("OMPI_COMM_WORLD_LOCAL_SIZE", "1600", 1);
  }
  work("oc24x24x24", 2, 9, 1, MANY, FG_MEMORY_OWN, 2, 4);
  ck_assert(fg_learn_from(usual, 4 * usual->start, &learned));
  ck_assert_double_gt(learned.seen_cache, 1.5 * usual->seen_cache);
  ck_assert_double_ge(learned.seen_own, (_i ? 1 : 1.5) * usual->seen_own);
  ck_assert_double_ge(learned.start, (_i ? 1 : 1.5) * usual->start);
  if (_i) ck_assert(learned.seen_own == usual->seen_own && learned.start == usual->start);
}
END_TEST

/* One that swaps, or a problem that the model knows nothing of, does not speak for all. */
START_TEST(the_median_counts) {
  work("oc24x24x24", 2, 4, 1, MANY, FG_MEMORY_OWN, 2, 0);
  work("oc24x24x24", 6, 4, 1, MANY, FG_MEMORY_OWN, 2.2, 0);
  work("oc24x24x24", 10, 1, 1, MANY, FG_MEMORY_OWN, 1000, 0);
  ck_assert(fg_learn_from(usual, 0, &learned));
  ck_assert(close_to(learned.seen_cache, pow(2.2, 9 / 12.0)));
}
END_TEST

START_TEST(what_is_too_little_is_not_kept) {
  switch (_i) {
    case 0: work("oc24x24x24", 2, 9, 1, 7, FG_MEMORY_OWN, 100, 100); break;       /* executions of each */
    case 1: work("oc24", 2, 9, 1, 100, FG_MEMORY_OWN, 2, 2); break;               /* seconds in all */
    case 2: work("oc24x24x24", 2, 9, 1, MANY, FG_MEMORY_OWN, 1.05, 1.05); break;  /* to correct */
    case 3: work("oc24x24x24", 2, 9, 4, MANY, FG_MEMORY_OWN, 4, 0); break;        /* threads, not the machine */
  }
  ck_assert(!fg_learn_from(usual, 0, &learned));
}
END_TEST

/* Wrong by so much is something else than the machine. */
START_TEST(corrections_have_bounds) {
  work("oc24x24x24", 2, 9, 1, MANY, FG_MEMORY_OWN, 1000, 0);
  ck_assert(fg_learn_from(usual, 0, &learned));
  ck_assert(close_to(learned.seen_cache, pow(8, 0.75)));
  fg_calibration again = learned;
  ck_assert(fg_learn_from(&again, 0, &learned));
  ck_assert(close_to(learned.seen_cache, 16));
}
END_TEST

/* The estimates of process after process come nearer to what they are about. */
START_TEST(estimates_converge) {
  const double slower = 3;
  fg_calibration c = *usual;
  int processes = 0;
  for (; processes < 10; processes++) {
    int answer[2], status;
    ck_assert_int_eq(pipe(answer), 0);
    const pid_t child = fork();
    if (!child) {
      fg_calibration_use(&c);
      work("oc24x24x24", 2, 3, 1, MANY, FG_MEMORY_OWN, slower / c.seen_cache, 0);
      const bool worth = fg_learn_from(&c, 0, &learned);
      _exit(worth && write(answer[1], &learned, sizeof learned) != sizeof learned);
    }
    close(answer[1]);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    const bool worth = read(answer[0], &c, sizeof c) == sizeof c;
    close(answer[0]);
    if (!worth) break;
  }
  ck_assert_int_lt(processes, 10);
  ck_assert(c.seen_cache > slower / 1.25 && c.seen_cache < slower * 1.01);
}
END_TEST

START_TEST(starting_and_planning) {
  work("oc24x24x24", 2, 1, 1, MANY, FG_MEMORY_OWN, 1, 0);
  ck_assert(fg_learn_from(usual, 4 * usual->start, &learned));
  ck_assert(close_to(learned.start, 2 * usual->start));
  only(&learned.start);
  fg_learn_planning(0.4);
  fg_learn_planning(100);
  fg_learn_planning(0.4);
  ck_assert(fg_learn_from(usual, 0, &learned));
  ck_assert(close_to(learned.plan, usual->plan * pow(0.4 / usual->plan, 0.5)));
  only(&learned.plan);
}
END_TEST

/* ---- what is kept ---- */

static char folder[] = "/tmp/fftw3-gpu-test-learn-XXXXXX";

static void make_folder(void) {
  ck_assert_ptr_nonnull(mkdtemp(folder));
  setenv("FFTW3_GPU_CACHE", folder, 1);
}

static void remove_folder(void) {
  char command[128];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  ck_assert_int_eq(system(command), 0);
}

static void process_that_learns(void) {
  work("oc24x24x24", 2, 9, 1, MANY, FG_MEMORY_OWN, 2, 0);
  fg_learn_keep();
}

static void process_that_tunes(void) {
  fg_machine m;
  char *path;
  fg_calibration c = *usual;
  c.rate_two = 1e9;
  fg_calibration_machine(&m);
  if (fg_calibration_save(&c, &m, &path)) _exit(1);
}

static void in_process(void (*what)(void)) {
  int status;
  const pid_t child = fork();
  if (!child) {
    what();
    _exit(0);
  }
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert_int_eq(status, 0);
}

START_TEST(the_next_process_has_it) {
  in_process(process_that_learns);
  ck_assert(fabs(fg_calibration_get()->seen_cache - pow(2, 0.75)) < 1e-4);
  ck_assert_ptr_nonnull(strstr(fg_calibration_source(), "/learned-"));
}
END_TEST

static void process_that_ends(void) { exit(0); }

/* The accounts that a child of fork has are its parent's. */
START_TEST(a_child_keeps_nothing) {
  glob_t found;
  char pattern[128];
  snprintf(pattern, sizeof pattern, "%s/*", folder);
  work("oc24x24x24", 2, 9, 1, MANY, FG_MEMORY_OWN, 2, 0);
  in_process(process_that_ends);
  ck_assert_int_eq(glob(pattern, 0, NULL, &found), GLOB_NOMATCH);
}
END_TEST

START_TEST(a_machine_that_was_tuned_is_left_at_that) {
  if (_i == 0) in_process(process_that_learns);
  in_process(process_that_tunes);
  if (_i == 1) in_process(process_that_learns);
  ck_assert_double_eq(fg_calibration_get()->rate_two, 1e9);
  ck_assert_double_eq(fg_calibration_get()->seen_cache, 1);
  ck_assert_ptr_nonnull(strstr(fg_calibration_source(), "/calibration-"));
}
END_TEST

START_TEST(steady_decides_alike_in_every_run) {
  in_process(process_that_learns);
  setenv("FFTW3_GPU", "steady", 1);
  ck_assert_double_eq(fg_calibration_get()->seen_cache, 1);
}
END_TEST

int main(void) {
  Suite *s = suite_create("learn");
  TCase *estimates = tcase_create("estimates"), *kept = tcase_create("kept");
  tcase_add_test(estimates, nothing_is_learned_from_nothing);
  tcase_add_loop_test(estimates, the_host_in_cache_and_past_it, 0, 5);
  tcase_add_loop_test(estimates, the_gpu_by_memory, 0, 2);
  tcase_add_loop_test(estimates, double_precision_shares_what_bytes_decide, 0, 5);
  tcase_add_test(estimates, the_median_counts);
  tcase_add_loop_test(estimates, what_is_too_little_is_not_kept, 0, 4);
  tcase_add_test(estimates, corrections_have_bounds);
  tcase_add_test(estimates, estimates_converge);
  tcase_add_test(estimates, starting_and_planning);
  tcase_add_loop_test(estimates, processes_teach_nothing_of_the_device, 0, 2);
  tcase_add_checked_fixture(kept, make_folder, remove_folder);
  tcase_add_test(kept, the_next_process_has_it);
  tcase_add_test(kept, a_child_keeps_nothing);
  tcase_add_loop_test(kept, a_machine_that_was_tuned_is_left_at_that, 0, 2);
  tcase_add_test(kept, steady_decides_alike_in_every_run);
  suite_add_tcase(s, estimates);
  suite_add_tcase(s, kept);
  return test_run_suite(s);
}
