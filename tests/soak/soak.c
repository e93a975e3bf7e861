/* soak.c: random FFTW programs: plans made, copied, executed by several threads and destroyed, arrays allocated and
 * freed, wisdom and forks in between, a cleanup after each of twenty rounds.  Linked to stock FFTW alone, so that any
 * library may be preloaded.
 *
 *   soak [--seconds=S] [--count=EXECUTIONS] [--seed=N] [--problems=N] [--elements=N] [--threads=N] [--growth=MB]
 *        [--apart] [--any] [--once] [--verbose]
 *
 * apart: no problem is in place, so that whatever fails has left the input as it was.  any: any lengths, up to four
 * dimensions.  once: each problem is executed once and that is all; wrong ones are told, and the next is tried.
 *
 * All problems are executed once before memory is looked at for the first time, but within two fifths of the SECONDS,
 * which are of the whole process: those that there was no time for are left out.  At the end, when all was given back, it
 * must not have grown by more than that many MB, on the host or (where there is a CUDA driver) on the device.  Every
 * result is compared with what stock FFTW made of the same input before the program began.  Exit status 3: a wrong
 * result or more memory. */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <getopt.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/soak/problem.h"

enum { LIVE = 12, WRONG = 3 };

static struct {
  double seconds;
  long count, seed, problems, threads, growth;
  sort sort;
  bool once, verbose;
} set = {.seconds = 0, .count = 2000, .seed = 1, .problems = 60, .sort = {.elements = 4096}, .threads = 4, .growth = 16};

static problem *pool;
static atomic_long plans, executions, new_arrays, copies, wisdoms, cleanups, forks, nulls;
static atomic_bool over;

/* Programs serialise what FFTW does not. */
static pthread_mutex_t planner = PTHREAD_MUTEX_INITIALIZER;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void tell(const problem *p, const char *what) {
  char text[200] = "";
  if (p) problem_print(p, text, sizeof text);
  fprintf(stderr, "soak: seed %ld, after %ld executions: %s %s\n", set.seed, atomic_load(&executions), what, text);
}

static void fail(const problem *p, const char *what) {
  tell(p, what);
  _exit(WRONG);
}

/* ---- one plan ---- */

typedef struct {
  const problem *problem;
  arrays arrays;
  fftwf_plan plan;
  bool alone; /* it has the arrays: copies share them with their original */
} live;

static unsigned flags_for(dice *d, enum memory memory) {
  static const unsigned choices[] = {FFTW_ESTIMATE, FFTW_ESTIMATE, FFTW_ESTIMATE | FFTW_PRESERVE_INPUT,
                                     FFTW_ESTIMATE | FFTW_DESTROY_INPUT};
  return choices[dice_between(d, 0, 3)] | (memory == OWN ? 0 : FFTW_UNALIGNED);
}

/* False where FFTW itself has no plan: c2r of several dimensions that keeps its input. */
static bool start(live *l, dice *d, const problem *p) {
  const enum memory memory = (enum memory)dice_between(d, 0, MEMORIES - 1);
  *l = (live){p, arrays_make(p, memory), NULL, true};
  const unsigned flags = flags_for(d, memory);
  pthread_mutex_lock(&planner);
  l->plan = problem_plan(p, &l->arrays, flags);
  pthread_mutex_unlock(&planner);
  atomic_fetch_add(l->plan ? &plans : &nulls, 1);
  if (l->plan) return true;
  if (problem_is_planned(p, &l->arrays, flags)) fail(p, "no plan for");
  arrays_free(&l->arrays);
  return false;
}

/* The result is right. */
static bool execute(const live *l, dice *d) {
  float factor;
  const bool elsewhere = dice_one_in(d, 3);
  arrays other = elsewhere ? arrays_make(l->problem, l->arrays.memory) : l->arrays;
  float *before = problem_fill(l->problem, &other, d, &factor);
  problem_execute(l->problem, l->plan, &other, elsewhere);
  const bool right = problem_check(l->problem, &other, before, factor);
  if (elsewhere) arrays_free(&other);
  atomic_fetch_add(&executions, 1);
  atomic_fetch_add(&new_arrays, elsewhere);
  return right;
}

