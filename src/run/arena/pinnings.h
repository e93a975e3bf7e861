/* pinnings.h: memory registered with the device, and who is using it.
 *
 * A pinning is used by any number of executions. Once it is given up nobody new gets it, and the last user's leaving
 * undoes it; until then its pages stay what they are, whatever the program does with their addresses. Here too the
 * arena's lock is held around calls, but for make and undo, which take the driver's time. */
#ifndef FG_PINNINGS_H
#define FG_PINNINGS_H

#include "src/run/target.h"

/* So many bytes may be pinned of memory that is watched; none before this was called. */
void fg_pinnings_limit(size_t bytes);

/* A pinning to come of these whole pages, for the caller, who makes it next; 0 if there is no room for one. watched:
 * the limit is for it too. */
unsigned fg_pinning_reserve(const fg_target *, char *base, size_t bytes, bool watched);

/* Register the pages; FG_OK or the backend's code. Without the lock. */
int fg_pinning_make(unsigned);

/* The caller has made it. Its number, which no other pinning ever has; 0 if it was given up meanwhile: the caller then
 * undoes it. */
unsigned long fg_pinning_made(unsigned);

/* It is there, and holds all of [from, from + bytes). */
bool fg_pinning_covers(unsigned, const void *from, size_t bytes);

/* One user more: its number. */
unsigned long fg_pinning_use(unsigned);
bool fg_pinning_used(unsigned);

/* A user less. The pinning if it is now to be undone by the caller, else 0. */
unsigned fg_pinning_leave(unsigned long number);

/* No more users. Likewise. */
unsigned fg_pinning_give_up(unsigned);

/* Unregister the pages, without the lock; then with it forget the pinning. */
void fg_pinning_undo(unsigned);
void fg_pinning_forget(unsigned);

/* For pinnings that nobody has time to undo: put one by, and get one back; 0 if there is none. */
void fg_pinning_put_by(unsigned);
bool fg_pinning_is_put_by(void);
unsigned fg_pinning_put_by_last(void);

/* In a forked child: nothing is pinned. */
void fg_pinnings_reset(void);

#endif
