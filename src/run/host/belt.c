/* belt.c: copies that several threads share, in order. */
#include "src/run/host/belt.h"

#include <sched.h>

enum { SPINS = 1024 };

void fg_belt_pause(unsigned turns) {
#if defined __x86_64__ || defined __i386__
  __builtin_ia32_pause();
#elif defined __aarch64__
  __asm__ volatile("isb"); /* its "yield" does nothing on most */
#endif
  if (turns % SPINS == SPINS - 1) sched_yield();
}

void fg_belt_start(fg_belt *b, fg_belt_part part, void *context, int parts) {
  b->part = part;
  b->context = context;
  b->parts = parts;
  b->base = atomic_load(&b->next);
  for (int i = 0; i < FG_RING; i++) atomic_store(&b->finished[i], 0);
}

/* Publishes all that the owner wrote before. */
void fg_belt_open(fg_belt *b) { atomic_fetch_add_explicit(&b->open, (size_t)b->parts, memory_order_release); }

bool fg_belt_done(const fg_belt *b, size_t piece) {
  const size_t all = (size_t)b->parts * (piece / FG_RING + 1);
  return atomic_load_explicit(&b->finished[piece % FG_RING], memory_order_acquire) >= all;
}

static bool take(fg_belt *b, size_t *number) {
  *number = atomic_load_explicit(&b->next, memory_order_relaxed);
  do
    if (*number >= atomic_load_explicit(&b->open, memory_order_acquire)) return false;
  while (!atomic_compare_exchange_weak(&b->next, number, *number + 1));
  return true;
}

bool fg_belt_help(fg_belt *b) {
  size_t number;
  if (!take(b, &number)) return false;
  const size_t at = number - b->base, piece = at / (size_t)b->parts;
  b->part(b->context, piece, (int)(at % (size_t)b->parts), b->parts);
  atomic_fetch_add_explicit(&b->finished[piece % FG_RING], 1, memory_order_release);
  return true;
}

static size_t finished(const fg_belt *b) {
  size_t sum = 0;
  for (int i = 0; i < FG_RING; i++) sum += atomic_load_explicit(&b->finished[i], memory_order_acquire);
  return sum;
}

void fg_belt_stop(fg_belt *b) {
  size_t number, skipped = 0;
  while (take(b, &number)) skipped++;
  const size_t taken = atomic_load(&b->next) - b->base - skipped;
  for (unsigned turns = 0; finished(b) < taken; turns++) fg_belt_pause(turns);
}
