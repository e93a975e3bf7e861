/* copies.c: copies into shared memory that are under way, and their barriers.
 *
 * The bytes are there from the beginning on, which nobody sees, since nobody may look; that they are still the same at
 * the end tells whether what was read has changed meanwhile. */
#include "config.h"

#include "cuda/sim/copies.h"

#include <stdlib.h>
#include <string.h>

void fg_sim_copies_begin(fg_sim_copies *all, fg_sim_shared_memory *s) {
  for (unsigned i = 0; i < all->copies; i++) fg_sim_shared_arrive(s, all->copy[i].to, all->copy[i].bytes);
  all->barriers = all->copies = 0;
}

bool fg_sim_copies_new_barrier(fg_sim_copies *all, const void *at, unsigned count) {
  if (all->barriers == FG_COPY_BARRIERS) return false;
  all->barrier[all->barriers++] = (fg_sim_copy_barrier){.at = at, .count = count, .missing = count};
  return true;
}

fg_sim_copy_barrier *fg_sim_copies_barrier(fg_sim_copies *all, const void *at) {
  for (unsigned i = 0; i < all->barriers; i++)
    if (all->barrier[i].at == at) return &all->barrier[i];
  return NULL;
}

const char *fg_sim_copies_complete(fg_sim_copies *all, fg_sim_shared_memory *s, fg_sim_copy_barrier *b) {
  unsigned left = 0;
  bool same = true;
  for (unsigned i = 0; i < all->copies; i++) {
    const fg_sim_copy c = all->copy[i];
    if (c.barrier != b) {
      all->copy[left++] = c;
      continue;
    }
    same = same && !memcmp(c.to, c.from, c.bytes);
    fg_sim_shared_arrive(s, c.to, c.bytes);
  }
  all->copies = left;
  b->missing = b->count;
  b->phase++;
  b->arrived = fg_sim_shared_arrived(s);
  return same ? NULL : "what a copy into shared memory reads was written while it was under way";
}

static bool has_room(fg_sim_copies *all) {
  if (all->copies < all->room) return true;
  const unsigned room = all->room ? 2 * all->room : 16;
  fg_sim_copy *const more = realloc(all->copy, room * sizeof *more);
  if (!more) return false;
  all->copy = more;
  all->room = room;
  return true;
}

const char *fg_sim_copies_may_add(fg_sim_copies *all, const fg_sim_copy_barrier *b) {
  if (!b->missing) return "the next phase of a barrier is begun before anybody has waited for the last one";
  return has_room(all) ? NULL : "no memory to simulate a copy with";
}

void fg_sim_copies_add(fg_sim_copies *all, fg_sim_copy_barrier *b, void *to, const void *from, unsigned bytes) {
  memcpy(to, from, bytes);
  all->copy[all->copies++] = (fg_sim_copy){to, from, bytes, b};
}
