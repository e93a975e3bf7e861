/* test_cuda_start.c: while the driver starts that nobody but us has loaded, whoever asks does not take it for the program's,
 * nor a context of ours.
 *
 * In a process of its own whose loader finds the fake driver (fake_cuda.c), whose cuInit takes as long as FAKE_CUDA_INIT
 * says, in microseconds. */
#include "config.h"

#include <check.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda/backend.h"
#include "cuda/cuda_driver.h"
#include "suite.h"

static const char in_child[] = "FG_TEST_CUDA_START";

/* ---- the child ---- */

enum { RIGHT, NO_DRIVER, OF_PROGRAM, PRESENT_TOO_EARLY, NEVER_PRESENT, NO_DEVICE, OURS_FOR_THEIRS, THEIRS_FOR_OURS };

static atomic_int devices;

static void *start(void *unused) {
  (void)unused;
  atomic_store(&devices, fg_driver_start());
  return NULL;
}

/* Between begin and end this thread is in a context of ours, which does not make it the program's; beneath it may be that. */
static int contexts(void) {
  const fg_backend *cuda = &fg_backend_cuda;
  fg_device *device;
  if (cuda->open(0, &device)) return NO_DEVICE;
  int begun = cuda->begin(device);
  const bool within = cuda->used_by_program();
  cuda->end(device, begun);
  if (within || cuda->used_by_program()) return OURS_FOR_THEIRS;
  if (fg_cu.cuCtxPushCurrent_v2((CUcontext)0x9999)) return NO_DEVICE;
  begun = cuda->begin(device);
  const bool beneath = cuda->used_by_program();
  cuda->end(device, begun);
  return beneath ? RIGHT : THEIRS_FOR_OURS;
}

static int child(void) {
  pthread_t thread;
  bool early = false;
  if (pthread_create(&thread, NULL, start, NULL)) return NO_DRIVER;
  do {
    const bool present = fg_driver_present();
    early = early || (present && fg_driver_of_program());
    usleep(100);
  } while (!atomic_load(&devices));
  pthread_join(thread, NULL);
  if (atomic_load(&devices) != 1) return NO_DRIVER;
  if (early) return PRESENT_TOO_EARLY;
  if (fg_driver_of_program()) return OF_PROGRAM;
  return fg_driver_present() ? contexts() : NEVER_PRESENT;
}

/* ---- the test ---- */

START_TEST(a_driver_that_we_start_is_not_the_programs) {
  const char *build = getenv("FG_BUILD"), *others = getenv("LD_LIBRARY_PATH");
  char folders[8192];
  int status = -1;
  snprintf(folders, sizeof folders, "%s/tests/unit/.libs%s%s", build ? build : ".", others ? ":" : "", others ? others : "");
  const pid_t process = fork();
  if (process == 0) {
    setenv("LD_LIBRARY_PATH", folders, 1);
    setenv("FAKE_CUDA_INIT", "200000", 1);
    setenv(in_child, "1", 1);
    execl("/proc/self/exe", "test_cuda_start", NULL);
    _exit(127);
  }
  ck_assert_int_eq(waitpid(process, &status, 0), process);
  ck_assert(WIFEXITED(status));
  ck_assert_int_eq(WEXITSTATUS(status), RIGHT);
}
END_TEST

int main(void) {
  if (getenv(in_child)) return child();
  TCase *tc = tcase_create("start");
  tcase_add_test(tc, a_driver_that_we_start_is_not_the_programs);
  return test_run(tc, "cuda: start");
}
