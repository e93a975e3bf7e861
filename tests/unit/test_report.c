/* test_report.c: the report at exit and the log.  Each case is a child process with its own settings, whose files the
 * parent reads. */
#define _GNU_SOURCE
#include <check.h>
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/problem/notation.h"
#include "src/report/log.h"
#include "src/report/process_path.h"
#include "src/report/report.h"
#include "src/report/standard_error.h"
#include "tests/unit/suite.h"

static char file[64], text[65536]; /* a fresh file, and what is in it */

static void fresh_file(void) {
  strcpy(file, "/tmp/fg-report-XXXXXX");
  int fd = mkstemp(file);
  ck_assert_int_ge(fd, 0);
  close(fd);
}

static void remove_file(void) { unlink(file); }

static const char *content(void) {
  FILE *f = fopen(file, "r");
  ck_assert_ptr_nonnull(f);
  text[fread(text, 1, sizeof text - 1, f)] = 0;
  fclose(f);
  return text;
}

/* Run body in a child that exits normally, with stderr in the file if to_stderr; returns its wait status. */
static int run(const char *setting, const char *value, bool to_stderr, void (*body)(void)) {
  fflush(NULL);
  pid_t pid = fork();
  if (!pid) {
    if (to_stderr && !freopen(file, "a", stderr)) _exit(3);
    fg_standard_error_begin();
    if (setting) setenv(setting, value, 1);
    body();
    exit(0);
  }
  int status;
  ck_assert_int_eq(waitpid(pid, &status, 0), pid);
  return status;
}

static fg_report_row *plan(const char *problem, const char *where, const char *reason, const char *passes) {
  char why[100];
  fg_problem *p = fg_notation_parse(problem, FG_SINGLE, why, sizeof why);
  fg_report_row *row = fg_report_plan(p, "single", where, reason, passes);
  fg_problem_free(p);
  return row;
}

/* Column name of the row of that problem, place and reason, or "(none)". */
static const char *cell(const char *problem, const char *where, const char *reason, const char *name) {
  static char copy[sizeof text], *columns[32];
  int count = 0;
  strcpy(copy, content());
  char *save_line, *save, *line = strtok_r(copy, "\n", &save_line);
  for (char *c = strtok_r(line, "\t", &save); c; c = strtok_r(NULL, "\t", &save))
    columns[count++] = c;
  while ((line = strtok_r(NULL, "\n", &save_line))) {
    char *cells[32] = {NULL};
    for (int i = 0; i < count; i++)
      cells[i] = strsep(&line, "\t");
    if (!cells[2] || strcmp(cells[0], problem) || strcmp(cells[1], where) || strcmp(cells[2], reason)) continue;
    for (int i = 0; i < count; i++)
      if (!strcmp(columns[i] + (columns[i][0] == '#'), name)) return cells[i];
  }
  return "(none)";
}

static int lines(const char *t) {
  int n = 0;
  for (; *t; t++)
    n += *t == '\n';
  return n;
}

static void two_plans_three_executions(void) {
  fg_report_row *a = plan("oc64", "sim", "forced", "X(64)");
  fg_report_row *b = plan("oc64", "sim", "forced", "X(64)");
  if (a != b) _exit(4);
  fg_report_planned(a, 0.5);
  fg_report_planned(b, 0.125);
  fg_report_planned(a, 0.25);
  fg_report_execute(a, 0.25, NULL, 1e-7);
  fg_report_execute(b, 0.5, "out of\tmemory", 3e-7);
  fg_report_execute(a, 0.125, NULL, -1);
  plan("oc64", "host", "too small", NULL);
}

static void expect(const char *where, const char *reason, const char *name, const char *value) {
  const char *found = cell("ocf64", where, reason, name);
  ck_assert_msg(!strcmp(found, value), "%s: \"%s\", not \"%s\"", name, found, value);
}

START_TEST(a_row_counts_plans_and_executions) {
  ck_assert_int_eq(run("FFTW3_GPU_REPORT", file, false, two_plans_three_executions), 0);
  ck_assert_int_eq(lines(content()), 3);
  static const char *const on_sim[][2] = {
      {"plans", "2"},          {"executes", "3"},      {"fallbacks", "1"},   {"seconds", "0.875000000"},
      {"best_seconds", "0.125000000"}, {"error", "3.000e-07"}, {"passes", "X(64)"}, {"precision", "single"},
      {"plan_cold", "0.500000"}, {"plan_warm", "0.125000"}};
  static const char *const on_host[][2] = {
      {"plans", "1"}, {"executes", "0"}, {"best_seconds", "-"}, {"error", "-"}, {"passes", "-"}, {"plan_cold", "-"}};
  for (int i = 0; i < 10; i++)
    expect("sim", "forced; fallback: out of memory", on_sim[i][0], on_sim[i][1]);
  expect("sim", "forced; fallback: out of memory", "program", program_invocation_short_name);
  for (int i = 0; i < 6; i++)
    expect("host", "too small", on_host[i][0], on_host[i][1]);
}
END_TEST

