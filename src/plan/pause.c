/* pause.c: executions that are not tried on the device after others whose numbers it could not hold. */
#include "src/plan/pause.h"

bool fg_pause_holds(fg_pause *p, unsigned long number) {
  return number < atomic_load_explicit(&p->until, memory_order_relaxed);
}

void fg_pause_note(fg_pause *p, unsigned long number, bool out_of_range) {
  if (!out_of_range) {
    if (atomic_load_explicit(&p->in_a_row, memory_order_relaxed)) atomic_store(&p->in_a_row, 0);
    return;
  }
  const unsigned before = atomic_fetch_add(&p->in_a_row, 1);
  unsigned long length = before ? 1 : 0;
  for (unsigned i = 1; i < before && length < FG_MOST_PAUSE; i++) length *= 2;
  atomic_store(&p->until, number + 1 + length);
}
