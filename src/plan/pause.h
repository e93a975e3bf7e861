/* pause.h: a plan in single precision whose executions bring numbers that this does not hold, again and again.
 *
 * Each is found out only once the input has been staged, and is then the real FFTW's. After two in a row one execution is
 * not tried on the device; if the next one fails as well two are not, then four, and so on to sixty-four: so what trying
 * costs beside such executions goes to nothing, and a plan whose numbers have become others is the device's again soon.
 * Executions that were under way together when it was found out count as one. */
#ifndef FG_PAUSE_H
#define FG_PAUSE_H

#include <stdatomic.h>
#include <stdbool.h>

enum { FG_MOST_PAUSE = 64 };

/* All zero to begin with; any number of threads at once. */
typedef struct {
  atomic_uint in_a_row;
  atomic_ulong until; /* executions before this one are not to be tried */
} fg_pause;

/* Whether execution number (of this plan, from 1) is not to be tried. */
bool fg_pause_holds(fg_pause *, unsigned long number);

/* It was tried: its numbers were out of range (begun: the number of the last execution that has begun by now), or not. */
void fg_pause_out_of_range(fg_pause *, unsigned long number, unsigned long begun);
void fg_pause_in_range(fg_pause *);

#endif
