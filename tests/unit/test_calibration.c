/* test_calibration.c: coefficients as text, the file, whose it is, and what is done with a bad one. */
#include <check.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/cost/calibration.h"
#include "src/report/standard_error.h"
#include "suite.h"
#include "told.h"

static char folder[] = "/tmp/fftw3-gpu-test-calibration-XXXXXX";

static fg_calibration another(void) {
  fg_calibration c = fg_calibration_defaults;
  c.rate_two = 12.5e9;
  c.start = 0.75;
  c.link = 24e9;
  return c;
}

static bool close_to(double a, double b) { return a > b * (1 - 1e-5) && a < b * (1 + 1e-5); }

static double value(const fg_calibration *c, const fg_coefficient *k) {
  return *(const double *)((const char *)c + k->offset);
}

static bool same(const fg_calibration *a, const fg_calibration *b) {
  for (const fg_coefficient *k = fg_coefficients; k->name; k++)
    if (!close_to(value(a, k), value(b, k))) return false;
  return true;
}

static char *text_of(const fg_calibration *c, const fg_machine *m) {
  char *text = NULL;
  size_t size;
  FILE *f = open_memstream(&text, &size);
  fg_calibration_print(f, c, m);
  fclose(f);
  return text;
}

START_TEST(every_coefficient_is_in_the_table_once) {
  size_t count = 0;
  for (const fg_coefficient *k = fg_coefficients; k->name; k++) {
    ck_assert_uint_eq(k->offset, count * sizeof(double));
    count++;
  }
  ck_assert_uint_eq(count * sizeof(double), sizeof(fg_calibration));
}
END_TEST

/* Also under a locale with another decimal point, where there is one. */
START_TEST(text_brings_it_back) {
  setlocale(LC_ALL, "de_DE.UTF-8");
  const fg_calibration c = another();
  const fg_machine m = {"node 7", "a processor", "a device"};
  fg_calibration back;
  fg_machine of;
  char *text = text_of(&c, &m);
  ck_assert(fg_calibration_parse(text, &back, &of));
  ck_assert(same(&c, &back));
  ck_assert_str_eq(of.host, m.host);
  ck_assert_str_eq(of.cpu, m.cpu);
  ck_assert_str_eq(of.device, m.device);
  free(text);
}
END_TEST

static void put_in_place_of(char *text, const char *from, const char *to) {
  char *at = strstr(text, from);
  ck_assert_ptr_nonnull(at);
  memcpy(at, to, strlen(to));
}

/* Cut anywhere, or with any line changed into nonsense, it is refused as a whole. */
START_TEST(damage_is_noticed) {
  const fg_calibration c = another();
  const fg_machine m = {"a", "b", "c"};
  fg_calibration back = fg_calibration_defaults;
  fg_machine of;
  char *text = text_of(&c, &m);
  for (size_t length = strlen(text); length-- > 0;) {
    const char kept = text[length];
    text[length] = '\0';
    ck_assert(!fg_calibration_parse(text, &back, &of));
    text[length] = kept;
  }
  static const struct {
    const char *from, *to;
  } damage[] = {{"link   ", "knil   "}, {"GB/s", "GBps"}, {"750", "-50"}, {"12.5", "nan "}};
  for (int i = 0; i < TEST_COUNT(damage); i++) {
    char *const damaged = strdup(text);
    put_in_place_of(damaged, damage[i].from, damage[i].to);
    ck_assert(!fg_calibration_parse(damaged, &back, &of));
    free(damaged);
  }
  ck_assert(same(&back, &fg_calibration_defaults));
  ck_assert(fg_calibration_parse(text, &back, &of));
  free(text);
}
END_TEST

/* A file that was written before anything could be learned. */
START_TEST(what_is_learned_may_be_missing) {
  const fg_calibration c = another();
  const fg_machine m = {"a", "b", "c"};
  fg_calibration back;
  fg_machine of;
  char *const whole = text_of(&c, &m), *const text = strdup(whole);
  free(whole);
  put_in_place_of(text, "\nseen_cache", "\nend\n");
  *(strstr(text, "\nend\n") + strlen("\nend\n")) = '\0';
  ck_assert(fg_calibration_parse(text, &back, &of));
  ck_assert(same(&back, &c));
  free(text);
}
END_TEST

static void save_for(const char *host, const char *cpu, const char *device, const fg_calibration *c) {
  fg_machine m;
  char *path;
  fg_calibration_machine(&m);
  if (cpu) snprintf(m.cpu, sizeof m.cpu, "%s", cpu);
  if (device) snprintf(m.device, sizeof m.device, "%s", device);
  ck_assert_ptr_null(fg_calibration_save(c, &m, &path));
  if (!host) {
    free(path);
    return;
  }
  /* A file that came from another machine under this one's name. */
  snprintf(m.host, sizeof m.host, "%s", host);
  char *text = text_of(c, &m);
  FILE *f = fopen(path, "w");
  ck_assert(f && fputs(text, f) >= 0 && fclose(f) == 0);
  free(text);
  free(path);
}