static void run(const live *l, dice *d) {
  if (!execute(l, d)) fail(l->problem, "wrong result of");
}

static void end(live *l) {
  pthread_mutex_lock(&planner);
  fftwf_destroy_plan(l->plan);
  pthread_mutex_unlock(&planner);
  arrays_free(&l->arrays);
  l->plan = NULL;
}

static fftwf_plan (*copy_plan)(fftwf_plan); /* NULL before FFTW 3.3.11 */

/* A copy lives on when the original is destroyed. */
static void copy(live *l) {
  if (!copy_plan) return;
  pthread_mutex_lock(&planner);
  fftwf_plan second = copy_plan(l->plan);
  fftwf_destroy_plan(l->plan);
  pthread_mutex_unlock(&planner);
  l->plan = second;
  atomic_fetch_add(&copies, 1);
}

/* ---- what concerns all plans ---- */

static void wisdom(void) {
  pthread_mutex_lock(&planner);
  char *text = fftwf_export_wisdom_to_string();
  fftwf_forget_wisdom();
  if (!text || !fftwf_import_wisdom_from_string(text)) fail(NULL, "wisdom is not read back");
  free(text);
  pthread_mutex_unlock(&planner);
  atomic_fetch_add(&wisdoms, 1);
}

/* The child uses a plan of its parent's and makes one. */
static void fork_off(const live *l, dice *d) {
  int status;
  pthread_mutex_lock(&planner);
  const pid_t child = fork();
  pthread_mutex_unlock(&planner);
  if (child == 0) {
    live own;
    alarm(60);
    if (l->plan) run(l, d);
    if (start(&own, d, &pool[dice_between(d, 0, set.problems - 1)])) {
      run(&own, d);
      end(&own);
    }
    _exit(0);
  }
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (status) fail(l->plan ? l->problem : NULL, "a child failed:");
  atomic_fetch_add(&forks, 1);
}

/* ---- threads ---- */

/* AddressSanitizer (GCC 12's) does not hold its allocator's locks over a fork as the C library does: in the child of one
 * beside a thread that is allocating, malloc waits for ever.  There threads are between two acts meanwhile. */
#ifdef __SANITIZE_ADDRESS__
static pthread_rwlock_t acts = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static void begin_act(bool forks) { forks ? pthread_rwlock_wrlock(&acts) : pthread_rwlock_rdlock(&acts); }
static void end_act(void) { pthread_rwlock_unlock(&acts); }
#else
static void begin_act(bool forks) { (void)forks; }
static void end_act(void) {}
#endif

enum { ALL = 1000, RUNS = 700, ENDS = 930, COPIES = 980, WISDOMS = 995 }; /* the rest forks, of the first thread */

static void act_on(live *l, dice *d, ptrdiff_t what, bool first) {
  if (!l->plan && !start(l, d, &pool[dice_between(d, 0, set.problems - 1)])) return;
  if (what <= RUNS) run(l, d);
  else if (what <= ENDS) end(l);
  else if (what <= COPIES) copy(l);
  else if (what <= WISDOMS) wisdom();
  else if (first) fork_off(l, d);
}

static void act(live *l, dice *d, bool first) {
  const ptrdiff_t what = dice_between(d, 1, ALL);
  begin_act(what > WISDOMS && first);
  act_on(l, d, what, first);
  end_act();
}

static void *worker(void *number) {
  const uint64_t round = (uint64_t)atomic_load(&cleanups), which = round * 1000 + (uint64_t)(size_t)number;
  dice d = {(uint64_t)set.seed * UINT64_C(0x9e3779b97f4a7c15) + which * 2 + 1};
  live list[LIVE] = {{.plan = NULL}};
  while (!atomic_load(&over)) act(&list[dice_between(&d, 0, LIVE - 1)], &d, number == NULL);
  for (int i = 0; i < LIVE; i++)
    if (list[i].plan) end(&list[i]);
  return NULL;
}

