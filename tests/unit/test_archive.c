/* test_archive.c: what is packed is unpacked, what is put into a kernel archive comes back, and nothing else ever
 * does. */
#include "config.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cuda/archive.h"
#include "cuda/installed.h"
#include "cuda/pack.h"
#include "cuda/store.h"
#include "tests/unit/dice.h"
#include "tests/unit/suite.h"

/* ---- packing ---- */

enum { MOST = 60000 };

/* Bytes as kernels have them: runs, repetitions from near and far, and some that repeat nothing. */
static void make_text(dice *d, unsigned char *text, size_t bytes) {
  for (size_t at = 0; at < bytes;) {
    const size_t rest = bytes - at, most = (size_t)dice_between(d, 1, 300), count = most < rest ? most : rest;
    const size_t back = at ? (size_t)dice_between(d, 1, (ptrdiff_t)at) : 0;
    const bool copied = back && !dice_one_in(d, 3);
    for (size_t i = 0; i < count; i++, at++) text[at] = copied ? text[at - back] : (unsigned char)dice_throw(d);
  }
}

START_TEST(packed_is_unpacked) {
  static unsigned char text[2 * MOST], back[MOST + 1];
  dice d = {(uint64_t)_i + 1};
  const size_t before = (size_t)dice_between(&d, 0, _i % 3 ? MOST : 0), bytes = (size_t)dice_between(&d, 0, MOST);
  size_t packed;
  make_text(&d, text, before + bytes);
  const fg_dictionary dictionary = {text, before};
  void *small = fg_pack(dictionary, text + before, bytes, &packed);
  ck_assert_ptr_nonnull(small);
  ck_assert_uint_le(packed, bytes + bytes / 64 + 32);
  back[bytes] = 77;
  ck_assert(fg_unpack(dictionary, small, packed, back, bytes));
  ck_assert_int_eq(memcmp(back, text + before, bytes), 0);
  ck_assert_int_eq(back[bytes], 77);
  free(small);
}
END_TEST

START_TEST(repetitions_become_small) {
  static unsigned char text[MOST], zeros[MOST];
  dice d = {5};
  size_t packed;
  for (int i = 0; i < MOST; i++) text[i] = (unsigned char)dice_throw(&d);
  free(fg_pack((fg_dictionary){text, MOST}, text, MOST, &packed));
  ck_assert_uint_lt(packed, 16);
  free(fg_pack((fg_dictionary){NULL, 0}, zeros, MOST, &packed));
  ck_assert_uint_lt(packed, 16);
}
END_TEST

/* In a block of exactly its size, so that the sanitizers see a byte too far. */
START_TEST(any_bytes_are_unpacked_or_refused) {
  dice d = {(uint64_t)_i + 1};
  const size_t packed = (size_t)dice_between(&d, 0, 40), bytes = (size_t)dice_between(&d, 0, 200);
  unsigned char *from = malloc(packed + 1), *to = malloc(bytes + 1), dictionary[20] = {0};
  for (size_t i = 0; i < packed; i++) from[i] = (unsigned char)dice_between(&d, 0, dice_one_in(&d, 4) ? 255 : 20);
  to[bytes] = 77;
  fg_unpack((fg_dictionary){dictionary, sizeof dictionary}, from, packed, to, bytes);
  ck_assert_int_eq(to[bytes], 77);
  free(from);
  free(to);
}
END_TEST

/* ---- the archive ---- */

enum { SOURCES = 1234, ITEMS = 60 };

static char folder[] = "/tmp/fg-test-archive-XXXXXX", path[64];
static char blobs[ITEMS][3000], keys[ITEMS][64];
static fg_archive_item items[ITEMS];

static int remove_one(const char *file, const struct stat *status, int kind, struct FTW *where) {
  (void)status, (void)kind, (void)where;
  return remove(file);
}

static void teardown(void) { nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS); }

