/* arena_price.c: what it costs to tell any pointer, and to hold pinned memory for an execution; nanoseconds, on the
 * sim backend, with so many blocks in the table.
 *   make tests/bench/arena_price && tests/bench/arena_price [blocks] */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/run/arena/arena.h"

enum { TIMES = 1000000 };
static const fg_target *target;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void look(char *p) { fg_arena_holds(p, 1000); }

static void hold(char *p) { fg_arena_let_go(fg_arena_hold(target, p, 1000)); }

static void come_and_go(char *p) {
  fg_arena_came(FG_REGION_BLOCK, p, FG_ARENA_SMALLEST);
  fg_arena_block_goes(p);
}

static void time_of(const char *what, void (*call)(char *), char *p) {
  const double start = now();
  for (int i = 0; i < TIMES; i++) call(p);
  printf("  %-44s %6.0f\n", what, (now() - start) / TIMES);
}

static void all(char *own, char *block, char *heap) {
  time_of("look up, own memory", look, own + 100);
  time_of("look up, foreign memory", look, heap);
  time_of("hold and let go, own memory, pinned", hold, own + 100);
  time_of("hold and let go, foreign memory", hold, heap);
  if (block) time_of("hold and let go, watched block, pinned", hold, block + 100);
  if (block) time_of("a block comes and goes", come_and_go, heap);
}

int main(int count, char **arguments) {
  const int blocks = count > 1 ? atoi(arguments[1]) : 1000;
  const char *why;
  setenv("FFTW3_GPU_BACKEND", "sim", 1);
  target = fg_target_get(&why);
  char *own = NULL, *heap = malloc(1 << 20), *block = malloc((1 << 20) + FG_ARENA_PAD);
  for (int i = 0; i < blocks; i++) own = fg_arena_alloc(FG_ARENA_SMALLEST);
  if (!target || !own || !heap || !block) return 1;
  memset(heap, 1, 1 << 20);
  memset(block, 1, 1 << 20);
  printf("%d blocks\n", blocks);
  all(own, NULL, heap);
  fg_arena_watch(NULL);
  fg_arena_came(FG_REGION_BLOCK, block, 1 << 20);
  for (int i = 0; i < 1000; i++) fg_arena_pin(target, block, 1 << 20);
  puts("while memory is watched");
  all(own, block, heap);
  return 0;
}
