/* trace_stream.h: lines of all threads on their way to the file.  One caller at a time.
 *
 * Writing may take a twentieth of the time.  The functions that write return false when the trace has ended: it could
 * not be written, has its largest size, or its last line. */
#ifndef FG_TRACE_STREAM_H
#define FG_TRACE_STREAM_H

#include <stdio.h>

#include "src/report/trace_fold.h"

/* thread_ends is called by each thread that pushed something, as it ends, and has to call leave with its argument. */
bool fg_trace_stream_begin(void (*thread_ends)(void *));
void fg_trace_stream_leave(void *);

/* Add a line (malloc'd, taken over; NULL: nothing), as fg_trace_fold_push.  Lines of different threads may change
 * places where their order does not matter. */
void fg_trace_stream_push(char *text, const ptrdiff_t *offset, bool order_matters, const fg_trace_frame *);

/* For text that stands at once: the head of the file.  NULL on lack of memory. */
FILE *fg_trace_stream_stand(void);

/* Write all there is, and the last line if there is one; now: ns since the trace began. */
bool fg_trace_stream_write(const char *last, uint64_t now);
bool fg_trace_stream_end(uint64_t now);

/* Write if there is time for it; since: the clock when the trace began. */
bool fg_trace_stream_write_sometimes(uint64_t since);

/* In the child of a fork: what was waiting is the parent's. */
void fg_trace_stream_forked(void);

#endif
