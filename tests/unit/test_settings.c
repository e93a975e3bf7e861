/* test_settings.c: each setting with good and bad values.  Settings are read once in a process: a child for each. */
#define _GNU_SOURCE
#include <check.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/report/settings.h"
#include "src/report/standard_error.h"
#include "tests/unit/suite.h"

/* What a child saw: each setting as "name=value\n", and what it wrote to stderr. */
typedef struct {
  char shown[2048], complaints[2048];
} outcome;

static void slurp(FILE *f, char *text, size_t size) {
  rewind(f);
  text[fread(text, 1, size - 1, f)] = 0;
  fclose(f);
}

static void show_all(FILE *f) {
  const fg_settings *s = fg_settings_get();
  for (const fg_setting *t = fg_setting_table; t->name; t++) {
    char value[512];
    t->show(s, value, sizeof value);
    fprintf(f, "%s=%s\n", t->name, value);
  }
  fflush(f);
}

/* With the variables of "NAME=value" texts up to a NULL. */
static outcome in_child(const char *folder, char *const *environment) {
  outcome o;
  FILE *shown = tmpfile(), *complaints = tmpfile();
  ck_assert(shown && complaints);
  pid_t pid = fork();
  if (!pid) {
    dup2(fileno(complaints), STDERR_FILENO);
    fg_standard_error_begin();
    clearenv();
    for (char *const *e = environment; *e; e++)
      putenv(*e);
    if (folder && chdir(folder)) _exit(3);
    show_all(shown);
    _exit(0);
  }
  int status;
  ck_assert_int_eq(waitpid(pid, &status, 0), pid);
  ck_assert_int_eq(status, 0);
  slurp(shown, o.shown, sizeof o.shown);
  slurp(complaints, o.complaints, sizeof o.complaints);
  return o;
}

static outcome with(const char *name, const char *value) {
  char variable[6000];
  snprintf(variable, sizeof variable, "%s=%s", name, value);
  return in_child("/", (char *[]){variable, NULL});
}

static void expect_shown(const outcome *o, const char *name, const char *value) {
  char line[600];
  snprintf(line, sizeof line, "%s=%s\n", name, value);
  ck_assert_msg(strstr(o->shown, line) != NULL, "no \"%s=%s\" in\n%s", name, value, o->shown);
}

static const char *const defaults[][2] = {
    {"FFTW3_GPU", "auto"},     {"FFTW3_GPU_BACKEND", "cuda"}, {"FFTW3_GPU_CACHE", ""},  {"FFTW3_GPU_LOG", "none"},
    {"FFTW3_GPU_LOG_FILE", ""}, {"FFTW3_GPU_REPORT", ""},      {"FFTW3_GPU_TRACE", ""},   {"FFTW3_GPU_VERIFY", ""},
    {"FFTW3_GPU_COPY_THREADS", ""}, {"FFTW3_GPU_PIN", "own"},
    {"FFTW3_GPU_DEVICE", ""}, {"FFTW3_GPU_DOUBLE", ""}, {"FFTW3_GPU_MEMORY", ""}, {"FFTW3_GPU_NVRTC", ""},
};
enum { SETTINGS = sizeof defaults / sizeof defaults[0] };

static void expect_defaults_except(const outcome *o, const char *name) {
  for (int i = 0; i < SETTINGS; i++)
    if (strcmp(defaults[i][0], name)) expect_shown(o, defaults[i][0], defaults[i][1]);
}

START_TEST(nothing_set_means_defaults_and_silence) {
  outcome o = in_child(NULL, (char *[]){NULL});
  expect_defaults_except(&o, "");
  ck_assert_str_eq(o.complaints, "");
}
END_TEST

START_TEST(every_setting_is_tested) {
  int count = 0;
  while (fg_setting_table[count].name) count++;
  ck_assert_int_eq(count, SETTINGS);
}
END_TEST

START_TEST(an_empty_value_is_as_good_as_none) {
  outcome o = with(defaults[_i][0], "");
  expect_defaults_except(&o, "");
  ck_assert_str_eq(o.complaints, "");
}
END_TEST

