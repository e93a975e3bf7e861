/* driver_case.c: see driver_case.h. */
#include "config.h"

#include <dlfcn.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda/cuda_nvrtc.h"
#include "driver_case.h"
#include "suite.h"

fake_cuda_state *fake;
fg_device *device;
fg_stream *stream;
char folder[] = "/tmp/fg-test-cuda-XXXXXX";

static void *library;

void *driver_case_symbol(const char *name) { return dlsym(library, name); }

static void load_fake(void) {
  const char *build = getenv("FG_BUILD"), *named = getenv("FG_FAKE_CUDA");
  char path[4096];
  snprintf(path, sizeof path, "%s/tests/unit/.libs/libcuda.so.1", build ? build : ".");
  library = dlopen(named ? named : path, RTLD_NOW | RTLD_LOCAL);
  ck_assert_msg(library != NULL, "%s", dlerror());
  fake = driver_case_symbol("fake_cuda");
}

static void setup(void) {
  ck_assert_ptr_nonnull(mkdtemp(folder));
  setenv("FFTW3_GPU_CACHE", folder, 1);
  load_fake();
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *where) {
  (void)status, (void)kind, (void)where;
  return remove(path);
}

static void teardown(void) { nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS); }

void driver_case_open(void) {
  ck_assert_msg(cuda->open(0, &device) == 0, "%s", fg_backend_message());
  ck_assert_int_eq(cuda->stream_create(device, &stream), 0);
}

void driver_case_fail(const char *function, CUresult result) {
  fake->result = (int)result;
  fake->fail = function;
}

void driver_case_says(const char *part) {
  ck_assert_msg(strstr(fg_backend_message(), part) != NULL, "\"%s\" lacks \"%s\"", fg_backend_message(), part);
}

/* Asked in a child: the settings, read once in a process, must not be read before a test has made its own. */
bool driver_case_has_nvrtc(void) {
  int status = 1;
  const pid_t child = fork();
  if (child == 0) _exit(fg_nvrtc_version() < 0);
  return waitpid(child, &status, 0) == child && status == 0;
}

int driver_case_run(const char *name, void (*add)(TCase *)) {
  TCase *c = tcase_create(name);
  tcase_add_checked_fixture(c, setup, teardown);
  tcase_set_timeout(c, 60);
  add(c);
  return test_run(c, name);
}