/* One problem, computed in three ways. */
static void one_problem_three_ways(void) {
  static const char *const ways[] = {"single", "double", "double as single"};
  char why[100];
  fg_problem *p = fg_notation_parse("oc64", FG_DOUBLE, why, sizeof why);
  for (int i = 0; i < 6; i++) fg_report_plan(p, ways[i / 2], "sim", "forced", "X(64)");
  fg_problem_free(p);
}

START_TEST(precisions_have_rows_of_their_own) {
  ck_assert_int_eq(run("FFTW3_GPU_REPORT", file, false, one_problem_three_ways), 0);
  ck_assert_int_eq(lines(content()), 4);
  ck_assert(strstr(content(), "\tsingle\t") && strstr(content(), "\tdouble\t"));
  ck_assert(strstr(content(), "\tdouble as single\t"));
}
END_TEST

static void nothing(void) {}

START_TEST(no_plan_no_report) {
  ck_assert_int_eq(run("FFTW3_GPU_REPORT", file, false, nothing), 0);
  ck_assert_str_eq(content(), "");
}
END_TEST

START_TEST(a_library_that_was_loaded_leaves_the_heading) {
  for (int i = 0; i < 2; i++) {
    ck_assert_int_eq(run("FFTW3_GPU_REPORT", file, false, fg_report_loaded), 0);
    ck_assert_int_eq(lines(content()), 1); /* once in a file */
    ck_assert_int_eq(strncmp(text, "#problem\twhere\t", 15), 0);
  }
}
END_TEST

static void loaded_then_forks(void) {
  fg_report_loaded();
  pid_t pid = fork();
  if (!pid) exit(0);
  waitpid(pid, NULL, 0);
}

START_TEST(a_forked_child_leaves_no_heading) {
  ck_assert_int_eq(run("FFTW3_GPU_REPORT", "-", true, loaded_then_forks), 0);
  ck_assert_int_eq(lines(content()), 1);
}
END_TEST

static void plans_twice(void) {
  plan("oc64", "sim", "forced", "X(64)");
  plan("oc65", "sim", "forced", "X(65)");
}

START_TEST(a_report_that_cannot_be_written_is_told_once) {
  ck_assert_int_eq(run("FFTW3_GPU_REPORT", "/nowhere/at/all", true, plans_twice), 0);
  ck_assert_str_eq(content(), "fftw3-gpu: error: FFTW3_GPU_REPORT=/nowhere/at/all: No such file or directory\n");
}
END_TEST

static void no_row(void) {
  if (fg_report_wanted() || plan("oc64", "sim", "forced", "X(64)")) _exit(4);
  fg_report_execute(NULL, 1, NULL, -1);
}

START_TEST(no_setting_no_row) { ck_assert_int_eq(run(NULL, NULL, true, no_row), 0); }
END_TEST

START_TEST(processes_append_under_one_header) {
  run("FFTW3_GPU_REPORT", file, false, two_plans_three_executions);
  run("FFTW3_GPU_REPORT", file, false, two_plans_three_executions);
  ck_assert_int_eq(lines(content()), 5);
  ck_assert_ptr_null(strstr(text + 1, "#problem"));
}
END_TEST

static void forks(int inherited_runs, void (*leave)(int)) {
  fg_report_row *row = plan("oc64", "sim", "forced", "X(64)");
  fg_report_execute(row, 0.5, NULL, -1);
  pid_t pid = fork();
  if (!pid) {
    for (int i = 0; i < inherited_runs; i++)
      fg_report_execute(row, 0.25, NULL, -1);
    leave(0);
  }
  waitpid(pid, NULL, 0);
  fg_report_execute(row, 0.5, NULL, -1);
}

static void fork_and_exit(void) { forks(3, exit); }
static void fork_and_do_nothing(void) { forks(0, exit); }
static void fork_and__exit(void) { forks(3, _exit); }

