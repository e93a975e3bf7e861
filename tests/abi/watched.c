/* watched.c: a program that knows nothing of pinning: arrays of every kind are transformed until the GPU has reason to
 * pin them, then taken away, and others put in their place. Every result is checked. Says what it does on stdout, and
 * between the lines a log on the same file tells what was pinned and unpinned.
 *   watched CASE    one of the table below */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fftw3.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef OWN_MALLOC
static _Alignas(64) char heap[64 << 20];

static void *get(size_t alignment, size_t n) {
  static size_t used;
  const size_t at = __atomic_fetch_add(&used, (n + alignment + 127) & ~(size_t)63, __ATOMIC_RELAXED);
  if (at + n + alignment + 64 > sizeof heap) return NULL;
  char *const p = (char *)(((uintptr_t)heap + at + 64 + alignment - 1) & -(uintptr_t)alignment);
  memcpy(p - 64, &n, sizeof n);
  return p;
}

void *malloc(size_t n) { return get(64, n); }
void *aligned_alloc(size_t alignment, size_t n) { return get(alignment, n); }

int posix_memalign(void **p, size_t alignment, size_t n) {
  *p = get(alignment, n);
  return *p ? 0 : 12;
}

/* Blocks of another allocator are no business of this one. */
void free(void *p) {
  if (p && (uintptr_t)p - (uintptr_t)heap >= sizeof heap) abort();
}

#ifdef ALLOCATOR /* tcmalloc has these too */
void *__libc_malloc(size_t n) __attribute__((alias("malloc")));
void __libc_free(void *p) __attribute__((alias("free")));
#endif

void *calloc(size_t count, size_t size) { return malloc(count * size); }

void *realloc(void *p, size_t n) {
  void *const q = malloc(n);
  size_t old = 0;
  if (p) memcpy(&old, (char *)p - 64, sizeof old);
  return q && p ? memcpy(q, p, old < n ? old : n) : q;
}
#endif

#ifndef ALLOCATOR /* the rest is the program */

enum { LINES = 64, N = 512, POINTS = LINES * N, TIMES = 30 };
static const size_t bytes = POINTS * sizeof(fftwf_complex); /* 256 KB: 64 pages */
static fftwf_plan plan;
static fftwf_complex fixed[2 * POINTS];

static void say(const char *what) {
  printf("%s\n", what);
  fflush(stdout);
}

static void fill(fftwf_complex *x, int seed) {
  for (int i = 0; i < POINTS; i++) {
    x[i][0] = (float)((i * 7919 + seed * 31) % 1013) / 1013 - 0.5f;
    x[i][1] = (float)((i * 31337 + seed * 17) % 997) / 997 - 0.5f;
  }
}

/* Each line's first output is the sum of its input. */
static void transform(fftwf_complex *x, int seed) {
  double sums[LINES] = {0};
  fill(x, seed);
  for (int i = 0; i < POINTS; i++) sums[i / N] += x[i][0];
  fftwf_execute_dft(plan, x, x);
  for (int l = 0; l < LINES; l++)
    if (!(fabs(x[l * N][0] - sums[l]) < 1e-2)) {
      printf("WRONG: line %d: %g instead of %g\n", l, x[l * N][0], sums[l]);
      exit(1);
    }
}

static void often(void *x, const char *what) {
  say(what);
  for (int i = 0; i < TIMES; i++) transform(x, i);
}

static void *need(void *p) {
  if (!p || p == MAP_FAILED) {
    perror("watched");
    exit(2);
  }
  return p;
}

/* ---- the cases ---- */

static void blocks(void) {
  void *const a = need(malloc(bytes));
  often(a, "malloc");
  free(a);
  void *const b = need(malloc(2 * bytes));
  often(b, "malloc again, larger");
  say("free");
  free(b);
  void *const c = need(calloc(1, bytes));
  often(c, "calloc");
  free(c);
  void *d = NULL;
  if (posix_memalign(&d, 64, bytes)) exit(2);
  often(d, "posix_memalign");
  free(d);
  often(need(d = aligned_alloc(4096, bytes)), "aligned_alloc");
  say("end");
  free(d);
}

static void moved(void) {
  char *a = need(malloc(bytes));
  often(a, "malloc");
  say("realloc, larger");
  a = need(realloc(a, 40 * bytes));
  often(a + 20 * bytes, "execute");
  say("realloc, smaller");
  a = need(realloc(a, bytes));
  often(a, "execute");
  say("end");
  free(a);
}

static void *map(void *at, size_t length, int flags) {
  return need(mmap(at, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0));
}

static void mappings(void) {
  char *const a = map(NULL, bytes, 0);
  often(a, "mmap");
  say("mmap over it");
  map(a, bytes, MAP_FIXED);
  often(a, "execute");
  say("munmap");
  munmap(a, bytes);
  map(a, bytes, MAP_FIXED);
  often(a, "execute");
  say("end");
  munmap(a, bytes);
}

