/* trace.h: what FFTW3_GPU_TRACE writes: every call of the program to FFTW's interface, so that `fftw3-gpu replay` can
 * repeat them.  doc/trace.md describes the file.
 *
 * compat/ tells of calls after they are done (of what frees something: before).  Any thread; errno is left alone. */
#ifndef FG_TRACE_H
#define FG_TRACE_H

#include "src/report/clock.h"
#include "src/report/trace_line.h"

enum fg_trace_state { FG_TRACE_UNKNOWN, FG_TRACE_OFF, FG_TRACE_ON };
extern enum fg_trace_state fg_trace_state __attribute__((visibility("hidden")));

/* Finds out whether there is to be a trace: fg_trace_on's first call. */
bool fg_trace_begin(void);

/* Who reads that there is one sees what was made for it before. */
static inline enum fg_trace_state fg_trace_now(void) { return __atomic_load_n(&fg_trace_state, __ATOMIC_ACQUIRE); }

static inline bool fg_trace_on(void) {
  const enum fg_trace_state now = fg_trace_now();
  return __builtin_expect(now != FG_TRACE_OFF, 0) && (now == FG_TRACE_ON || fg_trace_begin());
}

/* How to learn the version of the real FFTW of that precision, for the head of the file: that of the first call. */
void fg_trace_versions(enum fg_precision, const char *(*fftw)(void));

/* Whether memory is a device's, or managed; without it none is. */
void fg_trace_devices(bool (*on_device)(const void *));

/* When a call began, for the two that are timed. */
static inline uint64_t fg_trace_clock(void) { return fg_clock_nanoseconds(); }

/* A planner of that precision gave handle (NULL too) for p; p NULL: it refused its arguments.  where it runs; by: the
 * planner's name. */
void fg_trace_plan(enum fg_precision, const void *handle, const fg_problem *p, const char *where, const char *by,
                   uint64_t start);

/* handle was executed on these arrays; NULL: its own. */
void fg_trace_execute(const void *handle, const fg_arrays *a, uint64_t start);

/* A call that only takes a plan, of that precision.  Plans that fg_trace_plan was not told of are passed over. */
void fg_trace_of_plan(enum fg_precision, enum fg_call call, const void *handle);

void fg_trace_malloc(enum fg_precision, const void *p, size_t bytes);
void fg_trace_free(enum fg_precision, const void *p);
void fg_trace_alignment_of(enum fg_precision, const void *p, int result);

/* Any other call: call, precision, value, result and word of a line. */
void fg_trace_note(const fg_trace_line *);

/* For tests: as at exit; bytes after which a trace ends. */
void fg_trace_finish(void);
void fg_trace_set_limit(size_t bytes);

#endif
