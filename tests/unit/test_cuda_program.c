/* test_cuda_program.c: what was made with CUDA is told by what the compiler and the linker have left in its file.  This program has
 * a section as kernels have. */
#include "config.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cuda/cuda_device.h"
#include "suite.h"

__attribute__((section(".nv_fatbin"), used)) static const char kernels[64] = "none";

START_TEST(kernels_are_told) {
  ck_assert(fg_cuda_in_file("/proc/self/exe"));
  ck_assert(fg_cuda_made_with());
  ck_assert(fg_cuda_made_with());
}
END_TEST

START_TEST(what_has_none_is_not) {
  ck_assert(!fg_cuda_in_file("/bin/sh"));
  ck_assert(!fg_cuda_in_file("/dev/null"));
  ck_assert(!fg_cuda_in_file("/nowhere"));
}
END_TEST

/* The first bytes of this program, as many as there are told. */
static void cut(const char *path, size_t bytes) {
  FILE *const from = fopen("/proc/self/exe", "r"), *const to = fopen(path, "w");
  char *const text = malloc(bytes);
  ck_assert(from && to && text);
  ck_assert_uint_eq(fread(text, 1, bytes, from), bytes);
  ck_assert_uint_eq(fwrite(text, 1, bytes, to), bytes);
  fclose(from);
  fclose(to);
  free(text);
}

START_TEST(a_file_that_is_cut_tells_nothing) {
  static const size_t sizes[] = {1, 63, 64, 4096};
  char path[] = "/tmp/fg-test-program-XXXXXX";
  const int fd = mkstemp(path);
  ck_assert_int_ge(fd, 0);
  close(fd);
  for (size_t i = 0; i < TEST_COUNT(sizes); i++) {
    cut(path, sizes[i]);
    ck_assert(!fg_cuda_in_file(path));
  }
  unlink(path);
}
END_TEST

int main(void) {
  TCase *tc = tcase_create("cuda: program");
  tcase_add_test(tc, kernels_are_told);
  tcase_add_test(tc, what_has_none_is_not);
  tcase_add_test(tc, a_file_that_is_cut_tells_nothing);
  return test_run(tc, "cuda: program");
}
