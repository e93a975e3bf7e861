/* source.c: where wisdom is imported from.  Compiled once: a program may read both precisions' from one source. */
#include "config.h"

#include "compat/source.h"

#include <stdio.h>
#include <string.h>

static fg_source last; /* guarded by the planner lock */

int fg_source_next(void *source) {
  fg_source *s = source;
  return s->latest = s->at < s->length ? (unsigned char)s->kept[s->at++] : s->read(s->data);
}

/* What was left goes on with what comes now: the middle of a list's head. A list that begins anew is another source
 * under the same addresses, or the same one from its start. */
static bool goes_on(int next) { return next != '(' && next != ' ' && next != '\n' && next != EOF; }

fg_source fg_source_open(int (*read)(void *data), void *data) {
  fg_source s = {.read = read, .data = data};
  if (last.read == read && last.data == data) {
    const int next = read(data);
    if (goes_on(next)) s = last;
    if (next != EOF) s.kept[s.length++] = (char)next;
  }
  last.read = NULL;
  return s;
}

void fg_source_leave(const fg_source *s) { last = *s; }

char *fg_source_list(fg_source *s) {
  const size_t head = sizeof FG_WISDOM_HEAD - 1;
  char start[sizeof s->kept - 1];
  size_t length = 0, matched = 0;
  int c = s->latest;
  if (c == EOF || !strchr("()\n ", c)) return NULL; /* FFTW has read what is not ours */
  if (s->latest == FG_WISDOM_HEAD[0]) start[length++] = FG_WISDOM_HEAD[matched++];
  while (matched < head && length < sizeof start && (c = fg_source_next(s)) != EOF) {
    start[length++] = (char)c;
    if (matched == 0 && (c == '\n' || c == ' ')) continue;
    if (c != FG_WISDOM_HEAD[matched]) break;
    matched++;
  }
  if (matched < head) {
    *s = (fg_source){.read = s->read, .data = s->data, .length = length};
    memcpy(s->kept, start, length);
    return NULL;
  }
  char *text = NULL;
  size_t size = 0;
  FILE *f = open_memstream(&text, &size);
  if (!f) return NULL;
  fputs(FG_WISDOM_HEAD, f);
  for (int depth = 1; depth > 0 && (c = fg_source_next(s)) != EOF;) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    fputc(c, f);
  }
  fclose(f);
  return text;
}
