/* trace_fold.c: loops found in a stream of lines, as they come. */
#include "src/report/trace_fold.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 64 }; /* nodes in a loop's body */

/* A line (text), or a loop around length nodes; times in a row. */
struct fg_trace_node {
  uint64_t hash; /* of text or body, without times and offsets */
  char *text;
  ptrdiff_t offset[FG_TRACE_REFS]; /* of the first; frame.step has what follows */
  int length;
  fg_trace_node **body;
  long times;
  fg_trace_frame frame; /* of a line; start: of the first */
};

static uint64_t mix(uint64_t hash, uint64_t more) { return (hash ^ more) * UINT64_C(0x100000001b3); } /* FNV-1a */

static uint64_t hash_text(const char *text) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (; *text; text++) hash = mix(hash, (unsigned char)*text);
  return hash;
}

static bool same(const fg_trace_node *a, const fg_trace_node *b);

static bool same_line(const fg_trace_node *a, const fg_trace_node *b) {
  return !memcmp(a->offset, b->offset, sizeof a->offset) &&
         !memcmp(a->frame.step, b->frame.step, sizeof a->frame.step) && !strcmp(a->text, b->text);
}

static bool steps(const fg_trace_node *n) {
  static const ptrdiff_t still[FG_TRACE_REFS];
  return n->text && memcmp(n->frame.step, still, sizeof still);
}

/* Whatever their times. */
static bool same_body(const fg_trace_node *a, const fg_trace_node *b) {
  if (a->hash != b->hash || a->length != b->length || !a->text != !b->text) return false;
  if (a->text) return same_line(a, b);
  for (int i = 0; i < a->length; i++)
    if (!same(a->body[i], b->body[i])) return false;
  return true;
}

static bool same(const fg_trace_node *a, const fg_trace_node *b) { return a->times == b->times && same_body(a, b); }

static void node_free(fg_trace_node *n) {
  for (int i = 0; i < n->length; i++) node_free(n->body[i]);
  free(n->body);
  free(n->text);
  free(n);
}

/* Add the durations of more, of the same body, to n's, and free more. */
static void absorb(fg_trace_node *n, fg_trace_node *more) {
  for (int i = 0; i < n->length; i++) {
    absorb(n->body[i], more->body[i]);
    more->body[i] = NULL;
  }
  more->length = 0;
  n->frame.ns += more->frame.ns;
  if (more->frame.min < n->frame.min) n->frame.min = more->frame.min;
  if (more->frame.max > n->frame.max) n->frame.max = more->frame.max;
  node_free(more);
}

/* ---- folding, at the end of the stream --------------------------------------------------------------------------- */

static bool run_equals(fg_trace_node *const *a, fg_trace_node *const *b, int length) {
  for (int i = length - 1; i >= 0; i--)
    if (!same(a[i], b[i])) return false;
  return true;
}

/* next, a single line, goes on where n ends; if n is a single line too, the step is between the two. */
static bool goes_on(fg_trace_node *n, const fg_trace_node *next) {
  ptrdiff_t step[FG_TRACE_REFS];
  if (!n->text || !next->text || next->times > 1 || n->hash != next->hash || strcmp(n->text, next->text)) return false;
  for (int i = 0; i < FG_TRACE_REFS; i++) {
    step[i] = n->times > 1 ? n->frame.step[i] : next->offset[i] - n->offset[i];
    if (next->offset[i] != n->offset[i] + n->times * step[i]) return false;
  }
  memcpy(n->frame.step, step, sizeof step);
  return true;
}

/* The last node is the one before it once more, the same line or the same loop, or goes on from it. */
static bool fold_neighbour(fg_trace_fold *f) {
  if (f->count < 2) return false;
  fg_trace_node *const last = f->node[f->count - 1], *const before = f->node[f->count - 2];
  if (!goes_on(before, last) && (steps(last) || !same_body(before, last))) return false;
  before->times += last->times;
  absorb(before, last);
  f->count--;
  return true;
}

/* The last length nodes are what the loop before them repeats. */
static bool fold_round(fg_trace_fold *f, int length) {
  fg_trace_node *const loop = f->count > length ? f->node[f->count - length - 1] : NULL;
  if (!loop || loop->text || loop->length != length) return false;
  fg_trace_node **const tail = &f->node[f->count - length];
  if (!run_equals(loop->body, tail, length)) return false;
  for (int i = 0; i < length; i++) absorb(loop->body[i], tail[i]);
  loop->times++;
  f->count -= length;
  return true;
}

