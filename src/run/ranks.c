/* ranks.c: what launchers of parallel programs tell in the environment. */
#include "config.h"

#include "src/run/ranks.h"

#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

static const struct {
  const char *rank, *count;
} launchers[] = {
    {"OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"},
    {"MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
    {"MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_SIZE"},
    /* Of the step, not of the job: a batch script has the job's numbers too, and is one process. */
    {"SLURM_LOCALID", "SLURM_STEP_TASKS_PER_NODE"},
};

enum { MOST = 100000 };

/* The number that name's value begins with ("4", Slurm's "4(x2)"); -1 if there is none that makes sense. */
static int number_of(const char *name) {
  const char *value = secure_getenv(name);
  const long n = value && *value >= '0' && *value <= '9' ? strtol(value, NULL, 10) : -1;
  return n <= MOST ? (int)n : -1;
}

fg_ranks fg_ranks_here(void) {
  for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
    const fg_ranks r = {number_of(launchers[i].rank), number_of(launchers[i].count)};
    if (r.rank >= 0 && r.rank < r.count) return r;
  }
  return (fg_ranks){0, 1};
}

int fg_ranks_device(int devices) { return devices > 0 ? fg_ranks_here().rank % devices : 0; }

int fg_ranks_sharing(int devices) {
  return devices > 0 ? (fg_ranks_here().count + devices - 1) / devices : 1;
}

static int expected;

/* Slurm says how many devices its step has here; the system lists those of other jobs, too. */
static void count_expected(void) {
  const int granted = number_of("SLURM_GPUS_ON_NODE");
  int devices = granted > 0 ? granted : 0;
  DIR *const folder = fg_ranks_here().count > 1 && !devices ? opendir("/proc/driver/nvidia/gpus") : NULL;
  for (struct dirent *e; folder && (e = readdir(folder));) devices += e->d_name[0] != '.';
  if (folder) closedir(folder);
  expected = fg_ranks_sharing(devices > 0 ? devices : 1);
}

int fg_ranks_expected(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, count_expected);
  return expected;
}

/* That this thread may run on; 0 if it cannot be told.  A mask has to have places for all that there may ever be. */
static int allowed_processors(void) {
  enum { MOST = 1 << 20 };
  int count = 0;
  for (int places = CPU_SETSIZE; !count && places <= MOST; places *= 2) {
    cpu_set_t *mask = CPU_ALLOC((size_t)places);
    if (!mask) return 0;
    if (sched_getaffinity(0, CPU_ALLOC_SIZE((size_t)places), mask) == 0) count = CPU_COUNT_S(CPU_ALLOC_SIZE((size_t)places), mask);
    CPU_FREE(mask);
  }
  return count;
}

int fg_ranks_processors(void) {
  const int all = (int)sysconf(_SC_NPROCESSORS_ONLN), told = allowed_processors(), allowed = told ? told : all;
  if (allowed < all) return allowed; /* bound: they are this process's own */
  const int share = allowed / fg_ranks_here().count;
  return share > 0 ? share : 1;
}
