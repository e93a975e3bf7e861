/* test_store.c: what is put into the kernel store comes back, and nothing else ever does.
 *
 * The folder is decided once in a process, so every test runs in a process of its own (Check's fork mode). */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda/store.h"
#include "src/report/standard_error.h"
#include "suite.h"

#define SUFFIX ".cubin"
#define KEY "source tile.cu\n#define FG_N 64\n"
#define NOBODY 65534

static char folder[] = "/tmp/fg-test-store-XXXXXX"; /* parent of everything that a test makes */

static char *path_of(const char *key) {
  static char path[512];
  unsigned long long hash = fg_hash(0, key, strlen(key));
  snprintf(path, sizeof path, "%s/cache/fg-%016llx%s", folder, hash, SUFFIX);
  return path;
}

static void setup(void) {
  char cache[512];
  ck_assert_ptr_nonnull(mkdtemp(folder));
  snprintf(cache, sizeof cache, "%s/cache", folder);
  setenv("FFTW3_GPU_CACHE", cache, 1);
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *where) {
  (void)status, (void)kind, (void)where;
  return remove(path);
}

static void teardown(void) { nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS); }

/* 0 if key is in the store with exactly this blob, -1 if it is not found; anything else fails the test. */
static int get(const char *key, const void *blob, size_t bytes) {
  void *found = NULL;
  size_t found_bytes = 0;
  if (fg_store_get(key, SUFFIX, &found, &found_bytes)) return -1;
  ck_assert_uint_eq(found_bytes, bytes);
  ck_assert_int_eq(memcmp(found, blob, bytes), 0);
  free(found);
  return 0;
}

static int files_in(const char *path) {
  DIR *d = opendir(path);
  int count = 0;
  ck_assert_ptr_nonnull(d);
  while (readdir(d)) ++count;
  closedir(d);
  return count - 2;
}

static int files_in_cache(void) { return files_in(fg_store_folder()); }

static void replace_file(const char *path, const void *data, size_t bytes) {
  FILE *f = fopen(path, "wb");
  ck_assert_ptr_nonnull(f);
  ck_assert_uint_eq(fwrite(data, 1, bytes, f), bytes);
  fclose(f);
}

static size_t read_file(const char *path, char *data, size_t room) {
  FILE *f = fopen(path, "rb");
  size_t bytes;
  ck_assert_ptr_nonnull(f);
  bytes = fread(data, 1, room, f);
  fclose(f);
  return bytes;
}

/* ---- the hash ---- */