/* Threads begin, work and end; then no plan is left, as FFTW wants it for a cleanup. */
static void round_of(double seconds, long count) {
  const double until = now() + seconds;
  const long last = atomic_load(&executions) + count;
  pthread_t *thread = malloc((size_t)set.threads * sizeof *thread);
  atomic_store(&over, false);
  for (long i = 0; i < set.threads; i++)
    if (pthread_create(&thread[i], NULL, worker, (void *)i)) fail(NULL, "no thread");
  while (seconds > 0 ? now() < until : atomic_load(&executions) < last) usleep(2000);
  atomic_store(&over, true);
  for (long i = 0; i < set.threads; i++) pthread_join(thread[i], NULL);
  free(thread);
  fftwf_cleanup();
  atomic_fetch_add(&cleanups, 1);
}


/* ---- memory ---- */

typedef struct {
  double heap, resident, device; /* MB; device: free, 0 without a driver */
} usage;

static double resident(void) {
  unsigned long all, here = 0;
  FILE *f = fopen("/proc/self/statm", "r");
  if (!f || fscanf(f, "%lu %lu", &all, &here) != 2) here = 0;
  if (f) fclose(f);
  return (double)here * (double)sysconf(_SC_PAGESIZE) / (1 << 20);
}

/* Of the first device, if the library has started it. */
static double device_free(void) {
  void *cuda = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD), *context;
  if (!cuda) return 0;
  int (*retain)(void **, int), (*push)(void *), (*pop)(void **), (*info)(size_t *, size_t *);
  *(void **)&retain = dlsym(cuda, "cuDevicePrimaryCtxRetain");
  *(void **)&push = dlsym(cuda, "cuCtxPushCurrent_v2");
  *(void **)&pop = dlsym(cuda, "cuCtxPopCurrent_v2");
  *(void **)&info = dlsym(cuda, "cuMemGetInfo_v2");
  size_t available = 0, all;
  if (retain(&context, 0) || push(context)) return 0;
  info(&available, &all);
  pop(&context);
  return (double)available / (1 << 20);
}

static usage look(void) {
  fftwf_cleanup();
  malloc_trim(0);
#ifdef HAVE_MALLINFO2
  const struct mallinfo2 m = mallinfo2();
#else /* before glibc 2.33; to 2 GB */
  const struct mallinfo m = mallinfo();
#endif
  return (usage){(double)(m.uordblks + m.hblkhd) / (1 << 20), resident(), device_free()};
}

enum { ROUNDS = 10 };

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

/* So many MB the heap grows in a round, the first quartile: a leak grows in each; buffers for as many executions as happen
 * to meet, each of which stays, in few. */
static double rounds(double seconds, long count) {
  const double until = now() + seconds;
  double growth[ROUNDS], last = look().heap;
  int i = 0;
  do {
    round_of(seconds / ROUNDS, count / ROUNDS);
    const usage u = look();
    growth[i] = u.heap - last;
    last = u.heap;
    if (set.verbose)
      printf("after %ld executions: heap %.2f, resident %.1f\n", atomic_load(&executions), u.heap, u.resident);
  } while (++i < ROUNDS && (seconds <= 0 || now() < until));
  qsort(growth, (size_t)i, sizeof *growth, ascending);
  return growth[i / 4];
}

static void once(const problem *p, dice *d) {
  live l;
  if (!start(&l, d, p)) return;
  run(&l, d);
  end(&l);
}

/* Made, and each executed once; no more of them than there is time for. */
static void begin_problems(double until) {
  dice made = {(uint64_t)set.seed * 2 + 1}, d = {(uint64_t)set.seed + 77};
  pool = calloc((size_t)set.problems, sizeof *pool);
  for (long i = 0; i < set.problems; i++) {
    problem_make(&pool[i], &made, &set.sort);
    once(&pool[i], &d);
    if (set.seconds > 0 && now() > until) set.problems = i + 1;
  }
}

/* --once */
static int each_once(void) {
  const double begin = now();
  dice made = {(uint64_t)set.seed * 2 + 1}, d = {(uint64_t)set.seed + 77};
  long tried = 0, wrong = 0;
  for (; tried < set.problems && (set.seconds <= 0 || now() < begin + set.seconds); tried++) {
    problem p;
    live l;
    problem_make(&p, &made, &set.sort);
    if (set.verbose) tell(&p, "next is");
    if (start(&l, &d, &p)) {
      if (!execute(&l, &d)) tell(&p, "wrong result of"), wrong++;
      end(&l);
    }
    problem_free(&p);
  }
  printf("seed %ld: %ld problems of at most %td elements in %.1f s: %ld executions (%ld NULL as in FFTW), %ld wrong\n",
         set.seed, tried, set.sort.elements, now() - begin, atomic_load(&executions), atomic_load(&nulls), wrong);
  return wrong ? WRONG : 0;
}