/* The last length nodes are the length nodes before them: a new loop. */
static bool fold_pair(fg_trace_fold *f, int length) {
  if (f->count < 2 * length) return false;
  fg_trace_node **const head = &f->node[f->count - 2 * length], **const tail = head + length;
  if (length == 1 && !steps(head[0])) return false; /* a neighbour */
  if (!run_equals(head, tail, length)) return false;
  fg_trace_node *loop = calloc(1, sizeof *loop);
  fg_trace_node **body = malloc((size_t)length * sizeof *body);
  if (!loop || !body) {
    free(loop);
    free(body);
    return false;
  }
  *loop = (fg_trace_node){.hash = (uint64_t)length, .length = length, .body = body, .times = 2};
  for (int i = 0; i < length; i++) {
    body[i] = head[i];
    absorb(body[i], tail[i]);
    loop->hash = mix(mix(loop->hash, body[i]->hash), (uint64_t)body[i]->times);
  }
  head[0] = loop;
  f->count -= 2 * length - 1;
  return true;
}

static bool fold_once(fg_trace_fold *f) {
  if (fold_neighbour(f)) return true;
  for (int length = 1; length <= LONGEST && length < f->count; length++)
    if (fold_round(f, length) || fold_pair(f, length)) return true;
  return false;
}

void fg_trace_fold_push(fg_trace_fold *f, char *text, const ptrdiff_t offset[FG_TRACE_REFS],
                        const fg_trace_frame *frame) {
  fg_trace_node *n = calloc(1, sizeof *n);
  if (!n) {
    free(text);
    return;
  }
  *n = (fg_trace_node){.hash = hash_text(text), .text = text, .times = 1, .frame = *frame};
  if (offset) memcpy(n->offset, offset, sizeof n->offset);
  f->node[f->count++] = n;
  while (fold_once(f)) continue;
}

void fg_trace_fold_drop(fg_trace_fold *f, int count) {
  for (int i = 0; i < count; i++) node_free(f->node[i]);
  f->count -= count;
  memmove(f->node, f->node + count, (size_t)f->count * sizeof *f->node);
}

/* ---- as text ----------------------------------------------------------------------------------------------------- */

/* text with the offsets that belong to its '@'; these, of all the places that a line may name, are in order. */
static void print_text(const fg_trace_node *n, FILE *f) {
  int i = 0;
  for (const char *c = n->text; *c; c++)
    if (*c != '@') fputc(*c, f);
    else if (n->offset[i++]) fprintf(f, "%+td", n->offset[i - 1]);
}

static void print_steps(const fg_trace_node *n, FILE *f) {
  const char *before = " step=";
  int i = 0;
  for (const char *at = n->text; (at = strchr(at, '@')); at++, before = ",")
    fprintf(f, "%s%td", before, n->frame.step[i++]);
}

/* around: how often the loops around it run. */
static void print_line(const fg_trace_node *n, int thread, int depth, long around, FILE *f) {
  fprintf(f, "%*s+%" PRIu64 " t%d ", 2 * depth, "", n->frame.start, thread);
  print_text(n, f);
  if (n->times > 1) fprintf(f, " x%ld", n->times);
  if (steps(n)) print_steps(n, f);
  if (n->frame.timed) fprintf(f, " ns=%" PRIu64, n->frame.ns);
  if (n->frame.timed && n->times * around > 1) fprintf(f, " min=%" PRIu64 " max=%" PRIu64, n->frame.min, n->frame.max);
  fputc('\n', f);
}

static void print(const fg_trace_node *n, int thread, int depth, long around, FILE *f) {
  if (n->text) {
    print_line(n, thread, depth, around, f);
    return;
  }
  fprintf(f, "%*srepeat %ld\n", 2 * depth, "", n->times);
  for (int i = 0; i < n->length; i++) print(n->body[i], thread, depth + 1, around * n->times, f);
  fprintf(f, "%*send\n", 2 * depth, "");
}

void fg_trace_fold_print(const fg_trace_fold *fold, int count, FILE *f) {
  for (int i = 0; i < count; i++) print(fold->node[i], fold->thread, 0, 1, f);
}
