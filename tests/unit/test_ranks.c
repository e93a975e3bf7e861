/* test_ranks.c: several processes share devices, their memory and the processors, as launchers of parallel programs tell. */
#define _GNU_SOURCE
#include <check.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "on_sim.h"
#include "src/run/memory.h"
#include "src/run/ranks.h"
#include "suite.h"

static void ranks(const char *rank, const char *rank_value, const char *count, const char *count_value) {
  setenv(rank, rank_value, 1);
  setenv(count, count_value, 1);
}

static void no_ranks(void) {
  static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALRANKID",
                                      "MPI_LOCALNRANKS", "MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_SIZE",
                                      "SLURM_LOCALID", "SLURM_STEP_TASKS_PER_NODE", "SLURM_GPUS_ON_NODE"};
  for (int i = 0; i < TEST_COUNT(names); i++) unsetenv(names[i]);
}

START_TEST(ranks_share_what_there_is) {
  no_ranks();
  ck_assert_int_eq(fg_ranks_here().count, 1);
  ck_assert_int_eq(fg_ranks_device(4), 0);
  ck_assert_int_eq(fg_ranks_sharing(1), 1);
  ranks("OMPI_COMM_WORLD_LOCAL_RANK", "6", "OMPI_COMM_WORLD_LOCAL_SIZE", "8");
  ck_assert_int_eq(fg_ranks_device(4), 2);
  ck_assert_int_eq(fg_ranks_sharing(4), 2);
  ck_assert_int_eq(fg_ranks_sharing(3), 3);
  ck_assert_int_eq(fg_ranks_device(1), 0);
  const size_t alone = (size_t)8 << 30;
  ck_assert_uint_lt(fg_memory_limit(test_target()), alone / 8);
  ck_assert_uint_gt(fg_memory_limit(test_target()), alone / 8 / 2);
}
END_TEST

START_TEST(nonsense_of_launchers_is_none) {
  no_ranks();
  ranks("OMPI_COMM_WORLD_LOCAL_RANK", "8", "OMPI_COMM_WORLD_LOCAL_SIZE", "8");
  ck_assert_int_eq(fg_ranks_here().count, 1);
  ranks("OMPI_COMM_WORLD_LOCAL_RANK", "", "OMPI_COMM_WORLD_LOCAL_SIZE", "x");
  ck_assert_int_eq(fg_ranks_here().count, 1);
  ranks("SLURM_LOCALID", "3", "SLURM_STEP_TASKS_PER_NODE", "4(x2)");
  ck_assert_int_eq(fg_ranks_here().count, 4);
  ck_assert_int_eq(fg_ranks_here().rank, 3);
  ranks("SLURM_LOCALID", "0", "SLURM_STEP_TASKS_PER_NODE", "99999999999999999999");
  ck_assert_int_eq(fg_ranks_here().count, 1);
}
END_TEST

/* By what the system lists: a folder for each device. */
static int listed;
static char *at_end; /* removes it */
DIR *opendir(const char *path) {
  static DIR *(*real)(const char *);
  char folder[] = "/tmp/fftw3-gpu-test-XXXXXX", device[64];
  if (!real) *(void **)&real = dlsym(RTLD_NEXT, "opendir");
  if (strcmp(path, "/proc/driver/nvidia/gpus") != 0) return real(path);
  if (listed < 0 || !mkdtemp(folder)) return NULL;
  for (int i = 0; i < listed; i++) {
    snprintf(device, sizeof device, "%s/0000:%02d:00.0", folder, i);
    mkdir(device, 0700);
  }
  DIR *const made = real(folder);
  snprintf(device, sizeof device, "rm -r %s", folder);
  at_end = strdup(device);
  return made;
}

static const struct {
  const char *ranks;
  int listed, expected;
  const char *slurm;
} sharing[] = {{NULL, 2, 1, NULL}, {"16", -1, 16, NULL}, {"16", 0, 16, NULL}, {"16", 1, 16, NULL}, {"16", 2, 8, NULL},
               {"16", 3, 6, NULL}, {"2", 8, 1, NULL},    {"16", 4, 16, "1"}, {"16", 1, 8, "2"},    {"16", 4, 4, "x"},
               {NULL, 1, 1, "4"}};

START_TEST(who_shares_a_device_is_known_before_it_is_open) {
  no_ranks();
  if (sharing[_i].ranks) ranks("OMPI_COMM_WORLD_LOCAL_RANK", "1", "OMPI_COMM_WORLD_LOCAL_SIZE", sharing[_i].ranks);
  if (sharing[_i].slurm) setenv("SLURM_GPUS_ON_NODE", sharing[_i].slurm, 1);
  listed = sharing[_i].listed;
  ck_assert_int_eq(fg_ranks_expected(), sharing[_i].expected);
  if (sharing[_i].slurm && sharing[_i].ranks) ck_assert_int_eq(fg_ranks_sharing(1), 16); /* memory: as if all saw the same */
  if (at_end) ck_assert_int_eq(system(at_end), 0);
}
END_TEST

/* A process that is not bound to some of the processors shares them with the other ranks. */
START_TEST(unbound_ranks_share_the_processors) {
  cpu_set_t mask;
  no_ranks();
  ck_assert_int_eq(sched_getaffinity(0, sizeof mask, &mask), 0);
  const int all = CPU_COUNT(&mask);
  ck_assert_int_eq(fg_ranks_processors(), all);
  ranks("OMPI_COMM_WORLD_LOCAL_RANK", "0", "OMPI_COMM_WORLD_LOCAL_SIZE", "1000");
  ck_assert_int_eq(fg_ranks_processors(), all == sysconf(_SC_NPROCESSORS_ONLN) ? 1 : all);
}
END_TEST

/* The kernel's, but for masks that are too small for the processors there may be. */
static size_t least_mask;
int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *mask) {
  if (size < least_mask) {
    errno = EINVAL;
    return -1;
  }
  const long written = syscall(SYS_sched_getaffinity, pid, size, mask);
  if (written < 0) return -1;
  memset((char *)mask + written, 0, size - (size_t)written);
  return 0;
}

START_TEST(processors_beyond_a_thousand_are_counted) {
  cpu_set_t all, one;
  no_ranks();
  ck_assert_int_eq(sched_getaffinity(0, sizeof all, &all), 0);
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
  least_mask = 4 * sizeof one;
  ck_assert_int_eq(fg_ranks_processors(), 1);
  least_mask = SIZE_MAX; /* it cannot be told */
  ck_assert_int_eq(fg_ranks_processors(), sysconf(_SC_NPROCESSORS_ONLN));
  least_mask = 0;
  ck_assert_int_eq(sched_setaffinity(0, sizeof all, &all), 0);
}
END_TEST

int main(void) {
  test_choose_sim_alone();
  TCase *const tc = tcase_create("ranks");
  tcase_add_test(tc, ranks_share_what_there_is);
  tcase_add_test(tc, nonsense_of_launchers_is_none);
  tcase_add_loop_test(tc, who_shares_a_device_is_known_before_it_is_open, 0, TEST_COUNT(sharing));
  tcase_add_test(tc, unbound_ranks_share_the_processors);
  tcase_add_test(tc, processors_beyond_a_thousand_are_counted);
  return test_run(tc, "ranks");
}