START_TEST(the_file_is_read_back) {
  const fg_calibration c = another();
  save_for(NULL, NULL, "a device", &c);
  ck_assert(same(fg_calibration_get(), &c));
  ck_assert_ptr_nonnull(strstr(fg_calibration_source(), folder));
  fg_calibration_device("a device");
  ck_assert(same(fg_calibration_get(), &c));
}
END_TEST

/* The host's figures are still believed. */
START_TEST(another_device_has_the_defaults) {
  const fg_calibration c = another();
  save_for(NULL, NULL, "a device", &c);
  ck_assert(same(fg_calibration_get(), &c));
  fg_calibration_device("another device");
  ck_assert(close_to(fg_calibration_get()->rate_two, c.rate_two));
  ck_assert(close_to(fg_calibration_get()->start, fg_calibration_defaults.start));
  ck_assert(close_to(fg_calibration_get()->link, fg_calibration_defaults.link));
}
END_TEST

START_TEST(another_machine_is_not_believed) {
  const fg_calibration c = another();
  save_for(_i ? NULL : "elsewhere", _i ? "another processor" : NULL, NULL, &c);
  ck_assert(same(fg_calibration_get(), &fg_calibration_defaults));
  ck_assert_int_eq(test_log_lines("warn"), 1);
  ck_assert(test_log_says("of another machine"));
}
END_TEST

static void read_damaged(void *unused) {
  (void)unused;
  fg_standard_error_begin(); /* what is stderr now is what it began with */
  ck_assert(same(fg_calibration_get(), &fg_calibration_defaults));
  ck_assert(same(fg_calibration_get(), &fg_calibration_defaults));
}

START_TEST(a_damaged_file_is_told_once) {
  const fg_calibration c = another();
  fg_machine m;
  char *path;
  char told[1000];
  fg_calibration_machine(&m);
  ck_assert_ptr_null(fg_calibration_save(&c, &m, &path));
  ck_assert_int_eq(truncate(path, 100), 0);
  ck_assert_int_eq(test_in_child(read_damaged, NULL, told, sizeof told), 0);
  char *message = strstr(told, "damaged");
  ck_assert_msg(message != NULL, "%s", told);
  ck_assert_ptr_nonnull(strstr(told, path));
  ck_assert_ptr_null(strstr(message + 1, "damaged"));
  free(path);
}
END_TEST

START_TEST(without_a_file_the_defaults_stand_in_silence) {
  ck_assert(same(fg_calibration_get(), &fg_calibration_defaults));
  ck_assert_str_eq(fg_calibration_source(), "defaults");
  ck_assert_int_eq(test_log_lines("warn") + test_log_lines("error"), 0);
}
END_TEST

START_TEST(without_a_folder_saving_says_so) {
  char *path;
  fg_machine m;
  unsetenv("FFTW3_GPU_CACHE");
  unsetenv("XDG_CACHE_HOME");
  unsetenv("HOME");
  fg_calibration_machine(&m);
  const char *why = fg_calibration_save(&fg_calibration_defaults, &m, &path);
  ck_assert(why && !path && strstr(why, "FFTW3_GPU_CACHE"));
}
END_TEST

START_TEST(a_folder_that_cannot_be_written_is_told) {
  char *path;
  fg_machine m;
  setenv("FFTW3_GPU_CACHE", "/proc/no/such", 1);
  fg_calibration_machine(&m);
  ck_assert_ptr_nonnull(fg_calibration_save(&fg_calibration_defaults, &m, &path));
  free(path);
}
END_TEST

static int empty_folder(void) {
  char command[128];
  snprintf(command, sizeof command, "rm -rf %s/*", folder);
  return system(command);
}

static void clean(void) {
  test_log_clear();
  ck_assert_int_eq(empty_folder(), 0);
}

int main(void) {
  test_log_to_file();
  if (!mkdtemp(folder)) return EXIT_FAILURE;
  setenv("FFTW3_GPU_CACHE", folder, 1);
  TCase *tc = tcase_create("calibration");
  tcase_add_checked_fixture(tc, clean, NULL);
  tcase_add_test(tc, every_coefficient_is_in_the_table_once);
  tcase_add_test(tc, text_brings_it_back);
  tcase_add_test(tc, damage_is_noticed);
  tcase_add_test(tc, what_is_learned_may_be_missing);
  tcase_add_test(tc, the_file_is_read_back);
  tcase_add_test(tc, another_device_has_the_defaults);
  tcase_add_loop_test(tc, another_machine_is_not_believed, 0, 2);
  tcase_add_test(tc, a_damaged_file_is_told_once);
  tcase_add_test(tc, without_a_file_the_defaults_stand_in_silence);
  tcase_add_test(tc, without_a_folder_saving_says_so);
  tcase_add_test(tc, a_folder_that_cannot_be_written_is_told);
  const int status = test_run(tc, "calibration");
  if (empty_folder()) return EXIT_FAILURE;
  rmdir(folder);
  test_log_remove();
  return status;
}
