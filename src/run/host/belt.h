/* belt.h: copies that several threads share, in order: pieces, each cut into equally many parts.
 *
 * One thread owns the belt: it says what a part is, lets pieces begin one after the other, and sees which are finished.
 * Any thread may take the next part. Pieces take turns on the FG_RING places of a staging ring: a piece may begin when
 * the one so many before it is finished. */
#ifndef FG_BELT_H
#define FG_BELT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum { FG_RING = 8 };

/* Do one of parts parts of a piece. */
typedef void (*fg_belt_part)(void *context, size_t piece, int part, int parts);

/* All zero to begin with. */
typedef struct {
  fg_belt_part part;
  void *context;
  int parts;
  size_t base;                   /* number of the first part; none comes again, so that who is late takes none */
  _Atomic size_t open;           /* parts below have been let begin */
  _Atomic size_t next;           /* the first that nobody has taken */
  _Atomic size_t finished[FG_RING]; /* parts, by the place of their piece */
} fg_belt;

/* ---- the owner ---- */

void fg_belt_start(fg_belt *, fg_belt_part, void *context, int parts);

/* One more piece may begin. */
void fg_belt_open(fg_belt *);

/* Piece (counted from 0, one of the last FG_RING that were opened) is finished; what its parts wrote can be read. */
bool fg_belt_done(const fg_belt *, size_t piece);

/* What nobody has taken is never done; returns when all else is. Then the belt may be started anew. */
void fg_belt_stop(fg_belt *);

/* ---- anybody ---- */

/* Take one part and do it; false if there is none. */
bool fg_belt_help(fg_belt *);

/* A moment for other threads: turns counts the calls of one wait. */
void fg_belt_pause(unsigned turns);

#endif