START_TEST(a_forked_child_reports_only_its_own) {
  run("FFTW3_GPU_REPORT", file, false, fork_and_exit);
  ck_assert_int_eq(lines(content()), 3);
  ck_assert_ptr_nonnull(strstr(text, "\t0\t3\t0\t0.750000000\t0.250000000\t")); /* the child's */
  ck_assert_ptr_nonnull(strstr(text, "\t1\t2\t0\t1.000000000\t0.500000000\t")); /* the parent's */
}
END_TEST

/* Each with a heading of its own. */
START_TEST(processes_have_files_of_their_own) {
  char pattern[sizeof file + 16];
  glob_t found;
  snprintf(pattern, sizeof pattern, "%s.%%p.t", file);
  run("FFTW3_GPU_REPORT", pattern, false, fork_and_exit);
  snprintf(pattern, sizeof pattern, "%s.[1-9]*.t", file);
  ck_assert_int_eq(glob(pattern, 0, NULL, &found), 0);
  ck_assert_uint_eq(found.gl_pathc, 2);
  for (size_t i = 0; i < found.gl_pathc; i++) {
    FILE *f = fopen(found.gl_pathv[i], "r");
    ck_assert_ptr_nonnull(f);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    ck_assert_int_eq(lines(text), 2);
    char number[32];
    snprintf(number, sizeof number, "\t%ld\t", strtol(found.gl_pathv[i] + strlen(file) + 1, NULL, 10));
    ck_assert_ptr_nonnull(strstr(text, number));
    unlink(found.gl_pathv[i]);
  }
  globfree(&found);
}
END_TEST

/* A %p of the folder is its name's, which may be that of the folder where the program runs. */
START_TEST(the_number_is_in_the_files_own_name) {
  char path[PATH_MAX], wanted[PATH_MAX];
  ck_assert(fg_process_path(path, "/50%pct/r.%p.%p", false));
  snprintf(wanted, sizeof wanted, "/50%%pct/r.%ld.%%p", (long)getpid());
  ck_assert_str_eq(path, wanted);
  ck_assert(fg_process_path(path, "/50%pct/r", false));
  ck_assert_str_eq(path, "/50%pct/r");
  ck_assert(fg_process_path(path, "r%p", true));
  snprintf(wanted, sizeof wanted, "r%ld", (long)getpid());
  ck_assert_str_eq(path, wanted);
}
END_TEST

START_TEST(a_child_without_transforms_or_exit_handlers_is_silent) {
  run("FFTW3_GPU_REPORT", file, false, fork_and_do_nothing);
  ck_assert_int_eq(lines(content()), 2);
  run("FFTW3_GPU_REPORT", file, false, fork_and__exit);
  ck_assert_int_eq(lines(content()), 3);
}
END_TEST

static void close_stderr(void) { fclose(stderr); }

static void closes_stderr_at_exit(void) {
  two_plans_three_executions();
  atexit(close_stderr);
}

START_TEST(stderr_closed_by_the_program_still_gets_the_report) {
  run("FFTW3_GPU_REPORT", "-", true, closes_stderr_at_exit);
  ck_assert_int_eq(lines(content()), 3);
}
END_TEST

static void reuses_stderr(void) {
  two_plans_three_executions();
  close(STDERR_FILENO);
  FILE *data = tmpfile(); /* takes the number of stderr */
  if (fileno(data) != STDERR_FILENO) _exit(4);
}

START_TEST(a_file_with_the_number_of_stderr_is_left_alone) {
  ck_assert_int_eq(run("FFTW3_GPU_REPORT", "-", true, reuses_stderr), 0);
  ck_assert_int_eq(lines(content()), 3);
}
END_TEST

static void no_number(void) {
  fg_report_row *row = plan("oc64", "sim", "forced", "X(64)");
  fg_report_execute(row, 0.5, NULL, NAN);
  fg_report_execute(row, 0.5, NULL, 1e-7);
}

START_TEST(a_result_that_is_no_number_is_the_worst) {
  run("FFTW3_GPU_REPORT", file, false, no_number);
  ck_assert_str_eq(cell("ocf64", "sim", "forced", "error"), "inf");
}
END_TEST

static void *execute_often(void *row) {
  for (int i = 0; i < 1000; i++)
    fg_report_execute(row, 0.001, NULL, -1);
  return NULL;
}