static const char *const good[][3] = {
    {"FFTW3_GPU", "auto", "auto"},
    {"FFTW3_GPU", "off", "off"},
    {"FFTW3_GPU", "force", "force"},
    {"FFTW3_GPU_BACKEND", "cuda", "cuda"},
    {"FFTW3_GPU_BACKEND", "sim", "sim"},
    {"FFTW3_GPU_CACHE", "/usr", "/usr"},
    {"FFTW3_GPU_CACHE", "not/yet", "//not/yet"},
    {"FFTW3_GPU_LOG", "error", "error"},
    {"FFTW3_GPU_LOG", "warn", "warn"},
    {"FFTW3_GPU_LOG", "info", "info"},
    {"FFTW3_GPU_LOG", "debug", "debug"},
    {"FFTW3_GPU_REPORT", "-", "-"},
    {"FFTW3_GPU_REPORT", "/nowhere/report", "/nowhere/report"},
    {"FFTW3_GPU_VERIFY", "1e-5", "1e-05"},
    {"FFTW3_GPU_VERIFY", "0.25", "0.25"},
    {"FFTW3_GPU_VERIFY", "0", ""},
    {"FFTW3_GPU_VERIFY", "auto", "auto"},
    {"FFTW3_GPU_DOUBLE", "host", "host"},
    {"FFTW3_GPU_DOUBLE", "single", "single"},
    {"FFTW3_GPU_DOUBLE", "double", "double"},
    {"FFTW3_GPU_COPY_THREADS", "3", "3"},
    {"FFTW3_GPU_DEVICE", "0", "0"},
    {"FFTW3_GPU_DEVICE", "12", "12"},
    {"FFTW3_GPU_MEMORY", "1000", "1000"},
    {"FFTW3_GPU_MEMORY", "3K", "3072"},
    {"FFTW3_GPU_MEMORY", "2G", "2147483648"},
    {"FFTW3_GPU_MEMORY", "50%", "50%"},
    {"FFTW3_GPU_NVRTC", "libnvrtc.so.12", "libnvrtc.so.12"},
    {"FFTW3_GPU_NVRTC", "./rtc.so", "//./rtc.so"},
    {"FFTW3_GPU_TRACE", "/nowhere/trace-%p", "/nowhere/trace-%p"},
    {"FFTW3_GPU", "steady", "steady"},
    {"FFTW3_GPU_PIN", "never", "never"},
    {"FFTW3_GPU_PIN", "own", "own"},
    {"FFTW3_GPU_PIN", "register", "register"},
};

START_TEST(a_good_value_is_taken) {
  outcome o = with(good[_i][0], good[_i][1]);
  expect_shown(&o, good[_i][0], good[_i][2]);
  expect_defaults_except(&o, good[_i][0]);
  ck_assert_str_eq(o.complaints, "");
}
END_TEST

static char too_long[5000];

static const char *const bad[][2] = {
    {"FFTW3_GPU", "on"},         {"FFTW3_GPU", "Force"},          {"FFTW3_GPU", "auto "},
    {"FFTW3_GPU_BACKEND", "hip"}, {"FFTW3_GPU_CACHE", "/dev/null"}, {"FFTW3_GPU_CACHE", too_long},
    {"FFTW3_GPU_LOG", "none"},   {"FFTW3_GPU_LOG", "2"},          {"FFTW3_GPU_LOG_FILE", "/usr"},
    {"FFTW3_GPU_REPORT", "/usr"}, {"FFTW3_GPU_VERIFY", "-1"},      {"FFTW3_GPU_VERIFY", "1e-5x"},
    {"FFTW3_GPU_VERIFY", "nan"}, {"FFTW3_GPU_VERIFY", "inf"},     {"FFTW3_GPU_VERIFY", "yes"},
    {"FFTW3_GPU_COPY_THREADS", "0"}, {"FFTW3_GPU_COPY_THREADS", "65"}, {"FFTW3_GPU_COPY_THREADS", "4x"},
    {"FFTW3_GPU_PIN", "all"},        {"FFTW3_GPU_NVRTC", "/usr"},    {"FFTW3_GPU_TRACE", "/usr"},
    {"FFTW3_GPU_DOUBLE", "float"}, {"FFTW3_GPU_DOUBLE", "auto"}, {"FFTW3_GPU_DEVICE", "-1"},    {"FFTW3_GPU_DEVICE", "0,1"},
    {"FFTW3_GPU_MEMORY", "0"},     {"FFTW3_GPU_MEMORY", "101%"},  {"FFTW3_GPU_MEMORY", "2GB"},
    {"FFTW3_GPU_MEMORY", "99999999T"}, {"FFTW3_GPU_MEMORY", "99999999999999999999"}, {"FFTW3_GPU_MEMORY", "all"},
};

static const char *takes(const char *name) {
  for (const fg_setting *s = fg_setting_table; s->name; s++)
    if (!strcmp(s->name, name)) return s->takes;
  return NULL;
}

START_TEST(a_bad_value_is_one_message_and_the_default_stands) {
  memset(too_long, 'x', sizeof too_long - 1);
  outcome o = with(bad[_i][0], bad[_i][1]);
  expect_defaults_except(&o, "");
  char named[64], taken[64];
  snprintf(named, sizeof named, " %s=", bad[_i][0]);
  snprintf(taken, sizeof taken, "it takes %s;", takes(bad[_i][0]));
  ck_assert_msg(strstr(o.complaints, named) && strstr(o.complaints, taken), "%s", o.complaints);
  const char *line_end = strchr(o.complaints, '\n');
  ck_assert_msg(line_end && !line_end[1], "not one line: %s", o.complaints);
}
END_TEST

START_TEST(a_log_file_alone_means_level_info) {
  outcome o = with("FFTW3_GPU_LOG_FILE", "/nowhere/log");
  expect_shown(&o, "FFTW3_GPU_LOG_FILE", "/nowhere/log");
  expect_shown(&o, "FFTW3_GPU_LOG", "info");
}
END_TEST

