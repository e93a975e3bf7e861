/* convert_price.c: how fast double arrays are staged as single precision, against copying them as they are; one
 * processor, arrays that no cache holds.
 *   make tests/bench/convert_price && tests/bench/convert_price [megabytes] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/problem/convert.h"
#include "src/run/host/transfer.h"

enum { RUNS = 9, PIECE = 1 << 20 }; /* bytes of staging that are filled at a time */

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct {
  fg_layout layout;
  double *array;
  char *staging;
  size_t ring; /* bytes of staging, used over and over */
} subject;

typedef void (*mover)(subject *s, ptrdiff_t first, ptrdiff_t count, char *staging);

static void gather(subject *s, ptrdiff_t first, ptrdiff_t count, char *staging) {
  fg_transfer_gather(&s->layout, s->array, first, count, staging, true);
}

static void gather_cached(subject *s, ptrdiff_t first, ptrdiff_t count, char *staging) {
  fg_transfer_gather(&s->layout, s->array, first, count, staging, false);
}

static void scatter(subject *s, ptrdiff_t first, ptrdiff_t count, char *staging) {
  fg_transfer_scatter(&s->layout, s->array, first, count, staging, true);
}

static void all(subject *s, mover move) {
  const size_t element = fg_layout_element_size(&s->layout);
  const ptrdiff_t most = (ptrdiff_t)(PIECE / element);
  size_t at = 0;
  for (ptrdiff_t first = 0; first < s->layout.elements; first += most) {
    const ptrdiff_t count = s->layout.elements - first < most ? s->layout.elements - first : most;
    move(s, first, count, s->staging + at);
    at = at + 2 * PIECE <= s->ring ? at + PIECE : 0;
  }
}

enum { COPIED, WAYS = 1 + FG_AVX512 + 1 };
static const char *const ways[WAYS] = {"copied", "portable", "sse2", "avx", "avx512"};

static double time_of(subject *s, mover move, int way) {
  s->layout.image = way == COPIED ? FG_DOUBLE : FG_SINGLE;
  if (way != COPIED) fg_convert_most = (enum fg_instructions)(way - 1);
  const double start = now();
  all(s, move);
  return now() - start;
}

/* Gigabytes of the program's own array a second, and against plain copies of it: the best of some runs, in each of
 * which all take turns, since the machine may have other work. */
static void compare(const char *what, subject *s, mover move) {
  const double bytes = (double)(s->layout.elements * s->layout.unit) * sizeof(double);
  double best[WAYS] = {0};
  for (int run = 0; run < RUNS; run++)
    for (int way = 0; way < WAYS; way++) {
      const double seconds = time_of(s, move, way);
      if (run == 0 || seconds < best[way]) best[way] = seconds;
    }
  for (int way = 0; way < WAYS; way++)
    printf("  %-30s %-9s %6.1f GB/s, %.2f of the time\n", way ? "" : what, ways[way], bytes / best[way] * 1e-9,
           best[way] / best[COPIED]);
}

/* Lines of n complex numbers, distance apart. */
static bool subject_make(subject *s, ptrdiff_t n, ptrdiff_t lines, ptrdiff_t distance) {
  fg_problem *p = fg_problem_new(FG_DFT, FG_DOUBLE, FG_INTERLEAVED, 1, 1);
  if (!p) return false;
  p->transform.dim[0] = (fg_dim){n, 2, 2};
  p->batch.dim[0] = (fg_dim){lines, 2 * distance, 2 * distance};
  const bool made = fg_layout_make(&s->layout, p, FG_INPUT);
  fg_problem_free(p);
  return made;
}

int main(int count, char **arguments) {
  const size_t bytes = (size_t)(count > 1 ? atoi(arguments[1]) : 256) << 20, numbers = bytes / (2 * sizeof(double));
  subject s = {.ring = bytes, .array = aligned_alloc(4096, bytes), .staging = aligned_alloc(4096, bytes)};
  if (!s.array || !s.staging) return 1;
  for (size_t i = 0; i < 2 * numbers; i++) s.array[i] = (double)i * 1e-9;
  memset(s.staging, 0, bytes);
  printf("%zu MB, one thread\n", bytes >> 20);
  if (!subject_make(&s, (ptrdiff_t)numbers, 1, (ptrdiff_t)numbers)) return 1;
  compare("no gaps, into staging", &s, gather);
  compare("no gaps, into staging, cached", &s, gather_cached);
  compare("no gaps, out of staging", &s, scatter);
  static const ptrdiff_t rows[] = {8, 24, 100, 500};
  for (int i = 0; i < 4; i++) {
    char what[64];
    if (!subject_make(&s, rows[i], (ptrdiff_t)numbers / (rows[i] + 4), rows[i] + 4)) return 1;
    snprintf(what, sizeof what, "rows of %td, gaps of 4, in", rows[i]);
    compare(what, &s, gather);
    snprintf(what, sizeof what, "rows of %td, in, cached", rows[i]);
    compare(what, &s, gather_cached);
    snprintf(what, sizeof what, "rows of %td, out", rows[i]);
    compare(what, &s, scatter);
  }
  if (!subject_make(&s, 1, (ptrdiff_t)numbers / 3, 3)) return 1;
  compare("every third, in", &s, gather);
  compare("every third, out", &s, scatter);
  return 0;
}
