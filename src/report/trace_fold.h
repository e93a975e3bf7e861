/* trace_fold.h: repeated lines become loops.
 *
 * Lines of one thread are pushed one after the other.  Equal neighbours become one line that says how often, also where
 * the places in arrays go on by the same step each time (a batch, one transform a call); a sequence that follows itself
 * becomes a loop, and loops become loops of loops.  Nothing is lost but the times of single executions: a line keeps
 * their sum, least and most. */
#ifndef FG_TRACE_FOLD_H
#define FG_TRACE_FOLD_H

#include <stdio.h>

#include "src/report/trace_line.h"

typedef struct fg_trace_node fg_trace_node;

enum { FG_FOLD_MOST = 512 };

/* What is not written for good yet; zeros: empty. */
typedef struct {
  int thread, count;
  fg_trace_node *node[FG_FOLD_MOST];
} fg_trace_fold;

/* Add a line (malloc'd, taken over), with the offsets for each '@' in it (NULL: there is none).  It must not be
 * full. */
void fg_trace_fold_push(fg_trace_fold *, char *text, const ptrdiff_t offset[FG_TRACE_REFS], const fg_trace_frame *);

/* Write the first count nodes, as the file has them. */
void fg_trace_fold_print(const fg_trace_fold *, int count, FILE *);

/* Forget the first count nodes. */
void fg_trace_fold_drop(fg_trace_fold *, int count);

#endif