/* An aligned mapping, as programs make it: what is too much goes. */
static void trimmed(void) {
  char *const a = map(NULL, 4 * bytes, 0), *const middle = a + bytes;
  munmap(a, bytes);
  munmap(a + 3 * bytes, bytes);
  often(middle, "mmap, trimmed");
  say("end");
  munmap(middle, 2 * bytes);
}

static void remapped(void) {
  char *const a = map(NULL, bytes, 0), *const place = map(NULL, bytes, 0);
  often(a, "mmap");
  often(place, "another");
  say("mremap over it");
  char *const b = need(mremap(a, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, place));
  map(a, bytes, MAP_FIXED);
  often(a, "execute in the old place");
  transform((void *)b, 1);
  say("end");
}

static void advised(void) {
  char *const a = need(aligned_alloc(4096, bytes));
  often(a, "aligned_alloc");
  say("madvise");
  madvise(a, bytes, MADV_DONTNEED);
  often(a, "execute");
  say("end");
  free(a);
}

static void variables(void) {
  often(fixed + 5, "static");
  say("end");
}

static void __attribute__((noinline)) on_stack(void) {
  fftwf_complex x[POINTS];
  often(x, "stack");
  say("end");
}

static void *churn(void *stop) {
  for (unsigned i = 0; !__atomic_load_n((int *)stop, __ATOMIC_RELAXED); i++) {
    char *p = malloc((64 << 10) + i * 4099 % (1 << 20));
    if (p) p[i % 65536] = 1;
    void *m = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    p = realloc(p, (64 << 10) + i * 8209 % (1 << 20));
    if (m != MAP_FAILED) munmap(m, bytes);
    free(p);
  }
  return NULL;
}

static void threads(void) {
  pthread_t thread[3];
  int stop = 0;
  for (int i = 0; i < 3; i++) pthread_create(&thread[i], NULL, churn, &stop);
  for (int round = 0; round < 6; round++) {
    void *const a = need(malloc(bytes));
    often(a, "malloc");
    free(a);
  }
  __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
  for (int i = 0; i < 3; i++) pthread_join(thread[i], NULL);
  say("end");
}

/* Freed and mapped again where nobody can see it: only the block's seal tells. */
static void unseen(void) {
  void *const libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
  void (*const real_free)(void *) = (void (*)(void *))dlsym(need(libc), "free");
  const size_t large = 160 * bytes; /* 40 MB: always a mapping of its own */
  char *const a = need(malloc(large));
  memset(a, 1, large);
  often(a + large / 2, "malloc");
  say("free unseen");
  real_free(a);
  char *const page = a - (uintptr_t)a % 4096;
  const int protection = PROT_READ | PROT_WRITE, flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
  if ((char *)syscall(SYS_mmap, page, large, protection, flags, -1, 0) != page) exit(2);
  often(a + large / 2, "execute");
  say("end");
}

/* Other pages, which are not the process's alone, in the place of a mapping that went where nobody can see it. */
static void shared(void) {
  char *const a = map(NULL, bytes, 0);
  often(a, "mmap");
  say("munmap unseen");
  syscall(SYS_munmap, a, bytes);
  if (mmap(a, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0) != a) exit(2);
  often(a, "execute");
  say("end");
  munmap(a, bytes);
}

/* The child has the memory, and transforms on the host. */
static void forked(void) {
  char *const a = need(malloc(bytes));
  often(a, "malloc");
  const pid_t child = fork();
  if (child == 0) {
    transform((void *)a, 3);
    free(a);
    void *const b = malloc(bytes);
    transform(b, 4);
    free(b);
    _exit(0);
  }
  int status;
  waitpid(child, &status, 0);
  say(status ? "the child failed" : "execute");
  transform((void *)a, 5);
  say("end");
  free(a);
}

static const struct {
  const char *name;
  void (*run)(void);
} cases[] = {{"blocks", blocks},       {"moved", moved},     {"mappings", mappings},   {"trimmed", trimmed},
             {"remapped", remapped}, {"advised", advised}, {"variables", variables}, {"stack", on_stack},
             {"threads", threads},   {"unseen", unseen},   {"shared", shared},
             {"forked", forked}};

int main(int count, char **arguments) {
  fftwf_complex *x = fftwf_malloc(bytes);
  
  plan = fftwf_plan_many_dft(1, (int[]){N}, LINES, x, NULL, 1, N, x, NULL, 1, N, FFTW_FORWARD,
                             FFTW_ESTIMATE | FFTW_UNALIGNED);
  fftwf_free(x);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    if (count > 1 && plan && !strcmp(arguments[1], cases[i].name)) {
      cases[i].run();
      fftwf_destroy_plan(plan);
      return 0;
    }
  return 2;
}
#endif
