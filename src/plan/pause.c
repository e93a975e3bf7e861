/* pause.c: executions that are not tried on the device after others whose numbers it could not hold. */
#include "src/plan/pause.h"

bool fg_pause_holds(fg_pause *p, unsigned long number) {
  return number < atomic_load_explicit(&p->until, memory_order_relaxed);
}

/* After so many in a row. */
static unsigned long length_after(unsigned failures) {
  unsigned long length = failures > 1 ? 1 : 0;
  for (unsigned i = 2; i < failures && length < FG_MOST_PAUSE; i++) length *= 2;
  return length;
}

void fg_pause_out_of_range(fg_pause *p, unsigned long number, unsigned long begun) {
  unsigned long until = atomic_load(&p->until);
  const unsigned failures = atomic_load(&p->in_a_row) + 1;
  do
    if (number < until) return; /* begun before the last one was known */
  while (!atomic_compare_exchange_weak(&p->until, &until, begun + 1 + length_after(failures)));
  atomic_store(&p->in_a_row, failures);
}

void fg_pause_in_range(fg_pause *p) {
  if (atomic_load_explicit(&p->in_a_row, memory_order_relaxed)) atomic_store(&p->in_a_row, 0);
}
