/* trace_line.h: a call of FFTW's interface as one line of text, both ways (doc/trace.md has the format).
 *
 * Plans, arrays and numbers only: no data of the program, no address. */
#ifndef FG_TRACE_LINE_H
#define FG_TRACE_LINE_H

#include <stdint.h>

#include "src/problem/problem.h"

#define FG_TRACE_MAGIC "fftw3-gpu-trace"
enum { FG_TRACE_VERSION = 1 };

enum fg_call {
  FG_CALL_MALLOC,  /* subject: the array; value: bytes */
  FG_CALL_FREE,
  FG_CALL_ARRAY,   /* no call: an array that is not of fftwf_malloc appears; word: its kind; value: address mod 4096 */
  FG_CALL_JOIN,    /* no call: subject is from its beginning a part of at[0].array, there at at[0].offset */
  FG_CALL_PLAN,    /* subject: the plan; problem (NULL: refused); at: its arrays */
  FG_CALL_EXECUTE, /* has_arrays: on other arrays than the plan's */
  FG_CALL_DESTROY,
  FG_CALL_COPY,
  FG_CALL_PRINT,
  FG_CALL_FLOPS,
  FG_CALL_COST,
  FG_CALL_ESTIMATE_COST,
  FG_CALL_CLEANUP,
  FG_CALL_CLEANUP_THREADS,
  FG_CALL_INIT_THREADS,         /* result */
  FG_CALL_PLAN_WITH_NTHREADS,   /* value */
  FG_CALL_PLANNER_NTHREADS,     /* result */
  FG_CALL_MAKE_PLANNER_THREAD_SAFE,
  FG_CALL_THREADS_SET_CALLBACK, /* word: own, none */
  FG_CALL_SET_TIMELIMIT,        /* value: microseconds; negative: no limit */
  FG_CALL_ALIGNMENT_OF,         /* value: address mod 4096; result */
  FG_CALL_FORGET_WISDOM,
  FG_CALL_EXPORT_WISDOM,        /* word: chars, file, string; value: characters, -1: not known */
  FG_CALL_IMPORT_WISDOM,        /* likewise; result */
  FG_CALL_IMPORT_SYSTEM_WISDOM, /* result */
  FG_CALLS
};

/* Instead of a plan's or array's number: a NULL pointer; one that the trace knows nothing of. */
enum { FG_TRACE_NULL = -1, FG_TRACE_OTHER = -2 };

/* A place in an array, in bytes from what its offsets count from. */
typedef struct {
  int array;
  ptrdiff_t offset;
} fg_trace_ref;

enum { FG_IN_RE, FG_IN_IM, FG_OUT_RE, FG_OUT_IM, FG_TRACE_REFS };

typedef struct {
  enum fg_call call;
  enum fg_precision precision;    /* of the function that was called; of a call that takes a plan: see its plan */
  int subject;
  long long value, result;
  char word[16];
  bool has_arrays;
  fg_trace_ref at[FG_TRACE_REFS]; /* imaginary parts: FG_TRACE_NULL where they lie one real behind the real ones */
  fg_problem *problem;            /* of its arrays only the placement counts; a parsed line owns it */
  char where[16], by[40];         /* of a plan: where it runs, the planner that the program called; may be "" */
} fg_trace_line;

/* The line without time and thread, malloc'd; NULL on lack of memory. */
char *fg_trace_line_print(const fg_trace_line *);

/* The same with '@' for the offset of each place in an array. */
char *fg_trace_line_template(const fg_trace_line *);

/* What stands around it in the file. */
typedef struct {
  uint64_t start;        /* ns since the trace began */
  int thread;
  long times;            /* how often in a row */
  ptrdiff_t step[FG_TRACE_REFS]; /* bytes that each time is further than the one before */
  bool timed;
  uint64_t ns, min, max; /* of all executions of this line together; of one */
} fg_trace_frame;

/* Parse a line of a file, "+start tN CALL …".  false: why[0..size) says what is wrong. */
bool fg_trace_line_parse(const char *text, fg_trace_line *, fg_trace_frame *, char *why, size_t size);
void fg_trace_line_free(fg_trace_line *);

#endif
