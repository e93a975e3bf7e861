/* ending.c: whether the process is ending. */
#include "src/run/ending.h"

#include <stdatomic.h>

static atomic_bool ending;

void fg_ending_begin(void) { atomic_store(&ending, true); }
bool fg_ending(void) { return atomic_load_explicit(&ending, memory_order_relaxed); }