static void from_threads(void) {
  pthread_t threads[4];
  fg_report_row *row = plan("oc64", "sim", "forced", "X(64)");
  for (int i = 0; i < 4; i++)
    pthread_create(&threads[i], NULL, execute_often, row);
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], NULL);
}

START_TEST(threads_lose_no_execution) {
  run("FFTW3_GPU_REPORT", file, false, from_threads);
  ck_assert_str_eq(cell("ocf64", "sim", "forced", "executes"), "4000");
}
END_TEST

/* ---- log ---- */

static void logs(void) {
  fg_log(FG_LOG_ERROR, "first %d", 1);
  fg_log(FG_LOG_WARN, "second\nline");
  fg_log(FG_LOG_INFO, "third");
  fg_log(FG_LOG_DEBUG, "fourth");
}

START_TEST(the_log_tells_up_to_its_level) {
  run("FFTW3_GPU_LOG", "warn", true, logs);
  ck_assert_str_eq(content(), "fftw3-gpu: error: first 1\nfftw3-gpu: warn: second line\n");
}
END_TEST

START_TEST(no_log_is_asked_for_none_is_given) {
  run(NULL, NULL, true, logs);
  ck_assert_str_eq(content(), "");
}
END_TEST

START_TEST(a_log_file_is_appended_to) {
  run("FFTW3_GPU_LOG_FILE", file, false, logs);
  run("FFTW3_GPU_LOG_FILE", file, false, logs);
  ck_assert_int_eq(lines(content()), 6);
}
END_TEST

static void logs_long(void) {
  char long_text[3000];
  memset(long_text, 'x', sizeof long_text - 1);
  long_text[sizeof long_text - 1] = 0;
  fg_log(FG_LOG_ERROR, "%s", long_text);
}

START_TEST(a_long_line_is_cut_and_still_one_line) {
  run("FFTW3_GPU_LOG", "error", true, logs_long);
  ck_assert_int_eq(lines(content()), 1);
  size_t length = strlen(text);
  ck_assert_uint_eq(length, 1024);
  ck_assert_str_eq(text + length - 4, "...\n");
}
END_TEST

START_TEST(a_log_file_that_cannot_be_opened_is_told_once) {
  run("FFTW3_GPU_LOG_FILE", "/nowhere/at/all", true, logs);
  ck_assert_int_eq(lines(content()), 1);
  ck_assert_ptr_nonnull(strstr(text, "FFTW3_GPU_LOG_FILE=/nowhere/at/all"));
}
END_TEST

static void dies(void) { fg_die("lost %s", "data"); }

START_TEST(die_says_why_and_aborts) {
  int status = run(NULL, NULL, true, dies);
  ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
  ck_assert_str_eq(content(), "fftw3-gpu: fatal: lost data\n");
}
END_TEST

int main(void) {
  TCase *tc = tcase_create("report");
  tcase_add_checked_fixture(tc, fresh_file, remove_file);
  tcase_add_test(tc, a_row_counts_plans_and_executions);
  tcase_add_test(tc, precisions_have_rows_of_their_own);
  tcase_add_test(tc, no_plan_no_report);
  tcase_add_test(tc, a_library_that_was_loaded_leaves_the_heading);
  tcase_add_test(tc, a_forked_child_leaves_no_heading);
  tcase_add_test(tc, a_report_that_cannot_be_written_is_told_once);
  tcase_add_test(tc, no_setting_no_row);
  tcase_add_test(tc, processes_append_under_one_header);
  tcase_add_test(tc, a_forked_child_reports_only_its_own);
  tcase_add_test(tc, processes_have_files_of_their_own);
  tcase_add_test(tc, the_number_is_in_the_files_own_name);
  tcase_add_test(tc, a_child_without_transforms_or_exit_handlers_is_silent);
  tcase_add_test(tc, stderr_closed_by_the_program_still_gets_the_report);
  tcase_add_test(tc, a_file_with_the_number_of_stderr_is_left_alone);
  tcase_add_test(tc, a_result_that_is_no_number_is_the_worst);
  tcase_add_test(tc, threads_lose_no_execution);
  tcase_add_test(tc, the_log_tells_up_to_its_level);
  tcase_add_test(tc, no_log_is_asked_for_none_is_given);
  tcase_add_test(tc, a_log_file_is_appended_to);
  tcase_add_test(tc, a_long_line_is_cut_and_still_one_line);
  tcase_add_test(tc, a_log_file_that_cannot_be_opened_is_told_once);
  tcase_add_test(tc, die_says_why_and_aborts);
  return test_run(tc, "report");
}
