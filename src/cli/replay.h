/* replay.h: what the files of `fftw3-gpu replay` share: a trace as a tree of calls, its arrays, the table. */
#ifndef FG_REPLAY_H
#define FG_REPLAY_H

#include <stdio.h>

#include "src/report/trace_line.h"

/* ---- the file (replay_file.c) ---- */

typedef struct fg_replay_item fg_replay_item;
struct fg_replay_item {
  fg_replay_item *next, *body; /* body: of a loop, whose rounds are times */
  bool loop;
  long number, times;
  long around; /* how often the loops around it run in all */
  fg_trace_line line;
  fg_trace_frame frame;
  int row;   /* of a plan and its executions: in the table; -1: none */
  char *key; /* of the first plan of a row: what makes the row */
  fg_replay_item *next_row;

  /* Of a line that an array begins with. */
  fg_replay_item *whole; /* what it is a part of, delta bytes from that one's beginning; NULL: itself */
  ptrdiff_t delta;
  ptrdiff_t low, high;   /* bytes that are touched, from what offsets count from */
  char *block, *base;    /* while it exists */
  bool filled, spoiled;  /* spoiled: a transform left its input in pieces */
  size_t renewed;        /* bytes of parts that were filled anew since all of it was */
  enum fg_precision holds; /* what it is filled with */
  double magnitude;      /* log10 of its numbers, at most */
};

typedef struct {
  const char *name;
  fg_replay_item *first;
  char head[256];  /* "program …" */
  bool complete;
  char note[256];  /* why the file is taken as far as it goes; "" */
  uint64_t end;    /* latest time stamp */
  int rows, ids;   /* ids: numbers of plans and arrays are below */
} fg_replay_file;

/* false, after a message: the file cannot be used. */
bool fg_replay_read(fg_replay_file *, const char *name);
void fg_replay_free(fg_replay_file *);

/* ---- memory (replay_arrays.c) ---- */

/* Where it comes from: fftwf_malloc, fftw_malloc (by precision) and, if there is a device (else NULL),
 * fftw3_gpu_malloc and its like. */
typedef struct {
  void *(*malloc[2])(size_t);
  void (*free[2])(void *);
  int (*device_malloc)(void **, size_t);
  int (*device_free)(void *);
  int (*device_copy)(void *, const void *, size_t);
} fg_replay_memory;
void fg_replay_memory_from(const fg_replay_memory *);

/* Of an array's first line, where its offsets count from; allocated if it is not.  NULL on lack of memory. */
char *fg_replay_base(fg_replay_item *);
void fg_replay_release(fg_replay_item *);

/* at, in array a, as the host may read it until *copy (malloc'd, or NULL) is freed; NULL on lack of memory. */
const char *fg_replay_view(const fg_replay_item *a, const char *at, char **copy);

/* Before so many bytes of an array are transformed, or (NULL) all of it: numbers of p's precision in them that are the same each
 * time, if it has none or too large ones. */
void fg_replay_ready(fg_replay_item *, const fg_problem *p, bool input, char *from, size_t bytes);

/* Plans that measure overwrite their arrays. */
void fg_replay_spoil(fg_replay_item *);

/* p went from in to out. */
void fg_replay_transformed(const fg_problem *p, fg_replay_item *in, fg_replay_item *out, bool in_place);

/* ---- the table (replay_table.c) ---- */

/* All plans of the same problem and precision with the same flags and threads.  Seconds; recorded: in the trace. */
typedef struct {
  char problem[96], flags[40], where[16];
  enum fg_precision precision; /* of the arrays */
  bool single;                 /* computed in single precision */
  int threads;
  long called; /* executions of the program's, also those without a plan now */
  long plans, executes, recorded_plans, recorded_executes, nulls;
  double plan_seconds, seconds, median, recorded_plan_seconds, recorded_seconds;
  double difference; /* largest relative L2 difference to the other library's results */
  long compared;
} fg_replay_row;

/* The recorded half of the rows; rows has file->rows entries of zeros. */
void fg_replay_rows_begin(const fg_replay_file *, fg_replay_row *rows);

void fg_replay_table(const fg_replay_file *, const fg_replay_row *rows, int times);
void fg_replay_compare_table(const fg_replay_file *, const fg_replay_row *stock, const fg_replay_row *ours);
void fg_replay_csv(FILE *, const fg_replay_file *, const fg_replay_row *stock, const fg_replay_row *ours);

/* Differences above this are wrong results, as far as one can tell after a chain of transforms. */
double fg_replay_wrong(const fg_replay_row *);

/* ---- comparing results (replay_results.c) ---- */

/* A result in the file: of which of the trace's executions; reals follow. */
typedef struct {
  long execution;
  enum fg_precision precision;
  ptrdiff_t count;
} fg_replay_result_head;

typedef struct {
  FILE *file;     /* NULL: nothing is compared */
  bool compare;   /* with what an earlier replay wrote there; else write */
  bool ended;     /* the file has no more */
  int failed;     /* errno of what could not be written; 0 */
  long execution; /* the trace's that is being made, from 1; both count those without a plan */
  fg_replay_result_head next; /* in the file; count 0: its reals have been read */
  double bytes;
} fg_replay_results;

/* row has just executed p: its 1st, 2nd, 4th, 8th … result is wanted; there it is. */
bool fg_replay_result_wanted(const fg_replay_results *, const fg_replay_row *row, const fg_problem *p);
void fg_replay_result(fg_replay_results *, fg_replay_row *row, const fg_problem *p, const char *re, const char *im);

/* All are to be written now; 0, or errno of what could not be. */
int fg_replay_results_end(fg_replay_results *);

/* ---- threads (replay_threads.c) ---- */

/* Do item; false: it failed, after a message. */
typedef bool (*fg_replay_runner)(void *data, fg_replay_item *item);

/* Where the executions of several threads that begin with first end; first itself if there are none. */
fg_replay_item *fg_replay_stretch(fg_replay_item *first);

/* Run such a stretch by as many threads, all at once. */
bool fg_replay_together(fg_replay_item *first, fg_replay_runner run, void *data);

/* ---- running it (replay_run.c) ---- */

typedef struct {
  int times;
  long most;     /* repetitions of a loop or line at most; 0: all */
  FILE *results; /* for comparing: written, or read and compared with; NULL: neither */
  bool compare;
  bool threads;  /* as many as the program had */
} fg_replay_options;

/* Repeat the calls through the library, which is opened.  Exit status. */
int fg_replay_run(fg_replay_file *, fg_replay_row *rows, const fg_replay_options *);

#endif
