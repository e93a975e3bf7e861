/* surroundings.c SITUATION: transforms in a process that makes it hard for a library: it ends while plans exist, has no
 * descriptors, threads, memory or stack left, or is interrupted a thousand times a second.  Linked to stock FFTW alone;
 * surroundings.sh preloads the library.  Every result is compared with sums in double precision.  Exit status 0: all
 * were right; 3: one was not; 77: this system does not let the situation happen. */
#include "config.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <fftw3.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 360, BATCH = 40, WRONG = 3, SKIPPED = 77 };

typedef struct {
  fftwf_complex *in, *out;
  fftwf_plan plan;
} transform;

static void wrong(const char *what) {
  dprintf(STDERR_FILENO, "%s\n", what);
  _exit(WRONG);
}

/* ---- one transform, and whether it is right ---- */

static double value(int batch, int i, int part) { return ((batch * 31 + i * 17 + part * 7) % 23) / 23.0 - 0.5; }

/* One output of one transform of the batch, by the definition. */
static void check(const transform *t, int batch, int k) {
  double re = 0, im = 0;
  for (int i = 0; i < N; i++) {
    const double angle = -2 * M_PI * (double)((long)i * k % N) / N, c = cos(angle), s = sin(angle);
    re += value(batch, i, 0) * c - value(batch, i, 1) * s;
    im += value(batch, i, 0) * s + value(batch, i, 1) * c;
  }
  const float *got = t->out[(size_t)batch * N + (size_t)k];
  if (fabs(got[0] - re) < 1e-3 && fabs(got[1] - im) < 1e-3) return;
  dprintf(STDERR_FILENO, "output %d of transform %d: %g %g instead of %g %g\n", k, batch, got[0], got[1], re, im);
  wrong("a wrong result");
}

static void fill(const transform *t) {
  for (int b = 0; b < BATCH; b++)
    for (int i = 0; i < N; i++)
      for (int part = 0; part < 2; part++) t->in[(size_t)b * N + (size_t)i][part] = (float)value(b, i, part);
  memset(t->out, 0, sizeof *t->out * N * BATCH);
}

static void execute(const transform *t) {
  fill(t);
  fftwf_execute(t->plan);
  for (int b = 0; b < BATCH; b += 7)
    for (int k = b % 5; k < N; k += 61) check(t, b, k);
}

static transform plan_in(fftwf_complex *in, fftwf_complex *out) {
  const int n = N;
  transform t = {in, out, NULL};
  t.plan = fftwf_plan_many_dft(1, &n, BATCH, in, NULL, 1, N, out, NULL, 1, N, FFTW_FORWARD, FFTW_ESTIMATE);
  if (!t.plan) wrong("no plan");
  return t;
}

static transform plan(void) { return plan_in(fftwf_alloc_complex(N * BATCH), fftwf_alloc_complex(N * BATCH)); }

static transform plan_foreign(void) {
  const size_t bytes = sizeof(fftwf_complex) * N * BATCH;
  return plan_in(malloc(bytes), malloc(bytes));
}

static void done(transform *t) {
  fftwf_destroy_plan(t->plan);
  fftwf_free(t->in);
  fftwf_free(t->out);
  t->plan = NULL;
}

static void all(void) {
  transform own = plan(), foreign = plan_foreign();
  for (int i = 0; i < 3; i++) {
    execute(&own);
    execute(&foreign);
  }
  done(&own);
  fftwf_destroy_plan(foreign.plan);
  free(foreign.in);
  free(foreign.out);
}

/* ---- the end of the process ---- */

static transform kept;

static void at_the_end(void) {
  execute(&kept);
  transform late = plan();
  execute(&late);
  done(&late);
  done(&kept);
}

static void atexit_before(void) {
  atexit(at_the_end);
  kept = plan();
  execute(&kept);
}

static void atexit_after(void) {
  kept = plan();
  execute(&kept);
  atexit(at_the_end);
}

static int in_destructor;

__attribute__((destructor)) static void destructor(void) {
  if (in_destructor) at_the_end();
}

static void destructors(void) {
  kept = plan();
  execute(&kept);
  in_destructor = 1;
}

static void leaving_plans_behind(void) {
  for (int i = 0; i < 5; i++) {
    transform t = plan();
    execute(&t);
  }
}

static void *executing_for_ever(void *unused) {
  transform t = plan();
  for (;;) execute(&t);
  return unused;
}

/* main returns while other threads are in the middle of executions. */
static void threads_at_exit(void) {
  pthread_t thread;
  transform t = plan();
  execute(&t);
  for (int i = 0; i < 3; i++) pthread_create(&thread, NULL, executing_for_ever, NULL);
  for (int i = 0; i < 5; i++) execute(&t);
}

/* ---- dlopen and dlclose of the library itself ---- */

