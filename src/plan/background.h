/* background.h: work behind the program's back: one thread, which is there only while there is work.
 *
 * It blocks all signals.  A process that exits lets the job at hand end first (five seconds at most), before any
 * library's exit handlers take away what the job stands on; jobs that have not begun are dropped (src/run/ending.h).
 * A child of fork has no such thread: what was queued is dropped there too. */
#ifndef FG_BACKGROUND_H
#define FG_BACKGROUND_H

#include <stdbool.h>

typedef struct {
  void (*work)(void *what);
  void (*release)(void *what); /* after work, or instead of it when the process ends */
  void (*forget)(void *what);  /* instead of both in a child of fork: only async-signal-safe things */
} fg_errand;

/* Have it done.  false, and nothing was or will be called, if no thread can be had, or the process is ending. */
bool fg_background_submit(const fg_errand *errand, void *what);

/* Until all is done; or so many seconds have passed. */
void fg_background_wait(void);
void fg_background_wait_for(double seconds);

/* What the program's main thread calls before there may be work: lets its exit wait first of all (see background.c). */
void fg_background_watch_exit(void);

#endif