START_TEST(a_log_file_with_a_level_keeps_the_level) {
  outcome o = in_child(NULL, (char *[]){"FFTW3_GPU_LOG_FILE=/nowhere/log", "FFTW3_GPU_LOG=error", NULL});
  expect_shown(&o, "FFTW3_GPU_LOG", "error");
}
END_TEST

START_TEST(relative_paths_become_absolute) {
  outcome o = in_child("/usr", (char *[]){"FFTW3_GPU_REPORT=r.txt", "FFTW3_GPU_LOG_FILE=l.txt", NULL});
  expect_shown(&o, "FFTW3_GPU_REPORT", "/usr/r.txt");
  expect_shown(&o, "FFTW3_GPU_LOG_FILE", "/usr/l.txt");
}
END_TEST

START_TEST(bad_values_are_told_each) {
  outcome o = in_child(NULL, (char *[]){"FFTW3_GPU=x", "FFTW3_GPU_LOG=y", "FFTW3_GPU_BACKEND=sim", NULL});
  ck_assert_ptr_nonnull(strstr(o.complaints, "FFTW3_GPU=x"));
  ck_assert_ptr_nonnull(strstr(o.complaints, "FFTW3_GPU_LOG=y"));
  expect_shown(&o, "FFTW3_GPU_BACKEND", "sim");
}
END_TEST

/* A variable of the environment, and what the one line about it ends with; NULL: there is none. */
static const char *const names[][2] = {
    {"FFTW3_GPU_LOGS", "is FFTW3_GPU_LOG meant?\n"},        {"FFTW3_GPU_REPROT", "is FFTW3_GPU_REPORT meant?\n"},
    {"FFTW3_GPU_BACKENDS", "is FFTW3_GPU_BACKEND meant?\n"}, {"FFTW_GPU_REPORT", "is FFTW3_GPU_REPORT meant?\n"},
    {"FFTW3_GPU_MODE", "names them\n"},                     {"FFTW3_GPU_NO_NAME_OF_A_SETTING_IS_AS_LONG_AS_THIS_ONE",
                                                             "names them\n"},
    {"FFTW3_GPU_ROOT", NULL}, {"FFTW3_GPU_SIM_FAIL", NULL}, {"FFTW3_GPU_CXX", NULL}, {"FFTW_GPU", NULL},
    {"FFTW_GPU_BIN", NULL}, {"FFTW3_GPUS", NULL}, {"FFTW_HOME", NULL}, {"FFTW", NULL}, {"MY_FFTW3_GPU_LOGS", NULL},
};

START_TEST(a_name_that_is_none_is_told_of_with_the_nearest) {
  const outcome o = with(names[_i][0], "1");
  expect_defaults_except(&o, "");
  if (!names[_i][1]) {
    ck_assert_str_eq(o.complaints, "");
    return;
  }
  const char *const line_end = strchr(o.complaints, '\n');
  ck_assert_msg(line_end && !line_end[1], "not one line: %s", o.complaints);
  ck_assert_ptr_nonnull(strstr(o.complaints, names[_i][0]));
  ck_assert_str_eq(o.complaints + strlen(o.complaints) - strlen(names[_i][1]), names[_i][1]);
}
END_TEST

static void *get(void *unused) { return (void)unused, (void *)fg_settings_get(); }

START_TEST(threads_that_ask_at_once_get_one_answer) {
  enum { THREADS = 8 };
  setenv("FFTW3_GPU_VERIFY", "0.5", 1);
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++)
    ck_assert_int_eq(pthread_create(&threads[i], NULL, get, NULL), 0);
  for (int i = 0; i < THREADS; i++) {
    void *settings;
    pthread_join(threads[i], &settings);
    ck_assert_ptr_eq(settings, fg_settings_get());
  }
  ck_assert_double_eq(fg_settings_get()->verify, 0.5);
}
END_TEST

#define COUNT(table) (int)(sizeof(table) / sizeof *(table))

int main(void) {
  TCase *tc = tcase_create("settings");
  tcase_add_test(tc, nothing_set_means_defaults_and_silence);
  tcase_add_test(tc, every_setting_is_tested);
  tcase_add_loop_test(tc, an_empty_value_is_as_good_as_none, 0, SETTINGS);
  tcase_add_loop_test(tc, a_good_value_is_taken, 0, COUNT(good));
  tcase_add_loop_test(tc, a_bad_value_is_one_message_and_the_default_stands, 0, COUNT(bad));
  tcase_add_test(tc, a_log_file_alone_means_level_info);
  tcase_add_test(tc, a_log_file_with_a_level_keeps_the_level);
  tcase_add_test(tc, relative_paths_become_absolute);
  tcase_add_test(tc, bad_values_are_told_each);
  tcase_add_loop_test(tc, a_name_that_is_none_is_told_of_with_the_nearest, 0, COUNT(names));
  tcase_add_test(tc, threads_that_ask_at_once_get_one_answer);
  return test_run(tc, "settings");
}
