/* source.h: where wisdom is imported from, character by character, and what was read of it too far.
 *
 * FFTW's list is followed by ours (src/plan/wisdom.h), by another one of FFTW's, or by anything.  What turns out not to
 * be ours was meant for the next import from the same source, of either precision, and is served to it. */
#ifndef FG_COMPAT_SOURCE_H
#define FG_COMPAT_SOURCE_H

#include <stddef.h>

#include "src/plan/wisdom.h"

typedef struct {
  int (*read)(void *data); /* the program's; EOF at the end */
  void *data;
  char kept[sizeof FG_WISDOM_HEAD + 8 + 1]; /* one more than fg_source_list reads */
  size_t length, at;
  int latest; /* FFTW skips blanks behind its list, and so takes the first character of ours along */
} fg_source;

/* With what the last import from there has left, unless it begins anew; and leave what this one has.  Under the planner
 * lock. */
fg_source fg_source_open(int (*read)(void *data), void *data);
void fg_source_leave(const fg_source *);

/* The next character; source is a fg_source. */
int fg_source_next(void *source);

/* Our list, if it follows: malloc'd from its opening parenthesis to the closing one.  NULL, and the characters read so
 * far are kept, if something else does. */
char *fg_source_list(fg_source *);

#endif