typedef struct {
  void *handle;
  fftwf_plan (*plan)(int, const int *, int, fftwf_complex *, const int *, int, int, fftwf_complex *, const int *, int,
                     int, int, unsigned);
  void (*execute)(fftwf_plan);
  void (*destroy)(fftwf_plan);
} loaded;

static loaded load(void) {
  loaded l = {dlopen(getenv("FG_LIBRARY"), RTLD_NOW | RTLD_LOCAL), NULL, NULL, NULL};
  if (!l.handle) wrong(dlerror());
  *(void **)&l.plan = dlsym(l.handle, "fftwf_plan_many_dft");
  *(void **)&l.execute = dlsym(l.handle, "fftwf_execute");
  *(void **)&l.destroy = dlsym(l.handle, "fftwf_destroy_plan");
  return l;
}

static void dlclosed(void) {
  static fftwf_complex data[N];
  const int n = N;
  for (int i = 0; i < 3; i++) {
    loaded l = load();
    fftwf_plan p = l.plan(1, &n, 1, data, NULL, 1, N, data, NULL, 1, N, FFTW_FORWARD, FFTW_ESTIMATE);
    memset(data, 0, sizeof data);
    data[0][0] = 1;
    l.execute(p);
    for (int k = 0; k < N; k++)
      if (fabsf(data[k][0] - 1) > 1e-5f || fabsf(data[k][1]) > 1e-5f) wrong("a wrong result");
    if (i % 2) l.destroy(p);
    dlclose(l.handle);
  }
}

/* A program that runs with its owner's rights, started by somebody else; surroundings.sh sees that no setting
 * counts. */
static void secure(void) {
  if (!getauxval(AT_SECURE)) _exit(SKIPPED);
  dlclosed();
}

/* ---- fork and exec ---- */

static void expect_well(pid_t child) {
  int status;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (!WIFEXITED(status) || WEXITSTATUS(status)) wrong("a child failed");
}

static void child_of(transform *t) {
  const pid_t child = fork();
  if (child == 0) {
    if (t) execute(t);
    all();
    exit(0);
  }
  expect_well(child);
}

static void forks(void) {
  child_of(NULL);
  transform t = plan();
  child_of(&t);
  execute(&t);
  child_of(&t);
  execute(&t);
  done(&t);
}

#ifndef HAVE_CLOSEFROM /* before glibc 2.34 */
static void closefrom(int first) {
  for (int fd = first; fd < sysconf(_SC_OPEN_MAX); fd++) close(fd);
}
#endif

/* Nothing of the library's is open in a program that it starts. */
static void descriptors_after_exec(void) {
  closefrom(3); /* what this program was started with */
  all();
  const pid_t child = fork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c",
          "for d in /proc/self/fd/*; do case ${d##*/} in [012]) ;; *) readlink $d ;; esac; done >&2; true",
          (char *)NULL);
    _exit(127);
  }
  expect_well(child);
}

/* ---- descriptors ---- */

static void no_standard_descriptors(void) {
  close(0);
  close(1);
  close(2);
  all();
  char name[] = "/tmp/surroundings-XXXXXX";
  const int file = mkstemp(name);
  dup2(file, 1);
  dup2(file, 2);
  all();
  const off_t written = lseek(file, 0, SEEK_END);
  unlink(name);
  if (written != 0) _exit(WRONG);
}

static void close_all(void) {
  transform t = plan();
  execute(&t);
  closefrom(3);
  for (int i = 0; i < 3; i++) execute(&t);
  all();
  done(&t);
}

static void limit(int what, rlim_t to) {
  struct rlimit l = {to, to};
  if (setrlimit(what, &l)) _exit(SKIPPED);
}

static void no_descriptors_to_plan(void) {
  limit(RLIMIT_NOFILE, 3);
  all();
}

static void no_descriptors_to_execute(void) {
  transform t = plan(), foreign = plan_foreign();
  limit(RLIMIT_NOFILE, 3);
  execute(&t);
  execute(&foreign);
  all();
}

/* ---- threads, memory, stack ---- */

static void be_nobody(void) {
  if (geteuid() == 0 && (setgid(65534) || setuid(65534))) _exit(SKIPPED);
}

static void *nothing(void *unused) { return unused; }

static void no_threads(void) {
  transform t = plan(), foreign = plan_foreign();
  be_nobody();
  limit(RLIMIT_NPROC, 0);
  pthread_t thread;
  if (pthread_create(&thread, NULL, nothing, NULL) == 0) _exit(SKIPPED);
  for (int i = 0; i < 3; i++) {
    execute(&t);
    execute(&foreign);
  }
  all();
}

