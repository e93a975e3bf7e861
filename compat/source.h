/* source.h: FFTW's wisdom and ours as one text, and where wisdom is imported from, character by character.
 *
 * FFTW's list may be followed by ours (src/plan/wisdom.h), by another one of FFTW's, or by anything that is the
 * program's; FFTW reads no further than its last parenthesis, and so must we, unless ours follows.  Therefore FFTW's
 * list says so itself: a tab, for FFTW a blank among others, stands before that parenthesis. */
#ifndef FG_COMPAT_SOURCE_H
#define FG_COMPAT_SOURCE_H

/* FFTW's text, malloc'd or NULL, with ours behind it, which may be NULL.  It is given back, perhaps elsewhere. */
char *fg_source_joined(char *text, const char *ours);

typedef struct {
  int (*read)(void *data); /* the program's; EOF at the end */
  void *data;
  int latest, before; /* the last characters that were read */
} fg_source;

/* The next character; source is a fg_source. */
int fg_source_next(void *source);

/* Behind FFTW's list: ours, malloc'd from its opening parenthesis to the closing one.  NULL if there is none; then
 * nothing was read, unless somebody has taken it away. */
char *fg_source_list(fg_source *);

#endif