static void setup(void) {
  dice d = {99};
  ck_assert_ptr_nonnull(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/kernels.fgk", folder);
  for (int i = 0; i < ITEMS; i++) {
    const size_t bytes = (size_t)dice_between(&d, i % 7 ? 1 : 0, sizeof blobs[i]);
    snprintf(keys[i], sizeof keys[i], "sm_90\nsource tile.cu\n#define FG_N %d\n", i);
    make_text(&d, (unsigned char *)blobs[i], sizeof blobs[i]);
    items[i] = (fg_archive_item){keys[i], blobs[i], bytes, i % 3 ? 2 : 0};
  }
  ck_assert_int_eq(fg_archive_write(path, SOURCES, "compiler 1.0", items, ITEMS), 0);
}

static fg_archive *open_it(void) {
  const char *why = "";
  fg_archive *a = fg_archive_open(path, SOURCES, &why);
  ck_assert_msg(a != NULL, "%s", why);
  return a;
}

/* 1: found, as it was put in; 0: not found; anything else fails the test. */
static int found(const fg_archive *a, int i) {
  void *blob;
  size_t bytes;
  if (fg_archive_get(a, keys[i], &blob, &bytes)) return 0;
  ck_assert_uint_eq(bytes, items[i].bytes);
  ck_assert_int_eq(memcmp(blob, blobs[i], bytes), 0);
  free(blob);
  return 1;
}

START_TEST(all_comes_back) {
  fg_archive *a = open_it();
  void *blob;
  size_t bytes;
  errno = 1234;
  for (int i = 0; i < ITEMS; i++) ck_assert(fg_archive_has(a, keys[i]) && found(a, i));
  ck_assert_int_eq(fg_archive_get(a, "sm_90\nsource tile.cu\n#define FG_N 60\n", &blob, &bytes), -1);
  ck_assert(!fg_archive_has(a, "sm_80\nsource tile.cu\n#define FG_N 1\n"));
  ck_assert_int_eq(errno, 1234);
  ck_assert_int_eq(fg_archive_count(a), ITEMS);
  ck_assert_str_eq(fg_archive_compiler(a), "compiler 1.0");
  for (int i = 0; i < ITEMS; i++) {
    char *entry = fg_archive_entry(a, i, &blob, &bytes);
    ck_assert_ptr_nonnull(strstr(entry, "#define FG_N"));
    free(entry);
  }
  fg_archive_close(a);
}
END_TEST

START_TEST(none_is_an_archive_too) {
  ck_assert_int_eq(fg_archive_write(path, SOURCES, "", items, 0), 0);
  fg_archive *a = open_it();
  ck_assert(!fg_archive_has(a, keys[0]));
  fg_archive_close(a);
}
END_TEST

static void refused(const char *because) {
  const char *why = "";
  ck_assert_ptr_null(fg_archive_open(path, SOURCES, &why));
  ck_assert_msg(strstr(why, because) != NULL, "\"%s\" lacks \"%s\"", why, because);
}

START_TEST(what_is_not_ours_is_refused) {
  const char *why;
  ck_assert_ptr_null(fg_archive_open(path, SOURCES + 1, &why));
  ck_assert_ptr_nonnull(strstr(why, "other kernel sources"));
  ck_assert_int_eq(chmod(path, 0664), 0);
  refused("only its owner");
  ck_assert_int_eq(unlink(path), 0);
  refused("opened");
  ck_assert_int_eq(mkdir(path, 0700), 0);
  refused("only its owner");
  ck_assert_int_eq(rmdir(path), 0);
  ck_assert_int_eq(mkfifo(path, 0600), 0);
  refused("only its owner");
}
END_TEST

static size_t read_file(char **text) {
  FILE *f = fopen(path, "rb");
  struct stat status;
  ck_assert_int_eq(fstat(fileno(f), &status), 0);
  *text = malloc((size_t)status.st_size);
  ck_assert_uint_eq(fread(*text, 1, (size_t)status.st_size, f), (size_t)status.st_size);
  fclose(f);
  return (size_t)status.st_size;
}

static void write_file(const char *text, size_t bytes) {
  FILE *f = fopen(path, "wb");
  ck_assert_uint_eq(fwrite(text, 1, bytes, f), bytes);
  fclose(f);
}

/* Refused as a whole, or some are not found; what is found is right. */
START_TEST(a_changed_byte_gives_no_wrong_kernel) {
  char *text;
  const char *why;
  const size_t bytes = read_file(&text);
  int refusals = 0, losses = 0;
  for (size_t at = 0; at < bytes; at += at < 2000 ? 1 : 211) {
    text[at] ^= 0x10;
    write_file(text, bytes);
    text[at] ^= 0x10;
    fg_archive *a = fg_archive_open(path, SOURCES, &why);
    int there = 0;
    for (int i = 0; a && i < ITEMS; i++) there += found(a, i);
    ck_assert_msg(there < ITEMS, "byte %zu", at);
    refusals += !a;
    losses += a != NULL;
    fg_archive_close(a);
  }
  ck_assert_int_gt(refusals, 1000);
  ck_assert_int_gt(losses, 10);
  free(text);
}
END_TEST

START_TEST(any_other_length_is_refused) {
  char *text;
  const size_t bytes = read_file(&text);
  for (size_t cut = 0; cut < bytes; cut += 97) {
    write_file(text, cut);
    refused(cut < 8 ? "short" : "");
  }
  write_file(text, bytes);
  fg_archive_close(open_it());
  free(text);
}
END_TEST

/* An upgrade while the program runs. */
START_TEST(a_file_that_changes_later_gives_no_wrong_kernel) {
  fg_archive *a = open_it();
  ck_assert(found(a, 3));
  char *text;
  const size_t bytes = read_file(&text);
  write_file(text, bytes / 2);
  int there = 0;
  for (int i = 0; i < ITEMS; i++) there += found(a, i);
  ck_assert_int_lt(there, ITEMS);
  ck_assert_int_eq(unlink(path), 0);
  ck_assert(!found(a, 0));
  fg_archive_close(a);
  free(text);
}
END_TEST

/* ---- the installed one ---- */

START_TEST(cubins_serve_their_generation) {
  const fg_kernel_request request = {"tile.cu", "#define FG_N 1\n", "fg_tile", 0};
  fg_archive_item mine[] = {{fg_installed_key("sm_80", &request), "cubin", 5, 0},
                            {fg_installed_key("ptx", &request), "ptx", 4, 1}};
  void *blob;
  size_t bytes;
  ck_assert_int_eq(fg_archive_write(path, fg_store_sources_hash(), "", mine, 2), 0);
  fg_installed_at(path);
  ck_assert_int_eq(fg_installed_get(80, &request, &blob, &bytes), 0);
  ck_assert(bytes == 5 && !memcmp(blob, "cubin", 5));
  free(blob);
  ck_assert(fg_installed_has(86, &request) && fg_installed_has(89, &request));
  ck_assert(!fg_installed_has(75, &request) && !fg_installed_has(90, &request));
  ck_assert_int_eq(fg_installed_ptx(120, &request, &blob, &bytes), 0);
  ck_assert_str_eq(blob, "ptx");
  free(blob);
  ck_assert_int_eq(fg_installed_ptx(89, &request, &blob, &bytes), -1);
  fg_installed_refuse();
  ck_assert(!fg_installed_has(80, &request));
  ck_assert_int_eq(fg_installed_ptx(120, &request, &blob, &bytes), -1);
  free((char *)mine[0].key);
  free((char *)mine[1].key);
}
END_TEST

int main(void) {
  Suite *s = suite_create("archive");
  TCase *packing = tcase_create("packing"), *archive = tcase_create("archive");
  tcase_add_loop_test(packing, packed_is_unpacked, 0, 40);
  tcase_add_test(packing, repetitions_become_small);
  tcase_add_loop_test(packing, any_bytes_are_unpacked_or_refused, 0, 200);
  tcase_add_checked_fixture(archive, setup, teardown);
  tcase_add_test(archive, all_comes_back);
  tcase_add_test(archive, none_is_an_archive_too);
  tcase_add_test(archive, what_is_not_ours_is_refused);
  tcase_add_test(archive, a_changed_byte_gives_no_wrong_kernel);
  tcase_add_test(archive, any_other_length_is_refused);
  tcase_add_test(archive, a_file_that_changes_later_gives_no_wrong_kernel);
  tcase_add_test(archive, cubins_serve_their_generation);
  suite_add_tcase(s, packing);
  suite_add_tcase(s, archive);
  return test_run_suite(s);
}