static rlim_t address_space(void) {
  unsigned long pages = 0;
  FILE *f = fopen("/proc/self/statm", "r");
  if (!f || fscanf(f, "%lu", &pages) != 1) _exit(SKIPPED);
  fclose(f);
  return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

static void no_address_space_to_plan(void) {
  limit(RLIMIT_AS, address_space() + (32 << 20));
  all();
}

static void no_address_space_to_execute(void) {
  transform t = plan(), foreign = plan_foreign();
  limit(RLIMIT_AS, address_space() + (24 << 20));
  execute(&t);
  execute(&foreign);
}

static void no_locked_memory(void) {
  be_nobody();
  limit(RLIMIT_MEMLOCK, 64 << 10);
  all();
}

static void *in_thread(void *t) {
  for (int i = 0; i < 10; i++) execute(t);
  return t;
}

static void small_stacks(void) {
  pthread_attr_t small;
  pthread_t thread[4];
  transform t[4];
  for (int i = 0; i < 4; i++) t[i] = i % 2 ? plan() : plan_foreign();
  pthread_attr_init(&small);
  if (pthread_attr_setstacksize(&small, 64 << 10)) _exit(SKIPPED);
  for (int i = 0; i < 4; i++)
    if (pthread_create(&thread[i], &small, in_thread, &t[i])) _exit(SKIPPED);
  for (int i = 0; i < 4; i++) pthread_join(thread[i], NULL);
}

/* ---- interruptions, arithmetic ---- */

static volatile sig_atomic_t alarms;

static void on_alarm(int unused) {
  (void)unused;
  alarms++;
}

static void alarm_storm(void) {
  struct sigaction action = {.sa_handler = on_alarm}; /* without SA_RESTART: calls end early */
  const struct itimerval often = {{0, 1000}, {0, 1000}};
  sigaction(SIGALRM, &action, NULL);
  setitimer(ITIMER_REAL, &often, NULL);
  while (alarms < 500) all();
}

static void other_arithmetic(void) {
  fesetround(FE_UPWARD);
#ifdef __x86_64__
  const unsigned control = __builtin_ia32_stmxcsr() | 0x8040; /* flush to zero, denormals are zero */
  __builtin_ia32_ldmxcsr(control);
#endif
  all();
  if (fegetround() != FE_UPWARD) wrong("another rounding mode");
#ifdef __x86_64__
  if ((__builtin_ia32_stmxcsr() & 0xffc0) != (control & 0xffc0)) wrong("other denormals");
#endif
}

static void traps(void) {
  feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
  all();
  if (fegetexcept() != (FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW)) wrong("other traps");
}

/* ---- all of the device's memory is another's ---- */

static void memory_full(void) {
  void *cuda = dlopen("libcuda.so.1", RTLD_NOW);
  if (!cuda) _exit(SKIPPED);
  int (*alloc)(unsigned long long *, size_t), (*release)(unsigned long long);
  *(void **)&alloc = dlsym(cuda, "cuMemAlloc_v2");
  *(void **)&release = dlsym(cuda, "cuMemFree_v2");
  int (*current)(void *), (*retain)(void **, int);
  *(void **)&current = dlsym(cuda, "cuCtxSetCurrent");
  *(void **)&retain = dlsym(cuda, "cuDevicePrimaryCtxRetain");
  transform t = plan();
  execute(&t);
  void *context;
  if (retain(&context, 0) || current(context)) _exit(SKIPPED);
  fftwf_cleanup(); /* what it keeps for later executions is not to help it */
  enum { MOST = 100000 };
  static unsigned long long taken[MOST];
  int count = 0;
  for (size_t bytes = (size_t)1 << 34; bytes >= 1 << 12; bytes /= 2)
    while (count < MOST && alloc(&taken[count], bytes) == 0) count++;
  execute(&t); /* the host does it */
  transform more = plan();
  execute(&more);
  while (count > 0) release(taken[--count]);
  execute(&t); /* and the device again */
  done(&more);
  done(&t);
}

static const struct {
  const char *name;
  void (*run)(void);
} situations[] = {
    {"all", all}, {"atexit_before", atexit_before}, {"atexit_after", atexit_after}, {"destructors", destructors},
    {"leaving_plans_behind", leaving_plans_behind}, {"threads_at_exit", threads_at_exit}, {"dlclosed", dlclosed},
    {"forks", forks}, {"descriptors_after_exec", descriptors_after_exec},
    {"no_standard_descriptors", no_standard_descriptors}, {"close_all", close_all},
    {"no_descriptors_to_plan", no_descriptors_to_plan}, {"no_descriptors_to_execute", no_descriptors_to_execute},
    {"no_threads", no_threads}, {"no_address_space_to_plan", no_address_space_to_plan},
    {"no_address_space_to_execute", no_address_space_to_execute}, {"no_locked_memory", no_locked_memory},
    {"small_stacks", small_stacks}, {"alarm_storm", alarm_storm}, {"other_arithmetic", other_arithmetic},
    {"traps", traps}, {"memory_full", memory_full}, {"secure", secure},
};

int main(int argc, char **argv) {
  for (size_t i = 0; i < sizeof situations / sizeof *situations; i++)
    if (argc == 2 && !strcmp(argv[1], situations[i].name)) {
      situations[i].run();
      return 0;
    }
  return 2;
}