static void read_options(int argc, char **argv) {
  static const struct option options[] = {
      {"seconds", 1, NULL, 's'},  {"count", 1, NULL, 'c'},   {"seed", 1, NULL, 'r'},
      {"problems", 1, NULL, 'p'}, {"elements", 1, NULL, 'e'}, {"threads", 1, NULL, 't'},
      {"growth", 1, NULL, 'g'},   {"apart", 0, NULL, 'a'},    {"any", 0, NULL, 'A'},
      {"once", 0, NULL, 'o'},     {"verbose", 0, NULL, 'v'},
      {NULL, 0, NULL, 0}};
  for (int o; (o = getopt_long(argc, argv, "", options, NULL)) != -1;) switch (o) {
      case 's': set.seconds = atof(optarg); break;
      case 'c': set.count = atol(optarg); break;
      case 'r': set.seed = atol(optarg); break;
      case 'p': set.problems = atol(optarg); break;
      case 'e': set.sort.elements = atol(optarg); break;
      case 't': set.threads = atol(optarg); break;
      case 'g': set.growth = atol(optarg); break;
      case 'a': set.sort.apart = true; break;
      case 'A': set.sort.any = true; break;
      case 'o': set.once = true; break;
      case 'v': set.verbose = true; break;
      default: exit(2);
    }
  if (set.problems < 1 || set.threads < 1 || set.sort.elements < 16) exit(2);
}

static void report(const usage *before, const usage *after, double each, double warm, double took) {
  printf("seed %ld: %ld problems of at most %td elements, first executions in %.1f s, then %.1f s with %ld threads\n",
         set.seed, set.problems, set.sort.elements, warm, took, set.threads);
  printf("%ld plans (%ld NULL as in FFTW), %ld executions (%ld on new arrays), %ld copies, %ld forks, ",
         atomic_load(&plans), atomic_load(&nulls), atomic_load(&executions), atomic_load(&new_arrays),
         atomic_load(&copies), atomic_load(&forks));
  printf("wisdom %ld times, cleanup %ld times; all results right\n", atomic_load(&wisdoms), atomic_load(&cleanups));
  printf("MB before and after: heap %.1f %.1f (%.3f a round), resident %.1f %.1f, free on the device %.0f %.0f\n",
         before->heap, after->heap, each, before->resident, after->resident, before->device, after->device);
}

int main(int argc, char **argv) {
  read_options(argc, argv);
  /* Else malloc keeps more the larger what was once freed, for each thread: it would look like a leak. */
  mallopt(M_MMAP_THRESHOLD, 256 << 10);
  mallopt(M_TRIM_THRESHOLD, 1 << 20);
  if (!problem_find_stock()) return 77;
  *(void **)&copy_plan = dlsym(RTLD_DEFAULT, "fftwf_copy_plan");
  if (set.once) return each_once();
  const double begin = now(), wanted = set.seconds;
  begin_problems(begin + 0.4 * wanted);
  const double warm = now() - begin, least = 0.2 * wanted; /* the last problem may have taken long */
  const double left = wanted - warm > least ? wanted - warm : least;
  rounds(left / 2, set.count / 2); /* threads, their stacks and heaps */
  const usage before = look();
  const double each = rounds(left / 2, set.count - set.count / 2);
  const usage after = look();
  report(&before, &after, each, warm, now() - begin - warm);
  for (long i = 0; i < set.problems; i++) problem_free(&pool[i]);
  free(pool);
  const double growth = (double)set.growth;
  const bool flat = each < growth / 320 && after.heap < before.heap + growth / 2 &&
                    after.resident < before.resident + growth && after.device > before.device - growth;
  if (!flat) fprintf(stderr, "soak: memory grew\n");
  return flat ? 0 : WRONG;
}