START_TEST(hash_is_fnv_1a) { /* published test vectors of FNV-1a, 64 bits */
  ck_assert(fg_hash(0, "", 0) == UINT64_C(0xcbf29ce484222325));
  ck_assert(fg_hash(0, "a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
  ck_assert(fg_hash(0, "foobar", 6) == UINT64_C(0x85944171f73967e8));
  ck_assert(fg_hash(fg_hash(0, "foo", 3), "bar", 3) == UINT64_C(0x85944171f73967e8));
  ck_assert(fg_store_sources_hash() != fg_hash(0, "", 0));
}
END_TEST

/* ---- what goes in comes out ---- */

START_TEST(round_trip) {
  char blob[5000];
  for (size_t i = 0; i < sizeof blob; ++i) blob[i] = (char)(i * 7);
  ck_assert_int_eq(get(KEY, blob, sizeof blob), -1);
  fg_store_put(KEY, SUFFIX, blob, sizeof blob);
  ck_assert_int_eq(get(KEY, blob, sizeof blob), 0);
  fg_store_put(KEY, SUFFIX, "new", 3);
  ck_assert_int_eq(get(KEY, "new", 3), 0);
  ck_assert_int_eq(files_in_cache(), 1);
}
END_TEST

START_TEST(other_keys_and_suffixes_are_not_found) {
  void *blob;
  size_t bytes;
  fg_store_put(KEY, SUFFIX, "blob", 4);
  ck_assert_int_eq(get("source tile.cu\n#define FG_N 65\n", "blob", 4), -1);
  ck_assert_int_eq(fg_store_get(KEY, ".so", &blob, &bytes), -1);
}
END_TEST

START_TEST(folders_are_private) {
  struct stat status;
  fg_store_put(KEY, SUFFIX, "blob", 4);
  ck_assert_int_eq(stat(fg_store_folder(), &status), 0);
  ck_assert_int_eq(status.st_mode & 0777, 0700);
  ck_assert_int_eq(stat(path_of(KEY), &status), 0);
  ck_assert_int_eq(status.st_mode & 077, 0);
}
END_TEST

START_TEST(errno_is_kept) {
  errno = 1234;
  fg_store_put(KEY, SUFFIX, "blob", 4);
  get("absent", "", 0);
  ck_assert_int_eq(errno, 1234);
}
END_TEST

/* ---- damage ---- */

START_TEST(any_changed_byte_is_noticed) {
  char file[512];
  size_t bytes;
  fg_store_put(KEY, SUFFIX, "a blob of some bytes", 20);
  bytes = read_file(path_of(KEY), file, sizeof file);
  ck_assert_uint_gt(bytes, 20 + strlen(KEY));
  for (size_t i = 0; i < bytes; ++i) {
    file[i] ^= 0x20;
    replace_file(path_of(KEY), file, bytes);
    ck_assert_msg(get(KEY, "", 0) == -1, "byte %zu", i);
    file[i] ^= 0x20;
  }
  replace_file(path_of(KEY), file, bytes);
  ck_assert_int_eq(get(KEY, "a blob of some bytes", 20), 0);
}
END_TEST

START_TEST(any_other_length_is_noticed) {
  char file[512] = {0};
  size_t bytes;
  fg_store_put(KEY, SUFFIX, "a blob of some bytes", 20);
  bytes = read_file(path_of(KEY), file, sizeof file);
  for (size_t length = 0; length < bytes + 9; ++length) {
    replace_file(path_of(KEY), file, length);
    ck_assert_msg(get(KEY, "a blob of some bytes", 20) == (length == bytes ? 0 : -1), "length %zu", length);
  }
}
END_TEST

/* Longer or shorter; as long. */
START_TEST(another_key_under_the_same_name) {
  static const char key[] = KEY;
  char alike[sizeof key], path[512];
  memcpy(alike, key, sizeof key);
  alike[0] ^= 1;
  const char *const others[] = {"other key", alike};
  for (int i = 0; i < TEST_COUNT(others); i++) {
    fg_store_put(others[i], SUFFIX, "blob", 4);
    snprintf(path, sizeof path, "%s", path_of(others[i]));
    ck_assert_int_eq(rename(path, path_of(KEY)), 0);
    ck_assert_int_eq(get(KEY, "blob", 4), -1);
  }
}
END_TEST

/* Texts beside the kernels: as a whole or not at all. */
START_TEST(texts_are_kept_as_a_whole) {
  char path[512];
  ck_assert_ptr_null(fg_store_read("text"));
  ck_assert_int_eq(fg_store_write("text", "first", 5), 0);
  ck_assert_int_eq(fg_store_write("text", "second", 6), 0);
  char *text = fg_store_read("text");
  ck_assert_str_eq(text, "second");
  free(text);
  ck_assert_int_eq(files_in_cache(), 1);
  snprintf(path, sizeof path, "%s/in the way", fg_store_folder());
  ck_assert_int_eq(mkdir(path, 0700), 0);
  ck_assert_int_ne(fg_store_write("in the way", "third", 5), 0);
  ck_assert_ptr_null(fg_store_read("in the way"));
  ck_assert_int_eq(files_in_cache(), 2);
}
END_TEST

START_TEST(what_others_can_write_is_not_run) {
  fg_store_put(KEY, SUFFIX, "blob", 4);
  ck_assert_int_eq(chmod(path_of(KEY), 0620), 0);
  ck_assert_int_eq(get(KEY, "blob", 4), -1);
  ck_assert_int_eq(chmod(path_of(KEY), 0644), 0);
  ck_assert_int_eq(get(KEY, "blob", 4), 0);
}
END_TEST

START_TEST(not_a_file) {
  fg_store_put("other key", SUFFIX, "blob", 4);
  ck_assert_int_eq(mkfifo(path_of(KEY), 0600), 0);
  ck_assert_int_eq(get(KEY, "blob", 4), -1);
}
END_TEST

/* ---- folders that cannot be written ---- */

START_TEST(read_only_folder_is_still_read) {
  fg_store_put(KEY, SUFFIX, "blob", 4);
  if (geteuid() == 0) { /* root may write anywhere */
    ck_assert_int_eq(chown(path_of(KEY), NOBODY, NOBODY), 0);
    ck_assert_int_eq(chown(fg_store_folder(), NOBODY, NOBODY), 0);
    ck_assert_int_eq(chmod(folder, 0755), 0);
    ck_assert_int_eq(seteuid(NOBODY), 0);
  }
  ck_assert_int_eq(chmod(fg_store_folder(), 0500), 0);
  fg_store_put("other key", SUFFIX, "blob", 4);
  ck_assert_int_eq(get("other key", "blob", 4), -1);
  ck_assert_int_eq(get(KEY, "blob", 4), 0);
  ck_assert_int_eq(files_in_cache(), 1);
  ck_assert_int_eq(chmod(fg_store_folder(), 0700), 0);
  if (getuid() == 0) ck_assert_int_eq(seteuid(0), 0);
}
END_TEST

/* From now on standard error goes there. */
static FILE *listen_to_errors(void) {
  FILE *const f = tmpfile();
  ck_assert_ptr_nonnull(f);
  dup2(fileno(f), STDERR_FILENO);
  fg_standard_error_begin();
  return f;
}

static const char *heard(FILE *f) {
  static char told[512];
  rewind(f);
  told[fread(told, 1, sizeof told - 1, f)] = '\0';
  fclose(f);
  return told;
}

START_TEST(folder_that_cannot_be_made) {
  FILE *const f = listen_to_errors();
  setenv("FFTW3_GPU_CACHE", "/dev/null/cache", 1);
  fg_store_put(KEY, SUFFIX, "blob", 4);
  fg_store_put("other key", SUFFIX, "blob", 4);
  ck_assert_int_eq(get(KEY, "blob", 4), -1);
  fg_store_trim(0);
  ck_assert_str_eq(heard(f), "fftw3-gpu: error: FFTW3_GPU_CACHE=/dev/null/cache: Not a directory\n"); /* once */
  ck_assert_str_eq(fg_store_trouble(), "Not a directory");
}
END_TEST

START_TEST(folder_without_trouble) {
  ck_assert_ptr_null(fg_store_trouble());
  ck_assert_int_eq(files_in_cache(), 0);
}
END_TEST

START_TEST(file_size_limit_does_not_kill) {
  struct rlimit limit;
  char blob[4096] = {0};
  FILE *const f = listen_to_errors();
  ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
  limit.rlim_cur = 1000;
  ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
  fg_store_put(KEY, SUFFIX, blob, sizeof blob);
  ck_assert_int_eq(get(KEY, blob, sizeof blob), -1);
  ck_assert_int_eq(files_in_cache(), 0);
  const char *const told = heard(f);
  ck_assert_msg(strstr(told, ": File too large\n") != NULL, "'%s'", told);
}
END_TEST

/* ---- which folder ---- */

START_TEST(no_home_no_folder) {
  unsetenv("FFTW3_GPU_CACHE");
  unsetenv("XDG_CACHE_HOME");
  unsetenv("HOME");
  ck_assert_ptr_null(fg_store_folder());
  fg_store_put(KEY, SUFFIX, "blob", 4);
  ck_assert_int_eq(get(KEY, "blob", 4), -1);
  fg_store_trim(0);
}
END_TEST

START_TEST(home_is_not_made) {
  char home[512];
  unsetenv("FFTW3_GPU_CACHE");
  unsetenv("XDG_CACHE_HOME");
  snprintf(home, sizeof home, "%s/home", folder);
  setenv("HOME", home, 1);
  fg_store_put(KEY, SUFFIX, "blob", 4);
  ck_assert_ptr_null(fg_store_folder());
  ck_assert_int_eq(access(home, F_OK), -1);
}
END_TEST

START_TEST(home_is_the_last_choice) {
  char expected[512];
  unsetenv("FFTW3_GPU_CACHE");
  setenv("XDG_CACHE_HOME", "relative/is/ignored", 1);
  setenv("HOME", folder, 1);
  snprintf(expected, sizeof expected, "%s/.cache/fftw3-gpu", folder);
  ck_assert_str_eq(fg_store_folder(), expected);
  fg_store_put(KEY, SUFFIX, "blob", 4);
  ck_assert_int_eq(get(KEY, "blob", 4), 0);
  ck_assert_int_eq(files_in(expected), 1);
}
END_TEST

START_TEST(xdg_comes_before_home) {
  char expected[512];
  unsetenv("FFTW3_GPU_CACHE");
  setenv("XDG_CACHE_HOME", folder, 1);
  setenv("HOME", "/nowhere", 1);
  snprintf(expected, sizeof expected, "%s/fftw3-gpu", folder);
  ck_assert_str_eq(fg_store_folder(), expected);
}
END_TEST

START_TEST(relative_folder_stays_where_it_was) {
  char expected[512];
  ck_assert_int_eq(chdir(folder), 0);
  setenv("FFTW3_GPU_CACHE", "some/kernels", 1);
  fg_store_put(KEY, SUFFIX, "blob", 4);
  ck_assert_int_eq(chdir("/"), 0);
  ck_assert_int_eq(get(KEY, "blob", 4), 0);
  snprintf(expected, sizeof expected, "%s/some/kernels", folder);
  ck_assert_int_eq(files_in(expected), 1);
}
END_TEST

/* ---- several writers ---- */

enum { WRITERS = 4, ROUNDS = 150, MOST = 20000 };

/* Blob w: as long and as valued as its writer says, so that a mixture of two is told from either. */
static size_t blob_of(int w, char *blob) {
  memset(blob, 'a' + w, MOST);
  return (size_t)(1000 + w * 4000);
}

static void write_many(int w) {
  char blob[MOST];
  size_t bytes = blob_of(w, blob);
  for (int i = 0; i < ROUNDS; ++i) fg_store_put(KEY, SUFFIX, blob, bytes);
  _exit(0);
}

/* The writer whose blob is found; the test fails if it is no writer's. */
static int whose(void) {
  char blob[MOST], *found;
  size_t bytes;
  int w;
  if (fg_store_get(KEY, SUFFIX, (void **)&found, &bytes)) return -1;
  w = bytes ? found[0] - 'a' : -1;
  ck_assert_int_ge(w, 0);
  ck_assert_int_lt(w, WRITERS);
  ck_assert_uint_eq(bytes, blob_of(w, blob));
  ck_assert_int_eq(memcmp(found, blob, bytes), 0);
  free(found);
  return w;
}

/* Once there is an entry, every moment shows a whole one. */
START_TEST(processes_write_at_once) {
  pid_t writers[WRITERS];
  char first[MOST];
  int status;
  fg_store_put(KEY, SUFFIX, first, blob_of(0, first));
  for (int w = 0; w < WRITERS; ++w)
    if (!(writers[w] = fork())) write_many(w);
  for (int i = 0; i < ROUNDS; ++i) ck_assert_int_ge(whose(), 0);
  for (int w = 0; w < WRITERS; ++w) {
    ck_assert_int_eq(waitpid(writers[w], &status, 0), writers[w]);
    ck_assert_int_eq(status, 0);
  }
  ck_assert_int_ge(whose(), 0);
  ck_assert_int_eq(files_in_cache(), 1);
}
END_TEST

/* ---- trimming ---- */

static void put_aged(const char *key, long age) {
  char blob[1000] = {0};
  struct timespec times[2] = {{.tv_sec = 1000000 - age}, {.tv_sec = 1000000 - age}};
  fg_store_put(key, SUFFIX, blob, sizeof blob);
  ck_assert_int_eq(utimensat(AT_FDCWD, path_of(key), times, 0), 0);
}

START_TEST(trim_removes_what_was_longest_unused) {
  char blob[1000] = {0};
  put_aged("one", 30);
  put_aged("two", 20);
  put_aged("three", 10);
  fg_store_trim(3500);
  ck_assert_int_eq(files_in_cache(), 3);
  ck_assert_int_eq(get("one", blob, sizeof blob), 0); /* used: now the newest */
  fg_store_trim(2500);
  ck_assert_int_eq(access(path_of("one"), F_OK), 0);
  ck_assert_int_eq(access(path_of("two"), F_OK), -1);
  ck_assert_int_eq(access(path_of("three"), F_OK), 0);
}
END_TEST

START_TEST(trim_touches_only_our_files) {
  static const char *const others[] = {"thesis.tex", "fg-notes.txt", "fg-0123456789abcdef", ".fg-settings"};
  char path[600];
  put_aged("one", 30);
  for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
    snprintf(path, sizeof path, "%s/%s", fg_store_folder(), others[i]);
    replace_file(path, "precious", 8);
  }
  fg_store_trim(0);
  ck_assert_int_eq(access(path_of("one"), F_OK), -1);
  ck_assert_int_eq(files_in_cache(), 4);
}
END_TEST

/* An entry, long unused, that takes no room but counts for as much as all may. */
static void put_large(void) {
  put_aged("large", 30);
  ck_assert_int_eq(truncate(path_of("large"), FG_STORE_CAP), 0);
  const struct timespec long_ago[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
  ck_assert_int_eq(utimensat(AT_FDCWD, path_of("large"), long_ago, 0), 0);
}

/* A process looks at the whole folder when it puts its first entry, and when it has put many more. */
START_TEST(putting_trims_now_and_then) {
  const size_t bytes = FG_STORE_CAP / 64;
  char *blob = calloc(1, bytes);
  ck_assert_ptr_nonnull(blob);
  const pid_t child = fork();
  if (child == 0) {
    put_large();
    _exit(0);
  }
  ck_assert_int_eq(waitpid(child, NULL, 0), child);
  ck_assert_int_eq(access(path_of("large"), F_OK), 0);
  fg_store_put("first", SUFFIX, blob, 1);
  ck_assert_int_eq(access(path_of("large"), F_OK), -1);
  put_large();
  fg_store_put("second", SUFFIX, blob, bytes);
  ck_assert_int_eq(access(path_of("large"), F_OK), 0);
  fg_store_put("third", SUFFIX, blob, bytes);
  ck_assert_int_eq(access(path_of("large"), F_OK), -1);
  ck_assert_int_eq(files_in_cache(), 3);
  free(blob);
}
END_TEST

static Suite *suite(void) {
  const TTest *const tests[] = {
      hash_is_fnv_1a, round_trip, other_keys_and_suffixes_are_not_found, folders_are_private, errno_is_kept,
      any_changed_byte_is_noticed, any_other_length_is_noticed, another_key_under_the_same_name,
      texts_are_kept_as_a_whole, what_others_can_write_is_not_run, not_a_file, read_only_folder_is_still_read,
      folder_that_cannot_be_made,
      folder_without_trouble, file_size_limit_does_not_kill, no_home_no_folder, home_is_not_made,
      home_is_the_last_choice, xdg_comes_before_home,
      relative_folder_stays_where_it_was, processes_write_at_once, trim_removes_what_was_longest_unused,
      trim_touches_only_our_files, putting_trims_now_and_then};
  Suite *s = suite_create("store");
  TCase *c = tcase_create("store");
  tcase_add_checked_fixture(c, setup, teardown);
  tcase_set_timeout(c, 60);
  for (size_t i = 0; i < sizeof tests / sizeof *tests; ++i) tcase_add_test(c, tests[i]);
  suite_add_tcase(s, c);
  return s;
}

int main(void) {
  SRunner *runner = srunner_create(suite());
  int failed;
  srunner_set_fork_status(runner, CK_FORK);
  srunner_run_all(runner, CK_NORMAL);
  failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
