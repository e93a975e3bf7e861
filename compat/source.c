/* source.c: FFTW's wisdom and ours as one text.  Compiled once for both precisions. */
#include "config.h"

#include "compat/source.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/plan/wisdom.h"

static const char mark = '\t', end = ')';

char *fg_source_joined(char *text, const char *ours) {
  if (!text || !ours || !strrchr(text, end)) return text;
  char *both = realloc(text, strlen(text) + 1 + strlen(ours) + 1);
  if (!both) return text;
  char *last = strrchr(both, end);
  memmove(last + 1, last, strlen(last) + 1);
  *last = mark;
  return strcat(both, ours);
}

int fg_source_next(void *source) {
  fg_source *s = source;
  s->before = s->latest;
  return s->latest = s->read(s->data);
}

/* Whether our list begins, behind blanks. */
static bool begins(fg_source *s) {
  const char *c = FG_WISDOM_HEAD;
  do fg_source_next(s);
  while (s->latest == '\n' || s->latest == ' ');
  while (*c && s->latest == *c)
    if (*++c) fg_source_next(s);
  return !*c;
}

char *fg_source_list(fg_source *s) {
  if (s->latest != end || s->before != mark || !begins(s)) return NULL;
  char *text = NULL;
  size_t size = 0;
  FILE *f = open_memstream(&text, &size);
  if (!f) return NULL;
  fputs(FG_WISDOM_HEAD, f);
  for (int depth = 1, c; depth > 0 && (c = fg_source_next(s)) != EOF;) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    fputc(c, f);
  }
  fclose(f);
  return text;
}
